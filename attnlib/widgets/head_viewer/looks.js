// What the model makes of a text: recorded, or asked of the notebook's Python or of the page's.
import { indices } from "../shared/core.js";
import first from "./first.json";
import words from "./words.json";

export const HEADS = 9;
export const TEXTS = Object.values(words.texts);
const SHOWN = 6;
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+-";
const VALUES = new Map([...DIGITS].map((digit, k) => [digit, k]));

// Whole numbers of two digits each.
const pairs = (text) =>
  indices(text.length / 2).map((k) => 64 * VALUES.get(text[2 * k]) + VALUES.get(text[2 * k + 1]));

// A row of weights for a head and a token, which ends at that token; and, of a recorded text, what
// follows with one head cut or none: tokens, their chances, and those with none.
export function decoded({ tokens, weights, names, whole, cuts }) {
  const size = (tokens.length * (tokens.length + 1)) / 2;
  const amounts = Float64Array.from(weights, (digit) => VALUES.get(digit) / (DIGITS.length - 1));
  const row = (head, i) => amounts.subarray(head * size + (i * (i + 1)) / 2).subarray(0, i + 1);
  if (!cuts) return { tokens, row };
  const [before, found] = [pairs(whole).map((k) => k / 4095), pairs(cuts)];
  const following = (head) =>
    indices(SHOWN).map((k) => {
      if (head === undefined) return [names[k], before[k], before[k]];
      const [name, chance] = found.slice(2 * (SHOWN * head + k));
      return [names[name], chance / 4095, before[name]];
    });
  return { tokens, row, following };
}

// The place of a head among all, and block and head of a name such as "17.2".
export const pair = (name) => name.split(".").map(Number);
export const flat = (name) => HEADS * pair(name)[0] + pair(name)[1];

// Asks the notebook's Python by messages. All views of a widget hear each answer, and know their own
// by its id.
function kernel(model) {
  const waiting = new Map();
  const hear = ({ id, ...answer }) => {
    waiting.get(id)?.(answer);
    waiting.delete(id);
  };
  model.on("msg:custom", hear);
  const view = Math.random().toString(36).slice(2);
  let count = 0;
  const ask = (kind, ...given) =>
    new Promise((done) => {
      const id = `${view}.${count++}`;
      waiting.set(id, done);
      model.send({ id, kind, given });
    });
  return { ask, stop: () => model.off("msg:custom", hear) };
}

async function later(_, text) {
  const { default: more } = await AttentionBook.later("head_viewer/later.json");
  return more.find((look) => look.text === text);
}

// Looks and what follows; each is null until it has come, and then `changed` is called. `live` asks
// the model itself, where it is. What failed is asked again after `forget`.
export function library(model, changed) {
  const inNotebook = model.get("_live") !== undefined;
  const { ask: notebook, stop = () => {} } = inNotebook ? kernel(model) : {};
  const known = new Map([[JSON.stringify(["look", first.text]), decoded(first)]]);
  const [asked, errors] = [new Map(), new Map()];
  const made = { live: model.get("_live") ? notebook : null, stop };
  async function ask(key, source, take, request) {
    const mine = {};
    asked.set(key, mine);
    try {
      if (!source) throw new Error(words.gone);
      const answer = await source(...request);
      if (answer.error) throw new Error(answer.error);
      known.set(key, take(answer));
    } catch ({ message }) {
      if (asked.get(key) !== mine) return; // it was forgotten, and perhaps asked again
      errors.set(key, message);
    }
    changed();
  }
  function get(source, take, ...request) {
    const key = JSON.stringify(request);
    if (!known.has(key) && !asked.has(key)) ask(key, source, take, request);
    return known.get(key) ?? null;
  }
  made.error = (text, cut) =>
    [["look", text], ["following", text, cut.map(pair)]]
      .map((request) => errors.get(JSON.stringify(request)))
      .find(Boolean);
  made.forget = () => {
    for (const key of errors.keys()) asked.delete(key);
    errors.clear();
  };
  made.look = (text) => {
    const source = TEXTS.includes(text) ? notebook || later : made.live;
    return get(source, decoded, "look", text);
  };
  made.following = (text, cut) => {
    const { following } = made.look(text);
    if (following && cut.length < 2) return following(...cut.map(flat));
    return get(made.live, ({ next }) => next, "following", text, cut.map(pair));
  };
  made.become = (live) => {
    made.live = live;
    asked.clear();
    errors.clear();
  };
  return made;
}
