"""What people fill in to send runs, to say what a run is, and to make a collection."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

from django import forms

from pooling.errors import PoolingError
from pooling.models import Run
from pooling.services.collection_details import DEEPEST, MOST
from pooling.services.naming import check_language
from pooling.services.sent_files import sources_on_the_server

RELEASES = [
    ("public", "public: its name, values and passages"),
    ("scores", "scores: its name and values, not its passages"),
    ("private", "private: nothing; members see it"),
]
#: What Django calls a slug, people do not.
NO_NAME = {"invalid": "A name has letters, digits, hyphens and underscores only."}


class Day(forms.DateInput):
    """A day, picked where the browser can."""

    input_type = "date"


class ManyFiles(forms.ClearableFileInput):
    """Several files in one field."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Several files: a list of them."""

    widget = ManyFiles

    def clean(self, data: Any, initial: Any = None) -> list[Any]:
        """Each file by itself."""
        files = data if isinstance(data, list | tuple) else [data] if data else []
        if not files and self.required:
            raise forms.ValidationError(self.error_messages["required"], code="required")
        return [super(FilesField, self).clean(file, initial) for file in files]


class AboutRun(forms.Form):
    """What is said about a run."""

    team = forms.CharField(max_length=200, required=False, help_text="Who made it. Stays as first written.")
    description = forms.CharField(
        max_length=10_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="How it was made: models, data, what is special.",
    )
    run_type = forms.CharField(
        max_length=100, required=False, label="Family", help_text="Such as dense, rerank, bm25."
    )
    paper = forms.CharField(max_length=500, required=False, label="Paper (link)")
    code = forms.CharField(max_length=500, required=False, label="Code (link)")
    submitted_on = forms.DateField(required=False, widget=Day(), label="Date of the submission")
    anonymous_until = forms.DateField(
        required=False, widget=Day(), help_text="Who made it is not shown before this day."
    )
    baseline = forms.BooleanField(required=False, label="A baseline of the board's own")


class SendRuns(AboutRun):
    """Run files, how they are read, what is said about them."""

    run_tag = forms.CharField(
        max_length=200, required=False, help_text="Instead of the file's own; with one file only."
    )
    release = forms.ChoiceField(choices=RELEASES, initial="private")
    order = forms.ChoiceField(
        choices=[
            ("", "as usual: TREC by score, MS MARCO by rank"),
            ("score", "by score"),
            ("rank", "by rank"),
        ],
        required=False,
        label="Order",
    )
    variant_of = forms.CharField(
        max_length=200,
        required=False,
        help_text="Tag of the run it differs from by hyperparameters or seed alone.",
    )
    skip_unknown = forms.BooleanField(
        required=False, label="Leave out lines of queries that the collection does not have"
    )
    check_only = forms.BooleanField(required=False)
    run_files = FilesField(required=False, label="Run files")

    def about(self) -> list[forms.BoundField]:
        """The fields about the runs."""
        return [self[name] for name in AboutRun.base_fields]

    def reading(self) -> list[forms.BoundField]:
        """The fields about how files are read and who sees the runs."""
        return [self[name] for name in ("release", "run_tag", "order", "variant_of", "skip_unknown")]

    def options(self) -> dict[str, Any]:
        """As an upload keeps them; what was left empty is left out."""
        said = {name: value for name, value in self.cleaned_data.items() if value}
        for name in ("run_files", "check_only"):
            said.pop(name, None)
        return {name: value.isoformat() if isinstance(value, date) else value for name, value in said.items()}


class DescribeRun(AboutRun):
    """What is said about a run that is there. What is held fast can be read and not changed."""

    def __init__(self, run: Run, held: frozenset[str], data: Any = None) -> None:
        initial = {name: getattr(run, name) for name in AboutRun.base_fields}
        super().__init__(data, initial=initial)
        for name in held:
            self.fields[name].disabled = bool(getattr(run, name)) or name == "baseline"
            if self.fields[name].disabled:
                self.fields[name].help_text = "The board's policy keeps it as it is."


class AboutCollection(forms.Form):
    """What is said about a collection."""

    title = forms.CharField(max_length=MOST["title"], required=False, help_text="What people call it.")
    description = forms.CharField(
        max_length=MOST["description"], required=False, widget=forms.Textarea(attrs={"rows": 2})
    )
    licence = forms.CharField(
        max_length=MOST["licence"],
        required=False,
        help_text="What others may do with queries, passages and judgments, such as CC BY 4.0.",
    )
    citation = forms.CharField(
        max_length=MOST["citation"],
        required=False,
        label="Source and citation",
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Where it comes from, and how to cite it.",
    )


class DescribeCollection(AboutCollection):
    """What is said about a collection that is there."""

    language = forms.CharField(
        max_length=20,
        help_text="Of queries and passages: en, ar, ja, zh-Hant … Workers' pages read and break lines by it at once, "
        "also in campaigns under way.",
    )
    max_run_depth = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=DEEPEST,
        label="Most passages a query",
        help_text="A run that lists more for a query is refused. Runs that are here stay.",
    )

    def clean_language(self) -> str:
        """A tag that there is."""
        language: str = self.cleaned_data["language"]
        try:
            check_language(language)
        except PoolingError as refusal:
            raise forms.ValidationError(str(refusal)) from None
        return language


class CreateCollection(AboutCollection):
    """A new collection and its files."""

    field_order = ("name", *AboutCollection.base_fields, "language", "queries", "passages", "there", "qrels")
    name = forms.SlugField(
        max_length=80,
        help_text="Letters, digits, hyphens and underscores; it stands in addresses.",
        error_messages=NO_NAME,
    )
    language = forms.CharField(
        max_length=20, initial="en", help_text="Of queries and passages: en, ar, ja, zh-Hant …"
    )
    queries = forms.FileField(help_text="A line each: qid, tab, text; or JSON lines. Plain or compressed.")
    passages = FilesField(
        required=False,
        help_text="A line each: pid, tab, text; or JSON lines. Only texts that are needed are kept in the database.",
    )
    there = forms.MultipleChoiceField(
        required=False, label="Passage files on the server", widget=forms.CheckboxSelectMultiple
    )
    qrels = forms.FileField(required=False, help_text="The labels that are known: qid 0 pid grade.")
    min_grade = forms.IntegerField(
        initial=1, min_value=-100, max_value=100, label="Relevant from grade", required=False
    )

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.offered = _offer_sources(self)


class AddFiles(forms.Form):
    """More passage files and labels for a collection that is there."""

    passages = FilesField(
        required=False,
        label="Passage files",
        help_text="A line each: pid, tab, text; or JSON lines. Texts that are there already stay.",
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
    skip_unknown = forms.BooleanField(required=False, label="Leave out lines of unknown queries")

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.offered = _offer_sources(self)

    def clean(self) -> dict[str, Any]:
        """At least one file; labels have a name."""
        said = super().clean() or {}
        if not self.errors and not (said["passages"] or said["qrels"] or said.get("there")):
            raise forms.ValidationError("Choose at least one file.")
        if said.get("qrels") and not said.get("set") and "set" not in self.errors:
            self.add_error("set", "Name the labels: boards and campaigns refer to them by it.")
        return said


def _offer_sources(form: forms.Form) -> dict[str, Path]:
    """Fill in the passage files that lie on the server, by name; without any the field goes."""
    offered = {path.name: path for path in sources_on_the_server()}
    there = form.fields["there"]
    assert isinstance(there, forms.MultipleChoiceField)
    there.choices = [(name, name) for name in offered]
    if not offered:
        del form.fields["there"]
    return offered
