// A row for each key: its block, its score, its power, its value.
import { complaints, numberField } from "../shared/controls.js";
import { readable } from "../shared/frame.js";
import { movable, onWidth } from "../shared/movable.js";
import { h, number, replaced, set, subscript, svg, tick, write } from "../shared/parts.js";
import words from "./words.json";

const [HIGH, PAD] = [32, 20];
const KINDS = ["block", "key", "score", "plot", "power", "value", "product"];

// The score on its line, which is dragged; `width` tells how many pixels there are.
function scorePlot({ limit, width, at, place, key }) {
  const toX = (score) => PAD + ((score + limit) / (2 * limit)) * (width() - 2 * PAD);
  const root = svg("svg", { class: "attn-online-plot", role: "group", "aria-label": `Key ${key + 1}` });
  const plane = {
    range: [-limit, limit],
    fromEvent: (event) => {
      const left = root.getBoundingClientRect().left + PAD;
      return [((event.clientX - left) / (width() - 2 * PAD)) * 2 * limit - limit, 0];
    },
  };
  const line = (kind, given) => svg("line", { class: `attn-online-${kind}`, ...given });
  const through = { y1: -HIGH, y2: 2 * HIGH };
  const [zero, old, top] = ["zero", "old", "maximum"].map((kind) => line(kind, through));
  const stem = line("stem", { y1: HIGH / 2, y2: HIGH / 2 });
  const gap = line("gap", { y1: HIGH / 2, y2: HIGH / 2 });
  const knob = svg("circle", { class: "attn-online-knob", cy: HIGH / 2, r: 7 });
  const hit = svg("circle", { class: "attn-hit", cy: HIGH / 2 });
  const handle = svg("g", null, knob, hit);
  const lost = tick(2, HIGH / 2 + 4, "start", "\u2212\u221e");
  root.append(zero, old, gap, stem, lost, top, handle);
  const speak = movable(handle, {
    plane,
    label: `Score of key ${key + 1}`,
    step: 0.1,
    at: () => [at(), 0],
    place: ([score]) => place(score),
    flat: true,
    describe: ([score]) => number(score),
  });

  // `maximum`, `before` and `origin`, from which the power is measured, are finite where they are drawn.
  function draw({ score, masked, origin, maximum, before }) {
    set(root, { viewBox: `0 0 ${width()} ${HIGH}` });
    const upright = (element, place, shown) =>
      set(element, shown ? { x1: toX(place), x2: toX(place), visibility: null } : { visibility: "hidden" });
    upright(zero, 0, true);
    upright(top, maximum, Number.isFinite(maximum));
    upright(old, before, Number.isFinite(before) && before !== maximum);
    set(stem, { x1: toX(-limit), x2: toX(score), visibility: masked ? "hidden" : null });
    set(lost, { visibility: masked ? null : "hidden" });
    const measured = !masked && Number.isFinite(origin);
    set(gap, measured ? { x1: toX(score), x2: toX(origin), visibility: null } : { visibility: "hidden" });
    for (const circle of [knob, hit]) set(circle, { cx: toX(score).toFixed(2) });
    speak();
  }
  return { root, draw };
}

export function keyTable({ limit, largest, at, place, redraw }) {
  const { element: message, reporter } = complaints();
  let width = 230;
  const put = (trait, j, value) => place(trait, replaced(at(trait), j, value));
  const cell = (kind, role, ...children) =>
    h("span", { role, class: `attn-online-cell attn-online-${kind}-cell` }, ...children);

  const rows = at("scores").map((_, j) => {
    const box = h("input", { type: "checkbox", "aria-label": `Mask key ${j + 1}` });
    box.addEventListener("change", () => put("masked", j, box.checked ? 1 : 0));
    const chip = h("span", null, `k${subscript(j)}`);
    const field = (trait, name, reach) => {
      const label = `Key ${j + 1}, ${name}`;
      const onCommit = (value) => put(trait, j, value);
      const given = { min: -reach, max: reach, value: at(trait)[j], digits: 3 };
      return numberField({ label, onCommit, report: reporter(label), ...given });
    };
    const score = field("scores", "score", limit);
    const value = field("values", "value", largest);
    const plot = scorePlot({
      limit,
      key: j,
      width: () => width,
      at: () => at("scores")[j],
      place: (next) => put("scores", j, next),
    });
    const [ghost, ink] = ["ghost", "ink"].map((kind) => h("span", { class: `attn-online-${kind}` }));
    const [label, power, product] = ["label", "power", "product"].map(() =>
      h("span", { class: "attn-number" }),
    );
    const element = h(
      "div",
      { role: "row", class: "attn-online-row" },
      cell("block", "rowheader", label),
      cell("key", "cell", h("label", { class: "attn-online-key" }, box, chip)),
      cell("score", "cell", score.element),
      cell("plot", "cell", plot.root),
      cell("power", "cell", h("span", { class: "attn-online-track" }, ghost, ink), power),
      cell("value", "cell", value.element),
      cell("product", "cell", product),
    );
    return { box, score, value, plot, ghost, ink, label, power, product, element };
  });
  const heads = words.heads.map((text, i) => cell(KINDS[i], "columnheader", text));
  const sums = [h("span", { class: "attn-number" }), h("span", { class: "attn-number" })];
  const blank = (kind) => cell(kind, "cell");
  const foot = h(
    "div",
    { role: "row", class: "attn-online-row attn-online-row--sum" },
    ...["block", "key", "score"].map(blank),
    cell("plot", "rowheader", "sums so far"),
    cell("power", "cell", sums[0]),
    blank("value"),
    cell("product", "cell", sums[1]),
  );
  const element = h(
    "div",
    { role: "table", class: "attn-online-table", "aria-label": "The keys as they arrive" },
    h("div", { role: "row", class: "attn-online-row attn-online-row--head" }, ...heads),
    ...rows.map((row) => row.element),
    foot,
  );

  const writeNumbers = readable(element, (found) => {
    rows.forEach(({ score, value, power, product }, j) => {
      score.update(at("scores")[j]);
      value.update(at("values")[j]);
      const there = !Number.isNaN(found.powers[j]);
      write(power, there ? number(found.powers[j], 3) : "");
      write(product, there ? number(found.powers[j] * at("values")[j], 3) : "");
    });
    write(sums[0], `l = ${number(found.total, 3)}`);
    write(sums[1], `o = ${number(found.weighted, 3)}`);
  });

  function draw(found, { masked, scores }) {
    const percent = (power) => `${(100 * (power || 0)).toFixed(2)}%`;
    rows.forEach((row, j) => {
      const block = found.blockOf[j];
      const there = block < found.came;
      const hidden = Boolean(masked[j]);
      const [old, power] = [found.earlier[j], found.powers[j]];
      set(row.element, {
        "data-age": there ? (block === found.came - 1 ? "new" : "past") : "later",
        "data-first": j && block === found.blockOf[j - 1] ? null : "",
        "data-masked": hidden ? "" : null,
      });
      row.box.checked = hidden;
      write(row.label, String(block + 1));
      row.plot.draw({
        score: scores[j],
        masked: hidden,
        origin: found.origins[j],
        maximum: found.maximum,
        before: found.before.maximum,
      });
      row.ink.style.inlineSize = percent(power);
      row.ghost.style.inlineSize = percent(old);
      set(row.ghost, { "data-shrunk": old > power + 5e-4 ? "" : null });
    });
    writeNumbers(found);
  }
  onWidth(rows[0].plot.root, (pixels) => {
    width = pixels;
    redraw();
  });
  const restore = () =>
    rows.forEach(({ score, value }) => [score, value].forEach((field) => field.restore()));
  return { element, message, draw, restore };
}
