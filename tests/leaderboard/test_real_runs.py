"""The 16 real runs of TREC 2021 Deep Learning: official values, and a board under crowd preferences."""

from __future__ import annotations

import csv

import pytest
from scipy.stats import kendalltau

from judging.models import Campaign
from judging.services.importing import import_judgments
from leaderboard import services
from pooling.services.collections import import_collection
from pooling.services.qrels import import_qrels
from pooling.services.runs import import_run
from tournament.services import publish_qrels

MEASURES = "AP RR P@10 nDCG@10 nDCG@100"


@pytest.fixture
def track(db, shared_data):
    """The collection with its runs and its graded qrels, relevant from grade 1 and from grade 2."""
    data = shared_data / "dl21"
    collection = import_collection(name="dl21", queries=data / "topics.tsv").collection
    for name, grade in (("graded", 1), ("official", 2)):
        import_qrels(collection=collection, path=data / "qrels.txt", set_name=name, min_grade=grade)
    for path in sorted((data / "runs").glob("*.gz")):
        import_run(collection=collection, path=path)
    return collection


def test_every_official_value_to_its_four_digits(track, shared_data):
    with (shared_data / "dl21" / "official" / "per_query.tsv").open() as file:
        official = {
            (row["run_tag"], row["measure"], row["qid"]): row["value"]
            for row in csv.DictReader(file, delimiter="\t")
        }

    scores = services.score(
        collection=track,
        labels=services.labels_named(track, "graded"),
        runs=services.chosen_runs(track),
        measures=MEASURES,
    )

    ours = {
        (row["run"], row["measure"], row["qid"]): f"{row['value']:.4f}"
        for row in services.scores_as_dict(scores, per_query=True)["rows"]
    }
    assert len(official) == 16 * 5 * 54
    assert {key: ours.get(key) for key in official} == official


def test_the_board_under_crowd_preferences(track, shared_data):
    """26 of the 30 judged queries have official grades; the correlation is scipy's."""
    campaign = Campaign.objects.create(name="duel", collection=track, seed=1)
    import_judgments(campaign, shared_data / "dl21" / "judgments.tsv", phases=["I"])
    version = publish_qrels(campaign=campaign).version

    published = services.leaderboard(
        collection=track,
        version=version,
        official=services.official_set(track, "official"),
        runs=services.chosen_runs(track),
    )

    rows = [row for row in published.board.rows if not row.perfect]
    expected = kendalltau(
        [row.official.value for row in rows], [row.preference.value for row in rows], variant="b"
    )
    assert (published.board.queries, len(rows)) == (26, 16)
    assert published.board.agreement.tau_b == pytest.approx(expected.statistic, abs=1e-12)
    assert not published.simulated
    assert {row.rank_preference for row in rows} <= set(range(1, 17))
    assert all(0 < row.judged_tops < 1 for row in rows)
