// How the cost grows with n, both axes logarithmic: pairs, the rest, and their sum.
import { grouped, itemsAt, plain } from "../shared/amounts.js";
import { keepSizes, movable } from "../shared/movable.js";
import { set, svg, tick, write } from "../shared/parts.js";
import { MOST, sums } from "./costs.js";
import words from "./words.json";

const SIZE = { width: 340, height: 240, left: 46, right: 12, top: 10, bottom: 36 };
const OCTAVES = Math.log2(MOST);
const RULES = 6;
const MARGIN = 0.25;

function path(points) {
  return `M${points.map(([x, y]) => `${x.toFixed(2)} ${y.toFixed(2)}`).join("L")}`;
}

// The part of a rising line that lies above the floor.
function above(points, floor) {
  const first = points.findIndex(([, y]) => y <= floor);
  if (first <= 0) return points;
  const [[x0, y0], [x1, y1]] = [points[first - 1], points[first]];
  return [[x1 - ((floor - y1) * (x1 - x0)) / (y0 - y1), floor], ...points.slice(first)];
}

export function growthChart({ at, place }) {
  const { width, height, left, right, top, bottom } = SIZE;
  const floor = height - bottom;
  const across = width - left - right;
  const root = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    class: "attn-cost-growth",
    role: "group",
    "aria-label": "The cost for every number of items",
  });
  keepSizes(root);
  const toX = (n) => left + (Math.log2(n) / OCTAVES) * across;
  const plane = {
    range: [0, OCTAVES],
    fromEvent: (event) => {
      const box = root.getBoundingClientRect();
      return [((((event.clientX - box.left) / box.width) * width - left) / across) * OCTAVES, 0];
    },
  };
  const paper = { x: left, y: top, width: across, height: floor - top };
  root.append(svg("rect", { class: "attn-paper", ...paper }));
  for (let power = 0; power <= OCTAVES; power += 4) {
    const x = toX(2 ** power);
    root.append(
      svg("line", { class: "attn-grid", x1: x, x2: x, y1: top, y2: floor }),
      tick(x, floor + 15, "middle", grouped(2 ** power)),
    );
  }
  root.append(tick(left + across / 2, height - 4, "middle", "items n"));
  const rules = Array.from({ length: RULES }, () => ({
    rule: svg("line", { class: "attn-grid", x1: left, x2: width - right }),
    text: tick(left - 5, 0, "end", ""),
  }));
  const curve = (kind) => svg("path", { class: `attn-cost-${kind}` });
  const [rest, pairs, total, doubled] = ["rest", "pairs", "total", "doubled"].map(curve);
  const drop = svg("line", { class: "attn-cost-drop" });
  const ring = svg("circle", { class: "attn-cost-ring", r: 5 });
  const [names, where] = [
    ["pairs", ""].map((text) => tick(0, 0, "start", text)),
    tick(0, 0, "start", ""),
  ];
  const shown = tick(left + 8, top + 16, "start", "");
  for (const text of [...names, where, shown]) text.classList.add("attn-cost-name");
  const knob = svg("circle", { class: "attn-cost-knob", r: 8 });
  const hit = svg("circle", { class: "attn-hit" });
  const handle = svg("g", null, knob, hit);
  root.append(
    ...rules.flatMap(({ rule, text }) => [rule, text]),
    ...[drop, rest, pairs, total, doubled, ring, ...names, where, shown, handle],
  );
  // An arrow alone doubles or halves; with Shift it is one item.
  handle.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!by || !event.shiftKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    place(Math.min(Math.max(at() + by, 1), MOST));
  });
  const speak = movable(handle, {
    plane,
    label: "Items n",
    step: 1,
    at: () => [Math.log2(at()), 0],
    place: ([power]) => place(itemsAt(power, at(), MOST)),
    flat: true,
    describe: () => `${at()} items`,
  });

  let drawn = null;
  let toY = null;

  // All that does not hang on n.
  function drawCurves(given, crossing) {
    const { measure } = given;
    const of = (size) => sums(size, given);
    const [low, high] = [1, MOST].map((size) => Math.log10(of(size).total));
    toY = (y) => {
      const along = (Math.log10(y) - low + MARGIN) / (high - low + 2 * MARGIN);
      return floor - along * (floor - top);
    };
    const unit = words.units[measure];
    write(shown, words.measures[measure]);
    // Where the cost spans few decades the rules are nearer, so that there are always two.
    const decades = Math.min(Math.max(Math.floor((high - low) / 2), 1), 3);
    const first = Math.ceil((low - MARGIN) / decades);
    rules.forEach(({ rule, text }, k) => {
      const value = 10 ** (decades * (first + k));
      const y = toY(value);
      const there = y > top + 4;
      for (const part of [rule, text]) set(part, { visibility: there ? null : "hidden" });
      if (!there) return;
      set(rule, { y1: y, y2: y });
      set(text, { y: y + 4 });
      write(text, plain(value, unit));
    });
    const sizes = Array.from({ length: 2 * OCTAVES + 1 }, (_, k) => 2 ** (k / 2));
    const found = sizes.map((size) => [size, of(size)]);
    const line = (kind) =>
      path(above(found.map(([size, sum]) => [toX(size), toY(sum[kind])]), floor));
    set(rest, { d: line("rest") });
    set(pairs, { d: line("pairs") });
    set(total, { d: line("total") });
    // Names stand under their lines, where these are apart from the sum.
    const start = sizes.find((size) => toY(of(size).pairs) < floor - 30) ?? MOST;
    const [x, y] = [toX(start), toY(of(start).pairs)];
    set(names[0], { x: x + 10, y: Math.min(y + 12, floor - 5) });
    const last = of(MOST);
    const after = last.pairs > last.rest;
    const size = after ? MOST / 4 : 4;
    const under = toY(of(size).rest) + 18;
    set(names[1], {
      x: after ? width - right - 6 : toX(size),
      y: under < floor - 5 ? under : under - 28,
      "text-anchor": after ? "end" : "start",
    });
    write(names[1], words.rest[given.part]);
    const inside = crossing <= MOST;
    for (const part of [drop, ring, where]) set(part, { visibility: inside ? null : "hidden" });
    if (inside) {
      const [cx, cy] = [toX(crossing), toY(of(crossing).rest)];
      set(drop, { x1: cx, x2: cx, y1: cy, y2: floor });
      set(ring, { cx, cy });
      const late = cx > left + 0.72 * across;
      set(where, { x: cx + (late ? -6 : 6), y: floor - 6, "text-anchor": late ? "end" : "start" });
      write(where, `n = ${grouped(crossing)}`);
    }
  }

  function draw(given, crossing, key) {
    if (key !== drawn) drawCurves(given, crossing);
    drawn = key;
    const { n } = given;
    const levelOf = (size) => toY(sums(size, given).total);
    const here = [toX(n), levelOf(n)];
    const twice = Math.min(2 * n, MOST);
    set(doubled, { d: path([here, [toX(twice), levelOf(twice)]]) });
    for (const circle of [knob, hit]) set(circle, { cx: here[0], cy: here[1] });
    speak();
  }
  return { root, draw };
}
