// Practice of the chapters that this reader has opened, the kind that has waited longest first; and
// all that this browser keeps, which can be saved to a file and read back.
window.AttentionReview = (() => {
  "use strict";
  const { done, due, forget, fromFile, load, next, toFile, waited } = window.AttentionProgress;
  const kinds = window.AttentionAsked.flatMap(({ title, page, practice }) =>
    Object.entries(practice).map(([name, label]) => ({ name, label, title, page })),
  );
  const place = document.getElementById("practice-review");
  const { h } = AttentionBook.load("shared/parts.js");
  const DELETE = "Delete all of this";
  const MOST = 5_000_000; // bytes of a file, more than a browser keeps for a site
  const date = (time) =>
    new Date(time).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });

  const why = h("p", { role: "status" });
  const stage = h("div");
  const button = (text, onclick) => h("button", { type: "button", onclick }, text);
  const save = button("Save to a file", download);
  const file = h("input", { type: "file", accept: ".json,application/json", onchange: readChosen });
  const erase = button(DELETE, eraseAll);
  const said = h("p", { role: "status" });
  const [replaced, pages, table] = ["div", "table", "table"].map((tag) => h(tag));
  const KEEPS = "What this browser keeps";
  const choose = h("label", { class: "file" }, "Read a file", file);
  const keeping = h("p", { class: "buttons" }, save, " ", choose, " ", erase);
  place.replaceChildren(
    ...[why, stage, h("p", { class: "buttons" }, button("Next", () => show(true)))],
    h("section", { "aria-label": KEEPS }, h("h2", null, KEEPS), keeping, said, replaced, pages, table),
  );

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
    const src = `${root}_static/practice/${name}.js`;
    return new Promise((resolve, reject) => {
      waiting.set(name, resolve);
      const onerror = () => reject(new Error(`${name} cannot be loaded`));
      document.head.append(h("script", { src, onerror }));
    });
  }

  function reason(name) {
    const answer = load().answers[name];
    if (!answer) return "not tried yet";
    if (!answer.level) return answer.was?.right ? "right after a mistake" : "wrong last time";
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
      const inner = h("div", { class: "attn-live", "data-look": "boxed", "data-script": script });
      stage.replaceChildren(inner);
      shown += 1;
      const state = { ...stored.state, at };
      AttentionBook.add(inner, { ...stored, state, model: `${stored.model}-${shown}` });
      if (focus) stage.querySelector("input").focus();
    } catch (error) {
      stage.replaceChildren(h("p", { role: "alert" }, `${error.message}.`));
    }
    stage.ariaBusy = false;
  }

  const line = (cells) => h("tr", null, ...cells);
  const head = (...labels) => line(labels.map((label) => h("th", { scope: "col" }, label)));
  const cell = (inside) => h("td", null, inside);

  function list() {
    const { answers, ...rest } = load();
    const rows = kinds.map(({ name, label, page }) => {
      const { right = 0, wrong = 0 } = answers[name] ?? {};
      return line([h("a", { href: page }, label), right, wrong, reason(name)].map(cell));
    });
    table.replaceChildren(head("Practice", "Right", "Wrong", "Next"), ...rows);
    const share = ([n, of], href) => cell(of ? h("a", { href }, `${n} of ${of}`) : "none");
    const lines = window.AttentionAsked.map((entry) => {
      const { asked, exercises } = done(entry);
      return line([
        h("th", { scope: "row" }, entry.title),
        share(asked, `${entry.page}#questions`),
        share(exercises, `${entry.page}#exercises`),
      ]);
    });
    pages.replaceChildren(head("Page", "Answered right", "Exercises solved"), ...lines);
    const old = Object.entries(rest.replaced).map(([key, { text, time }]) => {
      const words = `${key.replace(/ @\d+$/, "")}, an older text, of ${date(time)}`;
      return h("details", null, h("summary", null, words), h("pre", { tabindex: 0 }, text));
    });
    replaced.replaceChildren(...old);
    const empty = [answers, ...Object.values(rest)].every((part) => !Object.keys(part).length);
    save.disabled = erase.disabled = empty;
  }

  function download() {
    const address = URL.createObjectURL(new Blob([toFile()], { type: "application/json" }));
    h("a", { href: address, download: "attention-progress.json" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  }

  // In words, what came from a file.
  function told({ answers, code, opened, solved, stayed, way, damaged, stored }) {
    const count = (n, one, many) => (n ? [`${n} ${n === 1 ? one : many}`] : []);
    const came = [
      ...count(opened, "opened page", "opened pages"),
      ...count(answers, "answer", "answers"),
      ...count(code, "text of an exercise", "texts of exercises"),
      ...count(solved, "solved exercise", "solved exercises"),
    ];
    const all = new Intl.ListFormat("en-GB").format(came);
    return [
      came.length ? `Read from the file: ${all}.` : "The file holds nothing new.",
      ...count(
        stayed,
        "text stayed, because it is newer here; the file's is kept below.",
        "texts stayed, because they are newer here; the file's are kept below.",
      ),
      ...count(way, "older text from here is kept below.", "older texts from here are kept below."),
      ...count(damaged, "damaged entry was left out.", "damaged entries were left out."),
      ...(stored ? [] : ["Storage is closed or full: this lasts as long as the page is open."]),
    ].join(" ");
  }

  async function readChosen() {
    const [chosen] = file.files;
    if (!chosen) return;
    try {
      if (chosen.size > MOST) throw new Error("This is no file of this book: it is too large.");
      said.textContent = told(fromFile(await chosen.text()));
    } catch (error) {
      said.textContent = `${error.message} Nothing has changed.`;
    }
    file.value = ""; // so that the same file can be read again
  }

  let sure = false;
  function eraseAll() {
    if (sure) forget();
    said.textContent = sure ? "All is deleted." : "";
    sure = !sure;
    erase.textContent = sure
      ? "Press again to delete it all, also what you wrote in exercises"
      : DELETE;
  }
  document.addEventListener("attention-progress", list);
  list();
  show(false);
  return { add };
})();
