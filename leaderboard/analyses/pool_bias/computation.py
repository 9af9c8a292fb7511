"""Pool bias: how a run would rank if the pool had been built without it.

A run in the pool can contribute its own best answers; a run that comes later cannot. So leave out one run, or all
runs of a team: drop the passages that only they contributed, derive the best answers again from the remaining
judgments, and rank the run again. This is the leave-one-out test of Zobel (SIGIR 1998) for shallow pools. The two
boards are compared on the queries that have a best answer in both.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from leaderboard.analyses.shared.contenders import Contenders, Flags
from leaderboard.scoring.agreement import competition_ranks, kendall
from leaderboard.scoring.scales import WHOLE
from tournament.contests import Contest
from tournament.derivation import Entrants
from tournament.schedule import Sides

Node = tuple[int, int]
"""(query, representative of the class)"""


def only_from(contributors: Mapping[Node, Collection[str]], group: Collection[str]) -> frozenset[Node]:
    """Return the nodes that only members of ``group`` contributed.

    Nodes whose contributors are unknown are left out.
    """
    names = set(group)
    return frozenset(
        node for node, brought_by in contributors.items() if brought_by and names.issuperset(brought_by)
    )


def entrants_without(entrants: Entrants, dropped: Collection[Node]) -> Entrants:
    """Return the passages of the first tournament except those of the dropped classes."""
    keys = zip(entrants.query.tolist(), entrants.representative.tolist(), strict=True)
    return entrants.only(np.array([key not in dropped for key in keys], dtype=bool))


def contests_without(contests: Sequence[Contest], dropped: Collection[Node]) -> list[Contest]:
    """Return the challenges without the dropped passages.

    Queries that then have an empty side are left out.
    """
    return [replace(contest, sides=_sides_without(contest.sides, dropped)) for contest in contests]


def _sides_without(sides: Mapping[int, Sides], dropped: Collection[Node]) -> dict[int, Sides]:
    left = {}
    for query, both in sides.items():
        bests, challengers = (
            tuple(passage for passage in side if (query, passage) not in dropped)
            for side in (both.bests, both.challengers)
        )
        if bests and challengers:
            left[query] = Sides(bests, challengers)
    return left


@dataclass(frozen=True)
class LeftOut:
    """A run's results before and after it is left out, alone or with its team (``group``).

    ``before`` and ``after`` are MRR@10 over ``queries`` queries. ``shift`` is positive if the run moves up.
    ``dropped`` is the number of passages that only the group contributed.
    """

    run: str
    group: str
    dropped: int
    changed: int
    lost: int
    queries: int
    before: float | None
    after: float | None
    rank_before: int
    rank_after: int
    shift: int
    tau_b: float | None


def left_out_rows(
    contenders: Contenders, before: Flags, after: Flags, *, group: str, members: Sequence[str], dropped: int
) -> tuple[LeftOut, ...]:
    """Return a row for each member of the group that was left out.

    ``before`` and ``after`` are flags of the best nodes with and without the group. In a row, ``changed`` is the
    number of queries whose best answers differ, if they have some both times. ``lost`` is the number of queries that
    no longer have any. ``tau_b``
    compares the orders of all runs on the two boards.
    """
    had, has = contenders.covered(before), contenders.covered(after)
    both = had & has
    differs = contenders.covered(before != after)
    totals = [contenders.values(best)[:, both].sum(axis=1) for best in (before, after)]
    ranks = [competition_ranks(total) for total in totals]
    queries = int(both.sum())
    rows = []
    for member in members:
        run = contenders.run_tags.index(member)
        values = [float(total[run]) / (WHOLE * queries) if queries else None for total in totals]
        rows.append(
            LeftOut(
                run=member,
                group=group,
                dropped=dropped,
                changed=int((differs & both).sum()),
                lost=int((had & ~has).sum()),
                queries=queries,
                before=values[0],
                after=values[1],
                rank_before=int(ranks[0][run]),
                rank_after=int(ranks[1][run]),
                shift=int(ranks[0][run] - ranks[1][run]),
                tau_b=kendall(*totals).tau_b,
            )
        )
    return tuple(rows)
