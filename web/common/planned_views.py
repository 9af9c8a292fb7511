"""Views of plans: the choices are in the page's address, and a job builds what was planned."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from config.background.models import Job
from pooling.collections.members import may
from pooling.models import Collection
from web.common.job_progress import Work


def back_to(plan: str, request: HttpRequest, collection: Collection) -> HttpResponse:
    """Redirect to the page named ``plan`` with the submitted choices."""
    query = request.POST.copy()
    for name in ("csrfmiddlewaretoken", "name"):
        query.pop(name, None)
    return redirect(f"{reverse(plan, args=[collection.name])}?{query.urlencode()}")


def show_work(
    request: HttpRequest, collection: Collection, job: Job, *, what: str, plan: str, made: str, again: str
) -> HttpResponse:
    """Show the job's progress and redirect to ``made`` when it is done; ``plan`` is the planning page.

    ``again`` is the address that retries a failed job.
    """
    if "part" in request.GET:
        return render(request, "web/parts/work.html", {"work": Work(job), "part": True})
    if job.state == Job.State.DONE:
        return redirect(made)
    context = {
        "job": job,
        "collection": collection,
        "work": Work(job),
        "again": again if may(request.user, "prepare campaign", collection) else "",
        "what": what,
        "plan": reverse(plan, args=[collection.name]),
    }
    return render(request, "web/common/planned_work.html", context)
