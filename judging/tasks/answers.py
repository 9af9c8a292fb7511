"""Convert the choices that a worker made on a page to judgments and gold answers."""

from datetime import datetime
from typing import NamedTuple

from django.db import transaction

from config.prepared_queries import Prepared, append_rows
from judging.models import Campaign, Choice, GoldAnswer, Judgment, Submission
from judging.rules.layout import LEFT, RIGHT

FIELD = "choice-"


class FinalChoice(NamedTuple):
    """The last choice made in a slot, with the keys of the slot's pair or gold pair and passages."""

    slot_id: int
    side: str
    chosen_at: datetime
    given_back: bool
    pair_id: int | None
    left_id: int
    right_id: int
    gold_pair_id: int | None
    relevant_id: int | None
    """The gold pair's relevant passage."""

    @property
    def preferred_id(self) -> int | None:
        """The key of the preferred passage; None if the choice is "cannot decide" or a grade."""
        return {LEFT: self.left_id, RIGHT: self.right_id}.get(self.side)

    @property
    def grade(self) -> int | None:
        """The chosen grade; None if the choice is not a grade."""
        return int(self.side) if self.side.isdigit() else None

    def is_right(self, campaign: Campaign) -> bool:
        """Return whether this choice passes the slot's gold pair.

        A worker passes by preferring the relevant passage. A graded campaign shows one passage of the pair, and the
        grade must say correctly whether that passage is relevant.
        """
        if campaign.grading is None:
            return self.preferred_id == self.relevant_id
        return (int(self.side) >= campaign.grading.min_grade) == (self.left_id == self.relevant_id)


def final_choices(submission: Submission) -> dict[int, FinalChoice]:
    """Map the keys of the submission's slots to the last choice in each. Slots without a choice are left out."""
    return {choice[0]: FinalChoice(*choice) for choice in _CHOICES(submission.pk)}


_SLOT = ("given_back", "pair_id", "left_id", "right_id", "gold_pair_id", "gold_pair__relevant_id")
_CHOICES = Prepared(
    lambda submission: (
        Choice.objects.filter(slot__submission=submission)
        .order_by("slot_id", *Choice.AS_MADE)
        .values_list("slot_id", "side", "chosen_at", *(f"slot__{name}" for name in _SLOT))
    )
)


@transaction.atomic
def record_answers(submission: Submission) -> None:
    """Append a judgment for every pair with a choice, and a gold answer for every gold pair with one. Safe to repeat.

    Call it after the worker submits the task, because choices can change until then.
    """
    judgments, gold_answers = [], []
    for choice in final_choices(submission).values():
        if choice.given_back:
            continue
        if choice.gold_pair_id is not None:
            gold_answers.append(_gold_answer(submission, choice, choice.gold_pair_id))
        elif choice.pair_id is not None:
            judgments.append(_judgment(submission, choice, choice.pair_id))
    append_rows(judgments, ignore_conflicts=True)
    append_rows(gold_answers, ignore_conflicts=True)


def _gold_answer(submission: Submission, choice: FinalChoice, gold_pair_id: int) -> GoldAnswer:
    return GoldAnswer(
        slot_id=choice.slot_id,
        submission=submission,
        worker=submission.worker,
        gold_pair_id=gold_pair_id,
        preferred_id=choice.preferred_id,
        grade=choice.grade,
        passed=choice.is_right(submission.campaign),
    )


def _judgment(submission: Submission, choice: FinalChoice, pair_id: int) -> Judgment:
    simulated = submission.worker.simulated
    return Judgment(
        campaign=submission.campaign,
        pair_id=pair_id,
        left_id=choice.left_id,
        right_id=choice.right_id,
        preferred_id=choice.preferred_id,
        grade=(grade := choice.grade),
        kind=Judgment.Kind.PREFERENCE if grade is None else Judgment.Kind.GRADE,
        judge_kind=Judgment.JudgeKind.SIMULATED if simulated else Judgment.JudgeKind.HUMAN,
        worker=submission.worker,
        submission=submission,
        slot_id=choice.slot_id,
        judged_at=choice.chosen_at,
    )


def fill_from_form(submission: Submission, answers: dict[str, str], *, sent_at: datetime) -> int:
    """Save the choices in the crowd's form for slots without a saved choice; return the number saved.

    For other slots, the form's choice is ignored, because the saved one was recorded before the form was sent. Also
    adopts the form's comment if none is saved.
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
