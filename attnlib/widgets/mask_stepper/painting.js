// Cells that are painted: pressed, swept over with mouse or finger, or walked through by keys.
import { walkable } from "../shared/cells.js";

// `cells` are rows of elements inside `surface`; `get` gives the rows of 0 and 1, `paint` takes
// others. The first cell of a stroke is turned over, and the others become what it has become. A
// finger that moves up or down moves the page, as it does elsewhere, and what it painted is undone.
export function paintable(surface, cells, { get, paint }) {
  let stroke = null;
  const put = (i, j, value) => {
    const mask = get();
    if (mask[i][j] !== value)
      paint(mask.map((row, a) => row.map((old, b) => (a === i && b === j ? value : old))));
  };
  const under = (event) => {
    const element = document.elementFromPoint(event.clientX, event.clientY);
    return placeOf(element?.closest("[role=checkbox]"));
  };
  const turn = ([i, j]) => put(i, j, get()[i][j] ? 0 : 1);
  const { placeOf, walkTo } = walkable(surface, cells, turn);

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
}
