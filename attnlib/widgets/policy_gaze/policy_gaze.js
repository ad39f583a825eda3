// An episode of a pole that a policy balances: choose a moment, lose views, see where it looks.
import stored from "../../networks/trained/control.json";
import { choice } from "../shared/controls.js";
import { argmax, sum } from "../shared/core.js";
import { bound, change, controlRow, mount } from "../shared/frame.js";
import { presets, readable, remember, spoken } from "../shared/frame.js";
import { momentPlot } from "../shared/seldom/moments.js";
import { onWidth } from "../shared/movable.js";
import { disc, fill, h, number, set, svg, write } from "../shared/parts.js";
import { path } from "../shared/plot.js";
import { networkOf } from "../shared/seldom/transformer.js";
import { STEPS, WINDOW, episode } from "./balancing.js";
import words from "./words.json";

const TRAITS = ["lost", "moment"];
const DEGREES = 180 / Math.PI;

// The angles of an episode, and which views of it were lost.
function gazePlot(options) {
  const line = svg("path", { class: "attn-gaze-line" });
  const arrived = svg("path", { class: "attn-gaze-seen" });
  const rings = svg("path", { class: "attn-gaze-lost" });
  const axes = momentPlot(words.picture, {
    height: 210,
    last: STEPS - 1,
    y: [-13, 13],
    most: 1,
    marks: [0.5],
    ink: 14.4,
    under: [line],
    over: [arrived, rings],
    ...options,
  });
  const { root, toX, toY } = axes;
  axes.ticks([0, 20, 40, 60, 80]);
  for (const degrees of [-12, 0, 12]) axes.level(toY(degrees), 4, `${number(degrees, 0)}°`);
  function draw(t, angles, lost, weights) {
    const small = Math.min(2.6, 0.42 * axes.step());
    const points = angles.map((angle, s) => [toX(s), toY(angle)]);
    const round = (isLost, r) =>
      points.map(([x, y], s) => (lost.has(s) === isLost ? disc(x, y, r) : "")).join("");
    const seen = weights.map((w, j) => [t - (WINDOW - 1) + j, w]).filter(([s]) => s >= 0);
    axes.draw(t, seen.map(([s, w]) => [s, w, angles[s]]));
    set(line, { d: path(points) });
    set(arrived, { d: round(false, small) });
    set(rings, { d: round(true, small + 0.6) });
  }
  return { root, resize: axes.resize, draw };
}

export function render({ model, el }) {
  const policy = networkOf(stored);
  const played = remember((...lost) => episode(policy, lost));
  const playedNow = () => played(...model.get("lost"));
  const at = () => Math.min(model.get("moment"), playedNow().looks.length - 1);
  const shown = gazePlot({
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
    shown.draw(t, angles, lost, weights);
    view.draw();
    const most = argmax(weights);
    const numbers = {
      moment: t,
      most: weights[most],
      back: WINDOW - 1 - most,
      on_lost: sum(weights.filter((_, j) => lost.has(t - (WINDOW - 1) + j))),
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
  onWidth(shown.root, (pixels) => {
    shown.resize(pixels);
    draw();
  });
  return mount(
    { model, el, draw, voice, traits: TRAITS },
    shown.root, legend, worked, controlRow([view], presets(model, TRAITS)),
  );
}
