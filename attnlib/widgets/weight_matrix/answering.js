// Scores, weights and answers of all queries, with softmax along the keys or along the queries.
import {
  matmul, scaledDot, scaledDotProductAttention, softmax, transpose,
} from "../shared/core.js";

export function answers(Q, K, V, axis) {
  if (axis === "keys") return scaledDotProductAttention(Q, K, V);
  const scores = scaledDot(Q, K);
  const weights = transpose(transpose(scores).map((column) => softmax(column)));
  return { scores, weights, output: matmul(weights, V) };
}
