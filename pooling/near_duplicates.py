"""Find near-duplicate texts: MinHash signatures of word shingles, and locality-sensitive hashing over them. Pure.

A text is the set of its runs of ``shingle`` successive words, without case and punctuation. Two texts are as
similar as the Jaccard coefficient of their sets, which is estimated from ``PERMUTATIONS`` minima (Broder, *On the
resemblance and containment of documents*, 1997). Only texts that agree in a whole band of minima are compared
(Leskovec, Rajaraman and Ullman, *Mining of Massive Datasets*, section 3.4). Classes are the connected components of
the pairs found, so two passages of a class can be less similar than the threshold when others lie between them. The
order of the texts does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
import polars as pl
import rensa
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from pooling.passage_text import words

PERMUTATIONS = 128
SEED = 19
#: The chance with which a pair exactly at the threshold must share a band.
RECALL = 0.9
TEXTS_AT_ONCE = 20_000
PAIRS_AT_ONCE = 200_000
_MIX = np.uint64(0x9E3779B97F4A7C15)

Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True)
class Likeness:
    """The rule for near-duplicates: the least similarity of two texts, and the number of words in a shingle."""

    threshold: float = 0.8
    shingle: int = 3

    @property
    def rows(self) -> int:
        """The minima of a band: the most with which a pair at the threshold is found with ``RECALL``."""
        return max(
            (
                rows
                for rows in (1, 2, 4, 8, 16, 32)
                if 1 - (1 - self.threshold**rows) ** (PERMUTATIONS // rows) >= RECALL
            ),
            default=1,
        )


@dataclass
class Signatures:
    """The signature of each text: a byte of every minimum, and a hash of each band. 256 bytes with bands of 8."""

    likeness: Likeness
    pids: list[str] = field(default_factory=list)
    minima: list[NDArray[np.uint8]] = field(default_factory=list)
    bands: list[NDArray[np.uint64]] = field(default_factory=list)

    def add(self, pids: Sequence[str], texts: Sequence[str]) -> None:
        """Add texts; one without a word is left out, because it resembles nothing."""
        sets = [shingles(text, self.likeness.shingle) for text in texts]
        known = [place for place, found in enumerate(sets) if found]
        if not known:
            return
        matrix = rensa.RMinHash.digest_matrix_from_token_sets(
            [sets[place] for place in known], PERMUTATIONS, SEED
        )
        minima = np.array(matrix.to_rows(), np.uint32)
        self.pids += [pids[place] for place in known]
        self.minima.append(minima.astype(np.uint8))
        self.bands.append(_band_hashes(minima, self.likeness.rows))


def shingles(text: str, size: int) -> list[str]:
    """Return the runs of ``size`` words; of a shorter text all of its words as one."""
    found = words(text)
    if not found:
        return []
    return [" ".join(found[begin : begin + size]) for begin in range(max(1, len(found) - size + 1))]


def _band_hashes(minima: NDArray[np.uint32], rows: int) -> NDArray[np.uint64]:
    bands = minima.reshape(len(minima), -1, rows).astype(np.uint64)
    hashes = np.zeros(bands.shape[:2], np.uint64)
    for row in range(rows):
        hashes = (hashes ^ bands[:, :, row]) * _MIX
        hashes ^= hashes >> np.uint64(29)
    return hashes


def signatures_of(texts: Iterable[tuple[str, str]], likeness: Likeness) -> Iterator[Signatures]:
    """Yield the growing signatures of (pid, text) after every ``TEXTS_AT_ONCE`` texts, and once at the end."""
    found, waiting = Signatures(likeness), iter(texts)
    while batch := list(islice(waiting, TEXTS_AT_ONCE)):
        found.add([pid for pid, _ in batch], [text for _, text in batch])
        yield found
    yield found


def near_duplicates(found: Signatures) -> dict[str, str]:
    """Return pid → canonical pid of every passage in a class of two or more; the smallest pid is canonical."""
    if not found.pids:
        return {}
    minima, bands = np.concatenate(found.minima), np.concatenate(found.bands)
    count, by_text = len(found.pids), pl.Series(found.pids).arg_sort().to_numpy().astype(np.int64)
    linked = [
        _alike(minima, (by_text[first], by_text[second]), found.likeness.threshold)
        for band in bands.T
        for first, second in _pairs_of_band(band[by_text])
    ]
    if not linked:
        return {}
    first, second = (np.concatenate([pairs[side] for pairs in linked]) for side in (0, 1))
    graph = coo_array((np.ones(len(first), np.int8), (first, second)), shape=(count, count))
    _, labels = connected_components(graph, directed=False)
    return _named(found.pids, labels)


def _pairs_of_band(band: NDArray[np.uint64]) -> Iterator[Pairs]:
    """Yield each text of a bucket with the first one, and with the one before it: linear in the bucket's size."""
    order = np.argsort(band, kind="stable")
    same = np.flatnonzero(band[order][1:] == band[order][:-1]) + 1
    if not len(same):
        return
    # A bucket begins where the place before is not in one.
    begins = np.where(np.diff(same, prepend=-1) != 1, same - 1, 0)
    first = np.maximum.accumulate(begins)
    later = first != same - 1
    yield order[first], order[same]
    yield order[same[later] - 1], order[same[later]]


def _alike(minima: NDArray[np.uint8], pairs: Pairs, threshold: float) -> Pairs:
    """Keep pairs whose estimated similarity reaches the threshold.

    Different minima share their last byte once in 256 times (Li and König, *b-bit minwise hashing*, 2010).
    """
    kept = np.zeros(len(pairs[0]), bool)
    for begin in range(0, len(kept), PAIRS_AT_ONCE):
        some = slice(begin, begin + PAIRS_AT_ONCE)
        equal = (minima[pairs[0][some]] == minima[pairs[1][some]]).mean(axis=1)
        kept[some] = (equal - 1 / 256) / (1 - 1 / 256) >= threshold - 1e-9
    return pairs[0][kept], pairs[1][kept]


def _named(pids: Sequence[str], labels: NDArray[np.integer]) -> dict[str, str]:
    order = np.argsort(labels, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(labels[order])) + 1, len(order))
    canonical: dict[str, str] = {}
    begin = 0
    for end in ends.tolist():
        members = {pids[place] for place in order[begin:end].tolist()} if end - begin > 1 else set()
        if len(members) > 1:
            smallest = min(members, key=by_pid)
            canonical.update(dict.fromkeys(members, smallest))
        begin = end
    return canonical


def by_pid(pid: str) -> tuple[int, int, str]:
    """Return the key by which pids are ordered: numbers by value, before all others."""
    plain = pid.isascii() and pid.isdigit()
    return (0, int(pid), pid) if plain else (1, 0, pid)
