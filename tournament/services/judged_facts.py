"""Load the data behind a campaign's best answers: judgments as arrays, and each challenge's two sides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from django.db.models import QuerySet

from config.guidance import Action
from judging.errors import CampaignRefused
from judging.models import Campaign, Judgment, Pair
from pooling.models import PooledPassage
from pooling.rules.passage_text import is_canonical
from tournament.contests import Contest
from tournament.copeland import BoolArray
from tournament.derivation import CountedJudgments, Derivation, Entrants, Parameters, derive
from tournament.models import Challenge, ChallengedQuery, Resolution
from tournament.pair_wins import IntArray
from tournament.schedule import Rule, Sides

#: query key → representative's key → keys of its class's members, the representative first.
Classes = dict[int, dict[int, list[int]]]

#: The keys of a query and of a passage, the key of the passage's class, and the pid.
Member = tuple[int, int, str, str]


@dataclass(frozen=True)
class Judgments:
    """Judgments as arrays, shapes (judgments,), ascending by pair and then by id."""

    id: IntArray
    judged: CountedJudgments
    simulated: BoolArray

    def only(self, kept: BoolArray) -> Judgments:
        """Return only the judgments that the mask selects."""
        return Judgments(self.id[kept], self.judged.only(kept), self.simulated[kept])


@dataclass(frozen=True)
class Facts:
    """The input of a derivation: the counted judgments, the compared passages and the challenges."""

    campaign: Campaign
    judgments: Judgments
    entrants: Entrants
    challenges: list[Challenge]
    classes: Classes

    @cached_property
    def contests(self) -> list[Contest]:
        """The challenges in order, as input of :func:`tournament.derivation.derive`."""
        return [contest_of(challenge) for challenge in self.challenges]

    def parameters(self, ties: str, count: str) -> Parameters:
        """Return the parameters for interpreting this campaign's judgments."""
        return Parameters.named(ties, count, wanted=self.campaign.judgments_per_pair)

    def derive(self, parameters: Parameters) -> Derivation:
        """Return every query's outcome and the judgments that the challenges still need."""
        return derive(self.entrants, self.judgments.judged, self.contests, parameters)

    def derive_as_resolved(self) -> Derivation:
        """Derive with the parameters of the campaign's latest resolve, or the defaults."""
        last = latest_resolution(self.campaign)
        return self.derive(self.parameters(last.ties, last.count))


def latest_resolution(campaign: Campaign) -> Resolution:
    """Return the campaign's latest resolve, or an unsaved one with default parameters."""
    return Resolution.objects.filter(campaign=campaign).first() or Resolution()


def load_facts(campaign: Campaign, *, with_asking: bool = False) -> Facts:
    """Load the current facts of a campaign; ``with_asking`` includes challenges that are still running.

    Raises CampaignRefused for a campaign whose workers graded single passages.
    """
    refuse_graded(campaign)
    challenges = Challenge.objects.filter(campaign=campaign).order_by("number").prefetch_related("queries")
    if not with_asking:
        challenges = challenges.filter(state=Challenge.State.DONE)
    classes = classes_of(compared_passages(campaign))
    entrants = entrants_from(classes)
    add_challengers(classes, (row for challenge in challenges for row in challenge.queries.all()))
    counted = judgments_of(Judgment.objects.filter(campaign=campaign).counted())
    rounds = [0, *(challenge.number for challenge in challenges)]
    counted = counted.only(np.isin(counted.judged.round, rounds))
    return Facts(campaign, counted, entrants, list(challenges), classes)


def refuse_graded(campaign: Campaign) -> None:
    """Raise CampaignRefused for a campaign whose workers grade single passages."""
    if campaign.grading is not None:
        raise CampaignRefused(
            f"Workers of campaign {campaign.name} grade single passages: it has no tournament and no best answers.",
            Action(
                "publish_grades",
                campaign.collection.name,
                f"{campaign.grading.name} --set NAME",
                lead="Create labels from the grades",
            ),
        )


def settled_rounds(campaign: Campaign) -> list[int]:
    """Return the rounds whose judgments are used: the first round (0), and the rounds of finished challenges."""
    done = Challenge.objects.filter(campaign=campaign, state=Challenge.State.DONE).order_by("number")
    return [0, *done.values_list("number", flat=True)]


def judgments_of(judgments: QuerySet[Judgment]) -> Judgments:
    """Load these judgments as arrays, ordered by pair and then by id."""
    rows = judgments.order_by("pair_id", "pk").values_list(
        "pk", "pair__query_id", "left_id", "right_id", "preferred_id", "pair__round", "judge_kind"
    )
    columns = list(zip(*rows.iterator(chunk_size=20_000), strict=True)) or [()] * 7
    ids, query, left, right, preferred, number = (
        np.array([value or 0 for value in column], dtype=np.int64) for column in columns[:6]
    )
    simulated = np.array([kind == Judgment.JudgeKind.SIMULATED for kind in columns[6]], dtype=bool)
    return Judgments(ids, CountedJudgments(query, left, right, preferred, number), simulated)


def compared_passages(campaign: Campaign) -> list[Member]:
    """Return the passages that the first round compares, from the pool and from imported judgments, sorted."""
    members: set[Member] = set()
    if campaign.pool_id:
        pooled = PooledPassage.objects.filter(pool_id=campaign.pool_id)
        members.update(pooled.values_list("query_id", "passage_id", "passage__class_key", "passage__pid"))
    if not campaign.pool_id or campaign.imported_files.exists():
        pairs = Pair.objects.filter(campaign=campaign, round=0)
        for side in ("passage_a", "passage_b"):
            columns = ("query_id", f"{side}_id", f"{side}__class_key", f"{side}__pid")
            members.update(pairs.values_list(*columns).distinct())
    return sorted(members)


def classes_of(members: Iterable[Member]) -> Classes:
    """Group each query's passages by class, under the passage that represents the class.

    The representative is the canonical passage, else the passage with the smallest key. A passage that has no text
    and is no near-duplicate forms its own class.
    """
    representative: dict[tuple[int, str], int] = {}
    classes: Classes = defaultdict(dict)
    for query, passage, class_key, _ in sorted(members, key=_canonical_first):
        rep = representative.setdefault((query, class_of(passage, class_key)), passage)
        classes[query].setdefault(rep, []).append(passage)
    return classes


def class_of(passage: int, class_key: str) -> str:
    """Return a name for the class of a passage. A passage without a class key has a class of its own."""
    return class_key or f"passage {passage}"


def _canonical_first(member: Member) -> tuple[int, bool, int]:
    query, passage, class_key, pid = member
    return query, not is_canonical(pid, class_key), passage


def representatives(classes: Classes) -> dict[tuple[int, int], int]:
    """Map (query, passage) to the representative of the passage's class."""
    return {
        (query, passage): rep
        for query, by_rep in classes.items()
        for rep, passages in by_rep.items()
        for passage in passages
    }


def entrants_from(classes: Classes) -> Entrants:
    """Return the passages of the first round as arrays, by query and then by class."""
    rows = [
        (query, passage, rep)
        for query, by_rep in sorted(classes.items())
        for rep, passages in sorted(by_rep.items())
        for passage in passages
    ]
    return Entrants(*np.array(rows, dtype=np.int64).reshape(-1, 3).T)


def add_challengers(classes: Classes, rows: Iterable[ChallengedQuery]) -> None:
    """Add the best answers, the challengers and their near-duplicates to ``classes``."""
    for row in rows:
        known = classes.setdefault(row.query_id, {})
        for rep in [*row.best_ids, *row.challenger_ids]:
            known.setdefault(rep, [rep])
        for rep, further in row.members.items():
            passages = known.setdefault(int(rep), [int(rep)])
            passages += [passage for passage in further if passage not in passages]


def contest_of(challenge: Challenge) -> Contest:
    """Return the challenge as input of :func:`tournament.derivation.derive`."""
    sides = {
        row.query_id: Sides(tuple(row.best_ids), tuple(row.challenger_ids)) for row in challenge.queries.all()
    }
    return Contest(challenge.number, Rule(challenge.rule), sides)
