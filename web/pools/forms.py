"""Forms to plan pools and campaigns over them. The services check the rules; forms only parse values."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from config.plurals import many
from judging.launch.forecast import Pace
from pooling.models import Run
from pooling.pools.pool_runs import RunCriteria
from web.common.advanced_fields import AdvancedFields
from web.preparation.forms import DEFAULTS, Dollars

#: The most priorities that the form offers.
MOST_PRIORITIES = 50


class PlannedForm(AdvancedFields):
    """Queries and costs of a plan. Every field is optional, so an address without parameters is a plan.

    An empty field has its ``initial`` value.
    """

    qrels = forms.ChoiceField(label="Known relevant passages")
    sample = forms.IntegerField(
        label="Sample",
        min_value=1,
        max_value=10**7,
        help_text="queries drawn at random; leave empty for all",
    )
    seed = forms.IntegerField(
        label="Seed",
        initial=1,
        min_value=0,
        max_value=2**31,
        help_text="the same seed draws the same queries",
    )
    reward = Dollars(
        label="Dollars per task",
        initial=DEFAULTS.reward,
        min_value=0,
        help_text="before the crowd's fee",
    )
    judgments_per_pair = forms.IntegerField(
        label="Judgments per pair",
        initial=DEFAULTS.judgments_per_pair,
        min_value=1,
        max_value=100,
        help_text="by different people",
    )

    def _changed(self, name: str) -> bool:
        """Return whether the field's value differs from the default."""
        usual = self.base_fields[name].initial
        return str(self[name].value() or "") != ("" if usual in (None, False) else str(usual))

    def __init__(self, data: Any, **choices: list[str]) -> None:
        """Set up the form. ``choices`` are the options by field; the first one is the default."""
        # Fields that the address omits get their defaults, choices included.
        defaults = {name: field.initial for name, field in self.base_fields.items()}
        usual = {name: "" if value is None else str(value) for name, value in defaults.items()}
        usual |= {name: names[0] for name, names in choices.items() if names}
        super().__init__(usual | {name: data.get(name) for name in self.base_fields if name in data})
        for field in self.fields.values():
            field.required = False
        for name, names in choices.items():
            self.fields[name].choices = [(one, one) for one in names]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """Replace empty values with defaults."""
        found = super().clean() or {}
        for name, value in found.items():
            if value in (None, "") and (usual := self.base_fields[name].initial) is not None:
                found[name] = usual
        return found


class FractionForm(forms.Form):
    """A new pool from a fraction of the corpus, with an existing pool's runs, labels, queries and depth."""

    fraction = forms.IntegerField(
        label="Fraction",
        min_value=2,
        max_value=10**6,
        initial=10,
        help_text="10: one tenth of the corpus's passages",
    )
    fraction_seed = forms.IntegerField(
        label="Seed",
        min_value=0,
        max_value=2**31,
        initial=1,
        help_text="the same seed draws the same passages, for every query",
    )
    name = forms.SlugField(label="Name of the pool", max_length=80)


class AskingForm(PlannedForm):
    """A "better than perfect" plan: the run, the labels, and the number of queries."""

    run = forms.ChoiceField(label="Run", help_text="its passages are compared with the known relevant ones")
    pairs_per_task = forms.IntegerField(
        label="Pairs per task",
        initial=DEFAULTS.pairs_per_task,
        min_value=1,
        max_value=100,
        help_text="gold pairs come on top",
    )
    field_order = ["run", "qrels", "sample", "seed", "judgments_per_pair", "pairs_per_task", "reward"]


class PoolForm(PlannedForm):
    """A pool plan: the runs, labels and queries to pool, the depth, and the assumptions behind the forecast."""

    ADVANCED = (
        "sample",
        "seed",
        "min_size",
        "queries",
        "people",
        "hours_a_day",
    )

    qrels = forms.ChoiceField(
        label="Known relevant passages",
        help_text="gold pairs are proposed from them; without them, you provide your own gold pairs",
    )
    depth = forms.IntegerField(
        label="Depth",
        initial=1,
        min_value=1,
        max_value=100,
        help_text="top passages taken from each run",
    )
    min_size = forms.IntegerField(
        label="Minimum size",
        initial=1,
        min_value=1,
        max_value=10**4,
        help_text="queries with fewer are left out",
    )
    priority = forms.IntegerField(
        label="Runs with priority",
        min_value=1,
        max_value=10**6,
        widget=forms.Select,
        help_text="set by the teams; tick runs without a priority to add them",
    )
    round = forms.ChoiceField(label="Runs of the round")
    labeled_only = forms.BooleanField(
        label="Only queries with labels",
        initial=False,
        help_text="leave out queries without a known relevant passage",
    )
    queries = forms.CharField(
        label="Only these queries",
        max_length=1500,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="qids, separated by spaces; leave empty for all",
    )
    people = forms.IntegerField(
        label="Workers",
        initial=Pace().people,
        min_value=1,
        max_value=10_000,
        help_text="used to estimate how many days judging takes",
    )
    hours_a_day = forms.FloatField(
        label="Hours per day each",
        initial=Pace().hours_a_day,
        min_value=0.1,
        max_value=24,
        help_text="used to estimate how many days judging takes",
    )

    field_order = [
        "qrels",
        "labeled_only",
        "depth",
        "priority",
        "round",
        "sample",
        "seed",
        "min_size",
        "queries",
        "reward",
        "judgments_per_pair",
    ]

    def __init__(self, data: Any, *, qrel_sets: list[str], runs: Sequence[Run], rounds: list[str]) -> None:
        """Set up the form. Priorities and rounds are offered if there are any, or if the address names one."""
        if qrel_sets and not set(self.base_fields) & set(data):
            # The address omits an unticked box, so the default applies only if it has none of the form's fields.
            data = {"labeled_only": "on"}
        super().__init__(data, qrels=qrel_sets)
        self.fields["qrels"].choices = [  # type: ignore[attr-defined]
            ("", "none"),
            *((name, name) for name in qrel_sets),
        ]
        self.fields["round"].choices = [("", "any"), *((name, name) for name in rounds)]  # type: ignore[attr-defined]
        given = Counter(run.priority for run in runs if run.priority is not None)
        asked = str(self["priority"].value() or "")
        offered = [(str(most), _priority_choice(most, given)) for most in sorted(given)[:MOST_PRIORITIES]]
        if asked and asked not in dict(offered):
            offered.append((asked, asked))
        self.fields["priority"].widget.choices = [("", "any"), *offered]
        for name, there in (("priority", offered), ("round", rounds)):
            if not there and not data.get(name):
                del self.fields[name]

    def clean(self) -> dict[str, Any]:
        """Require known relevant passages if only labeled queries are wanted."""
        found = super().clean()
        if found.get("labeled_only") and not found.get("qrels"):
            self.add_error("labeled_only", "Choose known relevant passages, or untick this.")
        return found

    def qids(self) -> list[str] | None:
        """Return the listed queries, or None for all."""
        return list(dict.fromkeys(self.cleaned_data["queries"].replace(",", " ").split())) or None

    def criteria(self) -> RunCriteria:
        """Return the criteria by which runs are chosen."""
        found = getattr(self, "cleaned_data", {})
        return RunCriteria(found.get("priority"), found.get("round", ""))


def _priority_choice(most: int, given: Mapping[int, int]) -> str:
    runs = sum(count for priority, count in given.items() if priority <= most)
    words = {1: "1", 2: "1 or 2"}.get(most, f"1 to {most:,}")
    return f"{words} ({many(runs, 'run')})"
