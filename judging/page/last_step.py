"""The last step of a task: what a worker's browser sends to the crowd's site."""

from decimal import Decimal

from config.prepared_queries import Prepared
from judging.crowds import crowd_for
from judging.crowds.hosts import require_allowed
from judging.crowds.interface import FormPost, Redirect, SentOff
from judging.exchange.link_tokens import page_address
from judging.models import CrowdIdentity, Submission
from judging.money.discrepancies import receipt_of
from judging.money.payments import Earned
from judging.tasks.choices import choices_made
from judging.tasks.evidence import PROOF, proof_of


def final_answers(submission: Submission) -> list[tuple[str, str]]:
    """Return the fields of the crowd's form: the last choice for every slot that has one, and the comment."""
    fields = [(f"choice-{number}", side) for number, (side, _) in choices_made(submission).items() if side]
    return [*fields, ("comment", submission.comment)]


def last_step(submission: Submission, submit_to: str, earned: Earned) -> FormPost | Redirect:
    """Return the form or redirect that reports the finished task to the crowd's site, with the pay promised for it.

    ``submit_to`` is the crowd's URL for submitting. Raises ArrivalRefused if the settings do not allow that site.
    """
    answers, worker = final_answers(submission), crowd_worker_id(submission)
    proof = proof_of(submission, worker, dict(answers), judged=earned.judged, shown=earned.shown)
    # The crowd's site may show these fields to the worker, as the built-in marketplace does (docs/marketplace.md).
    receipt = [
        ("receipt", receipt_of(submission)),
        ("receipt_address", page_address(submission, submit_to)),
        ("pay_promised", _pay_promised(earned)),
        *([("ended", "time")] if submission.timed_out_at else []),
    ]
    sent = SentOff(
        campaign_key=submission.campaign.call_key,
        assignment_id=submission.assignment_id,
        crowd_worker_id=worker,
        submit_to=submit_to,
        answers=[*answers, *receipt, (PROOF, proof)],
    )
    step = crowd_for(submission.campaign).finish(sent)
    require_allowed(step.address)
    return step


def _pay_promised(earned: Earned) -> str:
    """Return the dollars that our page promises for the submitted task, such as ``2.00``.

    If the requester decides about a part, it follows a plus sign, as in ``0.20+1.80``. If the requester decides about
    everything and pay is not split, returns "undecided".
    """
    done, split = earned.judged == earned.shown, bool(earned.pay.bonus)
    if earned.unread and earned.pay.whole and split:
        sure = earned.pay.base if done else Decimal(0)
        return f"{sure:.2f}+{earned.dollars - sure:.2f}"
    decided = not earned.pay.whole or (earned.judged and not earned.unread and (done or split))
    return f"{earned.dollars:.2f}" if decided else "undecided"


def crowd_worker_id(submission: Submission) -> str:
    """Return the worker's id at the crowd, or an empty string if the worker was forgotten."""
    return _CROWD_WORKER_ID.first(submission.worker_id) or ""


_CROWD_WORKER_ID = Prepared(
    lambda worker: CrowdIdentity.objects.filter(worker=worker).values_list("crowd_worker_id", flat=True)
)
