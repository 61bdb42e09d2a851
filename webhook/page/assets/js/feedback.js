/**
 * What the page tells: how it goes, and what is wrong, both also to those who do not see it.
 */

import { byId } from "./dom.js";

/** @param {string} text */
export function showProblem(text) {
  byId("problem").textContent = text;
}

/** Takes back what was said to be wrong, in the fields too. */
export function clearProblem() {
  showProblem("");
  document.querySelectorAll("[aria-invalid]").forEach((field) => field.removeAttribute("aria-invalid"));
}

/** @param {string} text */
export function say(text) {
  byId("status").textContent = text;
}
