"""The sentences beside fields of forms."""

import pytest
from django import forms

from web.preparation.forms import Dollars


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        (forms.IntegerField(min_value=2), "1", "Enter 2 or more."),
        (forms.IntegerField(max_value=9), "10", "Enter 9 or less."),
        (forms.CharField(max_length=3), "four", "Enter at most 3 characters. This text has 4."),
        (forms.SlugField(), "a b", "Use only letters, digits, hyphens and underscores."),
        (Dollars(), "1.234", "Enter at most 2 decimals."),
    ],
)
def test_a_wrong_value_is_explained_in_our_words(field, value, said):
    with pytest.raises(forms.ValidationError) as caught:
        field.clean(value)

    assert caught.value.messages == [said]
