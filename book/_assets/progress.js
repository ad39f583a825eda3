// What a reader answered, wrote and solved. It is kept in this browser, and nowhere else.
window.AttentionProgress = (() => {
  "use strict";
  const KEY = "attention-answers";
  const DAY = 24 * 60 * 60 * 1000;
  // How many days a kind of practice rests after so many right answers, each when it was due. What
  // was wrong comes back after two minutes.
  const PAUSES = [2 / (24 * 60), 1, 2, 4, 8, 16];

  // `was`: how the last answer came out, and its texts where a question shows them again.
  const isLast = ({ right, given = [] }) =>
    typeof right === "boolean" && Array.isArray(given) && given.every((x) => typeof x === "string");
  const isAnswer = (x) =>
    ["right", "wrong", "level", "last"].every((part) => Number.isFinite(x?.[part])) &&
    x.level in PAUSES &&
    (x.was === undefined || isLast(Object(x.was)));
  const isText = (x) => typeof x?.text === "string" && Number.isFinite(x.time);
  // What is kept, by name: when a page was opened or an exercise solved, in milliseconds; what was
  // written for an exercise, and what stood there before a newer text was read from a file.
  const PARTS = {
    opened: Number.isFinite,
    answers: isAnswer,
    code: isText,
    replaced: isText,
    solved: Number.isFinite,
  };
  const inParts = (make) =>
    Object.fromEntries(Object.keys(PARTS).map((part) => [part, make(part)]));
  const clean = (found) =>
    inParts((part) => {
      const entries = Object.entries(found?.[part] ?? {});
      return Object.fromEntries(entries.filter(([, value]) => PARTS[part](value)));
    });

  // What is stored is parsed when it has changed, perhaps in another tab. Where storage is closed
  // or full, what this page knows lasts as long as the page.
  let kept = clean(null);
  let parsed = null;
  const load = () => {
    try {
      const text = localStorage.getItem(KEY);
      if (text !== parsed) {
        parsed = text;
        kept = clean(JSON.parse(text));
      }
    } catch {
      // Closed or damaged: what this page knows stays.
    }
    return kept;
  };
  const tell = () => document.dispatchEvent(new Event("attention-progress"));
  // Whether it lasts longer than the page.
  const save = () => {
    let stored = true;
    try {
      const text = JSON.stringify(kept);
      localStorage.setItem(KEY, text);
      parsed = text;
    } catch {
      stored = false;
    }
    tell();
    return stored;
  };
  addEventListener("storage", ({ key }) => {
    if (key === KEY || key === null) tell();
  });

  const due = ({ level, last }) => last + PAUSES[level] * DAY;

  // A right answer at the first try, when the kind is due or was wrong last time, doubles its
  // pause; a wrong one ends it.
  function record(name, right, first, now = Date.now(), given = undefined) {
    const { answers } = load();
    const old = answers[name] ?? { right: 0, wrong: 0, level: 0, last: 0 };
    const rises = right && first && (old.level === 0 || now >= due(old));
    const level = right ? Math.min(old.level + (rises ? 1 : 0), PAUSES.length - 1) : 0;
    answers[name] = {
      right: old.right + (right ? 1 : 0),
      wrong: old.wrong + (right ? 0 : 1),
      level,
      last: right && !rises && first ? old.last : now,
      was: { right, given },
    };
    save();
  }

  function open(page, now = Date.now()) {
    load().opened[page] = now;
    save();
  }

  function forget() {
    kept = clean(null);
    try {
      localStorage.removeItem(KEY);
    } catch {
      // What this page knew is gone all the same.
    }
    tell();
  }

  const written = (name) => load().code[name]?.text ?? null;

  function write(name, text, now = Date.now()) {
    if (written(name) === text) return;
    kept.code[name] = { text, time: now };
    save();
  }

  function erase(name) {
    if (written(name) === null) return;
    delete kept.code[name];
    save();
  }

  const isSolved = (name) => name in load().solved;

  function solve(name, now = Date.now()) {
    if (isSolved(name)) return;
    kept.solved[name] = now;
    save();
  }

  // Of all that a page asks, how much was answered right, and of its exercises how many are solved:
  // each with the number of all.
  function done({ questions, practice, exercises }) {
    const { answers, solved } = load();
    const asked = [...questions, ...Object.keys(practice)];
    return {
      asked: [asked.filter((name) => answers[name]?.right).length, asked.length],
      exercises: [exercises.filter((name) => name in solved).length, exercises.length],
    };
  }

  const FILE = { program: "attention-progress", version: 1 };

  const toFile = () =>
    JSON.stringify({ ...FILE, saved: new Date().toISOString(), ...load() }, null, 2);

  // How an entry that is here and in a file becomes one.
  const join = {
    opened: (here) => here,
    answers: (here, there) => ({
      ...(there.last > here.last ? there : here),
      right: Math.max(here.right, there.right),
      wrong: Math.max(here.wrong, there.wrong),
    }),
    code: (here, there) => (there.time > here.time && there.text !== here.text ? there : here),
    replaced: (here) => here,
    solved: (here) => here,
  };

  // Adds what a file holds to what is here. Returns how many entries of each part came, how many
  // texts `stayed` because they are newer here, how many gave `way` to a newer one (the older of two
  // is kept as replaced), how many entries were `damaged`, and whether all of it is `stored`.
  function fromFile(text) {
    let found;
    try {
      found = JSON.parse(text);
    } catch {
      throw new Error("This is no file of this book: it is not JSON.");
    }
    if (found?.program !== FILE.program)
      throw new Error("This is no file of this book: another program wrote it.");
    if (found.version !== FILE.version)
      throw new Error("This file has a version that this page does not know.");
    const here = load();
    const there = clean(found);
    const differ = Object.keys(there.code).filter(
      (name) => Object.hasOwn(here.code, name) && here.code[name].text !== there.code[name].text,
    );
    const way = differ.filter((name) => there.code[name].time > here.code[name].time);
    for (const name of differ) {
      const older = (way.includes(name) ? here : there).code[name];
      here.replaced[`${name} @${older.time}`] = older;
    }
    const size = (part) => Object.keys(part ?? {}).length;
    const came = {};
    kept = inParts((part) => {
      const joined = new Map(Object.entries(here[part]));
      came[part] = 0;
      for (const [name, value] of Object.entries(there[part])) {
        const old = joined.get(name);
        joined.set(name, old === undefined ? value : join[part](old, value));
        if (JSON.stringify(joined.get(name)) !== JSON.stringify(old)) came[part] += 1;
      }
      return Object.fromEntries(joined);
    });
    return {
      ...came,
      stayed: differ.length - way.length,
      way: way.length,
      damaged: Object.keys(PARTS).reduce((n, part) => n + size(found[part]) - size(there[part]), 0),
      stored: save(),
    };
  }

  // How long a kind has waited, in its own pauses: 1 is due. One that was never tried is due.
  function waited(name, now = Date.now()) {
    const answer = load().answers[name];
    return answer ? (now - answer.last) / (PAUSES[answer.level] * DAY) : 1;
  }

  // The name that has waited longest, but not the last one if there is another.
  function next(names, last, now = Date.now()) {
    const others = names.filter((name) => name !== last);
    const candidates = others.length ? others : names;
    const time = (name) => waited(name, now);
    return candidates.reduce((best, name) => (time(name) > time(best) ? name : best));
  }

  document.addEventListener("attention-answer", ({ detail: { name, right, first, given } }) => {
    if (name) record(name, right, first, Date.now(), given);
  });
  // A question that was answered shows it again, once its widget is there.
  addEventListener("DOMContentLoaded", () => {
    for (const place of document.querySelectorAll(".attn-live[data-alive]")) {
      const name = AttentionBook.models.get(place.dataset.model).get("name");
      const { was } = load().answers[name] ?? {};
      const detail = { detail: was };
      if (was?.given)
        place.firstElementChild.dispatchEvent(new CustomEvent("attention-answered", detail));
    }
  });

  const [, chapter] = location.pathname.match(/([^/]+\.html)$/) ?? [];
  if (chapter && /^\d/.test(chapter)) open(chapter);

  // On the cover: beside each lesson and each deeper page, how much of it is done.
  for (const entry of window.AttentionAsked ?? []) {
    const { page } = entry;
    const parts = Object.values(done(entry));
    const [count, of] = [0, 1].map((i) => parts.reduce((sum, part) => sum + part[i], 0));
    const place = document.querySelector(`main td a[href$="/${page}"], main td a[href="${page}"]`);
    if (!count || !place) continue;
    const note = { className: "progress", textContent: `${count} of ${of} done` };
    place.parentElement.append(" ", Object.assign(document.createElement("span"), note));
  }

  return {
    done,
    due,
    erase,
    forget,
    fromFile,
    isSolved,
    load,
    next,
    open,
    record,
    solve,
    toFile,
    waited,
    write,
    written,
  };
})();
