/**
 * The results: what the server answered, or where it says that something is wrong.
 */

import { ProblemError } from "./api.js";
import { changesView, operationsView } from "./changes.js";
import { copyText } from "./clipboard.js";
import { curlCommand } from "./curl.js";
import { button, byId, el } from "./dom.js";
import { say, showProblem } from "./feedback.js";
import { locate } from "./locate.js";
import { fieldNamed, toQuery } from "./options.js";
import { podList, summary } from "./podlist.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./editor.js").Editor} Editor */

/**
 * @param {Session} current
 * @param {any} answer
 */
export function showAnswer(current, answer) {
  const { pods, notes = [] } = answer;
  const changes = async (/** @type {any} */ pod) => {
    try {
      return changesView(pod, pods, current.manifest, await current.annotated());
    } catch (fault) {
      if (!(fault instanceof ProblemError)) throw fault;
      return operationsView(pod, `The manifest could not be written (${fault.message}). These are the operations of its patch:`);
    }
  };
  byId("output").replaceChildren(
    ...(pods.length ? [copyBar(current, pods)] : []),
    // What is missing is said where it would be seen, in the page's own words.
    ...notes.filter((/** @type {any} */ { code }) => code !== "incomplete").map((/** @type {any} */ { text, document }) => el("p", { class: "aside note" }, `Document ${document}: ${text}`)),
    pods.length ? podList(pods, changes) : el("p", { class: "aside" }, "No pod and no pod template in the manifest."),
  );
  say(pods.length ? summary(pods) : "Nothing to preview.");
  // Where the form stands above the results, they would be out of sight.
  if (byId("results").offsetLeft < byId("form").offsetWidth) byId("results").scrollIntoView();
}

/**
 * @param {Session} current
 * @param {any[]} pods
 */
function copyBar(current, pods) {
  const patches = new Map();
  for (const pod of pods) patches.set(pod.source.document, [...(patches.get(pod.source.document) ?? []), ...pod.patch]);
  const patch = [...patches.values()].map((operations) => `${JSON.stringify(operations)}\n`).join("");
  const url = new URL(`preview?${toQuery(current.options)}`.replace(/\?$/, ""), document.baseURI).href;
  return el(
    "div",
    { class: "copies", role: "group", "aria-label": "Copy" },
    button("Copy YAML", () => copyText("The manifest with its changes", () => current.annotated())),
    button("Copy patch", () => copyText("The patch", async () => patch)),
    button("Copy curl", () => copyText("The curl command", async () => curlCommand(url, current.manifest))),
  );
}

/**
 * @param {unknown} fault
 * @param {Editor} editor
 */
export function showRefusal(fault, editor) {
  if (!(fault instanceof ProblemError)) {
    showProblem("The page failed on this answer; the browser's console says where.");
    throw fault;
  }
  const { detail, document: number, line, path, status } = fault.problem;
  byId("output").replaceChildren();
  say("");
  const field = status === 422 ? fieldNamed(detail) : null;
  if (field) {
    if (field !== "instance-type") byId("assume").open = true;
    byId(field).setAttribute("aria-invalid", "true");
    byId(field).focus();
    showProblem(detail.replace(/^query: /, ""));
    return;
  }
  const found = number && path !== undefined ? locate(editor.text, number, path) : null;
  const at = line ?? (found ? found.start + 1 : number ? (locate(editor.text, number, "")?.start ?? 0) + 1 : null);
  showProblem(`${at ? `Line ${at}: ` : ""}${detail}`);
  if (at) editor.mark(at);
  else editor.area.focus();
}
