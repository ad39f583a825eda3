// Widgets alive without a kernel: every place in the page holds a widget's state as JSON; scripts
// define the modules that draw it; this host brings the two together.
window.AttentionBook = (() => {
  "use strict";

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
  const places = [...document.querySelectorAll(".attn-live")].map((element) =>
    placed(element, JSON.parse(element.querySelector("script[type='application/json']").textContent)),
  );
  const linked = new Set();
  for (const { source, target, both } of places.flatMap((place) => place.links)) {
    const name = JSON.stringify([source, target]);
    if (linked.has(name)) continue;
    linked.add(name);
    follow(models, source, target);
    if (both) follow(models, target, source);
  }

  function mount({ element, model, script }) {
    const stage = document.createElement("div");
    stage.className = "attn-stage";
    try {
      load(`${script}/${script}.js`).render({ model: models.get(model), el: stage });
      element.replaceChildren(stage);
      element.dataset.alive = "";
    } catch (error) {
      const line = document.createElement("p");
      line.className = "attn-broken";
      line.setAttribute("role", "alert");
      line.textContent = `This picture could not be brought to life (${error.message}).`;
      element.append(line);
      console.error(error);
    }
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
    for (const place of places) if (place.script === script) mount(place);
  };

  // A widget that comes later than the page.
  const add = (element, stored) => mount(placed(element, stored));

  return { add, define, load, models, show };
})();
