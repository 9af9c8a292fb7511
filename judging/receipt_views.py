"""The receipt of a task that the crowd has: what was judged, and what became of each part of the pay."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from judging.models import Payment, Submission
from judging.services.evidence import progress_of
from judging.services.reconciling import receipt_of
from judging.services.texts import contact_of

KINDS = {
    Payment.Kind.REWARD: _("Reward"),
    Payment.Kind.BONUS: _("Bonus"),
    Payment.Kind.TOP_UP: _("Top-up"),
    Payment.Kind.COMPENSATION: _("Pay by your receipt"),
}
STATES = {
    Payment.State.HELD: _("The requester decides whether it is paid."),
    Payment.State.OWED: _("Not paid yet."),
    Payment.State.PAID: _("Paid."),
    Payment.State.REJECTED: _("Not paid, by the requester's decision."),
    Payment.State.SETTLED: _("Settled by the requester in another way."),
}


def receipt_page(request: HttpRequest, submission: Submission) -> HttpResponse:
    """Show the receipt, whatever the task's judgments count for."""
    judged, shown = progress_of(submission)
    payments = submission.payments.order_by("owed_at", "pk")
    context = {
        "campaign": submission.campaign,
        "receipt": receipt_of(submission),
        "judged": judged,
        "shown": shown,
        "parts": [
            (KINDS[Payment.Kind(one.kind)], f"{one.amount:.2f}", STATES[Payment.State(one.state)])
            for one in payments
        ],
        "paid": f"{sum(one.amount for one in payments if one.state == Payment.State.PAID):.2f}",
        "contact": contact_of(submission.campaign),
    }
    return render(request, "judging/receipt.html", context)
