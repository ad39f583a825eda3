// Three houses and three utilities: choose a house, a kind of weights, cut an edge.
import { button, choice, slider } from "../shared/controls.js";
import { bound, change, controlRow, mount, presets, readable, spoken } from "../shared/frame.js";
import { fill, h, number, replaced, set, svg, write } from "../shared/parts.js";
import { picture } from "../shared/plot.js";
import { liveTable } from "../shared/table.js";
import { ASKED, asking, favourites, HOUSES, UTILITIES, VALUES } from "./asking.js";
import words from "./words.json";

const TRAITS = ["form", "house", "own", "edges"];
const [WIDTH, HEIGHT, TOP, LOW] = [360, 190, 26, 140];
const PLACES = [60, 180, 300];
const ALL = [0, 1, 2];

// The graph: a line for each edge, as thick as its weight; a press on it cuts it or joins it.
function graph(choose, toggle) {
  const root = picture(words.picture, WIDTH, HEIGHT, { class: "attn-graph" });
  const lines = ALL.map((i) =>
    ALL.map((j) => {
      const ends = { x1: PLACES[i], y1: TOP, x2: PLACES[j], y2: LOW };
      const line = svg("line", { class: "attn-graph-edge", ...ends });
      const onclick = () => toggle(i, j);
      return { line, hit: svg("line", { class: "attn-graph-hit", ...ends, onclick }) };
    }),
  );
  for (const kind of ["line", "hit"]) root.append(...lines.flat().map((parts) => parts[kind]));
  const node = (x, y, role, name) => {
    const circle = svg("circle", { class: `attn-graph-node attn-${role}`, cx: x, cy: y, r: 17 });
    const text = svg("text", { class: `attn-label attn-${role}`, x, y: y + 5, "text-anchor": "middle" }, name);
    root.append(circle, text);
    return circle;
  };
  const houses = ALL.map((i) => {
    const circle = node(PLACES[i], TOP, "query", HOUSES[i]);
    circle.addEventListener("click", () => choose(i));
    return circle;
  });
  for (const j of ALL) {
    node(PLACES[j], LOW, "value", number(VALUES[j], 0));
  }
  const names = ALL.map((j) => svg("text", { class: "attn-label attn-key", x: PLACES[j], y: LOW + 38, "text-anchor": "middle" }));
  root.append(...names);
  function draw({ kind, weights, edges, house }) {
    names.forEach((name, j) => write(name, kind === "original" ? `${UTILITIES[j]}, r = ${number(ASKED[j], 0)}` : UTILITIES[j]));
    for (const i of ALL) {
      set(houses[i], { "data-chosen": i === house });
      for (const j of ALL)
        set(lines[i][j].line, {
          "stroke-width": (1 + 11 * weights[i][j]).toFixed(2),
          "data-cut": !edges[i][j],
          "data-chosen": i === house,
        });
    }
  }
  return { root, draw };
}

// The same as numbers: a row for each house.
function weightsTable() {
  const { cell, header, row, table, draw } = liveTable("asks");
  const element = table(
    words.table,
    {},
    row("head", {}, header("name", ""), ...UTILITIES.map((name) => header("key", name)), header("hears", words.hears), header("wants", words.wants)),
    ...ALL.map((i) =>
      row(
        "house",
        { "data-chosen": ({ house }) => house === i },
        cell("name", { role: "rowheader" }, HOUSES[i]),
        ...ALL.map((j) => cell("weight", { "data-most": ({ best }) => best[i] === j }, ({ weights }) => number(weights[i][j], 2))),
        cell("hears", {}, ({ heard }) => number(heard[i], 2)),
        cell("wants", {}, number(VALUES[i], 0)),
      ),
    ),
  );
  return { element, draw };
}

function verdict(best) {
  if (best.every((j) => j < 0)) return words.even;
  if (best.every((j, i) => j === i)) return words.own_each;
  const name = (j) => (j < 0 ? "none" : UTILITIES[j]);
  if (best[0] >= 0 && best.every((j) => j === best[0])) return fill(words.same, { name: name(best[0]) });
  return fill(words.mixed, { name: best.map((j, i) => `${HOUSES[i]} ${name(j)}`).join(", ") });
}

export function render({ model, el }) {
  const message = h("p", { class: "attn-message", role: "alert" });
  function toggle(i, j) {
    const edges = model.get("edges");
    const row = replaced(edges[i], j, 1 - edges[i][j]);
    const left = row.some((edge) => edge);
    write(message, left ? "" : words.last);
    if (left) change(model, { edges: replaced(edges, i, row) });
  }
  const drawing = graph((house) => change(model, { house }), toggle);
  const table = weightsTable();
  const says = h("p", { class: "attn-graph-says" });
  const voice = spoken(words);
  const form = bound(model, "form", choice, { label: words.form, options: Object.entries(words.forms) });
  const house = bound(model, "house", choice, {
    label: words.house,
    options: HOUSES.map((name, i) => [i, name]),
  });
  house.element.querySelectorAll("input").forEach((input, i) => set(input, { "aria-label": `house ${HOUSES[i]}` }));
  const own = slider({
    label: words.own,
    range: [-3, 3, 0.5],
    value: model.get("own")[model.get("house")],
    format: (x) => number(x, 1),
    onInput: (x) => change(model, { own: replaced(model.get("own"), model.get("house"), x) }),
  });
  const cuts = UTILITIES.map((name, j) => button(`Cut ${name}`, () => toggle(model.get("house"), j)));
  const restore = () => write(message, "");
  const writeWords = readable(says, (best) => write(says, verdict(best)));

  function draw() {
    const [kind, chosen, numbers, edges] = TRAITS.map((name) => model.get(name));
    const { weights, heard } = asking(kind, numbers, edges);
    const best = favourites(weights);
    const state = { kind, weights, heard, edges, best, house: chosen };
    drawing.draw(state);
    table.draw(state);
    form.draw();
    house.draw();
    own.update(numbers[chosen]);
    set(own.element, { style: kind === "original" ? null : "visibility: hidden" });
    cuts.forEach((cut, j) => write(cut, `${edges[chosen][j] ? "Cut" : "Join"} ${UTILITIES[j]}`));
    writeWords(best);
    const said = { weights: weights[chosen], heard: heard[chosen], wants: VALUES[chosen], all: weights.flat() };
    voice.say(() => fill(words.announcement, { ...said, name: HOUSES[chosen] }), said);
  }

  return mount(
    { model, el, draw, voice, traits: TRAITS },
    controlRow([form], null),
    drawing.root,
    table.element,
    says,
    controlRow([house, own], h("div", { class: "attn-presets" }, ...cuts)),
    message,
    presets(model, TRAITS, restore),
  );
}
