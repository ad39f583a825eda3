// Networks that attnlib has stored, and the parts that they are made of, of 2017 and of today. Each
// part here takes its parameters and settings as `networkOf` gives them, has a twin in attnlib, and
// a test compares the two. X has an item in each row.
import {
  causal, clamp, dot, indices, matmul, mean, plus, scaledDotProductAttention, sigmoid,
} from "../core.js";

// A vector, or an array of rows, of which each number was stored in eight bits.
function unpacked([unit, shape, whole]) {
  const numbers = Array.from(atob(whole), (byte) => unit * ((byte.charCodeAt(0) << 24) >> 24));
  if (shape.length === 1) return numbers;
  const [rows, columns] = shape;
  return indices(rows).map((i) => numbers.slice(i * columns, (i + 1) * columns));
}

// Names of classes that settings may hold.
const KINDS = new Set([
  "LayerNorm", "RMSNorm", "FeedForward", "GatedFeedForward",
  "Rotary", "LinearBias", "RelativeBias", "Additive", "Bilinear", "Location",
]);

// Parts within parts, each with its parameters and settings by name. A setting that is the name of a
// class, where a part could be of several, is the `kind` of the part.
export function networkOf({ settings, parameters }) {
  const network = {};
  const put = (name, content) => {
    const path = name.split(".");
    const last = path.pop();
    path.reduce((part, inner) => (part[inner] ??= {}), network)[last] = content;
  };
  for (const [name, stored] of Object.entries(parameters)) put(name, unpacked(stored));
  for (const [name, value] of Object.entries(settings))
    put(KINDS.has(value) ? `${name}.kind` : name, value);
  return network;
}

// A picture, an array of rows, in squares of `size` pixels a side: an item for each.
export function patches(pixels, size) {
  const firsts = (length) => indices(length / size).map((k) => k * size);
  const cut = (top, left) =>
    pixels.slice(top, top + size).flatMap((row) => row.slice(left, left + size));
  return firsts(pixels.length).flatMap((top) =>
    firsts(pixels[0].length).map((left) => cut(top, left)),
  );
}

export function project(X, W, b) {
  return b ? matmul(X, W).map((row) => row.map((x, j) => x + b[j])) : matmul(X, W);
}

// Without gain and bias they are 1 and 0.
export function layerNorm({ gain, bias, epsilon }, X) {
  return X.map((row) => {
    const centre = mean(row);
    const sigma = Math.sqrt(mean(row.map((x) => (x - centre) ** 2)) + epsilon);
    return row.map((x, j) => ((gain?.[j] ?? 1) * (x - centre)) / sigma + (bias?.[j] ?? 0));
  });
}

export function rmsNorm({ gain, epsilon }, X) {
  return X.map((row) => {
    const root = Math.sqrt(dot(row, row) / row.length + epsilon);
    return row.map((x, j) => (gain[j] * x) / root);
  });
}

export function norm(part, X) {
  return part.kind === "RMSNorm" ? rmsNorm(part, X) : layerNorm(part, X);
}

// The chance that a standard normal number lies below x, by a series of Marsaglia (2004).
function normalDistribution(x) {
  if (Math.abs(x) > 8) return x > 0 ? 1 : 0;
  let [term, total] = [x, x];
  for (let k = 3; Math.abs(term) > 1e-17; k += 2) total += term *= (x * x) / k; // NaN ends it
  return 0.5 + (total * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
}

export const activations = {
  relu: (x) => Math.max(x, 0),
  gelu: (x) => x * normalDistribution(x),
  silu: (x) => x * sigmoid(x),
};

// With gates, which open the hidden units, or without.
export function feedForward({ W_gate, W_1, b_1, W_2, b_2, activation }, X) {
  const active = (Z) => Z.map((row) => row.map((x) => activations[activation](x)));
  const hidden = project(X, W_1, b_1);
  if (!W_gate) return project(active(hidden), W_2, b_2);
  const gates = active(project(X, W_gate));
  return project(hidden.map((row, i) => row.map((x, j) => x * gates[i][j])), W_2);
}

// Radians that each pair of components turns by from one position to the next.
export function frequencies(d, base) {
  return indices(d / 2).map((i) => base ** ((-2 * i) / d));
}

// Queries or keys turned by their positions, the first of which is `start`.
export function rotary({ base, convention }, X, start = 0) {
  const half = X[0].length / 2;
  const [next, apart] = convention === "halves" ? [1, half] : [2, 1];
  const omegas = frequencies(2 * half, base);
  return X.map((row, t) => {
    const turned = [...row];
    omegas.forEach((omega, k) => {
      const [i, j] = [next * k, next * k + apart];
      const [cos, sin] = [Math.cos((start + t) * omega), Math.sin((start + t) * omega)];
      [turned[i], turned[j]] = [row[i] * cos - row[j] * sin, row[i] * sin + row[j] * cos];
    });
    return turned;
  });
}

// What positions add to the scores of a head: a function of the shift from query to key.
const biases = {
  LinearBias: (_, head, heads) => (shift) => -(2 ** ((-8 * (head + 1)) / heads)) * Math.abs(shift),
  RelativeBias: ({ table }, head) => {
    const most = (table[head].length - 1) / 2;
    return (shift) => table[head][most + clamp(shift, -most, most)];
  },
};

export function additive({ W_q, W_k, v }, Q, K) {
  const fromKeys = matmul(K, W_k);
  return matmul(Q, W_q).map((q) => fromKeys.map((k) => dot(q.map((x, i) => Math.tanh(x + k[i])), v)));
}

export function location({ W, b }, Q, K) {
  return project(Q, W, b).map((row) => row.slice(0, K.length));
}

// The output of all heads, and the weights of each. Heads of a group share keys and values, and
// the last query stands at the last key.
export function multiHeadAttention(part, X, { keysFrom = X, valuesFrom = keysFrom, mask } = {}) {
  const { n_heads, n_kv_heads = n_heads, positions } = part;
  const later = keysFrom.length - X.length;
  const turn = (A, start) => (positions?.kind === "Rotary" ? rotary(positions, A, start) : A);
  const heads = (rows, of, count) => {
    const all = project(rows, part[`W_${of}`], part[`b_${of}`]);
    const d = all[0].length / count;
    return indices(count).map((h) => all.map((row) => row.slice(h * d, (h + 1) * d)));
  };
  const Q = heads(X, "Q", n_heads).map((A) => turn(A, later));
  const K = heads(keysFrom, "K", n_kv_heads).map((A) => turn(A, 0));
  const V = heads(valuesFrom, "V", n_kv_heads);
  const found = Q.map((queries, h) => {
    const group = Math.floor((h * n_kv_heads) / n_heads);
    const add = biases[positions?.kind]?.(positions, h, n_heads);
    const bias = add && X.map((_, i) => keysFrom.map((_, j) => add(j - i - later)));
    return scaledDotProductAttention(queries, K[group], V[group], { mask, bias });
  });
  const merged = X.map((_, i) => found.flatMap(({ output }) => output[i]));
  return { output: project(merged, part.W_O, part.b_O), weights: found.map((one) => one.weights) };
}

const fed = ({ feed_forward }) => (Z) => ({ output: feedForward(feed_forward, Z) });

// One part of a block, by a function that gives its `output` for rows, and its sum with the items.
function residual(block, normName, X, run) {
  const normed = (rows) => norm(block[normName], rows);
  const { output, weights } = run(block.norm_first ? normed(X) : X);
  const total = plus(X, output);
  return { Y: block.norm_first ? total : normed(total), weights };
}

export function encoderBlock(block, X, { mask } = {}) {
  const { Y: A, weights } = residual(block, "norm_1", X, (Z) =>
    multiHeadAttention(block.attention, Z, { mask }),
  );
  const { Y } = residual(block, "norm_2", A, fed(block));
  return { Y, weights };
}

// Keys and values of cross-attention come from the memory, or from one each.
export function decoderBlock(block, X, keysFrom, valuesFrom = keysFrom) {
  const mask = causal(X.length);
  const { Y: A, weights } = residual(block, "norm_1", X, (Z) =>
    multiHeadAttention(block.self_attention, Z, { mask }),
  );
  const { Y: C, weights: crossWeights } = residual(block, "norm_2", A, (Z) =>
    multiHeadAttention(block.cross_attention, Z, { keysFrom, valuesFrom }),
  );
  const { Y } = residual(block, "norm_3", C, fed(block));
  return { Y, weights, crossWeights };
}

// The states of a gated recurrent unit after each item; they begin at `state`, or at 0.
export function gru({ W_x, W_s, b_x, b_s }, X, state = W_s.map(() => 0)) {
  const d = state.length;
  return X.map((x) => {
    const [[fromX], [fromS]] = [project([x], W_x, b_x), project([state], W_s, b_s)];
    state = state.map((old, i) => {
      const [r, z] = [i, d + i].map((k) => sigmoid(fromX[k] + fromS[k]));
      const n = Math.tanh(fromX[2 * d + i] + r * fromS[2 * d + i]);
      return (1 - z) * n + z * old;
    });
    return state;
  });
}
