// A digit in patches: what the model answers, where it looks, what covering a patch does.
import stored from "../../networks/trained/vision.json";
import { button, choice } from "../shared/controls.js";
import { argmax, indices } from "../shared/core.js";
import { bound, change, controlRow, mount, panel } from "../shared/frame.js";
import { presets, readable, remember, spoken } from "../shared/frame.js";
import digits from "../shared/digits.json";
import { fill, h, hide, number, set, uniqueId, write } from "../shared/parts.js";
import { liveTable, percent } from "../shared/table.js";
import { networkOf, patches } from "../shared/seldom/transformer.js";
import { drawable, stroke } from "./drawing.js";
import { classify, coveredWith, effects } from "./network.js";
import words from "./words.json";

const TRAITS = ["digit", "covered", "drawn", "press"];
const [EIGHT, PATCHES, DIGITS] = [8, 16, 10].map(indices);
const PICTURES = DIGITS.map((k) =>
  Array.from(digits.others[k] ?? digits.pictures[k], (letter) => parseInt(letter, 17)),
);
const EMPTY = new Array(64).fill(0);

// What is to be drawn on and covered: ink from 0 to 16.
function pixelsOf(model) {
  const drawn = model.get("drawn");
  return drawn?.length ? drawn : PICTURES[model.get("digit")];
}

// Buttons over the pixels, there while a press draws or erases.
function paper(model) {
  const pixel = (i, j) =>
    h("span", { role: "button", class: "attn-patch-pixel", tabindex: i + j ? -1 : 0 });
  const cells = EIGHT.map((i) => EIGHT.map((j) => pixel(i, j)));
  const element = h("div", { class: "attn-patch-paper", role: "group", "aria-label": words.paper }, ...cells.flat());
  drawable(element, cells, (from, to) =>
    change(model, { drawn: stroke(pixelsOf(model), from, to, model.get("press") === "erase") }),
  );
  function draw({ pixels, press }) {
    hide(element, press === "cover");
    const name = (i, j) => fill(words.pixel, { row: i + 1, column: j + 1, ink: pixels[8 * i + j] });
    cells.forEach((row, i) => row.forEach((cell, j) => set(cell, { "aria-label": name(i, j) })));
  }
  return { element, draw };
}

// The picture: four pixels a patch, and a radio button over each; or a button over each pixel.
function picture(model) {
  const { part, draw } = liveTable("patch");
  const group = uniqueId("patches");
  const title = part("span", { text: ({ press }) => words.pictures[press] });
  const sheet = paper(model);
  const pixel = (k, c) =>
    part("span", { style: ({ rows }) => `--ink-share: ${percent(rows[k][c])}` });
  const element = h(
    "div",
    { class: "attn-patch-grid", role: "group", "aria-label": words.picture },
    ...PATCHES.map((k) =>
      part(
        "label",
        { class: "attn-patch-cell attn-patch-pixels", "data-covered": ({ covered }) => covered === k + 1 },
        ...[0, 1, 2, 3].map((c) => pixel(k, c)),
        part("input", {
          type: "radio",
          name: group,
          value: k + 1,
          checked: ({ covered }) => covered === k + 1,
          hidden: ({ press }) => press !== "cover",
          onchange: () => change(model, { covered: k + 1 }),
          "aria-label": `cover patch ${k + 1}`,
        }),
      ),
    ),
    sheet.element,
  );
  const drawAll = (state) => [draw, sheet.draw].forEach((one) => one(state));
  return { element: panel(title, element), draw: drawAll };
}

// An amount of ink for each patch; what is below 0 has another colour.
function amounts(name, of, most) {
  const { part, draw } = liveTable("amount");
  const style = (state, k) => {
    const value = of(state)[k];
    const tone = value < 0 ? "var(--key)" : "var(--ink)";
    return `--tone: ${tone}; --share: ${percent(Math.min(Math.abs(value) / most, 1))}`;
  };
  const element = h(
    "div",
    { class: `attn-patch-grid attn-patch-${name}`, role: "group", "aria-label": words[name] },
    ...PATCHES.map((k) =>
      part("span", {
        class: "attn-patch-cell attn-patch-amount",
        role: "img",
        "aria-label": (state) => `patch ${k + 1}: ${number(of(state)[k], 3)}`,
        "data-covered": ({ covered }) => covered === k + 1,
        style: (state) => style(state, k),
      }),
    ),
  );
  return { element, draw };
}

function chanceTable() {
  const { cell, row, table, track, draw } = liveTable("chance");
  const line = (k) =>
    row(
      "digit",
      {},
      cell("name", { role: "rowheader" }, String(k)),
      cell("bar", {}, track(({ chances }) => chances[k])),
      cell("value", {}, ({ chances }) => number(chances[k], 2)),
    );
  return { element: table(words.chances, {}, ...DIGITS.map(line)), draw };
}

export function render({ model, el }) {
  const p = networkOf(stored);
  const rowsOf = (pixels) =>
    patches(EIGHT.map((i) => pixels.slice(8 * i, 8 * i + 8).map((ink) => ink / 16)), 2);
  const effectsOf = remember((...pixels) => effects(p, rowsOf(pixels), digits.mean));
  const run = remember((covered, ...pixels) =>
    classify(p, coveredWith(rowsOf(pixels), digits.mean, covered)),
  );
  const shown = picture(model);
  const seenGrid = amounts("seen", ({ seen }) => seen, 0.45);
  const effectGrid = amounts("effects", ({ dropped }) => dropped, 12);
  const chances = chanceTable();
  const says = h("p", { class: "attn-patch-says" });
  const voice = spoken(words);
  const byDigit = choice({
    label: words.digit,
    options: DIGITS.map((k) => [k, String(k)]),
    onInput: (digit) => change(model, { digit, drawn: [] }),
  });
  const begin = button(words.begin, () => change(model, { covered: 0, drawn: EMPTY, press: "draw" }));
  const press = bound(model, "press", choice, {
    label: words.press,
    options: Object.entries(words.presses),
    read: (way) => way ?? "cover",
  });
  const uncover = button(words.none, () => change(model, { covered: 0 }));
  const writeWords = readable(says, (sentence) => write(says, sentence));

  // A named state is that of a stored digit which is covered, unless it says otherwise.
  const restore = () => change(model, { drawn: [], press: "cover" });

  function draw() {
    const [digit, covered, drawn = [], way = "cover"] = TRAITS.map((name) => model.get(name));
    const pixels = pixelsOf(model);
    const now = run(covered, ...pixels);
    const dropped = effectsOf(...pixels);
    const answer = argmax(now.chances);
    const { logits } = run(0, ...pixels);
    const [first, second] = [...logits].sort((a, b) => b - a);
    const numbers = {
      lead: first - second,
      answer,
      p: now.chances[answer],
      patch: covered,
      seen: covered ? now.seen[covered - 1] : NaN,
      effect: covered ? dropped[covered - 1] : NaN,
    };
    const rows = coveredWith(rowsOf(pixels), digits.mean, covered);
    const state = { rows, pixels, press: way, covered, seen: now.seen, dropped, chances: now.chances };
    for (const one of [shown, seenGrid, effectGrid, chances]) one.draw(state);
    byDigit.update(drawn.length ? null : digit);
    press.draw();
    const kind = !drawn.length ? "stored" : drawn.some((ink) => ink) ? "drawn" : "empty";
    const sentence = fill(words[kind][covered ? "covered" : "whole"], numbers);
    writeWords(sentence);
    voice.say(() => sentence, numbers);
  }

  return mount(
    { model, el, draw, voice, traits: TRAITS },
    h("div", { class: "attn-patch-digits" }, byDigit.element, begin),
    h(
      "div",
      { class: "attn-patches" },
      shown.element,
      panel(words.seen, seenGrid.element),
      panel(words.effects, effectGrid.element),
    ),
    says,
    chances.element,
    controlRow([press, { element: uncover }], presets(model, TRAITS, restore)),
  );
}
