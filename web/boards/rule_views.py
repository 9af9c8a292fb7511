"""A board's rules: its submission policy, and which of its queries are private."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from config.plurals import many
from pooling.labels.query_splits import keep_split
from pooling.labels.withheld_labels import decimals_warnings, withhold_labels
from pooling.models import Collection, QrelSet
from pooling.teams.submission_policies import drop_policy, policy_of, set_policy
from web.boards import rules as pages
from web.boards.forms import LONGEST_WHY, PolicyForm, SplitForm
from web.common.access import collection_for, needs, require
from web.common.shown_refusals import complain_if_refused

READ = ["GET", "HEAD", "POST"]


@require_http_methods(READ)
def policy(request: HttpRequest, name: str) -> HttpResponse:
    """Show the submission policy; owners can change it here, with a reason."""
    found = collection_for(request.user, name)
    form = None
    if request.method == "POST":
        require(request.user, "set policy", found)
        form = PolicyForm(request.POST, collection=found, policy=policy_of(found))
        if form.is_valid():
            saved = set_policy(collection=found, who=request.user.get_username(), **form.cleaned_data)
            messages.success(request, f"The policy is saved. It applies to new runs of {found.name}.")
            for warning in decimals_warnings(saved):
                messages.warning(request, warning)
            return redirect("web:policy", found.name)
    context = pages.policy_page(found, request.user, form)
    return render(request, "web/boards/policy.html", context, status=422 if form and form.errors else 200)


@require_POST
@needs("set policy")
def delete_board_policy(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Delete the policy; it can be set again."""
    why = request.POST.get("why", "").replace("\0", "").strip()[:LONGEST_WHY]
    if not why:
        messages.error(request, "Enter a reason. It is logged with your name.")
    elif drop_policy(collection=collection, who=request.user.get_username(), why=why):
        messages.success(request, f"{collection.name} no longer has a submission policy.")
    return redirect("web:policy", collection.name)


@require_POST
@needs("set policy")
def withhold(request: HttpRequest, collection: Collection, labels: str) -> HttpResponse:
    """Withhold a qrel set's labels, or publish them (``publish``); without ``sure``, preview what becomes visible."""
    qrel_set = get_object_or_404(QrelSet, collection=collection, name=labels)
    why = request.POST.get("why", "").replace("\0", "").strip()[:LONGEST_WHY]
    withheld = "publish" not in request.POST
    if not why:
        messages.error(request, "Enter a reason. It is logged with your name.")
    elif not withheld and qrel_set.withheld and "sure" not in request.POST:
        preview = pages.labels_to_publish(qrel_set)
        context = {"collection": collection, "preview": preview, "why": why}
        return render(request, "web/boards/publish_labels.html", context)
    elif withhold_labels(qrel_set, withheld=withheld, who=request.user.get_username(), why=why):
        said = "withheld: everybody sees rounded scores only" if withheld else "shown to everybody again"
        messages.success(request, f"The labels {qrel_set.name} are {said}.")
        for warning in decimals_warnings(policy_of(collection)):
            messages.warning(request, warning)
    return redirect(f"{reverse('web:policy', args=[collection.name])}#h-labels")


@require_http_methods(READ)
@needs("see everything")
def split(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Show the private queries. If there is no split yet, owners preview a split and confirm it permanently."""
    form = SplitForm(request.POST if request.method == "POST" else None, collection=collection)
    if request.method == "POST":
        require(request.user, "split queries", collection)
        if form.is_valid() and form.parted and "sure" in request.POST:
            with complain_if_refused(request):
                keep_split(collection, form.parted, who=request.user.get_username())
                count = many(len(form.parted.qids), "query is", "queries are")
                messages.success(request, f"{count} now private.")
            return redirect("web:split", collection.name)
    context = pages.split_page(collection, request.user, form)
    return render(request, "web/boards/split.html", context, status=422 if form.errors else 200)
