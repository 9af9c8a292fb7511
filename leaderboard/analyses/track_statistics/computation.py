"""Submission statistics of a track: table 1 of the overview papers of TREC's Deep Learning tracks [DL]."""

from collections.abc import Callable, Sequence

from pooling.rules.run_details import KnownRun, tasks_of

#: Key of a count → its label, and whether it counts a run. Groups are counted separately.
COUNTED: dict[str, tuple[str, Callable[[KnownRun], bool]]] = {
    "runs": ("runs", lambda _: True),
    "baseline": ("baseline runs", lambda run: run.baseline),
    "nnlm": ("nnlm: large language models", lambda run: run.details.get("neural") == "nnlm"),
    "nn": ("nn: other neural", lambda run: run.details.get("neural") == "nn"),
    "trad": ("trad: no neural models", lambda run: run.details.get("neural") == "trad"),
    "rerank": ("rerank", lambda run: run.details.get("subtask") == "rerank"),
    "fullrank": ("fullrank", lambda run: run.details.get("subtask") == "fullrank"),
    "single_stage_dense": (
        "single-stage dense retrieval",
        lambda run: run.details.get("stage") == "single" and run.details.get("dense") is True,
    ),
}


def count_submissions(runs: Sequence[KnownRun]) -> dict[str, dict[str, int]]:
    """Return task → key → number of groups or runs. A run without a team belongs to no group."""
    found = {}
    for task in tasks_of(runs):
        of_task = [run for run in runs if run.task == task]
        groups = {"groups": len({run.team for run in of_task if run.team})}
        found[task] = groups | {name: sum(map(counts, of_task)) for name, (_, counts) in COUNTED.items()}
    return found
