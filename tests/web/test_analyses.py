"""Pages of analyses: what is chosen, what is said, what is downloaded, and what others may not see."""

from __future__ import annotations

import json
from datetime import date

import pytest
from django.template.loader import render_to_string

from leaderboard.output import Column, Facts, Table
from leaderboard.output.table import rows_of
from pooling.models import Run
from tests.factories import make_run
from web.services.analyses import ROWS_WHOLE, table_view
from web.templatetags.figures import names_isolated

FACTS = Facts("harbour", ("a",), ("official",), "RR@10", 3, "0")
COMPARE, TIMELINE = "/collections/harbour/compare", "/collections/harbour/timeline"


@pytest.fixture
def dated(published):
    """``mole`` came before ``quay``."""
    Run.objects.filter(pk=published.mole.pk).update(submitted_on=date(2024, 5, 1))
    Run.objects.filter(pk=published.quay.pk).update(submitted_on=date(2024, 5, 2))
    return published


def asked(*runs, **more) -> str:
    words = [f"run={run.pk}" for run in runs] + [f"{key}={value}" for key, value in more.items()]
    return "?" + "&".join(words)


def test_a_comparison_says_first_what_may_be_claimed(client, dated):
    reply = client.get(COMPARE + "/" + asked(dated.quay, dated.mole, qrels="official"))

    page = reply.content.decode()
    assert "Neither quay nor mole can be called the better one" in page
    assert page.index("What may be said") < page.index("Outcomes query by query")
    assert [view.table.key for view in reply.context["page"].tables] == [
        "naive",
        "outcomes",
        "corrected",
        "verdicts",
    ]
    assert f'value="{dated.quay.pk}" checked' in page


def test_runs_are_compared_in_order_of_time_however_they_are_chosen(client, dated):
    for runs in ((dated.quay, dated.mole), (dated.mole, dated.quay)):
        found = json.loads(client.get(COMPARE + ".json" + asked(*runs)).content)
        row = found["tables"]["naive"]["rows"][0]
        assert (row["a"], row["b"]) == ("mole", "quay")


def test_fewer_than_two_runs_are_asked_for_again(client, dated):
    assert "Choose two runs or more" in client.get(COMPARE + "/").content.decode()
    assert client.get(COMPARE + ".csv" + asked(dated.quay)).status_code == 404


def test_more_runs_than_a_page_compares_lead_to_the_analyses(client, dated):
    runs = [make_run(dated.collection, f"buoy-{number}", {"q1": ["a"]}) for number in range(41)]

    page = client.get(COMPARE + "/" + asked(*runs))
    file = client.get(COMPARE + ".csv" + asked(*runs))

    assert "at most 40 runs" in page.content.decode()
    assert '<a href="/collections/harbour/analyses/">use the collection&#x27;s analyses</a>' in (
        page.content.decode()
    )
    assert file.status_code == 404
    assert file.content.decode() == (
        "A page compares at most 40 runs while you wait. Choose fewer. To compare more, in the background: use the "
        "collection's analyses\n"
    )


@pytest.mark.parametrize(
    ("form", "media_type", "begins"),
    [
        ("csv", "text/csv", b"a,b,change"),
        ("tex", "application/x-tex", b"\\begin{table"),
        ("md", "text/markdown", b"**"),
        ("svg", "image/svg+xml", b"<?xml"),
        ("pdf", "application/pdf", b"%PDF"),
        ("png", "image/png", b"\x89PNG"),
    ],
)
def test_everything_can_be_downloaded(client, dated, form, media_type, begins):
    reply = client.get(f"{COMPARE}.{form}" + asked(dated.quay, dated.mole, of="outcomes"))

    assert reply["Content-Type"].startswith(media_type)
    assert reply.content.startswith(begins)
    assert f"harbour-comparison-outcomes.{form}" in reply["Content-Disposition"]


@pytest.mark.parametrize("address", [".gif", ".csv?of=nothing"])
def test_forms_and_tables_that_there_are_not_are_not_found(client, dated, address):
    assert client.get(TIMELINE + address).status_code == 404


def test_a_run_that_is_not_released_is_in_no_analysis(client, dated):
    everything = client.get(COMPARE + "/" + asked(dated.quay, dated.mole, dated.deep)).content.decode()

    assert "deep" not in everything
    assert "deep" not in client.get(TIMELINE + "/").content.decode()
    assert client.get(COMPARE + ".json" + asked(dated.quay, dated.deep)).status_code == 404


def test_addresses_that_make_no_sense_are_ignored(client, dated):
    wrong = "?run=x&run=٣&run=99999999999999&measure=AP&test=guess&single=maybe"

    reply = client.get(COMPARE + "/" + wrong)

    assert reply.status_code == 200
    assert reply.context["page"].wish.measure == "RR@10"
    assert "nothing" in client.get(TIMELINE + "/?qrels=nothing").content.decode()


def test_the_timeline_marks_the_state_of_the_art(client, dated):
    page = client.get(TIMELINE + "/?qrels=official").content.decode()

    assert page.index("2024-05-01") < page.index("2024-05-02")
    assert "<td><bdi>yes</bdi></td>" in page


def test_too_many_runs_for_a_page_are_sent_to_the_analyses(client, dated):
    runs = [make_run(dated.collection, f"r{number}", {"q1": ["a", str(number)]}) for number in range(41)]

    page = client.get(COMPARE + "/" + asked(*runs)).content.decode()

    assert f'<a href="/collections/{dated.collection.name}/analyses/">use the collection' in page
    assert "manage.py" not in page


def test_a_version_can_be_chosen(client, dated):
    found = json.loads(client.get(COMPARE + ".json" + asked(dated.quay, dated.mole, qrels="@1")).content)

    assert found["facts"]["labels"] == ["version 1"]


def test_private_queries_count_for_members_only(client, dated, monkeypatch):
    monkeypatch.setattr("web.services.comparisons.hidden_queries", lambda collection, user: frozenset({"q1"}))

    found = json.loads(client.get(COMPARE + ".json" + asked(dated.quay, dated.mole)).content)

    assert found["facts"]["queries"] == 2


def test_names_from_right_to_left_are_kept_apart_in_sentences():
    said = names_isolated("نظام_2 is better than نظام: 3 of 4, [1] old", ["نظام", "نظام_2", "[1] old"])

    assert said == "\u2068نظام_2\u2069 is better than \u2068نظام\u2069: 3 of 4, [1] old"


@pytest.mark.parametrize(("rows", "whole"), [(ROWS_WHOLE, True), (ROWS_WHOLE + 1, False)])
def test_a_table_of_few_rows_is_not_cut_by_an_area_that_scrolls(rows, whole):
    table = Table("t", "T", "", (Column("run", "run"),), rows_of([{"run": "a"}] * rows), FACTS)

    shown = render_to_string("web/parts/table.html", {"view": table_view(table)})

    assert ('class="scroll wide whole"' in shown) is whole
