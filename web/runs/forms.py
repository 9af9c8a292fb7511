"""Forms to upload and describe runs, and to create and describe collections."""

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from django import forms

from leaderboard.board.default_measure import USUAL
from leaderboard.scoring.measure_names import parse_measure
from pooling.errors import PoolingError
from pooling.models import Collection, Run, Team
from pooling.run_details import LONGEST_TEXT, LONGEST_WORD, Detail, Form, read_value
from pooling.services.collection_details import DEEPEST, MOST
from pooling.services.describing import CHANGEABLE_BY_TEAM, SETTLED
from pooling.services.naming import check_language
from pooling.services.run_fields import asked_details, known_details
from pooling.services.sent_files import sources_on_the_server
from pooling.services.submission_policies import policy_of
from web.common.advanced_fields import AdvancedFields
from web.common.directions import OPTIONS
from web.common.seen_values import SeenValuesForm

RELEASES = [
    ("public", "public: its name, values and passages"),
    ("scores", "scores: its name and values, not its passages"),
    ("private", "private: nothing; only members and its team see it"),
]
#: The name used in refusals (``web.common.directions``).
LEAVE_OUT = OPTIONS["skip-unknown"][1]
#: Replaces Django's message, which uses the word slug.
NO_NAME = {"invalid": "Use only letters, digits, hyphens and underscores."}


class Day(forms.DateInput):
    """A date, with the browser's date picker."""

    input_type = "date"


class ManyFiles(forms.ClearableFileInput):
    """Several files in one field."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Several files: a list of them."""

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
        max_length=200, required=False, help_text="Who made the run. It cannot be changed later."
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
        """Return the details that the collection asks for."""
        return [self[name] for name in self.asked]

    def clean(self) -> dict[str, Any]:
        """Collect the details under one name, with checked values."""
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
            ].help_text = "Tag of a run of the team that differs only by hyperparameters or seed."
        if not baselines:
            del self.fields["baseline"]

    def options(self) -> dict[str, Any]:
        """Return the nonempty values in the form that an upload stores."""
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


class AboutCollection(forms.Form):
    """A collection's description."""

    title = forms.CharField(max_length=MOST["title"], required=False, help_text="The name shown to people.")
    description = forms.CharField(
        max_length=MOST["description"], required=False, widget=forms.Textarea(attrs={"rows": 2})
    )
    licence = forms.CharField(
        label="License",
        max_length=MOST["licence"],
        required=False,
        help_text="The terms for using queries, passages and judgments, such as CC BY 4.0.",
    )
    citation = forms.CharField(
        max_length=MOST["citation"],
        required=False,
        label="Source and citation",
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Where it comes from, and how to cite it.",
    )


class DescribeCollection(SeenValuesForm, AboutCollection):
    """An existing collection's description."""

    language = forms.CharField(
        max_length=20,
        help_text="The language of queries and passages: en, ar, ja, zh-Hant … It sets reading direction and "
        "line breaks on workers' pages, immediately and in running campaigns too.",
    )
    max_run_depth = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=DEEPEST,
        label="Most passages per query",
        help_text="A run that lists more for a query is refused. Existing runs stay.",
    )
    board_labels = forms.ChoiceField(
        required=False,
        label="Labels of the leaderboard",
        help_text="The leaderboard uses these unless a reader chooses others. New qrel sets do not change this.",
    )
    board_measure = forms.ChoiceField(
        required=False,
        label="Measure of the leaderboard",
        choices=[(name, parse_measure(name).mean_name) for name in USUAL],
        help_text="The leaderboard ranks runs by this measure unless a reader chooses another.",
    )

    def __init__(self, collection: Collection, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        default = collection.default_labels()
        if default is None:
            del self.fields["board_labels"]
            return
        names = collection.qrel_sets.order_by("pk").values_list("name", flat=True)
        field: Any = self.fields["board_labels"]
        field.choices, self.initial["board_labels"] = [(name, name) for name in names], default.name

    def clean_language(self) -> str:
        language: str = self.cleaned_data["language"]
        try:
            check_language(language)
        except PoolingError as refusal:
            raise forms.ValidationError(str(refusal)) from None
        return language


class CreateCollection(AdvancedFields, AboutCollection):
    """A new collection and its files."""

    ADVANCED = ("description", "licence", "citation", "min_grade", "skip_unknown")

    field_order = ("name", *AboutCollection.base_fields, "language", "queries", "passages", "there", "qrels")
    name = forms.SlugField(
        max_length=80,
        help_text="Letters, digits, hyphens and underscores; part of addresses.",
        error_messages=NO_NAME,
    )
    language = forms.CharField(
        max_length=20, initial="en", help_text="The language of queries and passages: en, ar, ja, zh-Hant …"
    )
    queries = forms.FileField(help_text="One per line: qid, tab, text; or JSON lines. Plain or compressed.")
    passages = FilesField(
        required=False,
        help_text="One per line: pid, tab, text; or JSON lines. The database stores only the texts that are needed.",
    )
    there = forms.MultipleChoiceField(
        required=False, label="Passage files on the server", widget=forms.CheckboxSelectMultiple
    )
    qrels = forms.FileField(required=False, help_text="Known labels: qid 0 pid grade.")
    min_grade = forms.IntegerField(
        initial=1, min_value=-100, max_value=100, label="Relevant from grade", required=False
    )
    skip_unknown = forms.BooleanField(
        required=False, label=LEAVE_OUT, help_text="Labels of queries that are not in the query file."
    )

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.offered = _offer_sources(self)


class AddFiles(forms.Form):
    """More passage files and labels for an existing collection."""

    passages = FilesField(
        required=False,
        label="Passage files",
        help_text="One per line: pid, tab, text; or JSON lines. Existing texts stay.",
    )
    there = forms.MultipleChoiceField(
        required=False, label="Passage files on the server", widget=forms.CheckboxSelectMultiple
    )
    qrels = forms.FileField(
        required=False, label="Labels (qrels)", help_text="qid 0 pid grade, or qid, pid and grade."
    )
    set = forms.SlugField(
        max_length=80,
        required=False,
        label="Name of the labels",
        help_text="Such as official or graded.",
        error_messages=NO_NAME,
    )
    min_grade = forms.IntegerField(
        initial=1, min_value=-100, max_value=100, label="Relevant from grade", required=False
    )
    candidates = forms.FileField(
        required=False,
        label="Candidates for reranking",
        help_text="The passages that runs with the subtask rerank may reorder, in the format of a run. Such a run is "
        "refused if it has others. Replaces earlier candidates; existing runs stay.",
    )
    skip_unknown = forms.BooleanField(required=False, label=LEAVE_OUT)
    withheld = forms.BooleanField(
        required=False,
        label="Withhold the labels",
        help_text="Everybody sees scores under them, but not the labels. Owners can change it.",
    )

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.offered = _offer_sources(self)

    def clean(self) -> dict[str, Any]:
        """Require at least one file, and a name for labels."""
        said = super().clean() or {}
        files = ("passages", "qrels", "candidates", "there")
        if not self.errors and not any(said.get(name) for name in files):
            raise forms.ValidationError("Choose at least one file.")
        if said.get("qrels") and not said.get("set") and "set" not in self.errors:
            self.add_error("set", "Enter a name for the labels. Leaderboards and campaigns use it.")
        return said


def _offer_sources(form: forms.Form) -> dict[str, Path]:
    """Offer the passage files on the server by name; remove the field if there is no such file."""
    offered = {path.name: path for path in sources_on_the_server()}
    there = form.fields["there"]
    assert isinstance(there, forms.MultipleChoiceField)
    there.choices = [(name, name) for name in offered]
    if not offered:
        del form.fields["there"]
    return offered
