"""Creating a collection and uploading good and bad runs."""

import gzip

from playwright.sync_api import FilePayload

from tests.screenshots.camera import Camera, signed_up
from tests.screenshots.site import ROOT, Site


def sending_pages(camera: Camera, site: Site) -> None:
    """Create a collection, upload good and bad runs, and view one with a very long tag and file name."""
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
        page.get_by_label("Queries", exact=True).set_input_files(_file("queries.tsv", queries))
        page.get_by_label("Passages").set_input_files(sample / "passages.tsv")
        page.get_by_label("Qrels").set_input_files(sample / "qrels.txt")
        page.get_by_role("button", name="Create the collection").click()
        page.locator(".checklist, [aria-label=Problems]").wait_for(timeout=60_000)
        camera.shoot(f"sending-collection{shot and '-'}{shot}")
    runs_of(camera, f"{site.address}/collections/{name}/runs/")
    webhooks_of(camera, f"{site.address}/collections/{name}/webhooks/")
    page.goto(site.address)
    camera.shoot("sending-home-with-needs")


def webhooks_of(camera: Camera, address: str) -> None:
    """Register an address, show its secret, send a test, and replace the secret."""
    page = camera.page
    page.goto(address)
    page.get_by_label("Address").fill("ftp://hooks.example.org/hook")
    page.get_by_role("button", name="Register the webhook").click()
    camera.shoot("webhook-refused")
    page.get_by_label("Address").fill("https://127.0.0.1:9/hook?token=" + "very-long-" * 12)
    page.get_by_role("button", name="Register the webhook").click()
    camera.shoot("webhook-registered")
    page.get_by_role("link", name="Open the webhook").click()
    page.get_by_role("button", name="Send a test").click()
    page.locator("summary", has_text="Content").first.click()
    camera.shoot("webhook")
    page.get_by_role("button", name="Create a new secret").click()
    camera.shoot("webhook-new-secret")
    page.get_by_role("button", name="Switch off").click()
    camera.shoot("webhook-off")


def runs_of(camera: Camera, address: str) -> None:
    """Upload good and broken runs; show the list, a run, and a check without import."""
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
    page.locator("summary", has_text="Describe these runs").click()
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
