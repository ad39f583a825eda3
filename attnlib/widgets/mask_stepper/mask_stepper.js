// Items come one by one; a mask, painted cell by cell, says which of them each query may see.
import { choice, slider } from "../shared/controls.js";
import { bound, change, controlRow, follow, frameOf } from "../shared/frame.js";
import { presets, readable, spoken } from "../shared/frame.js";
import { fill, h, number, set, subscript, trimmed, write, written } from "../shared/parts.js";
import { paintable } from "./painting.js";
import { rows } from "./rows.js";
import words from "./words.json";

const TRAITS = ["mask", "step", "way", "stage"];
const WAYS = Object.entries(words.ways);

function cell(role, kind, ...children) {
  return h("span", { role, class: `attn-stepper-${kind}` }, ...children);
}

// A vector that comes with its item: a query, a key, or a value.
function chip(letter, role, i, item) {
  return h(
    "span",
    { class: `attn-chip attn-${role}` },
    item === undefined ? null : h("span", { class: "attn-chip-item" }, item),
    h("span", null, letter + subscript(i)),
  );
}

// The table: queries down, keys across, values below; cells can be painted.
function maskTable(model) {
  const items = model.get("items");
  const values = model.get("values");
  const each = (make) => items.map((_, i) => make(i));
  const queries = each((i) => chip("q", "query", i, items[i]));
  const keys = each((j) => chip("k", "key", j, items[j]));
  const feet = each((j) => chip("v", "value", j));
  const outputs = each(() => h("span", { class: "attn-number" }));
  const marks = each(() => h("span", { class: "attn-stepper-mark" }));
  const grid = each((i) =>
    each((j) => {
      const label = `Query ${i + 1}, key ${j + 1}`;
      const box = h("span", { role: "checkbox", "aria-label": label, class: "attn-stepper-box" });
      set(box, { tabindex: i + j ? -1 : 0 });
      const text = h("span", { class: "attn-number" });
      return { box, text, element: cell("gridcell", "cell", box, text) };
    }),
  );
  const line = (kind, ...cells) =>
    h("div", { role: "row", class: `attn-stepper-row attn-stepper-row--${kind}` }, ...cells);
  const body = each((i) =>
    line(
      "query",
      cell("rowheader", "name", queries[i]),
      ...grid[i].map(({ element }) => element),
      cell("gridcell", "output", outputs[i], marks[i]),
    ),
  );
  const head = line(
    "head",
    cell("columnheader", "name", h("span", { class: "attn-spoken" }, "query")),
    ...keys.map((key) => cell("columnheader", "vector", key)),
    cell("columnheader", "output", "y"),
  );
  const shown = each((j) => {
    const text = h("span", { class: "attn-number" }, trimmed(values[j]));
    return cell("gridcell", "vector", feet[j], text);
  });
  const foot = line("foot", cell("rowheader", "name", h("span", { class: "attn-spoken" }, "value")),
    ...shown, cell("gridcell", "output"));
  const name = "The mask: which query may attend to which key";
  const element = h(
    "div",
    { role: "grid", class: "attn-stepper", "aria-label": name, style: `--items: ${items.length}` },
    head, ...body, foot,
  );
  paintable(element, grid.map((row) => row.map(({ box }) => box)), {
    get: () => model.get("mask"),
    paint: (mask) => change(model, { mask }),
  });

  // What a cell says: the weight or the score, if it is computed and there is one.
  const said = (i, j, found, { mask, step, way, stage }) => {
    if (i >= step || j >= step) return "";
    if (way === "cache" && j > i) return mask[i][j] ? "late" : "";
    if (stage === "scores")
      return mask[i][j] ? trimmed(model.get("scores")[i][j]) : "\u2212\u221e";
    if (found.lost.includes(i + 1)) return "\u2013";
    return mask[i][j] ? number(found.weights[i][j], 2) : "0";
  };
  const writeNumbers = readable(element, (found, state) => {
    grid.forEach((row, i) => row.forEach(({ text }, j) => write(text, said(i, j, found, state))));
    outputs.forEach((text, i) => {
      const lost = found.lost.includes(i + 1);
      write(text, i >= state.step ? "" : lost ? "no key" : number(found.output[i], 2));
    });
  });

  function draw(found, state) {
    const { mask, step, way, stage } = state;
    const age = (i, kept) => (i >= step ? "later" : i === step - 1 || !kept ? "new" : "kept");
    items.forEach((_, i) => {
      const kept = way === "cache";
      const [lost, differs] = [found.lost, found.differ].map((list) => list.includes(i + 1));
      set(queries[i], { "data-age": i < step - 1 && kept ? "past" : age(i, kept) });
      for (const vector of [keys[i], feet[i]]) set(vector, { "data-age": age(i, kept) });
      set(body[i], { "data-age": age(i, kept), "data-lost": lost ? "" : null });
      write(marks[i], differs ? "\u2260" : "");
      grid[i].forEach(({ box, element: place }, j) => {
        const there = i < step && j < step;
        const allowed = Boolean(mask[i][j]);
        const weight = there && found.seen[i][j] ? found.weights[i][j] : 0;
        set(box, { "aria-checked": String(allowed) });
        set(place, {
          "data-masked": allowed ? null : "",
          "data-there": there && (way === "anew" || j <= i) ? "" : null,
        });
        place.style.backgroundSize = `${(stage === "weights" ? 100 * weight : 0).toFixed(2)}% 0.3rem`;
      });
    });
    writeNumbers(found, state);
  }
  return { element, draw };
}

// What a step computes and keeps, with the cache and with all rows.
function countTable() {
  const heads = WAYS.map(([, way]) => h("span", { role: "columnheader" }, way));
  const line = (...cells) => h("div", { role: "row", class: "attn-counts-row" }, ...cells);
  const cells = words.counts.map(() => WAYS.map(() => h("span", { role: "cell" })));
  const body = words.counts.map(([label], r) =>
    line(h("span", { role: "rowheader" }, label), ...cells[r]),
  );
  const corner = h("span", { role: "columnheader" }, "a step computes");
  const element = h(
    "div",
    { role: "table", class: "attn-counts", "aria-label": "What a step computes and keeps" },
    line(corner, ...heads),
    ...body,
  );
  const writeNumbers = readable(element, (numbers) => {
    const texts = written(words, numbers);
    words.counts.forEach(([, name], r) => {
      cells[r].forEach((found, w) => write(found, texts[name][w]));
    });
  });
  const draw = (numbers, way) => {
    const chosen = way === "cache" ? 0 : 1;
    for (const row of [heads, ...cells])
      row.forEach((found, w) => set(found, { "data-chosen": w === chosen ? "" : null }));
    writeNumbers(numbers);
  };
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
    const found = rows(state);
    const last = state.step - 1;
    const numbers = {
      ...found,
      query: state.step,
      weights: found.weights[last],
      output: found.output[last],
    };
    table.draw(found, state);
    counts.draw(numbers, state.way);
    controls.forEach((control) => control.draw());
    writeWorked(numbers, state.step);
    const notes = [
      words[found.lost.length ? "lost" : "found"],
      words[found.differ.length ? "differ" : "same"],
    ].map((sentence) => fill(sentence, numbers));
    write(lost, notes[0]);
    write(differ, notes[1]);
    set(lost, { "data-any": found.lost.length ? "" : null });
    const first = words[found.lost.includes(state.step) ? "empty" : "row"];
    voice.say(() => [fill(first, numbers), ...notes, fill(words.count, numbers)].join(" "), numbers);
  }

  const meanings = { kept: "kept in the cache", new: "computed in this step" };
  const legend = Object.entries(meanings).map(([age, meaning]) => {
    const chips = ["key", "value"].map((role) =>
      h("span", { class: `attn-chip attn-${role}`, "data-age": age }),
    );
    return h("span", null, ...chips, meaning);
  });
  el.append(
    frameOf(
      model,
      h(
        "div",
        { class: "attn-stepper-parts" },
        h("div", null, table.element, h("p", { class: "attn-stepper-legend" }, ...legend)),
        h("div", null, counts.element, lost, differ),
      ),
      worked,
      controlRow(controls, presets(model, TRAITS)),
      voice.element,
    ),
  );
  return follow(model, TRAITS, draw);
}
