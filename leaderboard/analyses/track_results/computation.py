"""The order and contents of a track's result tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pooling.rules.run_details import KnownRun, tasks_of


@dataclass(frozen=True)
class ResultRow:
    """A run with its values, in the order of the measures.

    ``reported``: the track reported values, and they were not computed here.
    """

    run: KnownRun
    values: tuple[float | None, ...]
    reported: bool


def result_rows(
    runs: Sequence[KnownRun],
    computed: Mapping[str, Sequence[float | None]],
    reported: Mapping[str, Sequence[float | None]],
    *,
    baselines: bool,
    higher_is_better: bool = True,
) -> dict[str, list[ResultRow]]:
    """Return task → rows, ordered by group, then by the first measure, best first, as in the appendix of [DL].

    ``computed`` and ``reported`` map a run tag to the run's values. Computed values take precedence. Groups are in
    ASCII order, capitals first, as in [DL]. Without ``baselines``, baselines are left out.
    """
    sign = -1 if higher_is_better else 1

    def place(row: ResultRow) -> tuple[str, bool, float, str]:
        first = row.values[0] if row.values else None
        return row.run.team, first is None, sign * (first or 0.0), row.run.run_tag

    tables = {}
    for task in tasks_of(runs):
        rows = [
            _row(run, computed, reported)
            for run in runs
            if run.task == task and (baselines or not run.baseline)
        ]
        tables[task] = sorted(rows, key=place)
    return tables


def _row(
    run: KnownRun,
    computed: Mapping[str, Sequence[float | None]],
    reported: Mapping[str, Sequence[float | None]],
) -> ResultRow:
    if run.run_tag in computed:
        return ResultRow(run, tuple(computed[run.run_tag]), False)
    values = tuple(reported.get(run.run_tag, ()))
    return ResultRow(run, values, any(value is not None for value in values))
