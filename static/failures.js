/* A part of a page that could not be loaded says so where it was asked for, with the way on: sign in, or try again. */
(() => {
  "use strict";

  const PERMANENT = [400, 403, 404, 405, 409, 413, 422]; // asking again gives the same answer
  const NO_CHILDREN = "table, thead, tbody, tr, ul, ol, dl, select, input, textarea, img, svg";
  const asked = new WeakMap(); // note to the request it tells about
  let leaving = false;
  addEventListener("pagehide", () => { leaving = true; });
  addEventListener("pageshow", () => { leaving = false; });

  // What went wrong, in words

  const written = (heading, words) => {
    const note = document.createElement("div");
    note.className = "note note-bad";
    note.setAttribute("role", "alert");
    const text = document.createElement("div");
    const title = document.createElement("strong");
    title.textContent = heading;
    const line = document.createElement("p");
    line.className = "mb-0";
    line.textContent = words;
    text.append(title, line);
    note.append(text);
    return note;
  };

  // The server's own note, where the answer holds one; null for an answer that is to be shown as it is.
  const problemIn = (ctx) => {
    const { status } = ctx.response;
    const answer = new DOMParser().parseFromString(ctx.text, "text/html");
    const told = answer.querySelector("[data-status]");
    if (status >= 400 && told) return document.importNode(told, true);
    if (status === 422) return null; // a form with its errors
    if (status >= 400) {
      return written("This part of the page could not be loaded",
        `The server answered with status ${status}. What was here before is unchanged.`);
    }
    const held = status === 204 || !ctx.select || answer.querySelector(ctx.select);
    return held ? null : written("This part of the page could not be loaded",
      "The answer was another page. What was here before is unchanged.");
  };

  // Where it was asked

  const regionOf = (ctx) => (ctx.target instanceof Element && ctx.target !== document.body && ctx.target.isConnected
    ? ctx.target : document.querySelector("#notices"));
  const place = (note, region) => {
    if (region.matches(NO_CHILDREN)) region.before(note);
    else region.prepend(note);
  };
  const noteOf = (region) => [...document.querySelectorAll("[data-failed]")].find(
    (note) => note.parentElement === region || note.nextElementSibling === region);

  const again = (ctx) => {
    if (!ctx.sourceElement?.isConnected || ctx.target === document.body) { location.reload(); return; }
    const { method, action, submitter } = ctx.request;
    htmx.ajax(method, action, {
      source: ctx.sourceElement,
      target: ctx.target,
      swap: ctx.swap,
      select: ctx.select,
      selectOOB: ctx.selectOOB,
      push: ctx.push,
      event: { submitter },
    });
  };

  const button = (words, press) => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "btn btn-sm mt-2";
    made.textContent = words;
    made.addEventListener("click", press);
    return made;
  };

  const tell = (ctx, note) => {
    const region = regionOf(ctx);
    const status = String(ctx.response?.status || 0);
    const before = noteOf(region);
    const retried = before?.dataset.failed === "again";
    if (before && before.dataset.failed === status) return; // said already: a page that asks again and again stays calm
    note.dataset.failed = status;
    const retry = () => { note.dataset.failed = "again"; again(ctx); };
    const signIn = () => document.dispatchEvent(new CustomEvent("studio:sign-in", { detail: { then: retry } }));
    const way = status === "401" ? button("Sign in", signIn)
      : PERMANENT.includes(Number(status)) ? null : button("Try again", retry);
    if (way) note.lastElementChild.append(way);
    asked.set(note, ctx);
    if (before) before.replaceWith(note);
    else place(note, region);
    if (retried) way?.focus({ preventScroll: true });
    note.scrollIntoView({ block: "nearest" });
  };

  // Every request of htmx passes here.

  document.addEventListener("htmx:after:request", (event) => {
    const { ctx } = event.detail;
    const note = problemIn(ctx);
    if (!note) return;
    event.preventDefault();
    tell(ctx, note);
  });
  document.addEventListener("htmx:error", (event) => {
    const ctx = event.detail?.ctx;
    if (!ctx || ctx.text !== undefined || leaving) return;
    tell(ctx, written("The server did not answer",
      "Nothing was changed. Look at your connection and try again."));
  });
  document.addEventListener("htmx:after:swap", (event) => {
    const { ctx } = event.detail;
    for (const note of document.querySelectorAll("[data-failed]")) {
      const failed = asked.get(note);
      if (failed && (failed.target === ctx.target || failed.sourceElement === ctx.sourceElement)) note.remove();
    }
  });
})();
