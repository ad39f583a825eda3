// The forward pass of attnlib.networks.vision, for one picture, of which each row is a patch.
import { argmax, matmul, mean, plus, softmax, transpose } from "../shared/core.js";
import { encoderBlock, norm, project } from "../shared/seldom/transformer.js";

const meanOf = (rows) => transpose(rows).map(mean);

// The chances of the ten digits, and how much the last block looks at each patch.
export function classify(p, rows) {
  let X = plus(matmul(rows, p.W_E), p.P);
  let weights = null;
  for (const block of Object.values(p.blocks)) ({ Y: X, weights } = encoderBlock(block, X));
  const [logits] = project([meanOf(norm(p.norm, X))], p.U, p.b);
  return { logits, chances: softmax(logits), seen: meanOf(weights.flat()) };
}

// The rows with one patch covered, counted from 1; 0 covers none.
export function coveredWith(rows, cover, patch) {
  return rows.map((row, k) => (k === patch - 1 ? cover[k] : row));
}

// How far the logit of the answer is ahead of the largest other one.
function lead(logits, answer) {
  return logits[answer] - Math.max(...logits.filter((_, k) => k !== answer));
}

// How much of its lead the answer loses, for each patch that is covered.
export function effects(p, rows, cover) {
  const { logits } = classify(p, rows);
  const answer = argmax(logits);
  const whole = lead(logits, answer);
  const without = (k) => lead(classify(p, coveredWith(rows, cover, k + 1)).logits, answer);
  return rows.map((_, k) => whole - without(k));
}
