// Random queries and keys: what the number of components does to scores, weights and gradient.
import { bars, chart, dots } from "../shared/chart.js";
import { choice, slider } from "../shared/controls.js";
import { clamp, indices } from "../shared/core.js";
import { bound, controlRow, mount, panel } from "../shared/frame.js";
import { presets, readable, remember, spoken } from "../shared/frame.js";
import { fill, h, lines, number } from "../shared/parts.js";
import { correlated, median, randomProducts, slopes, summarize } from "./sampling.js";
import words from "./words.json";

const TRAITS = ["dimension", "scale", "distribution", "correlation"];
const N_Q = 32;
const N_K = 16;
const LARGEST = 512;
const SCALES = { none: () => 1, sqrt: (d) => 1 / Math.sqrt(d), linear: (d) => 1 / d };
const REACH = 40;
const FLATTEST = -4;

const NAMES = Object.keys(SCALES).map((name, i) => [name, words.scales[i]]);

// Scores, sorted weights, and for each scale the size of the derivative: three charts.
function charts() {
  const bins = indices(2 * REACH).map((i) => i - REACH + 0.5);
  const histogram = chart("Histogram of the scores", {
    x: [-REACH, REACH],
    y: [0, 1],
    xTicks: [[-40, "\u221240"], [-20, "\u221220"], [0, "0"], [20, "20"], [40, "40"]],
    yTicks: [],
    xLabel: "score",
  });
  const drawHistogram = bars(histogram, bins, 1);
  const ranks = indices(N_K).map((i) => i + 1);
  const sorted = chart("Mean weights, sorted from the largest", {
    x: [0.4, N_K + 0.6],
    y: [0, 1],
    xTicks: [[1, "1"], [8, "8"], [16, "16"]],
    yTicks: [[0.5, ".5"], [1, "1"]],
    xLabel: "key, by its weight",
  });
  const drawSorted = bars(sorted, ranks, 0.7);
  const derivatives = chart("Size of the weights' derivative by each query, for three scales", {
    x: [0.4, 3.6],
    y: [FLATTEST, 1.2],
    xTicks: NAMES.map(([, text], i) => [i + 1, text]),
    yTicks: [[-3, ".001"], [-2, ".01"], [-1, ".1"], [0, "1"], [1, "10"]],
    xLabel: "scores times",
  });
  const columns = NAMES.map((_, i) => dots(derivatives, i + 1, 0.6, N_Q));

  function draw(scores, weights, slopesBy, chosen) {
    const counts = bins.map(() => 0);
    for (const score of scores) counts[clamp(Math.floor(score) + REACH, 0, counts.length - 1)] += 1;
    const tallest = Math.max(...counts);
    drawHistogram(counts.map((count) => count / tallest));
    drawSorted(weights);
    NAMES.forEach(([name], i) => {
      columns[i].draw(slopesBy[name].map((slope) => Math.max(Math.log10(slope), FLATTEST)));
      columns[i].choose(name === chosen);
    });
  }
  return { roots: [histogram, sorted, derivatives].map(({ root }) => root), draw };
}

// What takes long is computed once: the products for a seed, the rest for what it hangs on.
function sampled() {
  const products = remember((kind, seed) =>
    randomProducts({ distribution: kind, seed, nQ: N_Q, nK: N_K, largest: LARGEST }),
  );
  const scoresOf = (d, kind, seed, r) => correlated(products(kind, seed).get(d), r);
  const slopesOf = remember((d, kind, seed, r) => {
    const { squared } = products(kind, seed).get(d);
    const scores = scoresOf(d, kind, seed, r);
    const of = ([name, factor]) => [name, slopes(scores, squared, factor(d))];
    return Object.fromEntries(Object.entries(SCALES).map(of));
  });

  const summaryOf = remember((name, d, ...settings) =>
    summarize(scoresOf(d, ...settings), SCALES[name](d)),
  );
  return { slopesOf, summaryOf };
}

export function render({ model, el }) {
  const shown = charts();
  const { slopesOf, summaryOf } = sampled();
  const controls = [
    bound(model, "dimension", slider, {
      label: "Components d",
      range: [0, 9, 1],
      format: (power) => String(2 ** power),
      read: Math.log2,
      write: (power) => 2 ** power,
    }),
    bound(model, "correlation", slider, {
      label: "Query like its key",
      range: [0, 1, 0.05],
      format: (value) => number(value, 2),
    }),
    bound(model, "scale", choice, { label: "Scores times", options: NAMES }),
    bound(model, "distribution", choice, {
      label: "Components are",
      options: [["normal", "normal"], ["uniform", "uniform"], ["sign", "\u00b11"]],
    }),
  ];
  const notes = words.charts.map(() => lines("attn-panel-note", 2));
  const filled = (numbers) =>
    words.charts.map(([, , ...texts]) => texts.map((text) => fill(text, numbers)));
  const writeNotes = readable(notes[0].element, (numbers) =>
    filled(numbers).forEach((texts, i) => notes[i].write(texts)),
  );
  const voice = spoken(words);

  function draw() {
    const [d, name] = [model.get("dimension"), model.get("scale")];
    const settings = ["distribution", "seed", "correlation"].map((trait) => model.get(trait));
    const summary = summaryOf(name, d, ...settings);
    const byQuery = slopesOf(d, ...settings);
    shown.draw(summary.scores, summary.sorted, byQuery, name);
    controls.forEach((control) => control.draw());
    const { mean, std, own, sorted: weights } = summary;
    const slope = median(byQuery[name]);
    const numbers = { mean, std, own, largest: weights[0], slope };
    writeNotes(numbers);
    const told = (texts, i) => `${words.charts[i][1]}: ${texts.join(", ")}.`;
    voice.say(() => [`d = ${d}.`, ...filled(numbers).map(told)].join(" "), numbers);
  }

  const panels = shown.roots.map((root, i) => panel(words.charts[i][0], root, notes[i].element));
  return mount(
    { model, el, draw, voice, traits: [...TRAITS, "seed"] },
    h("div", { class: "attn-panels attn-panels--three" }, ...panels),
    controlRow(controls, presets(model, TRAITS)),
  );
}
