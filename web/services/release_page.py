"""The page on which a version's bundle is looked at, made and downloaded."""

from __future__ import annotations

from typing import Any

from pooling.services.members import may
from tournament.models import QrelVersion
from web import jobs
from web.services.next_version import Work
from web.services.release import bundle

#: What stands in a bundle, in the order in which people ask for it.
WORDS = {
    "judgments": "judgments",
    "judgments_that_count": "of them this version rests on",
    "workers": "workers, by pseudonyms of the bundle",
    "gold": "test pairs",
    "gold_answers": "answers on test pairs",
    "exclusions": "exclusions",
    "queries": "queries",
    "passages": "passages, by their ids",
    "runs": "public runs",
}


def release_page(version: QrelVersion, user: Any) -> dict[str, Any]:
    """All that it shows."""
    newest = jobs.release_work(version).first()
    made = bundle.bundle_of(version)
    summary = made.summary if made else bundle.counted(version)
    return {
        "collection": version.collection,
        "version": version,
        "work": Work(newest) if newest else None,
        "made": made,
        "summary": summary,
        "counts": [(words, summary["counts"][name]) for name, words in WORDS.items()] if summary else [],
        "left_out": [(what, many) for what, many in summary["left_out"].items() if many] if summary else [],
        "files": list(summary["files"].items()) if summary else [],
        "may_make": may(user, "publish version", version.collection),
    }
