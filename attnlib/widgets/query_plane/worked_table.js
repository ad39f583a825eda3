// The worked example in numbers, a row for each key; what is given can be typed over.
import { complaints, numberField } from "../shared/controls.js";
import { change, readable } from "../shared/frame.js";
import { h, number, replaced, set, subscript, vector, write } from "../shared/parts.js";

const BEFORE = {
  softmax: "exp(s/T)",
  sparsemax: "kept",
  sigmoid_normalize: "sigmoid",
  hardmax: "largest",
};

// What is divided by its sum: exponentials, sigmoids, or the weights themselves.
function beforeNormalising(scores, weights, normalizer, temperature) {
  if (normalizer === "softmax") return scores.map((score) => Math.exp(score / temperature));
  if (normalizer === "sigmoid_normalize")
    return scores.map((score) => 1 / (1 + Math.exp(-score / temperature)));
  return weights;
}

function short(x) {
  const tiny = x > 0 && x < 5e-4;
  return x >= 1e4 || tiny ? x.toExponential(1).replace("-", "\u2212") : number(x, 3);
}

export function workedTable(model) {
  const { element: message, reporter } = complaints();
  const fields = [];
  const digits = () => h("span", { class: "attn-number" });
  const cell = (name, ...children) =>
    h("span", { role: "cell", class: `attn-cell attn-${name}` }, ...children);
  const header = (name, text) =>
    h("span", { role: "columnheader", class: `attn-cell attn-${name}` }, text);

  const line = (kind, ...cells) =>
    h("div", { role: "row", class: `attn-row attn-row--${kind}` }, ...cells);

  const pair = (name, read, commit, [min, max]) => {
    const both = ["x", "y"].map((axis, a) =>
      numberField({
        label: `${name}, ${axis}`,
        min,
        max,
        value: read()[a],
        onCommit: (next) => commit(read().map((old, b) => (b === a ? next : old))),
        report: reporter(`${name}, ${axis}`),
      }),
    );
    fields.push({
      update: () => both.forEach((field, a) => field.update(read()[a])),
      restore: () => both.forEach((field) => field.restore()),
    });
    return h("span", { class: "attn-pair" }, "[", both[0].element, ", ", both[1].element, "]");
  };
  const ofRow = (trait, i) => [
    () => model.get(trait)[i],
    (point) => change(model, { [trait]: replaced(model.get(trait), i, point) }),
  ];

  const before = header("before", BEFORE.softmax);
  const rows = model.get("K").map((_, i) => {
    const row = { score: digits(), before: digits(), weight: digits(), product: digits() };
    row.bar = h("span", { class: "attn-track" });
    const key = pair(`Key ${i + 1}`, ...ofRow("K", i), model.get("key_range"));
    const value = pair(`Value ${i + 1}`, ...ofRow("V", i), model.get("value_range"));
    row.element = line(
      "key",
      cell("key", `k${subscript(i)} = `, key),
      cell("score", row.score),
      cell("before", row.before),
      cell("weight", row.bar, row.weight),
      cell("value", `v${subscript(i)} = `, value),
      cell("product", row.product),
    );
    return row;
  });
  const total = digits();
  const output = digits();
  const moveQuery = (point) => change(model, { query: point });
  const query = pair("Query", () => model.get("query"), moveQuery, model.get("key_range"));
  const table = h(
    "div",
    { role: "table", class: "attn-table", "aria-label": "Scores, weights and weighted values" },
    line(
      "head",
      header("key", "key"),
      header("score", "score q·k"),
      before,
      header("weight", "weight w"),
      header("value", "value"),
      header("product", "w v"),
    ),
    ...rows.map((row) => row.element),
    line(
      "sum",
      cell("key", "sum"),
      cell("score"),
      cell("before", total),
      cell("weight", h("span", { class: "attn-number" }, number(1, 3))),
      cell("value", "output y = "),
      cell("product", output),
    ),
  );

  // The bars go with their numbers: a row is not painted at all between two writings.
  const draw = readable(table, (scores, weights, y) => {
    const normalizer = model.get("normalizer");
    const raw = beforeNormalising(scores, weights, normalizer, model.get("temperature"));
    write(before, BEFORE[normalizer]);
    for (const { before: cell } of rows)
      set(cell, { "data-label": BEFORE[normalizer].split("(")[0] });
    rows.forEach((row, i) => {
      write(row.score, number(scores[i], 2));
      write(row.before, short(raw[i]));
      write(row.weight, number(weights[i], 3));
      row.bar.style.backgroundSize = `${(100 * weights[i]).toFixed(2)}% 100%`;
      write(row.product, vector(model.get("V")[i].map((x) => x * weights[i])));
    });
    write(total, short(raw.reduce((a, b) => a + b, 0)));
    write(output, vector(y));
    fields.forEach(({ update }) => update());
  });

  const given = h("p", { class: "attn-given attn-query" }, "q = ", query);
  const restore = () => fields.forEach((field) => field.restore());
  return { element: h("div", null, given, table, message), draw, restore };
}
