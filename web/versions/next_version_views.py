"""Pages that lead to the next version: challenges by new runs, and publishing."""

from decimal import Decimal, InvalidOperation

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from judging.models import Campaign
from pooling.collections import members
from pooling.models import Collection
from tournament.models import Challenge
from tournament.services.judged_facts import refuse_graded
from tournament.services.other_rooms import takes_real_money
from web.common.access import campaign_for, needs, require
from web.common.shown_refusals import complain_if_refused
from web.versions import next_version as pages
from web.versions.jobs import ring_for_challenge, ring_for_preview, ring_for_publishing

MOST_RUNS = 200


@require_safe
@needs("plan challenge")
def challenge_with(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Let the person choose a campaign for the challenge; redirect if only one can ask people."""
    found = pages.challengeable(collection)
    tags = urlencode([("run", tag) for tag in request.GET.getlist("run")[:MOST_RUNS]])
    if len(found) == 1:
        return redirect(f"{reverse('web:challenge', args=[found[0].name])}?{tags}")
    may_make = members.may(request.user, "prepare campaign", collection)
    context = {"collection": collection, "campaigns": found, "tags": tags, "may_make": may_make}
    return render(request, "web/versions/challenge_with.html", context)


@require_safe
@never_cache
def challenge(request: HttpRequest, name: str) -> HttpResponse:
    """Show the unseen passages of new runs, the cost of judging them, and the challenges so far."""
    found = campaign_for(request.user, name, "plan challenge")
    if sent_away := _send_away_if_graded(request, found):
        return sent_away
    tags = request.GET.getlist("run")[:MOST_RUNS]
    return render(request, "web/versions/challenge.html", pages.challenge_page(found, request.user, tags))


def _send_away_if_graded(request: HttpRequest, campaign: Campaign) -> HttpResponse | None:
    """Redirect a graded campaign to its topics: it has no best answers to challenge or publish."""
    if campaign.grading is None:
        return None
    with complain_if_refused(request):
        refuse_graded(campaign)
    return redirect("web:graded_campaign", campaign.collection.name, campaign.grading.name)


@require_safe
@never_cache
def challenging(request: HttpRequest, name: str) -> HttpResponse:
    """Render the progress part of the challenge page, for the script that refreshes it."""
    found = campaign_for(request.user, name, "plan challenge")
    return render(
        request, "web/parts/work.html", pages.challenge_page(found, request.user, []) | {"part": True}
    )


@require_POST
def start_challenge_plan(request: HttpRequest, name: str) -> HttpResponse:
    """Start planning a challenge by the chosen runs."""
    found = campaign_for(request.user, name, "plan challenge")
    return _start_challenge_job(request, found, dry_run=True, confirm_spend=None)


@require_POST
def start_challenge(request: HttpRequest, name: str) -> HttpResponse:
    """Open the planned challenge, for no more than the amount on its button."""
    found = campaign_for(request.user, name, "open challenge")
    if takes_real_money(found):
        require(request.user, "spend money", found.collection)
    amount = _approved_amount(request.POST.get("confirm", ""))
    if amount is None:
        messages.error(request, "The form has no approved amount. Check the plan, then press its button.")
        return redirect("web:challenge", found.name)
    return _start_challenge_job(request, found, dry_run=False, confirm_spend=amount)


def _start_challenge_job(
    request: HttpRequest, campaign: Campaign, *, dry_run: bool, confirm_spend: Decimal | None
) -> HttpResponse:
    tags = sorted({tag for tag in request.POST.getlist("run") if tag.strip("\0 ")})[:MOST_RUNS]
    rule = request.POST.get("rule", "")
    if wrong := pages.problem_with_runs(tags, campaign.collection):
        messages.error(request, wrong)
        return redirect("web:challenge", campaign.name)
    asked = {
        "runs": tags,
        "rule": rule if rule in Challenge.Rule.values else str(Challenge.Rule.LEAD2),
        "dry_run": dry_run,
        "confirm_spend": confirm_spend,
    }
    with complain_if_refused(request):
        ring_for_challenge(campaign, asked, who=request.user.get_username())
    return redirect("web:challenge", campaign.name)


def _approved_amount(text: str) -> Decimal | None:
    try:
        amount = Decimal(text)
    except InvalidOperation:
        return None
    return amount if amount.is_finite() and 0 <= amount < 10**9 else None


@require_safe
@never_cache
def publication_page(request: HttpRequest, name: str) -> HttpResponse:
    """Show what publishing the campaign would change, and the button to publish."""
    found = campaign_for(request.user, name, "see everything")
    if sent_away := _send_away_if_graded(request, found):
        return sent_away
    return render(request, "web/versions/publish.html", pages.publish_page(found, request.user))


@require_safe
@never_cache
def publishing(request: HttpRequest, name: str) -> HttpResponse:
    """Render the progress part of the publication page, for the script that refreshes it."""
    found = campaign_for(request.user, name, "see everything")
    return render(request, "web/parts/work.html", pages.publish_page(found, request.user) | {"part": True})


@require_POST
def start_version_preview(request: HttpRequest, name: str) -> HttpResponse:
    """Start a job that computes what publishing would change."""
    found = campaign_for(request.user, name, "see everything")
    with complain_if_refused(request):
        ring_for_preview(found, allow_open=request.POST.get("allow_open") == "1")
    return redirect("web:publish", found.name)


@require_POST
def publish_version(request: HttpRequest, name: str) -> HttpResponse:
    found = campaign_for(request.user, name, "publish version")
    shown = request.POST.get("as_shown", "")
    if not shown:
        messages.error(request, "Preview the changes before you publish.")
        return redirect("web:publish", found.name)
    with complain_if_refused(request):
        ring_for_publishing(
            found,
            allow_open=request.POST.get("allow_open") == "1",
            as_shown=shown,
            who=request.user.get_username(),
        )
    return redirect("web:publish", found.name)
