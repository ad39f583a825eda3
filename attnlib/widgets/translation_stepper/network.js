// The forward pass of attnlib.networks.translator: two recurrent networks, with or without attention.
import { argmax, matmul, softmax } from "../shared/core.js";
import { additive, gru, location, project } from "../shared/seldom/transformer.js";
import { LONGEST } from "./number_words.js";

const scores = { Additive: additive, Location: location };

// The translation of some English words: a word, weights and next-word probabilities a step.
export function translate(p, english) {
  const H = gru(p.encoder, english.map((word) => p.E_source[p.source_words.indexOf(word)]));
  const steps = [];
  let [word, state] = [0, H.at(-1)];
  do {
    [state] = gru(p.decoder, [p.E_target[word]], state);
    let [found, weights] = [state, []];
    if (p.score) {
      weights = softmax(scores[p.score.kind](p.score, [state], H)[0]);
      found = [...state, ...matmul([weights], H)[0]];
    }
    const [logits] = project([matmul([found], p.W_c)[0].map(Math.tanh)], p.U, p.b);
    word = argmax(logits);
    steps.push({ word: p.target_words[word], weights, chances: softmax(logits) });
  } while (word && steps.length < LONGEST);
  return steps;
}
