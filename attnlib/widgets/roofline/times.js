// The time that arithmetic, bytes and exponentials each need alone, for both ways; the longest
// decides.
import { amount, plain } from "../shared/amounts.js";
import { fill, h, number } from "../shared/parts.js";
import { liveTable, percent } from "../shared/table.js";
import { WAYS } from "./work.js";
import words from "./words.json";

function sumOf({ flops, bytes, intensity }) {
  const short = intensity < 1 ? number(intensity, 2) : plain(intensity);
  return fill(words.sum, { work: amount(flops), moved: amount(bytes, "B"), intensity: short });
}

export function timeBars() {
  const { cell, draw } = liveTable("roofline");
  const text = (kind, of) => cell(kind, { role: null, text: of });
  const longest = ({ ways }) => Math.max(...WAYS.map((way) => ways[way].seconds));
  const free = (term, counted) => term === "exponentials" && !counted;
  const boxes = WAYS.map((way) => {
    const bars = Object.entries(words.terms).map(([term, label]) => {
      const track = cell("track", {
        role: null,
        style: (state) => `--share: ${percent(state.ways[way].terms[term] / longest(state))}`,
        "data-longest": ({ ways }) => ways[way].limit === term,
      });
      const alone = text("alone attn-number", ({ ways, counted }) =>
        free(term, counted) ? words.counted.free : amount(ways[way].terms[term], "s"));
      return h("div", { class: "attn-roofline-term" }, h("span", null, label), track, alone);
    });
    const mark = h("span", { class: `attn-roofline-sign attn-roofline-sign--${way}` });
    const least = text("least attn-number", ({ ways }) => amount(ways[way].seconds, "s"));
    const limit = text("limit", ({ ways }) => words.limits[ways[way].limit]);
    const head = h("div", { class: "attn-roofline-head" }, h("span", null, mark, words.ways[way]), least, limit);
    return h("div", { class: "attn-roofline-way" }, head, text("sum attn-number", ({ ways }) => sumOf(ways[way])), ...bars);
  });
  return { element: h("div", { class: "attn-roofline-times" }, ...boxes), draw };
}
