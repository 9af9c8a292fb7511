"""The gold pairs that a worker is shown, without a database."""

import numpy as np
from hypothesis import given, strategies as st

from judging.rules.gold_draw import Gold, Memory, Shown, draw, enough_fit

RNG = np.random.default_rng(1)
THINGS = st.integers(1, 8)
GOLD = st.lists(st.tuples(THINGS, st.integers(10, 20), st.integers(20, 30)), max_size=12)
SHOWN = st.lists(st.builds(Shown, THINGS, st.integers(10, 30), st.integers(30, 40)), max_size=6)


def remembering(*shown: Shown) -> Memory:
    memory = Memory()
    memory.keep(shown)
    return memory


@given(GOLD, SHOWN, SHOWN, st.integers(0, 4), st.integers(0, 2**32))
def test_drawn_gold_repeats_no_question_and_moves_no_passage_to_another_question(
    rows, before, task, count, seed
):
    gold = [Gold(pk, *row) for pk, row in enumerate(rows)]
    memory = remembering(*before)

    drawn = draw(gold, memory, task, count, np.random.default_rng(seed))

    asked = [pair.query_id for pair in task]
    new = [one.query_id for one in drawn]
    assert len(set(new)) == len(new) <= count
    assert not set(new) & set(asked)
    seen = remembering(*before, *task)
    for one in drawn:
        assert not seen.elsewhere(*one.shown)
        seen.keep([one.shown])
    assert memory.questions == remembering(*before).questions


def test_gold_as_familiar_as_the_tasks_real_pairs_is_drawn():
    memory = remembering(Shown(1, 10, 11), Shown(1, 10, 12), Shown(2, 20, 21))
    gold = [Gold(1, 2, 20, 22), Gold(2, 3, 30, 31)]

    assert draw(gold, memory, [Shown(4, 40, 41)], 1, RNG) == [gold[1]]
    assert draw(gold, memory, [Shown(1, 10, 13)], 1, RNG) == [gold[0]]


def test_as_many_fit_as_bring_new_questions():
    gold = [Gold(1, 1, 10, 11), Gold(2, 1, 10, 12), Gold(3, 2, 20, 21), Gold(4, 3, 30, 21)]

    assert enough_fit(gold, Memory(), [], 2)
    assert not enough_fit(gold, Memory(), [], 3)  # passage 21 cannot appear under both 2 and 3
    assert enough_fit(gold, Memory(), [Shown(1, 10, 13)], 1)
    assert not enough_fit(gold, Memory(), [Shown(1, 10, 13)], 2)
    assert enough_fit(gold, remembering(Shown(9, 21, 22)), [], 1)
    assert not enough_fit(gold, remembering(Shown(9, 21, 22)), [], 2)
