// Random queries and keys, the same ones in the page as in Python, and what comes of them.
import { dot, indices, mean, softmax, sum } from "../shared/core.js";

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

// Products q·k for every number of components 1, 2, 4, ... `largest`: of queries drawn on their
// own, and of queries that each equal a key, query i the key i mod n_k; and the keys' squared
// distances. Drawing and multiplying take most of the time, and no correlation changes them.
export function randomProducts({ distribution, seed, nQ, nK, largest }) {
  const all = draws(distribution, seed, largest * (nQ + nK));
  const free = indices(nQ).map(() => new Array(nK).fill(0));
  const ofKeys = indices(nK).map(() => new Array(nK).fill(0));
  const result = new Map();
  for (let c = 0; c < largest; c += 1) {
    const start = c * (nQ + nK);
    const keys = all.subarray(start + nQ, start + nQ + nK);
    const addTo = (rows, first) =>
      rows.forEach((row, i) => {
        for (let j = 0; j < nK; j += 1) row[j] += all[first + i] * keys[j];
      });
    addTo(free, start);
    addTo(ofKeys, start + nQ);
    const d = c + 1;
    if ((d & c) === 0)
      result.set(d, {
        free: free.map((row) => [...row]),
        equal: free.map((_, i) => [...ofKeys[i % nK]]),
        squared: ofKeys.map((row, i) => row.map((g, j) => row[i] - 2 * g + ofKeys[j][j])),
      });
  }
  return result;
}

// Scores of queries that are correlated with their keys: r times the key, the rest drawn freely.
export function correlated({ free, equal }, correlation) {
  const rest = Math.sqrt(1 - correlation * correlation);
  return free.map((row, i) => row.map((score, j) => correlation * equal[i][j] + rest * score));
}

// How far a nudge of its query moves the weights of each row: the Frobenius norm of c J K. Its row
// i is c wᵢ (kᵢ − k̄), k̄ being the weighted mean of the keys; `squared` has the keys' squared
// distances from one another, and from them comes each key's from k̄.
export function slopes(rows, squared, scale) {
  return rows.map((row) => {
    const w = softmax(row, 1 / scale);
    const toOthers = squared.map((line) => dot(w, line));
    const spread = dot(w, toOthers) / 2;
    const squares = toOthers.map((x, i) => w[i] ** 2 * Math.max(x - spread, 0));
    return scale * Math.sqrt(sum(squares));
  });
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length / 2;
  return (sorted[Math.ceil(half) - 1] + sorted[Math.floor(half)]) / 2;
}

// What scaling is about, for one table of scores: spread, mean sorted weights.
export function summarize(rows, scale) {
  const scaled = rows.map((row) => row.map((score) => score * scale));
  const flat = scaled.flat();
  const centre = mean(flat);
  const std = Math.sqrt(mean(flat.map((x) => (x - centre) ** 2)));
  const sorted = rows[0].map(() => 0);
  let own = 0;
  scaled.forEach((row, i) => {
    const weights = softmax(row);
    own += weights[i % row.length] / rows.length;
    weights.sort((a, b) => b - a).forEach((w, rank) => (sorted[rank] += w / rows.length));
  });
  return { scores: flat, mean: centre, std, sorted, own };
}
