/* What pages need beyond HTML: keys, dialogs, focus after a swap, announcements. Everything works without it. */
(() => {
  "use strict";

  const body = document.body;
  const one = (selector, within = document) => within.querySelector(selector);

  // Cookies: preferences that the server reads when it renders.
  const remember = (name, value) => {
    const secure = location.protocol === "https:" ? "; secure" : "";
    document.cookie = `${name}=${value}; path=/; max-age=31536000; samesite=lax${secure}`;
  };

  // Announcements: said once, politely; the same text twice is said twice.
  const announce = (text) => {
    const place = one("#announcer");
    place.textContent = "";
    requestAnimationFrame(() => { place.textContent = text; });
  };

  // Dialogs

  const openDialog = (name) => {
    const dialog = document.getElementById(name);
    if (!dialog || dialog.open) return Boolean(dialog);
    for (const menu of document.querySelectorAll("details.menu[open]")) menu.open = false;
    dialog.showModal();
    if (name === "keys") fill("#keys-table", one("[data-open=keys]").href);
    if (name === "jump") {
      one("input", dialog).select();
      if (!one("#jump-results").children.length) fill("#jump-results", one("[data-open=jump]").href);
    }
    return true;
  };

  const fill = (target, address) => htmx.ajax("GET", address, { target, swap: "innerHTML" });

  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-open]");
    if (opener && !event.ctrlKey && !event.metaKey && !event.shiftKey && openDialog(opener.dataset.open)) {
      event.preventDefault();
      return;
    }
    if (event.target.closest("[data-close]")) event.target.closest("dialog").close();
    if (event.target.matches("dialog.sheet")) event.target.close();
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
    const copier = event.target.closest("[data-copy]");
    if (copier) {
      navigator.clipboard.writeText(copier.dataset.copy).then(
        () => announce("Copied"), () => announce("The browser did not allow copying"));
    }
  });

  // Keys: an element says which key presses it (data-key), so that no key is advertised and dead.

  const typing = (target) => Boolean(target.closest("input:not([type=radio], [type=checkbox], [type=range]), textarea, select, [contenteditable], dialog[open]"));
  const elementOf = (key) => [...document.querySelectorAll("[data-key]")].find(
    (element) => element.dataset.key === key && element.getClientRects().length && !element.disabled);
  const keysOff = () => /(?:^|; )keys=off/.test(document.cookie);

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      for (const menu of document.querySelectorAll("details.menu[open]")) {
        menu.open = false;
        one("summary", menu).focus();
      }
    }
    if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey && one("#jump")) {
      event.preventDefault();
      openDialog("jump");
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat && event.key === "?") return;
    if (typing(event.target) || keysOff() || one("dialog[open]")) return;
    if (event.key === "/" && openDialog("jump") || event.key === "?" && openDialog("keys")) {
      event.preventDefault();
      return;
    }
    const pressed = elementOf(event.key);
    if (coming && (!pressed || pressed.matches("a"))) {
      if (!event.repeat) waiting.push(event.key);
      return;
    }
    if (!pressed) return;
    event.preventDefault();
    if (pressed.matches("input[type=radio], textarea, select, input:not([type])")) pressed.focus();
    if (!pressed.matches("textarea, select, input:not([type=radio], [type=checkbox])")) pressed.click();
  });

  // The address changes before the page does: a step that is pressed meanwhile waits for the links of the new page.
  let coming = null;
  const waiting = [];
  document.addEventListener("htmx:before:request", (event) => {
    if (event.detail.ctx.sourceElement?.matches?.("a[data-key]")) coming = event.detail.ctx;
  });
  document.addEventListener("htmx:finally:request", (event) => setTimeout(() => {
    if (event.detail.ctx !== coming) return;
    const arrived = coming.status === "swapped";
    coming = null;
    while (waiting.length) {
      const next = elementOf(waiting.shift());
      if (!arrived || !next?.matches("a")) continue;
      next.click();
      break;
    }
  }));

  // The jump box: arrows walk through the results.
  document.addEventListener("keydown", (event) => {
    const dialog = event.target.closest("#jump");
    if (!dialog || !["ArrowDown", "ArrowUp", "Enter"].includes(event.key)) return;
    const stops = [one("input", dialog), ...dialog.querySelectorAll("#jump-results a")];
    const at = stops.indexOf(event.target);
    if (event.key === "Enter") {
      if (at === 0 && stops.length > 1) { event.preventDefault(); stops[1].click(); }
      return;
    }
    event.preventDefault();
    stops[(at + (event.key === "ArrowDown" ? 1 : -1) + stops.length) % stops.length].focus();
  });

  // The theme changes at once; the form keeps it in a cookie for the server as well when there is no script.
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("[data-theme-form]")) return;
    event.preventDefault();
    const theme = event.submitter.value;
    remember("theme", theme);
    document.documentElement.dataset.bsTheme = theme;
    location.reload();
  });

  // Code is shown or hidden in place: the page stays where it is.
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("[data-view-form]")) return;
    event.preventDefault();
    remember("view", event.submitter.value);
    const top = scrollY;
    htmx.ajax("GET", location.href, { target: "#main", swap: "outerHTML", select: "#main" })
      .then(() => scrollTo({ top, behavior: "instant" }));
  });

  // A note is pointed at a place: the form beside it takes the place over, with what was typed.
  document.addEventListener("click", (event) => {
    const pointer = event.target.closest("[data-place]");
    const select = one("select[name=place]");
    if (!pointer || !select || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    select.value = pointer.dataset.place;
    select.dispatchEvent(new Event("change", { bubbles: true }));
    one("textarea[name=note]").focus();
  });

  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-keys-switch]")) {
      remember("keys", event.target.checked ? "on" : "off");
      announce(event.target.checked ? "Keys are on" : "Keys are off");
    }
    // The handle of a timeline opens its step in place; a step that a search hides is opened as a page.
    if (event.target.matches("[data-steps]")) {
      const step = one(`.outline [data-step="${event.target.value}"]`);
      if (step) step.click();
      else event.target.form.requestSubmit();
    }
    if (event.target.matches("[data-submits]")) event.target.form.requestSubmit();
    if (event.target.matches("[data-all]")) {
      for (const box of document.querySelectorAll(`input[name="${event.target.dataset.all}"]`)) {
        box.checked = event.target.checked;
      }
    }
  });

  // A form that was sent is not sent twice.
  document.addEventListener("submit", (event) => {
    if (event.target.matches("[hx-post]") || event.target.method !== "post" || event.defaultPrevented) return;
    if (event.target.dataset.sent) { event.preventDefault(); return; }
    event.target.dataset.sent = "yes";
    for (const button of event.target.querySelectorAll("button:not([type=button])")) {
      if (button !== event.submitter) button.disabled = true;
      else button.setAttribute("aria-disabled", "true");
    }
  });
  addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form[data-sent]")) {
      delete form.dataset.sent;
      for (const button of form.querySelectorAll("button")) {
        button.disabled = button.hasAttribute("data-disabled");
        button.removeAttribute("aria-disabled");
      }
    }
  });

  // Rows that are ticked: how many, and all of the page at once.
  const ticks = () => [...document.querySelectorAll("input[type=checkbox][name=chosen]")];
  const countTicks = () => {
    const count = one("[data-chosen-count]");
    if (!count) return;
    const chosen = ticks().filter((tick) => tick.checked).length;
    count.textContent = chosen;
    count.hidden = !chosen;
    const all = one("[data-choose-all]");
    all.hidden = false;
    one("input", all).checked = chosen > 0 && chosen === ticks().length;
  };
  document.addEventListener("change", (event) => {
    if (event.target.closest("[data-choose-all]")) for (const tick of ticks()) tick.checked = event.target.checked;
    if (event.target.matches("[name=chosen], [data-choose-all] input")) countTicks();
  });
  document.addEventListener("htmx:after:swap", countTicks);
  addEventListener("pageshow", countTicks);

  // A text with a limit says how much of it is used once it comes near, and cuts nothing.
  const counterOf = (field) => {
    if (field.nextElementSibling?.matches("[data-counter]")) return field.nextElementSibling;
    const counter = document.createElement("p");
    counter.dataset.counter = "";
    field.after(counter);
    return counter;
  };
  const count = (field) => {
    const most = Number(field.dataset.most);
    const used = field.value.length;
    if (used < most * 0.8 && !field.nextElementSibling?.matches("[data-counter]")) return;
    const counter = counterOf(field);
    const over = used > most;
    const said = over
      ? `${(used - most).toLocaleString("en")} characters too many: at most ${most.toLocaleString("en")}`
      : `${used.toLocaleString("en")} of ${most.toLocaleString("en")} characters`;
    if (over !== (counter.className === "field-error")) announce(said);
    counter.className = over ? "field-error" : "form-text mt-1 mb-0";
    counter.textContent = said;
    counter.hidden = used < most * 0.8;
  };
  const countAll = () => document.querySelectorAll("textarea[data-most]").forEach(count);
  document.addEventListener("input", (event) => { if (event.target.matches("textarea[data-most]")) count(event.target); });
  document.addEventListener("htmx:after:swap", countAll);
  addEventListener("pageshow", countAll);

  // A button that decides at one click rests for a moment after it came: the second click of a double click on it
  // must not decide what comes next at the same place.
  const rest = () => {
    for (const button of document.querySelectorAll("[data-deliberate]:not([data-rested])")) {
      button.dataset.rested = "yes";
      button.disabled = true;
      setTimeout(() => { button.disabled = Boolean(button.form?.dataset.sent); }, 600);
    }
  };
  document.addEventListener("htmx:after:swap", rest);
  rest();

  // A page that refuses what was sent leads to the first field that is wrong.
  const wrong = location.hash ? null : one("#main .field-error[id]");
  if (wrong && document.activeElement === body) {
    const field = one(`#main [aria-describedby~="${CSS.escape(wrong.id)}"]`);
    const control = field?.matches("fieldset") ? one("input, select, textarea", field) : field;
    (control || wrong).focus({ preventScroll: true });
    wrong.scrollIntoView({ block: "center" });
  }

  // After a swap: focus stays where the person was, or goes to the swapped region; counts are announced.
  let focused = null;
  document.addEventListener("htmx:before:swap", () => {
    const active = document.activeElement;
    focused = active && active !== body
      ? { id: active.id, name: active.getAttribute("name"), start: active.selectionStart, region: active.closest("[id]")?.id }
      : null;
  });
  document.addEventListener("htmx:after:swap", () => {
    for (const said of document.querySelectorAll("[data-announce]")) {
      if (said.dataset.announce !== said.dataset.said) {
        said.dataset.said = said.dataset.announce;
        announce(said.dataset.announce);
      }
    }
    if (!focused || document.activeElement !== body) return;
    const again = (focused.id && document.getElementById(focused.id))
      || (focused.name && one(`[name="${CSS.escape(focused.name)}"]`))
      || (focused.region && document.getElementById(focused.region))
      || one("#main");
    if (!again.matches("a, button, input, select, textarea, [tabindex]")) again.tabIndex = -1;
    again.focus({ preventScroll: true });
  });

  // The current step of a replay and the current tab are in view, also after a swap.
  const bringIntoView = () => {
    for (const current of document.querySelectorAll(".outline [aria-current], .tabs [aria-current]")) {
      const strip = current.closest(".outline-scroll, .tabs");
      strip.scrollLeft = current.offsetLeft - strip.clientWidth / 3;
      strip.scrollTop = current.offsetTop - strip.clientHeight / 2;
    }
  };
  document.addEventListener("htmx:after:swap", bringIntoView);
  bringIntoView();
})();
