"""The bundled sample as a person's collection."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction

from accounts.models import User
from accounts.roles import Role
from config.background.job_kinds import Progress
from pooling.errors import PoolingError
from pooling.models import Collection, Membership, Run
from pooling.services import passages
from pooling.services.collections import import_collection
from pooling.services.members import log
from pooling.services.qrels import import_qrels
from pooling.services.runs import RunFacts, import_runs
from web.demo import SAMPLE, free_name


def load(user: User, *, progress: Progress | None = None) -> Collection:
    """Create the collection with queries, passages, labels and the first runs, owned by this person."""
    sample = settings.BASE_DIR / SAMPLE
    with transaction.atomic():
        collection = import_collection(
            name=free_name("sample"),
            title="The sample",
            description="The sample that ships with Preferee, for trying everything out.",
            queries=sample / "queries.tsv",
            passage_files=[sample / "passages.tsv"],
            qrels=sample / "qrels.txt",
        ).collection
        import_qrels(collection=collection, path=sample / "grades.txt", set_name="truth")
        Membership.objects.create(collection=collection, user=user, role=Role.OWNER)
        log(collection, "created from the sample", who=user.get_username())
    paths = sorted((sample / "runs").glob("*.txt.gz"))
    done = import_runs(
        collection=collection, paths=paths, facts=RunFacts(release=Run.Release.PUBLIC), progress=progress
    )
    if done.refused:
        raise PoolingError(f"A run of the sample was refused: {done.refused[0]}")
    passages.fetch_all(collection=collection)  # few enough for every ranking to be read at once
    return collection
