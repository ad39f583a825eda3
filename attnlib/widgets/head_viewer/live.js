// The model itself in the page: its file is chosen, read by the page's Python, and given back.
import { button } from "../shared/controls.js";
import { fill, h, hide, prose, set, write } from "../shared/parts.js";
import words from "./words.json";

const SLICE = 200; // milliseconds of reading at a time

// A field for any text.
export function ownText(read) {
  const field = h("input", { type: "text", class: "attn-field", "aria-label": words.own, maxlength: 400 });
  const go = () => field.value && read(field.value);
  field.addEventListener("keydown", (event) => event.key === "Enter" && go());
  return h("div", { class: "attn-heads-own" }, field, button(words.read, go));
}

// `ready` gets a function that asks the model, and null when it is gone; `own` is there with it.
export function fileOf(ready, own) {
  const python = window.AttentionPython;
  let [file, isReading] = [null, false];
  const status = h("p", { class: "attn-heads-status", role: "status" });
  const bar = h("progress", { max: 1, "aria-label": words.progress });
  const onchange = () => input.files[0] && choose(input.files[0]);
  const input = h("input", { type: "file", class: "attn-cover", "aria-label": words.choose, onchange });
  const label = h("label", { class: "attn-choice attn-heads-file" }, input, h("span", null, words.choose));
  const [stop, back] = [words.stop, words.give].map((text) => button(text, () => leave(words.left)));
  const offer = prose("p", null, fill(words.offer, words));
  const row = h("div", { class: "attn-buttons" }, label, bar, stop, back);
  const element = h("details", { class: "attn-heads-live" }, h("summary", null, words.own), offer, own, row, status);

  function show(state, text) {
    hide(offer, state === "here");
    hide(label, state !== "none");
    for (const part of [bar, stop]) hide(part, state !== "reading");
    for (const part of [back, own]) hide(part, state !== "here");
    write(status, text);
  }
  function leave(text) {
    file = null;
    input.value = "";
    python.give(null);
    ready(null);
    show("none", text);
  }
  function choose(chosen) {
    const [size, bytes] = [words.size, chosen.size].map((count) => count.toLocaleString("en"));
    if (chosen.size !== words.size) return show("none", fill(words.wrong, { ...words, size, bytes }));
    file = chosen;
    python.give(file);
    readAll();
  }
  const ask = (name, ...given) => python.call(`model.${name}`, given, { patience: 300 });

  // What is there of it, or what went wrong; 0 where Python was started anew meanwhile.
  async function readOn() {
    try {
      return await ask("read", SLICE);
    } catch ({ message }) {
      if (/anew|stopped/.test(message)) return { share: 0 };
      return { error: /memory|alloc|range/i.test(message) ? words.memory : message };
    }
  }
  async function readAll() {
    if (isReading) return;
    isReading = true;
    ready(null);
    let share = 0;
    while (file && share < 1) {
      const mine = file;
      show("reading", fill(share ? words.loading : words.checking, { percent: (100 * share).toFixed(0) }));
      set(bar, { value: share || null });
      const answer = await readOn();
      if (mine !== file) continue;
      if (answer.error) leave(answer.error);
      share = answer.share;
    }
    isReading = false;
    if (!file) return;
    show("here", words.there);
    ready(ask);
  }
  document.addEventListener("attention-python", ({ detail: { stage, words: said } }) => {
    if (!file) return;
    if (stage === "starting") readAll(); // and again after each start
    write(status, said || words.checking);
  });
  show("none", "");
  return element;
}
