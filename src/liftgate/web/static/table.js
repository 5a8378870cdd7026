// Rooms that start from a table: its columns to click, and a budget by two sliders.

import { ask, follow, start } from "./ask.js";
import { draw } from "./draw.js";
import { fill, held } from "./form.js";
import { Room } from "./room.js";

export class TableRoom extends Room {
  constructor(name) {
    super(name);
    this.form.addEventListener("input", (event) => ["low", "up", "other"].includes(event.target.name) && this.moved(event.target));
  }

  async arrive(asked) {
    await this.prepare(asked);
    await super.arrive(asked);
  }

  async prepare(asked) {
    this.words();
    await this.pick(asked);
  }

  // The columns of the chosen table, drawn by the server; what was ticked before stays ticked.
  async pick(asked) {
    const table = this.form.elements.table.value;
    const box = this.find("picker");
    if (box.dataset.table !== table) {
      draw(box, "");
      box.dataset.table = "";
      if (table) {
        this.begin("Reading the table");
        const state = await follow(await start("columns", { table }), () => {}, this.leaving.signal);
        this.end();
        draw(box, state.answer.markup);
        box.dataset.table = table;
      }
    }
    fill(this.form, asked);
  }

  async changed(field) {
    super.changed(field);
    // A column is sensitive or public, not both.
    if (field.checked && (field.name === "sensitive" || field.name === "public"))
      for (const other of this.form.querySelectorAll(`[name="${field.name === "public" ? "sensitive" : "public"}"]`))
        if (other.value === field.value) other.checked = false;
    if (field.name === "table") await this.try(() => this.pick(held(this.form)));
    this.remember(true);
  }

  // A slider that moves takes the place of another budget.
  moved(field) {
    if (field && field.name !== "other") this.form.elements.other.value = "";
    return this.words();
  }

  budget() {
    const { low, up, other } = this.form.elements;
    return other.value || `alip:${low.value},${up.value}`;
  }

  async words() {
    await this.try(async () => this.said(await ask(`api/words?${new URLSearchParams({ budget: this.budget() })}`)));
  }

  said(words) {
    for (const place of this.form.querySelectorAll("[data-words]")) place.textContent = words[place.dataset.words] ?? "…";
  }

  columns() {
    const asked = held(this.form);
    return { table: asked.get("table"), sensitive: asked.getAll("sensitive"), public: asked.getAll("public"), count: asked.get("count") };
  }
}
