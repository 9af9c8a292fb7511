"""The form that derives document labels from passage labels."""

from itertools import chain
from pathlib import Path

from django import forms
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from config.plurals import many
from pooling.errors import NotFound
from pooling.labels.document_labels import before_last, documents_in_file, map_labels, provenance_of
from pooling.models import Collection, QrelSet
from web.common.access import needs
from web.common.row_files import in_pieces, streamed_text
from web.common.shown_refusals import add_error_if_refused

#: Larger files of passages and their documents take longer to read than a page should take to load.
LARGEST_FILE = 50 * 1024**2


class DocumentLabelsForm(forms.Form):
    """The labels of passages, the new set, and how to find a passage's document: a separator or a file."""

    qrels = forms.ModelChoiceField(QrelSet.objects.none(), empty_label=None, label="Labels of passages")
    set_name = forms.CharField(max_length=80, label="Name of the labels")
    min_grade = forms.IntegerField(
        min_value=1, max_value=99, initial=1, label="Documents are relevant from grade"
    )
    before = forms.CharField(
        max_length=20,
        required=False,
        strip=False,
        label="Separator",
        help_text="The document’s id is the part of a passage’s id before the last separator: with _ the passage "
        "msmarco_doc_12_345 belongs to msmarco_doc_12.",
    )
    file = forms.FileField(
        required=False,
        label="File of passages and documents",
        help_text="Instead of a separator. Each line has a passage and its document.",
    )

    def __init__(self, collection: Collection, *given: object) -> None:
        super().__init__(*given)  # type: ignore[arg-type]
        self.fields["qrels"].queryset = collection.passage_labels().order_by("name")  # type: ignore[attr-defined]

    def clean_file(self) -> UploadedFile | None:
        """Refuse a file that takes too long to read while a page loads."""
        file: UploadedFile | None = self.cleaned_data["file"]
        if file and (file.size or 0) > LARGEST_FILE:
            raise forms.ValidationError(
                f"The file is larger than {LARGEST_FILE // 1024**2} MiB. Leave out passages without a label."
            )
        return file

    def clean(self) -> None:
        """Require either a separator or a file."""
        given = bool(self.cleaned_data.get("file")) or "file" in self.errors
        if bool(self.cleaned_data.get("before")) == given:
            self.add_error("before", "Enter a separator or choose a file, not both.")


@require_http_methods(["GET", "HEAD", "POST"])
@needs("add files")
def document_labels(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Show the form; a POST creates the labels."""
    posted = (request.POST, request.FILES) if request.method == "POST" else ()
    form = DocumentLabelsForm(collection, *posted)
    if posted and form.is_valid():
        with add_error_if_refused(form):
            _make_labels(request, form)
            return redirect("web:collection", collection.name)
    made = (
        QrelSet.objects.filter(collection=collection).exclude(mapped_from=None).select_related("mapped_from")
    )
    context = {"collection": collection, "form": form, "made": made.order_by("name")}
    return render(
        request, "web/collections/document_labels.html", context, status=422 if form.errors else 200
    )


@require_safe
@needs("add files")
def document_label_sources(
    _request: HttpRequest, collection: Collection, labels: str
) -> StreamingHttpResponse:
    """Return the labels of documents as a file, each with the passage that it comes from."""
    found = get_object_or_404(QrelSet, collection=collection, name=labels)
    try:
        sources = provenance_of(found)
    except NotFound as refusal:
        raise Http404(str(refusal)) from None
    lines = ("\t".join(map(str, vars(one).values())) for one in sources)
    pieces = in_pieces(f"{line}\n" for line in chain(["qid\tdocument\tgrade\tpassage"], lines))
    return streamed_text(pieces, f"{collection.name}-{found.name}-sources.tsv", "text/tab-separated-values")


def _make_labels(request: HttpRequest, form: DocumentLabelsForm) -> None:
    said = form.cleaned_data
    document_of, file = before_last(said["before"]), said["file"]
    if file:
        document_of = documents_in_file(Path(file.file.name), name=file.name[:100]).get
    made = map_labels(
        qrel_set=said["qrels"],
        document_of=document_of,
        set_name=said["set_name"],
        min_grade=said["min_grade"],
    )
    labels = many(made.labels, "label of a document", "labels of documents")
    messages.success(
        request, f"The qrel set {made.qrel_set.name} has {labels}, {made.relevant:,} of them relevant."
    )
