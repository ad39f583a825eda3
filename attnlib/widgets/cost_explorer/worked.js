// How one step is counted: work, bytes and least time, as formulas and with their numbers.
import { amount, grouped, plain } from "../shared/amounts.js";

// The formula of each count and the same with numbers; null where there is nothing to count.
function formulas({ n, d_model: d, n_heads: heads, itemsize: s, way }) {
  const moved = (formula, numbers) => [`${formula} s`, `${numbers} · ${s}`];
  const product = moved("(2 n d + d²)", `(2 · ${n} · ${d} + ${d}²)`);
  const over =
    way === "naive"
      ? moved("(2 n d + h n²)", `(2 · ${n} · ${d} + ${heads} · ${n}²)`)
      : moved("2 n d", `2 · ${n} · ${d}`);
  const scores = { work: ["n² d", `${n}² · ${d}`], bytes: over };
  return {
    projections: {
      work: ["3 n d²", `3 · ${n} · ${d}²`],
      bytes: product.map((text) => `3 ${text}`.replace(/^3 (?=.*·)/, "3 · ")),
    },
    scores,
    normalise: {
      work: null,
      bytes: way === "naive" ? moved("2 h n²", `2 · ${heads} · ${n}²`) : null,
    },
    weigh: scores,
    pairs: {
      work: ["2 n² d", `2 · ${n}² · ${d}`],
      bytes:
        way === "naive"
          ? moved("(4 n d + 4 h n²)", `(4 · ${n} · ${d} + 4 · ${heads} · ${n}²)`)
          : moved("4 n d", `4 · ${n} · ${d}`),
    },
    "output projection": { work: ["n d²", `${n} · ${d}²`], bytes: product },
    "feed-forward": {
      work: ["8 n d²", `8 · ${n} · ${d}²`],
      bytes: moved("(18 n d + 8 d²)", `(18 · ${n} · ${d} + 8 · ${d}²)`),
    },
    "norms and residuals": { work: null, bytes: moved("10 n d", `10 · ${n} · ${d}`) },
  };
}

export function workedLines(state, step) {
  const { work, bytes } = formulas(state)[state.step];
  const { terms, limit } = step;
  const counted = (texts, count, none) => (texts ? [...texts, grouped(count)].join(" = ") : none);
  const alone = [
    [`2 · ${amount(step.work)} / ${plain(state.flops_per_s, "FLOP/s")}`, "arithmetic"],
    [`${amount(step.bytes, "B")} / ${plain(state.bytes_per_s, "B/s")}`, "memory"],
    [`${amount(step.exponentials)} / ${plain(state.exponentials_per_s, "/s")}`, "exponentials"],
  ].filter(([, name]) => terms[name] > 0);
  const times = alone.map(([sum, name]) => `${sum} = ${amount(terms[name], "s")} (${name})`);
  return [
    `multiply-adds: ${counted(work, step.work, "none, as there is no matrix product")}`,
    `bytes: ${counted(bytes, step.bytes, "none, as the scores stay in the processor")}`,
    `least time: ${times.join(", ") || "none"}${alone.length > 1 ? `; ${limit} decide${limit === "exponentials" ? "" : "s"}` : ""}`,
  ];
}
