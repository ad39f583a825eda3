// Random queries and keys: what the number of components does to scores, weights and gradient.
import { bars, chart, curve } from "./chart.js";
import { randomScores, summarize } from "./sampling.js";
import {
  change,
  choice,
  follow,
  frameOf,
  h,
  number,
  presets,
  set,
  slider,
  spoken,
  svg,
  write,
} from "./parts.js";

const TRAITS = ["dimension", "scale", "distribution", "correlation"];
const N_Q = 32;
const N_K = 16;
const LARGEST = 512;
const DIMENSIONS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const SCALES = { none: () => 1, sqrt: (d) => 1 / Math.sqrt(d), linear: (d) => 1 / d };
const REACH = 40;
function render({ model, el }) {
  const bins = Array.from({ length: 2 * REACH }, (_, i) => i - REACH + 0.5);
  const histogram = chart("Histogram of the scores", {
    x: [-REACH, REACH],
    y: [0, 0.45],
    xTicks: [
      [-40, "\u221240"],
      [-20, "\u221220"],
      [0, "0"],
      [20, "20"],
      [40, "40"],
    ],
    yTicks: [
      [0.2, "20%"],
      [0.4, "40%"],
    ],
    xLabel: "score",
  });
  const drawHistogram = bars(histogram, bins, 1);
  const ranks = Array.from({ length: N_K }, (_, i) => i + 1);
  const sorted = chart("Mean weights, sorted from the largest", {
    x: [0.4, N_K + 0.6],
    y: [0, 1],
    xTicks: [
      [1, "1"],
      [8, "8"],
      [16, "16"],
    ],
    yTicks: [
      [0.5, ".5"],
      [1, "1"],
    ],
    xLabel: "key, by its weight",
  });
  const drawSorted = bars(sorted, ranks, 0.7);
  const gradients = chart("Gradient of the weights against the number of components", {
    x: [0, 10.6],
    y: [0, 0.5],
    xTicks: [
      [0, "1"],
      [3, "8"],
      [6, "64"],
      [9, "512"],
    ],
    yTicks: [
      [0.25, ".25"],
      [0.5, ".5"],
    ],
    xLabel: "components d",
  });
  const curves = {
    none: curve(gradients, "1"),
    sqrt: curve(gradients, "1/\u221ad"),
    linear: curve(gradients, "1/d"),
  };
  const here = svg("circle", { class: "attn-here", r: 5 });
  gradients.root.append(here);

  const dimension = slider({
    label: "Components d",
    min: 0,
    max: 9,
    step: 1,
    value: Math.log2(model.get("dimension")),
    format: (power) => String(2 ** power),
    onInput: (power) => change(model, { dimension: 2 ** power }),
  });
  const scale = choice({
    label: "Scores times",
    options: [
      ["none", "1"],
      ["sqrt", "1/\u221ad"],
      ["linear", "1/d"],
    ],
    value: model.get("scale"),
    onChoose: (name) => change(model, { scale: name }),
  });
  const distribution = choice({
    label: "Components are",
    options: [
      ["normal", "normal"],
      ["uniform", "uniform"],
      ["sign", "\u00b11"],
    ],
    value: model.get("distribution"),
    onChoose: (name) => change(model, { distribution: name }),
  });
  const correlation = slider({
    label: "Query like its key",
    min: 0,
    max: 1,
    step: 0.05,
    value: model.get("correlation"),
    format: (value) => number(value, 2),
    onInput: (value) => change(model, { correlation: value }),
  });
  const worked = h("p", { class: "attn-worked" });
  const voice = spoken();

  // Drawing the numbers is the dear part: it is done again only when they change.
  let key = null;
  let scores = null;
  function sample() {
    const now = [model.get("distribution"), model.get("correlation"), model.get("seed")];
    if (key === now.join()) return;
    key = now.join();
    const [kind, r, seed] = now;
    scores = randomScores({
      distribution: kind,
      correlation: r,
      seed,
      nQ: N_Q,
      nK: N_K,
      largest: LARGEST,
    });
    for (const [name, factor] of Object.entries(SCALES))
      curves[name].draw(DIMENSIONS.map((d) => summarize(scores.get(d), factor(d)).gradient));
  }

  function draw() {
    sample();
    const [d, name] = [model.get("dimension"), model.get("scale")];
    const found = summarize(scores.get(d), SCALES[name](d));
    const counts = bins.map(() => 0);
    for (const score of found.scores) {
      const bin = Math.min(Math.max(Math.floor(score) + REACH, 0), counts.length - 1);
      counts[bin] += 1 / found.scores.length;
    }
    drawHistogram(counts.map((share) => Math.min(share, 0.45)));
    drawSorted(found.sorted);
    for (const [other, { choose }] of Object.entries(curves)) choose(other === name);
    set(here, { cx: gradients.toX(Math.log2(d)), cy: gradients.toY(found.gradient) });
    dimension.update(Math.log2(d));
    scale.update(name);
    distribution.update(model.get("distribution"));
    correlation.update(model.get("correlation"));
    write(
      worked,
      `d = ${d}: scores have mean ${number(found.mean)} and standard deviation ${number(found.std)}; ` +
        `the largest weight is ${number(found.sorted[0], 3)} on average, ` +
        `that of the query\u2019s own key ${number(found.own, 3)}; ` +
        `the mean size of the Jacobian is ${number(found.gradient, 3)}.`,
    );
    voice.say(worked.textContent);
  }

  const panel = (heading, plot) =>
    h("div", { class: "attn-panel" }, h("p", { class: "attn-panel-title" }, heading), plot.root);
  el.append(
    frameOf(
      model,
      h(
        "div",
        { class: "attn-panels attn-panels--three" },
        panel("Scores spread", histogram),
        panel("Weights sharpen", sorted),
        panel("The Jacobian answers", gradients),
      ),
      worked,
      h(
        "div",
        { class: "attn-controls" },
        dimension.element,
        correlation.element,
        scale.element,
        distribution.element,
        presets(model, TRAITS),
      ),
      voice.element,
    ),
  );
  return follow(model, [...TRAITS, "seed"], draw);
}

export default { render };
