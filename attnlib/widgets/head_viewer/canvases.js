// Weights as ink on a canvas: the map of all heads, and one head large with its tokens.
import { clamp, indices } from "../shared/core.js";
import { h } from "../shared/parts.js";
import { onWidth } from "../shared/movable.js";
import { HEADS } from "./looks.js";

export const BLOCKS = 30;
const EDGE = 92; // for names of tokens

// A canvas as wide as its place; `paint` gets its context, its width and the page's colours.
export function sheet(kind, heightOf, paint) {
  const element = h("canvas", { class: `attn-heads-${kind}`, "aria-hidden": "true" });
  const context = element.getContext("2d");
  let [width, latest] = [0, null];
  function draw(state = latest) {
    latest = state;
    if (!width || !state) return;
    const height = heightOf(width);
    const scale = window.devicePixelRatio || 1;
    element.style.height = `${height}px`;
    [element.width, element.height] = [width, height].map((size) => Math.round(size * scale));
    context.setTransform(scale, 0, 0, scale, 0, 0);
    const style = getComputedStyle(element);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    context.font = `12px ${style.fontFamily}`;
    paint(context, state, width, colour);
  }
  const box = h("div", { class: `attn-heads-box attn-heads-box--${kind}` }, element);
  onWidth(box, (pixels) => {
    width = Math.floor(pixels);
    draw();
  });
  // Colours follow the page's.
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => draw());
  new MutationObserver(() => draw()).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  new MutationObserver(() => draw()).observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light"] });
  return { element: box, canvas: element, draw };
}

// Where a head's thumbnail lies: in one band of 30 blocks, or two of 15 where there is less room.
export function layout(width) {
  const bands = width < 560 ? 2 : 1;
  const step = width / (BLOCKS / bands);
  const height = bands * (HEADS * step + 18);
  const at = (block, head) => {
    const band = Math.floor((block * bands) / BLOCKS);
    return [(block - (band * BLOCKS) / bands) * step, band * (HEADS * step + 18) + 16 + head * step];
  };
  const headAt = (x, y) => {
    const band = clamp(Math.floor(y / (HEADS * step + 18)), 0, bands - 1);
    const block = clamp(Math.floor(x / step), 0, BLOCKS / bands - 1) + (band * BLOCKS) / bands;
    return { block, head: clamp(Math.floor((y - band * (HEADS * step + 18) - 16) / step), 0, HEADS - 1) };
  };
  return { step, height, at, headAt };
}

function matrix(context, look, head, x, y, size, ink) {
  const n = look.tokens.length;
  const side = size / n;
  context.fillStyle = ink;
  for (let i = 0; i < n; i += 1)
    look.row(head, i).forEach((weight, j) => {
      if (weight < 0.02) return;
      context.globalAlpha = weight;
      context.fillRect(x + j * side, y + i * side, side, side);
    });
  context.globalAlpha = 1;
}

export function paintMap(context, { look, chosen, cut }, width, colour) {
  const { step, at } = layout(width);
  const size = step - 2;
  for (let k = 0; k < BLOCKS * HEADS; k += 1) {
    const [x, y] = at(Math.floor(k / HEADS), k % HEADS);
    context.fillStyle = colour("panel");
    context.fillRect(x, y, size, size);
    if (look) matrix(context, look, k, x, y, size, colour("ink"));
    context.strokeStyle = colour(k === chosen ? "query" : "key");
    context.lineWidth = 2.5;
    if (cut.includes(k)) {
      context.strokeStyle = colour("key");
      context.beginPath();
      for (const [from, to] of [[0, size], [size, 0]]) {
        context.moveTo(x + from, y);
        context.lineTo(x + to, y + size);
      }
      context.stroke();
    }
    context.strokeStyle = colour("query");
    if (k === chosen) context.strokeRect(x - 1, y - 1, size + 2, size + 2);
  }
  context.fillStyle = colour("muted");
  for (const block of indices(BLOCKS).filter((b) => b % 5 === 0 || b === BLOCKS - 1))
    context.fillText(String(block), at(block, 0)[0] + 1, at(block, 0)[1] - 4);
}

// Rows ask, columns are asked.
export function paintHead(context, { look, chosen, row }, width, colour) {
  if (!look) return;
  const { tokens } = look;
  const size = width - EDGE;
  const side = size / tokens.length;
  context.fillStyle = colour("panel");
  context.fillRect(EDGE, EDGE, size, size);
  matrix(context, look, chosen, EDGE, EDGE, size, colour("ink"));
  context.textBaseline = "middle";
  const each = side < 11 ? Math.ceil(11 / side) : 1;
  tokens.forEach((token, k) => {
    if (k % each && k !== row) return;
    const middle = EDGE + (k + 0.5) * side;
    context.textAlign = "right";
    context.fillStyle = colour(k === row ? "query" : "muted");
    context.fillText(token, EDGE - 6, middle, EDGE - 8);
    context.save();
    context.translate(middle, EDGE - 6);
    context.rotate(-Math.PI / 2);
    context.textAlign = "left";
    context.fillStyle = colour(look.row(chosen, row)[k] > 0.1 ? "key" : "muted");
    context.fillText(token, 0, 0, EDGE - 8);
    context.restore();
  });
  context.strokeStyle = colour("query");
  context.lineWidth = 2;
  context.strokeRect(EDGE, EDGE + row * side, (row + 1) * side, side);
}

export function rowAt(look, y, width) {
  const side = (width - EDGE) / look.tokens.length;
  return clamp(Math.floor((y - EDGE) / side), 0, look.tokens.length - 1);
}
