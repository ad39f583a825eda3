// The time that arithmetic, bytes and exponentials each need alone, for both ways; the longest
// decides.
import { amount, plain } from "../shared/amounts.js";
import { readable } from "../shared/frame.js";
import { fill, h, number, set, write } from "../shared/parts.js";
import { WAYS } from "./work.js";
import words from "./words.json";

export function timeBars() {
  const ways = WAYS.map((way) => {
    const [least, limit, sum] = ["least attn-number", "limit", "sum attn-number"].map((kind) =>
      h("span", { class: `attn-roofline-${kind}` }),
    );
    const bars = Object.entries(words.terms).map(([term, label]) => {
      const track = h("span", { class: "attn-roofline-track" });
      const text = h("span", { class: "attn-number attn-roofline-alone" });
      const row = h("div", { class: "attn-roofline-term" }, h("span", null, label), track, text);
      return { term, track, text, row };
    });
    const mark = h("span", { class: `attn-roofline-sign attn-roofline-sign--${way}` });
    const head = h("div", { class: "attn-roofline-head" }, h("span", null, mark, words.ways[way]), least, limit);
    const element = h("div", { class: "attn-roofline-way" }, head, sum, ...bars.map(({ row }) => row));
    return { way, least, limit, sum, bars, element };
  });
  const element = h("div", { class: "attn-roofline-times" }, ...ways.map((way) => way.element));
  const writeTexts = readable(element, (found, counted) => {
    for (const { way, least, limit, sum, bars } of ways) {
      const { flops, bytes, intensity, terms, seconds, limit: decides } = found[way];
      write(least, amount(seconds, "s"));
      write(limit, words.limits[decides]);
      write(sum, fill(words.sum, { work: amount(flops), moved: amount(bytes, "B"), intensity: intensity < 1 ? number(intensity, 2) : plain(intensity) }));
      for (const { term, text } of bars)
        write(text, term === "exponentials" && !counted ? words.counted.free : amount(terms[term], "s"));
    }
  });

  function draw(found, counted) {
    const longest = Math.max(...WAYS.map((way) => found[way].seconds));
    for (const { way, bars } of ways)
      for (const { term, track } of bars) {
        const share = (100 * found[way].terms[term]) / longest;
        track.style.setProperty("--share", `${share.toFixed(2)}%`);
        set(track, { "data-longest": term === found[way].limit ? "" : null });
      }
    writeTexts(found, counted);
  }
  return { element, draw };
}
