// Keys arrive in blocks; what was summed so far is corrected to the largest score so far.
import { choice, slider } from "../shared/controls.js";
import { bound, change, controlRow, mount, presets, readable, spoken } from "../shared/frame.js";
import { fill, h, lines, set, write } from "../shared/parts.js";
import { keyTable } from "./keys.js";
import { stepped } from "./steps.js";
import words from "./words.json";
import { workedLines } from "./worked.js";

const TRAITS = ["scores", "values", "masked", "block", "order", "step", "corrected"];
const [LIMIT, LARGEST] = [6, 20];

// What happened in this step, and what follows from it, in sentences.
function sentences(now, numbers, corrected) {
  const { came, blocks, maximum, before, total, answer } = now;
  const sentence = (name) => fill(words[name], numbers);
  const note = () => {
    if (!came) return "none";
    if (maximum === -Infinity) return "empty";
    if (before.maximum === -Infinity) return "first";
    return maximum === before.maximum ? "smaller" : corrected ? "larger" : "left";
  };
  const result = () => {
    if (!total) return Number.isNaN(answer) ? "never" : "nothing";
    if (Math.abs(numbers.so_far - numbers.right) > 5e-4) return "wrong";
    return came === blocks ? "whole" : "part";
  };
  const all = Number.isNaN(answer) ? "" : sentence("answer");
  return { note: sentence(note()), result: sentence(result()), all };
}

export function render({ model, el }) {
  const at = (trait) => model.get(trait);
  const n = at("scores").length;
  let counted = 1;
  const table = keyTable({
    limit: LIMIT,
    largest: LARGEST,
    at,
    place: (trait, value) => change(model, { [trait]: value }),
    redraw: () => draw(),
  });
  const worked = lines("attn-online-worked", 4);
  const [note, result, all] = ["note", "result", "all"].map((kind) =>
    h("p", { class: `attn-online-sentence attn-online-sentence--${kind}` }),
  );
  const stepControl = bound(model, "step", slider, {
    label: "Blocks so far",
    range: [0, n, 1],
    read: (step) => Math.min(step, counted),
    format: (step) => `${step} of ${counted}`,
  });
  const range = stepControl.element.querySelector("input");
  const controls = [
    stepControl,
    bound(model, "block", slider, {
      label: "Keys in a block",
      range: [1, n, 1],
      read: (block) => Math.min(block, n),
    }),
    bound(model, "order", choice, {
      label: "Keys come",
      options: Object.entries(words.orders),
    }),
    bound(model, "corrected", choice, {
      label: "Earlier sums are",
      options: Object.entries(words.corrections),
      read: String,
      write: (name) => name === "true",
    }),
  ];
  const voice = spoken(words);
  const writeTexts = readable(worked.element, (texts, told) => {
    worked.write(texts);
    write(note, told.note);
    write(result, told.result);
    write(all, told.all);
  });

  function draw() {
    const state = Object.fromEntries(TRAITS.map((name) => [name, at(name)]));
    const now = stepped(state);
    const finite = (x) => (x === -Infinity ? NaN : x);
    const numbers = {
      ...now,
      maximum: finite(now.maximum),
      before: finite(now.before.maximum),
    };
    counted = now.blocks;
    table.draw(now, state);
    set(range, { max: counted });
    controls.forEach((control) => control.draw());
    const told = sentences(now, numbers, state.corrected);
    writeTexts(workedLines(now, state), told);
    voice.say(() => fill(words.announcement, { ...numbers, ...told }).trim(), numbers);
  }

  return mount(
    { model, el, draw, voice, traits: TRAITS },
    table.element,
    table.message,
    worked.element,
    note,
    h("div", { class: "attn-online-results" }, result, all),
    controlRow(controls, presets(model, TRAITS, table.restore)),
  );
}
