"""Pages of "better than perfect" campaigns: plan a campaign and create its draft."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from config.background.services import try_again
from leaderboard import jobs
from pooling.collections.members import may
from pooling.models import Collection
from web.analyses.better_than_perfect_plans import asking_page
from web.common.access import needs
from web.common.planned_views import back_to, show_work
from web.common.shown_refusals import complain_if_refused
from web.preparation.step_views import who


@require_safe
@needs("see everything")
def show_asking_plan(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Show the plan for the values in the address; the form reloads it after every change."""
    page = asking_page(collection, request.GET)
    context = {
        "page": page,
        "collection": collection,
        "may_make": may(request.user, "prepare campaign", collection),
    }
    return render(request, "web/analyses/asking_plan.html", context, status=422 if page.form.errors else 200)


@require_POST
@needs("prepare campaign")
def make_asking_draft(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Start the job that creates the draft, and show its progress."""
    page = asking_page(collection, request.POST)
    if page.asked is not None:
        with complain_if_refused(request):
            name = request.POST.get("name", "").strip()
            job = jobs.ring_for_asking(name=name, who=who(request), **vars(page.asked))
            return redirect("web:asking_work", collection.name, job.pk)
    return back_to("web:asking_plan", request, collection)


@require_safe
@never_cache
@needs("see everything")
def asking_progress(request: HttpRequest, collection: Collection, key: int) -> HttpResponse:
    """Show the progress of creating the campaign, then redirect to its preparation."""
    job = get_object_or_404(jobs.asking_work(collection), pk=key)
    page = "web:prepare" if may(request.user, "prepare campaign", collection) else "web:campaign"
    made = reverse(page, args=[job.arguments["name"]])
    again = reverse("web:asking_again", args=[collection.name, job.pk])
    return show_work(
        request, collection, job, what="Campaign", plan="web:asking_plan", made=made, again=again
    )


@require_POST
@needs("prepare campaign")
def retry_asking(request: HttpRequest, collection: Collection, key: int) -> HttpResponse:
    """Retry a failed job that creates a draft."""
    job = try_again(get_object_or_404(jobs.asking_work(collection), pk=key))
    messages.success(request, "Trying again.")
    return redirect("web:asking_work", collection.name, job.pk)
