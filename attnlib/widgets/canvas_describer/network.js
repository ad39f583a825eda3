// The forward pass of attnlib.networks.describer: patches, an encoder block, a decoder block.
import { argmax, matmul, plus, softmax } from "../shared/core.js";
import { decoderBlock, encoderBlock, norm, patches } from "../shared/seldom/transformer.js";

// The memory of a canvas.
export function see(p, pixels) {
  const X = plus(matmul(patches(pixels, Math.sqrt(p.W_P.length)), p.W_P), p.P);
  return norm(p.norm, encoderBlock(p.encoder, X).Y);
}

// Words, weights over the patches and next-word probabilities, a step each.
export function describe(p, keysFrom, valuesFrom, first) {
  const written = [p.words.indexOf(first)];
  const steps = [];
  do {
    const X = plus(written.map((word) => p.E[word]), p.P_words);
    const { Y, crossWeights } = decoderBlock(p.decoder, X, keysFrom, valuesFrom);
    const [logits] = matmul(norm(p.norm_out, [Y.at(-1)]), p.U);
    const word = argmax(logits);
    written.push(word);
    steps.push({ word: p.words[word], weights: crossWeights[0].at(-1), chances: softmax(logits) });
  } while (steps.at(-1).word !== p.words[0] && steps.length < p.P_words.length);
  return steps;
}
