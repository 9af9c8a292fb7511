"""The pairs of a task, with their texts as displayed on the page."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import Coalesce
from django.utils.html import conditional_escape, escape
from django.utils.safestring import SafeString, mark_safe

from config.prepared_queries import Prepared
from judging.models import Campaign, Choice, PairReport, Slot, Submission, Task, TaskPair
from judging.rules.layout import placeholder_text
from judging.rules.question_words import Part, mark_question_words
from pooling.models import Passage


@dataclass(frozen=True)
class ShownPair:
    """One slot as displayed on the page.

    ``left`` and ``right`` are HTML, in which words of the question may be marked. ``chosen`` is the last choice,
    ``made`` the number of choices, and ``reported`` the kinds of the worker's reports.
    """

    number: int
    question: str
    left: SafeString
    right: SafeString
    chosen: str
    made: int
    reported: Sequence[str]


def shown_pairs(submission: Submission, chosen_here: Mapping[int, str] | None = None) -> list[ShownPair]:
    """Return the submission's slots as displayed, in order. ``chosen_here`` has unsaved choices by slot number."""
    campaign = submission.campaign
    sides = _SIDES(submission.pk)
    chosen, made = dict(sides), Counter(slot for slot, _ in sides)
    reported: dict[int, list[str]] = defaultdict(list)
    for slot_id, kind in _REPORTS(submission.pk):
        reported[slot_id].append(kind)
    return [
        ShownPair(
            number=number,
            question=question,
            left=_in_html(campaign, left_pid, left, question),
            right=_in_html(campaign, right_pid, right, question),
            chosen=(chosen_here or {}).get(number, chosen.get(slot, "")),
            made=made[slot],
            reported=reported[slot],
        )
        for slot, number, question, left_pid, left, right_pid, right in _SLOTS(submission.pk)
    ]


def _slots(submission: int) -> QuerySet[Slot, tuple[Any, ...]]:
    kinds = ("pair", "gold_pair", "repeats__pair")
    question = Coalesce(*(f"{kind}__query__text" for kind in kinds))
    slots = Slot.objects.filter(submission=submission).order_by("number")
    return slots.values_list("pk", "number", question, "left__pid", "left__text", "right__pid", "right__text")


_SLOTS = Prepared(_slots)
_SIDES = Prepared(
    lambda submission: (
        Choice.objects.filter(slot__submission=submission)
        .order_by(*Choice.AS_MADE)
        .values_list("slot_id", "side")
    )
)
_REPORTS = Prepared(
    lambda submission: (
        PairReport.objects.filter(submission=submission).order_by("pk").values_list("slot_id", "kind")
    )
)


def _in_html(campaign: Campaign, pid: str, stored: str | None, question: str) -> SafeString:
    text = _text_of(campaign, pid, stored)
    if not campaign.mark_query_words:
        return conditional_escape(text)
    return with_marks(mark_question_words(text, question, campaign.collection.language))


def with_marks(parts: Iterable[Part]) -> SafeString:
    """Return the joined parts of a text as HTML, with marked parts in ``mark`` elements."""
    return mark_safe(  # noqa: S308 -- every part is escaped
        "".join(f"<mark>{escape(part.text)}</mark>" if part.marked else escape(part.text) for part in parts)
    )


def text_of(campaign: Campaign, passage: Passage) -> str:
    """Return the text that the page shows for a passage: its own, or in a rehearsal without texts, a placeholder."""
    return _text_of(campaign, passage.pid, passage.text)


def _text_of(campaign: Campaign, pid: str, text: str | None) -> str:
    return placeholder_text(campaign.seed, pid) if text is None else text


def sample_pairs(campaign: Campaign) -> list[ShownPair]:
    """Return the pairs of the campaign's first task as a worker would see them, on fixed sides, for a preview.

    Gold pairs are left out, because they are drawn only after a worker consents to a task.
    """
    first = Task.objects.filter(campaign=campaign).order_by("number").first()
    if first is None:
        return []
    rows = TaskPair.objects.filter(task=first).select_related(
        "pair__query", "pair__passage_a", "pair__passage_b"
    )
    pairs = [row.pair for row in rows.order_by("pk")]
    shown = []
    for number, pair in enumerate(pairs, 1):
        left, right = (pair.passage_a, pair.passage_b) if number % 2 else (pair.passage_b, pair.passage_a)
        question = pair.query.text
        one = _in_html(campaign, left.pid, left.text, question)
        other = _in_html(campaign, right.pid, right.text, question)
        shown.append(ShownPair(number, question, one, other, chosen="", made=0, reported=()))
    return shown
