"""The pages on which workers find tasks and see their past work."""

from collections import Counter
from dataclasses import replace

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_POST, require_safe

from marketplace import clock
from marketplace.models import Assignment, Bonus, Worker
from marketplace.rules.payout_day import next_payout
from marketplace.services import expiry
from marketplace.services.operator import payouts
from marketplace.services.worker import closed_requesters as refusing, groups, receipts
from marketplace.services.worker.in_review import in_review_of
from marketplace.views import endpoint

_DONE_PER_PAGE = 25
_MESSAGES_SHOWN = 5
_MESSAGES_LOOKED_AT = 30
_RECENT = 5


@csrf_exempt
def root(request: HttpRequest) -> HttpResponseBase:
    """Serve calls and pages at one URL: requesters post their calls to it, workers open it in a browser."""
    if request.method == "POST":
        return endpoint.answer_call(request)
    if request.method in ("GET", "HEAD"):
        return home(request)
    return HttpResponseNotAllowed(["GET", "HEAD", "POST"])


@csrf_protect
@never_cache
@login_required
def home(request: HttpRequest) -> HttpResponse:
    """Show available tasks, held tasks, earnings and messages."""
    now = clock.now()
    expiry.apply_due(now)
    worker = signed_in_worker(request)
    offered = groups.offered(now)
    visible = groups.visible(worker, now, offered)
    every = request.GET.get("languages") == "all"
    listed, others = groups.by_language(worker, visible)
    shown = [*listed, *others] if every else listed
    held = groups.held_tasks(worker)
    holding = {row.hit.hit_type_id: row.assignment_id for row in held}
    latest = worker.messages.select_related("requester").order_by("-pk")[:_MESSAGES_LOOKED_AT]
    context = {
        "now": now,
        "open_groups": [
            replace(group, held=holding.get(group.hit_type.pk, "")) for group in shown if not group.closed
        ],
        "closed_groups": [group for group in shown if group.closed],
        # Two kinds of tasks can have the same name; only their age tells the worker which one is new.
        "namesakes": {
            title for title, times in Counter(one.hit_type.title for one in shown).items() if times > 1
        },
        "other_languages": len(others),
        "every_language": every,
        "choose_languages": not worker.languages and any(group.offer.language for group in visible),
        "held": held,
        "full": groups.limit_refusal(len(held)),
        "refusing": refusing.refusing(worker, offered),
        "unpaid_cents": worker.earned_cents - payouts.payout_standing(worker).paid,
        "recent": _submitted_tasks(worker)[:_RECENT],
        "waiting": in_review_of(worker),
        "unread": [message for message in latest if message.is_new],
        "notices": [message for message in latest if not message.is_new][:_MESSAGES_SHOWN],
    }
    return render(request, "marketplace/home.html", context)


@never_cache
@login_required
@require_safe
def done(request: HttpRequest) -> HttpResponse:
    """Show every submitted task and its earnings, and bonuses for tasks that were not submitted."""
    expiry.apply_due(clock.now())
    worker = signed_in_worker(request)
    page = Paginator(_submitted_tasks(worker), _DONE_PER_PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "unsubmitted": _unsubmitted(worker)}
    return render(request, "marketplace/done.html", context)


@never_cache
@login_required
@require_safe
def receipt(request: HttpRequest, assignment_id: str) -> HttpResponse:
    """Show what was paid for one task, and when."""
    now = clock.now()
    expiry.apply_due(now)
    found = receipts.worker_receipt(signed_in_worker(request), assignment_id)
    if found is None:
        raise Http404
    return render(request, "marketplace/receipt.html", {"receipt": found, "row": found.assignment})


@login_required
@require_POST
def read_messages(request: HttpRequest) -> HttpResponse:
    """Mark the messages that the page showed as read. Messages that arrived later stay unread."""
    shown = [int(word) for word in request.POST.getlist("message") if word.isdecimal() and len(word) < 19]
    signed_in_worker(request).messages.filter(pk__in=shown, read_at=None).update(read_at=clock.now())
    return redirect("home")


def _submitted_tasks(worker: Worker) -> QuerySet[Assignment]:
    """Return the tasks that the worker has submitted, latest first."""
    rows = Assignment.objects.handed_in().filter(worker=worker).order_by("-submitted_at", "-pk")
    return rows.select_related("hit__hit_type__requester").prefetch_related("bonuses")


def _unsubmitted(worker: Worker) -> QuerySet[Bonus]:
    """Return the bonuses for tasks that the worker returned or did not submit in time, latest first."""
    rows = worker.bonuses.filter(assignment__status=Assignment.Status.FREE).order_by("-pk")
    return rows.select_related("assignment__hit__hit_type")


@never_cache
@login_required
@require_safe
def earnings(request: HttpRequest) -> HttpResponse:
    """Show earnings month by month, and payouts."""
    expiry.apply_due(clock.now())
    worker = signed_in_worker(request)
    context = {
        "money": payouts.payout_standing(worker),
        "months": payouts.months_of(worker),
        "tasks": _submitted_tasks(worker)[:_RECENT],
        "unsubmitted": _unsubmitted(worker)[:_RECENT],
        "payouts": worker.payouts.select_related("batch").order_by("-pk"),
        "next_day": next_payout(clock.now().date(), settings.PAYOUT_DAY),
    }
    return render(request, "marketplace/earnings.html", context)


def signed_in_worker(request: HttpRequest) -> Worker:
    assert isinstance(request.user, Worker)
    return request.user
