// A query and a key at two positions, a hand each on every clock, and their dot product by shift.
import { choice, slider } from "../shared/controls.js";
import { dot } from "../shared/core.js";
import { bound, change, controlRow, mount, presets, readable, spoken } from "../shared/frame.js";
import { fill, h, lines, number, write } from "../shared/parts.js";
import { frequencies } from "../shared/seldom/transformer.js";
import { clocks } from "./clocks.js";
import { curve } from "./curve.js";
import { anglesAt, handsAt, lengths, partsOf, ranked, FAR } from "./hands.js";
import words from "./words.json";
import { workedLines } from "./worked.js";

const TRAITS = ["position", "shift", "ahead", "d", "base", "scheme", "pair", "query", "key"];

export function render({ model, el }) {
  const faces = clocks((pair) => change(model, { pair }));
  const plot = curve({
    at: () => model.get("shift"),
    place: (shift) => change(model, { shift }),
    redraw: () => draw(),
  });
  const steps = (label, low, high) => ({
    label,
    range: [low, high, 1],
    format: (value) => number(value, 0),
  });
  const named = (values) => values.map((value) => [value, String(value)]);
  const controls = [
    bound(model, "position", slider, steps("Position", 0, 100)),
    bound(model, "shift", slider, steps("Shift", -FAR, FAR)),
    bound(model, "ahead", slider, steps("Query turned by", -20, 20)),
    bound(model, "d", choice, { label: "Components d", options: named([2, 4, 8, 16]) }),
    bound(model, "base", choice, { label: "Base", options: named([10, 100, 10000]) }),
    bound(model, "scheme", choice, { label: "Hands are", options: Object.entries(words.schemes) }),
  ];
  const [query, key] = ["query", "key"].map((role) => h("span", { class: `attn-${role}` }));
  const where = h("p", { class: "attn-clocks-where attn-number" }, query, key);
  const heading = h("p", { class: "attn-panel-title attn-number" });
  const peaks = h("p", { class: "attn-likeness-peaks" });
  const worked = lines("attn-clocks-worked", 2);
  const voice = spoken(words);
  const writeTexts = readable(where, (numbers, texts) => {
    write(query, fill(words.query, numbers));
    write(key, fill(words.key, numbers));
    write(heading, fill(words.curve, numbers));
    write(peaks, fill(`${words.peaks} ${words.dashed}`, numbers));
    worked.write(texts);
  });

  function draw() {
    const state = Object.fromEntries(TRAITS.map((name) => [name, model.get(name)]));
    const { position, shift, ahead, d, base, scheme } = state;
    const chosen = Math.min(state.pair, d / 2 - 1);
    const partsAt = partsOf(state);
    const longest = lengths(state);
    const top = Math.max(0.5, dot(...longest));
    const similarities = plot.draw(partsAt, { shift, ahead, chosen, top });
    const omegas = frequencies(d, base);
    const [peak, second] = ranked(similarities);
    const numbers = {
      position,
      other: position + shift,
      shift,
      ahead,
      similarity: similarities[shift + FAR],
      part: partsAt(shift),
      angle: anglesAt(state),
      wavelength: omegas.map((omega) => (2 * Math.PI) / omega),
      pair: chosen,
      omega: omegas[chosen],
      peak,
      best_shift: second,
      best: similarities[second + FAR],
    };
    const from = handsAt(state, state.query, position, ahead);
    const to = handsAt(state, state.key, position + shift);
    const reach = Math.max(1, ...longest.flat());
    faces.draw({ from, to, angles: numbers.angle, reach, chosen, scheme }, numbers);
    controls.forEach((control) => control.draw());
    writeTexts(numbers, workedLines(state, chosen, numbers, from, to));
    voice.say(() => fill(words.announcement, numbers), numbers);
  }

  return mount(
    { model, el, draw, voice, traits: TRAITS },
    faces.element,
    where,
    heading,
    plot.root,
    peaks,
    worked.element,
    controlRow(controls, presets(model, TRAITS)),
  );
}
