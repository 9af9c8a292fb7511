"""Pages for workers' own data: payment details, export, deletion of the account, and privacy."""

import logging

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from marketplace import clock
from marketplace.errors import AccountRefused, TaskRefused
from marketplace.forms import DeleteAccountForm, PayoutForm
from marketplace.rules.payout_day import next_payout
from marketplace.services import expiry
from marketplace.services.account import passwords
from marketplace.services.worker import own_data
from marketplace.views.account import proof
from marketplace.views.site import signed_in_worker

logger = logging.getLogger(__name__)


@sensitive_post_parameters("current", "details")
@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def payout(request: HttpRequest) -> HttpResponse:
    """Show and change how the worker is paid outside the marketplace."""
    worker = signed_in_worker(request)
    form = PayoutForm(request.POST or None, worker=worker, prove=proof(request, worker))
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        passwords.change_payout(worker, data["method"], data["details"].strip(), clock.now())
        messages.success(request, "Saved.")
        return redirect("earnings")
    context = {
        "form": form,
        "next_day": next_payout(clock.now().date(), settings.PAYOUT_DAY),
    }
    return render(request, "marketplace/payout.html", context, status=422 if form.errors else 200)


@never_cache
@login_required
@require_safe
def export(request: HttpRequest) -> HttpResponse:
    """Return everything held about the worker, as a file."""
    worker = signed_in_worker(request)
    answer = JsonResponse(
        own_data.everything_about(worker), json_dumps_params={"indent": 1, "ensure_ascii": False}
    )
    answer["Content-Disposition"] = f'attachment; filename="{worker.worker_id}.json"'
    return answer


@sensitive_post_parameters("current")
@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def delete_own_account(request: HttpRequest) -> HttpResponse:
    """Show the effects of deleting the account, then delete it."""
    worker, now = signed_in_worker(request), clock.now()
    expiry.apply_due(now)
    leaving = own_data.leaving_of(worker)
    form = DeleteAccountForm(
        request.POST or None, worker=worker, prove=proof(request, worker), given_up=leaving.given_up
    )
    if request.method == "POST" and not leaving.must_wait and form.is_valid():
        try:
            own_data.delete_account(worker, now, waive=form.cleaned_data.get("waive", False))
        except (AccountRefused, TaskRefused) as refusal:
            # Work was approved, paid or taken at this very moment, or the list of forgotten workers is not writable.
            logger.warning("The account of worker %s was not deleted: %s", worker.worker_id, refusal)
            messages.error(
                request,
                "Your account was not deleted. Check what this page says now, and try again. "
                "If it fails again, write to the operator of this site.",
            )
            return redirect("delete_account")
        logout(request)
        return render(request, "marketplace/deleted.html")
    refused = form.errors or (request.method == "POST" and leaving.must_wait)
    context = {
        "form": form,
        "leaving": leaving,
        "next_day": next_payout(now.date(), settings.PAYOUT_DAY),
    }
    return render(request, "marketplace/delete_account.html", context, status=422 if refused else 200)


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    """Show who runs the site, and what personal data it stores."""
    own_text = ""
    if settings.PRIVACY_FILE:
        with open(settings.PRIVACY_FILE, encoding="utf-8", errors="replace") as file:
            own_text = file.read()
    context = {
        "own_text": own_text,
        "operator": settings.OPERATOR,
        "mail": settings.MAIL,
        "keep_accounts_days": settings.KEEP_ACCOUNTS_DAYS,
        "keep_messages_days": settings.KEEP_MESSAGES_DAYS,
    }
    return render(request, "marketplace/privacy.html", context)
