"""Pairs with their texts, for decisions about workers: the sides as shown, the choice, and the correct answer."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from judging.launch.pilot_report import GoldRate, pilot_posting
from judging.models import Campaign, GoldAnswer, GoldPair, Judgment, Slot, Worker
from judging.tasks.displayed_pairs import text_of
from pooling.models import Passage

ANSWERS_SHOWN = 50


@dataclass(frozen=True)
class Side:
    """A passage of a pair, under the heading ``name``.

    ``meant`` is "relevant" or "off topic" in a gold pair, and empty in other pairs.
    """

    name: str
    pid: str
    text: str
    chosen: bool
    meant: str


@dataclass(frozen=True)
class FailedGold:
    """A worker's wrong answer on a gold pair, as the worker saw it."""

    answer: GoldAnswer
    question: str
    chosen: str
    sides: tuple[Side, ...]


@dataclass(frozen=True)
class GoldTexts:
    """A gold pair of a pilot: its results, its texts and the wrong answers."""

    rate: GoldRate
    question: str
    sides: tuple[Side, Side]
    missed: list[tuple[int, str]] = field(default_factory=list)
    """(worker, choice), in the order of the answers."""


def side_of(
    campaign: Campaign,
    name: str,
    passage: Passage,
    *,
    chosen: int | None = None,
    gold: GoldPair | None = None,
) -> Side:
    """Return a passage as a side. ``chosen`` is the key of the preferred passage, ``gold`` the gold pair, if any."""
    meant = "" if gold is None else "relevant" if passage.pk == gold.relevant_id else "off topic"
    return Side(name, passage.pid, text_of(campaign, passage), passage.pk == chosen, meant)


def sides_of(
    campaign: Campaign, shown: Slot | Judgment, *, chosen: int | None = None, gold: GoldPair | None = None
) -> tuple[Side, ...]:
    """Return both passages as they were shown, or the single passage that was graded."""
    if shown.left_id == shown.right_id:
        return (side_of(campaign, "Passage", shown.left, gold=gold),)
    return (
        side_of(campaign, "Left", shown.left, chosen=chosen, gold=gold),
        side_of(campaign, "Right", shown.right, chosen=chosen, gold=gold),
    )


def failed_gold(campaign: Campaign, worker: Worker) -> list[FailedGold]:
    """Return the worker's last failed gold pairs (``ANSWERS_SHOWN`` at most), newest first.

    Answers that others sent under the worker's id are left out.
    """
    related = ("gold_pair__query", "slot__left", "slot__right")
    answers = (
        GoldAnswer.objects.confirmed()
        .filter(submission__campaign=campaign, worker=worker, passed=False)
        .select_related(*related)
        .order_by("-pk")
    )
    return [_failed_gold_texts(campaign, answer) for answer in answers[:ANSWERS_SHOWN]]


def _failed_gold_texts(campaign: Campaign, answer: GoldAnswer) -> FailedGold:
    slot, gold, chosen = answer.slot, answer.gold_pair, answer.preferred_id
    sides = sides_of(campaign, slot, chosen=chosen, gold=gold)
    return FailedGold(answer, gold.query.text, _answer_words(answer), sides)


def _answer_words(answer: GoldAnswer) -> str:
    if answer.grade is not None:
        return f"grade {answer.grade}"
    return "cannot decide" if answer.preferred_id is None else "the off-topic passage"


def pilot_gold(campaign: Campaign, rates: Iterable[GoldRate]) -> list[GoldTexts]:
    """Return the pilot's gold pairs with texts and wrong answers, in a fixed number of database queries."""
    rates = list(rates)
    keys = [rate.gold_pair for rate in rates]
    pairs = GoldPair.objects.select_related("query", "relevant", "off_topic").in_bulk(keys)
    missed: dict[int, list[tuple[int, str]]] = defaultdict(list)
    wrong = GoldAnswer.objects.filter(
        submission__place__posting=pilot_posting(campaign), gold_pair__in=keys, passed=False
    )
    for answer in wrong.confirmed().order_by("pk"):
        missed[answer.gold_pair_id].append((answer.worker_id, _answer_words(answer)))
    return [
        GoldTexts(
            rate, (pair := pairs[rate.gold_pair]).query.text, meant_sides(campaign, pair), missed[pair.pk]
        )
        for rate in rates
    ]


def meant_sides(campaign: Campaign, pair: GoldPair) -> tuple[Side, Side]:
    """Return the two sides of a gold pair, the relevant passage first."""
    return (side_of(campaign, "Relevant", pair.relevant), side_of(campaign, "Off topic", pair.off_topic))
