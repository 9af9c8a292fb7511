"""Near-duplicate texts: shingles, signatures and classes, and cluster files."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pooling.errors import EmptyFile, InvalidClusterFile
from pooling.files.cluster_files import read_clusters
from pooling.files.formats import Content
from pooling.rules.near_duplicates import Likeness, by_pid, group_near_duplicates, shingles

WORDS = np.array([f"word{number}" for number in range(5000)])


def classes_of(texts, likeness=None):
    return group_near_duplicates(texts, likeness or Likeness()).canonical


def text(seed, length=60):
    return list(np.random.default_rng(seed).choice(WORDS, length))


def change_words(words, places):
    return [f"other{place}" if place in places else word for place, word in enumerate(words)]


def jaccard(one, two, size=3):
    first, second = set(shingles(" ".join(one), size)), set(shingles(" ".join(two), size))
    return len(first & second) / len(first | second)


def test_shingles_are_runs_of_words_without_case_and_punctuation():
    assert shingles("The cat, the Cat sat!", 3) == ["the cat the", "cat the cat", "the cat sat"]
    assert shingles("Short one", 3) == ["short one"]
    assert shingles(" … ", 3) == []
    assert shingles("東京 is", 2) == ["東 京", "京 is"]


def test_equal_and_slightly_changed_texts_are_one_class_with_the_smallest_pid_as_canonical():
    one, two = text(1), text(2)
    near, far = change_words(one, {10}), change_words(one, {5, 15, 25, 35, 45, 55})
    assert jaccard(one, near) > 0.85
    assert jaccard(one, far) < 0.6
    texts = [("b", one), ("a", near), ("c", two), ("d", two), ("e", far), ("f", text(3))]

    found = classes_of((pid, " ".join(words)) for pid, words in texts)

    assert found == {"a": "a", "b": "a", "c": "c", "d": "c"}


def test_the_threshold_decides():
    one = text(4)
    near = change_words(one, {10, 30})
    assert 0.75 < jaccard(one, near) < 0.95
    texts = [("1", " ".join(one)), ("2", " ".join(near))]

    assert classes_of(texts, Likeness(threshold=0.6)) == {"1": "1", "2": "1"}
    assert classes_of(texts, Likeness(threshold=0.97)) == {}


def test_numeric_pids_are_ordered_by_value():
    assert sorted(["10", "9", "a", "B"], key=by_pid) == ["9", "10", "B", "a"]
    assert classes_of([("10", "one and the same text"), ("9", "one and the same text")]) == {
        "10": "9",
        "9": "9",
    }


def test_texts_without_words_are_in_no_class():
    assert classes_of([("1", "…"), ("2", "…"), ("3", "")]) == {}


def test_signatures_lie_in_the_folder_and_nothing_of_them_stays(tmp_path, monkeypatch):
    monkeypatch.setattr("pooling.rules.near_duplicates.TEXTS_AT_ONCE", 2)
    on_disk, shown = [], []

    def look(done):
        shown.append(done)
        on_disk.append(list(tmp_path.iterdir()))

    found = group_near_duplicates(
        [(str(number), "one and the same text") for number in range(5)],
        Likeness(),
        folder=tmp_path,
        shown=look,
    )

    assert (set(found.canonical.values()), found.texts, shown) == ({"0"}, 5, [2, 4, 5])
    assert on_disk == [[], [], []], "a killed process leaves nothing"


@settings(max_examples=20, deadline=None)
@given(st.permutations(range(12)))
def test_the_order_of_the_texts_does_not_matter(order):
    base = [text(seed) for seed in range(4)]
    texts = [
        (f"p{place}", " ".join(change_words(base[place % 4], {place} if place > 3 else ())))
        for place in range(12)
    ]

    assert classes_of([texts[place] for place in order]) == classes_of(texts)


def test_bands_are_as_long_as_the_threshold_allows():
    for threshold in (0.5, 0.7, 0.8, 0.9, 0.95):
        rows = Likeness(threshold=threshold).rows
        assert 1 - (1 - threshold**rows) ** (128 // rows) >= 0.9
        assert rows == 32 or 1 - (1 - threshold ** (2 * rows)) ** (128 // (2 * rows)) < 0.9


def read(write, content):
    return read_clusters(Content(write("clusters.txt", content), "clusters.txt", 10**6))


def test_a_cluster_file_has_a_class_and_a_passage_on_each_line(write):
    found = read(write, "c1\tp3\nc1\tp2\n\nc2 p9\nc3\tp10\nc3\tp11\n")

    assert found == {"p2": "p2", "p3": "p2", "p10": "p10", "p11": "p10"}


def test_the_output_of_dedupe_names_classes_by_their_first_passage(write):
    lines = "p7 p7 Steps of a waltz\np7 p2 Steps of a waltz\np5 p5 Tea\n"

    assert read(write, lines) == {"p7": "p7", "p2": "p7"}


@pytest.mark.parametrize(
    ("content", "error", "said"),
    [
        ("", EmptyFile, "no class"),
        ("c1 p1\nlonely\n", InvalidClusterFile, "line 2"),
        ("c1 p1\nc2 p1\n", InvalidClusterFile, "line 2: passage p1 is in class 'c1'"),
    ],
)
def test_bad_cluster_files_are_refused_with_their_line(write, content, error, said):
    with pytest.raises(error, match=said):
        read(write, content)
