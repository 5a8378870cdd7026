// The state of a room in the address, so that back, reload and bookmarks work.

let opened = null;

export function read() {
  const [room, ...rest] = location.hash.slice(1).split("?");
  return { room, asked: new URLSearchParams(rest.join("?")) };
}

export function write(room, asked, replace) {
  const text = asked.toString();
  const address = `#${room}${text ? `?${text}` : ""}`;
  if (address !== location.hash) history[replace ? "replaceState" : "pushState"](null, "", address);
  opened = location.hash;
  document.querySelector(`.rooms a[data-room-link="${room}"]`).setAttribute("href", address);
}

export function onMove(open) {
  const moved = () => {
    if (location.hash === opened) return;
    opened = location.hash;
    open(read());
  };
  addEventListener("popstate", moved);
  addEventListener("hashchange", moved);
  moved();
}
