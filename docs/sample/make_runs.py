"""Create the sample's runs: rank the sample's passages for its queries with real ranking functions.

    python docs/sample/make_runs.py [--out FOLDER]

The same inputs give the same lines everywhere, and the same bytes with the same zlib.
"""

from __future__ import annotations

import argparse
import gzip
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import rankers

HERE = Path(__file__).resolve().parent
DEPTH = 50


@dataclass(frozen=True)
class Recipe:
    """The recipe of a run: its ranker, the kind of tokens, extra keywords, and the file format."""

    rank: rankers.Ranker
    analyse: str = "stems"
    keywords: int = 0  # how many words of keywords.tsv are added to the query
    form: str = "trec"
    folder: str = "runs"
    only_matching: bool = True  # leave out passages without a word of the query, as an inverted index does


RECIPES = {
    "bm25": Recipe(rankers.bm25()),
    "bm25_unstemmed": Recipe(rankers.bm25(k1=1.6, b=0.9), analyse="words"),
    "bm25_lead": Recipe(rankers.bm25(), analyse="lead_stems"),
    "bm25_rm3": Recipe(rankers.bm25_rm3(), only_matching=False),
    "bm25_keywords": Recipe(rankers.bm25(), keywords=3),
    "lm_translation": Recipe(rankers.lm_translation(), only_matching=False),
    "lm_neighbours": Recipe(rankers.lm_neighbours(), only_matching=False),
    "lsa": Recipe(rankers.lsa(), form="msmarco", only_matching=False),
    "lsa_keywords": Recipe(rankers.lsa(), keywords=4, only_matching=False),
    "char_trigrams": Recipe(rankers.tfidf_cosine, analyse="trigrams", form="msmarco"),
    "proximity": Recipe(rankers.proximity(), folder="later"),
    "rewritten": Recipe(
        rankers.reciprocal_rank_fusion([rankers.bm25(), rankers.lm_dirichlet()]), keywords=99, folder="later"
    ),
}


def read_tsv(path: Path) -> dict[str, str]:
    """Return the two columns of a TSV file as {first: second}, in file order."""
    lines = path.read_text(encoding="utf-8").split("\n")
    return dict(line.split("\t", 1) for line in lines if line)


def ranking(scores: np.ndarray, pids: list[str], wanted: np.ndarray) -> list[tuple[str, float]]:
    """Return the best `DEPTH` of the ``wanted`` passages, with their scores.

    Scores are rounded as in the file before they are compared, so that order and file agree. Ties are ordered by pid,
    descending, as in trec_eval.
    """
    rounded = scores.round(5)
    order = sorted(np.flatnonzero(wanted).tolist(), key=lambda i: (rounded[i], pids[i]), reverse=True)
    return [(pids[i], float(rounded[i])) for i in order[:DEPTH]]


def lines_of(tag: str, recipe: Recipe, index: rankers.Index, pids: list[str], folder: Path) -> Iterator[str]:
    """Return the lines of one run file."""
    keywords = read_tsv(folder / "keywords.tsv")
    for qid, question in read_tsv(folder / "queries.tsv").items():
        text = " ".join([question, *keywords[qid].split()[: recipe.keywords]])
        wanted = index.matching(text) if recipe.only_matching else np.ones(len(pids), dtype=bool)
        ranked = ranking(recipe.rank(index, text), pids, wanted)
        for place, (pid, score) in enumerate(ranked, 1):
            if recipe.form == "msmarco":
                yield f"{qid}\t{pid}\t{place}\n"
            else:
                yield f"{qid} Q0 {pid} {place} {score:.5f} {tag}\n"


def compressed(text: str) -> bytes:
    """Compress with gzip, without time or file name, so that the same text gives the same bytes."""
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, compresslevel=9, mtime=0) as stream:
        stream.write(text.encode())
    return packed.getvalue()


def make_runs(out: Path, folder: Path = HERE) -> list[Path]:
    """Write every run below ``out`` (``runs/`` and ``later/``) and return the paths."""
    passages = read_tsv(folder / "passages.tsv")
    indexes = {
        name: rankers.Index(passages.values(), getattr(rankers, name))
        for name in sorted({recipe.analyse for recipe in RECIPES.values()})
    }
    written = []
    for tag, recipe in RECIPES.items():
        path = out / recipe.folder / f"{tag}.txt.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(lines_of(tag, recipe, indexes[recipe.analyse], list(passages), folder))
        path.write_bytes(compressed(text))
        written.append(path)
    return written


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--out", type=Path, default=HERE, help="folder for runs/ and later/ (default: here)")
    make_runs(parser.parse_args().out)
