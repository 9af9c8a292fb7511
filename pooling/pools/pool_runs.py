"""Choose the runs of a pool: by name, by their priority or round, or all runs of the labels' kind."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from config.guidance import Action, Guidance, TerminalOnly
from pooling.collections.lookups import RunsOfKind, runs_of_kind
from pooling.errors import NotFound, PoolRefused
from pooling.models import Collection, QrelSet, Round, Run


@dataclass(frozen=True)
class RunCriteria:
    """Criteria for choosing runs: a priority of at most ``priority``, the round named ``round``, or both."""

    priority: int | None = None
    round: str = ""

    def __bool__(self) -> bool:
        return self.priority is not None or bool(self.round)

    def __str__(self) -> str:
        priority = "" if self.priority is None else f"with {priorities_in_words(self.priority)}"
        return " ".join(filter(None, [priority, f"of the round {self.round}" if self.round else ""]))

    def check(self) -> None:
        """Raise PoolRefused for an impossible priority."""
        if self.priority is not None and not 1 <= self.priority <= 10**6:
            raise PoolRefused("The priority must be between 1 and 1,000,000.")


def priorities_in_words(up_to: int) -> str:
    """Return the priorities from 1 to ``up_to`` in words."""
    return {1: "priority 1", 2: "priority 1 or 2"}.get(up_to, f"priority 1 to {up_to:,}")


def runs_for_pool(
    collection: Collection,
    everything: Iterable[Run],
    named: Sequence[Run],
    qrel_set: QrelSet | None,
    criteria: RunCriteria | None = None,
) -> RunsOfKind:
    """Return the runs to pool: the ``named`` runs, and the runs in ``everything`` that meet the criteria.

    Without named runs and criteria, all runs in ``everything`` are considered. Unless named, only runs of the labels'
    kind (passages or documents) are pooled. A run without a priority never meets a priority criterion. Raises
    NotFound for an unknown round, and PoolRefused if no run meets the criteria.
    """
    if not criteria:
        return RunsOfKind(list(named), [], documents=False) if named else runs_of_kind(everything, qrel_set)
    everything = list(everything)
    met = runs_of_kind(meeting(collection, everything, criteria), qrel_set)
    if not met.kept:
        raise _no_run_meets(collection, everything, criteria)
    there = {run.pk: run for run in [*met.kept, *named]}
    left_out = [run for run in met.left_out if run.pk not in there]
    return RunsOfKind(sorted(there.values(), key=lambda run: run.run_tag), left_out, met.documents)


def meeting(collection: Collection, runs: Iterable[Run], criteria: RunCriteria) -> list[Run]:
    """Return the runs that meet the criteria. Raises NotFound for an unknown round, PoolRefused."""
    criteria.check()
    of_round = None
    if criteria.round:
        rounds = dict(Round.objects.filter(collection=collection).values_list("name", "pk"))
        if criteria.round not in rounds:
            known = f"Rounds: {', '.join(sorted(rounds))}." if rounds else "It has no rounds."
            raise NotFound(f"{collection.name} has no round {criteria.round!r}.", known)
        of_round = rounds[criteria.round]
    most = criteria.priority
    return [
        run
        for run in runs
        if (of_round is None or run.round_id == of_round)
        and (most is None or (run.priority is not None and run.priority <= most))
    ]


def count_without_priority(
    collection: Collection, everything: Iterable[Run], pooled: Iterable[Run], criteria: RunCriteria
) -> int:
    """Return how many runs (of the chosen round, if any) have no priority and are not pooled.

    Returns 0 if the criteria include no priority.
    """
    if criteria.priority is None:
        return 0
    of_round = meeting(collection, everything, RunCriteria(round=criteria.round))
    return len({run.pk for run in of_round if run.priority is None} - {run.pk for run in pooled})


def _no_run_meets(collection: Collection, everything: Sequence[Run], criteria: RunCriteria) -> PoolRefused:
    by_name = (", or name runs", TerminalOnly(" with --runs"), ".")
    of_round = RunCriteria(round=criteria.round)
    runs = meeting(collection, everything, of_round)
    if not runs and criteria.round:
        return PoolRefused(f"The round {criteria.round} has no runs.", "Choose another round, or none.")
    where = str(of_round) if criteria.round else f"of {collection.name}"
    why = f"No run {where} has {priorities_in_words(criteria.priority or 1)}."
    given = [run.priority for run in runs if run.priority is not None]
    if given:
        return PoolRefused(why, Guidance(f"The lowest priority is {min(given):,}. Choose it", *by_name))
    table = Action("import_run_metadata", collection.name, "FILE", lead="Give priorities in a table")
    return PoolRefused(why, Guidance(table, *by_name))
