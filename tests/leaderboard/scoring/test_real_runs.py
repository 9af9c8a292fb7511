"""The 16 real runs of TREC 2021 Deep Learning: official values, and a board under crowd preferences."""

import csv
import gzip

import numpy as np
import pytest
import pytrec_eval
from scipy import stats
from scipy.stats import kendalltau

from judging.campaign.imported_judgments import import_judgments
from judging.models import Campaign
from leaderboard.analyses.compare.comparison import Question, compare_runs
from leaderboard.analyses.shared.combinations import combinations
from leaderboard.analyses.split_halves.computation import draw_halves, pair_tests
from leaderboard.board.boards import make_leaderboard
from leaderboard.scoring.chosen_runs import chosen_runs, official_set
from leaderboard.scoring.labels import labels_named
from leaderboard.scoring.scores import score, scores_as_dict
from pooling.labels.qrels import import_qrels
from tests.leaderboard.analyses.analysed import analysed
from tournament.services import publish_qrels

MEASURES = "AP RR P@10 nDCG@10 nDCG@100"


def test_every_official_value_to_its_four_digits(track, shared_data):
    with (shared_data / "dl21" / "official" / "per_query.tsv").open() as file:
        official = {
            (row["run_tag"], row["measure"], row["qid"]): row["value"]
            for row in csv.DictReader(file, delimiter="\t")
        }

    scores = score(
        collection=track,
        labels=labels_named(track, "graded"),
        runs=chosen_runs(track),
        measures=MEASURES,
    )

    ours = {
        (row["run"], row["measure"], row["qid"]): f"{row['value']:.4f}"
        for row in scores_as_dict(scores, per_query=True)["rows"]
    }
    assert len(official) == 16 * 5 * 54
    assert {key: ours.get(key) for key in official} == official


def test_the_board_under_crowd_preferences(track, shared_data):
    """26 of the 30 judged queries have official grades; the correlation is scipy's."""
    campaign = Campaign.objects.create(name="duel", collection=track, seed=1)
    import_judgments(campaign, shared_data / "dl21" / "judgments.tsv", phases=["I"])
    version = publish_qrels(campaign=campaign).version

    published = make_leaderboard(
        collection=track,
        version=version,
        official=official_set(track, "official"),
        runs=chosen_runs(track),
    )

    rows = [row for row in published.board.rows if not row.perfect]
    expected = kendalltau(
        [row.official.value for row in rows], [row.preference.value for row in rows], variant="b"
    )
    assert (published.board.queries, len(rows)) == (26, 16)
    assert published.board.agreement.tau_b == pytest.approx(expected.statistic, abs=1e-12)
    assert not published.simulated
    assert {row.preference.rank for row in rows} <= set(range(1, 17))
    assert all(0 < row.judged_tops < 1 for row in rows)


def test_ranks_are_less_firm_on_fewer_and_sparser_labels(track, shared_data):
    """16 runs on 53 graded queries, and on the 30 whose best answers people chose (as their authors published)."""
    published = shared_data / "dl21" / "preference-qrels" / "I+II+III.qrels"
    import_qrels(collection=track, path=published, set_name="preference", kind="preference")

    found = analysed("stability", track, chosen_runs(track), qrels=["official", "preference"], trials=300)

    official, preference = found.content["distributions"]
    assert (official["queries"], preference["queries"]) == (53, 30)
    for one in (official, preference):
        assert len(one["runs"]) == 16
        assert all(run["held"].sum() == 300 for run in one["runs"])
    spread = [
        np.mean([np.count_nonzero(run["held"]) for run in one["runs"]]) for one in (official, preference)
    ]
    assert spread[0] < spread[1]


def test_p_values_of_halves_are_scipys_on_real_values(track):
    found = combinations(
        collection=track, runs=chosen_runs(track), labels=["official"], measures="RR@10 nDCG@10"
    )
    halves = draw_halves(53, 1, np.random.default_rng(5))
    middling = 0
    for one in found:
        steps = one.values if one.whole is None else np.rint(one.values * one.whole)
        for batch in pair_tests(steps, halves):
            for row, second in enumerate(batch.second[::4]):
                x, y = steps[batch.first, halves[:, 1]], steps[second, halves[:, 1]]
                u = stats.mannwhitneyu(x, y, use_continuity=False, method="asymptotic")
                expected = {"rank-sum": u.pvalue, "t": stats.ttest_rel(x, y).pvalue}
                expected["signed-rank"] = stats.wilcoxon(x, y).pvalue
                for test, p in expected.items():
                    assert batch.p[test][4 * row, 1] == pytest.approx(p, rel=1e-8), (
                        test,
                        batch.first,
                        second,
                    )
                    middling += 0.01 < p < 0.9
    assert middling > 50


def test_comparisons_of_real_runs_equal_scipys_on_pytrec_evals_ranks(track, shared_data):
    """The breakdown of all comparisons asked, from ranks that neither our reader nor our measures touched."""
    qrels, ranks = oracle_ranks(shared_data / "dl21")
    question = Question(labels_named(track, "official"))

    found = compare_runs(collection=track, runs=chosen_runs(track), question=question)

    assert len(found.pairs) == 17
    assert found.facts.queries == len(qrels) == 53
    for pair in found.pairs:
        a, b = ranks[pair.a], ranks[pair.b]
        x, y = (np.array([2520 // rank if rank else 0 for rank in one.tolist()]) for one in (a, b))
        both, one, other = (a > 0) & (b > 0), int(((a > 0) & (b == 0)).sum()), int(((a == 0) & (b > 0)).sum())
        naive, esl = pair.outcomes.naive, pair.outcomes.esl
        ours = [naive.rank_sum.p, naive.signed_rank.p, naive.paired_t.p, pair.outcomes.case2.p]
        theirs = [
            stats.mannwhitneyu(x, y, use_continuity=False, method="asymptotic").pvalue,
            stats.wilcoxon(x, y).pvalue,
            stats.ttest_rel(x, y).pvalue,
            stats.binomtest(one, one + other).pvalue if one + other else 1.0,
        ]
        assert [*ours, esl.signed_rank.p, esl.paired_t.p] == pytest.approx(
            [*theirs, stats.wilcoxon(a[both], b[both]).pvalue, stats.ttest_rel(a[both], b[both]).pvalue]
        )
        assert (esl.a, esl.b) == (a[both].mean(), b[both].mean())


def oracle_ranks(folder):
    """pytrec_eval's reciprocal ranks (relevant from grade 2) as ranks to 10; 0 is unanswered."""
    qrels: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels.txt").read_text().splitlines():
        qid, _, pid, grade = line.split()
        qrels.setdefault(qid, {})[pid] = int(grade)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}, relevance_level=2)
    ranks = {}
    for path in (folder / "runs").glob("*.gz"):
        run: dict[str, dict[str, float]] = {}
        for line in gzip.decompress(path.read_bytes()).decode().splitlines():
            qid, _, pid, _, score, tag = line.split()
            run.setdefault(qid, {})[pid] = float(score)
        values = evaluator.evaluate(run)
        first = [round(1 / values[qid]["recip_rank"]) if values[qid]["recip_rank"] else 0 for qid in qrels]
        ranks[tag] = np.array([rank if rank <= 10 else 0 for rank in first])
    return qrels, ranks
