"""Win ratios: by hand, on constructed counts, on the published table."""

import csv

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from leaderboard.analyses.win_ratios.computation import opponents_beaten, ratios_from_counts, win_ratios
from tests.leaderboard.field import contenders, judged

NODES = [(query, query * 10 + place) for query in range(1, 6) for place in (1, 2)]
FIELD = contenders(
    {
        "A": {(query, query * 10 + 1): 1 for query in range(1, 6)},
        "B": {(query, query * 10 + 2): 1 for query in range(1, 5)} | {(5, 51): 1},
    },
    NODES,
)


def test_a_table_by_hand():
    """Tops differ for queries 1 to 4: B wins 1 and 2, A wins 3, nobody judged 4; on 5 they are the same."""
    said = FIELD.judged_pairs(judged([(1, 11, 12, 12), (2, 22, 21, 22), (3, 31, 32, 31), (5, 51, 52, 52)]))

    table = win_ratios(FIELD.run_tags, FIELD.tops, said)

    assert table.wins.tolist() == [[0, 2], [1, 0]]
    assert table.ratio[0, 1] == pytest.approx(2 / 3)
    assert np.isnan(table.ratio[0, 0])
    assert (table.beaten.tolist(), table.pairs) == ([0, 1], 1)


def test_several_judgments_decide_by_majority_and_level_pairs_count_for_nobody():
    said = FIELD.judged_pairs(
        judged([(1, 11, 12, 12), (1, 11, 12, 12), (1, 12, 11, 11), (2, 21, 22, 21), (2, 21, 22, 22)])
    )

    table = win_ratios(FIELD.run_tags, FIELD.tops, said)

    assert (table.wins[0, 1], table.wins[1, 0], table.level[0, 1]) == (1, 0, 1)


def test_bonferroni_over_the_66_pairs_of_twelve_runs():
    """182 wins of 300 are significant even if p is multiplied by 66; 178 only without correction."""
    wins = np.full((12, 12), 150)
    wins[0, 1], wins[1, 0] = 182, 118
    wins[0, 2], wins[2, 0] = 178, 122
    p = [stats.binomtest(count, 300).pvalue for count in (182, 178)]
    assert p[0] < 0.05 / 66 < p[1] < 0.05

    table = ratios_from_counts([f"r{i}" for i in range(12)], wins)

    assert table.pairs == 66
    assert table.corrected[0, [1, 2]] == pytest.approx([66 * p[0], 66 * p[1]])
    assert np.argwhere(table.significant).tolist() == [[0, 1], [1, 0]]


def test_published_wins_row(shared_data):
    """[SP] Table 4: the wins row follows from the table's own percentages."""
    with (shared_data / "published" / "arabzadeh2022_table4.tsv").open() as file:
        *rows, wins = csv.DictReader(file, delimiter="\t")
    names = [row["row"] for row in rows]
    ratio = np.array([[float(row[name] or "nan") / 100 for name in names] for row in rows])

    assert len(names) * (len(names) - 1) // 2 == 66
    assert opponents_beaten(ratio).tolist() == [int(wins[name]) for name in names]


@given(st.permutations(range(4)), st.integers(0, 1000))
def test_relabeling_runs_changes_nothing(order, seed):
    wins = np.random.default_rng(seed).integers(0, 50, size=(4, 4))
    np.fill_diagonal(wins, 0)
    names = list("ABCD")

    table = ratios_from_counts(names, wins)
    moved = ratios_from_counts([names[i] for i in order], wins[np.ix_(order, order)])

    np.testing.assert_array_equal(moved.ratio, table.ratio[np.ix_(order, order)])
    assert moved.beaten.tolist() == table.beaten[list(order)].tolist()


def test_every_cell_mirrors_the_one_across():
    wins = np.array([[0, 7], [2, 0]])

    table = ratios_from_counts(["A", "B"], wins)

    assert table.ratio[0, 1] + table.ratio[1, 0] == pytest.approx(1)
    assert table.p_value[0, 1] == table.p_value[1, 0] == pytest.approx(stats.binomtest(7, 9).pvalue)


def test_judging_everything_twice_leaves_ratios_and_moves_p_down():
    wins = np.array([[0, 30], [18, 0]])

    once, twice = (ratios_from_counts(["A", "B"], wins * times) for times in (1, 2))

    assert once.ratio[0, 1] == twice.ratio[0, 1]
    assert twice.p_value[0, 1] < once.p_value[0, 1]
