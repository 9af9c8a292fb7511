"""How well two boards of the same runs agree, and which runs move."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from leaderboard.scoring.agreement import Agreement, competition_ranks, kendall, rank_biased_overlap, tau_ap

#: Means are rounded to this many decimals, so that rounding errors break no ties.
DECIMALS = 12
PERSISTENCE = 0.9


@dataclass(frozen=True)
class TwoBoards:
    """Means and ranks of the same runs on two boards, in the same order, and how well the boards agree.

    τ_AP gives more weight to mistakes near the top of the evaluated board. ``tau_ap_first`` evaluates the first board
    against the second, and ``tau_ap_second`` the second against the first. ``overlap`` is rank-biased overlap.
    """

    first: npt.NDArray[np.float64]
    second: npt.NDArray[np.float64]
    first_ranks: npt.NDArray[np.int64]
    second_ranks: npt.NDArray[np.int64]
    kendall: Agreement
    tau_ap_first: float | None
    tau_ap_second: float | None
    overlap: float | None

    @property
    def shifts(self) -> npt.NDArray[np.int64]:
        """Each run's first rank minus its second rank: positive if it ranks higher on the second board."""
        return self.first_ranks - self.second_ranks

    def moved_most(self, count: int) -> list[int]:
        """Return the indexes of the runs that move most, up to ``count`` of them.

        Ties are in the order of first ranks.
        """
        moved = np.flatnonzero(self.shifts)
        order = np.lexsort((moved, self.first_ranks[moved], -np.abs(self.shifts[moved])))
        return [int(place) for place in moved[order][:count]]


def two_boards(first: npt.ArrayLike, second: npt.ArrayLike, *, p: float = PERSISTENCE) -> TwoBoards:
    """Compare two boards, given the mean of every run on each. Higher is better on both."""
    x: npt.NDArray[np.float64] = np.asarray(first, dtype=np.float64).round(DECIMALS)
    y: npt.NDArray[np.float64] = np.asarray(second, dtype=np.float64).round(DECIMALS)
    return TwoBoards(
        first=x,
        second=y,
        first_ranks=competition_ranks(x),
        second_ranks=competition_ranks(y),
        kendall=kendall(x, y),
        tau_ap_first=tau_ap(x, y),
        tau_ap_second=tau_ap(y, x),
        overlap=rank_biased_overlap(x, y, p=p),
    )
