// Small charts: bars, columns of dots.
import { set, svg } from "./parts.js";
import { plot } from "./plot.js";

// Axes of a small chart; a tick is a value and its text.
export function chart(name, { x, y, xTicks, yTicks, xLabel }) {
  const size = { width: 210, height: 160, edges: [10, 12, 36, 32] };
  const axes = plot(name, { kind: "attn-chart", role: "img", ...size, x, y });
  axes.rule(axes.floor, "attn-axis");
  axes.ticks(xTicks.map(([value]) => value), (value) => new Map(xTicks).get(value));
  axes.levels(yTicks.length)(yTicks);
  axes.title(xLabel);
  return axes;
}

// A column of `count` dots round x, side by side over this width, all in one path of strokes
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
