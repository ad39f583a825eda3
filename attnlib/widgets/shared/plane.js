// A picture of the plane, arrows in it and labels beside them.
import { clamp, convexHull, indices, mean } from "./core.js";
import { movable } from "./movable.js";
import { number, set, subscript, svg, tick } from "./parts.js";
import { plot } from "./plot.js";

export const SIZE = 320;

// A square picture of the plane with `range` in data units on both axes.
export function planeOf(range, name, ticks) {
  const size = { width: SIZE, height: SIZE, edges: [0, 0, 0, 0], rx: 6 };
  const { root, fromEvent, ...axes } = plot(name, { kind: "attn-plane", ...size, x: range, y: range });
  const to = ([x, y]) => [axes.toX(x), axes.toY(y)];
  const [zx, zy] = to([0, 0]);
  axes.rule(zy, "attn-axis");
  axes.upright(0, "attn-axis");
  const text = (value) => number(value, 0);
  axes.ticks(ticks, text, zy + 14);
  root.append(...ticks.map((value) => tick(zx - 5, axes.toY(value) + 4, "end", text(value))));
  return { root, range, to, fromEvent };
}

export function label(text, kind) {
  return svg("text", { class: `attn-label attn-${kind}`, "text-anchor": "middle" }, text);
}

// Put a label a little further out than the point, seen from `centre`, inside the picture; turned
// to the side by `turn` radians where something else lies further out.
export function placeLabel(element, [x, y], [cx, cy], distance = 18, turn = 0) {
  const angle = Math.hypot(x - cx, y - cy) ? Math.atan2(y - cy, x - cx) + turn : -Math.PI / 2;
  const inside = (value) => clamp(value, 12, SIZE - 12);
  set(element, {
    x: inside(x + Math.cos(angle) * distance),
    y: inside(y + Math.sin(angle) * distance) + 5,
  });
}

// An arrow from the origin. Where it can be moved, its group is the handle at its tip.
export function arrowOf(plane, kind, text, { distance, ...handle } = {}) {
  const hit = svg("circle", { class: "attn-hit" });
  const group = svg("g", null, hit);
  const speak = handle.place ? movable(group, { plane, step: 0.1, ...handle }) : () => {};
  return {
    shaft: svg("line", { class: `attn-arrow attn-${kind}` }),
    tip: svg("path", { class: `attn-head attn-${kind}` }),
    text: label(text, kind),
    ...{ hit, group, speak, distance },
  };
}

const HEAD = [[0, 0], [-14, 6], [-11, 0], [-14, -6]];

// The outline moves, not a transform of it: a browser repaints the first, the second makes it
// sort its layers anew.
function headAt([x, y], angle) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const corners = HEAD.map(([along, across]) => [
    (x + along * cos - across * sin).toFixed(2),
    (y + along * sin + across * cos).toFixed(2),
  ]);
  return `M${corners.join("L")}Z`;
}

export function drawArrow(plane, parts, point, turn = 0) {
  const [x0, y0] = plane.to([0, 0]);
  const [x, y] = plane.to(point);
  const angle = Math.atan2(y - y0, x - x0);
  const shaft = Math.max(1 - 10 / (Math.hypot(x - x0, y - y0) || 1), 0);
  set(parts.shaft, { x1: x0, y1: y0, x2: x0 + shaft * (x - x0), y2: y0 + shaft * (y - y0) });
  set(parts.tip, { d: headAt([x, y], angle) });
  set(parts.hit, { cx: x, cy: y });
  placeLabel(parts.text, [x, y], [x0, y0], parts.distance, turn);
  parts.speak();
}

export function meanOf(points) {
  return [0, 1].map((axis) => mean(points.map((point) => point[axis])));
}

// Values that are mixed: their hull, and for each a line to the output, a ring, and a disc with as
// much ink as it has weight. A group holds what belongs to one value, so that it can be moved.
export function mixture(plane, n) {
  const hull = svg("polygon", { class: "attn-hull" });
  const values = indices(n).map((i) => ({
    spoke: svg("line", { class: "attn-spoke" }),
    disc: svg("circle", { class: "attn-disc" }),
    ring: svg("circle", { class: "attn-ring attn-value", r: 14 }),
    text: label(`v${subscript(i)}`, "value"),
  }));
  const groups = values.map(({ disc, ring, text }) => svg("g", null, disc, ring, text));
  plane.root.append(hull, ...values.map(({ spoke }) => spoke), ...groups);

  function draw(points, weights, [ox, oy]) {
    set(hull, { points: convexHull(points).join(" ") });
    const centre = meanOf(points);
    values.forEach(({ spoke, disc, ring, text }, i) => {
      const [x, y] = points[i];
      const width = (0.5 + 5 * weights[i]).toFixed(2);
      set(spoke, { x1: ox, y1: oy, x2: x, y2: y, "stroke-width": width });
      set(disc, { cx: x, cy: y, r: (13 * Math.sqrt(weights[i])).toFixed(2) });
      set(ring, { cx: x, cy: y });
      placeLabel(text, [x, y], centre, 26);
    });
  }
  return { groups, draw };
}

// The outline of an output.
export function diamond([x, y], r) {
  return `M${x.toFixed(2)} ${(y - r).toFixed(2)}l${r} ${r}l${-r} ${r}l${-r} ${-r}Z`;
}
