// Heads over a small library: aim each, switch one off, and see what the output loses.
import { choice, slider } from "../shared/controls.js";
import { dot, matmul } from "../shared/core.js";
import { bound, change, controlRow, mount, presets, spoken } from "../shared/frame.js";
import { fill, h, hide, number, replaced } from "../shared/parts.js";
import { liveTable } from "../shared/table.js";
import library from "./library.json";
import { matches, readout, weightsOf } from "./readout.js";
import words from "./words.json";

const { AUTHORS, TOPICS, PRICES } = library;
const TRAITS = ["author", "topic", "heads", "aims", "off"];
const HEADS = [1, 2, 3];

// What the heads do for one query: a row for each book, then what they return and their W_O.
function headsTable() {
  const { part, cell, header, row, track, table, draw } = liveTable("heads");
  // The cells of the heads; those of heads that are not there are hidden.
  const heads = (kind, make, role = "cell") =>
    HEADS.map((_, i) => {
      const hidden = ({ on }) => i >= on.length;
      const attributes = { role, hidden, "data-off": ({ on }) => on[i] === false };
      return cell(kind, attributes, ...make(i));
    });
  // Of a head that is not there nothing is written.
  const digits = (of) => (i) => [(state) => (i < state.on.length ? number(of(state, i), 2) : "")];
  const asked = ({ query }, b) => ["author", "topic"].filter((_, k) => matches(query)[k][b]);
  const books = TOPICS.map((topic, b) => {
    const why = (state) => (asked(state, b).length ? ` \u25c2 ${asked(state, b).join(", ")}` : "");
    const marked = { "data-asked": (state) => asked(state, b).length > 0 };
    const share = digits(({ weights }, i) => weights[i][b]);
    const match = part("span", { class: "attn-match", text: why });
    return row(
      "book",
      marked,
      cell("book", {}, `${AUTHORS[b]}${topic}`, match),
      cell("price", {}, number(PRICES[b], 1)),
      ...heads("share", (i) => [track(({ weights }) => weights[i]?.[b] ?? 0), ...share(i)]),
    );
  });
  const sums = (kind, text, of) =>
    row(kind, {}, cell("book", {}, text), cell("price", {}), ...heads("digits", digits(of)));
  const element = table(
    "What each head does for this query",
    { style: ({ on }) => `--heads: ${on.length}` },
    row("head", {}, header("book", "book"), header("price", "price"), ...heads("name", (i) => [`Head ${i + 1}`], "columnheader")),
    ...books,
    sums("sum", "returns", ({ outputs }, i) => outputs[i]),
    ...words.asked.map((by, t) => sums("readout", `W_O, ${by}`, ({ W }, i) => W[i][t])),
  );
  return { element, draw };
}

// The shapes, from the items to the output, with a band for each head.
function shapesFlow() {
  const { part, draw } = liveTable("flow");
  const stage = (name, form, shape) => {
    const bands = HEADS.map((_, i) => part("i", { hidden: ({ heads }) => i >= (form === "whole" ? 1 : heads) }));
    const shapes = ({ heads, queries }) => `(${shape(heads, queries).join(", ")})`;
    return h(
      "span",
      { class: "attn-step" },
      h("span", { class: `attn-bands attn-bands--${form}`, "aria-hidden": "true" }, ...bands),
      part("span", {}, `${name} `, shapes),
    );
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
    ...lines.map(([role, stages]) => h("p", { class: `attn-${role}` }, ...stages)),
  );
  return { element, draw };
}

// The output beside what is wanted, and the error over all queries and prices.
function resultTable() {
  const { cell, header, row, track, table, draw } = liveTable("heads");
  const digits = (name, t) => cell("digits", {}, (numbers) => number(numbers[name][t], 2));
  const rows = words.asked.map((by, t) => {
    const bar = track(({ error }) => Math.min(error[t], 1));
    const share = cell("share", {}, bar, ({ error }) => number(error[t], 2));
    return row("result", {}, cell("book", {}, `price ${by}`), digits("output", t), digits("wanted", t), share);
  });
  const element = table(
    "Output and error",
    { class: "attn-result" },
    row("head", {}, header("book", ""), header("digits", "output"), header("digits", "wanted"), header("name", "error")),
    ...rows,
    row("loss", {}, cell("book", {}, "loss, the mean of both"), cell("digits", {}), cell("digits", {}), cell("share", {}, ({ loss }) => number(loss, 3))),
  );
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
    flow.draw({ heads, queries });
    table.draw({ query, on, weights, outputs, W });
    result.draw(numbers);
    controls.forEach((control) => control.draw());
    HEADS.forEach((head, i) => {
      hide(aims[i].element, head > heads);
      off.show(String(head), head <= heads);
    });
    voice.say(() => fill(words.announcement, numbers), numbers);
  }

  return mount(
    { model, el, draw, voice, traits: TRAITS },
    flow.element,
    table.element,
    result.element,
    controlRow(controls, presets(model, TRAITS)),
  );
}
