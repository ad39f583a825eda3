// What is computed on the chosen clock, in numbers.
import { bracketed, number, trimmed } from "../shared/parts.js";
import { termsOf } from "./hands.js";

// Three digits, also of what is small.
export function digits(x) {
  const size = Math.abs(x);
  if (size === 0) return "0";
  return trimmed(x, Math.min(6, Math.max(1, 2 - Math.floor(Math.log10(size)))));
}

const whole = (x) => number(x, 0);

// A sum or a difference with a second number that may be 0 and is then left out.
function sum(a, b, sign) {
  return b ? `(${whole(a)} ${sign} ${bracketed(whole(b))})` : whole(a);
}

export function workedLines(state, i, numbers, from, to) {
  const { scheme, position, shift, ahead } = state;
  const { omega, angle, part, other } = numbers;
  const turn = (count, value) => `${count} \u03c9 = ${digits(value * omega)}`;
  const first =
    `Pair ${i}: \u03c9 = ${digits(omega)}. ` +
    `Query ${turn(sum(position, ahead, "+"), position + ahead)}, key ${turn(bracketed(whole(other)), other)}.`;
  if (scheme === "added") {
    const [ii, ip, pi, pp] = termsOf(state, i).map((x) => number(x, 3));
    const end = `position \u00b7 position ${pp}: ${number(part[i], 3)}.`;
    return [first, `Item \u00b7 item ${ii}, item \u00b7 position ${ip}, position \u00b7 item ${pi}, ${end}`];
  }
  const turned = (shift - ahead) * omega;
  const between = `${sum(shift, ahead, "\u2212")} \u03c9`;
  if (scheme === "alone")
    return [
      first,
      `From hand to hand ${between} = ${digits(turned)}, wherever the query stands. ` +
        `Its cosine is ${number(part[i], 3)}.`,
    ];
  const [q, k] = [from, to].map((hands) => number(Math.hypot(...hands[i].tip), 2));
  return [
    first,
    `From hand to hand ${between}, between the items ${digits(angle[i] - turned)}: ` +
      `${q} \u00b7 ${k} \u00b7 cos ${digits(angle[i])} = ${number(part[i], 3)}.`,
  ];
}
