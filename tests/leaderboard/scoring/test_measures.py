"""Measures: equal to trec_eval's, worked cases, and changes that must not affect them."""

import csv
import math

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, strategies as st

from leaderboard.errors import UnknownMeasure
from leaderboard.scoring.measure_names import parse_measure, parse_measures
from leaderboard.scoring.measures import RankedLabels, depth_needed
from pooling.files.formats import Content
from pooling.files.trec import read_qrel_file, read_run_file
from pooling.files.wanted_ranks import Wanted, find_wanted

OFFICIAL = parse_measures("AP RR P@10 nDCG@10 nDCG@100")


def judged(*labels: tuple[int, int, int], queries: int = 1) -> RankedLabels:
    """Labels as (query, grade, rank)."""
    columns = np.array(labels, np.int64).reshape(-1, 3).T
    return RankedLabels(queries, *columns)


def judge(run, qrels) -> RankedLabels:
    found = find_wanted(run.ranking, Wanted(qrels.qids, qrels.query, qrels.pids))
    return RankedLabels(len(qrels.qids), qrels.query, qrels.grade, found.rank)


def test_every_official_value_of_trec_2021_is_reproduced(shared_data):
    qrels = read_qrel_file(Content(shared_data / "dl21" / "qrels.txt"))
    official: dict[tuple[str, str], dict[str, str]] = {}
    with (shared_data / "dl21" / "official" / "per_query.tsv").open() as file:
        for row in csv.DictReader(file, delimiter="\t"):
            official.setdefault((row["run_tag"], row["measure"]), {})[row["qid"]] = row["value"]
    compared = 0

    for path in sorted((shared_data / "dl21" / "runs").iterdir()):
        run = read_run_file(Content(path))
        labels = judge(run, qrels)
        for measure in OFFICIAL:
            values = measure.values(labels)
            ours = {qid: f"{value:.4f}" for qid, value in zip(qrels.qids, values, strict=True)}
            ours["all"] = f"{measure.mean(values):.4f}"
            assert ours == official[run.tag, measure.name]
            compared += len(ours)

    assert compared == 4320


def test_values_equal_pytrec_eval_where_scores_tie(tmp_path):
    rng = np.random.default_rng(3)
    qids = [f"q{number}" for number in range(40)]
    scores = {q: {f"p{p}": float(rng.integers(0, 5)) for p in rng.permutation(60)[:30]} for q in qids}
    grades = {q: {f"p{p}": int(rng.integers(-1, 4)) for p in rng.permutation(60)[:20]} for q in qids}
    run_lines = [f"{q} Q0 {p} 1 {s} t\n" for q in qids for p, s in scores[q].items()]
    qrel_lines = [f"{q} 0 {p} {g}\n" for q in qids for p, g in grades[q].items()]
    (tmp_path / "run").write_text("".join(run_lines))
    (tmp_path / "qrels").write_text("".join(qrel_lines))
    oracle = pytrec_eval.RelevanceEvaluator(
        grades, {"map", "recip_rank", "P.5,10", "ndcg_cut.3,10", "ndcg", "success.1,5", "recall.5,20"}
    ).evaluate(scores)
    theirs = {
        "AP": "map",
        "RR": "recip_rank",
        "P@5": "P_5",
        "P@10": "P_10",
        "nDCG@3": "ndcg_cut_3",
        "nDCG@10": "ndcg_cut_10",
        "nDCG": "ndcg",
        "R@5": "recall_5",
        "R@20": "recall_20",
        "Success@1": "success_1",
        "Success@5": "success_5",
    }

    qrels = read_qrel_file(Content(tmp_path / "qrels"))
    labels = judge(read_run_file(Content(tmp_path / "run")), qrels)

    for ours, name in theirs.items():
        expected = [oracle[qid][name] for qid in qrels.qids]
        np.testing.assert_allclose(parse_measure(ours).values(labels), expected, rtol=1e-12, atol=1e-15)


def test_a_higher_relevance_level_equals_pytrec_evals(tmp_path):
    scores = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    grades = {"q": {"a": 1, "b": 2, "c": 3, "d": 2}}
    oracle = pytrec_eval.RelevanceEvaluator(grades, {"map", "recip_rank"}, relevance_level=2).evaluate(scores)
    labels = judged((0, 1, 1), (0, 2, 2), (0, 3, 3), (0, 2, 0))

    ap, rr = (parse_measure(name).values(labels)[0] for name in ("AP(rel=2)", "RR(rel=2)"))

    assert ap == pytest.approx(oracle["q"]["map"])
    assert rr == pytest.approx(oracle["q"]["recip_rank"])


def test_values_worked_by_hand():
    labels = judged((0, 1, 2), (0, 2, 4), (0, 1, 0), (1, 1, 11), (2, 0, 1), queries=4)

    def values(name: str) -> list[float]:
        return parse_measure(name).values(labels).tolist()

    assert values("RR@10") == [1 / 2, 0, 0, 0]
    assert values("RR") == [1 / 2, 1 / 11, 0, 0]
    assert values("P@10") == [0.2, 0, 0, 0]
    assert values("AP") == pytest.approx([(1 / 2 + 2 / 4) / 3, 1 / 11, 0, 0])
    assert values("Success@2") == [1, 0, 0, 0]
    reached = 1 / math.log2(3) + 2 / math.log2(5)
    best = 2 / math.log2(2) + 1 / math.log2(3) + 1 / math.log2(4)
    assert values("nDCG@10") == pytest.approx([reached / best, 0, 0, 0])


def test_search_length_counts_answered_queries_only():
    measure = parse_measure("ESL@10")
    values = measure.values(judged((0, 1, 3), (1, 1, 7), (2, 1, 11), queries=4))

    assert values[:2].tolist() == [3, 7]
    assert np.isnan(values[2:]).all()
    assert measure.mean(values) == 5
    assert not measure.higher_is_better


def test_a_mean_over_no_query_is_not_a_number():
    assert math.isnan(parse_measure("ESL@10").mean(np.full(3, np.nan)))
    assert math.isnan(parse_measure("RR@10").mean(np.empty(0)))


def test_means_of_reciprocal_ranks_are_exact():
    values = parse_measure("RR@10").values(judged(*((q, 1, 3) for q in range(9)), queries=9))

    assert parse_measure("RR@10").mean(values) == 1 / 3


def test_a_units_multiple_of_a_reciprocal_rank_is_whole():
    measure = parse_measure("RR@10")

    assert measure.unit == 2520
    assert all(measure.unit % rank == 0 for rank in range(1, 11))
    assert parse_measure("RR").unit is None


@pytest.mark.parametrize(
    "name",
    [
        "RR",
        "RR@10",
        "AP",
        "AP(rel=2)",
        "P(rel=2)@5",
        "nDCG",
        "nDCG@20",
        "NCG@100",
        "R@100",
        "ERR@20",
        "Success@1",
        "ESL@100",
        "Compat(p=0.95)",
        "Compat(p=0.8,rel=2)",
    ],
)
def test_names_are_written_as_they_are_read(name):
    assert parse_measure(name).name == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        "MRRR@10",
        "P",
        "R",
        "ERR",
        "RR@0",
        "recip_rank_",
        "RR@ten",
        "AP(rel=x)",
        "nDCG@10 "[:4] + "@",
        "NCG",
        "Compat@10",
        "Compat(p=1)",
        "Compat(p=0)",
        "Compat(p=0.5.1)",
        "RR(p=0.9)@10",
        "Compat(q=0.5)",
        "Compat(p=0.001)",
        "AP(rel=1.5)",
        "AP(rel=)",
    ],
)
def test_other_names_are_refused_with_the_known_ones(name):
    with pytest.raises(UnknownMeasure, match=r"is not a measure|The measure is missing|needs a cutoff"):
        parse_measure(name)


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("MRR@10", "RR@10"),
        ("mrr@10", "RR@10"),
        ("rr@10", "RR@10"),
        ("mrr_at_10", "RR@10"),
        ("recip_rank", "RR"),
        ("MAP", "AP"),
        ("map", "AP"),
        ("map(rel=2)", "AP(rel=2)"),
        ("map_cut_100", "AP@100"),
        ("ndcg@10", "nDCG@10"),
        ("NDCG@10", "nDCG@10"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_at_10", "nDCG@10"),
        ("P_10", "P@10"),
        ("precision@10", "P@10"),
        ("r@100", "R@100"),
        ("recall@100", "R@100"),
        ("recall_1000", "R@1000"),
        ("err@20", "ERR@20"),
        ("ncg@100", "NCG@100"),
        ("ncg_cut_100", "NCG@100"),
        ("success_1", "Success@1"),
        ("Hits@10", "Success@10"),
        ("compat(p=0.8)", "Compat(p=0.8)"),
    ],
)
def test_other_usual_names_mean_what_they_say(name, measure):
    assert parse_measure(name).name == measure


def test_a_measure_without_its_cutoff_is_told_so():
    with pytest.raises(UnknownMeasure, match="R needs a cutoff, as in R@10"):
        parse_measure("recall")


def test_recall_and_expected_reciprocal_rank_worked_by_hand():
    labels = judged((0, 3, 2), (0, 1, 4), (0, 2, 0), (1, 1, 11), (2, 0, 1), queries=4)

    assert parse_measure("R@3").values(labels).tolist() == [1 / 3, 0, 0, 0]
    assert parse_measure("R@20").values(labels).tolist() == [2 / 3, 1, 0, 0]
    first = (7 / 16) / 2
    second = (1 - 7 / 16) * (1 / 16) / 4
    assert parse_measure("ERR@10").values(labels).tolist() == [pytest.approx(first + second), 0, 0, 0]
    assert parse_measure("ERR@3").values(labels).tolist() == [first, 0, 0, 0]
    assert parse_measure("ERR(rel=2)@10").values(labels).tolist() == [first, 0, 0, 0]


@pytest.mark.parametrize("cutoff", [1, 5, 20])
def test_expected_reciprocal_rank_equals_ir_measures(cutoff):
    rng = np.random.default_rng(12)
    scores = {
        str(q): {f"p{n}": 90.0 - r for r, n in enumerate(rng.permutation(60)[:50].tolist())}
        for q in range(30)
    }
    grades = {qid: {f"p{n}": int(rng.integers(-1, 5)) for n in rng.permutation(60)[:30]} for qid in scores}
    theirs = {m.query_id: m.value for m in ir_measures.iter_calc([ir_measures.ERR @ cutoff], grades, scores)}
    ranks = {qid: {pid: place for place, pid in enumerate(scores[qid], 1)} for qid in scores}
    rows = [
        (q, grade, ranks[qid].get(pid, 0))
        for q, qid in enumerate(scores)
        for pid, grade in grades[qid].items()
    ]

    values = parse_measure(f"ERR@{cutoff}").values(judged(*rows, queries=len(scores)))

    # gdeval.pl prints five decimals.
    assert values.tolist() == pytest.approx([theirs[qid] for qid in scores], abs=6e-6)
    assert len(theirs) == 30
    assert values.max() > 0


def test_recall_and_expected_reciprocal_rank_of_a_real_run_equal_ir_measures(shared_data):
    qrels = read_qrel_file(Content(shared_data / "dl21" / "qrels.txt"))
    run = read_run_file(Content(sorted((shared_data / "dl21" / "runs").iterdir())[0]))
    scores: dict[str, dict[str, float]] = {}
    for qid, pids in run.ranking.tops(100).items():
        scores[qid] = {pid: -float(place) for place, pid in enumerate(pids)}
    grades: dict[str, dict[str, int]] = {qid: {} for qid in qrels.qids}
    for query, pid, grade in zip(qrels.query.tolist(), qrels.pids, qrels.grade.tolist(), strict=True):
        grades[qrels.qids[query]][pid] = grade
    asked = [ir_measures.ERR @ 20, ir_measures.R @ 100]
    theirs = {(str(m.measure), m.query_id): m.value for m in ir_measures.iter_calc(asked, grades, scores)}

    labels = judge(run, qrels)
    for name in ("ERR@20", "R@100"):
        ours = dict(zip(qrels.qids, parse_measure(name).values(labels).tolist(), strict=True))
        expected = {qid: value for (measure, qid), value in theirs.items() if measure == name}
        assert ours == pytest.approx(expected, abs=6e-6)


def test_a_list_of_names_gives_each_measure_once():
    assert [m.name for m in parse_measures("RR@10, AP RR@10")] == ["RR@10", "AP"]
    assert [m.name for m in parse_measures("Compat(p=0.8,rel=2),RR")] == ["Compat(p=0.8,rel=2)", "RR"]
    assert parse_measure("Compat").name == "Compat(p=0.95)"
    assert depth_needed(parse_measures("RR@10 P@20")) == 20
    assert depth_needed(parse_measures("RR@10 AP")) is None


def test_cumulative_gain_is_a_share_of_the_most_there_could_be():
    labels = judged((0, 3, 2), (0, 2, 4), (0, 1, 1), (0, 2, 0), (1, 1, 9), (2, 0, 1), queries=4)

    values = parse_measure("NCG@3").values(labels)

    assert values.tolist() == [(3 + 1) / (3 + 2 + 2), 0, 0, 0]
    assert parse_measure("NCG@100").values(labels)[:2].tolist() == [6 / 8, 1]


def test_cumulative_gain_of_real_runs_equals_a_plain_sum_of_grades(shared_data):
    qrels = read_qrel_file(Content(shared_data / "dl21" / "qrels.txt"))
    grades: dict[str, dict[str, int]] = {qid: {} for qid in qrels.qids}
    for line in (shared_data / "dl21" / "qrels.txt").read_text().splitlines():
        qid, _, pid, grade = line.split()
        grades[qid][pid] = int(grade)
    measure = parse_measure("NCG@100")
    means = []

    for path in sorted((shared_data / "dl21" / "runs").iterdir())[:4]:
        run = read_run_file(Content(path))
        values = measure.values(judge(run, qrels)).tolist()
        tops = run.ranking.tops(100)
        for qid, value in zip(qrels.qids, values, strict=True):
            found = sum(grades[qid].get(pid, 0) for pid in tops[qid])
            most = sum(sorted(grades[qid].values(), reverse=True)[:100])
            assert value == pytest.approx(found / most, abs=1e-15)
        means.append(measure.mean(np.array(values)))

    assert len(set(means)) == 4
    assert min(means) > 0.1


def overlap(first: list, second: list, p: float, depth: int) -> float:
    """Return rank-biased overlap by its definition: the share in common at every depth, weighted."""
    return sum(p ** (d - 1) * len(set(first[:d]) & set(second[:d])) / d for d in range(1, depth + 1))


def test_compatibility_worked_by_hand():
    """Ideal a b c (c not found); run x b a: overlaps 0, 1/2, 2/3, 2/4 … against 1, 1, 1, 3/4 …"""
    labels = judged((0, 2, 3), (0, 1, 2), (0, 1, 0), (0, 0, 1))

    (value,) = parse_measure("Compat(p=0.5)").values(labels)

    reached = overlap(["x", "b", "a"], ["a", "b", "c"], 0.5, 60)
    assert reached == pytest.approx(
        0.25 / 2 * 0 + 0.5 * 1 / 2 + sum(0.5 ** (d - 1) * 2 / d for d in range(3, 60))
    )
    assert value == pytest.approx(reached / overlap(["a", "b", "c"], ["a", "b", "c"], 0.5, 60))


@pytest.mark.parametrize("p", [0.5, 0.8, 0.95])
def test_compatibility_equals_ir_measures_at_the_same_depth(tmp_path, p):
    """ir_measures stops at the longer ranking: with 1,000 passages in the run, at our depth."""
    rng = np.random.default_rng(8)
    scores = {
        f"q{q}": {f"p{n}": 5000.0 - r for r, n in enumerate(rng.permutation(1300)[:1000])} for q in range(6)
    }
    grades = {qid: {f"p{n}": int(rng.integers(0, 4)) for n in rng.permutation(1300)[:40]} for qid in scores}
    (tmp_path / "run").write_text(
        "".join(f"{q} Q0 {pid} 1 {s} t\n" for q in scores for pid, s in scores[q].items())
    )
    (tmp_path / "qrels").write_text(
        "".join(f"{q} 0 {pid} {g}\n" for q in grades for pid, g in grades[q].items())
    )
    theirs = {m.query_id: m.value for m in ir_measures.iter_calc([ir_measures.Compat(p=p)], grades, scores)}

    qrels = read_qrel_file(Content(tmp_path / "qrels"))
    ours = parse_measure(f"Compat(p={p})").values(judge(read_run_file(Content(tmp_path / "run")), qrels))

    assert ours.tolist() == pytest.approx([theirs[qid] for qid in qrels.qids], rel=1e-9)


def test_compatibility_is_1_for_any_order_within_a_grade_and_0_without_a_passage():
    for ranks in ((1, 2, 3), (2, 1, 3)):
        labels = judged(*zip((0, 0, 0), (2, 2, 1), ranks, strict=True))
        assert parse_measure("Compat").values(labels).tolist() == [pytest.approx(1)]
    assert parse_measure("Compat").values(judged((0, 1, 0), (1, 0, 1), queries=3)).tolist() == [0, 0, 0]


def test_every_measure_declares_its_direction_and_its_value_for_an_unanswered_query():
    nothing_found = judged((0, 1, 0), queries=1)

    for measure in parse_measures("RR@10 AP P@5 nDCG@10 R@5 NCG@100 ERR@20 Success@1 ESL@10 Compat(p=0.95)"):
        (value,) = measure.values(nothing_found)
        assert value == measure.unanswered or (math.isnan(value) and math.isnan(measure.unanswered))
        assert measure.higher_is_better is (measure.name != "ESL@10")


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 25)), max_size=30), st.randoms()
)
def test_the_order_of_labels_changes_nothing(labels, random):
    seen: set[tuple[int, int]] = set()
    distinct = [x for x in labels if x[2] == 0 or not ((x[0], x[2]) in seen or seen.add((x[0], x[2])))]
    shuffled = random.sample(distinct, len(distinct))

    for measure in parse_measures(
        "RR RR@10 AP P@5 R@5 ERR@9 nDCG nDCG@10 NCG@5 Success@5 ESL@10 Compat(p=0.9)"
    ):
        before = measure.values(judged(*distinct, queries=4))
        after = measure.values(judged(*shuffled, queries=4))
        np.testing.assert_allclose(before, after, rtol=1e-14)
