"""Plan the rounds of a board, and check submissions against their times and limits."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from config import clock
from config.plurals import many
from pooling.collections.members import log
from pooling.errors import RoundInUse, SubmissionRefused
from pooling.models import Collection, Round, Run, Team
from pooling.rules.round_rules import (
    RoundRefusal,
    RoundRules,
    RunBefore,
    moment_in_utc,
    next_place,
    next_round,
    open_round,
    refusals_in_round,
)


@dataclass(frozen=True)
class Entry:
    """A submission sent by a team itself: the team, and the time at which the file had arrived."""

    team: Team
    at: datetime


def set_round(
    *,
    collection: Collection,
    name: str,
    opens_at: datetime,
    closes_at: datetime,
    most_runs: int,
    most_baselines: int = 0,
    priorities: bool = False,
    who: str,
) -> Round:
    """Plan a round, or change the round with this name. Existing runs are not affected. Raises SubmissionRefused."""
    name = " ".join(name.split())
    if not name or len(name) > 80:
        raise SubmissionRefused(
            "A round needs a name of at most 80 characters.", "Enter a name such as 2026."
        )
    if closes_at <= opens_at:
        raise SubmissionRefused(
            f"The round {name} would close before it opens.", "Enter a closing time after the opening time."
        )
    if not 1 <= most_runs <= 1000 or not 0 <= most_baselines <= 1000:
        raise SubmissionRefused("A round must allow each team 1 to 1,000 runs and 0 to 1,000 baselines.", "")
    planned = {
        "opens_at": opens_at,
        "closes_at": closes_at,
        "most_runs": most_runs,
        "most_baselines": most_baselines,
        "priorities": priorities,
    }
    with transaction.atomic():
        made, _ = Round.objects.update_or_create(collection=collection, name=name, defaults=planned)
        log(collection, f"round {name}: {round_words(made)}"[:300], who=who)
    return made


def drop_round(*, planned: Round, who: str) -> None:
    """Delete a round without submissions. Raises RoundInUse."""
    with transaction.atomic():
        Round.objects.filter(pk=planned.pk).update(checked_at=clock.now())
        if planned.runs.exists():
            raise RoundInUse(f"The round {planned.name} has runs.", "Change its closing time to end it now.")
        log(planned.collection, f"round {planned.name} deleted", who=who)
        planned.delete()


def allows_baselines(collection: Collection) -> bool:
    """Return whether teams may mark runs as baselines in some round."""
    return Round.objects.filter(collection=collection, most_baselines__gt=0).exists()


def round_words(planned: Round) -> str:
    limits = f"{many(planned.most_runs, 'run')} and {many(planned.most_baselines, 'baseline')} per team"
    priorities = ", with priorities" if planned.priorities else ""
    return f"{moment_in_utc(planned.opens_at)} to {moment_in_utc(planned.closes_at)}, {limits}{priorities}"


def rules_of(planned: Round) -> RoundRules:
    return RoundRules(
        planned.name,
        planned.opens_at,
        planned.closes_at,
        planned.most_runs,
        planned.most_baselines,
        planned.priorities,
    )


def round_at(collection: Collection, at: datetime) -> Round | RoundRefusal | None:
    """Return the round open at this moment, or the refusal if none is; None on a board without rounds."""
    rounds = {one.name: one for one in Round.objects.filter(collection=collection)}
    if not rounds:
        return None
    found = open_round([rules_of(one) for one in rounds.values()], at)
    return found if isinstance(found, RoundRefusal) else rounds[found.name]


def accepted_in_rounds(
    collection: Collection, since: Mapping[str, datetime]
) -> Mapping[str, datetime | None]:
    """Return team → the first moment, not before ``since``, at which a round accepts one more of its official runs.

    The moment is None if no planned round accepts one. On a board without rounds, returns ``since``.
    """
    rounds = [rules_of(one) for one in Round.objects.filter(collection=collection)]
    if not rounds:
        return since
    sent: dict[str, Counter[str]] = defaultdict(Counter)
    rows = Run.objects.filter(round__collection=collection, baseline=False, team__in=list(since))
    for team, name in rows.values_list("team", "round__name"):
        sent[team][name] += 1
    return {team: next_place(rounds, sent[team], moment) for team, moment in since.items()}


def hold_to_rounds(
    collection: Collection, run_tag: str, facts: Mapping[str, Any], entry: Entry
) -> Round | None:
    """Return the round that accepts this run of a team; None on a board without rounds.

    Raises SubmissionRefused, with every reason, if the run is not accepted. Call it in the transaction that creates
    the run: writing to the round's row first makes the team's next submission wait for the end of this transaction.
    """
    current = round_at(collection, entry.at)
    if current is None:
        if facts["baseline"]:
            raise SubmissionRefused(
                f"{run_tag}: only the board's maintainers can add baselines.",
                "Submit it as a run of your team.",
            )
        return None
    if isinstance(current, RoundRefusal):
        raise SubmissionRefused(f"{run_tag}: {current.why}", current.next_step)
    Round.objects.filter(pk=current.pk).update(checked_at=clock.now())
    refused = refusals_in_round(
        rules_of(current),
        runs_before(current, entry.team),
        baseline=facts["baseline"],
        priority=facts["details"].get("priority"),
        coming=next_round([rules_of(one) for one in Round.objects.filter(collection=collection)], entry.at),
    )
    if refused:
        raise SubmissionRefused.for_all(
            [SubmissionRefused(f"{run_tag}: {one.why}", one.next_step) for one in refused]
        )
    return current


def runs_before(planned: Round, team: Team) -> list[RunBefore]:
    rows = Run.objects.filter(round=planned, team=team.name).order_by("pk")
    return [RunBefore(run.run_tag, run.baseline, run.details.get("priority")) for run in rows]
