// A picture with axes: ticks, rules, and points that are dragged along x.
import { indices } from "./core.js";
import { keepSizes, movable } from "./movable.js";
import { set, svg, tick, visible, write } from "./parts.js";

export function path(points) {
  return `M${points.map(([x, y]) => `${x.toFixed(2)} ${y.toFixed(2)}`).join("L")}`;
}

// A name beside a line, readable where it crosses one.
export function nameTag(text, anchor = "start", x = 0, y = 0) {
  return set(tick(x, y, anchor, text), { class: "attn-tick attn-name-tag" });
}

// An empty picture whose letters and handles keep their size on a small screen.
export function picture(name, width, height, attributes) {
  const root = svg("svg", { role: "group", "aria-label": name, ...attributes });
  return width ? keepSizes(set(root, { viewBox: `0 0 ${width} ${height}` })) : root;
}

// Rules, ticks and names of axes, each put again where it belongs when the width changes.
function labels(axes) {
  const { root, left, floor, height, pad, arrange, toX, toY } = axes;
  const [padX, padY] = pad;
  const end = () => axes.right() + padX;

  // A line across at this height of the picture; a line upright at this value of x.
  function rule(at, name = "attn-grid") {
    const line = svg("line", { class: name, y1: at, y2: at });
    root.append(line);
    arrange(() => set(line, { x1: left - padX, x2: end() }));
    return line;
  }
  // A rule at this height, with a text above its right end.
  function level(at, above, text) {
    rule(at);
    const label = tick(0, at - above, "end", text);
    root.append(label);
    arrange(() => set(label, { x: end() - 4 }));
  }
  function upright(value, name = "attn-grid") {
    const line = svg("line", { class: name, y1: axes.top - padY, y2: floor + padY });
    root.append(line);
    arrange(() => set(line, { x1: toX(value), x2: toX(value) }));
  }
  function ticks(values, label, below = floor + padY + 15) {
    const texts = values.map((value) => tick(0, below, "middle", label(value)));
    root.append(...texts);
    arrange(() => texts.forEach((text, k) => set(text, { x: toX(values[k]) })));
    return texts;
  }
  function title(text) {
    const element = tick(0, height - 4, "middle", text);
    root.append(element);
    arrange(() => set(element, { x: (left + axes.right()) / 2 }));
  }
  // Rules, at most `count`, drawn at these values of y with a text beside each.
  function levels(count) {
    const rules = indices(count).map(() => [rule(0), tick(left - 5, 0, "end", "")]);
    root.append(...rules.map(([, text]) => text));
    return (marks) =>
      rules.forEach(([line, text], k) => {
        visible(k < marks.length, line, text);
        if (k >= marks.length) return;
        const at = toY(marks[k][0]);
        set(line, { y1: at, y2: at });
        set(text, { y: at + 4 });
        write(text, marks[k][1]);
      });
  }
  return { rule, level, upright, ticks, title, levels };
}

// A point that is dragged along x; the result puts it somewhere in the picture. `range` and `from`
// tell where it counts otherwise than the axis. Parts `within` it are held with it; where it can be
// held `anywhere`, so is the whole picture.
function pointOn(axes, options) {
  const { kind: role = "", r = 8, range = axes.x, from = (value) => value, within = [] } = options;
  const knob = svg("circle", { class: `attn-knob ${role}`, r });
  const hit = svg("circle", { class: "attn-hit" });
  const group = svg("g", null, ...within, knob, hit);
  axes.root.append(group);
  const { at, place, describe } = options;
  const speak = movable(group, {
    ...options,
    plane: { range, fromEvent: (event) => [from(axes.fromEvent(event)[0]), 0] },
    at: () => [at(), 0],
    place: ([value]) => place(value),
    describe: ([value]) => describe(value),
    surface: options.anywhere && axes.root,
    flat: true,
  });
  return (cx, cy) => {
    for (const circle of [knob, hit]) set(circle, { cx, cy });
    speak();
  };
}

// The axes reach over `x` and `y`, and over another range once `y` of the result is set. They keep
// these `edges` from the picture's sides, and the paper is larger by `pad`, across and up. A picture
// without a width is as wide as `resize` says, in pixels: letters in it keep their size.
export function plot(name, { kind = "", width, height, edges, pad = [0, 0], rx, x, y = [0, 1], role = "group" }) {
  const [top, right, bottom, left] = edges;
  const [padX, padY] = pad;
  const floor = height - bottom;
  let wide = width ?? 660;
  const unit = () => (wide - left - right) / (x[1] - x[0]);
  const root = picture(name, width, height, { class: `attn-plot ${kind}`, role });
  const paper = svg("rect", { class: "attn-paper", x: left - padX, y: top - padY, height: floor - top + 2 * padY, rx });
  root.append(paper);
  const arrangements = [];
  // Put something where it belongs, and again when the width changes.
  const arrange = (put) => {
    arrangements.push(put);
    put();
  };
  const toX = (value) => left + (value - x[0]) * unit();
  const toY = (value) => floor - ((value - axes.y[0]) / (axes.y[1] - axes.y[0])) * (floor - top);

  // Where a pointer is on the axes.
  function fromEvent({ clientX, clientY }) {
    const box = root.getBoundingClientRect();
    const along = ((clientX - box.left) / box.width) * wide - left;
    const up = floor - ((clientY - box.top) / box.height) * height;
    const [low, high] = axes.y;
    return [x[0] + along / unit(), low + (up / (floor - top)) * (high - low)];
  }
  function resize(pixels) {
    wide = pixels;
    for (const put of arrangements) put();
  }
  arrange(() => {
    set(root, { viewBox: `0 0 ${wide} ${height}` });
    set(paper, { width: wide - left - right + 2 * padX });
  });
  const place = { root, x, y, left, top, floor, height, pad, toX, toY, right: () => wide - right };
  const axes = { ...place, fromEvent, arrange, resize, point: (options) => pointOn(axes, options) };
  return Object.assign(axes, labels(axes));
}
