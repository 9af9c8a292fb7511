import csv
import json
from itertools import pairwise

import pytest

from judging.models import CrowdIdentity, Judgment
from pooling.models import Passage, PooledPassage, Qrel, QrelSet, Run
from tests.factories import make_run
from tests.judging.conftest import crowd as crowd, fair as fair
from tournament.models import Challenge, ChallengedQuery
from tournament.services import judgment_export
from tournament.services.judgment_export import export_judgments


def read(file):
    with file.open(newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


@pytest.fixture
def judged(fair):
    """One worker passed, one failed."""
    campaign = fair.opened()
    fair.do_task(campaign, "AGOODWORKER")
    fair.do_task(campaign, "ABADWORKER", pass_gold=False)
    fair.collect(campaign)
    return campaign


def test_judgments_and_gold_answers_are_written_with_what_counts(judged, tmp_path):
    exported = export_judgments(judged, tmp_path / "out.tsv")

    rows = read(tmp_path / "out.tsv")
    judgments = [row for row in rows if row["kind"] == "judgment"]
    gold = [row for row in rows if row["kind"] == "gold"]
    assert (exported.judgments, exported.gold_answers, exported.left_out) == (6, 4, 0)
    assert (len(judgments), len(gold)) == (6, 4)
    assert (
        sorted((row["counted"], row["excluded"]) for row in judgments) == [("0", "1")] * 3 + [("1", "0")] * 3
    )
    assert sorted(row["gold_passed"] for row in gold) == ["0", "0", "1", "1"]
    assert {row["judge_kind"] for row in rows} == {"human"}
    for row in judgments:
        assert row["preferred"] == row["left"] != row["right"]
        assert row["topic"] in row["left"]
        assert row["time"]


def test_crowd_ids_never_appear_and_pseudonyms_differ_from_export_to_export(judged, tmp_path):
    for name in ("one.tsv", "two.tsv"):
        export_judgments(judged, tmp_path / name)

    text = (tmp_path / "one.tsv").read_text()
    for crowd_id in CrowdIdentity.objects.values_list("crowd_worker_id", flat=True):
        assert crowd_id not in text
    one, two = ({row["worker"] for row in read(tmp_path / name)} for name in ("one.tsv", "two.tsv"))
    assert len(one) == len(two) == 2
    assert not one & two


def test_only_the_judgments_link_the_pseudonyms_of_two_exports(judged, tmp_path):
    for name in ("one.tsv", "two.tsv"):
        export_judgments(judged, tmp_path / name)
    one, two = (read(tmp_path / name) for name in ("one.tsv", "two.tsv"))

    assert {row["time"] for row in one} == {Judgment.objects.first().recorded_at.strftime("%Y-%m")}
    assert not {row["task"] for row in one} & {row["task"] for row in two}
    shown = [(row["kind"], row["topic"], row["left"], row["right"]) for row in one]
    assert sum(before != after for before, after in pairwise(shown)) == len(set(shown)) - 1


def test_the_researchers_own_export_keeps_times_and_tasks(judged, tmp_path):
    export_judgments(judged, tmp_path / "own.tsv", signals=True)

    own = read(tmp_path / "own.tsv")
    assert {row["time"] for row in own} >= {
        judgment.judged_at.isoformat() for judgment in judged.judgments.all()
    }
    assert {row["task"] for row in own} <= {"1", "2", "3"}


def test_no_cell_of_a_table_is_a_formula(judged, tmp_path):
    Passage.objects.filter(pid="q0-a").update(pid="=cmd|' /C calc'!A0")
    Passage.objects.filter(pid="q0-b").update(pid="@SUM(1)")

    export_judgments(judged, tmp_path / "out.tsv")
    export_judgments(judged, tmp_path / "out.jsonl")

    cells = [cell for row in read(tmp_path / "out.tsv") for cell in row.values()]
    assert not [cell for cell in cells if cell.startswith(("=", "@"))]
    assert "'=cmd|' /C calc'!A0" in cells
    assert '"=cmd' in (tmp_path / "out.jsonl").read_text()


def test_json_lines_hold_the_same_rows(judged, tmp_path):
    export_judgments(judged, tmp_path / "out.tsv")
    export_judgments(judged, tmp_path / "out.jsonl")

    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    table = read(tmp_path / "out.tsv")
    assert [(row["topic"], row["left"], row["preferred"]) for row in rows] == [
        (row["topic"], row["left"], row["preferred"]) for row in table
    ]


def test_rows_with_a_passage_that_only_non_public_runs_supplied_are_left_out_and_counted(judged, tmp_path):
    export_judgments(judged, tmp_path / "all.tsv")
    everything = read(tmp_path / "all.tsv")
    judged_row = next(row for row in everything if row["kind"] == "judgment")
    qid, secret, other = judged_row["topic"], judged_row["left"], judged_row["right"]
    public = make_run(judged.collection, "public", {qid: [other]})
    private = make_run(judged.collection, "private", {qid: [secret]}, release=Run.Release.PRIVATE)
    PooledPassage.objects.update(run_ids=[public.pk, private.pk])
    PooledPassage.objects.filter(passage__pid=secret).update(run_ids=[private.pk])

    exported = export_judgments(judged, tmp_path / "out.tsv")

    left_out = [row for row in everything if secret in (row["left"], row["right"])]
    assert secret not in (tmp_path / "out.tsv").read_text()
    assert exported.left_out == len(everything) - len(read(tmp_path / "out.tsv")) == len(left_out) > 0


def left_out(campaign, tmp_path) -> int:
    return export_judgments(campaign, tmp_path / "rows.tsv").left_out


def supplied_privately(judged) -> Passage:
    """Return a judged passage that only a private run had on top of its query's pool."""
    row = judged.judgments.select_related("pair__query", "left").first()
    private = make_run(
        judged.collection, "private", {row.pair.query.qid: [row.left.pid]}, release=Run.Release.PRIVATE
    )
    public = make_run(judged.collection, "public", {row.pair.query.qid: [row.right.pid]})
    PooledPassage.objects.update(run_ids=[public.pk])
    PooledPassage.objects.filter(passage=row.left).update(run_ids=[private.pk])
    return row.left


def test_known_relevant_passage_is_public_whoever_supplied_it(judged, tmp_path):
    passage = supplied_privately(judged)
    assert left_out(judged, tmp_path)

    PooledPassage.objects.filter(passage=passage).update(is_qrel=True)

    assert left_out(judged, tmp_path) == 0


def test_labels_of_any_public_set_make_a_passage_public_until_they_are_withheld(judged, tmp_path):
    passage = supplied_privately(judged)
    query = PooledPassage.objects.get(passage=passage).query
    other = QrelSet.objects.create(collection=judged.collection, name="other", sha256="0" * 64)
    Qrel.objects.create(qrel_set=other, query=query, passage=passage, grade=1, position=0)
    assert left_out(judged, tmp_path) == 0

    QrelSet.objects.filter(pk=other.pk).update(withheld=True)

    assert left_out(judged, tmp_path)


def test_a_passage_without_a_known_supplier_is_left_out_while_any_labels_are_withheld(judged, tmp_path):
    make_run(judged.collection, "public", {"q0": ["q0-a"]})
    PooledPassage.objects.update(run_ids=[])
    assert left_out(judged, tmp_path) == 0

    QrelSet.objects.create(collection=judged.collection, name="secret", sha256="0" * 64, withheld=True)

    assert left_out(judged, tmp_path)


def test_a_passage_that_a_public_run_supplied_for_another_query_stays_left_out(judged, tmp_path):
    passage = supplied_privately(judged)
    elsewhere = PooledPassage.objects.exclude(query__qid=passage.pid.partition("-")[0]).first()
    before = left_out(judged, tmp_path)

    PooledPassage.objects.create(
        pool=elsewhere.pool, query=elsewhere.query, passage=passage, run_ids=elsewhere.run_ids
    )

    assert left_out(judged, tmp_path) == before > 0


@pytest.mark.parametrize(("release", "kept"), [("public", True), ("private", False)])
def test_a_challenger_is_public_if_a_public_run_of_its_challenge_had_it(fair, tmp_path, release, kept):
    campaign = fair.opened()
    fair.do_task(campaign, "AGOODWORKER")
    fair.collect(campaign)
    judgment = campaign.judgments.select_related("pair__query").first()
    query, pid = judgment.pair.query, judgment.left.pid
    public = make_run(fair.collection, "public", {query.qid: ["another"]})
    run = make_run(fair.collection, "late", {query.qid: [pid]}, release=release)
    PooledPassage.objects.update(run_ids=[public.pk])
    PooledPassage.objects.filter(passage=judgment.left_id).delete()
    challenge = Challenge.objects.create(campaign=campaign, number=1, run_tags=[run.run_tag])
    ChallengedQuery.objects.create(
        challenge=challenge, query=query, best_ids=[], challenger_ids=[judgment.left_id], members={}
    )

    assert (left_out(campaign, tmp_path) == 0) is kept


def test_nothing_half_written_is_left_behind(judged, tmp_path, monkeypatch):
    def breaks(*_, **__):
        raise OSError("the disk is full")

    monkeypatch.setattr(judgment_export, "_exported_rows", breaks)
    with pytest.raises(OSError, match="full"):
        export_judgments(judged, tmp_path / "out.tsv")

    assert not (tmp_path / "out.tsv").exists()
