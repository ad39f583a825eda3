// Tables of live numbers: an attribute or a text of a part may be a function of the state.
import { complaints, numberField } from "./controls.js";
import { readable } from "./frame.js";
import { h, set, write } from "./parts.js";

// A width or a size in percent.
export function percent(share) {
  return `${(100 * share).toFixed(2)}%`;
}

// Classes of rows and cells begin with `attn-` and this prefix. Attributes that are functions follow
// the state in every frame, except those that begin with "on", which answer gestures. Children that
// are functions, and the attribute `text`, are written at the pace of reading; in a table that is
// `paced`, the attributes too.
export function liveTable(prefix, { paced = false } = {}) {
  const { element: message, reporter } = complaints();
  const [shown, numbers, fields] = [[], [], []];
  const inTime = paced ? numbers : shown;
  let anyPart = null;
  const digits = (child) => {
    if (typeof child !== "function") return child;
    const text = h("span", { class: "attn-number" });
    numbers.push((state) => write(text, child(state)));
    return text;
  };

  function follow(element, attributes) {
    anyPart ??= element;
    for (const [name, value] of Object.entries(attributes))
      if (typeof value !== "function") set(element, { [name]: value });
      else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (name === "text") numbers.push((state) => write(element, value(state)));
      else if (name === "checked") inTime.push((state) => (element.checked = value(state)));
      else inTime.push((state) => set(element, { [name]: value(state) }));
    return element;
  }
  const part = (tag, attributes, ...children) =>
    follow(h(tag, null, ...children.map(digits)), attributes);
  const cell = (kind, attributes, ...children) =>
    part("span", { role: "cell", class: `attn-${prefix}-${kind}`, ...attributes }, ...children);
  const header = (kind, ...children) => cell(kind, { role: "columnheader" }, ...children);
  const row = (kind, attributes, ...cells) => {
    const name = `attn-${prefix}-row`;
    return part("div", { role: "row", class: `${name} ${name}--${kind}`, ...attributes }, ...cells);
  };
  // A bar of ink beside a number.
  const track = (share) =>
    part("span", { class: "attn-track", style: (state) => `background-size: ${percent(share(state))} 100%` });
  // A number that can be typed over; `at` tells what it is now.
  function field({ name = "", at, ...options }, attributes = {}) {
    const made = numberField({ value: at(), report: reporter(name || options.label), ...options });
    numbers.push(() => made.update(at()));
    fields.push(made);
    return follow(made.element, attributes);
  }
  const table = (name, attributes, ...rows) =>
    part("div", { role: "table", class: `attn-${prefix}`, "aria-label": name, ...attributes }, ...rows);

  let writeNumbers = null;
  function draw(state) {
    for (const show of shown) show(state);
    writeNumbers ??= readable(anyPart, (now) => numbers.forEach((tell) => tell(now)));
    writeNumbers(state);
  }
  const restore = () => fields.forEach((made) => made.restore());
  return { part, cell, header, row, track, field, table, draw, restore, message };
}
