// The rows of a sequence that has come so far: all of them, or each from a cache in its own step.
import { dot, indices, softmax, sum } from "../shared/core.js";

// What `MaskStepper` computes with attnlib; a row without a key holds NaN.
export function rows({ scores, values, mask, step, way }) {
  const places = indices(step);
  const inTime = (i, j) => way === "anew" || j <= i;
  const seen = places.map((i) => places.map((j) => Boolean(mask[i][j]) && inTime(i, j)));
  const numbered = (test) => places.filter(test).map((i) => i + 1);
  const weights = seen.map((row, i) =>
    row.includes(true)
      ? softmax(row.map((sees, j) => (sees ? scores[i][j] : -Infinity)))
      : row.map(() => NaN),
  );
  const masked = places.map((i) => places.filter((j) => !mask[i][j]).length);
  return {
    seen,
    weights,
    output: weights.map((row) => dot(row, values.slice(0, step))),
    lost: numbered((i) => !seen[i].includes(true)),
    differ: numbered((i) => places.some((j) => j > i && mask[i][j])),
    queries: [1, step],
    scores: [step, step * step],
    masked: [masked.at(-1), sum(masked)],
    total: [sum(places.map((i) => i + 1)), sum(places.map((i) => (i + 1) ** 2))],
    kept: [2 * step, 0],
  };
}
