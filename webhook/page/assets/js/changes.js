/**
 * What changes in one pod: its part of the manifest before and after, secrets hidden.
 */

import { diffView } from "./diffview.js";
import { el } from "./dom.js";
import { locateJson } from "./json.js";
import { locate } from "./locate.js";
import { mask, maskFlagItems } from "./mask.js";

/**
 * @param {any} pod
 * @param {any[]} pods all of the preview
 * @param {string} before
 * @param {string} after
 * @returns {HTMLElement}
 */
export function changesView(pod, pods, before, after) {
  const { document, path } = pod.source;
  // The whole document is the best context, unless it has other pods too.
  const alone = pods.filter((each) => each.source.document === document).length === 1;
  const pointer = alone ? "" : path;
  const sides = [side(before, document, pointer), side(after, document, pointer)];
  return diffView(sides[0], sides[1]);
}

/**
 * @param {string} text
 * @param {number} document
 * @param {string} pointer
 */
function side(text, document, pointer) {
  const json = /^\s*[{[]/.test(text) ? locateJson(text, document, pointer) : null;
  // Many programs write JSON on one line, where nobody could see what changes.
  if (json) return shown(JSON.stringify(JSON.parse(text.slice(json.start, json.end)), null, 2).split("\n"), 1);
  const all = text.split("\n");
  const { start, end } = locate(text, document, pointer) ?? { start: 0, end: all.length };
  const lines = all.slice(start, end);
  while (lines.at(-1) === "") lines.pop();
  return shown(lines, start + 1);
}

/**
 * @param {string[]} lines
 * @param {number} first
 */
function shown(lines, first) {
  return { lines, shown: maskFlagItems(mask(lines).lines), first };
}

/**
 * The operations by themselves, where the manifest could not be written.
 * @param {any} pod
 * @param {string} why
 */
export function operationsView(pod, why) {
  const rows = pod.patch.map((/** @type {any} */ { path, value }) =>
    el("tr", {}, el("th", { scope: "row" }, path), el("td", { class: "value" }, JSON.stringify(value))));
  const head = el("tr", {}, el("th", { scope: "col" }, "Where"), el("th", { scope: "col" }, "What is added"));
  return el("div", {}, el("p", { class: "aside" }, `The manifest could not be written: ${why}. These are the operations of its patch.`),
    el("table", { class: "settings" }, el("thead", {}, head), el("tbody", {}, ...rows)));
}
