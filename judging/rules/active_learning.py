"""Continuous active learning: learn from the judged passages of a topic, and rank every passage of the collection.

The method is that of Cormack and Grossman, *Autonomy and reliability of continuous active learning for
technology-assisted review* (2015). The question itself is a relevant example, and 100 randomly drawn passages are
presumed not relevant. The model is logistic regression on TF-IDF, as in the TREC 2022 Deep Learning track.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack
from threadpoolctl import threadpool_limits

from pooling.files.feature_files import Features

PRESUMED = 100
"""Number of randomly drawn passages presumed not relevant; in a small collection, at most a quarter of it."""

Shown = Callable[[int, int], None]


def presumed_among(passages: int) -> int:
    """Return how many passages to presume not relevant in a collection of this size: a quarter, at most PRESUMED."""
    return min(PRESUMED, -(-passages // 4))


def learn(relevant: csr_array, other: csr_array, rarities: NDArray[np.float32]) -> NDArray[np.float32]:
    """Fit the model to TF-IDF rows of relevant and other passages; return a weight for each feature.

    The weights include the IDF factors (``rarities``), so they can be applied to damped counts without IDF. The
    result does not depend on the number of threads. The regularization is scikit-learn's default.
    """
    # scikit-learn takes a second to import, and few processes need it.
    from sklearn.linear_model import LogisticRegression

    examples = csr_array(vstack([relevant, other], format="csr"), dtype=np.float64)
    used, columns = np.unique(examples.indices, return_inverse=True)
    dense = csr_array((examples.data, columns, examples.indptr), (examples.shape[0], len(used)))
    labels = np.repeat([1, 0], [relevant.shape[0], other.shape[0]])
    weights = np.zeros(len(rarities), np.float32)
    with threadpool_limits(limits=1):
        model = LogisticRegression(max_iter=1000).fit(dense, labels)
    weights[used] = model.coef_[0] * rarities[used]
    return weights


def best_rows(
    features: Features, weights: NDArray[np.float32], most: int, shown: Shown | None = None
) -> NDArray[np.int64]:
    """Return the numbers of the ``most`` passages with the highest scores, best first; ties are in row order.

    Passages are scored in blocks and only the best are kept, so memory use does not grow with their number. ``shown``
    is called with the numbers of passages scored and of all passages.
    """
    rows, scores = np.zeros(0, np.int64), np.zeros(0, np.float32)
    for begin, counts, lengths in features.blocks():
        found = (counts @ weights) / lengths
        full = len(scores) == most
        better = np.flatnonzero(found > scores[-1]) if full else np.arange(len(found))
        rows = np.concatenate([rows, better + begin])
        scores = np.concatenate([scores, found[better]])
        order = np.argsort(-scores, kind="stable")[:most]
        rows, scores = rows[order], scores[order]
        if shown:
            shown(begin + len(found), features.passages)
    return rows


def ranked_rows(
    features: Features, weights: NDArray[np.float32], first: int, shown: Shown | None = None
) -> Iterator[int]:
    """Yield the numbers of all passages, best first.

    At first, only the best ``first`` passages are ranked. More are ranked only when the caller requests them.
    """
    done, most = 0, first
    while done < features.passages:
        rows = best_rows(features, weights, min(most, features.passages), shown)
        yield from rows[done:].tolist()
        done, most = len(rows), most * 8


def random_rows(features: Features, rng: np.random.Generator) -> Iterator[int]:
    """Yield the numbers of all passages in a random order. Taking only a few is cheap."""
    seen: set[int] = set()
    size = PRESUMED * 4
    while len(seen) < features.passages // 2:
        some = rng.integers(features.passages, size=size).tolist()
        new = [row for row in dict.fromkeys(some) if row not in seen]
        seen.update(new)
        yield from new
    left = np.setdiff1d(np.arange(features.passages), np.fromiter(seen, np.int64, len(seen)))
    yield from rng.permutation(left).tolist()


def growing_batches(rows: Iterable[int], size: int) -> Iterator[Sequence[int]]:
    """Yield the rows in lists: the first has ``size`` rows, and each further list twice as many.

    Looking up many rows costs little more than looking up a few, and the best rows may all be judged already.
    """
    waiting = iter(rows)
    while some := list(islice(waiting, size)):
        yield some
        size *= 2
