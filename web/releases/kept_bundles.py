"""Stored bundles, which stay until an owner deletes them. Some are withdrawn."""

from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from config.background.models import Job
from config.plurals import many
from judging.models import Exclusion, GoldAnswer, Judgment
from pooling.collections.members import log
from pooling.models import Run
from tournament.models import QrelVersion
from web.common.visibility import as_shown
from web.models import MadeBundle
from web.releases import store
from web.releases.scope import FORMAT, Scope

RELEASE = "web.release"
#: The first bundle format in which times and tasks do not reveal which pseudonyms of two versions are one worker.
UNJOINABLE = 2
#: The first bundle format without the hash of a whole qrels file of which lines are left out.
WITHOUT_WHOLE_HASH = 4


def keep_bundle(scope: Scope, path: Path, sha256: str, summary: dict[str, Any]) -> MadeBundle:
    """Store a bundle. Bundles with equal bytes are the same bundle, even if their inputs differ."""
    name = store.bundle_name(scope.collection.name, scope.version.number, sha256)
    size = path.stat().st_size
    store.put_bundle(name, path)
    made, _ = MadeBundle.objects.update_or_create(
        version=scope.version,
        sha256=sha256,
        defaults={
            "key": scope.key,
            "facts": _release_terms(scope),
            "summary": summary,
            "name": name,
            "size": size,
        },
    )
    return made


def release_work(version: QrelVersion) -> QuerySet[Job]:
    """Return the jobs for this version's bundle, newest first."""
    return Job.objects.filter(kind=RELEASE, arguments__version_id=version.pk).order_by("-pk")


def kept_bundles_of(version: QrelVersion) -> list[MadeBundle]:
    """Return the version's bundles, newest first."""
    rows = MadeBundle.objects.filter(version=version).select_related("version__collection")
    return list(rows.order_by("-made_at", "-pk"))


def downloadable_bundle(scope: Scope, sha256: str = "") -> MadeBundle | None:
    """Return the version's downloadable bundle with this hash, or the newest downloadable bundle."""
    for made in kept_bundles_of(scope.version):
        if (
            sha256 in ("", made.sha256)
            and not reason_withheld(made, scope)
            and store.bundle_size(made.name) is not None
        ):
            return made
    return None


def reason_withheld(made: MadeBundle, scope: Scope) -> str:
    """Return why the bundle cannot be downloaded; empty if it can.

    Workers who withdraw judgments are promised that we no longer publish them, so files with these judgments cannot
    be downloaded. Erasing a person's identity blocks no download, because bundles never contain it.
    """
    if labels := scope.withheld - set(made.facts.get("withheld", ())):
        return f"The labels {', '.join(sorted(labels))} are withheld now."
    since = scope.withdrawn - {(campaign, worker) for campaign, worker in made.facts["withdrawn"]}
    gone = sum(_has_judged_for(scope, campaign, worker) for campaign, worker in since)
    if not gone:
        return ""
    return f"{many(gone, 'worker has', 'workers have')} withdrawn judgments that it contains."


def _has_judged_for(scope: Scope, campaign: int, worker: int) -> bool:
    at = scope.version.published_at
    done = (
        Judgment.objects.filter(campaign=campaign, worker=worker, recorded_at__lte=at),
        GoldAnswer.objects.filter(submission__campaign=campaign, worker=worker, recorded_at__lte=at),
        Exclusion.objects.filter(campaign=campaign, worker=worker, decided_at__lte=at),
    )
    return any(rows.exists() for rows in done)


def no_longer_released(made: MadeBundle, scope: Scope) -> list[str]:
    """Return contents that would not be released today. Members can see them, but should not publish them."""
    named = Run.objects.filter(collection=scope.collection, run_tag__in=made.facts["runs"]).order_by(
        "run_tag"
    )
    found = [f"{run.run_tag} is now released as {run.release}" for run in named if not run.is_public]
    if made.facts.get("format", 1) < UNJOINABLE:
        found.append("its times, to the second, can link workers' names in different versions")
    if made.facts.get("format", 1) < WITHOUT_WHOLE_HASH:
        found.append("its hashes of whole qrels files can confirm guesses of the best answers left out")
    found += [
        f"the author of {run.run_tag} is hidden until {run.anonymous_until}"
        for run in named
        if as_shown(run, False).team != made.facts["runs"][run.run_tag] and run.anonymous_until
    ]
    if private := scope.private - set(made.facts["private"]):
        found.append(f"{many(len(private), 'query is', 'queries are')} now private")
    return found


def delete_bundle(made: MadeBundle, *, who: str) -> None:
    """Delete the bundle and its file. The collection's activity keeps a record of it."""
    number, collection = made.version.number, made.version.collection
    with transaction.atomic():
        made.delete()
        log(collection, f"bundle {made.sha256} of version {number} deleted", who=who)
        transaction.on_commit(lambda: store.remove_bundle(made.name))


def _release_terms(scope: Scope) -> dict[str, Any]:
    return {
        "runs": {run.run_tag: run.team for run in scope.public_runs},
        "private": sorted(scope.private),
        "format": FORMAT,
        "withdrawn": sorted(scope.withdrawn),
        "withheld": sorted(scope.withheld),
    }
