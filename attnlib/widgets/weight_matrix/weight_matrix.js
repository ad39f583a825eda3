// Choose a row of the matrix of weights and follow its answer; move a query, and see what moves.
import { choice } from "../shared/controls.js";
import { indices, sum } from "../shared/core.js";
import { bound, change, controlRow, follow, mount } from "../shared/frame.js";
import { panel, presets, readable, spoken } from "../shared/frame.js";
import { fill, h, number, replaced, set, subscript, svg, trimmed, vector, write } from "../shared/parts.js";
import { arrowOf, diamond, drawArrow, label } from "../shared/plane.js";
import { meanOf, mixture, placeLabel, planeOf } from "../shared/plane.js";
import { answers } from "./answering.js";
import { matrices } from "./matrices.js";
import words from "./words.json";

const TRAITS = ["Q", "K", "V", "row", "axis"];

// The cosine of the angle between two arrows, 0 for one without a length.
function along([a, b], [x, y]) {
  return (a * x + b * y) / (Math.hypot(a, b) * Math.hypot(x, y) || 1);
}

// The rows of a matrix by their names, one after the other.
function listOf(letter, role) {
  const element = h("p", { class: `attn-panel-note attn-${role}` });
  const name = (row, i) => `${letter}${subscript(i)}\u00a0=\u00a0[${row.map((x) => trimmed(x)).join(",\u00a0")}]`;
  return { element, draw: (rows) => write(element, rows.map(name).join(" \u2002")) };
}

// Arrows for the keys, and for the queries, which can be moved.
function queriesPanel(model, place) {
  const reach = Math.ceil(model.get("key_range")[1]) - 1;
  const ticks = indices(reach).map((i) => i + 1).flatMap((t) => [-t, t]);
  const plane = planeOf(model.get("key_range"), "Queries and keys", ticks);
  const keys = model.get("K").map((_, j) => arrowOf(plane, "key", `k${subscript(j)}`));
  const queries = model.get("Q").map((_, i) =>
    arrowOf(plane, "query", `q${subscript(i)}`, {
      label: `Query ${i + 1}`,
      at: () => model.get("Q")[i],
      place: (point) => place(i, point),
      distance: 34,
    }),
  );
  // Below lie the broad queries, so that a key on the same line stays in sight.
  for (const { shaft, tip } of [...queries, ...keys]) plane.root.append(shaft, tip);
  for (const { text } of [...keys, ...queries]) plane.root.append(text);
  for (const { group } of queries) plane.root.append(group);

  function draw(Q, K, chosen) {
    keys.forEach((parts, j) => {
      // The label of a key that a query lies along makes room for the query's tip and name, to the
      // upper right, as numbers stand on the other sides of the axes.
      const aligned = Q.some((q) => along(q, K[j]) > 0.9);
      const side = K[j][0] < K[j][1] ? Math.PI / 2 : -Math.PI / 2;
      drawArrow(plane, parts, K[j], aligned ? side : 0);
    });
    queries.forEach((parts, i) => {
      drawArrow(plane, parts, Q[i]);
      for (const part of [parts.shaft, parts.tip])
        set(part, { "data-faint": i === chosen ? null : "" });
    });
  }
  return { root: plane.root, draw };
}

// The values with as much ink as the chosen row gives them, their hull, and all answers.
function answersPanel(model) {
  const range = model.get("value_range");
  const ticks = [4, 8, 12].filter((tick) => tick < range[1]);
  const plane = planeOf(range, "Values and answers", ticks);
  const mixed = mixture(plane, model.get("V").length);
  const outputs = model.get("Q").map((_, i) => ({
    mark: svg("path", { class: "attn-output" }),
    text: label(`y${subscript(i)}`, "value"),
  }));
  for (const { mark, text } of outputs) plane.root.append(mark, text);

  function draw(V, result, chosen) {
    const middle = meanOf(result.output.map(plane.to));
    const [ox, oy] = plane.to(result.output[chosen]);
    mixed.draw(V.map(plane.to), result.weights[chosen], [ox, oy]);
    outputs.forEach(({ mark, text }, i) => {
      const [x, y] = plane.to(result.output[i]);
      const r = i === chosen ? 9 : 6;
      set(mark, {
        d: diamond([x, y], r),
        "data-faint": i === chosen ? null : "",
      });
      // The chosen answer has its lines to the values; its name goes to the outer side, away from
      // the other answers, and theirs stand above, on the side away from it.
      const aside = x < ox ? -r - 9 : r + 9;
      const [nx, ny] = i === chosen ? [x, y] : [x + aside, y - r - 8];
      placeLabel(text, [nx, ny], middle, i === chosen ? r + 13 : 0);
    });
  }
  return { root: plane.root, draw };
}

export function render({ model, el }) {
  const place = (i, point) => change(model, { Q: replaced(model.get("Q"), i, point), row: i });
  const meeting = queriesPanel(model, place);
  const answering = answersPanel(model);
  const table = matrices({
    queries: model.get("Q").length,
    keys: model.get("K").length,
    range: model.get("key_range"),
    at: (i) => model.get("Q")[i],
    place,
    choose: (i) => change(model, { row: i }),
  });
  const worked = h("p", { class: "attn-sum" });
  const [keys, values] = [listOf("k", "key"), listOf("v", "value")];
  const voice = spoken(words);
  const controls = [
    bound(model, "row", choice, {
      label: "Follow the row of",
      options: model.get("Q").map((_, i) => [String(i), `q${subscript(i)}`]),
      read: String,
      write: Number,
    }),
    bound(model, "axis", choice, {
      label: "Softmax along",
      options: [["keys", "the keys"], ["queries", "the queries"]],
    }),
  ];
  const writeWorked = readable(worked, (weights, output, row) => {
    const products = weights.map((w, j) => `${number(w, 3)}\u00a0v${subscript(j)}`);
    const mixed = vector(output).replace(" ", "\u00a0");
    write(worked, `y${subscript(row)} = ${products.join(" + ")} = ${mixed}`);
  });

  function draw() {
    const [Q, K, V, row, axis] = TRAITS.map((name) => model.get(name));
    const result = answers(Q, K, V, axis);
    meeting.draw(Q, K, row);
    answering.draw(V, result, row);
    keys.draw(K);
    values.draw(V);
    table.draw({ ...result, row });
    controls.forEach((control) => control.draw());
    const [scores, weights, output] = [result.scores[row], result.weights[row], result.output[row]];
    writeWorked(weights, output, row);
    const numbers = { query: row + 1, scores, weights, sum: sum(weights), output };
    voice.say(() => fill(words.announcement, numbers), numbers);
  }

  return mount(
    { model, el, draw, voice, traits: TRAITS },
    h(
      "div",
      { class: "attn-panels attn-answers" },
      panel(words.left, meeting.root, keys.element),
      panel(words.right, answering.root, values.element),
    ),
    table.element,
    worked,
    controlRow(controls, presets(model, TRAITS, table.restore)),
  );
}
