// Small charts: axes with ticks, bars, curves that are named at their end.
import { keepSizes } from "./movable.js";
import { set, svg, tick } from "./parts.js";

const SIZE = { width: 210, height: 160, left: 32, bottom: 36, top: 10, right: 12 };

// Axes with ticks; `toX` and `toY` map data units to the picture.
export function chart(name, { x, y, xTicks, yTicks, xLabel }) {
  const { width, height, left, bottom, top, right } = SIZE;
  const toX = (value) => left + ((value - x[0]) / (x[1] - x[0])) * (width - left - right);
  const toY = (value) =>
    height - bottom - ((value - y[0]) / (y[1] - y[0])) * (height - top - bottom);
  const root = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    class: "attn-chart",
    role: "img",
    "aria-label": name,
  });
  keepSizes(root);
  const rule = (kind, y) =>
    svg("line", { class: kind, x1: left, x2: width - right, y1: toY(y), y2: toY(y) });
  root.append(rule("attn-axis", y[0]));
  for (const [value, text] of xTicks) root.append(tick(toX(value), height - 20, "middle", text));
  for (const [value, text] of yTicks)
    root.append(rule("attn-grid", value), tick(left - 4, toY(value) + 4, "end", text));
  root.append(tick((left + width) / 2, height - 5, "middle", xLabel));
  return { root, toX, toY };
}

// A curve over equally spaced points, with its name beside its end.
export function curve(plot, name) {
  const line = svg("polyline", { class: "attn-curve" });
  const label = svg("text", { class: "attn-tick attn-curve-name" }, name);
  plot.root.append(line, label);
  let drawn = null;
  return {
    draw(values) {
      if (values === drawn) return;
      drawn = values;
      const points = values.map((y, x) => [plot.toX(x).toFixed(2), plot.toY(y).toFixed(2)]);
      set(line, { points: points.join(" ") });
      const [x, y] = points.at(-1);
      set(label, { x: Number(x) + 4, y: Number(y) + 4 });
    },
    label,
    choose: (chosen) => [line, label].forEach((e) => set(e, { "data-chosen": chosen ? "" : null })),
  };
}

// Names that would lie over each other move apart, up from the lowest.
export function partNames(curves, room = 11) {
  const height = ({ label }) => Number(label.getAttribute("y"));
  const fromBelow = [...curves].sort((a, b) => height(b) - height(a));
  fromBelow.slice(1).forEach((above, i) => {
    const limit = height(fromBelow[i]) - room;
    if (height(above) > limit) set(above.label, { y: limit });
  });
}

// Bars at these positions, all in one path: one change a redraw, however many there are.
export function bars(plot, positions, width) {
  const path = svg("path", { class: "attn-stem" });
  const base = plot.toY(0);
  const starts = positions.map((x) => `M${plot.toX(x - width / 2).toFixed(2)} ${base}V`);
  const end = `h${(plot.toX(width) - plot.toX(0)).toFixed(2)}V${base}Z`;
  plot.root.append(path);
  return (heights) => {
    const pieces = starts.map((start, i) => start + plot.toY(heights[i]).toFixed(2) + end);
    set(path, { d: pieces.join("") });
  };
}
