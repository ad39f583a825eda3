// Rows of cells, one of which is reached by Tab: arrow keys, Home and End walk on from there.
import { clamp } from "./core.js";
import { set } from "./parts.js";

const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

// `press` takes the row and column of a cell that Space or Enter, or assistive technology, presses.
export function walkable(surface, cells, press) {
  const placeOf = (element) => {
    const i = cells.findIndex((row) => row.includes(element));
    return i < 0 ? null : [i, cells[i].indexOf(element)];
  };
  // From now on Tab reaches this cell.
  const walkTo = ([i, j]) => {
    for (const cell of cells.flat()) set(cell, { tabindex: cell === cells[i][j] ? 0 : -1 });
    cells[i][j].focus({ preventScroll: true });
  };
  // Assistive technology presses without a pointer.
  surface.addEventListener("click", (event) => {
    const place = placeOf(event.target);
    if (place && event.detail === 0) press(place);
  });
  surface.addEventListener("keydown", (event) => {
    const place = placeOf(event.target);
    if (!place) return;
    const [i, j] = place;
    const inside = (k) => clamp(k, 0, cells.length - 1);
    if (event.key === " " || event.key === "Enter") press(place);
    else if (event.key in ARROWS) {
      const [down, right] = ARROWS[event.key];
      walkTo([inside(i + down), inside(j + right)]);
    } else if (event.key === "Home") walkTo([i, 0]);
    else if (event.key === "End") walkTo([i, cells.length - 1]);
    else return;
    event.preventDefault();
  });
  return { placeOf, walkTo };
}
