// What the rooms share: a form, a question, a job on its way, an answer, an error in its place.

import * as address from "./address.js";
import { attach, cancel, follow, Refused, start, stop, upload } from "./ask.js";
import * as draw from "./draw.js";
import * as forms from "./form.js";

export class Room {
  constructor(name, kind = name) {
    this.name = name;
    this.kind = kind;
    this.place = document.getElementById(`room-${name}`);
    this.form = this.place.querySelector("form");
    this.job = null;
    for (const form of this.place.querySelectorAll("form")) {
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        this.submit();
      });
      form.addEventListener("input", () => forms.echo(form));
    }
    this.form.addEventListener("change", (event) => event.target.type !== "file" && event.target.isConnected && this.changed(event.target));
    this.place.addEventListener("click", (event) => {
      const button = event.target.closest("[data-do]");
      if (button) this.does[button.dataset.do]?.();
    });
    for (const input of this.place.querySelectorAll("[data-upload]")) input.addEventListener("change", () => this.send(input));
    this.does = {
      example: () => this.example(),
      stop: () => this.try(() => stop(this.job)),
      cancel: () => this.try(() => cancel(this.job)),
      copy: () => this.copy(),
    };
  }

  find(name) {
    return this.place.querySelector(`[data-${name}]`);
  }

  // ---- the address ----

  async open(asked) {
    forms.fill(this.form, asked);
    this.quiet();
    await this.try(() => this.arrive(asked));
  }

  async arrive(asked) {
    const job = asked.get("job");
    if (!job) return this.blank();
    this.begin("Asking");
    await this.run(attach(job, this.leaving.signal), asked.get("kind") ?? this.kind);
  }

  blank() {
    this.job = null;
    this.hide();
    draw.show(this.find("empty"), true);
  }

  hide() {
    for (const name of ["found", "beside", "stale", "empty"]) draw.show(this.find(name), false);
    draw.show(this.place.querySelector(".keep"), false);
  }

  remember(replace, more = {}) {
    const asked = forms.held(this.form);
    for (const [key, value] of Object.entries(more)) asked.set(key, value);
    address.write(this.name, asked, replace);
  }

  changed() {
    forms.clear(this.form);
    this.remember(true);
    draw.show(this.find("stale"), !this.find("found").hidden);
  }

  example() {
    const asked = new URLSearchParams();
    const given = JSON.parse(document.querySelector(`.rooms a[data-room-link="${this.name}"]`).dataset.example);
    for (const [key, value] of Object.entries(given)) for (const one of [value].flat()) asked.append(key, one);
    address.write(this.name, asked, false);
    return this.try(async () => {
      forms.fill(this.form, asked);
      await this.prepare(asked);
      await this.submit();
    });
  }

  async prepare() {}

  // ---- a question and its answer ----

  question() {
    return Object.fromEntries(forms.held(this.form));
  }

  submit() {
    return this.try(() => this.ask(this.kind, this.question()));
  }

  async ask(kind, question) {
    this.begin("Asking");
    await this.run(start(kind, question), kind);
  }

  async run(asking, kind) {
    const leaving = this.leaving;
    const first = await asking;
    this.job = first.job;
    this.remember(kind === this.kind && first.state === "done", kind === this.kind ? { job: first.job } : { job: first.job, kind });
    const state = await follow(first, (now) => this.working(now), leaving.signal);
    if (leaving.signal.aborted) return;
    this.end();
    this.answered(state);
  }

  begin(text) {
    this.quiet();
    forms.clear(this.form);
    this.leaving = new AbortController();
    for (const name of ["empty", "stale"]) draw.show(this.find(name), false);
    this.find("busy").textContent = text;
    draw.show(this.place.querySelector(".busy"), true);
    draw.show(this.place.querySelector("[data-do=stop]"), false);
    draw.draw(this.find("progress"), "");
  }

  working(state) {
    const bar = this.place.querySelector("progress");
    bar.max = state.limit;
    bar.value = state.seconds;
    if (state.progress) {
      this.find("busy").textContent = state.progress.text;
      if (state.progress.markup) draw.draw(this.find("progress"), state.progress.markup);
      draw.show(this.place.querySelector("[data-do=stop]"), Boolean(state.progress.markup));
    } else if (state.state === "waiting") this.find("busy").textContent = "Waiting for other questions to be answered";
  }

  end() {
    draw.show(this.place.querySelector(".busy"), false);
  }

  quiet() {
    this.leaving?.abort();
    this.end();
    draw.show(this.find("error"), false);
  }

  answered(state) {
    const found = this.find("found");
    draw.draw(found, state.answer.markup);
    draw.show(found, true);
    this.keep(state);
    this.focus(found.querySelector("h1"));
  }

  focus(heading) {
    if (!heading) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    heading.scrollIntoView({ block: "nearest" });
  }

  keep(state) {
    draw.saves(this.find("saves"), state);
    this.find("command").textContent = state.answer.command;
    this.find("copied").textContent = "";
    draw.show(this.find("empty"), false);
    draw.show(this.place.querySelector(".keep"), true);
  }

  async copy() {
    await navigator.clipboard.writeText(this.find("command").textContent);
    this.find("copied").textContent = "Copied";
  }

  // ---- what goes wrong ----

  async try(work) {
    try {
      return await work();
    } catch (error) {
      if (error.name === "AbortError") return undefined;
      if (!(error instanceof Refused)) throw error;
      this.end();
      forms.complain(this.form, error.field, error.record);
      draw.error(this.find("error"), error.record);
      this.hide();
      this.find("error").focus({ preventScroll: true });
      return undefined;
    }
  }

  // ---- files ----

  send(input) {
    const [file] = input.files;
    if (!file) return undefined;
    return this.try(async () => {
      this.begin(`Sending ${file.name}`);
      const sent = await upload(file);
      input.value = "";
      this.end();
      const field = this.form.elements[input.dataset.upload];
      field.append(new Option(sent.name, sent.table));
      field.value = sent.table;
      draw.show(this.find("empty"), true);
      field.dispatchEvent(new Event("change", { bubbles: true }));
    });
  }
}
