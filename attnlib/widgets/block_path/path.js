// A block of one head, as in block.json, for all items at once: what each station holds.
import { indices, matmul, plus, scaledDotProductAttention } from "../shared/core.js";
import { activations, layerNorm, project } from "../shared/seldom/transformer.js";
import block from "./block.json";

const zeros = (rows, columns) => indices(rows).map(() => Array(columns).fill(0));

export const STATIONS = [
  "x", "norm1", "weights", "adds1", "sum1", "norm2", "hidden", "adds2", "sum2",
];

// The stations in the order in which an item comes to them.
export function orderOf(norm) {
  if (norm !== "after") return STATIONS;
  return ["x", "weights", "adds1", "sum1", "norm1", "hidden", "adds2", "sum2", "norm2"];
}

export function seen(i, j, mask) {
  return mask !== "causal" || j <= i;
}

// Attention of one head: scores, weights, values, what comes of them, and what is brought.
function attend(Z, mask) {
  const [Q, K, V] = ["W_Q", "W_K", "W_V"].map((name) => matmul(Z, block[name]));
  const allowed = Z.map((_, i) => Z.map((_, j) => seen(i, j, mask)));
  const { output: mixed, ...found } = scaledDotProductAttention(Q, K, V, { mask: allowed });
  return { queries: Q, keys: K, values: V, ...found, mixed, brought: matmul(mixed, block.W_O) };
}

function network(Z) {
  const before = project(Z, block.W_1, block.b_1);
  const hidden = before.map((row) => row.map(activations.relu));
  return { before, hidden, brought: project(hidden, block.W_2, block.b_2) };
}

export function run(X, { norm, mask, attention, network: on, residual }) {
  const [n, d] = [X.length, X[0].length];
  const normed = (Z) => (norm === "none" ? Z : layerNorm(block, Z));
  const joined = (came, brought) => (residual ? plus(came, brought) : brought);
  const after = norm === "after";
  const reads1 = after ? X : normed(X);
  const head = attend(reads1, mask);
  const adds1 = attention ? head.brought : zeros(n, d);
  const sum1 = joined(X, adds1);
  const a = after ? normed(sum1) : sum1;
  const reads2 = after ? a : normed(a);
  const layer = network(reads2);
  const adds2 = on ? layer.brought : zeros(n, d);
  const sum2 = joined(a, adds2);
  const y = after ? normed(sum2) : sum2;
  const stations = {
    x: X,
    norm1: after ? a : reads1,
    weights: attention ? head.weights : zeros(n, n),
    adds1,
    sum1,
    norm2: after ? y : reads2,
    hidden: on ? layer.hidden : zeros(n, block.b_1.length),
    adds2,
    sum2,
    a,
    y,
    reads1,
    reads2,
  };
  return { stations, head, layer };
}

// The items, from 1, on which each station of item i, from 0, depends, whatever the numbers.
export function reachOf(i, { norm, mask, attention, network: on, residual }, n) {
  const all = indices(n);
  const join = (...sets) => all.filter((j) => sets.some((set) => set.includes(j)));
  const own = [i];
  const adds1 = attention ? all.filter((j) => seen(i, j, mask)) : [];
  const sum1 = residual ? join(adds1, own) : adds1;
  const hidden = on ? sum1 : [];
  const sum2 = residual ? join(hidden, sum1) : hidden;
  const after = norm === "after";
  const reach = {
    x: own,
    norm1: after ? sum1 : own,
    weights: adds1.length > 1 ? adds1 : [],
    adds1,
    sum1,
    norm2: after ? sum2 : sum1,
    hidden,
    adds2: hidden,
    sum2,
  };
  return Object.fromEntries(Object.entries(reach).map(([name, set]) => [name, set.map((j) => j + 1)]));
}
