// Putting what the server drew into its place.

const made = (text) => text;
const policy = window.trustedTypes?.createPolicy("liftgate", { createHTML: made }) ?? { createHTML: made };

// Markup comes from the server only, which escaped every name in it; styles wait in data-style.
export function draw(box, markup) {
  const before = [...box.querySelectorAll(".scroll")].map((frame) => [frame.scrollLeft, frame.scrollTop]);
  box.innerHTML = policy.createHTML(markup);
  for (const part of box.querySelectorAll("[data-style]")) part.style.cssText = part.dataset.style;
  box.querySelectorAll(".scroll").forEach((frame, k) => before[k] && frame.scrollTo(...before[k]));
}

export function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

export function show(part, shown) {
  if (part) part.hidden = !shown;
}

export function error(box, record) {
  box.replaceChildren(element("h1", "Could not ask"), element("p", `${record.place}: ${record.value}`), element("p", `What to do: ${record.fix}`));
  show(box, true);
}

export function saves(list, state) {
  list.replaceChildren(
    ...state.files.map((file) => {
      const item = document.createElement("li");
      const text = `Save: ${file.title}${file.private ? " (private)" : ""}`;
      item.append(element("a", text, { class: "btn", href: `api/jobs/${state.job}/files/${encodeURIComponent(file.name)}`, download: file.name, "data-file": file.name }));
      return item;
    }),
  );
}
