/**
 * A diff as a table of two columns, which stand above each other where the page is narrow.
 */

import { diff, fold } from "./diff.js";
import { el } from "./dom.js";

const CONTEXT = 3;
/** Longer lines are cut, with a button for the rest. */
const LONGEST_LINE = 220;
/** A line of JSON for programs is cut sooner: the annotation that has the whole plan in it. */
const PLAN = /^\s*"?[\w.-]+\/plan"?:\s/;
const LONGEST_PLAN = 40;
/** In characters: what is indented further goes on to the left of it, to have room at all. */
const DEEPEST_INDENT = 20;

/**
 * @typedef {object} Side One of the two texts: its lines as shown, and the number of its first line.
 * @property {string[]} lines
 * @property {string[]} shown
 * @property {number} first
 */

/**
 * @param {Side} before
 * @param {Side} after
 * @returns {HTMLElement}
 */
export function diffView(before, after) {
  const rows = diff(before.lines, after.lines);
  const added = rows.filter(({ kind }) => kind === "add" || kind === "change").length;
  const table = el(
    "table",
    { class: "diff" },
    el("caption", {}, `${added} ${added === 1 ? "line" : "lines"} added`),
    el("thead", {}, el("tr", {}, ...heads("Your manifest"), ...heads("With fastload"))),
  );
  for (const part of fold(rows, CONTEXT)) {
    const body = el("tbody");
    table.append(body);
    const fill = () => body.replaceChildren(...part.rows.map((row) => line(row, before, after)));
    if (part.folded) body.append(folded(part.rows.length, fill));
    else fill();
  }
  return table;
}

/** @param {string} title */
function heads(title) {
  return [el("th", { scope: "col", class: "number" }, el("span", { class: "offscreen" }, "Line")), el("th", { scope: "col" }, title)];
}

/**
 * @param {number} count
 * @param {() => void} unfold
 */
function folded(count, unfold) {
  const more = el("button", { type: "button", class: "unfold" }, `${count} unchanged lines`);
  const row = el("tr", { class: "folded" }, el("td", { colspan: 4 }, more));
  more.addEventListener("click", () => {
    const body = /** @type {HTMLElement} */ (row.parentElement);
    unfold();
    body.tabIndex = -1;
    body.focus();
  });
  return row;
}

/**
 * @param {import("./diff.js").Row} row
 * @param {Side} before
 * @param {Side} after
 */
function line(row, before, after) {
  const gone = row.kind === "remove" || row.kind === "change";
  const come = row.kind === "add" || row.kind === "change";
  return el("tr", { class: row.kind }, ...cells(row.before, before, gone ? "−" : " ", "before"), ...cells(row.after, after, come ? "+" : " ", "after"));
}

/**
 * @param {number | null} number
 * @param {Side} side
 * @param {string} sign
 * @param {string} kind
 */
function cells(number, side, sign, kind) {
  if (number === null) return [el("td", { class: `number ${kind} none` }), el("td", { class: `code ${kind} none` })];
  const text = side.shown[number - 1];
  const code = el("td", { class: `code ${kind}` }, el("span", { class: "sign" }, sign), ...shortened(text));
  // A line that does not fit goes on below its own beginning.
  code.style.setProperty("--indent", String(Math.min(text.length - text.trimStart().length, DEEPEST_INDENT)));
  return [el("td", { class: `number ${kind}` }, String(side.first + number - 1)), code];
}

/** @param {string} text */
function shortened(text) {
  const longest = PLAN.test(text) ? LONGEST_PLAN : LONGEST_LINE;
  if (text.length <= longest) return [el("span", { class: "text" }, text)];
  const shown = el("span", { class: "text" }, text.slice(0, longest));
  const more = el("button", { type: "button", class: "more" }, `… ${text.length - longest} more`);
  more.addEventListener("click", () => {
    shown.textContent = text;
    more.remove();
  });
  return [shown, more];
}
