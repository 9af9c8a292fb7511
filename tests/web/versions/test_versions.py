"""Versions side by side, and the files of version pages."""

import csv
import io
import json
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse

from judging.models import Judgment, Pair
from pooling.models import PrivateQuery, Query, QuerySplit
from tests.factories import make_run
from tournament.models import Challenge, ChallengedQuery

CHANGES = "/collections/harbour/versions/2/changes/"


def text_of(reply) -> str:
    assert reply.status_code == 200
    return (b"".join(reply) if reply.streaming else reply.content).decode()


def challenged(harbour, qid: str, pid: str, tag: str) -> None:
    """Create a judged challenge by the run with this passage on top, which wins every pair."""
    best = {row.passage_id for row in harbour.version.qrels.filter(query__qid=qid)}
    new = harbour.passage(pid)
    number = Challenge.objects.filter(campaign=harbour.campaign).count() + 1
    challenge = Challenge.objects.create(
        campaign=harbour.campaign,
        number=number,
        rule="single",
        run_tags=[tag],
        state="done",
        version=harbour.version,
    )
    ChallengedQuery.objects.create(
        challenge=challenge, query=harbour.query(qid), best_ids=sorted(best), challenger_ids=[new.pk]
    )
    for old in best:
        low, high = sorted([old, new.pk])
        pair = Pair.objects.create(
            campaign=harbour.campaign,
            query=harbour.query(qid),
            passage_a_id=low,
            passage_b_id=high,
            round=number,
        )
        Judgment.objects.create(
            campaign=harbour.campaign,
            pair=pair,
            left=new,
            right_id=old,
            preferred=new,
            judge_kind="human",
            worker=harbour.judge,
        )


@pytest.fixture
def two(published):
    """Version 2: d, from the private run ``deep``, beat q1's b, and a new passage beat q2's s."""
    challenged(published, "q2", "n2", "quay")
    challenged(published, "q3", "z3", "deep")
    published.second = published.publish()
    return published


def test_what_changed_and_why(member, two):
    page = text_of(member.get(CHANGES))

    assert "2 queries changed" in page
    assert "challenge 1 added 1 new passage, with quay" in page
    assert "challenge 2 added 1 new passage, with deep" in page
    assert "1 new judgment<" in page
    assert "3 new judgments" in page
    assert "what is q1?" not in page


def test_runs_that_are_not_released_are_counted_not_named(client, two):
    page = text_of(client.get(CHANGES))

    assert "with 1 run that is not public" in page
    assert "deep" not in page


def test_a_twin_of_the_best_answer_that_only_a_private_run_supplied_is_not_shown(member, published):
    """Its pid reveals the run's top passage, although its text is known."""
    make_run(published.collection, "cove", {"q2": ["twin"]}, release="private")
    best = published.passage("a2")
    published.campaign.judgments.filter(left__pid="s").update(preferred=best)
    published.publish()
    challenge = Challenge.objects.create(
        campaign=published.campaign, number=1, rule="single", run_tags=["cove"], state="done"
    )
    twin = published.passage("twin")
    ChallengedQuery.objects.create(
        challenge=challenge,
        query=published.query("q2"),
        best_ids=[best.pk],
        challenger_ids=[],
        members={str(best.pk): [twin.pk]},
    )
    third = published.publish()

    address = f"/collections/harbour/versions/{third.number}"
    assert "twin" in text_of(member.get(f"{address}/qrels.txt"))
    for path in ("/qrels.txt", "/changes/", "/changes.csv", "/queries.csv"):
        assert "twin" not in text_of(Client().get(address + path)), path


def test_changes_are_filtered_searched_and_kept_in_the_address(member, two):
    assert "No changes match" in text_of(member.get(CHANGES, {"show": "left"}))
    found = text_of(member.get(CHANGES, {"q": "q3"}))

    assert "what is q3?" in found
    assert "what is q2?" not in found
    assert "changes.csv?q=q3" in found


def test_the_first_version_states_its_basis(member, two):
    page = text_of(member.get("/collections/harbour/versions/1/changes/"))

    assert "all its queries are new · newly covered: 3" in page


def test_equal_versions_are_described_as_equal(member, two):
    backwards = text_of(member.get("/collections/harbour/versions/1/changes/?since=2"))

    assert "Version 2 and version 1 side by side" in backwards
    assert "2 queries changed" in backwards


@pytest.mark.parametrize("since", ["9", "x", "2", "-1", "9" * 30, "\u00b2"])
def test_an_unknown_version_to_compare_with_is_not_found(member, two, since):
    assert member.get(CHANGES, {"since": since}).status_code == 404
    assert member.get("/collections/harbour/versions/2/changes.csv", {"since": since}).status_code == 404


def test_private_queries_are_in_no_file(member, two):
    split = QuerySplit.objects.create(collection=two.collection, sha256="0" * 64)
    PrivateQuery.objects.create(split=split, query=two.query("q2"))
    client = Client()

    for name in ("changes.csv", "changes.jsonl", "queries.csv", "queries.jsonl", "qrels.txt"):
        address = f"/collections/harbour/versions/2/{name}"
        assert "q2" in text_of(member.get(address)), name
        assert "q2" not in text_of(client.get(address)), name


def test_files_have_what_the_filter_leaves(member, two):
    rows = list(
        csv.DictReader(
            io.StringIO(text_of(member.get("/collections/harbour/versions/2/queries.csv?show=changed")))
        )
    )
    lines = text_of(member.get("/collections/harbour/versions/2/changes.jsonl?q=q2")).splitlines()

    assert [(row["qid"], row["best"], row["changed"]) for row in rows] == [
        ("q2", "n2", "true"),
        ("q3", "z3", "true"),
    ]
    assert [(row["best_before"], row["best_after"]) for row in map(json.loads, lines)] == [(["s"], ["n2"])]


def test_no_cell_of_a_csv_is_a_formula(member, two):
    Query.objects.filter(qid="q1").update(text='=HYPERLINK("http://x")')
    Query.objects.filter(qid="q2").update(text="@sum")

    rows = csv.DictReader(io.StringIO(text_of(member.get("/collections/harbour/versions/1/queries.csv"))))

    assert [row["query"] for row in rows] == ['\'=HYPERLINK("http://x")', "'@sum", "what is q3?"]


def test_an_unknown_format_is_not_found(member, two):
    for name in ("queries.xls", "changes.xls", f"queries/{two.query('q1').pk}.xls"):
        assert member.get(f"/collections/harbour/versions/2/{name}").status_code == 404


def test_a_query_as_files(member, two):
    address = reverse("web:query_file", args=["harbour", 1, two.query("q2").pk, "jsonl"])

    client = Client()
    seen = [json.loads(line) for line in text_of(member.get(address)).splitlines()]
    public = [json.loads(line) for line in text_of(client.get(address)).splitlines()]
    judged = [json.loads(line) for line in text_of(client.get(f"{address}?of=judgments")).splitlines()]

    assert (seen[0]["letter"], seen[0]["pid"], seen[0]["best"]) == ("A", "s", True)
    assert (public[0]["pid"], public[0]["text"]) == ("", "")
    assert [row["counts"] for row in judged] == [True, False]
    assert judged[1]["why_not"] == "came after it"
    assert judged[0]["judge"] == "judge 1"


def test_every_version_says_why_its_best_answer_is_best(member, two):
    reasons = [
        member.get(reverse("web:query", args=["harbour", number, two.query("q2").pk])).context["reason"]
        for number in (1, 2)
    ]

    assert reasons[0] == "s has the most wins: 1 win."
    assert "n2" in reasons[1]


def test_queries_lead_to_their_neighbors_within_the_filter(member, two):
    page = text_of(
        member.get(reverse("web:query", args=["harbour", 2, two.query("q2").pk]), {"show": "changed"})
    )
    all_of_them = text_of(member.get(reverse("web:query", args=["harbour", 2, two.query("q2").pk])))

    later = reverse("web:query", args=["harbour", 2, two.query("q3").pk])
    earlier = reverse("web:query", args=["harbour", 2, two.query("q1").pk])
    assert f'href="{later}?show=changed" rel="next"' in page
    assert earlier not in page
    assert f'href="{earlier}" rel="prev"' in all_of_them


@pytest.mark.one_database
def test_non_members_see_months_and_no_order_of_time(cast):
    moment = datetime(2026, 3, 10, 9, 30, 17, tzinfo=UTC)
    for number, judgment in enumerate(cast.campaign.judgments.order_by("-left", "-right")):
        Judgment.objects.filter(pk=judgment.pk).update(judged_at=moment + timedelta(seconds=number))
    address = f"/collections/harbour/versions/1/queries/{cast.query('q3').pk}"

    def seen(name):
        lines = b"".join(cast.clients[name].get(f"{address}.jsonl?of=judgments")).decode().splitlines()
        return [json.loads(line) for line in lines]

    members, others = seen("viewer"), seen("nobody")

    assert all(row["time"].startswith("2026-03-10T09:30:") for row in members)
    assert {row.pop("time") for row in others} == {"2026-03"}
    assert [row["left"] for row in others] == [row["left"] for row in members][::-1]
    assert "2026-03-10" not in cast.clients["nobody"].get(f"{address}/").content.decode()


def test_a_judge_has_one_name_a_number_for_members_and_another_for_visitors(member, published):
    key = published.query("q1").pk
    address = f"/collections/harbour/versions/1/queries/{key}/"
    number = Judgment.objects.filter(campaign=published.campaign).first().worker_id

    inside, outside = text_of(member.get(address)), text_of(Client().get(address))

    assert f"worker {number}, human" in inside
    assert "judge 1" not in inside
    assert "judge 1, human" in outside
    assert f"worker {number}" not in outside
