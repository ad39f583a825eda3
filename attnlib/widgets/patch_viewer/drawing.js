// Pixels that are drawn on: in strokes of mouse or finger, or one by one with keys.
import { walkable } from "../shared/cells.js";
import { clamp } from "../shared/core.js";

const [SIDE, FULL, REACH] = [8, 16, 1.25];

// Pixels after a stroke between two points, soft as in the stored digits: its ink ends over the
// length of a pixel. An eraser clears what has half of it. The same in Python: `stroke`.
export function stroke(pixels, [x, y], [toX, toY], erases) {
  const [dx, dy] = [toX - x, toY - y];
  return pixels.map((old, k) => {
    const [right, down] = [(k % SIDE) + 0.5 - x, Math.floor(k / SIDE) + 0.5 - y];
    const along = clamp((right * dx + down * dy) / (dx * dx + dy * dy || 1), 0, 1);
    const ink = clamp(REACH - Math.hypot(right - along * dx, down - along * dy), 0, 1);
    return erases ? (ink < 0.5 ? old : 0) : Math.max(old, Math.round(FULL * ink));
  });
}

// `draw` takes both ends of a stroke, in pixels from the upper left corner.
export function drawable(surface, cells, draw) {
  let last = null;
  const dot = ([i, j]) => draw([j + 0.5, i + 0.5], [j + 0.5, i + 0.5]);
  const { placeOf, walkTo } = walkable(surface, cells, dot);
  const pointOf = ({ clientX, clientY }) => {
    const { left, top, width, height } = surface.getBoundingClientRect();
    return [(SIDE * (clientX - left)) / width, (SIDE * (clientY - top)) / height];
  };
  const go = (event) => {
    const point = pointOf(event);
    draw(last ?? point, point);
    last = point;
  };
  surface.addEventListener("pointerdown", (event) => {
    const place = placeOf(event.target);
    if (event.button || !event.isPrimary || !place) return;
    surface.setPointerCapture(event.pointerId);
    event.preventDefault();
    walkTo(place);
    go(event);
  });
  surface.addEventListener("pointermove", (event) => {
    if (last && event.isPrimary) go(event);
  });
  for (const end of ["pointerup", "pointercancel"])
    surface.addEventListener(end, ({ isPrimary }) => {
      if (isPrimary) last = null;
    });
}
