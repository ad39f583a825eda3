// What all widgets have around their picture: a frame, changes of the model, a spoken line.
import { button } from "./controls.js";
import { h, prose, set, write as writeText, written } from "./parts.js";

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

// Redraw when one of the traits changes; returns the clean-up.
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

// A control (`slider`, `choice`) that sets one trait and shows it whenever it is drawn. Where the
// control counts otherwise than the trait, `read` and `write` translate.
export function bound(model, trait, make, { read = (x) => x, write = (x) => x, ...options }) {
  const value = () => read(model.get(trait));
  const onInput = (next) => change(model, { [trait]: write(next) });
  const { update, ...control } = make({ ...options, value: value(), onInput });
  return { ...control, draw: () => update(value()) };
}

// A panel with a heading over its picture, and perhaps a note below.
export function panel(heading, root, note) {
  const title = h("p", { class: "attn-panel-title" }, heading);
  return h("div", { class: "attn-panel" }, title, root, note);
}

// The controls, with the buttons below them.
export function controlRow(controls, buttons) {
  return h("div", { class: "attn-controls" }, ...controls.map((c) => c.element), buttons);
}

// While something in it is held a widget keeps its size and is laid out by itself: the page round
// it, which may be long, is left alone.
function still(frame) {
  frame.addEventListener("pointerdown", () => {
    frame.style.blockSize = `${frame.getBoundingClientRect().height}px`;
    frame.classList.add("attn--held");
    const release = () => {
      frame.classList.remove("attn--held");
      frame.style.blockSize = "";
    };
    for (const end of ["pointerup", "pointercancel"])
      addEventListener(end, release, { once: true });
  });
  return frame;
}

// A function that knows its answers.
export function remember(compute) {
  const answers = new Map();
  return (...inputs) => {
    const key = inputs.join();
    if (!answers.has(key)) answers.set(key, compute(...inputs));
    return answers.get(key);
  };
}

// Numbers are read, pictures are watched. While something in the widget is held its numbers are
// written at most ten times a second, which is faster than anyone reads; otherwise at once.
// They are written in the frame that draws the picture, so that both are laid out together; only
// the last ones, when the hand rests, come by themselves.
export function readable(element, writeNumbers) {
  let waiting = null;
  let latest = [];
  let writtenAt = 0;
  const writeLatest = () => {
    clearTimeout(waiting);
    waiting = null;
    writtenAt = performance.now();
    writeNumbers(...latest);
  };
  return (...numbers) => {
    latest = numbers;
    const pause = writtenAt + 100 - performance.now();
    if (pause <= 0 || !element.closest(".attn--held")) writeLatest();
    else waiting ??= setTimeout(writeLatest, pause + 50);
  };
}

// The frame of a widget: title, picture, controls, "try this".
export function frameOf(model, ...children) {
  const task = model.get("task");
  const frame = h(
    "div",
    { class: "attn", role: "group", "aria-label": model.get("title") },
    h("p", { class: "attn-title" }, model.get("title")),
    ...children,
    task ? prose("p", { class: "attn-task" }, task) : null,
  );
  // JupyterLab would take the arrow keys of a slider for its own, and Enter on a button.
  for (const control of frame.querySelectorAll("input, button, [tabindex]"))
    set(control, { "data-lm-suppress-shortcuts": "true" });
  return still(frame);
}

// Put a widget into its place, with the line that is read aloud, and draw it whenever one of its
// traits changes; returns the clean-up that anywidget calls.
export function mount({ model, el, traits, draw, voice }, ...children) {
  el.append(frameOf(model, ...children, voice.element));
  return follow(model, traits, draw);
}

// Buttons that put the widget into a named state, and one that takes everything back; phrases of
// the page's text do it by an event (live.js). `restore` runs too, for what no trait knows of:
// text that was typed and refused.
export function presets(model, names, restore = () => {}) {
  const first = Object.fromEntries(names.map((name) => [name, model.get(name)]));
  const list = model.get("presets") || [];
  const to = (state) => {
    restore();
    change(model, state);
  };
  const element = h(
    "div",
    { class: "attn-presets" },
    ...list.map(({ label, ...state }) => button(label, () => to(state))),
    button("Reset", () => to(first), { class: "attn-button attn-button--quiet" }),
  );
  element.addEventListener("attention-set", ({ detail }) => to(detail));
  return element;
}

// A line that is read aloud once the numbers have come to rest; only then it is put together, by
// the function that `say` takes. The numbers that it says are told to the page too, whose text
// may show them (live.js): at once, but at rest while something is held, as a paragraph that
// changes is laid out with its whole page. `words` says with how many decimals.
export function spoken(words) {
  const element = h("p", { class: "attn-spoken", "aria-live": "polite" });
  let timer = null;
  const tell = (numbers) => {
    const detail = written(words, numbers);
    element.dispatchEvent(new CustomEvent("attention-numbers", { bubbles: true, detail }));
  };
  const say = (sentence, numbers) => {
    clearTimeout(timer);
    const held = element.closest(".attn--held");
    if (!held) tell(numbers);
    timer = setTimeout(() => {
      writeText(element, sentence());
      if (held) tell(numbers);
    }, 400);
  };
  return { element, say };
}
