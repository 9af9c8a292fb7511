"""The facts shown under every table and figure: run set, labels, measure, queries, seed, software."""

from collections.abc import Sequence

from leaderboard.cache.software_version import software_version
from leaderboard.output import Facts
from leaderboard.scoring.labels import Labels
from pooling.models import Collection, Run


def scoring_facts(
    collection: Collection,
    runs: Sequence[Run],
    labels: Sequence[Labels],
    measure: str,
    queries: int,
    *,
    seed: int | None = None,
    further: Sequence[tuple[str, str]] = (),
) -> Facts:
    """Return the facts of an analysis of these runs under these labels."""
    return Facts(
        collection=collection.name,
        runs=tuple(run.run_tag for run in runs),
        labels=tuple(labels_words(one) for one in labels),
        measure=measure,
        queries=queries,
        software=software_version(),
        seed=seed,
        simulated=any(one.version is not None and one.version.simulated for one in labels),
        further=tuple(further),
    )


def labels_words(labels: Labels) -> str:
    """Return the labels in words: ``version 3``, or ``official (relevant from grade 2)``."""
    return labels.title if labels.version else f"{labels.name} (relevant from grade {labels.min_grade})"
