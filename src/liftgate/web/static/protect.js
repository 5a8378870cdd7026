// Protect: a search that tells how it stands, and what other budgets would keep.

import * as address from "./address.js";
import { draw, show } from "./draw.js";
import { fill, held } from "./form.js";
import { TableRoom } from "./table.js";

class Protect extends TableRoom {
  constructor(name) {
    super(name);
    this.does.tradeoff = () => this.try(() => this.ask("tradeoff", { ...this.columns(), budgets: ["lip:0.25", "lip:0.5", "lip:0.75", "lip:1", "lip:1.5", "lip:2"], seconds: 30 }));
    this.place.addEventListener("click", (event) => {
      const chosen = event.target.closest("[data-budget]");
      if (chosen) this.choose(chosen.dataset.budget);
    });
  }

  question() {
    const asked = held(this.form);
    const rows = asked.get("rows");
    return { ...this.columns(), budget: this.budget(), mechanism: asked.get("mechanism"), seconds: asked.get("seconds"), rows: rows === "none" ? null : rows };
  }

  choose(budget) {
    const asked = held(this.form);
    asked.set("other", budget);
    address.write(this.name, asked, false);
    fill(this.form, asked);
    this.form.elements.other.closest("details").open = true;
    this.words();
    this.submit();
  }

  answered(state) {
    super.answered(state);
    if (state.answer.choices) {
      const more = document.createElement("div");
      draw(more, state.answer.choices);
      this.find("found").append(more);
    }
    show(this.find("empty"), false);
  }
}

export const protect = new Protect("protect");
