"""What owners fill in about a board's rules: who may submit how often, and which queries are private."""

from __future__ import annotations

from typing import Any

from django import forms

from pooling.errors import SplitRefused
from pooling.models import Collection, SubmissionPolicy
from pooling.services.query_splits import Parted, parted, qids_in
from pooling.services.submissions import METADATA, REQUIRED, said_as

#: What may be asked of a run, as people call it. The team always is: runs are counted by it.
ASKED = {name: said_as(name) for name in METADATA if name != "team"} | {
    "paper": "paper (link)",
    "code": "code (link)",
    "submitted_on": "date of the submission",
}
USUAL: dict[str, Any] = {
    "most_runs": 2,
    "period_days": 30,
    "most_variants": 1,
    "required": [name for name in REQUIRED if name != "team"],
    "longest_embargo_days": 0,
}
LONGEST_WHY = 120
LONGEST_LIST = 2_000_000


class PolicyForm(forms.Form):
    """What a board asks of those who submit runs."""

    most_runs = forms.IntegerField(label="Runs of a team", min_value=1, max_value=10_000)
    period_days = forms.IntegerField(
        label="In any so many days in a row",
        min_value=1,
        max_value=3650,
        help_text="The days of the submissions count, so history may be entered in any order.",
    )
    most_variants = forms.IntegerField(
        label="Of those, variants",
        min_value=0,
        max_value=10_000,
        help_text="Runs that differ from another only by hyperparameters or seed; 0: none.",
    )
    required = forms.MultipleChoiceField(
        label="To be said about a run, beside the team",
        choices=list(ASKED.items()),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    longest_embargo_days = forms.IntegerField(
        label="Longest time to stay anonymous, in days",
        min_value=0,
        max_value=3650,
        help_text="After the submission; 0: nobody stays anonymous.",
    )
    why = forms.CharField(
        label="Why", max_length=LONGEST_WHY, help_text="Kept in the activity with your name; members see it."
    )

    def __init__(self, data: Any, *, policy: SubmissionPolicy | None) -> None:
        now = USUAL if policy is None else {name: getattr(policy, name) for name in USUAL}
        super().__init__(data, initial=now)


class SplitForm(forms.Form):
    """Which queries are to be private: a share that is drawn, or a list."""

    share = forms.DecimalField(
        label="Draw this share of the queries, %",
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
        help_text="A qid a line. Queries that are not listed are public, also those that come later.",
    )

    def __init__(self, data: Any, *, collection: Collection) -> None:
        super().__init__(data)
        self.collection = collection
        self.parted: Parted | None = None

    def clean(self) -> dict[str, Any]:
        """One of the two ways; what the collection's queries make of it is in ``parted``."""
        found = super().clean() or {}
        if self.errors:
            return found
        share, qids = found.get("share"), found.get("qids")
        if (share is None) == (not qids):
            raise forms.ValidationError("Say a share, or list the queries: one of the two.")
        try:
            self.parted = parted(
                self.collection,
                qids=qids_in(qids or ""),
                share=None if share is None else float(share) / 100,
                seed=found.get("seed") or 0,
            )
        except SplitRefused as refusal:
            raise forms.ValidationError(str(refusal)) from None
        return found
