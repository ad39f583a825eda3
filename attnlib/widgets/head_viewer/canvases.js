// Weights as ink on a canvas: the map of all heads, and one head large with its tokens.
import { clamp, indices } from "../shared/core.js";
import { onWidth } from "../shared/movable.js";
import { h } from "../shared/parts.js";
import { HEADS } from "./looks.js";

export const BLOCKS = 30;
const TOP = 17; // for the numbers of blocks

const same = (a, b) => a === b || (Array.isArray(a) && String(a) === String(b));

// A canvas as wide as its place; `paint` gets its context, the parts of the state that `needs` names,
// its width and the page's colours.
export function sheet(kind, needs, heightOf, paint) {
  const canvas = h("canvas", { class: `attn-heads-${kind}`, "aria-hidden": "true" });
  const element = h("div", { class: `attn-heads-box-${kind}` }, canvas);
  const context = canvas.getContext("2d");
  let [width, latest] = [0, null];
  function draw(state) {
    const isNew = !latest || needs.some((name) => !same(state[name], latest[name]));
    latest = state;
    if (isNew) again();
  }
  function again() {
    if (!width || !latest) return;
    const scale = window.devicePixelRatio || 1;
    const height = heightOf(width);
    canvas.style.height = `${height}px`;
    [canvas.width, canvas.height] = [width * scale, height * scale].map(Math.round);
    context.scale(scale, scale);
    const style = getComputedStyle(canvas);
    context.font = `12px ${style.fontFamily}`;
    paint(context, latest, width, (name) => style.getPropertyValue(`--${name}`).trim());
  }
  onWidth(element, (pixels) => {
    width = Math.floor(pixels);
    again();
  });
  // Its colours are those of the page, which may change.
  const isDark = matchMedia("(prefers-color-scheme: dark)");
  isDark.addEventListener("change", again);
  const themes = new MutationObserver(again);
  for (const root of [document.documentElement, document.body])
    themes.observe(root, { attributeFilter: ["class", "data-theme", "data-jp-theme-light"] });
  const stop = () => {
    isDark.removeEventListener("change", again);
    themes.disconnect();
  };
  return { element, canvas, draw, stop };
}

// Where thumbnails lie: in one band of 30 blocks, or in two where there is less room.
export function layout(width) {
  const bands = width < 560 ? 2 : 1;
  const across = BLOCKS / bands;
  const step = width / across;
  const band = TOP + HEADS * step;
  const at = (k) => {
    const [block, head] = [Math.floor(k / HEADS), k % HEADS];
    return [(block % across) * step, Math.floor(block / across) * band + TOP + head * step];
  };
  const headAt = (x, y) => {
    const down = clamp(Math.floor(y / band), 0, bands - 1);
    const head = clamp(Math.floor((y - down * band - TOP) / step), 0, HEADS - 1);
    return { block: down * across + clamp(Math.floor(x / step), 0, across - 1), head };
  };
  return { step, height: bands * band, at, headAt };
}

function inked(context, look, head, x, y, size, ink) {
  const side = size / look.tokens.length;
  context.fillStyle = ink;
  look.tokens.forEach((_, i) =>
    look.row(head, i).forEach((weight, j) => {
      context.globalAlpha = weight;
      if (weight > 0.02) context.fillRect(x + j * side, y + i * side, side, side);
    }),
  );
  context.globalAlpha = 1;
}

export function paintMap(context, { look, chosen, cut }, width, colour) {
  const { step, at } = layout(width);
  const size = step - 2;
  for (const k of indices(BLOCKS * HEADS)) {
    const [x, y] = at(k);
    context.fillStyle = colour("panel");
    context.fillRect(x, y, size, size);
    inked(context, look, k, x, y, size, colour("ink"));
    context.fillStyle = colour("muted");
    if (k % (5 * HEADS) === 0) context.fillText(String(k / HEADS), x, y - 4);
  }
  context.lineWidth = 2.5;
  context.strokeStyle = colour("key");
  for (const [x, y] of cut.map(at)) {
    context.stroke(new Path2D(`M${x} ${y}l${size} ${size}m0 ${-size}l${-size} ${size}`));
    context.strokeRect(x, y, size, size);
  }
  context.strokeStyle = colour("query");
  context.strokeRect(...at(chosen).map((x) => x - 1), size + 2, size + 2);
}

// How wide names of tokens are, as far as there is room.
const lettersOf = ({ tokens }) => clamp(7 * Math.max(...tokens.map((token) => token.length)) + 4, 24, 58);

// Rows ask, columns are asked.
export function paintHead(context, { look, chosen, asks }, width, colour) {
  const edge = lettersOf(look);
  const size = width - edge;
  const side = size / look.tokens.length;
  const each = Math.ceil(12 / side);
  const name = (k, turned, role) => {
    if (k % each && k !== asks) return;
    context.save();
    const along = edge + (k + 0.5) * side;
    context.translate(...(turned ? [along, edge - 5] : [edge - 5, along]));
    context.rotate(turned ? -Math.PI / 2 : 0);
    context.textAlign = turned ? "left" : "right";
    context.textBaseline = "middle";
    context.fillStyle = colour(role);
    context.fillText(look.tokens[k].trim(), 0, 0, edge - 5);
    context.restore();
  };
  context.fillStyle = colour("panel");
  context.fillRect(edge, edge, size, size);
  inked(context, look, chosen, edge, edge, size, colour("ink"));
  const weights = look.row(chosen, asks);
  look.tokens.forEach((_, k) => {
    name(k, false, k === asks ? "query" : "muted");
    name(k, true, weights[k] > 0.1 ? "key" : "muted");
  });
  context.lineWidth = 2;
  context.strokeStyle = colour("query");
  context.strokeRect(edge, edge + asks * side, (asks + 1) * side, side);
}

export function tokenAt(look, y, width) {
  const edge = lettersOf(look);
  const side = (width - edge) / look.tokens.length;
  return clamp(Math.floor((y - edge) / side), 0, look.tokens.length - 1);
}
