// Items come one by one; a mask, painted cell by cell, says which of them each query may see.
import { choice, slider } from "../shared/controls.js";
import { bound, change, controlRow, mount, presets, readable, spoken } from "../shared/frame.js";
import { fill, h, number, set, subscript, trimmed, write, written } from "../shared/parts.js";
import { liveTable, percent } from "../shared/table.js";
import { paintable } from "./painting.js";
import { rows } from "./rows.js";
import words from "./words.json";

const TRAITS = ["mask", "step", "way", "stage"];
const WAYS = Object.entries(words.ways);

// The table: queries down, keys across, values below; cells can be painted.
function maskTable(model) {
  const { part, cell, header, row, table, draw } = liveTable("stepper");
  const items = model.get("items");
  const values = model.get("values");
  const each = (make) => items.map((_, i) => make(i));
  const ages = ({ step, way }, i) => (i >= step ? "later" : i === step - 1 || way !== "cache" ? "new" : "kept");
  const queryAges = (state, i) => (i < state.step - 1 && state.way === "cache" ? "past" : ages(state, i));
  // A vector that comes with its item: a query, a key, or a value.
  const chip = (letter, role, i, age, ...item) =>
    part("span", { class: `attn-chip attn-${role}`, "data-age": (state) => age(state, i) }, ...item, h("span", null, letter + subscript(i)));
  const itemOf = (i) => h("span", { class: "attn-chip-item" }, items[i]);
  const lost = ({ rows: { lost: all } }, i) => all.includes(i + 1);
  // Whether the pair has come, and whether a query sees a key that has.
  const come = ({ step }, i, j) => i < step && j < step;
  const weightOf = (state, i, j) => (come(state, i, j) && state.rows.seen[i][j] ? state.rows.weights[i][j] : 0);
  function textOf(state, i, j) {
    const { mask, way, stage, scores, rows } = state;
    if (!come(state, i, j)) return "";
    if (way === "cache" && j > i) return mask[i][j] ? "late" : "";
    if (stage === "scores") return mask[i][j] ? trimmed(scores[i][j]) : "\u2212\u221e";
    if (lost(state, i)) return "\u2013";
    return mask[i][j] ? number(rows.weights[i][j], 2) : "0";
  }
  const boxes = each((i) =>
    each((j) =>
      part("span", {
        role: "checkbox",
        "aria-label": `Query ${i + 1}, key ${j + 1}`,
        "aria-checked": ({ mask }) => String(Boolean(mask[i][j])),
        class: "attn-stepper-box",
        tabindex: i + j ? -1 : 0,
      }),
    ),
  );
  const pair = (i, j) => {
    const attributes = {
      role: "gridcell",
      "data-masked": ({ mask }) => !mask[i][j],
      "data-there": (state) => come(state, i, j) && (state.way === "anew" || j <= i),
      style: (state) => `background-size: ${percent(state.stage === "weights" ? weightOf(state, i, j) : 0)} 0.3rem`,
    };
    return cell("cell", attributes, boxes[i][j], (state) => textOf(state, i, j));
  };
  const outputOf = (state, i) =>
    i >= state.step ? "" : lost(state, i) ? "no key" : number(state.rows.output[i], 2);
  const body = each((i) => {
    const marked = { "data-age": (state) => ages(state, i), "data-lost": (state) => lost(state, i) };
    const mark = part("span", { class: "attn-stepper-mark", text: ({ rows }) => (rows.differ.includes(i + 1) ? "\u2260" : "") });
    return row(
      "query",
      marked,
      cell("name", { role: "rowheader" }, chip("q", "query", i, queryAges, itemOf(i))),
      ...each((j) => pair(i, j)),
      cell("output", { role: "gridcell" }, (state) => outputOf(state, i), mark),
    );
  });
  const spokenName = (text) => h("span", { class: "attn-spoken" }, text);
  const value = (j) => cell("vector", { role: "gridcell" }, chip("v", "value", j, ages), () => trimmed(values[j]));
  const element = table(
    "The mask: which query may attend to which key",
    { role: "grid", style: `--items: ${items.length}` },
    row(
      "head",
      {},
      header("name", spokenName("query")),
      ...each((j) => header("vector", chip("k", "key", j, ages, itemOf(j)))),
      header("output", "y"),
    ),
    ...body,
    row("foot", {}, cell("name", { role: "rowheader" }, spokenName("value")), ...each(value), cell("output", { role: "gridcell" })),
  );
  paintable(element, boxes, {
    get: () => model.get("mask"),
    paint: (mask) => change(model, { mask }),
  });
  return { element, draw };
}

// What a step computes and keeps, with the cache and with all rows.
function countTable() {
  const { cell, header, row, table, draw } = liveTable("counts");
  const ways = (role, make) =>
    WAYS.map(([way], w) => cell("way", { role, "data-chosen": (state) => state.way === way }, make(w)));
  const element = table(
    "What a step computes and keeps",
    {},
    row("head", {}, header("what", "a step computes"), ...ways("columnheader", (w) => WAYS[w][1])),
    ...words.counts.map(([label, name]) =>
      row("count", {}, cell("what", { role: "rowheader" }, label), ...ways("cell", (w) => ({ texts }) => texts[name][w])),
    ),
  );
  return { element, draw };
}

export function render({ model, el }) {
  const table = maskTable(model);
  const counts = countTable();
  const worked = h("p", { class: "attn-stepper-worked" });
  const lost = h("p", { class: "attn-stepper-lost" });
  const differ = h("p", { class: "attn-stepper-differ" });
  const voice = spoken(words);
  const controls = [
    bound(model, "step", slider, {
      label: "Items so far",
      range: [1, model.get("items").length, 1],
    }),
    bound(model, "way", choice, {
      label: "A step computes",
      options: WAYS,
    }),
    bound(model, "stage", choice, {
      label: "Cells show",
      options: ["weights", "scores"].map((stage) => [stage, stage]),
    }),
  ];
  const writeWorked = readable(worked, (numbers, step) => {
    const products = numbers.weights.map((w, j) => `${number(w, 3)}\u00a0v${subscript(j)}`);
    const y = `y${subscript(step - 1)}`;
    const sum = `${y} = ${products.join(" + ")} = ${number(numbers.output, 2)}`;
    write(worked, numbers.lost.includes(step) ? `${y}: no key, so no weights and no output` : sum);
  });

  function draw() {
    const state = Object.fromEntries(
      [...TRAITS, "scores", "values"].map((name) => [name, model.get(name)]),
    );
    const computed = rows(state);
    const last = state.step - 1;
    const numbers = {
      ...computed,
      query: state.step,
      weights: computed.weights[last],
      output: computed.output[last],
    };
    table.draw({ ...state, rows: computed });
    counts.draw({ way: state.way, texts: written(words, numbers) });
    controls.forEach((control) => control.draw());
    writeWorked(numbers, state.step);
    const notes = [
      words[computed.lost.length ? "lost" : "none_lost"],
      words[computed.differ.length ? "differ" : "same"],
    ].map((sentence) => fill(sentence, numbers));
    write(lost, notes[0]);
    write(differ, notes[1]);
    set(lost, { "data-any": computed.lost.length ? "" : null });
    const first = words[computed.lost.includes(state.step) ? "empty" : "row"];
    voice.say(() => [fill(first, numbers), ...notes, fill(words.count, numbers)].join(" "), numbers);
  }

  const meanings = { kept: "kept in the cache", new: "computed in this step" };
  const legend = Object.entries(meanings).map(([age, meaning]) => {
    const chips = ["key", "value"].map((role) =>
      h("span", { class: `attn-chip attn-${role}`, "data-age": age }),
    );
    return h("span", null, ...chips, meaning);
  });
  return mount(
    { model, el, draw, voice, traits: TRAITS },
    h(
      "div",
      { class: "attn-stepper-parts" },
      h("div", null, table.element, h("p", { class: "attn-stepper-legend" }, ...legend)),
      h("div", null, counts.element, lost, differ),
    ),
    worked,
    controlRow(controls, presets(model, TRAITS)),
  );
}
