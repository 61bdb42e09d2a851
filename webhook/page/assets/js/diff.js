/**
 * What differs between two texts, line by line: the shortest way from one to the other (Myers).
 */

/** Beyond so many changed lines, all of it counts as changed: the shortest way would take too long to find. */
const MOST_CHANGES = 1000;

/**
 * @typedef {object} Row One line of the two columns; numbers count from 1, and null is no line.
 * @property {"same" | "add" | "remove" | "change"} kind
 * @property {number | null} before
 * @property {number | null} after
 */

/**
 * @param {string[]} before
 * @param {string[]} after
 * @returns {Row[]}
 */
export function diff(before, after) {
  let head = 0;
  const shorter = Math.min(before.length, after.length);
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const middle = changes(before.slice(head, before.length - tail), after.slice(head, after.length - tail));
  /** @type {Row[]} */
  const rows = [];
  for (let at = 1; at <= head; at += 1) rows.push({ kind: "same", before: at, after: at });
  rows.push(...paired(middle.map((row) => shifted(row, head))));
  for (let left = tail; left > 0; left -= 1) {
    rows.push({ kind: "same", before: before.length - left + 1, after: after.length - left + 1 });
  }
  return rows;
}

/**
 * @param {Row} row
 * @param {number} by
 * @returns {Row}
 */
function shifted({ kind, before, after }, by) {
  return { kind, before: before && before + by, after: after && after + by };
}

/**
 * @param {string[]} before
 * @param {string[]} after
 * @returns {Row[]}
 */
function changes(before, after) {
  const trace = furthest(before, after);
  if (!trace) return [...before.map((_, at) => removed(at + 1)), ...after.map((_, at) => added(at + 1))];
  /** @type {Row[]} */
  const rows = [];
  let [x, y] = [before.length, after.length];
  for (let depth = trace.length - 1; depth >= 0; depth -= 1) {
    const reach = trace[depth];
    const diagonal = x - y;
    const down = diagonal === -depth || (diagonal !== depth && at(reach, diagonal - 1) < at(reach, diagonal + 1));
    const from = depth === 0 ? 0 : down ? at(reach, diagonal + 1) : at(reach, diagonal - 1);
    const fromY = depth === 0 ? 0 : from - (down ? diagonal + 1 : diagonal - 1);
    while (x > from && y > fromY) rows.push({ kind: "same", before: x--, after: y-- });
    if (depth > 0) rows.push(down ? added(y--) : removed(x--));
  }
  return rows.reverse();
}

/**
 * How far each number of changes leads on each diagonal; null where it takes too many.
 * @param {string[]} before
 * @param {string[]} after
 * @returns {Int32Array[] | null} what was known before each round
 */
function furthest(before, after) {
  const reach = new Int32Array(2 * MOST_CHANGES + 3).fill(-1);
  reach[place(1)] = 0;
  const trace = [];
  for (let depth = 0; depth <= Math.min(before.length + after.length, MOST_CHANGES); depth += 1) {
    trace.push(reach.slice());
    for (let diagonal = -depth; diagonal <= depth; diagonal += 2) {
      const down = diagonal === -depth || (diagonal !== depth && at(reach, diagonal - 1) < at(reach, diagonal + 1));
      let x = down ? at(reach, diagonal + 1) : at(reach, diagonal - 1) + 1;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1;
      reach[place(diagonal)] = x;
      if (x >= before.length && x - diagonal >= after.length) return trace;
    }
  }
  return null;
}

/**
 * @param {Int32Array} reach
 * @param {number} diagonal
 */
function at(reach, diagonal) {
  return reach[place(diagonal)];
}

/** @param {number} diagonal */
function place(diagonal) {
  return diagonal + MOST_CHANGES + 1;
}

/** @param {number} line @returns {Row} */
function added(line) {
  return { kind: "add", before: null, after: line };
}

/** @param {number} line @returns {Row} */
function removed(line) {
  return { kind: "remove", before: line, after: null };
}

/**
 * Puts removed lines beside the added ones that follow them.
 * @param {Row[]} rows
 * @returns {Row[]}
 */
function paired(rows) {
  /** @type {Row[]} */
  const done = [];
  for (let start = 0; start < rows.length; ) {
    let middle = start;
    while (rows[middle]?.kind === "remove") middle += 1;
    let end = middle;
    while (rows[end]?.kind === "add") end += 1;
    const both = Math.min(middle - start, end - middle);
    for (let step = 0; step < both; step += 1) {
      done.push({ kind: "change", before: rows[start + step].before, after: rows[middle + step].after });
    }
    done.push(...rows.slice(start + both, middle), ...rows.slice(middle + both, end));
    if (end === start) done.push(rows[end++]);
    start = end;
  }
  return done;
}

/**
 * Parts rows into what is shown and what is folded away.
 * @param {Row[]} rows
 * @param {number} context how many unchanged lines stay on either side of a change
 * @returns {{folded: boolean, rows: Row[]}[]}
 */
export function fold(rows, context) {
  const shown = new Uint8Array(rows.length);
  rows.forEach((row, index) => {
    if (row.kind !== "same") shown.fill(1, Math.max(0, index - context), index + context + 1);
  });
  /** @type {{folded: boolean, rows: Row[]}[]} */
  const parts = [];
  rows.forEach((row, index) => {
    const folded = !shown[index];
    if (parts.at(-1)?.folded !== folded) parts.push({ folded, rows: [] });
    parts.at(-1)?.rows.push(row);
  });
  // A line folded away takes as much room as the button that brings it back.
  return parts.map((part) => (part.folded && part.rows.length < 3 ? { ...part, folded: false } : part));
}
