from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from config.plurals import many
from pooling.collections.members import may
from pooling.errors import SubmissionRefused
from pooling.models import Collection, Run
from pooling.runs.run_descriptions import describe_run, release_runs
from pooling.teams.submission_policies import fixed_facts
from pooling.teams.teams import own_run
from tournament.services.withdrawals import reasons_to_stay, withdraw_run
from web.common.access import collection_for, needs, require
from web.common.run_choice import chosen_run_keys
from web.common.shown_refusals import complain_if_refused
from web.common.visibility import opened_runs
from web.runs import pages as service
from web.runs.forms import RELEASES, DescribeRun
from web.runs.versus import versus_page


@require_safe
def runs(request: HttpRequest, name: str) -> HttpResponse:
    """List the runs that the person can see, searched, sorted and paginated as the URL requests."""
    found = collection_for(request.user, name)
    return render(request, "web/runs/runs.html", service.runs_page(found, request.user, request.GET))


@require_safe
def run(request: HttpRequest, name: str, key: int) -> HttpResponse:
    """Show a run: its description, values and queries."""
    found = collection_for(request.user, name)
    one = get_object_or_404(opened_runs(found, request.user), pk=key)
    return render(request, "web/runs/run.html", service.run_page(found, one, request.user, request.GET))


@require_safe
def versus(request: HttpRequest, name: str) -> HttpResponse:
    """Compare two runs: a verdict, the differences query by query, and both rankings of one query."""
    found = collection_for(request.user, name)
    return render(request, "web/runs/versus.html", versus_page(found, request.user, request.GET))


@require_http_methods(["GET", "POST"])
def edit_run_description(request: HttpRequest, name: str, key: int) -> HttpResponse:
    """Edit a run's description, as far as the board's policy allows; a team edits its own."""
    collection, one, by_team = _to_change(request, name, key)
    form = DescribeRun(one, fixed_facts(one), request.POST or None, by_team=by_team)
    back = reverse("web:run", args=[collection.name, one.pk])
    if request.method == "POST" and form.is_valid():
        try:
            describe_run(run=one, changes=form.cleaned_data, who=request.user.get_username(), by_team=by_team)
            return redirect(back)
        except SubmissionRefused as refusal:
            for name in refusal.missing:
                form.add_error(name, "The board requires this.")
            form.add_error(None, refusal.message)
    context = {"collection": collection, "run": one, "form": form, "back": back}
    return render(request, "web/runs/describe_run.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "POST"])
def change_release(request: HttpRequest, name: str, key: int) -> HttpResponse:
    """Change a run's release level after a confirmation, since public data may have been copied.

    A team can only widen the release of its own run; maintainers can also narrow it.
    """
    collection, one, by_team = _to_change(request, name, key)
    wanted = request.POST.get("release") or request.GET.get("release", "")
    levels = dict(RELEASES)
    back = reverse("web:run", args=[collection.name, one.pk])
    if wanted not in levels:
        messages.error(request, "Choose public, scores or private.")
        return redirect(back)
    if request.method == "POST":
        with complain_if_refused(request):
            describe_run(
                run=one, changes={"release": wanted}, who=request.user.get_username(), by_team=by_team
            )
            messages.success(request, f"{one.run_tag} is now released as {wanted}.")
        return redirect(back)
    context = {"collection": collection, "run": one, "wanted": wanted, "levels": levels, "back": back}
    return render(request, "web/runs/release_run.html", context)


@require_http_methods(["GET", "POST"])
@needs("edit run")
def change_releases(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Change the release level of the chosen runs after a confirmation that lists them."""
    asked = request.POST if request.method == "POST" else request.GET
    chosen = opened_runs(collection, request.user).filter(pk__in=chosen_run_keys(asked)).order_by("run_tag")
    found, wanted, levels = (
        list(chosen.select_related("collection")),
        asked.get("release", ""),
        dict(RELEASES),
    )
    if wanted not in levels or not found:
        messages.error(request, "Choose runs, and public, scores or private.")
        return redirect("web:runs", collection.name)
    if request.method == "POST":
        changed = release_runs(runs=found, release=wanted, who=request.user.get_username())
        messages.success(request, f"{many(len(changed), 'run is', 'runs are')} now released as {wanted}.")
        return redirect("web:runs", collection.name)
    changing = [one for one in found if one.release != wanted]
    context = {"collection": collection, "runs": found, "changing": changing, "wanted": wanted}
    return render(request, "web/runs/release_runs.html", context)


@require_http_methods(["GET", "POST"])
@needs("edit run")
def run_withdrawal(request: HttpRequest, collection: Collection, key: int) -> HttpResponse:
    """Remove a run from the collection after a confirmation, if nothing depends on it."""
    one = _run_or_404(request, collection, key)
    if request.method == "POST":
        with complain_if_refused(request):
            withdraw_run(run=one, who=request.user.get_username())
            messages.success(request, f"{one.run_tag} was withdrawn.")
            return redirect("web:runs", collection.name)
        return redirect("web:run", collection.name, key)
    context = {"collection": collection, "run": one, "reasons": reasons_to_stay(one)}
    return render(request, "web/runs/withdraw_run.html", context)


def _to_change(request: HttpRequest, name: str, key: int) -> tuple[Collection, Run, bool]:
    """Return the collection, a run, and whether the person can describe it only as a member of its team.

    Raises Http404, PermissionDenied.
    """
    collection = collection_for(request.user, name)
    if not may(request.user, "edit run", collection) and (own := own_run(request.user, collection, key)):
        return collection, own, True
    require(request.user, "edit run", collection)
    return collection, _run_or_404(request, collection, key), False


def _run_or_404(request: HttpRequest, collection: Collection, key: int) -> Run:
    related = opened_runs(collection, request.user).select_related("collection")
    return get_object_or_404(related, pk=key)
