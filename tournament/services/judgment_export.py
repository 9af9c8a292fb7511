"""Export judgments under pseudonyms that are new for each export, without the crowd's worker ids."""

import csv
import io
import json
import secrets
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from config.background.job_kinds import Progress
from config.spreadsheets import as_text
from judging.models import Campaign, Choice, Exclusion, GoldAnswer, Judgment, Slot, Task, Worker
from judging.people.anonymity import month_of, without_time_order
from judging.tasks.repeated_pairs import answered_repeats
from judging.tasks.signals import signals_of
from tournament.services.passage_visibility import public_sight

COLUMNS = [
    "kind",
    "topic",
    "left",
    "right",
    "preferred",
    "worker",
    "time",
    "phase",
    "judge_kind",
    "counted",
    "excluded",
    "gold_passed",
    "task",
    "round",
    "grade",
]
#: Columns that tell how an answer was made. They are for the researcher, not for publication.
SIGNALS = [
    "position",
    "seconds_shown",
    "seconds_hidden",
    "changes",
    "focus_lost",
    "input_method",
    "viewport",
    "fast",
    "comment_pasted",
    "reported",
]
#: The fields to read of a judgment and its related rows. There can be hundreds of thousands of judgments, too many to
#: read their passages' texts.
OF_JUDGMENT = (
    *("pair__query__qid", "left__pid", "right__pid", "preferred__pid", "worker_id", "judged_at", "phase"),
    *("judge_kind", "submission__standing", "submission__task__number", "pair__round"),
    *("left_id", "right_id", "slot_id", "grade", "pair__query_id"),
)
#: A row of the export, the keys of its query and of its two passages, and the key of its slot, if any.
ExportedRow = tuple[dict[str, Any], int, set[int], int | None]


@dataclass(frozen=True)
class Exported:
    """The numbers of rows that an export wrote and left out.

    ``left_out`` counts the rows with a passage that only non-public runs or withheld labels supplied.
    """

    judgments: int
    gold_answers: int
    left_out: int


def export_judgments(
    campaign: Campaign, out: Path, *, signals: bool = False, progress: Progress | None = None
) -> Exported:
    """Write the campaign's judgments and gold answers to ``out``.

    The format is JSON lines if ``out`` ends in .jsonl, otherwise TSV. With ``signals``, each row also tells how the
    answer was made, and answers on repeated pairs come last. Workers were promised that these details are never
    published. The file appears only when it is complete.
    """
    written = Counter[str]()
    left_out = 0
    total = campaign.judgments.count()
    partial = out.with_name(f".{out.name}.partial")
    with partial.open("w", encoding="utf-8", newline="") as file:
        write = _row_writer(file, out.suffix == ".jsonl", COLUMNS + (SIGNALS if signals else []))
        for done, row in enumerate(rows_for_others(campaign, signals=signals), start=1):
            if row is None:
                left_out += 1
                continue
            write(row)
            written[row["kind"]] += 1
            if progress:
                progress(min(done, total), total, "Exporting")
    partial.replace(out)
    return Exported(written["judgment"], written["gold"], left_out)


def lines_for_others(campaign: Campaign, *, as_json: bool, signals: bool = False) -> Iterator[str]:
    """Yield the lines of an export one by one, so that a download can start before all rows are read."""
    line = io.StringIO()
    write = _row_writer(line, as_json, COLUMNS + (SIGNALS if signals else []))
    yield line.getvalue()  # the names of the columns
    for row in rows_for_others(campaign, signals=signals):
        if row is not None:
            line.seek(0)
            line.truncate()
            write(row)
            yield line.getvalue()


def rows_for_others(campaign: Campaign, *, signals: bool = False) -> Iterator[dict[str, Any] | None]:
    """Yield a dict for each judgment and gold answer of the campaign, or None for a row that is left out.

    Workers and tasks have pseudonyms made for this call, times are months, and the order of rows reveals nothing.
    With ``signals``, task numbers, times and order are exact. Such rows are for the researcher alone, so code that
    publishes must not request ``signals``.
    """
    told = signals_of(campaign) if signals else {}
    sight = public_sight(campaign.collection)
    names: dict[tuple[str, int], str] = {}

    def named(what: str, key: int) -> str:
        return names.setdefault((what, key), f"{what}-{secrets.token_hex(6)}")

    def shown() -> Iterator[dict[str, Any]]:
        for row, query, passages, slot in _exported_rows(campaign, in_time=signals):
            if not all(sight.sees(query, passage) for passage in passages):
                yield {}
                continue
            if row["worker"]:
                row["worker"] = named("w", row["worker"])
            if signals:
                row |= told.get(slot or 0, dict.fromkeys(SIGNALS, ""))
                row["time"] = row["time"].isoformat() if row["time"] else ""
            else:
                row["time"] = month_of(row["time"])
                row["task"] = named("t", row["task"]) if row["task"] else ""
            yield row

    for row in shown() if signals else without_time_order(shown(), _display_key):
        yield row or None


def _display_key(row: dict[str, Any]) -> list[Any]:
    return [row.get(name) for name in ("kind", "topic", "left", "right")]


def _row_writer(file: Any, as_json: bool, columns: list[str]) -> Callable[[dict[str, Any]], Any]:
    if as_json:
        return lambda row: file.write(json.dumps(row, ensure_ascii=False) + "\n")
    table = csv.DictWriter(file, columns, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    table.writeheader()
    return lambda row: table.writerow(
        {name: as_text(cell) if isinstance(cell, str) else cell for name, cell in row.items()}
    )


def _exported_rows(campaign: Campaign, *, in_time: bool) -> Iterator[ExportedRow]:
    """Yield the rows of all judgments, then those of all gold answers, not yet pseudonymized.

    With ``in_time``, each kind is in the order in which the answers were made, and answers on repeated pairs come
    last. Otherwise, each kind is sorted by query and passages.
    """
    excluded = set(
        Exclusion.objects.filter(campaign=campaign, reversed_at=None).values_list("worker_id", flat=True)
    )
    asked = ("pk",) if in_time else ("pair__query", "left", "right")
    judgments = Judgment.objects.filter(campaign=campaign).order_by(*asked)
    for judgment in judgments.values_list(*OF_JUDGMENT).iterator(chunk_size=2000):
        qid, left, right, preferred, worker, judged_at, phase, judge_kind, standing, task, number, *keys = (
            judgment
        )
        left_id, right_id, slot_id, grade, query = keys
        out = worker in excluded
        row = {
            "topic": qid,
            "left": left,
            "right": right,
            "preferred": preferred or "",
            "worker": worker,
            "kind": "judgment",
            "time": judged_at,
            "phase": phase,
            "judge_kind": judge_kind,
            "counted": int(not out and standing in (None, "counted")),
            "excluded": int(out),
            "gold_passed": "",
            "task": task or "",
            "round": number,
            "grade": "" if grade is None else grade,
        }
        yield row, query, {left_id, right_id}, slot_id
    asked = ("pk",) if in_time else ("gold_pair__query", "slot__left", "slot__right")
    answers = GoldAnswer.objects.confirmed().filter(submission__campaign=campaign).order_by(*asked)
    shown = ("gold_pair__query", "slot__left", "slot__right", "preferred", "submission__task", "worker")
    for answer in answers.select_related(*shown).iterator(chunk_size=2000):
        qid = answer.gold_pair.query.qid
        row = _slot_row(answer.slot, qid, answer.worker, answer.submission.task, excluded) | {
            "kind": "gold",
            "preferred": answer.preferred.pid if answer.preferred else "",
            "time": answer.recorded_at,
            "gold_passed": int(answer.passed),
            "grade": "" if answer.grade is None else answer.grade,
        }
        yield row, answer.gold_pair.query_id, {answer.slot.left_id, answer.slot.right_id}, answer.slot_id
    if in_time:
        yield from _repeat_rows(campaign, excluded)


def _repeat_rows(campaign: Campaign, excluded: set[int]) -> Iterator[ExportedRow]:
    """Yield the rows of answers on repeated pairs, which are not judgments, in the order in which they were made."""
    shown = ("repeats__pair__query", "left", "right", "submission__task", "worker")
    for slot in answered_repeats(campaign).select_related(*shown).iterator(chunk_size=2000):
        chosen = {Choice.Side.LEFT: slot.left, Choice.Side.RIGHT: slot.right}.get(Choice.Side(slot.after))
        row = _slot_row(slot, slot.query.qid, slot.worker, slot.submission.task, excluded) | {
            "kind": "repeat",
            "preferred": chosen.pid if chosen else "",
            "time": slot.chosen_at,
        }
        yield row, slot.query.pk, {slot.left_id, slot.right_id}, slot.pk


def _slot_row(slot: Slot, qid: str, worker: Worker, task: Task | None, excluded: set[int]) -> dict[str, Any]:
    """Return the row of an answer that is not a judgment, without the fields that differ by kind."""
    return {
        "topic": qid,
        "left": slot.left.pid,
        "right": slot.right.pid,
        "preferred": "",
        "worker": worker.pk,
        "kind": "",
        "time": None,
        "phase": "",
        "judge_kind": "simulated" if worker.simulated else "human",
        "counted": "",
        "excluded": int(worker.pk in excluded),
        "gold_passed": "",
        "task": task.number if task else "",
        "round": "",
        "grade": "",
    }
