"""Continuous active learning: which passages come next, the same every time, by thread and fraction."""

from itertools import combinations

import pytest

from judging.grading.next_passages import next_passages
from pooling.intake import collections
from pooling.passages import clusters
from pooling.rules.fractions import Fraction

TOPICS = ["heart blood vein pulse", "kite wind string tail", "bread flour yeast oven"]


def texts():
    """Passages t0-0 … t2-39: each has two words of its topic, and three words that all topics share."""
    shared = list(combinations(["some", "of", "the", "usual", "words", "are", "here"], 3))
    for topic, vocabulary in enumerate(TOPICS):
        known = vocabulary.split()
        for number in range(40):
            own = f"{known[number % 4]} {known[(number // 4) % 4]}"
            yield f"t{topic}-{number}", " ".join([own, *shared[number % len(shared)], "item" * (number > 34)])


@pytest.fixture
def collection(db, tmp_path):
    passages = tmp_path / "passages.tsv"
    passages.write_text("".join(f"{pid}\t{text}\n" for pid, text in texts()))
    queries = tmp_path / "queries.tsv"
    queries.write_text("1\theart\n")
    return collections.import_collection(name="topics", queries=queries, passage_files=[passages]).collection


def upcoming(collection, judged=None, query="heart", count=10, seed=1, **options):
    return next_passages(collection, query, judged or {}, 1, count, seed, **options)


def test_the_question_alone_finds_passages_of_its_topic(collection):
    found = upcoming(collection, count=5)

    assert {pid[:2] for pid in found} == {"t0"}


def test_judgments_find_what_the_question_does_not_say(collection):
    """'pulse' is in no question, and the judged passage that has it was relevant."""
    judged = {"t0-15": 1, "t1-0": 0, "t2-0": 0}  # pulse pulse
    only_pulse = {pid for pid, text in texts() if "pulse" in text and "heart" not in text} - set(judged)

    found = [pid for pid in upcoming(collection, judged, count=120) if "heart" not in dict(texts())[pid]]
    before = [pid for pid in upcoming(collection, count=120) if "heart" not in dict(texts())[pid]]

    assert len(set(found[: len(only_pulse)]) & only_pulse) >= 7
    assert len(set(before[: len(only_pulse)]) & only_pulse) < 5


def test_grades_below_the_least_relevant_one_count_against_a_passage(collection):
    judged = {"t0-15": 1, "t1-5": 2}

    found = next_passages(collection, "words", judged, 2, 5, 1)

    assert {pid[:2] for pid in found} == {"t1"}


def test_the_same_arguments_give_the_same_passages(collection):
    judged = {"t0-15": 1, "t1-0": 0, "t2-3": 0}

    first = upcoming(collection, judged, count=120)

    assert upcoming(collection, dict(reversed(judged.items())), count=120) == first
    assert upcoming(collection, judged, count=120, seed=2) != first
    assert len(first) == len(set(first)) == 117


def test_nothing_known_comes_again(collection):
    judged, others = {"t0-0": 1}, {"t0-1": 1, "t1-9": 0, "elsewhere": 1}

    found = upcoming(collection, judged, others=others, count=200)

    assert set(found) == {pid for pid, _ in texts()} - {*judged, *others}


def test_a_fraction_thread_asks_only_about_its_fraction(collection):
    fraction = Fraction(3, 5)
    inside = {pid for pid, _ in texts() if fraction.holds(pid)}

    found = upcoming(collection, {"t0-0": 1}, fraction=fraction, count=200)

    assert set(found) == inside - {"t0-0"}


def test_threads_learn_from_their_own_judgments_or_from_all(collection):
    others = {pid: 1 for pid, _ in texts() if pid.startswith("t1") and int(pid[3:]) < 10}
    known = {"t0-0": 1, "t2-0": 0}

    own = upcoming(collection, known, count=10)
    both = upcoming(collection, known, others=others, count=10)

    assert not any(pid.startswith("t1") for pid in own)
    assert sum(pid.startswith("t1") for pid in both) > 5


def test_a_fraction_thread_does_not_learn_from_judgments_outside(collection):
    fraction = Fraction(2, 3)
    outside = {pid: 1 for pid, _ in texts() if pid.startswith("t1") and not fraction.holds(pid)}
    assert outside

    found = upcoming(collection, outside, fraction=fraction, count=8)

    assert found == upcoming(collection, others=outside, fraction=fraction, count=8)


def test_one_passage_of_a_class_of_near_duplicates_comes(collection, tmp_path):
    file = tmp_path / "clusters.txt"
    file.write_text(
        "t0-4 t0-4\nt0-4 t0-5\nt0-4 t0-6\nt1-0 t1-0\nt1-0 t1-1\nelsewhere elsewhere\nelsewhere t0-7\n"
    )
    clusters.store_classes(collection, clusters.classes_in_file(file))

    found = upcoming(collection, {"t1-1": 0}, count=200)

    assert {"t0-4", "t0-5", "t0-6"} & set(found) == {"t0-4"}
    assert "t1-0" not in found, "its class was judged"
    assert "t0-7" in found, "its canonical passage has no text here"
    assert len(found) == 120 - 2 - 2


def test_one_passage_of_equal_texts_comes(db, tmp_path):
    (tmp_path / "p.tsv").write_text("a\tthe heart\nb\tthe  heart\nc\theart beat\nd\tthe heart\ne\twind\n")
    (tmp_path / "q.tsv").write_text("1\theart\n")
    made = collections.import_collection(
        name="equal", queries=tmp_path / "q.tsv", passage_files=[tmp_path / "p.tsv"]
    ).collection

    assert sorted(upcoming(made)) == ["a", "c", "e"]
    assert sorted(upcoming(made, {"d": 1})) == ["c", "e"]
    assert upcoming(made, {"a": 1, "c": 1, "e": 1}) == []


def test_judgments_of_passages_without_text_teach_nothing(collection):
    assert upcoming(collection, {"gone": 1}) == upcoming(collection)


def test_progress_is_shown(collection):
    said = []

    upcoming(collection, progress=lambda done, total, message="": said.append((done, total, message)))

    assert said[-1] == (120, 120, "Ranking passages")
