"""Text that is cut off without a way to the whole of it: a link, a disclosure, a title or its row's name."""

from __future__ import annotations

from playwright.sync_api import Page

_CUT_OFF = """
() => {
  const cuts = (style, axis) => ["hidden", "clip"].includes(style[`overflow${axis}`]);
  const scrolls = (style, axis) => ["auto", "scroll"].includes(style[`overflow${axis}`]);
  const isForReadersAlone = (box) => box.width <= 2 || box.height <= 2;
  const hasAWay = (element) =>
    element.closest("a[href], summary, [title]:not([title=''])")
    ?? element.closest("tr")?.querySelector("a[href]");
  const outside = (rect, box, axis) =>
    axis === "X" ? rect.right > box.right + 2 || rect.left < box.left - 2
                 : rect.bottom > box.bottom + 4 || rect.top < box.top - 4;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const problems = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.textContent.trim();
    const parent = node.parentElement;
    if (!text || !parent || parent.closest("script, style, template, svg, option, [aria-hidden]")) continue;
    if (!parent.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const rects = [...range.getClientRects()].filter((rect) => rect.width > 0 && rect.height > 0);
    if (!rects.length) continue;
    for (const axis of ["X", "Y"]) {
      let at = parent;
      let reachable = false;
      for (; at && at !== document.documentElement; at = at.parentElement) {
        const style = getComputedStyle(at);
        if (scrolls(style, axis)) { reachable = true; break; }
        if (!cuts(style, axis)) continue;
        const box = at.getBoundingClientRect();
        if (isForReadersAlone(box)) { reachable = true; break; }
        if (rects.some((rect) => outside(rect, box, axis))) break;
      }
      const edge = document.documentElement.clientWidth + 2;
      const isBeyond = axis === "X" && rects.some((rect) => rect.right > edge);
      const isCut = !reachable && ((at && at !== document.documentElement) || isBeyond);
      if (isCut && !hasAWay(parent)) {
        problems.push(`${text.slice(0, 80)} (${parent.tagName.toLowerCase()}.${parent.className})`);
        break;
      }
    }
  }
  return [...new Set(problems)].slice(0, 5);
}
"""


def cut_off(page: Page) -> list[str]:
    """Texts that a box or the edge of the page cuts off."""
    return [f"it cuts off: {text}" for text in page.evaluate(_CUT_OFF)]
