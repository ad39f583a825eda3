// Cells that are painted: pressed, swept over with mouse or finger, or walked through by keys.
import { set } from "../shared/parts.js";

const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

// `cells` are rows of elements inside `surface`; `get` gives the rows of 0 and 1, `paint` takes
// others. The first cell of a stroke is turned over, and the others become what it has become. A
// finger that moves up or down moves the page, as it does elsewhere, and what it painted is undone.
export function paintable(surface, cells, { get, paint }) {
  let stroke = null;
  const size = cells.length;
  const put = (i, j, value) => {
    const mask = get();
    if (mask[i][j] !== value)
      paint(mask.map((row, a) => row.map((old, b) => (a === i && b === j ? value : old))));
  };
  const placeOf = (element) => {
    const i = cells.findIndex((row) => row.includes(element));
    return i < 0 ? null : [i, cells[i].indexOf(element)];
  };
  const under = (event) => {
    const element = document.elementFromPoint(event.clientX, event.clientY);
    return placeOf(element?.closest("[role=checkbox]"));
  };
  // One cell is reached by Tab, the one that was last in use.
  const walkTo = ([i, j]) => {
    for (const cell of cells.flat()) set(cell, { tabindex: cell === cells[i][j] ? 0 : -1 });
    cells[i][j].focus({ preventScroll: true });
  };

  const turn = ([i, j]) => put(i, j, get()[i][j] ? 0 : 1);

  surface.addEventListener("pointerdown", (event) => {
    const place = placeOf(event.target.closest("[role=checkbox]"));
    if (event.button || !place) return;
    const before = get();
    stroke = { before, value: before[place[0]][place[1]] ? 0 : 1 };
    surface.setPointerCapture(event.pointerId);
    event.preventDefault();
    walkTo(place);
    turn(place);
  });
  surface.addEventListener("pointermove", (event) => {
    if (!stroke) return;
    const points = event.getCoalescedEvents?.() ?? [];
    for (const point of points.length ? points : [event]) {
      const place = under(point);
      if (place) put(...place, stroke.value);
    }
  });
  surface.addEventListener("pointerup", () => {
    stroke = null;
  });
  surface.addEventListener("pointercancel", () => {
    if (stroke) paint(stroke.before);
    stroke = null;
  });
  // Assistive technology presses without a pointer.
  surface.addEventListener("click", (event) => {
    const place = placeOf(event.target);
    if (place && event.detail === 0) turn(place);
  });
  surface.addEventListener("keydown", (event) => {
    const place = placeOf(event.target);
    if (!place) return;
    const [i, j] = place;
    const inside = (k) => Math.min(Math.max(k, 0), size - 1);
    if (event.key === " " || event.key === "Enter") turn(place);
    else if (event.key in ARROWS) {
      const [down, right] = ARROWS[event.key];
      walkTo([inside(i + down), inside(j + right)]);
    } else if (event.key === "Home") walkTo([i, 0]);
    else if (event.key === "End") walkTo([i, size - 1]);
    else return;
    event.preventDefault();
  });
}
