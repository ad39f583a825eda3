// A question with options; every option answers with its own explanation.
import { button } from "../shared/controls.js";
import { frameOf } from "../shared/frame.js";
import { blocks, h, prose, recall, report, set, uniqueId, unsealed, write } from "../shared/parts.js";

export function render({ model, el }) {
  const options = unsealed(model.get("options"));
  const several = options.filter((option) => option.correct).length > 1;
  const name = uniqueId("quiz");
  const verdict = h("p", { class: "attn-verdict", role: "status" });
  const parts = options.map((option) => {
    const input = h("input", { type: several ? "checkbox" : "radio", name });
    const reply = prose("span", { class: "attn-why", hidden: "" }, option.why);
    const label = h("label", { class: "attn-option" }, input, prose("span", null, option.text));
    return { option, input, reply, element: h("div", { class: "attn-answer" }, label, reply) };
  });

  let tries = 0;
  function answer() {
    const chosen = parts.filter(({ input }) => input.checked);
    const right = parts.every(({ option, input }) => option.correct === input.checked);
    for (const { option, input, reply, element } of parts) {
      set(reply, { hidden: input.checked ? null : "" });
      const mark = option.correct ? "right" : "wrong";
      set(element, { "data-verdict": input.checked ? mark : null });
    }
    if (!chosen.length) write(verdict, "Choose an answer first.");
    else if (right) write(verdict, "Right.");
    else if (several && chosen.every(({ option }) => option.correct))
      write(verdict, "Right so far, but not all of it.");
    else write(verdict, "Not yet. Read why, then choose again.");
    const texts = chosen.map(({ option }) => option.text);
    if (chosen.length) report(el, model, right, ++tries === 1, texts);
  }
  recall(el, (texts, words) => {
    tries += 1;
    for (const { option, input } of parts) input.checked = texts.includes(option.text);
    write(verdict, words);
  });

  for (const { input, reply, element } of parts) {
    input.addEventListener("change", () => {
      write(verdict, "");
      for (const part of several ? [{ reply, element }] : parts) {
        set(part.reply, { hidden: "" });
        set(part.element, { "data-verdict": null });
      }
    });
  }
  el.append(
    frameOf(
      model,
      h(
        "fieldset",
        { class: "attn-options" },
        ...blocks("legend", null, model.get("question")),
        several ? h("p", { class: "attn-note" }, "More than one is right.") : null,
        ...parts.map(({ element }) => element),
      ),
      h("div", { class: "attn-presets" }, button("Check", answer), verdict),
    ),
  );
}
