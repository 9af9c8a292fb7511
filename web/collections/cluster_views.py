"""Pages of a collection's near-duplicates: show, find, import and remove them."""

from pathlib import Path

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from config.plurals import many
from judging.campaign.duplicate_classes import import_clusters, remove_clusters
from judging.jobs import ring_to_cluster
from leaderboard.analyses.near_duplicates.analysis import class_labels
from leaderboard.scoring.labels import qrel_set_labels
from pooling.models import Collection, QrelSet
from pooling.rules.near_duplicates import Likeness
from web.collections.cluster_pages import clusters_page, work_on_clusters
from web.common.access import needs
from web.common.row_files import as_attachment
from web.common.shown_refusals import complain_if_refused

USUAL = Likeness()


class FindNearDuplicates(forms.Form):
    """The settings of a search for near-duplicates."""

    threshold = forms.FloatField(
        min_value=0.5,
        max_value=1,
        initial=USUAL.threshold,
        label="Minimum similarity",
        help_text="Jaccard coefficient of the shingles of two texts, from 0.5 to 1.",
    )
    shingle = forms.IntegerField(
        min_value=1,
        max_value=20,
        initial=USUAL.shingle,
        label="Words per shingle",
        help_text="Successive words that are compared as one, from 1 to 20.",
    )


class ImportNearDuplicates(forms.Form):
    """The form that imports classes from a file."""

    file = forms.FileField(
        label="Cluster file",
        help_text="A class and a passage on each line, or the output of isoboroff/dedupe.",
    )


@require_safe
@needs("see everything")
def near_duplicate_classes(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Show the classes: sizes, the texts of the largest classes, and the effect on pools."""
    return _near_duplicates_page(request, collection, FindNearDuplicates(), ImportNearDuplicates())


@require_safe
@needs("see everything")
def labels_file(_request: HttpRequest, collection: Collection, labels: str, form: str) -> HttpResponse:
    """Return a qrel set as a file by near-duplicate class.

    ``form`` is ``once`` for one label per class, or ``expanded`` for labels of all passages of each class.
    """
    if form not in ("once", "expanded"):
        raise Http404("There is no such file of labels.")
    found = get_object_or_404(QrelSet, collection=collection, name=labels)
    content = class_labels(collection, qrel_set_labels(found)).as_qrels(expand=form == "expanded")
    return as_attachment(content, f"{collection.name}-{labels}-{form}.qrels", "text/plain; charset=utf-8")


@require_POST
@needs("add files")
def change_near_duplicates(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Find near-duplicates in the background, import them from a file, or remove them."""
    who, action = request.user.get_username(), request.POST.get("action")
    find, bring = FindNearDuplicates(), ImportNearDuplicates()
    if action == "remove" and "sure" not in request.POST:
        messages.error(request, "Nothing was removed. Tick the box to discard the classes.")
        return redirect("web:near_duplicates", collection.name)
    with complain_if_refused(request):
        if action == "remove":
            gone = remove_clusters(collection, who=who)
            messages.success(request, f"{many(gone.classes, 'class', 'classes')} removed.")
        elif action == "import":
            bring = ImportNearDuplicates(request.POST, request.FILES)
            if not bring.is_valid():
                return _near_duplicates_page(request, collection, find, bring)
            sent = bring.cleaned_data["file"]
            made = import_clusters(collection, Path(sent.file.name), name=sent.name, who=who)
            new = f"{many(made.classes, 'class', 'classes')} with {many(made.members, 'passage')} imported."
            known = f"The collection's pools and labels have {made.parameters['in_collection']:,} of them."
            messages.success(request, f"{new} {known}")
        else:
            find = FindNearDuplicates(request.POST)
            if not find.is_valid():
                return _near_duplicates_page(request, collection, find, bring)
            said = find.cleaned_data
            ring_to_cluster(collection, Likeness(said["threshold"], said["shingle"]), who=who)
    return redirect("web:near_duplicates", collection.name)


@require_safe
@never_cache
@needs("see everything")
def clustering_progress(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Render the progress part of the near-duplicates page, for the script that refreshes it."""
    work = work_on_clusters(collection)
    return render(request, "web/parts/work.html", {"work": work, "part": True})


def _near_duplicates_page(
    request: HttpRequest, collection: Collection, find: FindNearDuplicates, bring: ImportNearDuplicates
) -> HttpResponse:
    page = clusters_page(collection, request.user) | {"find": find, "bring": bring}
    status = 422 if find.errors or bring.errors else 200
    return render(request, "web/collections/near_duplicates.html", page, status=status)
