// A picture of moments, one of which is chosen, and below it a strip with the weights that this one
// gives to the others. It is as wide as its place, in pixels, and as high everywhere: letters keep
// their size.
import { bar, disc, number, set, svg, tick, write } from "../parts.js";
import { plot } from "../plot.js";

const [STRIP, PAD] = [96, 16];

// Moments from 0 to `last`; `y` is what the picture reaches over, and a weight of `most` fills the
// strip, which has a rule for each of `marks`. `ink` is the radius of a disc with all the weight.
// Above the strip stand elements, some `under` the discs of the weights, some `over` them.
export function momentPlot(name, options) {
  const { height, last, y, most, marks, ink, under, over, ...point } = options;
  const axes = plot(name, {
    kind: "attn-plane attn-moments",
    height: height + STRIP + 58,
    edges: [8, PAD, STRIP + 66, PAD],
    pad: [PAD, 8],
    rx: 6,
    x: [0, last],
    y,
  });
  const { root, toX, toY } = axes;
  const base = height + STRIP + 4;
  const heightOf = (weight) => (Math.min(weight, most) / most) * (STRIP - 18);
  const marker = svg("line", { class: "attn-moment attn-query", y1: 6, y2: base });
  // One path for all discs and one for all bars: one change each a redraw.
  const inks = svg("path", { class: "attn-disc" });
  const bars = svg("path", { class: "attn-stem" });
  const label = tick(PAD, height + 10, "start", "");
  axes.rule(base, "attn-axis");
  for (const weight of marks) axes.level(base - heightOf(weight), 3, number(weight, 1));
  root.append(...under, inks, ...over, bars, label);
  const look = { kind: "attn-query", within: [marker], anywhere: true, label: "Moment", step: 1 };
  const moment = axes.point({ ...look, ...point });
  const step = () => toX(1) - toX(0);

  // Weights are triples: a moment, its weight, and the height of its disc, which is a value of y.
  function draw(chosen, weights) {
    const largest = ink * Math.min(1, (axes.right() + PAD) / 500);
    const broad = Math.min(6, 0.7 * step());
    const discs = weights.map(([t, w, value]) => disc(toX(t), toY(value), largest * Math.sqrt(w)));
    const columns = weights.map(([t, w]) =>
      bar(toX(t) - broad / 2, base, base - heightOf(w), broad),
    );
    set(inks, { d: discs.join("") });
    set(bars, { d: columns.join("") });
    set(marker, { x1: toX(chosen), x2: toX(chosen) });
    moment(toX(chosen), base + 8);
    // The label keeps off the line of the moment.
    const [x, anchor] = chosen < last / 2 ? [axes.right(), "end"] : [PAD, "start"];
    set(label, { x, "text-anchor": anchor });
    write(label, `weights, the largest ${number(Math.max(...weights.map(([, w]) => w)), 3)}`);
  }
  const ticks = (values) => axes.ticks(values, String, base + 34);
  return { ...axes, draw, step, ticks };
}
