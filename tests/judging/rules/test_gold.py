"""Proposals of gold pairs, without a database."""

from collections import Counter

import numpy as np
import pytest

from judging.rules.gold_candidates import (
    nearest_passages,
    pair_with_labeled,
    pair_with_unlabeled,
    plainly_worse,
    relevant_by_query,
)
from judging.rules.gold_choice import (
    Real,
    Texts,
    Triple,
    choose_gold,
    is_hard,
    is_hard_triple,
    lead_figures,
    lead_signs,
)
from judging.rules.pair_features import SURFACE, content_words, overlap, question_features, read_passage

NONE = Texts({}, {})


def chosen(candidates, *, real=(), texts=NONE, standing=(), wanted=10, **more):
    rng = np.random.default_rng(1)
    return choose_gold(
        candidates, real=Real(list(real)), texts=texts, standing=standing, wanted=wanted, rng=rng, **more
    )


def texts_of(question: str, *passages: str) -> Texts:
    """Return the texts of question 1 and passages 1, 2 and so on."""
    read = {number: read_passage(text) for number, text in enumerate(passages, start=1)}
    return Texts({1: question_features(question, {})}, read)


def test_a_passage_is_used_under_one_question_alone():
    found = chosen([Triple(1, 10, 30), Triple(2, 20, 30), Triple(2, 20, 31)])

    assert {(one.query_id, one.off_topic_id) for one in found} in ({(1, 30), (2, 31)}, {(2, 30), (2, 31)})
    assert len(found) == 2


def test_a_passage_of_a_real_pair_is_used_under_its_own_question_alone():
    assert chosen([Triple(1, 10, 20), Triple(2, 21, 30)], real=[(2, 20, 21)]) == [Triple(2, 21, 30)]
    shared = chosen([Triple(1, 10, 20)], real=[(2, 20, 21)], exclusive=False)
    assert shared == [Triple(1, 10, 20)]


def test_every_pair_chosen_is_the_best_one_beside_all_others():
    """Withdrawing a pair to compare it again frees its passages and question and changes nothing else."""
    rng = np.random.default_rng(4)
    passages = {
        number: read_passage(" ".join(rng.choice(["boil", "egg", "Long", "and", "9"], size=size)))
        for number, size in enumerate(rng.integers(3, 30, size=24))
    }
    texts = Texts({query: question_features("how long to boil an egg", {}) for query in range(6)}, passages)
    rows = zip(*(rng.integers(0, most, size=400).tolist() for most in (6, 24, 24)), strict=True)
    candidates = list(dict.fromkeys(Triple(*row) for row in rows if row[1] != row[2]))

    found = chosen(candidates, texts=texts, wanted=9, most_of_a_question=2)

    assert max(Counter(one.query_id for one in found).values()) <= 2
    assert len({passage for one in found for passage in one.key[1:]}) == len(
        {(one.query_id, passage) for one in found for passage in one.key[1:]}
    )
    for one in found:
        others = [other for other in found if other != one]
        assert chosen(candidates, texts=texts, wanted=1, standing=others, most_of_a_question=2) == [one]


def test_a_real_pair_does_not_serve_as_gold():
    assert chosen([Triple(1, 10, 11), Triple(1, 10, 12)], real=[(1, 11, 10)]) == [Triple(1, 10, 12)]


def test_candidates_are_chosen_once_and_never_beside_the_same_standing_pair():
    candidates = [Triple(1, 10, 30), Triple(1, 10, 30), Triple(1, 10, 31)]

    assert sorted(one.off_topic_id for one in chosen(candidates)) == [30, 31]
    assert chosen(candidates, standing=[Triple(1, 10, 30)]) == [Triple(1, 10, 31)]
    assert chosen([]) == []
    assert chosen(candidates, wanted=0) == []


def test_question_words_and_length_end_up_on_the_relevant_side_about_as_often_as_on_the_other():
    """Most candidates have them on the relevant side: taken as they come, choosing by words would pass."""
    rng = np.random.default_rng(2)
    passages = {
        number: read_passage(" ".join(rng.choice(["boil", "egg", "long", "and", "hen"], size=size)))
        for number, size in enumerate(rng.integers(3, 30, size=120), start=1)
    }
    texts = Texts({1: question_features("how long to boil an egg", {})}, passages)
    candidates = [
        Triple(1, good, bad)
        for good, bad in rng.integers(1, 121, size=(3000, 2)).tolist()
        if passages[good].length >= passages[bad].length - 2 and good != bad
    ]
    real = [(1, one, one + 60) for one in range(1, 20)]

    found = chosen(candidates, real=real, texts=texts, wanted=40)

    signs = np.sign([lead_figures(texts, one) for one in found])
    assert len(found) == 40
    assert np.abs(signs.mean(axis=0)).max() <= 0.2


def test_looks_end_up_on_the_relevant_side_about_as_often_as_on_the_other():
    """Relevant passages mostly have more digits and capitals: taken as they come, choosing these would pass."""
    rng = np.random.default_rng(3)
    words = ["Boil", "egg", "long", "and", "Hen", "9", "12", "stove"]
    passages = {
        number: read_passage(" ".join(rng.choice(words, size=12, p=weights)))
        for number, weights in enumerate(rng.dirichlet(np.ones(len(words)), size=120), start=1)
    }
    texts = Texts({1: question_features("how long to boil an egg", {})}, passages)
    capitals, digits = SURFACE.index("capital letters"), SURFACE.index("digits")

    def lead(good: int, bad: int, at: int) -> float:
        return passages[good].surface[at] - passages[bad].surface[at]

    candidates = [
        Triple(1, good, bad)
        for good, bad in rng.integers(1, 121, size=(3000, 2)).tolist()
        if good != bad and (lead(good, bad, capitals) + lead(good, bad, digits) > 0 or rng.random() < 0.2)
    ]

    found = chosen(candidates, real=[(1, one, one + 60) for one in range(1, 20)], texts=texts, wanted=40)

    signs = np.array([lead_signs(texts, one) for one in found])
    assert np.mean([lead_signs(texts, one) for one in candidates], axis=0)[[capitals, digits]].min() > 0.1
    assert np.abs(signs.mean(axis=0)).max() <= 0.2


def test_an_off_topic_passage_that_shares_the_questions_words_is_hard():
    texts = texts_of("how long to boil an egg", "Nine minutes.", "A hen lays an egg a day.", "Ships float.")

    assert is_hard_triple(texts, Triple(1, 1, 2))
    assert not is_hard_triple(texts, Triple(1, 1, 3))
    assert not is_hard(*map(content_words, ("boil large egg fast", "boil a large egg", "an egg")))
    assert not is_hard_triple(NONE, Triple(1, 1, 2))


@pytest.mark.parametrize(
    ("bad", "good", "least", "top", "is_worse"),
    [
        (0, 1, 1, 1, True),
        (0, 1, 1, 3, False),
        (0, 2, 2, 3, True),
        (1, 3, 2, 3, True),
        (2, 3, 3, 3, False),
        (1, 1, 1, 1, False),
    ],
)
def test_labels_leave_no_doubt_two_grades_apart(bad, good, least, top, is_worse):
    assert plainly_worse(bad, good, least=least, top=top) is is_worse


def test_a_passage_labeled_low_stands_against_the_relevant_ones_of_its_question():
    grades = {1: {10: 3, 11: 2, 12: 0, 13: 1}, 2: {20: 0}}
    relevant = relevant_by_query(grades, 2)

    pairs = {(one.relevant_id, one.off_topic_id): one.why for one in pair_with_labeled(grades, relevant, 2)}

    assert relevant == {1: [10, 11]}
    assert set(pairs) == {(10, 12), (11, 12), (10, 13)}
    assert pairs[10, 13] == "labeled 1 for this question (the relevant one: 3)"


def test_a_passage_that_counts_as_relevant_is_never_off_topic_however_much_better_another_is():
    grades = {1: {10: 3, 11: 1, 12: 2}, 2: {20: 3, 21: 0}}

    found = [one.key for one in pair_with_labeled(grades, relevant_by_query(grades, 1), 1)]

    assert found == [(2, 20, 21)]


def test_nearest_passages_belong_to_other_questions_and_do_not_have_every_word():
    asked = {1: question_features("boil egg long", {}), 2: question_features("hen lays egg", {})}
    texts = {
        10: "boil an egg long enough",  # may answer question 1
        11: "a hen lays an egg daily",  # may answer question 2
        12: "a hen lays twice but you boil it",  # of question 2
        13: "ships float",
    }

    found = nearest_passages(
        asked, ((key, content_words(text)) for key, text in texts.items()), np.random.default_rng(1)
    )

    near = {key: [one for one in of_query if one != 13][:1] for key, of_query in found.items()}
    assert 12 in found[1]
    assert near[2] == [10]
    assert [*pair_with_unlabeled({1: [12, 5]}, {1: [12]}, "far")] == [Triple(1, 5, 12, "far")]


def test_topic_words_lose_stop_words_and_a_plural_s():
    assert content_words("How do the Boats float?") == {"boat", "float"}
    assert overlap(content_words("boats float"), content_words("a boat")) == 0.5
    assert overlap(frozenset(), frozenset({"boat"})) == 0.0
