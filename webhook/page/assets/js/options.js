/**
 * What the form assumes of the world, as query parameters, as a line of words, and as a part of a link.
 */

import { byId } from "./dom.js";

/** Query parameters by the ids of their fields. */
const FIELDS = ["instance-type", "shards", "model-size", "namespace-labels", "price-per-hour"];
/** Those that are folded away. */
const FOLDED = FIELDS.slice(1);

/** @returns {Record<string, string>} what is given, by parameter */
export function readOptions() {
  /** @type {Record<string, string>} */
  const options = {};
  for (const name of FIELDS) {
    const value = byId(name).value.trim();
    if (value) options[name] = value;
  }
  if (byId("offline").checked) options.offline = "true";
  return options;
}

/** @param {Record<string, string>} options */
export function writeOptions(options) {
  for (const name of FIELDS) byId(name).value = options[name] ?? "";
  byId("offline").checked = options.offline === "true";
  showAssumed();
}

/**
 * @param {Record<string, string>} options
 * @param {Record<string, string>} [more]
 */
export function toQuery(options, more = {}) {
  return new URLSearchParams({ ...options, ...more });
}

/** Says in the fold's heading what is assumed, so that nothing is assumed unseen. */
export function showAssumed() {
  const options = readOptions();
  const said = FOLDED.filter((name) => options[name]).map((name) => `${name} ${options[name]}`);
  if (options.offline) said.push("offline");
  byId("assumed").textContent = said.join(", ") || "nothing";
}

/**
 * The field that a refusal of the query speaks of.
 * @param {string} detail
 * @returns {string | null} its id
 */
export function fieldNamed(detail) {
  const places = [...FIELDS, "offline"].map((name) => ({ name, at: detail.search(new RegExp(`${name}|${name.replaceAll("-", "_")}`)) }));
  const named = places.filter(({ at }) => at !== -1).sort((one, other) => one.at - other.at);
  return named[0]?.name ?? null;
}
