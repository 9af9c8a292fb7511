"""What a worker does on the judging page: open it, consent, choose, send the task off."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass

from django.db import IntegrityError, transaction

from config import clock
from config.metrics import Count
from judging.crowds import crowd_for
from judging.crowds.hosts import require_allowed
from judging.crowds.seam import Arrival, FormPost, Redirect, SentOff
from judging.errors import ArrivalRefused
from judging.layout import placeholder_text
from judging.models import Campaign, Choice, Consent, CrowdIdentity, Place, Posting, Slot, Submission, Worker
from judging.services.answers import record_answers
from judging.services.calls import campaign_key
from judging.services.leasing import gold_is_left, lease_task, make_room
from judging.services.screening_workers import screen_worker
from judging.services.workers import crowd_of, refusal_reason, worker_for
from pooling.models import Passage, Query

SAVES = Count(
    "preferee_choices", "Choices saved: kept, or repeated (this very one came in before).", ("result",)
)
LEASES = Count("preferee_leases", "Arrivals for a new task: taken, or why not.", ("result",))
SENT_OFF = Count("preferee_tasks_sent_off", "Tasks sent off from the judging page.", ())
LONGEST_COMMENT = 5000
#: More choices in one slot than any person makes; the rest is not kept.
MOST_CHOICES = 200


class WorkRefused(ArrivalRefused):
    """The page can't be worked on; ``reason`` names the refusal page that says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"No task now: {reason}.")
        self.reason = reason


@dataclass(frozen=True)
class ShownPair:
    """One slot as it is shown: number, question, texts, the side chosen so far, how many choices were made."""

    number: int
    question: str
    left: str
    right: str
    chosen: str
    made: int


def open_task(posting: Posting, arrival: Arrival) -> Submission:
    """The submission of whoever arrived; leases a task at the first visit. Raises :class:`WorkRefused`."""
    campaign = posting.campaign
    worker = worker_for(crowd_of(campaign), arrival.crowd_worker_id)
    known = Submission.objects.filter(assignment_id=arrival.assignment_id, worker=worker).first()
    if known is not None:
        return known
    try:
        submission = _new_task(campaign, worker, arrival)
    except WorkRefused as refused:
        LEASES.add(refused.reason)
        raise
    LEASES.add("taken")
    return submission


def _new_task(campaign: Campaign, worker: Worker, arrival: Arrival) -> Submission:
    if reason := refusal_reason(campaign, worker):
        raise WorkRefused(reason)
    if not gold_is_left(campaign, worker):
        raise WorkRefused("enough-tasks")
    place = _place_of(campaign, arrival)
    if place is not None and not make_room(place, worker):
        raise WorkRefused("no-task")
    submission = lease_task(campaign, worker, assignment_id=arrival.assignment_id, place=place)
    if submission is None:
        raise WorkRefused("no-task")
    return submission


def _place_of(campaign: Campaign, arrival: Arrival) -> Place | None:
    """The place that the address names; None when it names none, or none of ours."""
    if not arrival.place_crowd_id:
        return None
    return Place.objects.filter(posting__campaign=campaign, crowd_id=arrival.place_crowd_id).first()


def check_workable(submission: Submission) -> None:
    """Raises :class:`WorkRefused` unless choices may still be made."""
    if submission.state == Submission.State.HELD:
        if submission.standing == Submission.Standing.EXCLUDED:
            raise WorkRefused("excluded")
        return
    reasons = {
        "returned": "returned",
        "lapsed": "lapsed",
        "finished": "finished",
        "submitted": "already-done",
    }
    raise WorkRefused(reasons[submission.state])


def give_consent(submission: Submission) -> None:
    """Record that the worker agreed, to which text, and when; once."""
    digest = hashlib.sha256(submission.campaign.consent_text.encode()).hexdigest()
    Consent.objects.get_or_create(submission=submission, defaults={"text_sha256": digest})


def save_choice(
    submission: Submission, *, number: int, sequence: int, side: str, seconds: float | None = None
) -> bool:
    """Append a choice; False when this very save came in before. Raises :class:`WorkRefused` when too late."""
    check_workable(submission)
    slot = Slot.objects.filter(submission=submission, number=number).only("pk").first()
    sides = set(Choice.Side.values)
    if not submission.campaign.allow_undecided:
        sides -= {Choice.Side.UNDECIDED}
    if slot is None or side not in sides or not 0 <= sequence < MOST_CHOICES:
        raise WorkRefused("garbled")
    for _ in range(MOST_CHOICES):
        try:
            with transaction.atomic():
                Choice.objects.create(slot=slot, sequence=sequence, side=side, seconds_shown=seconds)
            SAVES.add("kept")
            return True
        except IntegrityError:
            if Choice.objects.get(slot=slot, sequence=sequence).side == side:
                SAVES.add("repeated")
                return False
            sequence += 1  # another tab made its choice under this number: both are kept, in order of arrival
    raise WorkRefused("garbled")


def choices_made(submission: Submission) -> dict[int, tuple[str, int]]:
    """Number of every slot, ascending → (the side chosen last, empty without one; how many choices were made)."""
    rows = submission.slots.order_by("number", "choices__sequence").values_list("number", "choices__side")
    made: dict[int, tuple[str, int]] = {}
    for number, side in rows:
        made[number] = (side or "", made.get(number, ("", 0))[1] + (side is not None))
    return made


def unanswered(submission: Submission) -> list[int]:
    """Numbers of the slots without a choice, ascending."""
    return [number for number, (side, _) in choices_made(submission).items() if not side]


def finish(submission: Submission, *, comment: str = "") -> None:
    """Send the task off from our side: no more changes, answers recorded, worker screened. Safe to repeat.

    Also before the last pair: then the worker left early.

    The crowd's own submit follows; only when the crowd's list names it do its judgments count.
    """
    moved = Submission.objects.filter(pk=submission.pk, state=Submission.State.HELD).update(
        state=Submission.State.FINISHED,
        finished_at=clock.now(),
        comment=_kept(comment),
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
    screen_worker(submission.campaign, submission.worker)


def _kept(comment: str) -> str:
    """The comment as it is stored: cut to its limit, without the null character that no database takes."""
    return comment.replace("\0", "").strip()[:LONGEST_COMMENT]


def final_answers(submission: Submission) -> list[tuple[str, str]]:
    """The fields of the crowd's form: the last choice of every slot, and the comment."""
    choices = Choice.objects.filter(slot__submission=submission).order_by("slot__number", "sequence")
    last = dict(choices.values_list("slot__number", "side"))
    fields = [(f"choice-{number}", side) for number, side in last.items()]
    return [*fields, ("comment", submission.comment)]


def last_step(submission: Submission, submit_to: str) -> FormPost | Redirect:
    """How the worker's browser tells the crowd's site that the task was sent off.

    Raises ArrivalRefused when that would lead to a site that the settings do not allow.
    """
    sent = SentOff(
        campaign_key=campaign_key(submission.campaign),
        assignment_id=submission.assignment_id,
        crowd_worker_id=crowd_worker_id(submission),
        submit_to=submit_to,
        answers=final_answers(submission),
    )
    step = crowd_for(submission.campaign).finish(sent)
    require_allowed(step.address)
    return step


def crowd_worker_id(submission: Submission) -> str:
    """The crowd's id of the worker, for the crowd's own form; empty when the worker was forgotten."""
    identity = CrowdIdentity.objects.filter(worker=submission.worker_id).first()
    return identity.crowd_worker_id if identity else ""


def shown_pairs(submission: Submission) -> list[ShownPair]:
    """Every slot of the submission, in order, with the texts as they are shown."""
    campaign = submission.campaign
    choices = (
        Choice.objects.filter(slot__submission=submission).order_by("sequence").values_list("slot_id", "side")
    )
    chosen, made = dict(choices), Counter(slot for slot, _ in choices)
    slots = submission.slots.select_related("pair__query", "gold_pair__query", "left", "right").order_by(
        "number"
    )
    return [
        ShownPair(
            number=slot.number,
            question=_query(slot).text,
            left=text_of(campaign, slot.left),
            right=text_of(campaign, slot.right),
            chosen=chosen.get(slot.pk, ""),
            made=made[slot.pk],
        )
        for slot in slots
    ]


def _query(slot: Slot) -> Query:
    shown = slot.pair or slot.gold_pair
    assert shown is not None
    return shown.query


def text_of(campaign: Campaign, passage: Passage) -> str:
    """The passage's text, or in a rehearsal without texts a placeholder that tells passages apart."""
    return passage.text if passage.text is not None else placeholder_text(campaign.seed, passage.pid)
