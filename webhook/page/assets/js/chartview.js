/**
 * The estimate as people see it: what is saved in large figures, the chart, and the same figures as a table.
 */

import { BAR, layout } from "./chart.js";
import { el, svg } from "./dom.js";
import { dollars, seconds } from "./figures.js";
import { LAYER, SCENARIO } from "./words.js";

/** @typedef {import("./chart.js").Scenario} Scenario */

/**
 * @typedef {object} Estimate
 * @property {Scenario[]} scenarios
 * @property {{first_pod: import("./figures.js").Range | null, next_pods: import("./figures.js").Range | null}} saved
 * @property {any} money
 * @property {{code: string, text: string}[]} notes
 */

let charts = 0;

/**
 * The chart, the same figures as a table, and what they stand on.
 * @param {Estimate} estimate
 * @returns {HTMLElement}
 */
export function estimateView(estimate) {
  const figure = el("figure", { class: "chart" });
  const drawn = el("div", { class: "chart-drawing" });
  figure.append(legend(estimate.scenarios), drawn);
  drawAtItsWidth(drawn, estimate.scenarios);
  return el(
    "section",
    { class: "part estimate" },
    el("h4", {}, "Where a cold start takes its time"),
    el("div", { class: "chart-and-table" }, figure, table(estimate.scenarios)),
    money(estimate.money),
    notes(estimate.notes),
  );
}

/**
 * What is saved, in large figures.
 * @param {Estimate} estimate
 */
export function savings({ scenarios, saved, money }) {
  const [today] = scenarios;
  const tiles = el("dl", { class: "tiles" }, tile("Model start today", seconds(today.model_start), "weights and torch.compile"));
  /** @type {["first_pod" | "next_pods", string][]} */
  const gains = [
    ["first_pod", "Saved, first pod of a node"],
    ["next_pods", "Saved, each next pod"],
  ];
  for (const [key, title] of gains) {
    const worth = money?.[key] ? `${dollars(money[key])} a start` : "";
    tiles.append(tile(title, seconds(saved[key]), worth, true));
  }
  return tiles;
}

/**
 * @param {string} title
 * @param {string} figure
 * @param {string} small
 * @param {boolean} [ours]
 */
function tile(title, figure, small, ours = false) {
  const kind = figure === "not known" ? "figure none" : ours ? "figure ours" : "figure";
  return el("div", {}, el("dt", {}, title), el("dd", { class: kind }, figure), small && el("dd", { class: "quiet" }, small));
}

/** @param {Scenario[]} scenarios */
function legend(scenarios) {
  const bases = new Set(scenarios.flatMap((scenario) => scenario.layers.map((layer) => layer.basis)));
  const items = scenarios.map(({ name }) => key(SCENARIO[name] ?? name, `lane ${name}`));
  if (bases.has("published")) items.push(key("published range", "lane basis"));
  if (bases.has("estimated")) items.push(key("estimated range", "lane basis", "estimated"));
  if (bases.has("unknown")) items.push(el("li", {}, el("span", { class: "unknown-key" }, "?"), "not known"));
  return el("ul", { class: "legend" }, ...items);
}

/**
 * @param {string} text
 * @param {string} kind
 * @param {string} [basis]
 */
function key(text, kind, basis = "published") {
  const drawing = svg("svg", { width: 22, height: BAR, "aria-hidden": "true", class: kind });
  drawing.append(...bars({ x: 0, y: 0, width: 22, basis }, stripes(drawing, kind)));
  return el("li", {}, drawing, text);
}

/**
 * Draws the chart, and draws it again where its width changes.
 * @param {HTMLElement} place
 * @param {Scenario[]} scenarios
 */
function drawAtItsWidth(place, scenarios) {
  let last = 0;
  const observer = new ResizeObserver(([entry]) => {
    const width = Math.floor(entry.contentRect.width);
    if (width === last || width === 0) return;
    last = width;
    place.replaceChildren(draw(scenarios, width));
  });
  observer.observe(place);
}

/**
 * @param {Scenario[]} scenarios
 * @param {number} width
 */
function draw(scenarios, width) {
  const { height, bottom, bars: ranges, rows, ticks, left } = layout(scenarios, width);
  const drawing = svg("svg", { width, height, role: "img", "aria-label": "Seconds of each layer of a cold start; the table has the same figures" });
  const striped = new Map(scenarios.map(({ name }) => [name, stripes(drawing, `lane ${name}`)]));
  for (const row of rows) {
    drawing.append(svg("line", { class: "rule", x1: 0, x2: width, y1: row.line, y2: row.line }));
    drawing.append(svg("text", { class: "layer", x: row.x, y: row.y }, LAYER[row.layer] ?? row.layer));
  }
  for (const tick of ticks) {
    drawing.append(svg("line", { class: "grid", x1: tick.x, x2: tick.x, y1: 0, y2: bottom + 4 }));
    const anchor = tick.seconds === 0 && left < 10 ? "start" : "middle";
    drawing.append(svg("text", { class: "tick", x: tick.x, y: bottom + 18, "text-anchor": anchor }, `${tick.seconds} s`));
  }
  for (const range of ranges) {
    const lane = svg("g", { class: `lane ${range.scenario}`, "data-layer": range.layer, "data-scenario": range.scenario, "data-basis": range.basis });
    if (range.seconds) {
      lane.append(svg("line", { class: "reach", x1: left, x2: range.x, y1: range.y + BAR / 2, y2: range.y + BAR / 2 }));
      lane.append(...bars(range, /** @type {string} */ (striped.get(range.scenario))));
    }
    const text = range.seconds ? seconds(range.seconds) : "? not known";
    lane.append(svg("text", { class: "value", x: range.x + range.width + 6, y: range.y + BAR }, text));
    drawing.append(lane);
  }
  return drawing;
}

/**
 * A bar: solid where it was published, striped where it is estimated.
 * @param {{x: number, y: number, width: number, basis: string}} range
 * @param {string} striped id of the pattern
 */
function bars({ x, y, width, basis }, striped) {
  const place = { x, y, width, height: BAR, rx: Math.min(2, width / 2) };
  const solid = svg("rect", { ...place, class: `bar ${basis}` });
  return basis === "estimated" ? [solid, svg("rect", { ...place, class: "stripes", fill: `url(#${striped})` })] : [solid];
}

/**
 * Gives a drawing a pattern of stripes.
 * @param {Element} drawing
 * @param {string} kind gives it its colour
 * @returns {string} the pattern's id
 */
function stripes(drawing, kind) {
  charts += 1;
  const id = `stripes-${charts}`;
  const stripe = svg("path", { class: "stripe", d: "M0 0V4" });
  const pattern = svg("pattern", { id, class: kind, width: 4, height: 4, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, stripe);
  drawing.append(svg("defs", {}, pattern));
  return id;
}

/** @param {Scenario[]} scenarios */
function table(scenarios) {
  const head = el("tr", {}, el("th", { scope: "col" }, "Layer"), ...scenarios.map(({ name }) => el("th", { scope: "col" }, SCENARIO[name] ?? name)));
  const rows = scenarios[0].layers.map((layer, index) =>
    el("tr", {}, el("th", { scope: "row" }, LAYER[layer.name] ?? layer.name), ...scenarios.map((each) => cell(each.layers[index]))),
  );
  const starts = scenarios.map((each) => el("td", {}, seconds(each.model_start)));
  rows.push(el("tr", { class: "sum" }, el("th", { scope: "row" }, "Model start"), ...starts));
  return el(
    "table",
    { class: "layers" },
    el("caption", {}, "Seconds by layer. ~ is estimated, the rest was published. Model start is weights and torch.compile."),
    el("thead", {}, head),
    el("tbody", {}, ...rows),
  );
}

/** @param {import("./chart.js").Layer} layer */
function cell({ seconds: range, basis }) {
  return el("td", { class: basis }, `${basis === "estimated" ? "~ " : ""}${seconds(range)}`);
}

/** @param {any} money */
function money(money) {
  if (!money) return null;
  const { usd_per_hour: hourly, source } = money.price;
  return el("p", { class: "quiet" }, `At ${dollars(hourly)} an hour for the pod's share of its node: ${source}.`);
}

/** @param {{code: string, text: string}[]} listed */
function notes(listed) {
  return listed.length > 0 && el("ul", { class: "notes" }, ...listed.map(({ code, text }) => el("li", { "data-code": code }, text)));
}
