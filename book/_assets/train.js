// A model of characters that is trained in the page. Python takes the steps, a few at a time; here
// they are asked for and drawn. The model is the book's (`in_page/training.py`), or, where the place
// says data-built, the one that a reader has built in the cells above (`in_page/building.py`).
(() => {
  "use strict";
  const { isPossible, megabytes } = window.AttentionPython;
  const { button, slider } = AttentionBook.load("shared/controls.js");
  const { indices, mean } = AttentionBook.load("shared/core.js");
  const { onFrame } = AttentionBook.load("shared/frame.js");
  const { onWidth } = AttentionBook.load("shared/movable.js");
  const { h, set, svg, tick, visible, write } = AttentionBook.load("shared/parts.js");
  const { nameTag, path, plot } = AttentionBook.load("shared/plot.js");
  const example = document.currentScript.dataset.text;
  const place = document.querySelector(".train-here");
  const isBuilt = "built" in place.dataset;
  const SLICE = 50; // milliseconds of steps at a time
  const LARGEST = 2e7; // bytes of a file that is read
  const POINTS = 300; // of the curve
  const KEPT = ["build_numpy.text", 200_000]; // a text of one's own: its name, and how long it may be
  const ELSEWHERE = "In the notebook the cell above trains the model.";
  const decade = (power) => [1, 2, 3, 5].map((factor) => Number(`${factor}e${power}`));
  const RATES = [...[-4, -3, -2, -1].flatMap(decade), 1];

  // 1, 2 or 5 times a power of ten, and not below.
  const round = (value) => {
    const power = 10 ** Math.floor(Math.log10(value));
    return power * [1, 2, 5, 10].find((factor) => factor * power >= value * (1 - 1e-9));
  };
  const ask = (name, ...given) =>
    AttentionPython.call(`${isBuilt ? "building" : "training"}.${name}`, given);
  const cells = () => (isBuilt ? [AttentionCells.before(place)] : []);
  const sentence = ({ message }) => message.replace(/\.?$/, ".");

  // The losses as a curve, beside those of guessing.
  function chart() {
    const axes = plot("", { height: 250, edges: [26, 16, 40, 34], x: [0, 1], role: "img" });
    const { root, toX, toY } = axes;
    const fifths = indices(6).map((k) => k / 5);
    const showLevels = axes.levels(fifths.length);
    const steps = axes.ticks(fifths, () => "");
    const curve = svg("path", { class: "curve" });
    axes.title("step");
    root.append(tick(0, 12, "start", "loss, nats per character"), curve);
    const marks = [0, 1].map(() => axes.rule(0, "mark"));
    const names = marks.map(() => nameTag("", "end"));
    root.append(...names);

    function update(losses, guesses) {
      const size = Math.ceil(losses.length / POINTS) || 1;
      const points = indices(Math.ceil(losses.length / size)).map((k) => {
        const some = losses.slice(k * size, (k + 1) * size);
        return [k * size + (some.length + 1) / 2, mean(some)];
      });
      const last = round(Math.max(100, losses.length));
      // What is higher than 10 leaves the picture.
      const highest = round(Math.min(10, Math.max(4, ...guesses, ...points.map(([, loss]) => loss))));
      axes.y = [0, highest];
      showLevels(fifths.map((k) => [k * highest, String(Number((k * highest).toPrecision(3)))]));
      steps.forEach((text, k) => write(text, String(last * fifths[k])));
      const at = points.map(([step, loss]) => [toX(step / last), toY(Math.min(loss, 1.05 * highest))]);
      set(curve, { d: at.length ? path(at) : "" });
      visible(guesses.length, ...marks, ...names);
      guesses.forEach((loss, k) => {
        set(marks[k], { y1: toY(loss), y2: toY(loss) });
        set(names[k], { x: axes.right(), y: toY(loss) + (k ? 14 : -5) });
        write(names[k], `${k ? "by frequency" : "guessing evenly"} ${loss.toFixed(2)}`);
      });
    }
    return { root, update, resize: axes.resize };
  }

  // A model as Python trains it. `tell` hears that its state has changed, and what is to be said of
  // it; `progress`, that it has taken some steps.
  function training(rate, tell, progress, sampled) {
    const run = { state: "new", losses: [], guesses: [], learned: null, pace: 0 };
    let kept = null; // of a model that a reader has built: its file, a while ago
    run.least = 1; // characters that a text needs, as far as is known before Python is here
    let made = 0; // models so far
    let [isStepping, isLost, said] = [false, false, 0];
    const become = (state, words) => {
      run.state = state;
      tell(words);
    };
    const stop = (words) => become("stopped", `Training stopped: ${words} Start over.`);
    const refuse = (words) => become("new", `This did not start: ${words}`);
    run.now = () => mean(run.losses.slice(-10)).toFixed(2);

    // Whether it began; with a file, where that one ended.
    run.begin = async (text, file) => {
      const mine = (made += 1);
      const before = run.state;
      become("busy");
      try {
        const answer = await (file ? ask("restore", ...cells(), text, file) : ask("start", ...cells(), text));
        const { least, error, evenly, by_frequency, losses = [], printed = "", numbers } = answer;
        run.least = least ?? run.least;
        if (error && file) return become(before === "running" ? "paused" : before, `The file was not read: ${error}`);
        if (error) return refuse(error);
        Object.assign(run, { losses, guesses: [evenly, by_frequency], learned: text });
        said = losses.length;
        kept = file ?? null;
        const size = numbers ? ` ${numbers} numbers are learned.` : "";
        const read = `Read, at step ${losses.length}. Go on, or write a sample.`;
        const notes = [...(isBuilt ? parts(printed) : []), file ? read : `Training.${size}`];
        become(file ? "paused" : "running", notes.join(" "));
        if (!file) train(mine);
        return true;
      } catch (error) {
        return refuse(`${sentence(error)} ${ELSEWHERE}`);
      }
    };
    // What Python, started anew, has lost is there again from what was kept.
    async function back() {
      const { error, losses } = await ask("restore", ...cells(), run.learned, kept);
      if (error) return error;
      run.losses = losses;
      tell(`Python was started anew. The model goes on from step ${losses.length}.`);
      return null;
    }
    // The model as a file; an Error says why not.
    run.file = async () => {
      const { data, error } = await ask("save");
      if (error) throw new Error(error);
      return (kept = data);
    };
    run.pause = () => {
      become("paused");
      if (isBuilt) run.file().catch(() => {}); // it is needed only where Python ends
    };
    run.goOn = () => {
      become("running", "Training.");
      train();
    };
    async function train(mine = made) {
      if (isStepping) return;
      isStepping = true;
      try {
        while (run.state === "running" && mine === made) await slice(mine);
      } catch (error) {
        if (mine === made) stop(sentence(error));
      }
      isStepping = false;
      if (run.state === "paused") tell(`Paused at step ${run.losses.length}.`);
    }
    async function slice(mine) {
      const before = performance.now();
      const { losses, stopped, gone } = await ask("steps", SLICE, rate()).catch((error) => {
        if (!kept || isLost) throw error;
        return { losses: [], gone: true };
      });
      if (mine !== made) return;
      isLost = !losses.length; // once more is tried, and not for ever
      if (gone && kept) {
        const error = await back();
        if (error) stop(error);
        return;
      }
      const each = (performance.now() - before) / losses.length;
      run.losses.push(...losses);
      if (losses.length) run.pace += (each - run.pace) * (run.pace ? 0.1 : 1);
      progress();
      if (stopped) stop(stopped);
      else if (run.losses.length - said >= 100) {
        report();
        if (isBuilt && run.losses.length % 200 < 100) await run.file().catch(() => {});
        await sampled?.();
      }
    }
    function report() {
      said = run.losses.length - (run.losses.length % 100);
      const isBad = run.now() > run.guesses[0];
      const why = isBad ? " That is worse than guessing: the rate is too high." : "";
      tell(`Step ${run.losses.length}: loss ${run.now()}.${why}`);
    }
    return run;
  }

  // Whose parts the model is made of, as `use` printed it, and what else was printed.
  function parts(printed) {
    const note = /^(\w+): the book's.*$/gm;
    const books = [...printed.matchAll(note)].map(([, name]) => name);
    const rest = printed.replace(note, "").trim().replaceAll(/\s+/g, " ");
    const whose = books.length ? `From the book: ${books.join(", ")}.` : "All its parts are yours.";
    return rest ? [rest, whose] : [whose];
  }

  // A slider that knows its value.
  function setting(options) {
    const { element, update } = slider({ ...options, onInput: (next) => update((made.value = next)) });
    const made = { element, value: options.value };
    return made;
  }

  // What is said of the text.
  function counted(text, { least, learned }) {
    const words = `${[...text].length} characters, ${new Set(text).size} different.`;
    if ([...text].length < least) return `${words} The model needs ${least} at least.`;
    return words + (learned !== null && text !== learned ? " Start over to learn this text." : "");
  }

  // A text of one's own stays in this browser; the book's is there without that.
  function keep(text) {
    const [name, longest] = KEPT;
    if (text.length > longest) return;
    if (text.trim() && text !== example) AttentionProgress.write(name, text);
    else AttentionProgress.erase(name);
  }

  const row = (...children) => h("div", { class: "buttons" }, ...children.filter(Boolean));

  // What the model writes at a temperature.
  function writer(say) {
    const heats = { range: [0, 2, 0.1], value: isBuilt ? 0.3 : 0.5, format: (value) => value.toFixed(1) };
    const heat = setting({ label: "Temperature", ...heats });
    const most = setting({ label: "Likeliest only", range: [1, 40, 1], value: 5, format: String });
    const live = { role: "region", "aria-label": "Sample", "aria-live": "polite" };
    const sample = h("pre", { ...live, dir: "auto" });
    const compose = button("Write a sample", async () => {
      try {
        const given = [120, heat.value, ...(isBuilt ? [most.value] : [])];
        const { written, error } = await ask("sample", ...given);
        if (error) say(`Nothing was written: ${error}`);
        else write(sample, written);
      } catch (error) {
        say(`Nothing was written: ${sentence(error)}`);
      }
    });
    return { heat, most, compose, sample };
  }

  // A button that asks for a file and hands it on.
  function chooser(words, accept, take) {
    const input = h("input", { type: "file", accept, hidden: "", "aria-label": words });
    input.addEventListener("change", () => {
      const [file] = input.files;
      input.value = "";
      if (file) take(file);
    });
    return [button(words, () => input.click()), input];
  }

  // What comes with a model of one's own: a text from a file, and the model as a file.
  function files(run, text, say) {
    const open = (file, take) => {
      if (file.size > LARGEST) return say(`${file.name} is larger than 20 MB: it was not read.`);
      take(file).catch((error) => say(`${file.name} was not read: ${sentence(error)}`));
    };
    const fromText = chooser("Choose a text file", "text/*,.txt,.md", (file) =>
      open(file, async () => {
        const bytes = await file.arrayBuffer();
        let words = "";
        try {
          words = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
        } catch {
          throw new Error("it is no text in UTF-8");
        }
        text.value = words.replaceAll("\r\n", "\n");
        text.dispatchEvent(new Event("input"));
        say(`${file.name} is in the field. It stays in this page.`);
      }),
    );
    const saving = button("Save the model", async () => {
      try {
        const bytes = Uint8Array.from(atob(await run.file()), (c) => c.charCodeAt(0));
        const address = URL.createObjectURL(new Blob([bytes]));
        h("a", { href: address, download: "model.npz" }).click();
        setTimeout(() => URL.revokeObjectURL(address), 10_000);
        say(`Saved as model.npz, at step ${run.losses.length}.`);
      } catch (error) {
        say(`The model was not saved: ${sentence(error)}`);
      }
    });
    const reading = chooser("Read a model", ".npz", (file) =>
      open(file, async () => {
        let bytes = "";
        for (const byte of new Uint8Array(await file.arrayBuffer())) bytes += String.fromCharCode(byte);
        await run.begin(text.value, btoa(bytes));
      }),
    );
    return { fromText, saving, reading };
  }

  function panel(place) {
    const count = h("p", { id: "train-count", class: "quiet" });
    const described = { "aria-describedby": count.id, spellcheck: "false", dir: "auto" };
    const own = isBuilt ? AttentionProgress.written(KEPT[0]) : null;
    const typed = () => {
      show();
      if (isBuilt) keep(text.value);
    };
    const text = h("textarea", { id: "train-text", rows: 8, ...described, oninput: typed }, own ?? example);
    const range = [0, RATES.length - 1, 1];
    const start = RATES.indexOf(isBuilt ? 0.01 : 0.003);
    const rate = setting({ label: "Learning rate", range, value: start, format: (k) => String(RATES[k]) });
    let first = `Start (${megabytes} MB)`;
    const begin = async () => (await run.begin(text.value)) && write(sample, "");
    const act = { new: begin, running: () => run.pause(), paused: () => run.goOn() };
    const go = button(first, () => act[run.state]());
    const anew = button("Start over", begin);
    const status = h("p", { role: "status" });
    const numbers = h("p", { class: "quiet" });
    const picture = chart();
    const say = (words) => write(status, words);
    const { heat, most, compose, sample } = writer(say);
    const run = training(() => RATES[rate.value], show, () => later(), isBuilt ? () => compose.click() : null);
    const { fromText, saving, reading } = files(run, text, say);
    set(place, { role: "group", "aria-label": "Train a model" });
    place.append(
      h("label", { for: text.id }, "Text to learn"),
      ...[text, count, row(go, anew, ...(isBuilt ? fromText : [])), rate.element, status],
      ...[picture.root, numbers, row(heat.element, isBuilt && most.element, compose), sample],
      ...(isBuilt ? [row(saving, ...reading)] : []),
    );

    const later = onFrame(() => {
      const { losses, guesses, pace } = run;
      picture.update(losses, guesses);
      const words = () => `Step ${losses.length} · loss ${run.now()} · ${pace.toFixed(0)} ms a step`;
      write(numbers, losses.length ? words() : "");
    });
    function show(words) {
      const { state, losses, learned, least } = run;
      const isShort = [...text.value].length < least;
      write(count, counted(text.value, run));
      set(text, { "aria-invalid": String(isShort) });
      write(go, { new: first, running: "Pause", paused: "Go on" }[state] ?? go.textContent);
      go.disabled = state === "busy" || state === "stopped" || (state === "new" && isShort);
      anew.disabled = state === "new" || state === "busy" || isShort;
      compose.disabled = saving.disabled = learned === null || state === "busy";
      if (words) say(words);
      const change = () => `${losses[0].toFixed(2)} to ${run.now()} in ${losses.length} steps`;
      set(picture.root, { "aria-label": `Loss: ${losses.length ? change() : "no step yet"}.` });
    }
    document.addEventListener("visibilitychange", () => {
      if (document.hidden && run.state === "running") run.pause();
    });
    addEventListener("beforeunload", (event) => {
      if (isBuilt && run.state === "running") event.preventDefault();
    });
    document.addEventListener("attention-python", ({ detail: { stage, words } }) => {
      if (stage === "ready") first = "Start";
      if (run.state === "new") show();
      if (run.state === "busy" && words) say(words);
    });
    onWidth(picture.root, (pixels) => {
      picture.resize(pixels);
      later();
    });
    show();
  }

  if (isPossible) panel(place);
  else place.append(`This browser cannot run Python in the page. ${ELSEWHERE}`);
})();
