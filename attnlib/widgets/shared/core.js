// The arithmetic that the widgets share. Every function here has a twin in attnlib, and a test
// compares the two in a real browser. Vectors are arrays; matrices are arrays of rows.

// The whole numbers from 0 to n - 1.
export function indices(n) {
  return Array.from({ length: n }, (_, i) => i);
}

export function sum(values) {
  return values.reduce((total, x) => total + x, 0);
}

export function mean(values) {
  return sum(values) / values.length;
}

export function clamp(x, low, high) {
  return Math.min(Math.max(x, low), high);
}

// The place of the largest, the first of equals.
export function argmax(values) {
  return values.indexOf(Math.max(...values));
}

// The places of the largest, the largest first; of equals the first.
export function likeliest(chances, count = chances.length) {
  const order = indices(chances.length).sort((i, j) => chances[j] - chances[i]);
  return order.slice(0, count);
}

export function dot(a, b) {
  let total = 0;
  for (let i = 0; i < a.length; i += 1) total += a[i] * b[i];
  return total;
}

// Two tables of one size, entry by entry.
export function plus(A, B) {
  return A.map((row, i) => row.map((x, j) => x + B[i][j]));
}

export function transpose(A) {
  return A[0].map((_, column) => A.map((row) => row[column]));
}

export function matmul(A, B) {
  return A.map((row) => {
    const product = new Array(B[0].length).fill(0);
    for (let i = 0; i < row.length; i += 1) {
      const [x, other] = [row[i], B[i]];
      for (let j = 0; j < other.length; j += 1) product[j] += x * other[j];
    }
    return product;
  });
}

// A score of -Infinity may not be attended to: its weight is exactly 0.
export function softmax(scores, temperature = 1) {
  const largest = scores.reduce((a, b) => Math.max(a, b));
  const weights = scores.map((score) => Math.exp((score - largest) / temperature));
  const total = weights.reduce((a, b) => a + b);
  for (let i = 0; i < weights.length; i += 1) weights[i] /= total;
  return weights;
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

export function sigmoid(x) {
  return (1 + Math.tanh(x / 2)) / 2;
}

function logSigmoid(x) {
  return x >= 0 ? -Math.log1p(Math.exp(-x)) : x - Math.log1p(Math.exp(x));
}

// Sigmoids divided by their sum, through logarithms so that very small ones do not vanish.
export function sigmoidNormalize(scores, temperature = 1) {
  return softmax(scores.map((score) => logSigmoid(score / temperature)));
}

export function hardmax(scores) {
  const first = argmax(scores);
  return scores.map((_, index) => (index === first ? 1 : 0));
}

export const normalizers = {
  softmax,
  sparsemax,
  sigmoid_normalize: sigmoidNormalize,
  hardmax,
};

// Dot products divided by the root of the length of a key, a row for each query.
export function scaledDot(Q, K) {
  const root = Math.sqrt(K[0].length);
  return matmul(Q, transpose(K)).map((row) => row.map((score) => score / root));
}

// Which query may attend to which key; the last query stands at the last key.
export function causal(queries, keys = queries) {
  return indices(queries).map((i) => indices(keys).map((j) => j <= i + keys - queries));
}

// Scores that a mask, where there is one, lets count.
export function masked(scores, mask) {
  return mask ? scores.map((row, i) => row.map((x, j) => (mask[i][j] ? x : -Infinity))) : scores;
}

// scores -> weights -> output, one row for each query.
export function attend(Q, K, V, { normalizer = "softmax", temperature = 1 } = {}) {
  const scores = matmul(Q, transpose(K));
  const weights = scores.map((row) => normalizers[normalizer](row, temperature));
  return { scores, weights, output: matmul(weights, V) };
}

// The same with scaled scores, to which a bias may be added, and which a mask may cut.
export function scaledDotProductAttention(Q, K, V, { mask, bias } = {}) {
  const scaled = scaledDot(Q, K);
  const scores = masked(bias ? plus(scaled, bias) : scaled, mask);
  const weights = scores.map((row) => softmax(row));
  return { scores, weights, output: matmul(weights, V) };
}

// Counter-clockwise corners of the smallest convex polygon round the points.
export function convexHull(points) {
  const sorted = [...points]
    .sort((a, b) => a[0] - b[0] || a[1] - b[1])
    .filter(([x, y], i, all) => i === 0 || x !== all[i - 1][0] || y !== all[i - 1][1]);
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
  return [...half(sorted), ...half([...sorted].reverse())];
}
