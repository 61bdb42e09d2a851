/**
 * Values whose names look secret, hidden in everything that the page shows; what is copied keeps them.
 *
 * It reads lines, not YAML: it must work on text that is broken too, and rather hides too much than too little.
 */

import { maskCommands } from "./maskcommands.js";
import { looksSecret, MASK } from "./secretnames.js";

const SECRET_KEY = /(password|passwd|passphrase|token|api[-_]?key|access[-_]?key|credentials)$/i;
/** In lines: a mapping in braces is not looked for further. */
const LONGEST_FLOW = 20;
/** In characters: a shorter value that is hidden in one place may be a common word in another. */
const SHORTEST_REPEATED = 8;
/** Quotes, which stand behind marks of their own where JSON is quoted within JSON, and what may stand before a value. */
const QUOTE = /\\{0,9}["']/.source;
const PROPERTIES = /(?:[!&]\S*\s+)*/.source;
const NAME = new RegExp(`(?<![\\w-])(?:${QUOTE})?name(?:${QUOTE})?\\s*:\\s*${PROPERTIES}(?:${QUOTE}([^"'\\\\]*)${QUOTE}|([^\\s,}"'\\\\]+))`, "g");
const IN_BRACES = new RegExp(`([{,]\\s*(?:${QUOTE})?value(?:${QUOTE})?\\s*:\\s*)(\\\\{1,9}"(?:(?!\\\\{1,9}").)*\\\\{1,9}"|"(?:[^"\\\\]|\\\\.)*"|'[^']*'|[^,}]+)`, "g");

/**
 * Masks lines of a manifest.
 * @param {string[]} lines
 * @returns {{lines: string[], names: string[]}} as many lines as were given, and the names whose values are hidden
 */
export function mask(lines) {
  const masked = lines.slice();
  /** @type {Set<string>} */
  const names = new Set();
  maskEntries(masked, names);
  maskKeyed(masked, names);
  maskSecretObjects(masked, names);
  maskCommands(masked, names);
  maskRepeated(lines, masked);
  return { lines: masked, names: [...names] };
}

/**
 * Environment entries: a `name` that looks secret, and the `value` beside it, in any style and order.
 * @param {string[]} lines
 * @param {Set<string>} names
 */
function maskEntries(lines, names) {
  lines.forEach((line, at) => {
    for (const [, quoted, plain] of line.matchAll(NAME)) {
      const name = quoted ?? plain;
      if (!looksSecret(name)) continue;
      if (line.includes("{") || line.includes(",")) {
        lines[at] = lines[at].replaceAll(
          IN_BRACES,
          (whole, key, _value, offset, all) =>
            mappingAt(all, offset, offset + whole.length).includes(name) ? `${key}"${MASK}"` : whole,
        );
        if (lines[at] !== line) names.add(name);
      }
      for (const beside of flowLines(lines, at)) {
        lines[beside] = lines[beside].replace(/^(\s*["']?value["']?\s*:\s*)("(?:[^"\\]|\\.)*"|'[^']*'|[^,}]+)/, `$1"${MASK}"`);
        if (lines[beside].includes(MASK)) names.add(name);
      }
      for (const beside of siblings(lines, at)) if (maskValue(lines, beside, /^(\s*(?:-\s+)?["']?value["']?\s*:\s*)(.*)$/)) names.add(name);
    }
  });
}

/**
 * The flow mapping around a part of a line, as far as it is on that line.
 * @param {string} line
 * @param {number} start
 * @param {number} stop
 */
function mappingAt(line, start, stop) {
  const end = line.indexOf("}", stop);
  return line.slice(Math.max(line.lastIndexOf("{", start), 0), end === -1 ? line.length : end);
}

/**
 * The lines above and below that a flow mapping around a line goes over.
 * @param {string[]} lines
 * @param {number} at
 */
function flowLines(lines, at) {
  /** @type {number[]} */
  const found = [];
  const opens = (/** @type {string} */ line) => line.lastIndexOf("{") > line.lastIndexOf("}");
  let first = at;
  while (first > 0 && at - first < LONGEST_FLOW && !/[{}]/.test(lines[first])) first -= 1;
  if (!opens(lines[first])) return found;
  for (let next = first + 1; next < lines.length && next - first < LONGEST_FLOW; next += 1) {
    found.push(next);
    if (lines[next].includes("}")) break;
  }
  return found;
}

/**
 * The lines of the other keys of the mapping that a line's key is in.
 * @param {string[]} lines
 * @param {number} at
 */
function siblings(lines, at) {
  const indent = keyIndent(lines[at]);
  /** @type {number[]} */
  const found = [];
  for (const step of [1, -1]) {
    // The mark of an item opens its mapping: nothing before it belongs to it.
    if (step === -1 && /^\s*-/.test(lines[at])) continue;
    for (let next = at + step; next >= 0 && next < lines.length; next += step) {
      const line = lines[next];
      if (/^---(\s|$)/.test(line)) break;
      if (!line.trim()) continue;
      const opens = /^\s*-\s/.test(line) && keyIndent(line) === indent;
      if (keyIndent(line) < indent || (opens && step === 1)) break;
      if (keyIndent(line) === indent) found.push(next);
      if (opens) break;
    }
  }
  return found;
}

/** @param {string} line */
function keyIndent(line) {
  return line.length - line.replace(/^\s*(?:-\s+)*/, "").length;
}

/**
 * Masks what stands after a key, on its line and, where it goes on, on the lines below.
 * @param {string[]} lines
 * @param {number} at
 * @param {RegExp} pattern its first group is kept
 */
function maskValue(lines, at, pattern) {
  const found = pattern.exec(lines[at]);
  if (!found) return false;
  const comma = /,\s*$/.test(found[2]) ? "," : "";
  const indent = keyIndent(lines[at]);
  if (found[2] && found[2] !== "null") lines[at] = `${found[1]}${/^[|>]/.test(found[2]) ? found[2] : `"${MASK}"${comma}`}`;
  let quote = openQuote(found[2]);
  for (let next = at + 1; next < lines.length; next += 1) {
    const line = lines[next];
    if (!quote && line.trim() && line.length - line.trimStart().length <= indent) break;
    if (quote && line.includes(quote)) quote = "";
    if (line.trim()) lines[next] = line.slice(0, line.length - line.trimStart().length) + MASK;
  }
  return true;
}

/**
 * The quote that a value begins with and that its first line does not close: what is quoted may go on at any indent.
 * @param {string} value
 */
function openQuote(value) {
  const [, quote] = /^(?:[!&]\S*\s+)*(["'])/.exec(value) ?? [];
  const closed = quote === '"' ? /"(?:[^"\\]|\\.)*"/ : /'(?:[^']|'')*'/;
  return quote && !closed.test(value) ? quote : "";
}

/**
 * Keys in capitals, as in a ConfigMap or a chart's values, and others that end in what is never anything but a secret.
 * @param {string[]} lines
 * @param {Set<string>} names
 */
function maskKeyed(lines, names) {
  lines.forEach((line, at) => {
    const [, key] = /^\s*(?:-\s+)?["']?([\w./-]+)["']?\s*:\s*(?=\S)(?![{[]|(?:true|false|null|\d+)\s*,?\s*$)/.exec(line) ?? [];
    if (!key || !(/^[A-Z][A-Z0-9_]+$/.test(key) ? looksSecret(key) : SECRET_KEY.test(key))) return;
    if (maskValue(lines, at, /^(\s*(?:-\s+)?["']?[\w./-]+["']?\s*:\s*)(.*)$/)) names.add(key);
  });
}

/**
 * The data of Secrets that lie in the same stream.
 * @param {string[]} lines
 * @param {Set<string>} names
 */
function maskSecretObjects(lines, names) {
  lines.forEach((line, at) => {
    if (/["']?kind["']?\s*:\s*["']?Secret\b/.test(line) && line.includes("{")) {
      lines[at] = line.replaceAll(/((?:data|stringData)["']?\s*:\s*)\{[^}]*\}/g, `$1{${MASK}}`);
      if (lines[at] !== line) names.add("Secret");
    }
    if (!/^\s*(-\s+)?"?kind"?\s*:\s*["']?Secret["']?,?\s*$/.test(line)) return;
    for (const beside of siblings(lines, at)) {
      if (!/^\s*(-\s+)?"?(data|stringData)"?\s*:/.test(lines[beside])) continue;
      names.add("Secret");
      const indent = keyIndent(lines[beside]);
      const inline = /^([^:]*:\s*)\S/.exec(lines[beside]);
      if (inline && !/:\s*\{\s*$/.test(lines[beside])) lines[beside] = `${inline[1]}${MASK}`;
      for (let next = beside + 1; next < lines.length; next += 1) {
        const depth = lines[next].length - lines[next].trimStart().length;
        if (lines[next].trim() && depth <= indent) break;
        const key = /^(\s*[^\s:]+\s*:\s)/.exec(lines[next])?.[1] ?? lines[next].slice(0, depth);
        if (lines[next].trim()) lines[next] = key + MASK;
      }
    }
  });
}

/**
 * What is hidden in one place, wherever else it stands: `kubectl get` shows a manifest again as it was applied last.
 * @param {string[]} lines as they were
 * @param {string[]} masked
 */
function maskRepeated(lines, masked) {
  const hidden = new Set(lines.map((line, at) => hiddenIn(line, masked[at])).filter((value) => value.length >= SHORTEST_REPEATED));
  for (const value of hidden) {
    masked.forEach((line, at) => {
      if (line.includes(value)) masked[at] = line.replaceAll(value, MASK);
    });
  }
}

/**
 * @param {string} line
 * @param {string} masked
 */
function hiddenIn(line, masked) {
  const start = masked.indexOf(MASK);
  if (start === -1 || masked.indexOf(MASK, start + 1) !== -1) return "";
  const end = line.length - (masked.length - start - MASK.length);
  return line.slice(start, end).replace(/^["']|["',]+$/g, "").trim();
}
