// Networks that come with attnlib: parameters by name, each from eight bits, and the parts of a
// transformer.
import { matmul, scaledDot, softmax } from "./core.js";

// A vector, or an array of rows.
function unpacked([unit, shape, whole]) {
  const numbers = Array.from(atob(whole), (byte) => unit * ((byte.charCodeAt(0) << 24) >> 24));
  if (shape.length === 1) return numbers;
  const [rows, columns] = shape;
  return Array.from({ length: rows }, (_, i) => numbers.slice(i * columns, (i + 1) * columns));
}

export function parametersOf(stored) {
  return Object.fromEntries(Object.entries(stored).map(([name, packed]) => [name, unpacked(packed)]));
}

export function plus(A, B) {
  return A.map((row, i) => row.map((x, j) => x + B[i][j]));
}

// Rows times a matrix, plus a bias.
export function affine(X, W, b) {
  return matmul(X, W).map((row) => row.map((x, j) => x + b[j]));
}

export function norm(p, name, X) {
  const [gain, bias] = [p[`${name}.gain`], p[`${name}.bias`]];
  return X.map((row) => {
    const mean = row.reduce((sum, x) => sum + x, 0) / row.length;
    const variance = row.reduce((sum, x) => sum + (x - mean) ** 2, 0) / row.length;
    const size = Math.sqrt(variance + 1e-5);
    return row.map((x, j) => (gain[j] * (x - mean)) / size + bias[j]);
  });
}

export function feedForward(p, name, X) {
  const [W_1, b_1, W_2, b_2] = ["W_1", "b_1", "W_2", "b_2"].map((one) => p[`${name}.${one}`]);
  const hidden = affine(X, W_1, b_1).map((row) => row.map((x) => Math.max(x, 0)));
  return affine(hidden, W_2, b_2);
}

// The output of all heads, and the weights of each, for rows that ask, are compared, are taken.
export function attention(p, name, heads, [asking, compared = asking, taken = compared], causal) {
  const project = (X, W) => matmul(X, p[`${name}.${W}`]);
  const all = [project(asking, "W_Q"), project(compared, "W_K"), project(taken, "W_V")];
  const d = all[0][0].length / heads;
  const merged = asking.map(() => []);
  const weights = Array.from({ length: heads }, (_, h) => {
    const [Q, K, V] = all.map((A) => A.map((row) => row.slice(h * d, (h + 1) * d)));
    const seen = (row, i) => row.map((score, j) => (causal && j > i ? -Infinity : score));
    const W = scaledDot(Q, K).map((row, i) => softmax(seen(row, i)));
    matmul(W, V).forEach((row, i) => merged[i].push(...row));
    return W;
  });
  return { output: project(merged, "W_O"), weights };
}

// A block of an encoder that normalises first.
export function encoderBlock(p, name, heads, X) {
  const { output, weights } = attention(p, `${name}.attention`, heads, [norm(p, `${name}.norm_1`, X)]);
  const A = plus(X, output);
  const Y = plus(A, feedForward(p, `${name}.feed_forward`, norm(p, `${name}.norm_2`, A)));
  return { Y, weights };
}
