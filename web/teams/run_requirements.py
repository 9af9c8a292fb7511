"""The requirements that a run must meet to be accepted on a board, for teams that prepare a run."""

from dataclasses import dataclass
from typing import Any

from config import clock
from pooling.models import CandidateSet, Collection, Round
from pooling.rules.run_details import BY_NAME as DETAILS
from pooling.runs.candidate_sets import candidates_of
from pooling.teams.run_fields import known_details
from pooling.teams.submission_policies import field_label, policy_of

#: Details that a team never enters, because they are known from its account and the time of arrival.
KNOWN_ANYWAY = frozenset(["team", "submitted_on"])


@dataclass(frozen=True)
class RunRequirements:
    """The required details as (label, definition), the depth limit, and the candidates for reranking."""

    details: tuple[tuple[str, str], ...]
    most_passages: int
    candidates: CandidateSet | None


def run_requirements(collection: Collection) -> RunRequirements | None:
    """Return the requirements for runs on this board; None if only the default depth limit applies."""
    policy, known = policy_of(collection), known_details(collection)
    asked = [name for name in (policy.required if policy else ()) if name not in KNOWN_ANYWAY]
    candidates = candidates_of(collection)
    default: Any = Collection._meta.get_field("max_run_depth").default
    priorities = _priorities_in_rounds(collection)
    if not asked and not priorities and candidates is None and collection.max_run_depth >= default:
        return None
    details = [
        (known[name].label, known[name].explained) if name in known else (field_label(name, collection), "")
        for name in asked
    ]
    return RunRequirements((*details, *priorities), collection.max_run_depth, candidates)


def _priorities_in_rounds(collection: Collection) -> list[tuple[str, str]]:
    """Return the priorities that current and planned rounds require, as details."""
    rounds = Round.objects.filter(collection=collection, priorities=True, closes_at__gt=clock.now())
    return [
        (
            f"Priority in the round {one.name}",
            f"{DETAILS['priority'].definition} Official runs need priorities from 1 to {one.most_runs}, each once.",
        )
        for one in rounds.order_by("opens_at", "pk")
    ]
