"""Measure the time and memory needed to find the near-duplicates among many passages.

The passages are synthetic: 56 words drawn by Zipf's law, and one in five repeats the previous passage with one word
changed. Limits for the default of 1,000,000 passages:

- texts compared in 300 s, of which at most 60 s for the bands and classes, on 2 cores;
- at most 1,100 MB at the peak (4 GB for 7,000,000 passages or more);
- at least 95% of the repeated passages found, and no other passages.

Signatures take 256 bytes for each passage in temporary files. Every band is sorted once, so that ten times the
passages take about ten times as long. ``--passages`` sets the number; ``--json`` prints the figures as JSON;
``--check`` exits 1 if a limit is missed. ``--libraries`` instead prints the processor time of rensa and of datasketch
for the signatures of 20,000 passages; datasketch, which the product does not use, has to be installed first.
"""

import importlib
import json
import resource
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import rensa
from _harness import options_parser

from pooling.rules.near_duplicates import (
    PERMUTATIONS,
    SEED as HASH_SEED,
    Likeness,
    group_near_duplicates,
    shingles,
)

WORDS, LENGTH, REPEATED, SEED, AT_ONCE = 30_000, 56, 0.2, 7, 10_000


def passages(count: int) -> Iterator[tuple[str, str]]:
    """Yield (pid, text). A passage whose pid ends in ``r`` repeats the previous passage."""
    rng = np.random.default_rng(SEED)
    words = np.array([f"word{number}" for number in range(WORDS)])
    likely = np.cumsum(1 / np.arange(1, WORDS + 1))
    for begin in range(0, count, AT_ONCE):
        size = min(AT_ONCE, count - begin)
        drawn = np.searchsorted(likely / likely[-1], rng.random((size, LENGTH))).clip(0, WORDS - 1)
        repeats = rng.random(size) < REPEATED
        repeats[0] = False
        for place in np.flatnonzero(repeats).tolist():
            drawn[place] = drawn[place - 1]
            drawn[place, rng.integers(LENGTH)] = rng.integers(WORDS)
        for place, row in enumerate(words[drawn]):
            yield f"{begin + place:09d}{'r' if repeats[place] else ''}", " ".join(row)


def clock() -> Any:
    """Return the wall-clock and processor time in seconds."""
    return np.array([time.perf_counter(), time.process_time()])


def timed(rows: Iterable[Any], spent: Any) -> Iterator[Any]:
    """Yield the rows, and add the time of generating them to ``spent``."""
    waiting = iter(rows)
    while True:
        began = clock()
        row = next(waiting, None)
        spent += clock() - began
        if row is None:
            return
        yield row


def measure(count: int) -> dict[str, Any]:
    """Return the seconds, the memory, the share of repeated passages found, and the number of wrong ones."""
    repeats = np.zeros(count + 1, bool)

    def noted() -> Iterator[tuple[str, str]]:
        for place, (pid, text) in enumerate(passages(count)):
            repeats[place] = pid.endswith("r")
            yield pid, text

    ticks = [clock()]

    def tick(done: int) -> None:
        ticks.append(clock())

    making = np.zeros(2)
    found = group_near_duplicates(timed(noted(), making), Likeness(), shown=tick).canonical
    signing, joining = ticks[-1] - ticks[0] - making, clock() - ticks[-1]
    seconds, processor = signing + joining
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    members = np.zeros(count, bool)
    members[[int(pid[:9]) for pid in found]] = True
    # The class of a series of repeats contains only them and the passage before them.
    expected = repeats[:-1] | repeats[1:]
    return {
        "passages": count,
        "signature_seconds": round(signing[0], 1),
        "class_seconds": round(joining[0], 1),
        "seconds": round(seconds, 1),
        "processor_seconds": round(processor, 1),
        "passages_per_second": round(count / seconds),
        "peak_mb": round(peak / 1024),
        "classes": len(set(found.values())),
        "found": round(float(members[repeats[:-1]].mean()), 4),
        "wrong": int((members & ~expected).sum()),
    }


def compare_libraries(count: int = 20_000) -> dict[str, float]:
    """Return the processor time in seconds that each library takes for the same signatures."""
    sets = [shingles(text, Likeness().shingle) for _, text in passages(count)]
    encoded = [[shingle.encode() for shingle in one] for one in sets]
    datasketch = importlib.import_module("datasketch")
    began = time.process_time()
    rensa.RMinHash.digest_matrix_from_token_sets(sets, PERMUTATIONS, HASH_SEED).to_rows()
    between = time.process_time()
    datasketch.MinHash.bulk(encoded, num_perm=PERMUTATIONS, seed=HASH_SEED)
    ended = time.process_time()
    return {"passages": count, "rensa": round(between - began, 2), "datasketch": round(ended - between, 2)}


def within_limits(figures: dict[str, Any]) -> bool:
    """Return whether the figures are within the limits, which scale with the number of passages."""
    scale = max(0.05, figures["passages"] / 1_000_000)
    return bool(
        figures["seconds"] <= 300 * scale
        and figures["class_seconds"] <= 60 * scale
        and figures["peak_mb"] <= min(4096, 600 + 500 * scale)
        and figures["found"] >= 0.95
        and not figures["wrong"]
    )


def main() -> None:
    parser = options_parser(__doc__)
    parser.add_argument("--passages", type=int, default=1_000_000, help="default: %(default)s")
    parser.add_argument("--libraries", action="store_true", help="compare rensa and datasketch")
    options = parser.parse_args()
    figures = compare_libraries() if options.libraries else measure(options.passages)
    print(
        json.dumps(figures)
        if options.json
        else "\n".join(f"{key}: {value}" for key, value in figures.items())
    )
    if options.check and not options.libraries and not within_limits(figures):
        sys.exit("A limit was missed.")


if __name__ == "__main__":
    main()
