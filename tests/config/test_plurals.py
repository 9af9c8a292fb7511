"""A number with its noun."""

import re

import pytest
from django.conf import settings

from config.plurals import many
from web.templatetags import figures


@pytest.mark.parametrize(
    ("number", "words", "said"),
    [
        (1, ["task"], "1 task"),
        (0, ["task"], "0 tasks"),
        (1200, ["task"], "1,200 tasks"),
        (1, ["report of a pair", "reports of pairs"], "1 report of a pair"),
        (2, ["report of a pair", "reports of pairs"], "2 reports of pairs"),
    ],
)
def test_one_is_one_and_everything_else_is_more(number, words, said):
    assert many(number, *words) == said


@pytest.mark.parametrize(("number", "said"), [(0, "0 queries"), (1, "1 query"), (6980, "6,980 queries")])
def test_pages_part_thousands_by_commas(number, said):
    assert figures.count_with_noun(number, "query,queries") == said


def test_no_page_says_one_and_names_many():
    """``{{ n|count }} queries`` says "1 queries"; ``{{ n|many:"query,queries" }}`` does not."""
    wrong = re.compile(
        r"(?<!of )\{\{ [\w.|]+\|count \}\} (?:queries|runs|tasks|passages|judgments|best answers)\b"
    )
    pages = (settings.BASE_DIR / "templates" / "web").rglob("*.html")

    assert {page.name: found for page in pages if (found := wrong.findall(page.read_text()))} == {}


@pytest.mark.parametrize(
    ("number", "said"),
    [(0.25, "+0.2500"), (-0.25, "−0.2500"), (0.0, "0.0000"), (-0.00001, "0.0000"), (None, "–")],
)
def test_differences_have_a_sign_unless_they_are_zero(number, said):
    assert figures.signed(number) == said
