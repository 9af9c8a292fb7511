"""Pages that only a form leads to: rules and members of a collection, decisions, money, letters, the account."""

from tests.screenshots.camera import Camera, signed_up
from tests.screenshots.site import Site


def steering_pages(camera: Camera, site: Site) -> None:
    """What an administrator is shown before and after each of them, on the demo's collection and campaign."""
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
    """A submission policy that is set, and what a split would make private."""
    page = camera.page
    page.goto(f"{collection}/policy/")
    page.get_by_label("Why", exact=True).fill("Two runs a month leave time to read them.")
    page.locator("main button.primary").first.click()
    camera.shoot("steering-policy")
    page.goto(f"{collection}/split/")
    page.get_by_label("Draw this share of the queries").fill("25")
    page.get_by_role("button", name="Preview the split").click()
    camera.shoot("steering-split")
    page.goto(f"{collection}/campaigns/new/")
    page.locator("details.advanced > summary").click()
    page.get_by_label("Honest slips").fill("7")
    # What the browser would refuse, to see what the page says of it.
    page.get_by_role("button", name="Create draft").evaluate(
        "button => { button.form.noValidate = true; button.click(); }"
    )
    page.locator(".field.wrong").first.wait_for()
    camera.shoot("steering-new-campaign-wrong")


def members_of(camera: Camera, collection: str) -> None:
    """Somebody invited, with the link that lets them in."""
    page = camera.page
    page.goto(f"{collection}/members/")
    page.get_by_label("Name or e-mail address").fill(f"new-{camera.name}@example.org")
    page.get_by_role("button", name="Add", exact=True).click()
    camera.shoot("steering-invited")


def several_runs(camera: Camera, runs: str) -> None:
    """What it means to release several runs at once."""
    page = camera.page
    page.goto(runs)
    for box in page.locator("tbody [type=checkbox]").all()[:2]:
        box.check()
    page.get_by_label("Release the runs chosen here as").select_option("private")
    page.get_by_role("button", name="Continue").click()
    camera.shoot("steering-release-runs")


def money_of(camera: Camera, campaign: str) -> None:
    """A top-up worked out, and a budget, wrong and right."""
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
    """A worker about to be excluded, a letter about to be sent, and differences from the crowd."""
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
    """A bundle that was made, and the question before it is deleted. Once: the others find it made."""
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
    """A token in the answer that alone shows it, and a second factor about to be set up."""
    page = camera.page
    page.goto(f"{address}/accounts/tokens/")
    page.get_by_label("Purpose").fill("The nightly script on the laboratory's server")
    page.get_by_role("button", name="Create token").click()
    camera.shoot("steering-token")
    page.goto(f"{address}/accounts/2fa/totp/activate/")
    camera.shoot("steering-second-factor")
