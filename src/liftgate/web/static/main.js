// Which room is open: the one the address names.

import { onMove } from "./address.js";
import { announce } from "./announce.js";
import { audit } from "./audit.js";
import { check } from "./check.js";
import { couple } from "./couple.js";
import { protect } from "./protect.js";

const rooms = { audit, protect, announce, couple, check };

onMove(({ room, asked }) => {
  const name = Object.hasOwn(rooms, room) ? room : "audit";
  for (const [other, { place }] of Object.entries(rooms)) place.hidden = other !== name;
  for (const link of document.querySelectorAll(".rooms a[data-room-link]")) {
    if (link.dataset.roomLink === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${rooms[name].place.getAttribute("aria-label")} · Liftgate`;
  scrollTo(0, 0);
  rooms[name].open(asked);
});

document.querySelector("[data-carry]").addEventListener("click", (event) => {
  event.preventDefault();
  const rest = location.hash.split("?")[1];
  location.hash = rest ? `#protect?${rest}` : "#protect";
});
