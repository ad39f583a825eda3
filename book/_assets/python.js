// Python in the page. Nothing is loaded before it is asked for. It then runs in a worker inside a
// frame that belongs to no site and may connect to nothing: what a reader writes can reach neither
// the network nor what this site keeps. The same from a server and from a folder on the disk.
window.AttentionPython = (() => {
  "use strict";
  const here = document.currentScript.src.replace(/[^/]*$/, "");
  const megabytes = 8; // of all parts, as a server sends them
  const PARTS = ["runtime", "numpy", "book"];
  // No text becomes JavaScript there, and nothing is loaded but the worker.
  const POLICY =
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; worker-src blob:";
  const isPossible = Boolean(window.Worker && window.WebAssembly && window.DecompressionStream);

  // The files of a part: gzip of the length of an index, the index as JSON, their bytes.
  async function unpacked(text) {
    const bytes = () => {
      if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
      const raw = atob(text);
      const all = new Uint8Array(raw.length);
      for (let i = 0; i < raw.length; i++) all[i] = raw.charCodeAt(i);
      return all;
    };
    const stream = new Blob([bytes()]).stream().pipeThrough(new DecompressionStream("gzip"));
    const all = new Uint8Array(await new Response(stream).arrayBuffer());
    const start = 4 + new DataView(all.buffer).getUint32(0, true);
    let at = start;
    const index = JSON.parse(new TextDecoder().decode(all.subarray(4, start)));
    return index.map(([name, size]) => [name, all.subarray(at, (at += size))]);
  }

  // In the worker, after the scripts of Pyodide. What it says goes through a port that only this
  // function knows, by what was the browser's own before any other code ran.
  function machine(unpacked) {
    "use strict";
    const { apply } = Reflect;
    const { postMessage } = MessagePort.prototype;
    const { get } = Object.getOwnPropertyDescriptor(MessageEvent.prototype, "data");
    // The policy of the frame is what keeps a program in; that these are gone gives it a clear word.
    const closed = [
      "XMLHttpRequest",
      "WebSocket",
      "WebSocketStream",
      "WebTransport",
      "EventSource",
    ];
    closed.push("indexedDB", "caches", "BroadcastChannel", "Worker", "SharedWorker", "postMessage");
    for (const name of closed)
      for (let place = self; place; place = Object.getPrototypeOf(place)) delete place[name];
    self.importScripts = () => {
      throw new TypeError("nothing can be loaded here");
    };

    function place(python, root, found) {
      const made = new Set();
      for (const [name, data] of found) {
        const path = `${root}/${name}`;
        const folder = path.replace(/\/[^/]*$/, "");
        if (!made.has(folder)) python.FS.mkdirTree(folder);
        made.add(folder);
        python.FS.writeFile(path, data, { canOwn: true });
      }
    }

    async function begin({ files, parts, compiled, file }) {
      // Pyodide asks for its files by fetch and gets them from memory.
      self.fetch = async (asked) => {
        const path = String(asked.url ?? asked).split("/");
        const data = files[path.pop()];
        if (!data) throw new TypeError("there is no network here");
        return new Response(data);
      };
      const others = parts.map(unpacked);
      const module = compiled ?? WebAssembly.compile(files["pyodide.asm.wasm"]);
      files["pyodide.asm.wasm"] = new Uint8Array(0);
      WebAssembly.instantiateStreaming = async (_, imports) => {
        const instance = await WebAssembly.instantiate(await module, imports);
        return { module: await module, instance };
      };
      const python = await loadPyodide({
        indexURL: "https://page.invalid/",
        stdin: () => undefined,
      });
      const folder = python.runPython("import site; site.getsitepackages()[0]");
      for (const found of others) place(python, folder, await found);
      if (file) {
        // It is read where it lies, piece by piece.
        python.FS.mkdir("/given");
        const blobs = [{ name: "model.gguf", data: file }];
        python.FS.mount(python.FS.filesystems.WORKERFS, { blobs }, "/given");
      }
      const call = python.runPython(
        "import importlib; importlib.invalidate_caches()\nfrom in_page import call\ncall",
      );
      return { call, module: compiled ? null : await module };
    }
    let call, port;
    const say = (message) => apply(postMessage, port, [message]);
    const failed = (id, error) => {
      const isFatal = error.name !== "PythonError";
      const words = String(error.message ?? error)
        .trim()
        .split("\n")
        .pop();
      say({ id, isFatal, error: isFatal ? `Python ended: ${words}.` : words });
    };
    const hear = (event) => {
      const { id, name, given } = apply(get, event, []);
      try {
        say({ id, result: call(name, given) });
      } catch (error) {
        failed(id, error);
      }
    };
    self.onmessage = async ({ data, ports }) => {
      self.onmessage = null;
      [port] = ports;
      try {
        const started = await begin(data);
        call = started.call;
        port.onmessage = hear;
        say({ id: data.id, module: started.module });
      } catch (error) {
        failed(data.id, error);
      }
    };
  }

  // In the frame: it keeps what a new worker needs, and hands messages on. To a worker itself it
  // does not listen, only to the port that the worker's first function got.
  function keeper(unpacked) {
    "use strict";
    const SCRIPTS = ["pyodide.asm.js", "pyodide.js"];
    let files, parts, compiled, address, worker, inside, port;
    async function prepare({ runtime, others, source }) {
      parts = others;
      files = Object.fromEntries(await unpacked(runtime));
      const texts = [...SCRIPTS.flatMap((name) => [files[name], "\n"]), source];
      address = URL.createObjectURL(new Blob(texts, { type: "text/javascript" }));
      for (const name of SCRIPTS) delete files[name];
    }
    function start(id, turn, file) {
      worker?.terminate();
      worker = new Worker(address);
      const channel = new MessageChannel();
      inside = channel.port1;
      inside.onmessage = ({ data }) => {
        compiled ??= data.module;
        if (compiled) delete files["pyodide.asm.wasm"];
        port.postMessage({ ...data, module: undefined, turn });
      };
      worker.onerror = ({ message }) =>
        port.postMessage({ died: `Python ended: ${message}`, turn });
      worker.postMessage({ id, files, parts, compiled, file }, [channel.port2]);
    }
    self.onmessage = ({ data, ports: [given] }) => {
      const prepared = prepare(data);
      port = given;
      port.onmessage = async ({ data: { turn, id, file, ...call } }) => {
        if (!turn) return inside.postMessage({ id, ...call });
        try {
          await prepared;
          start(id, turn, file);
        } catch ({ message }) {
          port.postMessage({ id, turn, isFatal: true, error: `Python ended: ${message}.` });
        }
      };
    };
  }

  const taken = {};
  const take = (name, text) => (taken[name] = text);
  // What a reader who waits is told; nothing where there is nothing to wait for.
  const WORDS = {
    loading: (part) =>
      `Loading Python, ${megabytes} MB: ${part} of ${PARTS.length} parts are here …`,
    starting: () => "Starting Python …",
  };
  const tell = (stage, part = 0) => {
    const detail = { stage, words: WORDS[stage]?.(part) ?? "" };
    document.dispatchEvent(new CustomEvent("attention-python", { detail }));
  };

  const loaded = (name) =>
    new Promise((done, fail) => {
      const tag = document.createElement("script");
      tag.src = `${here}python/${name}.js`;
      tag.onload = () =>
        taken[name] ? done() : fail(new Error(`A part of Python is damaged: ${name}.js.`));
      tag.onerror = () => fail(new Error(`A part of Python cannot be read: ${name}.js.`));
      document.head.append(tag);
    });

  // One worker at a time. `turn` counts them: what an ended one still says is not heard.
  let port, framed, started;
  let [turn, last] = [0, 0];
  const waiting = new Map();
  const failAll = (why) => {
    for (const { fail } of waiting.values()) fail(new Error(why));
    waiting.clear();
  };
  function hear({ data }) {
    if (data.turn !== turn) return;
    // After an error that is not Python's own the next call gets a new machine.
    if (data.died || data.isFatal) started = undefined;
    if (data.died) return failAll(data.died);
    const { done, fail } = waiting.get(data.id) ?? {};
    waiting.delete(data.id);
    if (data.error) fail?.(new Error(data.error));
    else done?.(data.result);
  }
  const send = (message) =>
    new Promise((done, fail) => {
      const id = ++last;
      waiting.set(id, { done, fail });
      port.postMessage({ id, ...message });
    });

  async function frame() {
    if (!isPossible) throw new Error("This browser is too old for Python in the page.");
    tell("loading");
    let count = 0;
    await Promise.all(PARTS.map((name) => loaded(name).then(() => tell("loading", ++count))));
    const box = document.createElement("iframe");
    box.setAttribute("sandbox", "allow-scripts");
    box.hidden = true;
    box.title = "Python";
    box.srcdoc =
      `<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="${POLICY}">` +
      `<script>(${keeper})(${unpacked})</` +
      `script>`;
    await new Promise((done) => {
      box.onload = done;
      document.body.append(box);
    });
    const channel = new MessageChannel();
    port = channel.port1;
    port.onmessage = hear;
    const [runtime, ...others] = PARTS.map((name) => taken[name]);
    const source = `(${machine})(${unpacked})`;
    box.contentWindow.postMessage({ runtime, others, source }, "*", [channel.port2]);
    for (const name of PARTS) delete taken[name];
  }

  function begin() {
    const mine = ++turn;
    const start = (async () => {
      framed ??= frame();
      await framed;
      if (mine !== turn) throw new Error("Python was started anew.");
      tell("starting");
      await send({ turn: mine, file: given });
      tell("ready");
    })();
    start.catch(() => {
      if (started !== start) return;
      started = undefined;
      if (!port) framed = undefined;
      tell("failed");
    });
    return start;
  }
  const ready = () => (started ??= begin());
  function end(why) {
    failAll(why);
    started = begin();
  }
  // A machine without what was done in it, unless it is at work, or has a model, which takes long.
  function renew() {
    if (port && started && !waiting.size && !given) started = begin();
  }
  // A file of the reader's that each machine from now on can read; null takes it and its memory away.
  let given = null;
  function give(file) {
    given = file;
    if (started) end("Python was started anew.");
  }

  // Call a function of the page's Python, `module.name`, when those called before are done. What
  // gives no reply in `patience` seconds, or is aborted by its `signal`, is ended, and Python is
  // started anew.
  let queue = Promise.resolve();
  function call(name, given, { patience = 30, signal } = {}) {
    const result = queue.then(() => called(name, given, patience, signal));
    queue = result.catch(() => {});
    if (!signal) return result;
    const aborted = new Promise((_, fail) => {
      signal.addEventListener("abort", () => fail(new Error("You stopped it.")));
    });
    return Promise.race([result, aborted]);
  }
  async function called(name, given, patience, signal) {
    signal?.throwIfAborted();
    await ready();
    signal?.throwIfAborted(); // it was stopped while Python was loaded, which goes on
    const stop = () => end("You stopped it.");
    const late = () => end(`No reply came in ${patience} seconds, and so Python was started anew.`);
    const timer = setTimeout(late, 1000 * patience);
    signal?.addEventListener("abort", stop);
    try {
      return JSON.parse(await send({ name, given: JSON.stringify(given) }));
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    }
  }

  return { call, give, isPossible, megabytes, ready, renew, take };
})();
