"""Planning and building a pool, and all eight steps from a campaign to its launch."""

from tests.screenshots.camera import Camera, signed_up
from tests.screenshots.site import Site


def wizard_pages(camera: Camera, site: Site) -> None:
    """Plan and build a pool, and take a campaign through every step to its launch, including invalid input."""
    page, name = camera.page, f"wizard-{camera.name}"
    signed_up(camera, site)
    page.goto(f"{site.address}/collections/sample/pools/new/?sample=0&depth=x")
    camera.shoot("wizard-pool-plan-wrong")
    page.goto(f"{site.address}/collections/sample/pools/new/?sample=10")
    camera.shoot("wizard-pool-plan")
    page.get_by_label("Name of the pool").fill(name)
    page.get_by_role("button", name="Build the pool").click()
    page.get_by_role("heading", name=name, exact=True).wait_for()
    camera.shoot("wizard-pool")
    page.get_by_role("link", name="Prepare a campaign over this pool").click()
    page.locator("details.advanced > summary").click()
    page.get_by_label("Maximum tasks per worker").fill("3")
    page.get_by_label("Name", exact=True).fill(name)
    camera.shoot("wizard-new-campaign")
    page.get_by_role("button", name="Create draft").click()
    camera.shoot("wizard-gold-empty")
    page.get_by_role("button", name="Propose gold pairs").click()
    page.locator("[data-key=a]").wait_for()
    page.keyboard.press("a")
    page.locator("[data-key=u]").wait_for()
    camera.shoot("wizard-gold")
    page.get_by_text("Accept all without review").click()
    page.locator("button[value=accept-all]").click()
    camera.shoot("wizard-gold-enough")
    address = f"{site.address}/campaigns/{name}/prepare"
    for step in ("settings", "texts", "pay", "rehearsal", "pilot", "check"):
        page.goto(f"{address}/{step}/")
        page.wait_for_load_state("networkidle")
        # A browser draws a frame only when it is in the window; on a phone, the texts' frame is further down.
        window = page.viewport_size
        if step == "texts" and window:
            page.frame_locator("iframe[name=preview]").locator("h1").wait_for()
            page.set_viewport_size({"width": window["width"], "height": 3000})
            page.wait_for_timeout(500)
        camera.shoot(f"wizard-{step}")
        if window:
            page.set_viewport_size(window)
    page.get_by_role("link", name="Texts").first.click()
    page.get_by_role("button", name="Save, accept and continue").click()
    if camera.name == "desk-light":  # it takes a while, and looks the same everywhere
        page.goto(f"{address}/rehearsal/")
        page.get_by_role("button", name=f"Rehearse {name}").click()
        page.get_by_text("The best answer found is truly the best").wait_for(timeout=180_000)
        camera.shoot("wizard-rehearsal-done")
    page.goto(f"{address}/launch/")
    page.get_by_label("Type the amount to confirm it").fill("1")
    camera.shoot("wizard-launch")
    page.locator("main button.primary").click()
    camera.shoot("wizard-launch-wrong")
