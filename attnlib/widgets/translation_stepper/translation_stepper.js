// A number in English words, its translation word by word, and where the decoder looked.
import additive from "../../networks/trained/additive.json";
import location from "../../networks/trained/location.json";
import none from "../../networks/trained/none.json";
import { choice, complaints, numberField, slider } from "../shared/controls.js";
import { argmax, indices, likeliest } from "../shared/core.js";
import { bound, change, controlRow, mount, panel } from "../shared/frame.js";
import { presets, readable, remember, spoken } from "../shared/frame.js";
import { fill, h, set, write } from "../shared/parts.js";
import { liveTable, percent } from "../shared/table.js";
import { networkOf } from "../shared/seldom/transformer.js";
import { translate } from "./network.js";
import { LONGEST, englishWords, frenchWords } from "./number_words.js";
import words from "./words.json";

const TRAITS = ["number", "kind", "step"];
const [COLUMNS, ROWS] = [11, LONGEST].map(indices);
const STORED = { additive, location, none };
const FRENCH = none.settings.target_words;
const [END] = FRENCH;
const named = (word) => (word === END ? words.end : `“${word}”`);

// French words down, English words across; the chosen row is marked.
function alignment(choose) {
  const { part, cell, header, row, table, draw } = liveTable("align");
  const there = ({ steps, english }, i, j) => i < steps.length && j < english.length;
  const weight = ({ steps }, i, j) => steps[i]?.weights[j] ?? 0;
  const square = (i, j) =>
    cell("cell", {
      "data-there": (state) => there(state, i, j),
      "aria-label": (state) => (there(state, i, j) ? weight(state, i, j).toFixed(2) : null),
      style: (state) => `--weight: ${percent(weight(state, i, j))}`,
    });
  const element = table(
    words.matrix,
    {},
    row(
      "head",
      {},
      header("word", h("span", { class: "attn-spoken" }, "French")),
      ...COLUMNS.map((j) => header("across", part("span", { text: ({ english }) => english[j] ?? "" }))),
    ),
    ...ROWS.map((i) =>
      row(
        "french",
        {
          "data-chosen": ({ step }) => i === step - 1,
          "data-wrong": ({ wrong }) => Boolean(wrong) && i === wrong - 1,
          onclick: () => choose(i + 1),
        },
        cell("word", { role: "rowheader" }, ({ steps }) => steps[i]?.word ?? ""),
        ...COLUMNS.map((j) => square(i, j)),
      ),
    ),
  );
  return { element, draw };
}

export function render({ model, el }) {
  const network = remember((kind) => networkOf(STORED[kind]));
  const translated = remember((kind, n) => translate(network(kind), englishWords(n)));
  const { element: message, reporter } = complaints();
  const table = alignment((step) => change(model, { step: Math.min(step, stepsNow().length) }));
  const stepsNow = () => translated(model.get("kind"), model.get("number"));
  const field = numberField({
    label: words.number,
    min: 0,
    max: 999999,
    digits: 0,
    value: model.get("number"),
    report: reporter("number"),
    onCommit: (n) => change(model, { number: Math.round(n) }),
  });
  const kinds = bound(model, "kind", choice, { label: words.kind, options: Object.entries(words.kinds) });
  const steps = bound(model, "step", slider, { label: words.step, range: [1, LONGEST, 1] });
  const [english, verdict, now, likely] = ["english", "verdict", "now", "likely"].map((name) =>
    h("p", { class: `attn-align-${name}` }),
  );
  const voice = spoken(words);
  const writeTexts = readable(now, (texts) => {
    for (const [place, text] of [[english, texts.english], [verdict, texts.verdict], [now, texts.now], [likely, texts.likely]])
      write(place, text);
  });

  function draw() {
    const [n, kind] = [model.get("number"), model.get("kind")];
    const source = englishWords(n);
    const all = translated(kind, n);
    const step = Math.min(model.get("step"), all.length);
    const wanted = [...frenchWords(n), END];
    const wrong = wanted.findIndex((word, i) => word !== all[i]?.word) + 1;
    const { word, weights, chances } = all[step - 1];
    const top = likeliest(chances, 3);
    const [p_first, p_second, p_third] = top.map((i) => chances[i]);
    const [first, second, third] = top.map((i) => FRENCH[i]);
    const most = argmax(weights);
    const weight = weights.length ? weights[most] : NaN;
    const numbers = { step, wrong, weight, weights, p_first, p_second, p_third };
    const texts = {
      before: step > 1 ? named(all[step - 2].word) : words.start,
      at: weights.length ? named(source[most]) : "",
      word: named(word),
      wanted: `${wanted.slice(0, -1).join(" ")}.`,
      first,
      second,
      third,
    };
    const said = { ...numbers, ...texts };
    const lines = {
      english: source.join(" "),
      french: all.map((one) => one.word).join(" "),
      verdict: fill(wrong ? words.wrong : words.right, said),
      now: fill(weights.length ? words.looked : words.blind, said),
      likely: fill(words.likely, said),
    };
    table.draw({ steps: all, english: source, step, wrong });
    field.update(n);
    kinds.draw();
    steps.draw();
    set(verdict, { "data-wrong": wrong ? "" : null });
    writeTexts(lines);
    voice.say(() => fill(words.announcement, lines), numbers);
  }

  return mount(
    { model, el, draw, voice, traits: TRAITS },
    h("div", { class: "attn-align-ask" }, h("label", null, `${words.number} `, field.element), english),
    message,
    panel(words.matrix, table.element),
    verdict,
    now,
    likely,
    controlRow([kinds, steps], presets(model, TRAITS, () => field.restore())),
  );
}
