"""Browser windows of every size and color scheme, and their pictures."""

import itertools
import sys
from typing import Any

from playwright.sync_api import Browser, FrameLocator, Page

from tests.screenshots.site import ROOT, Site

OUT = ROOT / "screenshots"

WIDTHS = {"phone": (360, 780), "tablet": (768, 1024), "desk": (1280, 900)}
#: A window of 1,280 pixels at a zoom of 200 and 400%; only on request.
ZOOMED = {"zoom-200": (640, 400), "zoom-400": (320, 256)}
#: Numbers for unique names.
PEOPLE = itertools.count(1)
SCHEMES = ("light", "dark")
#: Forced colors instead of the page's; only on request.
FORCED = "forced"


class Camera:
    """One window of one size and color scheme; pictures are numbered in order."""

    def __init__(self, browser: Browser, size: str, scheme: str) -> None:
        width, height = {**WIDTHS, **ZOOMED}[size]
        colors = {"forced_colors": "active"} if scheme == FORCED else {"color_scheme": scheme}
        self.window: dict[str, Any] = {"viewport": {"width": width, "height": height}, **colors}
        self.page = browser.new_context(**self.window).new_page()
        self.name, self.count = f"{size}-{scheme}", 0
        self.page.set_default_timeout(60_000)

    def shoot(self, title: str, page: Page | None = None) -> None:
        """Take a picture of the whole page; fail if it is wider than the window."""
        page = page or self.page
        self.count += 1
        # Elements fixed to the top would appear in the middle of a page that was scrolled.
        page.evaluate("window.scrollTo(0, 0)")
        page.screenshot(path=OUT / f"{self.name}-{self.count:02d}-{title}.png", full_page=True)
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if wide > 0:
            sys.stderr.write(f"{self.name} {title}: {wide} px wider than the window\n")

    def press(self, button: str, *, menu: str) -> None:
        """Press a button in the marketplace's header; in a small window it is in a menu."""
        if not (pressed := self.page.get_by_role("button", name=button)).is_visible():
            self.page.get_by_role("button", name=menu, exact=True).click()
            self.shoot(f"crowd-menu-{menu.lower()}")
        pressed.click()

    def shoot_frame(self, title: str, frame: FrameLocator) -> None:
        """Take a picture of the frame's page in its own window."""
        address = frame.locator("body").evaluate("() => location.href")
        alone = self.page.context.new_page()
        alone.goto(address)
        alone.wait_for_timeout(150)
        self.shoot(title, alone)
        alone.close()


def signed_up(camera: Camera, site: Site) -> None:
    """Sign in a new administrator with a unique name."""
    name = f"{camera.name}-{next(PEOPLE)}"
    invited = site.typed("invite_person", f"{name}@example.org", "--administrator")
    camera.page.goto(invited["link"])
    camera.page.get_by_label("Name to sign in with").fill(name)
    camera.page.get_by_label("Password").fill("a horse reads passages")
    camera.page.get_by_role("button", name="Create account and join").click()
