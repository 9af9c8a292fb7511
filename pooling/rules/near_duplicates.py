"""Find near-duplicate texts: MinHash signatures of word shingles, and locality-sensitive hashing over them.

A text is represented by the set of its shingles, which are sequences of ``shingle`` words without case and
punctuation. The similarity of two texts is the Jaccard coefficient of their sets, estimated from ``PERMUTATIONS``
minima (Broder, *On the resemblance and containment of documents*, 1997). Only texts that agree in a whole band of
minima are compared (Leskovec, Rajaraman and Ullman, *Mining of Massive Datasets*, section 3.4). Classes are the
connected components of the similar pairs. So two passages of a class can be less similar than the threshold, if a
chain of similar passages connects them. The order of the texts does not matter.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import numpy as np
import polars as pl
import rensa
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from pooling.rules.passage_text import tokenize

PERMUTATIONS = 128
SEED = 19
#: The minimum chance that a pair exactly at the threshold shares a band.
RECALL = 0.9
TEXTS_AT_ONCE = 20_000
PAIRS_AT_ONCE = 200_000
_MIX = np.uint64(0x9E3779B97F4A7C15)

Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True)
class Likeness:
    """The rule for near-duplicates: the minimum similarity of two texts, and the number of words in a shingle."""

    threshold: float = 0.8
    shingle: int = 3

    @property
    def rows(self) -> int:
        """The number of minima in a band: the largest power of two that finds enough pairs.

        A pair at the threshold must be found with a chance of at least ``RECALL``.
        """
        return max(
            (
                rows
                for rows in (1, 2, 4, 8, 16, 32)
                if 1 - (1 - self.threshold**rows) ** (PERMUTATIONS // rows) >= RECALL
            ),
            default=1,
        )


@dataclass(frozen=True)
class NearDuplicates:
    """The classes of two or more near-duplicate passages."""

    canonical: dict[str, str]
    """pid → canonical pid."""
    texts: int
    """The number of texts compared; texts without a word are not compared."""


@dataclass(frozen=True)
class _Signatures:
    """The signatures of texts: for each text, the last byte of every minimum, and a hash of every band.

    With 8 minima in a band, a signature takes 256 bytes. Signatures are stored in files, and only the parts in use
    are in memory.
    """

    likeness: Likeness
    pids: list[pl.Series]
    minima: IO[bytes]
    bands: Sequence[IO[bytes]]

    def add(self, pids: Sequence[str], texts: Sequence[str]) -> None:
        """Add texts. Texts without a word are left out, because they resemble nothing."""
        sets = [shingles(text, self.likeness.shingle) for text in texts]
        known = [place for place, found in enumerate(sets) if found]
        if not known:
            return
        matrix = rensa.RMinHash.digest_matrix_from_token_sets(
            [sets[place] for place in known], PERMUTATIONS, SEED
        )
        minima = np.array(matrix.to_rows(), np.uint32)
        self.pids.append(pl.Series([pids[place] for place in known], dtype=pl.String))
        minima.astype(np.uint8).tofile(self.minima)
        for file, band in zip(self.bands, _band_hashes(minima, self.likeness.rows).T, strict=True):
            band.tofile(file)


def shingles(text: str, size: int) -> list[str]:
    """Return the sequences of ``size`` consecutive words; a shorter text is a single sequence."""
    found = tokenize(text)
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


def group_near_duplicates(
    texts: Iterable[tuple[str, str]],
    likeness: Likeness,
    *,
    folder: Path | None = None,
    shown: Callable[[int], None] | None = None,
) -> NearDuplicates:
    """Find the classes of near-duplicates among texts, given as (pid, text).

    The smallest pid of a class is canonical. Temporary files in ``folder`` take about 256 bytes per text at the
    default threshold. None remain, even if the process is killed. ``shown`` is called with the number of texts read
    so far, after every ``TEXTS_AT_ONCE`` texts.
    """
    with ExitStack() as files:
        minima, *bands = (
            files.enter_context(TemporaryFile(dir=folder)) for _ in range(1 + PERMUTATIONS // likeness.rows)
        )
        found, waiting, count = _Signatures(likeness, [], minima, bands), iter(texts), 0
        while batch := list(islice(waiting, TEXTS_AT_ONCE)):
            found.add([pid for pid, _ in batch], [text for _, text in batch])
            count += len(batch)
            if shown:
                shown(count)
        if not found.pids:
            return NearDuplicates({}, 0)
        pids = pl.concat(found.pids, rechunk=True)
        return NearDuplicates(_canonical_pids(pids, _components(found, pids)), len(pids))


def _components(found: _Signatures, pids: pl.Series) -> NDArray[np.integer]:
    """Return the class number of each text.

    Texts that an earlier band has joined are not compared again.
    """
    count, by_text = len(pids), pids.arg_sort().to_numpy()
    minima = np.memmap(found.minima, np.uint8, "r", shape=(count, PERMUTATIONS))
    labels: NDArray[np.integer] = np.arange(count, dtype=np.int32)
    for file in found.bands:
        band = np.memmap(file, np.uint64, "r", shape=(count,))
        for places in _pairs_of_band(band[by_text]):
            pairs = by_text[places[0]], by_text[places[1]]
            apart = labels[pairs[0]] != labels[pairs[1]]
            first, second = _alike(minima, (pairs[0][apart], pairs[1][apart]), found.likeness.threshold)
            if len(first):
                joined = (np.ones(len(first), np.int8), (labels[first], labels[second]))
                _, classes = connected_components(coo_array(joined, shape=(count, count)), directed=False)
                labels = classes[labels]
    return labels


def _pairs_of_band(band: NDArray[np.uint64]) -> Iterator[Pairs]:
    """Yield pairs of texts from the same bucket, that is, with the same hash of this band.

    Each text is paired with the first and with the previous text of its bucket. The number of pairs is thus linear in
    the bucket's size.
    """
    order = np.argsort(band, kind="stable")
    same = np.flatnonzero(band[order][1:] == band[order][:-1]) + 1
    if not len(same):
        return
    # ``same`` has all places of a bucket but the first, which is one place before the first of them.
    begins = np.where(np.diff(same, prepend=-1) != 1, same - 1, 0)
    first = np.maximum.accumulate(begins)
    later = first != same - 1
    yield order[first], order[same]
    yield order[same[later] - 1], order[same[later]]


def _alike(minima: NDArray[np.uint8], pairs: Pairs, threshold: float) -> Pairs:
    """Return the pairs whose estimated similarity reaches the threshold.

    By chance, one in 256 pairs of different minima has the same last byte. The estimate corrects for this (Li and
    König, *b-bit minwise hashing*, 2010).
    """
    kept = np.zeros(len(pairs[0]), bool)
    for begin in range(0, len(kept), PAIRS_AT_ONCE):
        some = slice(begin, begin + PAIRS_AT_ONCE)
        equal = (minima[pairs[0][some]] == minima[pairs[1][some]]).mean(axis=1)
        kept[some] = (equal - 1 / 256) / (1 - 1 / 256) >= threshold - 1e-9
    return pairs[0][kept], pairs[1][kept]


def _canonical_pids(pids: pl.Series, labels: NDArray[np.integer]) -> dict[str, str]:
    places = np.flatnonzero(np.bincount(labels)[labels] > 1)
    places = places[np.argsort(labels[places], kind="stable")]
    members = pids.gather(places).to_list()
    canonical: dict[str, str] = {}
    begin = 0
    for end in (*np.flatnonzero(np.diff(labels[places])) + 1, len(places)):
        names = set(members[begin:end])
        if len(names) > 1:
            canonical.update(dict.fromkeys(names, min(names, key=by_pid)))
        begin = end
    return canonical


def by_pid(pid: str) -> tuple[int, int, str]:
    """Return the sort key of a pid: decimal numbers come first, by value, then all other pids."""
    plain = pid.isascii() and pid.isdigit()
    return (0, int(pid), pid) if plain else (1, 0, pid)
