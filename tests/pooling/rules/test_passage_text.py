"""Texts that a reader cannot distinguish."""

import pytest

from pooling.rules.passage_text import class_key


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("a  b\n c ", "a b c"),
        ("caf\u00e9", "cafe\u0301"),
        ("soft\u00adhyphen", "softhyphen"),
        ("no\u00a0break", "no break"),
        ("zero\u200bwidth", "zerowidth"),
    ],
)
def test_texts_that_look_the_same_are_one_class(a, b):
    assert class_key(a) == class_key(b) != ""


@pytest.mark.parametrize(("a", "b"), [("US", "us"), ("10\u00b2", "102"), ("a.", "a"), ("ab", "a b")])
def test_texts_that_look_different_are_two(a, b):
    assert class_key(a) != class_key(b)


@pytest.mark.parametrize("text", [None, "", " \n", "\u200b"])
def test_a_passage_without_text_has_no_key(text):
    assert class_key(text) == ""
