// The forward pass of attnlib.networks.vision, for one picture of 16 patches.
import { matmul, softmax } from "../shared/core.js";
import { affine, encoderBlock, norm, plus } from "../shared/transformer.js";

function meanOf(rows) {
  return rows[0].map((_, j) => rows.reduce((sum, row) => sum + row[j], 0) / rows.length);
}

// The chances of the ten digits, and how much the last block looks at each patch.
export function classify(p, rows) {
  let X = plus(matmul(rows, p.W_E), p.P);
  let weights = null;
  for (let k = 0; `blocks.${k}.norm_1.gain` in p; k += 1)
    ({ Y: X, weights } = encoderBlock(p, `blocks.${k}`, p.n_heads, X));
  const [logits] = affine([meanOf(norm(p, "norm", X))], p.U, p.b);
  return { logits, chances: softmax(logits), seen: meanOf(weights.flat()) };
}

// A picture of 8 × 8 as 16 patches of 2 × 2, one a row.
export function patchesOf(pixels) {
  return Array.from({ length: 16 }, (_, k) => {
    const first = 16 * Math.floor(k / 4) + 2 * (k % 4);
    return [0, 1, 8, 9].map((step) => pixels[first + step]);
  });
}

// The rows with one patch covered, counted from 1; 0 covers none.
export function coveredWith(rows, mean, patch) {
  return rows.map((row, k) => (k === patch - 1 ? mean[k] : row));
}

// How far the logit of the answer is ahead of the largest other one.
function lead(logits, answer) {
  return logits[answer] - Math.max(...logits.filter((_, k) => k !== answer));
}

// How much of its lead the answer loses, for each patch that is covered.
export function effects(p, rows, mean) {
  const { logits } = classify(p, rows);
  const answer = logits.indexOf(Math.max(...logits));
  const whole = lead(logits, answer);
  const without = (k) => lead(classify(p, coveredWith(rows, mean, k + 1)).logits, answer);
  return rows.map((_, k) => whole - without(k));
}
