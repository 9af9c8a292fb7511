"""Import judgments made elsewhere."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from django.db import IntegrityError, connection, transaction

from config import clock
from config.background.job_kinds import Progress
from config.guidance import Action, Guidance
from config.plurals import many
from judging.campaign.campaigns import log_change
from judging.campaign.pairs import ensure_pairs, pair_ids
from judging.errors import BadInput, BadJudgmentFile, CampaignRefused
from judging.models import Campaign, ImportedFile, Judgment, Worker
from judging.rules.packing import PairRequest
from pooling.files.line_blocks import LONGEST, quoted_field
from pooling.models import Query
from pooling.passages import passages
from pooling.storage import bulk

REQUIRED = ("topic", "left", "right", "preferred")
OPTIONAL = ("worker", "time", "phase")
LONGEST_PHASE = 80
UNDECIDED = {"", "tie", "undecided"}
BATCH = 5000
MONTH = re.compile(r"[0-9]{4}-[0-9]{2}")
LINE_ENDS = re.compile(r"\r\n|[\r\n]")
KINDS = (Judgment.JudgeKind.IMPORTED.value, Judgment.Kind.PREFERENCE.value)
COLUMNS = (
    "campaign_id",
    "pair_id",
    "left_id",
    "right_id",
    "preferred_id",
    "judge_kind",
    "kind",
    "worker_id",
    "imported_from_id",
    "phase",
    "judged_at",
    "recorded_at",
)


class Line(NamedTuple):
    """One judgment of a file, after all checks that do not need the collection."""

    number: int
    qid: str
    left: str
    right: str
    preferred: str | None
    worker: str
    time: datetime | None
    phase: str


@dataclass(frozen=True)
class Imported:
    """The numbers of imported judgments, their pairs and their queries, and of skipped lines.

    Skipped lines belong to phases that were not imported.
    """

    judgments: int
    pairs: int
    queries: int
    other_phases: int


def import_judgments(
    campaign: Campaign, file: Path, *, phases: Sequence[str] = (), progress: Progress | None = None
) -> Imported:
    """Import the file's judgments, or only those of ``phases``; if one is invalid, import none.

    Raises BadJudgmentFile, BadInput if no judgment is in ``phases``, and CampaignRefused for a second import, a
    campaign with a pool or a closed one.
    """
    if campaign.pool is not None or campaign.closed_at is not None:
        state = "has a pool" if campaign.pool is not None else "is closed"
        raise CampaignRefused(
            f"Campaign {campaign.name} {state}, so it cannot import judgments.",
            Guidance(
                "Create a campaign without a pool for them: ",
                Action("create_campaign", rest="NAME --collection COLLECTION", lead=""),
            ),
        )
    content = file.read_bytes()
    lines = read_lines(content, file.name)
    kept = [line for line in lines if not phases or line.phase in phases]
    if not kept:
        found = ", ".join(sorted({line.phase for line in lines})) or "none"
        raise BadInput(f"{file.name} has no judgments in the requested phases.", f"Its phases: {found}.")
    try:
        with transaction.atomic():
            source = ImportedFile.objects.create(
                campaign=campaign,
                name=file.name[:300],
                sha256=hashlib.sha256(content).hexdigest(),
                phase=_phases_in_brief(phases),
                judgments_count=len(kept),
            )
            _refuse_overlap(campaign, source, phases)
            pairs, queries = _append_judgments(campaign, source, kept, file.name, progress)
            log_change(campaign, f"imported {many(len(kept), 'judgment')}", why=file.name)
    except IntegrityError:
        raise CampaignRefused(f"{file.name} has already been imported into {campaign.name}.") from None
    return Imported(len(kept), pairs, queries, len(lines) - len(kept))


def _phases_in_brief(phases: Sequence[str]) -> str:
    """Return the phases separated by commas; if the list is too long, its start and a hash of the whole list."""
    listed = ",".join(phases)
    if len(listed) <= LONGEST_PHASE:
        return listed
    return f"{listed[:60]}… {hashlib.sha256(listed.encode()).hexdigest()[:16]}"


def _refuse_overlap(campaign: Campaign, source: ImportedFile, phases: Sequence[str]) -> None:
    """Raise CampaignRefused if judgments of these phases were imported before from the same content."""
    before = Judgment.objects.filter(imported_from__campaign=campaign, imported_from__sha256=source.sha256)
    if phases:
        before = before.filter(phase__in=phases)
    if before.exists():
        again = sorted(before.values_list("phase", flat=True).distinct())
        raise CampaignRefused(
            f"{source.name} has already been imported into {campaign.name}"
            + (f", with the phases {', '.join(again)}." if any(again) else ".")
        )


def read_lines(content: bytes, name: str) -> list[Line]:
    """Parse the judgments of a TSV file with a header. Raises :class:`BadJudgmentFile` at the first invalid line."""
    try:
        rows = LINE_ENDS.split(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise BadJudgmentFile(name, line, "the line is not UTF-8 text.") from None
    header = rows[0].split("\t")
    if missing := [column for column in REQUIRED if column not in header]:
        raise BadJudgmentFile(name, 1, f"the header has no column {missing[0]!r}.")
    if strange := [column for column in header if column not in REQUIRED + OPTIONAL]:
        raise BadJudgmentFile(name, 1, f"the header has an unknown column {_quoted_text(strange[0])}.")
    numbered = [(number, row) for number, row in enumerate(rows[1:], start=2) if row.strip()]
    lines = [_parse_judgment(row, header, number, name) for number, row in numbered]
    if not lines:
        raise BadJudgmentFile(name, 1, "there are no judgments below the header.")
    return lines


def _parse_judgment(row: str, header: list[str], number: int, name: str) -> Line:
    if "\x00" in row:
        raise BadJudgmentFile(name, number, "the line contains a NUL character.")
    fields = row.split("\t")
    if len(fields) != len(header):
        raise BadJudgmentFile(name, number, f"expected {len(header)} columns, found {len(fields)}.")
    values = dict(zip(header, (field.strip() for field in fields), strict=True))
    left, right, preferred = values["left"], values["right"], values["preferred"]
    if not (values["topic"] and left and right):
        raise BadJudgmentFile(name, number, "topic, left and right must not be empty.")
    if left == right:
        raise BadJudgmentFile(name, number, f"left and right are both {_quoted_text(left)}.")
    if preferred not in {left, right} | UNDECIDED:
        raise BadJudgmentFile(name, number, f"preferred {_quoted_text(preferred)} is neither left nor right.")
    if max(len(left.encode()), len(right.encode())) > LONGEST["pid"]:
        raise BadJudgmentFile(name, number, f"a pid is longer than {LONGEST['pid']} bytes.")
    if len(values.get("phase", "")) > LONGEST_PHASE:
        raise BadJudgmentFile(name, number, f"the phase is longer than {LONGEST_PHASE} characters.")
    return Line(
        number=number,
        qid=values["topic"],
        left=left,
        right=right,
        preferred=preferred if preferred in (left, right) else None,
        worker=values.get("worker", ""),
        time=_parse_judgment_time(values.get("time", ""), number, name),
        phase=values.get("phase", ""),
    )


def _parse_judgment_time(word: str, number: int, name: str) -> datetime | None:
    if not word:
        return None
    try:
        # Exports give only the month, so use its first day.
        time = datetime.fromisoformat(f"{word}-01" if MONTH.fullmatch(word) else word)
        return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    except (ValueError, OverflowError):  # OverflowError at either end of the calendar
        raise BadJudgmentFile(name, number, f"{_quoted_text(word)} is not a time in ISO 8601.") from None


def _quoted_text(value: str) -> str:
    return quoted_field(value.encode())


def _append_judgments(
    campaign: Campaign, source: ImportedFile, lines: list[Line], name: str, progress: Progress | None
) -> tuple[int, int]:
    """Create judgments, and the passages and pairs that they need; return the numbers of judged pairs and queries."""
    queries = dict(Query.objects.filter(collection=campaign.collection).values_list("qid", "pk"))
    for line in lines:
        if line.qid not in queries:
            raise BadJudgmentFile(name, line.number, f"the collection has no query {_quoted_text(line.qid)}.")
    pids = sorted({pid for line in lines for pid in (line.left, line.right)})
    keys = passages.record_passages(campaign.collection, pids)
    wanted = [_ordered_pair(queries[line.qid], keys[line.left], keys[line.right]) for line in lines]
    unique = set(wanted)
    ensure_pairs(campaign, sorted(unique), round=0)
    pairs = pair_ids(campaign)
    workers = {word: Worker.objects.create().pk for word in sorted({line.worker for line in lines} - {""})}
    now = _as_database_time(clock.now())
    done = 0

    def rows() -> Iterator[Sequence[Any]]:
        nonlocal done
        for line, pair in zip(lines, wanted, strict=True):
            preferred = keys[line.preferred] if line.preferred else None
            worker, time = workers.get(line.worker), _as_database_time(line.time)
            sides = (pairs[pair], keys[line.left], keys[line.right], preferred)
            yield (campaign.pk, *sides, *KINDS, worker, source.pk, line.phase, time, now)
            done += 1
            if progress and done % BATCH == 0:
                progress(done, len(lines), "Importing judgments")

    bulk.insert(Judgment, COLUMNS, rows())
    return len(unique), len({pair.query_id for pair in unique})


def _as_database_time(time: datetime | None) -> Any:
    return connection.ops.adapt_datetimefield_value(time) if time else None


def _ordered_pair(query: int, one: int, other: int) -> PairRequest:
    return PairRequest(query, min(one, other), max(one, other))
