from django import forms

from accounts.models import ApiToken
from accounts.services.tokens import MOST_DAYS


class TokenForm(forms.Form):
    """The form for a new API token."""

    name = forms.CharField(label="Purpose", max_length=80)
    scopes = forms.MultipleChoiceField(
        label="Permissions",
        choices=ApiToken.Scope.choices,
        widget=forms.CheckboxSelectMultiple,
        initial=[ApiToken.Scope.READ],
    )
    days = forms.IntegerField(label="Days until it expires", min_value=1, max_value=MOST_DAYS, initial=90)
