"""Pairs share one rendering of their template, and differ in everything that differs between them."""

import re
from types import SimpleNamespace

import pytest
from django.utils import translation
from django.utils.safestring import mark_safe

from judging.page.pair_html import pairs_html
from judging.rules.grade_scale import Level
from judging.tasks.displayed_pairs import ShownPair


def pair(number, **different):
    shown = {"question": f"question {number}", "left": f"left {number}", "right": f"right {number}"}
    return ShownPair(**{"number": number, **shown, "chosen": "", "made": 0, "reported": (), **different})


def rendered(pairs, *, levels=(), allow_undecided=True, **more):
    context = {
        "campaign": SimpleNamespace(allow_undecided=allow_undecided),
        "token": "t",
        "language": "en",
        "direction": "ltr",
        "levels": levels,
        "total": 13,
    }
    html = pairs_html(pairs, context | more)
    return [f"<section{part}" for part in html.split("<section")[1:]]


def checked(html):
    return re.findall(r'value="([^"]*)" checked', html)


def test_each_pair_has_its_own_number_and_texts():
    first, twelfth = rendered([pair(1), pair(12, made=3)])

    for number, made, html in ((1, 0, first), (12, 3, twelfth)):
        assert f'data-slot="{number}" data-made="{made}"' in html
        assert f"Pair {number} of 13" in html
        assert all(f">{side} {number}<" in html for side in ("question", "left", "right"))
        assert html.count(f'name="choice-{number}"') == 3


@pytest.mark.parametrize("text", ["100 % of 5%(number)s and %s", "\ue000left\ue001", '<b>& "it\'s"</b>'])
def test_texts_are_shown_as_they_are(text):
    (html,) = rendered([pair(1, question=text, left=text, right=mark_safe("<mark>x</mark>"))])

    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    assert html.count(f">{escaped.replace(chr(39), '&#x27;')}<") == 2
    assert "<mark>x</mark>" in html


def test_choices_reports_and_answers_offered_belong_to_their_pair():
    chosen = rendered([pair(1), pair(2, chosen="right"), pair(3, chosen="undecided", reported=("broken",))])
    assert [checked(html) for html in chosen] == [[], ["right"], ["undecided"]]
    assert ["Reported." in html for html in chosen] == [False, False, True]

    assert all("undecided" not in html for html in rendered([pair(1), pair(2)], allow_undecided=False))


def test_a_scale_has_an_answer_for_each_level():
    levels = [("0", Level("Poor", "")), ("1", Level("Good & rich", ""))]
    (html,) = rendered([pair(1, chosen="1")], levels=levels)

    assert checked(html) == ["1"]
    assert "Good &amp; rich" in html
    assert "right 1" not in html


def test_only_the_unclear_report_is_open_and_keeps_its_words():
    one, two = rendered([pair(1), pair(2)], unclear_report=2, report_words="<odd> 5 %")

    assert '<details class="report">' in one
    assert '<details class="report" open>' in two
    assert "&lt;odd&gt; 5 %</textarea>" in two
    assert "odd" not in one


def test_a_pair_is_in_the_language_of_its_page():
    (english,) = rendered([pair(1)])
    with translation.override("de"):
        (german,) = rendered([pair(1)])

    assert "Report this pair" in english
    assert "Report this pair" not in german
    assert re.sub(r"\s+", "", english) != re.sub(r"\s+", "", german)
