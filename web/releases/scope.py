"""The inputs of a bundle: the version, earlier versions, their campaigns, and the data that can be released."""

import hashlib
import hmac
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet

from config.crowd_endpoints import crowd_words
from judging.models import Campaign, ConsentText, Exclusion, GoldPair
from leaderboard.cache.software_version import software_version
from pooling.collections.collection_details import MOST
from pooling.labels.query_splits import private_qids
from pooling.labels.withheld_labels import withheld_names
from pooling.models import Collection, PooledPassage, PoolRun, QrelSet, Query, Run
from tournament.models import Challenge, ChallengedQuery, QrelVersion
from tournament.services.passage_visibility import Sight, public_sight
from web.common.visibility import as_shown

#: Increase this when equal inputs give different bytes than before.
FORMAT = 5
PUBLIC = AnonymousUser()


@dataclass(frozen=True)
class Scope:
    """All inputs of a version's bundle.

    Judgments, challenges and exclusions are as of the version's publication. What can be released is as of now:
    public runs, private queries, withheld labels and withdrawn judgments.
    """

    version: QrelVersion

    @property
    def collection(self) -> Collection:
        return self.version.collection

    @cached_property
    def chain(self) -> list[QrelVersion]:
        """The versions up to this one, by number; their long manifests are loaded when needed."""
        rows = QrelVersion.objects.filter(collection=self.collection, number__lte=self.version.number)
        return list(
            rows.select_related("campaign", "parent").defer("manifest", "parent__manifest").order_by("number")
        )

    @cached_property
    def contents(self) -> dict[int, dict[str, Any]]:
        """Version number → manifest."""
        return {one.number: one.content for one in self.chain}

    @cached_property
    def campaigns(self) -> list[Campaign]:
        """The campaigns that decided any query of this version, sorted by name."""
        deciding = {self.version.number}
        if self.version.queries.filter(carried=True).exists():  # otherwise the long manifest is not needed
            deciding.update(self.version.content["carried"].values())
        found = {one.campaign_id: one.campaign for one in self.chain if one.number in deciding}
        return sorted(found.values(), key=lambda campaign: campaign.name)

    @cached_property
    def private(self) -> frozenset[str]:
        """The qids of the collection's private queries, which the release leaves out."""
        return private_qids(self.collection)

    @cached_property
    def queries(self) -> dict[int, Query]:
        """Query key → query, for covered queries that can be released."""
        rows = Query.objects.filter(
            collection=self.collection, pk__in=self.version.queries.values("query_id")
        )
        return {query.pk: query for query in rows.order_by("position", "pk") if query.qid not in self.private}

    @cached_property
    def gold_queries(self) -> dict[int, Query]:
        """The queries of gold pairs, which can be outside the version."""
        rows = Query.objects.filter(pk__in=self.gold_pairs().values("query_id"))
        return {query.pk: query for query in rows if query.qid not in self.private}

    @cached_property
    def sight(self) -> Sight:
        """The public view of passages. It hides passages that have no public source under any released query."""
        return public_sight(self.collection, self.private)

    @cached_property
    def suppliers(self) -> list[Run]:
        """The runs that supplied passages of ``queries`` or ``gold_queries``, sorted by tag."""
        there = self.queries.keys() | self.gold_queries.keys()
        keys = {run for (query, _), runs in self.sight.suppliers.items() if query in there for run in runs}
        return list(Run.objects.filter(pk__in=keys).order_by("run_tag"))

    @cached_property
    def public_runs(self) -> list[Run]:
        """The public runs among the suppliers, as everybody sees them."""
        return [as_shown(run, False) for run in self.suppliers if run.is_public]

    @cached_property
    def withdrawn(self) -> frozenset[tuple[int, int]]:
        """(campaign, worker) of all workers who withdrew their judgments, which are left out."""
        rows = Exclusion.objects.standing().filter(campaign__in=self.campaigns, rule=Exclusion.WITHDRAWN)
        return frozenset(rows.values_list("campaign_id", "worker_id"))

    def exclusions(self) -> list[Exclusion]:
        """Return exclusions decided before publication, without withdrawals."""
        rows = Exclusion.objects.filter(
            campaign__in=self.campaigns, decided_at__lte=self.version.published_at
        ).exclude(rule=Exclusion.WITHDRAWN)
        gone = self.withdrawn
        return [
            row
            for row in rows.select_related("campaign").order_by("campaign__name", "pk")
            if (row.campaign_id, row.worker_id) not in gone
        ]

    @cached_property
    def withheld(self) -> frozenset[str]:
        """The names of qrel sets whose labels are withheld."""
        return withheld_names(self.collection)

    def gold_pairs(self) -> QuerySet[GoldPair]:
        """Return the gold pairs that were accepted, including those that were suspended later."""
        asked = [GoldPair.State.ACCEPTED, GoldPair.State.SUSPENDED]
        return GoldPair.objects.filter(campaign__in=self.campaigns, state__in=asked)

    @cached_property
    def key(self) -> str:
        """A hash of everything that can change the bundle. Equal keys give equal bytes."""
        return hashlib.sha256(json.dumps(list(self._inputs()), default=str).encode()).hexdigest()

    def _inputs(self) -> Iterator[Any]:
        """Yield the inputs behind the key. Judgments are not loaded: the manifests' hashes identify them."""
        collection = self.collection
        yield [FORMAT, software_version(), collection.name, *(getattr(collection, name) for name in MOST)]
        yield [(one.number, one.manifest_sha256, one.published_at) for one in self.chain]
        yield from self._supplied()
        yield sorted(self.private)
        sets = QrelSet.objects.filter(collection=collection).order_by("pk")
        yield list(sets.values_list("pk", "sha256", "min_grade", "withheld"))
        for campaign in self.campaigns:
            yield campaign_facts(campaign)
            yield list(
                ConsentText.objects.filter(campaign=campaign).order_by("pk").values_list("sha256", flat=True)
            )
        yield [(row.pk, row.worker_id, row.rule, row.reversed_at) for row in self.exclusions()]
        yield sorted(self.withdrawn)
        yield list(self.gold_pairs().order_by("pk").values_list("pk", "state"))

    def _supplied(self) -> Iterator[Any]:
        """Yield a summary of pools and challenges, which only grow, and of their runs."""
        collection = self.collection
        pooled = PooledPassage.objects.filter(pool__collection=collection)
        challenged = ChallengedQuery.objects.filter(challenge__campaign__collection=collection)
        yield [pooled.count(), challenged.count()]
        challengers = Challenge.objects.filter(campaign__collection=collection)
        tags = {tag for tags in challengers.values_list("run_tags", flat=True) for tag in tags}
        in_pools = PoolRun.objects.filter(pool__collection=collection).values("run")
        runs = Run.objects.filter(Q(pk__in=in_pools) | Q(run_tag__in=tags), collection=collection)
        yield [_run_facts(as_shown(run, False)) for run in runs.defer("report").order_by("pk")]

    def pseudonym(self, campaign: int, worker: int | None) -> str:
        """Return the worker's name for one campaign, which is the same in all bundles of this version.

        A judgment in two versions links the worker's two names, but only for that campaign. The same worker has
        another name in another campaign.
        """
        return "" if worker is None else f"w-{self._named('worker', campaign, worker)}"

    def task_name(self, campaign: int, number: int | None) -> str | None:
        """Return a name for a task, made like a worker's name: a task's number would be the same in every version."""
        return None if number is None else f"t-{self._named('task', campaign, number)}"

    def _named(self, what: str, campaign: int, key: int) -> str:
        """Return a keyed hash that nobody can reverse without the installation's secret."""
        version = f"{self.collection.name}:{self.version.number}:{self.version.manifest_sha256}"
        # The oldest known key, so that the names stay the same when a bundle is rebuilt.
        secret = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS][-1]
        text = f"{version}:{what}:{campaign}:{key}"
        return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()[:12]


def _run_facts(run: Run) -> list[Any]:
    """Return the run's data for a bundle: for a run that is not public, only that it exists."""
    if not run.is_public:
        return [run.pk, run.run_tag]
    return [
        run.pk,
        run.run_tag,
        run.release,
        run.team,
        run.description,
        run.paper,
        run.code,
        run.run_type,
        run.submitted_on,
        run.baseline,
    ]


#: Settings that describe how a campaign asked and paid people.
CAMPAIGN_FIELDS: Sequence[str] = (
    "name",
    "language",
    "pairs_per_task",
    "gold_per_task",
    "repeats_per_task",
    "judgments_per_pair",
    "max_tasks_per_worker",
    "reward",
    "pay",
    "base_reward",
    "minimum_hourly",
    "screen",
    "slip_rate",
    "refuse_excluded_elsewhere",
    "allow_undecided",
    "minimum_seconds",
    "mark_query_words",
    "placeholder_text",
    "preset",
    "minimum_age",
    "ethics_approval",
    "withdrawal_days",
    "title",
    "description",
)
TEXT_FIELDS = ("consent_text", "instructions_text", "example_text", "content_warning")


def campaign_facts(campaign: Campaign) -> dict[str, Any]:
    """Return a campaign's settings, dates and texts, ready for JSON."""
    facts: dict[str, Any] = {}
    for name in (*CAMPAIGN_FIELDS, *TEXT_FIELDS):
        value = getattr(campaign, name)
        facts[name] = value if isinstance(value, bool | int | float | None) else str(value)
    facts["crowd"] = crowd_words(campaign.endpoint, settings.EMBEDDED_CROWD_ENDPOINT)
    for name in ("created_at", "launched_at"):
        moment = getattr(campaign, name)
        facts[name] = moment.isoformat() if moment else None
    return facts
