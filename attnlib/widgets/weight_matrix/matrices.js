// The queries, their scores, weights and answers as matrices, a row for each query.
import { indices, sum } from "../shared/core.js";
import { h, number, replaced, subscript } from "../shared/parts.js";
import { liveTable, percent } from "../shared/table.js";
import words from "./words.json";

const AXES = ["x", "y"];

export function matrices({ queries, keys, range, at, place, choose }) {
  const { cell, header, row, field, table, draw, restore, message } = liveTable("matrix");
  const named = (letter, role) => (i) =>
    cell(`entry attn-${role}`, { role: "rowheader" }, letter + subscript(i));
  const typed = (i, a) =>
    field({
      label: `Query ${i + 1}, ${AXES[a]}`,
      min: range[0],
      max: range[1],
      at: () => at(i)[a],
      onCommit: (next) => place(i, replaced(at(i), a, next)),
    });
  const digits = (of, places, attributes = {}) =>
    cell("entry", attributes, (state) => number(of(state), places));
  const weight = (i, j) => {
    const share = ({ weights }) => `background-size: ${percent(weights[i][j])} 0.3rem`;
    return digits(({ weights }) => weights[i][j], 3, { style: share });
  };
  const columns = (letter, role) => indices(keys).map((j) => [letter + subscript(j), role]);
  const plain = [["", "plain"], ...AXES.map((axis) => [axis, "plain"])];
  const [q, y] = [named("q", "query"), named("y", "value")];
  const cellsOf = [
    ["typed", plain, (i) => [q(i), ...indices(2).map((a) => cell("entry", {}, typed(i, a)))]],
    ["scores", columns("k", "key"), (i) => indices(keys).map((j) => digits(({ scores }) => scores[i][j], 2))],
    ["weights", [...columns("k", "key"), ["sum", "plain"]], (i) => [...indices(keys).map((j) => weight(i, j)), digits((state) => sum(state.weights[i]), 3)]],
    ["output", plain, (i) => [y(i), ...indices(2).map((a) => digits(({ output }) => output[i][a], 2))]],
  ];
  const tables = cellsOf.map(([kind, heads, cells], k) => {
    const head = heads.map(([text, role]) => header(`entry attn-${role}`, text));
    const chosen = (i) => ({ onclick: () => choose(i), "data-chosen": (state) => state.row === i });
    const rows = indices(queries).map((i) => row("query", chosen(i), ...cells(i)));
    const look = { class: `attn-matrix attn-matrix--${kind}`, style: `--columns: ${heads.length}` };
    const title = h("p", { class: "attn-panel-title" }, words.matrices[k]);
    return h("div", null, title, table(words.matrices[k], look, row("head", {}, ...head), ...rows));
  });
  const element = h("div", null, h("div", { class: "attn-matrices" }, ...tables), message);
  return { element, draw, restore };
}
