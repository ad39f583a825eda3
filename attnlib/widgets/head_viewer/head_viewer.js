// All heads of a language model at one text: who asks whom, and what follows without a head.
import { bound, change, controlRow, mount, panel, presets, readable, spoken } from "../shared/frame.js";
import { argmax, clamp, indices } from "../shared/core.js";
import { button, choice, slider } from "../shared/controls.js";
import { fill, h, hide, number, uniqueId, write } from "../shared/parts.js";
import { liveTable } from "../shared/table.js";
import { BLOCKS, layout, paintHead, paintMap, rowAt, sheet } from "./canvases.js";
import { fileOf, ownText } from "./live.js";
import { flat, HEADS, library } from "./looks.js";
import words from "./words.json";

const TRAITS = ["text", "block", "head", "place", "cut"];
const LAST = 47; // past the end: the last token
const seen = (token) => token.replace(/ /g, "␣").replace(/\n/g, "⏎");

// The text as buttons: how much the asking token gives to each.
function tokenRow(model, hover) {
  const group = uniqueId("tokens");
  const element = h("div", { class: "attn-heads-text", role: "radiogroup", "aria-label": words.ask });
  let [shown, chips] = [null, []];
  const make = (token, k) => {
    const input = h("input", { type: "radio", name: group, value: k, "aria-label": `token ${k}, ${seen(token)}`, onchange: () => change(model, { place: k }) });
    const text = h("span", null, seen(token));
    const chip = h("label", { class: "attn-choice attn-heads-token", onpointerenter: () => hover(k) }, input, text);
    return { input, chip };
  };
  element.addEventListener("pointerleave", () => hover(null));
  function draw({ look, chosen, row, place }) {
    if (look !== shown) {
      shown = look;
      chips = look.tokens.map(make);
      element.replaceChildren(...chips.map(({ chip }) => chip));
    }
    const weights = look.row(chosen, row);
    chips.forEach(({ input, chip }, k) => {
      input.checked = k === place;
      chip.style.setProperty("--share", `${(100 * (weights[k] ?? 0)).toFixed(1)}%`);
      chip.toggleAttribute("data-asks", k === row);
      chip.toggleAttribute("data-later", k > row);
    });
  }
  return { element, draw };
}

// Bars for the likeliest tokens; a mark where each was with no head cut.
function nextTable() {
  const { cell, row, table, part, draw } = liveTable("follow");
  const percent = (share) => `${(100 * share).toFixed(2)}%`;
  const line = (k) =>
    row(
      "token",
      { hidden: ({ next }) => !next[k] },
      cell("name", { role: "rowheader", text: ({ next }) => seen(next[k]?.[0] ?? "") }),
      cell("bar", {}, part("span", { class: "attn-track", style: ({ next }) => `background-size: ${percent(next[k]?.[1] ?? 0)} 100%; --before: ${percent(next[k]?.[2] ?? 0)}` })),
      cell("value", {}, ({ next }) => number(next[k]?.[1] ?? 0, 2)),
    );
  return { element: table(words.next, {}, ...indices(6).map(line)), draw };
}

export function render({ model, el }) {
  const looks = library(model, () => draw());
  let hovered = null;
  const hover = (k) => {
    hovered = k;
    draw();
  };
  const nameOf = () => `${model.get("block")}.${model.get("head")}`;
  const map = sheet("map", (width) => layout(width).height, paintMap);
  const large = sheet("large", (width) => width, paintHead);
  const tokens = tokenRow(model, hover);
  const next = nextTable();
  const [largeTitle, nextTitle] = [h("span"), h("span")];
  const message = h("p", { class: "attn-message", role: "status" });
  const voice = spoken(words);
  const toText = (text) => change(model, { text, place: LAST, cut: model.get("cut").slice(0, looks.live ? undefined : 1) });

  const texts = choice({ label: words.text, options: Object.entries(words.texts).map(([name, text]) => [text, name]), value: "", onInput: toText });
  const block = bound(model, "block", slider, { label: "Block", range: [0, BLOCKS - 1, 1] });
  const head = bound(model, "head", slider, { label: "Head", range: [0, HEADS - 1, 1] });
  // Without the model one head at a time is cut.
  const toggle = () => {
    const [name, cut] = [nameOf(), model.get("cut")];
    const others = cut.filter((one) => one !== name);
    change(model, { cut: cut.includes(name) ? others : [...(looks.live ? others : []), name] });
  };
  const scissors = button("", toggle, { class: "attn-button attn-heads-cut" });

  const press = (event) => {
    const { left, top, width } = map.canvas.getBoundingClientRect();
    change(model, layout(width).headAt(event.clientX - left, event.clientY - top));
  };
  map.canvas.addEventListener("pointerdown", press);
  map.canvas.addEventListener("pointermove", (event) => event.buttons === 1 && press(event));
  map.canvas.addEventListener("dblclick", toggle);
  const rowOf = ({ clientY }) => {
    const { top, width } = large.canvas.getBoundingClientRect();
    const look = looks.look(model.get("text"));
    return look && rowAt(look, clientY - top, width);
  };
  large.canvas.addEventListener("pointermove", (event) => hover(rowOf(event)));
  large.canvas.addEventListener("pointerleave", () => hover(null));
  large.canvas.addEventListener("click", (event) => change(model, { place: rowOf(event) ?? LAST }));

  let latest = null;
  const writeWords = readable(map.element, (name, isCut, cut) => {
    write(largeTitle, fill(words.large, { name }));
    write(nextTitle, cut.length ? fill(words.nextCut, { name: cut.join(", ") }) : words.next);
    write(scissors, fill(isCut ? words.back : words.cut, { name }));
  });
  function draw() {
    const [text, b, k, wanted, cut] = TRAITS.map((trait) => model.get(trait));
    const look = looks.look(text);
    const following = look && looks.following(text, cut);
    write(message, looks.error ? fill(words.missing, { why: looks.error }) : following ? "" : words.waiting);
    for (const control of [block, head]) control.draw();
    texts.update(text);
    latest = look ?? latest;
    const place = clamp(wanted, 0, latest.tokens.length - 1);
    const row = Math.min(hovered ?? place, latest.tokens.length - 1);
    const [name, chosen] = [nameOf(), HEADS * b + k];
    const state = { look: latest, chosen, row, place, cut: cut.map(flat) };
    for (const one of [map, large, tokens]) one.draw(state);
    writeWords(name, cut.includes(name), cut);
    if (!following) return;
    next.draw({ next: following });
    const weights = look.row(chosen, place);
    const asked = argmax(weights);
    const [chances, whole] = [1, 2].map((column) => following.map((one) => one[column]));
    const numbers = { weight: weights[asked], chances, whole };
    const names = following.map(([token]) => seen(token)).join(" ");
    const said = { name, names, asking: seen(look.tokens[place]), asked: seen(look.tokens[asked]) };
    voice.say(() => fill(words.announcement, { ...numbers, ...said }), numbers);
  }

  const live = h("div");
  if (looks.live) live.append(ownText(toText));
  const offer = () => {
    if (!window.AttentionPython?.isPossible) return;
    const ready = (ask) => {
      looks.live = ask;
      looks.again();
      const isKnown = Object.values(words.texts).includes(model.get("text"));
      if (!ask && (!isKnown || model.get("cut").length > 1)) change(model, { text: Object.values(words.texts)[0], cut: [] });
      draw();
    };
    live.append(fileOf(ready, ownText(toText)));
  };
  if (document.readyState === "complete") offer();
  else addEventListener("load", offer, { once: true });
  hide(live, model.get("_live") !== undefined && !looks.live);

  return mount(
    { model, el, draw, voice, traits: TRAITS },
    texts.element,
    panel(words.map, map.element),
    controlRow([block, head, { element: scissors }]),
    tokens.element,
    h("div", { class: "attn-halves attn-heads-halves" }, panel(largeTitle, large.element), panel(nextTitle, next.element)),
    message,
    live,
    controlRow([], presets(model, TRAITS)),
  );
}
