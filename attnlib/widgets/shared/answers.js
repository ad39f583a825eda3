// Numbers as a reader types them, and what they are worth. The same in Python: answers.py.
import words from "./answers.json";

const LONGEST = 100; // characters
const SPACE = /[ \t\u00a0\u2009\u202f]/g;
const TOKEN = /(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|\*\*|[-+*/()]|sqrt|pi|e/g;
const WRITTEN = [
  [/[\u2212\u2013]/g, "-"],
  [/[\u00b7\u00d7\u22c5]/g, "*"],
  [/\u00f7/g, "/"],
  [/\^/g, "**"],
  [/\u221a/g, "sqrt"],
  [/\u03c0/g, "pi"],
];

// What is written as 2, -0.5, .5, 1e-3, 1/3, 9*13, 2**3, (1 + e)/2 or sqrt(2), also with a comma
// for the point, with · × − √ π, and with ^ for a power; NaN for everything else.
export function parseNumber(text) {
  if (text.length > LONGEST) return NaN;
  let plain = text.replace(SPACE, " ");
  for (const [sign, known] of WRITTEN) plain = plain.replace(sign, known);
  if (!plain.includes(".")) plain = plain.replace(/,(?=[0-9])/g, ".");
  const tokens = plain.match(TOKEN) ?? [];
  if (tokens.join("") !== plain.replaceAll(" ", "")) return NaN;
  let at = 0;
  const take = (...wanted) => (wanted.includes(tokens[at]) ? tokens[at++] : null);
  const sure = (value) => {
    if (!Number.isFinite(value)) throw new RangeError(text);
    return value;
  };
  const sum = () => {
    let value = product();
    for (let sign; (sign = take("+", "-")); )
      value = sure(sign === "+" ? value + product() : value - product());
    return value;
  };
  const product = () => {
    let value = signed();
    for (let sign; (sign = take("*", "/")); )
      value = sure(sign === "*" ? value * signed() : value / signed());
    return value;
  };
  const signed = () => {
    const sign = take("+", "-");
    if (!sign) return power();
    return sign === "-" ? -power() : power();
  };
  const power = () => {
    const base = atom();
    return take("**") ? sure(base ** signed()) : base;
  };
  const atom = () => {
    if (take("sqrt")) return sure(Math.sqrt(atom()));
    if (take("e")) return Math.E;
    if (take("pi")) return Math.PI;
    if (!take("(")) return sure(Number(tokens[at++]));
    const value = sum();
    return take(")") ? value : sure(NaN);
  };
  try {
    const value = sum();
    return at === tokens.length ? value : NaN;
  } catch {
    return NaN;
  }
}

// One unit in the last place of a number as it is written: 0.01 of 0.87, 10 of 120.
function unit(value) {
  const [digits, power] = value.toExponential(11).split("e");
  return 10 ** (Number(power) - digits.replace("-", "").replace(/\.?0*$/, "").slice(2).length);
}

// Whether a number was cut, or rounded too early: it is off by less than a unit in its last place,
// or by a few tolerances, and by a twentieth at most. One whole number is not another, rounded.
function isRounded(value, right, tolerance) {
  const off = Math.abs(value - right);
  if (off > Math.abs(right) / 20) return false;
  if (Number.isInteger(right)) return !Number.isInteger(value) && off <= 3 * tolerance;
  return off < unit(value) * (1 - 1e-6) || off <= 3 * tolerance;
}

// What is said of numbers: whether all are `right`, or the `reply` to a mistake that is known or
// made everywhere. A known one comes first where it is met exactly; else, where an answer that is
// right but for its form is no farther away, that is said. `mistakes` have lists as `value`.
export function judge(typed, { answer, tolerance, mistakes }) {
  const all = (numbers, holds) => numbers.every((number, i) => holds(typed[i], number));
  const near = (x, number) => Math.abs(x - number) <= tolerance;
  if (all(answer, near)) return { right: true, reply: null };
  const meets = (x, number) => Math.abs(x - number) <= 1e-9 * Math.max(1, Math.abs(number));
  const exact = mistakes.find(({ value }) => all(value, meets));
  if (exact) return { right: false, reply: `Not yet. ${exact.reply}` };
  const scaled = (factor) => (x, number) => {
    const most = Math.min(tolerance, Math.abs(number) / 20) + 1e-9 * Math.abs(number);
    return Math.abs(factor * x - number) <= most;
  };
  const shares = answer.every((number) => Math.abs(number) < 1);
  const percents = answer.every((number) => Math.abs(number) > 1 && Math.abs(number) <= 100);
  if ((percents && all(answer, scaled(100))) || (shares && all(answer, scaled(0.01))))
    return { right: false, reply: words.factor };
  const known = mistakes.find((mistake) => {
    const { value, tolerance: most = tolerance } = mistake;
    return all(value, (x, number) => Math.abs(x - number) <= most);
  });
  const far = (numbers) => Math.max(...numbers.map((number, i) => Math.abs(typed[i] - number)));
  const rounded = all(answer, (x, number) => near(x, number) || isRounded(x, number, tolerance));
  if (rounded && !(known && far(known.value) < far(answer)))
    return { right: false, reply: words.rounding };
  return { right: false, reply: known ? `Not yet. ${known.reply}` : null };
}
