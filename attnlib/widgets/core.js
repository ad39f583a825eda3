// The arithmetic that the widgets share. Every function here has a twin in attnlib, and a test
// compares the two in a real browser. Vectors are arrays; matrices are arrays of rows.

export function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i] * b[i];
  return sum;
}

export function transpose(A) {
  return A[0].map((_, column) => A.map((row) => row[column]));
}

export function matmul(A, B) {
  const columns = transpose(B);
  return A.map((row) => columns.map((column) => dot(row, column)));
}

// A score of -Infinity may not be attended to: its weight is exactly 0.
export function softmax(scores, temperature = 1) {
  const largest = Math.max(...scores);
  const exponentials = scores.map((score) => Math.exp((score - largest) / temperature));
  const total = exponentials.reduce((a, b) => a + b, 0);
  return exponentials.map((value) => value / total);
}

// Projection of the scores onto the simplex: subtract the threshold, cut at 0.
export function sparsemax(scores, temperature = 1) {
  const z = scores.map((score) => score / temperature);
  const sorted = [...z].sort((a, b) => b - a);
  let sum = 0;
  let threshold = 0;
  sorted.forEach((value, index) => {
    if (value === -Infinity) return;
    sum += value;
    const candidate = (sum - 1) / (index + 1);
    if (value > candidate) threshold = candidate;
  });
  return z.map((value) => Math.max(value - threshold, 0));
}

function logSigmoid(x) {
  return x >= 0 ? -Math.log1p(Math.exp(-x)) : x - Math.log1p(Math.exp(x));
}

// Sigmoids divided by their sum, through logarithms so that very small ones do not vanish.
export function sigmoidNormalize(scores, temperature = 1) {
  return softmax(scores.map((score) => logSigmoid(score / temperature)));
}

export function hardmax(scores) {
  const first = scores.indexOf(Math.max(...scores));
  return scores.map((_, index) => (index === first ? 1 : 0));
}

export const normalizers = {
  softmax,
  sparsemax,
  sigmoid_normalize: sigmoidNormalize,
  hardmax,
};

export function causal(nQ, nK = nQ) {
  return Array.from({ length: nQ }, (_, i) =>
    Array.from({ length: nK }, (_unused, j) => j <= i + nK - nQ),
  );
}

// scores -> weights -> output, one row for each query.
export function attend(
  Q,
  K,
  V,
  { scale = 1, normalizer = "softmax", temperature = 1, mask = null } = {},
) {
  const scores = matmul(Q, transpose(K)).map((row, i) =>
    row.map((score, j) => (mask && !mask[i][j] ? -Infinity : score * scale)),
  );
  const weights = scores.map((row) => normalizers[normalizer](row, temperature));
  return { scores, weights, output: matmul(weights, V) };
}

// J[i][j] = dw_i/ds_j = w_i (delta_ij - w_j) / temperature
export function softmaxJacobian(weights, temperature = 1) {
  return weights.map((wi, i) =>
    weights.map((wj, j) => (wi * ((i === j ? 1 : 0) - wj)) / temperature),
  );
}

// The Frobenius norm of that Jacobian, without building it.
export function softmaxJacobianNorm(weights, temperature = 1) {
  let squares = 0;
  let cubes = 0;
  for (const w of weights) {
    squares += w * w;
    cubes += w * w * w;
  }
  return Math.sqrt(Math.max(squares - 2 * cubes + squares * squares, 0)) / temperature;
}

// Gaussian weights over distances, softmax(-distance / 2) with squared, scaled distances.
export function kernelWeights(squaredDistances) {
  return softmax(squaredDistances.map((distance) => -distance / 2));
}

// Counter-clockwise corners of the smallest convex polygon round the points.
export function convexHull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  if (sorted.length < 3) return sorted;
  const turn = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const half = (ordered) => {
    const chain = [];
    for (const point of ordered) {
      while (chain.length > 1 && turn(chain.at(-2), chain.at(-1), point) <= 0) chain.pop();
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  const hull = [...half(sorted), ...half([...sorted].reverse())];
  return hull.length ? hull : [sorted[0]];
}

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

// Fixed weights: the same for every element within `reach` of the moment, none elsewhere.
export function windowWeights(count, moment, reach) {
  const inside = Array.from({ length: count }, (_, j) => (Math.abs(j - moment) <= reach ? 1 : 0));
  const total = inside.reduce((a, b) => a + b, 0);
  return inside.map((value) => value / total);
}

// Adaptive weights: large where the signal is like it is at the moment.
export function similarityWeights(signal, moment, bandwidth) {
  return kernelWeights(signal.map((x) => ((x - signal[moment]) / bandwidth) ** 2));
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
  for (const row of weights) {
    [...row].sort((a, b) => b - a).forEach((w, rank) => (sorted[rank] += w / rows.length));
    gradient += softmaxJacobianNorm(row) / rows.length;
  }
  return { scores: flat, mean, std: Math.sqrt(variance), sorted, gradient };
}
