"""The win graph: wins, level pairs, and omitted passages."""

from web.versions.win_graph import MOST_NODES, win_graph

LETTERS = {key: chr(64 + key) for key in range(1, 20)}


def test_arrows_lead_from_the_preferred_passage():
    graph = win_graph([1, 2], LETTERS, {(2, 1): 1.0}, [2], cycle=False)

    assert [(arrow.winner, arrow.loser, bool(arrow.head)) for arrow in graph.arrows] == [("B", "A", True)]
    assert [node.best for node in graph.nodes] == [False, True]


def test_level_pairs_have_no_head():
    arrow = win_graph([1, 2], LETTERS, {(1, 2): 1.5, (2, 1): 1.5}, [], cycle=False).arrows[0]

    assert arrow.level
    assert arrow.head == ""


def test_pairs_that_were_not_judged_have_no_arrow():
    assert len(win_graph([1, 2, 3], LETTERS, {(1, 2): 1.0}, [1], cycle=False).arrows) == 1


def test_only_arrows_inside_a_cycle_are_thick():
    wins = {(1, 2): 1.0, (2, 3): 1.0, (3, 1): 1.0, (1, 4): 1.0}

    graph = win_graph([1, 2, 3, 4], LETTERS, wins, [1, 2, 3], cycle=True)

    assert sorted(arrow.cycle for arrow in graph.arrows) == [False, True, True, True]


def test_large_pools_are_cut_to_the_most_wins():
    graph = win_graph(list(range(1, 17)), LETTERS, {}, [1], cycle=False)

    assert (len(graph.nodes), graph.left_out) == (MOST_NODES, 16 - MOST_NODES)
