from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.roles import who_can
from config.background.services import try_again
from pooling import jobs
from pooling.collections.members import may
from pooling.collections.name_rules import free_name
from pooling.models import Collection, Pool
from web.common.access import needs
from web.common.planned_views import back_to, show_work
from web.common.shown_refusals import add_error_if_refused, complain_if_refused
from web.pools import pages
from web.pools.forms import FractionForm


@require_safe
@needs("see everything")
def list_pools(request: HttpRequest, collection: Collection) -> HttpResponse:
    return render(request, "web/pools/pools.html", pages.pools_page(collection, request.user))


@require_safe
@needs("see everything")
def show_pool_plan(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Show the pool plan for the values in the address; the form reloads it after every change."""
    page = pages.plan_page(collection, request.GET)
    context = {
        "page": page,
        "collection": collection,
        "may_build": may(request.user, "prepare campaign", collection),
        "builders": who_can("prepare campaign"),
        "suggested_name": free_name(f"{collection.name}-pool", Pool.objects.all()),
    }
    return render(request, "web/pools/pool_plan.html", context, status=422 if page.form.errors else 200)


@require_POST
@needs("prepare campaign")
def build(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Start building the pool, and show the progress."""
    page = pages.plan_page(collection, request.POST)
    if page.asked is not None:
        with complain_if_refused(request):
            name = request.POST.get("name", "").strip()
            who = request.user.get_username()
            job = jobs.ring_for_pool(collection=collection, name=name, who=who, **page.asked.arguments)
            return redirect("web:pool_work", collection.name, job.pk)
    return back_to("web:pool_plan", request, collection)


@require_safe
@never_cache
@needs("see everything")
def pool_building_progress(request: HttpRequest, collection: Collection, key: int) -> HttpResponse:
    """Show the progress of building a pool, then redirect to it."""
    job = get_object_or_404(jobs.pool_work(collection), pk=key)
    made = reverse("web:pool", args=[collection.name, job.arguments["name"]])
    again = reverse("web:build_again", args=[collection.name, job.pk])
    return show_work(request, collection, job, what="Pool", plan="web:pool_plan", made=made, again=again)


@require_POST
@needs("prepare campaign")
def build_again(request: HttpRequest, collection: Collection, key: int) -> HttpResponse:
    job = try_again(get_object_or_404(jobs.pool_work(collection), pk=key))
    messages.success(request, "Trying again.")
    return redirect("web:pool_work", collection.name, job.pk)


@require_safe
@needs("see everything")
def pool(request: HttpRequest, collection: Collection, pool: str) -> HttpResponse:
    return _pool_page(request, _pool_named(collection, pool))


@require_POST
@needs("prepare campaign")
def build_fraction(request: HttpRequest, collection: Collection, pool: str) -> HttpResponse:
    """Start building the same pool from a fraction of the corpus, and show the progress."""
    found = _pool_named(collection, pool)
    form = FractionForm(request.POST)
    if form.is_valid():
        asked = pages.fraction_asked_for(found, form)
        with add_error_if_refused(form):
            name, who = form.cleaned_data["name"], request.user.get_username()
            job = jobs.ring_for_pool(collection=collection, name=name, who=who, **asked.arguments)
            return redirect("web:pool_work", collection.name, job.pk)
    return _pool_page(request, found, form)


def _pool_named(collection: Collection, name: str) -> Pool:
    known = Pool.objects.select_related("collection", "qrel_set")
    return get_object_or_404(known, collection=collection, name=name)


def _pool_page(request: HttpRequest, found: Pool, form: FractionForm | None = None) -> HttpResponse:
    collection = found.collection
    name = free_name(f"{found.name}-fraction", Pool.objects.all())
    context = {
        "page": pages.pool_page(found),
        "collection": collection,
        "may_prepare": may(request.user, "prepare campaign", collection),
        "may_add": may(request.user, "add files", collection),
        "form": form or FractionForm(initial={"name": name}),
    }
    return render(request, "web/pools/pool.html", context, status=422 if form else 200)
