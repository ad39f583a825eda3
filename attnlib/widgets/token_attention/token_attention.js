// Tokens that attend to each other: arcs and matrix follow each other, and the row can be changed.
import { button, choice } from "../shared/controls.js";
import { indices, sum } from "../shared/core.js";
import { bound, change, controlRow, follow, mount } from "../shared/frame.js";
import { panel, presets, readable, spoken } from "../shared/frame.js";
import { fill, h, lines, number, replaced, trimmed, vector, write } from "../shared/parts.js";
import { tokenRow } from "./arcs.js";
import limits from "./limits.json";
import { weightsTable } from "./matrix.js";
import { attendTokens, removed, repeated, shuffled } from "./tokens.js";
import { vectorsTable } from "./vectors.js";
import words from "./words.json";

const MATRICES = ["W_Q", "W_K", "W_V"];
const TRAITS = ["vocabulary", "features", "X", ...MATRICES, "tokens", "row", "column", "keys_by"];
const [WORDS, FEATURES, TOKENS] = ["words", "features", "tokens"].map((name) => indices(limits[name]));

// The tokens that are words of the vocabulary, or else each word once; and the two places that are
// marked, as far as they are there.
function rowOf(model) {
  const vocabulary = model.get("vocabulary");
  const known = model.get("tokens").filter((word) => vocabulary.includes(word));
  const tokens = known.length ? known : vocabulary;
  const [row, column] = ["row", "column"].map((name) => Math.min(model.get(name), tokens.length - 1));
  return { tokens, row, column };
}

// Buttons that change the row, and a line that says why one does nothing.
function rowButtons(model) {
  const message = h("p", { class: "attn-message", "aria-live": "assertive" });
  const act = (label, next, refuse = () => "") =>
    button(label, () => {
      const marked = rowOf(model);
      const why = refuse(marked.tokens.length);
      write(message, why);
      if (!why) change(model, next(marked));
    });
  const element = h(
    "div",
    { class: "attn-row-buttons" },
    act("Shuffle", shuffled),
    act("Repeat", repeated, (n) => (n === limits.tokens ? words.full : "")),
    act("Remove", removed, (n) => (n === 1 ? words.alone : "")),
    message,
  );
  return { element, clear: () => write(message, "") };
}

export function render({ model, el }) {
  const choose = (row) => change(model, { row });
  let attended = null;
  const point = (near) => {
    arcs.show(near, attended.weights);
    matrix.show(near);
  };
  const arcs = tokenRow({
    slots: TOKENS,
    choose,
    pair: (column) => change(model, { column }),
    point: (k, up) => {
      const { row } = rowOf(model);
      point(k === null ? null : up ? [row, k] : [k, row]);
    },
  });
  const matrix = weightsTable({
    slots: TOKENS,
    choose,
    pair: (row, column) => change(model, { row, column }),
    pairWith: (column) => change(model, { column }),
    point,
  });
  const table = vectorsTable({
    slots: WORDS,
    features: FEATURES,
    range: model.get("x_range"),
    at: (i, k) => model.get("X")[i]?.[k] ?? 0,
    name: (i, k) => `${model.get("vocabulary")[i]}, ${model.get("features")[k]}`,
    place: (i, k, x) => {
      const X = model.get("X");
      change(model, { X: replaced(X, i, replaced(X[i], k, x)) });
    },
  });
  const worked = lines("attn-worked-row", 3);
  const voice = spoken(words);
  const buttons = rowButtons(model);
  const keys = bound(model, "keys_by", choice, {
    label: "Keys by",
    options: [["W_K", "W_K"], ["W_Q", "W_Q"]],
  });
  const writeWorked = readable(worked.element, (tokens, row, column, numbers, V) => {
    const pair = (a, b, s, w) => `${tokens[a]} \u2192 ${tokens[b]}: score ${s}, weight ${w}`;
    const { score, score_back: s, weight, back, weights, output } = numbers;
    const terms = weights.map((w, j) => `${number(w, 3)}\u00a0[${V[j].map((x) => trimmed(x)).join(",\u00a0")}]`);
    const mixed = vector(output, 3).replace(" ", "\u00a0");
    worked.write([
      pair(row, column, number(score), number(weight, 3)),
      pair(column, row, number(s), number(back, 3)),
      `y(${tokens[row]}) = ${terms.join(" + ")} = ${mixed}`,
    ]);
  });

  function draw() {
    const { tokens, row, column } = rowOf(model);
    const [vocabulary, features, X] = TRAITS.map((name) => model.get(name));
    const matrices = Object.fromEntries(MATRICES.map((name) => [name, model.get(name)]));
    if (model.get("keys_by") === "W_Q") matrices.W_K = matrices.W_Q;
    const vectors = tokens.map((word) => X[vocabulary.indexOf(word)]);
    attended = attendTokens(vectors, ...MATRICES.map((name) => matrices[name]));
    const { scores, weights, V, output } = attended;
    const across = weights.map((each) => each[row]);
    const numbers = {
      place: row + 1,
      partner: column + 1,
      count: tokens.length,
      weights: weights[row],
      column: across,
      sum: sum(across),
      score: scores[row][column],
      score_back: scores[column][row],
      weight: weights[row][column],
      back: weights[column][row],
      output: output[row],
    };
    point(null);
    arcs.draw(tokens, weights, row, column);
    matrix.draw({ tokens, row, column, weights, output });
    table.draw({ vocabulary, names: features, X, matrices });
    keys.draw();
    writeWorked(tokens, row, column, numbers, V);
    const names = { name: tokens[row], partner_name: tokens[column] };
    voice.say(() => fill(words.announcement, { ...numbers, ...names }), numbers);
  }

  const restore = () => {
    table.restore();
    buttons.clear();
  };
  return mount(
    { model, el, draw, voice, traits: TRAITS },
    h(
      "div",
      { class: "attn-halves attn-row-panels", style: "--left: 5fr; --right: 6fr" },
      h("div", null, arcs.element, buttons.element),
      panel(words.matrix, matrix.element),
      panel(words.vectors, table.element),
      h("div", null, worked.element, controlRow([keys], presets(model, TRAITS, restore))),
    ),
  );
}
