"""Ranking functions for the sample, each implemented directly from its paper.

A ranker takes an `Index` and the text of a query and returns one score per passage, higher being better.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import pairwise

import numpy as np
from scipy import sparse

Ranker = Callable[["Index", str], np.ndarray]

STOPWORDS = frozenset(
    word
    for line in (
        "a an and are as at be by can do does for from had has have how i in is it its of on or so that the",
        "their them they this to was we were what when which who why will with you your",
    )
    for word in line.split()
)
_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"[.:?!]\s")
_SUFFIXES = ("ingly", "edly", "ing", "ies", "ed", "es", "ly", "s")


def stem(word: str) -> str:
    """Stem a word lightly: cut one inflection from its end, but leave at least three letters."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3 and not word.endswith("ss"):
            word = word[: -len(suffix)] + ("y" if suffix == "ies" else "")
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
        word = word[:-1]
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def stems(text: str) -> list[str]:
    """Return the stems of a text's words, in lower case and without function words."""
    return [stem(word) for word in words(text) if word not in STOPWORDS]


def lead_stems(text: str) -> list[str]:
    """Return the stems of a text's first sentence."""
    return stems(_SENTENCE_END.split(text, maxsplit=1)[0])


def words(text: str) -> list[str]:
    """Return the words in lower case, with accents and without stemming."""
    return _WORD.findall(unicodedata.normalize("NFC", text).lower())


def trigrams(text: str) -> list[str]:
    """Return the character trigrams of each word, with its edges marked by a space."""
    padded = (f" {word} " for word in words(text))
    return [word[i : i + 3] for word in padded for i in range(len(word) - 2)]


class Index:
    """Term counts of all passages.

    ``counts`` is a matrix of passages × terms; ``lengths`` has the number of tokens in each passage.
    """

    def __init__(self, texts: Iterable[str], analyse: Callable[[str], list[str]] = stems) -> None:
        self.analyse = analyse
        self.tokens = [analyse(text) for text in texts]
        self.terms = sorted({token for tokens in self.tokens for token in tokens})
        self.code = {term: number for number, term in enumerate(self.terms)}
        rows = [row for row, tokens in enumerate(self.tokens) for _ in tokens]
        columns = [self.code[token] for tokens in self.tokens for token in tokens]
        shape = (len(self.tokens), len(self.terms))
        self.counts = sparse.coo_array((np.ones(len(rows)), (rows, columns)), shape=shape).tocsr()
        self.lengths = np.array([len(tokens) for tokens in self.tokens], dtype=float)
        self.passages_with = np.bincount(self.counts.tocoo().col, minlength=len(self.terms))
        self.collection_counts = np.asarray(self.counts.sum(axis=0)).ravel()

    def query(self, text: str) -> dict[int, float]:
        """Return {term's integer code: count} for the known terms of a text, sorted by code."""
        counted = Counter(self.code[token] for token in self.analyse(text) if token in self.code)
        return {term: float(counted[term]) for term in sorted(counted)}

    def column(self, term: int) -> np.ndarray:
        """Return the number of times that a term occurs in each passage."""
        return self._columns[:, [term]].toarray().ravel()

    def matching(self, text: str) -> np.ndarray:
        """Return a mask of the passages that contain any term of a text."""
        return np.asarray(self._columns[:, list(self.query(text))].sum(axis=1)).ravel() > 0

    @cached_property
    def _columns(self) -> sparse.csc_array:
        return self.counts.tocsc()

    @cached_property
    def idf(self) -> np.ndarray:
        """Inverse passage frequency of each term."""
        return np.log(len(self.lengths) / np.maximum(self.passages_with, 1))

    @cached_property
    def vectors(self) -> sparse.csr_array:
        """A matrix of passages × terms: logarithmic tf × idf, each row scaled to length one."""
        matrix = self.counts.copy()
        matrix.data = 1 + np.log(matrix.data)
        matrix = sparse.csr_array(matrix * self.idf)
        norms = np.sqrt(np.asarray((matrix * matrix).sum(axis=1)).ravel())
        return sparse.csr_array(sparse.diags_array(1 / np.maximum(norms, 1e-12)) @ matrix)

    @cached_property
    def unit_columns(self) -> sparse.csc_array:
        """The matrix of passages × terms, each column scaled to length one."""
        norms = np.sqrt(np.asarray((self._columns * self._columns).sum(axis=0)).ravel())
        return sparse.csc_array(self._columns @ sparse.diags_array(1 / norms))

    @cached_property
    def likeness_sums(self) -> np.ndarray:
        """For each term, the sum of the cosines between its column and every other term's column."""
        whole = np.asarray(self.unit_columns.sum(axis=1)).ravel()
        return np.maximum(self.unit_columns.T @ whole - 1, 1e-12)

    @cached_property
    def directions(self) -> np.ndarray:
        """Right singular vectors of ``vectors``, largest first."""
        return np.linalg.svd(self.vectors.toarray(), full_matrices=False)[2]

    def vector(self, text: str) -> np.ndarray:
        """Return a query's vector in the form of ``vectors``, not normalized."""
        vector = np.zeros(len(self.idf))
        for term, count in self.query(text).items():
            vector[term] = (1 + np.log(count)) * self.idf[term]
        return vector


def bm25(k1: float = 0.9, b: float = 0.4) -> Ranker:
    """Rank by Okapi BM25, with an idf that is never negative (Robertson and Zaragoza 2009)."""
    return lambda index, text: _bm25(index, index.query(text), k1, b)


def _bm25(index: Index, query: dict[int, float], k1: float, b: float) -> np.ndarray:
    scores = np.zeros(len(index.lengths))
    norm = k1 * (1 - b + b * index.lengths / index.lengths.mean())
    for term, weight in query.items():
        found = index.passages_with[term]
        idf = np.log(1 + (len(scores) - found + 0.5) / (found + 0.5))
        tf = index.column(term)
        scores += weight * idf * tf * (k1 + 1) / (tf + norm)
    return scores


def bm25_rm3(passages: int = 8, terms: int = 20, original: float = 0.5) -> Ranker:
    """Rank by BM25 after expanding the query with terms of the top passages (Abdul-Jaleel et al. 2004).

    The expansion is relevance model 3 (RM3).
    """

    def rank(index: Index, text: str) -> np.ndarray:
        query = index.query(text)
        first = _bm25(index, query, 0.9, 0.4)
        top = np.argsort(-first, kind="stable")[:passages]
        weights = first[top] / max(first[top].sum(), 1e-12)
        model = (weights / np.maximum(index.lengths[top], 1)) @ index.counts[top].toarray()
        chosen = np.argsort(-model, kind="stable")[:terms]
        expanded = {term: original * count / sum(query.values()) for term, count in query.items()}
        for term in chosen.tolist():
            share = (1 - original) * model[term] / model[chosen].sum()
            expanded[term] = expanded.get(term, 0.0) + share
        return _bm25(index, {term: expanded[term] for term in sorted(expanded)}, 0.9, 0.4)

    return rank


def tfidf_cosine(index: Index, text: str) -> np.ndarray:
    """Rank by the cosine of logarithmic tf × idf vectors (Salton and Buckley 1988, "ltc.ltc")."""
    query = index.vector(text)
    return index.vectors @ (query / max(np.linalg.norm(query), 1e-12))


def lm_dirichlet(mu: float = 60.0) -> Ranker:
    """Rank by query likelihood with Dirichlet smoothing (Zhai and Lafferty 2004).

    ``mu`` is near the passages' length.
    """

    def rank(index: Index, text: str) -> np.ndarray:
        query, total = index.query(text), index.collection_counts.sum()
        scores = sum(query.values()) * np.log(mu / (index.lengths + mu))
        for term, weight in query.items():
            expected = mu * index.collection_counts[term] / total
            scores += weight * np.log1p(index.column(term) / expected)
        return scores

    return rank


def lm_translation(own: float = 0.5, mixture: float = 0.3) -> Ranker:
    """Rank by query likelihood, where a passage's words also count for words that often occur with them.

    The statistical translation model of Berger and Lafferty (1999). A word translates into itself with probability
    ``own``, otherwise into words that occur in similar passages, by cosine (after Karimzadehgan and Zhai 2010).
    """

    def rank(index: Index, text: str) -> np.ndarray:
        scores, total = np.zeros(len(index.lengths)), index.collection_counts.sum()
        for term, weight in index.query(text).items():
            likeness = index.unit_columns.T @ index.unit_columns[:, [term]].toarray().ravel()
            likeness[term] = 0.0
            into = (1 - own) * likeness / index.likeness_sums
            into[term] = own
            likelihood = (1 - mixture) * (index.counts @ into) / np.maximum(index.lengths, 1)
            scores += weight * np.log1p(likelihood / (mixture * index.collection_counts[term] / total))
        return scores

    return rank


def lm_neighbours(neighbours: int = 10, own: float = 0.5, mu: float = 60.0) -> Ranker:
    """Rank by Dirichlet query likelihood, with passages expanded by their nearest neighbors.

    After Tao et al. (2006).
    """

    def rank(index: Index, text: str) -> np.ndarray:
        likeness = (index.vectors @ index.vectors.T).toarray()
        np.fill_diagonal(likeness, 0.0)
        kept = np.sort(likeness, axis=1)[:, [-neighbours]]
        likeness[likeness < kept] = 0.0
        likeness /= np.maximum(likeness.sum(axis=1, keepdims=True), 1e-12)
        query, total = index.query(text), index.collection_counts.sum()
        scores = np.zeros(len(index.lengths))
        for term, weight in query.items():
            share = index.column(term) / np.maximum(index.lengths, 1)
            expanded = index.lengths * (own * share + (1 - own) * (likeness @ share))
            scores += weight * np.log1p(expanded / (mu * index.collection_counts[term] / total))
        return scores + sum(query.values()) * np.log(mu / (index.lengths + mu))

    return rank


def lsa(dimensions: int = 40) -> Ranker:
    """Rank by latent semantic analysis (Deerwester et al. 1990).

    The score is the cosine in the space of the largest singular vectors.
    """

    def rank(index: Index, text: str) -> np.ndarray:
        basis = index.directions[:dimensions].T
        passages, wanted = index.vectors @ basis, index.vector(text) @ basis
        norms = np.linalg.norm(passages, axis=1) * np.linalg.norm(wanted)
        return passages @ wanted / np.maximum(norms, 1e-12)

    return rank


def proximity(window: int = 8) -> Ranker:
    """Rank by sequential dependence with BM25's weights (after Metzler and Croft 2005).

    Neighboring query terms count again where they stand side by side in order (weight 0.2) or both within ``window``
    tokens (weight 0.3).
    """

    def rank(index: Index, text: str) -> np.ndarray:
        scores = 0.5 * _bm25(index, index.query(text), 0.9, 0.4)
        asked = [token for token in index.analyse(text) if token in index.code]
        for left, right in pairwise(asked):
            for width, weight in ((1, 0.2), (window, 0.3)):
                near = np.array([_near(tokens, left, right, width) for tokens in index.tokens], dtype=float)
                found = np.count_nonzero(near)
                idf = np.log(1 + (len(near) - found + 0.5) / (found + 0.5))
                scores += weight * idf * near / (near + 0.9)
        return scores

    return rank


def _near(tokens: list[str], left: str, right: str, width: int) -> int:
    """Count how often the two terms occur near each other: adjacent in order if ``width`` is 1, else in any order."""
    where = {side: [i for i, token in enumerate(tokens) if token == side] for side in (left, right)}
    apart = [j - i for i in where[left] for j in where[right]]
    return sum(gap == 1 if width == 1 else 0 < abs(gap) <= width for gap in apart)


def reciprocal_rank_fusion(rankers: Iterable[Ranker], k: int = 60) -> Ranker:
    """Rank by the sum of 1 / (k + rank) over several rankers (Cormack, Clarke and Büttcher 2009)."""
    members = list(rankers)

    def rank(index: Index, text: str) -> np.ndarray:
        fused = np.zeros(len(index.lengths))
        for member in members:
            order = np.argsort(-member(index, text).round(9), kind="stable")
            fused[order] += 1 / (k + np.arange(1, len(order) + 1))
        return fused

    return rank
