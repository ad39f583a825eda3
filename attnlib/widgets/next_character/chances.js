// What may come next: the likeliest first. The same in Python: NextCharacter.
import { softmax } from "../shared/core.js";

export const SHOWN = 8;

export function nextOf(logits, temperature) {
  const order = logits.map((_, i) => i).sort((a, b) => logits[b] - logits[a]);
  const chances = softmax(
    order.map((i) => logits[i]),
    temperature,
  );
  const entropy = chances.reduce((sum, p) => sum - (p > 0 ? p * Math.log(p) : 0), 0);
  const rest = chances.slice(SHOWN).reduce((sum, p) => sum + p, 0);
  return { order, chances, rest, perplexity: Math.exp(entropy) };
}

// Spaces and line ends that can be seen.
export function seen(text) {
  return text.replaceAll(" ", "\u2423").replaceAll("\n", "\u23ce");
}
