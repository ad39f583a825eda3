// A library of six books and the heads that look into it, with the best readout for them.
import { matmul, mean, softmax, sum, transpose } from "../shared/core.js";
import library from "./library.json";

const { TOPICS, CONTRAST, PENALTY } = library;

const PAIRS = TOPICS.flatMap((_, a) =>
  TOPICS.map((_, t) => [a + 1, t + 1]).filter(([, t]) => t !== TOPICS[a]),
);

// Which book has the author, and which the topic: two rows of zeros and a one.
export function matches([author, topic]) {
  return [
    TOPICS.map((_, i) => Number(i + 1 === author)),
    TOPICS.map((t) => Number(t === topic)),
  ];
}

// The weights of the books, a row for each head. A head's aim divides its weight: 0 is all for the
// author, 1 all for the topic.
export function weightsOf(query, aims) {
  const [byAuthor, byTopic] = matches(query);
  return aims.map((aim) => {
    const gains = [1 - aim, aim].map((share) => Math.log1p(CONTRAST * share));
    return softmax(byAuthor.map((match, i) => match * gains[0] + byTopic[i] * gains[1]));
  });
}

function meanTable(tables) {
  return tables[0].map((row, i) =>
    row.map((_, j) => mean(tables.map((table) => table[i][j]))),
  );
}

// Solve a small system of equations by elimination; a right side for each column of C.
function solve(G, C) {
  const rows = G.map((row, i) => [...row, ...C[i]]);
  const n = rows.length;
  for (let p = 0; p < n; p += 1) {
    let best = p;
    for (let i = p + 1; i < n; i += 1) if (Math.abs(rows[i][p]) > Math.abs(rows[best][p])) best = i;
    [rows[p], rows[best]] = [rows[best], rows[p]];
    rows.forEach((row, i) => {
      if (i === p) return;
      const factor = row[p] / rows[p][p];
      for (let j = p; j < row.length; j += 1) row[j] -= factor * rows[p][j];
    });
  }
  return rows.map((row, p) => row.slice(n).map((x) => x / row[p]));
}

// The readout with the smallest error over all pairs of different books, and that error with the
// heads that are on: for the price by author and for the one by topic.
export function readout(aims, on) {
  const weights = PAIRS.map((pair) => weightsOf(pair, aims));
  const squares = meanTable(weights.map((A) => matmul(A, transpose(A))));
  squares.forEach((row, i) => (row[i] += PENALTY));
  const products = meanTable(weights.map((A, q) => matmul(A, transpose(matches(PAIRS[q])))));
  const W = solve(squares, products);
  const error = [0, 0];
  weights.forEach((A, q) =>
    matches(PAIRS[q]).forEach((wanted, t) =>
      wanted.forEach((one, b) => {
        const guess = sum(A.map((row, h) => (on[h] ? row[b] * W[h][t] : 0)));
        error[t] += (one - guess) ** 2 / PAIRS.length;
      }),
    ),
  );
  return { W, error, queries: PAIRS.length };
}
