"""Pages behind forms: a collection's rules and members, decisions, money, messages, the account."""

from tests.screenshots.camera import Camera, signed_up
from tests.screenshots.site import Site


def steering_pages(camera: Camera, site: Site) -> None:
    """Show each form before and after it is sent, on the demo's collection and campaign, as an administrator."""
    signed_up(camera, site)
    collection, campaign = f"{site.address}/collections/sample", f"{site.address}/campaigns/sample-first"
    rules_of(camera, collection)
    members_of(camera, collection)
    several_runs(camera, f"{collection}/runs/")
    money_of(camera, campaign)
    workers_of(camera, campaign)
    bundle_of(camera, f"{collection}/versions/1/bundle/")
    account_pages(camera, site.address)


def rules_of(camera: Camera, collection: str) -> None:
    """Set a submission policy, and preview a split into private queries."""
    page = camera.page
    page.goto(f"{collection}/policy/")
    page.get_by_label("Why", exact=True).fill("Two runs a month leave time to read them.")
    page.locator("main button.primary").first.click()
    camera.shoot("steering-policy")
    page.goto(f"{collection}/split/")
    page.get_by_label("Share of queries to draw").fill("25")
    page.get_by_role("button", name="Preview the split").click()
    camera.shoot("steering-split")
    page.goto(f"{collection}/campaigns/new/")
    page.locator("details.advanced > summary").click()
    page.get_by_label("Slip rate of honest workers").fill("7")
    # Values that the browser would refuse, to see the page's own message.
    page.get_by_role("button", name="Create draft").evaluate(
        "button => { button.form.noValidate = true; button.click(); }"
    )
    page.locator(".field.wrong").first.wait_for()
    camera.shoot("steering-new-campaign-wrong")


def members_of(camera: Camera, collection: str) -> None:
    """Invite a person, and show the link."""
    page = camera.page
    page.goto(f"{collection}/members/")
    page.get_by_label("Name or e-mail address").fill(f"new-{camera.name}@example.org")
    page.get_by_role("button", name="Add", exact=True).click()
    camera.shoot("steering-invited")


def several_runs(camera: Camera, runs: str) -> None:
    """Show the effects of releasing several runs at once."""
    page = camera.page
    page.goto(runs)
    for box in page.locator("tbody [type=checkbox]").all()[:2]:
        box.check()
    page.get_by_label("Release the runs chosen here as").select_option("private")
    page.get_by_role("button", name="Continue").click()
    camera.shoot("steering-release-runs")


def money_of(camera: Camera, campaign: str) -> None:
    """Show a top-up's cost, and a budget with a wrong and a right amount."""
    page = camera.page
    page.goto(f"{campaign}/top-up/")
    page.get_by_label("Minimum hourly pay").fill("900")
    page.get_by_role("button", name="Calculate").click()
    camera.shoot("steering-top-up")
    for amount, shot in (("1", "-wrong"), ("900", "")):
        page.goto(f"{campaign}/budget/")
        page.get_by_label("New budget").fill(amount)
        page.get_by_label("Why").fill("Two more rounds.")
        page.get_by_role("button", name="Continue").click()
        camera.shoot(f"steering-budget{shot}")


def workers_of(camera: Camera, campaign: str) -> None:
    """Show the confirmations before excluding a worker and sending a message, and differences from the crowd."""
    page = camera.page
    page.goto(f"{campaign}/workers/")
    page.locator("tbody tr:not(.out) th a").first.click()
    camera.shoot("steering-worker")
    page.get_by_role("link", name="Exclude").click()
    camera.shoot("steering-exclude")
    page.goto(f"{campaign}/message/")
    page.get_by_label("all workers who submitted work").check()
    page.get_by_label("Subject").fill("Thank you")
    page.get_by_label("Text").fill("The results are published. They rest on your work.")
    page.get_by_role("button", name="Preview message").click()
    camera.shoot("steering-letter")
    page.goto(f"{campaign}/differences/")
    camera.shoot("steering-differences")
    page.goto(f"{campaign}/reports/?show=all")
    camera.shoot("steering-reports")


def bundle_of(camera: Camera, bundle: str) -> None:
    """Show a finished bundle and the confirmation before its deletion; only the first camera creates it."""
    page = camera.page
    page.goto(bundle)
    for words in ("Count contents", "Make the bundle"):
        if page.get_by_role("button", name=words).count():
            page.get_by_role("button", name=words).click()
            page.locator("main:not(:has([data-refresh]))").wait_for(timeout=600_000)
    camera.shoot("steering-bundle")
    page.get_by_role("link", name="Delete").first.click()
    camera.shoot("steering-delete-bundle")


def account_pages(camera: Camera, address: str) -> None:
    """Show a new token on the only page that contains it, and the set-up of a second factor."""
    page = camera.page
    page.goto(f"{address}/accounts/tokens/")
    page.get_by_label("Purpose").fill("The nightly script on the laboratory's server")
    page.get_by_role("button", name="Create token").click()
    camera.shoot("steering-token")
    page.goto(f"{address}/accounts/2fa/totp/activate/")
    camera.shoot("steering-second-factor")
