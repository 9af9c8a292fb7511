"""Tasks that a worker left without usable work. After several, the worker is offered no more.

Each takes a place from others and produces nothing that counts: no pair was submitted, or not all gold pairs were
reached. A task returned with judged pairs counts half, because people are interrupted and can continue it later. The
count restarts when the worker submits a task with every pair judged, or when a person resets it. Tasks that only an
address links to a worker do not count, or others could use up the limit.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings

from config import clock
from judging.campaign.campaigns import log_change
from judging.models import Campaign, Submission, Worker, WorkerInCampaign
from judging.workers.work_history import Work, submissions_of


@dataclass(frozen=True)
class Unfinished:
    """A worker's tasks without usable work since the last complete one; at most ``most`` are allowed (0: no limit).

    ``begun`` tasks were returned with judged pairs and count half; all others are ``empty``.
    """

    empty: int
    begun: int
    most: int

    @property
    def count(self) -> int:
        return self.empty + self.begun

    @property
    def left(self) -> int:
        """Return how many more empty tasks are allowed."""
        return max(0, self.most - self.empty - self.begun // 2)

    @property
    def stopped(self) -> bool:
        """Return whether the worker gets no further task."""
        return bool(self.most) and not self.left


def unfinished_of(campaign: Campaign, worker: Worker, work: Sequence[Work] | None = None) -> Unfinished:
    """Count the tasks that this worker left without usable work since the last complete one."""
    work = submissions_of(campaign, worker) if work is None else work
    submitted = (one for one in work if one.judged and one.state == Submission.State.SUBMITTED)
    done = [one.opened_at for one in submitted if not one.left_early]
    since = max(done, default=None)
    of_no_use = [one for one in work if one.empty or one.stopped or one.begun]
    left = [one for one in of_no_use if since is None or one.opened_at > since]
    if left:
        allowed = WorkerInCampaign.objects.filter(campaign=campaign, worker=worker)
        again = allowed.values_list("allowed_again_at", flat=True).first()
        left = [one for one in left if again is None or one.opened_at > again]
    begun = sum(one.begun for one in left)
    return Unfinished(len(left) - begun, begun, settings.MOST_UNFINISHED)


def offer_tasks_again(campaign: Campaign, worker: Worker, *, why: str, who: str = "") -> None:
    """Offer tasks again to a worker who left too many unfinished. Earlier unfinished tasks no longer count."""
    changes = {"allowed_again_at": clock.now(), "allowed_again_by": who, "allowed_again_why": why}
    WorkerInCampaign.objects.update_or_create(campaign=campaign, worker=worker, defaults=changes)
    log_change(campaign, f"worker {worker.pk} offered tasks again", why=why, who=who)
