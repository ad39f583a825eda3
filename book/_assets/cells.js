// Exercises that are done in the page, and cells of a lesson that can be changed and run there.
(() => {
  "use strict";
  const { call, isPossible, megabytes, renew } = window.AttentionPython;
  const progress = window.AttentionProgress;
  const CELL_SECONDS = 20; // Python itself ends what takes longer,
  const PATIENCE = 25; // and the page what Python cannot end

  const { h } = AttentionBook.load("shared/parts.js");
  const button = (text, onclick, attributes) =>
    h("button", { type: "button", onclick, ...attributes }, text);
  const said = (...words) => h("p", { class: "code-state" }, ...words);
  const notebook = (words) => {
    const root = document.documentElement.dataset.content_root;
    return h("a", { href: `${root}book/run.html#in-jupyterlab` }, words);
  };

  if (!isPossible) {
    const words = "This browser cannot run Python in the page. ";
    const place = document.querySelector(".tag_exercise, .tag_runs-here");
    place?.before(said(words, notebook("The notebook does all of it.")));
    return;
  }

  // What Python says is text, whatever is in it.
  function shown({ printed, value, reply, passed }) {
    const parts = [];
    const text = (words) => h("div", { class: "output" }, h("pre", null, words));
    if (printed) parts.push(text(printed));
    if (value !== undefined) parts.push(text(value));
    if (reply && passed !== undefined) parts.unshift(box(reply));
    else if (reply) parts.push(box(reply));
    if (!parts.length) parts.push(said("It ran, and printed nothing."));
    return parts;
  }
  // What stands between backticks is code.
  const prose = (words) =>
    words.split(/`([^`\n]+)`/).map((piece, i) => (i % 2 ? h("code", null, piece) : piece));
  function box({ status, heading, message, about = "", case: example = "", notes = [] }) {
    const kind = `attn-reply attn-reply--${status.replace(" ", "-")}`;
    const paragraph = (words) => h("p", null, ...prose(words));
    const first = h("p", null, h("strong", null, heading), " ", ...prose(message));
    const all = [first, about && paragraph(about), example && h("pre", null, example)];
    return h("div", { class: kind }, ...all.filter(Boolean), ...notes.map(paragraph));
  }

  const code = (cell) => cell.querySelector(".cell_input pre").textContent.replace(/\n$/, "");
  const cells = [...document.querySelectorAll(".cell:has(.cell_input)")].filter(
    (cell) => !cell.matches(".tag_solution"),
  );
  const open = new Map(); // cell -> its field
  // What stands in the cells above this one, as the reader left it.
  const above = (cell) =>
    cells.slice(0, cells.indexOf(cell)).map((one) => open.get(one)?.value ?? one.source);
  for (const cell of cells) cell.source = code(cell);

  let isReady = false;
  let isMissing = false; // Python cannot be loaded
  const states = new Set();
  const price = `The first run loads Python, ${megabytes} MB.`;
  document.addEventListener("attention-python", ({ detail: { stage, words } }) => {
    isReady = stage === "ready";
    isMissing = stage === "failed";
    for (const state of states)
      if (state.isWaiting) state.textContent = words || "Running …";
      else if (isReady || state.textContent) state.textContent = isReady ? "" : words || price;
  });

  // A field, its buttons and the place of what comes back, in the place of a cell's code.
  function place(cell, { label, text, asked, action, again, more = [], ...on }) {
    const output = h("div", { class: "cell_output code-output", role: "status" });
    const state = h("span", { class: "code-state", role: "status" }, isReady ? "" : price);
    states.add(state);
    const go = button(action, run, { title: "Shift+Enter" });
    let running; // what can stop it
    const stop = button("Stop", () => running.abort());
    const reset = button(again.text, () => again.act(area, output, reset));
    const swap = (runs) => {
      const isFocused = [go, stop].includes(document.activeElement);
      [go.hidden, stop.hidden] = [runs, !runs];
      if (isFocused) (runs ? stop : go).focus();
    };
    swap(false);
    const keys = "Tab indents. Escape, then Tab, leaves.";
    // The field itself says it.
    const hint = h("span", { class: "code-keys", "aria-hidden": "true" }, keys);
    const area = AttentionEditor(text, label, run);
    open.set(cell, area);
    area.addEventListener("input", () => on.input?.(area.value));
    async function run() {
      if (state.isWaiting) return;
      state.isWaiting = true;
      state.textContent = "Running …";
      go.ariaDisabled = true; // and keeps the focus
      const patience = setTimeout(() => swap(true), 700);
      output.ariaBusy = true;
      let result;
      try {
        const given = [above(cell), area.value, CELL_SECONDS, ...(asked ? [asked] : [])];
        running = new AbortController();
        result = await call("cells.run", given, { patience: PATIENCE, signal: running.signal });
        output.replaceChildren(...shown(result));
      } catch (error) {
        const { message } = error;
        const parts = [box({ status: "error", heading: "No reply.", message })];
        if (isMissing) parts.push(said("Try again, or ", notebook("work in the notebook"), "."));
        output.replaceChildren(...parts);
      }
      clearTimeout(patience);
      output.ariaBusy = false;
      swap(false);
      go.ariaDisabled = false;
      state.isWaiting = false;
      state.textContent = "";
      const fold = output.closest("details");
      if (fold) fold.open = true; // what was to be predicted
      if (result) on.result?.(result);
    }
    const bar = h("div", { class: "code-bar" }, go, stop, reset, ...more, state);
    cell.querySelector(".cell_input").replaceChildren(area, hint, bar);
    const recorded = cell.querySelector(".cell_output");
    if (recorded) recorded.replaceWith(output);
    else cell.append(output);
    return { area, output, recorded };
  }

  // Hints one after another, and the button for the solution, which asks back before the first try.
  function help(cell, tried) {
    const following = [];
    for (
      let next = cell.nextElementSibling;
      next && !next.matches("section, .tag_exercise");
      next = next.nextElementSibling
    )
      following.push(next);
    const isHint = (e) => e.matches("details") && /^\s*Hint /.test(e.textContent);
    const hints = following.filter(isHint);
    hints.forEach((one, i) => {
      const next = hints[i + 1];
      if (!next) return;
      next.hidden = !one.open;
      one.addEventListener("toggle", () => one.open && (next.hidden = false));
    });
    const solution = following.find((e) => e.matches(".tag_solution"));
    const ask = button("Solution", () => {
      if (!tried) {
        tried = true;
        ask.textContent = "Show the solution before you have tried?";
        return;
      }
      ask.remove();
      solution.hidden = false;
      const fold = solution.querySelector("details");
      fold.open = true;
      fold.querySelector("summary").focus();
    });
    if (solution) solution.hidden = true;
    const attempted = () => {
      tried = true;
      ask.textContent = "Solution";
    };
    return { more: solution ? [ask] : [], attempted };
  }

  // Exercises: an empty place to write in, and what helps.
  function exercise(cell) {
    const stub = cell.source;
    const [, name] = stub.match(/\bcheck\(\s*"([\w.]+)"/); // as the build finds it
    const heading = cell
      .closest("section")
      ?.querySelector("h2, h3")
      ?.firstChild?.textContent.trim();
    const { more, attempted } = help(cell, progress.isSolved(name));
    const solved = h("span", { class: "code-solved" });
    let isRight = false; // as it now is
    let [dropped, again] = [null, null]; // what Start over took away, and the button
    const tell = () => {
      const words = isRight ? "Solved" : "Solved before";
      solved.textContent = progress.isSolved(name) ? words : "";
      solved.classList.toggle("is-right", isRight);
    };
    tell();
    const earlier = written(cell, () => open.get(cell), stub);
    const { area } = place(cell, {
      label: `Your code, ${heading ?? name}`,
      text: progress.written(name) ?? stub,
      asked: stub.slice(stub.search(/\bcheck\(/)), // it counts also where all is written over
      action: "Check",
      again: {
        text: "Start over",
        act(area, output, reset) {
          const before = area.value;
          area.focus();
          area.become(dropped ?? stub);
          dropped = dropped === null && before !== stub ? before : null;
          reset.textContent = dropped === null ? "Start over" : "Bring it back";
          again = reset;
          output.replaceChildren();
          renew();
        },
      },
      more: [...more, ...earlier, solved],
      input(text) {
        if (again) again.textContent = "Start over";
        [isRight, dropped, again] = [false, null, null];
        if (text === stub) progress.erase(name);
        else progress.write(name, text);
        tell();
      },
      result({ passed, reply }) {
        if (reply && reply.status !== "not attempted") attempted();
        isRight = Boolean(passed);
        if (passed) progress.solve(name);
        tell();
      },
    });
    // It may come from a file, or from another tab.
    document.addEventListener("attention-progress", () => {
      tell();
      const text = progress.written(name) ?? stub;
      if (text === area.value) return;
      area.value = text;
      area.dispatchEvent(new Event("input"));
    });
  }

  // What a reader wrote for exercises of the lessons, to be used in this one.
  function written(cell, area, stub) {
    const names = [...cell.classList].filter((name) => name.startsWith("tag_before-"));
    const add = (name) => {
      const text = progress.written(name).replace(/^check\(.*$/gm, "").trim();
      const mine = text.match(/^def (\w+)/m)?.[1];
      const own = stub.match(/^def (\w+)/m)[1];
      const rest = area().value;
      if (rest.includes(text)) return;
      area().focus();
      area().become(mine === own ? `${text}\n\n\n${stub.slice(stub.search(/^check\(/m))}` : `${text}\n\n\n${rest}`);
    };
    return names
      .map((name) => name.slice("tag_before-".length))
      .filter((name) => progress.isSolved(name) && progress.written(name) !== null)
      .map((name) => {
        const [lesson, short] = name.split(".");
        const title = `What you wrote in the lesson, ${lesson.replaceAll("_", " ")}`;
        return button(`Use my ${short}`, () => add(name), { title });
      });
  }

  // A cell of the lesson: its code becomes a field on request, and again what it was.
  function changeable(cell) {
    const input = cell.querySelector(".cell_input");
    const begin = () => {
      const before = [...input.childNodes];
      const { area, output, recorded } = place(cell, {
        label: "Code of this cell",
        text: cell.source,
        action: "Run",
        again: {
          text: "As it was",
          act() {
            input.replaceChildren(...before);
            if (recorded) output.replaceWith(recorded);
            else output.remove();
            open.delete(cell);
            input.querySelector("pre").after(change);
            change.focus();
          },
        },
      });
      if (recorded) output.append(...[...recorded.childNodes].map((node) => node.cloneNode(true)));
      return area;
    };
    const change = button("Change and run", () => {
      const area = begin();
      area.focus();
      area.setSelectionRange(0, 0);
      area.scrollLeft = 0;
    });
    change.className = "copy change";
    // What shows the reader's own parts at work is there to be run.
    if (/\buse\(/.test(cell.source)) begin();
    else input.querySelector("pre").after(change);
  }

  // Why the page cannot run a cell.
  function does(cell) {
    if (cell.querySelector(".attn-live")) return "shows a widget";
    if (cell.querySelector(".cell_output img")) return "draws a figure";
    const source = cell.querySelector(".cell_input").textContent;
    if (/\b(measure|peak_memory)\(/.test(source)) return "measures";
    if (/^check\(/m.test(source)) return "is an exercise with PyTorch";
    if (/\bwidgets\./.test(source)) return "reads numbers from a widget";
    return "trains, or uses what was trained, or data that the page does not hold";
  }

  // The code of all cells before a place in the page, as the reader left it.
  window.AttentionCells = {
    before: (place) =>
      cells
        .filter((cell) => cell.compareDocumentPosition(place) & Node.DOCUMENT_POSITION_FOLLOWING)
        .map((cell) => open.get(cell)?.value ?? cell.source),
  };

  for (const cell of cells)
    if (cell.matches(".tag_exercise")) exercise(cell);
    else if (cell.matches(".tag_runs-here")) changeable(cell);
    else if (
      cell.matches(".tag_notebook-only") &&
      (cell.matches(":has(.cell_output)") || /^check\(/m.test(cell.source))
    ) {
      const words = `This cell ${does(cell)}. It runs in the notebook.`;
      cell.querySelector(".cell_input").append(said(words));
    }
})();
