"""Pages for workers, at the crowd and on the judging page."""

import subprocess
import sys

from playwright.sync_api import FrameLocator, Page, expect

from tests.screenshots.camera import OUT, Camera
from tests.screenshots.site import ROOT, Site

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


def judging_pages(camera: Camera, site: Site) -> None:
    """Show every step of a worker: preview, consent, pairs, missing choices, the end, a refusal."""
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
        choose(frame, number, number % 2)
    expect(frame.locator("#saved")).to_have_text("saved just now")
    camera.shoot_frame("last-pair", frame)
    camera.shoot("crowd-task-last-pair")
    camera.press("Return task", menu="Task")
    camera.shoot("crowd-return")
    page.locator("#stop-and-submit").click()
    expect(frame.locator("#stop")).to_be_visible()
    camera.shoot_frame("leave", frame)
    frame.locator("#go-on").click()
    expect(frame.locator(f"#pair-{last}")).to_be_visible()
    without_scripts(camera, frame)
    choose(frame, last, 2)
    expect(frame.locator("#saved")).to_have_text("saved just now")
    camera.shoot_frame("send-off", frame)
    camera.page.goto(site.address + "/judge/cut-off/")
    camera.shoot("refused")
    page.goto(site.crowd)
    careful_pages(camera, site)
    excluded_pages(camera, site)
    crowd_pages(camera, site)


def crowd_pages(camera: Camera, site: Site) -> None:
    """Show the crowd site's other pages: past tasks, earnings, the account, sign-in."""
    page = camera.page
    for path in ("done", "earnings", "qualifications", "account", "account/password"):
        page.goto(f"{site.crowd}/{path}/")
        camera.shoot(f"crowd-{path.replace('/', '-')}")
    camera.press("Sign out", menu="Menu")
    for path in ("signin", "password", "nowhere"):
        page.goto(f"{site.crowd}/{path}/")
        camera.shoot(f"crowd-{path}")


def excluded_pages(camera: Camera, site: Site) -> None:
    """Show what an excluded worker sees: the crowd's home page, the appeal page, the answer."""
    page = camera.page
    newest = (
        "from judging.models import Worker; print(Worker.objects.filter(simulated=False).latest('pk').pk)"
    )
    command = [sys.executable, "manage.py", "shell", "--verbosity", "0", "-c", newest]
    worker = subprocess.run(
        command, cwd=ROOT, env=site.environment, stdout=subprocess.PIPE, check=True
    ).stdout
    site.typed("collect", "careful")
    # The crowd delivers messages only to paid workers, and pay for a pair judged too fast to be read is held.
    for held in site.typed("held_payments", "careful")["held"]:
        site.typed("held_payments", "careful", held["receipt"], "--pay")
    site.typed("collect", "careful")
    # The only choice may have failed a gold pair; then the rule has already excluded the worker.
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
    notice = page.locator("[data-refused-by] [data-notice]").first
    expect(notice).to_be_visible()
    camera.shoot("crowd-home-refused")
    page.get_by_role("link", name="write to").first.click()
    camera.shoot("crowd-write")
    page.goto(site.crowd)
    notice.get_by_role("link").click()
    camera.shoot("object")
    page.get_by_label("Tell the requester").fill(
        "I read every pair. The second passage of the first was cut off."
    )
    page.get_by_role("button", name="Send to the requester").click()
    camera.shoot("objected")
    (appeal,) = site.typed("reports", "careful")["appeals"]
    site.typed(
        "reports", "careful", "--settle", appeal["appeal"], "--why", "We looked: the passage was whole."
    )
    page.reload()
    page.goto(page.url)
    camera.shoot("answered")


def careful_pages(camera: Camera, site: Site) -> None:
    """Show a campaign with a warning, an age check, marked words and a minimum time, five minutes before its end."""
    frame = taken(camera, "$0.30", "preview-with-warning")
    camera.shoot_frame("consent-with-warning", frame)
    frame.locator("#agree").evaluate("button => { button.form.noValidate = true; button.click(); }")
    expect(frame.locator("#age-missing")).to_be_visible()
    frame.locator("[name=of-age]").check()
    frame.locator("#agree").click()
    frame.locator("#begin").click()
    choose(frame, 1, 0)
    expect(frame.locator("#hurry")).to_be_visible()
    camera.shoot("crowd-task-with-little-time")
    frame.locator("#more-time").click()
    expect(frame.locator("#longer")).to_have_text("You have more time now.")
    camera.shoot("crowd-task-with-more-time")
    frame.locator("#leave").click()
    expect(frame.locator("#stop")).to_be_visible()
    page = camera.page.context.new_page()
    page.goto(frame.locator("body").evaluate("() => location.href"))
    page.route("**/mturk/externalSubmit", lambda route: route.abort())
    with page.expect_request("**/mturk/externalSubmit"):
        page.locator("#stop").click()
    page.goto(page.url)
    camera.shoot("last-step", page)
    page.unroute("**/mturk/externalSubmit")
    page.locator("#submit-to-crowd").click()
    page.locator("body").wait_for()
    page.close()
    camera.page.locator("[data-page=submitted]").wait_for()
    camera.shoot("crowd-submitted")
    camera.page.get_by_role("link", name="Receipt for this task").click()
    camera.shoot("crowd-receipt")


def report_pages(camera: Camera, frame: FrameLocator) -> None:
    """Show a pair in its own window: as usual, reported, in other scripts, without a connection."""
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
    choose(page, 1, 0)
    expect(page.locator("#trouble")).to_contain_text("No connection")
    camera.shoot("offline", page)
    page.unroute("**/save")
    expect(page.locator("#saved")).to_have_text("saved just now")
    page.close()
    camera.page.reload()
    frame.locator("#back").click()
    frame.locator("#pair-1").wait_for()


def choose(where: Page | FrameLocator, number: int, choice: int) -> None:
    """Read both passages of a pair to the end, and choose."""
    pair = where.locator(f"#pair-{number}")
    pair.locator(".passage").evaluate_all("all => all.forEach((one) => one.scrollIntoView({ block: 'end' }))")
    pair.locator("label.choice").nth(choice).click()


def taken(camera: Camera, reward: str, preview: str) -> FrameLocator:
    """Take a task of the posting with this reward; returns its frame."""
    page = camera.page
    page.locator("#open li", has_text=reward).locator("a").first.click()
    camera.shoot(f"crowd-{preview}")
    camera.shoot_frame(preview, page.frame_locator("#preview-frame"))
    page.locator("#take-form button").click()
    return page.frame_locator("#task-frame")


def without_scripts(camera: Camera, frame: FrameLocator) -> None:
    """Show the same task as a plain form, and its message about a pair without a choice."""
    address = frame.locator("body").evaluate("() => location.href")
    context = camera.page.context.browser.new_context(**camera.window, java_script_enabled=False)
    plain = context.new_page()
    plain.goto(address)
    plain.locator("#send").click()
    camera.count += 1
    plain.screenshot(path=OUT / f"{camera.name}-{camera.count:02d}-plain-form.png", full_page=True)
    context.close()
