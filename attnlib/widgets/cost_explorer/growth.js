// How the cost grows with n, both axes logarithmic: pairs, the rest, and their sum.
import { grouped, itemsAt, plain } from "../shared/amounts.js";
import { clamp, indices } from "../shared/core.js";
import { set, svg, visible, write } from "../shared/parts.js";
import { nameTag, path, plot } from "../shared/plot.js";
import { MOST, sums } from "./costs.js";
import words from "./words.json";

const OCTAVES = Math.log2(MOST);
const MARGIN = 0.25;

// The part of a rising line that lies above the floor.
function above(points, floor) {
  const first = points.findIndex(([, y]) => y <= floor);
  if (first <= 0) return points;
  const [[x0, y0], [x1, y1]] = [points[first - 1], points[first]];
  return [[x1 - ((floor - y1) * (x1 - x0)) / (y0 - y1), floor], ...points.slice(first)];
}

export function growthChart({ at, place }) {
  const axes = plot("The cost for every number of items", {
    kind: "attn-cost-growth",
    width: 340,
    height: 240,
    edges: [10, 12, 36, 46],
    x: [0, OCTAVES],
  });
  const { root, left, top, floor, toY } = axes;
  const right = axes.right();
  const toX = (n) => axes.toX(Math.log2(n));
  const powers = [0, 4, 8, 12, 16];
  for (const power of powers) axes.upright(power);
  axes.ticks(powers, (power) => grouped(2 ** power));
  axes.title("items n");
  const drawLevels = axes.levels(6);
  const curve = (kind) => svg("path", { class: `attn-cost-${kind}` });
  const [rest, pairs, total, doubled] = ["rest", "pairs", "total", "doubled"].map(curve);
  const drop = svg("line", { class: "attn-drop" });
  const ring = svg("circle", { class: "attn-cost-ring", r: 5 });
  const names = [nameTag("pairs"), nameTag("")];
  const where = nameTag("");
  const unitName = nameTag("", "start", left + 8, top + 16);
  root.append(drop, rest, pairs, total, doubled, ring, ...names, where, unitName);
  const here = axes.point({
    label: "Items n",
    step: 1,
    at: () => Math.log2(at()),
    place: (power) => place(itemsAt(power, at(), MOST)),
    describe: () => `${at()} items`,
  });
  // An arrow alone doubles or halves; with Shift it is one item.
  root.addEventListener(
    "keydown",
    (event) => {
      const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
      if (!by || !event.shiftKey) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      place(clamp(at() + by, 1, MOST));
    },
    true,
  );

  let drawn = null;

  // All that does not hang on n.
  function drawCurves(state, crossing) {
    const { measure } = state;
    const of = (size) => sums(size, state);
    const [low, high] = [1, MOST].map((size) => Math.log10(of(size).total));
    axes.y = [low - MARGIN, high + MARGIN];
    write(unitName, words.measures[measure]);
    // Where the cost spans few decades the rules are nearer, so that there are always two.
    const decades = clamp(Math.floor((high - low) / 2), 1, 3);
    const first = Math.ceil((low - MARGIN) / decades);
    const levels = [0, 1, 2, 3, 4, 5].map((k) => decades * (first + k));
    const inside = levels.filter((power) => toY(power) > top + 4);
    drawLevels(inside.map((power) => [power, plain(10 ** power, words.units[measure])]));
    const sizes = indices(2 * OCTAVES + 1).map((k) => 2 ** (k / 2));
    const costs = sizes.map((size) => [size, of(size)]);
    const heightOf = (cost) => toY(Math.log10(cost));
    const line = (kind) =>
      path(above(costs.map(([size, sum]) => [toX(size), heightOf(sum[kind])]), floor));
    set(rest, { d: line("rest") });
    set(pairs, { d: line("pairs") });
    set(total, { d: line("total") });
    // Names stand under their lines, where these are apart from the sum.
    const start = sizes.find((size) => heightOf(of(size).pairs) < floor - 30) ?? MOST;
    const [x, y] = [toX(start), heightOf(of(start).pairs)];
    set(names[0], { x: x + 10, y: Math.min(y + 12, floor - 5) });
    const last = of(MOST);
    const after = last.pairs > last.rest;
    const size = after ? MOST / 4 : 4;
    const under = heightOf(of(size).rest) + 18;
    set(names[1], {
      x: after ? right - 6 : toX(size),
      y: under < floor - 5 ? under : under - 28,
      "text-anchor": after ? "end" : "start",
    });
    write(names[1], words.rest[state.part]);
    visible(crossing <= MOST, drop, ring, where);
    if (crossing <= MOST) {
      const [cx, cy] = [toX(crossing), heightOf(of(crossing).rest)];
      set(drop, { x1: cx, x2: cx, y1: cy, y2: floor });
      set(ring, { cx, cy });
      const late = cx > left + 0.72 * (right - left);
      set(where, { x: cx + (late ? -6 : 6), y: floor - 6, "text-anchor": late ? "end" : "start" });
      write(where, `n = ${grouped(crossing)}`);
    }
  }

  function draw(state, crossing, key) {
    if (key !== drawn) drawCurves(state, crossing);
    drawn = key;
    const pointAt = (n) => [toX(n), toY(Math.log10(sums(n, state).total))];
    set(doubled, { d: path([pointAt(state.n), pointAt(Math.min(2 * state.n, MOST))]) });
    here(...pointAt(state.n));
  }
  return { root, draw };
}
