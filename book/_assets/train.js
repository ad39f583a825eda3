// A model of characters that is trained in the page. Python takes the steps
// (`in_page/training.py`), a few at a time; here they are asked for and drawn.
(() => {
  "use strict";
  const { isPossible, megabytes } = window.AttentionPython;
  const example = document.currentScript.dataset.text;
  const SLICE = 50; // milliseconds of steps at a time
  const POINTS = 300; // of the curve
  const ELSEWHERE = "In the notebook the cell above trains the model.";
  const decade = (power) => [1, 2, 3, 5].map((factor) => Number(`${factor}e${power}`));
  const RATES = [...[-4, -3, -2, -1].flatMap(decade), 1];

  const build =
    (space) =>
    (tag, attributes = {}, ...children) => {
      const element = document.createElementNS(space, tag);
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      element.append(...children);
      return element;
    };
  const make = build("http://www.w3.org/1999/xhtml");
  const draw = build("http://www.w3.org/2000/svg");
  const set = (element, attributes) => {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  };
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  // 1, 2 or 5 times a power of ten, and not below.
  const round = (value) => {
    const power = 10 ** Math.floor(Math.log10(value));
    return power * [1, 2, 5, 10].find((factor) => factor * power >= value * (1 - 1e-9));
  };
  const ask = (name, ...given) => AttentionPython.call(`training.${name}`, given);

  // The losses as a curve, beside those of guessing.
  function chart() {
    const [height, left, right, top, bottom] = [250, 34, 16, 26, 40];
    const floor = height - bottom;
    const label = (attributes, text = "") => draw("text", attributes, text);
    const grid = Array.from({ length: 6 }, () => draw("line", { class: "grid", x1: left }));
    const levels = grid.map(() => label({ x: left - 6, "text-anchor": "end" }));
    const steps = grid.map(() => label({ y: floor + 16, "text-anchor": "middle" }));
    const curve = draw("path", { class: "curve" });
    const marks = [0, 1].map(() => draw("line", { class: "mark", x1: left }));
    const names = marks.map(() => label({ class: "name", "text-anchor": "end" }));
    const across = label({ y: height - 6, "text-anchor": "middle" }, "step");
    const up = label({ x: 0, y: 12 }, "loss, nats per character");
    const parts = [...grid, ...levels, ...steps, across, up, curve, ...marks, ...names];
    const element = draw("svg", { role: "img", height }, ...parts);

    function update(losses, guesses) {
      const end = element.clientWidth - right;
      const size = Math.ceil(losses.length / POINTS) || 1;
      const points = [];
      for (let i = 0; i < losses.length; i += size) points.push(mean(losses.slice(i, i + size)));
      // What is higher than 10 leaves the picture.
      const highest = Math.min(10, Math.max(4, ...guesses, ...points));
      const most = [round(Math.max(100, losses.length)), round(highest)];
      const x = (step) => (left + (step / most[0]) * (end - left)).toFixed(1);
      const y = (loss) => (floor - Math.min(loss / most[1], 1.05) * (floor - top)).toFixed(1);
      grid.forEach((line, k) => {
        const [step, loss] = most.map((value) => (value * k) / 5);
        set(line, { x2: end, y1: y(loss), y2: y(loss) });
        set(levels[k], { y: Number(y(loss)) + 4 });
        set(steps[k], { x: x(step) });
        levels[k].textContent = Number(loss.toPrecision(3));
        steps[k].textContent = step;
      });
      set(across, { x: (left + end) / 2 });
      const middle = (k) => Math.min((k + 0.5) * size + 0.5, losses.length);
      const at = points.map((loss, k) => `${x(middle(k))} ${y(loss)}`);
      set(curve, { d: at.length ? `M${at.join("L")}` : "" });
      const visibility = guesses.length ? "visible" : "hidden";
      for (const part of [...marks, ...names]) set(part, { visibility });
      guesses.forEach((loss, k) => {
        set(marks[k], { x2: end, y1: y(loss), y2: y(loss) });
        set(names[k], { x: end, y: Number(y(loss)) + (k ? 14 : -5) });
        names[k].textContent = `${k ? "by frequency" : "guessing evenly"} ${loss.toFixed(2)}`;
      });
    }
    return { element, update };
  }

  function slider(label, attributes, format) {
    const input = make("input", { type: "range", ...attributes });
    const shown = make("span", { "aria-hidden": true });
    const show = () => {
      shown.textContent = format(Number(input.value));
      input.setAttribute("aria-valuetext", shown.textContent);
    };
    input.addEventListener("input", show);
    show();
    return { element: make("label", { class: "train-slider" }, label, input, shown), input };
  }

  function panel(place) {
    const text = make("textarea", { id: "train-text", rows: 8, spellcheck: "false", dir: "auto" });
    text.value = example;
    const count = make("p", { id: "train-count", class: "quiet" });
    text.setAttribute("aria-describedby", count.id);
    const rates = { max: RATES.length - 1, value: RATES.indexOf(0.003) };
    const rate = slider("Learning rate", rates, (k) => RATES[k]);
    const heats = { max: 2, step: 0.1, value: 0.5 };
    const heat = slider("Temperature", heats, (value) => value.toFixed(1));
    const button = (label) => make("button", { type: "button" }, label);
    let first = `Start (${megabytes} MB)`;
    const [go, anew, write] = [first, "Start over", "Write a sample"].map(button);
    const status = make("p", { role: "status" });
    const numbers = make("p", { class: "quiet" });
    const { element: picture, update } = chart();
    const live = { role: "region", "aria-label": "Sample", "aria-live": "polite" };
    const sample = make("pre", { ...live, dir: "auto" });
    const row = (...children) => make("div", { class: "buttons" }, ...children);
    set(place, { role: "group", "aria-label": "Train a model" });
    place.append(
      make("label", { for: text.id }, "Text to learn"),
      ...[text, count, row(go, anew), rate.element, status, picture, numbers],
      ...[row(heat.element, write), sample],
    );

    let [losses, guesses, learned, pace] = [[], [], null, 0];
    let made = 0; // models so far
    let least = 1; // characters that a text needs, as far as is known before Python is here
    let state = "new"; // busy, running, paused, stopped
    let [isStepping, isDrawing, said] = [false, false, 0];

    const length = () => [...text.value].length; // as Python counts
    const say = (words) => (status.textContent = words);
    const now = () => mean(losses.slice(-10)).toFixed(2);
    function show(next = state) {
      state = next;
      const isShort = length() < least;
      const isOther = learned !== null && text.value !== learned;
      const different = new Set(text.value).size;
      let words = `${length()} characters, ${different} different.`;
      if (isShort) words += ` The model needs ${least} at least.`;
      else if (isOther) words += " Start over to learn this text.";
      count.textContent = words;
      text.setAttribute("aria-invalid", isShort);
      go.textContent = { new: first, running: "Pause", paused: "Go on" }[state] ?? go.textContent;
      go.disabled = state === "busy" || state === "stopped" || (state === "new" && isShort);
      anew.disabled = state === "new" || state === "busy" || isShort;
      write.disabled = learned === null || state === "busy";
    }
    function later() {
      if (isDrawing) return;
      isDrawing = true;
      requestAnimationFrame(() => {
        isDrawing = false;
        update(losses, guesses);
        numbers.textContent = losses.length
          ? `Step ${losses.length} · loss ${now()} · ${pace.toFixed(0)} ms a step`
          : "";
      });
    }
    function describe() {
      const change = () => `${losses[0].toFixed(2)} to ${now()} in ${losses.length} steps`;
      set(picture, { "aria-label": `Loss: ${losses.length ? change() : "no step yet"}.` });
    }
    function stop(words) {
      show("stopped");
      say(`${words} Start over.`);
      describe();
    }
    const refuse = (words) => {
      show("new");
      say(`This did not start: ${words}`);
    };
    const sentence = ({ message }) => message.replace(/\.?$/, ".");

    async function begin() {
      const mine = (made += 1);
      const chosen = text.value;
      show("busy");
      try {
        const got = await ask("start", chosen);
        least = got.least;
        if (got.error) return refuse(got.error);
        [losses, guesses] = [[], [got.evenly, got.by_frequency]];
        [learned, said] = [chosen, 0];
        sample.textContent = "";
        say("Training.");
        show("running");
        train(mine);
      } catch (error) {
        refuse(`${sentence(error)} ${ELSEWHERE}`);
      }
    }
    async function train(mine = made) {
      if (isStepping) return;
      isStepping = true;
      try {
        while (state === "running" && mine === made) {
          const before = performance.now();
          const got = await ask("steps", SLICE, RATES[rate.input.value]);
          if (mine !== made) break;
          const taken = performance.now() - before;
          losses.push(...got.losses);
          const each = taken / got.losses.length;
          if (got.losses.length) pace += (each - pace) * (pace ? 0.1 : 1);
          later();
          if (got.stopped) stop(`Training stopped: ${got.stopped}`);
          else if (losses.length - said >= 100) report();
        }
      } catch (error) {
        if (mine === made) stop(`Training stopped: ${sentence(error)}`);
      }
      isStepping = false;
      if (state !== "paused") return;
      say(`Paused at step ${losses.length}.`);
      describe();
    }
    function report() {
      said = losses.length - (losses.length % 100);
      let words = `Step ${losses.length}: loss ${now()}.`;
      if (now() > guesses[0]) words += " That is worse than guessing: the rate is too high.";
      say(words);
      describe();
    }
    go.addEventListener("click", () => {
      if (state === "new") return begin();
      if (state === "running") return show("paused");
      show("running");
      say("Training.");
      train();
    });
    anew.addEventListener("click", begin);
    write.addEventListener("click", async () => {
      try {
        const { written, error } = await ask("sample", 120, Number(heat.input.value));
        if (error) say(`Nothing was written: ${error}`);
        else sample.textContent = written;
      } catch (error) {
        say(`Nothing was written: ${sentence(error)}`);
      }
    });
    text.addEventListener("input", () => show());
    document.addEventListener("visibilitychange", () => {
      if (document.hidden && state === "running") show("paused");
    });
    document.addEventListener("attention-python", ({ detail: { stage, words } }) => {
      if (stage === "ready") first = "Start";
      if (state === "new") show();
      if (state === "busy" && words) say(words);
    });
    new ResizeObserver(later).observe(picture);
    show();
    describe();
  }

  const place = document.querySelector(".train-here");
  if (isPossible) panel(place);
  else place.append(`This browser cannot run Python in the page. ${ELSEWHERE}`);
})();
