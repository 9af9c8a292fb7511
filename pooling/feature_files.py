"""The features of a collection's passages as files, mapped into memory a block at a time.

A row is a passage, in the order of the texts. The files of a folder:

| File | Content |
|---|---|
| ``manifest.json`` | the inputs of the features, and the size of each file; written last |
| ``counts``, ``columns`` | uint8 and int32 of each (row, feature), row after row |
| ``starts`` | int64: where each row starts in these two files, and the end of the last row |
| ``lengths`` | float32 of each row: its length under TF-IDF |
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

from pooling.features import FEATURES, count_words, damped, lengths, rarity, tfidf
from pooling.formats import Progress
from pooling.passage_text import class_key

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
    """The stored features of ``passages`` passages, the rows of a sparse matrix."""

    folder: Path
    passages: int

    def blocks(
        self, rows_at_once: int = ROWS_AT_ONCE
    ) -> Iterator[tuple[int, csr_array, NDArray[np.float32]]]:
        """Yield the first row of each block, its damped counts, and the lengths of its rows."""
        for begin, rows in _ranges(self.passages, rows_at_once):
            yield begin, self.weights(begin, rows), self._part("lengths", begin, rows)

    def weights(self, begin: int, rows: int) -> csr_array:
        """Return the damped counts of these rows."""
        return damped(self._counts(begin, rows))

    def tfidf_of(self, rows: Sequence[int]) -> csr_array:
        """Return the TF-IDF of these rows, in this order."""
        starts = self._part("starts", 0, self.passages + 1)
        counts, columns = (self._part(name, 0, int(starts[-1])) for name in ("counts", "columns"))
        spans = [slice(int(starts[row]), int(starts[row + 1])) for row in rows]
        ends = np.cumsum([0, *(span.stop - span.start for span in spans)])
        data, found = (
            np.concatenate([part[:0], *(part[span] for span in spans)]) for part in (counts, columns)
        )
        return tfidf(csr_array((data, found, ends), (len(rows), FEATURES)), self.rarities)

    def tfidf_of_text(self, text: str) -> csr_array:
        """Return the TF-IDF of a text outside the collection, such as a query."""
        return tfidf(count_words([text]), self.rarities)

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(file.stat().st_size for file in self.folder.iterdir())

    @property
    def rarities(self) -> NDArray[np.float32]:
        """The inverse document frequency of each feature."""
        return self._part("rarities", 0, FEATURES)

    def rows_of(self, pids: Iterable[str]) -> dict[str, int]:
        """Return pid → row for pids that have a row; the first row if a pid has several texts."""
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
        """Return a number for the text of each row; equal texts have the same number."""
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
        """Map a part of a file. Mapped parts count as process memory only while in use."""
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
    """Write the features of (pid, text) into a new folder.

    ``made_of`` identifies the texts, and is recorded. ``progress`` gets the number of texts done and 0, then the
    number of weighted rows and of all rows. Until the manifest is written, :func:`open_features` finds nothing.
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
    """Write the counts of each text. Returns the number of texts with each feature, and of all texts."""
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
    """Write the manifest after all files are on disk."""
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
