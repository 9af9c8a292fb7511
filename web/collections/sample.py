"""The bundled sample as a person's collection."""

from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import transaction

from accounts.models import User
from accounts.roles import Role
from config.background.job_kinds import Progress
from config.process import launcher
from judging.campaign.campaigns import CampaignSettings, create_campaign
from judging.campaign.gold_pairs import decide_gold
from judging.campaign.gold_proposals import propose_gold
from judging.campaign.spending_rights import needs_grant
from judging.campaign.worker_texts import accept_texts
from judging.launch.launches import amount_to_confirm, launch_campaign
from judging.simulation.simulated_workers import SimulationSettings, simulate_workers
from pooling.collections.members import log
from pooling.collections.name_rules import free_name
from pooling.errors import PoolingError
from pooling.intake.collections import import_collection
from pooling.labels.qrels import import_qrels
from pooling.models import Collection, Membership, Run
from pooling.passages import passages
from pooling.pools.pools import build_pool
from pooling.runs.runs import RunFacts, import_runs
from tournament.models import QrelVersion
from tournament.services.publication import publish_qrels
from web.demo import BUDGET, SAMPLE, SEED

WORKERS = SimulationSettings(workers=25, careless=4, error=0.1, gold_error=0, seed=SEED)


def load(user: User, *, progress: Progress | None = None) -> Collection:
    """Create the collection with queries, passages, labels and the first runs, owned by this person."""
    sample = settings.BASE_DIR / SAMPLE
    with transaction.atomic():
        collection = import_collection(
            name=free_name("sample", Collection.objects.all()),
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
        collection=collection,
        paths=paths,
        facts=RunFacts(release=Run.Release.PUBLIC),
        who=user.get_username(),
        progress=progress,
    )
    if done.refused:
        raise PoolingError(f"A run of the sample was refused: {done.refused[0]}")
    passages.fetch_all(collection=collection)  # store all texts, because the sample is small
    return collection


def judge(collection: Collection, user: User, *, progress: Progress | None = None) -> QrelVersion:
    """Have simulated workers judge a campaign over the sample, and publish its first version."""
    who = user.get_username()
    runs = list(collection.runs.order_by("run_tag"))
    official, truth = (collection.qrel_sets.get(name=name) for name in ("official", "truth"))
    pool = build_pool(
        collection=collection, name=f"{collection.name}-tops", runs=runs, qrel_set=official, who=who
    )
    terms = CampaignSettings(budget=Decimal(BUDGET), seed=SEED)
    campaign = create_campaign(name=f"{collection.name}-first", settings=terms, pool=pool)
    propose_gold(campaign, qrels=truth.name)
    decide_gold(campaign, None, accept=True, who=who)
    accept_texts(campaign, who=who)
    with launcher.crowd_running(), launcher.judging_pages_running():
        launch_campaign(campaign, confirm_spend=amount_to_confirm(campaign), by=user, who=who)
        simulate_workers(campaign, truth, WORKERS, progress=progress)
    return publish_qrels(campaign=campaign, published_by=who).version


def judges_here(user: Any) -> bool:
    """Return whether the person can have the sample judged.

    Judging counts as spending, so only administrators can start it. It also needs the built-in marketplace, the only
    one with simulated workers.
    """
    here: bool = settings.CROWD_ENDPOINT == settings.EMBEDDED_CROWD_ENDPOINT
    return here and not needs_grant(user)
