"""Filters that act while a person types: the list changes, the field and its text stay."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.one_database, pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize(
    ("address", "field", "typed", "kept", "gone"),
    [
        ("queries/", "Query contains", "q2?", "q2?", "q1?"),
        ("versions/1/", "Query contains", "q2?", "q2?", "q1?"),
        ("leaderboard/", "Run tag contains", "qua", "quay", "mole"),
        ("runs/", "Run or team contains", "qua", "quay", "mole"),
    ],
)
def test_a_list_is_filtered_while_somebody_types(
    page, live_server, published, address, field, typed, kept, gone
):
    page.goto(f"{live_server.url}/collections/harbour/{address}")
    there = page.locator("main").get_by_role("link")
    expect(there.filter(has_text=gone).first).to_be_visible()
    page.evaluate("document.documentElement.dataset.same = 'page'")

    page.get_by_label(field).press_sequentially(typed)

    expect(there.filter(has_text=gone)).to_have_count(0)
    expect(there.filter(has_text=kept).first).to_be_visible()
    expect(page.get_by_label(field)).to_be_focused()
    expect(page.get_by_label(field)).to_have_value(typed)
    expect(page).to_have_url(re.compile(rf"[?&]q={typed[:2]}"))
    assert page.evaluate("document.documentElement.dataset.same") == "page"


def test_the_figure_of_a_board_follows_what_is_typed(page, live_server, published):
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    page.goto(f"{live_server.url}/collections/harbour/leaderboard/")
    figures = page.locator("[data-charts]")
    expect(figures.first.locator("canvas").first).to_be_visible()

    page.get_by_label("Run tag contains").press_sequentially("qua")

    expect(page.locator(".board").get_by_role("link", name="mole")).to_have_count(0)
    expect(figures.first.locator("canvas").first).to_be_visible()
    assert '"mole"' not in figures.first.evaluate(
        "(one) => document.getElementById(one.dataset.charts).textContent"
    )
    page.get_by_label("Run tag contains").fill("no such run")
    expect(page.locator("[data-follows-filters]")).to_have_text("No runs match.")


def test_a_ticked_column_appears_at_once(page, live_server, published):
    page.goto(f"{live_server.url}/collections/harbour/leaderboard/")
    page.locator("summary", has_text="Columns").click()

    page.get_by_label("day of submission").check()

    expect(page.get_by_role("columnheader", name="Day of submission")).to_be_visible()
    expect(page.get_by_label("day of submission")).to_be_visible()
    expect(page).to_have_url(re.compile("column=submitted"))


def test_a_phone_shows_the_ranking_before_filters_and_notices(page, live_server, published):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{live_server.url}/collections/harbour/leaderboard/")
    first, measure = page.locator(".board td.value").first, page.get_by_label("Measure")

    assert first.bounding_box()["y"] < page.locator(".ranking .facts").bounding_box()["y"]
    assert first.bounding_box()["y"] < 600
    expect(measure).to_be_hidden()
    page.get_by_role("button", name="Version, measure and filters").click()
    expect(measure).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 844})
    page.keyboard.press("Escape")
    expect(measure).to_be_visible()


def test_a_phone_shows_every_column_of_two_compared_runs(page, live_server, published):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{live_server.url}/collections/harbour/two-runs/?a=mole&b=quay")
    row = page.locator(".queries tbody tr").first

    for shown in (row.locator("td").nth(2), row.get_by_role("link", name="Both rankings of")):
        box = shown.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    expect(row.locator("td").nth(2)).to_have_attribute("data-label", re.compile("[AB] − [AB]"))
