// The matrices of attention, each number with the derivative of the goal by it.
import { complaints, numberField } from "../shared/controls.js";
import { readable } from "../shared/frame.js";
import { h, number, set, subscript, uniqueId, write } from "../shared/parts.js";
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
  const { element: message, reporter } = complaints();
  const groups = { entry: uniqueId("entry"), goal: uniqueId("goal") };

  // The number, typed or made, and below it its derivative, which is pressed to follow it.
  function cell(letter, i, j) {
    const name = `${letter}${i + 1}${j + 1}`;
    const field = "qkv".includes(letter)
      ? numberField({
          label: named(name),
          min: -limit,
          max: limit,
          value: at(letter)[i][j],
          onCommit: (next) => place(letter, i, j, next, name),
          report: reporter(named(name)),
        })
      : null;
    const value = field ? field.element : h("span", { class: "attn-number attn-slope-value" });
    const output = letter === "y";
    const input = h("input", {
      type: "radio",
      name: output ? groups.goal : groups.entry,
      value: name,
      "aria-label": named(name),
    });
    input.addEventListener("change", () => (output ? aim : choose)(name));
    const text = h("span", { class: "attn-number" });
    const bar = h("span", { class: "attn-slope-bar" });
    const pick = h("label", { class: "attn-slope-pick" }, input, text, bar);
    const element = h("span", { role: "cell", class: "attn-slope-cell" }, value, pick);
    return { name, field, value, input, text, bar, pick, element };
  }

  const made = {};
  const elements = Object.entries(shapes).map(([letter, [rows, columns]]) => {
    made[letter] = Array.from({ length: rows }, (_, i) =>
      Array.from({ length: columns }, (_, j) => cell(letter, i, j)),
    );
    const title = words.titles[letter];
    const lines = made[letter].map((cells) =>
      h("div", { role: "row", class: "attn-slope-row" }, ...cells.map((c) => c.element)),
    );
    const table = h("div", { role: "table", "aria-label": title, class: "attn-slope-table" }, ...lines);
    table.style.setProperty("--columns", columns);
    const heading = h("p", { class: `attn-panel-title attn-slope-title ${ROLES[letter]}` }, title);
    return h("div", { class: `attn-slope-matrix attn-slope-matrix--${letter}` }, heading, table);
  });
  const each = (act) =>
    Object.entries(made).forEach(([letter, rows]) =>
      rows.forEach((cells, i) => cells.forEach((found, j) => act(found, letter, i, j))),
    );

  const writeNumbers = readable(message, (found, slopes, live, pairs) =>
    each(({ field, value, text }, letter, i, j) => {
      if (field) field.update(found[letter][i][j]);
      else if (letter === "s" && !pairs[i][j]) write(value, "\u2212\u221e");
      else write(value, number(found[letter][i][j], letter === "w" ? 3 : 2));
      write(text, live[letter][i][j] ? signed(slopes[letter][i][j]) : "0");
    }),
  );

  function draw(given) {
    const { found, slopes, live, pairs, goal, entry, uses } = given;
    // Derivatives by shares of a sum are another kind of thing than those by components.
    const scale = (letters) =>
      Math.max(0.5, ...[...letters].flatMap((letter) => slopes[letter].flat()).map(Math.abs));
    const [components, shares] = [scale("qkvs"), scale("wy")];
    each(({ name, input, bar, pick, value, element }, letter, i, j) => {
      const share = Math.abs(slopes[letter][i][j]) / ("wy".includes(letter) ? shares : components);
      const sign = slopes[letter][i][j] < 0 ? "down" : "up";
      set(bar, { style: `--share: ${(50 * share).toFixed(2)}%`, "data-sign": sign });
      input.checked = name === (letter === "y" ? goal : entry);
      set(element, { "data-chosen": input.checked ? "" : null });
      set(pick, {
        "data-dead": live[letter][i][j] ? null : "",
        "data-used": uses.slopes.includes(name) ? "" : null,
      });
      set(value, { "data-used": uses.values.includes(name) ? "" : null });
    });
    writeNumbers(found, slopes, live, pairs);
  }
  const fields = Object.values(made).flat(2).flatMap(({ field }) => (field ? [field] : []));
  const restore = () => fields.forEach((field) => field.restore());
  return { elements, message, draw, restore, group: groups.goal };
}
