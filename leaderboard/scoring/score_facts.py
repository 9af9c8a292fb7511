"""The facts shown below every table and figure: run set, labels, measure, queries, seed and software."""

from collections.abc import Sequence

from leaderboard.cache.software_version import software_version
from leaderboard.output import Facts
from leaderboard.scoring.labels import Labels
from pooling.models import Collection, Run
from pooling.rules.run_details import KnownRun


def scoring_facts(
    collection: Collection,
    runs: Sequence[Run] | Sequence[KnownRun],
    labels: Sequence[Labels | str],
    measure: str,
    queries: int,
    *,
    seed: int | None = None,
    simulated: bool = False,
    further: Sequence[tuple[str, str]] = (),
) -> Facts:
    """Return the facts of an analysis of these runs under these labels.

    Each of ``labels`` is a Labels object or a description in words.
    """
    return Facts(
        collection=collection.name,
        runs=tuple(run.run_tag for run in runs),
        labels=tuple(one if isinstance(one, str) else one.words for one in labels),
        measure=measure,
        queries=queries,
        software=software_version(),
        seed=seed,
        simulated=simulated or any(isinstance(one, Labels) and one.simulated for one in labels),
        further=tuple(further),
    )
