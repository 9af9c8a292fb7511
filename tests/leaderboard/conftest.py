"""A small board worked by hand: four queries, three runs, a published version; and the real runs of a track."""

from itertools import combinations

import pytest

from judging.models import Campaign, Judgment, Pair
from pooling.intake.collections import import_collection
from pooling.labels.qrels import import_qrels
from pooling.models import Passage, Pool, PooledPassage, Query
from pooling.runs.runs import import_run
from tests.factories import make_collection, make_qrels, make_run, passages_of
from tournament.services import publish_qrels


class Valley:
    """The collection ``valley``: official qrels a1 a2 a3 a4; best answers b1 a2 b3; q4 is not covered.

    q3 is a singleton. The pool of q1 is a1 b1 c1, of q2 a2 b2.
    """

    def __init__(self) -> None:
        self.collection = make_collection("valley", ["q1", "q2", "q3", "q4"])
        self.official = make_qrels(
            self.collection,
            "official",
            [("q1", "a1", 1), ("q2", "a2", 1), ("q3", "b3", 1), ("q4", "a4", 1)],
        )
        self.runs = [
            make_run(
                self.collection, "old", {"q1": ["a1", "b1"], "q2": ["a2"], "q3": ["x3", "b3"], "q4": ["a4"]}
            ),
            make_run(
                self.collection, "new", {"q1": ["b1", "x1", "y1", "a1"], "q2": ["b2", "a2"], "q3": ["b3"]}
            ),
            make_run(self.collection, "odd", {"q2": ["a2"], "q3": ["x3"]}, baseline=True),
        ]
        self.pool = Pool.objects.create(collection=self.collection, name="meadow")
        self.campaign = Campaign.objects.create(
            name="spring", collection=self.collection, pool=self.pool, seed=1, placeholder_text=True
        )
        self.pooled("q1", "b1", "a1", "c1")
        self.pooled("q2", "a2", "b2")
        self.pooled("q3", "b3")
        self.ladder("q1", "b1", "a1", "c1")
        self.ladder("q2", "a2", "b2")

    def passage(self, pid: str) -> Passage:
        return Passage.objects.get_or_create(collection=self.collection, pid=pid)[0]

    def query(self, qid: str) -> Query:
        return Query.objects.get(collection=self.collection, qid=qid)

    def pooled(self, qid: str, *pids: str) -> None:
        query, passages = self.query(qid), passages_of(self.collection, pids)
        PooledPassage.objects.bulk_create(
            PooledPassage(pool=self.pool, query=query, passage=passages[pid]) for pid in pids
        )

    def ladder(self, qid: str, *pids: str, judge_kind: str = "human", round: int = 0) -> None:
        """Judge a round robin in which the earlier passage always wins."""
        query, passages = self.query(qid), passages_of(self.collection, pids)
        shown = list(combinations([passages[pid] for pid in pids], 2))
        ordered = [sorted(both, key=lambda passage: passage.pk) for both in shown]
        pairs = Pair.objects.bulk_create(
            Pair(campaign=self.campaign, query=query, passage_a=low, passage_b=high, round=round)
            for low, high in ordered
        )
        Judgment.objects.bulk_create(
            Judgment(
                campaign=self.campaign,
                pair=pair,
                left=better,
                right=worse,
                preferred=better,
                judge_kind=judge_kind,
            )
            for pair, (better, worse) in zip(pairs, shown, strict=True)
        )

    def publish(self):
        return publish_qrels(campaign=self.campaign).version


@pytest.fixture
def valley(db) -> Valley:
    return Valley()


@pytest.fixture
def version(valley):
    return valley.publish()


@pytest.fixture
def track(db, shared_data):
    """Return the collection with its runs and its graded qrels, relevant from grade 1 and from grade 2."""
    data = shared_data / "dl21"
    collection = import_collection(name="dl21", queries=data / "topics.tsv").collection
    for name, grade in (("graded", 1), ("official", 2)):
        import_qrels(collection=collection, path=data / "qrels.txt", set_name=name, min_grade=grade)
    for path in sorted((data / "runs").glob("*.gz")):
        import_run(collection=collection, path=path)
    return collection
