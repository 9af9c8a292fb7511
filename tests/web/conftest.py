"""A published collection for tests of pages: runs at three release levels, and texts that look like markup."""

from itertools import chain, combinations

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from accounts.models import Invitation
from config import clock
from config.sealed_secrets import seal
from judging.models import (
    Appeal,
    Campaign,
    GradedCampaign,
    GradedItem,
    Judgment,
    Pair,
    Topic,
    TopicAssignment,
    Worker,
)
from pooling.models import (
    AddedFiles,
    CollectionChange,
    InvitedMember,
    Membership,
    Passage,
    Pool,
    PooledPassage,
    PoolRun,
    Query,
    Run,
    RunUpload,
)
from pooling.teams.teams import make_team
from tests.factories import add_to_team, make_collection, make_qrels, make_run, passages_of
from tournament.services import publish_qrels
from web.models import WebhookDelivery, WebhookEndpoint
from web.webhooks.endpoints import PURPOSE
from web.webhooks.webhook_signature import new_webhook_secret

PUBLIC = ("nobody", "stranger")
ROLES = ("viewer", "manager", "maintainer", "owner")
PEOPLE = (*PUBLIC, "submitter", "assessor", *ROLES, "administrator")
SCRIPT = "<script>alert('x')</script>"


class Harbour:
    """The collection ``harbour``. Best answers: q1 b, q2 s (only from the run released as scores), q3 a cycle.

    Official qrels are a, a2, a3. ``quay`` is public, ``mole`` releases scores, ``deep`` is private.
    """

    def __init__(self) -> None:
        self.collection = make_collection("harbour", ["q1", "q2", "q3"], visibility="published")
        self.passages("a", "a2", "a3")
        self.official = make_qrels(
            self.collection, "official", [("q1", "a", 1), ("q2", "a2", 1), ("q3", "a3", 1)]
        )
        self.quay = make_run(
            self.collection,
            "quay",
            {"q1": ["b", "a"], "q2": ["a2"], "q3": ["b3"]},
            report={"queries": 3, "depth": 2, "lines": 4, "warnings": ["1 query has ties"]},
        )
        self.mole = make_run(
            self.collection, "mole", {"q1": ["a"], "q2": ["s"], "q3": ["c3"]}, release=Run.Release.SCORES
        )
        self.deep = make_run(self.collection, "deep", {"q1": ["d"]}, release=Run.Release.PRIVATE)
        self.pool = Pool.objects.create(collection=self.collection, name="tide", qrel_set=self.official)
        PoolRun.objects.bulk_create(
            PoolRun(pool=self.pool, run=run) for run in (self.quay, self.mole, self.deep)
        )
        self.campaign = Campaign.objects.create(
            name="spring",
            collection=self.collection,
            pool=self.pool,
            seed=1,
            placeholder_text=True,
            state=Campaign.State.OPEN,
            launched_at=clock.now(),
        )
        self.judge = Worker.objects.create()
        self.pooled("q1", b=[self.quay], a=[self.mole], d=[self.deep])
        self.pooled("q2", a2=[self.quay], s=[self.mole])
        self.pooled("q3", a3=[], b3=[self.quay], c3=[self.mole])
        self.prefer("q1", ("b", "a"), ("b", "d"), ("a", "d"))
        self.prefer("q2", ("s", "a2"))
        self.prefer("q3", ("a3", "b3"), ("b3", "c3"), ("c3", "a3"))

    def passage(self, pid: str) -> Passage:
        return self.passages(pid)[pid]

    def passages(self, *pids: str) -> dict[str, Passage]:
        """Return pid → passage, creating missing ones with a text."""

        def new(pid: str) -> Passage:
            return Passage(collection=self.collection, pid=pid, text=f"text of {pid}")

        return passages_of(self.collection, pids, new)

    def query(self, qid: str) -> Query:
        return Query.objects.get(collection=self.collection, qid=qid)

    def pooled(self, qid: str, **suppliers: list[Run]) -> None:
        query, passages = self.query(qid), self.passages(*suppliers)
        PooledPassage.objects.bulk_create(
            PooledPassage(
                pool=self.pool,
                query=query,
                passage=passages[pid],
                run_ids=[run.pk for run in runs],
                is_qrel=pid.startswith("a"),
            )
            for pid, runs in suppliers.items()
        )

    def prefer(self, qid: str, *won: tuple[str, str], judge_kind: str = "human") -> None:
        """Judge each pair once, preferring the first passage."""
        query, known = self.query(qid), self.passages(*chain(*won))
        shown = [(known[better], known[worse]) for better, worse in won]
        ordered = [sorted(both, key=lambda one: one.pk) for both in shown]
        pairs = Pair.objects.bulk_create(
            Pair(campaign=self.campaign, query=query, passage_a=low, passage_b=high) for low, high in ordered
        )
        Judgment.objects.bulk_create(
            Judgment(
                campaign=self.campaign,
                pair=pair,
                left=first,
                right=second,
                preferred=first,
                judge_kind=judge_kind,
                worker=self.judge,
            )
            for pair, (first, second) in zip(pairs, shown, strict=True)
        )

    def publish(self):
        return publish_qrels(campaign=self.campaign).version

    def add_runs(self, count: int) -> None:
        for number in range(count):
            make_run(self.collection, f"extra{number:03}", {"q1": ["a" if number % 2 else "b"]})

    def add_campaigns(self, count: int) -> None:
        for number in range(count):
            Campaign.objects.create(
                name=f"more{number}",
                collection=self.collection,
                pool=self.pool,
                seed=1,
                state=Campaign.State.OPEN,
                launched_at=clock.now(),
            )

    def add_queries(self, count: int) -> None:
        """Add queries, each with a judged pool of two passages."""
        there = Query.objects.filter(qid__startswith="more").count()
        for number in range(there, there + count):
            qid = f"more{number:03}"
            Query.objects.create(collection=self.collection, qid=qid, text=f"{qid}?", position=10 + number)
            self.pooled(qid, **{f"b{qid}": [self.quay], f"c{qid}": [self.quay]})
            self.prefer(qid, *combinations([f"b{qid}", f"c{qid}"], 2))


def taken_topic(harbour: Harbour, assessor) -> TopicAssignment:
    """Give the assessor topic q1 of the graded campaign ``swell``, with one passage to judge."""
    swell = GradedCampaign.objects.create(
        collection=harbour.collection,
        name="swell",
        pool=harbour.pool,
        scale=[["No", "It does not answer.", ""], ["Yes", "It answers.", ""]],
        min_grade=1,
    )
    key = harbour.passage("a").pk
    topic = Topic.objects.create(campaign=swell, query=harbour.query("q1"), order=[[key, 1]])
    taken = TopicAssignment.objects.create(topic=topic, assessor=assessor)
    GradedItem.objects.create(assignment=taken, passage_id=key, position=0, batch=0, source="pool", rank=1)
    return taken


@pytest.fixture
def harbour(db) -> Harbour:
    return Harbour()


@pytest.fixture
def published(harbour):
    harbour.version = harbour.publish()
    return harbour


@pytest.fixture
def member(client, harbour):
    """A client signed in as a viewer of the collection."""
    ada = get_user_model().objects.create_user("ada", password="a long password")
    Membership.objects.create(collection=harbour.collection, user=ada, role="viewer")
    client.force_login(ada)
    return client


@pytest.fixture
def cast(harbour):
    """The collection, and a client for each person."""
    harbour.version = harbour.publish()
    users = {name: get_user_model().objects.create_user(name) for name in PEOPLE if name != "nobody"}
    get_user_model().objects.filter(username="administrator").update(is_superuser=True, is_staff=True)
    for role in (*ROLES, "assessor"):
        Membership.objects.create(collection=harbour.collection, user=users[role], role=role)
    harbour.appeal = Appeal.objects.create(
        campaign=harbour.campaign, worker=harbour.judge, refusal="excluded", words="I read it."
    )
    harbour.member = Membership.objects.get(user=users["viewer"])
    harbour.team = make_team(collection=harbour.collection, name="Harbourers", who="owner")
    add_to_team(harbour.team, users["submitter"])
    CollectionChange.objects.all().delete()  # tests start with an empty log
    far = harbour.version.published_at.replace(year=2999)
    invitation = Invitation.objects.create(email="a@example.org", digest="0" * 64, expires_at=far)
    harbour.invited = InvitedMember.objects.create(
        collection=harbour.collection, invitation=invitation, role="viewer"
    )
    invitation = Invitation.objects.create(email="b@example.org", digest="1" * 64, expires_at=far)
    harbour.team_invited = InvitedMember.objects.create(
        collection=harbour.collection, invitation=invitation, role="submitter", team=harbour.team
    )
    harbour.sent = RunUpload.objects.create(
        collection=harbour.collection, user=users["owner"], key="sent", file_name="sent.txt", size_bytes=1
    )
    harbour.added = AddedFiles.objects.create(collection=harbour.collection, user=users["owner"])
    harbour.hook = WebhookEndpoint.objects.create(
        collection=harbour.collection,
        address="https://93.184.216.34/hook",
        events=["version.published"],
        secret=seal(new_webhook_secret(), purpose=PURPOSE),
        kept_by=users["owner"],
    )
    harbour.message = WebhookDelivery.objects.create(
        endpoint=harbour.hook, message_id="msg_1", kind="version.published", body="{}"
    )
    harbour.taken = taken_topic(harbour, users["owner"])
    harbour.clients = {name: Client() for name in PEOPLE}
    for name, user in users.items():
        harbour.clients[name].force_login(user)
    return harbour
