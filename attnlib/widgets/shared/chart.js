// Small charts: axes with ticks, bars, columns of dots.
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

// A column of so many dots round x, side by side over this width, all in one path of strokes
// without length, whose caps are round.
export function dots(plot, x, width, count) {
  const placeOf = (_, i) => plot.toX(x + width * ((i + 0.5) / count - 0.5)).toFixed(2);
  const places = Array.from({ length: count }, placeOf);
  const path = svg("path", { class: "attn-dots" });
  plot.root.append(path);
  return {
    draw(values) {
      const pieces = values.map((y, i) => `M${places[i]} ${plot.toY(y).toFixed(2)}h0`);
      set(path, { d: pieces.join("") });
    },
    choose: (chosen) => set(path, { "data-chosen": chosen ? "" : null }),
  };
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
