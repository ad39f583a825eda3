// The goal as a function of one entry, which is nudged, and the line that its derivative promises.
import { indices } from "../shared/core.js";
import { number, set, svg } from "../shared/parts.js";
import { path, plot } from "../shared/plot.js";

const STEPS = 80;

// Round numbers that the range reaches between, at most six steps apart.
export function ticksOf(low, high) {
  const span = high - low || 1;
  const power = 10 ** Math.floor(Math.log10(span / 3));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => span / size <= 4);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.max(Math.ceil(high / step - 1e-9), first + 1);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const ticks = indices(last - first + 1).map((n) => (first + n) * step);
  return { ticks, digits };
}

export function curvePanel({ reach, at, place }) {
  const axes = plot("The goal when one entry is nudged", {
    kind: "attn-slope-plot",
    width: 330,
    height: 176,
    edges: [12, 14, 24, 44],
    x: [-reach, reach],
  });
  const { root, toX, toY } = axes;
  axes.upright(0, "attn-axis");
  const whole = indices(2 * reach + 1).map((n) => n - reach);
  axes.ticks(whole, (t) => number(t, 0).replace(/^(?=[1-9])/, "+"));
  const drawLevels = axes.levels(7);
  const [line, curve, gap] = ["tangent", "curve", "gap"].map((kind) =>
    svg("path", { class: `attn-slope-${kind}` }),
  );
  const here = svg("circle", { class: "attn-slope-here", cx: toX(0), r: 4 });
  root.append(gap, line, curve, here);
  const nudged = axes.point({ label: "Nudge", step: 0.1, at, place, describe: (t) => number(t) });

  function draw(goal, slope, nudge) {
    const promised = (t) => goal(0) + slope * t;
    const steps = indices(STEPS + 1).map((n) => reach * ((2 * n) / STEPS - 1));
    const heights = steps.map(goal);
    const ends = [promised(-reach), promised(reach)];
    const { ticks, digits } = ticksOf(Math.min(...heights, ...ends), Math.max(...heights, ...ends));
    axes.y = [ticks[0], ticks.at(-1)];
    const point = (t, y) => [toX(t), toY(y)];
    drawLevels(ticks.map((value) => [value, number(value, digits)]));
    set(curve, { d: path(steps.map((t, n) => point(t, heights[n]))) });
    set(line, { d: path([point(-reach, ends[0]), point(reach, ends[1])]) });
    set(gap, { d: path([point(nudge, promised(nudge)), point(nudge, goal(nudge))]) });
    set(here, { cy: toY(goal(0)) });
    nudged(...point(nudge, goal(nudge)));
  }
  return { root, draw };
}
