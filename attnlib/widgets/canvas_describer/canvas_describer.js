// A canvas with digits, the words that describe it, and where each word looked.
import stored from "../../networks/trained/describer.json";
import { choice, slider } from "../shared/controls.js";
import { argmax, indices, likeliest } from "../shared/core.js";
import { bound, controlRow, mount, presets, readable, remember, spoken } from "../shared/frame.js";
import { fill, h, set, svg, write } from "../shared/parts.js";
import digits from "../shared/digits.json";
import { networkOf } from "../shared/seldom/transformer.js";
import { describe, see } from "./network.js";
import words from "./words.json";

const TRAITS = [
  "left", "right", "left_column", "right_column", "other_left", "other_right", "source", "first", "step",
]; // prettier-ignore
const [HEIGHT, WIDTH, PATCH, NONE] = [10, 20, 5, -1];
const p = networkOf(stored);
const [END] = p.words;
const LONGEST = p.P_words.length;

// Pixels of a canvas with a digit on the left, on the right, both or none.
function canvasOf(left, right, leftColumn, rightColumn) {
  const pixels = indices(HEIGHT).map(() => new Array(WIDTH).fill(0));
  const at = left === NONE ? rightColumn : Math.max(rightColumn, leftColumn + 8);
  for (const [digit, column] of [[left, leftColumn], [right, at]]) {
    if (digit === NONE) continue;
    [...digits.pictures[digit]].forEach((letter, i) => {
      pixels[1 + Math.floor(i / 8)][column + (i % 8)] += parseInt(letter, 17) / 16;
    });
  }
  return pixels;
}

// A picture of pixels and patches, with a bar for each patch.
function picture() {
  const squares = indices(HEIGHT * WIDTH).map((i) =>
    svg("rect", { x: i % WIDTH, y: Math.floor(i / WIDTH), width: 1.02, height: 1.02, class: "attn-see-ink" }),
  );
  const frames = indices(8).map((j) =>
    svg("rect", { x: PATCH * (j % 4), y: PATCH * Math.floor(j / 4), width: PATCH, height: PATCH, class: "attn-see-patch" }),
  );
  const bars = indices(8).map((j) =>
    svg("rect", { x: PATCH * (j % 4) + 0.2, y: PATCH * Math.floor(j / 4) + 4.2, height: 0.6, width: 0, class: "attn-see-bar" }),
  );
  const title = h("p", { class: "attn-panel-title" });
  const box = svg("svg", { viewBox: `-0.1 -0.1 ${WIDTH + 0.2} ${HEIGHT + 0.2}`, "aria-hidden": "true" }, ...squares, ...frames, ...bars);
  const element = h("div", { class: "attn-see-canvas" }, title, box);
  function draw(pixels, weights, name, unused) {
    write(title, name);
    set(element, { "data-unused": unused ? "" : null });
    squares.forEach((square, i) =>
      set(square, { "fill-opacity": pixels[Math.floor(i / WIDTH)][i % WIDTH].toFixed(3) }),
    );
    bars.forEach((bar, j) => set(bar, { width: (weights ? (PATCH - 0.4) * weights[j] : 0).toFixed(3) }));
  }
  return { element, draw };
}

export function render({ model, el }) {
  const own = picture();
  const other = picture();
  const whole = (name, range, format) =>
    bound(model, name, slider, { label: words[name], range: [...range, 1], format });
  const digit = (x) => (x === NONE ? words.none : String(x));
  const controls = [
    whole("left", [NONE, 9], digit),
    whole("right", [NONE, 9], digit),
    whole("left_column", [0, 4]),
    whole("right_column", [8, 12]),
    whole("other_left", [NONE, 9], digit),
    whole("other_right", [NONE, 9], digit),
    bound(model, "source", choice, { label: words.source, options: Object.entries(words.sources) }),
    bound(model, "first", choice, { label: words.first, options: Object.entries(words.firsts) }),
    whole("step", [1, LONGEST]),
  ];
  const memory = remember((...of) => see(p, canvasOf(...of)));
  const spans = indices(LONGEST).map(() => h("span", { class: "attn-see-word" }));
  const said = h("p", { class: "attn-see-said" }, ...spans);
  const [now, likely] = ["now", "likely"].map((name) => h("p", { class: `attn-see-${name}` }));
  const voice = spoken(words);
  const writeTexts = readable(now, (texts) => {
    write(now, texts.now);
    write(likely, texts.likely);
  });
  const named = (word) => (word === END ? words.end : word);

  function draw() {
    const get = (name) => model.get(name);
    const mine = [get("left"), get("right"), get("left_column"), get("right_column")];
    const theirs = [get("other_left"), get("other_right"), 1, 11];
    const [source, first] = [get("source"), words.firsts[get("first")]];
    const all = describe(
      p,
      memory(...(source === "keys" ? theirs : mine)),
      memory(...(source === "values" ? theirs : mine)),
      first,
    );
    const step = Math.min(get("step"), all.length);
    const { word, weights, chances } = all[step - 1];
    const top = likeliest(chances, 2);
    const most = argmax(weights);
    const [p_first, p_second] = top.map((i) => chances[i]);
    const [likeliestWord, next] = top.map((i) => named(p.words[i]));
    const numbers = { step, weight: weights[most], weights, p_first, p_second };
    const values = { ...numbers, place: words.places[most], word: named(word), first: likeliestWord, second: next };
    const lines = {
      said: all.map((one) => one.word).join(" "),
      now: fill(words.looked, values),
      likely: fill(words.likely, values),
    };
    own.draw(canvasOf(...mine), source === "keys" ? null : weights, words.roles[source].own, false);
    other.draw(canvasOf(...theirs), source === "keys" ? weights : null, words.roles[source].other, source === "own");
    spans.forEach((span, i) => {
      write(span, all[i]?.word ?? "");
      set(span, { "data-chosen": i === step - 1 });
    });
    controls.forEach((control) => control.draw());
    writeTexts(lines);
    voice.say(() => fill(words.announcement, lines), numbers);
  }

  return mount(
    { model, el, draw, voice, traits: TRAITS },
    h("div", { class: "attn-see" }, own.element, other.element),
    said,
    now,
    likely,
    controlRow(controls, presets(model, TRAITS)),
  );
}
