"""What is thought over on a page whose address holds the choices, and then made in the background."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from config.background.models import Job
from pooling.models import Collection
from web.services.work import failure_of


def back_to(plan: str, request: HttpRequest, collection: Collection) -> HttpResponse:
    """To the page called ``plan``, with the choices that were sent off."""
    query = request.POST.copy()
    for name in ("csrfmiddlewaretoken", "name"):
        query.pop(name, None)
    return redirect(f"{reverse(plan, args=[collection.name])}?{query.urlencode()}")


def show_work(
    request: HttpRequest, collection: Collection, job: Job, *, what: str, plan: str, made: str
) -> HttpResponse:
    """How far the work is, on to the address ``made`` when it is done; ``plan`` is where it was thought over."""
    if "part" in request.GET:
        return render(request, "web/parts/job.html", {"job": job})
    if job.state == Job.State.DONE:
        return redirect(made)
    context = {
        "job": job,
        "collection": collection,
        "refusal": failure_of(job),
        "what": what,
        "plan": reverse(plan, args=[collection.name]),
    }
    return render(request, "web/planned_work.html", context)
