// The matrices of attention, each number with the derivative of the goal by it.
import { indices } from "../shared/core.js";
import { h, number, subscript, uniqueId } from "../shared/parts.js";
import { liveTable, percent } from "../shared/table.js";
import words from "./words.json";

const ROLES = { q: "attn-query", k: "attn-key", s: "", w: "", v: "attn-value", y: "attn-value" };

// The name of an entry as it is read: "k21" is written with its digits below the line.
export function named(name) {
  return name[0] + [...name.slice(1)].map((digit) => subscript(Number(digit) - 1)).join("");
}

// A number with its sign, also where it is positive.
export function signed(x) {
  const text = number(x, 3);
  return Number(text) > 0 ? `+${text}` : text;
}

export function tables({ shapes, limit, at, place, choose, aim }) {
  const { part, row, field, table, draw, restore, message } = liveTable("slope");
  const groups = { entry: uniqueId("entry"), goal: uniqueId("goal") };
  // Derivatives by shares of a sum are another kind of thing than those by components.
  const scaleOf = ({ slopes }, letters) =>
    Math.max(0.5, ...[...letters].flatMap((letter) => slopes[letter].flat()).map(Math.abs));
  const kindOf = (letter) => ("wy".includes(letter) ? "wy" : "qkvs");

  // The number, typed or made, and below it its derivative, which is pressed to follow it.
  function entry(letter, i, j) {
    const name = `${letter}${i + 1}${j + 1}`;
    const [trait, choice] = letter === "y" ? ["goal", aim] : ["entry", choose];
    const valueOf = ({ matrices, pairs }) =>
      letter === "s" && !pairs[i][j] ? "\u2212\u221e" : number(matrices[letter][i][j], letter === "w" ? 3 : 2);
    const usedAs = (kind) => ({ "data-used": ({ uses }) => uses[kind].includes(name) });
    const value = "qkv".includes(letter)
      ? field(
          {
            label: named(name),
            min: -limit,
            max: limit,
            at: () => at(letter)[i][j],
            onCommit: (next) => place(letter, i, j, next, name),
          },
          usedAs("values"),
        )
      : part("span", { class: "attn-number attn-slope-value", text: valueOf, ...usedAs("values") });
    const chosen = (state) => state[trait] === name;
    const input = { class: "attn-cover", type: "radio", name: groups[trait], value: name, "aria-label": named(name), checked: chosen, onchange: () => choice(name) };
    const share = (state) => Math.abs(state.slopes[letter][i][j]) / scaleOf(state, kindOf(letter)) / 2;
    const bar = part("span", {
      class: "attn-slope-bar",
      style: (state) => `--share: ${percent(share(state))}`,
      "data-sign": ({ slopes }) => (slopes[letter][i][j] < 0 ? "down" : "up"),
    });
    const alive = ({ live }) => live[letter][i][j];
    const pick = part(
      "label",
      { class: "attn-slope-pick", "data-dead": (state) => !alive(state), ...usedAs("slopes") },
      part("input", input),
      (state) => (alive(state) ? signed(state.slopes[letter][i][j]) : "0"),
      bar,
    );
    return part("span", { role: "cell", class: "attn-slope-cell", "data-chosen": chosen }, value, pick);
  }

  const elements = Object.entries(shapes).map(([letter, [rows, columns]]) => {
    const title = words.titles[letter];
    const lines = indices(rows).map((i) =>
      row("entries", {}, ...indices(columns).map((j) => entry(letter, i, j))),
    );
    const heading = h("p", { class: `attn-panel-title attn-slope-title ${ROLES[letter]}` }, title);
    const body = table(title, { class: "attn-slope-table", style: `--columns: ${columns}` }, ...lines);
    const look = { class: `attn-slope-matrix attn-slope-matrix--${letter}`, style: `grid-area: ${letter}` };
    return h("div", look, heading, body);
  });
  return { elements, message, draw, restore, group: groups.goal };
}
