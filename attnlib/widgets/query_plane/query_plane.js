// Drag the query, the keys and the values; the weights and the output follow.
import { choice, powerSlider } from "../shared/controls.js";
import { attend } from "../shared/core.js";
import { bound, change, controlRow, follow } from "../shared/frame.js";
import { mount, panel, presets, spoken } from "../shared/frame.js";
import { movable } from "../shared/movable.js";
import { disc, fill, h, replaced, set, subscript, svg } from "../shared/parts.js";
import { SIZE, arrowOf, diamond, drawArrow, label, mixture, planeOf } from "../shared/plane.js";
import words from "./words.json";
import { workedTable } from "./worked_table.js";

const TRAITS = ["query", "K", "V", "normalizer", "temperature"];

// Where it matches: arrows for the query and the keys, and each key's foot on the query's line.
function matchingPanel(model) {
  const [, reach] = model.get("key_range");
  const ticks = reach > 3 ? [-3, -2, -1, 1, 2, 3] : [-2, -1, 1, 2];
  const plane = planeOf(model.get("key_range"), "Query and keys", ticks);
  // One path for all lines and one for all feet: one change each when the query moves.
  const lines = svg("path", { class: "attn-guide" });
  const feet = svg("path", { class: "attn-foot" });
  plane.root.append(lines);
  const query = arrowOf(plane, "query", "q", {
    label: "Query",
    at: () => model.get("query"),
    place: (point) => change(model, { query: point }),
    distance: 34,
  });
  const keys = model.get("K").map((_, i) =>
    arrowOf(plane, "key", `k${subscript(i)}`, {
      label: `Key ${i + 1}`,
      at: () => model.get("K")[i],
      place: (point) => change(model, { K: replaced(model.get("K"), i, point) }),
    }),
  );
  // Below lies the broad query, so that a key on the same line stays in sight; above lies the
  // query's handle, so that it is the query that is dragged there.
  for (const { shaft, tip } of [query, ...keys]) plane.root.append(shaft, tip);
  plane.root.append(query.tip, feet);
  for (const { text, group } of [...keys, query]) plane.root.append(text, group);

  function draw(q, K) {
    const length = Math.hypot(...q);
    const along = q.map((x) => (length ? x / length : 0));
    // No further than the picture: what it covers stays the same, so its layers need no new order.
    const far = plane.range[1] / (Math.max(...along.map(Math.abs)) || 1);
    const ends = [-far, far].map((r) => plane.to(along.map((x) => x * r)));
    const paths = [`M${ends.join("L")}`];
    const dots = [];
    drawArrow(plane, query, q);
    keys.forEach((parts, i) => {
      // The label of a key that lies along the query makes room for the query's tip and name.
      const reach = K[i][0] * along[0] + K[i][1] * along[1];
      const aligned = reach > 0.9 * Math.hypot(...K[i]);
      drawArrow(plane, parts, K[i], aligned ? -Math.PI / 2 : 0);
      const [from, foot] = [K[i], along.map((x) => x * reach)].map(plane.to);
      paths.push(`M${from}L${foot}`);
      dots.push(disc(...foot, 3));
    });
    set(lines, { d: paths.join("") });
    set(feet, { d: dots.join("") });
  }
  return { root: plane.root, draw };
}

// What it returns: the values with as much ink as weight, their hull, and the output inside it.
function returningPanel(model) {
  const range = model.get("value_range");
  const ticks = [4, 8].filter((tick) => tick < range[1]);
  const plane = planeOf(range, "Values and output", ticks);
  const mixed = mixture(plane, model.get("V").length);
  const handles = mixed.groups.map((group, i) => {
    const hit = svg("circle", { class: "attn-hit" });
    group.append(hit);
    const speak = movable(group, {
      plane,
      label: `Value ${i + 1}`,
      step: 0.5,
      at: () => model.get("V")[i],
      place: (point) => change(model, { V: replaced(model.get("V"), i, point) }),
    });
    return { hit, speak };
  });
  const output = svg("path", { class: "attn-output" });
  const outputText = label("y", "value");
  plane.root.append(output, outputText);

  function draw(V, weights, y) {
    const points = V.map(plane.to);
    const [ox, oy] = plane.to(y);
    mixed.draw(points, weights, [ox, oy]);
    handles.forEach(({ hit, speak }, i) => {
      const [cx, cy] = points[i];
      set(hit, { cx, cy });
      speak();
    });
    set(output, { d: diamond([ox, oy], 9) });
    set(outputText, { x: Math.min(ox + 18, SIZE - 12), y: Math.max(oy - 12, 16) });
  }
  return { root: plane.root, draw };
}

export function render({ model, el }) {
  const matching = matchingPanel(model);
  const returning = returningPanel(model);
  const table = workedTable(model);
  const voice = spoken(words);
  const controls = [
    bound(model, "normalizer", choice, {
      label: "Normalise by",
      options: ["softmax", "sparsemax", "sigmoid_normalize", "hardmax"].map((name) => [
        name,
        name.split("_")[0],
      ]),
    }),
    bound(model, "temperature", powerSlider, { label: "Temperature", powers: [-1, 1] }),
  ];

  function draw() {
    const [query, keys, values, kind, heat] = TRAITS.map((name) => model.get(name));
    const attended = attend([query], keys, values, { normalizer: kind, temperature: heat });
    const [scores, weights, y] = [attended.scores[0], attended.weights[0], attended.output[0]];
    matching.draw(query, keys);
    returning.draw(values, weights, y);
    table.draw({ scores, weights, y, V: values, normalizer: kind, temperature: heat });
    controls.forEach((control) => control.draw());
    const numbers = { weights, output: y };
    voice.say(() => fill(words.announcement, numbers), numbers);
  }

  return mount(
    { model, el, draw, voice, traits: TRAITS },
    h(
      "div",
      { class: "attn-panels" },
      panel(words.left, matching.root),
      panel(words.right, returning.root),
    ),
    table.element,
    controlRow(controls, presets(model, TRAITS, table.restore)),
  );
}
