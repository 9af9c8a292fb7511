"""A small collection, its pool and its judgments, in the database."""

from decimal import Decimal
from itertools import combinations

import pytest

from judging.models import Campaign, Exclusion, Judgment, Pair, Worker
from pooling.models import Collection, Passage, Pool, PooledPassage, Query, Run
from tests.tournament.challengers import Crowd
from tournament import services
from tournament.services import other_rooms


class Town:
    """A collection ``town`` whose passages are named by letters."""

    def __init__(self) -> None:
        self.collection = Collection.objects.create(name="town")
        self.pool = Pool.objects.create(collection=self.collection, name="square")
        self.campaign = self.new_campaign("market", pool=self.pool)

    def new_campaign(self, name: str, pool: Pool | None = None, **settings) -> Campaign:
        return Campaign.objects.create(
            name=name, collection=self.collection, pool=pool, seed=1, placeholder_text=True, **settings
        )

    def query(self, qid: str) -> Query:
        position = Query.objects.filter(collection=self.collection).count()
        return Query.objects.get_or_create(
            collection=self.collection, qid=qid, defaults={"text": f"what is {qid}?", "position": position}
        )[0]

    def passage(self, pid: str, class_key: str = "") -> Passage:
        return Passage.objects.get_or_create(
            collection=self.collection, pid=pid, defaults={"class_key": class_key}
        )[0]

    def pooled(self, qid: str, *pids: str) -> None:
        for pid in pids:
            PooledPassage.objects.create(pool=self.pool, query=self.query(qid), passage=self.passage(pid))

    def judge(self, qid: str, left: str, right: str, preferred: str | None, **details) -> Judgment:
        """Create a judgment; ``campaign``, ``round``, ``worker`` and ``judge_kind`` are options."""
        campaign = details.pop("campaign", self.campaign)
        shown = {pid: self.passage(pid) for pid in (left, right)}
        low, high = sorted(shown.values(), key=lambda passage: passage.pk)
        pair, _ = Pair.objects.get_or_create(
            campaign=campaign,
            query=self.query(qid),
            passage_a=low,
            passage_b=high,
            defaults={"round": details.pop("round", 0)},
        )
        return Judgment.objects.create(
            campaign=campaign,
            pair=pair,
            left=shown[left],
            right=shown[right],
            preferred=shown[preferred] if preferred else None,
            judge_kind=details.pop("judge_kind", Judgment.JudgeKind.HUMAN),
            **details,
        )

    def ladder(self, qid: str, *pids: str, **details) -> None:
        """Judge a round robin in which the earlier passage always wins."""
        for better, worse in combinations(pids, 2):
            self.judge(qid, better, worse, better, **details)

    def circle(self, qid: str, *pids: str, **details) -> None:
        """Judge a cycle: each beats the next, and the last beats the first."""
        for better, worse in zip(pids, [*pids[1:], pids[0]], strict=True):
            self.judge(qid, better, worse, better, **details)

    def exclude(self, worker: Worker, campaign: Campaign | None = None) -> Exclusion:
        return Exclusion.objects.create(
            campaign=campaign or self.campaign, worker=worker, rule="gold", reason="failed a gold pair"
        )


@pytest.fixture
def town(db) -> Town:
    return Town()


@pytest.fixture
def judged_town(town) -> Town:
    """q1: a is best; q2: b, c and d in a cycle; q3: a singleton; q4: nothing judged; q5: one pair lacking."""
    town.pooled("q1", "a", "b", "c")
    town.pooled("q2", "b", "c", "d")
    town.pooled("q3", "e")
    town.pooled("q4", "a", "e")
    town.pooled("q5", "a", "b", "c")
    town.ladder("q1", "a", "b", "c")
    town.circle("q2", "b", "c", "d")
    town.judge("q5", "a", "b", "a")
    return town


@pytest.fixture
def new_run(judged_town, monkeypatch):
    """judged_town with a run whose top passage of q1 is unseen; only pooling and prices are replaced."""
    Run.objects.create(
        collection=judged_town.collection,
        run_tag="new",
        format="trec",
        order="score",
        sha256="0",
        parser_version=1,
        storage_name="new",
    )
    monkeypatch.setattr(other_rooms, "top_pids", lambda run: {"q1": "x", "q2": "b"})
    monkeypatch.setattr(
        other_rooms,
        "passages_with_text",
        lambda collection, pids, progress: {p: judged_town.passage(p) for p in pids},
    )
    monkeypatch.setattr(other_rooms, "price_of_tasks", lambda campaign, tasks: tasks * Decimal("2.40"))
    return judged_town


@pytest.fixture
def crowd(judged_town, monkeypatch) -> Crowd:
    """judged_town, resolved, with a crowd that answers on command."""
    services.resolve(campaign=judged_town.campaign)
    return Crowd(judged_town, monkeypatch)
