"""Forms to upload and describe runs."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from django import forms

from pooling.errors import PoolingError
from pooling.models import Collection, Run, Team
from pooling.rules.run_details import LONGEST_TEXT, LONGEST_WORD, Detail, Form, read_value
from pooling.runs.run_descriptions import CHANGEABLE_BY_TEAM, SETTLED
from pooling.teams.run_fields import asked_details, known_details
from pooling.teams.submission_policies import policy_of
from web.common.directions import OPTIONS

RELEASES = [
    ("public", "public: its name, values and passages"),
    ("scores", "scores: its name and values, not its passages"),
    ("private", "private: nothing; only members and its team see it"),
]
#: The checkbox's label, as refusals name it (``web.common.directions``).
LEAVE_OUT = OPTIONS["skip-unknown"][1]


class Day(forms.DateInput):
    """A date, with the browser's date picker."""

    input_type = "date"


class ManyFiles(forms.ClearableFileInput):
    """A file input that accepts several files."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """A field for several files; its value is a list of files."""

    widget = ManyFiles

    def clean(self, data: Any, initial: Any = None) -> list[Any]:
        """Validate each file separately."""
        files = data if isinstance(data, list | tuple) else [data] if data else []
        if not files and self.required:
            raise forms.ValidationError(self.error_messages["required"], code="required")
        return [super(FilesField, self).clean(file, initial) for file in files]


class AboutRun(forms.Form):
    """A run's description."""

    team = forms.CharField(
        max_length=200,
        required=False,
        help_text="Who made the run. Under a submission policy, it cannot be changed later.",
    )
    description = forms.CharField(
        max_length=10_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="How it was made: models, data, anything special.",
    )
    paper = forms.CharField(max_length=500, required=False, label="Paper (link)")
    code = forms.CharField(max_length=500, required=False, label="Code (link)")
    submitted_on = forms.DateField(required=False, widget=Day(), label="Submission date")
    anonymous_until = forms.DateField(
        required=False, widget=Day(), help_text="Its author is hidden before this day."
    )
    baseline = forms.BooleanField(required=False, label="One of the board's own baselines")

    def __init__(
        self, collection: Collection, *args: Any, required: Sequence[str] = (), **named: Any
    ) -> None:
        super().__init__(*args, **named)
        self.known = known_details(collection)
        asked = asked_details(collection)
        self.asked = [name for name in self.known if name in asked or name in required]
        for name in self.asked:
            self.fields[name] = detail_field(self.known[name])
        for name in required:
            if name in self.fields:
                self.fields[name].by_policy = True  # type: ignore[attr-defined]

    def essentials(self) -> list[forms.BoundField]:
        return [self[name] for name in AboutRun.base_fields if name in self.fields]

    def about_system(self) -> list[forms.BoundField]:
        """Return the details that the collection asks for or its policy requires."""
        return [self[name] for name in self.asked]

    def clean(self) -> dict[str, Any]:
        """Check the values of the details and collect them under ``details``."""
        said = super().clean() or {}
        details: dict[str, Any] = {}
        for name in self.asked:
            try:
                value = read_value(self.known[name], said.pop(name, None))
            except PoolingError as refusal:
                self.add_error(name, refusal.next_step or refusal.message)
                continue
            details[name] = value
        said["details"] = details
        return said


def detail_field(detail: Detail) -> forms.Field:
    """Return the form field for a detail of a run, with its definition."""
    label = f"{detail.label}, {detail.unit}" if detail.unit else detail.label
    how: dict[str, Any] = {"required": False, "label": label, "help_text": detail.explained}
    if detail.form is Form.YES_NO:
        return forms.ChoiceField(choices=[("", "not said"), ("yes", "yes"), ("no", "no")], **how)
    if detail.form is Form.CHOICE:
        choices = [("", "not said"), *((value, value) for value in detail.choices)]
        return forms.ChoiceField(choices=choices, **how)
    if detail.form is Form.WHOLE:
        return forms.IntegerField(min_value=1, **how)
    if detail.form is Form.NUMBER:
        return forms.FloatField(min_value=0, **how)
    if detail.form is Form.WORD:
        return forms.CharField(max_length=LONGEST_WORD, **how)
    rows = 2 if detail.form is Form.LINKS else 1
    return forms.CharField(max_length=LONGEST_TEXT, widget=forms.Textarea(attrs={"rows": rows}), **how)


class SendRuns(AboutRun):
    """Run files, how to read them, and their description."""

    run_tag = forms.CharField(
        max_length=200, required=False, help_text="Replaces the tag in the file. Only for a single file."
    )
    release = forms.ChoiceField(choices=RELEASES, initial="private")
    order = forms.ChoiceField(
        choices=[
            ("", "default: TREC by score, MS MARCO by rank"),
            ("score", "by score"),
            ("rank", "by rank"),
        ],
        required=False,
        label="Order",
    )
    variant_of = forms.CharField(
        max_length=200,
        required=False,
        help_text="Tag of a run from which it differs only by hyperparameters or seed.",
    )
    skip_unknown = forms.BooleanField(
        required=False,
        label=LEAVE_OUT,
        help_text="Lines of queries that the collection does not have. Otherwise, a file with such lines is refused.",
    )
    check_only = forms.BooleanField(required=False)
    run_files = FilesField(required=False, label="Run files")

    def reading(self) -> list[forms.BoundField]:
        return [self[name] for name in ("run_tag", "order", "variant_of", "skip_unknown")]

    def __init__(
        self,
        *args: Any,
        team: Team | None = None,
        baselines: bool = True,
        priorities: bool = False,
        required: Sequence[str] = (),
        **named: Any,
    ) -> None:
        super().__init__(*args, required=(*required, *["priority"] * priorities), **named)
        if priorities:
            self.fields["priority"].by_round = True  # type: ignore[attr-defined]
        if team is not None:  # known from the account and the time of arrival
            for name in ("team", "submitted_on"):
                del self.fields[name]
            self.fields["baseline"].label = "A baseline run of this team"
            self.fields[
                "variant_of"
            ].help_text = (
                "Tag of another run of the team, if this one differs only in hyperparameters or seed."
            )
        if not baselines:
            del self.fields["baseline"]

    def options(self) -> dict[str, Any]:
        """Return the nonempty values in the format that an upload stores."""
        said = {name: value for name, value in self.cleaned_data.items() if value}
        for name in ("run_files", "check_only", "details"):
            said.pop(name, None)
        if details := {
            name: value for name, value in self.cleaned_data["details"].items() if value is not None
        }:
            said["details"] = details
        return {name: value.isoformat() if isinstance(value, date) else value for name, value in said.items()}


class DescribeRun(AboutRun):
    """An existing run's description. Locked fields are read-only; a team's form only has fields that it can edit."""

    def __init__(self, run: Run, held: frozenset[str], data: Any = None, *, by_team: bool = False) -> None:
        initial = {name: getattr(run, name) for name in AboutRun.base_fields}
        policy = policy_of(run.collection)
        required = policy.required if policy else ()
        super().__init__(
            run.collection, data, initial=initial | _details_as_typed(run.details), required=required
        )
        for name in held:
            self.fields[name].disabled = bool(getattr(run, name)) or name == "baseline"
            if self.fields[name].disabled:
                self.fields[name].help_text = "The board's policy does not allow changes."
        if by_team:
            for name in (AboutRun.base_fields.keys() - CHANGEABLE_BY_TEAM) | SETTLED.intersection(
                self.fields
            ):
                del self.fields[name]
            self.asked = [name for name in self.asked if name in self.fields]


def _details_as_typed(details: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: "\n".join(value)
        if isinstance(value, list)
        else ("yes" if value else "no")
        if isinstance(value, bool)
        else value
        for name, value in details.items()
    }
