/**
 * Where in a manifest's lines a JSON pointer leads. It reads block style as far as it has to, and where the text goes
 * on in another way (flow style, an alias), it answers with the last part it found.
 */

import { splitDocuments } from "./documents.js";
import { locateJson } from "./json.js";

/** @typedef {import("./documents.js").Span} Span */

/**
 * @param {string} text
 * @param {number} document from 1
 * @param {string} pointer
 * @returns {Span | null} null where there is no such document
 */
export function locate(text, document, pointer) {
  if (/^\s*[{[]/.test(text)) {
    const found = locateJson(text, document, pointer);
    if (found) return { start: lineAt(text, found.start), end: lineAt(text, found.end) + 1 };
  }
  const lines = text.split("\n");
  const whole = splitDocuments(lines)[document - 1];
  return whole ? locateIn(lines, whole, pointer) : null;
}

/**
 * @param {string[]} lines
 * @param {Span} span one document
 * @param {string} pointer
 * @returns {Span}
 */
export function locateIn(lines, span, pointer) {
  let found = span;
  let from = span.start;
  for (const key of keys(pointer)) {
    const rest = { start: from, end: found.end };
    const index = /^\d+$/.test(key) ? itemLine(lines, rest, Number(key)) : -1;
    const line = index === -1 ? keyLine(lines, rest, key) : index;
    if (line === -1) break;
    // An item's first key stands on the item's own line; what a key holds begins below it.
    from = index === -1 ? line + 1 : line;
    found = { start: line, end: endOf(lines, line, found.end, index !== -1) };
  }
  return found;
}

/** @param {string} pointer */
export function keys(pointer) {
  return pointer.split("/").slice(1).map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/**
 * @param {string} text
 * @param {number} offset
 */
export function lineAt(text, offset) {
  let line = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}

/** @param {string} line */
function isContent(line) {
  return !/^\s*(#.*)?$/.test(line) && !/^---(\s|$)/.test(line);
}

/** @param {string} line */
function indentOf(line) {
  return line.length - line.trimStart().length;
}

/**
 * How far the first key of a line is indented: the marks of list items before it count as spaces.
 * @param {string} line
 */
function keyIndent(line) {
  return line.length - line.replace(/^\s*(?:-\s+)*/, "").length;
}

/** @param {string} line */
function isItem(line) {
  return /^\s*-(\s|$)/.test(line);
}

/**
 * @param {string[]} lines
 * @param {Span} span
 */
function firstContent(lines, span) {
  for (let at = span.start; at < span.end; at += 1) if (isContent(lines[at])) return at;
  return -1;
}

/**
 * @param {string[]} lines
 * @param {Span} span what a mapping holds
 * @param {string} key
 */
function keyLine(lines, span, key) {
  const first = firstContent(lines, span);
  if (first === -1) return -1;
  const indent = keyIndent(lines[first]);
  for (let at = first; at < span.end; at += 1) {
    if (!isContent(lines[at]) || (at > first && indentOf(lines[at]) !== indent)) continue;
    const named = /^(?:"([^"]*)"|'([^']*)'|([^\s"'#][^:]*?))\s*:(?:\s|$)/.exec(lines[at].slice(indent));
    if (named && (named[1] ?? named[2] ?? named[3]) === key) return at;
  }
  return -1;
}

/**
 * @param {string[]} lines
 * @param {Span} span what a list's key holds
 * @param {number} index
 */
function itemLine(lines, span, index) {
  const first = firstContent(lines, span);
  if (first === -1 || !isItem(lines[first])) return -1;
  const indent = indentOf(lines[first]);
  let left = index;
  for (let at = first; at < span.end; at += 1) {
    if (!isContent(lines[at]) || indentOf(lines[at]) !== indent || !isItem(lines[at])) continue;
    if (left === 0) return at;
    left -= 1;
  }
  return -1;
}

/**
 * @param {string[]} lines
 * @param {number} line of a key or an item
 * @param {number} limit
 * @param {boolean} ofItem whether the next item, at the same indent, ends it: below a key it does not
 */
function endOf(lines, line, limit, ofItem) {
  const indent = ofItem ? indentOf(lines[line]) : keyIndent(lines[line]);
  let end = line + 1;
  for (let at = line + 1; at < limit; at += 1) {
    if (!isContent(lines[at])) continue;
    const listBelow = !ofItem && indentOf(lines[at]) === indent && isItem(lines[at]);
    if (indentOf(lines[at]) <= indent && !listBelow) return end;
    end = at + 1;
  }
  return end;
}
