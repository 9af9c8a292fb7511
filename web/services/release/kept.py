"""Bundles that were made: they stay until an owner deletes them, and some are given out no more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.db import transaction

from judging.models import Exclusion, GoldAnswer, Judgment
from pooling.models import Run
from pooling.services.members import log
from tournament.models import QrelVersion
from web.models import MadeBundle
from web.services.release import store
from web.services.release.scope import FORMAT, Scope
from web.services.visibility import as_shown

#: The first format of bundles whose times and tasks join no names of different versions.
UNJOINABLE = 2


def keep(scope: Scope, path: Path, sha256: str, summary: dict[str, Any]) -> MadeBundle:
    """Keep a bundle; one of the same bytes is the same bundle, from whatever it was made."""
    name = store.name_of(scope.collection.name, scope.version.number, sha256)
    size = path.stat().st_size
    store.put(name, path)
    made, _ = MadeBundle.objects.update_or_create(
        version=scope.version,
        sha256=sha256,
        defaults={"key": scope.key, "facts": _facts(scope), "summary": summary, "name": name, "size": size},
    )
    return made


def kept(version: QrelVersion) -> list[MadeBundle]:
    """The version's bundles, the newest first."""
    rows = MadeBundle.objects.filter(version=version).select_related("version__collection")
    return list(rows.order_by("-made_at", "-pk"))


def given_out(scope: Scope, sha256: str = "") -> MadeBundle | None:
    """The version's bundle with this hash, or the newest: of those given out and whose file is there."""
    for made in kept(scope.version):
        if sha256 in ("", made.sha256) and not withheld(made, scope) and store.size_of(made.name) is not None:
            return made
    return None


def withheld(made: MadeBundle, scope: Scope) -> str:
    """Why it is given out no more; empty when it is.

    Whoever takes judgments back is told that they are published no more, so no file that has them goes out. Being
    forgotten is another thing: it erases who somebody was, and a bundle never had that.
    """
    since = scope.withdrawn - {(campaign, worker) for campaign, worker in made.facts["withdrawn"]}
    gone = sum(_is_in(scope, campaign, worker) for campaign, worker in since)
    if not gone:
        return ""
    people = "1 worker has" if gone == 1 else f"{gone} workers have"
    return f"{people} taken back judgments that are in it."


def _is_in(scope: Scope, campaign: int, worker: int) -> bool:
    at = scope.version.published_at
    done = (
        Judgment.objects.filter(campaign=campaign, worker=worker, recorded_at__lte=at),
        GoldAnswer.objects.filter(submission__campaign=campaign, worker=worker, recorded_at__lte=at),
        Exclusion.objects.filter(campaign=campaign, worker=worker, decided_at__lte=at),
    )
    return any(rows.exists() for rows in done)


def no_longer_released(made: MadeBundle, scope: Scope) -> list[str]:
    """What it tells that would not be told today. Members see all of it anyway; to publish it is another thing."""
    named = Run.objects.filter(collection=scope.collection, run_tag__in=made.facts["runs"]).order_by(
        "run_tag"
    )
    found = [f"{run.run_tag} is released as {run.release} now" for run in named if not run.is_public]
    if made.facts.get("format", 1) < UNJOINABLE:
        found.append("its times, to the second, join the names that workers have in other versions")
    found += [
        f"who made {run.run_tag} is not shown before {run.anonymous_until}"
        for run in named
        if as_shown(run, False).team != made.facts["runs"][run.run_tag] and run.anonymous_until
    ]
    if private := scope.private - set(made.facts["private"]):
        many = "1 query is" if len(private) == 1 else f"{len(private)} queries are"
        found.append(f"{many} private now")
    return found


def delete(made: MadeBundle, *, who: str) -> None:
    """Delete the bundle and its file; that it was there stays in the collection's activity."""
    number, collection = made.version.number, made.version.collection
    with transaction.atomic():
        made.delete()
        log(collection, f"bundle {made.sha256} of version {number} deleted", who=who)
        transaction.on_commit(lambda: store.remove(made.name))


def _facts(scope: Scope) -> dict[str, Any]:
    return {
        "runs": {run.run_tag: run.team for run in scope.public_runs},
        "private": sorted(scope.private),
        "format": FORMAT,
        "withdrawn": sorted(scope.withdrawn),
    }
