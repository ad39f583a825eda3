// The running maximum, sum and output of one query, block after block. In Python: BlockStepper.
import { dot, softmax } from "../shared/core.js";

// The keys as they arrive. Equal scores keep their order, also two of minus infinity: NaN counts as 0.
function arrival(seen, order) {
  const keys = seen.map((_, j) => j);
  const sign = { largest: -1, smallest: 1 }[order];
  if (order === "reversed") keys.reverse();
  if (sign) keys.sort((a, b) => sign * (seen[a] - seen[b]));
  return keys;
}

// Where no key has been seen there is no maximum to measure from, and 0 takes its place.
function power(score, maximum) {
  return Math.exp(score - (maximum === -Infinity ? 0 : maximum));
}

function answerOver(keys, seen, values) {
  if (keys.every((j) => seen[j] === -Infinity)) return NaN;
  return dot(softmax(keys.map((j) => seen[j])), keys.map((j) => values[j]));
}

export function stepped({ scores, values, masked, block, order, step, corrected }) {
  const seen = scores.map((score, j) => (masked[j] ? -Infinity : score));
  const keys = arrival(seen, order);
  const blockOf = scores.map((_, j) => Math.floor(keys.indexOf(j) / block));
  const blocks = Math.ceil(keys.length / block);
  const came = Math.min(step, blocks);
  let now = { maximum: -Infinity, correction: NaN, total: 0, weighted: 0, newest: [] };
  let before = now;
  const maxima = [];
  for (let b = 0; b < came; b += 1) {
    const newest = keys.slice(b * block, (b + 1) * block);
    before = now;
    const maximum = Math.max(before.maximum, ...newest.map((j) => seen[j]));
    const correction = power(before.maximum, maximum);
    const kept = corrected ? correction : 1;
    const powers = newest.map((j) => power(seen[j], maximum));
    maxima.push(maximum);
    now = {
      maximum,
      correction,
      newest,
      total: powers.reduce((sum, p) => sum + p, kept * before.total),
      weighted: newest.reduce((sum, j, i) => sum + powers[i] * values[j], kept * before.weighted),
    };
  }
  // From where a key's power is measured, or was one step before: the last maximum, or its own block's.
  const originsAfter = (count) =>
    blockOf.map((own) => (own < count ? maxima[corrected ? count - 1 : own] : NaN));
  const powersFrom = (origins) => origins.map((origin, j) => power(seen[j], origin));
  const origins = originsAfter(came);
  return {
    ...now,
    before,
    blockOf,
    blocks,
    came,
    so_far: now.total ? now.weighted / now.total : NaN,
    right: answerOver(keys.slice(0, came * block), seen, values),
    answer: answerOver(keys, seen, values),
    origins,
    powers: powersFrom(origins),
    earlier: powersFrom(originsAfter(came - 1)),
  };
}
