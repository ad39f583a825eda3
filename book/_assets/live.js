// Widgets alive without a kernel: every place in the page holds a widget's state as JSON; the
// widget's script defines how to draw it; this host brings the two together.
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
  const places = [];
  for (const element of document.querySelectorAll(".attn-live")) {
    const stored = JSON.parse(element.querySelector("script[type='application/json']").textContent);
    if (!models.has(stored.model)) models.set(stored.model, createModel(stored.state));
    places.push({ element, ...stored });
  }
  const linked = new Set();
  for (const { source, target, both } of places.flatMap((place) => place.links)) {
    const name = JSON.stringify([source, target]);
    if (linked.has(name)) continue;
    linked.add(name);
    follow(models, source, target);
    if (both) follow(models, target, source);
  }

  function mount({ element, model }, widget) {
    const stage = document.createElement("div");
    stage.className = "attn-stage";
    try {
      widget.render({ model: models.get(model), el: stage });
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

  function define(script, factory) {
    let widget;
    try {
      widget = factory();
    } catch (error) {
      const fail = () => {
        throw error;
      };
      widget = { render: fail };
    }
    for (const place of places) if (place.script === script) mount(place, widget);
  }

  return { define, models };
})();
