// Choose a moment of a signal and see the weights that make its output.
import { choice, powerSlider, slider } from "../shared/controls.js";
import { dot } from "../shared/core.js";
import { similarityWeights, windowWeights } from "./filters.js";
import { bound, change, controlRow, follow, frameOf } from "../shared/frame.js";
import { presets, readable, remember, spoken } from "../shared/frame.js";
import { movable, onWidth } from "../shared/movable.js";
import { bar, disc, fill, h, hide, number, set, svg, tick, write } from "../shared/parts.js";
import { diamond } from "../shared/plane.js";
import words from "./words.json";

// The picture is as wide as its place, in pixels, and as high everywhere: letters keep their size.
const HEIGHT = 250;
const STRIP = 96;
// Bars and discs have one scale for all settings: the strip is as high as a weight of this size.
const TOP = 0.35;
const TRAITS = ["moment", "mode", "reach", "bandwidth"];

export function render({ model, el }) {
  const signal = model.get("signal");
  const clean = model.get("clean");
  const n = signal.length;
  const low = Math.min(...signal) - 0.15;
  const high = Math.max(...signal) + 0.15;
  let width = 660;
  const step = () => (width - 32) / (n - 1);
  const toX = (j) => 16 + j * step();
  const toY = (x) => 8 + ((high - x) * (HEIGHT - 16)) / (high - low);
  const path = (values) =>
    values.map((x, j) => `${toX(j).toFixed(2)},${toY(x).toFixed(2)}`).join(" ");

  // The edge lies where the truth jumps furthest from one element to the next.
  const jumps = clean.slice(1).map((x, j) => Math.abs(x - clean[j]));
  const edge = jumps.indexOf(Math.max(...jumps)) + 0.5;
  const root = svg("svg", {
    class: "attn-plane attn-signal",
    role: "group",
    "aria-label": "The signal, its weights and the filtered signal",
  });
  const base = HEIGHT + STRIP + 4;
  const heightOf = (weight) => (weight / TOP) * (STRIP - 18);
  const marker = svg("line", { class: "attn-moment attn-query", y1: 6, y2: base });
  const truth = svg("polyline", { class: "attn-truth" });
  const filtered = svg("polyline", { class: "attn-filtered attn-value" });
  const dots = signal.map((x) => svg("circle", { class: "attn-sample", cy: toY(x) }));
  // One path for all discs and one for all bars: one change each a redraw.
  const inks = svg("path", { class: "attn-disc" });
  const bars = svg("path", { class: "attn-stem" });
  const output = svg("path", { class: "attn-output" });
  const knob = svg("circle", { class: "attn-knob attn-query", cy: base + 8, r: 8 });
  const hit = svg("circle", { class: "attn-hit", cy: base + 8 });
  const stripLabel = svg("text", { class: "attn-tick", x: 16, y: HEIGHT + 10 });
  const handle = svg("g", null, marker, knob, hit);
  // Ticks: readings along the bottom, whole numbers at the side, tenths of weight below.
  const paper = svg("rect", { class: "attn-paper", height: HEIGHT, rx: 6 });
  const rules = [svg("line", { class: "attn-axis", x1: 0, y1: base, y2: base })];
  const levels = [];
  const level = (y, above, text) => {
    rules.push(svg("line", { class: "attn-grid", x1: 0, y1: y, y2: y }));
    levels.push(tick(0, y - above, "end", text));
  };
  const places = [];
  for (let j = 0; j < n; j += 10) places.push(tick(0, base + 34, "middle", String(j)));
  for (let x = Math.ceil(low); x <= high; x += 1) level(toY(x), 4, number(x, 0));
  for (const w of [0.1, 0.2, 0.3]) level(base - heightOf(w), 3, number(w, 1));
  root.append(
    paper,
    ...rules,
    ...levels,
    ...places,
    truth,
    ...dots,
    inks,
    filtered,
    bars,
    stripLabel,
    handle,
    output,
  );
  const plane = {
    range: [0, n - 1],
    fromEvent: (event) => {
      const box = root.getBoundingClientRect();
      return [(((event.clientX - box.left) / box.width) * width - 16) / step(), 0];
    },
  };
  const speak = movable(handle, {
    plane,
    label: "Moment",
    step: 1,
    at: () => [model.get("moment"), 0],
    place: ([x]) => change(model, { moment: Math.round(x) }),
    surface: root,
    flat: true,
    describe: ([x]) => `element ${x} of ${n - 1}, signal ${number(signal[x])}`,
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
    const text = fill(words.said, numbers);
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

  // What stays where it is until the picture gets another width.
  function arrange() {
    set(root, { viewBox: `0 0 ${width} ${HEIGHT + STRIP + 58}` });
    set(paper, { width });
    set(truth, { points: path(clean) });
    for (const line of rules) set(line, { x2: width });
    for (const label of levels) set(label, { x: width - 4 });
    places.forEach((label, i) => set(label, { x: toX(10 * i) }));
    dots.forEach((dot, j) => set(dot, { cx: toX(j), r: Math.min(3.2, 0.5 * step()) }));
  }

  function draw() {
    const t = model.get("moment");
    const largest = 24 * Math.min(1, width / 500);
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
    set(filtered, { points: path(outputs) });
    set(marker, { x1: toX(t), x2: toX(t) });
    set(knob, { cx: toX(t) });
    set(hit, { cx: toX(t) });
    set(output, { d: diamond([toX(t), toY(outputs[t])], 8) });
    write(stripLabel, `weights, the largest ${number(Math.max(...weights), 3)}`);
    controls.forEach((control) => control.draw());
    hide(reach.element, model.get("mode") !== "fixed");
    hide(bandwidth.element, model.get("mode") === "fixed");
    tell({ moment: t, signal: signal[t], output: outputs[t], clean: clean[t], ...errors });
    speak();
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
    width = pixels;
    arrange();
    draw();
  });
  arrange();
  return follow(model, TRAITS, draw);
}
