"""Build a version's bundle: a zip whose bytes depend only on its inputs."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from config.background.job_kinds import Progress
from judging.models import Campaign, ConsentText, Submission
from leaderboard.cache import kept_analyses
from tournament.models import QrelVersion
from web.models import MadeBundle
from web.releases import kept_bundles as kept, store
from web.releases.bundle_agreement import Agreement
from web.releases.bundle_rows import ReleasedRows
from web.releases.card import data_card, is_imported, license_text, pay_text
from web.releases.scope import CAMPAIGN_FIELDS, PUBLIC, Scope, campaign_facts
from web.versions.released_qrels import released_qrels

#: The earliest date that a zip supports. The real date is left out, so that equal inputs give equal bytes.
MOMENT = (1980, 1, 1, 0, 0, 0)
STEPS = 6


def bundle_of(scope: Scope) -> MadeBundle | None:
    """Return the stored bundle that was made from the current inputs; None if there is none."""
    made = MadeBundle.objects.filter(version=scope.version, key=scope.key).order_by("-pk").first()
    return made if made and store.bundle_size(made.name) is not None else None


def stored_summary(scope: Scope) -> dict[str, Any] | None:
    """Return the summary of the bundle's contents and omissions for the current inputs; None if not counted yet."""
    return kept_analyses.stored_result(_summary_key(scope))


def count_bundle(version: QrelVersion, progress: Progress | None = None) -> dict[str, Any]:
    """Count the bundle's contents and omissions by writing it to a null file."""
    scope = Scope(version)
    known = stored_summary(scope)
    if known is not None:
        return known
    return _write_bundle(scope, _DiscardingFile(), progress)


def ensure_bundle(version: QrelVersion, progress: Progress | None = None) -> MadeBundle:
    """Return the stored bundle for the current inputs; build and store it if there is none."""
    scope = Scope(version)
    there = bundle_of(scope)
    if there is not None:
        return there
    with store.temporary_file() as path:
        with path.open("wb") as file:
            summary = _write_bundle(scope, file, progress)
        return kept.keep_bundle(scope, path, _file_sha256(path), summary)


def _summary_key(scope: Scope) -> str:
    return hashlib.sha256(f"release summary {scope.key}".encode()).hexdigest()


def _file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write_bundle(
    scope: Scope, file: IO[bytes] | _DiscardingFile, progress: Progress | None
) -> dict[str, Any]:
    """Write the bundle, and store and return its contents and omissions."""
    writer = _Writer(file, f"{scope.collection.name}-version-{scope.version.number}")
    summary = _write_contents(scope, writer, progress or _ignore_progress)
    writer.close()
    kept_analyses.store_result(_summary_key(scope), "release summary", summary)
    return summary


def _write_contents(scope: Scope, writer: _Writer, progress: Progress) -> dict[str, Any]:
    """Write every file of the bundle in a fixed order."""
    rows = ReleasedRows(scope)
    agreement, seen = Agreement(), _JudgmentTally()
    progress(0, STEPS, "Judgments")
    counts = {"judgments": writer.lines("judgments.jsonl", seen.judgments(rows.judgments(), agreement))}
    progress(1, STEPS, "Gold pairs")
    counts["gold"] = writer.lines("gold.jsonl", rows.gold())
    counts["gold_answers"] = writer.lines("gold_answers.jsonl", seen.workers_of(rows.gold_answers()))
    progress(2, STEPS, "Passages and runs")
    counts["passages"] = writer.lines("passages.jsonl", rows.passages())
    counts["runs"] = writer.lines("runs.jsonl", rows.runs())
    counts["exclusions"] = writer.lines("exclusions.jsonl", rows.exclusions())
    counts["queries"] = len(scope.queries)
    counts |= {"judgments_that_count": seen.counting, "workers": len(seen.workers)}
    progress(3, STEPS, "Qrels")
    left_out = Counter(rows.left_out)
    versions = list(_write_versions(scope, writer))
    left_out["best answers in the qrels"] = versions[-1]["lines_left_out"]
    left_out["queries that are private"] = scope.version.queries_count - len(scope.queries)
    writer.json("versions.json", versions)
    progress(4, STEPS, "Texts")
    campaigns = {campaign.name: _campaign_description(scope, campaign, seen) for campaign in scope.campaigns}
    writer.json("campaigns.json", campaigns)
    for campaign in scope.campaigns:
        if not is_imported(campaigns[campaign.name]["judges"]):
            _write_worker_texts(campaign, writer)
    facts = agreement.facts()
    writer.json("agreement.json", facts)
    progress(5, STEPS, "Data card")
    summary = {
        "counts": counts,
        "left_out": dict(sorted(left_out.items())),
        "agreement": facts,
        "campaigns": campaigns,
    }
    writer.text("LICENSES.md", license_text(scope))
    writer.text("DATA_CARD.md", data_card(scope, summary))
    summary["files"] = writer.sums()
    progress(STEPS, STEPS, "Done")
    return summary


class _JudgmentTally:
    """Counts of judges, workers and dates, updated while rows pass through on their way to a file."""

    def __init__(self) -> None:
        self.counting = 0
        self.workers: set[str] = set()
        self.first: dict[str, str] = {}
        self.last: dict[str, str] = {}
        self.judges: dict[str, Counter[str]] = defaultdict(Counter)

    def judgments(self, rows: Iterator[dict[str, Any]], agreement: Agreement) -> Iterator[dict[str, Any]]:
        for row in self.workers_of(rows):
            agreement.add(row)
            self.counting += row["counts"]
            self.judges[row["campaign"]][row["judge_kind"]] += 1
            if row["time"]:
                name = row["campaign"]
                self.first[name] = min(self.first.get(name, row["time"]), row["time"])
                self.last[name] = max(self.last.get(name, row["time"]), row["time"])
            yield row

    def workers_of(self, rows: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for row in rows:
            if row["worker"]:
                self.workers.add(row["worker"])
            yield row


def _write_versions(scope: Scope, writer: _Writer) -> Iterator[dict[str, Any]]:
    """Write the qrels of every version up to this one, and yield a description of each."""
    for version in scope.chain:
        content, left_out, sha256 = released_qrels(version, PUBLIC, scope.sight)
        writer.bytes(f"qrels/version-{version.number}.qrels", content)
        manifest = scope.contents[version.number]
        yield {
            "number": version.number,
            "published_at": version.published_at.isoformat(timespec="seconds"),
            "campaign": version.campaign.name,
            "parent": version.parent.number if version.parent else None,
            "simulated": version.simulated,
            "rule_version": manifest["rule_version"],
            "parameters": manifest["parameters"],
            "manifest_sha256": version.manifest_sha256,
            # The hash of the whole file would confirm guesses of the lines left out.
            "qrels_sha256": None if left_out else version.qrels_sha256,
            "released_qrels_sha256": sha256,
            "lines": content.count(b"\n"),
            "lines_left_out": left_out,
        }


def _campaign_description(scope: Scope, campaign: Campaign, seen: _JudgmentTally) -> dict[str, Any]:
    facts = campaign_facts(campaign)
    exclusions = [row for row in scope.exclusions() if row.campaign_id == campaign.pk]
    submitted = Submission.objects.filter(
        campaign=campaign, state=Submission.State.SUBMITTED, submitted_at__lte=scope.version.published_at
    )
    judges = dict(seen.judges[campaign.name])
    fields = ["name"] if is_imported(judges) else CAMPAIGN_FIELDS
    return {name: facts[name] for name in (*fields, "crowd", "created_at", "launched_at")} | {
        "judges": judges,
        "first_judgment": seen.first.get(campaign.name),
        "last_judgment": seen.last.get(campaign.name),
        "tasks_submitted": submitted.count(),
        "excluded": sum(row.reversed_at is None for row in exclusions),
        "withdrew": sum(place[0] == campaign.pk for place in scope.withdrawn),
    }


def _write_worker_texts(campaign: Campaign, writer: _Writer) -> None:
    """Write the campaign's texts for workers, and every consent text that workers agreed to."""
    folder = f"texts/{campaign.name}"
    agreed = list(ConsentText.objects.filter(campaign=campaign).order_by("first_shown_at", "pk"))
    for number, one in enumerate(agreed, start=1):
        writer.text(f"{folder}/consent-agreed-{number}.txt", one.text)
    for name in ("consent", "instructions", "example"):
        if text := getattr(campaign, f"{name}_text"):
            writer.text(f"{folder}/{name}.txt", text)
    if campaign.content_warning:
        writer.text(f"{folder}/content-warning.txt", campaign.content_warning)
    writer.text(f"{folder}/pay.txt", pay_text(campaign))


class _Writer:
    """A zip that does not depend on when and where it is written, with a hash of every file."""

    def __init__(self, file: IO[bytes] | _DiscardingFile, folder: str) -> None:
        self.zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6)
        self.folder = folder
        self.hashes: dict[str, str] = {}
        self.sizes: dict[str, int] = {}

    def _info(self, name: str) -> zipfile.ZipInfo:
        info = zipfile.ZipInfo(f"{self.folder}/{name}", MOMENT)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = 0o644 << 16
        info.create_system = 3
        return info

    def pieces(self, name: str, pieces: Iterable[bytes]) -> int:
        """Write a file in chunks. Return the number of chunks."""
        digest, size, number = hashlib.sha256(), 0, 0
        with self.zip.open(self._info(name), "w", force_zip64=True) as entry:
            for number, piece in enumerate(pieces, start=1):  # noqa: B007
                digest.update(piece)
                size += len(piece)
                entry.write(piece)
        self.hashes[name], self.sizes[name] = digest.hexdigest(), size
        return number

    def lines(self, name: str, rows: Iterable[dict[str, Any]]) -> int:
        """Write JSON lines. Return the number of lines."""
        return self.pieces(name, (json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows))

    def bytes(self, name: str, content: bytes) -> None:
        self.pieces(name, [content])

    def text(self, name: str, text: str) -> None:
        self.bytes(name, (text if text.endswith("\n") else text + "\n").encode())

    def json(self, name: str, content: Any) -> None:
        self.text(name, json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True))

    def sums(self) -> dict[str, int]:
        """Write SHA256SUMS in the format of sha256sum -c. Return every file's size."""
        lines = [f"{self.hashes[name]}  {name}" for name in sorted(self.hashes)]
        self.text("SHA256SUMS", "\n".join(lines))
        return dict(sorted(self.sizes.items()))

    def close(self) -> None:
        self.zip.close()


class _DiscardingFile(io.RawIOBase):
    """A file that discards everything written to it."""

    def __init__(self) -> None:
        self.at = 0

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        self.at += len(content)
        return len(content)

    def tell(self) -> int:
        return self.at

    def seekable(self) -> bool:
        return False


def _ignore_progress(done: int, total: int, message: str = "") -> None:
    """Ignore progress."""
