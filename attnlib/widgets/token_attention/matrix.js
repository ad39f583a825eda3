// The weights of all tokens as a square of ink for each pair, and beside each row its output.
import { number, set, subscript, uniqueId } from "../shared/parts.js";
import { liveTable, percent } from "../shared/table.js";
import words from "./words.json";

export function weightsTable({ slots, choose, pair, pairWith, point }) {
  const { part, cell, header, row, table, draw } = liveTable("pairs");
  const group = uniqueId("keys");
  const there = ({ tokens }, k) => k < tokens.length;
  const word = ({ tokens }, k) => tokens[k] ?? "";
  const heads = slots.map((j) => {
    const input = part("input", {
      type: "radio",
      name: group,
      value: j,
      checked: ({ column }) => column === j,
      onchange: () => pairWith(j),
      "aria-label": (state) => `key ${j + 1}, ${word(state, j)}`,
    });
    const text = part("span", { text: (state) => word(state, j) });
    const label = part("label", { class: "attn-choice attn-pairs-key attn-key" }, input, text);
    return cell("head", { role: "columnheader", hidden: (state) => !there(state, j) }, label);
  });
  // A weight or an output, as far as its tokens are there.
  const digits = (of, ...tokens) => (state) =>
    tokens.every((k) => there(state, k)) ? number(of(state), state.tokens.length > 4 ? 2 : 3) : "";
  const marks = ({ row: i, column: j }, k, l) =>
    k === i && l === j ? "pair" : k === j && l === i ? "back" : null;
  const cells = slots.map((k) =>
    slots.map((l) => {
      const attributes = {
        hidden: (state) => !there(state, l),
        "data-mark": (state) => marks(state, k, l),
        "data-column": (state) => l === state.row,
        onclick: () => pair(k, l),
        onpointerenter: () => point([k, l]),
        onpointerleave: () => point(null),
      };
      const share = ({ weights }) => percent(Math.sqrt(weights[k]?.[l] ?? 0));
      const ink = part("span", { class: "attn-blot", style: (state) => `background-size: ${share(state)} ${share(state)}` });
      return cell("cell", attributes, ink, digits(({ weights }) => weights[k][l], k, l));
    }),
  );
  const outputs = [0, 1].map((c) =>
    header("output attn-value", `y${subscript(c)}`),
  );
  const rows = slots.map((k) => {
    const name = { role: "rowheader", text: (state) => word(state, k), onclick: () => choose(k) };
    const shown = { hidden: (state) => !there(state, k), "data-chosen": (state) => state.row === k };
    return row(
      "token",
      shown,
      cell("name attn-query", name),
      ...cells[k],
      ...[0, 1].map((c) => cell("output", {}, digits(({ output }) => output[k][c], k))),
    );
  });
  const element = table(
    words.matrix,
    { style: ({ tokens }) => `--tokens: ${tokens.length}`, "data-many": ({ tokens }) => tokens.length > 4 },
    row("head", {}, header("corner"), ...heads, ...outputs),
    ...rows,
  );
  // The pair that the reader points at, here or at an arc, or none.
  let pointed = null;
  function show(near) {
    if (pointed) set(pointed, { "data-near": null });
    pointed = near && cells[near[0]][near[1]];
    if (pointed) set(pointed, { "data-near": "" });
  }
  return { element, draw, show };
}
