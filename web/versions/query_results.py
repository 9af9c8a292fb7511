"""One query of a version: its pool, wins, judgments, and why its best answer won."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from judging.models import Campaign, Exclusion, Judgment, RightsRequest, Submission
from pooling.models import Passage, PooledPassage, Qrel, Query, Run
from tournament.models import PreferenceQrel, QrelVersion, VersionQuery
from tournament.services import reason_in
from tournament.services.passage_visibility import Sight, sight_of
from web.common.visibility import sees_everything
from web.versions.pages import letter_of, official_label_key, official_of
from web.versions.query_ranks import rank_table
from web.versions.win_graph import WinGraph, win_graph

JUDGMENTS_SHOWN = 500
#: The standing of a judgment's submission → why the judgment does not count.
WHY_NOT: dict[str, str] = {
    Submission.Standing.PILOT: "made in a pilot that does not count",
    Submission.Standing.SURPLUS: "others had done the task",
}


@dataclass(frozen=True)
class PassageLine:
    """A passage of the query; text and pid are omitted unless it is ``shown``."""

    passage: Passage
    letter: str
    shown: bool
    best: bool
    propagated: bool
    official: bool
    """Whether this passage is the official label that pools and the perfect run use."""
    grade: int | None
    """The official grade; None if the passage has no grade."""
    relevant: bool
    """Whether its grade counts as relevant."""
    wins: float
    compared: int
    judged: bool
    """Whether this passage, or one with the same text, was compared."""
    runs: list[Run]


@dataclass(frozen=True)
class OfficialLabels:
    """The query's official labels: ``label`` is the passage that pools use, ``grades`` maps all labeled passages."""

    label: int | None
    grades: dict[int, int]
    min_grade: int
    name: str = ""

    @property
    def relevant(self) -> set[int]:
        """The keys of the passages whose grade counts as relevant."""
        return {key for key, grade in self.grades.items() if grade >= self.min_grade}


@dataclass(frozen=True)
class JudgmentLine:
    """A judgment by the letters of its passages; ``preferred`` is empty for "cannot decide"."""

    judgment: Judgment
    left: str
    right: str
    preferred: str
    counts: bool
    judge: str
    """A name for this page only: judges are numbered in the order of the rows."""
    why_not: str
    """Why the judgment does not count in the version; empty if it counts or the reason is unknown."""


@dataclass(frozen=True)
class PastResult:
    version: QrelVersion
    row: VersionQuery
    best: list[Passage]
    hidden: int
    changed: bool


def query_page(
    version: QrelVersion, query: Query, user: Any, *, judgments_shown: int | None = JUDGMENTS_SHOWN
) -> dict[str, Any]:
    """Return the data of a query's page; the version must cover the query.

    ``judgments_shown``: the maximum number of judgments to list; None for all.
    """
    row = VersionQuery.objects.get(version=version, query=query)
    origin = deciding_version(version, query)
    members_view = sees_everything(user, version.collection)
    judgments = _judgments_of_query(origin, query, in_time=members_view)
    counted = {judgment.pk for judgment in judgments if judgment.pk in origin.judgment_keys}
    best = {
        qrel.passage_id: qrel.propagated
        for qrel in PreferenceQrel.objects.filter(version=version, query=query)
    }
    official = _official_labels(version, query, user)
    sight = sight_of(version.collection, [query], user)
    if sight.labels_withheld and not members_view:
        # Keep only judgments of visible passages: the presence of any other would reveal something about the label.
        judgments = [
            one
            for one in judgments
            if sight.sees(query.pk, one.left_id) and sight.sees(query.pk, one.right_id)
        ]
    wins = tally_wins(judgment for judgment in judgments if judgment.pk in counted)
    passages = _passages_of_query(origin.campaign, query, judgments, best)
    if sight.labels_withheld and not members_view:
        passages = [one for one in passages if sight.sees(query.pk, one.pk)]
    row.status = sight.status(row.status)
    lines = _passage_lines(passages, wins, best, official, sight, query)
    letters = {line.passage.pk: line.letter for line in lines}
    return {
        "collection": version.collection,
        "version": version,
        "origin": origin,
        "row": row,
        "query": query,
        "lines": lines,
        "best": [line for line in lines if line.best],
        "official": [line for line in lines if line.official],
        "labels_name": official.name,
        "other_relevant": [line for line in lines if line.relevant and not line.official],
        "official_elsewhere": len(official.relevant - letters.keys()),
        "graph": _win_graph(lines, letters, wins, row) if len(lines) > 1 and wins else None,
        "judgments": _judgment_lines(judgments, letters, counted, origin)[:judgments_shown],
        "judgments_left_out": 0 if judgments_shown is None else max(0, len(judgments) - judgments_shown),
        "ranks": rank_table(
            version.collection,
            query,
            [(line.letter, line.passage.pid) for line in lines if line.shown],
            {line.letter for line in lines if line.best},
            user,
            version=version.number,
        ),
        "reason": _shown_reason(origin, query, best, sight),
        "history": _query_history(version, query, sight),
        "sees_everything": members_view,
    }


def deciding_version(version: QrelVersion, query: Query) -> QrelVersion:
    """Return the version whose campaign decided the query: this one, unless it was carried over."""
    number = version.content.get("carried", {}).get(query.qid, version.number)
    if number == version.number:
        return version
    versions = QrelVersion.objects.select_related("campaign", "collection")
    return versions.get(collection=version.collection, number=number)


def tally_wins(judgments: Iterable[Judgment]) -> dict[tuple[int, int], float]:
    """Return (a, b) → how often a was preferred to b; "cannot decide" counts half for each side."""
    wins: dict[tuple[int, int], float] = defaultdict(float)
    for judgment in judgments:
        left, right = judgment.left_id, judgment.right_id
        if judgment.preferred_id is None:
            wins[left, right] += 0.5
            wins[right, left] += 0.5
        else:
            loser = right if judgment.preferred_id == left else left
            wins[judgment.preferred_id, loser] += 1
    return dict(wins)


def _judgments_of_query(origin: QrelVersion, query: Query, *, in_time: bool) -> list[Judgment]:
    """Return the query's judgments, in order of time if ``in_time``, else in order of content.

    Readers who cannot see times get the order of content.
    """
    rows = Judgment.objects.filter(campaign=origin.campaign_id, pair__query=query)
    order = ("judged_at", "pk") if in_time else ("left", "right", "preferred", "pk")
    return list(rows.select_related("pair", "worker", "submission").order_by(*order))


def _official_labels(version: QrelVersion, query: Query, user: Any) -> OfficialLabels:
    official = official_of(version.collection, user)
    if official is None:
        return OfficialLabels(None, {}, 0)
    labels = Qrel.objects.filter(qrel_set=official, query=query)
    grades = dict(labels.values_list("passage_id", "grade"))
    return OfficialLabels(official_label_key(official, query), grades, official.min_grade, official.name)


def _passages_of_query(
    campaign: Campaign, query: Query, judgments: Sequence[Judgment], best: Iterable[int]
) -> list[Passage]:
    """Return the pool's passages, the judged passages, and the best answers."""
    keys = {key for judgment in judgments for key in (judgment.left_id, judgment.right_id)}
    if campaign.pool_id:
        pooled = PooledPassage.objects.filter(pool=campaign.pool_id, query=query)
        keys.update(pooled.values_list("passage_id", flat=True))
    return list(Passage.objects.filter(pk__in=keys.union(best)))


def _passage_lines(
    passages: Sequence[Passage],
    wins: dict[tuple[int, int], float],
    best: dict[int, bool],
    official: OfficialLabels,
    sight: Sight,
    query: Query,
) -> list[PassageLine]:
    won: dict[int, float] = defaultdict(float)
    compared: dict[int, float] = defaultdict(float)
    for (winner, loser), count in wins.items():
        won[winner] += count
        compared[winner] += count
        compared[loser] += count
    classes = {one.class_key for one in passages if compared[one.pk]} - {""}
    ordered = sorted(passages, key=lambda one: (one.pk not in best, -won[one.pk], one.pid))
    return [
        PassageLine(
            passage=passage,
            letter=letter_of(place),
            shown=sight.sees(query.pk, passage.pk),
            best=passage.pk in best,
            propagated=best.get(passage.pk, False),
            official=passage.pk == official.label,
            grade=official.grades.get(passage.pk),
            relevant=passage.pk in official.relevant,
            wins=won[passage.pk],
            compared=round(compared[passage.pk]),
            judged=bool(compared[passage.pk]) or passage.class_key in classes,
            runs=sight.shown_suppliers(query.pk, passage.pk),
        )
        for place, passage in enumerate(ordered)
    ]


def _win_graph(
    lines: Sequence[PassageLine],
    letters: dict[int, str],
    wins: dict[tuple[int, int], float],
    row: VersionQuery,
) -> WinGraph:
    best = [line.passage.pk for line in lines if line.best and not line.propagated]
    return win_graph([line.passage.pk for line in lines], letters, wins, best, cycle=row.cycle)


def _judgment_lines(
    judgments: Sequence[Judgment], letters: dict[int, str], counted: set[int], origin: QrelVersion
) -> list[JudgmentLine]:
    judges: dict[int, str] = {}
    excluded = set(
        Exclusion.objects.standing().filter(campaign=origin.campaign_id).values_list("worker", flat=True)
    )
    taken_back = set(
        RightsRequest.objects.filter(
            campaign=origin.campaign_id, what=RightsRequest.What.WITHDRAW
        ).values_list("worker", flat=True)
    )
    why_not = dict.fromkeys(excluded, "worker excluded") | dict.fromkeys(
        taken_back, "withdrawn by the worker"
    )
    return [
        JudgmentLine(
            judgment,
            letters[judgment.left_id],
            letters[judgment.right_id],
            letters[judgment.preferred_id] if judgment.preferred_id else "",
            judgment.pk in counted,
            _judge_pseudonym(judgment, judges),
            "" if judgment.pk in counted else _reason_not_counted(judgment, origin, why_not),
        )
        for judgment in judgments
    ]


def _judge_pseudonym(judgment: Judgment, judges: dict[int, str]) -> str:
    if judgment.worker_id is None:
        return ""
    return judges.setdefault(judgment.worker_id, f"judge {len(judges) + 1}")


def _reason_not_counted(judgment: Judgment, origin: QrelVersion, of_worker: dict[int, str]) -> str:
    if judgment.recorded_at > origin.published_at:
        return "came after it"
    if judgment.worker_id is not None and judgment.worker_id in of_worker:
        return of_worker[judgment.worker_id]
    standing = judgment.submission.standing if judgment.submission else ""
    return WHY_NOT.get(standing, "")


def _shown_reason(origin: QrelVersion, query: Query, best: dict[int, bool], sight: Sight) -> str:
    """Return the tournament's explanation of the result; empty if it reveals something hidden."""
    if sight.labels_withheld and not sight.everything:
        return ""  # the explanation counts wins over passages that only the labels contain
    own = [key for key, propagated in best.items() if not propagated]
    return reason_in(origin, query) if all(sight.sees(query.pk, key) for key in own) else ""


def _query_history(version: QrelVersion, query: Query, sight: Sight) -> list[PastResult]:
    """Return the query in every version that covers it, newest first."""
    rows = (
        VersionQuery.objects.filter(version__collection=version.collection, query=query)
        .select_related("version")
        .defer("version__manifest")
        .order_by("version__number")
    )
    best: dict[int, list[Passage]] = defaultdict(list)
    qrels = PreferenceQrel.objects.filter(version__collection=version.collection, query=query)
    for qrel in qrels.select_related("passage").order_by("propagated", "passage__pid"):
        best[qrel.version_id].append(qrel.passage)
    past: list[PastResult] = []
    before: set[int] | None = None
    for row in rows:
        now = {passage.pk for passage in best[row.version_id]}
        shown = [passage for passage in best[row.version_id] if sight.sees(query.pk, passage.pk)]
        row.status = sight.status(row.status)
        past.append(
            PastResult(row.version, row, shown, len(now) - len(shown), before is not None and now != before)
        )
        before = now
    return past[::-1]
