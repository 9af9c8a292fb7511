"""Conversion of choices on a page to judgments and gold answers."""

from datetime import datetime

from django.db import transaction

from config.prepared_queries import Prepared
from judging.models import Campaign, Choice, GoldAnswer, GoldPair, Judgment, Slot, Submission
from judging.rules.layout import LEFT, RIGHT

FIELD = "choice-"


def final_choices(submission: Submission) -> dict[int, Choice]:
    """Map each slot key to the last choice made there, with its slot and gold pair."""
    return {choice.slot_id: choice for choice in _CHOICES(submission.pk)}


_CHOICES = Prepared(
    lambda submission: (
        Choice.objects.filter(slot__submission=submission)
        .select_related("slot__gold_pair")
        .order_by("slot_id", *Choice.AS_MADE)
    )
)


@transaction.atomic
def record_answers(submission: Submission) -> None:
    """Append a judgment for every judged pair and an answer for every judged gold pair. Safe to repeat.

    Call it after the worker submits the task, because choices can change until then.
    """
    judge_kind = Judgment.JudgeKind.SIMULATED if submission.worker.simulated else Judgment.JudgeKind.HUMAN
    judgments, gold_answers = [], []
    for choice in final_choices(submission).values():
        slot = choice.slot
        if slot.given_back:
            continue
        preferred_id = preferred(slot, choice)
        if slot.gold_pair is None and slot.pair_id is not None:
            judgments.append(_judgment(submission, slot, slot.pair_id, choice, preferred_id, judge_kind))
        elif slot.gold_pair is not None:
            passed = is_right(slot, slot.gold_pair, choice, submission.campaign)
            gold_answers.append(
                GoldAnswer(
                    slot=slot,
                    submission=submission,
                    worker=submission.worker,
                    gold_pair=slot.gold_pair,
                    preferred_id=preferred_id,
                    grade=grade_in(choice),
                    passed=passed,
                )
            )
    Judgment.objects.bulk_create(judgments, ignore_conflicts=True)
    GoldAnswer.objects.bulk_create(gold_answers, ignore_conflicts=True)


def preferred(slot: Slot, choice: Choice) -> int | None:
    """Return the key of the preferred passage; None for "cannot decide" and for a grade."""
    return {LEFT: slot.left_id, RIGHT: slot.right_id}.get(choice.side)


def grade_in(choice: Choice) -> int | None:
    """Return the chosen grade; None for a side."""
    return int(choice.side) if choice.side.isdigit() else None


def is_right(slot: Slot, gold: GoldPair, choice: Choice, campaign: Campaign) -> bool:
    """Return whether the answer is right: the relevant passage is preferred, or the shown one graded accordingly."""
    if campaign.grading is None:
        return preferred(slot, choice) == gold.relevant_id
    return (int(choice.side) >= campaign.grading.min_grade) == (slot.left_id == gold.relevant_id)


def _judgment(
    submission: Submission,
    slot: Slot,
    pair_id: int,
    choice: Choice,
    preferred_id: int | None,
    judge_kind: str,
) -> Judgment:
    return Judgment(
        campaign=submission.campaign,
        pair_id=pair_id,
        left_id=slot.left_id,
        right_id=slot.right_id,
        preferred_id=preferred_id,
        grade=(grade := grade_in(choice)),
        kind=Judgment.Kind.PREFERENCE if grade is None else Judgment.Kind.GRADE,
        judge_kind=judge_kind,
        worker=submission.worker,
        submission=submission,
        slot=slot,
        judged_at=choice.chosen_at,
    )


def fill_from_form(submission: Submission, answers: dict[str, str], *, sent_at: datetime) -> int:
    """Adopt the crowd form's answers for slots without a saved click. Return their number.

    If both have an answer, our own record wins, because it was made before the form was sent.
    """
    sides = submission.campaign.answers
    silent = submission.slots.filter(choices=None)
    choices = [
        Choice(slot=slot, sequence=0, side=side, chosen_at=sent_at)
        for slot in silent
        if (side := answers.get(f"{FIELD}{slot.number}", "")) in sides
    ]
    Choice.objects.bulk_create(choices, ignore_conflicts=True)
    if not submission.comment and (comment := answers.get("comment", "").strip()):
        Submission.objects.filter(pk=submission.pk).update(comment=comment[:5000])
    return len(choices)
