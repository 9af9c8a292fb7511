"""A worker's actions on the judging page: open a task, consent, choose, submit."""

import hashlib
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Exists, Max, OuterRef, QuerySet

from config import clock
from config.monitoring.metrics import Count
from config.prepared_queries import Prepared, PreparedUpdate
from config.storable_text import storable_text
from judging.campaign.worker_texts import agreed_text
from judging.errors import WorkRefused
from judging.exchange.link_tokens import Page
from judging.models import (
    Choice,
    Consent,
    ConsentText,
    Slot,
    Submission,
)
from judging.page.admission import past_with_gold
from judging.tasks.answers import record_answers
from judging.tasks.choices import (
    BY_FORM,
    MOST_CHOICES,
    NO_SIGNALS,
    Signals,
    append_at_once,
    choices_made,
    is_choice,
    made_at,
    new_choices,
)
from judging.tasks.lease_ends import end_submission
from judging.tasks.leases import hand_out
from judging.tasks.slots import pairs_in
from judging.tasks.time_left import record_late, send_off_saved, takes_late_choices
from judging.workers.work_history import submissions_of, taken_by

SAVES = Count("preferee_choices", "Choices saved, by result: kept, or repeated (already saved).", ("result",))
SENT_OFF = Count("preferee_tasks_sent_off", "Tasks submitted from the judging page.", ())
LONGEST_COMMENT = 5000


def check_workable(submission: Submission) -> None:
    """Raise :class:`WorkRefused` unless the worker can still make choices in this task."""
    if submission.state == Submission.State.HELD:
        if submission.standing == Submission.Standing.EXCLUDED:
            raise WorkRefused("excluded", worker=submission.worker)
        return
    submitted = submission.state == Submission.State.SUBMITTED
    raise WorkRefused("already-done" if submitted else str(submission.state))


def give_consent(submission: Submission, *, of_age: bool = False) -> bool:
    """Record the worker's consent, with its time and exact text, and draw the pairs to show. Safe to repeat.

    Returns False and records nothing if the campaign requires a confirmation of age and ``of_age`` is not set. Raises
    :class:`WorkRefused` if the task is over or its worker is excluded. Also raises it, and releases the task, if no
    pairs can be drawn.
    """
    campaign = submission.campaign
    if campaign.minimum_age and not of_age:
        return False
    text = agreed_text(campaign, pairs=pairs_in(submission))
    digest = hashlib.sha256(text.encode()).hexdigest()
    try:
        reason = _agree(submission, text, digest)
    except IntegrityError:
        # The worker agreed in another window at the same moment, so the pairs are already drawn.
        if not Consent.objects.filter(submission=submission).exists():
            raise
        return True
    if reason:
        end_submission(submission, Submission.State.RETURNED)
        raise WorkRefused(reason)
    return True


@transaction.atomic
def _agree(submission: Submission, text: str, digest: str) -> str:
    """Record the consent, unless recorded before, and draw the pairs, unless drawn before.

    If no pairs can be drawn, records nothing and returns the refusal; otherwise returns an empty string.
    """
    locked, campaign = _lock_held(submission, digest), submission.campaign
    if not locked.text_known:
        ConsentText.objects.get_or_create(campaign=campaign, sha256=digest, defaults={"text": text})
    if locked.agreed:
        return ""
    Consent.objects.create(submission=submission, text_sha256=digest, age_confirmed=campaign.minimum_age)
    reason = "" if locked.drawn else _hand_out(submission)
    if reason:
        transaction.set_rollback(True)
    return reason


class _Locked(NamedTuple):
    """The state of a locked submission, and whether its consent, its pairs and the consent text are stored."""

    state: str
    standing: str
    agreed: bool
    drawn: bool
    text_known: bool


def _lock_held(submission: Submission, text: str = "") -> _Locked:
    """Lock the submission so that it cannot end now. A task leased for a submission that has ended would stay leased.

    ``text`` is the digest of the consent text. Raises WorkRefused if, since the submission was read, it has ended or
    its worker was excluded.
    """
    (row,) = _LOCKED(submission.pk, text)
    locked = _Locked(*row)
    submission.state, submission.standing = locked.state, locked.standing
    check_workable(submission)
    return locked


def _lock_query(key: int, text: str) -> QuerySet[Submission, tuple[Any, ...]]:
    held = Submission.objects.select_for_update(of=("self",)).filter(pk=key)
    agreed = Exists(Consent.objects.filter(submission=OuterRef("pk")))
    drawn = Exists(Slot.objects.filter(submission=OuterRef("pk")))
    known = Exists(ConsentText.objects.filter(campaign=OuterRef("campaign"), sha256=text))
    return held.values_list("state", "standing", agreed, drawn, known)


_LOCKED = Prepared(_lock_query, words=(1,))


def _hand_out(submission: Submission) -> str:
    """Draw the pairs to show. Returns the refusal if there are none, otherwise an empty string."""
    campaign, worker = submission.campaign, submission.worker
    if submission.taken_at is None:
        taken = taken_by(submissions_of(campaign, worker), beside=submission.pk)
        if taken >= campaign.max_tasks_per_worker:
            return "enough-tasks"
    return hand_out(submission, past_with_gold(campaign, worker, beside=submission))


def has_agreed(submission: Submission) -> bool:
    """Return whether the worker agreed to the consent text of this task."""
    return hasattr(submission, "consent")


def save_at_once(page: Page, *, number: int, sequence: int, side: str, signals: Signals = NO_SIGNALS) -> bool:
    """Append a choice with as few queries as possible. Returns False if :func:`save_choice` has to handle it."""
    saved = append_at_once(page, number=number, sequence=sequence, side=side, signals=signals)
    if saved:
        SAVES.add("kept")
    return saved


def save_choice(
    submission: Submission, *, number: int, sequence: int, side: str, signals: Signals = NO_SIGNALS
) -> bool:
    """Append a choice; return False if it was already saved.

    Raises :class:`WorkRefused` if it is too early or too late, or the slot or choice is invalid.
    """
    late = takes_late_choices(submission)
    if not late:
        check_workable(submission)
    if not is_choice(side, sequence, submission.campaign.answers):
        raise WorkRefused("garbled")
    if wait := seconds_to_wait(submission, [number]):
        raise WorkRefused("too-soon", wait=wait)
    values, made = signals.columns(), None
    for _ in range(MOST_CHOICES):
        try:
            with transaction.atomic():
                slot = _open_slot(submission, number, late=late)
                made = made or _made_at(submission, slot, sequence, signals.age)
                Choice.objects.create(slot=slot, sequence=sequence, side=side, chosen_at=made, **values)
                if late:
                    record_late(submission)
            SAVES.add("kept")
            return True
        except IntegrityError:
            if Choice.objects.get(slot=slot, sequence=sequence).side == side:
                SAVES.add("repeated")
                return False
            sequence += 1  # another tab used this number for its choice; keep both
    raise WorkRefused("garbled")


def save_form(submission: Submission, sides: Mapping[int, str]) -> None:
    """Append those choices of a form that are not saved yet. ``sides`` maps slot numbers to sides or grades.

    Unknown slots are ignored. Raises :class:`WorkRefused` if it is too early or too late, or a choice is invalid.
    """
    late = takes_late_choices(submission)
    for _ in range(MOST_CHOICES):
        missing = new_choices(submission, sides, late=late)
        if wait := seconds_to_wait(submission, list(missing)):
            raise WorkRefused("too-soon", wait=wait)
        if late:
            for number, one in missing.items():
                save_choice(submission, number=number, sequence=one.sequence, side=one.side, signals=BY_FORM)
            return
        if not all(
            is_choice(one.side, one.sequence, submission.campaign.answers) for one in missing.values()
        ):
            raise WorkRefused("garbled")
        if not missing or _append_choices(submission, missing.values()):
            return
    raise WorkRefused("garbled")


def _append_choices(submission: Submission, choices: Collection[Choice]) -> bool:
    """Lock the submission and append these choices. Returns False if the page's script has saved one of them."""
    try:
        with transaction.atomic():
            _lock_held(submission)
            Choice.objects.bulk_create(choices)
    except IntegrityError:
        return False
    for _ in choices:
        SAVES.add("kept")
    return True


def _open_slot(submission: Submission, number: int, *, late: bool = False) -> Slot:
    """Return the slot with this number, and lock its submission so that it cannot be submitted or end now.

    Once the time has run out (``late``), only a slot without a choice is open. Raises WorkRefused if there is no
    such slot, or if the submission was submitted or ended since it was read.
    """
    slots = Slot.objects.select_related("submission").only("submission__state")
    state = Submission.State.FINISHED if late else Submission.State.HELD
    held = slots.filter(submission=submission, submission__state=state, number=number)
    if late:
        held = held.filter(~Exists(Choice.objects.filter(slot=OuterRef("pk"))))
    if slot := held.select_for_update(of=("submission",)).first():
        return slot
    submission.refresh_from_db(fields=["state", "standing"])
    check_workable(submission)
    raise WorkRefused("garbled")


def _made_at(submission: Submission, slot: Slot, sequence: int, age: float) -> datetime:
    known = Choice.objects.filter(slot=slot, sequence__lt=sequence) if sequence else Choice.objects.none()
    before = known.aggregate(last=Max("chosen_at"))["last"]
    return made_at(age, opened_at=submission.opened_at, before=before)


def seconds_to_wait(submission: Submission, numbers: Collection[int]) -> float:
    """Return the seconds to wait until these slots' pairs can be judged.

    The wait results from the campaign's minimum time per pair. The server compares only the total time since consent
    with the number of pairs. The page checks the time on screen of each pair. A pair that has a choice can be changed
    at any time.
    """
    least = submission.campaign.minimum_seconds
    if not least or submission.worker.simulated:
        return 0.0
    done = {number for number, (side, _) in choices_made(submission).items() if side}
    new = set(numbers) - done
    agreed = Consent.objects.filter(submission=submission).values_list("given_at", flat=True).first()
    if not new or agreed is None:
        return 0.0
    here = len(done) - submission.resumed_pairs  # the time for resumed pairs was spent earlier
    due = agreed + timedelta(seconds=least * (here + len(new)))
    return max(0.0, (due - clock.now()).total_seconds())


def seconds_left(submission: Submission) -> float | None:
    """Return the seconds until the task's time is over, or None for a trial, which has no limit."""
    if submission.ends_at is None:
        return None
    return max(0.0, (submission.ends_at - clock.now()).total_seconds())


def run_out(submission: Submission, *, comment: str = "", pasted: bool = False) -> None:
    """End a task whose time is over: submit its judged pairs, or release a task without any. Safe to repeat."""
    held = Submission.objects.filter(pk=submission.pk, state=Submission.State.HELD)
    held.update(comment=storable_text(comment, LONGEST_COMMENT), comment_pasted=pasted)
    if send_off_saved(submission):
        SENT_OFF.add()
    else:
        end_submission(submission, Submission.State.LAPSED)
    submission.refresh_from_db()


def unanswered(submission: Submission) -> list[int]:
    """Return the numbers of the slots without a choice, ascending."""
    return [number for number, (side, _) in choices_made(submission).items() if not side]


def finish(
    submission: Submission, *, complete: bool = False, comment: str = "", pasted: bool = False
) -> list[int]:
    """Finish the task on our side: record judgments and gold answers, and accept no further changes.

    Safe to repeat. With ``complete``, a task that has pairs without a choice is not changed, and their numbers are
    returned. Without ``complete``, such a task is finished, too.

    Judgments count, and failed gold pairs count against the worker, only after the crowd lists the submission. Until
    then, the worker's id is only a claim in a URL.
    """
    held = Submission.objects.filter(pk=submission.pk, state=Submission.State.HELD)
    empty = Exists(Slot.objects.filter(submission=submission.pk, choices=None))
    known = {
        "state": Submission.State.FINISHED,
        "finished_at": clock.now(),
        "comment": storable_text(comment, LONGEST_COMMENT),
        "comment_pasted": pasted,
    }
    if complete and _FINISH(submission.pk, **known, left_early=False):
        for field, value in known.items():
            setattr(submission, field, value)
        SENT_OFF.add()
    elif complete and held.exists() and (left := unanswered(submission)):
        return left
    else:
        if held.update(**known, left_early=empty):
            SENT_OFF.add()
        submission.refresh_from_db(fields=["state", "standing", "finished_at", "comment", "left_early"])
        if submission.state not in (Submission.State.FINISHED, Submission.State.SUBMITTED):
            check_workable(submission)
    if submission.standing != Submission.Standing.TRIAL:
        record_answers(submission)  # a trial never counts: no judgments, no gold answers, no exclusion
    return []


def _completed(submission: int) -> QuerySet[Submission]:
    without = Slot.objects.filter(submission=submission, choices=None)
    return Submission.objects.filter(~Exists(without), pk=submission, state=Submission.State.HELD)


_FINISH = PreparedUpdate(_completed, "state", "finished_at", "comment", "comment_pasted", "left_early")


def keep_comment(submission: Submission, comment: str) -> None:
    """Store the worker's comment before the task is submitted, so that the page shows it when loaded again."""
    if comment.strip():
        held = Submission.objects.filter(pk=submission.pk, state=Submission.State.HELD)
        held.update(comment=storable_text(comment, LONGEST_COMMENT))
