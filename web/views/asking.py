"""Whether a run is better than perfect: think the campaign over, have it made, go on with it."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from config.errors import Refusal
from leaderboard import jobs
from pooling.models import Collection
from pooling.services.members import may
from web.access import needs
from web.jobs import try_again
from web.services.asking import asking_page
from web.views.planned import back_to, show_work
from web.views.preparing_step import say, who


@require_safe
@needs("see everything")
def plan(request: HttpRequest, collection: Collection) -> HttpResponse:
    """What asking would take, as the address says; the form asks again with every change."""
    page = asking_page(collection, request.GET)
    context = {
        "page": page,
        "collection": collection,
        "may_make": may(request.user, "prepare campaign", collection),
    }
    return render(request, "web/asking_plan.html", context, status=422 if page.form.errors else 200)


@require_POST
@needs("prepare campaign")
def make(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Have the draft made, and show how far it is."""
    page = asking_page(collection, request.POST)
    if page.asked is not None:
        asked = page.asked
        try:
            job = jobs.ring_for_asking(
                name=request.POST.get("name", "").strip(),
                run=asked.run,
                qrel_set=asked.qrel_set,
                settings=asked.settings,
                sample=asked.sample,
                who=who(request),
            )
            return redirect("web:asking_work", collection.name, job.pk)
        except Refusal as refusal:
            say(request, refusal)
    return back_to("web:asking_plan", request, collection)


@require_safe
@never_cache
@needs("see everything")
def work(request: HttpRequest, collection: Collection, key: int) -> HttpResponse:
    """A campaign that is being made; on to its preparation when it is there."""
    job = get_object_or_404(jobs.asking_work(collection), pk=key)
    page = "web:prepare" if may(request.user, "prepare campaign", collection) else "web:campaign"
    made = reverse(page, args=[job.arguments["name"]])
    again = reverse("web:asking_again", args=[collection.name, job.pk])
    return show_work(
        request, collection, job, what="Campaign", plan="web:asking_plan", made=made, again=again
    )


@require_POST
@needs("prepare campaign")
def make_again(request: HttpRequest, collection: Collection, key: int) -> HttpResponse:
    """Have a draft made whose making failed."""
    job = try_again(get_object_or_404(jobs.asking_work(collection), pk=key))
    messages.success(request, "It is being tried again.")
    return redirect("web:asking_work", collection.name, job.pk)
