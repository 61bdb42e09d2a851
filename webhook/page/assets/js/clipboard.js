/**
 * Copying, also where the page came over plain HTTP from another host and has no clipboard of its own.
 */

import { el } from "./dom.js";

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
