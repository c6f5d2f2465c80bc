/* What is typed into a form stays in this tab until it has arrived, and a session that ended begins again in place. */
(() => {
  "use strict";

  const { person, session } = document.body.dataset;
  const SENT = "drafts sent";
  const LATER = 250; // milliseconds after the last key before a draft is kept
  if (!person) return; // the sign-in page: drafts wait for their author

  const read = (key) => { try { return JSON.parse(sessionStorage.getItem(key)); } catch { return null; } };
  const write = (key, value) => {
    try {
      if (value === null) sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, JSON.stringify(value));
    } catch { /* the tab's store is full or switched off: the page still holds the text */ }
  };

  const keyOf = (form) => {
    const place = form.getAttribute("action") || location.pathname + location.search;
    return `draft ${person} ${place} ${form.dataset.keep}`;
  };
  const typed = (form) => [...form.elements].filter((field) => field.name
    && !["hidden", "password", "submit", "button", "file", "fieldset"].includes(field.type));
  const valuesOf = (form) => {
    const values = {};
    for (const field of typed(form)) {
      if (!["radio", "checkbox"].includes(field.type)) values[field.name] = field.value;
      else if (field.checked) values[field.name] = field.value;
    }
    return values;
  };

  // Keeping

  const waiting = new Map();
  const stop = (form) => { clearTimeout(waiting.get(form)); waiting.delete(form); };
  const keep = (form) => { stop(form); write(keyOf(form), valuesOf(form)); };
  const keepAll = () => { for (const form of [...waiting.keys()]) keep(form); };
  const soon = (event) => {
    const form = event.target.form;
    if (!form?.matches("form[data-keep]")) return;
    clearTimeout(waiting.get(form));
    waiting.set(form, setTimeout(() => keep(form), LATER));
  };
  document.addEventListener("input", soon);
  document.addEventListener("change", soon);
  addEventListener("pagehide", keepAll);
  document.addEventListener("htmx:before:swap", keepAll); // a swap may take the form away before its time

  // Forgetting: what was sent and taken, unless this page is the refusal of it.

  const refused = document.querySelector("[data-problem], form[data-answered], #notices .note-error");
  if (!refused) for (const key of read(SENT) || []) write(key, null);
  write(SENT, null);
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-let-go]")) return;
    for (const form of document.querySelectorAll("form[data-keep]")) {
      stop(form);
      write(keyOf(form), null);
    }
  });

  // Restoring

  const fill = (form, values) => {
    for (const field of typed(form)) {
      if (["radio", "checkbox"].includes(field.type)) field.checked = values[field.name] === field.value;
      else if (field.name in values) {
        field.value = values[field.name];
        field.dispatchEvent(new Event("filled"));
      }
    }
    for (const fold of form.querySelectorAll("details")) {
      if ([...fold.querySelectorAll("select, textarea")].some((field) => field.value)) fold.open = true;
    }
    for (const fold of [form.closest("details")].filter(Boolean)) fold.open = true;
  };

  const restore = (form) => {
    form.dataset.restored = "yes";
    const before = valuesOf(form);
    const values = read(keyOf(form));
    if (!values || JSON.stringify(values) === JSON.stringify(before)) return;
    fill(form, values);
    const note = document.createElement("div");
    note.className = "note mb-3";
    note.setAttribute("role", "status");
    const words = document.createElement("div");
    words.append("What you typed here before is back. ");
    const forget = document.createElement("button");
    forget.type = "button";
    forget.className = "btn btn-sm";
    forget.textContent = "Discard it";
    forget.addEventListener("click", () => {
      write(keyOf(form), null);
      fill(form, before);
      note.remove();
      form.querySelector("textarea, input:not([type=hidden])")?.focus();
    });
    words.append(forget);
    note.append(words);
    form.prepend(note);
  };
  const restoreAll = () => document.querySelectorAll("form[data-keep]:not([data-answered], [data-restored])").forEach(restore);
  restoreAll();
  document.addEventListener("htmx:after:swap", restoreAll);

  // Sending: first ask whether the session still stands, so that no text travels into a sign-in page.

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post" || form.matches("[hx-post], [data-theme-form], #sign-in form")) return;
    if (!form.matches("[data-keep]") && !form.querySelector("textarea")) return;
    if (form.dataset.checked) {
      delete form.dataset.checked;
      if (form.matches("[data-keep]")) {
        keep(form);
        write(SENT, [...(read(SENT) || []), keyOf(form)]);
      }
      return;
    }
    event.preventDefault();
    if (form.dataset.checking) return;
    form.dataset.checking = "yes";
    const { submitter } = event;
    const send = () => {
      form.dataset.checked = "yes";
      form.requestSubmit(submitter);
    };
    withSession(send, form).finally(() => { delete form.dataset.checking; });
  }, true);

  const SILENT = "The server does not answer. What you typed is kept; try again in a moment.";
  const withSession = (go, form) => fetch(session, { headers: { Accept: "text/html" } })
    .then((answer) => {
      if (answer.status === 204) return go();
      // Whatever stands before the server may answer in its place; only the server's own form is a way to sign in.
      return answer.ok ? answer.text().then((html) => (html.includes('name="username"') ? signIn(html, go) : say(SILENT, form)))
        : say(SILENT, form);
    })
    .catch(() => say(SILENT, form));

  // A part of a page that was denied asks for the same.
  document.addEventListener("studio:sign-in", (event) => { withSession(event.detail.then); });

  // Said where it was asked: at the button that was pressed.
  const say = (words, form) => {
    const note = document.createElement("div");
    note.className = "note note-bad mb-3";
    note.setAttribute("role", "alert");
    note.dataset.unsent = "";
    note.textContent = words;
    for (const before of document.querySelectorAll("[data-unsent]")) before.remove();
    const last = [...(form?.querySelectorAll("button:not([type=button])") || [])].pop();
    const place = last?.closest(".actions") || last;
    if (place) place.before(note);
    else document.querySelector("#notices").replaceChildren(note);
    note.scrollIntoView({ block: "nearest" });
  };

  const token = () => /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie)?.[1];

  const signedIn = (answer, dialog, send) => {
    dialog.remove();
    if (answer.headers.get("X-Person") !== person) { location.reload(); return; }
    const fresh = token();
    if (fresh) {
      for (const field of document.querySelectorAll("input[name=csrfmiddlewaretoken]")) field.value = fresh;
      document.body.setAttribute("hx-headers:inherited", JSON.stringify({ "X-CSRFToken": fresh }));
    }
    send();
  };

  const signIn = (html, send) => {
    const dialog = document.createElement("dialog");
    dialog.className = "sheet";
    dialog.id = "sign-in";
    dialog.setAttribute("aria-labelledby", "sign-in-title");
    dialog.innerHTML = html;
    dialog.addEventListener("close", () => dialog.remove());
    dialog.addEventListener("submit", (event) => {
      event.preventDefault();
      event.stopPropagation();
      fetch(session, { method: "POST", body: new FormData(event.target) })
        .then((answer) => {
          if (answer.status === 204) { signedIn(answer, dialog, send); return null; }
          return answer.text().then((again) => {
            dialog.innerHTML = again;
            dialog.querySelector("input[name=username]").focus();
          });
        })
        .catch(() => say("The server does not answer. What you typed is kept; try again in a moment."));
    });
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector("input[name=username]").focus();
  };
})();
