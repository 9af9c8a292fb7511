"""What a worker does on the judging page: open it, consent, choose, send the task off."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, Max, OuterRef

from config import clock
from config.metrics import Count
from judging.crowds import crowd_for
from judging.crowds.hosts import require_allowed
from judging.crowds.seam import Arrival, FormPost, Redirect, SentOff
from judging.errors import WorkRefused
from judging.models import (
    Campaign,
    Choice,
    Consent,
    ConsentText,
    CrowdIdentity,
    Posting,
    Slot,
    Submission,
    Worker,
)
from judging.services.admitting import hand_over, has_gold, leave_earlier, limits, place_of
from judging.services.answers import record_answers
from judging.services.calls import campaign_key
from judging.services.confirming import confirm_failed
from judging.services.evidence import PROOF, proof_of
from judging.services.leasing import hand_out, lease_task, release
from judging.services.payments import earned_so_far
from judging.services.reconciling import receipt_of
from judging.services.resuming import resumable
from judging.services.running_out import record_late, send_off_saved, takes_late_choices
from judging.services.slots import pairs_in
from judging.services.texts import agreed_text
from judging.services.workers import crowd_of, has_enough, known_worker, refusal_reason, worker_for
from judging.tokens import page_address

SAVES = Count(
    "preferee_choices", "Choices saved: kept, or repeated (this very one came in before).", ("result",)
)
LEASES = Count("preferee_leases", "Arrivals for a new task: taken, or why not.", ("result",))
SENT_OFF = Count("preferee_tasks_sent_off", "Tasks sent off from the judging page.", ())
LONGEST_COMMENT = 5000
#: More choices in one slot than any person makes; the rest is not kept.
MOST_CHOICES = 200
#: More often than this nobody leaves a page; only that it was often is kept.
MOST_TIMES = 1000


@dataclass(frozen=True)
class Signals:
    """How a choice came about, as the page tells it: durations in seconds, ``age`` since the choice was made."""

    seconds: float | None = None
    hidden: float | None = None
    focus_lost: int = 0
    input_method: str = ""
    viewport: str = ""
    age: float = 0.0


NO_SIGNALS = Signals()


def open_task(posting: Posting, arrival: Arrival, *, network: str = "") -> Submission:
    """The submission of whoever arrived; leases a task at the first visit. Raises :class:`WorkRefused`.

    ``network`` is where the request came from, if that is known.
    """
    campaign = posting.campaign
    worker = known_worker(crowd_of(campaign), arrival.crowd_worker_id)
    if worker is not None:
        mine = Submission.objects.filter(assignment_id=arrival.assignment_id, worker=worker)
        if known := mine.first():
            if arrival.taken_at and known.taken_at is None:
                mine.update(taken_at=arrival.taken_at)
            return known
        if arrival.taken_at:
            leave_earlier(posting, worker, arrival.taken_at)
    try:
        submission = _new_task(campaign, worker, arrival, network)
    except WorkRefused as refused:
        LEASES.add(refused.reason)
        raise
    LEASES.add("taken")
    return submission


def _new_task(campaign: Campaign, worker: Worker | None, arrival: Arrival, network: str) -> Submission:
    if worker:
        confirm_failed(campaign, worker)
    if reason := refusal_reason(campaign, worker):
        raise WorkRefused(reason, worker=worker)
    resumes = bool(worker and arrival.taken_at and resumable(campaign, worker).exists())
    if not resumes and not has_gold(campaign, worker):
        raise WorkRefused("enough-tasks")
    paced = limits(campaign, arrival, network)
    if any(limit.used_up(who) for limit, who in paced):
        raise WorkRefused("crowded")
    place = place_of(campaign, arrival)
    with transaction.atomic():
        # Somebody new becomes a row together with a task, or not at all: made-up names leave nothing behind.
        worker = worker or worker_for(crowd_of(campaign), arrival.crowd_worker_id)
        if place is not None and arrival.taken_at:
            hand_over(place, arrival.assignment_id, arrival.taken_at)
        submission = lease_task(
            campaign, worker, assignment_id=arrival.assignment_id, place=place, taken_at=arrival.taken_at
        )
        if submission is None:
            raise WorkRefused("no-task")
    for limit, who in paced:
        limit.take(who)
    return submission


def check_workable(submission: Submission) -> None:
    """Raises :class:`WorkRefused` unless choices may still be made."""
    if submission.state == Submission.State.HELD:
        if submission.standing == Submission.Standing.EXCLUDED:
            raise WorkRefused("excluded", worker=submission.worker)
        return
    reasons = {
        "returned": "returned",
        "lapsed": "lapsed",
        "finished": "finished",
        "submitted": "already-done",
    }
    raise WorkRefused(reasons[submission.state])


def give_consent(submission: Submission, *, of_age: bool = False) -> bool:
    """Record that the worker agreed, to which text word for word, and when; once. What is shown is drawn now.

    False, and nothing is recorded, when the campaign asks for a confirmation of age and ``of_age`` is not it. Raises
    :class:`WorkRefused` when there is nothing left to show.
    """
    campaign = submission.campaign
    if campaign.minimum_age and not of_age:
        return False
    text = agreed_text(campaign, pairs=pairs_in(submission))
    digest = hashlib.sha256(text.encode()).hexdigest()
    ConsentText.objects.get_or_create(campaign=campaign, sha256=digest, defaults={"text": text})
    given = {"text_sha256": digest, "age_confirmed": campaign.minimum_age}
    reason = ""
    with transaction.atomic():
        _lock_held(submission)
        _, first = Consent.objects.get_or_create(submission=submission, defaults=given)
        if first and not submission.slots.exists() and (reason := _hand_out(submission)):
            transaction.set_rollback(True)
    if reason:
        release(submission, Submission.State.RETURNED)
        raise WorkRefused(reason)
    return True


def _lock_held(submission: Submission) -> None:
    """Keep the submission from ending meanwhile: a task given to one that is over would wait for its lease's end.

    Raises WorkRefused when it ended, or its worker was excluded, since it was read.
    """
    Submission.objects.select_for_update().get(pk=submission.pk)
    submission.refresh_from_db(fields=["state", "standing"])
    check_workable(submission)


def _hand_out(submission: Submission) -> str:
    """Draw what is shown; returns why there is nothing to show."""
    if submission.taken_at is None and has_enough(submission.campaign, submission.worker, beside=submission):
        return "enough-tasks"
    has_gold(submission.campaign, submission.worker, beside=submission)
    return hand_out(submission)


def has_agreed(submission: Submission) -> bool:
    """Whether the worker agreed to the text of this task."""
    return Consent.objects.filter(submission=submission).exists()


def save_choice(
    submission: Submission, *, number: int, sequence: int, side: str, signals: Signals = NO_SIGNALS
) -> bool:
    """Append a choice; False when this very save came in before. Raises :class:`WorkRefused` when too late."""
    late = takes_late_choices(submission)
    if not late:
        check_workable(submission)
    sides = set(Choice.Side.values)
    if not submission.campaign.allow_undecided:
        sides -= {Choice.Side.UNDECIDED}
    if side not in sides or not 0 <= sequence < MOST_CHOICES:
        raise WorkRefused("garbled")
    if wait := seconds_to_wait(submission, [number]):
        raise WorkRefused("too-soon", wait=wait)
    values, made = _recorded(signals), None
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
            sequence += 1  # another tab made its choice under this number: both are kept
    raise WorkRefused("garbled")


def _open_slot(submission: Submission, number: int, *, late: bool = False) -> Slot:
    """The slot with this number, its submission locked against being sent off meanwhile.

    Once the time has run out (``late``) only a slot without a choice is open. Raises WorkRefused when there is no
    such slot, or the submission was sent off or ended since it was read.
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


def _recorded(signals: Signals) -> dict[str, Any]:
    """What is kept of the signals: what the page can say, and nothing else."""
    methods, viewports = Choice.InputMethod.values, Choice.Viewport.values
    return {
        "seconds_shown": signals.seconds,
        "seconds_hidden": signals.hidden,
        "focus_lost": max(0, min(signals.focus_lost, MOST_TIMES)),
        "input_method": signals.input_method if signals.input_method in methods else "",
        "viewport": signals.viewport if signals.viewport in viewports else "",
    }


def _made_at(submission: Submission, slot: Slot, sequence: int, age: float) -> datetime:
    """When the choice was made, by our clock: a choice may wait for a connection before it comes in.

    Not before the task was opened, and not before the choices that its page knew of.
    """
    now = clock.now()
    made = max(min(now - timedelta(seconds=age), now), submission.opened_at)
    if not sequence:
        return made
    known = Choice.objects.filter(slot=slot, sequence__lt=sequence).aggregate(last=Max("chosen_at"))["last"]
    return max(made, known) if known else made


def seconds_to_wait(submission: Submission, numbers: Collection[int]) -> float:
    """How long until the pairs with these numbers may be answered, by the campaign's least time for a pair.

    Our clock says only that as many pairs were looked at one after the other since the worker agreed; that each was
    on screen long enough is for the page to see to. A pair that was answered once may be answered again at any time.
    """
    least = submission.campaign.minimum_seconds
    if not least or submission.worker.simulated:
        return 0.0
    done = {number for number, (side, _) in choices_made(submission).items() if side}
    new = set(numbers) - done
    agreed = Consent.objects.filter(submission=submission).values_list("given_at", flat=True).first()
    if not new or agreed is None:
        return 0.0
    here = len(done) - submission.resumed_pairs  # what was judged before took its time then
    due = agreed + timedelta(seconds=least * (here + len(new)))
    return max(0.0, (due - clock.now()).total_seconds())


def seconds_left(submission: Submission) -> float | None:
    """Until the time for the task is over; None for a trial, which has no limit."""
    if submission.ends_at is None:
        return None
    return max(0.0, (submission.ends_at - clock.now()).total_seconds())


def run_out(submission: Submission, *, comment: str = "", pasted: bool = False) -> None:
    """End a task whose time is over: send off what is judged, or give up what is empty. Safe to repeat."""
    held = Submission.objects.filter(pk=submission.pk, state=Submission.State.HELD)
    held.update(comment=_kept(comment), comment_pasted=pasted)
    if send_off_saved(submission):
        SENT_OFF.add()
    else:
        release(submission, Submission.State.LAPSED)
    submission.refresh_from_db()


def choices_made(submission: Submission) -> dict[int, tuple[str, int]]:
    """Number of every slot, ascending → (the side chosen last, empty without one; how many choices were made)."""
    order = [f"choices__{field}" for field in Choice.AS_MADE]
    rows = submission.slots.order_by("number", *order).values_list("number", "choices__side")
    made: dict[int, tuple[str, int]] = {}
    for number, side in rows:
        made[number] = (side or "", made.get(number, ("", 0))[1] + (side is not None))
    return made


def unanswered(submission: Submission) -> list[int]:
    """Numbers of the slots without a choice, ascending."""
    return [number for number, (side, _) in choices_made(submission).items() if not side]


def finish(submission: Submission, *, comment: str = "", pasted: bool = False) -> None:
    """Send the task off from our side: no more changes, answers recorded. Safe to repeat.

    Also before the last pair: then the worker left early.

    The crowd's own submit follows; only when the crowd's list names it do its judgments count, and its answers on
    gold pairs speak against the worker: until then the worker's id is what somebody wrote into an address.
    """
    moved = Submission.objects.filter(pk=submission.pk, state=Submission.State.HELD).update(
        state=Submission.State.FINISHED,
        finished_at=clock.now(),
        comment=_kept(comment),
        comment_pasted=pasted,
        left_early=bool(unanswered(submission)),
    )
    if moved:
        SENT_OFF.add()
    submission.refresh_from_db(fields=["state", "finished_at", "comment"])
    if not moved and submission.state not in (Submission.State.FINISHED, Submission.State.SUBMITTED):
        check_workable(submission)
    if submission.standing == Submission.Standing.TRIAL:
        return  # nothing of a trial counts: no judgment, no answer on a gold pair, nobody to exclude
    record_answers(submission)


def keep_comment(submission: Submission, comment: str) -> None:
    """Keep a comment that is not sent off yet, for when the page is shown again."""
    if comment.strip():
        held = Submission.objects.filter(pk=submission.pk, state=Submission.State.HELD)
        held.update(comment=_kept(comment))


def _kept(comment: str) -> str:
    """The comment as it is stored: cut to its limit, without the null character that no database takes."""
    return comment.replace("\0", "").strip()[:LONGEST_COMMENT]


def final_answers(submission: Submission) -> list[tuple[str, str]]:
    """The fields of the crowd's form: the last choice of every slot, and the comment."""
    choices = Choice.objects.filter(slot__submission=submission).order_by("slot__number", *Choice.AS_MADE)
    last = dict(choices.values_list("slot__number", "side"))
    fields = [(f"choice-{number}", side) for number, side in last.items()]
    return [*fields, ("comment", submission.comment)]


def last_step(submission: Submission, submit_to: str) -> FormPost | Redirect:
    """How the worker's browser tells the crowd's site that the task was sent off.

    Raises ArrivalRefused when that would lead to a site that the settings do not allow.
    """
    answers, worker = final_answers(submission), crowd_worker_id(submission)
    # The crowd's site may show them to the worker, as the built-in marketplace does (docs/marketplace.md).
    receipt = [
        ("receipt", receipt_of(submission)),
        ("receipt_address", page_address(submission, submit_to)),
        ("pay_promised", _pay_promised(submission)),
        *([("ended", "time")] if submission.timed_out_at else []),
    ]
    sent = SentOff(
        campaign_key=campaign_key(submission.campaign),
        assignment_id=submission.assignment_id,
        crowd_worker_id=worker,
        submit_to=submit_to,
        answers=[*answers, *receipt, (PROOF, proof_of(submission, worker, dict(answers)))],
    )
    step = crowd_for(submission.campaign).finish(sent)
    require_allowed(step.address)
    return step


def _pay_promised(submission: Submission) -> str:
    """The dollars that our page promises for the task as it is sent off, unless the requester has to decide."""
    pay, judged, shown, earned = earned_so_far(submission)
    decided = judged and (pay.bonus or judged == shown)
    return f"{earned:.2f}" if decided or not pay.whole else "undecided"


def crowd_worker_id(submission: Submission) -> str:
    """The crowd's id of the worker, for the crowd's own form; empty when the worker was forgotten."""
    identity = CrowdIdentity.objects.filter(worker=submission.worker_id).first()
    return identity.crowd_worker_id if identity else ""
