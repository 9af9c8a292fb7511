"""Explain a query's best answers in a published version by deriving them again."""

from typing import Any

from judging.models import Judgment
from pooling.models import Query
from tournament.derivation import Parameters, derive
from tournament.models import QrelVersion
from tournament.outcomes import QueryOutcome, outcome_reason
from tournament.services.judged_facts import entrants_from, judgments_of
from tournament.services.rebuilding import Keys
from tournament.services.resolving import pids_by_key


def outcome_in(version: QrelVersion, query: Query) -> QueryOutcome | None:
    """Return the query's outcome in the version; None for a query that it carried over or does not cover."""
    content = _manifest_of_query(version.content, query.qid)
    if not content["queries"]:
        return None
    keys = Keys.of(version.collection, content)
    own = Judgment.objects.filter(campaign=version.campaign_id, pair__query=query)
    used = own.filter(pk__in=[pk for pk in own.values_list("pk", flat=True) if pk in version.judgment_keys])
    parameters = content["parameters"]
    outcomes = derive(
        entrants_from(keys.classes(content)),
        judgments_of(used).judged,
        [keys.contest(challenge) for challenge in content["challenges"]],
        Parameters.named(parameters["ties"], parameters["count"], wanted=parameters["judgments_per_pair"]),
    ).outcomes
    return outcomes.get(query.pk)


def reason_in(version: QrelVersion, query: Query) -> str:
    """Return the outcome as a sentence; empty if the version did not decide the query itself."""
    outcome = outcome_in(version, query)
    return outcome_reason(outcome, pids_by_key(set(outcome.best)).__getitem__) if outcome else ""


def _manifest_of_query(content: dict[str, Any], qid: str) -> dict[str, Any]:
    """Return the manifest without other queries."""
    challenges = [
        challenge | {"queries": [row for row in challenge["queries"] if row["qid"] == qid]}
        for challenge in content["challenges"]
    ]
    return content | {
        "queries": [row for row in content["queries"] if row["qid"] == qid],
        "challenges": [challenge for challenge in challenges if challenge["queries"]],
    }
