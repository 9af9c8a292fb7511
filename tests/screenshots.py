"""`make screenshots`: pictures of every page into ./screenshots, at phone and desk width, light and dark.

Starts a product and a marketplace of its own on free ports, in a folder that is removed afterwards. The judging pages
show the sample, or with ``--texts FOLDER`` real ones (queries.tsv, passages.tsv and qrels.txt in that folder).
"""

from __future__ import annotations

import argparse
import gzip
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

from playwright.sync_api import Browser, FilePayload, FrameLocator, Page, expect

from tests.journeys.person import chromium
from tests.provision import free_port

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "screenshots"
WIDTHS = {"phone": (360, 780), "tablet": (768, 1024), "desk": (1440, 900)}
SCHEMES = ("light", "dark")

#: Texts in other scripts, and a very long one: language, direction, question, two passages.
SCRIPTS = {
    "arabic": (
        "ar",
        "rtl",
        "كم من الوقت يستغرق سلق بيضة؟",
        "تحتاج البيضة الكبيرة إلى 9–12 دقيقة (بعد الغليان) لتصبح صلبة. استخدم SSD أو HTML كأمثلة على كلمات لاتينية.",
        "البيض غذاء شائع وغني بالبروتين.",
    ),
    "japanese": (
        "ja",
        "ltr",
        "卵を茹でる時間はどのくらいですか",
        "「固ゆで卵」は沸騰してから約12分、半熟卵は約7分茹でます。冷水に取ると、殻がむきやすくなります。",
        "卵は栄養価が高く、朝食によく食べられています。",
    ),
    "korean": (
        "ko",
        "ltr",
        "달걀을 얼마나 삶아야 하나요",
        "완숙은 물이 끓기 시작한 뒤 약 12분, 반숙은 약 7분 동안 삶습니다.",
        "달걀은 단백질이 풍부한 식품입니다.",
    ),
    "longest": (
        "en",
        "ltr",
        "what is the difference between " + "a very long question and " * 8 + "a short one",
        "This passage is as long as a chapter. " * 150 + "Donaudampfschifffahrtsgesellschaft" * 12,
        "This one is short.",
    ),
}
SHOW = """(pair, [language, direction, question, left, right]) => {
    const [one, other] = pair.querySelectorAll('.passage'), asked = pair.querySelector('.question');
    for (const [part, text] of [[asked, question], [one, left], [other, right]])
        Object.assign(part, {lang: language, dir: direction, textContent: text});
}"""


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
        self.launched("people", pool, "--allow-undecided")
        # Everything else that a campaign may ask of the page.
        asks = ("--minimum-seconds", 2, "--mark-query-words", "--minimum-age", 18, "--task-minutes", 5)
        asks += ("--base-reward", "0.30")
        told = (
            "--content-warning",
            "Some passages speak of illness and accidents.",
            "--contact",
            "ada@lab.example",
        )
        self.launched("careful", pool, *asks, *told, "--ethics-approval", "Board of Ethics, number 17/2026")

    def launched(self, name: str, pool: str, *settings: object) -> None:
        """A campaign for people over the pool, launched."""
        self.typed("create_campaign", name, "--pool", pool, *settings)
        self.typed("propose_gold", name)
        self.typed("accept_gold", name, "--all")
        self.typed("set_texts", name, "--accept")
        self.typed("launch_campaign", name)


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
    for _ in range(1200):  # a busy machine takes its time
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
        self.page.set_default_timeout(60_000)

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
    frame = taken(camera, "$0.20", "preview")
    camera.shoot_frame("consent", frame)
    frame.locator("#agree").click()
    expect(frame.locator("#first")).to_be_visible()
    camera.shoot_frame("instructions", frame)
    frame.locator("#begin").click()
    expect(frame.locator("#pair-1")).to_be_visible()
    camera.shoot("crowd-task")
    report_pages(camera, frame)
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
    page.goto(site.crowd)
    careful_pages(camera, site)
    excluded_pages(camera, site)


def excluded_pages(camera: Camera, site: Site) -> None:
    """What follows for a worker who is excluded: the crowd's home, the page to object on, the answer."""
    page = camera.page
    newest = (
        "from judging.models import Worker; print(Worker.objects.filter(simulated=False).latest('pk').pk)"
    )
    command = [sys.executable, "manage.py", "shell", "--verbosity", "0", "-c", newest]
    worker = subprocess.run(
        command, cwd=ROOT, env=site.environment, stdout=subprocess.PIPE, check=True
    ).stdout
    site.typed("collect", "careful")  # the crowd writes only to those whose work was paid
    # The one choice may have been in a test pair, and missed it: then the rule has excluded the worker already.
    exclude = [
        sys.executable,
        "manage.py",
        "exclude_worker",
        "careful",
        str(int(worker)),
        "--why",
        "did not read",
    ]
    subprocess.run(exclude, cwd=ROOT, env=site.environment, check=False)
    site.typed("collect", "careful")
    page.goto(site.crowd)
    notice = page.locator("[data-refused-by] [data-notice]")
    expect(notice).to_be_visible()
    camera.shoot("crowd-home-refused")
    page.get_by_role("link", name="write to").click()
    camera.shoot("crowd-write")
    page.goto(site.crowd)
    notice.get_by_role("link").click()
    camera.shoot("object")
    page.get_by_label("Tell the requester").fill(
        "I read every pair. The second passage of the first was cut off."
    )
    page.get_by_role("button", name="Send it to the requester").click()
    camera.shoot("objected")
    (appeal,) = site.typed("reports", "careful")["appeals"]
    site.typed(
        "reports", "careful", "--settle", appeal["appeal"], "--why", "We looked: the passage was whole."
    )
    page.reload()
    page.goto(page.url)
    camera.shoot("answered")


def careful_pages(camera: Camera, site: Site) -> None:
    """A campaign that warns, asks for the age, marks words, and has workers take their time; in five minutes."""
    frame = taken(camera, "$0.30", "preview-with-warning")
    camera.shoot_frame("consent-with-warning", frame)
    frame.locator("#agree").evaluate("button => { button.form.noValidate = true; button.click(); }")
    expect(frame.locator("#age-missing")).to_be_visible()
    frame.locator("[name=of-age]").check()
    frame.locator("#agree").click()
    frame.locator("#begin").click()
    frame.locator("#pair-1 label.choice").first.click()
    expect(frame.locator("#hurry")).to_be_visible()
    camera.shoot("crowd-task-with-little-time")
    frame.locator("#leave").click()
    page = camera.page.context.new_page()
    page.goto(frame.locator("body").evaluate("() => location.href"))
    page.route("**/mturk/externalSubmit", lambda route: route.abort())
    page.locator("#stop").click()
    page.goto(page.url)
    camera.shoot("last-step", page)
    page.unroute("**/mturk/externalSubmit")
    page.locator("#submit-to-crowd").click()
    page.locator("body").wait_for()
    page.close()


def report_pages(camera: Camera, frame: FrameLocator) -> None:
    """A pair in a window of its own: as it is shown, reported, in other scripts, without a connection."""
    page = camera.page.context.new_page()
    page.goto(frame.locator("body").evaluate("() => location.href"))
    page.locator("#begin").click()
    camera.shoot("pair", page)
    page.locator("#pair-1 .report summary").click()
    page.locator("#pair-1 [name=report-kind-1]").nth(3).check()
    page.locator("#report-words-1").fill("The second passage stops in the middle of a word.")
    camera.shoot("report", page)
    page.get_by_role("button", name="Report pair 1").click()
    expect(page.locator("#pair-1 .reported")).to_contain_text("Thank you")
    camera.shoot("reported", page)
    for name, (language, direction, question, left, right) in SCRIPTS.items():
        page.locator("#pair-1").evaluate(SHOW, [language, direction, question, left, right])
        camera.shoot(name, page)
    page.route("**/save", lambda route: route.abort())
    page.locator("#pair-1 label.choice").first.click()
    expect(page.locator("#trouble")).to_contain_text("No connection")
    camera.shoot("offline", page)
    page.unroute("**/save")
    expect(page.locator("#saved")).to_have_text("saved just now")
    page.close()
    camera.page.reload()
    frame.locator("#back").click()
    frame.locator("#pair-1").wait_for()


def taken(camera: Camera, reward: str, preview: str) -> FrameLocator:
    """Take a task of the posting with this reward; the frame it is judged in."""
    page = camera.page
    page.locator("#open li", has_text=reward).locator("a").first.click()
    camera.shoot(f"crowd-{preview}")
    camera.shoot_frame(preview, page.frame_locator("#preview-frame"))
    page.locator("#take-form button").click()
    return page.frame_locator("#task-frame")


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
    """What researchers see: each page that the home page leads to, one of every kind, as an administrator."""
    camera.page.goto(f"{site.address}/accounts/login/")
    camera.shoot("product-sign-in")
    invited = site.typed("invite_person", f"{camera.name}@example.org", "--administrator")
    camera.page.goto(invited["link"])
    camera.shoot("product-invitation")
    camera.page.get_by_label("Name to sign in with").fill(camera.name)
    camera.page.get_by_label("Password").fill("a horse reads passages")
    camera.page.get_by_role("button", name="Make the account").click()
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
        if camera.page.locator("form.asked").count():
            analysis_run(camera, kind)
        if camera.page.locator("form.worked-out").count():
            worked_out(camera, kind)
        for link in camera.page.locator("main a[href], header a[href]").all():
            target = urlsplit(link.evaluate("link => link.href"))
            if target.netloc == address.netloc and "." not in target.path and "logout" not in target.path:
                waiting.append(urlunsplit((*target[:3], "", "")))
        waiting = list(dict.fromkeys(waiting))


def signed_up(camera: Camera, site: Site) -> None:
    """An administrator of the camera's name, signed in."""
    invited = site.typed("invite_person", f"{camera.name}@sending.example", "--administrator")
    camera.page.goto(invited["link"])
    camera.page.get_by_label("Name to sign in with").fill(f"{camera.name}-sender")
    camera.page.get_by_label("Password").fill("a horse reads passages")
    camera.page.get_by_role("button", name="Make the account").click()


def sending_pages(camera: Camera, site: Site) -> None:
    """A collection made, runs sent, good and bad, and a run looked at; with a very long tag and file name."""
    page, sample, name = camera.page, ROOT / "docs" / "sample", f"lab-{camera.name}"
    signed_up(camera, site)
    page.goto(site.address)
    camera.shoot("sending-home")
    page.goto(f"{site.address}/new-collection/")
    camera.shoot("sending-new-collection")
    wrong = (sample / "queries.tsv").read_bytes() + b"no tab here\n"
    for queries, shot in ((wrong, "refused"), ((sample / "queries.tsv").read_bytes(), "")):
        page.goto(f"{site.address}/new-collection/")
        page.get_by_label("Name").fill(name)
        page.get_by_label("Title").fill("Questions of the laboratory")
        page.get_by_label("Queries").set_input_files(_file("queries.tsv", queries))
        page.get_by_label("Passages").set_input_files(sample / "passages.tsv")
        page.get_by_label("Qrels").set_input_files(sample / "qrels.txt")
        page.get_by_role("button", name="Create the collection").click()
        page.locator("#h-runs, [aria-label=Problems]").wait_for(timeout=60_000)
        camera.shoot(f"sending-collection{shot and '-'}{shot}")
    runs_of(camera, f"{site.address}/collections/{name}/runs/")
    webhooks_of(camera, f"{site.address}/collections/{name}/webhooks/")
    page.goto(site.address)
    camera.shoot("sending-home-with-needs")


def webhooks_of(camera: Camera, address: str) -> None:
    """An address registered, with its secret; a test on its way; a new secret."""
    page = camera.page
    page.goto(address)
    page.get_by_label("Address").fill("https://203.0.113.7/hook")
    page.get_by_role("button", name="Register the webhook").click()
    camera.shoot("webhook-refused")
    page.get_by_label("Address").fill("https://93.184.216.34:9/hook?token=" + "very-long-" * 12)
    page.get_by_role("button", name="Register the webhook").click()
    camera.shoot("webhook-registered")
    page.get_by_role("link", name="Go on to the webhook").click()
    page.get_by_role("button", name="Send a test").click()
    page.get_by_text("What was sent").click()
    camera.shoot("webhook")
    page.get_by_role("button", name="Make a new secret").click()
    camera.shoot("webhook-new-secret")
    page.get_by_role("button", name="Switch it off").click()
    camera.shoot("webhook-off")


def runs_of(camera: Camera, address: str) -> None:
    """Runs sent, good and spoilt; the list; a run; a check alone."""
    page, sample = camera.page, ROOT / "docs" / "sample"
    long = "a-run-with-a-very-long-name-" * 6
    first, second, third, *_ = sorted((sample / "runs").iterdir())
    good = gzip.decompress(first.read_bytes())
    lines = good.splitlines(keepends=True)
    lines[2] = lines[2].replace(b" Q0 ", b" ")
    bad = b"".join(lines[:60]) + lines[0] + b"q999 Q0 p1 1 high x\n" + b"x Q0 p1 one 1.0 tag\n"
    page.goto(address)
    camera.shoot("sending-no-runs")
    page.goto(f"{address}send/")
    camera.shoot("sending-form")
    page.get_by_label("Team").fill("Harbour Group")
    tagged = good.replace(good.split()[5], long.encode())
    page.get_by_label("Choose run files").set_input_files(
        [_file(f"{long}.txt", tagged), _file("spoilt.txt", bad), _file(second.name, second.read_bytes())]
    )
    camera.shoot("sending-files-chosen")
    page.get_by_role("button", name="Send and import").click()
    page.locator(".state.imported").nth(1).wait_for(timeout=60_000)
    camera.shoot("sending-sent")
    page.get_by_role("link", name="spoilt.txt").click()
    camera.shoot("sending-problems")
    page.goto(address)
    camera.shoot("sending-runs")
    page.get_by_role("link", name=long).click()
    camera.shoot("sending-run")
    for words, shot in (("Describe", "describe"), ("Withdraw", "withdraw")):
        page.get_by_role("link", name=words, exact=True).click()
        camera.shoot(f"sending-{shot}")
        page.go_back()
    page.get_by_label("Released as").select_option("public")
    page.get_by_role("button", name="Change release").click()
    camera.shoot("sending-release")
    page.goto(f"{address}send/")
    page.get_by_label("Choose run files").set_input_files(third)
    page.get_by_role("button", name="Check only").click()
    page.locator(".state.checked").wait_for(timeout=60_000)
    page.locator("tbody th a").first.click()
    camera.shoot("sending-checked")


def _file(name: str, content: bytes) -> FilePayload:
    return {"name": name, "mimeType": "text/plain", "buffer": content}


def analysis_run(camera: Camera, kind: str) -> None:
    """The same page once the analysis was run with the usual choices, or says why it can't be."""
    camera.page.get_by_role("button", name="Run").click()
    camera.page.locator("form.asked ~ .facts, form.asked ~ .empty").first.wait_for(timeout=60_000)
    camera.page.wait_for_load_state("networkidle")
    camera.shoot(f"product-{kind}-made")


def worked_out(camera: Camera, kind: str) -> None:
    """The same page once its work in the background is done; a challenge is planned for the run first listed."""
    form = camera.page.locator("form.worked-out")
    if form.locator("[name=run]").count():
        form.locator("[name=run]").first.check()
    form.get_by_role("button").click()
    camera.page.wait_for_load_state()
    camera.page.locator("main:not(:has([data-refresh]))").wait_for(timeout=60_000)
    camera.shoot(f"product-{kind}-worked-out")


def wizard_pages(camera: Camera, site: Site) -> None:
    """A pool thought over and built, and a campaign on every step to its launch; with what cannot be typed in."""
    page, name = camera.page, f"wizard-{camera.name}"
    invited = site.typed("invite_person", f"{camera.name}@wizard.example", "--administrator")
    page.goto(invited["link"])
    page.get_by_label("Name to sign in with").fill(name)
    page.get_by_label("Password").fill("a horse reads passages")
    page.get_by_role("button", name="Make the account").click()
    page.goto(f"{site.address}/collections/sample/pools/new/?sample=0&depth=x")
    camera.shoot("wizard-pool-plan-wrong")
    page.goto(f"{site.address}/collections/sample/pools/new/?sample=10")
    camera.shoot("wizard-pool-plan")
    page.get_by_label("Name of the pool").fill(name)
    page.get_by_role("button", name="Build the pool").click()
    page.get_by_role("heading", name=name, exact=True).wait_for()
    camera.shoot("wizard-pool")
    page.get_by_role("link", name="Prepare a campaign over this pool").click()
    page.get_by_label("Tasks one worker may do").fill("3")
    page.get_by_label("Name", exact=True).fill(name)
    camera.shoot("wizard-new-campaign")
    page.get_by_role("button", name="Make the draft").click()
    camera.shoot("wizard-gold-empty")
    page.get_by_role("button", name="Propose test pairs").click()
    page.locator("[data-key=a]").wait_for()
    page.keyboard.press("a")
    page.locator("[data-key=u]").wait_for()
    camera.shoot("wizard-gold")
    page.get_by_text("Accept all without looking").click()
    page.locator("button[value=accept-all]").click()
    camera.shoot("wizard-gold-enough")
    address = f"{site.address}/campaigns/{name}/prepare"
    for step in ("settings", "texts", "pay", "rehearsal", "pilot", "check"):
        page.goto(f"{address}/{step}/")
        page.wait_for_load_state("networkidle")
        camera.shoot(f"wizard-{step}")
    page.get_by_role("link", name="Texts").click()
    page.get_by_role("button", name="Save, accept and go on").click()
    if camera.name == "desk-light":  # it takes a while, and looks alike everywhere
        page.goto(f"{address}/rehearsal/")
        page.get_by_role("button", name=f"Rehearse {name}").click()
        page.get_by_text("The best answer found is the best there is").wait_for(timeout=180_000)
        camera.shoot("wizard-rehearsal-done")
    page.goto(f"{address}/launch/")
    page.get_by_label("Type the amount to confirm it").fill("1")
    camera.shoot("wizard-launch")
    page.locator("main button.primary").click()
    camera.shoot("wizard-launch-wrong")


def main() -> None:
    """Take every picture."""
    parser = argparse.ArgumentParser(prog="python -m tests.screenshots", description=__doc__)
    parser.add_argument("--texts", type=Path, metavar="FOLDER", help="real texts for the judging pages")
    parser.add_argument(
        "--only", choices=["judging", "product", "sending", "wizard"], help="take only these pages"
    )
    options = parser.parse_args()
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir()
    folder = Path(tempfile.mkdtemp(prefix="preferee-screenshots-"))
    try:
        site = Site(folder)
        if options.only != "sending" and not (options.only == "judging" and options.texts):
            site.typed("demo")
        with site.running(), chromium() as browser:
            if options.only in (None, "judging"):
                site.campaign(options.texts)
            for size in WIDTHS:
                for scheme in SCHEMES:
                    if options.only in (None, "judging"):
                        judging_pages(Camera(browser, size, scheme), site)
                    if options.only in (None, "product"):
                        product_pages(Camera(browser, size, scheme), site)
                    if options.only in (None, "sending"):
                        sending_pages(Camera(browser, size, scheme), site)
                    if options.only in (None, "wizard"):
                        wizard_pages(Camera(browser, size, scheme), site)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    sys.stderr.write(f"{len(list(OUT.iterdir()))} pictures in {OUT.relative_to(ROOT)}/\n")


if __name__ == "__main__":
    main()
