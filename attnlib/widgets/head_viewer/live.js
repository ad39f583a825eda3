// The model itself in the page: its file is chosen, read by the page's Python, and given back.
import { button } from "../shared/controls.js";
import { fill, h, hide, prose, set, write } from "../shared/parts.js";
import words from "./words.json";

const SLICE = 200; // milliseconds of reading at a time

// A field for any text.
export function ownText(read) {
  const field = h("input", { type: "text", class: "attn-field attn-heads-field", "aria-label": words.own, maxlength: 400 });
  const go = () => field.value && read(field.value);
  field.addEventListener("keydown", (event) => event.key === "Enter" && go());
  return h("div", { class: "attn-heads-own" }, field, button(words.read, go));
}

// `ready` gets a function that asks the model, or null when it is gone.
export function fileOf(ready, own) {
  const python = window.AttentionPython;
  let [file, isReading] = [null, false];
  const status = h("p", { role: "status" });
  const bar = h("progress", { max: 100, "aria-label": words.choose });
  const input = h("input", { type: "file", accept: ".gguf", class: "attn-cover", "aria-label": words.choose, onchange: () => choose(input.files[0]) });
  const label = h("label", { class: "attn-choice" }, input, h("span", null, words.choose));
  const stop = button(words.stop, () => leave(words.stopped));
  const back = button(words.give, () => leave(words.stopped));
  const offer = prose("p", null, fill(words.offer, words));
  const element = h("div", { class: "attn-heads-live" }, offer, h("div", { class: "attn-buttons" }, label, bar, stop, back), own, status);

  function show(state, text = "") {
    hide(offer, state === "here");
    hide(label, state !== "none");
    for (const one of [bar, stop]) hide(one, state !== "reading");
    for (const one of [back, own]) hide(one, state !== "here");
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
    if (!chosen) return;
    if (chosen.size !== words.size)
      return show("none", fill(words.wrong, { file: words.file, bytes: chosen.size.toLocaleString("en") }));
    file = chosen;
    python.give(file);
    readAll();
  }
  const ask = async (name, ...given) => {
    const answer = await python.call(`model.${name}`, given, { patience: 300 });
    return answer;
  };
  // Again after each start of Python, as long as the file is there.
  async function readAll() {
    if (isReading) return;
    isReading = true;
    ready(null);
    let [share, turn] = [0, file];
    show("reading", fill(words.loading, { percent: "0" }));
    while (file && share < 1) {
      turn = file;
      let error;
      try {
        ({ share, error } = await ask("read", SLICE));
      } catch ({ message }) {
        [share, error] = [0, /anew|stopped/.test(message) ? "" : message];
      }
      if (turn !== file) continue;
      if (error) leave(error);
      set(bar, { value: Math.round(100 * share) });
      if (file) write(status, fill(words.loading, { percent: String(Math.round(100 * share)) }));
    }
    isReading = false;
    if (!file) return;
    show("here", words.there);
    ready(ask);
  }
  document.addEventListener("attention-python", ({ detail: { stage } }) => {
    if (stage === "starting" && file) readAll();
  });
  show("none");
  return element;
}
