// Choose a moment of a signal and see the weights that make its output.
import { choice, powerSlider, slider } from "../shared/controls.js";
import { dot } from "../shared/core.js";
import { similarityWeights, windowWeights } from "./filters.js";
import { bound, change, controlRow, follow, frameOf } from "../shared/frame.js";
import { presets, readable, remember, spoken } from "../shared/frame.js";
import { onWidth } from "../shared/movable.js";
import { bar, disc, fill, h, hide, number, set, svg, tick, write } from "../shared/parts.js";
import { diamond } from "../shared/plane.js";
import { path, plot } from "../shared/plot.js";
import words from "./words.json";

// The picture is as wide as its place, in pixels, and as high everywhere: letters keep their size.
const HEIGHT = 250;
const STRIP = 96;
const PAD = 16;
// Bars and discs have one scale for all settings: the strip is as high as a weight of this size.
const TOP = 0.35;
const TRAITS = ["moment", "mode", "reach", "bandwidth"];

export function render({ model, el }) {
  const signal = model.get("signal");
  const clean = model.get("clean");
  const n = signal.length;
  const low = Math.min(...signal) - 0.15;
  const high = Math.max(...signal) + 0.15;
  const axes = plot("The signal, its weights and the filtered signal", {
    kind: "attn-plane attn-signal",
    height: HEIGHT + STRIP + 58,
    edges: [8, PAD, STRIP + 66, PAD],
    pad: [PAD, 8],
    rx: 6,
    x: [0, n - 1],
    y: [low, high],
  });
  const { root, toX, toY } = axes;
  const step = () => toX(1) - toX(0);
  const points = (values) => path(values.map((x, j) => [toX(j), toY(x)]));

  // The edge lies where the truth jumps furthest from one element to the next.
  const jumps = clean.slice(1).map((x, j) => Math.abs(x - clean[j]));
  const edge = jumps.indexOf(Math.max(...jumps)) + 0.5;
  const base = HEIGHT + STRIP + 4;
  const heightOf = (weight) => (weight / TOP) * (STRIP - 18);
  const marker = svg("line", { class: "attn-moment attn-query", y1: 6, y2: base });
  const truth = svg("path", { class: "attn-truth" });
  const filtered = svg("path", { class: "attn-filtered attn-value" });
  const dots = signal.map((x) => svg("circle", { class: "attn-sample", cy: toY(x) }));
  // One path for all discs and one for all bars: one change each a redraw.
  const inks = svg("path", { class: "attn-disc" });
  const bars = svg("path", { class: "attn-stem" });
  const output = svg("path", { class: "attn-output" });
  const stripLabel = tick(PAD, HEIGHT + 10, "start", "");
  // Ticks: readings along the bottom, whole numbers at the side, tenths of weight below.
  axes.rule(base, "attn-axis");
  const tens = signal.map((_, j) => j).filter((j) => j % 10 === 0);
  axes.ticks(tens, String, base + 34);
  for (let x = Math.ceil(low); x <= high; x += 1) axes.level(toY(x), 4, number(x, 0));
  for (const w of [0.1, 0.2, 0.3]) axes.level(base - heightOf(w), 3, number(w, 1));
  root.append(truth, ...dots, inks, filtered, bars, stripLabel);
  const moment = axes.point({
    kind: "attn-query",
    within: [marker],
    anywhere: true,
    label: "Moment",
    step: 1,
    at: () => model.get("moment"),
    place: (x) => change(model, { moment: Math.round(x) }),
    describe: (x) => `element ${x} of ${n - 1}, signal ${number(signal[x])}`,
  });
  root.append(output);
  axes.arrange(() => {
    set(truth, { d: points(clean) });
    dots.forEach((dot, j) => set(dot, { cx: toX(j), r: Math.min(3.2, 0.5 * step()) }));
  });

  const mode = bound(model, "mode", choice, {
    label: "Weights",
    options: [["fixed", "fixed: near in time"], ["adaptive", "adaptive: alike in level"]],
  });
  const reach = bound(model, "reach", slider, {
    label: "Reach in time",
    range: [0, 12, 1],
    format: (value) => `\u00b1${value}`,
  });
  const bandwidth = bound(model, "bandwidth", powerSlider, {
    label: "Bandwidth in level",
    powers: [-2, 1],
  });
  const controls = [mode, reach, bandwidth];
  const worked = h("p", { class: "attn-worked" });
  const voice = spoken(words);
  const tell = readable(worked, (numbers) => {
    const text = fill(words.announcement, numbers);
    write(worked, text);
    voice.say(() => text, numbers);
  });

  const weightsAt = (t) =>
    model.get("mode") === "fixed"
      ? windowWeights(n, t, model.get("reach"))
      : similarityWeights(signal, t, model.get("bandwidth"));

  // The filtered signal and its errors hang on the filter, not on the moment that is looked at.
  const filteredBy = remember(() => {
    const outputs = signal.map((_, j) => dot(weightsAt(j), signal));
    const error = (where) => {
      const squares = outputs.map((y, j) => (y - clean[j]) ** 2).filter((_, j) => where(j));
      return Math.sqrt(squares.reduce((a, b) => a + b, 0) / squares.length);
    };
    const errors = {
      before: error((j) => j <= edge - 4),
      near: error((j) => Math.abs(j - edge) < 4),
      after: error((j) => j >= edge + 4),
    };
    return { outputs, errors };
  });

  function draw() {
    const t = model.get("moment");
    const largest = 24 * Math.min(1, (axes.right() + PAD) / 500);
    const broad = Math.min(6, 0.7 * step());
    const weights = weightsAt(t);
    const { outputs, errors } = filteredBy(...TRAITS.slice(1).map((name) => model.get(name)));
    const [columns, discs] = [[], []];
    weights.forEach((w, j) => {
      columns.push(bar(toX(j) - broad / 2, base, base - heightOf(Math.min(w, TOP)), broad));
      discs.push(disc(toX(j), toY(signal[j]), largest * Math.sqrt(w)));
    });
    set(bars, { d: columns.join("") });
    set(inks, { d: discs.join("") });
    set(filtered, { d: points(outputs) });
    set(marker, { x1: toX(t), x2: toX(t) });
    moment(toX(t), base + 8);
    set(output, { d: diamond([toX(t), toY(outputs[t])], 8) });
    write(stripLabel, `weights, the largest ${number(Math.max(...weights), 3)}`);
    controls.forEach((control) => control.draw());
    hide(reach.element, model.get("mode") !== "fixed");
    hide(bandwidth.element, model.get("mode") === "fixed");
    tell({ moment: t, signal: signal[t], output: outputs[t], clean: clean[t], ...errors });
  }

  const legend = h(
    "p",
    { class: "attn-legend" },
    h("span", null, "\u25cb readings"),
    h("span", null, "\u254c truth"),
    h("span", { class: "attn-value" }, "\u2501 filtered, \u25c6 output"),
    h("span", null, "\u25cf weight"),
  );
  el.append(
    frameOf(
      model,
      root,
      legend,
      worked,
      controlRow(controls, presets(model, TRAITS)),
      voice.element,
    ),
  );
  onWidth(root, (pixels) => {
    axes.resize(pixels);
    draw();
  });
  return follow(model, TRAITS, draw);
}
