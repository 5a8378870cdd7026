// Couple: two laws, or a named mechanism with its parameters.

import { show } from "./draw.js";
import { held } from "./form.js";
import { Room } from "./room.js";

class Couple extends Room {
  async open(asked) {
    const family = asked.get("family") ?? "";
    this.switch(family);
    await super.open(asked);
    this.switch(family);
  }

  changed(field) {
    super.changed(field);
    this.switch(this.form.elements.family.value);
    this.remember(true);
  }

  // Shows the fields that belong to the choice; a field that is not shown is not asked.
  switch(family) {
    const { relation } = this.form.elements;
    show(this.find("laws"), !family);
    show(this.find("pairs"), relation.value === "pairs");
    for (const set of this.form.querySelectorAll("fieldset[data-family]")) {
      set.disabled = set.dataset.family !== family;
      show(set, set.dataset.family === family);
    }
  }

  async prepare(asked) {
    this.switch(asked.get("family") ?? "");
  }

  question() {
    const asked = held(this.form);
    const family = asked.get("family");
    const parameters = [...asked].filter(([name]) => name.startsWith("p.")).map(([name, value]) => `${name.slice(2)}=${value}`);
    return {
      left: family ? null : asked.get("left"), right: family ? null : asked.get("right"),
      family: family ? [family, parameters.join(",")].filter(Boolean).join(":") : null,
      relation: asked.get("relation") === "pairs" ? (asked.get("pairs") ?? "[]") : asked.get("relation"),
      exp_eps: asked.get("exp_eps"), delta: asked.get("delta") ?? "0", compose: asked.get("compose") ?? "1",
      decimals_exact: asked.has("decimals_exact"),
    };
  }
}

export const couple = new Couple("couple");
