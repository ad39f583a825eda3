// The induction circuit of attnlib.networks, for one text: weights of both heads, and the copy.
import { softmax } from "../shared/core.js";

const SHARP = 10000;
export const MOST = 8;
export const START = "\u00b7";

// Rows with a single 1: the start token, then the letters.
function rowsOf(tokens, letters) {
  const ids = [0, ...[...tokens].map((letter) => 1 + letters.indexOf(letter))];
  return ids.map((id) => Array.from({ length: letters.length + 1 }, (_, k) => Number(k === id)));
}

// A causal head: weights for each row, from scores of pairs.
function head(n, width, score) {
  const places = Array.from({ length: n }, (_, k) => k);
  return places.map((t) =>
    softmax(places.map((s) => (s > t ? -Infinity : (SHARP * score(t, s)) / Math.sqrt(width)))),
  );
}

function mix(weights, rows) {
  return weights.map((row) =>
    rows[0].map((_, k) => row.reduce((sum, w, s) => sum + w * rows[s][k], 0)),
  );
}

export function circuit(tokens, off, letters) {
  const T = rowsOf(tokens, letters);
  const n = T.length;
  const first = head(n, MOST + 1, (t, s) => Number(s === t - 1));
  const notes = mix(off === "previous" ? first.map((row) => row.map(() => 0)) : first, T);
  const fit = (t, s) => T[t].reduce((sum, x, k) => sum + x * notes[s][k], 0);
  const second = head(n, letters.length + 2, (t, s) => fit(t, s) + (s === 0 ? 0.5 : 0));
  const copied = off === "induction" ? T.map((row) => row.map(() => 0)) : mix(second, T);
  return { weights: [first, second], copied };
}

// What head 1 writes at each place, as it is read.
export function notesOf(tokens, off) {
  const all = [START, START, ...tokens].slice(0, tokens.length + 1);
  return off === "previous" ? all.map(() => "") : all;
}
