"""Pages of analyses: choices, texts, downloads, and what others cannot see."""

import json
from datetime import date

import pytest
from django.template.loader import render_to_string

from leaderboard.output import Column, Facts, Table
from leaderboard.output.table import Row
from pooling.models import Run
from tests.factories import make_run
from web.common.analysis_tables import ROWS_WHOLE, table_view
from web.templatetags.figures import names_isolated

FACTS = Facts("harbour", ("a",), ("official",), "RR@10", 3, "0")
COMPARE, TIMELINE = "/collections/harbour/analyses/compare", "/collections/harbour/analyses/progress"


@pytest.fixture
def dated(published):
    """Date ``mole`` before ``quay``."""
    Run.objects.filter(pk=published.mole.pk).update(submitted_on=date(2024, 5, 1))
    Run.objects.filter(pk=published.quay.pk).update(submitted_on=date(2024, 5, 2))
    return published


def asked(*runs, **more) -> str:
    words = [f"run={run.pk}" for run in runs] + [f"{key}={value}" for key, value in more.items()]
    return "?" + "&".join(words)


def test_a_comparison_states_its_verdict_first(client, dated):
    reply = client.get(COMPARE + "/" + asked(dated.quay, dated.mole, qrels="official"))

    page = reply.content.decode()
    assert "Neither quay nor mole can be called better" in page
    assert page.index("Conclusions") < page.index("Outcomes query by query")
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


def test_one_run_alone_is_refused(client, dated):
    page = client.get(COMPARE + "/" + asked(dated.quay)).content.decode()

    assert "quay is the only run to compare." in page
    assert "Name two or more different runs, the oldest first." in page
    assert client.get(COMPARE + ".csv" + asked(dated.quay)).status_code == 404


def test_with_many_runs_members_run_it_in_the_background(client, dated):
    runs = [make_run(dated.collection, f"buoy-{number}", {"q1": ["a"]}) for number in range(41)]

    page = client.get(COMPARE + "/" + asked(*runs)).content.decode()
    file = client.get(COMPARE + ".csv" + asked(*runs))

    assert "Members can run it. Or choose at most 40 runs to see the result at once." in page
    assert file.status_code == 404


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("compare/?run=1&run=2", "compare/?run=1&run=2"),
        ("compare.csv?run=1&of=naive", "compare.csv?run=1&of=naive"),
        ("timeline/", "progress/"),
        ("timeline.json?measure=RR%40100", "progress.json?measure=RR%40100"),
    ],
)
def test_earlier_addresses_lead_to_the_analyses(client, dated, before, now):
    reply = client.get(f"/collections/harbour/{before}")

    assert (reply.status_code, reply["Location"]) == (301, f"/collections/harbour/analyses/{now}")


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
    assert f"harbour-compare-outcomes.{form}" in reply["Content-Disposition"]


@pytest.mark.parametrize("address", [".gif", ".csv?of=nothing"])
def test_unknown_formats_and_tables_are_not_found(client, dated, address):
    assert client.get(TIMELINE + address).status_code == 404


def test_unreleased_runs_are_in_no_analysis(client, dated):
    everything = client.get(COMPARE + "/" + asked(dated.quay, dated.mole, dated.deep)).content.decode()

    assert "deep" not in everything
    assert "deep" not in client.get(TIMELINE + "/").content.decode()
    assert client.get(COMPARE + ".json" + asked(dated.quay, dated.deep)).status_code == 404


def test_invalid_addresses_are_refused_with_a_reason(client, dated):
    reply = client.get(COMPARE + "/?run=x&run=٣&run=99999999999999&measure=AP")

    assert reply.status_code == 200
    assert reply.context["page"].refusal
    assert "nothing" in client.get(TIMELINE + "/?qrels=nothing").content.decode()


def test_the_timeline_marks_the_state_of_the_art(client, dated):
    page = client.get(TIMELINE + "/?qrels=official").content.decode()

    assert page.index("2024-05-01") < page.index("2024-05-02")
    assert "<td><bdi>yes</bdi></td>" in page


def test_a_version_can_be_chosen(client, dated):
    found = json.loads(client.get(COMPARE + ".json" + asked(dated.quay, dated.mole, qrels="@1")).content)

    assert found["facts"]["labels"] == ["version 1"]


def test_private_queries_count_for_members_only(client, dated, monkeypatch):
    monkeypatch.setattr(
        "leaderboard.analyses.compare.comparison_question.private_qids", lambda collection: frozenset({"q1"})
    )

    found = json.loads(client.get(COMPARE + ".json" + asked(dated.quay, dated.mole)).content)

    assert found["facts"]["queries"] == 2


def test_names_from_right_to_left_are_kept_apart_in_sentences():
    said = names_isolated("نظام_2 is better than نظام: 3 of 4, [1] old", ["نظام", "نظام_2", "[1] old"])

    assert said == "\u2068نظام_2\u2069 is better than \u2068نظام\u2069: 3 of 4, [1] old"


@pytest.mark.parametrize(("rows", "whole"), [(ROWS_WHOLE, True), (ROWS_WHOLE + 1, False)])
def test_a_table_of_few_rows_is_not_cut_by_an_area_that_scrolls(rows, whole):
    table = Table("t", "T", "", (Column("run", "run"),), (Row({"run": "a"}),) * rows, FACTS)

    shown = render_to_string("web/analyses/parts/table.html", {"view": table_view(table)})

    assert ('class="scroll wide whole"' in shown) is whole
