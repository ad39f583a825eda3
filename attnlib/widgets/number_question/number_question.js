// A question whose answer is a number; well-known wrong numbers get a reply of their own.
import { judge, parseNumber } from "../shared/answers.js";
import { button, numberInput } from "../shared/controls.js";
import { frameOf } from "../shared/frame.js";
import { blocks, h, prose, recall, report, set, uniqueId, unsealed } from "../shared/parts.js";

export function render({ model, el }) {
  const id = uniqueId("number");
  const secret = (name) => unsealed(model.get(name));
  let tries = 0;
  const input = numberInput({ id });
  const verdict = h("div", { class: "attn-verdict", role: "status" });
  const say = (text, mark) => {
    verdict.replaceChildren(prose("p", null, text));
    set(verdict, { "data-verdict": mark });
  };

  function answer() {
    const typed = parseNumber(input.value);
    set(input, { "aria-invalid": Number.isNaN(typed) ? "true" : null });
    if (Number.isNaN(typed)) {
      say("Type a number, such as 0.25, 9*13, 1/3 or \u22123.", null);
      return;
    }
    const { right, reply } = judge([typed], {
      answer: [secret("answer")],
      tolerance: model.get("tolerance"),
      mistakes: secret("mistakes").map((mistake) => ({ ...mistake, value: [mistake.value] })),
    });
    if (right) say(`Right. ${secret("why")}`, "right");
    else say(reply ?? `Not yet. ${secret("hint")}`, "wrong");
    report(el, model, right, ++tries === 1, [input.value]);
  }
  recall(el, ([text], words, right) => {
    tries += 1;
    input.value = text;
    say(words, right ? "right" : "wrong");
  });

  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") answer();
  });
  el.append(
    frameOf(
      model,
      ...blocks("label", { for: id, class: "attn-question" }, model.get("question")),
      h("div", { class: "attn-presets" }, input, button("Check", answer)),
      verdict,
    ),
  );
}
