// What the model makes of a text: recorded, or asked of the notebook's Python or of the page's.
import { indices } from "../shared/core.js";
import first from "./first.json";
import words from "./words.json";

const DIGITS = [..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+-"];
const VALUES = new Map(DIGITS.map((digit, k) => [digit, k]));
export const HEADS = 9;
const SHOWN = 6;
const RECORDED = Object.values(words.texts);

// Whole numbers of two digits each.
const pairs = (text) =>
  indices(text.length / 2).map((k) => 64 * VALUES.get(text[2 * k]) + VALUES.get(text[2 * k + 1]));

// Weights by head, row and column from a text of digits; a row ends at its own token.
export function decoded({ tokens, weights, names, whole, cuts }) {
  const size = (tokens.length * (tokens.length + 1)) / 2;
  const amounts = Float32Array.from(weights, (digit) => VALUES.get(digit) / 63);
  const at = (head, i) => head * size + (i * (i + 1)) / 2;
  const row = (head, i) => amounts.subarray(at(head, i), at(head, i) + i + 1);
  const chances = whole && pairs(whole).map((k) => k / 4095);
  const found = cuts && pairs(cuts);
  // What most likely follows, with one head cut or none: token, chance, chance with none.
  function following(head) {
    if (head === undefined) return indices(SHOWN).map((k) => [names[k], chances[k], chances[k]]);
    const some = found.slice(2 * SHOWN * head, 2 * SHOWN * (head + 1));
    return indices(SHOWN).map((k) => [names[some[2 * k]], some[2 * k + 1] / 4095, chances[some[2 * k]]]);
  }
  return { tokens, row, following: found && following };
}

// The place of a head that is named by block and head, as "17.2".
export function flat(name) {
  const [block, head] = name.split(".").map(Number);
  return HEADS * block + head;
}

// Ask the notebook's Python: it answers by a trait.
function kernel(model) {
  const waiting = new Map();
  model.on("change:_answer", () => {
    const { id, ...answer } = model.get("_answer");
    waiting.get(id)?.(answer);
    waiting.delete(id);
  });
  return (kind, ...given) =>
    new Promise((done) => {
      const id = uniqueNumber();
      waiting.set(id, done);
      model.set("_asked", { id, kind, given });
      model.save_changes();
    });
}
let numbers = 0;
const uniqueNumber = () => (numbers += 1);

// Looks and what follows, by text and heads cut; `changed` hears that an answer has come.
export function library(model, changed) {
  const looks = new Map([[first.text, decoded(first)]]);
  const followed = new Map();
  const inNotebook = model.get("_live") !== undefined;
  const made = { live: model.get("_live") ? kernel(model) : null, error: "" };
  const recorded = inNotebook
    ? made.live ?? kernel(model)
    : async (_, text) => {
        const { default: more } = await AttentionBook.later("head_viewer/later.json");
        return more.find((one) => one.text === text);
      };
  let asked = "";
  async function ask(key, source, take, ...given) {
    if (asked === key) return;
    asked = key;
    made.error = "";
    try {
      if (!source) throw new Error("its record cannot be read.");
      const answer = await source(...given);
      if (answer.error) throw new Error(answer.error);
      take(answer);
    } catch ({ message }) {
      made.error = message;
      if (asked === key) changed();
      return;
    }
    if (asked === key) asked = "";
    changed();
  }
  // Null until it has come.
  made.look = (text) => {
    if (looks.has(text)) return looks.get(text);
    const source = RECORDED.includes(text) ? recorded : made.live;
    ask(text, source, (answer) => looks.set(text, decoded(answer)), "look", text);
    return null;
  };
  made.following = (text, cut) => {
    const known = looks.get(text)?.following;
    if (known && cut.length < 2) return known(cut.length ? flat(cut[0]) : undefined);
    const key = JSON.stringify([text, cut]);
    if (followed.has(key)) return followed.get(key);
    const heads = cut.map((name) => name.split(".").map(Number));
    ask(key, made.live, ({ next }) => followed.set(key, next), "following", text, heads);
    return null;
  };
  made.again = () => (asked = "");
  return made;
}
