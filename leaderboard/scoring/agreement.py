"""Agreement between two orders of the same runs: rank correlations and overlap.

Kendall, *The treatment of ties in ranking problems*, Biometrika 33 (1945).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Agreement:
    """The agreement of two orders of n runs, compared pair by pair (n·(n-1)/2 pairs).

    ``agree`` is the number of pairs in the same order in both, and ``disagree`` the number in opposite order.
    ``tied`` is the number of pairs that are tied in one or both. ``tau_b`` is None if there are fewer than two runs,
    or if all are tied in one of the orders.
    """

    tau_b: float | None
    agree: int
    disagree: int
    tied: int


def kendall(first: npt.ArrayLike, second: npt.ArrayLike) -> Agreement:
    """Return Kendall's τ-b between two sequences of values of the same runs, in the same order of runs.

    Equal values are ties. A pair tied in one order counts neither as agreeing nor as disagreeing. τ-b divides by the
    geometric mean of the numbers of pairs untied in each order. It does not matter which direction is better, if it
    is the same in both. Needs memory proportional to n²: 8 MB for 1,000 runs. Raises ValueError unless all values are
    finite and both sequences have the same length.
    """
    x, y = _two_orders(first, second)
    upper = np.triu_indices(len(x), k=1)
    # Compare values instead of subtracting with a tolerance, so that only equal values tie.
    x_sign = _pairwise_signs(x)[upper]
    y_sign = _pairwise_signs(y)[upper]
    product = x_sign * y_sign
    agree, disagree = int((product > 0).sum()), int((product < 0).sum())
    untied = int(np.count_nonzero(x_sign)) * int(np.count_nonzero(y_sign))
    tau_b = (agree - disagree) / float(np.sqrt(untied)) if untied else None
    return Agreement(tau_b=tau_b, agree=agree, disagree=disagree, tied=len(product) - agree - disagree)


def _two_orders(
    first: npt.ArrayLike, second: npt.ArrayLike
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return both orders as arrays. Raises ValueError unless all values are finite and both have the same length."""
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(f"both orders need one value per run, not {x.shape} and {y.shape}")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("values must be finite")
    return x, y


def _pairwise_signs(values: npt.NDArray[np.float64]) -> npt.NDArray[np.int8]:
    """Return 1 where the row's value is larger than the column's, -1 where it is smaller, else 0; shape (n, n)."""
    larger = values[:, None] > values[None, :]
    return larger.astype(np.int8) - larger.T.astype(np.int8)


def tau_ap(evaluated: npt.ArrayLike, reference: npt.ArrayLike) -> float | None:
    """Return τ_AP of an evaluated order against a reference order. Larger values rank higher in both.

    Yilmaz, Aslam & Robertson (SIGIR 2008), equation 2: for every item but the first of the evaluated order, take
    the share of the items above it that the reference also has above it. Average these shares, and scale the result
    to the range from -1 to 1. Mistakes near the top of the evaluated order have more weight, so swapping the two
    orders changes the result.

    The paper has no ties. Here, ties in the evaluated order are broken at random, and the expected value is
    returned (computed exactly, not sampled). If the reference ties an item with an item above it, that counts half,
    which is the expected value. Returns None for fewer than two items.
    """
    x, y = _two_orders(evaluated, reference)
    if len(x) < 2:
        return None
    above = (x[None, :] > x[:, None]).sum(axis=1)
    # right[i, j]: 1 if the reference has j above i, 0.5 if it ties them, else 0.
    right = (1.0 + _pairwise_signs(y).T) / 2
    over = (right * (x[None, :] > x[:, None])).sum(axis=1)
    mates = x[None, :] == x[:, None]
    np.fill_diagonal(mates, False)
    beside = (right * mates).sum(axis=1)
    shares = [
        _expected_share(int(s), float(o), int(m), float(b))
        for s, o, m, b in zip(above, over, mates.sum(axis=1), beside, strict=True)
    ]
    return float(2.0 * sum(shares) / (len(x) - 1) - 1.0)


def rank_biased_overlap(first: npt.ArrayLike, second: npt.ArrayLike, *, p: float = 0.9) -> float | None:
    """Return the extrapolated rank-biased overlap of two orders of the same runs. Larger values rank higher.

    Webber, Moffat & Zobel (TOIS 2010), equation 30: RBO = A_n · p^n + (1 - p) / p · Σ A_d · p^d, for d = 1 … n. A_d
    is the overlap of the first d runs of both orders, divided by d. RBO is 1 for equal orders. The smaller the
    persistence ``p``, the more weight the first ranks have. Both orders contain the same runs, so A_n is 1.

    As in the paper's section on ties, tied runs all have the first rank of their group. A_d is then 2 · overlap
    divided by the total number of runs that the two orders have down to rank d. Returns None if there are no runs.
    """
    if not 0 < p < 1:
        raise ValueError("p must be between 0 and 1")
    x, y = _two_orders(first, second)
    if not len(x):
        return None
    places = np.arange(1, len(x) + 1)
    x_rank, y_rank = competition_ranks(x), competition_ranks(y)
    common = _count_down_to(places, np.maximum(x_rank, y_rank))
    shares = 2 * common / (_count_down_to(places, x_rank) + _count_down_to(places, y_rank))
    return float(shares[-1] * p ** len(x) + (1 - p) / p * (shares * p**places).sum())


def competition_ranks(values: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return the rank of each value from 1, the largest first. Equal values share the better rank (1, 2, 2, 4)."""
    descending = -np.asarray(values)
    return np.searchsorted(np.sort(descending), descending, side="left").astype(np.int64) + 1


def _count_down_to(places: npt.NDArray[np.int64], rank: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.searchsorted(np.sort(rank), places, side="right").astype(np.int64)


def _expected_share(above: int, right_above: float, mates: int, right_mates: float) -> float:
    """Return the expected share, as averaged by :func:`tau_ap`, of an item in a tied group whose order is random.

    Every position of the item in its group is equally likely. At offset j, j of its ``mates`` are above it, with all
    subsets equally likely. In the first position of the whole order, nothing is above the item, so it adds nothing.
    """
    offsets = np.arange(mates + 1)
    stand_above = above + offsets
    right = right_above + offsets * (right_mates / mates if mates else 0.0)
    counted = stand_above > 0
    return float((right[counted] / stand_above[counted]).sum() / (mates + 1))
