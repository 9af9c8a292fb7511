"""Resolve a campaign: find every query's best answers from its current judgments."""

from dataclasses import dataclass
from typing import Any

from django.db import transaction

from config import clock
from judging.models import Campaign
from pooling.models import Passage
from tournament.derivation import Derivation, Parameters
from tournament.models import QueryResult, Resolution
from tournament.outcomes import QueryOutcome, Status, outcome_reason
from tournament.services.judged_facts import Facts, latest_resolution, load_facts
from tournament.services.other_rooms import key_parts


@dataclass(frozen=True)
class Resolved:
    """The result of a resolve: its input facts, every outcome, and the counts."""

    facts: Facts
    derivation: Derivation
    parameters: Parameters
    summary: dict[str, Any]


def resolve(*, campaign: Campaign, ties: str | None = None, count: str | None = None) -> dict[str, Any]:
    """Derive and save every query's result; return the counts.

    ``ties`` is ``recount`` (default) or ``keep``; ``count`` is ``shares`` (default) or ``majority``.
    """
    return resolve_with_facts(campaign=campaign, ties=ties or "recount", count=count or "shares").summary


def resolve_as_before(*, campaign: Campaign) -> Resolved:
    """Resolve with the parameters of the latest resolve, or the defaults."""
    last = latest_resolution(campaign)
    return resolve_with_facts(campaign=campaign, ties=last.ties, count=last.count)


def resolve_with_facts(*, campaign: Campaign, ties: str, count: str) -> Resolved:
    """Derive and save every query's result; return the counts, the input facts and the outcomes."""
    with transaction.atomic():
        facts = load_facts(campaign)
        parameters = facts.parameters(ties, count)
        derivation = facts.derive(parameters)
        summary = summarize(derivation, facts, parameters)
        _save_results(campaign, derivation.outcomes)
        Resolution.objects.update_or_create(
            campaign=campaign,
            defaults={"ties": ties, "count": count, "summary": summary, "resolved_at": clock.now()},
        )
    return Resolved(facts, derivation, parameters, summary)


def summarize(derivation: Derivation, facts: Facts, parameters: Parameters) -> dict[str, Any]:
    """Return the parameters, and the numbers of queries by outcome, of judgments and of challenges.

    ``closed``, ``open`` and ``singletons`` add up to ``queries``. ``tied`` includes ``cycles``.
    """
    outcomes = derivation.outcomes.values()
    by_status = {status: sum(outcome.status is status for outcome in outcomes) for status in Status}
    settled = [outcome for outcome in outcomes if outcome.status is not Status.OPEN]
    return {
        "campaign": facts.campaign.name,
        "queries": len(outcomes),
        "closed": by_status[Status.CLOSED],
        "open": by_status[Status.OPEN],
        "singletons": by_status[Status.SINGLETON],
        "tied": sum(outcome.tied for outcome in settled),
        "cycles": sum(outcome.cycle for outcome in settled),
        "best_answers": sum(len(outcome.best) for outcome in settled),
        "missing_pairs": sum(len(outcome.missing) for outcome in outcomes if outcome.status is Status.OPEN),
        "judgments": len(facts.judgments.id),
        "challenges": len(facts.contests),
        "ties": str(parameters.ties),
        "count": str(parameters.count),
    }


def _save_results(campaign: Campaign, outcomes: dict[int, QueryOutcome]) -> None:
    """Save one row per query in a fixed order, so that concurrent resolves wait instead of deadlocking."""
    pid_of = pids_by_key({passage for outcome in outcomes.values() for passage in outcome.best})
    now = clock.now()
    rows = [
        QueryResult(
            campaign=campaign,
            query_id=query,
            status=outcome.status,
            tied=outcome.tied,
            cycle=outcome.cycle,
            best_answer_ids=list(outcome.best),
            wins={str(passage): _win_number(wins) for passage, wins in sorted(outcome.wins.items())},
            missing_pairs=[list(pair) for pair in outcome.missing],
            reason=outcome_reason(outcome, pid_of.__getitem__),
            resolved_at=now,
        )
        for query, outcome in sorted(outcomes.items())
    ]
    kept = [field.name for field in QueryResult._meta.fields if field.name not in ("id", "campaign", "query")]
    QueryResult.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["campaign", "query"], update_fields=kept, batch_size=500
    )
    QueryResult.objects.filter(campaign=campaign).exclude(resolved_at=now).delete()


def query_results(campaign: Campaign) -> list[dict[str, Any]]:
    """Return the results of the latest resolve in the collection's query order, with pids instead of keys.

    Each query has one dict: ``qid status tied cycle best wins missing reason``. ``wins`` maps pid → number of wins,
    a float if it is not an integer. ``missing`` lists the [pid, pid] pairs still to be judged.
    """
    rows = QueryResult.objects.filter(campaign=campaign).select_related("query").order_by("query__position")
    found = list(rows)
    named = pids_by_key({int(passage) for row in found for passage in (*row.wins, *_passages_in(row))})
    return [
        {
            "qid": row.query.qid,
            "status": row.status,
            "tied": row.tied,
            "cycle": row.cycle,
            "best": [named[passage] for passage in row.best_answer_ids],
            "wins": {named[int(passage)]: wins for passage, wins in row.wins.items()},
            "missing": [[named[passage] for passage in pair] for pair in row.missing_pairs],
            "reason": row.reason,
        }
        for row in found
    ]


def _passages_in(row: QueryResult) -> list[int]:
    return [*row.best_answer_ids, *(passage for pair in row.missing_pairs for passage in pair)]


def _win_number(wins: Any) -> int | float:
    return int(wins) if wins.denominator == 1 else float(wins)


def pids_by_key(passages: set[int]) -> dict[int, str]:
    """Map passage keys to pids, for any number of passages."""
    found: dict[int, str] = {}
    for part in key_parts(passages):
        found.update(Passage.objects.filter(pk__in=part).values_list("pk", "pid"))
    return found
