// Points that a mouse, a finger or the arrow keys can move.
import { clamp } from "./core.js";
import { number, set } from "./parts.js";

const DIRECTIONS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowDown: [0, -1],
  ArrowUp: [0, 1],
  PageDown: [0, -5],
  PageUp: [0, 5],
};

function spell(point) {
  return point.map((x) => number(x)).join(", ");
}

// Tell how wide an element is, in pixels, at first and whenever it changes.
export function onWidth(element, tell) {
  new ResizeObserver(([{ contentRect: { width } }]) => {
    if (width) tell(width);
  }).observe(element);
}

// What a finger must hit keeps its size on the screen, however small the picture is drawn, and
// what is read is no smaller than it was made.
export function keepSizes(root) {
  onWidth(root, (width) =>
    root.style.setProperty("--unit", (root.viewBox.baseVal.width / width).toFixed(3)),
  );
  return root;
}

// Make an SVG group movable: by pointer, finger and arrow keys (Shift for big steps).
// `at` gives the point in data units, `place(point)` takes the wish, `plane` knows the units.
// A `surface` round the group takes pointers too, and the point jumps to them; `flat` points have
// one coordinate, which all keys change.
export function movable(group, { plane, label, step, at, place, describe = spell, surface, flat }) {
  set(group, {
    tabindex: 0,
    role: "slider",
    class: "attn-handle",
    "aria-label": label,
    "aria-valuemin": plane.range[0],
    "aria-valuemax": plane.range[1],
  });
  const wish = (point) => {
    const [low, high] = plane.range;
    place(point.map((x) => Number(clamp(x, low, high).toFixed(2))));
  };
  let grip = null;
  const held = surface || group;
  held.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    const [x, y] = plane.fromEvent(event);
    const [px, py] = group.contains(event.target) ? at() : [x, y];
    grip = [px - x, py - y];
    held.setPointerCapture(event.pointerId);
    group.focus({ preventScroll: true });
    event.preventDefault();
    if (!group.contains(event.target)) wish([x, y]);
  });
  held.addEventListener("pointermove", (event) => {
    if (!grip) return;
    const [x, y] = plane.fromEvent(event);
    wish([x + grip[0], y + grip[1]]);
  });
  const release = () => {
    grip = null;
  };
  held.addEventListener("pointerup", release);
  held.addEventListener("pointercancel", release);
  group.addEventListener("keydown", (event) => {
    const ends = { Home: plane.range[0], End: plane.range[1] };
    const direction = DIRECTIONS[event.key];
    if (!direction && !(event.key in ends)) return;
    event.preventDefault();
    if (!direction) {
      wish([ends[event.key], ...at().slice(1)]);
      return;
    }
    const by = step * (event.shiftKey ? 5 : 1);
    const along = flat ? [direction[0] + direction[1], 0] : direction;
    wish(at().map((x, axis) => x + by * along[axis]));
  });
  return () => {
    set(group, { "aria-valuenow": at()[0], "aria-valuetext": describe(at()) });
  };
}
