"""Human judgments of 30 queries of TREC 2021 Deep Learning, three complete phases, and 16 real runs."""

import csv
from collections import Counter, defaultdict
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from judging.campaign.imported_judgments import import_judgments
from judging.models import Campaign
from leaderboard.analyses.compare.comparison import Question, progress_over_time
from leaderboard.analyses.progress.analysis import progress_analysis
from leaderboard.scoring.chosen_runs import chosen_runs
from leaderboard.scoring.labels import labels_named
from leaderboard.scoring.scores import score
from pooling.labels.query_splits import keep_split, plan_split
from pooling.models import Run
from pooling.runs.runs import tops_of
from tests.leaderboard.analyses.analysed import analysed, rows
from tournament.services import publish_qrels


@pytest.fixture
def duel(track, shared_data):
    """The three phases as one campaign."""
    campaign = Campaign.objects.create(name="duel", collection=track, seed=1)
    import_judgments(campaign, shared_data / "dl21" / "judgments.tsv", phases=["I", "II", "III"])
    return campaign


def test_every_analysis_of_preferences_runs_on_real_judgments(duel, track):
    runs = chosen_runs(track)
    version = publish_qrels(campaign=duel).version

    # The data's own README: ties recounted, phases I and II agree for 3 of 30 queries, I and III 11, II and III 7;
    # with all ties kept, as published, the sets are equal for 1, 6 and 2.
    for ties, expected in (("recount", [3, 11, 7]), ("keep", [1, 6, 2])):
        replicates = analysed("replicate_boards", track, runs, duel, ties=ties)
        assert [(row["queries"], row["same"]) for row in rows(replicates, "overlaps")] == [
            (30, same) for same in expected
        ]
    boards = rows(replicates, "boards")
    tau = stats.kendalltau([row["set_I"] for row in boards], [row["set_II"] for row in boards]).statistic
    assert rows(replicates, "overlaps")[0]["tau_b"] == pytest.approx(tau, abs=1e-12)

    agreement = rows(analysed("judge_agreement", track, campaign=duel), "agreement")[0]
    assert (agreement["pairs"], agreement["queries"], agreement["twos"]) == (564, 30, 3 * 564)

    both = analysed("board_agreement", track, runs, official="official", version=str(version.number))
    assert (both.facts.queries, len(rows(both, "boards"))) == (26, 17)
    assert rows(both, "pair_wins")[0]["share"].value > 0.75

    ratios = rows(analysed("win_ratios", track, runs, duel, official="official"), "counts")
    assert len(ratios) == 136
    for row in ratios[::7]:
        decided = row["first_wins"] + row["second_wins"]
        expected = stats.binomtest(row["first_wins"], decided).pvalue if decided else 1.0
        assert row["p"] == pytest.approx(expected)

    bias = rows(analysed("pool_bias", track, runs, duel), "left_out")
    assert {row["run"] for row in bias} == {run.run_tag for run in runs}
    assert any(row["dropped"] for row in bias)

    stable = analysed("stability", track, runs, qrels=["@1:order"], measure="Compat(p=0.95)", trials=20)
    assert (stable.facts.queries, len(stable.facts.runs)) == (30, 16)

    noise = rows(analysed("label_noise", track, runs, duel, trials=40), "noise")
    widths = [
        (row["labels"].high - row["labels"].low, row["queries"].high - row["queries"].low) for row in noise
    ]
    assert len(noise) == 16
    assert sum(labels > queries for labels, queries in widths) > 8


def test_the_other_analyses_run_on_real_runs(duel, track):
    runs = chosen_runs(track)
    Run.objects.filter(pk__in=[run.pk for run in runs[:3]]).update(team="harbour")
    keep_split(track, plan_split(track, share=0.5, seed=1))
    runs = chosen_runs(track)

    for day, run in enumerate(runs, 1):
        Run.objects.filter(pk=run.pk).update(submitted_on=f"2021-08-{day:02}")
    runs = chosen_runs(track)
    question = Question(labels_named(track, "official"))
    timeline = progress_analysis(progress_over_time(collection=track, runs=runs, question=question))
    steps = rows(timeline, "progress")
    assert {row["run"] for row in steps} == {run.run_tag for run in runs}
    tops = [row["value"] for row in steps if row["state_of_the_art"]]
    assert tops == sorted(set(tops))
    assert tops[-1] == max(row["value"] for row in steps)

    halves = analysed("split_halves", track, runs, qrels=["official"], splits=4)
    for row in rows(halves, "halves"):
        assert row["agree"] + row["partial"] + row["disagree"] == pytest.approx(1)

    boards = analysed("private_board", track, runs, qrels="official")
    assert len(rows(boards, "private")) == 16
    assert [row["submission"] for row in rows(boards, "divergence")] == [2, 3]

    asked = {"reference": runs[0].run_tag, "official": "official"}
    preferred = analysed("better_than_perfect", track, runs, duel, **asked)
    assert sum(row["judged"] for row in rows(preferred, "preferred")) > 0


def test_orders_of_real_judgments_are_their_majorities_and_compat_is_overlap_with_them(
    duel, track, shared_data
):
    """Every finalist met every other in all three phases, so majorities alone make the levels below the winner."""
    publish_qrels(campaign=duel)
    labels = labels_named(track, "@1:order")
    run = chosen_runs(track)[0]

    ideal = {qid: [] for qid in labels.qids}
    for query, pid, grade in zip(labels.query.tolist(), labels.pids, labels.grades.tolist(), strict=True):
        ideal[labels.qids[query]].append((grade, pid))
    winners = labels_named(track, "@1").relevant_pids()
    said = read_majorities(shared_data / "dl21" / "judgments.tsv")
    assert set(ideal) == set(said)
    for qid, graded in ideal.items():
        grade = {pid: level for level, pid in graded}
        highest = max(grade.values())
        assert {pid for pid, level in grade.items() if level == highest} == winners[qid]
        assert set(grade) == {pid for pair in said[qid] for pid in pair}
        above = reached(said[qid], winners[qid])
        for a, b in combinations(sorted(set(grade) - winners[qid]), 2):
            one_way = (a, b) in above, (b, a) in above
            expected = 0 if one_way[0] == one_way[1] else 1 if one_way[0] else -1
            assert np.sign(grade[a] - grade[b]) == expected

    heights = Counter(max(level for level, _ in graded) for graded in ideal.values())
    assert heights == {2: 13, 3: 9, 4: 1, 5: 5, 6: 2}  # as docs/methods-leaderboard.md says

    scored = score(collection=track, labels=labels, runs=[run], measures="Compat(p=0.95)")
    ranks = tops_of(run, 100)
    for qid, value in list(zip(labels.qids, scored.columns[0].scored[0].values, strict=True))[::6]:
        ranking = list(ranks[qid])
        place = {pid: rank for rank, pid in enumerate(ranking)}
        nearest = [pid for _, pid in sorted(ideal[qid], key=lambda row: (-row[0], place.get(row[1], 1e9)))]
        assert value == pytest.approx(overlap(ranking, nearest) / overlap(nearest, nearest), rel=1e-9)


def read_majorities(path):
    """Return qid → {(winner, loser)} by most of a pair's judgments in the three phases, from the file itself."""
    counts = defaultdict(Counter)
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["phase"] in ("I", "II", "III"):
                loser = row["right"] if row["preferred"] == row["left"] else row["left"]
                counts[row["topic"]][row["preferred"], loser] += 1
    return {
        qid: {(a, b) for (a, b), times in found.items() if times > found[b, a]}
        for qid, found in ((qid, Counter(found)) for qid, found in counts.items())
    }


def reached(won, left_out):
    """Return every (a, b) with a chain of won pairs from a to b that avoids all of ``left_out``."""
    chains = {(a, b) for a, b in won if not {a, b} & left_out}
    while further := {(a, d) for a, b in chains for c, d in chains if b == c} - chains:
        chains |= further
    return chains


def overlap(first, second, p=0.95, depth=1000):
    """Return rank-biased overlap by its definition."""
    return sum(p ** (d - 1) * len({*first[:d]} & {*second[:d]}) / d for d in range(1, depth + 1))
