// What a self-attention layer or a whole block costs, step by step. In Python: attnlib.cost.
import { leastTime } from "../shared/amounts.js";
import { sum } from "../shared/core.js";

export const MOST = 2 ** 17;
const FARTHEST = 2 ** 24;
// The fused way takes the three steps over pairs in one.
const PAIRS = { naive: ["scores", "normalise", "weigh"], fused: ["pairs"] };
const PARTS = {
  attention: ["projections", "output projection"],
  block: ["projections", "output projection", "feed-forward", "norms and residuals"],
};
export const STEPS = ["projections", ...PAIRS.naive, ...PAIRS.fused, ...PARTS.block.slice(1)];
export const MEASURES = ["work", "bytes", "seconds"];

export function overPairs(name) {
  return !PARTS.block.includes(name);
}

export function countedSteps({ part, way }) {
  return STEPS.filter((name) => [...PARTS[part], ...PAIRS[way]].includes(name));
}

// Multiply-adds, bytes and exponentials of every step, for n items, which need not be whole.
function costs(n, { d_model: d, n_heads: heads, itemsize, way }) {
  const square = n * d * d;
  const items = n * d;
  const pairs = heads * n * n;
  const written = way === "naive" ? pairs : 0;
  const step = (work, numbers, exponentials = 0) => ({
    work,
    bytes: numbers * itemsize,
    exponentials,
  });
  return {
    projections: step(3 * square, 3 * (2 * items + d * d)),
    scores: step(n * n * d, 2 * items + written),
    normalise: step(0, 2 * written, pairs),
    weigh: step(n * n * d, written + 2 * items),
    pairs: step(2 * n * n * d, 4 * items + 4 * written, pairs),
    "output projection": step(square, 2 * items + d * d),
    "feed-forward": step(8 * square, 18 * items + 8 * d * d),
    "norms and residuals": step(0, 10 * items),
  };
}

// The same with the seconds that each step takes at least: what takes longest decides.
export function timed(n, state) {
  const steps = costs(n, state);
  for (const step of Object.values(steps))
    Object.assign(step, leastTime({ ...step, flops: 2 * step.work }, state));
  return steps;
}

// One measure, summed over the steps over pairs and over all else that counts.
export function sums(n, state) {
  const steps = timed(n, state);
  const sumOver = (names) => sum(names.map((name) => steps[name][state.measure]));
  const [pairs, rest] = [sumOver(PAIRS[state.way]), sumOver(PARTS[state.part])];
  return { pairs, rest, total: pairs + rest };
}

// The first n at which pairs take as much as all else; NaN if that is out of reach.
export function crossingOf(state) {
  const leads = (n) => {
    const { pairs, rest } = sums(n, state);
    return pairs >= rest;
  };
  if (!leads(FARTHEST)) return NaN;
  let [low, high] = [0, FARTHEST];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (leads(middle)) high = middle;
    else low = middle;
  }
  return high;
}
