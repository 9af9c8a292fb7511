"""Pages for run details: describe many runs from a table, and choose which details teams provide."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from config.plurals import many
from leaderboard.scoring.measure_names import is_measure
from pooling.models import AnnouncedRun, Collection
from pooling.rules.run_details import BY_NAME, value_in_words
from pooling.runs.run_metadata import MOST_BYTES, import_run_metadata, withdraw_announcements
from pooling.teams.run_fields import MOST_OWN, asked_details, known_details, set_run_fields
from web.common.access import needs
from web.common.seen_values import SeenValuesForm
from web.common.shown_refusals import add_error_if_refused

ANNOUNCED_A_PAGE = 50


class RunTable(forms.Form):
    """A table of run descriptions, as a file or pasted."""

    table = forms.FileField(required=False, label="Table", help_text="TSV or CSV in UTF-8, with a header.")
    pasted = forms.CharField(
        required=False,
        max_length=MOST_BYTES,
        label="Or paste it",
        strip=False,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
    )
    check_only = forms.BooleanField(required=False)

    def clean(self) -> dict[str, Any]:
        """Read the table into ``text`` and its name into ``name``."""
        said = super().clean() or {}
        file = said.get("table")
        if file and file.size > MOST_BYTES:
            raise forms.ValidationError("The file is larger than 20 MB. Split it.")
        if not file and not (said.get("pasted") or "").strip():
            raise forms.ValidationError("Choose a file, or paste the table.")
        try:
            said["text"] = file.read().decode() if file else said["pasted"]
        except UnicodeDecodeError:
            raise forms.ValidationError(
                "The file is not UTF-8 text. Save it as UTF-8 and send it again."
            ) from None
        said["name"] = file.name if file else "the table"
        return said


class RunFieldsForm(SeenValuesForm):
    """The details that a collection asks for, and its own fields."""

    asked = forms.MultipleChoiceField(
        label="Asked about every run",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Teams see these fields when they send a run. The submission policy decides which are required.",
    )
    own = forms.CharField(
        label="Own fields",
        required=False,
        max_length=50_000,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text="One per line: name | label | definition | choices separated by commas, or nothing for free "
        f"text. At most {MOST_OWN}.",
    )

    def __init__(self, collection: Collection, data: Any = None) -> None:
        own = collection.run_fields.get("own", [])
        lines = [
            " | ".join([one["name"], one["label"], one["definition"], ", ".join(one["choices"])])
            for one in own
        ]
        asked = list(asked_details(collection))
        super().__init__(data, initial={"asked": asked, "own": "\n".join(lines)})
        field = self.fields["asked"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [
            (one.name, f"{one.label}: {one.explained}") for one in known_details(collection).values()
        ]

    def clean_own(self) -> list[dict[str, Any]]:
        found = []
        for line in self.cleaned_data["own"].splitlines():
            if line.strip():
                name, label, definition, choices = ([part.strip() for part in line.split("|")] + [""] * 4)[:4]
                found.append(
                    {
                        "name": name,
                        "label": label,
                        "definition": definition,
                        "choices": [one.strip() for one in choices.split(",") if one.strip()],
                    }
                )
        return found

    def chosen(self) -> dict[str, Any]:
        """Return the arguments of ``set_run_fields``. New own fields are asked about every run, too."""
        own = self.cleaned_data["own"]
        before = {name for name, _ in self.fields["asked"].choices}  # type: ignore[attr-defined]
        kept = {one["name"] for one in own} | BY_NAME.keys()
        asked = [name for name in self.cleaned_data["asked"] if name in kept]
        return {"asked": asked + [one["name"] for one in own if one["name"] not in before], "own": own}


@require_http_methods(["GET", "POST"])
@needs("edit run")
def run_metadata(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Describe many runs with a table, and list runs that are announced."""
    form = RunTable(request.POST, request.FILES) if request.method == "POST" else RunTable()
    found = None
    if request.method == "POST" and form.is_valid():
        said, check_only = form.cleaned_data, form.cleaned_data["check_only"]
        with add_error_if_refused(form):
            found = import_run_metadata(
                collection=collection,
                text=said["text"],
                name=said["name"],
                is_measure=is_measure,
                who=request.user.get_username(),
                dry_run=check_only,
            )
        if found and not check_only:
            messages.success(
                request,
                f"{many(len(found.described), 'run')} described, {many(len(found.announced), 'run')} announced, "
                f"{len(found.unchanged)} left unchanged.",
            )
            return redirect("web:run_metadata", collection.name)
    waiting = AnnouncedRun.objects.filter(collection=collection, run=None).order_by("pk")
    page = Paginator(waiting, ANNOUNCED_A_PAGE).get_page(request.GET.get("page"))
    known = known_details(collection)
    for one in page.object_list:
        said = one.said.get("details", {})
        shown = [
            f"{detail.label.lower()} {value_in_words(detail, said[name])}"
            for name, detail in known.items()
            if name in said
        ]
        one.in_words = " · ".join(shown)  # type: ignore[attr-defined]
    context = {
        "collection": collection,
        "form": form,
        "found": found,
        "page": page,
        "columns": ["run", "group", "description", "paper", "code", "baseline", "submitted_on", *known],
    }
    return render(request, "web/runs/run_metadata.html", context, status=422 if form.errors else 200)


@require_POST
@needs("edit run")
def withdraw_announced(request: HttpRequest, collection: Collection) -> HttpResponse:
    tags = request.POST.getlist("run")[:ANNOUNCED_A_PAGE]
    gone = withdraw_announcements(collection=collection, run_tags=tags, who=request.user.get_username())
    messages.success(
        request, f"{many(gone, 'announced run')} withdrawn." if gone else "Choose runs to withdraw."
    )
    return redirect("web:run_metadata", collection.name)


@require_http_methods(["GET", "POST"])
@needs("describe collection")
def run_fields(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Choose the details asked for each run, and define the collection's own fields."""
    form = RunFieldsForm(collection, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        with add_error_if_refused(form, "own"):
            set_run_fields(collection=collection, **form.chosen(), who=request.user.get_username())
            messages.success(request, "The run details are saved.")
            return redirect("web:run_fields", collection.name)
    context = {"collection": collection, "form": form}
    return render(request, "web/runs/run_fields.html", context, status=422 if form.errors else 200)
