// Random queries and keys, the same ones in the page as in Python, and what comes of them.
import { softmax, softmaxJacobianNorm } from "./core.js";

// Reproducible random numbers (mulberry32), the same in Python: uniform in [0, 1).
export function uniforms(seed, count) {
  const values = new Float64Array(count);
  let state = seed >>> 0;
  for (let i = 0; i < count; i += 1) {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    values[i] = ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }
  return values;
}

// Draws with mean 0 and variance 1: normal (Box and Muller), uniform, or a fair sign.
export function draws(distribution, seed, count) {
  const u = uniforms(seed, distribution === "normal" ? 2 * count : count);
  const values = new Float64Array(count);
  for (let i = 0; i < count; i += 1) {
    if (distribution === "normal") {
      const radius = Math.sqrt(-2 * Math.log(1 - u[2 * i]));
      values[i] = radius * Math.cos(2 * Math.PI * u[2 * i + 1]);
    } else if (distribution === "uniform") values[i] = Math.sqrt(3) * (2 * u[i] - 1);
    else values[i] = u[i] < 0.5 ? -1 : 1;
  }
  return values;
}

// Scores of random queries and keys for every number of components 1, 2, 4, ... `largest`.
// A correlation r makes query i partly equal to key i mod n_k.
export function randomScores({ distribution, correlation, seed, nQ, nK, largest }) {
  const all = draws(distribution, seed, largest * (nQ + nK));
  const rest = Math.sqrt(1 - correlation * correlation);
  const sums = new Float64Array(nQ * nK);
  const result = new Map();
  for (let c = 0; c < largest; c += 1) {
    const start = c * (nQ + nK);
    for (let i = 0; i < nQ; i += 1) {
      const own = all[start + nQ + (i % nK)];
      const q = correlation * own + rest * all[start + i];
      for (let j = 0; j < nK; j += 1) sums[i * nK + j] += q * all[start + nQ + j];
    }
    const d = c + 1;
    if ((d & c) === 0) {
      result.set(
        d,
        Array.from({ length: nQ }, (_, i) => Array.from(sums.subarray(i * nK, (i + 1) * nK))),
      );
    }
  }
  return result;
}

// What scaling is about, for one table of scores: spread, mean sorted weights, gradient.
export function summarize(rows, scale) {
  const scaled = rows.map((row) => row.map((score) => score * scale));
  const flat = scaled.flat();
  const mean = flat.reduce((a, b) => a + b, 0) / flat.length;
  const variance = flat.reduce((sum, x) => sum + (x - mean) ** 2, 0) / flat.length;
  const weights = scaled.map((row) => softmax(row));
  const sorted = rows[0].map((_, rank) => 0);
  let gradient = 0;
  let own = 0;
  weights.forEach((row, i) => {
    own += row[i % row.length] / rows.length;
    [...row].sort((a, b) => b - a).forEach((w, rank) => (sorted[rank] += w / rows.length));
    gradient += softmaxJacobianNorm(row) / rows.length;
  });
  return { scores: flat, mean, std: Math.sqrt(variance), sorted, gradient, own };
}
