// Follow one item through a block: what each part brings, and what reaches it from the others.
import { choice, complaints, numberField } from "../shared/controls.js";
import { indices } from "../shared/core.js";
import { bound, change, controlRow, follow } from "../shared/frame.js";
import { mount, presets, readable, spoken } from "../shared/frame.js";
import { fill, h, lines, replaced, set, trimmed, write } from "../shared/parts.js";
import block from "./block.json";
import { panels, titleOf } from "./panels.js";
import { reachOf, run } from "./path.js";
import words from "./words.json";
import { workedLines } from "./worked.js";

const SETTINGS = ["norm", "mask", "attention", "network", "residual"];
const TRAITS = ["X", "item", "station", "first", "changed", ...SETTINGS];

// A choice whose options say more to those who do not see what it is about.
function named(control, prefix) {
  for (const input of control.element.querySelectorAll("input"))
    set(input, { "aria-label": `${prefix} ${input.value}` });
  return control;
}

function itemChoice(model, trait, label, prefix, items) {
  const options = indices(items).map((i) => [String(i + 1), String(i + 1)]);
  return named(bound(model, trait, choice, { label, options, read: String, write: Number }), prefix);
}

// The same with the numbers of each item beside it, where there is room.
function withNumbers(model, control) {
  const texts = [...control.element.querySelectorAll("label > span")].map((option) => {
    const text = h("i", { class: "attn-path-numbers" });
    option.append(text);
    return text;
  });
  const draw = () => {
    control.draw();
    texts.forEach((text, i) => write(text, `[${model.get("X")[i].map((x) => trimmed(x)).join(", ")}]`));
  };
  return { ...control, draw };
}

// Parts that can be switched off, one by one.
function switches(model) {
  const boxes = Object.entries(words.parts).map(([trait, label]) => {
    const onchange = () => change(model, { [trait]: input.checked });
    const input = h("input", { type: "checkbox", onchange });
    return { trait, input, element: h("label", { class: "attn-choice" }, input, h("span", null, label)) };
  });
  const element = h(
    "fieldset",
    { class: "attn-choices" },
    h("legend", null, "On"),
    ...boxes.map((box) => box.element),
  );
  const draw = () => {
    for (const { trait, input } of boxes) input.checked = model.get(trait);
  };
  return { element, draw };
}

// The numbers of one item, each on a slider and in a field.
function editor(model, width) {
  const { element: message, reporter } = complaints();
  const at = (k) => model.get("X")[model.get("changed") - 1][k];
  const place = (k, x) => {
    const [X, i] = [model.get("X"), model.get("changed") - 1];
    change(model, { X: replaced(X, i, replaced(X[i], k, x)) });
  };
  const rows = indices(width).map((k) => {
    const label = `number ${k + 1}`;
    const range = { min: -block.limit, max: block.limit };
    const oninput = () => place(k, Number(slide.value));
    const slide = h("input", { type: "range", ...range, step: 0.1, "aria-label": label, oninput });
    const onCommit = (x) => place(k, x);
    const field = numberField({ label, ...range, value: at(k), onCommit, report: reporter(label) });
    const element = h("div", { class: "attn-path-set" }, h("span", null, String(k + 1)), slide, field.element);
    return { slide, field, element };
  });
  const draw = () =>
    rows.forEach(({ slide, field }, k) => {
      slide.value = at(k);
      set(slide, { "aria-valuetext": trimmed(at(k)) });
      field.update(at(k));
    });
  const restore = () => rows.forEach(({ field }) => field.restore());
  const sets = h("div", { class: "attn-path-sets" }, ...rows.map((row) => row.element));
  return { element: h("div", { class: "attn-path-editor" }, sets, message), draw, restore };
}

export function render({ model, el }) {
  const [items, width] = [model.get("X").length, model.get("X")[0].length];
  const shown = panels({
    items,
    width,
    hidden: block.b_1.length,
    choose: (station) => change(model, { station }),
  });
  const what = h("p", { class: "attn-panel-title" });
  const worked = lines("attn-path-worked", 3);
  const legend = h("p", { class: "attn-path-legend" });
  const voice = spoken(words);
  const follows = itemChoice(model, "item", "Follow item", "follow item", items);
  const changes = withNumbers(model, itemChoice(model, "changed", "Change item", "change item", items));
  const numbersOf = editor(model, width);
  const places = ["none", "before", "after"].map((name) => [name, name]);
  const masks = ["none", "causal"].map((name) => [name, name]);
  const controls = [
    follows,
    named(bound(model, "norm", choice, { label: "Norm", options: places }), "norm"),
    switches(model),
    named(bound(model, "mask", choice, { label: "Mask", options: masks }), "mask"),
    changes,
    numbersOf,
  ];
  const writeTexts = readable(shown.element, (numbers, title, texts, scale) => {
    write(what, title);
    worked.write(texts);
    write(legend, fill(words.legend, { scale: trimmed(scale, 1) }));
    shown.element.setAttribute("aria-label", fill(words.path, numbers));
  });

  function draw() {
    const [X, item, station, first] = TRAITS.map((name) => model.get(name));
    const settings = Object.fromEntries(SETTINGS.map((name) => [name, model.get(name)]));
    const i = item - 1;
    const ran = run(X, settings);
    const before = run(first, settings).stations;
    const path = Object.fromEntries(Object.entries(ran.stations).map(([name, rows]) => [name, rows[i]]));
    const moved = Object.fromEntries(
      Object.entries(path).map(([name, row]) => [
        name,
        row.map((x, k) => Math.abs(x - before[name][i][k]) > 1e-9),
      ]),
    );
    const reach = reachOf(i, settings, items);
    const scale = shown.draw({ path, moved, reach, settings, station });
    controls.forEach((control) => control.draw());
    const numbers = {
      item,
      x: path.x,
      n_1: path.reads1,
      weights: path.weights,
      brought: path.adds1,
      a: path.a,
      n_2: path.reads2,
      hidden: path.hidden,
      written: path.adds2,
      y: path.y,
    };
    const heading = fill(titleOf(station, settings.norm, "headings"), { item });
    writeTexts(numbers, heading, workedLines(station, i, ran, settings), scale);
    const last = reach[settings.norm === "after" ? "norm2" : "sum2"];
    const reached = last.length ? `item${last.length > 1 ? "s" : ""} ${last.join(", ")}` : "no item";
    voice.say(() => fill(words.announcement, { ...numbers, reached }), numbers);
  }

  return mount(
    { model, el, draw, voice, traits: TRAITS },
    shown.element,
    legend,
    h("div", { class: "attn-path-how" }, what, worked.element),
    controlRow(controls, presets(model, TRAITS, numbersOf.restore)),
  );
}
