/**
 * Links that hold a manifest and what is assumed for it.
 */

import { copy } from "./clipboard.js";
import { say } from "./feedback.js";
import { encode, LONGEST_LINK } from "./fragment.js";
import { mask } from "./mask.js";

/**
 * Puts input and options into the address, and the address on the clipboard.
 * @param {import("./fragment.js").Shared} shared
 */
export async function copyLink(shared) {
  const fragment = await encode(shared);
  const link = new URL(fragment, location.href).href;
  if (link.length > LONGEST_LINK) {
    say(`Too long for a link: ${Math.ceil(link.length / 1000)} kB, where ${LONGEST_LINK / 1000} kB is the most. Share the file instead.`);
    return;
  }
  history.replaceState(null, "", fragment);
  const { names } = mask(shared.manifest.split("\n"));
  const warning = names.length ? ` Mind that it holds the manifest as it is, with the values of ${names.join(", ")}.` : "";
  say((await copy(link)) ? `The link is copied.${warning}` : `The link is in the address bar.${warning}`);
}
