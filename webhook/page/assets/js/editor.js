/**
 * The text area with line numbers beside it, one line of which may be marked as the place of a problem.
 */

import { byId, el } from "./dom.js";

export class Editor {
  constructor() {
    /** @type {HTMLTextAreaElement} */
    this.area = byId("manifest");
    this.gutter = byId("gutter");
    this.band = byId("band");
    /** @type {number | null} from 1 */
    this.marked = null;
    this.lines = 1;
    this.area.addEventListener("scroll", () => this.draw(), { passive: true });
    this.area.addEventListener("input", () => this.changed());
    new ResizeObserver(() => this.draw()).observe(this.area);
    this.changed();
  }

  get text() {
    return this.area.value;
  }

  set text(text) {
    this.area.value = text;
    this.area.scrollTop = 0;
    this.area.setSelectionRange(0, 0);
    this.changed();
  }

  /** Counts the lines anew and takes the mark away: it was of a text that is no more. */
  changed() {
    this.lines = this.text.split("\n").length;
    this.unmark();
  }

  /** @param {number} line from 1 */
  mark(line) {
    this.marked = Math.min(Math.max(line, 1), this.lines);
    this.area.setAttribute("aria-invalid", "true");
    const start = this.text.split("\n").slice(0, this.marked - 1).reduce((sum, each) => sum + each.length + 1, 0);
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(start, start);
    this.area.scrollTop = Math.max(0, (this.marked - 1) * this.lineHeight() - this.area.clientHeight / 3);
    this.area.scrollLeft = 0;
    this.area.scrollIntoView({ block: "nearest" });
    this.draw();
  }

  unmark() {
    this.marked = null;
    this.area.removeAttribute("aria-invalid");
    this.draw();
  }

  lineHeight() {
    return parseFloat(getComputedStyle(this.area).lineHeight);
  }

  /** Draws the numbers of the lines in sight alone: a manifest may have a hundred thousand. */
  draw() {
    const height = this.lineHeight();
    const padding = parseFloat(getComputedStyle(this.area).paddingTop);
    const first = Math.max(0, Math.floor((this.area.scrollTop - padding) / height));
    const count = Math.min(this.lines - first, Math.ceil(this.area.clientHeight / height) + 1);
    const numbers = Array.from({ length: Math.max(0, count) }, (_, at) => this.number(first + at + 1));
    this.gutter.replaceChildren(el("div", {}, ...numbers));
    this.gutter.firstElementChild.style.transform = `translateY(${padding + first * height - this.area.scrollTop}px)`;
    this.band.hidden = this.marked === null;
    const at = padding + ((this.marked ?? 1) - 1) * height - this.area.scrollTop;
    this.band.style.transform = `translateY(${at}px)`;
    this.band.style.height = `${height}px`;
  }

  /** @param {number} line */
  number(line) {
    return el("span", line === this.marked ? { class: "marked" } : {}, line === this.marked ? `✕ ${line}` : String(line));
  }
}
