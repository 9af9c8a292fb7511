"""The bundle to publish: its contents, and what it must not contain."""

import hashlib
import json
import re
from datetime import UTC, datetime, timedelta

import pytest

from judging.models import (
    Exclusion,
    GoldAnswer,
    GoldPair,
    Judgment,
    Place,
    Posting,
    Slot,
    Submission,
    Task,
    Worker,
)
from pooling.models import PrivateQuery, QuerySplit, Run
from tests.factories import make_qrels
from tests.web.release_cast import read, rows, town as town
from web.models import MadeBundle
from web.releases.scope import Scope

pytestmark = pytest.mark.one_database


def test_the_bundle_has_what_it_promises_and_its_sums_are_right(town):
    files = read(town.version)

    assert set(files) >= {
        "judgments.jsonl", "gold.jsonl", "gold_answers.jsonl", "passages.jsonl", "runs.jsonl", "exclusions.jsonl",
        "qrels/version-1.qrels", "versions.json", "campaigns.json", "agreement.json", "LICENSES.md", "DATA_CARD.md",
        "texts/spring/consent.txt", "texts/spring/instructions.txt", "texts/spring/pay.txt", "SHA256SUMS",
    }  # fmt: skip
    sums = dict(reversed(line.split("  ")) for line in files["SHA256SUMS"].splitlines())
    assert sums == {
        name: hashlib.sha256(text.encode()).hexdigest()
        for name, text in files.items()
        if name != "SHA256SUMS"
    }
    assert "CC BY 4.0" in files["LICENSES.md"]
    assert "$2.00" in files["texts/spring/pay.txt"]
    assert json.loads(files["versions.json"])[0]["manifest_sha256"] == town.version.manifest_sha256
    assert rows(files, "gold.jsonl")[0]["relevant"] == "a"
    assert rows(files, "gold_answers.jsonl")[0]["passed"] is True


def test_passages_supplied_only_by_non_public_runs_are_in_no_file(town):
    files = read(town.version)
    everything = "\n".join(files.values())

    # Only mole (scores) supplied s and c3, and only deep (private) supplied d.
    assert {row["pid"] for row in rows(files, "passages.jsonl")} == {"a", "b", "a2", "a3", "b3"}
    assert {(row["left"], row["right"]) for row in rows(files, "judgments.jsonl")} == {
        ("b", "a"),
        ("a3", "b3"),
    }
    assert [row["run_tag"] for row in rows(files, "runs.jsonl")] == ["quay"]
    assert files["qrels/version-1.qrels"] == "q1 0 b 1\nq3 0 a3 1\nq3 0 b3 1\n"
    words = set(
        re.findall(r"\w+", "\n".join(text for name, text in files.items() if not name.endswith(".md")))
    )
    assert not words & {"mole", "deep", "s", "c3", "d"}
    assert "mole" not in everything
    assert "judgments on passages that no public run supplied: 5" in files["DATA_CARD.md"]
    assert "best answers in the qrels: 2" in files["DATA_CARD.md"]


def test_the_hash_of_a_whole_qrels_file_is_given_only_if_no_line_is_left_out(town):
    """Otherwise, readers could confirm guesses of the lines left out."""
    files = read(town.version)
    (told,) = json.loads(files["versions.json"])
    part = hashlib.sha256(files["qrels/version-1.qrels"].encode()).hexdigest()
    assert (told["lines_left_out"], told["qrels_sha256"], told["released_qrels_sha256"]) == (2, None, part)
    assert town.version.qrels_sha256 not in "".join(files.values())

    Run.objects.update(release="public")
    (told,) = json.loads(read(town.version)["versions.json"])
    assert told["lines_left_out"] == 0
    assert told["qrels_sha256"] == told["released_qrels_sha256"] == town.version.qrels_sha256


def trap(town, qid: str, off_topic: str) -> None:
    """Create an answered gold pair of the query, with an off-topic passage of any query."""
    asked = Slot.objects.get(number=1)
    gold = GoldPair.objects.create(
        campaign=town.campaign,
        query=town.query(qid),
        relevant=town.passage(qid.replace("q", "a")),
        off_topic=town.passage(off_topic),
        state="accepted",
    )
    slot = Slot.objects.create(
        submission=asked.submission,
        worker=town.judge,
        number=2,
        gold_pair=gold,
        left=gold.relevant,
        right=gold.off_topic,
    )
    GoldAnswer.objects.create(
        slot=slot,
        submission=asked.submission,
        worker=town.judge,
        gold_pair=gold,
        preferred=gold.relevant,
        passed=True,
        recorded_at=town.version.published_at,
    )


def names(files: dict[str, str], pid: str) -> list[str]:
    """Return the files that name the passage."""
    return [name for name, text in files.items() if re.search(rf"\b{pid}\b", text)]


def private_top(town, pid: str) -> None:
    """Put the passage on top of the private run for q1 only."""
    town.pooled("q1", **{pid: [town.deep]})


def test_no_file_names_what_only_a_private_run_supplied_though_it_is_another_querys_test_pair(town):
    private_top(town, "zz9private")
    trap(town, "q3", "zz9private")

    files = read(town.version)

    assert names(files, "zz9private") == []
    assert "gold pairs on passages that no public run supplied: 1" in files["DATA_CARD.md"]
    assert "answers on gold pairs on passages that no public run supplied: 1" in files["DATA_CARD.md"]


def test_a_test_pair_may_name_what_a_public_run_or_a_label_gave_to_another_query(town):
    private_top(town, "zz9both")
    town.pooled("q2", zz9both=[town.quay])
    private_top(town, "zz9label")
    make_qrels(town.collection, "graded", [("q2", "zz9label", 0)])
    trap(town, "q3", "zz9both")
    Slot.objects.filter(number=2).update(number=3)
    trap(town, "q3", "zz9label")

    files = read(town.version)

    for pid in ("zz9both", "zz9label"):
        assert {"gold.jsonl", "gold_answers.jsonl"} <= set(names(files, pid)), pid


def test_a_public_run_on_a_private_query_reveals_nothing(town):
    split = QuerySplit.objects.create(collection=town.collection, sha256="0" * 64)
    PrivateQuery.objects.create(split=split, query=town.query("q2"))
    town.pooled("q2", zz9private=[town.quay])
    trap(town, "q3", "zz9private")

    assert names(read(town.version), "zz9private") == []


def test_no_file_identifies_people(town):
    Exclusion.objects.create(
        campaign=town.campaign,
        worker=town.judge,
        rule="person",
        reason="REASONSECRET",
        decided_by="PERSONSECRET",
        decided_at=town.version.published_at,
    )
    files = read(town.version)

    for name, text in files.items():
        for secret in ("SECRET", "viewport", "focus_lost", "seconds_shown", "input_method"):
            assert secret not in text, (name, secret)
    [excluded] = rows(files, "exclusions.jsonl")
    assert excluded["by"] == "a person"
    assert excluded["worker"] == rows(files, "judgments.jsonl")[0]["worker"]
    assert excluded["worker"].startswith("w-")


def test_workers_who_withdrew_judgments_are_left_out(town):
    before = len(rows(read(town.version), "judgments.jsonl"))
    other = Worker.objects.create()
    town.campaign.judgments.filter(left__pid="b", right__pid="a").update(worker=other)
    Exclusion.objects.create(campaign=town.campaign, worker=other, rule="withdrawn", reason="")

    files = read(town.version)

    assert len(rows(files, "judgments.jsonl")) == before - 1
    assert "- judgments of workers who took them back: 1" in files["DATA_CARD.md"]
    assert rows(files, "exclusions.jsonl") == []


def test_private_queries_are_left_out(town):
    split = QuerySplit.objects.create(collection=town.collection, sha256="0" * 64)
    PrivateQuery.objects.create(split=split, query=town.query("q1"))

    files = read(town.version)

    assert "q1" not in "\n".join(text for name, text in files.items())
    assert "- queries that are private: 1" in files["DATA_CARD.md"]


def test_a_team_under_embargo_is_not_named(town):
    Run.objects.filter(run_tag="quay").update(team="OTTERS", paper="OTTERPAPER", anonymous_until="2999-01-01")

    whole = "\n".join(read(town.version).values())

    assert "OTTER" not in whole
    assert Run.objects.get(run_tag="quay").sha256 not in whole


def test_judgments_name_the_versions_based_on_them(town):
    town.prefer("q1", ("b", "new"))
    second = town.publish()

    found = {tuple(row["versions"]) for row in rows(read(second), "judgments.jsonl")}

    assert (1, 2) in found
    assert set(read(second)) >= {"qrels/version-1.qrels", "qrels/version-2.qrels"}


@pytest.mark.parametrize(
    ("endpoint", "words"),
    [
        ("http://127.0.0.1:9", "Preferee's own marketplace"),
        ("https://mturk-requester.us-east-1.amazonaws.com", "Amazon Mechanical Turk"),
        ("https://mturk-requester-sandbox.us-east-1.amazonaws.com", "the sandbox of Amazon Mechanical Turk"),
        ("https://crowd.example.org/requester", "the crowd at crowd.example.org"),
    ],
)
def test_the_crowd_is_named_by_its_endpoint(town, endpoint, words):
    town.campaign.endpoint = endpoint
    town.campaign.save()

    files = read(town.version)

    assert f"- crowd: {words}\n" in files["DATA_CARD.md"]
    assert json.loads(files["campaigns.json"])["spring"]["crowd"] == words
    assert "mturk" not in files["campaigns.json"]


def test_simulated_workers_are_identified_as_such(town):
    town.campaign.judgments.filter(left__pid="b").update(judge_kind="simulated")
    mixed = read(town.version)["DATA_CARD.md"]
    town.campaign.judgments.update(judge_kind="simulated")
    MadeBundle.objects.update(key="")

    assert "**1 of 2 judgments were made by simulated workers** (programs, not people)" in mixed
    assert "- crowd: **simulated workers only** (programs, not people)" in read(town.version)["DATA_CARD.md"]


def test_imported_judgments_have_no_pay_screening_or_texts(town):
    town.campaign.judgments.update(judge_kind="imported")

    files = read(town.version)

    card = files["DATA_CARD.md"]
    assert "- crowd: unknown: the judgments were made elsewhere and imported" in card
    assert not [
        words for words in ("pays $", "screening: ", "what workers read", "were pooled") if words in card
    ]
    assert not [name for name in files if name.startswith("texts/")]
    assert "reward" not in json.loads(files["campaigns.json"])["spring"]


@pytest.fixture
def crew(town):
    """Give every judgment its own worker, second and task; publish again with more judgments.

    Returns the bundles of both versions.
    """
    for number, judgment in enumerate(town.campaign.judgments.order_by("pk")):
        judgment.worker = Worker.objects.create()
        judgment.judged_at = datetime(2026, 3, 10, 9, 0, number, tzinfo=UTC)
        place = Place.objects.create(posting=Posting.objects.get(), number=10 + number)
        judgment.submission = Submission.objects.create(
            campaign=town.campaign,
            place=place,
            worker=judgment.worker,
            task=Task.objects.create(campaign=town.campaign, number=10 + number),
            assignment_id=f"ASSIGN{number}",
            seed=1,
            standing="counted",
        )
        judgment.save()
    for judgment in town.campaign.judgments.all():
        Exclusion.objects.create(
            campaign=town.campaign,
            worker=judgment.worker,
            rule="person",
            reason="",
            decided_at=judgment.judged_at,
            reversed_at=judgment.judged_at + timedelta(minutes=1),
        )
    Run.objects.update(release="public")
    first = read(town.version)
    town.prefer("q1", ("b", "new"))
    return first, read(town.publish())


@pytest.mark.parametrize("file", ["judgments.jsonl", "exclusions.jsonl"])
def test_only_the_judgments_link_the_pseudonyms_of_two_versions(crew, file):
    judged = {"qid", "left", "right", "preferred", "counts", "versions"}

    def marks(row):
        """Return the fields beside a worker's pseudonym."""
        return tuple(value for name, value in sorted(row.items()) if name not in judged | {"worker", "task"})

    one, two = (rows(files, file) for files in crew)

    assert len({row["worker"] for row in one}) > 6
    for name in {"worker", "task"} & one[0].keys():
        assert not {row[name] for row in one} & {row[name] for row in two} - {None}
    assert len({marks(row) for row in one}) == 1


def test_the_order_of_rows_reveals_nothing_about_time(crew, town):
    pair = Judgment.objects.filter(left__pid="b", right__pid="a").get()
    for _ in range(8):
        Judgment.objects.create(
            campaign=town.campaign,
            pair=pair.pair,
            left=pair.left,
            right=pair.right,
            preferred=pair.left,
            judge_kind="human",
            worker=Worker.objects.create(),
        )

    found = rows(read(town.publish()), "judgments.jsonl")

    places = [number for number, row in enumerate(found) if (row["left"], row["right"]) == ("b", "a")]
    assert places == list(range(places[0], places[0] + 9))
    names = [found[place]["worker"] for place in places]
    assert names == sorted(names)


def test_a_worker_has_another_pseudonym_in_each_campaign(town):
    scope = Scope(town.version)

    names = {scope.pseudonym(campaign, worker) for campaign in (1, 2) for worker in (1, 2)}

    assert len(names) == 4
    assert scope.task_name(1, 7) != scope.task_name(2, 7)
