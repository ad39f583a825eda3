// Tokens in a row: arcs above lead from the chosen one to all, arcs below from all to it.
import { radio } from "../shared/controls.js";
import { sum } from "../shared/core.js";
import { fill, h, hide, number, set, svg, uniqueId, write } from "../shared/parts.js";
import words from "./words.json";

const [WIDTH, HEIGHT, LEAST, MOST] = [360, 84, 0.75, 15];

// Where an arc begins and ends is `foot`; it goes up from there, for the arcs below down.
function arc(from, to, n, up) {
  const place = (i) => ((i + 0.5) / n) * WIDTH;
  const [a, b] = [place(from), place(to)];
  const foot = up ? HEIGHT : 0;
  const at = (rise) => (up ? foot - rise : foot + rise).toFixed(1);
  if (from === to) {
    const [near, far] = [8, 30];
    return `M${a - near} ${foot}C${a - far} ${at(62)} ${a + far} ${at(62)} ${a + near} ${foot}`;
  }
  const rise = 30 + (45 * Math.abs(from - to)) / Math.max(n - 1, 1);
  const radius = (Math.abs(a - b) / 2).toFixed(1);
  const sweep = a < b === up ? 1 : 0;
  return `M${a.toFixed(1)} ${foot}A${radius} ${rise.toFixed(1)} 0 0 ${sweep} ${b.toFixed(1)} ${foot}`;
}

// The arcs of one side, `slots` of them; `choose` and `point` are told the place at the other end.
function side(up, slots, name, choose, point) {
  const near = svg("path", { class: "attn-arc attn-arc--near" });
  const halo = svg("path", { class: `attn-arc attn-arc--pair attn-${up ? "query" : "key"}` });
  const arcs = slots.map(() => svg("path", { class: "attn-arc" }));
  const hits = slots.map((i) =>
    svg("path", {
      class: "attn-arc attn-arc--hit",
      onclick: () => choose(i),
      onpointerenter: () => point(i),
      onpointerleave: () => point(null),
    }),
  );
  const root = svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "attn-arcs", role: "img", "aria-label": name },
    near, halo, ...arcs, ...hits,
  );
  const thick = (weight) => (LEAST + MOST * weight).toFixed(2);
  const between = (i, j, n) => (up ? arc(i, j, n, up) : arc(j, i, n, up));
  // The weights that go with the arcs: the row of token i, or its column.
  function draw(weights, i, j) {
    const n = weights.length;
    arcs.forEach((path, k) => {
      const there = k < n;
      const d = there ? between(i, k, n) : null;
      set(path, { d, "stroke-width": there ? thick(weights[k]) : null });
      set(hits[k], { d });
    });
    set(halo, { d: between(i, j, n), "stroke-width": Number(thick(weights[j])) + 7 });
  }
  // Any pair that the reader points at in the matrix, or none.
  function show(pair, weight, n) {
    const d = pair ? between(pair[0], pair[1], n) : null;
    set(near, { d, "stroke-width": pair ? Number(thick(weight)) + 5 : null });
  }
  return { root, draw, show };
}

export function tokenRow({ slots, choose, pair, point }) {
  const group = uniqueId("tokens");
  const above = side(true, slots, words.above, pair, (k) => point(k, true));
  const below = side(false, slots, words.below, pair, (k) => point(k, false));
  const chips = slots.map((i) => {
    const input = radio(group, i, choose);
    const text = h("span");
    return { input, text, element: h("label", { class: "attn-choice attn-token" }, input, text) };
  });
  const looks = h("p", { class: "attn-panel-title" });
  const total = h("p", { class: "attn-panel-title" });
  const row = h(
    "div",
    { class: "attn-token-row", role: "radiogroup", "aria-label": "The token that asks" },
    ...chips.map(({ element }) => element),
  );
  const element = h("div", null, looks, above.root, row, below.root, total);

  function draw(tokens, weights, i, j) {
    row.style.setProperty("--tokens", tokens.length);
    chips.forEach(({ input, text, element: chip }, k) => {
      const word = tokens[k];
      hide(chip, word === undefined);
      if (word === undefined) return;
      input.checked = k === i;
      write(text, word);
      set(input, { "aria-label": `query ${k + 1}, ${word}` });
    });
    const column = weights.map((each) => each[i]);
    above.draw(weights[i], i, j);
    below.draw(column, i, j);
    const name = tokens[i];
    write(looks, fill(words.looks, { name }));
    write(total, `${fill(words.looked, { name })} ${number(sum(column), 3)}`);
  }
  function show(near, weights) {
    above.show(near, near && weights[near[0]][near[1]], weights.length);
  }
  return { element, draw, show };
}
