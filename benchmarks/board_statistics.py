"""Measure the speed of a large leaderboard's statistics: 100 runs on 6,980 queries, RR@10.

Both implementations use the same values, and their results are compared. Limits:

- Intervals from 1,000 resamples of the queries are at least 40 × faster than scipy.stats.bootstrap. scipy is called
  for each run as documented, with its default batch (all resamples at once). The intervals also take at most 2 × as
  long as drawing the weights and multiplying.
- 100 split halves × 4,950 pairs × 4 tests are at least 250 × faster than scipy called test by test. scipy's time is
  extrapolated from a sample of pairs and halves. Ours is measured first and once, without a warm-up.
- Every p-value of the sample equals scipy's.
- Memory stays below 1 GB.

Tuned scipy is faster: batches of 50 resamples stay in fast memory, and one call can cover all runs. Both times are
printed too, without a limit and extrapolated from some of the runs. If scipy is called for each run, it draws
different queries each time, so runs can't be ranked within a resample; our code allows that.

Everything runs on one thread, because with several threads, the results would depend on other load on the machine.
``--sample`` sets the number of pairs that scipy tests (default: 60); ``--json`` prints the figures as JSON;
``--check`` exits 1 if a limit is missed.
"""

import json
import os
import resource
import sys
import time
from collections.abc import Callable

from _harness import options_parser, print_missed, timings

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # numpy reads these settings on import

import numpy as np

from leaderboard.analyses.split_halves.computation import SPLITS, TESTS, agreement_of, draw_halves, pair_tests
from leaderboard.analyses.stability.computation import rank_stability
from leaderboard.scoring.intervals import TRIALS, bootstrap_intervals, resample_counts

RUNS, QUERIES, WHOLE = 100, 6_980, 2520
SOME = 10
"""The number of runs from which two times are extrapolated: those of continuous values and of tuned scipy."""
LEAST_FASTER = {"bootstrap": 40.0, "split_halves": 250.0}
MOST_OF_PRODUCT, MOST_MEGABYTES, NEAR = 2.0, 1000.0, 1e-9

Figures = dict[str, float | int | bool]


def board(seed: int = 2520) -> np.ndarray:
    """Generate RR@10, shape (runs, queries): queries differ in difficulty, runs a little in quality."""
    rng = np.random.default_rng(seed)
    hard = rng.geometric(0.25, QUERIES)
    skill = rng.normal(0, 0.8, (RUNS, 1))
    ranks = np.maximum(1, np.rint(hard + skill + rng.normal(0, 2, (RUNS, QUERIES))))
    return np.where(ranks <= 10, 1 / ranks, 0.0)


def seconds(call: Callable[[], object], times: int) -> float:
    """Return the shortest duration of several calls, because other load on the machine only adds time."""
    return min(timings(call, times))


def split_halves(values: np.ndarray) -> Figures:
    """Draw the halves and run all tests once, without a warm-up.

    Returns the seconds, the number of tests and the agreement of the signed-rank test.
    """
    before = time.perf_counter()
    halves = draw_halves(QUERIES, SPLITS, np.random.default_rng(1))
    found = agreement_of(values, halves, whole=WHOLE)
    return {
        "split_seconds": time.perf_counter() - before,
        "tests": found.pairs * SPLITS * 2 * len(TESTS),
        "agree_signed_rank": next(one.agree for one in found.outcomes if one.test == "signed-rank"),
    }


def continuous_halves(values: np.ndarray) -> Figures:
    """Time :func:`split_halves` on mostly distinct values, such as nDCG, extrapolated from some runs to all pairs."""
    rng = np.random.default_rng(4)
    values = np.maximum(0, values[:SOME] + rng.normal(0, 0.2, (SOME, QUERIES)))
    halves = draw_halves(QUERIES, SPLITS, np.random.default_rng(1))
    taken = seconds(lambda: agreement_of(values, halves), 1)
    return {"continuous_seconds": taken * RUNS * (RUNS - 1) / (SOME * (SOME - 1))}


def scipy_tests(values: np.ndarray, sample: int) -> Figures:
    """Return scipy's time for all tests, extrapolated from a sample, and the largest relative difference in p.

    One element of the sample is a comparison: four tests of two runs in one half.
    """
    from scipy import stats

    rng = np.random.default_rng(2)
    steps = np.rint(values * WHOLE)
    halves = draw_halves(QUERIES, SPLITS, np.random.default_rng(1))
    firsts = rng.choice(RUNS - 1, size=sample)
    pairs = [
        (int(first), int(rng.integers(first + 1, RUNS)), int(rng.integers(2 * SPLITS))) for first in firsts
    ]
    taken, furthest, middling = 0.0, 0.0, 0
    for first, second, part in pairs:
        x, y = steps[first, halves[:, part]], steps[second, halves[:, part]]
        before = time.perf_counter()
        theirs = {
            "sign": stats.binomtest(int((x > y).sum()), int((x != y).sum())).pvalue,
            "rank-sum": stats.mannwhitneyu(x, y, use_continuity=False, method="asymptotic").pvalue,
            "signed-rank": stats.wilcoxon(x, y).pvalue,
            "t": stats.ttest_rel(x, y).pvalue,
        }
        taken += time.perf_counter() - before
        (ours,) = pair_tests(steps[[first, second]], halves[:, [part]])
        for test, p in theirs.items():
            furthest = max(furthest, abs(float(ours.p[test][0, 0]) - p) / max(p, 1e-300))
            middling += int(0.01 < p < 0.99)
    return {
        "sample": len(pairs),
        "middling_p_values": middling,
        "furthest": furthest,
        "scipy_seconds": taken / len(pairs) * (RUNS * (RUNS - 1) // 2) * 2 * SPLITS,
    }


def bootstrap(values: np.ndarray) -> Figures:
    """Time the intervals of all runs by our code, by its draws and products alone, and by scipy."""
    from scipy import stats

    scaled = np.rint(values * WHOLE)

    def ours() -> object:
        return bootstrap_intervals(values, rng=np.random.default_rng(3), whole=WHOLE)

    def product() -> object:
        return scaled @ resample_counts(QUERIES, TRIALS, np.random.default_rng(3)).T

    def theirs(batch: int | None, rows: np.ndarray = values) -> None:
        for row in rows:
            stats.bootstrap((row,), np.mean, n_resamples=TRIALS, method="percentile", rng=3, batch=batch)

    def at_once() -> None:
        some = (values[:SOME],)
        stats.bootstrap(some, np.mean, axis=-1, n_resamples=TRIALS, method="percentile", rng=3, batch=10)

    times = RUNS / SOME
    ours()
    rounds = [(seconds(ours, 1), seconds(product, 1)) for _ in range(15)]
    tags = [str(run) for run in range(RUNS)]
    ranks = lambda: rank_stability(tags, values, rng=np.random.default_rng(3), whole=WHOLE)  # noqa: E731
    return {
        "bootstrap_seconds": min(one for one, _ in rounds),
        "product_seconds": min(other for _, other in rounds),
        "ranks_seconds": seconds(ranks, 3),
        "scipy_bootstrap_seconds": seconds(lambda: theirs(None), 1),
        "scipy_in_batches_seconds": times * seconds(lambda: theirs(50, values[:SOME]), 1),
        "scipy_at_once_seconds": times * seconds(at_once, 1),
    }


def measure(sample: int) -> Figures:
    """Return all results. Our cold split halves are measured first, and memory before scipy runs."""
    values = board()
    found = split_halves(values)
    bootstrap_intervals(values, rng=np.random.default_rng(3), whole=WHOLE)
    rank_stability([str(run) for run in range(RUNS)], values, rng=np.random.default_rng(3), whole=WHOLE)
    found["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    found |= scipy_tests(values, sample) | bootstrap(values) | continuous_halves(values)
    found["split_ratio"] = found["scipy_seconds"] / found["split_seconds"]
    found["bootstrap_ratio"] = found["scipy_bootstrap_seconds"] / found["bootstrap_seconds"]
    found["of_product"] = found["bootstrap_seconds"] / found["product_seconds"]
    return found


def missed(found: Figures) -> list[str]:
    limits = {
        "split halves": found["split_ratio"] >= LEAST_FASTER["split_halves"],
        "bootstrap": found["bootstrap_ratio"] >= LEAST_FASTER["bootstrap"],
        "bootstrap against drawing and multiplying": found["of_product"] <= MOST_OF_PRODUCT,
        "p-values": found["furthest"] <= NEAR,
        "memory": found["megabytes"] <= MOST_MEGABYTES,
    }
    return [name for name, held in limits.items() if not held]


def show(found: Figures) -> None:
    print(f"{RUNS} runs, {QUERIES:,} queries, RR@10")
    print(f"split halves, {found['tests']:,} tests, cold   {found['split_seconds']:10.2f} s")
    print(
        f"  of continuous values                  {found['continuous_seconds']:10.1f} s  (extrapolated, no limit)"
    )
    print(
        f"scipy, call by call                     {found['scipy_seconds']:10.1f} s  "
        f"(extrapolated from {found['sample']} pairs)"
    )
    print(
        f"  faster by                             {found['split_ratio']:10.1f} × "
        f"(at least {LEAST_FASTER['split_halves']:g} ×)"
    )
    print(f"  p-values differ by at most            {found['furthest']:10.1e}    (relative)")
    print(f"  peak memory                           {found['megabytes']:10.1f} MB")
    print(f"intervals, {TRIALS:,} resamples              {found['bootstrap_seconds']:10.4f} s")
    print(f"  drawing and multiplying alone         {found['product_seconds']:10.4f} s")
    print(
        f"  intervals ÷ drawing and multiplying   {found['of_product']:10.2f} × (at most {MOST_OF_PRODUCT:g} ×)"
    )
    print(f"scipy.stats.bootstrap                   {found['scipy_bootstrap_seconds']:10.2f} s")
    print(
        f"  faster by                             {found['bootstrap_ratio']:10.1f} × "
        f"(at least {LEAST_FASTER['bootstrap']:g} ×)"
    )
    for name, words in (("in_batches", "in batches of 50"), ("at_once", "all runs in one call")):
        taken = found[f"scipy_{name}_seconds"]
        times = taken / found["bootstrap_seconds"]
        print(f"  {words:<37} {taken:10.2f} s  ({times:.0f} ×; no limit, extrapolated)")
    print(f"rank distributions, {TRIALS:,} resamples     {found['ranks_seconds']:10.4f} s")


def main() -> None:
    """Measure and print; with --check, fail if a limit is missed."""
    parser = options_parser(__doc__)
    parser.add_argument("--sample", type=int, default=60, help="pairs that scipy tests (default: 60)")
    options = parser.parse_args()
    found = measure(options.sample)
    if options.json:
        print(json.dumps(found | {"missed": missed(found)}))
    else:
        show(found)
        print_missed(missed(found))
    if options.check and missed(found):
        sys.exit(1)


if __name__ == "__main__":
    main()
