// Practice of the chapters that this reader has opened, the kind that has waited longest first.
window.AttentionReview = (() => {
  "use strict";
  const { due, forget, load, next, waited } = window.AttentionProgress;
  const kinds = window.AttentionAsked.flatMap(({ title, page, practice }) =>
    Object.entries(practice).map(([name, label]) => ({ name, label, title, page })),
  );
  const place = document.getElementById("practice-review");
  const make = (tag, text = "", attributes = {}) => {
    const element = document.createElement(tag);
    element.textContent = text;
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const date = (time) =>
    new Date(time).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });

  const why = make("p", "", { role: "status" });
  const stage = make("div");
  const more = make("button", "Next", { type: "button" });
  const table = make("table");
  const erase = make("button", "Delete all of this", { type: "button" });
  const buttons = make("p", "", { class: "buttons" });
  buttons.append(more);
  const kept = make("section", "", { "aria-label": "What this browser keeps" });
  const forgetting = make("p", "", { class: "buttons" });
  forgetting.append(erase);
  kept.append(make("h2", "What this browser keeps"), table, forgetting);
  place.replaceChildren(why, stage, buttons, kept);

  let last = null;
  let shown = 0;

  function chosen() {
    const { opened } = load();
    const known = kinds.filter(({ page }) => page in opened);
    return known.length ? known : kinds;
  }

  // The problems of one kind are a script of their own, which is loaded when they are asked for.
  const arrived = new Map();
  const waiting = new Map();
  function add(stored) {
    waiting.get(stored.state.name)(stored);
  }
  function problems(name) {
    if (!arrived.has(name)) arrived.set(name, fetched(name));
    return arrived.get(name);
  }
  function fetched(name) {
    const root = document.documentElement.dataset.content_root;
    const script = make("script", "", { src: `${root}_static/practice/${name}.js` });
    return new Promise((resolve, reject) => {
      waiting.set(name, resolve);
      script.addEventListener("error", () => reject(new Error(`${name} cannot be loaded`)));
      document.head.append(script);
    });
  }

  function reason(name) {
    const answer = load().answers[name];
    if (!answer) return "not tried yet";
    if (!answer.level) return "wrong last time";
    if (waited(name) >= 1) return "due again";
    return `due on ${date(due(answer))}`;
  }

  async function show(focus) {
    const among = chosen();
    const name = next(
      among.map((kind) => kind.name),
      last,
    );
    const { title } = kinds.find((kind) => kind.name === name);
    const all = !kinds.some(({ page }) => page in load().opened);
    const early = waited(name) < 1 ? "Nothing is due; you can go on all the same. " : "";
    why.textContent = `${early}From chapter ${title}: ${reason(name)}.`;
    if (all) why.textContent += " This browser knows of no chapter that you opened, so all are in.";
    last = name;
    stage.ariaBusy = true;
    try {
      const stored = await problems(name);
      const at = Math.floor(Math.random() * 1000);
      const { script } = stored;
      const box = { class: "attn-live", "data-look": "boxed", "data-script": script };
      const inner = make("div", "", box);
      stage.replaceChildren(inner);
      shown += 1;
      const state = { ...stored.state, at };
      AttentionBook.add(inner, { ...stored, state, model: `${stored.model}-${shown}` });
      if (focus) stage.querySelector("input").focus();
    } catch (error) {
      stage.replaceChildren(make("p", `${error.message}.`, { role: "alert" }));
    }
    stage.ariaBusy = false;
  }

  function list() {
    const { answers } = load();
    const head = make("tr");
    for (const label of ["Practice", "Right", "Wrong", "Next"])
      head.append(make("th", label, { scope: "col" }));
    const rows = kinds.map(({ name, label, page }) => {
      const row = make("tr");
      const cell = make("td");
      cell.append(make("a", label, { href: page }));
      const { right = 0, wrong = 0 } = answers[name] ?? {};
      row.append(cell, ...[right, wrong, reason(name)].map((text) => make("td", text)));
      return row;
    });
    table.replaceChildren(head, ...rows);
    const empty = !Object.keys(answers).length && !Object.keys(load().opened).length;
    erase.disabled = empty;
  }

  let sure = false;
  erase.addEventListener("click", () => {
    if (sure) forget();
    erase.textContent = sure ? "Delete all of this" : "Press again to delete it all";
    sure = !sure;
    list();
  });
  more.addEventListener("click", () => show(true));
  document.addEventListener("attention-answer", list);
  list();
  show(false);
  return { add };
})();
