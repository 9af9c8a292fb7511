"""Human judgments of 30 queries of TREC 2021 Deep Learning, three complete phases, and 16 real runs."""

from __future__ import annotations

import pytest
from scipy import stats

from judging.models import Campaign
from judging.services.importing import import_judgments
from leaderboard import services
from leaderboard.services.board_agreement import analyse_board_agreement
from leaderboard.services.judge_agreement import analyse_judge_agreement
from leaderboard.services.label_noise import analyse_label_noise
from leaderboard.services.pool_bias import analyse_pool_bias
from leaderboard.services.replicate_boards import analyse_replicate_boards
from leaderboard.services.win_ratios import analyse_win_ratios
from tournament.services import publish_qrels


@pytest.fixture
def duel(track, shared_data):
    """The three phases as one campaign."""
    campaign = Campaign.objects.create(name="duel", collection=track, seed=1)
    import_judgments(campaign, shared_data / "dl21" / "judgments.tsv", phases=["I", "II", "III"])
    return campaign


def rows(analysis, key):
    return [row.values for row in next(table for table in analysis.tables if table.key == key).rows]


def test_every_analysis_of_preferences_runs_on_real_judgments(duel, track):
    runs, official = services.chosen_runs(track), services.official_set(track, "official")
    version = publish_qrels(campaign=duel).version

    # The data's own README: ties recounted, phases I and II agree for 3 of 30 queries, I and III 11, II and III 7;
    # with all ties kept, as published, the sets are equal for 1, 6 and 2.
    for ties, expected in (("recount", [3, 11, 7]), ("keep", [1, 6, 2])):
        replicates = analyse_replicate_boards(campaign=duel, runs=runs, ties=ties)
        assert [(row["queries"], row["same"]) for row in rows(replicates, "overlaps")] == [
            (30, same) for same in expected
        ]
    boards = rows(replicates, "boards")
    tau = stats.kendalltau([row["set_I"] for row in boards], [row["set_II"] for row in boards]).statistic
    assert rows(replicates, "overlaps")[0]["tau_b"] == pytest.approx(tau, abs=1e-12)

    agreement = rows(analyse_judge_agreement(campaign=duel), "agreement")[0]
    assert (agreement["pairs"], agreement["queries"], agreement["twos"]) == (564, 30, 3 * 564)

    both = analyse_board_agreement(collection=track, version=version, official=official, runs=runs)
    assert (both.facts.queries, len(rows(both, "boards"))) == (26, 17)
    assert rows(both, "pair_wins")[0]["share"].value > 0.75

    ratios = rows(analyse_win_ratios(campaign=duel, runs=runs, official=official), "counts")
    assert len(ratios) == 136
    for row in ratios[::7]:
        decided = row["first_wins"] + row["second_wins"]
        expected = stats.binomtest(row["first_wins"], decided).pvalue if decided else 1.0
        assert row["p"] == pytest.approx(expected)

    bias = rows(analyse_pool_bias(campaign=duel, runs=runs), "left_out")
    assert {row["run"] for row in bias} == {run.run_tag for run in runs}
    assert any(row["dropped"] for row in bias)

    noise = rows(analyse_label_noise(campaign=duel, runs=runs, trials=40), "noise")
    widths = [
        (row["labels"].high - row["labels"].low, row["queries"].high - row["queries"].low) for row in noise
    ]
    assert len(noise) == 16
    assert sum(labels > queries for labels, queries in widths) > 8
