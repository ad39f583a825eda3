// How the numbers of a station come about, in three lines that a pocket calculator can follow.
import { mean } from "../shared/core.js";
import { bracketed, fill, trimmed } from "../shared/parts.js";
import block from "./block.json";
import words from "./words.json";

const plain = (x) => (x === -Infinity ? "\u2212\u221e" : trimmed(x, 3));
const row = (numbers) => `[${numbers.map(plain).join(", ")}]`;

function normLines(name, numbers) {
  const centre = mean(numbers);
  const squares = numbers.map((x) => `(${plain(x - centre)})²`).join(" + ");
  const variance = mean(numbers.map((x) => (x - centre) ** 2));
  const root = Math.sqrt(variance + block.epsilon);
  return [
    `mean = (${numbers.map((x) => bracketed(plain(x))).join(" + ")}) / ${numbers.length} = ${plain(centre)}`,
    `variance = (${squares}) / ${numbers.length} = ${plain(variance)}`,
    `(${name} \u2212 ${bracketed(plain(centre))}) / √(${plain(variance)} + 0.00001) = ${row(numbers.map((x) => (x - centre) / root))}`,
  ];
}

function sumLines(name, came, brought, path, residual) {
  if (!residual) return [`${fill(words.cut, { from: name })}: ${row(path)}`];
  return [`${row(came)} + ${row(brought)}`, `= ${row(path)}`];
}

export function workedLines(station, i, { stations, head, layer }, settings) {
  const at = (name) => stations[name][i];
  const { norm, attention, network, residual } = settings;
  const after = norm === "after";
  const off = (part) => [`${words.parts[part]} is ${words.off}`];
  const explained = {
    x: () => [`item ${i + 1} = ${row(at("x"))}`],
    norm1: () => (norm === "none" ? [words.noNorm] : normLines(after ? "sum" : "x", at(after ? "sum1" : "x"))),
    norm2: () => (norm === "none" ? [words.noNorm] : normLines(after ? "sum" : "a", at(after ? "sum2" : "a"))),
    weights: () =>
      attention
        ? [
            `query ${row(head.queries[i])}, keys ${head.keys.map(row).join(", ")}`,
            `scores q · k / √2 = ${row(head.scores[i])}`,
            `weights = softmax of these = ${row(head.weights[i])}`,
          ]
        : off("attention"),
    adds1: () =>
      attention
        ? [
            head.weights[i].map((w, j) => `${plain(w)} ${row(head.values[j])}`).join(" + "),
            `= ${row(head.mixed[i])}`,
            `${row(head.mixed[i])} W_O = ${row(at("adds1"))}`,
          ]
        : off("attention"),
    sum1: () => sumLines("x", at("x"), at("adds1"), at("sum1"), residual),
    hidden: () =>
      network
        ? [
            `${row(at("reads2"))} W_1 + b_1 = ${row(layer.before[i])}`,
            `relu of it = ${row(at("hidden"))}`,
          ]
        : off("network"),
    adds2: () => (network ? [`${row(at("hidden"))} W_2 + b_2 = ${row(at("adds2"))}`] : off("network")),
    sum2: () => sumLines("a", at("a"), at("adds2"), at("sum2"), residual),
  };
  return explained[station]();
}
