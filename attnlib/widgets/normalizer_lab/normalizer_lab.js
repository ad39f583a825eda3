// Drag scores: four normalisers make weights of them, and the Jacobian of one is shown.
import { choice, powerSlider } from "../shared/controls.js";
import { argmax, clamp, indices, normalizers } from "../shared/core.js";
import { bound, change, controlRow, mount } from "../shared/frame.js";
import { panel, presets, readable, spoken } from "../shared/frame.js";
import { bar, fill, h, number, replaced, set } from "../shared/parts.js";
import { subscript, svg, tick, visible, write } from "../shared/parts.js";
import { picture, plot } from "../shared/plot.js";
import { jacobian } from "./jacobians.js";
import words from "./words.json";

const TRAITS = ["scores", "normalizer", "temperature"];
const NAMES = Object.entries(words.names);
const RANGE = [-4, 6];
const WIDTH = 320;
const LEFT = 32;
const RIGHT = 52;
const STEP = 50;
// The derivative at which a cell of the Jacobian has its full tint.
const FULL = 0.3;

// The scores as bars from 0; each end is dragged along its row.
function scoresPanel(model) {
  const n = model.get("scores").length;
  const bottom = n * STEP - 2;
  const axes = plot("Scores", {
    width: WIDTH,
    height: n * STEP + 24,
    edges: [6, RIGHT, 26, LEFT],
    pad: [6, 6],
    rx: 6,
    x: RANGE,
  });
  const { root, toX } = axes;
  axes.upright(0, "attn-axis");
  axes.ticks([-4, -2, 0, 2, 4, 6], (score) => number(score, 0));
  const cut = svg("line", { class: "attn-cut", y1: 4, y2: bottom + 6 });
  const bars = svg("path", { class: "attn-bars" });
  root.append(bars, cut);
  const rows = model.get("scores").map((_, i) => {
    const y = STEP * (i + 0.5) + 2;
    const shown = tick(WIDTH, y + 5, "end", "");
    root.append(tick(2, y + 5, "start", `s${subscript(i)}`), shown);
    const end = axes.point({
      label: `Score ${i + 1}`,
      step: 0.1,
      at: () => model.get("scores")[i],
      place: (x) => change(model, { scores: replaced(model.get("scores"), i, x) }),
      describe: (x) => number(x),
    });
    return { y, shown, end };
  });

  function draw(scores, threshold) {
    const pieces = rows.map(({ y }, i) => `M${toX(0)} ${y - 5}H${toX(scores[i])}v10H${toX(0)}Z`);
    set(bars, { d: pieces.join("") });
    rows.forEach(({ y, end }, i) => end(toX(scores[i]), y));
    visible(threshold !== null, cut);
    const x = toX(clamp(threshold, ...RANGE));
    set(cut, { x1: x, x2: x });
  }
  const writeNumbers = (scores) => rows.forEach(({ shown }, i) => write(shown, number(scores[i])));
  return { root, draw, writeNumbers };
}

// A row of weights for each normaliser: bars with their numbers above.
function weightsPanel(model) {
  const n = model.get("scores").length;
  const [left, row, tall] = [86, 68, 36];
  const root = picture("Weights by four normalisers", WIDTH, NAMES.length * row + 18);
  const column = (WIDTH - left) / n;
  const middle = (i) => left + column * (i + 0.5);
  const digits = n > 5 ? 2 : 3;
  const rows = NAMES.map(([name, text], at) => {
    const base = row * (at + 1) - 4;
    const bars = svg("path", { class: "attn-lab-bars" });
    const shown = indices(n).map((i) => tick(middle(i), 0, "middle", ""));
    const rule = svg("line", { class: "attn-axis", x1: left, x2: WIDTH, y1: base, y2: base });
    const label = svg("text", { class: "attn-tick attn-row-name", x: 0, y: base - 4 }, text);
    root.append(label, rule, bars, ...shown);
    return { name, base, bars, shown, label };
  });
  for (let i = 0; i < n; i += 1)
    root.append(tick(middle(i), NAMES.length * row + 14, "middle", `w${subscript(i)}`));

  function draw(all, chosen) {
    for (const { name, base, bars, label } of rows) {
      const half = 0.3 * column;
      const pieces = all[name].map((w, i) => bar(middle(i) - half, base, base - tall * w, 2 * half));
      set(bars, { d: pieces.join(""), "data-chosen": name === chosen ? "" : null });
      set(label, { "data-chosen": name === chosen ? "" : null });
    }
  }
  function writeNumbers(all) {
    for (const { name, base, shown } of rows)
      shown.forEach((text, i) => {
        set(text, { y: (base - tall * all[name][i] - 4).toFixed(2) });
        write(text, number(all[name][i], digits));
      });
  }
  return { root, draw, writeNumbers };
}

// The Jacobian: blue where a weight gains, orange where it loses, pale where it hardly moves.
function jacobianPanel(model) {
  const n = model.get("scores").length;
  const [left, top] = [34, 24];
  const size = Math.min(68, (WIDTH - left) / n);
  const start = left + (WIDTH - left - n * size) / 2;
  const root = picture("Jacobian", WIDTH, top + n * size + 2);
  const cells = indices(n).map((i) =>
    indices(n).map((j) => {
      const [x, y] = [start + j * size, top + i * size];
      const box = svg("rect", { class: "attn-jacobian", x: x + 1, y: y + 1, width: size - 2, height: size - 2 });
      const text = svg("text", { class: "attn-tick attn-jacobian-number", x: x + size / 2, y: y + size / 2 + 5, "text-anchor": "middle" });
      root.append(box, text);
      return { box, text };
    }),
  );
  for (let i = 0; i < n; i += 1)
    root.append(
      tick(start - 6, top + (i + 0.5) * size + 5, "end", `w${subscript(i)}`),
      tick(start + (i + 0.5) * size, top - 8, "middle", `s${subscript(i)}`),
    );
  const each = (J, act) => J.forEach((row, i) => row.forEach((x, j) => act(cells[i][j], x)));
  const draw = (J) =>
    each(J, ({ box }, x) =>
      set(box, {
        class: `attn-jacobian attn-${x < 0 ? "key" : "query"}`,
        "fill-opacity": (0.55 * Math.min(Math.abs(x) / FULL, 1)).toFixed(3),
      }),
    );
  // An entry that is 0 is told from one that is only small.
  const digits = n < 5 ? 3 : 2;
  const writeNumbers = (J) =>
    each(J, ({ text }, x) => write(text, x === 0 ? "0" : number(x, digits)));
  return { root, draw, writeNumbers };
}

export function render({ model, el }) {
  const dragged = scoresPanel(model);
  const made = weightsPanel(model);
  const moved = jacobianPanel(model);
  const voice = spoken(words);
  const controls = [
    bound(model, "normalizer", choice, { label: "Jacobian of", options: NAMES }),
    bound(model, "temperature", powerSlider, { label: "Temperature", powers: [-1, 1] }),
  ];
  const titled = (text, { root }) => panel(text, root);
  const slopes = titled("", moved);
  const panels = h(
    "div",
    { class: "attn-panels attn-normalizers" },
    titled(words.scores, dragged),
    titled(words.weights, made),
    slopes,
  );
  const writeNumbers = readable(panels, (scores, all, J) => {
    dragged.writeNumbers(scores);
    made.writeNumbers(all);
    moved.writeNumbers(J);
  });

  function draw() {
    const [scores, chosen, temperature] = TRAITS.map((name) => model.get(name));
    const all = Object.fromEntries(
      NAMES.map(([name]) => [name, normalizers[name](scores, temperature)]),
    );
    const J = jacobian(chosen, scores, temperature);
    const best = argmax(scores);
    const threshold = scores[best] - temperature * all.sparsemax[best];
    dragged.draw(scores, chosen === "sparsemax" ? threshold : null);
    made.draw(all, chosen);
    moved.draw(J);
    writeNumbers(scores, all, J);
    const name = words.names[chosen];
    write(slopes.firstChild, fill(words.jacobian, { name }));
    controls.forEach((control) => control.draw());
    const numbers = { ...all, own: J.map((row, i) => row[i]) };
    voice.say(() => fill(words.announcement, { ...numbers, name }), numbers);
  }

  return mount(
    { model, el, draw, voice, traits: TRAITS },
    panels, controlRow(controls, presets(model, TRAITS)),
  );
}
