// The induction circuit of attnlib.networks, for one text: weights of both heads, and the copy.
import { causal, dot, indices, masked, matmul, softmax } from "../shared/core.js";

const SHARP = 10000;
export const MOST = 8;
export const START = "\u00b7";

// Rows with a single 1: the start token, then the letters.
function rowsOf(tokens, letters) {
  const ids = [0, ...[...tokens].map((letter) => 1 + letters.indexOf(letter))];
  return ids.map((id) => indices(letters.length + 1).map((k) => Number(k === id)));
}

// A causal head: weights for each row, from scores of pairs.
function head(n, width, score) {
  const sharp = (t, s) => (SHARP * score(t, s)) / Math.sqrt(width);
  const scores = indices(n).map((t) => indices(n).map((s) => sharp(t, s)));
  return masked(scores, causal(n)).map((row) => softmax(row));
}

export function circuit(tokens, off, letters) {
  const T = rowsOf(tokens, letters);
  const n = T.length;
  const first = head(n, MOST + 1, (t, s) => Number(s === t - 1));
  const notes = matmul(off === "previous" ? first.map((row) => row.map(() => 0)) : first, T);
  const fit = (t, s) => dot(T[t], notes[s]);
  const second = head(n, letters.length + 2, (t, s) => fit(t, s) + (s === 0 ? 0.5 : 0));
  const copied = off === "induction" ? T.map((row) => row.map(() => 0)) : matmul(second, T);
  return { weights: [first, second], copied };
}

// What head 1 writes at each place, as it is read.
export function notesOf(tokens, off) {
  const all = [START, START, ...tokens].slice(0, tokens.length + 1);
  return off === "previous" ? all.map(() => "") : all;
}
