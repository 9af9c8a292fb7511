"""A rehearsal on real runs: simulated workers, some careless; then a run that was left out arrives."""

import gzip
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from judging.models import Campaign, GoldAnswer, GoldPair, Judgment, Pair, Slot, Submission, Task, Worker
from pooling.models import PooledPassage
from tests.journeys.conftest import typed
from tournament.models import QrelVersion

pytestmark = [
    pytest.mark.soak,
    pytest.mark.journey,
    pytest.mark.xdist_group("rehearsal"),
    pytest.mark.django_db(transaction=True),
]
QUERIES = 6
LEFT_OUT = {"TUW_TAS-B_768", "p_bm25"}
CHALLENGER = "p_bm25"


def judged_queries(qrels: Path, count: int) -> list[str]:
    return list(dict.fromkeys(line.split()[0] for line in qrels.read_text().splitlines()))[:count]


def tops_of(run: Path) -> dict[str, str]:
    """Return qid → top passage: the highest 32-bit score, then the greatest pid."""
    best: dict[str, tuple[np.float32, str]] = {}
    with gzip.open(run, "rt") as lines:
        for line in lines:
            qid, _, pid, _, score, _ = line.split()
            best[qid] = max(best.get(qid, (np.float32("-inf"), "")), (np.float32(score), pid))
    return {qid: pid for qid, (_, pid) in best.items()}


def simulate(campaign: str) -> dict:
    words = "--workers 8 --careless 3 --truth official --error 0.1 --gold-error 0 --seed 5"
    return typed("simulate_workers", campaign, *words.split())


@pytest.fixture
def rehearsed(site, shared_data, tmp_path) -> Campaign:
    """Six judged queries, the tops of 14 runs and the qrel, judged by eight simulated workers."""
    data = shared_data / "dl21"
    queries = tmp_path / "queries.txt"
    queries.write_text("\n".join(judged_queries(data / "qrels.txt", QUERIES)) + "\n")
    runs = [path for path in sorted((data / "runs").iterdir()) if path.name[:-7] not in LEFT_OUT]
    typed("import_collection", "dl21", "--queries", data / "topics.tsv")
    typed("import_qrels", "dl21", data / "qrels.txt", "--set", "official", "--min-grade", 2)
    typed("import_runs", "dl21", *runs)
    typed("build_pool", "dl21", "--pool", "tops", "--all-runs", "--qrels", "official", "--queries", queries)
    settings = ("--placeholder-text", "--budget", 500, "--max-tasks-per-worker", 20, "--seed", 3)
    typed("create_campaign", "first", "--pool", "tops", *settings)
    typed("propose_gold", "first")
    typed("accept_gold", "first", "--all")
    typed("set_texts", "first", "--accept")
    typed("launch_campaign", "first", "--accept-weak-screening")
    simulate("first")
    return Campaign.objects.get(name="first")


def assert_judged_fairly(campaign: Campaign) -> None:
    """Check what is true of any complete campaign, however careless some of its workers were."""
    counted = Judgment.objects.filter(campaign=campaign).counted()
    excluded = Worker.objects.filter(exclusions__campaign=campaign, exclusions__reversed_at=None)
    wanted = Counter(campaign.tasks.values_list("task_pairs__pair", flat=True))
    assert Counter(counted.values_list("pair", flat=True)) == wanted
    assert not counted.filter(worker__in=excluded).exists()
    # Three careless workers can fail the same single gold pair by chance. It is then suspended.
    failed = GoldAnswer.objects.filter(submission__campaign=campaign, passed=False)
    failed = failed.exclude(gold_pair__state=GoldPair.State.SUSPENDED)
    assert set(excluded) == {answer.worker for answer in failed.select_related("worker")}
    affected = Submission.objects.filter(campaign=campaign, worker__in=excluded, task__isnull=False)
    for task in Task.objects.filter(pk__in=affected.values("task")):
        assert task.submissions.filter(standing="counted").exclude(worker__in=excluded).count() == 1
    for shown in ("pair", "gold_pair"):
        seen = Slot.objects.filter(submission__campaign=campaign, **{f"{shown}__isnull": False})
        assert max(Counter(seen.values_list("worker", shown)).values()) == 1
    assert set(counted.values_list("judge_kind", flat=True)) == {"simulated"}


def test_a_rehearsal_is_judged_fairly_and_a_late_run_adds_only_unseen_passages(
    rehearsed, shared_data, tmp_path
):
    pooled = PooledPassage.objects.filter(pool=rehearsed.pool)
    pool = set(pooled.values_list("query__qid", "passage__pid"))
    assert_judged_fairly(rehearsed)
    status = typed("campaign_status", "first")
    assert status["judgments"]["counted"] == status["judgments"]["wanted"] == rehearsed.pairs.count()
    assert status["judgments"]["excluded"] > 0
    assert 0 < status["exclusions"] <= 3
    resolved = typed("resolve", "first")
    assert (resolved["closed"] + resolved["singletons"], resolved["open"]) == (QUERIES, 0)
    assert typed("publish_qrels", "first")["version"] == 1
    typed("export_qrels", "dl21", "--version", 1, "--out", tmp_path / "v1.txt")

    run = shared_data / "dl21" / "runs" / f"{CHALLENGER}.txt.gz"
    unseen = {row for row in tops_of(run).items() if row[0] in {qid for qid, _ in pool}} - pool
    typed("import_runs", "dl21", run)
    asked = typed("challenge", "first", "--runs", CHALLENGER)
    simulate("first")
    assert typed("publish_qrels", "first")["version"] == 2

    assert unseen
    assert asked["challengers"] == len(unseen)
    new = Pair.objects.filter(campaign=rehearsed, round__gt=0).select_related(
        "query", "passage_a", "passage_b"
    )
    sides = {(pair.query.qid, side.pid) for pair in new for side in (pair.passage_a, pair.passage_b)}
    assert sides - pool == unseen
    assert all(
        {(pair.query.qid, pair.passage_a.pid), (pair.query.qid, pair.passage_b.pid)} & unseen for pair in new
    )
    assert asked["judgments"]["fewest"] <= Judgment.objects.filter(pair__in=new).counted().count()
    assert_judged_fairly(rehearsed)

    assert list(QrelVersion.objects.order_by("number").values_list("simulated", flat=True)) == [True, True]
    assert typed("rebuild_qrels", "dl21", "--version", 1, "--out", tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_bytes() == (tmp_path / "v1.txt").read_bytes()
    typed("export_qrels", "dl21", "--version", 2, "--out", tmp_path / "v2.txt")
    typed("rebuild_qrels", "dl21", "--version", 2, "--out", tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_bytes() == (tmp_path / "v2.txt").read_bytes()
