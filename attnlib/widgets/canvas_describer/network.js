// The forward pass of attnlib.networks.describer: patches, an encoder block, a decoder block.
import { matmul, softmax } from "../shared/core.js";
import { attention, encoderBlock, feedForward, norm, plus } from "../shared/transformer.js";

export const WORDS = (
  "· and left? right? zero one two three four five six seven eight nine"
).split(" ");
export const END = "·";
export const LONGEST = 4;
const [PATCH, ACROSS, DOWN, HEADS] = [5, 4, 2, 4];

// The memory of a canvas of 10 × 20 pixels.
export function see(p, pixels) {
  const cut = Array.from({ length: ACROSS * DOWN }, (_, j) => {
    const [top, left] = [PATCH * Math.floor(j / ACROSS), PATCH * (j % ACROSS)];
    return Array.from({ length: PATCH }, (_, r) => pixels[top + r].slice(left, left + PATCH)).flat();
  });
  const X = plus(matmul(cut, p.W_P), p.P);
  return norm(p, "norm", encoderBlock(p, "encoder", HEADS, X).Y);
}

// Words, weights over the patches and next-word probabilities, a step each.
export function describe(p, keysFrom, valuesFrom, first) {
  const words = [WORDS.indexOf(first)];
  const steps = [];
  do {
    const X = plus(words.map((word) => p.E[word]), p.P_words);
    const self = attention(p, "decoder.self_attention", HEADS, [norm(p, "decoder.norm_1", X)], true);
    const row = [plus(X, self.output).at(-1)];
    const asking = norm(p, "decoder.norm_2", row);
    const cross = attention(p, "decoder.cross_attention", 1, [asking, keysFrom, valuesFrom]);
    const C = plus(row, cross.output);
    const Y = plus(C, feedForward(p, "decoder.feed_forward", norm(p, "decoder.norm_3", C)));
    const [logits] = matmul(norm(p, "norm_out", Y), p.U);
    const word = logits.indexOf(Math.max(...logits));
    words.push(word);
    steps.push({ word: WORDS[word], weights: cross.weights[0][0], chances: softmax(logits) });
  } while (steps.at(-1).word !== END && steps.length < LONGEST);
  return steps;
}

// The likeliest words of a step, the first ones of equals.
export function likeliest(chances, count) {
  const order = chances.map((_, i) => i).sort((a, b) => chances[b] - chances[a] || a - b);
  return order.slice(0, count).map((i) => [WORDS[i], chances[i]]);
}
