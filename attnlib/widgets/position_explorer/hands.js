// The arithmetic of positions as hands. A hand is [right, up]; a position on it turns clockwise.
// Python does the same with attnlib, and a test compares the two.
import { dot, indices } from "../shared/core.js";
import { frequencies } from "../shared/seldom/transformer.js";

export const FAR = 50;

export function turned([right, up], angle) {
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  return [right * cos + up * sin, up * cos - right * sin];
}

// The pairs of an item as hands. Rotary turns the first component towards the second: up is the
// first, so that its hands turn clockwise too.
function pairsOf(item, d, scheme) {
  return indices(d / 2).map((i) => {
    const [first, second] = item.slice(2 * i, 2 * i + 2);
    return scheme === "rotary" ? [second, first] : [first, second];
  });
}

// The hands of an item at a position, looking further by `ahead`. Where a description is added to
// the item, the item is an arm and the description a hand at its end.
export function handsAt({ scheme, d, base }, item, position, ahead = 0) {
  const pairs = pairsOf(item, d, scheme);
  return frequencies(d, base).map((omega, i) => {
    const [angle, further] = [position * omega, ahead * omega];
    if (scheme === "rotary") return { arm: [0, 0], tip: turned(pairs[i], angle + further) };
    const description = turned([0, 1], angle + further);
    if (scheme === "alone") return { arm: [0, 0], tip: description };
    const arm = turned(pairs[i], further);
    return { arm, tip: arm.map((x, axis) => x + description[axis]) };
  });
}

// What each pair adds to the dot product, as a function of the shift.
export function partsOf(state) {
  const { query, key, position, ahead } = state;
  const from = handsAt(state, query, position, ahead);
  return (shift) =>
    handsAt(state, key, position + shift).map(({ tip }, i) => dot(from[i].tip, tip));
}

export function partsAt(state, shift) {
  return partsOf(state)(shift);
}

// Clockwise from one hand to another, at most half a turn.
function between(from, to) {
  return Math.atan2(to[0] * from[1] - to[1] * from[0], dot(from, to));
}

// From the query's hands to the key's: whole turns count, except where positions are added.
export function anglesAt(state) {
  const { scheme, d, base, query, key, position, shift, ahead } = state;
  if (scheme === "added") {
    const keys = handsAt(state, key, position + shift);
    return handsAt(state, query, position, ahead).map(({ tip }, i) => between(tip, keys[i].tip));
  }
  const [from, to] = [query, key].map((item) => pairsOf(item, d, scheme));
  return frequencies(d, base).map((omega, i) => {
    const items = scheme === "rotary" ? between(from[i], to[i]) : 0;
    return (shift - ahead) * omega + items;
  });
}

// The four products of one pair where positions are added: item and item, item and position,
// position and item, position and position.
export function termsOf(state, i) {
  const { query, key, position, shift, ahead } = state;
  const of = (item, place, further) => {
    const { arm, tip } = handsAt(state, item, place, further)[i];
    return [arm, [tip[0] - arm[0], tip[1] - arm[1]]];
  };
  const [from, to] = [of(query, position, ahead), of(key, position + shift, 0)];
  return from.flatMap((a) => to.map((b) => dot(a, b)));
}

// How long each hand can be at most, the query's and the key's.
export function lengths({ scheme, d, query, key }) {
  const [items, position] = { alone: [0, 1], added: [1, 1], rotary: [1, 0] }[scheme];
  return [query, key].map((item) =>
    pairsOf(item, d, scheme).map((pair) => items * Math.hypot(...pair) + position),
  );
}

// The shifts, the most similar first; of equal ones the shorter first.
export function ranked(similarities) {
  const at = (shift) => Math.round(similarities[shift + FAR] * 1e9);
  const shifts = similarities.map((_, n) => n - FAR);
  return shifts.sort((a, b) => at(b) - at(a) || Math.abs(a) - Math.abs(b) || b - a);
}
