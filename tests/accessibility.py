"""Accessibility checks of a page: axe-core (WCAG 2.2 AA), light and dark, layout and broken words at 320 pixels."""

from importlib.resources import files
from typing import Any

from playwright.sync_api import Page

AXE = (files("axe_playwright_python") / "axe.min.js").read_text()
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
#: Rules whose results differ between light and dark.
COLORS = ["color-contrast", "link-in-text-block"]
#: Elements that look like two others at the same level of the page, such as table rows and list items.
#: axe-core takes a second for the colors of a hundred elements; those of the first two are those of all.
ALIKE = """() => {
  const STYLES = ["color", "backgroundColor", "backgroundImage", "fontSize", "fontWeight", "opacity", "visibility",
                  "display", "textDecorationLine"];
  const looks = (one) => {
    const style = getComputedStyle(one);
    return `${one.tagName}.${one.className} ${STYLES.map((name) => style[name])}`;
  };
  const whole = (one) => `${looks(one)}(${[...one.children].map(whole)})`;
  const seen = new Map(), alike = [];
  const walk = (one, path) => {
    for (const child of one.children) {
      const here = `${path} > ${whole(child)}`;
      seen.set(here, (seen.get(here) ?? 0) + 1);
      if (seen.get(here) > 2) alike.push(child);
      else walk(child, `${path} > ${looks(child)}`);
    }
  };
  walk(document.body, "");
  return alike;
}"""
#: 1,280 pixels at a zoom of 400%, which covers 200% too.
NARROW = {"width": 320, "height": 640}
#: Wait for the second frame: figures are redrawn for another width at the end of the first.
WIDER = """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(
  () => done(document.documentElement.scrollWidth - document.documentElement.clientWidth))))"""
MOVING = "() => document.getAnimations().filter(one => one.playState === 'running').length"
#: Targets below 24 pixels, except links within a sentence and inputs that their label enlarges.
SMALL = """() => [...document.querySelectorAll("a[href], button, summary, input:not([type=hidden]), textarea")]
  .filter((one) => one.checkVisibility() && !one.closest("p, li, dd, td, h1, h2, label, .skip"))
  .filter((one) => one.labels?.length !== 1)
  .map((one) => [one.outerHTML.slice(0, 80), one.getBoundingClientRect()])
  .filter(([words, box]) => box.width && Math.min(box.width, box.height) < 24)
  .map(([words, box]) => `${words} is ${box.width} by ${box.height}`)"""

#: Ordinary words broken over two lines because their box is too narrow; names, ids and addresses may be broken.
CUT = r"""() => {
  const words = /(?<![\p{L}\p{N}_/@.:-])\p{Script=Latin}{2,14}(?![\p{L}\p{N}_/@-])/gu;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange();
  const cut = [];
  while (texts.nextNode()) {
    const text = texts.currentNode, around = text.parentElement;
    if (!around.checkVisibility() || around.closest("code, .mono, .secret, .hidden, svg, option")) continue;
    for (const word of text.data.matchAll(words)) {
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
      if (lines.size > 1) cut.push(word[0]);
    }
  }
  return [...new Set(cut)];
}"""

#: The innermost element without which the page would be narrow enough: an overflowing box may have no own element.
WIDEST = """() => [...document.querySelectorAll("body *")].filter((one) => {
  const before = one.style.display;
  one.style.display = "none";
  const narrow = document.documentElement.scrollWidth <= document.documentElement.clientWidth;
  one.style.display = before;
  return narrow;
}).pop()?.outerHTML.slice(0, 80)"""


class Inspector:
    """Checks pages and collects the problems of each."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.seen: list[str] = []

    def look(self, page: Page, name: str) -> None:
        """Record the problems of the page as it is shown now."""
        self.seen.append(name)
        page.wait_for_load_state()  # without its stylesheets every page has problems
        wide = page.viewport_size
        page.emulate_media(color_scheme="light", reduced_motion="reduce")
        self._note(name, _violations(page))
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            self._note(f"{name}, {scheme}", _wrong_colors(page))
        self._note(name, page.evaluate(SMALL))
        page.set_viewport_size(NARROW)
        if wider := page.evaluate(WIDER):
            self._note(name, [f"at 320 pixels {page.evaluate(WIDEST)} makes it {wider} pixels too wide"])
        if cut := page.evaluate(CUT):
            self._note(name, [f"at 320 pixels words are broken: {', '.join(cut)}"])
        if page.evaluate(MOVING):
            self._note(name, ["something moves, though less motion is asked for"])
        if wide:
            page.set_viewport_size(wide)

    def _note(self, name: str, faults: list[str]) -> None:
        self.faults += [f"{name}: {fault}" for fault in faults]


def _violations(page: Page) -> list[str]:
    """Return the problems that do not depend on colors, in every element."""
    return _found(
        page,
        "document",
        {
            "runOnly": {"type": "tag", "values": RULES},
            "rules": {rule: {"enabled": False} for rule in COLORS},
        },
    )


def _wrong_colors(page: Page) -> list[str]:
    """Return the problems with the current colors, once for all elements that look the same."""
    return _found(
        page,
        f"{{ include: [document], exclude: ({ALIKE})() }}",
        {"runOnly": {"type": "rule", "values": COLORS}},
    )


def _found(page: Page, context: str, options: dict[str, Any]) -> list[str]:
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE)
    run = f"options => axe.run({context}, options).then(said => said.violations)"
    found = page.evaluate(run, {**options, "resultTypes": ["violations"]})
    return [f"{one['id']} ({one['help']}): {node['html'][:120]}" for one in found for node in one["nodes"]]
