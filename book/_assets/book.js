// The page's own small tools: theme, contents, words of the glossary, copy buttons, search on "/".
(() => {
  "use strict";
  const root = document.documentElement;

  // Theme: what the system asks for, until the reader chooses.
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const themeButton = document.querySelector(".top-theme");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const sources = document.querySelectorAll("picture source");
  const showTheme = () => {
    for (const source of sources) source.media = isDark() ? "screen" : "not all";
    themeButton.textContent = isDark() ? "Light" : "Dark";
    themeButton.setAttribute("aria-label", `Use the ${isDark() ? "light" : "dark"} theme`);
  };
  themeButton.hidden = false;
  themeButton.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try {
      localStorage.setItem("theme", root.dataset.theme);
    } catch {
      // Storage may be closed for pages opened from disk; the choice then lasts for this page.
    }
    showTheme();
  });
  dark.addEventListener("change", showTheme);
  showTheme();

  // Contents: a drawer on narrow screens.
  const menu = document.querySelector(".top-menu");
  const contents = document.getElementById("contents");
  const open = (yes) => {
    contents.classList.toggle("is-open", yes);
    menu.setAttribute("aria-expanded", yes);
    if (!yes) return;
    contents.focus();
    reveal(contents.querySelector('[aria-current="location"]'));
  };
  // Scroll the contents, and never the page, to one of their links.
  const reveal = (link) => {
    if (!link) return;
    const [at, box] = [link, contents].map((e) => e.getBoundingClientRect());
    if (at.top < box.top || at.bottom > box.bottom) contents.scrollTop += at.top - box.top - 80;
  };
  menu.setAttribute("role", "button");
  open(false);
  root.classList.add("has-script");
  menu.addEventListener("click", (event) => {
    event.preventDefault();
    open(!contents.classList.contains("is-open"));
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== " ") return;
    event.preventDefault();
    menu.click();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && contents.classList.contains("is-open")) {
      open(false);
      menu.focus();
    }
  });
  document.addEventListener("pointerdown", (event) => {
    const outside = !contents.contains(event.target) && !menu.contains(event.target);
    if (outside && contents.classList.contains("is-open")) open(false);
  });

  contents.addEventListener("click", (event) => {
    if (event.target.closest("a")) open(false);
  });

  // Contents: the section that is being read, a quarter of the window down, is marked.
  const links = new Map();
  const reading = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const link = links.get(target);
        if (isIntersecting) link.setAttribute("aria-current", "location");
        else link.removeAttribute("aria-current");
        if (isIntersecting) reveal(link);
      }
    },
    { rootMargin: "-25% 0px -75% 0px" },
  );
  for (const link of contents.querySelectorAll('a[href^="#"]:not([href="#"])')) {
    const section = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    links.set(section, link);
    reading.observe(section);
  }

  // "/" goes to the search field.
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    document.querySelector(".top-search input").focus();
  });

  // What is wider than its place can be reached and scrolled by keyboard. The column is watched, as
  // a browser looks at everything that is watched in every frame in which anything moves: it changes
  // its width with the window, and its height when a fold is opened. What is folded is not asked, as
  // the answer would cost its layout.
  const unfolded = ":is(pre, mjx-container):not(details:not([open]) *)";
  const reach = () => {
    for (const block of document.querySelectorAll(unfolded)) {
      if (block.scrollWidth > block.clientWidth) block.tabIndex = 0;
      else block.removeAttribute("tabindex");
    }
  };
  new ResizeObserver(reach).observe(document.querySelector("article"));
  addEventListener("load", () => window.MathJax?.startup?.promise?.then(reach));

  // Words of the glossary show their sentence while the pointer or the focus is on them, or the
  // pointer on the sentence. Escape hides it. A finger shows it first and follows the link next.
  // Without this script it is the link's title.
  const tip = document.createElement("div");
  tip.id = "term-tip";
  tip.className = "term-tip";
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;
  document.body.append(tip);
  let shown, leaving;
  const hide = () => {
    shown?.removeAttribute("aria-describedby");
    shown = undefined;
    tip.hidden = true;
  };
  const place = () => {
    if (!shown) return;
    const line = shown.getClientRects()[0];
    const right = root.clientWidth - tip.offsetWidth - 8;
    const above = line.bottom + tip.offsetHeight > innerHeight;
    tip.style.left = `${Math.max(8, Math.min(line.left, right))}px`;
    tip.style.top = `${above ? line.top - tip.offsetHeight : line.bottom}px`;
  };
  const show = (word) => {
    clearTimeout(leaving);
    hide();
    shown = word;
    tip.textContent = word.dataset.sentence;
    tip.hidden = false;
    word.setAttribute("aria-describedby", tip.id);
    place();
  };
  const leave = () => {
    clearTimeout(leaving);
    leaving = setTimeout(hide, 200);
  };
  for (const word of document.querySelectorAll("a.term")) {
    word.dataset.sentence = word.title;
    word.removeAttribute("title");
    const mouse = (act) => (event) => event.pointerType === "mouse" && act();
    word.addEventListener("pointerenter", mouse(() => show(word)));
    word.addEventListener("pointerleave", mouse(leave));
    word.addEventListener("focus", () => show(word));
    word.addEventListener("blur", hide);
    let first = false;
    word.addEventListener("pointerdown", (event) => {
      first = event.pointerType === "touch" && shown !== word;
    });
    word.addEventListener("click", (event) => {
      if (!first) return;
      event.preventDefault();
      show(word);
    });
  }
  tip.addEventListener("pointerenter", () => clearTimeout(leaving));
  tip.addEventListener("pointerleave", leave);
  addEventListener("scroll", place, { passive: true });
  document.addEventListener("pointerdown", (event) => {
    if (shown && !event.target.closest("a.term, .term-tip")) hide();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
  });

  // Code can be copied.
  for (const block of document.querySelectorAll(".cell_input pre, .cell_input + pre")) {
    const copy = document.createElement("button");
    copy.type = "button";
    copy.className = "copy";
    copy.textContent = "Copy";
    copy.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(block.textContent);
        copy.textContent = "Copied";
      } catch {
        copy.textContent = "Not allowed";
      }
      setTimeout(() => (copy.textContent = "Copy"), 1500);
    });
    block.parentElement.append(copy);
  }
})();
