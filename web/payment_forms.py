"""What people fill in about payments."""

from __future__ import annotations

from decimal import Decimal

from django import forms

from web.preparing_forms import Dollars


class TopUpForm(forms.Form):
    """The hourly pay below which nobody is to be left."""

    minimum = Dollars(
        label="Least hourly pay, dollars",
        min_value=Decimal("0.01"),
        max_value=Decimal(1000),
        help_text="Without the crowd's fees.",
    )
    #: What was shown on the button.
    total = Dollars(required=False, widget=forms.HiddenInput)


class HeldPayForm(forms.Form):
    """How much of held pay is paid; empty for all of it."""

    amount = Dollars(required=False, min_value=Decimal("0.00"), max_value=Decimal(100_000))
