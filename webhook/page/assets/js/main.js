/**
 * The page: what its buttons, keys and links do.
 */

import { ProblemError } from "./api.js";
import { changesView, operationsView } from "./changes.js";
import { copy } from "./clipboard.js";
import { curlCommand } from "./curl.js";
import { button, byId, el } from "./dom.js";
import { Editor } from "./editor.js";
import { EXAMPLES } from "./examples.js";
import { acceptFiles } from "./files.js";
import { decode, encode, LONGEST_LINK } from "./fragment.js";
import { locate } from "./locate.js";
import { mask } from "./mask.js";
import { fieldNamed, readOptions, showAssumed, toQuery, writeOptions } from "./options.js";
import { podList, summary } from "./podlist.js";
import { Session } from "./session.js";

const editor = new Editor();
/** @type {Session | null} */
let session = null;

/** Previews what the form holds. */
async function run() {
  session?.abandon();
  clearProblem();
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
    if (session === current) showRefusal(fault);
  } finally {
    if (session === current) byId("output").removeAttribute("aria-busy");
  }
}

/**
 * @param {Session} current
 * @param {any} answer
 */
function showAnswer(current, answer) {
  const { pods, notes = [] } = answer;
  const changes = async (/** @type {any} */ pod) => {
    try {
      return changesView(pod, pods, current.manifest, await current.annotated());
    } catch (fault) {
      if (!(fault instanceof ProblemError)) throw fault;
      return operationsView(pod, fault.message);
    }
  };
  byId("output").replaceChildren(
    ...(pods.length ? [copyBar(current, pods)] : []),
    ...notes.map((/** @type {any} */ note) => el("p", { class: "aside note" }, note.text ?? note)),
    pods.length ? podList(pods, changes) : el("p", { class: "aside" }, "No pod and no pod template in the manifest."),
  );
  say(pods.length ? summary(pods) : "Nothing to preview.");
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
 * Copies what is made, and tells.
 * @param {string} what
 * @param {() => Promise<string>} make
 */
async function copyText(what, make) {
  try {
    const done = await copy(await make());
    say(done ? `${what} is copied.` : `${what} could not be copied: the browser does not allow it.`);
  } catch (fault) {
    if (fault instanceof ProblemError) say(`${what} could not be made: ${fault.message}`);
  }
}

/** Puts input and options into the address, and the address on the clipboard. */
async function copyLink() {
  const fragment = await encode({ manifest: editor.text, options: readOptions() });
  const link = new URL(fragment, location.href).href;
  if (link.length > LONGEST_LINK) {
    say(`Too long for a link: ${Math.ceil(link.length / 1000)} kB, where ${LONGEST_LINK / 1000} kB is the most. Share the file instead.`);
    return;
  }
  history.replaceState(null, "", fragment);
  const { names } = mask(editor.text.split("\n"));
  const warning = names.length ? ` Mind that it holds the manifest as it is, with the values of ${names.join(", ")}.` : "";
  say((await copy(link)) ? `The link is copied.${warning}` : `The link is in the address bar.${warning}`);
}

/** Restores what the address holds, if anything, and previews it. */
async function restore() {
  try {
    const shared = await decode(location.hash);
    if (!shared) return;
    editor.text = shared.manifest;
    writeOptions(shared.options);
    await run();
  } catch (fault) {
    showProblem(fault instanceof Error ? fault.message : String(fault));
  }
}

/** @param {unknown} fault */
function showRefusal(fault) {
  if (!(fault instanceof ProblemError)) throw fault;
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

/** @param {string} text */
function showProblem(text) {
  byId("problem").textContent = text;
}

function clearProblem() {
  showProblem("");
  editor.unmark();
  document.querySelectorAll("input[aria-invalid]").forEach((field) => field.removeAttribute("aria-invalid"));
}

/** @param {string} text announced to those who do not see it */
function say(text) {
  byId("status").textContent = text;
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
  byId("output").replaceChildren();
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
  editor.area.focus();
}

for (const { file, title, options } of EXAMPLES) {
  byId("examples").append(
    button(title, async () => {
      const reply = await fetch(`page/examples/${file}`);
      if (reply.ok) await take(await reply.text(), options);
    }),
  );
}
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
byId("link").addEventListener("click", () => void copyLink());
byId("clear").addEventListener("click", clear);
byId("instance-type").addEventListener("focus", () => void offerTypes(), { once: true });
addEventListener("hashchange", () => void restore());
acceptFiles(take, (problem) => showProblem(problem));
showAssumed();
byId("noscript").remove();
byId("main").hidden = false;
void restore();
