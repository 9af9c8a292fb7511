"""Windows of every size and scheme, and the pictures taken of them."""

import itertools
import sys
from typing import Any

from playwright.sync_api import Browser, FrameLocator, Page

from tests.screenshots.site import ROOT, Site

OUT = ROOT / "screenshots"

WIDTHS = {"phone": (360, 780), "tablet": (768, 1024), "desk": (1280, 900)}
#: A window of 1,280 pixels at a zoom of 200 and 400 %; taken when asked for.
ZOOMED = {"zoom-200": (640, 400), "zoom-400": (320, 256)}
#: Numbers, for names that nobody else has.
PEOPLE = itertools.count(1)
SCHEMES = ("light", "dark")
#: The system's own few colors, in place of the page's; taken when asked for.
FORCED = "forced"


class Camera:
    """One window of one size and scheme; pictures are numbered in the order they are taken."""

    def __init__(self, browser: Browser, size: str, scheme: str) -> None:
        width, height = {**WIDTHS, **ZOOMED}[size]
        colors = {"forced_colors": "active"} if scheme == FORCED else {"color_scheme": scheme}
        self.window: dict[str, Any] = {"viewport": {"width": width, "height": height}, **colors}
        self.page = browser.new_context(**self.window).new_page()
        self.name, self.count = f"{size}-{scheme}", 0
        self.page.set_default_timeout(60_000)

    def shoot(self, title: str, page: Page | None = None) -> None:
        """Take the whole page; complain when it is wider than the window."""
        page = page or self.page
        self.count += 1
        # What sticks to the top would stand in the midst of the page, where somebody had scrolled to.
        page.evaluate("window.scrollTo(0, 0)")
        page.screenshot(path=OUT / f"{self.name}-{self.count:02d}-{title}.png", full_page=True)
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if wide > 0:
            sys.stderr.write(f"{self.name} {title}: {wide} px wider than the window\n")

    def press(self, button: str, *, menu: str) -> None:
        """Press a button of the marketplace's header; in a small window it is in a menu."""
        if not (pressed := self.page.get_by_role("button", name=button)).is_visible():
            self.page.get_by_role("button", name=menu, exact=True).click()
            self.shoot(f"crowd-menu-{menu.lower()}")
        pressed.click()

    def shoot_frame(self, title: str, frame: FrameLocator) -> None:
        """The page in the frame as its own window shows it."""
        address = frame.locator("body").evaluate("() => location.href")
        alone = self.page.context.new_page()
        alone.goto(address)
        alone.wait_for_timeout(150)
        self.shoot(title, alone)
        alone.close()


def signed_up(camera: Camera, site: Site) -> None:
    """An administrator of a name of its own, signed in."""
    name = f"{camera.name}-{next(PEOPLE)}"
    invited = site.typed("invite_person", f"{name}@example.org", "--administrator")
    camera.page.goto(invited["link"])
    camera.page.get_by_label("Name to sign in with").fill(name)
    camera.page.get_by_label("Password").fill("a horse reads passages")
    camera.page.get_by_role("button", name="Create account and join").click()
