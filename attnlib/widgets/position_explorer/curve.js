// The dot product at every shift; the shift that is chosen is a point on the curve.
import { indices, sum } from "../shared/core.js";
import { onWidth } from "../shared/movable.js";
import { number, set, svg, trimmed, visible } from "../shared/parts.js";
import { path, plot } from "../shared/plot.js";
import { FAR } from "./hands.js";
import words from "./words.json";

const FINE = 4;

export function curve({ at, place, redraw }) {
  const axes = plot(words.axis, {
    kind: "attn-likeness",
    height: 204,
    edges: [10, 14, 40, 38],
    x: [-FAR, FAR],
    y: [-1, 1],
  });
  const { root, top: ceiling, floor, toX, toY } = axes;
  const drawLevels = axes.levels(3);
  axes.rule(toY(0), "attn-axis");
  const shifts = indices(11).map((n) => 10 * n - FAR);
  const places = axes.ticks(shifts, (shift) => number(shift, 0));
  axes.title(words.axis);
  const [wave, line, dots] = ["wave", "line", "dots"].map((kind) =>
    svg("path", { class: `attn-likeness-${kind}` }),
  );
  const looks = svg("line", { class: "attn-likeness-look attn-query", y1: ceiling, y2: floor });
  const letter = svg("text", { class: "attn-label attn-query", y: floor - 6, "text-anchor": "start" }, "q");
  const stem = svg("line", { class: "attn-likeness-stem attn-key", y1: toY(0) });
  root.append(looks, wave, line, dots, letter);
  const chosenShift = axes.point({
    kind: "attn-key",
    r: 7,
    within: [stem],
    anywhere: true,
    label: "Shift on the curve",
    step: 1,
    at,
    place: (shift) => place(Math.round(shift)),
    describe: (shift) => number(shift, 0),
  });

  // The parts of all pairs at a shift are what `partsAt` gives; one pair's wave is dashed.
  function draw(partsAt, { shift, ahead, chosen, top }) {
    axes.y = [-top, top];
    const shiftOf = (n) => n / FINE - FAR;
    const parts = indices(2 * FAR * FINE + 1).map((n) => partsAt(shiftOf(n)));
    const sums = parts.map(sum);
    const points = (heights) => heights.map((y, n) => [toX(shiftOf(n)), toY(y)]);
    const whole = (_, n) => n % FINE === 0;
    set(line, { d: path(points(sums)) });
    set(wave, { d: path(points(parts.map((each) => each[chosen]))) });
    set(dots, { d: points(sums).filter(whole).map((point) => `${path([point])}h0`).join("") });
    const y = toY(sums[(shift + FAR) * FINE]).toFixed(2);
    set(stem, { x1: toX(shift), x2: toX(shift), y2: y });
    chosenShift(toX(shift), y);
    set(looks, { x1: toX(ahead), x2: toX(ahead) });
    set(letter, { x: toX(ahead) + 4 });
    drawLevels([top, 0, -top].map((level) => [level, trimmed(level, 1)]));
    return sums.filter(whole);
  }

  onWidth(root, (pixels) => {
    axes.resize(pixels);
    places.forEach((text, n) => visible(pixels >= 420 || shifts[n] % 20 === 0, text));
    redraw();
  });
  return { root, draw };
}
