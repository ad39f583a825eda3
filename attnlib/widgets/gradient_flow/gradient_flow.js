// Choose an output or a loss: every number on the way to it shows how it pulls. Nudge one.
import { button, choice } from "../shared/controls.js";
import { bound, change, controlRow, mount, presets, readable, spoken } from "../shared/frame.js";
import { fill, h, lines, replaced, trimmed, write } from "../shared/parts.js";
import { curvePanel } from "./curve.js";
import { allowed, backwards, downhill, forwards, goalOf, nudged, placeOf, reached } from "./flow.js";
import { named, tables } from "./tables.js";
import { recipe, usesOf, workedLines } from "./worked.js";
import words from "./words.json";

const TRAITS = ["Q", "K", "V", "target", "goal", "entry", "nudge", "mask", "without"];
const [LIMIT, REACH, RATE] = [6, 2, 0.5];

// With a capital where it begins with a word; the name of an entry stays as it is.
const sentence = (text) => text.replace(/^[a-z](?=[a-z])/, (first) => first.toUpperCase());

// All that follows from the state.
function flowOf(model) {
  const [Q, K, V, target, goal, entry, nudge, mask, without] = TRAITS.map((name) => model.get(name));
  const pairs = allowed(Q.length, K.length, mask);
  const matrices = forwards({ q: Q, k: K, v: V }, pairs);
  const aim = goalOf(goal, matrices.y, target);
  const slopes = backwards(matrices, aim.d, without);
  return { pairs, matrices, target, goal, entry, nudge, without, value: aim.value, slopes };
}

export function render({ model, el }) {
  const [queries, keys, width] = [model.get("Q").length, model.get("K").length, 2];
  const table = tables({
    shapes: {
      q: [queries, width],
      s: [queries, keys],
      w: [queries, keys],
      y: [queries, width],
      k: [keys, width],
      v: [keys, width],
    },
    limit: LIMIT,
    at: (letter) => model.get(letter.toUpperCase()),
    place: (letter, i, j, x, entry) => {
      const rows = model.get(letter.toUpperCase());
      change(model, { [letter.toUpperCase()]: replaced(rows, i, replaced(rows[i], j, x)), entry });
    },
    choose: (entry) => change(model, { entry }),
    aim: (goal) => change(model, { goal }),
  });
  const plot = curvePanel({
    reach: REACH,
    at: () => model.get("nudge"),
    place: (nudge) => change(model, { nudge }),
  });
  const legend = h("p", { class: "attn-slope-legend" });
  const worked = lines("attn-slope-worked", 2);
  const heading = h("p", { class: "attn-panel-title" });
  const promise = h("p", { class: "attn-slope-promise attn-number" });
  const onchange = () => change(model, { goal: "loss" });
  const whole = h("input", { type: "radio", name: table.group, value: "loss", onchange });
  const wanted = h("span", { class: "attn-number attn-slope-target" });
  const parts = Object.entries(words.parts);
  const controls = [
    bound(model, "mask", choice, { label: "Mask", options: [["none", "none"], ["causal", "causal"]] }),
    bound(model, "without", choice, { label: "Forget", options: parts }),
  ];
  const voice = spoken(words);
  const panels = h(
    "div",
    { class: "attn-slopes", role: "group" },
    ...table.elements,
    h("div", { class: "attn-slope-panel" }, heading, plot.root, promise),
  );
  const step = button("Step downhill", () => {
    const { slopes } = flowOf(model);
    const moved = ["Q", "K", "V"].map((name) => [
      name,
      downhill(model.get(name), slopes[name.toLowerCase()], RATE, LIMIT),
    ]);
    change(model, Object.fromEntries(moved));
  });
  const writeTexts = readable(panels, (told, texts) => {
    worked.write(texts);
    for (const [element, name] of [[promise, "promise"], [legend, "legend"], [heading, "curve"]])
      write(element, told(name));
    panels.setAttribute("aria-label", told("derivatives"));
  });

  function draw() {
    const flow = flowOf(model);
    const { pairs, matrices, target, goal, entry, nudge, without, value, slopes } = flow;
    const how = recipe(entry, pairs, width, without);
    const moved = (t) => nudged(matrices, pairs, goal, target, entry, t);
    const { letter, i, j } = placeOf(entry);
    const slope = slopes[letter][i][j];
    const live = reached(goal, pairs, width);
    table.draw({ ...flow, live, uses: usesOf(how, keys) });
    plot.draw(moved, slope, nudge);
    whole.checked = goal === "loss";
    controls.forEach((control) => control.draw());
    const rows = target.map((row) => `[${row.map((x) => trimmed(x)).join(", ")}]`);
    write(wanted, `${words.target} ${rows.join(", ")}`);
    const numbers = { value, slope, nudge, predicted: slope * nudge, actual: moved(nudge) - value };
    for (const name of "qkvsw") numbers[`d_${name}`] = slopes[name].flat();
    const wholly = goal === "loss";
    const names = {
      goal: wholly ? words.loss : named(goal),
      goal_in_full: wholly ? `${words.loss} ${words.square}` : named(goal),
      entry: named(entry),
    };
    const told = (name) => sentence(fill(words[name], { ...numbers, ...names }));
    writeTexts(told, workedLines(how, matrices, slopes));
    voice.say(() => told("announcement"), numbers);
  }

  const whichLoss = h(
    "fieldset",
    { class: "attn-choices" },
    h("legend", null, words.aim),
    h("label", { class: "attn-choice" }, whole, h("span", null, words.loss)),
    wanted,
  );
  return mount(
    { model, el, draw, voice, traits: TRAITS },
    panels,
    table.message,
    worked.element,
    legend,
    controlRow(
      [{ element: whichLoss }, ...controls],
      h("div", { class: "attn-buttons" }, step, presets(model, TRAITS, table.restore)),
    ),
  );
}
