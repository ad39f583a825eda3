// A field for code. Tab indents; Escape lets the next Tab leave.
window.AttentionEditor = (text, label, run) => {
  "use strict";
  const plain = { spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off" };
  const says = "Tab indents; Escape, then Tab, leaves. Shift+Enter runs.";
  const names = { "aria-label": label, "aria-description": says };
  const area = AttentionBook.load("shared/parts.js").h("textarea", { class: "code", ...plain, ...names });
  area.value = text;
  const fit = () => (area.rows = area.value.split("\n").length + 1);
  fit();
  area.setSelectionRange(0, 0);
  area.addEventListener("input", fit);
  // After a paste of whole lines their beginnings are in sight.
  area.addEventListener("paste", ({ clipboardData }) => {
    if (clipboardData.getData("text").includes("\n"))
      requestAnimationFrame(() => (area.scrollLeft = 0));
  });
  // The browser's own undo goes on working: it does not with a new `value`.
  const put = (words, from = area.selectionStart, to = area.selectionEnd) => {
    area.setSelectionRange(from, to);
    if (!document.execCommand(words ? "insertText" : "delete", false, words)) {
      area.setRangeText(words, from, to, "end");
      area.dispatchEvent(new Event("input"));
    }
  };
  area.become = (words) => put(words, 0, area.value.length);
  const lineAt = (place) => area.value.lastIndexOf("\n", place - 1) + 1;
  const shift = (back) => {
    const { selectionStart: a, selectionEnd: b, value } = area;
    const from = lineAt(a);
    const lines = value.slice(from, b).split("\n");
    const moved = lines.map((line) => (back ? line.replace(/^ {1,4}/, "") : line && `    ${line}`));
    if (moved.join() === lines.join()) return;
    put(moved.join("\n"), from, b);
    const start = Math.max(from, a + moved[0].length - lines[0].length);
    area.setSelectionRange(a === b ? start : from, a === b ? start : area.selectionEnd);
  };
  let leaves = false;
  area.addEventListener("keydown", (event) => {
    const { key, shiftKey } = event;
    const { selectionStart: a, selectionEnd: b, value } = area;
    if (key === "Shift") return;
    const free = leaves;
    leaves = key === "Escape";
    const column = a - lineAt(a);
    const isIndent = column && a === b && !value.slice(lineAt(a), a).trim();
    if (key === "Enter" && (shiftKey || event.ctrlKey || event.metaKey)) run();
    else if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    else if (key === "Tab" && !free) {
      if (shiftKey || a !== b) shift(shiftKey);
      else put(" ".repeat(4 - (column % 4)));
    } else if (key === "Enter") {
      const line = value.slice(lineAt(a), a);
      const [indent] = line.match(/^ */);
      // After a line that opens a block it goes in; after one that leaves its block, out.
      const opens = /:\s*(#.*)?$/.test(line);
      const count = (brackets) => line.split(brackets).length;
      const isLeft =
        /^ +(return|raise|pass|break|continue)\b/.test(line) && count(/[([{]/) === count(/[)\]}]/);
      put(`\n${opens ? `${indent}    ` : isLeft ? indent.slice(4) : indent}`);
    } else if (key === "Backspace" && isIndent) put("", a - (((column - 1) % 4) + 1), a);
    else return;
    event.preventDefault();
  });
  return area;
};
