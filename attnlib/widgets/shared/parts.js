// Elements and numbers, the smallest parts of widgets and of the scripts of the pages.
// Nothing here sets markup from a string: text is always a text node.
import { indices } from "./core.js";

const SVG = "http://www.w3.org/2000/svg";
let identifiers = 0;

export function uniqueId(prefix) {
  identifiers += 1;
  return `attn-${prefix}-${identifiers}`;
}

// What was last set or written, by element: to ask the page costs more than to remember.
const LAST = Symbol("last");
const TEXT = Symbol("text");

export function set(element, attributes) {
  const last = (element[LAST] ??= {});
  for (const [name, value] of Object.entries(attributes)) {
    if (last[name] === value && name in last) continue;
    last[name] = value;
    if (value === null || value === undefined || value === false) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : value);
  }
  return element;
}

export function hide(element, hidden) {
  return set(element, { hidden: hidden ? "" : null });
}

// Parts of a picture that are drawn, or not.
export function visible(there, ...elements) {
  for (const element of elements) set(element, { visibility: there ? null : "hidden" });
}

export function write(element, text) {
  const last = (element[LAST] ??= {});
  if (last[TEXT] === text) return;
  last[TEXT] = text;
  const [only] = element.childNodes;
  if (only?.nodeType === Node.TEXT_NODE && only === element.lastChild) only.data = text;
  else element.textContent = text;
}

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {}))
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else set(element, { [name]: value });
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// A part of a page with its attributes; one that is a function, as `onclick`, answers an event.
export function h(tag, attributes, ...children) {
  return build(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes, ...children) {
  return build(document.createElementNS(SVG, tag), attributes, children);
}

// Pieces of a path: many marks in one element are one change a redraw.
export function bar(x, base, top, width) {
  return `M${x.toFixed(2)} ${base}V${top.toFixed(2)}h${width.toFixed(2)}V${base}Z`;
}

export function disc(x, y, radius) {
  const [r, across] = [radius, 2 * radius].map((size) => size.toFixed(2));
  const half = `a${r} ${r} 0 1 0`;
  return `M${x.toFixed(2)} ${y.toFixed(2)}m-${r} 0${half}${across} 0${half}-${across} 0`;
}

// A number or a word beside an axis.
export function tick(x, y, anchor, text) {
  return svg("text", { class: "attn-tick", x, y, "text-anchor": anchor }, text);
}

export function subscript(index) {
  return String.fromCharCode(0x2081 + index);
}

export function replaced(rows, index, row) {
  return rows.map((old, i) => (i === index ? row : old));
}

// A number for the reader: a true minus, no negative zero.
export function number(value, digits = 2) {
  const text = value.toFixed(digits);
  return (Number(text) === 0 ? (0).toFixed(digits) : text).replace("-", "\u2212");
}

// The same without the zeros at its end: as it was typed.
export function trimmed(value, digits = 2) {
  const text = number(value, digits);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

// A factor or what is subtracted: a negative one is put in brackets.
export function bracketed(text) {
  return text.startsWith("\u2212") ? `(${text})` : text;
}

export function vector(values, digits = 2) {
  return `[${values.map((value) => number(value, digits)).join(", ")}]`;
}

const PLACE = /\{(\w+):\.(\d)f\}/g;
const PLACE_OF_TEXT = /\{(\w+)\}/g;

function spelled(values, digits) {
  return [values]
    .flat()
    .map((value) => (Number.isNaN(value) ? "\u2013" : number(value, Number(digits))));
}

// A sentence of words.json with its numbers: `{mean:.2f}` is written with two decimals, several
// numbers with commas between them; a text has its place in `{name}`. The same in Python:
// attnlib.widgets.shared.words.
export function fill(sentence, values) {
  return sentence
    .replace(PLACE, (_, name, digits) => spelled(values[name], digits).join(", "))
    .replace(PLACE_OF_TEXT, (_, name) => values[name]);
}

// The numbers as texts, a list for each name, with the decimals of their places in the words.
export function written(words, numbers) {
  const places = [...JSON.stringify(words).matchAll(PLACE)];
  return Object.fromEntries(places.map(([, name, d]) => [name, spelled(numbers[name], d)]));
}

// A paragraph of lines that can be rewritten one by one.
export function lines(kind, count) {
  const spans = indices(count).map(() => h("span"));
  const element = h("p", { class: `attn-lines ${kind}` }, ...spans);
  return { element, write: (texts) => spans.forEach((span, k) => write(span, texts[k] ?? "")) };
}

// Plain text with `code` between backticks.
export function prose(tag, attributes, text) {
  const element = h(tag, attributes);
  writeProse(element, text);
  return element;
}

export function writeProse(element, text) {
  const pieces = text.split("`");
  element.replaceChildren(
    ...pieces.map((piece, i) => (i % 2 ? h("code", null, piece) : document.createTextNode(piece))),
  );
}

// Paragraphs of such text, the first in an element of its own kind, with blocks of code between
// lines of three backticks. The same in Python: question.blocks.
export function blocks(tag, attributes, text) {
  const [first, ...rest] = text.split(/\n*^```.*\n([\s\S]*?)\n```$\n*/m);
  const block = (piece, i) => {
    if (i % 2 === 0) return h("pre", { tabindex: 0 }, h("code", null, piece));
    return piece ? prose("p", { class: "attn-question" }, piece) : [];
  };
  return [prose(tag, attributes, first), ...rest.flatMap(block)];
}

// What a trait holds sealed, so that nobody reads it unasked. The same in Python: traits.unseal.
export function unsealed(text) {
  const bytes = Uint8Array.from(atob(text.split(":")[1]), (letter) => letter.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes));
}

// Tell the page that a question was answered; `first` says whether it was the first try, `given`
// are the texts of the answer, where the page is to keep them.
export function report(element, model, right, first, given) {
  const detail = { name: model.get("name"), right, first, given };
  element.dispatchEvent(new CustomEvent("attention-answer", { bubbles: true, detail }));
}

// Show the answer that the page has kept, and what came of it.
export function recall(element, show) {
  element.addEventListener("attention-answered", ({ detail: { right, given } }) => {
    show(given, `Answered before, and ${right ? "right" : "not right yet"}.`, right);
  });
}
