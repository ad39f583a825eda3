// The step from one block to the next, written out.
import { bracketed, number, trimmed } from "../shared/parts.js";

const INFINITE = "\u2212\u221e";

function shown(x) {
  return x === -Infinity ? INFINITE : number(x, 3);
}

// Four lines: the maximum, the correction, the sum, the output.
export function workedLines(now, { values, corrected }) {
  const { before, maximum, correction, total, weighted, came, powers, newest } = now;
  if (!came) return [`m = ${INFINITE}`, "", "l = 0", "o = 0"];
  const c = number(correction, 3);
  const from = maximum === -Infinity ? "0" : shown(maximum);
  const power = (j) => number(powers[j], 3);
  const sum = newest.map(power).join(" + ");
  const products = newest.map((j) => `${power(j)} \u00b7 ${bracketed(trimmed(values[j], 3))}`).join(" + ");
  const kept = corrected ? `${c} \u00b7 ` : "";
  const old = shown(before.weighted);
  return [
    `m = ${shown(maximum)}, before ${shown(before.maximum)}`,
    `c = e^(${shown(before.maximum)} \u2212 ${bracketed(from)}) = ${c}${corrected ? "" : ", not used"}`,
    `l = ${kept}${shown(before.total)} + ${sum} = ${shown(total)}`,
    `o = ${corrected ? kept + bracketed(old) : old} + ${products} = ${shown(weighted)}`,
  ];
}
