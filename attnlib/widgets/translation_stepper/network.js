// The forward pass of attnlib.networks.translator: two recurrent networks, with or without attention.
import { softmax } from "../shared/core.js";
import { END, ENGLISH_VOCABULARY, FRENCH_VOCABULARY, LONGEST } from "./number_words.js";

// A row times a matrix, plus a bias.
function times(x, W, b = null) {
  const y = b ? [...b] : new Array(W[0].length).fill(0);
  x.forEach((value, i) => W[i].forEach((w, j) => (y[j] += value * w)));
  return y;
}

const sigmoid = (x) => (1 + Math.tanh(x / 2)) / 2;

function recurrent(p, part, x, s) {
  const [W_x, W_s, b_x, b_s] = ["W_x", "W_s", "b_x", "b_s"].map((name) => p[`${part}.${name}`]);
  const [fromX, fromS, d] = [times(x, W_x, b_x), times(s, W_s, b_s), s.length];
  return s.map((old, i) => {
    const r = sigmoid(fromX[i] + fromS[i]);
    const z = sigmoid(fromX[d + i] + fromS[d + i]);
    const n = Math.tanh(fromX[2 * d + i] + r * fromS[2 * d + i]);
    return (1 - z) * n + z * old;
  });
}

const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);

// The score of each state of the encoder for a state of the decoder.
function scores(p, kind, s, H) {
  if (kind === "location") return times(s, p["score.W"], p["score.b"]).slice(0, H.length);
  const asked = times(s, p["score.W_q"]);
  return H.map((h) => dot(times(h, p["score.W_k"], asked).map(Math.tanh), p["score.v"]));
}

// The translation of some English words: a word, weights and next-word probabilities a step.
export function translate(p, kind, words) {
  const zeros = new Array(p["encoder.W_s"].length).fill(0);
  const H = [];
  for (const word of words) {
    const x = p.E_source[ENGLISH_VOCABULARY.indexOf(word)];
    H.push(recurrent(p, "encoder", x, H.at(-1) ?? zeros));
  }
  const steps = [];
  let [word, s] = [0, H.at(-1)];
  do {
    s = recurrent(p, "decoder", p.E_target[word], s);
    let [found, weights] = [s, []];
    if (kind !== "none") {
      weights = softmax(scores(p, kind, s, H));
      found = [...s, ...s.map((_, i) => weights.reduce((sum, w, j) => sum + w * H[j][i], 0))];
    }
    const logits = times(times(found, p.W_c).map(Math.tanh), p.U, p.b);
    word = logits.indexOf(Math.max(...logits));
    steps.push({ word: FRENCH_VOCABULARY[word], weights, chances: softmax(logits) });
  } while (FRENCH_VOCABULARY[word] !== END && steps.length < LONGEST);
  return steps;
}

// The likeliest words of a step, the first ones of equals.
export function likeliest(chances, count) {
  const order = chances.map((_, i) => i).sort((a, b) => chances[b] - chances[a] || a - b);
  return order.slice(0, count).map((i) => [FRENCH_VOCABULARY[i], chances[i]]);
}
