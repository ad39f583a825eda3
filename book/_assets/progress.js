// How questions and practice were answered. It is kept in this browser, and nowhere else.
window.AttentionProgress = (() => {
  "use strict";
  const KEY = "attention-answers";
  const DAY = 24 * 60 * 60 * 1000;
  // How many days a kind of practice rests after so many right answers, each when it was due. What
  // was wrong comes back after two minutes.
  const PAUSES = [2 / (24 * 60), 1, 2, 4, 8, 16];

  const isAnswer = (x) =>
    ["right", "wrong", "level", "last"].every((part) => Number.isFinite(x?.[part])) &&
    x.level in PAUSES;
  const keep = (object, isGood) =>
    Object.fromEntries(Object.entries(object ?? {}).filter(([, value]) => isGood(value)));
  const clean = (found) => ({
    opened: keep(found?.opened, Number.isFinite),
    answers: keep(found?.answers, isAnswer),
  });

  // Where storage is closed it lasts as long as the page.
  let kept = clean(null);
  const load = () => {
    try {
      kept = clean(JSON.parse(localStorage.getItem(KEY)));
    } catch {
      // Closed or damaged: what this page knows stays.
    }
    return kept;
  };
  const save = () => {
    try {
      localStorage.setItem(KEY, JSON.stringify(kept));
    } catch {
      // See above.
    }
  };

  const due = ({ level, last }) => last + PAUSES[level] * DAY;

  // A right answer at the first try, when the kind is due or was wrong last time, doubles its
  // pause; a wrong one ends it.
  function record(name, right, first, now = Date.now()) {
    const { answers } = load();
    const old = answers[name] ?? { right: 0, wrong: 0, level: 0, last: 0 };
    const rises = right && first && (old.level === 0 || now >= due(old));
    const level = right ? Math.min(old.level + (rises ? 1 : 0), PAUSES.length - 1) : 0;
    answers[name] = {
      right: old.right + (right ? 1 : 0),
      wrong: old.wrong + (right ? 0 : 1),
      level,
      last: right && !rises && first ? old.last : now,
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
      // See above.
    }
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

  document.addEventListener("attention-answer", ({ detail: { name, right, first } }) => {
    if (name) record(name, right, first);
  });

  const [, chapter] = location.pathname.match(/([^/]+\.html)$/) ?? [];
  if (chapter && /^\d/.test(chapter)) open(chapter);

  // On the cover: beside each lesson and each deeper page, how much of it was answered right.
  for (const { page, questions, practice } of window.AttentionAsked ?? []) {
    const names = [...questions, ...Object.keys(practice)];
    const right = names.filter((name) => load().answers[name]?.right);
    const place = document.querySelector(`main td a[href$="/${page}"], main td a[href="${page}"]`);
    if (!right.length || !place) continue;
    const note = document.createElement("span");
    note.className = "progress";
    note.textContent = `${right.length} of ${names.length} answered right`;
    place.parentElement.append(" ", note);
  }

  return { due, forget, load, next, open, record, waited };
})();
