"""Evidence of the work on a submission: saved by our server, signed by it, or only claimed in the crowd's form.

Anybody can post a form to a crowd. Work is paid and counted without review only if our server saved it or the form
carries our signature. The task's last page signs the saved choices. The crowd's list returns the signature, which is
evidence even after an older backup is restored.
"""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import (
    BooleanField,
    Count,
    Exists,
    ExpressionWrapper,
    F,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Sum,
)

from config import clock
from config.prepared_queries import Prepared
from judging.campaign.reading_time import least_seconds_a_pair
from judging.crowds.interface import CrowdSubmission
from judging.exchange.link_tokens import (
    BadToken,
    Proof,
    digest_of_choices,
    digest_of_work,
    proof_token,
    read_proof,
)
from judging.models import Choice, Slot, Submission
from judging.rules.layout import ANSWERS
from judging.rules.reading_speed import GLANCE_SECONDS
from judging.tasks.answers import FIELD

#: The field of the crowd's form that carries our signature (the proof).
PROOF = "proof"


@dataclass(frozen=True)
class Evidence:
    """The evidence for a submission, as numbers of pairs, gold pairs included.

    - ``shown``: the pairs in the task.
    - ``judged``: the pairs that were certainly judged.
    - ``claimed``: the pairs that the crowd's form claims were judged, or ``judged`` if that is more.

    ``signed`` says whether our server signed the choices in the form. ``unread`` says whether the pairs were judged
    faster than anybody can read.
    """

    shown: int
    judged: int
    claimed: int
    signed: bool
    unread: bool = False

    @property
    def seen(self) -> bool:
        """Whether a pair was certainly judged on our page."""
        return self.judged > 0

    @property
    def complete(self) -> bool:
        """Whether every pair that the crowd's form claims, and at least one, was certainly judged on our page."""
        return self.seen and self.claimed == self.judged


def progress_of(submission: Submission) -> tuple[int, int]:
    """Return the numbers of pairs judged and shown in a submission, gold pairs included, as our server saved them.

    If the worker continued the task in a later submission, the choices count only there (:func:`continued_later`).
    Otherwise, a worker could submit the same choices under several assignments and be paid for each.
    """
    judged = [made for (made,) in _JUDGED(submission.pk)]
    return sum(judged), len(judged)


def _slots_with_choice(submission: int) -> QuerySet[Slot, tuple[bool]]:
    made = Q(Exists(Choice.objects.filter(slot=OuterRef("pk"))), given_back=False)
    counts = ExpressionWrapper(made, BooleanField())
    return Slot.objects.filter(submission=submission).values_list(counts)


_JUDGED = Prepared(_slots_with_choice)


def continued_later(submissions: Collection[int]) -> set[int]:
    """Return those of the submissions whose worker took the task again and continued it with the choices made."""
    taken_up = Slot.objects.filter(submission__in=submissions, given_back=True, choices__isnull=False)
    return set(taken_up.values_list("submission", flat=True))


def evidence_of(submission: Submission, found: CrowdSubmission) -> Evidence:
    """Return the evidence for a submission that the crowd lists. Call it before adopting answers from the form."""
    judged, shown = progress_of(submission)
    campaign = submission.campaign
    choices = choices_in(found.answers)
    proof = _proof_in(found)
    if proof:
        judged, shown = max(judged, proof.judged), max(shown, proof.shown)
    shown = shown or campaign.slots_per_task
    return Evidence(
        shown=shown,
        judged=judged,
        claimed=max(judged, min(shown, len(choices))),
        signed=bool(proof and proof.choices == digest_of_choices(choices)),
        unread=was_unread(submission, judged),
    )


def was_unread(submission: Submission, judged: int) -> bool:
    """Return whether ``judged`` pairs took less time than the fastest reader needs for half of their words.

    The time is counted from opening the task to its end, or to now if it is still open. For a resumed task, the time
    spent on it before is added (:func:`_seconds_before`). If the page reports a shorter time for which it showed
    pairs, that is used instead. Returns False for texts that are read at a glance, and for simulated workers, who do
    not read.
    """
    held = clock.now() if submission.state == Submission.State.HELD else None
    ended = submission.finished_at or submission.submitted_at or held
    if not judged or ended is None or submission.worker.simulated:
        return False
    least = least_seconds_a_pair(submission.campaign) * judged
    if least < GLANCE_SECONDS * judged:
        return False
    spent = (ended - submission.opened_at).total_seconds()
    if spent < least and spent + _seconds_before(submission) < least:
        return True
    shown = seconds_on_screen(Submission.objects.filter(pk=submission.pk))
    return shown.get(submission.pk, least) < least


def _seconds_before(submission: Submission) -> float:
    """Return the seconds spent on the choices that a resumed submission continues, by our clock.

    They are counted from each opening of the task to the last choice before it was returned. Choices that were
    copied from a still earlier submission count only there.
    """
    if not submission.resumed_pairs:
        return 0.0
    made = Choice.objects.filter(
        slot__submission__worker=submission.worker_id,
        slot__submission__task=submission.task_id,
        slot__submission__lt=submission.pk,
        slot__given_back=True,
        chosen_at__gte=F("slot__submission__opened_at"),
    )
    visits = made.values_list("slot__submission__opened_at").annotate(last=Max("chosen_at"))
    return sum((last - opened).total_seconds() for opened, last in visits.order_by())


def seconds_on_screen(submissions: QuerySet[Submission]) -> dict[int, float]:
    """Map submission keys to the seconds for which pairs were on screen.

    Submissions are left out unless the page reported the time for every choice.
    """
    choices = Choice.objects.filter(slot__submission__in=submissions).values_list("slot__submission")
    silent = Count("pk", filter=Q(seconds_shown=None))
    sums = choices.annotate(silent=silent, seconds=Sum("seconds_shown")).order_by()
    return {submission: seconds for submission, silent, seconds in sums if not silent}


def choices_in(answers: dict[str, str]) -> dict[str, str]:
    """Map the fields of the crowd's form that answer a pair to the chosen side or grade."""
    return {
        name: side
        for name, side in answers.items()
        if name.startswith(FIELD) and name.removeprefix(FIELD).isdecimal() and side in ANSWERS
    }


def proof_of(
    submission: Submission, crowd_worker_id: str, answers: dict[str, str], *, judged: int, shown: int
) -> str:
    """Return the signature (proof) to send in the crowd's form, for ``answers`` and the numbers of pairs."""
    choices = digest_of_choices(choices_in(answers))
    work = digest_of_work(submission.assignment_id, crowd_worker_id)
    return proof_token(Proof(work, judged, shown, choices))


def _proof_in(found: CrowdSubmission) -> Proof | None:
    """Return the proof in the crowd's form if our server signed it for this assignment and worker, otherwise None."""
    try:
        proof = read_proof(found.answers.get(PROOF, ""))
    except BadToken:
        return None
    return proof if proof.work == digest_of_work(found.assignment_id, found.crowd_worker_id) else None
