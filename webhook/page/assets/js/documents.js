/**
 * Where the documents of a YAML stream lie in its lines, counted as the server counts them.
 */

/**
 * @typedef {object} Span Lines from `start` up to and without `end`, counted from 0.
 * @property {number} start
 * @property {number} end
 */

/**
 * @param {string[]} lines
 * @returns {Span[]} the first document first
 */
export function splitDocuments(lines) {
  const spans = [];
  let start = 0;
  let explicit = false;
  lines.forEach((line, at) => {
    if (!/^---(\s|$)/.test(line)) return;
    if (explicit || hasContent(lines, start, at)) spans.push({ start, end: at });
    // Comments before the first mark belong to the document that it opens.
    start = explicit || spans.length ? at : 0;
    explicit = true;
  });
  spans.push({ start, end: lines.length });
  return spans;
}

/**
 * @param {string[]} lines
 * @param {number} start
 * @param {number} end
 */
function hasContent(lines, start, end) {
  for (let at = start; at < end; at += 1) if (!/^\s*(#.*|%.*|\.\.\.)?$/.test(lines[at])) return true;
  return false;
}
