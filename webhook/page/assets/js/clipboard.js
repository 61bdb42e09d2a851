/**
 * Copying, also where the page came over plain HTTP from another host and has no clipboard of its own.
 */

import { ProblemError } from "./api.js";
import { el } from "./dom.js";
import { say } from "./feedback.js";

/**
 * @param {string} text
 * @returns {Promise<boolean>} whether it was copied
 */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** @param {string} text */
function copyBySelection(text) {
  const focused = document.activeElement;
  const field = /** @type {HTMLTextAreaElement} */ (el("textarea", { class: "offscreen", "aria-hidden": "true" }));
  field.value = text;
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return copied;
}

/**
 * Copies what is made, and tells.
 * @param {string} what
 * @param {() => Promise<string>} make
 */
export async function copyText(what, make) {
  try {
    const done = await copy(await make());
    say(done ? `${what} is copied.` : `${what} could not be copied: the browser does not allow it.`);
  } catch (fault) {
    if (fault instanceof ProblemError) say(`${what} could not be made: ${fault.message}`);
  }
}
