// Buttons, sliders, choices, fields: what a reader sets.
import { parseNumber } from "./answers.js";
import { clamp } from "./core.js";
import { h, hide, number, set, trimmed, uniqueId, write } from "./parts.js";

export function button(label, onclick, attributes) {
  return h("button", { type: "button", class: "attn-button", onclick, ...attributes }, label);
}

export function slider({ label, range, value, format = String, onInput }) {
  const [min, max, step] = range;
  const id = uniqueId("slider");
  const oninput = () => onInput(Number(input.value));
  const input = h("input", { id, type: "range", min, max, step, oninput });
  const shown = h("output", { for: id, class: "attn-number" });
  const update = (next) => {
    input.value = next;
    const text = format(Number(next));
    write(shown, text);
    set(input, { "aria-valuetext": text });
  };
  update(value);
  const element = h("div", { class: "attn-slider" }, h("label", { for: id }, label), input, shown);
  return { element, update };
}

// A slider whose steps multiply: it runs in powers of ten.
export function powerSlider({ label, powers: [min, max], value, onInput }) {
  const { element, update } = slider({
    label,
    range: [min, max, 0.05],
    value: Math.log10(value),
    format: (power) => number(10 ** power, 2),
    onInput: (power) => onInput(Number((10 ** power).toFixed(4))),
  });
  return { element, update: (next) => update(Math.log10(next)) };
}

export function radio(group, value, onInput) {
  const onchange = () => onInput(value);
  return h("input", { class: "attn-cover", type: "radio", name: group, value, onchange });
}

// One of several: a row of radio buttons that the arrow keys walk through.
export function choice({ label, options, value, onInput }) {
  const name = uniqueId("choice");
  const inputs = options.map(([key, text]) => {
    const input = radio(name, key, onInput);
    return [key, input, h("label", { class: "attn-choice" }, input, h("span", null, text))];
  });
  const update = (next) => {
    for (const [key, input] of inputs) input.checked = key === next;
  };
  update(value);
  const choices = inputs.map(([, , option]) => option);
  const element = h("fieldset", { class: "attn-choices" }, h("legend", null, label), ...choices);
  const show = (key, shown) => hide(inputs.find(([name]) => name === key)[2], !shown);
  return { element, update, show };
}

// One line that says what was refused: the latest complaint that still holds.
export function complaints() {
  const element = h("p", { class: "attn-message", role: "alert" });
  const texts = new Map();
  const reporter = (name) => (text) => {
    texts.delete(name);
    if (text) texts.set(name, text);
    write(element, [...texts.values()].at(-1) ?? "");
  };
  return { element, reporter };
}

export function numberInput(attributes) {
  const plain = { type: "text", autocomplete: "off", spellcheck: "false" };
  return h("input", { class: "attn-field", ...plain, ...attributes });
}

// A field for one number. What is no number, or out of range, is refused with a message. A label
// that can change is a function.
export function numberField({ label, min, max, value, digits = 2, onCommit, report }) {
  const name = typeof label === "function" ? label : () => label;
  const input = numberInput({ "aria-label": name() });
  let current = value;
  const show = () => {
    input.value = trimmed(current, digits);
    set(input, { "aria-invalid": null });
  };
  const commit = () => {
    const next = parseNumber(input.value);
    if (Number.isFinite(next) && next >= min && next <= max) {
      report("");
      current = next;
      onCommit(next);
      show();
    } else {
      set(input, { "aria-invalid": "true" });
      report(`${name()}: a number from ${number(min, 1)} to ${number(max, 1)} is needed.`);
    }
  };
  const nudge = (by) => {
    current = clamp(Number((current + by).toFixed(6)), min, max);
    onCommit(current);
    show();
  };
  input.addEventListener("change", commit);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") commit();
    if (event.key === "Escape") restore();
    if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      event.preventDefault();
      nudge((event.key === "ArrowUp" ? 1 : -1) * (event.shiftKey ? 1 : 0.1));
    }
  });
  show();
  // A new value from elsewhere takes the place of what was typed and refused.
  const update = (next) => {
    set(input, { "aria-label": name() });
    if (next === current) return;
    if (input.getAttribute("aria-invalid")) report("");
    current = next;
    show();
  };
  // Text that was refused gives way to the last good value.
  const restore = () => {
    report("");
    show();
  };
  return { element: input, update, restore };
}
