/* Editors of sources: they open at the line in question, and Ctrl+Enter saves. Everything works without it. */
(() => {
  "use strict";

  const form = document.querySelector("form[data-keep=edit]");
  if (!form) return;

  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    form.requestSubmit(form.querySelector("button[type=submit]:not([name])"));
  });

  const source = form.querySelector("textarea[data-source]");
  const line = Number(form.dataset.line);
  if (!source || source.hidden || !line) return; // an editor that took its place goes there itself
  const lines = source.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  const at = Math.min(start + Number(form.dataset.column || 1) - 1, source.value.length);
  source.focus({ preventScroll: true });
  source.setSelectionRange(at, Math.max(at, start + (lines[line - 1] || "").length));
  const height = parseFloat(getComputedStyle(source).lineHeight) || 20;
  source.scrollTop = Math.max(0, (line - 4) * height);
  source.scrollIntoView({ block: "nearest" });
})();
