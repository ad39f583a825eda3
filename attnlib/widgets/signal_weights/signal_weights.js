// Choose a moment of a signal and see the weights that make its output.
import { choice, powerSlider, slider } from "../shared/controls.js";
import { argmax, dot, indices, mean } from "../shared/core.js";
import { similarityWeights, windowWeights } from "./filters.js";
import { bound, change, controlRow, mount } from "../shared/frame.js";
import { presets, readable, remember, spoken } from "../shared/frame.js";
import { momentPlot } from "../shared/seldom/moments.js";
import { onWidth } from "../shared/movable.js";
import { fill, h, hide, number, set, svg, write } from "../shared/parts.js";
import { diamond } from "../shared/plane.js";
import { path } from "../shared/plot.js";
import words from "./words.json";

// Bars and discs have one scale for all settings: the strip is as high as a weight of this size.
const MOST = 0.35;
const TRAITS = ["moment", "mode", "reach", "bandwidth"];

// The readings, the truth and the filtered signal.
function signalPlot(model, signal, clean) {
  const [low, high] = [Math.min(...signal) - 0.15, Math.max(...signal) + 0.15];
  const truth = svg("path", { class: "attn-truth" });
  const filtered = svg("path", { class: "attn-filtered attn-value" });
  const dots = signal.map(() => svg("circle", { class: "attn-sample" }));
  const output = svg("path", { class: "attn-output" });
  const last = signal.length - 1;
  const axes = momentPlot("The signal, its weights and the filtered signal", {
    height: 250,
    last,
    y: [low, high],
    most: MOST,
    marks: [0.1, 0.2, 0.3],
    ink: 24,
    under: [truth, ...dots],
    over: [filtered],
    at: () => model.get("moment"),
    place: (x) => change(model, { moment: Math.round(x) }),
    describe: (x) => `element ${x} of ${last}, signal ${number(signal[x])}`,
  });
  const { root, toX, toY } = axes;
  const points = (values) => path(values.map((x, j) => [toX(j), toY(x)]));
  axes.ticks(indices(signal.length).filter((j) => j % 10 === 0));
  for (let x = Math.ceil(low); x <= high; x += 1) axes.level(toY(x), 4, number(x, 0));
  root.append(output);
  axes.arrange(() => {
    set(truth, { d: points(clean) });
    const r = Math.min(3.2, 0.5 * axes.step());
    dots.forEach((dot, j) => set(dot, { cx: toX(j), cy: toY(signal[j]), r }));
  });
  function draw(t, weights, outputs) {
    axes.draw(t, weights.map((w, j) => [j, w, signal[j]]));
    set(filtered, { d: points(outputs) });
    set(output, { d: diamond([toX(t), toY(outputs[t])], 8) });
  }
  return { root, resize: axes.resize, draw };
}

// Root mean squares of errors before the edge of the truth, near it and after it. The edge lies
// where it jumps furthest from one element to the next.
function errorsOf(outputs, clean) {
  const jumps = clean.slice(1).map((x, j) => Math.abs(x - clean[j]));
  const edge = argmax(jumps) + 0.5;
  const squares = outputs.map((y, j) => (y - clean[j]) ** 2);
  const error = (where) => Math.sqrt(mean(squares.filter((_, j) => where(j - edge))));
  return {
    before: error((beyond) => beyond <= -4),
    near: error((beyond) => Math.abs(beyond) < 4),
    after: error((beyond) => beyond >= 4),
  };
}

export function render({ model, el }) {
  const [signal, clean] = [model.get("signal"), model.get("clean")];
  const shown = signalPlot(model, signal, clean);
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
      ? windowWeights(signal.length, t, model.get("reach"))
      : similarityWeights(signal, t, model.get("bandwidth"));

  // The filtered signal and its errors hang on the filter, not on the moment that is looked at.
  const filteredBy = remember(() => {
    const outputs = signal.map((_, j) => dot(weightsAt(j), signal));
    return { outputs, errors: errorsOf(outputs, clean) };
  });

  function draw() {
    const t = model.get("moment");
    const { outputs, errors } = filteredBy(...TRAITS.slice(1).map((name) => model.get(name)));
    shown.draw(t, weightsAt(t), outputs);
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
  onWidth(shown.root, (pixels) => {
    shown.resize(pixels);
    draw();
  });
  return mount(
    { model, el, draw, voice, traits: TRAITS },
    shown.root,
    legend,
    worked,
    controlRow(controls, presets(model, TRAITS)),
  );
}
