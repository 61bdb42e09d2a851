/**
 * One pod of the preview: a heading that says what becomes of it, and below it, once it is opened, all the rest.
 */

import { estimateView, savings } from "./chartview.js";
import { button, byId, el } from "./dom.js";
import { gibibytes, seconds } from "./figures.js";
import { PART, statusOf } from "./words.js";

/** @typedef {{code: string, text: string}} Sentence */

/**
 * @param {any} pod
 * @param {() => Promise<HTMLElement>} changes makes the view of what changes
 * @returns {HTMLDetailsElement}
 */
export function podView(pod, changes) {
  const view = /** @type {HTMLDetailsElement} */ (el("details", { class: `pod ${pod.status}`, "data-status": pod.status }));
  view.append(heading(pod));
  view.addEventListener("toggle", () => {
    if (view.open && view.childElementCount === 1) view.append(body(pod, changes));
  });
  return view;
}

/** @param {any} pod */
function heading(pod) {
  const { kind, name, document, path } = pod.source;
  const saved = pod.estimate?.saved.next_pods;
  return el(
    "summary",
    {},
    el("h3", {}, el("span", { class: "kind" }, kind), " ", name ?? "(unnamed)"),
    el("span", { class: `badge ${pod.status}` }, statusOf(pod)),
    el("span", { class: "where" }, `document ${document}${path && ` ${path}`}`),
    saved && saved.high > 0 && el("span", { class: "gain" }, `saves ${seconds(saved)} on each next pod`),
  );
}

/**
 * @param {any} pod
 * @param {() => Promise<HTMLElement>} changes
 */
function body(pod, changes) {
  return el(
    "div",
    { class: "pod-body" },
    !pod.opted_in && el("p", { class: "aside" }, "Not opted in: this is what would happen if it were."),
    facts(pod),
    pod.estimate && (lacksSize(pod) ? askForSize() : savings(pod.estimate)),
    settings(pod.settings),
    why(pod),
    sentences("Advice, yours to follow", pod.advice, "advice"),
    changesPart(pod, changes),
    pod.estimate && estimateView(pod.estimate),
  );
}

/**
 * Whether nothing can be said of what is saved for want of the model's size, which the form can say.
 * @param {any} pod
 */
function lacksSize(pod) {
  const unknown = pod.estimate.notes.some((/** @type {Sentence} */ { code }) => code === "shards-unknown");
  return unknown && /^s3:/i.test(pod.model ?? "");
}

/** In place of the savings: what they take, and a way to say it. */
function askForSize() {
  const give = button("Give shards and size under Assume", () => {
    byId("assume").open = true;
    byId("shards").focus();
  });
  return el("p", { class: "aside ask" }, "The model was not listed, so what is saved is not known. ", give);
}

/** @param {any} pod */
function facts(pod) {
  /** @type {[string, string | null][]} */
  const listed = [
    ["Engine", pod.container && `${pod.engine} in container ${pod.container}, ${ranks(pod)}`],
    ["Model", pod.model && `${pod.model}${shards(pod.shards)}`],
    ["Node", nodes(pod.instance_types)],
  ];
  const parts = [
    ["Streamer", pod.parts.streamer],
    ["Retries", pod.parts.retry],
    ["Compile cache", pod.parts.cache],
  ];
  return el(
    "dl",
    { class: "facts" },
    ...listed.flatMap(([title, text]) => (text ? [fact(title, text)] : [])),
    ...parts.map(([title, part]) => fact(title, PART[part] ?? part, `verdict ${part}`)),
  );
}

/**
 * @param {string} title
 * @param {string} text
 * @param {string} [kind]
 */
function fact(title, text, kind = "") {
  return el("div", { class: kind }, el("dt", {}, title), el("dd", {}, text));
}

/** @param {any} pod */
function ranks(pod) {
  const sizes = { TP: pod.tensor_parallel_size, PP: pod.pipeline_parallel_size, DP: pod.data_parallel_size };
  return Object.entries(sizes).filter(([name, size]) => size !== 1 || name === "TP").map(([name, size]) => `${name} ${size ?? "?"}`).join(" ");
}

/** @param {{count: number, bytes: number, largest_bytes: number} | null} files */
function shards(files) {
  if (!files) return "";
  const plural = files.count === 1 ? "" : "s";
  return ` (${files.count} shard${plural}, ${gibibytes(files.bytes)}, the largest ${gibibytes(files.largest_bytes)})`;
}

/** @param {string[]} types */
function nodes(types) {
  const more = types.length - 4;
  return types.slice(0, 4).join(", ") + (more > 0 ? ` and ${more} more types` : "");
}

/** @param {any} pod */
function why(pod) {
  return sentences(pod.status === "skipped" && !pod.already_tuned ? "Why it is left alone" : "Why", pod.reasons, "reasons");
}

/**
 * @param {any} pod
 * @param {() => Promise<HTMLElement>} changes
 */
function changesPart(pod, changes) {
  if (!pod.patch.length) return el("p", { class: "aside unchanged" }, "Nothing changes in this pod.");
  const place = el("div", { class: "changes", "aria-busy": "true" }, el("p", { class: "quiet" }, "Writing the manifest …"));
  changes().then((made) => {
    place.replaceChildren(made);
    place.removeAttribute("aria-busy");
  }, () => undefined); // a newer preview has taken its place
  return el("section", { class: "part" }, el("h4", {}, "What changes"), place);
}

/** @param {{name: string, value: string, reason: string}[]} listed */
function settings(listed) {
  if (!listed.length) return null;
  const head = el("tr", {}, ...["Variable", "Value", "Why"].map((title) => el("th", { scope: "col" }, title)));
  const bodies = groups(listed).map((group) => {
    const why = el("td", { class: "why", rowspan: group.length }, group[0].reason);
    return el("tbody", {}, ...group.map(({ name, value }, at) =>
      el("tr", {}, el("th", { scope: "row" }, name), el("td", { class: "value" }, value), at === 0 && why)));
  });
  const table = el("table", { class: "settings" }, el("thead", {}, head), ...bodies);
  return el("section", { class: "part" }, el("h4", {}, "Settings"), table);
}

/**
 * Puts settings that follow each other and have one reason together.
 * @param {{name: string, value: string, reason: string}[]} listed
 */
function groups(listed) {
  /** @type {(typeof listed)[]} */
  const made = [];
  for (const setting of listed) {
    if (made.at(-1)?.[0].reason === setting.reason) made.at(-1)?.push(setting);
    else made.push([setting]);
  }
  return made;
}

/**
 * @param {string} title
 * @param {Sentence[]} listed
 * @param {string} kind
 */
function sentences(title, listed, kind) {
  if (!listed.length) return null;
  const pairs = listed.map(({ code, text }) => el("div", {}, el("dt", {}, code), el("dd", {}, text)));
  return el("section", { class: "part" }, el("h4", {}, title), el("dl", { class: `sentences ${kind}` }, ...pairs));
}
