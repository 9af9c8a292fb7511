"""Store the features of a collection's passages in files, and map blocks of these files into memory.

Each row is a passage, in the order in which the texts were read. The files in a folder:

| File | Content |
|---|---|
| ``manifest.json`` | the inputs of the features, and the size of each file; written last |
| ``counts``, ``columns`` | row after row, for each feature that occurs: its count (uint8) and its number (int32) |
| ``starts`` | int64: the index in these two files at which each row starts, and the end of the last row |
| ``lengths`` | float32 of each row: the length (L2 norm) of its TF-IDF vector |
| ``texts`` | uint64 of each row: the first bytes of the text's class key; equal for equal texts |
| ``rarities`` | float32 of each feature: its inverse document frequency |
| ``pids`` | the pid of each row, one per line |
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array

from pooling.files.formats import Progress
from pooling.rules.passage_text import class_key
from pooling.rules.text_features import FEATURES, count_words, damped, lengths, rarity, tfidf

TEXTS_AT_ONCE = 10_000
ROWS_AT_ONCE = 200_000
_TYPES: Mapping[str, Any] = {
    "counts": np.uint8,
    "columns": np.int32,
    "starts": np.int64,
    "lengths": np.float32,
    "texts": np.uint64,
    "rarities": np.float32,
}
_MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Features:
    """The stored features of a collection's passages: a sparse matrix with ``passages`` rows."""

    folder: Path
    passages: int

    def blocks(
        self, rows_at_once: int = ROWS_AT_ONCE
    ) -> Iterator[tuple[int, csr_array, NDArray[np.float32]]]:
        """Yield each block as (number of its first row, damped counts, lengths of the TF-IDF vectors)."""
        for begin, rows in _ranges(self.passages, rows_at_once):
            yield begin, self.weights(begin, rows), self._part("lengths", begin, rows)

    def weights(self, begin: int, rows: int) -> csr_array:
        """Return the damped counts (1 + ln) of ``rows`` rows, starting with row ``begin``."""
        return damped(self._counts(begin, rows))

    def tfidf_of(self, rows: Sequence[int]) -> csr_array:
        """Return the TF-IDF vectors of these rows, in this order, each of length 1."""
        starts = self._part("starts", 0, self.passages + 1)
        counts, columns = (self._part(name, 0, int(starts[-1])) for name in ("counts", "columns"))
        spans = [slice(int(starts[row]), int(starts[row + 1])) for row in rows]
        ends = np.cumsum([0, *(span.stop - span.start for span in spans)])
        data, found = (
            np.concatenate([part[:0], *(part[span] for span in spans)]) for part in (counts, columns)
        )
        return tfidf(csr_array((data, found, ends), (len(rows), FEATURES)), self.rarities)

    def tfidf_of_text(self, text: str) -> csr_array:
        """Return the TF-IDF vector of a text outside the collection, such as a query."""
        return tfidf(count_words([text]), self.rarities)

    @property
    def size(self) -> int:
        """The total size of the files, in bytes."""
        return sum(file.stat().st_size for file in self.folder.iterdir())

    @property
    def rarities(self) -> NDArray[np.float32]:
        """The inverse document frequency of each feature."""
        return self._part("rarities", 0, FEATURES)

    def rows_of(self, pids: Iterable[str]) -> dict[str, int]:
        """Return pid → row for the pids that have a row. If a pid has several rows, the first is returned."""
        wanted = pl.Series(sorted(set(pids)), dtype=pl.String)
        if not len(wanted):
            return {}
        found = self._named().filter(pl.col("pid").is_in(wanted.implode())).collect()
        return dict(zip(reversed(found["pid"].to_list()), reversed(found["row"].to_list()), strict=True))

    def pids_of(self, rows: Sequence[int]) -> list[str]:
        """Return the pids of these rows, in this order."""
        wanted = pl.Series(sorted(set(rows)), dtype=pl.UInt32)
        found = self._named().filter(pl.col("row").is_in(wanted.implode())).collect()
        pid_of = dict(zip(found["row"].to_list(), found["pid"].to_list(), strict=True))
        return [pid_of[row] for row in rows]

    def text_keys(self, rows: Sequence[int]) -> list[int]:
        """Return, for each of these rows, a number that is the same for all rows with the same text."""
        keys: list[int] = self._part("texts", 0, self.passages)[np.array(rows, np.int64)].tolist()
        return keys

    def _named(self) -> pl.LazyFrame:
        return pl.scan_csv(
            self.folder / "pids",
            has_header=False,
            separator="\t",
            quote_char=None,
            schema={"pid": pl.String},
            row_index_name="row",
        )

    def _counts(self, begin: int, rows: int) -> csr_array:
        starts = self._part("starts", begin, rows + 1)
        here, size = int(starts[0]), int(starts[-1] - starts[0])
        data, columns = self._part("counts", here, size), self._part("columns", here, size)
        return csr_array((data, columns, (starts - here).astype(np.int32)), (rows, FEATURES))

    def _part(self, name: str, begin: int, size: int) -> NDArray[Any]:
        """Map ``size`` entries of a file, starting with entry ``begin``. They take up memory only while in use."""
        kind = np.dtype(_TYPES[name])
        if not size:
            return np.zeros(0, kind)
        mapped = np.memmap(self.folder / name, kind, "r", begin * kind.itemsize, (size,))
        return np.asarray(mapped)


def _ranges(passages: int, rows_at_once: int) -> Iterator[tuple[int, int]]:
    for begin in range(0, passages, rows_at_once):
        yield begin, min(rows_at_once, passages - begin)


def open_features(folder: Path, made_of: Mapping[str, Any]) -> Features | None:
    """Return the features in a folder; None if they are incomplete, damaged or computed from other texts."""
    try:
        manifest = json.loads((folder / _MANIFEST).read_bytes())
        sizes = {name: (folder / name).stat().st_size for name in manifest["sizes"]}
        if manifest["made_of"] != made_of or sizes != manifest["sizes"]:
            return None
        return Features(folder, int(manifest["passages"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_features(
    folder: Path,
    texts: Iterable[tuple[str, str]],
    made_of: Mapping[str, Any],
    progress: Progress | None = None,
) -> Features:
    """Write the features of ``texts``, which are tuples (pid, text), to a new folder.

    ``made_of`` identifies the texts, and is stored in the manifest. ``progress`` is called with (texts counted, 0),
    then with (rows weighted, all rows). Until the manifest is written, :func:`open_features` returns None.
    """
    folder.mkdir(parents=True)
    frequencies, passages = _write_counts(folder, texts, progress)
    rarities = rarity(frequencies, passages)
    rarities.tofile(folder / "rarities")
    features = Features(folder, passages)
    with (folder / "lengths").open("wb") as file:
        for begin, rows in _ranges(passages, ROWS_AT_ONCE):
            lengths(features.weights(begin, rows), rarities).tofile(file)
            if progress:
                progress(begin + rows, passages)
    _write_manifest(folder, {"made_of": dict(made_of), "passages": passages})
    return features


def _write_counts(
    folder: Path, texts: Iterable[tuple[str, str]], progress: Progress | None
) -> tuple[NDArray[np.int64], int]:
    """Write the counts of each text. Returns, for each feature, how many texts have it, and the number of texts."""
    frequencies, passages, size = np.zeros(FEATURES, np.int64), 0, 0
    waiting = iter(texts)
    with ExitStack() as open_files:
        counts, columns, starts, keys, pids = (
            open_files.enter_context((folder / name).open("wb"))
            for name in ("counts", "columns", "starts", "texts", "pids")
        )
        np.zeros(1, np.int64).tofile(starts)
        while batch := list(islice(waiting, TEXTS_AT_ONCE)):
            found = count_words([text for _, text in batch])
            found.data.tofile(counts)
            found.indices.astype(np.int32).tofile(columns)
            (found.indptr[1:].astype(np.int64) + size).tofile(starts)
            np.array([int(class_key(text)[:16] or "0", 16) for _, text in batch], np.uint64).tofile(keys)
            pids.write("".join(f"{pid}\n" for pid, _ in batch).encode())
            frequencies += np.bincount(found.indices, minlength=FEATURES)
            size, passages = size + found.nnz, passages + len(batch)
            if progress:
                progress(passages, 0)
    return frequencies, passages


def _write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """Flush all other files to disk, then write the manifest with their sizes."""
    sizes = {}
    for name in (*_TYPES, "pids"):
        with (folder / name).open("rb") as file:
            os.fsync(file.fileno())
        sizes[name] = (folder / name).stat().st_size
    written = folder / f"{_MANIFEST}.new"
    with written.open("w", encoding="utf-8") as out:
        json.dump(manifest | {"sizes": sizes}, out, indent=1)
        out.flush()
        os.fsync(out.fileno())
    written.replace(folder / _MANIFEST)
