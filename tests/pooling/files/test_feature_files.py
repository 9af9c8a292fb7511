"""Features of texts: the weights of scikit-learn, stored in files, found again by pid and by row."""

import json
from collections import Counter

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import TfidfTransformer

from pooling.files.feature_files import open_features, write_features
from pooling.rules.passage_text import tokenize
from pooling.rules.text_features import FEATURES, count_words

TEXTS = [
    ("p1", "The heart pumps blood, and the heart rests between beats."),
    ("p2", "A kite needs wind."),
    ("p3", "the  heart pumps blood, and the heart rests between beats."),
    ("p4", "…"),
    ("p5", "風がない日は凧が揚がらない"),
    ("p2", "Another text under the same pid."),
    ("“p6”", 'A pid with typographic marks and a "quote".'),
]
MADE_OF = {"sources": ["abc"]}


@pytest.fixture
def features(tmp_path):
    return write_features(tmp_path / "made", TEXTS, MADE_OF)


def test_counts_are_those_of_the_words(features):
    counts = count_words([text for _, text in TEXTS])

    assert counts.shape == (7, FEATURES)
    assert counts.sum(axis=1).tolist() == [len(tokenize(text)) for _, text in TEXTS]
    assert sorted(counts[[0]].data) == sorted(Counter(tokenize(TEXTS[0][1])).values())


def test_a_very_frequent_word_counts_255_times():
    assert count_words(["no " * 1000]).data.tolist() == [255]


def test_weights_are_those_of_scikit_learn(features):
    counts = count_words([text for _, text in TEXTS]).astype(np.float64)
    expected = TfidfTransformer(sublinear_tf=True).fit_transform(counts)

    found = features.tfidf_of(range(7))

    assert abs(csr_array(expected) - found).max() < 1e-6
    assert abs(features.tfidf_of_text(TEXTS[0][1]) - found[[0]]).max() == 0


def test_blocks_give_the_same_weights_whatever_their_size(features):
    whole = features.tfidf_of(range(7))
    for size in (1, 3, 100):
        rows = [
            tfidf_row
            for begin, counts, lengths in features.blocks(size)
            for tfidf_row in (counts.multiply(features.rarities) / lengths[:, None]).toarray()
        ]
        assert np.allclose(rows, whole.toarray(), atol=1e-6)


def test_rows_and_pids_find_each_other(features):
    assert features.rows_of(["p5", "p2", "nowhere", "“p6”"]) == {"p2": 1, "p5": 4, "“p6”": 6}
    assert features.rows_of([]) == {}
    assert features.pids_of([6, 0, 5, 0]) == ["“p6”", "p1", "p2", "p1"]


def test_equal_texts_have_the_same_key(features):
    keys = features.text_keys(range(7))

    # p1 and p3 differ in the case of a letter.
    assert len(set(keys)) == 7
    assert features.text_keys([1]) == write_again(features, [("x", "A  kite needs wind.")])


def write_again(features, texts):
    return write_features(features.folder.parent / "again", texts, MADE_OF).text_keys([0])


def test_features_are_opened_only_whole_and_of_the_same_texts(features):
    assert open_features(features.folder, MADE_OF) == features
    assert open_features(features.folder, {"sources": ["abd"]}) is None
    assert open_features(features.folder / "none", MADE_OF) is None

    with (features.folder / "columns").open("ab") as file:
        file.write(b"1234")
    assert open_features(features.folder, MADE_OF) is None


def test_a_damaged_manifest_is_no_manifest(features):
    manifest = features.folder / "manifest.json"
    whole = json.loads(manifest.read_text())
    for damage in ("", "[]", "{}", json.dumps(whole | {"sizes": {"missing": 1}})):
        manifest.write_text(damage)

        assert open_features(features.folder, MADE_OF) is None


def test_no_texts_make_no_rows(tmp_path):
    empty = write_features(tmp_path / "made", [], MADE_OF)

    assert (empty.passages, list(empty.blocks()), empty.rows_of(["p1"])) == (0, [], {})
