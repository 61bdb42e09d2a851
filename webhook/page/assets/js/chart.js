/**
 * The geometry of the chart: where each layer's bars, labels and lines lie, in pixels. Pure figures, no elements.
 */

/** @typedef {import("./figures.js").Range} Range */
/** @typedef {{name: string, seconds: Range | null, basis: string}} Layer */
/** @typedef {{name: string, layers: Layer[], model_start: Range | null}} Scenario */

/**
 * @typedef {object} Bar One scenario's range in one layer.
 * @property {string} scenario
 * @property {string} layer
 * @property {string} basis
 * @property {Range | null} seconds
 * @property {number} x
 * @property {number} y
 * @property {number} width 0 where it is not known
 */

/**
 * @typedef {object} Layout
 * @property {number} width
 * @property {number} height
 * @property {number} left where the axis begins
 * @property {number} bottom where the axis lies
 * @property {Bar[]} bars
 * @property {{layer: string, x: number, y: number, line: number}[]} rows each layer's label, and the line above it
 * @property {{seconds: number, x: number}[]} ticks
 */

export const LANE = 14;
export const BAR = 8;
const GAP = 14;
const LABEL_COLUMN = 148;
const LABEL_LINE = 18;
/** Room to the right of the longest bar, for its figure. */
const FIGURE = 84;
const AXIS = 22;
/** Below this width a layer's label stands above its bars. */
const NARROW = 520;
/** A range of no width is a figure; it has to be seen. */
const LEAST_WIDTH = 3;

/**
 * @param {Scenario[]} scenarios
 * @param {number} width
 * @returns {Layout}
 */
export function layout(scenarios, width) {
  const narrow = width < NARROW;
  const left = narrow ? 1 : LABEL_COLUMN;
  const scale = (width - left - FIGURE) / longest(scenarios);
  /** @type {Bar[]} */
  const bars = [];
  /** @type {Layout["rows"]} */
  const rows = [];
  let y = GAP / 2;
  const layers = scenarios[0]?.layers ?? [];
  layers.forEach((layer, index) => {
    const labelled = narrow ? y + LABEL_LINE : y;
    const middle = y + (scenarios.length * LANE) / 2 + 4;
    rows.push({ layer: layer.name, x: 0, y: narrow ? y + 12 : middle, line: y - GAP / 2 });
    scenarios.forEach((scenario, lane) => {
      bars.push(bar(scenario, index, { left, scale, y: labelled + lane * LANE }));
    });
    y = labelled + scenarios.length * LANE + GAP;
  });
  const ticks = marks(longest(scenarios), narrow ? 3 : 6).map((mark) => ({ seconds: mark, x: left + mark * scale }));
  const bottom = y - GAP / 2;
  return { width, height: bottom + AXIS, left, bottom, bars, rows, ticks };
}

/**
 * @param {Scenario} scenario
 * @param {number} index
 * @param {{left: number, scale: number, y: number}} at
 * @returns {Bar}
 */
function bar(scenario, index, { left, scale, y }) {
  const { name, seconds, basis } = scenario.layers[index];
  const x = left + (seconds?.low ?? 0) * scale;
  const width = seconds ? Math.max((seconds.high - seconds.low) * scale, LEAST_WIDTH) : 0;
  return { scenario: scenario.name, layer: name, basis, seconds, x, y: y + (LANE - BAR) / 2, width };
}

/** @param {Scenario[]} scenarios */
function longest(scenarios) {
  const ends = scenarios.flatMap((scenario) => scenario.layers.map((layer) => layer.seconds?.high ?? 0));
  return Math.max(...ends, 1);
}

/**
 * Round figures from zero up to the longest, about so many.
 * @param {number} most
 * @param {number} count
 */
export function marks(most, count) {
  const rough = most / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 3, 6, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const found = [];
  for (let mark = 0; mark <= most; mark += step) found.push(Number(mark.toPrecision(6)));
  return found;
}
