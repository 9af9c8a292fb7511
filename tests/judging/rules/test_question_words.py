import itertools

import pytest
from hypothesis import given, strategies as st

from judging.rules.question_words import mark_question_words


def shown(text, question, language="en"):
    """Return the text with marked parts in brackets."""
    return "".join(
        f"[{part.text}]" if part.marked else part.text
        for part in mark_question_words(text, question, language)
    )


@pytest.mark.parametrize(
    ("text", "question", "language", "expected"),
    [
        ("Boil an EGG; eggs boil.", "how do you boil an egg?", "en", "[Boil] an [EGG]; eggs [boil]."),
        ("The heart of art.", "what is art", "en", "The heart of [art]."),
        ("It is what it is.", "what is it", "en", "It is what it is."),
        ("Was ist ein Ei? Ein EI.", "was ist ein ei", "de", "[Was] [ist] [ein] [Ei]? [Ein] [EI]."),
        ("Straße, STRASSE", "strasse", "de", "[Straße], [STRASSE]"),
        ("cafe\u0301 and café", "café", "en", "[cafe\u0301] and [café]"),
        ("ISPARTA ısparta isparta", "Isparta", "tr", "[ISPARTA] [ısparta] isparta"),
        ("In 1969, not 19690.", "moon 1969", "en", "In [1969], not 19690."),
        ("हिन्दी भाषा", "हिन्दी", "hi", "[हिन्दी] भाषा"),
        ("北京是中国的首都。", "中国首都", "zh", "北京是[中国]的[首都]。"),
        ("東京タワーの高さ", "東京タワー", "ja", "[東京タワー]の高さ"),
        ("iPhone的价格 iphones", "iPhone 价格", "zh", "[iPhone]的[价格] iphones"),
        ("what <b>egg</b> & egg", "egg", "en", "what <b>[egg]</b> & [egg]"),
        ("", "egg", "en", ""),
        ("egg", "", "en", "egg"),
    ],
)
def test_words_of_the_question_are_marked_as_wholes(text, question, language, expected):
    assert shown(text, question, language) == expected


@given(st.text(max_size=80), st.text(max_size=20), st.sampled_from(["en", "tr", "ja", "ar"]))
def test_the_stretches_together_are_the_text_and_take_turns(text, question, language):
    parts = mark_question_words(text, question, language)

    assert "".join(part.text for part in parts) == text
    assert all(one.marked != other.marked for one, other in itertools.pairwise(parts))
