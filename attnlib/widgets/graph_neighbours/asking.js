// Weights of three houses for three utilities, as attnlib computes them.
import { argmax, dot, softmax, sum } from "../shared/core.js";

export const HOUSES = [..."ABC"];
export const UTILITIES = ["water", "gas", "power"];
export const VALUES = [2, 4, 9];
export const ASKED = [1, 0, -1];
const NAMES = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

function leaky(z) {
  return z > 0 ? z : 0.2 * z;
}

const SCORES = {
  mean: () => 0,
  dot: (i, j) => 3 * NAMES[i][j],
  dynamic: (i, j) => 5 * sum(NAMES.map((_, m) => leaky(NAMES[i][m] - 1 + NAMES[j][m]))),
  original: (i, j, own) => leaky(own[i] + ASKED[j]),
};

export function asking(form, own, edges) {
  const weights = edges.map((row, i) =>
    softmax(row.map((edge, j) => (edge ? SCORES[form](i, j, own) : -Infinity))),
  );
  return { weights, heard: weights.map((row) => dot(row, VALUES)) };
}

// Where the largest weight of each house is, -1 where all its weights are equal and more than one.
export function favourites(weights) {
  return weights.map((row) => {
    const there = row.filter((w) => w > 0);
    const even = there.length > 1 && Math.max(...there) - Math.min(...there) < 1e-9;
    return even ? -1 : argmax(row);
  });
}
