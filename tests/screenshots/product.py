"""Every page reachable by links, one of each kind."""

from urllib.parse import urlsplit, urlunsplit

from tests.screenshots.camera import Camera
from tests.screenshots.site import Site

#: Timeout in milliseconds for background work: on a busy machine an analysis takes minutes.
BUSY = 600_000
#: A campaign whose pages look like those of another one.
ALIKE = "/campaigns/people/"


def product_pages(camera: Camera, site: Site) -> None:
    """Show researchers' pages: every page reachable from the home page, one of each kind, as an administrator."""
    camera.page.goto(f"{site.address}/accounts/login/")
    camera.shoot("product-sign-in")
    invited = site.typed("invite_person", f"{camera.name}@example.org", "--administrator")
    camera.page.goto(invited["link"])
    camera.shoot("product-invitation")
    camera.page.get_by_label("Name to sign in with").fill(camera.name)
    camera.page.get_by_label("Password").fill("a horse reads passages")
    camera.page.get_by_role("button", name="Create account and join").click()
    seen: set[str] = set()
    waiting = [site.address + "/"]
    while waiting:
        camera.page.goto(waiting.pop(0))
        address = urlsplit(camera.page.url)
        parts = ["one" if part.isdecimal() else part for part in address.path.split("/") if part]
        kind = "-".join(parts) or "home"
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
            if (
                target.netloc == address.netloc
                and "." not in target.path
                and "logout" not in target.path
                and not target.path.startswith(ALIKE)
            ):
                waiting.append(urlunsplit((*target[:3], "", "")))
        waiting = list(dict.fromkeys(waiting))


def analysis_run(camera: Camera, kind: str) -> None:
    """Show the page after the analysis was run with its defaults, or with the reason why it cannot be run."""
    camera.page.get_by_role("button", name="Run").click()
    over = camera.page.locator(
        ", ".join(f"form.asked ~ {kind}" for kind in (".facts", ".empty", ".notice.stop"))
    )
    over.first.wait_for(timeout=BUSY)
    camera.page.wait_for_load_state("networkidle")
    camera.shoot(f"product-{kind}-made")


def worked_out(camera: Camera, kind: str) -> None:
    """Show the page after its background work; a challenge is planned for the first listed run."""
    form = camera.page.locator("form.worked-out")
    if form.locator("[name=run]").count():
        form.locator("[name=run]").first.check()
    form.get_by_role("button").click()
    camera.page.wait_for_load_state()
    camera.page.locator("main:not(:has([data-refresh]))").wait_for(timeout=BUSY)
    camera.shoot(f"product-{kind}-worked-out")
