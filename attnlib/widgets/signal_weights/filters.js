// The two filters of a signal: weights from places, weights from values.
import { indices, softmax, sum } from "../shared/core.js";

// Fixed weights: the same for every element within `reach` of the moment, none elsewhere.
export function windowWeights(count, moment, reach) {
  const inside = indices(count).map((j) => (Math.abs(j - moment) <= reach ? 1 : 0));
  return inside.map((value) => value / sum(inside));
}

// Adaptive weights: large where the signal is like it is at the moment, softmax(-distance / 2)
// with squared, scaled distances.
export function similarityWeights(signal, moment, bandwidth) {
  return softmax(signal.map((x) => -(((x - signal[moment]) / bandwidth) ** 2) / 2));
}
