"""Features of texts for continuous active learning: hashed words, weighted by TF-IDF.

The weights are those of scikit-learn's ``TfidfTransformer(sublinear_tf=True)``: (1 + ln tf) · (1 + ln((1 + n) / (1 +
df))), scaled so that each text's vector has length 1. Counts of one byte are stored instead of weights, so that one
pass over the texts is enough. A count takes 5 bytes, including the number of its feature.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from pooling.rules.passage_text import normalized, tokenize

FEATURES = 2**20
"""Words with equal hashes share a feature. Of 140,000 different words, about one in eight does."""
MOST = 255
"""The highest count of a feature in a text. Higher counts are lowered to it."""


def count_words(texts: Sequence[str]) -> csr_array:
    """Return how often each feature occurs in each text, capped at ``MOST``; uint8, one row per text."""
    counts = csr_array(_vectorizer().transform(texts))
    counts.sort_indices()
    clipped = np.minimum(counts.data, MOST).astype(np.uint8)
    return csr_array((clipped, counts.indices, counts.indptr), counts.shape)


@cache
def _vectorizer() -> Any:
    # Importing scikit-learn takes a second, and few processes need it, so it is imported here.
    from sklearn.feature_extraction.text import HashingVectorizer

    return HashingVectorizer(n_features=FEATURES, norm=None, alternate_sign=False, analyzer=_words_of)


def _words_of(text: str) -> list[str]:
    return tokenize(normalized(text))


def damped(counts: csr_array) -> csr_array:
    """Return 1 + ln of the counts; float32."""
    return csr_array((_DAMPED[counts.data], counts.indices, counts.indptr), counts.shape)


_DAMPED = np.concatenate(([0], 1 + np.log(np.arange(1, MOST + 1)))).astype(np.float32)


def rarity(frequencies: NDArray[np.int64], texts: int) -> NDArray[np.float32]:
    """Return the inverse document frequency of each feature, from the number of texts that have it."""
    return (1 + np.log((1 + texts) / (1 + frequencies))).astype(np.float32)


def lengths(weights: csr_array, rarities: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the length of each row's TF-IDF vector, given :func:`damped` counts; 1 for a text without words."""
    squared = csr_array((weights.data**2, weights.indices, weights.indptr), weights.shape)
    found = np.sqrt(squared @ rarities**2)
    return np.where(found > 0, found, 1).astype(np.float32)


def tfidf(counts: csr_array, rarities: NDArray[np.float32]) -> csr_array:
    """Return the TF-IDF vectors of rows of counts, each of length 1; float32."""
    weights = damped(counts)
    rows = np.repeat(lengths(weights, rarities), np.diff(weights.indptr))
    return csr_array(
        (weights.data * rarities[weights.indices] / rows, weights.indices, weights.indptr), weights.shape
    )
