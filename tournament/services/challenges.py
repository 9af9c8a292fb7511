"""Challenge the current best answers with the unseen top passages of new runs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Max

from config.background.job_kinds import Progress
from config.guidance import Action, Guidance, Option
from config.plurals import many
from judging.models import Campaign
from judging.money.budget import cap_of
from pooling.collections.lookups import runs_tagged
from pooling.models import Passage, Run
from tournament.errors import CampaignOver, ChallengeUnderWay, SpendNotConfirmed, TextsMissing
from tournament.models import Challenge, ChallengedQuery, QrelVersion
from tournament.outcomes import Status
from tournament.schedule import Forecast, Rule, Sides, forecast
from tournament.services import other_rooms
from tournament.services.challenge_progress import Advance, advance_campaign
from tournament.services.judged_facts import Facts, class_of, load_facts
from tournament.services.publication import latest_version, queries_by_key


@dataclass(frozen=True)
class Title:
    """The current best answers of a query (the title-holders).

    ``known`` maps the keys of all passages compared so far to the keys of the passages that represent their classes.
    """

    bests: tuple[int, ...]
    known: dict[int, int]


@dataclass(frozen=True)
class ChallengePlan:
    """A planned challenge that is not recorded yet.

    ``known_tops`` counts the runs' top passages that need no comparison. ``joining`` counts the new passages that
    join a current best answer because they have its text or are its near-duplicates. ``not_covered`` has the qids of
    the runs' queries that have no settled best answer.
    """

    campaign: Campaign
    rule: Rule
    run_tags: tuple[str, ...]
    version: QrelVersion | None
    rows: tuple[ChallengedQuery, ...]
    forecast: Forecast
    cost_fewest: Decimal
    cost_most: Decimal
    known_tops: int
    joining: int
    not_covered: tuple[str, ...]

    def summary(self) -> dict[str, Any]:
        plan = self.forecast
        return {
            "campaign": self.campaign.name,
            "rule": str(self.rule),
            "runs": list(self.run_tags),
            "queries": sum(bool(row.challenger_ids) for row in self.rows),
            "challengers": sum(len(row.challenger_ids) for row in self.rows),
            "already_known": self.known_tops,
            "joining": self.joining,
            "not_covered": len(self.not_covered),
            "pairs": {"fewest": plan.pairs_fewest, "most": plan.pairs_most},
            "judgments": {"fewest": plan.judgments_fewest, "most": plan.judgments_most},
            "tasks": {"fewest": plan.tasks_fewest, "most": plan.tasks_most},
            "cost": {"fewest": float(self.cost_fewest), "most": float(self.cost_most)},
        }


@dataclass(frozen=True)
class OpenedChallenge:
    """An opened challenge (None if the runs have no new top passages), and the result of its first advance."""

    challenge: Challenge | None
    advance: Advance


def plan_challenge(
    *,
    campaign: Campaign,
    run_tags: Sequence[str],
    rule: str = "lead2",
    progress: Progress | None = None,
) -> ChallengePlan:
    """Find the runs' unseen top passages, fetch their texts, and estimate the cost of a challenge.

    Only queries with a settled best answer are challenged: the campaign's own, and queries that the latest version
    took from another campaign. Raises :class:`CampaignOver`, :class:`ChallengeUnderWay`, :class:`TextsMissing`, and
    pooling's NotFound for an unknown run.
    """
    _refuse_closed(campaign)
    _refuse_second(campaign)
    runs = runs_tagged(campaign.collection, sorted(set(run_tags)))
    version = latest_version(campaign.collection)
    titles = _current_titles(load_facts(campaign), version)
    tops, uncovered = _top_pids_by_query(runs, titles)
    pids = {pid for at_top in tops.values() for pid in at_top}
    passages = other_rooms.passages_with_text(campaign.collection, pids, progress)
    known_classes = _classes_of_known([titles[query] for query in tops])
    stands_for = other_rooms.canonical_passages(campaign.collection, pids, progress)
    found = [
        _challenged_query(query, titles[query], [passages[pid] for pid in at_top], known_classes, stands_for)
        for query, at_top in sorted(tops.items())
    ]
    rows = [row for row in found if row is not None]
    _refuse_without_text(campaign, rows)
    sides = [Sides(tuple(row.best_ids), tuple(row.challenger_ids)) for row in rows]
    expected = forecast(sides, Rule(rule), pairs_per_task=campaign.pairs_per_task)
    return ChallengePlan(
        campaign=campaign,
        rule=Rule(rule),
        run_tags=tuple(sorted(set(run_tags))),
        version=version,
        rows=tuple(rows),
        forecast=expected,
        cost_fewest=other_rooms.price_of_tasks(campaign, expected.tasks_fewest),
        cost_most=other_rooms.price_of_tasks(campaign, expected.tasks_most),
        known_tops=sum(map(len, tops.values()))
        - sum(_count_newcomers(row, {passages[pid].pk for pid in tops[row.query_id]}) for row in rows),
        joining=sum(_count_joining(row, titles[row.query_id]) for row in rows),
        not_covered=uncovered,
    )


def open_challenge(*, plan: ChallengePlan, confirm_spend: Decimal | None = None) -> OpenedChallenge:
    """Record the planned challenge and request its first judgments.

    If the crowd site charges real money, ``confirm_spend`` must be at least the maximum cost of the challenge. On
    other sites it is optional, but must not be lower either. The challenge must not exceed the campaign's budget.
    Raises :class:`ChallengeUnderWay`, :class:`SpendNotConfirmed`.
    """
    campaign = plan.campaign
    if not plan.rows:
        return OpenedChallenge(None, Advance())
    _refuse_unconfirmed(plan, confirm_spend)
    try:
        with transaction.atomic():
            last = Challenge.objects.filter(campaign=campaign).aggregate(last=Max("number"))["last"] or 0
            challenge = Challenge.objects.create(
                campaign=campaign,
                number=last + 1,
                rule=plan.rule,
                run_tags=list(plan.run_tags),
                version=plan.version,
            )
            for row in plan.rows:
                row.challenge = challenge
            ChallengedQuery.objects.bulk_create(plan.rows, batch_size=500)
            advance = advance_campaign(campaign=campaign)
    except IntegrityError:
        _refuse_second(campaign)
        raise
    challenge.refresh_from_db()
    return OpenedChallenge(challenge, advance)


def beyond_budget(campaign: Campaign, cost_most: Decimal) -> SpendNotConfirmed | None:
    """Return an error if ``cost_most`` more dollars (fees included) exceed the campaign's budget or the cap.

    A challenge that costs nothing exceeds neither, even if both are used up.
    """
    if not cost_most:
        return None
    limit, total = cap_of(campaign), other_rooms.committed_dollars(campaign) + cost_most
    if settings.BUDGET_CAP and total > settings.BUDGET_CAP:
        return SpendNotConfirmed(
            f"Up to ${cost_most:,.2f} more would put the campaign over the cap of ${settings.BUDGET_CAP:,.2f}.",
            "Challenge with fewer runs, or raise PREFEREE_BUDGET_CAP.",
        )
    if limit is not None and total > limit:
        return SpendNotConfirmed(
            f"Up to ${cost_most:,.2f} more would put the campaign over its budget of ${limit:,.2f}.",
            Guidance(
                "Challenge with fewer runs, or: ",
                Action("raise_budget", campaign.name, f"{total:.2f}", lead=""),
            ),
        )
    return None


def _refuse_unconfirmed(plan: ChallengePlan, confirm_spend: Decimal | None) -> None:
    if refusal := beyond_budget(plan.campaign, plan.cost_most):
        raise refusal
    real = other_rooms.takes_real_money(plan.campaign)
    if (confirm_spend is None and not real) or (confirm_spend or 0) >= plan.cost_most:
        return
    raise SpendNotConfirmed(
        f"This challenge can cost up to ${plan.cost_most:,.2f}{' of real money' if real else ''}"
        + (f", but you agreed to ${confirm_spend:,.2f}." if confirm_spend else "."),
        Guidance("To agree, try again with ", Option("confirm-spend"), f" {plan.cost_most:.2f}."),
    )


def _refuse_closed(campaign: Campaign) -> None:
    if campaign.state in Campaign.OVER:
        raise CampaignOver(
            f"The campaign {campaign.name} is {campaign.state}, so no more judgments can be requested.",
            "Start the challenge from a new campaign, which begins with the latest version's best answers.",
        )


def _refuse_second(campaign: Campaign) -> None:
    asking = Challenge.objects.filter(campaign=campaign, state=Challenge.State.ASKING).first()
    if asking:
        raise ChallengeUnderWay(
            f"Challenge {asking.number} of {campaign.name} is still running. A campaign can have one at a time.",
            Guidance(
                "Wait for its judgments. To see what it still needs: ",
                Action("resolve", lead=""),
                ".",
            ),
        )


def _current_titles(facts: Facts, version: QrelVersion | None) -> dict[int, Title]:
    """Return the current best answers of each settled query: from the campaign, else from the latest version."""
    outcomes = facts.derive_as_resolved().outcomes
    titles = {}
    for query, outcome in outcomes.items():
        if outcome.status is not Status.OPEN:
            classes = facts.classes[query]
            known = {member: rep for rep, members in classes.items() for member in members}
            titles[query] = Title(outcome.best, known)
    if version:
        titles.update(_titles_of_version(version, set(outcomes)))
    return titles


def _titles_of_version(version: QrelVersion, covered: set[int]) -> dict[int, Title]:
    """Return the version's settled best answers of the queries that the campaign does not cover."""
    held: dict[int, list[Any]] = {}
    opened = version.queries.filter(status=Status.OPEN).values_list("query", flat=True)
    left_out = covered.union(opened)
    for row in version.qrels.select_related("passage").order_by("passage_id"):
        if row.query_id not in left_out:
            held.setdefault(row.query_id, []).append(row)
    titles = {}
    for query, rows in held.items():
        bests = [row.passage for row in rows if not row.propagated]
        by_class = {best.class_key: best.pk for best in bests}
        known = {best.pk: best.pk for best in bests}
        for row in rows:
            known.setdefault(row.passage_id, by_class.get(row.passage.class_key, bests[0].pk))
        titles[query] = Title(tuple(best.pk for best in bests), known)
    return titles


def _top_pids_by_query(
    runs: Iterable[Run], titles: dict[int, Title]
) -> tuple[dict[int, list[str]], tuple[str, ...]]:
    """Map queries with current best answers to the runs' top pids; also return the qids of all other queries."""
    by_qid = {query.qid: query.pk for query in queries_by_key(titles)}
    tops: dict[int, set[str]] = {}
    uncovered = set()
    for run in runs:
        for qid, pid in other_rooms.top_pids(run).items():
            if qid in by_qid:
                tops.setdefault(by_qid[qid], set()).add(pid)
            else:
                uncovered.add(qid)
    return {query: sorted(pids) for query, pids in tops.items()}, tuple(sorted(uncovered))


def _classes_of_known(titles: Iterable[Title]) -> dict[int, str]:
    """Map the key of each passage compared so far (``known`` in these titles) to its class."""
    return {
        pk: class_of(pk, class_key)
        for part in other_rooms.key_parts({key for title in titles for key in title.known})
        for pk, class_key in Passage.objects.filter(pk__in=part).values_list("pk", "class_key")
    }


def _challenged_query(
    query: int, title: Title, tops: list[Passage], known_classes: dict[int, str], stands_for: dict[int, int]
) -> ChallengedQuery | None:
    """Build the row of one challenged query; return None if all its top passages are known.

    A top passage of a new class becomes a challenger. A new passage of a known class joins that class.
    ``stands_for`` maps near-duplicates to the canonical passages that represent them.
    """
    representative = {known_classes[key]: rep for key, rep in title.known.items()}
    challengers: list[int] = []
    members: dict[str, list[int]] = {}
    for best in title.bests:
        # The class of an earlier version's best answer is added, because the campaign does not have it.
        further = sorted(key for key, rep in title.known.items() if rep == best and key != best)
        if further:
            members[str(best)] = further
    for passage in sorted(tops, key=lambda passage: passage.pk):
        if passage.pk in title.known:
            continue
        key, first = class_of(passage.pk, passage.class_key), stands_for.get(passage.pk, passage.pk)
        if key not in representative:
            challengers.append(first)
        rep = representative.setdefault(key, first)
        if rep != passage.pk:
            members.setdefault(str(rep), []).append(passage.pk)
    row = ChallengedQuery(
        query_id=query, best_ids=sorted(title.bests), challenger_ids=challengers, members=members
    )
    return row if any(passage.pk not in title.known for passage in tops) else None


def _count_newcomers(row: ChallengedQuery, tops: set[int]) -> int:
    """Return how many of ``tops``, the keys of the runs' top passages, belong to a challenger's class."""
    new = {key for first in row.challenger_ids for key in (first, *row.members.get(str(first), ()))}
    return len(new & tops)


def _count_joining(row: ChallengedQuery, title: Title) -> int:
    """Return how many passages that were not known before join the class of a current best answer."""
    joined = {key for best in row.best_ids for key in row.members.get(str(best), ())}
    return len(joined - title.known.keys())


def _refuse_without_text(campaign: Campaign, rows: list[ChallengedQuery]) -> None:
    if campaign.placeholder_text:
        return
    wanted = {key for row in rows if row.challenger_ids for key in [*row.best_ids, *row.challenger_ids]}
    missing = [
        pid
        for part in other_rooms.key_parts(wanted)
        for pid in Passage.objects.filter(pk__in=part, text=None).values_list("pid", flat=True)
    ]
    if missing:
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        raise TextsMissing(
            f"{many(len(missing), 'passage has', 'passages have')} no text to show: {', '.join(missing[:5])}{more}.",
            Guidance(
                Action("fetch_passages", campaign.collection.name, "--passages FILE"),
                ", then challenge again.",
            ),
        )
