"""Forms for spending grants. The service checks the rules; forms only parse values."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from django import forms

from config import clock
from pooling.collections.spending_grants import LONGEST_NOTE, MOST_DOLLARS
from web.preparation.forms import Dollars

USUAL_DAYS = 90


def usual_last_day() -> date:
    return clock.now().date() + timedelta(days=USUAL_DAYS)


class Day(forms.DateField):
    """A date, with the browser's date picker."""

    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")

    def __init__(self, **named: Any) -> None:
        super().__init__(input_formats=["%Y-%m-%d"], **named)


class ChangeGrantForm(forms.Form):
    """A new amount and last day for a grant."""

    amount = Dollars(label="Dollars, fees included", min_value=Decimal("0.01"), max_value=MOST_DOLLARS)
    last_day = Day(label="Last day (UTC)")


class GrantForm(ChangeGrantForm):
    kind = forms.ChoiceField(
        label="For",
        choices=[("person", "a person"), ("collection", "a collection")],
        help_text="A person's grant works in every collection where their role includes spending money. A "
        "collection's grant can be used by everybody whose role there includes spending money.",
    )
    name = forms.CharField(label="Name of the account or collection", max_length=150)
    note = forms.CharField(
        label="Note",
        required=False,
        max_length=LONGEST_NOTE,
        help_text="Optional, for the people who see the grant.",
    )
    field_order = ["kind", "name", "amount", "last_day", "note"]
