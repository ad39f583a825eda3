// Widgets alive without a kernel: every place in the page holds a widget's state as JSON; scripts
// define the modules that draw it; this host brings the two together.
window.AttentionBook = (() => {
  "use strict";
  const here = document.currentScript.src.replace(/[^/]*$/, "");

  // What a widget knows of the world: anywidget's model, with nobody behind it.
  function createModel(state) {
    const values = structuredClone(state);
    const listeners = new Map();
    const of = (event) => {
      if (!listeners.has(event)) listeners.set(event, new Set());
      return listeners.get(event);
    };
    return {
      get: (name) => values[name],
      set(name, value) {
        if (JSON.stringify(values[name]) === JSON.stringify(value)) return;
        values[name] = value;
        for (const listener of [...of(`change:${name}`), ...of("change")]) listener();
      },
      save_changes() {},
      send() {},
      on: (event, listener) => of(event).add(listener),
      off: (event, listener) => (listener ? of(event).delete(listener) : of(event).clear()),
    };
  }

  function follow(models, [from, fromName], [to, toName]) {
    const [source, target] = [models.get(from), models.get(to)];
    if (source && target)
      source.on(`change:${fromName}`, () => target.set(toName, source.get(fromName)));
  }

  const models = new Map();
  const placed = (element, stored) => {
    if (!models.has(stored.model)) models.set(stored.model, createModel(stored.state));
    return { element, ...stored };
  };

  // The page's places, as far as it has been read: the first widget lives before the rest is there.
  const places = new Map();
  function findPlaces() {
    for (const element of document.querySelectorAll(".attn-live")) {
      if (places.has(element)) continue;
      const stored = element.querySelector("script[type='application/json']").textContent;
      places.set(element, placed(element, JSON.parse(stored)));
    }
    return [...places.values()];
  }

  const linked = new Set();
  function linkModels() {
    for (const { source, target, both } of findPlaces().flatMap((place) => place.links)) {
      const name = JSON.stringify([source, target]);
      if (linked.has(name)) continue;
      linked.add(name);
      follow(models, source, target);
      if (both) follow(models, target, source);
    }
  }

  // Now, or when the whole page has been read.
  const whenRead = (act) =>
    document.readyState === "loading" ? addEventListener("DOMContentLoaded", act) : act();
  whenRead(linkModels);

  const tried = new Set();
  function mount({ element, model, script }) {
    tried.add(element);
    const stage = document.createElement("div");
    stage.className = "attn-stage";
    try {
      load(`${script}/${script}.js`).render({ model: models.get(model), el: stage });
      element.replaceChildren(stage);
      element.dataset.alive = "";
      whenRead(() => wake(element));
    } catch (error) {
      const line = document.createElement("p");
      line.className = "attn-broken";
      line.setAttribute("role", "alert");
      line.textContent = `This picture could not be brought to life (${error.message}).`;
      element.append(line);
      console.error(error);
    }
  }

  // Phrases of the text that put a widget into a state, and numbers in it that follow the widget:
  // spans that name it by the figure that it stands in. Until it is alive they are plain words.
  function wake(place) {
    const figure = place.closest("figure")?.id;
    const all = figure ? document.querySelectorAll(`[data-widget="${figure}"]`) : [];
    const numbers = [...all].filter((words) => words.dataset.show);
    for (const words of all) if (words.dataset.set) control(words, place);
    place.addEventListener("attention-numbers", ({ detail }) => {
      for (const number of numbers) {
        const [name, index = 0] = number.dataset.show.split(".");
        const text = detail[name][index];
        if (number.textContent !== text) number.textContent = text;
      }
    });
  }

  // A browser gives a <button> a box of its own; this one is broken into lines like its sentence.
  function control(words, place) {
    words.setAttribute("role", "button");
    words.tabIndex = 0;
    words.addEventListener("click", () => {
      const detail = JSON.parse(words.dataset.set);
      place.querySelector(".attn-presets").dispatchEvent(new CustomEvent("attention-set", { detail }));
      bringIntoView(place);
    });
    words.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      words.click();
    });
  }

  // Whoever changes a picture from the text wants to see it change. The page moves only where less
  // than half of the widget, or of the window, shows it; where the focus is does not change.
  function bringIntoView(place) {
    const { top, bottom, height } = place.getBoundingClientRect();
    const seen = Math.min(bottom, innerHeight) - Math.max(top, 0);
    const block = height > innerHeight ? "start" : "nearest";
    if (seen < Math.min(height, innerHeight) / 2) place.scrollIntoView({ block });
  }

  // The widgets' modules, each made once, when something first needs it.
  const modules = new Map();
  const define = (name, needs, make) => modules.set(name, { needs, make });
  const load = (name) => {
    const module = modules.get(name);
    if (!module) throw new Error(`${name} is missing or has a fault in its syntax`);
    module.exports ??= module.make(...module.needs.map(load));
    return module.exports;
  };
  const show = (script) => {
    const mountAll = () => {
      for (const place of findPlaces())
        if (place.script === script && !tried.has(place.element)) mount(place);
    };
    mountAll();
    whenRead(mountAll);
  };

  // A module that is too large to come with the page: it comes when it is first asked for.
  const coming = new Map();
  const later = (name) => {
    const come = (done, fail) => {
      if (modules.has(name)) return done();
      const onerror = () => {
        coming.delete(name);
        fail(new Error(`${name} cannot be read.`));
      };
      const src = `${here}widgets/${name.replace("/", "-")}.js`;
      document.head.append(Object.assign(document.createElement("script"), { src, onload: done, onerror }));
    };
    if (!coming.has(name)) coming.set(name, new Promise(come).then(() => load(name)));
    return coming.get(name);
  };

  // A page gets the styles of the widgets that it shows: each comes with its script.
  const style = (text) => {
    const sheet = document.createElement("style");
    sheet.textContent = text;
    document.head.append(sheet);
  };

  // A widget that comes later than the page.
  const add = (element, stored) => mount(placed(element, stored));

  return { add, define, later, load, models, show, style };
})();
