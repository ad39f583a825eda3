// The stations of the path: a panel for each, with a signed bar and a number in each row.
import { readable } from "../shared/frame.js";
import { fill, h, number, set, trimmed, uniqueId, write } from "../shared/parts.js";
import { orderOf, STATIONS } from "./path.js";
import words from "./words.json";

const SUMS = { sum1: "adds1", sum2: "adds2" };
const SCALES = [1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32];

// What a station is called over its panel, and at length over the lines that explain it.
export function titleOf(name, norm, kind = "titles") {
  return words[kind][norm][name] ?? words[kind][name];
}

// A bar from one number to another, in percent of its track; its middle is 0.
function span(from, to, scale) {
  const place = (x) => 50 + (50 * x) / scale;
  const [low, high] = [place(from), place(to)].sort((a, b) => a - b);
  return `--from: ${low.toFixed(2)}%; --long: ${(high - low).toFixed(2)}%`;
}

function panel(name, size, shape, group, choose) {
  const input = h("input", { type: "radio", name: group, value: name, "aria-label": words.stations[name] });
  input.addEventListener("change", () => choose(name));
  const title = h("span", { class: "attn-path-title" });
  const head = h(
    "label",
    { class: "attn-path-head" },
    input,
    title,
  );
  const sum = name in SUMS;
  const rows = Array.from({ length: size }, (_, k) => {
    const came = sum ? h("i", { class: "attn-path-came" }) : null;
    const bar = h("i", { class: "attn-path-bar" });
    const text = h("span", { class: "attn-number" });
    const kind = name === "weights" ? "share" : sum ? "sum" : "signed";
    const track = h("span", { class: `attn-path-track attn-path-track--${kind}`, "aria-hidden": "true" }, came, bar);
    const from = name === "weights" ? h("span", { class: "attn-path-from" }, String(k + 1)) : null;
    const element = h("div", { class: "attn-path-row" }, from, track, text);
    return { came, bar, text, element };
  });
  const reach = [1, 2, 3].map((item) => h("i", null, String(item)));
  const foot = h(
    "p",
    { class: "attn-path-foot" },
    h("span", { class: "attn-path-shape" }, shape),
    h("span", { class: "attn-path-reach", "aria-hidden": "true" }, ...reach),
  );
  const lines = h("div", { class: "attn-path-rows" }, ...rows.map((row) => row.element));
  const element = h("div", { class: "attn-path-panel" }, head, lines, foot);
  return { name, element, input, title, rows, reach };
}

export function panels({ items, width, hidden, choose }) {
  const group = uniqueId("station");
  const sizes = { weights: [items, `${items} × ${items}`], hidden: [hidden, `${items} × ${hidden}`] };
  const made = Object.fromEntries(
    STATIONS.map((name) => {
      const [size, shape] = sizes[name] ?? [width, `${items} × ${width}`];
      return [name, panel(name, size, shape, group, choose)];
    }),
  );
  const again = h("div", { class: "attn-path-again" }, h("p", { class: "attn-path-title" }, "a \u2192"));
  const rails = [1, 2].map(() => {
    const text = h("span");
    return { text, element: h("p", { class: "attn-path-rail" }, text) };
  });
  const half = (rail, ...names) =>
    h("div", { class: "attn-path-half" }, rail.element, ...names.map((name) => made[name].element));
  const first = half(rails[0], "x", "norm1", "weights", "adds1", "sum1");
  const second = half(rails[1], "norm2", "hidden", "adds2", "sum2");
  second.prepend(again);
  const element = h("div", { class: "attn-path", role: "group" }, first, second);
  const each = (act) => STATIONS.forEach((name) => act(made[name], name));

  const writeNumbers = readable(element, (path) =>
    each(({ rows }, name) =>
      rows.forEach(({ text }, k) => {
        const x = path[name][k];
        write(text, name === "x" ? trimmed(x) : number(x, 3));
      }),
    ),
  );

  function draw({ path, moved, reach, settings, station }) {
    const { norm, attention, network, residual } = settings;
    const signed = STATIONS.filter((name) => name !== "weights").flatMap((name) => path[name]);
    const largest = Math.max(...signed.map(Math.abs));
    const scale = SCALES.find((size) => largest <= size) ?? Math.ceil(largest);
    const off = { weights: !attention, adds1: !attention, hidden: !network, adds2: !network };
    off.norm1 = off.norm2 = norm === "none";
    const order = orderOf(norm);
    each(({ element: shown, input, title, rows, reach: reached }, name) => {
      const place = order.indexOf(name);
      const column = place < 5 ? place + 1 : place - 3;
      set(shown, {
        style: `--order: ${place}; --column: ${column}`,
        "data-off": off[name] ? "" : null,
        "data-empty": name.startsWith("norm") && off[name] ? "" : null,
        "data-chosen": name === station ? "" : null,
        "data-stream": ["x", norm === "after" ? "norm1" : "sum1", norm === "after" ? "norm2" : "sum2"].includes(name) ? "" : null,
      });
      input.checked = name === station;
      write(title, titleOf(name, norm));
      rows.forEach(({ came, bar, text }, k) => {
        const x = path[name][k];
        const from = came ? x - path[SUMS[name]][k] : 0;
        if (came) set(came, { style: span(0, from, scale) });
        const style = name === "weights" ? `--from: 0%; --long: ${(100 * x).toFixed(2)}%` : span(from, x, scale);
        set(bar, { style, "data-sign": x < from ? "down" : "up" });
        set(text, { "data-moved": moved[name][k] ? "" : null });
      });
      reached.forEach((mark, i) => set(mark, { "data-lit": reach[name].includes(i + 1) ? "" : null }));
    });
    rails.forEach(({ text, element: rail }, n) => {
      const passes = residual ? words.passes : words.cut;
      write(text, fill(passes, { from: "xa"[n] }));
      set(rail, { "data-cut": residual ? null : "", "data-long": norm === "after" ? null : "" });
    });
    writeNumbers(path);
    return scale;
  }
  return { element, draw };
}
