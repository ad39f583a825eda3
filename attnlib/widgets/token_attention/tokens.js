// A row of tokens: what they say to each other, and how the row changes.
import { indices, matmul, scaledDotProductAttention } from "../shared/core.js";

// Scores, weights and outputs, a row for each token; all three projections from one source.
export function attendTokens(X, W_Q, W_K, W_V) {
  const [Q, K, V] = [W_Q, W_K, W_V].map((W) => matmul(X, W));
  return { ...scaledDotProductAttention(Q, K, V), V };
}

// The order of a pack of n cards after one riffle: halves, dealt in turn, the second half first.
export function riffled(n) {
  const half = Math.ceil(n / 2);
  const rank = (i) => 2 * (i % half) + (i < half ? 1 : 0);
  return indices(n).sort((a, b) => rank(a) - rank(b));
}

// The same tokens in another order; the two places that are marked go with their tokens.
export function shuffled({ tokens, row, column }) {
  const order = riffled(tokens.length);
  const goes = (place) => order.indexOf(place);
  return { tokens: order.map((i) => tokens[i]), row: goes(row), column: goes(column) };
}

// The chosen token once more, right behind it.
export function repeated({ tokens, row, column }) {
  const more = [...tokens.slice(0, row + 1), ...tokens.slice(row)];
  return { tokens: more, row, column: column > row ? column + 1 : column };
}

// Without the chosen token; the one behind it is chosen then, or the last.
export function removed({ tokens, row, column }) {
  const last = tokens.length - 2;
  return {
    tokens: tokens.filter((_, i) => i !== row),
    row: Math.min(row, last),
    column: Math.min(column > row ? column - 1 : column, last),
  };
}
