"""The bundle to publish: what is in it, and what must not be."""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile

import pytest
from django.core.files.storage import storages
from django.core.management import call_command

from config.background.attending import work_off_everything
from judging.models import (
    CrowdIdentity,
    Exclusion,
    GoldAnswer,
    GoldPair,
    Place,
    Posting,
    Slot,
    Submission,
    Task,
    Worker,
)
from judging.services.rights import forget_worker
from leaderboard.models import KeptAnalysis
from pooling.models import PrivateQuery, QuerySplit, Run
from tests.factories import make_qrels, make_run
from web.models import MadeBundle
from web.services.release.bundle import bundle_of, count_release, make_release
from web.services.release.store import opened

pytestmark = pytest.mark.one_database

PAGE = "/collections/harbour/versions/1/bundle/"
ZIP = "/collections/harbour/versions/1/bundle.zip"


def read(version) -> dict[str, str]:
    """Name → text of every file of the version's bundle."""
    with opened(make_release(version).name) as file, zipfile.ZipFile(file) as bundle:
        return {name.partition("/")[2]: bundle.read(name).decode() for name in bundle.namelist()}


def rows(files: dict[str, str], name: str) -> list[dict]:
    return [json.loads(line) for line in files[name].splitlines()]


@pytest.fixture
def town(published):
    """harbour with a licence, a person behind the worker, words of people and a test pair that was answered."""
    published.collection.licence = "CC BY 4.0"
    published.collection.save()
    CrowdIdentity.objects.create(worker=published.judge, crowd="mturk", crowd_worker_id="A1SECRETWORKER")
    campaign = published.campaign
    campaign.consent_text, campaign.instructions_text = "You agree to read.", "Read both."
    campaign.save()
    place = Place.objects.create(
        posting=Posting.objects.create(campaign=campaign, number=1), number=1, crowd_id="HITSECRET"
    )
    done = Submission.objects.create(
        campaign=campaign,
        place=place,
        worker=published.judge,
        task=Task.objects.create(campaign=campaign, number=1),
        assignment_id="ASSIGNSECRET",
        seed=1,
        state="submitted",
        standing="counted",
        submitted_at=published.version.published_at,
        comment="COMMENTSECRET",
    )
    gold = GoldPair.objects.create(
        campaign=campaign,
        query=published.query("q1"),
        relevant=published.passage("a"),
        off_topic=published.passage("off"),
        state="accepted",
        decided_by="PERSONSECRET",
        decided_why="REASONSECRET",
    )
    slot = Slot.objects.create(
        submission=done,
        worker=published.judge,
        number=1,
        gold_pair=gold,
        left=gold.relevant,
        right=gold.off_topic,
    )
    GoldAnswer.objects.create(
        slot=slot,
        submission=done,
        worker=published.judge,
        gold_pair=gold,
        preferred=gold.relevant,
        passed=True,
        recorded_at=published.version.published_at,
    )
    return published


def test_the_bundle_has_what_it_promises_and_its_sums_are_right(town):
    files = read(town.version)

    assert set(files) >= {
        "judgments.jsonl", "gold.jsonl", "gold_answers.jsonl", "passages.jsonl", "runs.jsonl", "exclusions.jsonl",
        "qrels/version-1.qrels", "versions.json", "campaigns.json", "agreement.json", "LICENCES.md", "DATA_CARD.md",
        "texts/spring/consent.txt", "texts/spring/instructions.txt", "texts/spring/pay.txt", "SHA256SUMS",
    }  # fmt: skip
    sums = dict(reversed(line.split("  ")) for line in files["SHA256SUMS"].splitlines())
    assert sums == {
        name: hashlib.sha256(text.encode()).hexdigest()
        for name, text in files.items()
        if name != "SHA256SUMS"
    }
    assert "CC BY 4.0" in files["LICENCES.md"]
    assert "$2.00" in files["texts/spring/pay.txt"]
    assert json.loads(files["versions.json"])[0]["manifest_sha256"] == town.version.manifest_sha256
    assert rows(files, "gold.jsonl")[0]["relevant"] == "a"
    assert rows(files, "gold_answers.jsonl")[0]["passed"] is True


def test_what_runs_supplied_that_are_not_public_is_nowhere(town):
    files = read(town.version)
    everything = "\n".join(files.values())

    # mole (scores) alone supplied s and c3, deep (private) alone supplied d.
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
    assert "5 judgments on passages that no public run supplied" in files["DATA_CARD.md"]
    assert "2 best answers in the qrels" in files["DATA_CARD.md"]


def trap(town, qid: str, off_topic: str) -> None:
    """A test pair of the query that was asked and answered, against a passage of any query."""
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
    """The files that name the passage."""
    return [name for name, text in files.items() if re.search(rf"\b{pid}\b", text)]


def private_top(town, pid: str) -> None:
    """On top of the private run for q1, and of nothing else."""
    town.pooled("q1", **{pid: [town.deep]})


def test_no_file_names_what_only_a_private_run_supplied_though_it_is_another_querys_test_pair(town):
    private_top(town, "zz9private")
    trap(town, "q3", "zz9private")

    files = read(town.version)

    assert names(files, "zz9private") == []
    assert "1 test pairs on passages that no public run supplied" in files["DATA_CARD.md"]
    assert "1 answers on test pairs on passages that no public run supplied" in files["DATA_CARD.md"]


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


def test_a_public_run_on_a_private_query_makes_nothing_known(town):
    split = QuerySplit.objects.create(collection=town.collection, sha256="0" * 64)
    PrivateQuery.objects.create(split=split, query=town.query("q2"))
    town.pooled("q2", zz9private=[town.quay])
    trap(town, "q3", "zz9private")

    assert names(read(town.version), "zz9private") == []


def test_people_are_nowhere(town):
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


def test_whoever_took_judgments_back_is_left_out_whenever_that_was(town):
    before = len(rows(read(town.version), "judgments.jsonl"))
    other = Worker.objects.create()
    town.campaign.judgments.filter(left__pid="b", right__pid="a").update(worker=other)
    Exclusion.objects.create(campaign=town.campaign, worker=other, rule="withdrawn", reason="")

    files = read(town.version)

    assert len(rows(files, "judgments.jsonl")) == before - 1
    assert "1 judgments of workers who took them back" in files["DATA_CARD.md"]
    assert rows(files, "exclusions.jsonl") == []


def test_private_queries_are_left_out(town):
    split = QuerySplit.objects.create(collection=town.collection, sha256="0" * 64)
    PrivateQuery.objects.create(split=split, query=town.query("q1"))

    files = read(town.version)

    assert "q1" not in "\n".join(text for name, text in files.items())
    assert "1 queries that are private" in files["DATA_CARD.md"]


def test_a_team_under_embargo_is_not_named(town):
    Run.objects.filter(run_tag="quay").update(team="OTTERS", paper="OTTERPAPER", anonymous_until="2999-01-01")

    assert "OTTER" not in "\n".join(read(town.version).values())


def content_of(made: MadeBundle) -> bytes:
    with opened(made.name) as file:
        return file.read()


def got(client, address: str = ZIP) -> tuple[int, str]:
    """The answer, and the hash of what came."""
    reply = client.get(address)
    return reply.status_code, hashlib.sha256(b"".join(reply)).hexdigest()


def test_the_same_facts_give_the_same_bytes_and_one_bundle(town):
    made = make_release(town.version)
    first = content_of(made)
    MadeBundle.objects.all().update(key="")
    KeptAnalysis.objects.all().delete()
    storages["runs"].delete(made.name)

    again = make_release(town.version)

    assert content_of(again) == first
    assert hashlib.sha256(first).hexdigest() == made.sha256
    assert [row.pk for row in MadeBundle.objects.all()] == [made.pk]


def test_a_run_sent_later_changes_nothing(town):
    make_release(town.version)
    counted = count_release(town.version)
    make_run(town.collection, "late", {"q1": ["later"]})
    make_run(town.collection, "later", {"q1": ["later"]}, release="private")
    Run.objects.filter(run_tag="mole").update(team="OTTERS")

    assert bundle_of(town.version) == MadeBundle.objects.get()
    assert count_release(town.version) == counted


def test_a_worker_has_one_name_in_all_bundles_of_a_version(town):
    worker = rows(read(town.version), "judgments.jsonl")[0]["worker"]
    Run.objects.filter(run_tag="mole").update(release="public")
    more = read(town.version)
    town.prefer("q1", ("b", "new"))
    second = town.publish()

    assert "s" in {row["pid"] for row in rows(more, "passages.jsonl")}
    assert {row["worker"] for row in rows(more, "judgments.jsonl")} == {worker}
    assert worker not in "".join(read(second).values())


def test_a_bundle_stays_when_what_it_tells_is_told_otherwise(cast):
    old = make_release(cast.version)
    Run.objects.filter(run_tag="quay").update(release="private")
    reader = cast.clients["viewer"]

    page = reader.get(PAGE).content.decode()
    assert old.sha256 in page
    assert "quay is released as private now" in page
    assert "Something was added or changed" in page
    assert got(reader) == (200, old.sha256)
    new = make_release(cast.version)
    page = reader.get(PAGE).content.decode()
    assert new.sha256 != old.sha256
    assert {old.sha256, new.sha256} <= set(re.findall("[0-9a-f]{64}", page))
    assert got(reader) == (200, new.sha256)
    assert got(reader, f"{ZIP}?sha256={old.sha256}") == (200, old.sha256)


def test_a_bundle_with_judgments_that_were_taken_back_is_given_out_no_more(cast):
    old = make_release(cast.version)
    Exclusion.objects.create(campaign=cast.campaign, worker=cast.judge, rule="withdrawn", reason="")
    reader = cast.clients["owner"]

    assert reader.get(ZIP).status_code == 404
    assert reader.get(f"{ZIP}?sha256={old.sha256}").status_code == 404
    page = reader.get(PAGE).content.decode()
    assert old.sha256 in page
    assert "1 worker has taken back judgments that are in it." in page
    new = make_release(cast.version)
    assert got(reader) == (200, new.sha256)


def test_who_has_nothing_in_a_bundle_takes_nothing_from_it(cast):
    make_release(cast.version)
    Exclusion.objects.create(
        campaign=cast.campaign, worker=Worker.objects.create(), rule="withdrawn", reason=""
    )

    assert got(cast.clients["viewer"])[0] == 200


def test_who_is_forgotten_stays_in_a_bundle_that_never_said_who_it_was(cast):
    make_release(cast.version)
    forget_worker(cast.judge)

    assert got(cast.clients["viewer"])[0] == 200


def test_an_owner_deletes_a_bundle_and_its_file(cast, django_capture_on_commit_callbacks):
    made = make_release(cast.version)
    owner, address = cast.clients["owner"], f"{PAGE}{made.pk}/delete/"

    assert made.sha256[:12] in owner.get(address).content.decode()
    assert bundle_of(cast.version) == made
    with django_capture_on_commit_callbacks(execute=True):
        owner.post(address)

    assert bundle_of(cast.version) is None
    assert opened(made.name) is None
    assert cast.collection.changes.filter(what__contains=made.sha256, who="owner").exists()


def test_later_judgments_change_nothing(town):
    made = make_release(town.version)
    town.prefer("q1", ("a", "x9"))

    assert bundle_of(town.version) == made


def test_counting_says_the_same_as_making(town):
    told = count_release(town.version)

    assert bundle_of(town.version) is None
    assert make_release(town.version).summary == told
    assert told["counts"]["judgments"] == 2


def test_two_versions_say_which_judgments_each_rests_on(town):
    town.prefer("q1", ("b", "new"))
    second = town.publish()

    found = {tuple(row["versions"]) for row in rows(read(second), "judgments.jsonl")}

    assert (1, 2) in found
    assert set(read(second)) >= {"qrels/version-1.qrels", "qrels/version-2.qrels"}


def test_the_page_counts_first_then_makes_then_gives_the_file(cast):
    owner = cast.clients["owner"]
    assert "Count what goes in" in owner.get(PAGE).content.decode()
    owner.post(PAGE + "count")
    work_off_everything()
    counted = owner.get(PAGE).content.decode()
    assert "judgments on passages that no public run supplied" in counted
    assert "No licence is stated" in counted
    assert owner.get("/collections/harbour/versions/1/bundle.zip").status_code == 404

    owner.post(PAGE + "make")
    work_off_everything()
    assert "The bundle is made." in owner.get(PAGE).content.decode()
    reply = cast.clients["viewer"].get("/collections/harbour/versions/1/bundle.zip")
    content = b"".join(reply)
    assert zipfile.ZipFile(io.BytesIO(content)).testzip() is None
    assert reply["Content-Disposition"] == 'attachment; filename="harbour-version-1.zip"'
    same = cast.clients["viewer"].get(
        "/collections/harbour/versions/1/bundle.zip", HTTP_IF_NONE_MATCH=reply["ETag"]
    )
    assert same.status_code == 304


def test_the_command_writes_the_same_file(town, tmp_path):
    made = make_release(town.version)
    out, told = tmp_path / "bundle.zip", io.StringIO()

    call_command("release_bundle", "harbour", "--out", str(out), "--json", stdout=told)
    call_command("release_bundle", "harbour", "--dry-run", "--json", stdout=io.StringIO())

    assert hashlib.sha256(out.read_bytes()).hexdigest() == made.sha256
    assert json.loads(told.getvalue())["counts"]["judgments"] == 2


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


def test_simulated_workers_are_called_so(town):
    town.campaign.judgments.filter(left__pid="b").update(judge_kind="simulated")
    mixed = read(town.version)["DATA_CARD.md"]
    town.campaign.judgments.update(judge_kind="simulated")
    MadeBundle.objects.update(key="")

    assert "**1 of 2 judgments were made by simulated workers** (programs, no people)" in mixed
    assert "- crowd: **simulated workers alone** (programs, no people)" in read(town.version)["DATA_CARD.md"]
