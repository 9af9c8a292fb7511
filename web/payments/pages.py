"""A campaign's payments on a page: refused and settled payments, with search and pagination."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Q

from config.row_keys import row_key
from judging.models import Campaign, Payment, Submission
from judging.money.held_pay import held_work
from judging.money.ledger import ledger
from judging.money.refused_payments import RefusedPayment, refused_payments, settled_payments
from judging.money.unlisted_work import missing_work

REFUSED_A_PAGE = 20
SETTLED_A_PAGE = 50
#: The maximum number of open decisions listed at once. Once some are made, the next ones are listed.
MOST_LISTED = 50


@dataclass(frozen=True)
class RefusedWork:
    """A submission with payments that the crowd refuses; one decision settles all of them."""

    submission: Submission
    payments: Sequence[RefusedPayment]

    @property
    def amount(self) -> Decimal:
        """The amount in dollars, without fees."""
        return sum((one.payment.amount for one in self.payments), Decimal(0))


def payments_page(campaign: Campaign, parameters: Any) -> dict[str, Any]:
    """Return the data of the payments page.

    The parameter ``q`` searches worker and submission numbers, the crowd's reasons and people's notes.
    """
    found = parameters.get("q", "").replace("\0", "").strip()
    refused = _grouped_by_submission(refused_payments(campaign))
    fitting = [one for one in refused if _is_payment_found(one, found)]
    waiting: Page[RefusedWork] = Paginator(fitting, REFUSED_A_PAGE).get_page(parameters.get("page"))
    settled = settled_payments(campaign)
    done: Page[Payment] = Paginator(settled.filter(_payments_found(found)), SETTLED_A_PAGE).get_page(
        parameters.get("settled")
    )
    held, missing = held_work(campaign), missing_work(campaign, most=MOST_LISTED + 1)
    return {
        "campaign": campaign,
        "books": ledger(campaign),
        "found": found,
        "page": waiting,
        "refused": len(refused),
        "refused_dollars": sum((one.amount for one in refused), Decimal(0)),
        "settled_page": done,
        "settled": settled.exists(),
        "held": held[:MOST_LISTED],
        "held_more": max(0, len(held) - MOST_LISTED),
        "missing": missing[:MOST_LISTED],
        "missing_more": len(missing) > MOST_LISTED,
    }


def _grouped_by_submission(refused: Sequence[RefusedPayment]) -> list[RefusedWork]:
    work: dict[int, list[RefusedPayment]] = {}
    for one in refused:
        work.setdefault(one.payment.submission_id, []).append(one)
    return [RefusedWork(payments[0].payment.submission, payments) for payments in work.values()]


def _number_searched(found: str) -> tuple[int, tuple[str, ...]] | None:
    """Parse a search for a number: "worker 12", "submission 12", or "12" for either. Return None for other text."""
    word, _, rest = found.lower().rpartition(" ")
    number = row_key(rest)
    if not number or word.strip() not in ("", "worker", "submission"):
        return None
    return number, (word.strip(),) if word.strip() else ("worker", "submission")


def _is_payment_found(work: RefusedWork, found: str) -> bool:
    if asked := _number_searched(found):
        numbers = {"worker": work.submission.worker_id, "submission": work.submission.pk}
        return asked[0] in [numbers[of] for of in asked[1]]
    return any(found.lower() in one.said.lower() for one in work.payments)


def _payments_found(found: str) -> Q:
    if asked := _number_searched(found):
        number, of = asked
        worker = Q(submission__worker=number) if "worker" in of else Q()
        return worker | Q(submission=number) if "submission" in of else worker
    return Q(decided_why__icontains=found) | Q(decided_by__icontains=found) if found else Q()
