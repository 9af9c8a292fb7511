"""What people fill in to make pools. Rules are the services': forms only read values."""

from __future__ import annotations

from typing import Any

from django import forms

from judging.services.forecasting import Pace
from web.preparing_forms import DEFAULTS, Dollars


class PoolForm(forms.Form):
    """Which passages are worth judging. Everything has a usual value, so that an address without any is a plan."""

    qrels = forms.ChoiceField(
        label="Known relevant passages",
        required=False,
        help_text="test pairs are proposed from them; with none you bring test pairs of your own",
    )
    depth = forms.IntegerField(
        label="Depth", min_value=1, max_value=100, required=False, help_text="passages from each run's top"
    )
    sample = forms.IntegerField(
        label="Sample",
        min_value=1,
        max_value=10**7,
        required=False,
        help_text="queries drawn at random; empty: all",
    )
    seed = forms.IntegerField(
        label="Seed",
        min_value=0,
        max_value=2**31,
        required=False,
        help_text="the same seed draws the same queries",
    )
    min_size = forms.IntegerField(
        label="Least size",
        min_value=1,
        max_value=10**4,
        required=False,
        help_text="queries with fewer are left out",
    )
    queries = forms.CharField(
        label="Only these queries",
        required=False,
        max_length=1500,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="qids, separated by blanks; empty: all",
    )
    reward = Dollars(
        label="Dollars a task",
        min_value=0,
        required=False,
        help_text="before the crowd's fee",
    )
    judgments_per_pair = forms.IntegerField(
        label="Judgments of each pair",
        min_value=1,
        max_value=100,
        required=False,
        help_text="by different people",
    )
    people = forms.IntegerField(
        label="People at work",
        min_value=1,
        max_value=10_000,
        required=False,
        help_text="for the expected days",
    )
    hours_a_day = forms.FloatField(
        label="Hours a day each",
        min_value=0.1,
        max_value=24,
        required=False,
        help_text="for the expected days",
    )

    #: What stands where nothing was given.
    USUAL = {
        "qrels": "",
        "depth": 1,
        "sample": None,
        "seed": 1,
        "min_size": 1,
        "queries": "",
        "reward": DEFAULTS.reward,
        "judgments_per_pair": DEFAULTS.judgments_per_pair,
        "people": Pace().people,
        "hours_a_day": Pace().hours_a_day,
    }

    def __init__(self, data: Any, *, qrel_sets: list[str]) -> None:
        # What an address leaves out has its usual value; so have the labels.
        given = {name: data.get(name) for name in self.base_fields if name in data}
        usual = {name: "" if value is None else str(value) for name, value in self.USUAL.items()}
        if qrel_sets:
            usual["qrels"] = qrel_sets[0]
        super().__init__(usual | given)
        self.fields["qrels"].choices = [("", "none"), *((name, name) for name in qrel_sets)]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """Empty means usual."""
        found = super().clean() or {}
        for name, value in self.USUAL.items():
            if name in found and found[name] in (None, ""):
                found[name] = value
        return found

    def qids(self) -> list[str] | None:
        """The queries that are named, or None for all."""
        return list(dict.fromkeys(self.cleaned_data["queries"].replace(",", " ").split())) or None
