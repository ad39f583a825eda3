// The queries, their scores, weights and answers as matrices, a row for each query.
import { complaints, numberField } from "../shared/controls.js";
import { readable } from "../shared/frame.js";
import { h, number, set, subscript, write } from "../shared/parts.js";
import words from "./words.json";

const AXES = ["x", "y"];

// A matrix with heads over its columns; the reader chooses a row by pressing it.
function matrix(title, kind, heads, count, cellsOf, choose) {
  const row = (given, ...cells) => h("div", { role: "row", ...given }, ...cells);
  const head = ([text, role]) =>
    h("span", { role: "columnheader", class: `attn-matrix-entry attn-${role}` }, text);
  const rows = Array.from({ length: count }, (_, i) => {
    const found = row({ class: "attn-matrix-row" }, ...cellsOf(i));
    found.addEventListener("click", () => choose(i));
    return found;
  });
  const columns = `--columns: ${heads.length}`;
  const table = h("div", { role: "table", "aria-label": title, style: columns });
  table.className = `attn-matrix attn-matrix--${kind}`;
  table.append(row({ class: "attn-matrix-row attn-matrix-row--head" }, ...heads.map(head)), ...rows);
  const element = h("div", null, h("p", { class: "attn-panel-title" }, title), table);
  return { element, rows };
}

export function matrices({ queries, keys, range, at, place, choose }) {
  const { element: message, reporter } = complaints();
  const cell = (...children) => h("span", { role: "cell", class: "attn-matrix-entry" }, ...children);
  const named = (letter, role) => (i) =>
    h("span", { role: "rowheader", class: `attn-matrix-entry attn-${role}` }, letter + subscript(i));
  const entries = (count) =>
    Array.from({ length: queries }, () =>
      Array.from({ length: count }, () => cell(h("span", { class: "attn-number" }))),
    );
  const fields = Array.from({ length: queries }, (_, i) =>
    AXES.map((axis, a) =>
      numberField({
        label: `Query ${i + 1}, ${axis}`,
        min: range[0],
        max: range[1],
        value: at(i)[a],
        onCommit: (next) => place(i, at(i).map((old, b) => (b === a ? next : old))),
        report: reporter(`Query ${i + 1}, ${axis}`),
      }),
    ),
  );
  const [scores, weights, output] = [entries(keys), entries(keys + 1), entries(2)];
  const columns = (letter, role) =>
    Array.from({ length: keys }, (_, j) => [letter + subscript(j), role]);
  const plain = AXES.map((axis) => [axis, "plain"]);
  const [q, y] = [named("q", "query"), named("y", "value")];
  const makers = [
    ["given", [["", "plain"], ...plain], (i) => [q(i), ...fields[i].map((f) => cell(f.element))]],
    ["scores", columns("k", "key"), (i) => scores[i]],
    ["weights", [...columns("k", "key"), ["sum", "plain"]], (i) => weights[i]],
    ["output", [["", "plain"], ...plain], (i) => [y(i), ...output[i]]],
  ];
  const tables = makers.map(([kind, heads, cells], i) =>
    matrix(words.matrices[i], kind, heads, queries, cells, choose),
  );
  const element = h(
    "div",
    null,
    h("div", { class: "attn-matrices" }, ...tables.map((table) => table.element)),
    message,
  );

  const digits = (cells, numbers, places) =>
    cells.forEach((found, j) => write(found.firstChild, number(numbers[j], places)));
  const writeNumbers = readable(element, (found) => {
    for (let i = 0; i < queries; i += 1) {
      const sum = found.weights[i].reduce((a, b) => a + b, 0);
      digits(scores[i], found.scores[i], 2);
      digits(weights[i], [...found.weights[i], sum], 3);
      digits(output[i], found.output[i], 2);
      fields[i].forEach((field, a) => field.update(at(i)[a]));
    }
  });

  function draw(found, chosen) {
    for (const { rows } of tables)
      rows.forEach((row, i) => set(row, { "data-chosen": i === chosen ? "" : null }));
    found.weights.forEach((row, i) =>
      row.forEach((w, j) => {
        weights[i][j].style.backgroundSize = `${(100 * w).toFixed(2)}% 0.3rem`;
      }),
    );
    writeNumbers(found);
  }
  const restore = () => fields.flat().forEach((field) => field.restore());
  return { element, draw, restore };
}
