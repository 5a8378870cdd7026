// Check: a certificate, a verdict, and what one accepts.

import { held } from "./form.js";
import { Room } from "./room.js";

class Check extends Room {
  constructor(name) {
    super(name);
    this.find("found").addEventListener("change", (event) => event.target.name === "allow" && this.tick());
  }

  changed(field) {
    super.changed(field);
    if (field.name === "certificate" && field.value) this.submit();
  }

  question() {
    return { certificate: held(this.form).get("certificate") ?? "", allow: null };
  }

  tick() {
    const ticked = [...this.find("found").querySelectorAll("[name=allow]:checked")].map((box) => box.value);
    const at = document.activeElement.value;
    return this.try(async () => {
      await this.ask("check", { ...this.question(), allow: ticked });
      this.find("found").querySelector(`[name=allow][value="${CSS.escape(at)}"]`)?.focus();
    });
  }
}

export const check = new Check("check");
