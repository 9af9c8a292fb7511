"""One query's judgments as levels of preference. Pure.

A version names the best answers; what its judgments say of the others is an order with gaps, cycles and level pairs.
Levels state as much of it as levels can, and nothing more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import networkx as nx

#: (a, b, lead): above zero when most judgments of the pair prefer a, below when b, zero when it is level.
Lead = tuple[int, int, int]


def preference_levels(best: Iterable[int], leads: Sequence[Lead]) -> list[list[int]]:
    """The levels of one query, the most preferred first, passages ascending within a level.

    ``best``: the best answers; ``leads``: one entry a judged pair. Passages that are in neither have no level.

    - The first level is the best answers, all of them and nothing else: the tournament's rule put them there,
      whatever single pairs say. So chains below do not run over them.
    - Of the others, one is above another when a chain of pairs, each won or level, leads down to it and none leads
      back. Passages of a cycle (a strongly connected component) and passages of a level pair are not ordered, nor
      are those that no chain connects.
    - Levels are the finest in which *every* two passages of different levels are ordered. A passage that is not
      ordered against two others therefore pulls them, and all between them, onto one level.

    In a complete tournament without level pairs the levels below the first are its strongly connected components.
    """
    top = sorted(set(best))
    others = {passage for a, b, _ in leads for passage in (a, b)}.difference(top)
    return ([top] if top else []) + _ordered_parts(_not_worse(others, leads))


def _not_worse(passages: Iterable[int], leads: Iterable[Lead]) -> nx.DiGraph[int]:
    """An edge from each passage to those that it won from or is level with."""
    import networkx as nx  # when it is needed: it would be a fifth of a second of every command

    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(passages)
    for a, b, lead in leads:
        if a in graph and b in graph:
            if lead >= 0:
                graph.add_edge(a, b)
            if lead <= 0:
                graph.add_edge(b, a)
    return graph


def _ordered_parts(graph: nx.DiGraph[int]) -> list[list[int]]:
    """Cut the components, in topological order, wherever all of those before reach all of those after.

    Such a cut is one of every topological order, so it does not matter which of them is gone through.
    """
    import networkx as nx

    components: nx.DiGraph[Any] = nx.condensation(graph)
    order = list(nx.topological_sort(components))
    after = set(order)
    levels: list[list[int]] = []
    level: list[int] = []
    reached = set(order)
    for component in order:
        after.discard(component)
        reached &= nx.descendants(components, component)
        level += components.nodes[component]["members"]
        if after <= reached:
            levels.append(sorted(level))
            level, reached = [], set(after)
    return levels
