// The vector of each word, to be changed, and below it the columns of the three matrices.
import { h, subscript, trimmed } from "../shared/parts.js";
import { liveTable } from "../shared/table.js";
import words from "./words.json";

const MATRICES = [
  ["W_Q", "q", "query"],
  ["W_K", "k", "key"],
  ["W_V", "v", "value"],
];

export function vectorsTable({ slots, features, range, at, name, place }) {
  const { cell, header, row, field, table, draw, restore, message } = liveTable("vectors");
  const [min, max] = range;
  const noWord = ({ vocabulary }, i) => i >= vocabulary.length;
  const noFeature = ({ names }, k) => k >= names.length;
  // Its name is put together whenever it is needed: a preset may bring other words.
  const typed = (i, k) =>
    field({ name: `${i} ${k}`, label: () => name(i, k), min, max, at: () => at(i, k), onCommit: (next) => place(i, k, next) });
  const rows = slots.map((i) =>
    row(
      "word",
      { hidden: (state) => noWord(state, i) },
      cell("name", { role: "rowheader", text: ({ vocabulary }) => vocabulary[i] ?? "" }),
      ...features.map((k) => cell("cell", { hidden: (state) => noWord(state, i) || noFeature(state, k) }, typed(i, k))),
    ),
  );
  const columns = MATRICES.flatMap(([matrix, letter, role]) =>
    [0, 1].map((c) => {
      const entry = ({ matrices }, k) => matrices[matrix][k]?.[c] ?? 0;
      const cells = features.map((k) =>
        cell("cell", { hidden: (state) => noFeature(state, k) }, (state) => trimmed(entry(state, k))),
      );
      return row(`column attn-${role}`, {}, cell("name", { role: "rowheader" }, letter + subscript(c)), ...cells);
    }),
  );
  const heads = features.map((k) =>
    cell("head", { role: "columnheader", hidden: (state) => noFeature(state, k), text: ({ names }) => names[k] ?? "" }),
  );
  const element = table(
    words.vectors,
    { style: ({ names }) => `--features: ${names.length}` },
    row("head", {}, header("corner"), ...heads),
    ...rows,
    ...columns,
  );
  return { element: h("div", null, element, message), draw, restore };
}
