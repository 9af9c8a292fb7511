"""The campaign's books: the amounts promised, owed and paid, and their comparison with the crowd's records."""

from collections import defaultdict
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import Coalesce

from config.background.job_kinds import Progress
from judging.campaign.cost import money, pay_for
from judging.crowds import crowd_for
from judging.crowds.interface import Crowd, CrowdSubmission
from judging.errors import CrowdNever
from judging.models import Campaign, Payment, Place
from judging.models.submissions import FORGOTTEN
from judging.money.budget import cap_of
from judging.rules.pay import rounded

#: The status that a submission has at the crowd once its reward is paid.
APPROVED = "Approved"


@dataclass
class Books:
    """The rewards and bonuses paid: dollars without fees, by assignment id."""

    reward: dict[str, Decimal] = field(default_factory=lambda: defaultdict(Decimal))
    bonus: dict[str, Decimal] = field(default_factory=lambda: defaultdict(Decimal))

    @property
    def total(self) -> Decimal:
        return sum([*self.reward.values(), *self.bonus.values()], Decimal(0))


@dataclass(frozen=True)
class Difference:
    """A difference between our books and the crowd's in one kind of payment for one assignment.

    ``kind`` is "reward" or "bonus"; ``ours`` and ``theirs`` are dollars without fees.
    """

    assignment_id: str
    kind: str
    ours: Decimal
    theirs: Decimal
    meaning: str


@dataclass(frozen=True)
class Comparison:
    """The result of comparing our books with the crowd's: totals, places read, and differences.

    ``ours`` and ``theirs`` are dollars without fees. ``places`` is the number of places read.
    """

    ours: Decimal
    theirs: Decimal
    places: int
    differences: list[Difference]


def ledger(campaign: Campaign) -> dict[str, Any]:
    """Return the campaign's payments summed by kind and state, its totals with fees, and its cap.

    Each of ``rows`` has ``kind``, ``state``, the number of ``payments``, and their dollars in ``amount`` and
    ``fees``. All dollars are Decimal. The totals are those of :func:`judging.campaign.cost.money`.
    """
    rows = (
        Payment.objects.filter(submission__campaign=campaign)
        .values("kind", "state")
        .annotate(payments=Count("pk"), amount=Sum("amount"), fees=Sum("fee"))
        .order_by("kind", "state")
    )
    # SQLite adds decimals as binary floats.
    exact = [row | {name: rounded(Decimal(row[name])) for name in ("amount", "fees")} for row in rows]
    return {"campaign": campaign.name, "rows": exact, **money(campaign), "cap": cap_of(campaign)}


def compare_books(campaign: Campaign, *, progress: Progress | None = None) -> Comparison:
    """Compare the crowd's payments for every place of the campaign with our records."""
    crowd = crowd_for(campaign)
    ours, theirs = our_books(campaign), Books()
    places = Place.objects.filter(posting__campaign=campaign).exclude(crowd_id="").order_by("pk")
    ids = list(places.values_list("crowd_id", flat=True))
    unsubmitted = set(_kept_places(campaign))
    for done, crowd_id in enumerate(ids, start=1):
        _read_place(crowd, crowd_id, pay_for(campaign).base, theirs, empty=crowd_id not in unsubmitted)
        if progress:
            progress(done, len(ids), "Reading the crowd's books")
    differences = [
        difference
        for kind in ("reward", "bonus")
        for difference in _without_forgotten(_differences_of_kind(ours, theirs, kind))
    ]
    return Comparison(ours.total, theirs.total, len(ids), differences)


def our_books(campaign: Campaign) -> Books:
    """Return the payments on the campaign's assignments according to our records."""
    books = Books()
    # The crowd lists a bonus under the assignment that carries it, which can be another campaign's.
    carried = Payment.objects.annotate(
        at=Coalesce("carrier__assignment_id", "submission__assignment_id"),
        of=Coalesce("carrier__campaign", "submission__campaign"),
    )
    paid = carried.filter(of=campaign.pk, state=Payment.State.PAID)
    for assignment, kind, amount in paid.values_list("at", "kind", "amount"):
        book = books.reward if kind == Payment.Kind.REWARD else books.bonus
        book[assignment] += amount
    return books


def _kept_places(campaign: Campaign) -> QuerySet[Place, str]:
    """Return the crowd ids of places with kept work, which was paid but never submitted at the crowd."""
    kept = Payment.objects.filter(kind=Payment.Kind.COMPENSATION, carrier=None, state=Payment.State.PAID)
    places = Place.objects.filter(posting__campaign=campaign, submissions__payments__in=kept)
    return places.values_list("crowd_id", flat=True)


def _read_place(crowd: Crowd, crowd_id: str, reward: Decimal, books: Books, *, empty: bool) -> None:
    """Add the crowd's payments for a place to ``books``; ``reward`` is the reward of one submission.

    With ``empty``, a place without a submission is assumed to have no bonuses either.
    """
    try:
        submissions: list[CrowdSubmission] = crowd.submissions(crowd_id)
    except CrowdNever:
        return  # the crowd no longer keeps records of this place
    if not submissions and empty:
        return
    # A crowd's list can repeat a row. Each of our bonuses ends in a unique reference; bonuses paid by hand can look
    # alike and are distinguished by their time.
    for assignment in {row.assignment_id for row in submissions if row.status == APPROVED and reward}:
        books.reward[assignment] += reward
    for bonus in set(crowd.bonuses(place_crowd_id=crowd_id)):
        books.bonus[bonus.assignment_id] += bonus.amount


def _differences_of_kind(ours: Books, theirs: Books, kind: str) -> list[Difference]:
    here, there = getattr(ours, kind), getattr(theirs, kind)
    assignments = sorted({*here, *there})
    pairs = ((assignment, here[assignment], there[assignment]) for assignment in assignments)
    return [
        Difference(assignment, kind, mine, yours, _difference_meaning(mine, yours))
        for assignment, mine, yours in pairs
        if mine != yours
    ]


def _without_forgotten(differences: list[Difference]) -> list[Difference]:
    """Drop the differences that come from forgotten workers, whose assignments no longer have the crowd's ids.

    Such a payment shows up twice: under our replacement id, and as paid only by the crowd. If the two groups have
    equal sums, both are dropped; otherwise, every difference is kept.
    """
    forgotten = [row for row in differences if row.assignment_id.startswith(FORGOTTEN)]
    nobodys = [row for row in differences if not row.ours and row not in forgotten]
    if sum(row.ours for row in forgotten) != sum(row.theirs for row in nobodys):
        return differences
    return [row for row in differences if row not in forgotten and row not in nobodys]


def _difference_meaning(here: Decimal, there: Decimal) -> str:
    if not here:
        return "paid by the crowd, not recorded here: the next collection records it, unless somebody paid by hand"
    if not there:
        return "recorded here, not in the crowd's list: the list can lag; if the difference persists, ask the crowd"
    return "the amounts differ"
