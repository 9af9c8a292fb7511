"""Small pure parts of the judging page: example, direction, durations, haste."""

import pytest
from hypothesis import given, strategies as st

from judging.campaign.worker_texts import default_texts
from judging.rules.durations import duration_words
from judging.rules.prose import Block, blocks
from judging.rules.reading_speed import is_fast, words_in
from judging.rules.text_direction import direction
from judging.rules.worked_example import BadExample, Example, read_example

GOOD = "Question: q\nFirst passage: one\n goes on\nSecond passage: two\nBetter: Second.\nWhy: because"


def test_an_example_is_read_part_by_part():
    assert read_example(GOOD) == Example("q", "one goes on", "two", "second", "because")
    assert read_example(" \n") is None


def test_the_example_that_ships_with_the_project_is_one():
    example = read_example(default_texts()["example_text"])

    assert example is not None
    assert example.better == "first"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("some words", "these parts, in this order"),
        (f"Look:\n{GOOD}", "these parts"),
        (GOOD.replace("Why: because", ""), "these parts"),
        (GOOD.replace("two", ""), "The example has no text after “Second passage:”"),
        (GOOD.replace("Second.", "both"), "first or second"),
    ],
)
def test_an_invalid_example_is_refused_with_the_reason(text, says):
    with pytest.raises(BadExample, match=says):
        read_example(text)


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        *(("en", "ltr"), ("zh-Hant", "ltr"), ("pa", "ltr"), ("ur-Latn", "ltr"), ("arn", "ltr"), ("", "ltr")),
        *(("ar", "rtl"), ("fa-IR", "rtl"), ("HE", "rtl"), ("az-Arab", "rtl")),
    ],
)
def test_direction_follows_the_language_tag(language, expected):
    assert direction(language) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0, "less than a minute"),
        (60, "1 minute"),
        (3900, "1 hour 5 minutes"),
        (86400, "1 day"),
        (180061, "2 days 2 hours"),
    ],
)
def test_durations_are_said_in_their_two_largest_units(seconds, expected):
    assert duration_words(seconds) == expected


def test_nobody_reads_two_hundred_words_in_three_seconds_but_some_in_a_glance():
    text = "word " * 100

    assert is_fast(3, text, text)
    assert not is_fast(10, text, text)
    assert not is_fast(0.5, "one two", "three")
    assert words_in("北京是中国的首都") == 4


def test_plain_text_becomes_headings_paragraphs_and_lists():
    text = "Pay\nTwo dollars.\nA bonus.\n\nOne line\n \nRead this.\r\nThen that.\n\n\n"

    assert blocks(text) == (
        Block("Pay", ("Two dollars.", "A bonus."), False),
        Block("", ("One line",), False),
        Block("", ("Read this.", "Then that."), True),
    )


@given(st.text(max_size=300))
def test_no_word_of_a_text_is_left_out(text):
    laid_out = [
        word for block in blocks(text) for line in (block.heading, *block.lines) for word in line.split()
    ]

    assert laid_out == text.split()
