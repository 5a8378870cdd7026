// Audit: a verdict with every move of a slider; the report on request.

import { follow, post, start } from "./ask.js";
import { draw, show } from "./draw.js";
import { TableRoom } from "./table.js";

class Audit extends TableRoom {
  constructor(name) {
    super(name);
    this.does.save = () => this.submit();
  }

  async arrive(asked) {
    await this.prepare(asked);
    await this.count();
    if (this.joint) this.focus(this.find("found").querySelector("h1"));
  }

  // The counted table stays with the server; this only learns its name.
  async count() {
    const question = this.columns();
    if (!question.table || !question.sensitive.length || !question.public.length) return this.blank();
    this.begin("Counting");
    const state = await follow(await start("count", question), (now) => this.working(now), this.leaving.signal);
    this.end();
    this.joint = state.answer.joint;
    return this.judge();
  }

  blank() {
    this.joint = null;
    super.blank();
  }

  async changed(field) {
    await super.changed(field);
    show(this.find("stale"), false);
    if (["table", "sensitive", "public", "count"].includes(field.name)) await this.try(() => this.count());
    if (field.name === "sample") await this.try(() => this.judge());
    if (["low", "up", "other"].includes(field.name) && this.sampled()) await this.try(() => this.judge());
  }

  sampled() {
    return Boolean(this.form.elements.sample.value);
  }

  // One question at a time; of those that come meanwhile only the last is asked.
  async moved(field) {
    if (!this.joint || this.sampled()) return super.moved(field);
    if (field && field.name !== "other") this.form.elements.other.value = "";
    this.again = true;
    if (this.asking) return undefined;
    this.asking = true;
    await this.try(async () => {
      while (this.again) {
        this.again = false;
        this.shown(await post("api/live", { joint: this.joint, budget: this.budget() }));
      }
    });
    this.asking = false;
    return undefined;
  }

  async judge() {
    if (!this.joint) return;
    if (this.sampled()) await this.ask("audit", this.question());
    else await this.moved();
  }

  shown(verdict) {
    show(this.find("error"), false);
    this.said(verdict.budget);
    draw(this.find("finding"), verdict.finding);
    draw(this.find("rest"), verdict.markup);
    this.find("command").textContent = verdict.command;
    this.find("saves").replaceChildren();
    for (const name of ["found", "empty"]) show(this.find(name), name === "found");
    show(this.place.querySelector(".keep"), true);
  }

  question() {
    return { ...this.columns(), budget: this.budget(), sample: this.sampled() };
  }

  submit() {
    if (!this.joint)
      return this.try(async () => {
        await this.count();
        if (this.joint) this.focus(this.find("found").querySelector("h1"));
      });
    this.saving = true;
    return super.submit();
  }

  remember(replace, more = {}) {
    const { job, kind, ...rest } = more;
    super.remember(true, rest);
  }

  answered(state) {
    if (this.sampled()) {
      draw(this.find("finding"), "");
      draw(this.find("rest"), state.answer.markup);
      show(this.find("found"), true);
    }
    this.keep(state);
    if (this.saving) this.find("saves").querySelector('[data-file="report.html"]').click();
    this.saving = false;
  }
}

export const audit = new Audit("audit");
