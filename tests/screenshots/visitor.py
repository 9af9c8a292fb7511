"""Pages for visitors without an account, and pages behind broken links."""

from tests.screenshots.camera import Camera
from tests.screenshots.site import Site

#: Title of the picture → page of the demo's collection.
PAGES = {
    "home": "/",
    "collection": "/collections/sample/",
    "leaderboard": "/collections/sample/leaderboard/",
    "runs": "/collections/sample/runs/",
    "policy": "/collections/sample/policy/",
    "analyses": "/collections/sample/analyses/",
    "version": "/collections/sample/versions/1/",
    "campaign": "/campaigns/sample-first/",
    "no-campaign-for-all": "/campaigns/sample-first/workers/",
    "accounts-by-invitation": "/accounts/signup/",
    "invitation-over": "/accounts/invitations/was-used-up-long-ago/",
    "no-such-page": "/collections/nowhere/",
}


def visitor_pages(camera: Camera, site: Site) -> None:
    """Show the pages that need no account, and one query and one run of a version."""
    page = camera.page
    for title, path in PAGES.items():
        page.goto(site.address + path)
        page.wait_for_load_state("networkidle")
        camera.shoot(f"visitor-{title}")
    page.goto(site.address + PAGES["version"])
    page.locator("main tbody th a").first.click()
    camera.shoot("visitor-query")
    page.goto(site.address + PAGES["leaderboard"])
    page.locator("main tbody th a").first.click()
    camera.shoot("visitor-run")
