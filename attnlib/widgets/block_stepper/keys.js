// A row for each key: its block, its score, its power, its value.
import { onWidth } from "../shared/movable.js";
import { h, number, replaced, set, subscript, svg, tick, visible } from "../shared/parts.js";
import { plot } from "../shared/plot.js";
import { liveTable, percent } from "../shared/table.js";
import words from "./words.json";

const [HIGH, PAD] = [32, 20];
const KINDS = ["block", "key", "score", "plot", "power", "value", "product"];

// The score on its line, which is dragged.
function scorePlot({ limit, at, place, key }) {
  const axes = plot(`Key ${key + 1}`, {
    kind: "attn-online-plot",
    height: HIGH,
    edges: [0, PAD, 0, PAD],
    x: [-limit, limit],
  });
  const line = (kind, ends) => svg("line", { class: `attn-online-${kind}`, ...ends });
  const through = { y1: -HIGH, y2: 2 * HIGH };
  const [zero, old, top] = ["zero", "old", "maximum"].map((kind) => line(kind, through));
  const stem = line("stem", { y1: HIGH / 2, y2: HIGH / 2 });
  const gap = line("gap", { y1: HIGH / 2, y2: HIGH / 2 });
  const lost = tick(2, HIGH / 2 + 4, "start", "\u2212\u221e");
  axes.root.append(zero, old, gap, stem, lost, top);
  const knob = axes.point({
    kind: "attn-key",
    r: 7,
    label: `Score of key ${key + 1}`,
    step: 0.1,
    at,
    place,
    describe: (score) => number(score),
  });

  // `maximum`, `before` and `origin`, from which the power is measured, are finite where they are drawn.
  function draw({ score, masked, origin, maximum, before }) {
    const { toX } = axes;
    const from = (element, x1, x2, there) => {
      visible(there, element);
      if (there) set(element, { x1: toX(x1), x2: toX(x2) });
    };
    from(zero, 0, 0, true);
    from(top, maximum, maximum, Number.isFinite(maximum));
    from(old, before, before, Number.isFinite(before) && before !== maximum);
    from(stem, -limit, score, !masked);
    from(gap, score, origin, !masked && Number.isFinite(origin));
    visible(masked, lost);
    knob(toX(score), HIGH / 2);
  }
  return { root: axes.root, resize: axes.resize, draw };
}

export function keyTable({ limit, largest, at, place, redraw }) {
  const { part, cell, header, row, field, table, draw, restore, message } = liveTable("online");
  const put = (trait, j, value) => place(trait, replaced(at(trait), j, value));
  const come = ({ now }, j) => now.blockOf[j] < now.came;
  const power = ({ now }, j) => now.powers[j] || 0;
  const ages = (state, j) => {
    if (!come(state, j)) return "later";
    return state.now.blockOf[j] === state.now.came - 1 ? "new" : "past";
  };
  const number3 = (x) => (Number.isNaN(x) ? "" : number(x, 3));
  const wide = (kind, share, attributes) =>
    part("span", { class: `attn-online-${kind}`, style: (state) => `inline-size: ${percent(share(state) || 0)}`, ...attributes });
  const plots = [];
  const rows = at("scores").map((_, j) => {
    const typed = (trait, name, reach) =>
      field({
        label: `Key ${j + 1}, ${name}`,
        min: -reach,
        max: reach,
        digits: 3,
        at: () => at(trait)[j],
        onCommit: (value) => put(trait, j, value),
      });
    const box = part("input", {
      class: "attn-cover",
      type: "checkbox",
      "aria-label": `Mask key ${j + 1}`,
      checked: ({ masked }) => Boolean(masked[j]),
      onchange: (event) => put("masked", j, event.target.checked ? 1 : 0),
    });
    plots.push(scorePlot({ limit, key: j, at: () => at("scores")[j], place: (next) => put("scores", j, next) }));
    const shrunk = (state) => state.now.earlier[j] > power(state, j) + 5e-4;
    const track = h(
      "span",
      { class: "attn-online-track" },
      wide("ghost", ({ now }) => now.earlier[j], { "data-shrunk": shrunk }),
      wide("ink", (state) => power(state, j)),
    );
    const marked = {
      "data-age": (state) => ages(state, j),
      "data-first": ({ now }) => !j || now.blockOf[j] !== now.blockOf[j - 1],
      "data-masked": ({ masked }) => Boolean(masked[j]),
    };
    return row(
      "key",
      marked,
      cell("block-cell", { role: "rowheader" }, ({ now }) => String(now.blockOf[j] + 1)),
      cell("key-cell", {}, h("label", { class: "attn-online-key" }, box, h("span", null, `k${subscript(j)}`))),
      cell("score-cell", {}, typed("scores", "score", limit)),
      cell("plot-cell", {}, plots[j].root),
      cell("power-cell", {}, track, ({ now }) => number3(now.powers[j])),
      cell("value-cell", {}, typed("values", "value", largest)),
      cell("product-cell", {}, ({ now, values }) => number3(now.powers[j] * values[j])),
    );
  });
  const blank = (kind) => cell(`${kind}-cell`, {});
  const element = table(
    "The keys as they arrive",
    {},
    row("head", {}, ...words.heads.map((text, i) => header(`${KINDS[i]}-cell`, text))),
    ...rows,
    row(
      "sum",
      {},
      ...["block", "key", "score"].map(blank),
      cell("plot-cell", { role: "rowheader" }, "sums so far"),
      cell("power-cell", {}, ({ now }) => `l = ${number(now.total, 3)}`),
      blank("value"),
      cell("product-cell", {}, ({ now }) => `o = ${number(now.weighted, 3)}`),
    ),
  );

  function drawAll(now, state) {
    draw({ ...state, now });
    plots.forEach((line, j) =>
      line.draw({
        score: state.scores[j],
        masked: Boolean(state.masked[j]),
        origin: now.origins[j],
        maximum: now.maximum,
        before: now.before.maximum,
      }),
    );
  }
  onWidth(plots[0].root, (pixels) => {
    plots.forEach((line) => line.resize(pixels));
    redraw();
  });
  return { element, message, draw: drawAll, restore };
}
