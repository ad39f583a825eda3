// Problems of one kind, one after another: check, working, another one.
import { judge, parseNumber } from "../shared/answers.js";
import { button, numberInput } from "../shared/controls.js";
import { change, follow, frameOf } from "../shared/frame.js";
import { h, prose, report, set, uniqueId, unsealed, write, writeProse } from "../shared/parts.js";

export function render({ model, el }) {
  const problems = unsealed(model.get("problems"));
  const tolerance = model.get("tolerance");
  const question = h("p", { class: "attn-question", id: uniqueId("question") });
  const verdict = h("div", { class: "attn-verdict", role: "status" });
  const working = h("ol", { class: "attn-working", id: uniqueId("working") });
  const fields = model.get("fields").map((label) => {
    const input = numberInput({ "aria-describedby": question.id });
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") answer();
    });
    return { label, input, element: h("label", { class: "attn-asked" }, label, input) };
  });
  let problem;
  let tries;
  let solved;

  const say = (text, mark = null) => {
    if (text) verdict.replaceChildren(prose("p", null, text));
    else verdict.replaceChildren();
    set(verdict, { "data-verdict": mark });
  };
  const near = (typed, value) => Math.abs(typed - value) <= tolerance;

  function answer() {
    const typed = fields.map(({ input }) => parseNumber(input.value));
    fields.forEach(({ input }, i) =>
      set(input, { "aria-invalid": Number.isNaN(typed[i]) ? "true" : null }),
    );
    if (typed.some(Number.isNaN)) {
      fields[typed.findIndex(Number.isNaN)].input.focus();
      say("Type a number, such as 0.25, 9*13, 1/3 or \u22123.");
      return;
    }
    const { right, reply } = judge(typed, { ...problem, tolerance });
    const good = fields.filter((_, i) => near(typed[i], problem.answer[i]));
    if (right) say("Right.", "right");
    else if (reply) say(reply, "wrong");
    else if (good.length)
      say(`Not yet, but right so far: ${good.map(({ label }) => label).join(", ")}.`, "wrong");
    else say(`Not yet. ${unsealed(model.get("hint"))}`, "wrong");
    tries += 1;
    if (!solved) report(el, model, right, tries === 1);
    solved ||= right;
  }

  const unfold = (open) => {
    set(working, { hidden: open ? null : "" });
    set(show, { "aria-expanded": String(open) });
    write(show, open ? "Hide the working" : "Show the working");
  };
  // Who reads the working first does not answer alone.
  const show = button("Show the working", () => {
    if (working.hidden && tries === 0) {
      tries = 1;
      report(el, model, false, true);
    }
    unfold(working.hidden);
  });
  set(show, { "aria-controls": working.id });
  const next = button("Another one", () => {
    change(model, { at: model.get("at") + 1 });
    fields[0].input.focus();
  });

  el.append(
    frameOf(
      model,
      question,
      h(
        "div",
        { class: "attn-presets" },
        ...fields.map(({ element }) => element),
        button("Check", answer),
      ),
      verdict,
      h("div", { class: "attn-presets" }, show, next),
      working,
    ),
  );

  return follow(model, ["at"], () => {
    problem = problems[model.get("at") % problems.length];
    tries = 0;
    solved = false;
    writeProse(question, problem.question);
    working.replaceChildren(...problem.working.map((step) => prose("li", null, step)));
    for (const { input } of fields) {
      input.value = "";
      set(input, { "aria-invalid": null });
    }
    say("");
    unfold(false);
  });
}
