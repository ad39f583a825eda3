// The goal as a function of one entry, which is nudged, and the line that its derivative promises.
import { keepSizes, movable } from "../shared/movable.js";
import { number, set, svg, tick, write } from "../shared/parts.js";

const SIZE = { width: 330, height: 176, left: 44, right: 14, top: 12, bottom: 24 };
const STEPS = 80;
const LINES = 7;

// Round numbers that the range reaches between, at most six steps apart.
export function ticksOf(low, high) {
  const span = high - low || 1;
  const power = 10 ** Math.floor(Math.log10(span / 3));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => span / size <= 4);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.max(Math.ceil(high / step - 1e-9), first + 1);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const ticks = Array.from({ length: last - first + 1 }, (_, n) => (first + n) * step);
  return { ticks, digits };
}

export function curvePanel({ reach, at, place }) {
  const { width, height, left, right, top, bottom } = SIZE;
  const root = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    class: "attn-slope-plot",
    role: "group",
    "aria-label": "The goal when one entry is nudged",
  });
  keepSizes(root);
  const unit = (width - left - right) / (2 * reach);
  const toX = (t) => left + (t + reach) * unit;
  const plane = {
    range: [-reach, reach],
    fromEvent: (event) => {
      const box = root.getBoundingClientRect();
      return [(((event.clientX - box.left) / box.width) * width - left) / unit - reach, 0];
    },
  };
  const floor = height - bottom;
  root.append(
    svg("rect", { class: "attn-paper", x: left, y: top, width: width - left - right, height: floor - top }),
  );
  for (let t = -reach; t <= reach; t += 1)
    root.append(tick(toX(t), height - 7, "middle", number(t, 0).replace(/^(?=[1-9])/, "+")));
  const middle = svg("line", { class: "attn-axis", x1: toX(0), x2: toX(0), y1: top, y2: floor });
  const rules = Array.from({ length: LINES }, () => ({
    rule: svg("line", { class: "attn-grid", x1: left, x2: width - right }),
    text: tick(left - 5, 0, "end", ""),
  }));
  const [line, curve, gap] = ["tangent", "curve", "gap"].map((kind) =>
    svg("path", { class: `attn-slope-${kind}` }),
  );
  const here = svg("circle", { class: "attn-slope-here", cx: toX(0), r: 4 });
  const knob = svg("circle", { class: "attn-slope-knob", r: 8 });
  const hit = svg("circle", { class: "attn-hit" });
  const group = svg("g", null, knob, hit);
  root.append(middle, ...rules.flatMap(({ rule, text }) => [rule, text]), gap, line, curve, here, group);
  const speak = movable(group, {
    plane,
    label: "Nudge",
    step: 0.1,
    at: () => [at(), 0],
    place: ([t]) => place(t),
    flat: true,
    describe: ([t]) => number(t),
  });

  function draw(goal, slope, nudge) {
    const promised = (t) => goal(0) + slope * t;
    const steps = Array.from({ length: STEPS + 1 }, (_, n) => reach * ((2 * n) / STEPS - 1));
    const heights = steps.map(goal);
    const ends = [promised(-reach), promised(reach)];
    const { ticks, digits } = ticksOf(Math.min(...heights, ...ends), Math.max(...heights, ...ends));
    const [low, high] = [ticks[0], ticks.at(-1)];
    const toY = (y) => floor - ((y - low) / (high - low)) * (floor - top);
    const point = (t, y) => `${toX(t).toFixed(2)} ${toY(y).toFixed(2)}`;
    rules.forEach(({ rule, text }, n) => {
      const there = n < ticks.length;
      for (const part of [rule, text]) set(part, { visibility: there ? null : "hidden" });
      if (!there) return;
      const y = toY(ticks[n]);
      set(rule, { y1: y, y2: y });
      set(text, { y: y + 4 });
      write(text, number(ticks[n], digits));
    });
    set(curve, { d: `M${steps.map((t, n) => point(t, heights[n])).join("L")}` });
    set(line, { d: `M${point(-reach, ends[0])}L${point(reach, ends[1])}` });
    set(gap, { d: `M${point(nudge, promised(nudge))}L${point(nudge, goal(nudge))}` });
    set(here, { cy: toY(goal(0)) });
    for (const circle of [knob, hit]) set(circle, { cx: toX(nudge), cy: toY(goal(nudge)) });
    speak();
  }
  return { root, draw };
}
