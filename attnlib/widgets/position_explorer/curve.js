// The dot product at every shift; the shift that is chosen is a point on the curve.
import { movable, onWidth } from "../shared/movable.js";
import { number, set, svg, tick, trimmed, write } from "../shared/parts.js";
import { FAR } from "./hands.js";
import words from "./words.json";

// As wide as its place, in pixels, and as high everywhere: letters keep their size.
const [HEIGHT, TOP, BOTTOM, LEFT, RIGHT] = [204, 10, 40, 38, 14];
const FINE = 4;
const MIDDLE = (HEIGHT - TOP - BOTTOM) / 2 + TOP;

export function curve({ at, place, redraw }) {
  let width = 660;
  const unit = () => (width - LEFT - RIGHT) / (2 * FAR);
  const toX = (shift) => LEFT + (shift + FAR) * unit();
  const root = svg("svg", { class: "attn-likeness", role: "group", "aria-label": words.axis });
  const plane = {
    range: [-FAR, FAR],
    fromEvent: (event) => {
      const box = root.getBoundingClientRect();
      return [(((event.clientX - box.left) / box.width) * width - LEFT) / unit() - FAR, 0];
    },
  };
  const floor = HEIGHT - BOTTOM;
  const paper = svg("rect", { class: "attn-paper", x: LEFT, y: TOP, height: floor - TOP });
  const rules = [TOP, MIDDLE, floor].map((y) =>
    svg("line", { class: y === MIDDLE ? "attn-axis" : "attn-grid", x1: LEFT, y1: y, y2: y }),
  );
  const levels = [TOP, MIDDLE, floor].map((y) => tick(LEFT - 5, y + 4, "end", ""));
  const shifts = Array.from({ length: 11 }, (_, n) => 10 * n - FAR);
  const places = shifts.map((shift) => tick(0, floor + 15, "middle", number(shift, 0)));
  const caption = tick(0, HEIGHT - 5, "middle", words.axis);
  const [wave, line, dots] = ["wave", "line", "dots"].map((kind) =>
    svg("path", { class: `attn-likeness-${kind}` }),
  );
  const looks = svg("line", { class: "attn-likeness-look attn-query", y1: TOP, y2: floor });
  const letter = svg("text", { class: "attn-label attn-query", y: floor - 6, "text-anchor": "start" }, "q");
  const stem = svg("line", { class: "attn-likeness-stem attn-key", y1: MIDDLE });
  const knob = svg("circle", { class: "attn-likeness-knob attn-key", r: 7 });
  const hit = svg("circle", { class: "attn-hit" });
  const handle = svg("g", null, stem, knob, hit);
  root.append(paper, ...rules, ...levels, ...places, caption, looks, wave, line, dots, letter, handle);
  const speak = movable(handle, {
    plane,
    label: "Shift on the curve",
    step: 1,
    at: () => [at(), 0],
    place: ([shift]) => place(Math.round(shift)),
    surface: root,
    flat: true,
    describe: ([shift]) => number(shift, 0),
  });

  function arrange() {
    set(root, { viewBox: `0 0 ${width} ${HEIGHT}` });
    set(paper, { width: width - LEFT - RIGHT });
    for (const rule of rules) set(rule, { x2: width - RIGHT });
    places.forEach((text, n) => {
      set(text, { x: toX(shifts[n]), visibility: width < 420 && shifts[n] % 20 ? "hidden" : null });
    });
    set(caption, { x: (LEFT + width - RIGHT) / 2 });
  }

  // The parts of all pairs at a shift are what `partsAt` gives; one pair's wave is dashed.
  function draw(partsAt, { shift, ahead, chosen, top }) {
    const toY = (y) => MIDDLE - (y / top) * (MIDDLE - TOP);
    const found = Array.from({ length: 2 * FAR * FINE + 1 }, (_, n) => partsAt(n / FINE - FAR));
    const sums = found.map((parts) => parts.reduce((a, b) => a + b, 0));
    const point = (y, n) => `${toX(n / FINE - FAR).toFixed(2)} ${toY(y).toFixed(2)}`;
    set(line, { d: `M${sums.map(point).join("L")}` });
    set(wave, { d: `M${found.map((parts, n) => point(parts[chosen], n)).join("L")}` });
    const whole = sums.map((y, n) => (n % FINE ? "" : `M${point(y, n)}h0`));
    set(dots, { d: whole.join("") });
    const y = toY(sums[(shift + FAR) * FINE]).toFixed(2);
    set(stem, { x1: toX(shift), x2: toX(shift), y2: y });
    for (const circle of [knob, hit]) set(circle, { cx: toX(shift), cy: y });
    set(looks, { x1: toX(ahead), x2: toX(ahead) });
    set(letter, { x: toX(ahead) + 4 });
    [top, 0, -top].forEach((level, n) => write(levels[n], trimmed(level, 1)));
    speak();
    return sums.filter((_, n) => n % FINE === 0);
  }

  onWidth(root, (pixels) => {
    width = pixels;
    arrange();
    redraw();
  });
  arrange();
  return { root, draw };
}
