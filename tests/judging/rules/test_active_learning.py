"""Learning from judged passages and ranking all: the same whatever the threads, exact, ties in order."""

import os
import subprocess
import sys
from itertools import islice

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression

from judging.rules.active_learning import (
    best_rows,
    growing_batches,
    learn,
    presumed_among,
    random_rows,
    ranked_rows,
)
from pooling.files import feature_files
from pooling.files.feature_files import write_features
from pooling.rules.text_features import FEATURES

WORDS = [f"word{number}" for number in range(50)]


@pytest.fixture(scope="module")
def features(tmp_path_factory):
    """500 passages of 1 to 12 words; every tenth repeats the text of the first."""
    rng = np.random.default_rng(5)
    texts = [" ".join(rng.choice(WORDS, rng.integers(1, 13))) for _ in range(500)]
    texts[::10] = [texts[0]] * 50
    made = tmp_path_factory.mktemp("features") / "made"
    return write_features(made, ((f"p{number}", text) for number, text in enumerate(texts)), {})


@pytest.fixture
def weights(features):
    return learn(features.tfidf_of([1, 2, 3]), features.tfidf_of(range(20, 60)), features.rarities)


def scores(features, weights):
    """Score every row without optimizations."""
    return features.tfidf_of(range(features.passages)) @ (weights.astype(np.float64) / features.rarities)


def test_the_model_is_scikit_learns(features, weights):
    relevant, other = features.tfidf_of([1, 2, 3]), features.tfidf_of(range(20, 60))
    examples = np.concatenate([relevant.toarray(), other.toarray()])
    used = np.flatnonzero(examples.any(axis=0))
    model = LogisticRegression(max_iter=1000).fit(examples[:, used], [1] * 3 + [0] * 40)

    assert np.allclose(weights[used] / features.rarities[used], model.coef_[0], atol=1e-4)
    assert np.count_nonzero(weights) == len(used)


def test_ranking_orders_by_score_and_then_by_row(features, weights):
    expected = scores(features, weights)

    rows = list(ranked_rows(features, weights, 7))

    assert sorted(rows) == list(range(500))
    assert np.allclose(np.sort(expected)[::-1], expected[rows], atol=1e-5)
    assert [row for row in rows if row % 10 == 0] == list(range(0, 500, 10))


@pytest.mark.parametrize("rows_at_once", [1, 7, 499, 1000])
def test_blocks_do_not_change_the_ranking(features, weights, monkeypatch, rows_at_once):
    whole = best_rows(features, weights, 30).tolist()

    monkeypatch.setattr(feature_files.Features.blocks, "__defaults__", (rows_at_once,))
    shown = []

    assert best_rows(features, weights, 30, lambda *said: shown.append(said)).tolist() == whole
    assert shown[-1] == (500, 500)
    assert len(shown) == -(-500 // rows_at_once)


def test_few_rows_are_ranked_when_few_are_asked_for(features, weights, monkeypatch):
    asked = []
    monkeypatch.setattr(
        "judging.rules.active_learning.best_rows",
        lambda found, given, most, shown: asked.append(most) or best_rows(found, given, most, shown),
    )

    first = list(islice(ranked_rows(features, weights, 5), 5))

    assert asked == [5]
    assert first == best_rows(features, weights, 5).tolist()


@pytest.mark.parametrize("seed", [1, 2])
def test_drawing_gives_each_row_once(features, seed):
    rows = list(random_rows(features, np.random.default_rng(seed)))

    assert sorted(rows) == list(range(500))
    assert rows == list(random_rows(features, np.random.default_rng(seed)))
    assert rows[:50] != sorted(rows[:50])


def test_a_small_collection_has_few_presumed_passages():
    assert [presumed_among(count) for count in (0, 1, 120, 399, 400, 10_000_000)] == [0, 1, 30, 100, 100, 100]


def test_batches_grow_and_hold_all_rows():
    assert list(growing_batches(range(8), 2)) == [[0, 1], [2, 3, 4, 5], [6, 7]]


def test_the_number_of_threads_changes_no_weight():
    words = (
        "import hashlib, numpy as np; from scipy.sparse import random_array;"
        "from judging.rules.active_learning import learn;"
        "rng = np.random.default_rng(1);"
        f"a, b = (random_array((rows, {FEATURES}), density=5e-4, format='csr', rng=rng) for rows in (150, 250));"
        f"print(hashlib.sha256(learn(a, b, np.ones({FEATURES}, np.float32)).tobytes()).hexdigest())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", words],
            env=os.environ | {"OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2", "4")
    }

    assert len(found) == 1


def test_features_without_an_example_have_no_weight():
    one = csr_array(([1.0], [3], [0, 1]), (1, FEATURES))
    two = csr_array(([1.0], [5], [0, 1]), (1, FEATURES))

    weights = learn(one, two, np.ones(FEATURES, np.float32))

    assert np.flatnonzero(weights).tolist() == [3, 5]
    assert weights[3] == -weights[5] > 0
