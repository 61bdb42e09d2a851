/**
 * Ranges of seconds and of money in words.
 */

/** @typedef {{low: number, high: number}} Range */

/**
 * @param {Range | null} range
 * @param {(value: number) => string} write
 */
function span(range, write) {
  if (!range) return "not known";
  const [low, high] = [write(range.low), write(range.high)];
  if (low === high) return low;
  return low.startsWith("-") ? `${low} to ${high}` : `${low}–${high}`;
}

/** @param {Range | null} range */
export function seconds(range) {
  const digits = range && Math.max(Math.abs(range.low), Math.abs(range.high)) < 10 ? 1 : 0;
  const text = span(range, (value) => String(Number(value.toFixed(digits))));
  return range ? `${text} s` : text;
}

/** @param {Range | null} range */
export function dollars(range) {
  return range ? `$${span(range, (value) => value.toFixed(2))}` : span(range, String);
}

/** @param {number} bytes */
export function gibibytes(bytes) {
  return `${Number((bytes / 2 ** 30).toPrecision(3))} GiB`;
}
