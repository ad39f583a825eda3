// Amounts of work, and the least time that they take on a machine. In Python: amounts.py, and
// attnlib.cost.roofline_terms.
import { button, slider } from "./controls.js";
import { clamp } from "./core.js";
import { bound, change } from "./frame.js";

export const RATES = ["flops_per_s", "bytes_per_s", "exponentials_per_s"];

// A button for each machine, which takes over its rates.
export function machineButtons(model, names, machines) {
  const ratesOf = (name) => Object.fromEntries(RATES.map((rate, k) => [rate, machines[name][k]]));
  const take = (name) => change(model, ratesOf(name));
  return Object.entries(names).map(([name, label]) => button(label, () => take(name)));
}

// The seconds that each part takes alone, the longest of them, and which part that is.
export function leastTime({ flops, bytes, exponentials }, machine) {
  const terms = {
    arithmetic: flops / machine.flops_per_s,
    memory: bytes / machine.bytes_per_s,
    exponentials: exponentials / machine.exponentials_per_s,
  };
  const seconds = Math.max(...Object.values(terms));
  return { terms, seconds, limit: Object.keys(terms).find((name) => terms[name] === seconds) };
}

export function rounded(x, digits) {
  return Math.floor(x * 10 ** digits + 0.5) / 10 ** digits;
}

const PREFIXES = ["p", "n", "µ", "m", "", "k", "M", "G", "T", "P", "E"];

// Three digits that count, with a prefix and a unit: 37.7 MB. Seconds are never more than seconds.
export function amount(value, unit = "") {
  let [x, power] = [value, 4];
  const last = unit === "s" ? 4 : PREFIXES.length - 1;
  for (; x >= 999.5 && power < last; power += 1) x /= 1000;
  for (; x > 0 && x < 0.9995 && power > 0; power -= 1) x *= 1000;
  const digits = Number.isInteger(x) && power === 4 ? 0 : x < 9.995 ? 2 : x < 99.95 ? 1 : 0;
  return `${rounded(x, digits).toFixed(digits)} ${PREFIXES[power]}${unit}`.trim();
}

// The same without the zeros at its end, for what was typed or chosen.
export function plain(value, unit) {
  return amount(value, unit).replace(/(\.\d*[1-9])0+(?= |$)|\.0+(?= |$)/, "$1");
}

// A whole number with its digits in threes.
export function grouped(x) {
  return x.toFixed(0).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

// The number of items at this power of two. A whole step from `now` doubles or halves it exactly.
export function itemsAt(power, now, most) {
  const steps = power - Math.log2(now);
  const whole = Math.round(steps);
  const wished = whole && Math.abs(steps - whole) < 0.006 ? now * 2 ** whole : 2 ** power;
  return clamp(Math.round(wished), 1, most);
}

// A slider for a rate of the machine, in powers of ten.
export function rateSlider(model, trait, label, [low, high], unit) {
  return bound(model, trait, slider, {
    label,
    range: [low, high, 0.1],
    format: (power) => plain(Number((10 ** power).toPrecision(3)), `${unit}/s`),
    read: (rate) => Number(Math.log10(rate).toFixed(6)),
    write: (power) => Number((10 ** power).toPrecision(2)),
  });
}
