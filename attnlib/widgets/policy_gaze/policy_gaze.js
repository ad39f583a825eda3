// An episode of a pole that a policy balances: choose a moment, lose views, see where it looks.
import stored from "../../networks/trained/control.json";
import { choice } from "../shared/controls.js";
import { argmax } from "../shared/core.js";
import { bound, change, controlRow, follow, frameOf } from "../shared/frame.js";
import { presets, readable, remember, spoken } from "../shared/frame.js";
import { onWidth } from "../shared/movable.js";
import { bar, disc, fill, h, number, set, svg, tick, write } from "../shared/parts.js";
import { path, plot } from "../shared/plot.js";
import { networkOf } from "../shared/transformer.js";
import { STEPS, WINDOW, episode } from "./balancing.js";
import words from "./words.json";

const TRAITS = ["lost", "moment"];
// The picture is as wide as its place, in pixels; below the angles is a strip for the weights.
const [HEIGHT, STRIP, PAD] = [210, 96, 16];
const DEGREES = 180 / Math.PI;

export function render({ model, el }) {
  const policy = networkOf(stored);
  const played = remember((...lost) => episode(policy, lost));
  const axes = plot(words.picture, {
    kind: "attn-plane attn-gaze",
    height: HEIGHT + STRIP + 58,
    edges: [8, PAD, STRIP + 66, PAD],
    pad: [PAD, 8],
    rx: 6,
    x: [0, STEPS - 1],
    y: [-13, 13],
  });
  const { root, toX, toY } = axes;
  const base = HEIGHT + STRIP + 4;
  const heightOf = (weight) => weight * (STRIP - 18);
  const marker = svg("line", { class: "attn-gaze-moment attn-query", y1: 6, y2: base });
  const line = svg("path", { class: "attn-gaze-line" });
  const inks = svg("path", { class: "attn-disc" });
  const arrived = svg("path", { class: "attn-gaze-seen" });
  const rings = svg("path", { class: "attn-gaze-lost" });
  const bars = svg("path", { class: "attn-stem" });
  const stripLabel = tick(PAD, HEIGHT + 10, "start", "");
  axes.rule(base, "attn-axis");
  axes.ticks([0, 20, 40, 60, 80], String, base + 34);
  for (const degrees of [-12, 0, 12]) axes.level(toY(degrees), 4, `${number(degrees, 0)}°`);
  axes.level(base - heightOf(0.5), 3, number(0.5, 1));
  root.append(line, inks, arrived, rings, bars, stripLabel);
  const playedNow = () => played(...model.get("lost"));
  const at = () => Math.min(model.get("moment"), playedNow().looks.length - 1);
  const moment = axes.point({
    kind: "attn-query",
    within: [marker],
    anywhere: true,
    label: "Moment",
    step: 1,
    at,
    place: (x) => change(model, { moment: Math.round(x) }),
    describe: (t) => `step ${t} of ${STEPS - 1}`,
  });
  const view = bound(model, "lost", choice, {
    label: words.view,
    options: Object.entries(words.options),
    read: (lost) => (lost.includes(at()) ? "lost" : "seen"),
    write: (next) => {
      const others = model.get("lost").filter((t) => t !== at());
      return next === "lost" ? [...others, at()].sort((a, b) => a - b) : others;
    },
  });
  const worked = h("p", { class: "attn-gaze-said" });
  const voice = spoken(words);
  const tell = readable(worked, (numbers, texts) => {
    const sentence = fill(words.announcement, { ...numbers, ...texts });
    write(worked, sentence);
    voice.say(() => sentence, numbers);
  });

  function draw() {
    const lost = new Set(model.get("lost"));
    const { states, looks } = playedNow();
    const t = at();
    const { weights, push } = looks[t];
    const angles = states.map((state) => state[2] * DEGREES);
    const largest = 24 * Math.min(1, (axes.right() + PAD) / 500);
    const broad = Math.min(6, 0.7 * (toX(1) - toX(0)));
    const small = Math.min(2.6, 0.42 * (toX(1) - toX(0)));
    const steps = weights.map((_, j) => t - (WINDOW - 1) + j);
    const real = steps.map((s, j) => [s, weights[j]]).filter(([s]) => s >= 0);
    const all = angles.map((_, s) => s);
    const round = (which, r) => all.filter(which).map((s) => disc(toX(s), toY(angles[s]), r)).join("");
    set(line, { d: path(angles.map((angle, s) => [toX(s), toY(angle)])) });
    set(inks, { d: real.map(([s, w]) => disc(toX(s), toY(angles[s]), largest * Math.sqrt(w) * 0.6)).join("") });
    set(arrived, { d: round((s) => !lost.has(s), small) });
    set(rings, { d: round((s) => lost.has(s), small + 0.6) });
    set(bars, { d: real.map(([s, w]) => bar(toX(s) - broad / 2, base, base - heightOf(w), broad)).join("") });
    set(marker, { x1: toX(t), x2: toX(t) });
    moment(toX(t), base + 8);
    view.draw();
    const most = argmax(weights);
    write(stripLabel, `weights, the largest ${number(weights[most], 2)}`);
    const early = t < STEPS / 2; // the label keeps off the line of the moment
    set(stripLabel, { x: early ? axes.right() : PAD, "text-anchor": early ? "end" : "start" });
    const numbers = {
      moment: t,
      most: weights[most],
      back: WINDOW - 1 - most,
      on_lost: weights.reduce((sum, w, j) => sum + (lost.has(steps[j]) ? w : 0), 0),
      push,
      angle: angles[t],
      length: looks.length,
    };
    const verdict = fill(looks.length === STEPS ? words.up : words.down, numbers);
    tell(numbers, { side: push > 0 ? words.right : words.left, verdict });
  }

  const legend = h(
    "p",
    { class: "attn-gaze-legend" },
    h("span", { class: "attn-value" }, "\u25cf seen"),
    h("span", { class: "attn-key" }, "\u25cb lost"),
    h("span", null, "\u25cf weight"),
  );
  el.append(frameOf(model, root, legend, worked, controlRow([view], presets(model, TRAITS)), voice.element));
  onWidth(root, (pixels) => {
    axes.resize(pixels);
    draw();
  });
  return follow(model, TRAITS, draw);
}
