from decimal import Decimal

from django import forms

from web.preparation.forms import Dollars


class TopUpForm(forms.Form):
    """The minimum hourly pay to top up to."""

    minimum = Dollars(
        label="Minimum hourly pay, dollars",
        min_value=Decimal("0.01"),
        max_value=Decimal(1000),
        help_text="Without the crowd's fees.",
    )
    #: The amount on the button.
    total = Dollars(required=False, widget=forms.HiddenInput)


class HeldPayForm(forms.Form):
    """The amount of held pay to pay. If it is empty, all of it is paid."""

    amount = Dollars(required=False, min_value=Decimal("0.00"), max_value=Decimal(100_000))
