// The stations of the path: a panel for each, with a signed bar and a number in each row.
import { indices } from "../shared/core.js";
import { fill, h, number, trimmed, uniqueId } from "../shared/parts.js";
import { liveTable, percent } from "../shared/table.js";
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

function panel(live, name, size, items, group, choose) {
  const { part } = live;
  const chosen = ({ station }) => station === name;
  const input = part("input", {
    class: "attn-cover",
    type: "radio",
    name: group,
    value: name,
    "aria-label": words.stations[name],
    checked: chosen,
    onchange: () => choose(name),
  });
  const title = part("span", { class: "attn-path-title", text: ({ settings }) => titleOf(name, settings.norm) });
  const [sum, weights] = [name in SUMS, name === "weights"];
  const rows = indices(size).map((k) => {
    const x = ({ path }) => path[name][k];
    const came = ({ path }) => (sum ? path[name][k] - path[SUMS[name]][k] : 0);
    const share = (state) => `--from: 0%; --long: ${percent(x(state))}`;
    const track = part(
      "span",
      { class: `attn-path-track attn-path-track--${weights ? "share" : sum ? "sum" : "signed"}`, "aria-hidden": "true" },
      sum ? part("i", { class: "attn-path-came", style: (state) => span(0, came(state), state.scale) }) : null,
      part("i", {
        class: "attn-path-bar",
        style: weights ? share : (state) => span(came(state), x(state), state.scale),
        "data-sign": (state) => (x(state) < came(state) ? "down" : "up"),
      }),
    );
    const text = (state) => (name === "x" ? trimmed(x(state)) : number(x(state), 3));
    const shown = { class: "attn-number", text, "data-moved": ({ moved }) => moved[name][k] };
    const from = weights ? h("span", { class: "attn-path-from" }, String(k + 1)) : null;
    return h("div", { class: "attn-path-row" }, from, track, part("span", shown));
  });
  const marks = [1, 2, 3].map((item) => part("i", { "data-lit": ({ reach }) => reach[name].includes(item) }, String(item)));
  const foot = h(
    "p",
    { class: "attn-path-foot" },
    h("span", { class: "attn-path-shape" }, `${items} × ${size}`),
    h("span", { class: "attn-path-reach", "aria-hidden": "true" }, ...marks),
  );
  // Off is what brings nothing; in the stream is what goes on to the next station.
  const off = ({ norm, attention, network }) =>
    name.startsWith("norm") ? norm === "none" : ["weights", "adds1"].includes(name) ? !attention : ["hidden", "adds2"].includes(name) && !network;
  const stream = ({ norm }) => (norm === "after" ? ["x", "norm1", "norm2"] : ["x", "sum1", "sum2"]);
  return part(
    "div",
    {
      class: "attn-path-panel",
      style: ({ settings }) => placeOf(orderOf(settings.norm).indexOf(name)),
      "data-off": ({ settings }) => off(settings),
      "data-empty": ({ settings }) => name.startsWith("norm") && off(settings),
      "data-chosen": chosen,
      "data-stream": ({ settings }) => stream(settings).includes(name),
    },
    h("label", { class: "attn-path-head" }, input, title),
    h("div", { class: "attn-path-rows" }, ...rows),
    foot,
  );
}

function placeOf(order) {
  return `--order: ${order}; --column: ${order < 5 ? order + 1 : order - 3}`;
}

export function panels({ items, width, hidden, choose }) {
  const live = liveTable("path");
  const group = uniqueId("station");
  const sizes = { weights: items, hidden };
  const panelOf = (name) => panel(live, name, sizes[name] ?? width, items, group, choose);
  const rail = (from) =>
    live.part(
      "p",
      { class: "attn-path-rail", "data-cut": ({ settings }) => !settings.residual, "data-long": ({ settings }) => settings.norm !== "after" },
      live.part("span", { text: ({ settings }) => fill(settings.residual ? words.passes : words.cut, { from }) }),
    );
  const half = (...parts) => h("div", { class: "attn-path-half" }, ...parts);
  const again = h("div", { class: "attn-path-again" }, h("p", { class: "attn-path-title" }, "a \u2192"));
  const [first, second] = [STATIONS.slice(0, 5), STATIONS.slice(5)].map((names) => names.map(panelOf));
  const element = h("div", { class: "attn-path", role: "group" }, half(rail("x"), ...first), half(again, rail("a"), ...second));

  function draw(state) {
    const signed = STATIONS.filter((name) => name !== "weights").flatMap((name) => state.path[name]);
    const largest = Math.max(...signed.map(Math.abs));
    const scale = SCALES.find((size) => largest <= size) ?? Math.ceil(largest);
    live.draw({ ...state, scale });
    return scale;
  }
  return { element, draw };
}
