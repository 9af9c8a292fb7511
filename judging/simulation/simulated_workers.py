"""Simulated workers, who use the real pages over HTTP.

They sign up at the marketplace, take places, load the judging page, and submit the real forms. From the database they
learn only which passage a text belongs to, and its grade in a qrel set (the truth). They cannot tell which pairs are
gold.
"""

import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from django.db import connection
from django.db.models import Q

from config.background.followed_jobs import attend, run_schedule
from config.background.job_kinds import Progress
from config.background.models import Job
from config.guidance import Action, Guidance, Option
from config.plurals import many
from judging.campaign import rehearsal_copy
from judging.errors import CampaignRefused, JudgingError
from judging.exchange.link_tokens import BadToken, read_link
from judging.grading.grades import choosing_key
from judging.intake.places import places_offered
from judging.jobs import post_places_key, ring_to_collect
from judging.launch.gold_checks import count_tasks_without_gold, no_gold_fits_words
from judging.models import Campaign, GradedCampaign, Place, Submission, Task
from judging.rules.screening import SLIP_RATE
from judging.rules.slips import assumed
from judging.simulation.browser import Browser, Page, hang_up
from judging.simulation.leftovers import end_leftover_leases, held_words, only_simulation
from judging.simulation.truth import Truth
from judging.watching.blockers import budget_used_up
from judging.watching.status import is_complete
from judging.workers.identities import crowd_namespace, declare_simulated
from pooling.models import QrelSet

LOOPBACK = {"127.0.0.1", "localhost", "::1"}
#: After this many rounds in a row without a finished task, workers are added or the simulation gives up.
IDLE_ROUNDS = 5
#: The maximum number of workers in total. Workers are added if all others are excluded or have judged the pairs left.
MOST_WORKERS = 400


@dataclass(frozen=True)
class SimulationSettings:
    """The numbers of simulated workers, and how well they judge.

    ``careless`` of the workers choose at random. The others err on obvious pairs with probability ``gold_error``, and
    on other pairs with probability ``error``. ``concurrency`` is the number of workers at work at a time.
    """

    workers: int = 25
    careless: int = 0
    error: float = 0.1
    gold_error: float = assumed(SLIP_RATE).expected
    seed: int = 1
    concurrency: int = 8


@dataclass
class Simulated:
    tasks: int = 0
    judgments: int = 0
    recruited: int = 0
    """Workers who were added later, for tasks that none of the first workers could do."""
    refused: dict[str, int] = field(default_factory=dict)
    stopped: str = ""
    """Why a rehearsal ended before all its tasks were done; empty if it did not."""
    seconds: float = 0.0


class SimulatedWorker:
    """A simulated worker with an account at the marketplace, who does tasks until none is left."""

    def __init__(self, number: int, settings: SimulationSettings, campaign: Campaign, truth: Truth) -> None:
        self.browser = Browser(campaign.endpoint)
        self.careless = number < settings.careless
        # Half of the workers browse without JavaScript, so their choices arrive with the form.
        self.without_script = number % 2 == 1
        self.settings, self.campaign, self.truth = settings, campaign, truth
        self.grading = campaign.grading  # read here, so that threads need no database connection
        self.rng = np.random.default_rng([abs(settings.seed), campaign.pk, number])
        self.stopped = ""

    def sign_up(self) -> str:
        """Create the worker's account at the marketplace and return its worker id."""
        name = f"simulated-{secrets.token_hex(6)}"
        return self.browser.sign_up(name, secrets.token_urlsafe(16), program=True)

    def work(self, kinds: Iterable[str]) -> int:
        """Do tasks of these groups until none is offered or this worker is refused; return the number done."""
        return sum(map(self._work, kinds))

    def _work(self, kind_id: str) -> int:
        done = 0
        while not self.stopped:
            task = self.browser.take(kind_id)
            if task is None:
                break
            if self._is_ours(task.frame_address) and self._do(task.frame_address):
                done += 1
            else:
                self.browser.give_back(task)
                break  # nothing for this worker now; the next round may have something
        return done

    def _is_ours(self, frame_address: str) -> bool:
        """Return whether the place belongs to this campaign.

        A group at the crowd can also contain places of other campaigns.
        """
        token = urlsplit(frame_address).path.rstrip("/").rpartition("/")[2]
        try:
            return read_link(token).campaign_id == self.campaign.pk
        except BadToken:  # another installation's link
            return False

    def _do(self, frame_address: str) -> bool:
        """Do one task on the judging page and submit the crowd's form. Returns False if the page shows a refusal."""
        page = self.browser.open_task(frame_address)
        if page.refusal:
            if page.refusal != "no-task":
                self.stopped = page.refusal
            return False
        sides = {pair.number: self._side(pair) for pair in page.pairs if not pair.chosen}
        if self.without_script:
            self.browser.send_off(page, sides)
        else:
            for number, side in sides.items():
                self.browser.choose(page, number, side)
            self.browser.send_off(page, {})
        return True

    def _side(self, pair: Page) -> str:
        if self.grading is not None:
            return str(self._grade(pair, self.grading))
        if self.careless:
            return "left" if self.rng.random() < 0.5 else "right"
        prefers_left, obvious = self.truth.prefers_left(pair)
        slips = self.rng.random() < (self.settings.gold_error if obvious else self.settings.error)
        return "left" if prefers_left != slips else "right"

    def _grade(self, shown: Page, grading: GradedCampaign) -> int:
        """Return the worker's grade for the passage.

        With probability ``gold_error``, it is on the wrong side of relevance. With probability ``error``, it is one
        lower but still on the right side.
        """
        highest = len(grading.scale) - 1
        if self.careless:
            return int(self.rng.integers(highest + 1))
        grade = self.truth.passage_grade(shown, grading)
        if self.rng.random() < self.settings.gold_error:
            return grading.min_grade if grade < grading.min_grade else grading.min_grade - 1
        if self.rng.random() < self.settings.error and grade not in (0, grading.min_grade):
            return grade - 1
        return grade


def simulate_workers(
    campaign: Campaign, truth: QrelSet, settings: SimulationSettings, *, progress: Progress | None = None
) -> Simulated:
    """Have simulated workers judge until every task of the campaign is done by a submission that counts.

    Between rounds, submissions are collected and scheduled jobs run, so that repeats and the next steps of challenges
    are offered. Tasks that workers of an interrupted run still hold are released first. Raises CampaignRefused if the
    campaign offers no tasks, its crowd is not on this machine, or another run is working on it. Raises JudgingError
    if no worker can do the remaining tasks; a rehearsal with a task done stops there instead.
    """
    if not campaign.endpoint:  # It is set at launch.
        raise CampaignRefused(
            f"The campaign {campaign.name} has not been launched yet.",
            Action("launch_campaign", campaign.name, lead="Launch it first"),
        )
    if urlsplit(campaign.endpoint).hostname not in LOOPBACK:
        raise CampaignRefused(
            f"Simulated workers work on this machine's marketplace only, not at {campaign.endpoint}."
        )
    if campaign.state not in Campaign.OFFERING:
        raise CampaignRefused(f"The campaign {campaign.name} is {campaign.state}.", "Launch it first.")
    with only_simulation(campaign):
        return _simulate(campaign, truth, settings, progress)


def _simulate(
    campaign: Campaign, truth: QrelSet, settings: SimulationSettings, progress: Progress | None
) -> Simulated:
    began = time.monotonic()
    done = Simulated()
    _collect_and_wait(campaign, sweep=True)
    end_leftover_leases(campaign)
    opinion = Truth(campaign, truth, settings.seed)
    crew = _sign_up(campaign, settings, opinion, range(settings.workers), progress)
    idle, tell = 0, _progress_reporter(campaign, progress)
    with ThreadPoolExecutor(settings.concurrency) as pool:
        try:
            while not _all_done(campaign):
                before = done.tasks
                done.tasks += _work_one_round(campaign, crew, pool if not idle else None, tell)
                tell()
                idle = 0 if done.tasks > before else idle + 1
                if idle == IDLE_ROUNDS:
                    try:
                        new = _recruit_workers(campaign, settings, opinion, len(crew))
                    except JudgingError as stuck:
                        if not _is_enough_to_forecast(campaign):
                            raise
                        done.stopped = stuck.message
                        break
                    crew += new
                    done.recruited += len(new)
                    idle = 0
                if idle:
                    time.sleep(0.5)
        finally:
            pool.map(lambda _: connection.close(), range(settings.concurrency))
    hang_up()
    if campaign.rehearsal_of_id and not done.stopped and campaign.state in Campaign.OVER:
        done.stopped = "It was stopped."
    done.refused = dict(Counter(worker.stopped for worker in crew if worker.stopped))
    done.judgments = campaign.judgments.counted().count()
    done.seconds = round(time.monotonic() - began, 1)
    return done


def _progress_reporter(campaign: Campaign, progress: Progress | None) -> Callable[..., None]:
    """Return a function that reports how many tasks are done.

    Its optional argument says in words what else is going on.
    """
    share, tasks = 0.0, 0

    def tell(doing: str = "") -> None:
        nonlocal share, tasks
        if progress is None:
            return
        if not (doing and tasks):
            over, tasks = _tasks_done(campaign)
            # Challenges add tasks and exclusions reopen some, but the progress bar must not run backwards.
            share = max(share, over / max(tasks, 1))
        progress(int(share * tasks), tasks, f"{doing}. Tasks judged" if doing else "Tasks judged")

    return tell


def _tasks_done(campaign: Campaign) -> tuple[int, int]:
    """Return the number of tasks that are done or were just submitted, and the number of all tasks."""
    over = Q(state=Task.State.DONE) | Q(submissions__state=Submission.State.FINISHED)
    return campaign.tasks.filter(over).distinct().count(), campaign.tasks.count()


def _is_enough_to_forecast(campaign: Campaign) -> bool:
    """Return whether this is a rehearsal with at least one task done, which is enough for a forecast."""
    return campaign.rehearsal_of_id is not None and campaign.tasks.filter(state=Task.State.DONE).exists()


def _sign_up(
    campaign: Campaign,
    settings: SimulationSettings,
    truth: Truth,
    numbers: range,
    progress: Progress | None = None,
) -> list[SimulatedWorker]:
    crew, ids = [SimulatedWorker(number, settings, campaign, truth) for number in numbers], []
    with ThreadPoolExecutor(settings.concurrency) as pool:
        for one in pool.map(SimulatedWorker.sign_up, crew):
            ids.append(one)
            if progress:
                progress(0, 1, f"{len(ids)} of {len(crew)} simulated workers signed up")
    workers = declare_simulated(crowd_namespace(campaign), ids)
    if campaign.rehearsal_of_id:
        rehearsal_copy.admit_workers(campaign, workers)
    return crew


def _recruit_workers(
    campaign: Campaign, settings: SimulationSettings, truth: Truth, there: int
) -> list[SimulatedWorker]:
    """Sign up more workers, because none of the ``there`` workers can continue.

    Raises JudgingError if no place is open, no waiting task fits a new worker, or the maximum is reached.
    """
    waiting = campaign.tasks.filter(state=Task.State.WAITING)
    without = count_tasks_without_gold(campaign, waiting)
    if without and without == waiting.count():
        raise JudgingError(
            no_gold_fits_words(campaign, without), f"Accept {campaign.gold_words}s on more questions."
        )
    open_places = Place.objects.filter(posting__campaign=campaign, state__in=Place.LIVE)
    if not open_places.exists() or there >= MOST_WORKERS:
        raise _nobody_can_continue(campaign, there)
    return _sign_up(campaign, settings, truth, range(there, min(MOST_WORKERS, there + settings.workers)))


def _work_one_round(
    campaign: Campaign,
    crew: list[SimulatedWorker],
    pool: ThreadPoolExecutor | None,
    tell: Callable[..., None],
) -> int:
    """Run one round of all workers, with a collection before and after. Returns the number of tasks done.

    Without ``pool``, the workers work one after another. Near the end of a campaign, this leaves the last places to
    workers who can use them. Otherwise, workers who have already judged the remaining pairs would hold these places.
    """
    _collect_and_wait(campaign)
    kinds = _offered_kinds(campaign)
    if pool:
        working = [pool.submit(worker.work, kinds) for worker in crew]
        while wait(working, timeout=1).not_done:
            tell()
        done = sum(one.result() for one in working)
    else:
        done = sum(worker.work(kinds) for worker in crew)
    _collect_and_wait(campaign, tell=tell)
    return done


def _offered_kinds(campaign: Campaign) -> list[str]:
    """Return the ids of the crowd's groups with open places of the campaign, older postings included."""
    offered = places_offered(campaign).exclude(posting__crowd_key="").order_by("posting__crowd_key")
    return list(offered.values_list("posting__crowd_key", flat=True).distinct())


def _all_done(campaign: Campaign) -> bool:
    campaign.refresh_from_db(fields=["state"])
    if campaign.state not in Campaign.OFFERING:  # a pilot ended automatically
        return True
    if not is_complete(campaign):
        return False
    run_schedule()  # a challenge may be ready for its next step
    return is_complete(campaign)


def _collect_and_wait(
    campaign: Campaign, *, sweep: bool = False, tell: Callable[..., None] | None = None
) -> None:
    progress = (lambda done, total, words="": tell(f"{words} {done} of {total}")) if tell else None
    _attend_live([ring_to_collect(campaign, sweep=sweep)], progress)
    topics = map(choosing_key, campaign.topic_assignments.filter(over_at=None))
    _attend_live(Job.objects.live().filter(key__in=list(topics)))
    _attend_live(Job.objects.live().filter(key=post_places_key(campaign)))


def _attend_live(jobs: Iterable[Job], progress: Progress | None = None) -> None:
    for job in list(jobs):
        attend(job, progress=progress, poll_seconds=0.05)


def _nobody_can_continue(campaign: Campaign, workers: int) -> JudgingError:
    if used_up := budget_used_up(campaign):
        what, raise_budget = used_up
        return JudgingError(what, Guidance("Run: ", raise_budget, ", then have them judge again."))
    left = campaign.tasks.exclude(state=Task.State.DONE).count()
    crew = many(workers, "simulated worker", "simulated workers")
    return JudgingError(
        f"{many(left, 'task is', 'tasks are')} left and none of {crew} can do {'it' if left == 1 else 'them'}. "
        f"{held_words(campaign)}".strip(),
        Guidance(
            "Run it again: new workers sign up, and tasks that simulated workers hold are taken back. Or start with "
            "more workers (",
            Option("workers"),
            ").",
        ),
    )


def simulation_result(done: Simulated) -> dict[str, Any]:
    """Return the result for ``--json``."""
    return {
        "tasks": done.tasks,
        "judgments_counted": done.judgments,
        "recruited": done.recruited,
        "refused": done.refused,
        "stopped": done.stopped,
        "seconds": done.seconds,
    }
