// The parts that the widgets share: elements, controls, movable points, the spoken line.
// Nothing here sets markup from a string: text is always a text node.

const SVG = "http://www.w3.org/2000/svg";
let identifiers = 0;

export function uniqueId(prefix) {
  identifiers += 1;
  return `attn-${prefix}-${identifiers}`;
}

export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) element.removeAttribute(name);
    else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
  }
  return element;
}

export function write(element, text) {
  if (element.textContent === text) return;
  const [only] = element.childNodes;
  if (only?.nodeType === Node.TEXT_NODE && only === element.lastChild) only.data = text;
  else element.textContent = text;
}

function build(element, attributes, children) {
  set(element, attributes || {});
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function h(tag, attributes, ...children) {
  return build(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes, ...children) {
  return build(document.createElementNS(SVG, tag), attributes, children);
}

export function subscript(index) {
  return String.fromCharCode(0x2081 + index);
}

export function replaced(rows, index, row) {
  return rows.map((old, i) => (i === index ? row : old));
}

// A number for the reader: a true minus, no negative zero.
export function number(value, digits = 2) {
  const text = value.toFixed(digits);
  return (Number(text) === 0 ? (0).toFixed(digits) : text).replace("-", "\u2212");
}

export function vector(values, digits = 2) {
  return `[${values.map((value) => number(value, digits)).join(", ")}]`;
}

// Plain text with `code` between backticks.
export function prose(tag, attributes, text) {
  const pieces = text.split("`");
  return h(
    tag,
    attributes,
    ...pieces.map((piece, i) => (i % 2 ? h("code", null, piece) : document.createTextNode(piece))),
  );
}

export function button(label, onPress, attributes = {}) {
  const element = h("button", { type: "button", class: "attn-button", ...attributes }, label);
  element.addEventListener("click", onPress);
  return element;
}

export function slider({ label, min, max, step, value, format = String, onInput }) {
  const id = uniqueId("slider");
  const input = h("input", { id, type: "range", min, max, step });
  const shown = h("output", { for: id, class: "attn-number" });
  const update = (next) => {
    input.value = next;
    const text = format(Number(next));
    write(shown, text);
    set(input, { "aria-valuetext": text });
  };
  input.addEventListener("input", () => onInput(Number(input.value)));
  update(value);
  const element = h("div", { class: "attn-slider" }, h("label", { for: id }, label), input, shown);
  return { element, update };
}

// One of several: a row of radio buttons that the arrow keys walk through.
export function choice({ label, options, value, onChoose }) {
  const name = uniqueId("choice");
  const inputs = options.map(([key, text]) => {
    const input = h("input", { type: "radio", name, value: key });
    input.addEventListener("change", () => onChoose(key));
    return [key, input, h("label", { class: "attn-choice" }, input, h("span", null, text))];
  });
  const update = (next) => {
    for (const [key, input] of inputs) input.checked = key === next;
  };
  update(value);
  const element = h(
    "fieldset",
    { class: "attn-choices" },
    h("legend", null, label),
    ...inputs.map(([, , option]) => option),
  );
  return { element, update };
}

// What a reader may write as a number: 2, -0.5, .5, 1e-3, 1/3; also with a comma or a true minus.
export function parseNumber(text) {
  const plain = text
    .trim()
    .replace("\u2212", "-")
    .replace(/^([^.,]*),([^.,]*)$/, "$1.$2");
  const parts = plain.split("/").map((part) => part.trim());
  const isNumber = (part) => /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(part);
  if (parts.length > 2 || !parts.every(isNumber)) return NaN;
  return parts.length === 2 ? Number(parts[0]) / Number(parts[1]) : Number(plain);
}

// A field for one number. What is no number, or out of range, is said and not taken over.
export function numberField({ label, min, max, value, digits = 2, onCommit, report }) {
  const input = h("input", {
    type: "text",
    inputmode: "decimal",
    class: "attn-field",
    "aria-label": label,
    autocomplete: "off",
    spellcheck: "false",
  });
  let current = value;
  const show = () => {
    input.value = number(current, digits)
      .replace(/(\.\d*?)0+$/, "$1")
      .replace(/\.$/, "");
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
      report(`${label}: a number from ${number(min, 1)} to ${number(max, 1)} is needed.`);
    }
  };
  const nudge = (by) => {
    current = Math.min(Math.max(Number((current + by).toFixed(6)), min), max);
    onCommit(current);
    show();
  };
  input.addEventListener("change", commit);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") commit();
    if (event.key === "Escape") {
      report("");
      show();
    }
    if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      event.preventDefault();
      nudge((event.key === "ArrowUp" ? 1 : -1) * (event.shiftKey ? 1 : 0.1));
    }
  });
  show();
  // A new value from elsewhere takes the place of what was typed and refused.
  const update = (next) => {
    if (next === current) return;
    if (input.getAttribute("aria-invalid")) report("");
    current = next;
    show();
  };
  return { element: input, update };
}

const DIRECTIONS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowDown: [0, -1],
  ArrowUp: [0, 1],
  PageDown: [0, -5],
  PageUp: [0, 5],
};

function spell(point) {
  return point.map((x) => number(x)).join(", ");
}

// What a finger must hit keeps its size on the screen, however small the picture is drawn.
export function keepGrip(root) {
  new ResizeObserver(([{ contentRect }]) => {
    const unit = root.viewBox.baseVal.width / contentRect.width;
    if (Number.isFinite(unit)) root.style.setProperty("--unit", unit.toFixed(3));
  }).observe(root);
}

// Make an SVG group movable: by pointer, finger and arrow keys (Shift for big steps).
// `at` gives the point in data units, `place(point)` takes the wish, `plane` knows the units.
// A `surface` round the group takes pointers too, and the point jumps to them; `flat` points have
// one coordinate, which all keys change.
export function movable(group, { plane, label, step, at, place, describe = spell, surface, flat }) {
  set(group, {
    tabindex: 0,
    role: "slider",
    class: "attn-handle",
    "aria-label": label,
    "aria-valuemin": plane.range[0],
    "aria-valuemax": plane.range[1],
  });
  const wish = (point) => {
    const [low, high] = plane.range;
    place(point.map((x) => Number(Math.min(Math.max(x, low), high).toFixed(2))));
  };
  let grip = null;
  const held = surface || group;
  held.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    const [x, y] = plane.fromEvent(event);
    const [px, py] = group.contains(event.target) ? at() : [x, y];
    grip = [px - x, py - y];
    held.setPointerCapture(event.pointerId);
    group.focus({ preventScroll: true });
    event.preventDefault();
    if (!group.contains(event.target)) wish([x, y]);
  });
  held.addEventListener("pointermove", (event) => {
    if (!grip) return;
    const [x, y] = plane.fromEvent(event);
    wish([x + grip[0], y + grip[1]]);
  });
  const release = () => {
    grip = null;
  };
  held.addEventListener("pointerup", release);
  held.addEventListener("pointercancel", release);
  group.addEventListener("keydown", (event) => {
    const ends = { Home: plane.range[0], End: plane.range[1] };
    const direction = DIRECTIONS[event.key];
    if (!direction && !(event.key in ends)) return;
    event.preventDefault();
    if (!direction) {
      wish([ends[event.key], ...at().slice(1)]);
      return;
    }
    const by = step * (event.shiftKey ? 5 : 1);
    const along = flat ? [direction[0] + direction[1], 0] : direction;
    wish(at().map((x, axis) => x + by * along[axis]));
  });
  return () => {
    set(group, { "aria-valuenow": at()[0], "aria-valuetext": describe(at()) });
  };
}

// A line that is read aloud once the numbers have come to rest.
export function spoken() {
  const element = h("p", { class: "attn-spoken", "aria-live": "polite" });
  let timer = null;
  const say = (text) => {
    clearTimeout(timer);
    timer = setTimeout(() => write(element, text), 400);
  };
  return { element, say };
}

// Run `draw` at most once a frame.
export function onFrame(draw) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  };
}

// Redraw when one of the traits changes; returns the clean-up that anywidget calls.
export function follow(model, names, draw) {
  const later = onFrame(draw);
  for (const name of names) model.on(`change:${name}`, later);
  draw();
  return () => names.forEach((name) => model.off(`change:${name}`, later));
}

export function change(model, values) {
  for (const [name, value] of Object.entries(values)) model.set(name, value);
  model.save_changes();
}

// The frame round every widget: title, picture, controls, "try this".
export function frameOf(model, ...children) {
  const task = model.get("task");
  return h(
    "div",
    { class: "attn", role: "group", "aria-label": model.get("title") },
    h("p", { class: "attn-title" }, model.get("title")),
    ...children,
    task ? prose("p", { class: "attn-task" }, task) : null,
  );
}

// Buttons that put the widget into a named state, and one that takes everything back.
export function presets(model, names) {
  const first = Object.fromEntries(names.map((name) => [name, model.get(name)]));
  const list = model.get("presets") || [];
  return h(
    "div",
    { class: "attn-presets" },
    ...list.map(({ label, ...state }) => button(label, () => change(model, state))),
    button("Reset", () => change(model, first), { class: "attn-button attn-button--quiet" }),
  );
}
