"""The work of five hundred workers in the campaign of benchmarks/_large.py."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from _rows import insert_rows
from django.db import connection

from judging import models as judging

if TYPE_CHECKING:
    from _large import Large

PAIRS = 10
GOLD = 3
SLOTS = PAIRS + GOLD
DAYS = 5

SUBMISSION = (
    "id campaign_id place_id worker_id task_id assignment_id state standing seed"
    " opened_at finished_at submitted_at collected_at approved_at"
)
SLOT = "id submission_id worker_id number pair_id gold_pair_id left_id right_id"
CHOICE = "slot_id sequence side seconds_shown seconds_hidden input_method viewport chosen_at"
JUDGMENT = (
    "campaign_id pair_id left_id right_id preferred_id judge_kind worker_id submission_id slot_id judged_at"
)
GOLD_ANSWER = "slot_id submission_id worker_id gold_pair_id preferred_id passed recorded_at"
CALLS = (("approve", "reward", "0.20", "0.04"), ("pay_bonus", "bonus", "1.80", "0.36"))


class Work:
    """The rows of all submissions, kept in memory until they are written."""

    def __init__(self, large: Large) -> None:
        self.large = large
        self.seconds = DAYS * 86400 // large.submissions
        self.turns: Counter[int] = Counter()
        self.submissions: list[Any] = []
        self.slots: list[Any] = []
        self.choices: list[Any] = []
        self.judgments: list[Any] = []
        self.answers: list[Any] = []

    def submit(self, task: int, worker: int) -> None:
        """Add the next submission: the task's pairs, then the worker's next gold pairs."""
        number = len(self.submissions)
        key, opened = number + 1, self.large.campaign.launched_at + timedelta(seconds=number * self.seconds)
        length = int(self.large.rng.gamma(9, 40)) + 60
        finished = opened + timedelta(seconds=length)
        came = finished + timedelta(seconds=30)
        standing = "excluded" if worker >= self.large.good else "counted"
        made = (self.large.campaign.pk, key, worker + 1, task + 1, f"ASSIGNMENT{key}", "submitted", standing)
        self.submissions.append((key, *made, key, opened, finished, came, came, came))
        for place in range(SLOTS):
            at = opened + timedelta(seconds=length * (place + 1) / SLOTS)
            if place < PAIRS:
                left, better = self._judge(key, worker, place, task * PAIRS + place, at)
            else:
                left, better = self._answer(key, worker, place, came)
            side = "left" if better == left else "right"
            slot = self.slots[-1][0]
            self.choices.append((slot, 0, side, length / SLOTS, 0.0, "mouse", "wide", at))
        self.turns[worker] += 1

    def _judge(self, key: int, worker: int, place: int, pair: int, at: datetime) -> tuple[int, int]:
        """Add a judgment that prefers the pair's first passage, except for slips; excluded workers choose at random.

        Returns the left and the preferred passage.
        """
        _, a, b, _ = self.large.pairs[pair]
        right_often = 0.5 if worker >= self.large.good else 0.85
        better = (a if self.large.rng.random() < right_often else b) + 1
        slot, left, right = self._slot(key, worker, place, (a + 1, b + 1), pair=pair + 1)
        made = self.large.campaign.pk
        self.judgments.append((made, pair + 1, left, right, better, "human", worker + 1, key, slot, at))
        return left, better

    def _answer(self, key: int, worker: int, place: int, came: datetime) -> tuple[int, int]:
        """Add an answer on a gold pair; workers who will be excluded fail the first gold pair of each task.

        Returns the left and the preferred passage.
        """
        gold = (self.turns[worker] * GOLD + place - PAIRS) % len(self.large.gold)
        passed = worker < self.large.good or place != PAIRS
        better = self.large.gold[gold][0 if passed else 1]
        slot, left, _ = self._slot(key, worker, place, self.large.gold[gold], gold=gold + 1)
        self.answers.append((slot, key, worker + 1, gold + 1, better, passed, came))
        return left, better

    def _slot(
        self,
        key: int,
        worker: int,
        place: int,
        sides: tuple[int, int],
        *,
        pair: int | None = None,
        gold: int | None = None,
    ) -> tuple[int, int, int]:
        """Add a slot with random sides; returns its key, left and right."""
        slot = (key - 1) * SLOTS + place + 1
        left, right = sides[::-1] if self.large.rng.random() < 0.5 else sides
        self.slots.append((slot, key, worker + 1, place + 1, pair, gold, left, right))
        return slot, left, right

    def write(self) -> None:
        """Insert the rows, and mark the tasks of counted submissions as done."""
        insert_rows(judging.Submission, SUBMISSION.split(), self.submissions)
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE judging_task SET state = 'done', holder_id = submission.id FROM judging_submission submission"
                " WHERE submission.task_id = judging_task.id AND submission.standing = 'counted'"
            )
            assert cursor.rowcount == self.large.tasks_judged
        insert_rows(judging.Slot, SLOT.split(), self.slots)
        insert_rows(judging.Choice, CHOICE.split(), self.choices)
        insert_rows(judging.Judgment, JUDGMENT.split(), self.judgments)
        insert_rows(judging.GoldAnswer, GOLD_ANSWER.split(), self.answers)


def write_judgments(large: Large) -> None:
    """Write workers, places, tasks, submissions with every choice, judgments, gold answers and exclusions."""
    _write_workers(large)
    _write_places_and_tasks(large)
    work = Work(large)
    # The last workers are excluded, and other workers repeat their tasks.
    again = large.submissions - large.tasks_judged
    for task in range(large.tasks_judged):
        work.submit(task, task % large.good)
    for task in range(again):
        work.submit(task, large.good + task % large.excluded)
    work.write()
    insert_rows(
        judging.Exclusion,
        ["campaign_id", "worker_id", "rule", "reason"],
        (
            (large.campaign.pk, n + 1, "reference", "failed 1 of 3 gold pairs; one is enough")
            for n in range(large.good, large.workers)
        ),
    )


def _write_workers(large: Large) -> None:
    insert_rows(judging.Worker, ["id"], ((number + 1,) for number in range(large.workers)))
    insert_rows(
        judging.CrowdIdentity,
        ["worker_id", "crowd", "crowd_worker_id"],
        ((n + 1, "mturk:http://127.0.0.1:9", f"A{n:09}") for n in range(large.workers)),
    )


def _write_places_and_tasks(large: Large) -> None:
    """Write places, filled where there is a submission, and tasks with their pairs, all waiting."""
    made, last = large.campaign.pk, large.submissions
    far = large.now + timedelta(days=5)
    posting = judging.Posting.objects.create(campaign=large.campaign, number=1, crowd_key="KIND")
    insert_rows(
        judging.Place,
        ["id", "posting_id", "number", "state", "crowd_id", "expires_at"],
        (
            (n, posting.pk, n, "filled" if n <= last else "open", f"H{n}", far)
            for n in range(1, last + large.tasks - large.tasks_judged + 1)
        ),
    )
    insert_rows(
        judging.Task,
        ["id", "campaign_id", "number", "state", "holder_id", "round"],
        ((n, made, n, "waiting", None, int(n > large.tasks_judged)) for n in range(1, large.tasks + 1)),
    )
    insert_rows(
        judging.TaskPair,
        ["task_id", "pair_id"],
        ((pair // PAIRS + 1, pair + 1) for pair in range(large.tasks * PAIRS)),
    )


def write_payments(large: Large) -> None:
    """Write a reward and a bonus for each submission, and the calls that paid them and posted places."""
    made, last = large.campaign.pk, large.submissions
    insert_rows(
        judging.CrowdCall,
        ["id", "campaign_id", "operation", "key", "state", "attempts"],
        [
            *((n, made, "post_place", f"k-{n}", "done", 1) for n in range(1, large.tasks + 1)),
            *(
                (large.tasks + kind * last + n, made, operation, f"{operation}-{n}", "done", 1)
                for kind, (operation, *_) in enumerate(CALLS)
                for n in range(1, last + 1)
            ),
        ],
    )
    insert_rows(
        judging.Payment,
        ["submission_id", "kind", "amount", "fee", "state", "call_id", "paid_at"],
        (
            (n, kind, amount, fee, "paid", large.tasks + place * last + n, large.now)
            for place, (_, kind, amount, fee) in enumerate(CALLS)
            for n in range(1, last + 1)
        ),
    )


def write_messages(large: Large) -> None:
    """Write reports, appeals, messages and the activity log."""
    made = large.campaign.pk
    insert_rows(
        judging.PairReport,
        ["submission_id", "slot_id", "kind", "words", "reported_at"],
        ((n, n * 13 - 12, "broken", "It stops in the middle of a word.", large.now) for n in range(1, 301)),
    )
    insert_rows(
        judging.Appeal,
        ["campaign_id", "worker_id", "refusal", "words"],
        ((made, n + 1, "excluded", "I read both passages.") for n in range(large.good, large.workers)),
    )
    insert_rows(
        judging.WorkerMessage,
        ["campaign_id", "worker_id", "direction", "subject", "text", "who", "sent_at"],
        (
            (made, n % large.workers + 1, "to_worker", "Thank you", "It helped.", "ada", large.now)
            for n in range(600)
        ),
    )
    insert_rows(
        judging.CampaignChange,
        ["campaign_id", "what", "why", "who", "happened_at"],
        ((made, "paused" if n % 2 else "open", "lunch", "ada", large.now) for n in range(400)),
    )
