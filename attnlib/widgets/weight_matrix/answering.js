// Scores, weights and answers of all queries, with softmax along the keys or along the queries.
import { matmul, scaledDot, softmax, transpose } from "../shared/core.js";

export function answers(Q, K, V, axis) {
  const scores = scaledDot(Q, K);
  const normalised = (rows) => rows.map((row) => softmax(row));
  const weights =
    axis === "keys" ? normalised(scores) : transpose(normalised(transpose(scores)));
  return { scores, weights, output: matmul(weights, V) };
}
