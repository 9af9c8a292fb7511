"""What people fill in to plan pools and what is asked about them. Rules are the services': forms only read values."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms

from judging.services.forecasting import Pace
from web.preparing_forms import DEFAULTS, Dollars


class PlannedForm(forms.Form):
    """What is asked and at what cost. Everything has a usual value, so that an address without any is a plan."""

    qrels = forms.ChoiceField(label="Known relevant passages", required=False)
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

    #: What stands where nothing was given.
    USUAL: ClassVar[dict[str, Any]] = {
        "qrels": "",
        "sample": None,
        "seed": 1,
        "reward": DEFAULTS.reward,
        "judgments_per_pair": DEFAULTS.judgments_per_pair,
    }

    def __init__(self, data: Any, **choices: list[str]) -> None:
        """``choices`` are names to choose from, by field; the first one is usual."""
        # What an address leaves out has its usual value; so has a choice.
        usual = {name: "" if value is None else str(value) for name, value in self.USUAL.items()}
        usual |= {name: names[0] for name, names in choices.items() if names}
        super().__init__(usual | {name: data.get(name) for name in self.base_fields if name in data})
        for name, names in choices.items():
            self.fields[name].choices = [(one, one) for one in names]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """Empty means usual."""
        found = super().clean() or {}
        for name, value in self.USUAL.items():
            if name in found and found[name] in (None, ""):
                found[name] = value
        return found


class AskingForm(PlannedForm):
    """Whether a run is better than perfect: the run, the labels, and how many are asked."""

    run = forms.ChoiceField(
        label="Run", required=False, help_text="whose passages meet the known relevant ones"
    )
    pairs_per_task = forms.IntegerField(
        label="Pairs in a task",
        min_value=1,
        max_value=100,
        required=False,
        help_text="test pairs come on top",
    )
    USUAL: ClassVar[dict[str, Any]] = PlannedForm.USUAL | {
        "run": "",
        "pairs_per_task": DEFAULTS.pairs_per_task,
    }
    field_order = ["run", "qrels", "sample", "seed", "judgments_per_pair", "pairs_per_task", "reward"]


class PoolForm(PlannedForm):
    """Which passages are worth judging."""

    qrels = forms.ChoiceField(
        label="Known relevant passages",
        required=False,
        help_text="test pairs are proposed from them; with none you bring test pairs of your own",
    )
    depth = forms.IntegerField(
        label="Depth", min_value=1, max_value=100, required=False, help_text="passages from each run's top"
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

    USUAL: ClassVar[dict[str, Any]] = PlannedForm.USUAL | {
        "depth": 1,
        "min_size": 1,
        "queries": "",
        "people": Pace().people,
        "hours_a_day": Pace().hours_a_day,
    }
    field_order = ["qrels", "depth", "sample", "seed", "min_size", "queries", "reward", "judgments_per_pair"]

    def __init__(self, data: Any, *, qrel_sets: list[str]) -> None:
        super().__init__(data, qrels=qrel_sets)
        self.fields["qrels"].choices = [("", "none"), *((name, name) for name in qrel_sets)]  # type: ignore[attr-defined]

    def qids(self) -> list[str] | None:
        """The queries that are named, or None for all."""
        return list(dict.fromkeys(self.cleaned_data["queries"].replace(",", " ").split())) or None
