"""The receipt for a task that was submitted at the crowd: the pairs judged, and the state of each payment."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from judging.campaign.worker_texts import contact_of
from judging.models import Discrepancy, Payment, Submission
from judging.money.discrepancies import receipt_of
from judging.tasks.evidence import continued_later, progress_of

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
#: The sentences that replace those of :data:`STATES` for tasks without a judged pair.
WITHOUT_A_PAIR = {
    Payment.State.HELD: _("Not paid unless the requester decides otherwise: no pair was judged on our page."),
    Payment.State.REJECTED: _("Not paid: no pair was judged on our page."),
}


def receipt_page(request: HttpRequest, submission: Submission) -> HttpResponse:
    """Show the receipt of a submission. It looks the same whether or not the judgments count."""
    judged, shown = progress_of(submission)
    payments = submission.payments.order_by("owed_at", "pk")
    unseen = submission.discrepancies.filter(kind=Discrepancy.Kind.ONLY_THERE).exists()
    nothing_judged = unseen and not judged and not continued_later([submission.pk])
    states = STATES | WITHOUT_A_PAIR if nothing_judged else STATES
    context = {
        "campaign": submission.campaign,
        "receipt": receipt_of(submission),
        "judged": judged,
        "shown": shown,
        # Work that never reached the crowd has no reward.
        "received": not payments or any(one.kind == Payment.Kind.REWARD for one in payments),
        "parts": [
            (KINDS[Payment.Kind(one.kind)], f"{one.amount:.2f}", _state_words(one, states))
            for one in payments
        ],
        "paid": f"{sum(one.amount for one in payments if one.state == Payment.State.PAID):.2f}",
        "contact": contact_of(submission.campaign),
    }
    return render(request, "judging/receipt.html", context)


def _state_words(payment: Payment, states: Mapping[Payment.State, Any]) -> str:
    """Return the state of a payment. For rejected pay of which the crowd does not know, the reason follows."""
    words = states[Payment.State(payment.state)]
    untold = payment.kind == Payment.Kind.COMPENSATION and payment.state == Payment.State.REJECTED
    return f"{words} {payment.decided_why}" if untold else str(words)
