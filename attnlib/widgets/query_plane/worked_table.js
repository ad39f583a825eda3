// The worked example in numbers, a row for each key; points can be typed over.
import { sigmoid, sum } from "../shared/core.js";
import { change } from "../shared/frame.js";
import { h, number, replaced, subscript, vector } from "../shared/parts.js";
import { liveTable } from "../shared/table.js";

const BEFORE = {
  softmax: "exp(s/T)",
  sparsemax: "kept",
  sigmoid_normalize: "sigmoid",
  hardmax: "largest",
};

// What is divided by its sum: exponentials, sigmoids, or the weights themselves.
function beforeNormalising({ scores, weights, normalizer, temperature }) {
  if (normalizer === "softmax") return scores.map((score) => Math.exp(score / temperature));
  if (normalizer === "sigmoid_normalize") return scores.map((score) => sigmoid(score / temperature));
  return weights;
}

function short(x) {
  const tiny = x > 0 && x < 5e-4;
  return x >= 1e4 || tiny ? x.toExponential(1).replace("-", "\u2212") : number(x, 3);
}

export function workedTable(model) {
  // The bars go with their numbers: a row is not painted at all between two writings.
  const { cell, header, row, track, field, table, draw, restore, message } = liveTable("example", { paced: true });
  const pair = (name, read, commit, [min, max]) => {
    const [x, y] = ["x", "y"].map((axis, a) =>
      field({
        label: `${name}, ${axis}`,
        min,
        max,
        at: () => read()[a],
        onCommit: (next) => commit(replaced(read(), a, next)),
      }),
    );
    return h("span", { class: "attn-pair" }, "[", x, ", ", y, "]");
  };
  const pairOf = (trait, i, name, range) =>
    pair(
      `${name} ${i + 1}`,
      () => model.get(trait)[i],
      (point) => change(model, { [trait]: replaced(model.get(trait), i, point) }),
      model.get(range),
    );
  const label = ({ normalizer }) => BEFORE[normalizer].split("(")[0];
  const rows = model.get("K").map((_, i) => {
    const key = cell("key attn-key", {}, `k${subscript(i)} = `, pairOf("K", i, "Key", "key_range"));
    const value = cell("value attn-value", {}, `v${subscript(i)} = `, pairOf("V", i, "Value", "value_range"));
    const before = cell("before", { "data-label": label }, (state) => short(beforeNormalising(state)[i]));
    const weight = cell("weight", {}, track(({ weights }) => weights[i]), ({ weights }) => number(weights[i], 3));
    const product = cell("product", {}, ({ V, weights }) => vector(V[i].map((x) => x * weights[i])));
    const score = cell("score", {}, ({ scores }) => number(scores[i], 2));
    return row("key", {}, key, score, before, weight, value, product);
  });
  const total = (state) => short(sum(beforeNormalising(state)));
  const element = table(
    "Scores, weights and weighted values",
    {},
    row(
      "head",
      {},
      header("key", "key"),
      header("score", "score q·k"),
      cell("before", { role: "columnheader", text: ({ normalizer }) => BEFORE[normalizer] }),
      header("weight", "weight w"),
      header("value", "value"),
      header("product", "w v"),
    ),
    ...rows,
    row(
      "sum",
      {},
      cell("key", {}, "sum"),
      cell("score", {}),
      cell("before", {}, total),
      cell("weight", {}, () => number(1, 3)),
      cell("value attn-value", {}, "output y = "),
      cell("product", {}, ({ y }) => vector(y)),
    ),
  );
  const query = pair("Query", () => model.get("query"), (point) => change(model, { query: point }), model.get("key_range"));
  const queryLine = h("p", { class: "attn-example-query attn-query" }, "q = ", query);
  return { element: h("div", null, queryLine, element, message), draw, restore };
}
