// The roof of a machine, both axes logarithmic, and the points of naive and fused attention on it.
import { itemsAt, plain } from "../shared/amounts.js";
import { clamp, indices } from "../shared/core.js";
import { fill, set, svg, visible, write } from "../shared/parts.js";
import { nameTag, path, plot } from "../shared/plot.js";
import { itemsOf, MOST, mostIntensity, placed, thirdRoof, WAYS } from "./work.js";
import words from "./words.json";

// Powers of ten that the axes reach over: FLOPs a byte, FLOPs a second.
const X = [-1.3, 5.15];
const Y = [9, 15.9];

function powers([low, high]) {
  const first = Math.ceil(low);
  return indices(Math.floor(high) - first + 1).map((k) => first + k);
}

export function roofChart({ state, place }) {
  const axes = plot("The roof of the machine", {
    kind: "attn-roof",
    width: 360,
    height: 268,
    edges: [10, 12, 36, 42],
    x: X,
    y: Y,
  });
  const { root, left, top, floor } = axes;
  const right = axes.right();
  const across = right - left;
  const toX = (intensity) => axes.toX(clamp(Math.log10(intensity), ...X));
  const toY = (rate) => axes.toY(clamp(Math.log10(rate), ...Y));
  for (const power of powers(X)) axes.upright(power);
  axes.ticks(powers(X), (power) => (power < 0 ? String(10 ** power) : plain(10 ** power)));
  axes.levels(powers(Y).length)(powers(Y).map((power) => [power, plain(10 ** power)]));
  axes.title("intensity, FLOPs a byte");
  const [band, roof, third] = ["band", "roof", "third"].map((kind) =>
    svg("path", { class: `attn-roofline-${kind}` }),
  );
  const drops = ["ridge", "most"].map(() => ({
    line: svg("line", { class: "attn-drop" }),
    text: nameTag(""),
  }));
  const unit = nameTag("FLOPs a second", "start", left + 7, top + 15);
  const thirdName = nameTag(words.terms.exponentials, "end");
  const ring = svg("circle", { class: "attn-roofline-ring", r: 6 });
  const names = WAYS.map((way) => nameTag(words.ways[way]));
  root.append(band, roof, third, ...drops.flatMap(({ line, text }) => [line, text]));
  root.append(unit, thirdName, ...names, ring);
  const fusedPoint = axes.point({
    r: 6.5,
    range: [0, Math.log2(MOST)],
    from: (power) => Math.log2(Math.max(itemsOf(10 ** power, state()), 1)),
    label: "Items n",
    step: 1,
    at: () => Math.log2(state().n),
    place: (power) => place(itemsAt(power, state().n, MOST)),
    describe: () => `${state().n} items`,
  });

  // The roof over these intensities, which bends once.
  function over(from, to, { bytes_per_s: bytes }, flat) {
    const [low, high] = [from, to].map((x) => clamp(Math.log10(x), ...X));
    const bend = Math.log10(flat / bytes);
    const start = Math.max(low, Math.min(Y[0] - Math.log10(bytes), high));
    const bends = [start, ...(bend > start && bend < high ? [bend] : []), high];
    return path(bends.map((power) => [axes.toX(power), toY(Math.min(flat, bytes * 10 ** power))]));
  }

  let drawn = null;

  // All that does not hang on n.
  function drawRoof(now) {
    const thirdAt = thirdRoof(now);
    const flat = Math.min(now.flops_per_s, thirdAt);
    set(roof, { d: over(...X.map((power) => 10 ** power), now, now.flops_per_s) });
    const most = mostIntensity(now);
    set(band, { d: over(placed(1, now).naive.intensity, most, now, flat) });
    const ridge = now.flops_per_s / now.bytes_per_s;
    visible(Number.isFinite(thirdAt), third, thirdName);
    if (Number.isFinite(thirdAt)) {
      const y = toY(thirdAt);
      set(third, { d: path([[left, y], [right, y]]) });
      set(thirdName, { x: right - 5, y: y + 14 });
    }
    const places = [
      { x: ridge, y: toY(now.flops_per_s), text: fill(words.ridge, { ridge }), first: ridge < most },
      { x: most, y: toY(Math.min(flat, now.bytes_per_s * most)), text: fill(words.most, { most: plain(most) }), first: ridge >= most },
    ];
    drops.forEach(({ line, text: tag }, k) => {
      const { x: at, y, text, first } = places[k];
      const x = toX(at);
      set(line, { x1: x, x2: x, y1: y, y2: floor });
      const before = x > left + 0.72 * across || (first && x > left + 100);
      set(tag, {
        x: x + (before ? -5 : 5),
        y: floor - (k ? 7 : 23),
        "text-anchor": before ? "end" : "start",
      });
      write(tag, text);
    });
  }

  function draw(ways, key) {
    if (key !== drawn) drawRoof(state());
    drawn = key;
    const [naive, fused] = WAYS.map((way) => [toX(ways[way].intensity), toY(ways[way].rate)]);
    set(ring, { cx: naive[0], cy: naive[1] });
    fusedPoint(...fused);
    const [low, high] = WAYS.map((way) => ways[way].limit === "memory");
    set(names[0], low ? { x: naive[0] + 11, y: naive[1] + 13, "text-anchor": "start" } : { x: naive[0], y: naive[1] + 21, "text-anchor": "middle" });
    set(names[1], high ? { x: fused[0] - 10, y: fused[1] - 7, "text-anchor": "end" } : { x: clamp(fused[0], left + 52, right - 56), y: fused[1] - 12, "text-anchor": "middle" });
    write(names[1], `${words.ways.fused}, n = ${state().n}`);
  }
  return { root, draw };
}
