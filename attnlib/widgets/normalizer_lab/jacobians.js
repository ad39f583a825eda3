// How each weight answers to each score: a row for each weight, a column for each score.
import { hardmax, sigmoid, sigmoidNormalize, softmax, sparsemax } from "../shared/core.js";

function table(weights, entry) {
  return weights.map((_, i) => weights.map((_, j) => entry(i, j, i === j ? 1 : 0)));
}

const jacobians = {
  softmax(scores, temperature) {
    const w = softmax(scores, temperature);
    return table(w, (i, j, delta) => (w[i] * (delta - w[j])) / temperature);
  },
  sparsemax(scores, temperature) {
    const w = sparsemax(scores, temperature);
    const kept = w.filter((x) => x > 0).length;
    const both = (i, j) => (w[i] > 0 && w[j] > 0 ? 1 : 0);
    return table(w, (i, j, delta) => (both(i, j) * (delta - 1 / kept)) / temperature);
  },
  sigmoid_normalize(scores, temperature) {
    const w = sigmoidNormalize(scores, temperature);
    const room = scores.map((score) => sigmoid(-score / temperature));
    return table(w, (i, j, delta) => ((delta - w[i]) * w[j] * room[j]) / temperature);
  },
  // It jumps, and between the jumps nothing moves.
  hardmax: (scores) => table(hardmax(scores), () => 0),
};

export function jacobian(normalizer, scores, temperature) {
  return jacobians[normalizer](scores, temperature);
}
