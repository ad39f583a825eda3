// How one derivative is made of its neighbours: the formula with its entries, and with its numbers.
import { indices } from "../shared/core.js";
import { bracketed, subscript, trimmed } from "../shared/parts.js";
import { placeOf } from "./flow.js";
import { named } from "./tables.js";

// What goes into the derivative by `name`: pairs of an entry, whose number counts, and another,
// whose derivative counts. `without` is what is left out by mistake.
export function recipe(name, pairs, width, without) {
  const { letter, i, j } = placeOf(name);
  const [a, b] = [i + 1, j + 1];
  const queries = pairs.map((_, row) => row + 1);
  const keys = pairs[0].map((_, column) => column + 1);
  const columns = indices(width).map((c) => c + 1);
  const products = {
    v: () => queries.map((row) => [`w${row}${a}`, `y${row}${b}`]),
    w: () => columns.map((c) => [`v${b}${c}`, `y${a}${c}`]),
    s: () => [[name.replace("s", "w"), name.replace("s", "w")]],
    q: () => keys.map((key) => [`k${key}${b}`, `s${a}${key}`]),
    k: () => queries.map((row) => [`q${row}${b}`, `s${row}${a}`]),
  };
  return { name, products: products[letter](), without };
}

// The entries whose numbers, and those whose derivatives, go into it; by a score, a whole row.
export function usesOf({ name, products, without }, keys) {
  const whole = name[0] === "s" && !["mean", "diagonal"].includes(without);
  const row = indices(whole ? keys : 0).map((j) => `w${name[1]}${j + 1}`);
  const of = (at) => [...products.map((pair) => pair[at]), ...row];
  return { values: of(0), slopes: of(1) };
}

export function workedLines({ name, products, without }, matrices, slopes) {
  const at = (matrices, entry) => {
    const { letter, i, j } = placeOf(entry);
    return matrices[letter][i][j];
  };
  const plain = (x) => trimmed(x, 3);
  const value = (entry) => bracketed(plain(at(matrices, entry)));
  const slope = (entry) => bracketed(plain(at(slopes, entry)));
  const by = (entry) => `d${named(entry)}`;
  const both = (formula, numbers) => [
    `${by(name)} = ${formula}`,
    `= ${numbers} = ${plain(at(slopes, name))}`,
  ];
  if (name[0] === "s") {
    const [[w]] = products;
    const row = placeOf(name).i;
    if (without === "mean") return both(`${named(w)} ${by(w)}`, `${value(w)} · ${slope(w)}`);
    const [what, much] =
      without === "diagonal"
        ? [`${named(w)} ${by(w)}`, `${value(w)} · ${slope(w)}`]
        : [`D${subscript(row)}`, bracketed(plain(slopes.means[row]))];
    return both(
      `${named(w)} (${by(w)} \u2212 ${what})`,
      `${value(w)} · (${slope(w)} \u2212 ${much})`,
    );
  }
  const scaled = "qk".includes(name[0]) && without !== "scale";
  const sum = (one) => {
    const terms = products.map(one).join(" + ");
    return scaled ? `(${terms}) / √2` : terms;
  };
  return both(
    sum(([entry, from]) => `${by(from)} ${named(entry)}`),
    sum(([entry, from]) => `${slope(from)} · ${value(entry)}`),
  );
}
