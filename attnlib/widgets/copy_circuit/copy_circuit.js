// A text that can be typed, and the two heads of an induction circuit that read it.
import { button, choice } from "../shared/controls.js";
import { indices } from "../shared/core.js";
import { bound, change, controlRow, mount, presets, readable, spoken } from "../shared/frame.js";
import { fill, h, number, replaced, uniqueId, write } from "../shared/parts.js";
import { liveTable, percent } from "../shared/table.js";
import { circuit, MOST, notesOf, START } from "./circuit.js";
import words from "./words.json";

const LETTERS = [..."abcd"];
const TRAITS = ["tokens", "place", "off"];
const SLOTS = indices(MOST + 1);

// What changes the text: another letter at the chosen place, one more at the end, one less.
function editing(model) {
  const message = h("p", { class: "attn-message", "aria-live": "assertive" });
  const now = () => {
    const tokens = model.get("tokens");
    return { tokens, asks: Math.min(model.get("place"), tokens.length) };
  };
  const unless = (why, values) => {
    write(message, why);
    if (!why) change(model, values);
  };
  const put = (letter) => {
    const { tokens, asks } = now();
    unless(asks ? "" : words.first, { tokens: replaced(tokens, asks - 1, letter) });
    draw();
  };
  const add = (letter) => {
    const tokens = [...now().tokens, letter];
    unless(tokens.length > MOST ? words.full : "", { tokens, place: tokens.length });
  };
  const remove = () => {
    const tokens = now().tokens.slice(0, -1);
    unless(tokens.length ? "" : words.alone, { tokens, place: tokens.length });
  };
  const here = choice({ label: words.letter, options: LETTERS.map((l) => [l, l]), value: "", onInput: put });
  function draw() {
    const { tokens, asks } = now();
    here.update(asks ? tokens[asks - 1] : "");
  }
  const buttons = LETTERS.map((letter) => button(`Add ${letter}`, () => add(letter)));
  const element = h(
    "div",
    { class: "attn-copy-edit" },
    here.element,
    h("div", { class: "attn-presets" }, ...buttons, button("Remove", remove)),
    message,
  );
  return { element, draw, restore: () => write(message, "") };
}

// A column for each place: its letter, the note of head 1, and what both heads look at.
function placesTable(model) {
  const { part, cell, row, table, draw } = liveTable("copy");
  const group = uniqueId("places");
  const there = ({ tokens }, k) => k <= tokens.length;
  const letter = ({ tokens }, k) => (k ? (tokens[k - 1] ?? "") : START);
  const spokenName = ({ tokens }, k) => `place ${k}, ${k ? tokens[k - 1] : "start"}`;
  const choose = (k) => () => change(model, { place: k });
  const chip = (k) =>
    part(
      "label",
      { class: "attn-choice attn-token" },
      part("input", {
        type: "radio",
        name: group,
        value: k,
        checked: ({ asks }) => asks === k,
        onchange: choose(k),
        "aria-label": (state) => spokenName(state, k),
      }),
      part("span", { text: (state) => letter(state, k) }),
    );
  const line = (kind, make) =>
    row(
      kind,
      {},
      cell("name", { role: "rowheader" }, words.rows[kind]),
      ...SLOTS.map((k) => cell(kind, { hidden: (state) => !there(state, k), "data-asks": ({ asks }) => asks === k, ...make(k) }, ...(kind === "token" ? [chip(k)] : []))),
    );
  const note = (k) => ({ text: ({ notes }) => notes[k] ?? "", "data-fits": ({ notes, asks, tokens }) => asks > 0 && notes[k] === tokens[asks - 1] && k <= asks });
  const bar = (which) => (k) => {
    const weight = ({ looks }) => looks[which][k] ?? 0;
    return {
      style: (state) => `background-size: 100% ${percent(weight(state))}`,
      text: (state) => (weight(state) > 0.005 ? trimmedWeight(weight(state)) : ""),
      "data-full": (state) => weight(state) > 0.6,
    };
  };
  const element = table(
    "The text, and what both heads look at",
    { style: ({ tokens }) => `--places: ${tokens.length + 1}` },
    line("token", () => ({})),
    line("note", note),
    line("first", bar(0)),
    line("second", bar(1)),
  );
  return { element, draw };
}

function trimmedWeight(w) {
  return w > 0.995 ? "1" : number(w, 2).replace(/^0/, "");
}

// What is copied: a bar for the start and each letter.
function copyTable() {
  const { cell, row, table, track, draw } = liveTable("copied");
  const element = table(
    words.copy,
    {},
    ...[START, ...LETTERS].map((letter, k) =>
      row("share", {}, cell("name", { role: "rowheader" }, letter), cell("bar", {}, track(({ copied }) => copied[k])), cell("value", {}, ({ copied }) => number(copied[k], 2))),
    ),
  );
  return { element, draw };
}

export function render({ model, el }) {
  const places = placesTable(model);
  const copies = copyTable();
  const edit = editing(model);
  const asks = h("p", { class: "attn-panel-title" });
  const says = h("p", { class: "attn-copy-says" });
  const voice = spoken(words);
  const off = bound(model, "off", choice, {
    label: "Switched off",
    options: Object.entries(words.off),
  });
  const writeWords = readable(says, (numbers, name, sentence) => {
    write(asks, fill(words.asks, { ...numbers, name }));
    write(says, fill(sentence, { name }));
  });

  function draw() {
    const [tokens, place, switched] = TRAITS.map((name) => model.get(name));
    const { weights, copied } = circuit(tokens, switched, LETTERS);
    const t = Math.min(place, tokens.length);
    const looks = weights.map((head) => head[t]);
    const numbers = { place: t, first: looks[0], second: looks[1], copied: copied[t] };
    const name = t ? tokens[t - 1] : "start";
    places.draw({ tokens, asks: t, looks, notes: notesOf(tokens, switched) });
    copies.draw({ copied: copied[t] });
    off.draw();
    edit.draw();
    const kind = switched === "induction" ? "none" : copied[t][0] > 0.5 ? "start" : "found";
    writeWords(numbers, name, words[kind]);
    voice.say(() => fill(words.announcement, { ...numbers, name }), numbers);
  }

  return mount(
    { model, el, draw, voice, traits: TRAITS },
    places.element,
    edit.element,
    h("div", { class: "attn-copy-answer" }, asks, says, copies.element),
    controlRow([off], presets(model, TRAITS, edit.restore)),
  );
}
