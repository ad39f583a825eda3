// The vector of each word, to be changed, and below it the columns of the three matrices.
import { complaints, numberField } from "../shared/controls.js";
import { h, hide, number, set, subscript, trimmed, write } from "../shared/parts.js";
import words from "./words.json";

const MATRICES = [
  ["W_Q", "q", "query"],
  ["W_K", "k", "key"],
  ["W_V", "v", "value"],
];

export function vectorsTable({ slots, features, range, at, name, place }) {
  const { element: message, reporter } = complaints();
  const line = (role, ...cells) =>
    h("div", { role: "row", class: `attn-vectors-row ${role}` }, ...cells);
  const heads = features.map(() => h("span", { role: "columnheader" }));
  const rows = slots.map((i) => {
    const word = h("span", { role: "rowheader", class: "attn-vectors-name" });
    const fields = features.map((k) => {
      // Its name is put together whenever it is needed: a preset may bring other words.
      const label = () => name(i, k);
      const complain = reporter(`${i} ${k}`);
      const commit = (next) => place(i, k, next);
      const [min, max] = range;
      const field = numberField({ label, min, max, value: 0, onCommit: commit, report: complain });
      return { field, label, element: h("span", { role: "cell" }, field.element) };
    });
    return { word, fields, element: line("", word, ...fields.map((f) => f.element)) };
  });
  const columns = MATRICES.flatMap(([matrix, letter, role]) =>
    [0, 1].map((c) => {
      const cells = features.map(() => h("span", { role: "cell", class: "attn-number" }));
      const head = h("span", { role: "rowheader", class: "attn-vectors-name" }, letter + subscript(c));
      return { matrix, c, cells, element: line(`attn-${role}`, head, ...cells) };
    }),
  );
  const table = h(
    "div",
    { role: "table", class: "attn-vectors", "aria-label": words.vectors },
    line("attn-vectors-row--head", h("span", { role: "columnheader" }), ...heads),
    ...[...rows, ...columns].map((row) => row.element),
  );

  function draw(vocabulary, names, X, matrices) {
    table.style.setProperty("--features", names.length);
    heads.forEach((head, k) => {
      hide(head, k >= names.length);
      write(head, names[k] ?? "");
    });
    rows.forEach(({ word, fields, element }, i) => {
      hide(element, i >= vocabulary.length);
      write(word, vocabulary[i] ?? "");
      fields.forEach(({ field, label, element: cell }, k) => {
        const is = i < vocabulary.length && k < names.length;
        hide(cell, !is);
        if (!is) return;
        set(field.element, { "aria-label": label() });
        field.update(X[i][k]);
      });
    });
    for (const { matrix, c, cells } of columns)
      cells.forEach((cell, k) => {
        hide(cell, k >= names.length);
        if (k < names.length) write(cell, trimmed(matrices[matrix][k][c]));
      });
  }
  const restore = () => rows.forEach(({ fields }) => fields.forEach(({ field }) => field.restore()));
  return { element: h("div", null, table, message), draw, restore };
}
