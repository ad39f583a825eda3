// The next character's chances at a temperature, and where each head looks.
import { choice, slider } from "../shared/controls.js";
import { indices } from "../shared/core.js";
import { bound, controlRow, mount, panel, presets, readable, spoken } from "../shared/frame.js";
import { fill, h, number, set, svg, tick, visible, write } from "../shared/parts.js";
import { picture } from "../shared/plot.js";
import { SHOWN, nextOf, seen } from "./chances.js";
import words from "./words.json";

const TRAITS = ["prompt", "temperature"];
const DATA = ["characters", "prompts", "heads", "logits", "looks"];
const WIDTH = 320;
const LONGEST = 20;
const MOST = 8; // heads with a row of their own size

// A bar for each of the likeliest characters, and one for all the others.
function chancesPanel() {
  const [row, left, right] = [22, 48, 44];
  const root = picture(words.chances, WIDTH, (SHOWN + 1) * row);
  const bars = indices(SHOWN + 1).map((i) => {
    const y = row * i;
    const name = tick(left - 8, y + row / 2 + 5, "end", "");
    const box = svg("rect", { class: "attn-next-bar", x: left, y: y + 4, height: row - 8 });
    const shown = tick(0, y + row / 2 + 4, "start", "");
    set(name, { class: i < SHOWN ? "attn-tick attn-next-name" : "attn-tick" });
    root.append(name, box, shown);
    return { name, box, shown };
  });
  const long = (p) => p * (WIDTH - left - right);
  const all = ({ chances, rest }) => bars.map((_, i) => (i < SHOWN ? chances[i] : rest));
  function draw(next, names) {
    all(next).forEach((p, i) => {
      const { name, box, shown } = bars[i];
      const there = i < SHOWN ? i < names.length : names.length > SHOWN;
      visible(there, name, box, shown);
      if (!there) return;
      write(name, i < SHOWN ? seen(names[i]) : words.rest);
      set(box, { width: long(p).toFixed(2) });
      set(shown, { x: (left + long(p) + 5).toFixed(2) });
    });
  }
  const writeNumbers = (next) =>
    all(next).forEach((p, i) => write(bars[i].shown, number(p ?? 0, 2)));
  return { root, draw, writeNumbers };
}

// A row for each head, a column for each character of the prompt.
function headsPanel(count) {
  const [left, top] = [34, 22];
  const [column, row] = [(WIDTH - left) / LONGEST, count > MOST ? 14 : 20];
  const root = picture(words.heads, WIDTH, top + row * count + 2);
  const at = (k) => left + column * k;
  const letters = indices(LONGEST).map((k) => {
    const letter = tick(at(k + 0.5), top - 7, "middle", "");
    set(letter, { class: "attn-tick attn-next-name" });
    root.append(letter);
    return letter;
  });
  const rows = indices(count).map((i) => {
    const y = top + row * i;
    const name = tick(left - 6, y + row / 2 + 4, "end", "");
    const boxes = letters.map((_, k) =>
      svg("rect", { class: "attn-next-box", x: at(k) + 0.5, y: y + 0.5, width: column - 1, height: row - 1 }),
    );
    root.append(name, ...boxes);
    return { name, boxes };
  });
  function draw(read, looks, names) {
    const n = read.length;
    letters.forEach((letter, k) => write(letter, k < n ? seen(read[k]) : ""));
    rows.forEach(({ name, boxes }, i) => {
      write(name, names[i]);
      boxes.forEach((box, k) => {
        visible(k < n, box);
        set(box, { "fill-opacity": k < n ? looks[i][k].toFixed(3) : 0 });
      });
    });
  }
  return { root, draw };
}

export function render({ model, el }) {
  const prompts = model.get("prompts");
  const bars = chancesPanel();
  const table = headsPanel(model.get("heads").length);
  const voice = spoken(words);
  const last = prompts.length - 1;
  const controls = [
    bound(model, "prompt", choice, {
      label: words.prompts,
      options: prompts.map((text, i) => [i, seen(text)]),
      read: (i) => Math.min(i, last),
    }),
    bound(model, "temperature", slider, {
      label: "Temperature",
      range: [0.1, 2, 0.1],
      format: (value) => number(value, 1),
    }),
  ];
  const panels = h(
    "div",
    { class: "attn-panels attn-next" },
    panel(words.chances, bars.root),
    panel(words.heads, table.root),
  );
  const writeNumbers = readable(panels, bars.writeNumbers);

  function draw() {
    const [characters, , heads, logits, looks] = DATA.map((name) => model.get(name));
    const at = Math.min(model.get("prompt"), last);
    const temperature = model.get("temperature");
    const next = nextOf(logits[at], temperature);
    const read = [...prompts[at]].slice(-LONGEST);
    const likeliest = next.order.map((i) => characters[i]);
    bars.draw(next, likeliest);
    writeNumbers(next);
    table.draw(read, looks[at], heads);
    controls.forEach((control) => control.draw());
    const { rest, perplexity } = next;
    const numbers = { temperature, chances: next.chances.slice(0, SHOWN), rest, perplexity };
    const names = likeliest.slice(0, SHOWN).map(seen).join(" ");
    const texts = { names, prompt: seen(read.join("")) };
    voice.say(() => fill(words.announcement, { ...numbers, ...texts }), numbers);
  }

  return mount(
    { model, el, draw, voice, traits: TRAITS },
    panels, controlRow(controls, presets(model, TRAITS)),
  );
}
