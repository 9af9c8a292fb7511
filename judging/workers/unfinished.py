"""Counts the tasks that a worker left unfinished. After several, the worker gets no further tasks.

An unfinished task takes a place from others and produces no judgment that counts: no pair was judged, or not all gold
pairs were reached. A task returned with judged pairs counts half, because people are interrupted and can continue it
later. The count restarts when the worker submits a task with every pair judged, or when a person resets it. Tasks
whose worker is known only from a URL do not count, because others could use up the worker's limit with forged URLs.
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
    """The numbers of tasks that a worker left unfinished since the worker's last complete task.

    ``begun`` is the number of tasks returned with judged pairs, which count half. ``empty`` is the number of others.
    ``most`` is the limit at which the worker gets no further task; 0 means no limit.
    """

    empty: int
    begun: int
    most: int

    @property
    def count(self) -> int:
        return self.empty + self.begun

    @property
    def left(self) -> int:
        """The number of further empty tasks that are allowed before the worker is stopped."""
        return max(0, self.most - self.empty - self.begun // 2)

    @property
    def stopped(self) -> bool:
        """Whether the worker gets no further task."""
        return bool(self.most) and not self.left


def unfinished_of(campaign: Campaign, worker: Worker, work: Sequence[Work] | None = None) -> Unfinished:
    """Count the tasks that this worker left unfinished since the worker's last complete task."""
    work = submissions_of(campaign, worker) if work is None else work
    done = [one.opened_at for one in work if one.judged and _is_submitted(one) and not one.left_early]
    since = max(done, default=None)
    of_no_use = [one for one in work if one.empty or one.stopped or one.begun]
    left = [one for one in of_no_use if since is None or one.opened_at > since]
    if left:
        allowed = WorkerInCampaign.objects.filter(campaign=campaign, worker=worker)
        again = allowed.values_list("allowed_again_at", flat=True).first()
        left = [one for one in left if again is None or one.opened_at > again]
    begun = sum(one.begun for one in left)
    return Unfinished(len(left) - begun, begun, settings.MOST_UNFINISHED)


def _is_submitted(one: Work) -> bool:
    """Whether the task was submitted, at the crowd or, by a worker whose arrival the crowd signed, on our page."""
    on_our_page = one.state == Submission.State.FINISHED and one.taken_at is not None
    return one.state == Submission.State.SUBMITTED or on_our_page


def offer_tasks_again(campaign: Campaign, worker: Worker, *, why: str, who: str = "") -> None:
    """Offer tasks again to a worker who left too many unfinished. Earlier unfinished tasks no longer count."""
    changes = {"allowed_again_at": clock.now(), "allowed_again_by": who, "allowed_again_why": why}
    WorkerInCampaign.objects.update_or_create(campaign=campaign, worker=worker, defaults=changes)
    log_change(campaign, f"worker {worker.pk} offered tasks again", why=why, who=who)
