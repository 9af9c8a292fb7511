"""Turn one query's judgments into levels of preference.

A version names the best answers. Its judgments of the other passages form an order with gaps, cycles and tied pairs.
Levels express as much of that order as the judgments support.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import networkx as nx

#: (a, b, lead): the number of judgments that prefer a, minus the number that prefer b. Only the sign is used.
Lead = tuple[int, int, int]


def preference_levels(best: Iterable[int], leads: Sequence[Lead]) -> list[list[int]]:
    """Return the levels of one query, most preferred first, with passages ascending within a level.

    ``best`` are the best answers, and ``leads`` has one entry per judged pair. Other passages have no level.

    - The first level is exactly the best answers: the tournament rule chose them, whatever single pairs say.
      Chains between other passages do not pass through them.
    - Of the other passages, one ranks above another if a chain of won or tied pairs leads down to it and no chain
      leads back. Passages of a cycle (a strongly connected component), of a tied pair, or without a chain between
      them are not ordered.
    - Levels are the finest in which *every* two passages of different levels are ordered. A passage that is not
      ordered against two others therefore shares one level with them and with all passages between them.

    In a complete tournament without tied pairs, the levels below the first are the strongly connected
    components of the other passages.
    """
    top = sorted(set(best))
    others = {passage for a, b, _ in leads for passage in (a, b)}.difference(top)
    return ([top] if top else []) + _ordered_parts(_not_worse(others, leads))


def _not_worse(passages: Iterable[int], leads: Iterable[Lead]) -> nx.DiGraph[int]:
    """Return a graph with an edge from each passage to the passages that it beat or tied with."""
    import networkx as nx  # Imported here, because it would add a fifth of a second to every command.

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
    """Split the components, in topological order, wherever every earlier one reaches every later one.

    Every topological order has the same splits, so any of them will do.
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
