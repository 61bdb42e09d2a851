/**
 * All pods of a preview: a line that counts them, a filter where there are many, and each as a fold of its own.
 */

import { button, el } from "./dom.js";
import { podView } from "./podview.js";
import { ALREADY, STATUS, statusOf } from "./words.js";

/** So many are open from the start. */
const OPEN = 2;
/** From so many on there is a filter. */
const MANY = 6;

/**
 * @param {any[]} pods
 * @param {(pod: any) => Promise<HTMLElement>} changes
 * @returns {HTMLElement}
 */
export function podList(pods, changes) {
  const views = pods.map((pod) => podView(pod, () => changes(pod)));
  views.slice(0, pods.length <= OPEN ? OPEN : 0).forEach((view) => (view.open = true));
  const list = el("div", { class: "pods" }, ...views);
  return el("div", {}, pods.length >= MANY && filter(pods, views), list);
}

/** @param {any[]} pods */
export function summary(pods) {
  const counted = [...Object.values(STATUS), ALREADY]
    .map((word) => ({ word, count: pods.filter((pod) => statusOf(pod) === word).length }))
    .filter(({ count }) => count)
    .map(({ word, count }) => `${count} ${word}`);
  const asleep = pods.filter((pod) => !pod.opted_in).length;
  if (asleep) counted.push(`${asleep} not opted in`);
  return `${pods.length} ${pods.length === 1 ? "pod" : "pods"}: ${counted.join(", ")}.`;
}

/**
 * @param {any[]} pods
 * @param {HTMLDetailsElement[]} views
 */
function filter(pods, views) {
  const words = el("input", { type: "search", id: "filter", autocomplete: "off", spellcheck: "false", placeholder: "name, model, reason …" });
  const shown = el("output", { for: "filter" }, `${pods.length} shown`);
  const texts = pods.map((pod) => searchText(pod));
  let status = "";
  const apply = () => {
    const wanted = /** @type {HTMLInputElement} */ (words).value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    views.forEach((view, at) => {
      const hit = (!status || pods[at].status === status) && wanted.every((word) => texts[at].includes(word));
      view.hidden = !hit;
      count += Number(hit);
    });
    shown.textContent = `${count} shown`;
  };
  const choices = ["", ...Object.keys(STATUS)].filter((each) => !each || pods.some((pod) => pod.status === each));
  const buttons = choices.map((choice) =>
    button(choice ? STATUS[choice] : "all", () => {
      status = choice;
      buttons.forEach((each, at) => each.setAttribute("aria-pressed", String(choices[at] === status)));
      apply();
    }, { "aria-pressed": String(choice === status) }),
  );
  words.addEventListener("input", apply);
  return el("div", { class: "filter", role: "search" }, el("label", { for: "filter" }, "Filter"), words, el("span", { class: "choices" }, ...buttons), shown);
}

/** @param {any} pod */
function searchText(pod) {
  const { kind, name, path } = pod.source;
  const codes = [...pod.reasons, ...pod.advice].map(({ code }) => code);
  return [kind, name, path, pod.engine, pod.model, pod.status, ...pod.instance_types, ...codes].join(" ").toLowerCase();
}
