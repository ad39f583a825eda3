// How one derivative is made of its neighbours: the formula with its entries, and with its numbers.
import { placeOf } from "./flow.js";
import { number } from "../shared/parts.js";
import { named } from "./tables.js";

// The name of the derivative by an entry.
function by(name) {
  return `d${named(name)}`;
}

function plain(x) {
  const text = number(x, 3).replace(/\.?0+$/, "");
  return x < 0 ? `(${text})` : text;
}

// What goes into the derivative by `name`: pairs of a number and a derivative, and what is done
// with their sum. `without` is what is left out by mistake.
export function recipe(name, pairs, width, without) {
  const { letter, i, j } = placeOf(name);
  const [a, b] = [i + 1, j + 1];
  const queries = pairs.map((_, row) => row + 1);
  const keys = pairs[0].map((_, column) => column + 1);
  const columns = Array.from({ length: width }, (_, c) => c + 1);
  const sums = {
    v: () => queries.map((row) => [`w${row}${a}`, `y${row}${b}`]),
    w: () => columns.map((c) => [`v${b}${c}`, `y${a}${c}`]),
    q: () => keys.map((key) => [`k${key}${b}`, `s${a}${key}`]),
    k: () => queries.map((row) => [`q${row}${b}`, `s${row}${a}`]),
    s: () => [[`w${a}${b}`, `w${a}${b}`]],
  };
  const products = sums[letter]();
  const scaled = "qk".includes(letter) && without !== "scale";
  return { letter, products, scaled, without };
}

// The entries whose numbers, and those whose derivatives, go into it.
export function usesOf({ letter, products, without }, keys) {
  const [[first]] = products;
  const row = Array.from({ length: keys }, (_, j) => `w${first[1]}${j + 1}`);
  const whole = letter === "s" && !["mean", "diagonal"].includes(without);
  const of = (at) => [...products.map((pair) => pair[at]), ...(whole ? row : [])];
  return { values: of(0), slopes: of(1) };
}

function entry(matrices, name) {
  const { letter, i, j } = placeOf(name);
  return matrices[letter][i][j];
}

export function lines(name, { letter, products, scaled, without }, found, slopes) {
  const value = (x) => plain(entry(found, x));
  const slope = (x) => plain(entry(slopes, x));
  const result = plain(entry(slopes, name)).replace(/[()]/g, "");
  if (letter === "s") {
    const [[x]] = products;
    const row = Number(x[1]) - 1;
    const subtracted = {
      mean: ["", ""],
      diagonal: [` \u2212 ${named(x)} ${by(x)}`, ` \u2212 ${value(x)} · ${slope(x)}`],
    }[without] ?? [` \u2212 D${named(`d${row + 1}`).slice(1)}`, ` \u2212 ${plain(slopes.means[row])}`];
    const inner = (d, m) => (m ? `(${d}${m})` : d);
    return [
      `${by(name)} = ${named(x)} ${inner(by(x), subtracted[0])}`,
      `= ${value(x)} · ${inner(slope(x), subtracted[1])} = ${result}`,
    ];
  }
  const sum = (one) => products.map(one).join(" + ");
  const wrap = (text) => (scaled ? `(${text}) / √2` : text);
  return [
    `${by(name)} = ${wrap(sum(([x, d]) => `${by(d)} ${named(x)}`))}`,
    `= ${wrap(sum(([x, d]) => `${slope(d)} · ${value(x)}`))} = ${result}`,
  ];
}
