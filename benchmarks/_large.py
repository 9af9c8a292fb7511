"""A collection of the size that pages are held to, written in bulk: for benchmarks/pages.py.

200 runs, 6,980 queries with 7 pooled passages each, and one campaign in the middle of its work: 150,000 judgments
by 500 workers in 15,000 submissions, 20,000 tasks, 45,000 answers on test pairs, every click with its time, all
payments. Whoever judged follows an order of the passages, with slips. Everything comes from one seed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import timedelta
from decimal import Decimal
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from django.core.files.storage import storages
from django.core.management.color import no_style
from django.db import connection, models

from config import clock
from judging import models as judging
from judging.services.campaigns import CampaignSettings
from pooling import models as pooling
from pooling.ranking import Ranking, write_ranking
from pooling.services import bulk

QUERIES = 6980
RUNS = 200
WORKERS = 500
TASKS = 20_000
SUBMISSIONS = 15_000
PASSAGES = 7
DEPTH = 10
EXCLUDED = 12
DAYS = 5
GOLD = 3
SEED = 2022
WORDS = ("harbour", "tide", "lantern", "granite", "sailor", "market", "winter", "engine", "copper", "river")


def put(model: type[models.Model], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows whose other columns have the model's defaults."""
    rest = [
        field
        for field in model._meta.concrete_fields
        if field.column not in columns and not (field.primary_key and "id" not in columns)
    ]
    given = [
        json.dumps(value) if isinstance(field, models.JSONField) and value is not None else value
        for field in rest
        for value in [field.get_default()]
    ]
    bulk.insert(model, [*columns, *(field.column for field in rest)], ([*row, *given] for row in rows))
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), [model]):
            cursor.execute(statement)


class Large:
    """The collection ``large`` with its campaign ``large``; numbers follow from the arguments."""

    def __init__(self, *, queries: int = QUERIES, runs: int = RUNS, submissions: int = SUBMISSIONS) -> None:
        self.queries, self.runs, self.submissions = queries, runs, submissions
        self.excluded = max(1, EXCLUDED * submissions // SUBMISSIONS)
        self.workers = max(4, WORKERS * submissions // SUBMISSIONS)
        self.rng = np.random.default_rng(SEED)
        self.now = clock.now()
        self.collection = pooling.Collection.objects.create(name="large", visibility="published")

    def build(self) -> None:
        """All rows and files."""
        with connection.cursor() as cursor:
            # The rows fit together as they are made: looking up every reference of a million rows takes minutes.
            cursor.execute("SET session_replication_role = replica")
        self.retrieved()
        self.campaigned()
        self.judged()
        self.paid()
        self.said()
        with connection.cursor() as cursor:
            cursor.execute("SET session_replication_role = DEFAULT")
            cursor.execute("ANALYZE")

    def text(self, seed: int, words: int) -> str:
        return " ".join(WORDS[(seed * 7 + place * place) % len(WORDS)] for place in range(words))

    def retrieved(self) -> None:
        """Queries, passages, official qrels, runs, and the pool of their tops."""
        here, queries = self.collection.pk, range(self.queries)
        put(
            pooling.Query,
            ["id", "collection_id", "qid", "text", "position"],
            ((q + 1, here, str(1_000_000 + q), f"what is {self.text(q, 4)} {q}", q) for q in queries),
        )
        count = self.queries * PASSAGES
        put(
            pooling.Passage,
            ["id", "collection_id", "pid", "text", "class_key"],
            (
                (p + 1, here, str(5_000_000 + p), f"{self.text(p, 55)} {p}.", f"{p:064x}")
                for p in range(count)
            ),
        )
        official = pooling.QrelSet.objects.create(
            collection=self.collection, name="official", sha256="0" * 64
        )
        put(
            pooling.Qrel,
            ["qrel_set_id", "query_id", "passage_id", "grade", "position"],
            ((official.pk, q + 1, q * PASSAGES + 1, 1, q) for q in queries),
        )
        self.pool = pooling.Pool.objects.create(collection=self.collection, name="large", qrel_set=official)
        suppliers: list[list[int]] = [[] for _ in range(count)]
        for number in range(self.runs):
            self._run(number, suppliers)
        put(
            pooling.PoolRun,
            ["pool_id", "run_id"],
            ((self.pool.pk, number + 1) for number in range(self.runs)),
        )
        put(
            pooling.PooledPassage,
            ["pool_id", "query_id", "passage_id", "run_ids", "is_qrel"],
            (
                (self.pool.pk, p // PASSAGES + 1, p + 1, json.dumps(suppliers[p]), p % PASSAGES == 0)
                for p in range(count)
            ),
        )

    def _run(self, number: int, suppliers: list[list[int]]) -> None:
        """A run that ranks every query's passages by chance, and ten of its neighbours after them."""
        order = self.rng.random((self.queries, PASSAGES)).argsort(axis=1)
        base = np.arange(self.queries)[:, None] * PASSAGES
        further = (base + PASSAGES + np.arange(DEPTH - PASSAGES)) % (self.queries * PASSAGES)
        ranked = np.concatenate([base + order, further], axis=1)
        qids = tuple(str(1_000_000 + q) for q in range(self.queries))
        lengths = np.full(self.queries, DEPTH, dtype=np.int64)
        sha256 = f"{number:064x}"
        path = Path(storages["runs"].path(f"{sha256}.parquet"))
        path.parent.mkdir(parents=True, exist_ok=True)
        write_ranking(Ranking(qids, lengths, DEPTH, (5_000_000 + ranked.T).reshape(-1), None, None), path)
        run = pooling.Run.objects.create(
            collection=self.collection,
            run_tag=f"run-{number:03}",
            format="trec",
            order="rank",
            sha256=sha256,
            parser_version=1,
            storage_name=path.name,
            team=f"team {number % 40}",
            report={"queries": self.queries, "depth": DEPTH, "lines": self.queries * DEPTH, "warnings": []},
        )
        for passage in ranked[:, 0].tolist():
            suppliers[passage].append(run.pk)

    def campaigned(self) -> None:
        """Pairs of every two passages of a query and of challengers yet to come, in tasks; gold pairs."""
        values = CampaignSettings(max_tasks_per_worker=60, budget=Decimal(60_000)).values()
        self.campaign = judging.Campaign.objects.create(
            name="large",
            collection=self.collection,
            pool=self.pool,
            state="open",
            launched_at=self.now - timedelta(days=DAYS),
            endpoint="http://127.0.0.1:9",
            consent_text="Agree.",
            instructions_text="Read.",
            texts_accepted_at=self.now,
            **values,
        )
        made = self.campaign.pk
        self.posting = judging.Posting.objects.create(campaign=self.campaign, number=1, crowd_key="KIND")
        twos = list(combinations(range(PASSAGES), 2))
        asked = [(q, q * PASSAGES + a, q * PASSAGES + b, 0) for q in range(self.queries) for a, b in twos]
        self.rng.shuffle(asked)
        self.tasks_judged = self.submissions - self.submissions * self.excluded // self.workers
        asked = asked[: self.tasks_judged * 10]
        self.pairs = [tuple(int(part) for part in one) for one in asked]
        left = TASKS * self.submissions // SUBMISSIONS - self.tasks_judged
        later = self.queries * PASSAGES
        put(
            pooling.Passage,
            ["id", "collection_id", "pid", "text", "class_key"],
            (
                (later + n + 1, self.collection.pk, f"late-{n}", self.text(n, 55), f"late{n:060x}")
                for n in range(left * 10)
            ),
        )
        pairs = [
            *self.pairs,
            *((n % self.queries, n % self.queries * PASSAGES, later + n, 1) for n in range(left * 10)),
        ]
        put(
            judging.Pair,
            ["id", "campaign_id", "query_id", "passage_a_id", "passage_b_id", "round"],
            ((n + 1, made, q + 1, a + 1, b + 1, challenge) for n, (q, a, b, challenge) in enumerate(pairs)),
        )
        self.tasks = len(pairs) // 10
        self._gold(later + left * 10)

    def _gold(self, after: int) -> None:
        count = GOLD * 60
        put(
            pooling.Passage,
            ["id", "collection_id", "pid", "text", "class_key"],
            (
                (after + n + 1, self.collection.pk, f"gold-{n}", self.text(n, 55), f"gold{n:060x}")
                for n in range(2 * count)
            ),
        )
        put(
            judging.GoldPair,
            ["id", "campaign_id", "query_id", "relevant_id", "off_topic_id", "state", "decided_at"],
            (
                (n + 1, self.campaign.pk, n + 1, after + 2 * n + 1, after + 2 * n + 2, "accepted", self.now)
                for n in range(count)
            ),
        )
        self.gold = [(after + 2 * n + 1, after + 2 * n + 2) for n in range(count)]

    def judged(self) -> None:
        """Workers, what each was shown, every choice, judgments, answers on gold, exclusions."""
        made, start, seconds = self.campaign.pk, self.campaign.launched_at, DAYS * 86400 // self.submissions
        put(judging.Worker, ["id"], ((number + 1,) for number in range(self.workers)))
        put(
            judging.CrowdIdentity,
            ["worker_id", "crowd", "crowd_worker_id"],
            ((n + 1, "mturk:http://127.0.0.1:9", f"A{n:09}") for n in range(self.workers)),
        )
        # The last workers are excluded; each of their tasks is done a second time by the others.
        good = self.workers - self.excluded
        again = self.submissions - self.tasks_judged
        tasks = [*range(self.tasks_judged), *range(again)]
        who = [n % good for n in range(self.tasks_judged)] + [good + n % self.excluded for n in range(again)]
        turn: dict[int, int] = {}
        work, slots, choices, judgments, answers = [], [], [], [], []
        for number, (task, worker) in enumerate(zip(tasks, who, strict=True)):
            key, opened = number + 1, start + timedelta(seconds=number * seconds)
            bad = worker >= good
            length = int(self.rng.gamma(9, 40)) + 60
            finished = opened + timedelta(seconds=length)
            came = finished + timedelta(seconds=30)
            standing = "excluded" if bad else "counted"
            work.append(
                (
                    key,
                    made,
                    key,
                    worker + 1,
                    task + 1,
                    f"ASSIGNMENT{key}",
                    "submitted",
                    standing,
                    key,
                    opened,
                    finished,
                    came,
                    came,
                    came,
                )
            )
            turn[worker] = turn.get(worker, -1) + 1
            for place in range(10 + GOLD):
                slot = (key - 1) * (10 + GOLD) + place + 1
                at = opened + timedelta(seconds=length * (place + 1) / (10 + GOLD))
                swapped = bool(self.rng.random() < 0.5)
                if place < 10:
                    pair = task * 10 + place
                    a, b = self.pairs[pair][1] + 1, self.pairs[pair][2] + 1
                    better = a if self.rng.random() < (0.5 if bad else 0.85) else b
                    left, right = (b, a) if swapped else (a, b)
                    slots.append((slot, key, worker + 1, place + 1, pair + 1, None, left, right))
                    judgments.append(
                        (made, pair + 1, left, right, better, "human", worker + 1, key, slot, at)
                    )
                else:
                    gold = (turn[worker] * GOLD + place - 10) % len(self.gold)
                    sides = self.gold[gold]
                    left, right = sides[::-1] if swapped else sides
                    passed = not (bad and place == 10)
                    better = sides[0] if passed else sides[1]
                    slots.append((slot, key, worker + 1, place + 1, None, gold + 1, left, right))
                    answers.append((slot, key, worker + 1, gold + 1, better, passed, came))
                side = "left" if better == left else "right"
                choices.append((slot, 0, side, length / (10 + GOLD), 0.0, "mouse", "wide", at))
        self._write(work, slots, choices, judgments, answers, good)

    def _write(
        self, work: list, slots: list, choices: list, judgments: list, answers: list, good: int
    ) -> None:
        made, last = self.campaign.pk, len(work)
        open_places = self.tasks - self.tasks_judged
        far = self.now + timedelta(days=5)
        put(
            judging.Place,
            ["id", "posting_id", "number", "state", "crowd_id", "expires_at"],
            (
                (n, self.posting.pk, n, "filled" if n <= last else "open", f"H{n}", far)
                for n in range(1, last + open_places + 1)
            ),
        )
        done = {row[4]: row[0] for row in work if row[7] == "counted"}
        put(
            judging.Task,
            ["id", "campaign_id", "number", "state", "holder_id", "round"],
            ((n, made, n, "waiting", None, int(n > self.tasks_judged)) for n in range(1, self.tasks + 1)),
        )
        put(
            judging.TaskPair,
            ["task_id", "pair_id"],
            ((pair // 10 + 1, pair + 1) for pair in range(self.tasks * 10)),
        )
        put(
            judging.Submission,
            [
                "id",
                "campaign_id",
                "place_id",
                "worker_id",
                "task_id",
                "assignment_id",
                "state",
                "standing",
                "seed",
                "opened_at",
                "finished_at",
                "submitted_at",
                "collected_at",
                "approved_at",
            ],
            work,
        )
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE judging_task SET state = 'done', holder_id = submission.id FROM judging_submission submission"
                " WHERE submission.task_id = judging_task.id AND submission.standing = 'counted'"
            )
        assert len(done) == self.tasks_judged
        put(
            judging.Slot,
            ["id", "submission_id", "worker_id", "number", "pair_id", "gold_pair_id", "left_id", "right_id"],
            slots,
        )
        put(
            judging.Choice,
            [
                "slot_id",
                "sequence",
                "side",
                "seconds_shown",
                "seconds_hidden",
                "input_method",
                "viewport",
                "chosen_at",
            ],
            choices,
        )
        put(
            judging.Judgment,
            [
                "campaign_id",
                "pair_id",
                "left_id",
                "right_id",
                "preferred_id",
                "judge_kind",
                "worker_id",
                "submission_id",
                "slot_id",
                "judged_at",
            ],
            judgments,
        )
        put(
            judging.GoldAnswer,
            [
                "slot_id",
                "submission_id",
                "worker_id",
                "gold_pair_id",
                "preferred_id",
                "passed",
                "recorded_at",
            ],
            answers,
        )
        put(
            judging.Exclusion,
            ["campaign_id", "worker_id", "rule", "reason"],
            (
                (made, n + 1, "reference", "failed 1 of 3 test pairs; one is enough")
                for n in range(good, self.workers)
            ),
        )

    def paid(self) -> None:
        """A reward and a bonus for each submission, with the calls that paid them and those that offered places."""
        made, last = self.campaign.pk, self.submissions
        kinds = (("approve", "reward", "0.20", "0.04"), ("pay_bonus", "bonus", "1.80", "0.36"))
        put(
            judging.CrowdCall,
            ["id", "campaign_id", "operation", "key", "state", "attempts"],
            [
                *((n, made, "post_place", f"k-{n}", "done", 1) for n in range(1, self.tasks + 1)),
                *(
                    (self.tasks + kind * last + n, made, operation, f"{operation}-{n}", "done", 1)
                    for kind, (operation, *_) in enumerate(kinds)
                    for n in range(1, last + 1)
                ),
            ],
        )
        put(
            judging.Payment,
            ["submission_id", "kind", "amount", "fee", "state", "call_id", "paid_at"],
            (
                (n, kind, amount, fee, "paid", self.tasks + place * last + n, self.now)
                for place, (_, kind, amount, fee) in enumerate(kinds)
                for n in range(1, last + 1)
            ),
        )

    def said(self) -> None:
        """Reports, appeals, messages, and the activity log."""
        made = self.campaign.pk
        put(
            judging.PairReport,
            ["submission_id", "slot_id", "kind", "words", "reported_at"],
            (
                (n, n * 13 - 12, "broken", "It stops in the middle of a word.", self.now)
                for n in range(1, 301)
            ),
        )
        put(
            judging.Appeal,
            ["campaign_id", "worker_id", "refusal", "words"],
            (
                (made, n + 1, "excluded", "I read both passages.")
                for n in range(self.workers - self.excluded, self.workers)
            ),
        )
        put(
            judging.WorkerMessage,
            ["campaign_id", "worker_id", "direction", "subject", "text", "who", "sent_at"],
            (
                (made, n % self.workers + 1, "to_worker", "Thank you", "It helped.", "ada", self.now)
                for n in range(600)
            ),
        )
        put(
            judging.CampaignChange,
            ["campaign_id", "what", "why", "who", "happened_at"],
            ((made, "paused" if n % 2 else "open", "lunch", "ada", self.now) for n in range(400)),
        )
