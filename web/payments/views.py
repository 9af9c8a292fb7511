"""A campaign's payments, decisions about held, lost and refused pay, and top-ups."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from accounts.models import User
from config.errors import Refusal
from config.plurals import many
from config.row_keys import row_key
from judging.errors import BadInput
from judging.jobs import continue_if_launched, ring_to_continue
from judging.models import Campaign, Submission
from judging.money import top_ups
from judging.money.held_pay import pay_held
from judging.money.refused_payments import settle_payments, undo_settlement
from judging.money.rejections import decide_rejection
from judging.money.unlisted_work import ANOTHER_WAY, BONUS, pay_missing
from web.common.access import campaign_for, require
from web.common.sent_text import sent_text
from web.payments.forms import HeldPayForm, TopUpForm
from web.payments.pages import payments_page

LONGEST_WHY = 1000


@require_http_methods(["GET", "HEAD", "POST"])
def payments(request: HttpRequest, name: str) -> HttpResponse:
    """Show paid and owed amounts, and the cases to decide: held pay, lost submissions, refused payments."""
    found = campaign_for(request.user, name, "spend money")
    wrong = ""
    if request.method == "POST":
        key = row_key(request.POST.get("submission", ""))
        submission = get_object_or_404(Submission, campaign=found, pk=key)
        try:
            done = _settle_as_pressed(request, found, submission)
        except Refusal as refusal:
            wrong = str(refusal)
        else:
            continue_if_launched(found)  # this pays, or closes a campaign that only waited for the decision
            messages.success(request, done)
            return redirect(request.get_full_path())  # same page and search
    context = payments_page(found, request.GET) | {"longest": LONGEST_WHY, "wrong": wrong}
    return render(request, "web/payments/campaign_payments.html", context, status=400 if wrong else 200)


def _settle_as_pressed(request: HttpRequest, campaign: Campaign, submission: Submission) -> str:
    """Run the pressed button's action and return what was done. Raises Refusal."""
    why = sent_text(request, "why", LONGEST_WHY + 1)
    by: User = request.user  # type: ignore[assignment]
    kept = {"why": why, "who": by.get_username()}
    match request.POST.get("do", ""):
        case "pay":
            form = HeldPayForm(request.POST)
            if not form.is_valid():
                raise BadInput("Enter the amount in dollars and cents, such as 1.20.")
            amount = pay_held(campaign, submission, amount=form.cleaned_data["amount"], **kept)
            return f"${amount:,.2f} will be paid in a few moments."
        case "reject":
            require(request.user, "judge workers", campaign.collection)
            decide_rejection(submission, **kept)
            return f"Submission {submission.pk} is rejected; the worker can read the reason."
        case "bonus":
            amount = pay_missing(campaign, submission, way=BONUS, why=why, by=by)
            return f"A bonus of ${amount:,.2f} will be paid in a few moments."
        case "another way":
            amount = pay_missing(campaign, submission, way=ANOTHER_WAY, why=why, by=by)
            return f"${amount:,.2f} recorded as paid another way."
        case "undo":
            return f"${undo_settlement(campaign, submission, why=why, by=by):,.2f} is owed again."
    return f"${settle_payments(campaign, submission, **kept):,.2f} settled."


@require_http_methods(["GET", "HEAD", "POST"])
def top_up_payments(request: HttpRequest, name: str) -> HttpResponse:
    """Raise everybody's hourly pay to a minimum: show the plan, then pay the amount on the button."""
    found = campaign_for(request.user, name, "spend money")
    asked = request.POST if request.method == "POST" else request.GET
    form = TopUpForm(asked if "minimum" in asked else None, initial={"minimum": found.minimum_hourly})
    plan, wrong = None, ""
    try:
        if form.is_bound and form.is_valid():
            minimum, total = form.cleaned_data["minimum"], form.cleaned_data["total"]
            plan = top_ups.foreseen_top_up(found, minimum)
            if request.method == "POST" and total is not None:
                by: User = request.user  # type: ignore[assignment]
                paid = top_ups.owe_top_ups(found, minimum, by=by, confirmed=total)
                ring_to_continue(found)
                bonuses = many(len(paid.owed), "bonus", "bonuses")
                messages.success(
                    request, f"{bonuses} of ${paid.amount:,.2f} in total will be paid in a few moments."
                )
                return redirect("web:campaign_payments", found.name)
    except Refusal as refusal:
        wrong = str(refusal)
    beyond = top_ups.top_up_beyond_budget(found, plan) if plan and not wrong else None
    context = {"campaign": found, "form": form, "plan": plan, "wrong": wrong, "beyond": beyond}
    status = 400 if wrong else 422 if form.errors else 200
    return render(request, "web/payments/campaign_top_up.html", context, status=status)
