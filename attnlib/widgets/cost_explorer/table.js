// A table: each step with its multiply-adds, bytes and least time. Heads and names are pressed.
import { amount } from "../shared/amounts.js";
import { radio } from "../shared/controls.js";
import { readable } from "../shared/frame.js";
import { h, hide, set, uniqueId, write } from "../shared/parts.js";
import { countedSteps, MEASURES, overPairs, STEPS } from "./costs.js";
import words from "./words.json";

export function stepsTable({ measure, choose }) {
  const groups = { measure: uniqueId("measure"), step: uniqueId("step") };
  const pick = (group, value, text, onInput) => {
    const input = radio(groups[group], value, onInput);
    return { input, element: h("label", { class: "attn-cost-pick" }, input, h("span", null, text)) };
  };
  const cell = (role, kind, ...children) =>
    h("span", { role, class: `attn-cost-${kind}` }, ...children);
  const row = (kind, ...cells) =>
    h("div", { role: "row", class: `attn-cost-row attn-cost-row--${kind}` }, ...cells);
  const heads = MEASURES.map((name) => pick("measure", name, words.measures[name], measure));
  const lines = STEPS.map((name) => {
    const head = pick("step", name, words.steps[name], choose);
    const cells = MEASURES.map(() => {
      const text = h("span", { class: "attn-number" });
      return { text, element: cell("cell", "cell attn-cost-bar", text) };
    });
    const all = cells.map(({ element }) => element);
    return { name, head, cells, element: row(overPairs(name) ? "pairs" : "items", cell("rowheader", "step", head.element), ...all) };
  });
  const totals = MEASURES.map(() => cell("cell", "cell attn-number"));
  const element = h(
    "div",
    { role: "table", class: "attn-cost-table", "aria-label": "What each step costs" },
    row("head", cell("columnheader", "step", "step"),
      ...heads.map((head) => cell("columnheader", "cell", head.element))),
    ...lines.map((line) => line.element),
    row("total", cell("rowheader", "step", "together"), ...totals),
  );
  const writeNumbers = readable(element, (found, sum) => {
    for (const { name, cells } of lines)
      cells.forEach(({ text }, k) =>
        write(text, amount(found[name][MEASURES[k]], words.units[MEASURES[k]])),
      );
    totals.forEach((text, k) => write(text, amount(sum[MEASURES[k]], words.units[MEASURES[k]])));
  });

  function draw(found, sum, given) {
    const { measure: shown, step } = given;
    const counted = countedSteps(given);
    const largest = MEASURES.map((name) => Math.max(...counted.map((s) => found[s][name])));
    heads.forEach(({ input }, k) => (input.checked = MEASURES[k] === shown));
    for (const { name, head, cells, element: place } of lines) {
      head.input.checked = name === step;
      hide(place, !counted.includes(name));
      set(place, { "data-chosen": name === step ? "" : null });
      cells.forEach(({ element: bar }, k) => {
        const share = largest[k] ? (100 * found[name][MEASURES[k]]) / largest[k] : 0;
        bar.style.setProperty("--share", `${share.toFixed(2)}%`);
        set(bar, { "data-limit": MEASURES[k] === "seconds" ? found[name].limit : null });
      });
    }
    writeNumbers(found, sum);
  }
  return { element, draw };
}
