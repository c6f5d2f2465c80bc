/* Sources in a real editor: Ace takes the place of the text area, which stays the form's field. Everything works without it. */
(() => {
  "use strict";

  if (!window.ace) return;
  // The page's policy allows no style that a script writes: the sheets are linked by the page.
  ace.config.set("useStrictCSP", true);
  ace.config.set("loadWorkerFromBlob", false);

  const label = (area) => document.querySelector(`label[for="${CSS.escape(area.id)}"]`)?.firstChild.textContent.trim()
    || area.getAttribute("aria-label") || "Source";

  const open = (area) => {
    const place = document.createElement("div");
    place.className = "editor";
    area.before(place);
    area.hidden = true;
    const editor = ace.edit(place, {
      value: area.value,
      mode: `ace/mode/${area.dataset.language}`,
      theme: { cssClass: "ace-studio", isDark: false, cssText: "" },
      useWorker: false,
      enableKeyboardAccessibility: true,
      textInputAriaLabel: label(area),
      tabSize: 4,
      useSoftTabs: true,
      newLineMode: "unix",
      showPrintMargin: false,
      fontSize: 13,
      minLines: 8,
      maxLines: Math.max(12, Math.floor(innerHeight * 0.7 / 19)),
      readOnly: area.readOnly,
    });
    editor.renderer.setScrollMargin(6, 6);
    let own = false;
    editor.session.on("change", () => {
      own = true;
      area.value = editor.getValue();
      area.dispatchEvent(new Event("input", { bubbles: true }));
      own = false;
    });
    area.addEventListener("filled", () => {
      if (!own && area.value !== editor.getValue()) editor.setValue(area.value, -1);
    });
    document.querySelector(`label[for="${CSS.escape(area.id)}"]`)?.addEventListener("click", () => editor.focus());
    const { line, column } = area.form.dataset;
    if (line) {
      editor.gotoLine(Number(line), Number(column || 1) - 1, false);
      editor.focus();
      // Lines have their height when the page's fonts are there.
      document.fonts.ready.then(() => {
        editor.resize(true);
        editor.scrollToLine(Math.max(0, Number(line) - 4), false, false);
      });
    }
    area.editor = editor;
  };

  document.querySelectorAll("textarea[data-language]").forEach(open);
})();
