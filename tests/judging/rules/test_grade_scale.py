"""Scales of graded judging: read, and refused with the line."""

import pytest

from judging.errors import BadInput
from judging.rules.grade_scale import FOUR_LEVELS, Level, parse_scale, scale_text


def test_a_scale_is_read_as_it_is_written():
    assert parse_scale(scale_text(FOUR_LEVELS)) == FOUR_LEVELS


def test_a_level_can_have_an_example():
    levels = parse_scale("No | It does not answer.\n\nYes | It answers. | A recipe.\n")

    assert levels == (Level("No", "It does not answer."), Level("Yes", "It answers.", "A recipe."))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("No | It does not.\nYes", "scale.txt, line 2: expected a level"),
        ("No | It does not.\nNo | It does.", "line 2: there is already a level 'No'"),
        ("No | It does not.", "between 2 and 10 levels, not 1"),
        ("\n".join(f"{n} | level {n}" for n in range(11)), "not 11"),
    ],
)
def test_a_bad_scale_is_refused(text, words):
    with pytest.raises(BadInput, match=words):
        parse_scale(text, "scale.txt")
