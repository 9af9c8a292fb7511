"""A large collection, written in bulk for benchmarks/pages.py.

The collection has 200 runs, and 6,980 queries with 7 pooled passages each. Its running campaign has 20,000 tasks and
15,000 submissions by 500 workers: 150,000 judgments, 45,000 answers on gold pairs, every click with its time, and all
payments. Workers follow a fixed order of the passages, with slips. Everything is generated from one seed.
"""

import json
from datetime import timedelta
from decimal import Decimal
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from _rows import gather_statistics, insert_rows
from _work import DAYS, GOLD, PAIRS, write_judgments, write_messages, write_payments
from django.core.files.storage import storages
from django.db import connection

from config import clock
from judging import models as judging
from judging.campaign.campaigns import CampaignSettings, create_campaign
from judging.grading.assignments import take_topic
from judging.grading.graded_campaigns import GradingSettings, create_graded_campaign
from pooling import models as pooling
from pooling.files.ranking import Ranking, write_ranking
from tournament.models import QrelVersion
from web.models import WebhookDelivery, WebhookEndpoint
from web.releases.bundle import ensure_bundle

QUERIES = 6980
RUNS = 200
WORKERS = 500
TASKS = 20_000
SUBMISSIONS = 15_000
PASSAGES = 7
DEPTH = 10
EXCLUDED = 12
SEED = 2022
MESSAGES = 600
PASSAGE = "id collection_id pid text class_key"
WORDS = ("harbour", "tide", "lantern", "granite", "sailor", "market", "winter", "engine", "copper", "river")


class Large:
    """The collection ``large`` with its campaign ``large``; the arguments set its size."""

    def __init__(self, *, queries: int = QUERIES, runs: int = RUNS, submissions: int = SUBMISSIONS) -> None:
        self.queries, self.runs, self.submissions = queries, runs, submissions
        self.excluded = max(1, EXCLUDED * submissions // SUBMISSIONS)
        self.workers = max(4, WORKERS * submissions // SUBMISSIONS)
        self.good = self.workers - self.excluded
        self.rng = np.random.default_rng(SEED)
        self.now = clock.now()
        self.collection = pooling.Collection.objects.create(name="large", visibility="published")

    def build(self) -> None:
        """Write all rows and files."""
        with connection.cursor() as cursor:
            # The rows are consistent by construction; checking every reference of a million rows takes minutes.
            cursor.execute("SET session_replication_role = replica")
        self.retrieved()
        self.campaigned()
        write_judgments(self)
        write_payments(self)
        write_messages(self)
        with connection.cursor() as cursor:
            cursor.execute("SET session_replication_role = DEFAULT")
        gather_statistics()

    def text(self, seed: int, words: int) -> str:
        return " ".join(WORDS[(seed * 7 + place * place) % len(WORDS)] for place in range(words))

    def retrieved(self) -> None:
        """Write queries, passages, official qrels, runs, and a pool of the runs' top passages."""
        here, queries = self.collection.pk, range(self.queries)
        insert_rows(
            pooling.Query,
            ["id", "collection_id", "qid", "text", "position"],
            ((q + 1, here, str(1_000_000 + q), f"what is {self.text(q, 4)} {q}", q) for q in queries),
        )
        count = self.queries * PASSAGES
        insert_rows(
            pooling.Passage,
            PASSAGE.split(),
            (
                (p + 1, here, str(5_000_000 + p), f"{self.text(p, 55)} {p}.", f"{p:064x}")
                for p in range(count)
            ),
        )
        official = pooling.QrelSet.objects.create(
            collection=self.collection, name="official", sha256="0" * 64
        )
        insert_rows(
            pooling.Qrel,
            ["qrel_set_id", "query_id", "passage_id", "grade", "position"],
            ((official.pk, q + 1, q * PASSAGES + 1, 1, q) for q in queries),
        )
        self.pool = pooling.Pool.objects.create(collection=self.collection, name="large", qrel_set=official)
        self._pooled([[] for _ in range(count)])

    def _pooled(self, suppliers: list[list[int]]) -> None:
        """Write the runs and the pool, and fill ``suppliers``: for each passage, the runs that rank it first."""
        for number in range(self.runs):
            self._run(number, suppliers)
        insert_rows(
            pooling.PoolRun,
            ["pool_id", "run_id"],
            ((self.pool.pk, number + 1) for number in range(self.runs)),
        )
        insert_rows(
            pooling.PooledPassage,
            ["pool_id", "query_id", "passage_id", "run_ids", "is_qrel"],
            (
                (self.pool.pk, p // PASSAGES + 1, p + 1, json.dumps(suppliers[p]), p % PASSAGES == 0)
                for p in range(len(suppliers))
            ),
        )

    def _run(self, number: int, suppliers: list[list[int]]) -> None:
        """Write a run that ranks every query's passages at random, followed by passages of the next queries."""
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
            team=f"team {number % 40}",
            submitted_on=self.now.date() - timedelta(days=number),
            details={
                "neural": ("nnlm", "nn", "trad")[number % 3],
                "subtask": ("fullrank", "rerank")[number % 2],
            },
            format="trec",
            order="rank",
            sha256=sha256,
            parser_version=1,
            storage_name=path.name,
            report={"queries": self.queries, "depth": DEPTH, "lines": self.queries * DEPTH, "warnings": []},
        )
        for passage in ranked[:, 0].tolist():
            suppliers[passage].append(run.pk)

    def campaigned(self) -> None:
        """Write the campaign, nearly all pairs of pooled passages, pairs of later challengers, and gold pairs."""
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
        self._pairs()
        self._gold()

    def _pairs(self) -> None:
        """Create the pairs of the judged tasks, in random order, then pairs of a challenger and a pooled passage."""
        twos = list(combinations(range(PASSAGES), 2))
        asked = [(q, q * PASSAGES + a, q * PASSAGES + b, 0) for q in range(self.queries) for a, b in twos]
        self.rng.shuffle(asked)
        self.tasks_judged = self.submissions - self.submissions * self.excluded // self.workers
        asked = asked[: self.tasks_judged * PAIRS]
        self.pairs = [tuple(int(part) for part in one) for one in asked]
        later = (TASKS * self.submissions // SUBMISSIONS - self.tasks_judged) * PAIRS
        first = self._passages("late", later)
        pairs = [
            *self.pairs,
            *((n % self.queries, n % self.queries * PASSAGES, first + n, 1) for n in range(later)),
        ]
        insert_rows(
            judging.Pair,
            ["id", "campaign_id", "query_id", "passage_a_id", "passage_b_id", "round"],
            (
                (n + 1, self.campaign.pk, q + 1, a + 1, b + 1, challenge)
                for n, (q, a, b, challenge) in enumerate(pairs)
            ),
        )
        self.tasks = len(pairs) // PAIRS

    def _gold(self) -> None:
        count = GOLD * 60
        first = self._passages("gold", 2 * count)
        self.gold = [(first + 2 * n + 1, first + 2 * n + 2) for n in range(count)]
        insert_rows(
            judging.GoldPair,
            ["campaign_id", "query_id", "relevant_id", "off_topic_id", "state", "decided_at"],
            (
                (self.campaign.pk, n + 1, relevant, off_topic, "accepted", self.now)
                for n, (relevant, off_topic) in enumerate(self.gold)
            ),
        )

    def _passages(self, kind: str, count: int) -> int:
        """Add passages, each in its own class; returns the largest passage key before them."""
        first = pooling.Passage.objects.latest("pk").pk
        insert_rows(
            pooling.Passage,
            PASSAGE.split(),
            (
                (first + n + 1, self.collection.pk, f"{kind}-{n}", self.text(n, 55), f"{kind}{n:060x}")
                for n in range(count)
            ),
        )
        return first


def write_drafts_and_extras(large: Large, version: QrelVersion, user: Any) -> None:
    """Write a draft ``next``, a graded campaign over the same pool, a bundle, and a webhook with its deliveries."""
    draft = create_campaign(name="next", settings=CampaignSettings(), pool=large.pool, who=user.username)
    insert_rows(
        judging.GoldPair,
        ["campaign_id", "query_id", "relevant_id", "off_topic_id", "state"],
        (
            (draft.pk, n + 1, relevant, off_topic, "proposed" if n % 2 else "accepted")
            for n, (relevant, off_topic) in enumerate(large.gold)
        ),
    )
    graded = create_graded_campaign(
        pool=large.pool, name="graded", settings=GradingSettings(min_grade=1, placeholder_text=True)
    )
    take_topic(graded.topics.order_by("pk").first(), user)
    ensure_bundle(version)
    endpoint = WebhookEndpoint.objects.create(
        collection=large.collection, address="https://example.org/", kept_by=user
    )
    insert_rows(
        WebhookDelivery,
        ["endpoint_id", "message_id", "kind", "body", "state", "reply_code", "reply_text"],
        (
            (endpoint.pk, f"message-{n}", "version.published", "{}", "delivered", 200, "Thank you.")
            for n in range(MESSAGES)
        ),
    )
