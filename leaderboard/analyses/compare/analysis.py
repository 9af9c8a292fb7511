"""Tables and a figure that compare runs: Tables 1 and 2 of Lin et al. (SIGIR 2021), and the verdicts."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from leaderboard.analyses.compare.comparison import OLDER, ComparedPair, Comparison
from leaderboard.analyses.compare.significance import bonferroni
from leaderboard.analyses.compare.verdicts import Claim
from leaderboard.output import Analysis, Column, Figure, Kind, Row, Table, Value
from leaderboard.output.chart import Series, Spans, chart_content
from leaderboard.output.drawing import GRAY, OFFICIAL, PREFERENCE, short_name
from leaderboard.output.right_to_left import isolate_name

ROW_INCHES = 0.26
PAIRS_IN_FIGURE = 60
LONGEST_IN_PAIR = 24
_PAIR = (Column("a", "A"), Column("b", "B"), Column("change", "ΔMRR", Kind.CHANGE))


def comparison_analysis(comparison: Comparison, order: str = OLDER) -> Analysis:
    """Return the tables, figure and sentences of a comparison. ``order`` is a sentence on the order of its runs."""
    return Analysis(
        facts=comparison.facts,
        tables=(
            naive_table(comparison, order),
            outcome_table(comparison, order),
            corrected_table(comparison),
            verdict_table(comparison),
        ),
        figures=(outcome_figure(comparison, order),),
        sentences=tuple(pair.sentence for pair in comparison.pairs),
        content={
            "alpha": comparison.rules.alpha,
            "m": comparison.rules.m,
            "comparisons": comparison.rules.comparisons,
            "deciding_test": comparison.rules.deciding.value,
            "queries_with_several_answers": comparison.several,
            "single_answer_only": comparison.single_answer_only,
            "verdicts": [_verdict_content(pair) for pair in comparison.pairs],
        },
    )


def naive_table(comparison: Comparison, order: str) -> Table:
    """Return the paper's Table 1: tests on RR over all queries, with raw and Bonferroni-corrected p-values."""
    times = comparison.rules.comparisons
    tests = ("rank_sum", "signed_rank", "t")
    labels = ("rank-sum p", "signed-rank p", "t p")
    columns = [Column(f"{test}_p", label, Kind.P) for test, label in zip(tests, labels, strict=True)]
    columns += [
        Column(f"{test}_corrected", label, Kind.P, group=f"corrected (× {times})")
        for test, label in zip(tests, labels, strict=True)
    ]
    rows = []
    for pair in comparison.pairs:
        naive = pair.outcomes.naive
        raw = dict(zip(tests, (naive.rank_sum.p, naive.signed_rank.p, naive.paired_t.p), strict=True))
        rows.append(_row_with_p_values(pair, comparison, {}, raw, times))
    return Table(
        "naive",
        "Tests on RR over all queries together",
        f"{order} Wilcoxon rank-sum (ties corrected), Wilcoxon signed-rank (zeros dropped) and paired "
        "t-test on reciprocal ranks, two-sided, raw; Lin et al. (SIGIR 2021), Table 1. Then Bonferroni over the "
        f"{times} comparisons of each test.",
        (*_PAIR, *columns),
        tuple(rows),
        comparison.facts,
        significance=f"p × {times} is at most {comparison.rules.alpha:g}",
    )


def outcome_table(comparison: Comparison, order: str) -> Table:
    """Return the paper's Table 2: shares of queries by outcome, and means and raw p-values where both runs answer."""
    times = comparison.rules.m
    columns = [
        Column("neither", "neither", Kind.SHARE, "answered by (%)"),
        Column("a_wins", "only A", Kind.SHARE, "answered by (%)"),
        Column("b_wins", "only B", Kind.SHARE, "answered by (%)"),
        Column("both", "both", Kind.SHARE, "answered by (%)"),
    ]
    for measure, kind in (("esl", Kind.NUMBER), ("rr", Kind.MEASURE)):
        group = f"{measure.upper()}, both"
        columns += [Column(f"a_{measure}", "A", kind, group), Column(f"b_{measure}", "B", kind, group)]
        columns += [
            Column(f"{measure}_signed_rank_p", "rank p", Kind.P, group),
            Column(f"{measure}_t_p", "t p", Kind.P, group),
        ]
    return Table(
        "outcomes",
        "Outcomes query by query",
        f"{order} Queries that neither run answers in the top k, that only one answers, and that both "
        "answer. For the last: mean expected search length (ESL, lower is better) and mean RR of each, with raw "
        "two-sided p-values of signed-rank (rank p) and paired t. Lin et al. (SIGIR 2021), Table 2.",
        (*_PAIR, *columns),
        tuple(_outcome_row(pair, comparison) for pair in comparison.pairs),
        comparison.facts,
        significance=f"p × {times} is at most {comparison.rules.alpha:g}",
    )


def corrected_table(comparison: Comparison) -> Table:
    """Return Table 2's p-values with Bonferroni correction (multiplied by m)."""
    times = comparison.rules.m
    columns = [
        Column(f"{measure}_{test}_corrected", label, Kind.P, f"{measure.upper()}, both")
        for measure in ("esl", "rr")
        for test, label in (("signed_rank", "rank p"), ("t", "t p"))
    ]
    return Table(
        "corrected",
        "Tests on queries that both answer, corrected",
        f"Bonferroni with m = {times}: {comparison.rules.comparisons} comparisons times the 2 tests that can "
        "support a verdict.",
        (*_PAIR[:2], *columns),
        tuple(_outcome_row(pair, comparison) for pair in comparison.pairs),
        comparison.facts,
        significance=f"at most {comparison.rules.alpha:g}",
    )


def _outcome_row(pair: ComparedPair, comparison: Comparison) -> Row:
    found = pair.outcomes
    values: dict[str, Value] = {
        "neither": found.neither / found.queries,
        "a_wins": found.a_wins / found.queries,
        "b_wins": found.b_wins / found.queries,
        "both": found.both / found.queries,
    }
    raw: dict[str, float] = {}
    for measure, case in (("esl", found.esl), ("rr", found.rr)):
        values |= {f"a_{measure}": case.a, f"b_{measure}": case.b}
        raw |= {f"{measure}_signed_rank": case.signed_rank.p, f"{measure}_t": case.paired_t.p}
    return _row_with_p_values(pair, comparison, values, raw, comparison.rules.m)


def _row_with_p_values(
    pair: ComparedPair, comparison: Comparison, values: dict[str, Value], raw: dict[str, float], times: int
) -> Row:
    """Return a row with the pair's tags, ``values``, and p-values: raw, and corrected (multiplied by ``times``).

    Both p-values of a test are marked if the corrected one is significant.
    """
    after = {name: bonferroni(p, times) for name, p in raw.items()}
    marked = {
        f"{name}{ending}"
        for name, p in after.items()
        for ending in ("_p", "_corrected")
        if p <= comparison.rules.alpha
    }
    named: dict[str, Value] = {"a": pair.a, "b": pair.b, "change": pair.outcomes.change, **values}
    named |= {f"{name}_p": p for name, p in raw.items()}
    named |= {f"{name}_corrected": p for name, p in after.items()}
    return Row(named, significant=frozenset(marked))


def verdict_table(comparison: Comparison) -> Table:
    """Return the table of what can be claimed about each pair of runs, with the counts and p-values behind it."""
    rules = comparison.rules
    case3 = rules.deciding.words
    columns = (
        Column("a", "A"),
        Column("b", "B"),
        Column("a_wins", "only A", Kind.COUNT, "case 2"),
        Column("b_wins", "only B", Kind.COUNT, "case 2"),
        Column("case2_p", "binomial p", Kind.P, "case 2"),
        Column("case2_corrected", f"p × {rules.m}", Kind.P, "case 2"),
        Column("both", "both", Kind.COUNT, case3),
        Column("case3_p", "p", Kind.P, case3),
        Column("case3_corrected", f"p × {rules.m}", Kind.P, case3),
        Column("claim", "verdict"),
        Column("favours", "in favor of"),
        Column("harm_in", "harm in"),
        Column("harm", "harm", Kind.INTERVAL),
    )
    clashes = [
        f"{pair.a} and {pair.b}: {pair.verdict.disagreement}."
        for pair in comparison.pairs
        if pair.verdict.disagreement
    ]
    return Table(
        "verdicts",
        "What can be claimed",
        f"Exact binomial test on queries that only one run answers; {rules.deciding.words} where both do. Benefits "
        f"are tested at {rules.alpha:g}/{rules.m}, harms at {rules.alpha:g}. The {1 - rules.alpha:.0%} interval of "
        "the harm shows how much worse the favored run could be (B if there is no verdict); below 0 it is better. "
        "Better, not significantly: more queries won and the better mean where both answer, untested. Strictly "
        "better: both significant. Do no harm: one significant, the other not significantly worse. Answers more: "
        "significant, but harm cannot be tested, because no query is answered by both.",
        columns,
        tuple(_verdict_row(pair, comparison) for pair in comparison.pairs),
        comparison.facts,
        notes=tuple(f"The tests disagree on {clash}" for clash in clashes),
        significance=f"p × {rules.m} is at most {rules.alpha:g}",
    )


def _verdict_row(pair: ComparedPair, comparison: Comparison) -> Row:
    outcomes, verdict = pair.outcomes, pair.verdict
    case3 = outcomes.esl if comparison.rules.deciding.on_esl else outcomes.rr
    deciding = case3.paired_t if comparison.rules.deciding.is_t else case3.signed_rank
    after = {"case2_p": verdict.case2_corrected, "case3_p": verdict.case3_corrected}
    return Row(
        {
            "a": pair.a,
            "b": pair.b,
            "a_wins": outcomes.a_wins,
            "b_wins": outcomes.b_wins,
            "case2_p": outcomes.case2.p,
            "case2_corrected": verdict.case2_corrected,
            "both": outcomes.both,
            "case3_p": deciding.p,
            "case3_corrected": verdict.case3_corrected,
            "claim": verdict.claim.words if verdict.claim is not Claim.NONE else None,
            "favours": pair.favored,
            "harm_in": verdict.harm_in,
            "harm": verdict.harm,
        },
        significant=frozenset(key for key, p in after.items() if p <= comparison.rules.alpha),
    )


def _verdict_content(pair: ComparedPair) -> dict[str, Any]:
    verdict, outcomes = pair.verdict, pair.outcomes
    return {
        "a": pair.a,
        "b": pair.b,
        "verdict": verdict.claim.value,
        "favours": pair.favored,
        "better": verdict.better,
        "strictly_better": verdict.strictly_better,
        "do_no_harm": verdict.do_no_harm,
        "disagreement": verdict.disagreement,
        "signed_rank_exact_p": {
            "rr_all": outcomes.naive.signed_rank.exact,
            "esl": outcomes.esl.signed_rank.exact,
            "rr": outcomes.rr.signed_rank.exact,
        },
        "sentence": pair.sentence,
    }


def outcome_figure(comparison: Comparison, order: str) -> Figure:
    """Return a figure with two panels: case 2 as bars, and case 3 as intervals.

    The bars show the queries that only A (left) or only B (right) answers. The intervals are those of the mean
    difference in search length.
    """
    pairs = comparison.pairs[:PAIRS_IN_FIGURE]
    left_out = len(comparison.pairs) - len(pairs)

    def draw(canvas: Any) -> None:
        wins, lengths = canvas.subplots(1, 2, sharey=True, width_ratios=(3, 2))
        places = range(len(pairs))
        _draw_wins(wins, pairs)
        for place, pair in zip(places, pairs, strict=True):
            harm = pair.outcomes.esl.harm
            lengths.plot([harm.low, harm.high], [place, place], color=GRAY, zorder=2)
            lengths.plot([harm.value], [place], "o", color="black", zorder=3)
        lengths.axvline(0, color="black", linewidth=0.6)
        lengths.set_xlabel("ESL of B minus A")
        lengths.set_title("Both answer")
        wins.set_yticks(list(places), list(map(_pair_name, pairs)))
        wins.set_ylim(len(pairs) - 0.5, -0.5)
        canvas.legend(loc="outside upper right", ncols=2)

    return Figure(
        "outcomes",
        "Outcomes query by query",
        f"A → B. {order} Left: share of queries that only one of them answers. Right: mean difference "
        f"in search length where both answer, with its {1 - comparison.rules.alpha:.0%} t interval; below 0, B "
        "ranks the answer higher. Bold: a verdict that tests support."
        + (f" {left_out} more comparisons are in the table." if left_out else ""),
        comparison.facts,
        draw,
        data=outcome_table(comparison, order),
        charts=tuple(map(chart_content, _outcome_charts(pairs, comparison))),
        height=1.0 + ROW_INCHES * len(pairs),
    )


def _pair_name(pair: ComparedPair) -> str:
    return f"{short_name(pair.a, LONGEST_IN_PAIR)} → {short_name(pair.b, LONGEST_IN_PAIR)}"


def _outcome_charts(pairs: Sequence[ComparedPair], comparison: Comparison) -> list[Spans]:
    # B comes first because long labels are cut at the end, and many pairs have the same A.
    cut = partial(short_name, longest=LONGEST_IN_PAIR)
    names = [f"{cut(pair.b)} ← {cut(pair.a)}" for pair in pairs]
    verdicts = [_pair_note(pair) for pair in pairs]
    only_a = [(pair.outcomes.a_wins / pair.outcomes.queries, None, None) for pair in pairs]
    only_b = [(pair.outcomes.b_wins / pair.outcomes.queries, None, None) for pair in pairs]
    wins = [Series("only A answers", only_a), Series("only B answers", only_b)]
    lengths = [Series("B minus A", [pair.outcomes.esl.harm.estimate for pair in pairs])]
    title = f"Both answer: ESL of B minus A, {1 - comparison.rules.alpha:.0%} intervals"
    return [
        Spans("Only one answers", "share of queries", names, wins, share=True, notes=verdicts),
        Spans(title, "ESL", names, lengths, line=0.0, notes=verdicts),
    ]


def _pair_note(pair: ComparedPair) -> str:
    """Return the note on a pair in the chart: both full names if one of them is cut, and the verdict if any."""
    cut = max(len(pair.a), len(pair.b)) > LONGEST_IN_PAIR
    names = [f"B {isolate_name(pair.b)}", f"A {isolate_name(pair.a)}"] if cut else []
    claim = [] if pair.favored is None else [f"{isolate_name(pair.favored)}: {pair.verdict.claim.words}"]
    return "\n".join([*names, *claim])


def _draw_wins(axes: Any, pairs: tuple[ComparedPair, ...]) -> None:
    shares_a = [-100 * pair.outcomes.a_wins / pair.outcomes.queries for pair in pairs]
    shares_b = [100 * pair.outcomes.b_wins / pair.outcomes.queries for pair in pairs]
    places = list(range(len(pairs)))
    axes.barh(places, shares_a, color=OFFICIAL, height=0.6, label="only A answers")
    axes.barh(places, shares_b, color=PREFERENCE, height=0.6, label="only B answers")
    axes.axvline(0, color="black", linewidth=0.6)
    widest = max([1.0, *map(abs, shares_a), *shares_b])
    axes.set_xlim(-1.05 * widest, 1.9 * widest)
    axes.xaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
    for place, pair in zip(places, pairs, strict=True):
        if pair.verdict.claim is not Claim.NONE:
            winner = "B" if pair.verdict.favors > 0 else "A"
            text, weight = (
                f"{winner}: {pair.verdict.claim.words}",
                "bold" if pair.verdict.claim.tested else "normal",
            )
            axes.text(shares_b[place] + 0.03 * widest, place, text, va="center", fontsize=6, weight=weight)
    axes.set_xlabel("share of queries (%)")
    axes.set_title("Only one answers")
