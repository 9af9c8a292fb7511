"""Import, a judged campaign, version 1, a new run, version 2: with the real apps and direct answers."""

import pytest

from judging.campaign.campaigns import CampaignSettings, create_campaign
from judging.models import Judgment, Task
from pooling.collections.lookups import qrel_set_named, runs_tagged
from pooling.intake.collections import import_collection
from pooling.pools.pools import build_pool
from pooling.runs.runs import import_run
from tournament import services

TEXTS = {
    "old1": "The capital is Paris.",
    "old2": "Lyon is a city.",
    "label": "France has a capital.",
    "twin": "The capital   is\u00a0Paris. ",
    "new": "Paris has been the capital of France since 987.",
    "other": "Rivers carry water.",
}


def run_file(folder, tag, **tops):
    """Write a run with these first passages and ``label`` second for each query."""
    path = folder / f"{tag}.txt"
    lines = [
        f"{qid} Q0 {pid} {rank} {10 - rank} {tag}\n"
        for qid, top in tops.items()
        for rank, pid in enumerate((top, "label"), 1)
    ]
    path.write_text("".join(lines))
    return path


@pytest.fixture
def collection(db, tmp_path):
    """Two queries, six passages, two runs, one label."""
    (tmp_path / "queries.tsv").write_text("1\tcapital of france\n2\twhat do rivers carry\n")
    (tmp_path / "passages.tsv").write_text("".join(f"{pid}\t{text}\n" for pid, text in TEXTS.items()))
    (tmp_path / "qrels.txt").write_text("1 0 label 1\n2 0 other 1\n")
    made = import_collection(
        name="small",
        queries=tmp_path / "queries.tsv",
        passage_files=[tmp_path / "passages.tsv"],
        qrels=tmp_path / "qrels.txt",
    ).collection
    import_run(collection=made, path=run_file(tmp_path, "one", **{"1": "old1", "2": "other"}))
    import_run(collection=made, path=run_file(tmp_path, "two", **{"1": "old2", "2": "other"}))
    return made


def answer_waiting_tasks(campaign, *, best_first: str) -> int:
    """Answer every waiting task with the passage named first; returns the number of judgments."""
    judged = 0
    for task in Task.objects.filter(campaign=campaign, state="waiting"):
        for row in task.task_pairs.select_related("pair__passage_a", "pair__passage_b"):
            shown = sorted(
                (row.pair.passage_a, row.pair.passage_b), key=lambda shown: best_first.find(shown.pid)
            )
            Judgment.objects.create(
                campaign=campaign,
                pair=row.pair,
                left=shown[1],
                right=shown[0],
                preferred=shown[0],
                judge_kind="simulated",
            )
            judged += 1
        task.task_pairs.all().delete()
        task.delete()
    return judged


def test_a_new_run_brings_the_next_version(collection, tmp_path):
    pool = build_pool(
        collection=collection,
        name="tops",
        runs=runs_tagged(collection, None),
        qrel_set=qrel_set_named(collection, "official"),
    )
    campaign = create_campaign(name="first", pool=pool, settings=CampaignSettings())
    assert answer_waiting_tasks(campaign, best_first="old1 old2 label") == 3
    first = services.resolve(campaign=campaign)
    services.publish_qrels(campaign=campaign)
    import_run(collection=collection, path=run_file(tmp_path, "three", **{"1": "new", "2": "other"}))
    import_run(collection=collection, path=run_file(tmp_path, "four", **{"1": "twin", "2": "other"}))

    plan = services.plan_challenge(campaign=campaign, run_tags=["three", "four"])
    opened = services.open_challenge(plan=plan)
    assert answer_waiting_tasks(campaign, best_first="new old1 old2 label") == 2
    services.advance_challenges()
    second = services.publish_qrels(campaign=campaign).version

    assert (first["closed"], first["singletons"]) == (1, 1)
    assert plan.summary()["pairs"] == {"fewest": 1, "most": 1}  # new against old1; twin is old1 again
    assert plan.known_tops == 2
    assert opened.advance.asked == 2
    assert second.simulated
    exported = [services.export_qrels(collection=collection, number=number)[1] for number in (1, 2)]
    assert exported == [b"1 0 old1 1\n2 0 other 1\n", b"1 0 new 1\n2 0 other 1\n"]
    assert [
        services.rebuild_qrels(collection=collection, number=number).content for number in (1, 2)
    ] == exported


def test_a_newcomer_that_loses_leaves_the_best_answer_and_its_new_twin(collection, tmp_path):
    pool = build_pool(collection=collection, name="tops", runs=runs_tagged(collection, None))
    campaign = create_campaign(name="first", pool=pool, settings=CampaignSettings())
    answer_waiting_tasks(campaign, best_first="old1 old2 label")
    import_run(collection=collection, path=run_file(tmp_path, "three", **{"1": "new"}))
    import_run(collection=collection, path=run_file(tmp_path, "four", **{"1": "twin"}))

    services.open_challenge(
        plan=services.plan_challenge(campaign=campaign, run_tags=["three", "four"], rule="single")
    )
    answer_waiting_tasks(campaign, best_first="old1 new")
    services.advance_challenges()
    services.publish_qrels(campaign=campaign)

    assert services.export_qrels(collection=collection)[1] == b"1 0 old1 1\n1 0 twin 1\n2 0 other 1\n"
