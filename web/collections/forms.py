"""Forms to create and describe collections, and to add files to them."""

from pathlib import Path
from typing import Any

from django import forms

from leaderboard.board.default_measure import USUAL, checked_default
from leaderboard.errors import UnknownMeasure
from pooling.collections.collection_details import DEEPEST, MOST
from pooling.collections.name_rules import check_language
from pooling.errors import PoolingError
from pooling.intake.sent_files import CANDIDATES, PASSAGES, QRELS, QUERIES, SentFile, sources_on_the_server
from pooling.models import Collection
from web.common.advanced_fields import AdvancedFields
from web.common.seen_values import SeenValuesForm
from web.runs.forms import LEAVE_OUT, FilesField


class AboutCollection(forms.Form):
    """A collection's description."""

    title = forms.CharField(max_length=MOST["title"], required=False, help_text="The name shown to people.")
    description = forms.CharField(
        max_length=MOST["description"], required=False, widget=forms.Textarea(attrs={"rows": 2})
    )
    license = forms.CharField(
        max_length=MOST["license"],
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
        help_text="The relevance labels (qrels) that runs are scored with when somebody opens the leaderboard. "
        "Readers can choose others there. Labels that you add later do not replace these.",
    )
    board_measure = forms.CharField(
        required=False,
        max_length=60,
        label="Measure of the leaderboard",
        widget=forms.TextInput(attrs={"list": "measures", "spellcheck": "false", "autocomplete": "off"}),
        help_text="Runs are ranked by this measure when somebody opens the leaderboard, and a run's page shows it "
        "first. Readers can choose others there. Choose from the list, or enter another measure whose higher "
        "values are better, such as nDCG@20.",
    )
    measures = USUAL

    def __init__(self, collection: Collection, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.collection = collection
        default = collection.default_labels()
        if default is None:
            del self.fields["board_labels"]
            return
        names = collection.qrel_sets.order_by("pk").values_list("name", flat=True)
        field: Any = self.fields["board_labels"]
        field.choices, self.initial["board_labels"] = [(name, name) for name in names], default.name

    def clean_board_measure(self) -> str:
        measure = self.cleaned_data["board_measure"].strip()
        try:
            return checked_default(self.collection, measure) if measure else ""
        except UnknownMeasure as refusal:
            raise forms.ValidationError(str(refusal)) from None

    def clean_language(self) -> str:
        language: str = self.cleaned_data["language"]
        try:
            check_language(language)
        except PoolingError as refusal:
            raise forms.ValidationError(str(refusal)) from None
        return language


class CollectionFiles(forms.Form):
    """Passage files and labels to upload, and a choice of passage files on the server."""

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
    min_grade = forms.IntegerField(
        initial=1, min_value=-100, max_value=100, label="Relevant from grade", required=False
    )
    skip_unknown = forms.BooleanField(required=False, label=LEAVE_OUT)

    def __init__(self, *args: Any, **named: Any) -> None:
        """Offer the passage files on the server by name; remove the field if there is no such file."""
        super().__init__(*args, **named)
        self.offered = {path.name: path for path in sources_on_the_server()}
        there = self.fields["there"]
        assert isinstance(there, forms.MultipleChoiceField)
        there.choices = [(name, name) for name in self.offered]
        if not self.offered:
            del self.fields["there"]

    def clean_min_grade(self) -> int:
        """Return the grade, or 1 if the field was left empty."""
        grade = self.cleaned_data["min_grade"]
        return 1 if grade is None else grade

    def sent(self) -> list[SentFile]:
        """Return the uploaded files, each with its kind."""
        said = self.cleaned_data
        files = [
            (QUERIES, said.get(QUERIES)),
            *((PASSAGES, file) for file in said[PASSAGES]),
            (QRELS, said[QRELS]),
            (CANDIDATES, said.get(CANDIDATES)),
        ]
        return [SentFile(what, file.name, file) for what, file in files if file]

    def on_server(self) -> list[Path]:
        """Return the chosen passage files on the server."""
        return [self.offered[name] for name in self.cleaned_data.get("there", [])]


class CreateCollection(AdvancedFields, CollectionFiles, AboutCollection):
    """A new collection and its files."""

    ADVANCED = ("description", "license", "citation", "min_grade", "skip_unknown")

    field_order = ("name", *AboutCollection.base_fields, "language", "queries", "passages", "there", "qrels")
    name = forms.SlugField(
        max_length=80,
        help_text="Letters, digits, hyphens and underscores; part of addresses.",
    )
    language = forms.CharField(
        max_length=20, initial="en", help_text="The language of queries and passages: en, ar, ja, zh-Hant …"
    )
    queries = forms.FileField(help_text="One per line: qid, tab, text; or JSON lines. Plain or compressed.")
    passages = FilesField(
        required=False,
        help_text="One per line: pid, tab, text; or JSON lines. The database stores only the texts that are needed.",
    )
    qrels = forms.FileField(
        required=False,
        help_text="Known labels: qid 0 pid grade. Grade 1 and above count as relevant; change this under Advanced.",
    )
    skip_unknown = forms.BooleanField(
        required=False, label=LEAVE_OUT, help_text="Labels of queries that are not in the query file."
    )


class AddFiles(CollectionFiles):
    """More passage files, labels and candidates for reranking, for an existing collection."""

    field_order = ("passages", "there", "qrels", "set", "min_grade", "candidates")
    set = forms.SlugField(
        max_length=80,
        required=False,
        label="Name of the labels",
        help_text="Such as official or graded.",
    )
    candidates = forms.FileField(
        required=False,
        label="Candidates for reranking",
        help_text="The passages that runs with the subtask rerank may reorder, in the format of a run. A rerank run "
        "with other passages is refused. Replaces earlier candidates; existing runs stay.",
    )
    withheld = forms.BooleanField(
        required=False,
        label="Withhold the labels",
        help_text="Everybody sees scores, but only members see the labels. Owners can change this.",
    )

    def clean(self) -> dict[str, Any]:
        """Require at least one file, and a name for labels."""
        said = super().clean() or {}
        files = ("passages", "qrels", "candidates", "there")
        if not self.errors and not any(said.get(name) for name in files):
            raise forms.ValidationError("Choose at least one file.")
        if said.get("qrels") and not said.get("set") and "set" not in self.errors:
            self.add_error("set", "Enter a name for the labels. Leaderboards and campaigns use it.")
        return said
