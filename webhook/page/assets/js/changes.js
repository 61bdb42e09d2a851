/**
 * What changes in one pod: its part of the manifest before and after, secrets hidden.
 */

import { diffView } from "./diffview.js";
import { el } from "./dom.js";
import { locateJson } from "./json.js";
import { locate } from "./locate.js";
import { mask } from "./mask.js";

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
  const [was, is] = [side(before, document, pointer), side(after, document, pointer)];
  if (was.lines.join("\n") === is.lines.join("\n")) {
    if (pod.status === "skipped") return el("p", { class: "aside" }, "Nothing changes in the manifest.");
    return operationsView(pod, "A manifest cannot say this. The webhook does so as the pod is created:");
  }
  return diffView(was, is);
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
  return { lines, shown: mask(lines).lines, first };
}

/**
 * The operations of the patch, where there is no manifest that has them.
 * @param {any} pod
 * @param {string} lead
 */
export function operationsView(pod, lead) {
  const rows = pod.patch.map((/** @type {any} */ { path, value }) =>
    el("tr", {}, el("th", { scope: "row" }, path), el("td", { class: "value" }, JSON.stringify(value))));
  const head = el("tr", {}, el("th", { scope: "col" }, "Where"), el("th", { scope: "col" }, "What is added"));
  return el("div", {}, el("p", { class: "aside" }, lead),
    el("table", { class: "settings" }, el("thead", {}, head), el("tbody", {}, ...rows)));
}
