// A table: each step with its multiply-adds, bytes and least time. Heads and names are pressed.
import { amount } from "../shared/amounts.js";
import { uniqueId } from "../shared/parts.js";
import { liveTable, percent } from "../shared/table.js";
import { countedSteps, MEASURES, overPairs, STEPS } from "./costs.js";
import words from "./words.json";

export function stepsTable({ measure, choose }) {
  const { part, cell, header, row, table, draw } = liveTable("cost");
  const choices = { measure: uniqueId("measure"), step: uniqueId("step") };
  const pick = (trait, value, text, onchange) => {
    const checked = ({ state }) => state[trait] === value;
    const input = { class: "attn-cover", type: "radio", name: choices[trait], checked, onchange };
    return part("label", { class: "attn-cost-pick" }, part("input", input), part("span", {}, text));
  };
  const heads = MEASURES.map((name) =>
    header("cell", pick("measure", name, words.measures[name], () => measure(name))),
  );
  const written = (count, name) => amount(count, words.units[name]);
  const largest = ({ costs, state }, name) =>
    Math.max(...countedSteps(state).map((step) => costs[step][name])) || 1;
  const lines = STEPS.map((step) => {
    const bars = MEASURES.map((name) => {
      const style = (state) => `--share: ${percent(state.costs[step][name] / largest(state, name))}`;
      const limit = ({ costs }) => (name === "seconds" ? costs[step].limit : null);
      const attributes = { class: "attn-cost-cell attn-cost-bar", style, "data-limit": limit };
      return cell("", attributes, ({ costs }) => written(costs[step][name], name));
    });
    const attributes = {
      hidden: ({ state }) => !countedSteps(state).includes(step),
      "data-chosen": ({ state }) => state.step === step,
    };
    const head = cell("step", { role: "rowheader" }, pick("step", step, words.steps[step], () => choose(step)));
    return row(overPairs(step) ? "pairs" : "items", attributes, head, ...bars);
  });
  const totals = MEASURES.map((name) => cell("cell", {}, ({ sum }) => written(sum[name], name)));
  const element = table(
    "What each step costs",
    {},
    row("head", {}, header("step", "step"), ...heads),
    ...lines,
    row("total", {}, cell("step", { role: "rowheader" }, "together"), ...totals),
  );
  return { element, draw };
}
