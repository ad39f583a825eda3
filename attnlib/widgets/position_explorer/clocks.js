// A clock for each pair of components: the query's hand, the key's, and the turn between them.
import { radio } from "../shared/controls.js";
import { indices } from "../shared/core.js";
import { readable } from "../shared/frame.js";
import { fill, h, hide, set, svg, uniqueId, write } from "../shared/parts.js";
import words from "./words.json";

const RADIUS = 44;
const MOST = 8;
// The turn is drawn as a coil: it starts so far out and widens so much with each whole turn.
const [COIL, WIDER, STEP] = [11, 2.4, 0.2];

function pathTo(unit, { arm, tip }) {
  const place = ([right, up]) => `${(right * unit).toFixed(2)} ${(-up * unit).toFixed(2)}`;
  return arm[0] || arm[1] ? `M0 0L${place(arm)}L${place(tip)}` : `M0 0L${place(tip)}`;
}

// From one hand clockwise to the other, or back where the angle is negative.
function coil([right, up], angle) {
  const start = Math.atan2(right, up);
  const steps = Math.max(1, Math.ceil(Math.abs(angle) / STEP));
  const points = indices(steps + 1).map((n) => {
    const turn = (angle * n) / steps;
    const radius = COIL + (WIDER * Math.abs(turn)) / (2 * Math.PI);
    const [sin, cos] = [Math.sin(start + turn), Math.cos(start + turn)];
    return `${(radius * sin).toFixed(2)} ${(-radius * cos).toFixed(2)}`;
  });
  return `M${points.join("L")}`;
}

function clock(i, group, choose) {
  const input = radio(group, i, choose);
  set(input, { "aria-label": `pair ${i}` });
  const parts = {
    dial: svg("circle", { class: "attn-clock-dial" }),
    coil: svg("path", { class: "attn-clock-coil" }),
    query: svg("path", { class: "attn-clock-hand attn-clock-hand--q attn-query" }),
    key: svg("path", { class: "attn-clock-hand attn-key" }),
    tip: svg("circle", { class: "attn-clock-tip attn-key", r: 4.5 }),
  };
  const marks = [0, 1, 2, 3].map((n) => {
    const [x, y] = [Math.round(Math.sin((n * Math.PI) / 2)), -Math.round(Math.cos((n * Math.PI) / 2))];
    return svg("line", { class: "attn-clock-mark", x1: 45 * x, y1: 45 * y, x2: 48 * x, y2: 48 * y });
  });
  const face = svg("svg", { viewBox: "-52 -52 104 104", class: "attn-clock-face", "aria-hidden": "true" },
    ...marks, ...Object.values(parts));
  const [name, wave, part] = [0, 1, 2].map(() => h("span", { class: "attn-number" }));
  write(name, `pair ${i}`);
  const element = h("label", { class: "attn-clock" }, input, face,
    h("span", { class: "attn-clock-texts" }, name, wave, part));
  return { element, input, parts, wave, part };
}

export function clocks(choose) {
  const group = uniqueId("pair");
  const all = indices(MOST).map((i) => clock(i, group, choose));
  const element = h(
    "div",
    { class: "attn-clocks", role: "radiogroup", "aria-label": "Pairs of components, a clock each" },
    ...all.map((each) => each.element),
  );
  const writeTexts = readable(element, (numbers, scheme) => {
    numbers.part.forEach((part, i) => {
      write(all[i].wave, fill(words.clock, { wavelength: numbers.wavelength[i] }));
      write(all[i].part, fill(words.parts[scheme], { part }));
    });
  });

  function draw({ from, to, angles, reach, chosen, scheme }, numbers) {
    set(element, { "data-count": from.length });
    const unit = RADIUS / reach;
    all.forEach(({ element: place, input, parts }, i) => {
      hide(place, i >= from.length);
      if (i >= from.length) return;
      input.checked = i === chosen;
      set(place, { "data-chosen": i === chosen ? "" : null });
      set(parts.dial, { r: unit.toFixed(2) });
      set(parts.query, { d: pathTo(unit, from[i]) });
      set(parts.key, { d: pathTo(unit, to[i]) });
      const [right, up] = to[i].tip;
      set(parts.tip, { cx: (right * unit).toFixed(2), cy: (-up * unit).toFixed(2) });
      set(parts.coil, { d: coil(from[i].tip, angles[i]) });
    });
    writeTexts(numbers, scheme);
  }
  return { element, draw };
}
