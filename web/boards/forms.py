"""Forms for a board's rules: the submission policy, and which queries are private."""

from typing import Any

from django import forms

from config.plurals import many
from pooling.errors import SplitRefused
from pooling.labels.query_splits import PlannedSplit, plan_split, qids_in
from pooling.labels.withheld_labels import safe_decimals
from pooling.models import Collection, SubmissionPolicy
from pooling.teams.submission_policies import (
    MOST_DECIMALS,
    PUBLIC_LISTS,
    RELEASED_AFTER,
    REQUIRED,
    field_label,
    requirable,
)
from web.common.seen_values import SeenValuesForm

#: Labels of details that a policy can require, if they differ from their names.
LABELS = {"paper": "paper (link)", "code": "code (link)", "submitted_on": "submission date"}
#: The form's initial values as long as there is no policy.
FIRST = SubmissionPolicy(most_runs=2, period_days=30, required=[name for name in REQUIRED if name != "team"])
LONGEST_WHY = 120
LONGEST_LIST = 2_000_000


class PolicyForm(SeenValuesForm):
    """A board's submission policy."""

    most_runs = forms.IntegerField(label="Runs per team", min_value=1, max_value=10_000)
    period_days = forms.IntegerField(
        label="Period in days",
        min_value=1,
        max_value=3650,
        help_text="The limit applies to every period of this length, by submission date.",
    )
    most_variants = forms.IntegerField(
        label="Variants among these runs",
        min_value=0,
        max_value=10_000,
        help_text="Runs that differ from another only by hyperparameters or seed. Enter 0 to allow none.",
    )
    required = forms.MultipleChoiceField(
        label="Required details about a run, besides the team",
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    longest_embargo_days = forms.IntegerField(
        label="Longest time to stay anonymous, in days",
        min_value=0,
        max_value=3650,
        help_text="Counted from the submission. Enter 0 to allow no anonymity.",
    )
    release_after = forms.ChoiceField(
        label="Release of runs after the embargo",
        choices=list(RELEASED_AFTER.items()),
        required=False,
        help_text="An embargo lasts for the longest allowed time, or until the day that the team chose. Only "
        "unreleased runs change.",
    )
    teams_see_scores = forms.BooleanField(
        label="Teams see values of their own unreleased runs, on public queries", required=False
    )
    public_list = forms.ChoiceField(
        label="What everybody sees of unreleased submissions",
        choices=list(PUBLIC_LISTS.items()),
        required=False,
    )
    public_decimals = forms.IntegerField(
        label="Decimals of the public means",
        min_value=0,
        max_value=MOST_DECIMALS,
        required=False,
        help_text="On the board, in its files and on runs' pages. Ranks and tests use the exact values. Under labels "
        "that are not withheld, analyses and per-query values keep all decimals. Leave empty for all decimals. "
        "Under withheld labels, means are then rounded so that they hide the effect of a single query: to 1 "
        "decimal from 21 queries, to 2 from 201.",
    )
    per_query_values = forms.BooleanField(
        label="Everybody sees values of single queries under withheld labels",
        required=False,
        help_text="Together with the rankings of public runs, they reveal which passages are labeled.",
    )
    why = forms.CharField(
        label="Why",
        max_length=LONGEST_WHY,
        help_text="Logged in the activity with your name. Members see it.",
    )

    def __init__(self, data: Any, *, collection: Collection, policy: SubmissionPolicy | None) -> None:
        saved = {name: getattr(policy or FIRST, name) for name in self.base_fields if name != "why"}
        super().__init__(data, initial=saved)
        required = self.fields["required"]
        assert isinstance(required, forms.MultipleChoiceField)
        # The team is always required: runs are counted by team.
        names = [name for name in requirable(collection) if name != "team"]
        required.choices = [(name, LABELS.get(name, field_label(name, collection))) for name in names]
        if (safe := safe_decimals(collection)) is not None:
            most = f"For the labels now withheld, at most {many(safe, 'decimal')}: more can reveal single queries."
            self.fields["public_decimals"].help_text += f" {most}"


class SplitForm(forms.Form):
    """The queries to make private: a share drawn at random, or a list."""

    share = forms.DecimalField(
        label="Share of queries to draw at random, %",
        min_value=1,
        max_value=99,
        max_digits=4,
        decimal_places=2,
        required=False,
    )
    seed = forms.IntegerField(
        label="Seed",
        min_value=0,
        max_value=2**31,
        required=False,
        initial=1,
        help_text="The same seed draws the same queries.",
    )
    qids = forms.CharField(
        label="Or list them",
        required=False,
        max_length=LONGEST_LIST,
        strip=True,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="One qid per line. All other queries are public, including those added later.",
    )

    def __init__(self, data: Any, *, collection: Collection) -> None:
        super().__init__(data)
        self.collection = collection
        self.parted: PlannedSplit | None = None

    def clean(self) -> dict[str, Any]:
        """Require either a share or a list of queries, and plan the split (``parted``)."""
        found = super().clean() or {}
        if self.errors:
            return found
        share, qids = found.get("share"), found.get("qids")
        if (share is None) == (not qids):
            raise forms.ValidationError("Enter a share or list the queries, not both.")
        try:
            self.parted = plan_split(
                self.collection,
                qids=qids_in(qids or ""),
                share=None if share is None else float(share) / 100,
                seed=found.get("seed") or 0,
            )
        except SplitRefused as refusal:
            raise forms.ValidationError(str(refusal)) from None
        return found
