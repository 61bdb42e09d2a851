/**
 * Values whose names look secret, hidden in everything that the page shows; what is copied keeps them.
 *
 * It reads lines, not YAML: it must work on text that is broken too, and rather hides too much than too little.
 */

export const MASK = "••••••";

const SECRET = /^(TOKENS?|KEYS?|SECRETS?|PASSWORDS?|PASSWD|PASSPHRASE|PASS|CREDENTIALS?|CREDS|AUTH|AUTHORIZATION|COOKIE|PRIVATE)$/;
const SECRET_END = /(TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|APIKEY|ACCESSKEY)$/;
/** In lines: a mapping in braces is not looked for further. */
const LONGEST_FLOW = 20;
/** Words that make tokens and keys something to count. */
const COUNTED = /^(MAX|MIN|NUM|BATCHED|COUNT|LEN|LENGTH|PER)$/;

/**
 * Whether an environment variable, a flag or a key looks as if its value were secret.
 * @param {string} name
 */
export function looksSecret(name) {
  const words = name.replace(/([a-z])([A-Z])/g, "$1_$2").toUpperCase().split(/[^A-Z0-9]+/).filter(Boolean);
  if (words.some((word) => COUNTED.test(word))) return false;
  return words.some((word) => SECRET.test(word)) || SECRET_END.test(words.at(-1) ?? "");
}

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
  masked.forEach((line, at) => (masked[at] = maskInline(line, names)));
  return { lines: masked, names: [...names] };
}

/**
 * Environment entries: a `name` that looks secret, and the `value` beside it, in any style and order.
 * @param {string[]} lines
 * @param {Set<string>} names
 */
function maskEntries(lines, names) {
  lines.forEach((line, at) => {
    for (const [, quoted, plain] of line.matchAll(/(?<![\w-])"?name"?\s*:\s*(?:["']([^"']*)["']|([^\s,}"']+))/g)) {
      const name = quoted ?? plain;
      if (!looksSecret(name)) continue;
      if (/[{,]\s*"?value"?\s*:/.test(line) || /^\s*(-\s+)?\{/.test(line)) {
        lines[at] = lines[at].replaceAll(
          /([{,]\s*"?value"?\s*:\s*)("(?:[^"\\]|\\.)*"|'[^']*'|[^,}]+)/g,
          (whole, key, _value, offset, all) =>
            mappingAt(all, offset, offset + whole.length).includes(name) ? `${key}"${MASK}"` : whole,
        );
        if (lines[at] !== line) names.add(name);
      }
      for (const beside of flowLines(lines, at)) {
        lines[beside] = lines[beside].replace(/^(\s*"?value"?\s*:\s*)("(?:[^"\\]|\\.)*"|'[^']*'|[^,}]+)/, `$1"${MASK}"`);
        if (lines[beside].includes(MASK)) names.add(name);
      }
      for (const beside of siblings(lines, at)) if (maskValue(lines, beside, /^(\s*(?:-\s+)?"?value"?\s*:\s*)(.*)$/)) names.add(name);
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
  for (let next = at + 1; next < lines.length; next += 1) {
    const line = lines[next];
    if (line.trim() && line.length - line.trimStart().length <= indent) break;
    if (line.trim()) lines[next] = line.slice(0, line.length - line.trimStart().length) + MASK;
  }
  return true;
}

/**
 * Keys in capitals, as in a ConfigMap or a chart's values.
 * @param {string[]} lines
 * @param {Set<string>} names
 */
function maskKeyed(lines, names) {
  lines.forEach((line, at) => {
    const found = /^(\s*(?:-\s+)?"?([A-Z][A-Z0-9_]+)"?\s*:\s*)(?=\S)/.exec(line);
    if (!found || !looksSecret(found[2])) return;
    if (maskValue(lines, at, /^(\s*(?:-\s+)?"?[A-Z][A-Z0-9_]+"?\s*:\s*)(.*)$/)) names.add(found[2]);
  });
}

/**
 * The data of Secrets that lie in the same stream.
 * @param {string[]} lines
 * @param {Set<string>} names
 */
function maskSecretObjects(lines, names) {
  lines.forEach((line, at) => {
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
 * Assignments and flags within commands, and the item that follows a flag in a list on one line.
 * @param {string} line
 * @param {Set<string>} names
 */
function maskInline(line, names) {
  /** @type {(whole: string, head: string, name: string) => string} */
  const hide = (whole, head, name) => {
    if (!looksSecret(name) || whole.endsWith(MASK)) return whole;
    names.add(name);
    return head + MASK;
  };
  return line
    .replaceAll(/((?<![\w$-])([A-Za-z_]\w*)=)(?:"[^"]*"|'[^']*'|[^\s"',\]}&;|]+)/g, hide)
    .replaceAll(/((--[a-z][\w-]*)(?:=|["']?,\s*["']?|\s+))(?!-)[^\s"',\]}]+/g, hide);
}

/**
 * Masks an item of a list whose item before is a flag that looks secret.
 * @param {string[]} lines
 * @returns {string[]}
 */
export function maskFlagItems(lines) {
  return lines.map((line, at) => {
    const flag = /^\s*-\s+["']?(--?[A-Za-z][\w-]*)["']?\s*$/.exec(lines[at - 1] ?? "")?.[1];
    if (!flag || !looksSecret(flag)) return line;
    return line.replace(/^(\s*-\s+).*$/, `$1${MASK}`);
  });
}
