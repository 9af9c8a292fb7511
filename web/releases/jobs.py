"""Background jobs that count or build a version's bundle."""

from typing import Any

from config.background.job_kinds import Progress, job_kind
from config.background.models import Job
from tournament.models import QrelVersion
from web.common.sole_jobs import start_alone
from web.releases.bundle import count_bundle, ensure_bundle
from web.releases.kept_bundles import RELEASE


def ring_for_release(version: QrelVersion, *, only_count: bool) -> Job:
    """Start counting or building a version's bundle. Raises AnotherUnderWay."""
    arguments = {"version_id": version.pk, "only_count": only_count}
    return start_alone(
        RELEASE, f"{RELEASE}:{version.pk}", arguments, f"the bundle of version {version.number}"
    )


@job_kind(RELEASE, words="the bundle")
def release_job(*, progress: Progress, version_id: int, only_count: bool) -> dict[str, Any]:
    """Count a bundle's contents and omissions; unless ``only_count``, build and store it."""
    version = QrelVersion.objects.select_related("collection", "campaign").get(pk=version_id)
    if only_count:
        return count_bundle(version, progress)
    made = ensure_bundle(version, progress)
    return {"sha256": made.sha256, "size": made.size}
