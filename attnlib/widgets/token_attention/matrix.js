// The weights of all tokens as a square of ink for each pair, and beside each row its output.
import { radio } from "../shared/controls.js";
import { readable } from "../shared/frame.js";
import { h, hide, number, set, subscript, uniqueId, write } from "../shared/parts.js";
import words from "./words.json";

function line(...cells) {
  return h("div", { role: "row", class: "attn-pairs-row" }, ...cells);
}

export function weightsTable({ slots, choose, pair, pairWith, point }) {
  const group = uniqueId("keys");
  const heads = slots.map((j) => {
    const input = radio(group, j, pairWith);
    const text = h("span");
    const label = h("label", { class: "attn-choice attn-pairs-key attn-key" }, input, text);
    return { input, text, element: h("span", { role: "columnheader" }, label) };
  });
  const outputs = [0, 1].map((k) =>
    h("span", { role: "columnheader", class: "attn-pairs-output attn-value" }, `y${subscript(k)}`),
  );
  const rows = slots.map((i) => {
    const name = h("span", { role: "rowheader", class: "attn-pairs-name attn-query" });
    name.addEventListener("click", () => choose(i));
    const cells = slots.map((j) => {
      const [ink, text] = [h("span", { class: "attn-blot" }), h("span", { class: "attn-number" })];
      const element = h("span", { role: "cell", class: "attn-pairs-cell" }, ink, text);
      element.addEventListener("click", () => pair(i, j));
      element.addEventListener("pointerenter", () => point([i, j]));
      element.addEventListener("pointerleave", () => point(null));
      return { ink, text, element };
    });
    const found = [0, 1].map(() => h("span", { role: "cell", class: "attn-pairs-output attn-number" }));
    const element = line(name, ...cells.map((cell) => cell.element), ...found);
    return { name, cells, found, element };
  });
  const element = h(
    "div",
    { role: "table", class: "attn-pairs", "aria-label": words.matrix },
    line(h("span", { role: "columnheader" }), ...heads.map((head) => head.element), ...outputs),
    ...rows.map((row) => row.element),
  );
  const writeNumbers = readable(element, ({ weights, output }) => {
    const digits = weights.length > 4 ? 2 : 3;
    weights.forEach((row, i) => {
      row.forEach((weight, j) => write(rows[i].cells[j].text, number(weight, digits)));
      output[i].forEach((y, k) => write(rows[i].found[k], number(y, digits)));
    });
  });

  function draw(tokens, found, i, j) {
    element.style.setProperty("--tokens", tokens.length);
    set(element, { "data-many": tokens.length > 4 ? "" : null });
    slots.forEach((k) => {
      const word = tokens[k];
      hide(heads[k].element, word === undefined);
      hide(rows[k].element, word === undefined);
      if (word === undefined) return;
      const { input, text } = heads[k];
      input.checked = k === j;
      write(text, word);
      set(input, { "aria-label": `key ${k + 1}, ${word}` });
      write(rows[k].name, word);
      set(rows[k].element, { "data-chosen": k === i ? "" : null });
      rows[k].cells.forEach(({ ink, element: cell }, l) => {
        hide(cell, l >= tokens.length);
        const mark = k === i && l === j ? "pair" : k === j && l === i ? "back" : null;
        set(cell, { "data-mark": mark, "data-column": l === i ? "" : null });
        if (l < tokens.length)
          ink.style.backgroundSize = `${(100 * Math.sqrt(found.weights[k][l])).toFixed(2)}% `.repeat(2);
      });
    });
    writeNumbers(found);
  }
  // The pair that the reader points at, here or at an arc, or none.
  let shown = null;
  function show(near) {
    if (shown) set(shown, { "data-near": null });
    shown = near && rows[near[0]].cells[near[1]].element;
    if (shown) set(shown, { "data-near": "" });
  }
  return { element, draw, show };
}
