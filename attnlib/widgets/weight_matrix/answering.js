// Scores, weights and answers of all queries, with softmax along the keys or along the queries.
import { matmul, softmax, transpose } from "../shared/core.js";

export function answers(Q, K, V, axis) {
  const root = Math.sqrt(K[0].length);
  const scores = matmul(Q, transpose(K)).map((row) => row.map((score) => score / root));
  const normalised = (rows) => rows.map((row) => softmax(row));
  const weights =
    axis === "keys" ? normalised(scores) : transpose(normalised(transpose(scores)));
  return { scores, weights, output: matmul(weights, V) };
}
