/**
 * The page: what its buttons, keys and links do.
 */

import { showAnswer, showRefusal } from "./answer.js";
import { button, byId, el } from "./dom.js";
import { Editor } from "./editor.js";
import { EXAMPLES } from "./examples.js";
import { clearProblem, say, showProblem } from "./feedback.js";
import { acceptFiles } from "./files.js";
import { decode } from "./fragment.js";
import { readOptions, showAssumed, writeOptions } from "./options.js";
import { Session } from "./session.js";
import { copyLink } from "./sharing.js";

const editor = new Editor();
/** What the results show before there are any. */
const start = [...byId("output").children];
/** @type {Session | null} */
let session = null;

/** Previews what the form holds. */
async function run() {
  session?.abandon();
  clearProblem();
  editor.unmark();
  if (!editor.text.trim()) {
    showProblem("There is no manifest yet. Paste one, drop a file, or click an example.");
    editor.area.focus();
    return;
  }
  const current = new Session(editor.text, readOptions());
  session = current;
  byId("output").setAttribute("aria-busy", "true");
  say("Previewing …");
  try {
    const answer = await current.decided;
    if (session === current) showAnswer(current, answer);
  } catch (fault) {
    if (session === current) showRefusal(fault, editor);
  } finally {
    if (session === current) byId("output").removeAttribute("aria-busy");
  }
}

/**
 * Restores what the address holds, if anything, and previews it where that asks nobody: whoever made the link may have
 * named a bucket of their own, and must not learn from its log who opened it.
 */
async function restore() {
  try {
    const shared = await decode(location.hash);
    if (!shared) return;
    editor.text = shared.manifest;
    writeOptions(shared.options);
    if (shared.options.offline === "true") await run();
    else say("The link's manifest is in the field. Look it over and press Preview: its models will be looked up in S3.");
  } catch (fault) {
    showProblem(fault instanceof Error ? fault.message : String(fault));
  }
}

/**
 * @param {string} text
 * @param {Record<string, string>} [options]
 */
function take(text, options) {
  editor.text = text;
  if (options) writeOptions(options);
  return run();
}

async function offerTypes() {
  const reply = await fetch("page/instance-types.json");
  if (!reply.ok) return;
  const types = await reply.json();
  byId("instance-types").replaceChildren(...types.map((/** @type {any} */ { name, label }) => el("option", { value: name, label })));
}

function clear() {
  session?.abandon();
  session = null;
  editor.text = "";
  writeOptions({});
  clearProblem();
  say("");
  byId("output").replaceChildren(...start);
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
  editor.area.focus();
}

/** @param {(typeof EXAMPLES)[number]} example */
async function show({ file, options }) {
  const reply = await fetch(`page/examples/${file}`);
  if (reply.ok) await take(await reply.text(), options);
}

for (const example of EXAMPLES) byId("examples").append(button(example.title, () => void show(example)));
byId("see").addEventListener("click", () => void show(EXAMPLES[0]));
byId("form").addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  void run();
});
byId("form").addEventListener("input", showAssumed);
editor.area.addEventListener("input", () => showProblem(""));
editor.area.addEventListener("paste", (event) => {
  // Into an empty field, a paste is a whole manifest; into a text, it is editing.
  const all = editor.area.selectionEnd - editor.area.selectionStart === editor.text.length;
  if (all && event.clipboardData?.getData("text/plain").trim()) setTimeout(() => void run());
});
addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    void run();
  }
});
byId("link").addEventListener("click", () => void copyLink({ manifest: editor.text, options: readOptions() }));
byId("clear").addEventListener("click", clear);
byId("instance-type").addEventListener("focus", () => void offerTypes(), { once: true });
addEventListener("hashchange", () => void restore());
acceptFiles(take, (problem) => showProblem(problem));
showAssumed();
byId("noscript").remove();
byId("main").hidden = false;
void restore();
