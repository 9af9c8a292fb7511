"""The page to view, build and download a version's bundle."""

from dataclasses import dataclass
from typing import Any

from pooling.collections.members import may
from tournament.models import QrelVersion
from web.common.job_progress import Work
from web.models import MadeBundle
from web.releases import bundle, kept_bundles as kept
from web.releases.scope import Scope

#: Counts of a bundle's contents, in the order of the page.
WORDS = {
    "judgments": "judgments",
    "judgments_that_count": "used by this version",
    "workers": "workers, counted in each campaign, by pseudonyms of this version",
    "gold": "gold pairs",
    "gold_answers": "answers on gold pairs",
    "exclusions": "exclusions",
    "queries": "queries",
    "passages": "passages, by their ids",
    "runs": "public runs",
}


@dataclass(frozen=True)
class BundleLine:
    """A bundle in the list: why it is withdrawn (empty if it is not), and contents that are no longer released."""

    made: MadeBundle
    withheld: str
    no_longer: list[str]


def bundle_lines(scope: Scope) -> list[BundleLine]:
    """Return the version's bundles, newest first."""
    return [
        BundleLine(made, kept.reason_withheld(made, scope), kept.no_longer_released(made, scope))
        for made in kept.kept_bundles_of(scope.version)
    ]


def release_page(version: QrelVersion, user: Any) -> dict[str, Any]:
    newest = kept.release_work(version).first()
    scope = Scope(version)
    current = bundle.bundle_of(scope)
    lines = bundle_lines(scope)
    counted = current.summary if current else bundle.stored_summary(scope)
    summary = counted or (lines[0].made.summary if lines else None)
    return {
        "collection": version.collection,
        "version": version,
        "work": Work(newest) if newest else None,
        "lines": lines,
        "current": current,
        "counted": counted is not None,
        "summary": summary,
        "counts": [(words, summary["counts"][name]) for name, words in WORDS.items()] if summary else [],
        "left_out": [(what, many) for what, many in summary["left_out"].items() if many] if summary else [],
        "files": list(summary["files"].items()) if summary else [],
        "may_make": may(user, "publish version", version.collection),
        "may_delete": may(user, "delete bundle", version.collection),
        "may_describe": may(user, "describe collection", version.collection),
    }
