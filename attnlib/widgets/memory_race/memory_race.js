// Pairs of key and value in two memories: a state of fixed size, and a cache that attention reads.
import { choice, slider } from "../shared/controls.js";
import { attend, clamp, dot, indices } from "../shared/core.js";
import { bound, controlRow, mount, panel, presets, readable, spoken } from "../shared/frame.js";
import { onWidth } from "../shared/movable.js";
import { bar, disc, fill, h, number, set, svg, write } from "../shared/parts.js";
import { plot } from "../shared/plot.js";
import stored from "./pairs.json";
import words from "./words.json";

const TRAITS = ["pairs", "size", "kept"];
const signs = (bits) => [...bits].map((bit) => 2 * Number(bit) - 1);
const KEYS = stored.keys.map(signs);
const VALUES = signs(stored.values);
const [MOST, LARGEST, SHARPNESS, BYTES] = [KEYS.length, 32, 4, 4];
const [PITCH, SQUARE, TALLEST] = [5, 4, 2.4];

// What both memories give back for each of the first keys.
function answers(pairs, size, kept) {
  const K = KEYS.slice(0, pairs).map((key) => key.slice(0, size));
  let state = new Array(size).fill(0);
  K.forEach((key, t) => {
    state = state.map((x, c) => kept * x + VALUES[t] * key[c]);
  });
  const Q = K.map((key) => key.map((x) => SHARPNESS * x));
  const column = VALUES.slice(0, pairs).map((v) => [v]);
  return {
    state: K.map((key) => dot(key, state) / size),
    cache: attend(Q, K, column).output.map(([y]) => y),
  };
}

// A bar for each pair, beside its stored value, and under it a square for each number kept.
function memory(name, most) {
  const right = svg("path", { class: "attn-memory-right" });
  const wrong = svg("path", { class: "attn-memory-wrong" });
  const truth = svg("path", { class: "attn-memory-stored" });
  const axes = plot(words[`${name}_picture`], {
    kind: "attn-memory",
    role: "img",
    height: 118,
    edges: [4, 6, 4, 26],
    x: [-0.6, MOST - 0.4],
    y: [-TALLEST - 0.1, TALLEST + 0.1],
  });
  axes.levels(3)([[1, "1"], [0, "0"], [-1, number(-1, 0)]]);
  axes.root.append(right, wrong, truth);
  const squares = svg("path", { class: "attn-memory-squares" });
  const held = svg("svg", { role: "img", "aria-label": words.number }, squares);
  const note = h("p", { class: "attn-memory-note" });
  const element = h("div", { class: "attn-memory-panel" }, panel(words[name], h("div", null, axes.root, note, held)));
  let columns = 1;
  function resize(pixels) {
    axes.resize(pixels);
    columns = Math.floor(pixels / PITCH);
    set(held, { viewBox: `0 0 ${pixels} ${PITCH * Math.ceil(most / columns) + 1}` });
  }
  function draw(given, count) {
    const width = 0.62 * (axes.toX(1) - axes.toX(0));
    const base = axes.toY(0).toFixed(2);
    const bars = (wanted) =>
      given
        .map((y, i) => {
          const top = axes.toY(clamp(y, -TALLEST, TALLEST));
          return y * VALUES[i] > 0 === wanted ? bar(axes.toX(i) - width / 2, base, top, width) : "";
        })
        .join("");
    set(right, { d: bars(true) });
    set(wrong, { d: bars(false) });
    const round = Math.min(3.4, 0.42 * width + 0.6);
    set(truth, { d: given.map((_, i) => disc(axes.toX(i), axes.toY(VALUES[i]), round)).join("") });
    const place = (k) => `M${PITCH * (k % columns)} ${PITCH * Math.floor(k / columns)}`;
    set(squares, { d: indices(count).map((k) => `${place(k)}h${SQUARE}v${SQUARE}h-${SQUARE}Z`).join("") });
  }
  return { element, root: axes.root, note, resize, draw };
}

function legend() {
  const entry = (kind, mark, text) => h("span", { class: `attn-memory-${kind}` }, `${mark} ${text}`);
  return h(
    "p",
    { class: "attn-memory-legend" },
    entry("value", "\u25cf", words.stored),
    entry("ink", "\u25ae", words.right),
    entry("ink", "\u25af", words.wrong),
    entry("ink", "\u25aa", words.number),
  );
}

export function render({ model, el }) {
  const panels = { state: memory("state", LARGEST), cache: memory("cache", MOST * (LARGEST + 1)) };
  const { state, cache } = panels;
  const voice = spoken(words);
  const controls = [
    bound(model, "pairs", slider, { label: words.pairs, range: [1, MOST, 1] }),
    bound(model, "kept", slider, {
      label: words.kept,
      range: [0.7, 1, 0.01],
      format: (kept) => number(kept, 2),
    }),
    bound(model, "size", choice, {
      label: words.size,
      options: [8, 16, 32].map((size) => [size, String(size)]),
    }),
  ];
  const tell = readable(state.note, (numbers) => {
    write(state.note, fill(words.state_note, numbers));
    write(cache.note, fill(words.cache_note, numbers));
    voice.say(() => fill(words.announcement, numbers), numbers);
  });

  function draw() {
    const [pairs, size, kept] = TRAITS.map((name) => model.get(name));
    const given = answers(pairs, size, kept);
    const right = (ys) => ys.filter((y, i) => y * VALUES[i] > 0).length;
    const count = pairs * (size + 1);
    state.draw(given.state, size);
    cache.draw(given.cache, count);
    for (const control of controls) control.draw();
    tell({
      pairs,
      size,
      state_right: right(given.state),
      cache_right: right(given.cache),
      state_bytes: BYTES * size,
      cache_numbers: count,
      cache_bytes: BYTES * count,
    });
  }

  for (const { root, resize } of [state, cache])
    onWidth(root, (pixels) => {
      resize(pixels);
      draw();
    });
  return mount(
    { model, el, draw, voice, traits: TRAITS },
    state.element,
    cache.element,
    legend(),
    controlRow(controls, presets(model, TRAITS)),
  );
}
