/**
 * Secrets within commands: assignments, flags and what follows them, headers, and passwords in URLs.
 */

import { looksSecret, MASK } from "./secretnames.js";

/** A text in quotes, as it is or within a text in quotes, or a word. */
const TEXT = /\\{1,9}"(?:(?!\\{1,9}").)*\\{1,9}"|"(?:[^"\\]|\\.)*"|'[^']*'/.source;
/** In JSON, a script's lines lie behind each other with `\n` between them. */
const WORD = /(?:[^\s"',\]}&;|\\]|\\(?![n"]))+/.source;
const ASSIGNMENT = new RegExp(`((?:(?<=\\\\n)|(?<![\\w$-]))([A-Za-z_]\\w*)=)(?:${TEXT}|${WORD})`, "g");
const FLAG = new RegExp(`((?:(?<=\\\\n)|(?<![\\w-]))(--[a-z][\\w-]*)(?:=|\\\\{0,9}["']?\\s*,\\s*|\\s+))(?!\\\\{0,9}["']?-|#|\\\\$)(?:${TEXT}|${WORD})`, "g");
const HEADER = /((authorization|proxy-authorization|x-api-key|cookie)\\{0,9}["']?\s*:\s*)(?!\{)[^"'\s\\][^"'\\]*/gi;
const IN_URL = /((?<![\w+.-])(\w[\w+.-]*:\/\/)[^\s/:@"']*:)[^\s/@"']+(?=@)/g;
/** A flag that a line ends with, be it an item, within brackets, or in a script that goes on below. */
const LAST_FLAG = /(?:^|[\s"',[])(--?[A-Za-z][\w-]*)["']?\s*(?:,|\\+)?\s*(?:#.*)?$/;
const FIRST_WORD = new RegExp(`^(\\s*)(?:${TEXT}|[^\\s,\\]]+)`);

/**
 * @param {string[]} lines are changed
 * @param {Set<string>} names those whose values are hidden are added
 */
export function maskCommands(lines, names) {
  lines.forEach((line, at) => {
    const flag = LAST_FLAG.exec(line)?.[1];
    if (!flag || !looksSecret(flag)) return;
    let next = at + 1;
    while (next < lines.length && /^\s*(#.*)?$/.test(lines[next])) next += 1;
    if (next === lines.length || /^\s*(-\s+)?["']?-[-\w]/.test(lines[next])) return;
    names.add(flag);
    lines[next] = /^\s*-\s/.test(lines[next])
      ? lines[next].replace(/^(\s*-\s+).*$/, `$1${MASK}`)
      : lines[next].replace(FIRST_WORD, `$1${MASK}`);
  });
  lines.forEach((line, at) => (lines[at] = maskInline(line, names)));
}

/**
 * @param {string} line
 * @param {Set<string>} names
 */
function maskInline(line, names) {
  /** @type {(whole: string, head: string, name: string) => string} */
  const hide = (whole, head, name) => {
    names.add(name);
    return head + MASK;
  };
  /** @type {(whole: string, head: string, name: string) => string} */
  const hideNamed = (whole, head, name) => (!looksSecret(name) || whole.endsWith(MASK) ? whole : hide(whole, head, name));
  return line.replaceAll(HEADER, hide).replaceAll(IN_URL, hide).replaceAll(ASSIGNMENT, hideNamed).replaceAll(FLAG, hideNamed);
}
