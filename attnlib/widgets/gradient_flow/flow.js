// Attention forwards, and backwards from one number to every entry. Matrices go by their letters:
// q, k, v come first; scores s, weights w and output y are made of them. In Python: attnlib.gradients.
import {
  causal, clamp, dot, indices, masked, matmul, scaledDot, softmax, transpose,
} from "../shared/core.js";

// Which pairs of query and key may meet; causal: the last query stands at the last key.
export function allowed(queries, keys, mask) {
  return mask === "none" ? indices(queries).map(() => Array(keys).fill(true)) : causal(queries, keys);
}

// Scores and weights can also be set by hand.
export function forwards({ q, k, v, ...set }, pairs) {
  const s = set.s ?? scaledDot(q, k);
  const w = set.w ?? masked(s, pairs).map((row) => softmax(row));
  return { q, k, v, s, w, y: matmul(w, v) };
}

// An entry by its name: "k21" is row 1, column 0 of the keys.
export function placeOf(name) {
  return { letter: name[0], i: Number(name[1]) - 1, j: Number(name[2]) - 1 };
}

// The number that is differentiated, an output's entry or half the squared distance to the target,
// and its derivative by each output.
export function goalOf(goal, y, target) {
  if (goal === "loss") {
    const d = y.map((row, i) => row.map((x, c) => x - target[i][c]));
    return { value: dot(d.flat(), d.flat()) / 2, d };
  }
  const { i, j } = placeOf(goal);
  const d = y.map((row, a) => row.map((_, c) => (a === i && c === j ? 1 : 0)));
  return { value: y[i][j], d };
}

// The derivative by each entry, stage by stage from the output back. `without` leaves a part out:
// the 1/√d, the mean that softmax subtracts, or what lies off the diagonal of its Jacobian.
export function backwards({ q, k, v, w }, dy, without) {
  const dw = matmul(dy, transpose(v));
  const dv = matmul(transpose(w), dy);
  const means = w.map((row, i) => dot(row, dw[i]));
  const taken = (i, j) =>
    ({ mean: 0, diagonal: w[i][j] * dw[i][j] })[without] ?? means[i];
  const ds = w.map((row, i) => row.map((x, j) => x * (dw[i][j] - taken(i, j))));
  const scale = without === "scale" ? 1 : 1 / Math.sqrt(q[0].length);
  const scaled = (rows) => rows.map((row) => row.map((x) => scale * x));
  const [dq, dk] = [scaled(matmul(ds, k)), scaled(matmul(transpose(ds), q))];
  return { q: dq, k: dk, v: dv, s: ds, w: dw, y: dy, means };
}

// Which entries the goal can depend on at all: the others have the derivative 0 for good.
export function reached(goal, pairs, width) {
  const place = goal === "loss" ? null : placeOf(goal);
  const asks = (i) => !place || i === place.i;
  // A query that sees one key gives it the weight 1, whatever the score.
  const chooses = (i) => asks(i) && pairs[i].filter(Boolean).length > 1;
  const moved = pairs.map((row, i) => row.map((open) => open && chooses(i)));
  const columns = indices(width);
  const any = (j, test) => pairs.some((row, i) => row[j] && test(i));
  return {
    q: pairs.map((_, i) => columns.map(() => chooses(i))),
    k: pairs[0].map((_, j) => columns.map(() => any(j, chooses))),
    v: pairs[0].map((_, j) => columns.map((c) => any(j, asks) && (!place || c === place.j))),
    s: moved,
    w: pairs.map((row, i) => row.map(() => asks(i))),
    y: pairs.map((_, i) => columns.map((c) => asks(i) && (!place || c === place.j))),
  };
}

// The goal with one entry moved by t and all that it does not lead to held as it is.
export function nudged(matrices, pairs, goal, target, name, t) {
  const { letter, i, j } = placeOf(name);
  const { q, k, v, s, w } = matrices;
  const fixed = { s: { q, k, v, s }, w: { q, k, v, w } }[letter] ?? { q, k, v };
  const moved = matrices[letter].map((row, a) => row.map((x, b) => (a === i && b === j ? x + t : x)));
  return goalOf(goal, forwards({ ...fixed, [letter]: moved }, pairs).y, target).value;
}

// A step against the derivatives, within the bounds of what can be typed.
export function downhill(rows, slopes, rate, limit) {
  const moved = (x, slope) => clamp(x - rate * slope, -limit, limit);
  return rows.map((row, i) => row.map((x, j) => moved(x, slopes[i][j])));
}
