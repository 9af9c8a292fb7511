"""Lin et al. (SIGIR 2021), Tables 1 and 2: our rules on their printed figures, allowing for rounding."""

import csv
import math
from itertools import product

import pytest

from leaderboard.analyses.compare.outcome_cases import Case3, Naive, Outcomes, asked_pairs
from leaderboard.analyses.compare.significance import Finding, share_interval, sign_test
from leaderboard.analyses.compare.verdicts import Claim, Rules, verdict_of
from leaderboard.output import Interval

QUERIES = 5793
NOWHERE = Interval(math.nan, math.nan, math.nan)
UNKNOWN = Finding(math.nan, 0, 0)


@pytest.fixture
def table2(shared_data):
    with (shared_data / "published" / "lin2021_table2.tsv").open() as file:
        return {(row["a"], row["b"]): row for row in csv.DictReader(file, delimiter="\t")}


def printed(row, a_wins: int, b_wins: int) -> Outcomes:
    """A line of Table 2, with case-2 counts that its rounded shares allow."""
    lengths = float(row["a_esl"]), float(row["b_esl"])
    lean = (lengths[0] > lengths[1]) - (lengths[0] < lengths[1])
    esl = Case3(*lengths, UNKNOWN, Finding(float(row["esl_t_p"]), lean, 1), NOWHERE)
    rr = Case3(float(row["a_rr"]), float(row["b_rr"]), UNKNOWN, UNKNOWN, NOWHERE)
    harm = share_interval(a_wins, b_wins, QUERIES, 0.95)
    naive = Naive(UNKNOWN, UNKNOWN, UNKNOWN)
    case2 = sign_test(a_wins, b_wins)
    return Outcomes(QUERIES, 0, 0, naive, 0, a_wins, b_wins, 1, case2, esl, rr, harm, 0.95)


def counts(percent: str) -> tuple[int, int]:
    """Return the least and most queries that are printed as this whole percentage."""
    return math.ceil((float(percent) - 0.5) / 100 * QUERIES), math.floor(
        (float(percent) + 0.5) / 100 * QUERIES
    )


def verdicts(row, rules: Rules) -> set[tuple[Claim, int]]:
    allowed = product(counts(row["a_wins_pct"]), counts(row["b_wins_pct"]))
    found = [verdict_of(printed(row, a, b), rules) for a, b in allowed]
    return {(one.claim, one.favors) for one in found}


def test_the_comparisons_asked_are_those_of_the_tables(table2):
    names = [f"R{number}" for number in range(1, 14)]

    assert [(names[a], names[b]) for a, b in asked_pairs(13)] == list(table2)


@pytest.mark.parametrize(
    ("run", "claim"),
    [
        ("R2", Claim.NONE),  # answers more, but significantly later: the mean hides it
        ("R4", Claim.NONE),
        ("R5", Claim.DO_NO_HARM),
        ("R6", Claim.DO_NO_HARM),
        ("R7", Claim.DO_NO_HARM),
        ("R11", Claim.DO_NO_HARM),
        ("R13", Claim.DO_NO_HARM),
    ],
)
def test_verdicts_that_rounding_cannot_change(table2, run, claim):
    favors = 0 if claim is Claim.NONE else 1

    assert verdicts(table2["R1", run], Rules(comparisons=14)) == {(claim, favors)}


def test_alone_three_runs_are_strictly_better_and_among_fourteen_none_for_sure(table2):
    alone, among = Rules(comparisons=1), Rules(comparisons=14)

    for run in ("R10", "R11", "R12"):
        assert verdicts(table2["R1", run], alone) == {(Claim.STRICTLY_BETTER, 1)}
        assert (Claim.DO_NO_HARM, 1) in verdicts(table2["R1", run], among)


def test_exact_binomial_p_values_from_printed_shares(table2):
    """9% against 16% of 5,793 queries is beyond doubt; 10% against 11% depends on what rounding hides."""
    clear, close = table2["R1", "R2"], table2["R11", "R13"]

    def p_values(row):
        pairs = product(counts(row["a_wins_pct"]), counts(row["b_wins_pct"]))
        return [sign_test(a, b).p for a, b in pairs]

    assert max(p_values(clear)) < 1e-15
    assert min(p_values(close)) < 0.002 < 0.9 < max(p_values(close))


def test_the_last_step_was_not_better(table2):
    """R13 displaced R12, but is later where both answer, significantly so by t (p = 0.009)."""
    row = table2["R12", "R13"]

    assert {claim for claim, favors in verdicts(row, Rules(comparisons=14)) if favors > 0} == set()
