"""`make screenshots`: pictures of every page into ./screenshots, at phone and desk width, light and dark.

Starts a product and a marketplace of its own on free ports, in a folder that is removed afterwards. The judging pages
show the sample, or with ``--texts FOLDER`` real ones (queries.tsv, passages.tsv and qrels.txt in that folder).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from playwright.sync_api import Browser, FrameLocator, Page, expect

from tests.journeys.person import chromium
from tests.provision import free_port

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "screenshots"
WIDTHS = {"phone": (360, 780), "tablet": (768, 1024), "desk": (1440, 900)}
SCHEMES = ("light", "dark")


class Site:
    """A product with a marketplace, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = f"http://127.0.0.1:{free_port()}"
        self.crowd = f"http://127.0.0.1:{(crowd_port := free_port())}"
        self.environment = {
            **os.environ,
            "PREFEREE_DATA_DIR": str(folder),
            "MARKETPLACE_PORT": str(crowd_port),
        }
        self.environment["PREFEREE_PUBLIC_URL"] = self.address
        for name in ("DATABASE_URL", "REDIS_URL", "CELERY_BROKER_URL", "DJANGO_SETTINGS_MODULE"):
            self.environment.pop(name, None)

    def typed(self, *words: object) -> dict:
        """What a command answers with ``--json``."""
        command = [sys.executable, "manage.py", *map(str, words), "--json"]
        done = subprocess.run(command, cwd=ROOT, env=self.environment, stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Everything up for the length of the block."""
        process = subprocess.Popen([sys.executable, "manage.py", "run"], cwd=ROOT, env=self.environment)
        try:
            for address in (self.address, self.crowd):
                _wait_for(f"{address}/healthz")
            yield
        finally:
            process.terminate()
            process.wait(timeout=30)

    def campaign(self, texts: Path | None) -> None:
        """A campaign for people, launched: over the demo's pool, or over ``texts`` with runs made up by lot."""
        pool = "sample-tops"
        if texts:
            runs = made_up_runs(texts / "qrels.txt", self.folder)
            files = ("--queries", texts / "queries.tsv", "--passages", texts / "passages.tsv")
            self.typed("import_collection", "texts", *files, "--qrels", texts / "qrels.txt")
            self.typed("import_runs", "texts", *runs)
            self.typed(
                "build_pool", "texts", "--pool", pool := "texts-tops", "--all-runs", "--qrels", "official"
            )
        self.typed("create_campaign", "people", "--pool", pool, "--allow-undecided")
        self.typed("propose_gold", "people")
        self.typed("accept_gold", "people", "--all")
        self.typed("set_texts", "people", "--accept")
        self.typed("launch_campaign", "people")


def made_up_runs(qrels: Path, folder: Path) -> list[Path]:
    """Five runs that rank the labelled passages by lot, with a leaning to the better ones."""
    labelled: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for line in qrels.read_text().splitlines():
        qid, _, pid, grade = line.split()
        labelled[qid].append((pid, int(grade)))
    paths = []
    for number in range(1, 6):
        lot = random.Random(number)
        lines = []
        for qid, rows in labelled.items():
            ranked = sorted(rows, key=lambda row: row[1] + lot.gauss(0, 1.5), reverse=True)
            lines += [
                f"{qid} Q0 {pid} {rank} {100 - rank} lot{number}\n" for rank, (pid, _) in enumerate(ranked, 1)
            ]
        paths.append(folder / f"lot{number}.txt")
        paths[-1].write_text("".join(lines))
    return paths


def _wait_for(address: str) -> None:
    for _ in range(300):
        try:
            with urllib.request.urlopen(address, timeout=1):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise SystemExit(f"{address} does not answer.")


class Camera:
    """One window of one size and scheme; pictures are numbered in the order they are taken."""

    def __init__(self, browser: Browser, size: str, scheme: str) -> None:
        width, height = WIDTHS[size]
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        self.page = context.new_page()
        self.name, self.count = f"{size}-{scheme}", 0

    def shoot(self, title: str, page: Page | None = None) -> None:
        """Take the whole page; complain when it is wider than the window."""
        page = page or self.page
        self.count += 1
        page.screenshot(path=OUT / f"{self.name}-{self.count:02d}-{title}.png", full_page=True)
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if wide > 0:
            sys.stderr.write(f"{self.name} {title}: {wide} px wider than the window\n")

    def shoot_frame(self, title: str, frame: FrameLocator) -> None:
        """The page in the frame as its own window shows it."""
        address = frame.locator("body").evaluate("() => location.href")
        alone = self.page.context.new_page()
        alone.goto(address)
        alone.wait_for_timeout(150)
        self.shoot(title, alone)
        alone.close()


def judging_pages(camera: Camera, site: Site) -> None:
    """Every step of a worker: preview, consent, pairs, what is missing, the end, a refusal."""
    page = camera.page
    page.goto(f"{site.crowd}/signup/")
    camera.shoot("crowd-sign-up")
    page.get_by_label("Name to sign in with").fill(camera.name)
    page.get_by_label("Password").fill("a horse reads passages")
    page.get_by_role("button", name="Sign up").click()
    camera.shoot("crowd-home")
    page.locator("#open a").first.click()
    camera.shoot("crowd-preview")
    camera.shoot_frame("preview", page.frame_locator("#preview-frame"))
    page.locator("#take-form button").click()
    frame = page.frame_locator("#task-frame")
    camera.shoot_frame("consent", frame)
    frame.locator("#agree").click()
    expect(frame.locator("#pair-1")).to_be_visible()
    camera.shoot("crowd-task")
    camera.shoot_frame("pair", frame)
    last = frame.locator("section.pair").count()  # a campaign's last tasks may have fewer
    for number in range(1, last):
        frame.locator(f"#pair-{number} label.choice").nth(number % 2).click()
    expect(frame.locator("#saved")).to_have_text("saved just now")
    camera.shoot_frame("last-pair", frame)
    frame.locator("#leave").click()
    expect(frame.locator("#stop")).to_be_visible()
    camera.shoot_frame("leave", frame)
    frame.locator("#go-on").click()
    expect(frame.locator(f"#pair-{last}")).to_be_visible()
    without_scripts(camera, frame)
    frame.locator(f"#pair-{last} label.undecided").click()
    expect(frame.locator("#saved")).to_have_text("saved just now")
    camera.shoot_frame("send-off", frame)
    camera.page.goto(site.address + "/judge/cut-off/")
    camera.shoot("refused")


def without_scripts(camera: Camera, frame: FrameLocator) -> None:
    """The same task as one plain form, and what it says of a pair without a choice."""
    address = frame.locator("body").evaluate("() => location.href")
    size = camera.page.viewport_size
    scheme = camera.name.partition("-")[2]
    context = camera.page.context.browser.new_context(
        viewport=size, color_scheme=scheme, java_script_enabled=False
    )
    plain = context.new_page()
    plain.goto(address)
    plain.locator("#send").click()
    camera.count += 1
    plain.screenshot(path=OUT / f"{camera.name}-{camera.count:02d}-plain-form.png", full_page=True)
    context.close()


def product_pages(camera: Camera, site: Site) -> None:
    """What researchers see: each page that the home page leads to, one of every kind."""
    seen: set[str] = set()
    waiting = [site.address + "/"]
    while waiting:
        camera.page.goto(waiting.pop(0))
        address = urlsplit(camera.page.url)
        kind = "-".join(part for part in address.path.split("/") if part and not part.isdecimal()) or "home"
        if kind in seen:
            continue
        seen.add(kind)
        camera.shoot(f"product-{kind}")
        for link in camera.page.locator("main a[href], header a[href]").all():
            target = urlsplit(link.evaluate("link => link.href"))
            if target.netloc == address.netloc and "." not in target.path and "logout" not in target.path:
                waiting.append(urlunsplit((*target[:3], "", "")))
        waiting = list(dict.fromkeys(waiting))


def main() -> None:
    """Take every picture."""
    parser = argparse.ArgumentParser(prog="python -m tests.screenshots", description=__doc__)
    parser.add_argument("--texts", type=Path, metavar="FOLDER", help="real texts for the judging pages")
    parser.add_argument("--only", choices=["judging", "product"], help="take only these pages")
    options = parser.parse_args()
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir()
    folder = Path(tempfile.mkdtemp(prefix="preferee-screenshots-"))
    try:
        site = Site(folder)
        if not (options.only == "judging" and options.texts):
            site.typed("demo")
        with site.running(), chromium() as browser:
            if options.only != "product":
                site.campaign(options.texts)
            for size in WIDTHS:
                for scheme in SCHEMES:
                    if options.only != "product":
                        judging_pages(Camera(browser, size, scheme), site)
                    if options.only != "judging":
                        product_pages(Camera(browser, size, scheme), site)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    sys.stderr.write(f"{len(list(OUT.iterdir()))} pictures in {OUT.relative_to(ROOT)}/\n")


if __name__ == "__main__":
    main()
