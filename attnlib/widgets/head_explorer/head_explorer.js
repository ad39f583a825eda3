// Heads over a small library: aim each, switch one off, and see what the output loses.
import { choice, slider } from "../shared/controls.js";
import { dot, matmul } from "../shared/core.js";
import {
  bound, change, controlRow, follow, frameOf, presets, readable, spoken,
} from "../shared/frame.js";
import { fill, h, hide, number, replaced, set, write } from "../shared/parts.js";
import library from "./library.json";
import { matches, readout, weightsOf } from "./readout.js";
import words from "./words.json";

const { AUTHORS, TOPICS, PRICES } = library;
const TRAITS = ["author", "topic", "heads", "aims", "off"];
const HEADS = [1, 2, 3];

function cell(kind, ...children) {
  return h("span", { role: "cell", class: `attn-${kind}` }, ...children);
}

function header(kind, text) {
  return h("span", { role: "columnheader", class: `attn-${kind}` }, text);
}

function line(kind, ...cells) {
  return h("div", { role: "row", class: `attn-heads-row attn-heads-row--${kind}` }, ...cells);
}

function digits() {
  return h("span", { class: "attn-number" });
}

// A row with a cell for each head; `draw` hides the cells of heads that are not there.
function headsRow(kind, first, make) {
  const cells = HEADS.map(make);
  const elements = cells.map(({ element }) => element);
  return { element: line(kind, ...first, ...elements), cells };
}

// What the heads do for one query: a row for each book, then what they return and their W_O.
function headsTable() {
  const plain = (kind) => () => {
    const text = digits();
    return { text, element: cell(kind, text) };
  };
  const head = headsRow("head", [header("book", "book"), header("price", "price")], (i) => ({
    element: header("name", `Head ${i}`),
  }));
  const books = TOPICS.map((topic, i) => {
    const asked = h("span", { class: "attn-match" });
    const name = cell("book", `${AUTHORS[i]}${topic}`, asked);
    const row = headsRow("book", [name, cell("price", number(PRICES[i], 1))], () => {
      const text = digits();
      const track = h("span", { class: "attn-track" });
      return { text, track, element: cell("share", track, text) };
    });
    return { ...row, asked };
  });
  const first = (text) => [cell("book", text), cell("price")];
  const returned = headsRow("sum", first("returns"), plain("digits"));
  const readouts = words.asked.map((by) => headsRow("readout", first(`W_O, ${by}`), plain("digits")));
  const rows = [head, ...books, returned, ...readouts];
  const element = h(
    "div",
    { role: "table", class: "attn-heads", "aria-label": "What each head does for this query" },
    ...rows.map((row) => row.element),
  );
  const writeNumbers = readable(element, (weights, outputs, W) => {
    books.forEach(({ cells }, b) =>
      weights.forEach((row, i) => write(cells[i].text, number(row[b], 2))),
    );
    outputs.forEach((y, i) => write(returned.cells[i].text, number(y, 2)));
    readouts.forEach(({ cells }, t) =>
      W.forEach((row, i) => write(cells[i].text, number(row[t], 2))),
    );
  });

  function draw({ query, on, weights, outputs, W }) {
    element.style.setProperty("--heads", on.length);
    for (const { cells } of rows)
      cells.forEach(({ element: shown }, i) =>
        set(shown, { hidden: i < on.length ? null : "", "data-off": on[i] === false ? "" : null }),
      );
    const [byAuthor, byTopic] = matches(query);
    books.forEach(({ asked, cells, element: row }, b) => {
      const why = [byAuthor[b] && "author", byTopic[b] && "topic"].filter(Boolean);
      write(asked, why.length ? ` \u25c2 ${why.join(", ")}` : "");
      set(row, { "data-asked": why.length ? "" : null });
      weights.forEach((weight, i) => {
        cells[i].track.style.backgroundSize = `${(100 * weight[b]).toFixed(2)}% 100%`;
      });
    });
    writeNumbers(weights, outputs, W);
  }
  return { element, draw };
}

// The shapes, from the items to the output, with a band for each head.
function shapesFlow() {
  const stage = (name, form, shape) => {
    const bands = HEADS.map(() => h("i"));
    const text = digits();
    const element = h(
      "span",
      { class: "attn-step" },
      h("span", { class: `attn-bands attn-bands--${form}`, "aria-hidden": "true" }, ...bands),
      h("span", null, `${name} `, text),
    );
    const draw = (heads, n) => {
      bands.forEach((band, i) =>
        hide(band, i >= (form === "whole" ? 1 : heads)),
      );
      write(text, `(${shape(heads, n).join(", ")})`);
    };
    return { element, draw };
  };
  const n = TOPICS.length;
  const [k, d] = [2 * n, 2 * n + 1];
  const lines = [
    ["query", [
      stage("X_Q", "whole", (_, q) => [q, d]),
      stage("Q", "beside", (heads, q) => [q, heads * k]),
      stage("split", "apart", (heads, q) => [heads, q, k]),
    ]],
    ["key", [
      stage("X_KV", "whole", () => [n, d]),
      stage("K", "beside", (heads) => [n, heads * k]),
      stage("split", "apart", (heads) => [heads, n, k]),
    ]],
    ["value", [
      stage("X_KV", "whole", () => [n, d]),
      stage("V", "beside", (heads) => [n, heads]),
      stage("split", "apart", (heads) => [heads, n, 1]),
    ]],
    ["weights", [
      stage("weights", "apart", (heads, q) => [heads, q, n]),
      stage("times V", "apart", (heads, q) => [heads, q, 1]),
    ]],
    ["value", [
      stage("merged", "beside", (heads, q) => [q, heads]),
      stage("times W_O", "whole", (_, q) => [q, 2]),
    ]],
  ];
  const element = h(
    "div",
    { class: "attn-flow", role: "group", "aria-label": "Shapes from the items to the output" },
    ...lines.map(([role, stages]) =>
      h("p", { class: `attn-${role}` }, ...stages.map((s) => s.element)),
    ),
  );
  const draw = (heads, queries) =>
    lines.forEach(([, stages]) => stages.forEach((s) => s.draw(heads, queries)));
  return { element, draw };
}

// The output beside what is wanted, and the error over all queries and prices.
function resultTable() {
  const rows = words.asked.map((by) => {
    const parts = { output: digits(), wanted: digits(), error: digits() };
    parts.track = h("span", { class: "attn-track" });
    parts.element = line(
      "result",
      cell("book", `price ${by}`),
      cell("digits", parts.output),
      cell("digits", parts.wanted),
      cell("share", parts.track, parts.error),
    );
    return parts;
  });
  const loss = digits();
  const element = h(
    "div",
    { role: "table", class: "attn-result", "aria-label": "Output and error" },
    line(
      "head",
      header("book", ""),
      header("digits", "output"),
      header("digits", "wanted"),
      header("name", "error"),
    ),
    ...rows.map((row) => row.element),
    line("loss", cell("book", "loss, the mean of both"), cell("digits"), cell("digits"), cell("share", loss)),
  );
  const writeNumbers = readable(element, ({ output, wanted, error, loss: mean }) => {
    rows.forEach((row, t) => {
      write(row.output, number(output[t], 2));
      write(row.wanted, number(wanted[t], 2));
      write(row.error, number(error[t], 2));
    });
    write(loss, number(mean, 3));
  });
  function draw(numbers) {
    rows.forEach(({ track }, t) => {
      const share = Math.min(numbers.error[t], 1);
      track.style.backgroundSize = `${(100 * share).toFixed(2)}% 100%`;
    });
    writeNumbers(numbers);
  }
  return { element, draw };
}

export function render({ model, el }) {
  const flow = shapesFlow();
  const table = headsTable();
  const result = resultTable();
  const voice = spoken(words);
  const aims = HEADS.map((head, i) => {
    const { element, update } = slider({
      label: `Aim of head ${head}`,
      range: [0, 1, 0.05],
      value: model.get("aims")[i],
      format: (aim) => ({ 0: "author", 1: "topic" })[aim] ?? number(aim, 2),
      onInput: (aim) => change(model, { aims: replaced(model.get("aims"), i, aim) }),
    });
    return { element, draw: () => update(model.get("aims")[i]) };
  });
  const count = bound(model, "heads", choice, {
    label: "Heads",
    options: HEADS.map((head) => [String(head), String(head)]),
    read: String,
    write: Number,
  });
  const off = bound(model, "off", choice, {
    label: "Switched off",
    options: [["0", "none"], ...HEADS.map((head) => [String(head), `head ${head}`])],
    read: (head) => String(head > model.get("heads") ? 0 : head),
    write: Number,
  });
  const asked = [
    bound(model, "author", slider, {
      label: "Author asked for",
      range: [1, AUTHORS.length, 1],
      format: (author) => AUTHORS[author - 1],
    }),
    bound(model, "topic", slider, { label: "Topic asked for", range: [1, TOPICS.length, 1] }),
  ];
  const controls = [count, off, ...asked, ...aims];

  function draw() {
    const [author, topic, heads, all, silent] = TRAITS.map((name) => model.get(name));
    const aimed = all.slice(0, heads);
    const on = aimed.map((_, i) => i + 1 !== silent);
    const query = [author, topic];
    const weights = weightsOf(query, aimed);
    const { W, error, queries } = readout(aimed, on);
    const outputs = weights.map((row, i) => (on[i] ? dot(row, PRICES) : 0));
    const [output] = matmul([outputs], W);
    const wanted = matches(query).map((row) => dot(row, PRICES));
    const numbers = { heads: outputs, output, wanted, error, loss: (error[0] + error[1]) / 2 };
    flow.draw(heads, queries);
    table.draw({ query, on, weights, outputs, W });
    result.draw(numbers);
    controls.forEach((control) => control.draw());
    HEADS.forEach((head, i) => {
      hide(aims[i].element, head > heads);
      off.show(String(head), head <= heads);
    });
    voice.say(() => fill(words.said, numbers), numbers);
  }

  el.append(
    frameOf(
      model,
      flow.element,
      table.element,
      result.element,
      controlRow(controls, presets(model, TRAITS)),
      voice.element,
    ),
  );
  return follow(model, TRAITS, draw);
}
