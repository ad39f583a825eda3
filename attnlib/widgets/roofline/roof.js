// The roof of a machine, both axes logarithmic, and the points of naive and fused attention on it.
import { itemsAt, plain } from "../shared/amounts.js";
import { keepSizes, movable } from "../shared/movable.js";
import { fill, set, svg, tick, write } from "../shared/parts.js";
import { itemsOf, MOST, mostIntensity, placed, thirdRoof, WAYS } from "./work.js";
import words from "./words.json";

const SIZE = { width: 360, height: 268, left: 42, right: 12, top: 10, bottom: 36 };
// Powers of ten that the axes reach over: FLOPs a byte, FLOPs a second.
const X = [-1.3, 5.15];
const Y = [9, 15.9];

function path(points) {
  return `M${points.map(([x, y]) => `${x.toFixed(2)} ${y.toFixed(2)}`).join("L")}`;
}

export function roofChart({ given, place }) {
  const { width, height, left, right, top, bottom } = SIZE;
  const floor = height - bottom;
  const across = width - left - right;
  const inside = (value, [low, high]) => Math.min(Math.max(value, low), high);
  const toX = (intensity) =>
    left + ((inside(Math.log10(intensity), X) - X[0]) / (X[1] - X[0])) * across;
  const toY = (rate) =>
    floor - ((inside(Math.log10(rate), Y) - Y[0]) / (Y[1] - Y[0])) * (floor - top);
  const root = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    role: "group",
    "aria-label": "The roof of the machine",
  });
  keepSizes(root);
  const plane = {
    range: [0, Math.log2(MOST)],
    fromEvent: (event) => {
      const box = root.getBoundingClientRect();
      const along = (((event.clientX - box.left) / box.width) * width - left) / across;
      const n = itemsOf(10 ** (X[0] + along * (X[1] - X[0])), given());
      return [Math.log2(Math.max(n, 1)), 0];
    },
  };
  root.append(svg("rect", { class: "attn-paper", x: left, y: top, width: across, height: floor - top }));
  for (let power = Math.ceil(X[0]); power <= X[1]; power += 1) {
    const x = toX(10 ** power);
    root.append(
      svg("line", { class: "attn-grid", x1: x, x2: x, y1: top, y2: floor }),
      tick(x, floor + 15, "middle", power < 0 ? String(10 ** power) : plain(10 ** power)),
    );
  }
  for (let power = Y[0]; power <= Y[1]; power += 1) {
    const y = toY(10 ** power);
    root.append(
      svg("line", { class: "attn-grid", x1: left, x2: width - right, y1: y, y2: y }),
      tick(left - 4, y + 4, "end", plain(10 ** power)),
    );
  }
  root.append(tick(left + across / 2, height - 4, "middle", "intensity, FLOPs a byte"));
  const name = (anchor, text) => {
    const element = tick(0, 0, anchor, text);
    element.classList.add("attn-roofline-name");
    return element;
  };
  const shown = name("start", "FLOPs a second");
  set(shown, { x: left + 7, y: top + 15 });
  const [band, roof, third] = ["band", "roof", "third"].map((kind) =>
    svg("path", { class: `attn-roofline-${kind}` }),
  );
  const drops = ["ridge", "most"].map(() => ({
    line: svg("line", { class: "attn-roofline-drop" }),
    text: name("start", ""),
  }));
  const thirdName = name("end", words.terms.exponentials);
  const ring = svg("circle", { class: "attn-roofline-ring", r: 6 });
  const names = WAYS.map((way) => name("start", words.ways[way]));
  const knob = svg("circle", { class: "attn-roofline-knob", r: 6.5 });
  const hit = svg("circle", { class: "attn-hit" });
  const handle = svg("g", null, knob, hit);
  root.append(band, roof, third, ...drops.flatMap(({ line, text }) => [line, text]));
  root.append(shown, thirdName, ...names, ring, handle);
  const speak = movable(handle, {
    plane,
    label: "Items n",
    step: 1,
    at: () => [Math.log2(given().n), 0],
    place: ([power]) => place(itemsAt(power, given().n, MOST)),
    flat: true,
    describe: () => `${given().n} items`,
  });

  // The roof over these intensities, which bends once.
  function over(from, to, { bytes_per_s: bytes }, flat) {
    const [low, high] = [from, to].map((x) => Math.log10(inside(x, X.map((p) => 10 ** p))));
    const bend = Math.log10(flat / bytes);
    const start = Math.max(low, Math.min(Y[0] - Math.log10(bytes), high));
    const powers = [start, ...(bend > start && bend < high ? [bend] : []), high];
    return path(
      powers.map((power) => [toX(10 ** power), toY(Math.min(flat, bytes * 10 ** power))]),
    );
  }

  let drawn = null;

  // All that does not hang on n.
  function drawRoof(state) {
    const third_at = thirdRoof(state);
    const flat = Math.min(state.flops_per_s, third_at);
    const ends = X.map((power) => 10 ** power);
    set(roof, { d: over(...ends, state, state.flops_per_s) });
    const most = mostIntensity(state);
    set(band, { d: over(placed(1, state).naive.intensity, most, state, flat) });
    const ridge = state.flops_per_s / state.bytes_per_s;
    const counted = Number.isFinite(third_at);
    for (const part of [third, thirdName]) set(part, { visibility: counted ? null : "hidden" });
    if (counted) {
      const y = toY(third_at);
      set(third, { d: path([[left, y], [width - right, y]]) });
      set(thirdName, { x: width - right - 5, y: y + 14 });
    }
    const places = [
      { x: ridge, y: toY(state.flops_per_s), text: fill(words.ridge, { ridge }), first: ridge < most },
      { x: most, y: toY(Math.min(flat, state.bytes_per_s * most)), text: fill(words.most, { most: plain(most) }), first: ridge >= most },
    ];
    drops.forEach(({ line, text }, k) => {
      const { x: at, y, text: told, first } = places[k];
      const x = toX(at);
      set(line, { x1: x, x2: x, y1: y, y2: floor });
      const before = x > left + 0.72 * across || (first && x > left + 100);
      set(text, {
        x: x + (before ? -5 : 5),
        y: floor - (k ? 7 : 23),
        "text-anchor": before ? "end" : "start",
      });
      write(text, told);
    });
  }

  function draw(found, key) {
    if (key !== drawn) drawRoof(given());
    drawn = key;
    const [naive, fused] = WAYS.map((way) => [toX(found[way].intensity), toY(found[way].rate)]);
    set(ring, { cx: naive[0], cy: naive[1] });
    for (const circle of [knob, hit]) set(circle, { cx: fused[0], cy: fused[1] });
    const [low, high] = WAYS.map((way) => found[way].limit === "memory");
    set(names[0], low ? { x: naive[0] + 11, y: naive[1] + 13, "text-anchor": "start" } : { x: naive[0], y: naive[1] + 21, "text-anchor": "middle" });
    set(names[1], high ? { x: fused[0] - 10, y: fused[1] - 7, "text-anchor": "end" } : { x: inside(fused[0], [left + 52, width - right - 56]), y: fused[1] - 12, "text-anchor": "middle" });
    write(names[1], `${words.ways.fused}, n = ${given().n}`);
    speak();
  }
  return { root, draw };
}
