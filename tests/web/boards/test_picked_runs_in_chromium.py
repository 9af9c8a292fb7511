"""Runs picked on the leaderboard: two at most, and boxes in one column at the start of the rows."""

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.one_database, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

BOARD = "/collections/harbour/leaderboard/"
FULL = "Two runs are chosen. Clear one to choose another."


def test_a_third_run_cannot_be_picked_until_one_is_cleared(cast, page, live_server):
    cast.add_runs(2)
    page.goto(f"{live_server.url}{BOARD}")
    boxes = page.locator("input[form=pick][type=checkbox]")
    status = page.locator("#pick").get_by_role("status")
    boxes.nth(0).check()
    expect(status).to_be_empty()

    boxes.nth(2).check()

    expect(status).to_have_text(FULL)
    expect(boxes.nth(1)).to_be_disabled()
    expect(boxes.nth(0)).to_be_enabled()
    boxes.nth(0).uncheck()
    expect(status).to_be_empty()
    expect(boxes.nth(1)).to_be_enabled()


def test_ticks_that_the_browser_restores_count(cast, page, live_server):
    cast.add_runs(2)
    page.goto(f"{live_server.url}{BOARD}")
    boxes = page.locator("input[form=pick][type=checkbox]")
    boxes.nth(0).check()
    boxes.nth(1).check()
    page.get_by_role("button", name="Compare the two chosen runs").click()
    page.wait_for_url("**/two-runs/**")

    page.go_back()

    expect(boxes.nth(1)).to_be_checked()
    expect(boxes.nth(2)).to_be_disabled()
    expect(page.locator("#pick").get_by_role("status")).to_have_text(FULL)


def test_picked_runs_stay_when_the_list_is_filtered(cast, page, live_server):
    cast.add_runs(2)
    page.goto(f"{live_server.url}{BOARD}")
    boxes = page.locator("input[form=pick][type=checkbox]")
    first = boxes.nth(0).get_attribute("value")
    second = boxes.nth(1).get_attribute("value")
    boxes.nth(0).check()

    page.get_by_label("Run tag contains").fill(second)

    status = page.locator("#pick").get_by_role("status")
    expect(status).to_have_text(f"Chosen, but not in this list: {first}")
    boxes.nth(0).check()
    page.reload()
    expect(status).to_contain_text(first)
    page.get_by_role("button", name="Compare the two chosen runs").click()
    page.wait_for_url("**/two-runs/**")
    assert f"run={first}" in page.url
    assert f"run={second}" in page.url


@pytest.mark.parametrize("width", [390, 1280])
def test_boxes_stand_in_one_column_at_the_start_of_their_rows(cast, page, live_server, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{live_server.url}{BOARD}")

    places = page.evaluate("""() => [...document.querySelectorAll("input[form=pick][type=checkbox]")].map((box) => {
      const row = box.closest("tr").getBoundingClientRect(), own = box.getBoundingClientRect();
      const rank = box.closest("td").nextElementSibling.querySelector("strong").getBoundingClientRect();
      return [own.left - row.left, (own.top + own.bottom) / 2 - (rank.top + rank.bottom) / 2, own.width];
    })""")

    assert len(places) == 2
    assert len({round(left) for left, _, _ in places}) == 1
    for left, below_the_rank, wide in places:
        assert 0 <= left < 16
        assert abs(below_the_rank) <= 2
        assert wide >= 24
