// n items in a layer of attention: what each step costs, and how the whole grows.
import { amount, machineButtons, RATES, rateSlider, rounded } from "../shared/amounts.js";
import { choice, slider } from "../shared/controls.js";
import { indices, sum } from "../shared/core.js";
import { bound, change, controlRow, mount, presets, readable, spoken } from "../shared/frame.js";
import { fill, h, lines, set, write } from "../shared/parts.js";
import { countedSteps, crossingOf, MEASURES, sums, timed } from "./costs.js";
import { growthChart } from "./growth.js";
import { stepsTable } from "./table.js";
import words from "./words.json";
import { workedLines } from "./worked.js";

const SIZES = ["d_model", "n_heads", "itemsize", "part", "way"];
const TRAITS = ["n", ...SIZES, ...RATES, "measure", "step"];
// Powers of two, and half-way between them; and all numbers of heads.
const LENGTHS = indices(12).map((k) => [2 ** (k + 1), 3 * 2 ** k]).flat().concat(8192);
const HEADS = indices(64).map((k) => k + 1);
const MACHINES = { core: [1.5e11, 2e10, 1.8e9], gpu: [5e14, 4e12, 4e12] };

// All that follows from the state.
function explored(model, crossingOf) {
  const state = Object.fromEntries(TRAITS.map((name) => [name, model.get(name)]));
  const { n, itemsize, n_heads: heads } = state;
  const costs = timed(n, state);
  const sumOf = (name) => sum(countedSteps(state).map((step) => costs[step][name]));
  const totals = Object.fromEntries(MEASURES.map((name) => [name, sumOf(name)]));
  const { pairs, total } = sums(n, state);
  const doubling = sums(2 * n, state).total / total;
  const scores = heads * n * n;
  const numbers = {
    n,
    twice: 2 * n,
    d: state.d_model,
    heads,
    pairs_share: rounded(pairs / total, 2),
    doubling,
    slope: Math.log2(doubling),
    crossing: crossingOf(state),
  };
  const texts = { pairs: amount(scores), held: amount(scores * itemsize, "B") };
  const told = {
    scores: fill(words[state.way === "naive" ? "kept" : "blocks"], texts),
    growth: fill(words.doubling, numbers),
    lead: fill(words[Number.isNaN(numbers.crossing) ? "never" : "half"], numbers),
    measure: words.measures[state.measure],
    work_text: amount(totals.work),
    moved_text: amount(totals.bytes, "B"),
    least_text: amount(totals.seconds, "s"),
  };
  return { state, costs, sum: totals, numbers, told };
}

// The largest number of heads, at most this one, that divides d.
function shared(heads, d) {
  let fitting = Math.min(heads, d);
  while (d % fitting) fitting -= 1;
  return fitting;
}

// A slider from one of these sizes to the next; what the trait holds has to be among them.
function sizeSlider(model, trait, label, sizes, take) {
  let stops = [];
  const made = slider({
    label,
    range: [0, 0, 1],
    value: 0,
    format: () => String(model.get(trait)),
    onInput: (place) => take(stops[place]),
  });
  const draw = () => {
    const now = model.get(trait);
    stops = [...sizes()].sort((a, b) => a - b);
    set(made.element.querySelector("input"), { max: stops.length - 1 });
    made.update(stops.indexOf(now));
  };
  draw();
  return { element: made.element, draw };
}

// Length and heads. A length that the heads do not share takes fewer of them, for as long as need be.
function sizeSliders(model) {
  let wished = null;
  let lowered = null;
  const take = (d) => {
    if (model.get("n_heads") !== lowered) wished = model.get("n_heads");
    lowered = shared(wished, d);
    change(model, { d_model: d, n_heads: lowered });
  };
  const lengths = new Set(LENGTHS);
  const fitting = () => HEADS.filter((heads) => model.get("d_model") % heads === 0);
  return [
    sizeSlider(model, "d_model", "Width d", () => lengths.add(model.get("d_model")), take),
    sizeSlider(model, "n_heads", "Heads h", fitting, (heads) => {
      wished = lowered = null;
      change(model, { n_heads: heads });
    }),
  ];
}

const named = (names) => Object.entries(names);

export function render({ model, el }) {
  const chart = growthChart({
    at: () => model.get("n"),
    place: (n) => change(model, { n }),
  });
  const table = stepsTable({
    measure: (measure) => change(model, { measure }),
    choose: (step) => change(model, { step }),
  });
  const note = lines("attn-panel-note", 2);
  const held = h("p", { class: "attn-cost-scores" });
  const worked = lines("attn-cost-worked", 3);
  const controls = [
    ...sizeSliders(model),
    rateSlider(model, "flops_per_s", "Arithmetic", [9, 15], "FLOP"),
    rateSlider(model, "bytes_per_s", "Memory", [9, 13], "B"),
    rateSlider(model, "exponentials_per_s", "Exponentials", [8, 14], ""),
    bound(model, "itemsize", choice, {
      label: "Bytes each",
      options: [["2", "2"], ["4", "4"], ["8", "8"]],
      read: String,
      write: Number,
    }),
    bound(model, "way", choice, { label: "Scores", options: named(words.ways) }),
  ];
  const machines = machineButtons(model, words.machines, MACHINES);
  // The curves and their crossing do not hang on n.
  const keyOf = (state) => ["measure", ...SIZES, ...RATES].map((name) => state[name]).join();
  let last = {};
  const crossing = (state) => {
    const key = keyOf(state);
    if (key !== last.key) last = { key, crossing: crossingOf(state) };
    return last.crossing;
  };
  const voice = spoken(words);
  const writeTexts = readable(worked.element, (told, texts) => {
    note.write([told.growth, told.lead]);
    write(held, told.scores);
    worked.write(texts);
  });

  function draw() {
    const { state, costs, sum: totals, numbers, told } = explored(model, crossing);
    chart.draw(state, numbers.crossing, last.key);
    table.draw({ costs, sum: totals, state });
    controls.forEach((control) => control.draw());
    writeTexts(told, workedLines(state, costs[state.step]));
    voice.say(() => fill(words.announcement, { ...numbers, ...told }), numbers);
  }

  return mount(
    { model, el, draw, voice, traits: TRAITS },
    h(
      "div",
      { class: "attn-halves", style: "--right: 1.12fr" },
      h("div", null, chart.root, note.element),
      h("div", null, table.element, held, h("p", { class: "attn-cost-scores" }, words.legend)),
    ),
    worked.element,
    h("div", { class: "attn-cost-controls" }, controlRow(controls, h("div", { class: "attn-buttons" }, ...machines, presets(model, TRAITS)))),
  );
}
