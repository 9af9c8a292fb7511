"""The pictures of docs/tutorial.md: its steps in a browser, starting with an empty folder."""

import contextlib
import io
import sys
import time

from PIL import Image
from playwright.sync_api import Browser, Error, Page

from tests.screenshots.site import ROOT, Site

PICTURES = ROOT / "docs" / "pictures"
WINDOW = {"width": 1180, "height": 780}
QUALITY = 70
SAMPLE = ROOT / "docs" / "sample"


class Reader:
    """A person who follows the tutorial and takes its pictures."""

    def __init__(self, browser: Browser, site: Site) -> None:
        self.page: Page = browser.new_context(viewport=WINDOW, color_scheme="light").new_page()
        self.page.set_default_timeout(60_000)
        self.site = site

    def shows(self, name: str, beginning: str = "") -> None:
        """Save a picture of the window, starting at the heading ``beginning`` if given."""
        self.page.wait_for_load_state("networkidle")
        if beginning:
            self.page.get_by_role("heading", name=beginning).first.evaluate(
                "one => window.scrollTo(0, window.scrollY + one.getBoundingClientRect().top - 24)"
            )
        seen = Image.open(io.BytesIO(self.page.screenshot()))
        seen.save(PICTURES / f"{name}.webp", quality=QUALITY, method=6)
        sys.stderr.write(f"{name}\n")

    def click(self, words: str) -> None:
        """Press the button, or follow the link, with this text."""
        button = self.page.get_by_role("button", name=words, exact=True)
        button.or_(self.page.get_by_role("link", name=words, exact=True)).first.click()

    def until(self, words: str) -> None:
        """Reload until the page contains this text."""
        for _ in range(400):
            if words in self.page.locator("main").inner_text():
                return
            self.page.wait_for_timeout(1500)
            with contextlib.suppress(Error):  # a page that reloads itself at this moment ends our reload
                self.page.reload()
        raise SystemExit(f"The page never said: {words}")


def tutorial_pages(browser: Browser, site: Site) -> None:
    """Do every step of the tutorial in order."""
    PICTURES.mkdir(exist_ok=True)
    reader, began = Reader(browser, site), time.monotonic()
    for step in (
        begin,
        pool,
        prepare,
        rehearse,
        launch,
        publish,
        look,
        new_run,
        challenge,
        second_version,
        bundle,
    ):
        step(reader)
        sys.stderr.write(f"{step.__name__}: {time.monotonic() - began:.0f} s after the start\n")
    size = sum(path.stat().st_size for path in PICTURES.iterdir())
    sys.stderr.write(f"{len(list(PICTURES.iterdir()))} pictures, {size / 1e6:.2f} MB\n")


def begin(reader: Reader) -> None:
    """Create the first account, and load the sample."""
    page = reader.page
    page.goto(reader.site.typed("invite_person", "ada@example.org", "--administrator")["link"])
    page.get_by_label("Name to sign in with").fill("ada")
    page.get_by_label("Password").fill("a horse reads passages")
    reader.click("Create account and join")
    page.goto(reader.site.address)
    reader.shows("begin")
    reader.click("Load the sample")
    reader.until("Leaderboards")
    page.get_by_role("region", name="Table of collections").get_by_role("link", name="sample").click()
    reader.shows("collection")


def pool(reader: Reader) -> None:
    """Plan and build the pool."""
    page = reader.page
    reader.click("Plan a pool")
    page.get_by_role("heading", name="Effort and cost").wait_for()
    reader.shows("pool", "Effort and cost")
    page.get_by_label("Name of the pool").fill("tops")
    page.get_by_role("button", name="Build the pool").click()
    page.get_by_role("link", name="Prepare a campaign over this pool").click()


def prepare(reader: Reader) -> None:
    """Set up settings, gold pairs, texts and pay."""
    page = reader.page
    page.get_by_label("Name", exact=True).fill("spring")
    reader.click("Create draft")
    reader.click("Propose gold pairs")
    page.locator("[data-key=a]").wait_for()
    reader.shows("test-pairs")
    page.keyboard.press("a")
    page.locator("[data-key=u]").wait_for()
    page.get_by_text("Accept all without review").click()
    page.locator("button[value=accept-all]").click()
    page.get_by_text("You have enough.").wait_for()
    reader.click("Continue to texts")
    reader.shows("texts")
    reader.click("Save, accept and continue")


def rehearse(reader: Reader) -> None:
    """Rehearse with simulated workers on a copy."""
    page = reader.page
    page.get_by_role("link", name="Rehearsal").first.click()
    reader.click("Rehearse spring")
    reader.until("The best answer found is truly the best")
    reader.shows("rehearsal", "Results of the last rehearsal")
    page.get_by_role("link", name="Pay").first.click()
    page.get_by_label("Budget").fill("200")
    reader.click("Save")


def launch(reader: Reader) -> None:
    """Type the amount and launch, then use simulated workers instead of people."""
    page = reader.page
    page.get_by_role("link", name="Launch").first.click()
    amount = page.locator("form strong").last.inner_text()
    page.get_by_label("Type the amount to confirm it").fill(amount)
    page.locator("main button.primary").evaluate("one => one.scrollIntoView({ block: 'center' })")
    reader.shows("launch")
    page.locator("main button.primary").click()
    page.get_by_role("heading", name="spring").wait_for()
    simulate(reader, picture="live")


def simulate(reader: Reader, *, picture: str = "") -> None:
    """Start simulated workers on the campaign's page, and wait until every task is done."""
    page = reader.page
    reader.click("Simulated workers")
    page.get_by_label("Confirm").fill("spring")
    reader.click("Have simulated workers judge spring")
    page.get_by_text("judgments counted").first.wait_for()
    if picture:
        while page.locator("progress").first.evaluate("bar => bar.value") < 1:
            page.wait_for_timeout(300)
        reader.shows(picture)


def publish(reader: Reader) -> None:
    """Preview publishing, then publish version 1."""
    reader.until("The judgments are in")
    reader.click("Publish the first version")
    version(reader, 1, "publish")


def version(reader: Reader, number: int, picture: str) -> None:
    """Preview the version's changes, then publish it."""
    page = reader.page
    reader.click("Show what publishing would change")
    page.get_by_role("button", name=f"Publish version {number}").wait_for()
    reader.shows(picture)
    page.get_by_role("button", name=f"Publish version {number}").click()
    reader.until(f"Version {number} is published.")


def look(reader: Reader) -> None:
    """View the leaderboard and one query."""
    page = reader.page
    reader.click("Leaderboard with rank changes")
    reader.shows("leaderboard")
    page.go_back()
    reader.click("Queries of this version")
    page.locator("main tbody a").first.click()
    reader.shows("query")


def new_run(reader: Reader) -> None:
    """Upload two new runs."""
    page = reader.page
    page.goto(f"{reader.site.address}/collections/sample/")
    reader.click("Upload runs")
    page.get_by_label("Choose run files").set_input_files(sorted((SAMPLE / "later").glob("*.gz")))
    reader.click("Send and import")
    page.locator(".state.imported").nth(1).wait_for()
    page.goto(reader.site.address)
    reader.shows("needs")


def challenge(reader: Reader) -> None:
    """View the new runs' unseen passages, and open the challenge."""
    page = reader.page
    page.goto(f"{reader.site.address}/campaigns/spring/")
    reader.click("New runs challenge the best answers")
    for run in page.locator("[name=run]").all()[:2]:
        run.check()
    reader.click("Show unseen passages and cost")
    page.get_by_role("button", name="Challenge and spend up to").wait_for()
    reader.shows("challenge")
    page.get_by_role("button", name="Challenge and spend up to").click()
    reader.until("is open:")
    page.get_by_role("link", name="spring", exact=True).first.click()
    simulate(reader)


def second_version(reader: Reader) -> None:
    """Publish version 2, and view what changed."""
    reader.until("The judgments are in")
    reader.click("Publish the next version")
    version(reader, 2, "publish-2")
    reader.click("What changed and why")
    reader.shows("changes")


def bundle(reader: Reader) -> None:
    """Create the bundle to publish with a paper."""
    page = reader.page
    page.goto(f"{reader.site.address}/collections/sample/versions/2/")
    page.get_by_role("link", name="bundle to publish").click()
    reader.click("Count contents")
    page.get_by_role("button", name="Make the bundle of version 2").wait_for()
    reader.shows("bundle")
    reader.click("Make the bundle of version 2")
    page.get_by_role("link", name="Download").wait_for()
