// What may come next: the likeliest first. The same in Python: NextCharacter.
import { likeliest, softmax, sum } from "../shared/core.js";

export const SHOWN = 8;

export function nextOf(logits, temperature) {
  const order = likeliest(logits);
  const sorted = order.map((i) => logits[i]);
  const chances = softmax(sorted, temperature);
  const entropy = -sum(chances.map((p) => (p > 0 ? p * Math.log(p) : 0)));
  return { order, chances, rest: sum(chances.slice(SHOWN)), perplexity: Math.exp(entropy) };
}

// Spaces and line ends that can be seen.
export function seen(text) {
  return text.replaceAll(" ", "\u2423").replaceAll("\n", "\u23ce");
}
