// Announce: rules in, a private and a public page side by side; and what a reader can work out.

import { upload } from "./ask.js";
import { draw, show } from "./draw.js";
import { held } from "./form.js";
import { Room } from "./room.js";

class Announce extends Room {
  constructor(name) {
    super(name);
    this.forms = { announce: this.place.querySelector("#pane-announce form"), attack: this.place.querySelector("#pane-attack form") };
    this.tabs = [...this.place.querySelectorAll("[role=tab]")];
    this.does.last = () => {
      const { published, knows } = this.forms.attack.elements;
      published.value = this.announced?.manifest ?? "";
      knows.value = this.announced?.known ?? "";
      this.remember(true);
    };
    for (const tab of this.tabs) {
      tab.addEventListener("click", () => this.turn(tab.dataset.tab));
      tab.addEventListener("keydown", (event) => {
        if (!["ArrowLeft", "ArrowRight"].includes(event.key)) return;
        const other = this.tabs.find((one) => one !== tab);
        this.turn(other.dataset.tab);
        other.focus();
      });
    }
    this.forms.attack.addEventListener("change", () => this.remember(true));
  }

  turn(name) {
    for (const tab of this.tabs) {
      const chosen = tab.dataset.tab === name;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      show(document.getElementById(`pane-${tab.dataset.tab}`), chosen);
    }
    this.form = this.forms[name];
    this.kind = name;
  }

  async open(asked) {
    this.turn(asked.get("kind") === "attack" || asked.has("published") ? "attack" : "announce");
    await super.open(asked);
  }

  remember(replace, more = {}) {
    super.remember(replace, this.kind === "attack" ? { ...more, kind: "attack" } : more);
  }

  example() {
    this.turn("announce");
    return super.example();
  }

  submit() {
    return this.try(async () => {
      if (this.kind === "announce" && this.form.elements.paste.value) {
        const { table, paste } = this.form.elements;
        const sent = await upload(new Blob([paste.value]), "pasted-rules.csv");
        table.append(new Option(sent.name, sent.table));
        table.value = sent.table;
        paste.value = "";
      }
      await this.ask(this.kind, this.question());
    });
  }

  question() {
    const asked = held(this.form);
    if (this.kind === "attack") return { published: asked.get("published") ?? "", knows: asked.get("knows") };
    return {
      table: asked.get("table"), group: [asked.get("group")], private: [asked.get("private")], people: asked.get("people"), rule: [asked.get("rule")],
      delta: asked.get("delta"), values: asked.get("values")?.split(",") ?? null,
    };
  }

  answered(state) {
    const announced = Boolean(state.answer.summary);
    const found = this.find("found");
    draw(found, state.answer.summary ?? state.answer.markup);
    show(found, true);
    show(this.find("beside"), announced);
    if (announced) {
      this.announced = state.answer;
      for (const frame of this.place.querySelectorAll("[data-frame]")) frame.src = `api/jobs/${state.job}/files/${frame.dataset.frame}?save=false`;
    }
    this.keep(state);
    this.focus(found.querySelector("h1"));
  }
}

export const announce = new Announce("announce");
