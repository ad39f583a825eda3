// All heads of a language model at one text: who asks whom, and what follows without a head.
import { button, choice, slider } from "../shared/controls.js";
import { argmax, indices } from "../shared/core.js";
import { bound, change, controlRow, mount, panel, presets, spoken } from "../shared/frame.js";
import { fill, h, number, uniqueId, write } from "../shared/parts.js";
import { liveTable, percent } from "../shared/table.js";
import { BLOCKS, layout, paintHead, paintMap, sheet, tokenAt } from "./canvases.js";
import { fileOf, ownText } from "./live.js";
import { flat, HEADS, library, TEXTS } from "./looks.js";
import words from "./words.json";

const TRAITS = ["text", "block", "head", "place", "cut"];
const LAST = 47; // past the end: the last token
const seen = (token) => token.replace(/ /g, "␣").replace(/\n/g, "⏎");

// The text as buttons, each with ink for what the token that asks gives to it.
function tokenRow(model, hover) {
  const group = uniqueId("tokens");
  const element = h("div", { class: "attn-heads-text", role: "radiogroup", "aria-label": words.ask });
  element.addEventListener("pointerleave", () => hover(null));
  let [shown, chips] = [null, []];
  const chip = (token, k) => {
    const onchange = () => change(model, { place: k });
    const name = `token ${k}, ${seen(token)}`;
    const input = h("input", { type: "radio", name: group, value: k, "aria-label": name, onchange });
    const attributes = { class: "attn-choice attn-heads-token", onpointerenter: () => hover(k) };
    return h("label", attributes, input, h("span", null, seen(token)));
  };
  function draw({ look, chosen, asks, place }) {
    if (look !== shown) element.replaceChildren(...(chips = look.tokens.map(chip)));
    shown = look;
    const weights = look.row(chosen, asks);
    chips.forEach((label, k) => {
      label.firstChild.checked = k === place;
      label.style.setProperty("--share", percent(weights[k] ?? 0));
      label.toggleAttribute("data-asks", k === asks);
      label.toggleAttribute("data-later", k > asks);
    });
  }
  return { element, draw };
}

// Bars for the likeliest tokens, with a mark where each was with no head cut.
function nextTable() {
  const { cell, row, table, part, draw } = liveTable("follow");
  const of = (k, column) => ({ next }) => next[k][column];
  const bar = (k) => ({ next, isCut }) =>
    `background-size: ${percent(next[k][1])} 100%; --before: ${percent(next[k][2])}; --mark: ${Number(isCut)}`;
  const line = (k) =>
    row(
      "token",
      {},
      cell("name", { role: "rowheader", text: (state) => seen(of(k, 0)(state)) }),
      cell("bar", {}, part("span", { class: "attn-track", style: bar(k) })),
      cell("value", {}, (state) => number(of(k, 1)(state), 3)),
    );
  return { element: table(words.next, {}, ...indices(6).map(line)), draw };
}

export function render({ model, el }) {
  const looks = library(model, () => draw());
  let [hovered, latest] = [null, null];
  const hover = (k) => {
    if (k === hovered) return;
    hovered = k;
    draw();
  };
  const map = sheet("map", ["look", "chosen", "cut"], (width) => layout(width).height, paintMap);
  const large = sheet("large", ["look", "chosen", "asks"], (width) => width, paintHead);
  const tokens = tokenRow(model, hover);
  const next = nextTable();
  const [largeTitle, nextTitle] = [h("span"), h("span")];
  const message = h("p", { class: "attn-message", role: "status" });
  const voice = spoken(words);

  // Without the model itself one head at a time is cut.
  const kept = (cut) => (looks.live ? cut : cut.slice(-1));
  const read = (text) => change(model, { text, place: LAST, cut: kept(model.get("cut")) });
  const options = Object.entries(words.texts).map(([name, text]) => [text, name]);
  const texts = choice({ label: words.text, options, value: "", onInput: read });
  const block = bound(model, "block", slider, { label: "Block", range: [0, BLOCKS - 1, 1] });
  const head = bound(model, "head", slider, { label: "Head", range: [0, HEADS - 1, 1] });
  const name = () => `${model.get("block")}.${model.get("head")}`;
  const toggle = () => {
    const others = model.get("cut").filter((one) => one !== name());
    const isCut = others.length < model.get("cut").length;
    change(model, { cut: isCut ? others : kept([...others, name()]) });
  };
  const scissors = button("", toggle, { class: "attn-button attn-heads-cut" });

  const at = ({ clientX, clientY }, canvas) => {
    const { left, top, width } = canvas.getBoundingClientRect();
    return [clientX - left, clientY - top, width];
  };
  const press = (event) => {
    const [x, y, width] = at(event, map.canvas);
    change(model, layout(width).headAt(x, y));
  };
  map.canvas.addEventListener("pointerdown", press);
  map.canvas.addEventListener("pointermove", (event) => event.buttons === 1 && press(event));
  map.canvas.addEventListener("dblclick", toggle);
  const token = (event) => tokenAt(latest, ...at(event, large.canvas).slice(1));
  large.canvas.addEventListener("pointermove", (event) => hover(token(event)));
  large.canvas.addEventListener("pointerleave", () => hover(null));
  large.canvas.addEventListener("click", (event) => change(model, { place: token(event) }));

  function draw() {
    const [text, b, k, wanted, cut] = TRAITS.map((trait) => model.get(trait));
    const look = looks.look(text);
    const following = look && looks.following(text, cut);
    write(message, following ? "" : looks.error(text, cut) ?? words.waiting);
    for (const control of [block, head]) control.draw();
    texts.update(text);
    write(largeTitle, fill(words.large, { name: name() }));
    write(nextTitle, fill(cut.length ? words.without : words.next, { names: cut.join(", ") }));
    write(scissors, cut.includes(name()) ? words.back : words.cut);
    latest = look ?? latest;
    if (!latest) return;
    const [place, asks] = [wanted, hovered ?? wanted].map((i) => Math.min(i, latest.tokens.length - 1));
    const state = { look: latest, chosen: HEADS * b + k, place, asks, cut: cut.map(flat) };
    for (const part of [map, large, tokens]) part.draw(state);
    if (!following) return;
    next.draw({ next: following, isCut: cut.length > 0 });
    const weights = [...look.row(state.chosen, place)];
    const [names, chances, whole] = [0, 1, 2].map((column) => following.map((one) => one[column]));
    const numbers = { weight: Math.max(...weights), chances, whole };
    const [asking, asked] = [place, argmax(weights)].map((i) => seen(look.tokens[i]));
    const said = { name: name(), names: names.map(seen).join(" "), asking, asked, cut: cut.join(", ") };
    const sentence = cut.length ? words.announcementCut : words.announcement;
    voice.say(() => fill(sentence, { ...numbers, ...said }), numbers);
  }

  const follows = panel(nextTitle, next.element, scissors);
  // In the notebook the model is there or not; in the page its file can be chosen.
  const own = h("div", null, ...(looks.live ? [ownText(read)] : []));
  const ready = (ask) => {
    looks.become(ask);
    const isRecorded = TEXTS.includes(model.get("text"));
    if (!ask && !isRecorded) change(model, { text: TEXTS[0] });
    if (!ask) change(model, { cut: kept(model.get("cut")) });
    draw();
  };
  const offer = () => window.AttentionPython?.isPossible && own.append(fileOf(ready, ownText(read)));
  if (document.readyState === "complete") offer();
  else addEventListener("load", offer);

  for (const trait of ["text", "cut"]) model.on(`change:${trait}`, looks.forget);
  const unmount = mount(
    { model, el, draw, voice, traits: TRAITS },
    texts.element,
    panel(words.map, map.element),
    h("div", { class: "attn-heads-controls" }, controlRow([block, head])),
    tokens.element,
    h("div", { class: "attn-halves attn-heads-halves" }, panel(largeTitle, large.element), follows),
    message,
    own,
    controlRow([], presets(model, TRAITS)),
  );
  return () => {
    unmount();
    for (const trait of ["text", "cut"]) model.off(`change:${trait}`, looks.forget);
    for (const part of [map, large, looks]) part.stop();
    removeEventListener("load", offer);
  };
}
