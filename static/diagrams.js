/* Diagrams: enlarged, made smaller, moved by hand. Without script they scroll at their own size. */
(() => {
  "use strict";

  const STEP = 1.25, LEAST = 0.15, MOST = 4;

  const sized = (frame) => {
    const region = frame.querySelector(".diagram"), picture = region.querySelector("svg");
    return { region, picture, width: picture.viewBox.baseVal.width, height: picture.viewBox.baseVal.height };
  };

  // What lies under a point of the region, its middle if none is given, stays there.
  const zoom = (frame, scale, point) => {
    const { region, picture, width, height } = sized(frame);
    const before = Number(frame.dataset.scale || 1);
    const after = Math.min(MOST, Math.max(LEAST, scale));
    const at = point || { x: region.clientWidth / 2, y: region.clientHeight / 2 };
    const x = (region.scrollLeft + at.x) / before, y = (region.scrollTop + at.y) / before;
    picture.setAttribute("width", Math.round(width * after));
    picture.setAttribute("height", Math.round(height * after));
    frame.dataset.scale = after;
    region.scrollLeft = x * after - at.x;
    region.scrollTop = y * after - at.y;
    frame.querySelector("[data-zoom-shown]").textContent = `${Math.round(after * 100)} %`;
  };

  const fit = (frame) => {
    const { region, width, height } = sized(frame);
    const room = parseFloat(getComputedStyle(region).paddingLeft) * 2;
    zoom(frame, Math.min(1, (region.clientWidth - room) / width, (region.clientHeight - room) / height));
  };

  const acts = {
    "+": (frame) => zoom(frame, Number(frame.dataset.scale || 1) * STEP),
    "-": (frame) => zoom(frame, Number(frame.dataset.scale || 1) / STEP),
    "0": fit,
    "1": (frame) => zoom(frame, 1),
  };

  const button = (act, text, label) => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "btn btn-sm";
    made.dataset.zoom = act;
    made.textContent = text;
    made.setAttribute("aria-label", label);
    made.title = `${label} (${act})`;
    return made;
  };

  const prepare = () => {
    for (const frame of document.querySelectorAll("[data-diagram]:not([data-scale])")) {
      frame.dataset.scale = 1;
      const shown = document.createElement("output");
      shown.dataset.zoomShown = "";
      shown.className = "muted small";
      shown.textContent = "100 %";
      frame.querySelector(".diagram-tools").prepend(
        button("-", "−", "Smaller"), shown, button("+", "+", "Larger"), button("0", "Fit", "Fit the whole"));
    }
  };

  document.addEventListener("click", (event) => {
    const pressed = event.target.closest("[data-zoom]");
    if (pressed) acts[pressed.dataset.zoom](pressed.closest("[data-diagram]"));
  });

  document.addEventListener("keydown", (event) => {
    const frame = event.target.closest("[data-diagram]");
    if (!frame || event.ctrlKey || event.metaKey || event.altKey || !acts[event.key]) return;
    event.preventDefault();
    acts[event.key](frame);
  });

  document.addEventListener("wheel", (event) => {
    const region = event.target.closest(".diagram");
    if (!region || !event.ctrlKey) return;
    event.preventDefault();
    const frame = region.closest("[data-diagram]"), box = region.getBoundingClientRect();
    const scale = Number(frame.dataset.scale || 1) * (event.deltaY < 0 ? STEP : 1 / STEP);
    zoom(frame, scale, { x: event.clientX - box.left, y: event.clientY - box.top });
  }, { passive: false });

  // A mouse pulls the picture; touch scrolls it anyway. A pull is no click on the box below.
  let pulled = null;
  document.addEventListener("pointerdown", (event) => {
    const region = event.target.closest(".diagram");
    if (!region || event.pointerType !== "mouse" || event.button !== 0) return;
    pulled = { region, x: event.clientX, y: event.clientY, left: region.scrollLeft, top: region.scrollTop, far: false };
    event.preventDefault();
    region.focus({ preventScroll: true });
  });
  document.addEventListener("pointermove", (event) => {
    if (!pulled) return;
    const right = event.clientX - pulled.x, down = event.clientY - pulled.y;
    pulled.far ||= Math.hypot(right, down) > 4;
    pulled.region.scrollLeft = pulled.left - right;
    pulled.region.scrollTop = pulled.top - down;
  });
  document.addEventListener("pointerup", () => {
    if (!pulled) return;
    const far = pulled.far;
    pulled = null;
    if (far) addEventListener("click", (event) => event.preventDefault(), { capture: true, once: true });
  });

  document.addEventListener("htmx:after:swap", prepare);
  prepare();
})();
