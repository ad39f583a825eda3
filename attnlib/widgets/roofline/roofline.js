// The roof of a machine, and how near to it naive and fused attention can come.
import { amount, machineButtons, RATES, rateSlider, rounded } from "../shared/amounts.js";
import { choice, slider } from "../shared/controls.js";
import { bound, change, controlRow, mount, presets, readable, spoken } from "../shared/frame.js";
import { fill, h, lines } from "../shared/parts.js";
import { roofChart } from "./roof.js";
import { timeBars } from "./times.js";
import { placed } from "./work.js";
import words from "./words.json";

const SIZES = ["d", "n_heads", "itemsize", "passes", "causal"];
const TRAITS = ["n", ...SIZES, ...RATES, "exponentials"];
// Round numbers, numbers near to a recorded core, and the nominal ones of a data sheet.
const MACHINES = {
  pocket: [1e14, 1e12, 5e11],
  core: [1.5e11, 2e10, 1.8e9],
  h200: [9.89e14, 4.8e12, 3.9e12],
};

function numbersOf(state, { naive, fused }) {
  return {
    n: state.n,
    d: state.d,
    ridge: rounded(state.flops_per_s / state.bytes_per_s, 1),
    naive_intensity: rounded(naive.intensity, 1),
    fused_intensity: rounded(fused.intensity, 1),
    gain: rounded(naive.seconds / fused.seconds, 2),
  };
}

function textsOf({ naive, fused }, numbers) {
  return {
    naive_time: amount(naive.seconds, "s"),
    fused_time: amount(fused.seconds, "s"),
    naive_limit: words.limits[naive.limit],
    fused_limit: words.limits[fused.limit],
    lead: fill(words.gain, numbers),
  };
}

// A slider of powers of two.
function powers(model, trait, label, [least, most]) {
  return bound(model, trait, slider, {
    label,
    range: [least, most, 1],
    format: (power) => String(Math.round(2 ** power)),
    read: Math.log2,
    write: (power) => 2 ** power,
  });
}

const named = (names) => Object.entries(names);
const units = (values, unit) => values.map((value) => [String(value), `${value}${unit}`]);

export function render({ model, el }) {
  const stateNow = () => Object.fromEntries(TRAITS.map((name) => [name, model.get(name)]));
  const chart = roofChart({ state: stateNow, place: (n) => change(model, { n }) });
  const times = timeBars();
  const note = lines("attn-panel-note", 1);
  const legend = h("p", { class: "attn-roofline-legend" }, words.legend);
  const whole = { read: String, write: Number };
  const controls = [
    powers(model, "d", "Width d", [3, 9]),
    powers(model, "n_heads", "Heads h", [0, 6]),
    rateSlider(model, "flops_per_s", "Arithmetic", [9, 15.6], "FLOP"),
    rateSlider(model, "bytes_per_s", "Memory", [9, 13], "B"),
    rateSlider(model, "exponentials_per_s", "Exponentials", [9, 13], ""),
    bound(model, "exponentials", choice, {
      label: "They are",
      options: named(words.counted),
      read: (counted) => (counted ? "counted" : "free"),
      write: (value) => value === "counted",
    }),
    bound(model, "itemsize", choice, { label: "A number", options: units([2, 4, 8], " B"), ...whole }),
    bound(model, "passes", choice, { label: "Passes", options: units([4, 6, 8], ""), ...whole }),
    bound(model, "causal", choice, {
      label: "Mask",
      options: named(words.masks),
      read: (causal) => (causal ? "causal" : "all"),
      write: (value) => value === "causal",
    }),
  ];
  const machines = machineButtons(model, words.machines, MACHINES);
  const voice = spoken(words);
  const writeLead = readable(note.element, (text) => note.write([text]));

  function draw() {
    const state = stateNow();
    const ways = placed(state.n, state);
    const numbers = numbersOf(state, ways);
    chart.draw(ways, TRAITS.slice(1).map((name) => state[name]).join());
    times.draw({ ways, counted: state.exponentials });
    controls.forEach((control) => control.draw());
    const texts = textsOf(ways, numbers);
    writeLead(texts.lead);
    voice.say(() => fill(words.announcement, { ...numbers, ...texts }), numbers);
  }

  return mount(
    { model, el, draw, voice, traits: TRAITS },
    h(
      "div",
      { class: "attn-halves", style: "--left: 1.1fr" },
      h("div", null, chart.root, legend),
      h("div", null, times.element, note.element),
    ),
    h("div", { class: "attn-roofline-controls" }, controlRow(controls, h("div", { class: "attn-buttons" }, ...machines, presets(model, TRAITS)))),
  );
}
