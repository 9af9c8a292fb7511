"""Permissions over HTTP: every call × every role and scope. A call that is missing in the table fails the test."""

from dataclasses import dataclass, field

import pytest
from django.contrib.auth import get_user_model
from django.db import transaction
from django.test import Client

from accounts.models import ApiToken
from accounts.services.tokens import make_token
from config.background.models import Job
from judging.models import Submission, Worker
from pooling.models import AddedFiles, NewCollection, RunUpload
from tests.factories import grant_to
from tests.web.addresses import planned_round
from tests.web.conftest import PEOPLE, PUBLIC
from web.api_routers import api

pytestmark = pytest.mark.one_database

RUNS = {"maintainer", "owner", "administrator"}
MONEY = {"manager", "owner", "administrator"}
MEMBERS = {"viewer", *RUNS, *MONEY}
OWNERS = {"owner", "administrator"}
SENDERS = {"submitter", *RUNS}
ROUND = b'{"opens_at": "2001-01-01T00:00:00Z", "closes_at": "2002-01-01T00:00:00Z", "most_runs": 1}'
JSON = "application/json"
NEW = b'{"name": "mine", "files": [{"what": "queries", "file_name": "q.tsv", "size_bytes": 5}]}'
ADDED = b'{"set": "more", "files": [{"what": "qrels", "file_name": "g.txt", "size_bytes": 5}]}'
DOCUMENTS = b'{"set": "documents", "documents": {"a": "d", "a2": "d", "a3": "e"}}'
RUN = b"q1 Q0 a 1 1.0 sent\nq2 Q0 a2 1 1.0 sent\n"


ADMINISTRATOR = {"administrator"}
GRANT = b'{"to": "person", "name": "manager", "amount": 5, "last_day": "2999-01-01"}'
CHANGED = b'{"amount": 7, "last_day": "2999-01-01"}'


@dataclass(frozen=True)
class Call:
    """A call: its scope, and who gets ``done`` (None: everybody who sees the collection)."""

    scope: str = "read"
    only: set[str] | None = None
    done: int = 200
    body: bytes = b"{}"
    headers: dict = field(default_factory=dict)
    query: str = ""
    others: int = 0  # the status for members of ``only`` other than the owner
    anywhere: bool = False  # it does not concern an existing collection
    of_submitter: int = 0
    results: bool = True  # whether an assessor of a private collection is refused: it has runs or labels

    def expected(self, person: str, published: bool) -> int:
        if self.scope != "read" and person == "nobody":
            return 401
        if person in PUBLIC and not published and not self.anywhere:
            return 404
        if (
            person == "assessor"
            and not published
            and self.only is None
            and self.results
            and not self.anywhere
        ):
            return 403
        if person == "submitter" and self.of_submitter:
            return self.of_submitter
        if self.only is not None and person not in self.only:
            return 403
        return self.others if self.others and person != "owner" else self.done


TABLE = {
    ("get", "/collections"): Call(),
    ("get", "/collections/{name}"): Call(results=False),
    ("get", "/spending"): Call(anywhere=True),
    ("post", "/spending/grants"): Call("people", ADMINISTRATOR, 201, GRANT, anywhere=True),
    ("patch", "/spending/grants/{key}"): Call("people", ADMINISTRATOR, body=CHANGED, anywhere=True),
    ("post", "/spending/grants/{key}/revoke"): Call("people", ADMINISTRATOR, anywhere=True),
    ("patch", "/collections/{name}"): Call("runs", RUNS, body=b'{"license": "CC0"}'),
    ("get", "/collections/{name}/runs"): Call(),
    ("post", "/collections/{name}/runs"): Call(
        "runs", SENDERS, 202, RUN, {"HTTP_IDEMPOTENCY_KEY": "k"}, "?run_tag=sent"
    ),
    ("get", "/collections/{name}/runs/{key}"): Call(),
    ("patch", "/collections/{name}/runs/{key}"): Call("runs", RUNS, body=b'{"team": "harbourers"}'),
    ("post", "/collections/{name}/runs/release"): Call(
        "runs", RUNS, body=b'{"runs": ["quay"], "release": "scores"}'
    ),
    ("get", "/collections/{name}/run-fields"): Call(),
    ("put", "/collections/{name}/run-fields"): Call("runs", RUNS, body=b'{"asked": ["subtask"]}'),
    ("post", "/collections/{name}/run-metadata"): Call(
        "runs", RUNS, body=b'{"table": "run\\tteam\\nquay\\tA"}'
    ),
    ("get", "/collections/{name}/teams"): Call(),
    ("post", "/collections/{name}/teams"): Call("people", OWNERS, 201, b'{"name": "Gulls"}'),
    ("get", "/collections/{name}/rounds"): Call(),
    ("put", "/collections/{name}/rounds/{round_name}"): Call("runs", OWNERS, body=ROUND),
    ("delete", "/collections/{name}/rounds/{round_name}"): Call("runs", OWNERS, 204),
    ("post", "/collections/{name}/uploads"): Call(
        "runs", SENDERS, 201, b'{"size_bytes": 5}', {"HTTP_IDEMPOTENCY_KEY": "k"}
    ),
    ("get", "/collections/{name}/uploads/{key}"): Call(only=SENDERS, of_submitter=404),
    # Even an owner can continue only their own uploads; this one is the owner's.
    ("patch", "/collections/{name}/uploads/{key}"): Call(
        "runs", SENDERS, 409, b"q1", {"HTTP_UPLOAD_OFFSET": "7"}, others=404
    ),
    ("post", "/collections/{name}/uploads/{key}/submit"): Call("runs", SENDERS, 400, others=404),
    ("delete", "/collections/{name}/uploads/{key}"): Call("runs", SENDERS, 204, others=404),
    ("post", "/collections"): Call("runs", None, 201, NEW, {"HTTP_IDEMPOTENCY_KEY": "k"}, anywhere=True),
    ("get", "/new-collections/{key}"): Call(others=404, anywhere=True),
    ("patch", "/new-collections/{key}/files/{number}"): Call(
        "runs", None, 409, b"q1", {"HTTP_UPLOAD_OFFSET": "7"}, others=404, anywhere=True
    ),
    ("delete", "/new-collections/{key}"): Call("runs", None, 204, others=404, anywhere=True),
    ("post", "/collections/{name}/files"): Call("runs", RUNS, 201, ADDED, {"HTTP_IDEMPOTENCY_KEY": "k"}),
    ("get", "/collections/{name}/files/{key}"): Call(only=RUNS),
    ("patch", "/collections/{name}/files/{key}/{number}"): Call(
        "runs", RUNS, 409, b"q1", {"HTTP_UPLOAD_OFFSET": "7"}, others=404
    ),
    ("delete", "/collections/{name}/files/{key}"): Call("runs", RUNS, 204, others=404),
    ("get", "/collections/{name}/versions"): Call(),
    ("get", "/collections/{name}/versions/{number}/qrels"): Call(),
    ("put", "/collections/{name}/versions/{number}/doi"): Call(
        "campaigns", RUNS, body=b'{"doi": "10.1234/x"}'
    ),
    ("get", "/collections/{name}/versions/{number}/queries"): Call(),
    ("get", "/collections/{name}/versions/{number}/changes"): Call(),
    ("get", "/collections/{name}/versions/{number}/bundle"): Call(only=MEMBERS),
    ("post", "/collections/{name}/versions/{number}/bundle"): Call("campaigns", RUNS, 202),
    ("get", "/collections/{name}/versions/{number}/bundle.zip"): Call(only=MEMBERS, done=404),  # not created
    ("post", "/campaigns/{name}/publishing"): Call("campaigns", RUNS, 202, b'{"as_shown": "x"}'),
    ("get", "/campaigns/{name}/publishing/{key}"): Call(only=MEMBERS),
    ("get", "/collections/{name}/leaderboard"): Call(),
    ("get", "/collections/{name}/scores"): Call(only=RUNS, query="?qrels=official"),
    ("get", "/campaigns"): Call(),
    ("get", "/campaigns/{name}"): Call(),
    ("delete", "/campaigns/{name}"): Call("campaigns", MONEY, 409),  # it is open
    ("post", "/campaigns/{name}/rename"): Call("campaigns", MONEY, 409, b'{"name": "autumn"}'),
    ("get", "/campaigns/{name}/status"): Call(only=MEMBERS),
    ("post", "/campaigns/{name}/pause"): Call("campaigns", MONEY),
    ("post", "/campaigns/{name}/resume"): Call("campaigns", MONEY, 409),  # it is not paused
    ("post", "/campaigns/{name}/close"): Call("campaigns", MONEY),
    ("post", "/campaigns/{name}/archive"): Call("campaigns", MONEY, 409),  # it is open
    ("post", "/campaigns/{name}/restore"): Call("campaigns", MONEY),
    ("post", "/campaigns/{name}/budget"): Call("campaigns", MONEY, body=b'{"amount": 900}'),
    ("get", "/campaigns/{name}/judgments"): Call(only=MEMBERS),
    ("get", "/campaigns/{name}/challenges"): Call(only=MEMBERS),
    ("post", "/campaigns/{name}/challenges"): Call("campaigns", RUNS, 202, b'{"runs": ["quay"]}'),
    ("get", "/campaigns/{name}/challenges/work/{key}"): Call(only=MEMBERS),
}
DRAFT = b'{"name": "next", "pool": "tide"}'
PLANNED = b'{"run": "quay", "qrels": "official"}'
ASKED = b'{"name": "duel", "run": "quay", "qrels": "official"}'
TABLE |= {
    ("get", "/collections/{name}/near-duplicates"): Call(only=MEMBERS),
    ("post", "/collections/{name}/near-duplicates"): Call("runs", RUNS, 409),  # its pairs are judged
    ("put", "/collections/{name}/near-duplicates"): Call("runs", RUNS, 409),
    ("delete", "/collections/{name}/near-duplicates"): Call("runs", RUNS, 409),
    ("get", "/collections/{name}/pools"): Call(only=MEMBERS),
    ("post", "/collections/{name}/pools"): Call("campaigns", MONEY, 202, b'{"name": "wave"}'),
    ("post", "/collections/{name}/pool-plan"): Call(only=MEMBERS, body=b"{}"),
    ("get", "/collections/{name}/pools/{pool}"): Call(only=MEMBERS),
    ("get", "/collections/{name}/pools/work/{key}"): Call(only=MEMBERS),
    ("post", "/collections/{name}/better-than-perfect/plan"): Call(only=MEMBERS, body=PLANNED),
    ("post", "/collections/{name}/better-than-perfect"): Call("campaigns", MONEY, 202, ASKED),
    ("get", "/collections/{name}/better-than-perfect/work/{key}"): Call(only=MEMBERS),
    ("post", "/collections/{name}/campaigns"): Call("campaigns", MONEY, 201, DRAFT),
    ("patch", "/campaigns/{name}/settings"): Call("campaigns", MONEY, 409, b'{"reward": 3}'),  # it is open
    ("get", "/campaigns/{name}/gold"): Call(only=MONEY),
    ("post", "/campaigns/{name}/gold"): Call("campaigns", MONEY, 409),
    ("post", "/campaigns/{name}/gold/file"): Call("campaigns", MONEY, 409, b"q1 a b\n"),
    ("post", "/campaigns/{name}/gold/propose"): Call("campaigns", MONEY, 409),
    ("put", "/campaigns/{name}/texts"): Call("campaigns", MONEY, 409),
    ("post", "/campaigns/{name}/rehearse"): Call("campaigns", MONEY, 409, b'{"truth": "official"}'),
    ("get", "/campaigns/{name}/preparation/{key}"): Call(only=MONEY),
    ("get", "/campaigns/{name}/check-list"): Call(only=MONEY),
    ("post", "/campaigns/{name}/pilot"): Call("campaigns", MONEY, 409, b'{"tasks": 1, "confirm_spend": 1}'),
    ("post", "/campaigns/{name}/launch"): Call("campaigns", MONEY, 409, b'{"confirm_spend": 1}'),
}
HOOK = b'{"address": "https://93.184.216.34/other", "events": ["run.checked"]}'
TABLE |= {
    ("get", "/collections/{name}/webhooks"): Call(only=OWNERS),
    ("post", "/collections/{name}/webhooks"): Call("webhooks", OWNERS, 201, HOOK),
    ("get", "/collections/{name}/webhooks/{key}"): Call(only=OWNERS),
    ("patch", "/collections/{name}/webhooks/{key}"): Call("webhooks", OWNERS, body=b'{"on": false}'),
    ("delete", "/collections/{name}/webhooks/{key}"): Call("webhooks", OWNERS, 204),
    ("post", "/collections/{name}/webhooks/{key}/rotate"): Call("webhooks", OWNERS),
    ("post", "/collections/{name}/webhooks/{key}/test"): Call("webhooks", OWNERS, 202),
    ("get", "/collections/{name}/webhooks/{key}/deliveries"): Call(only=OWNERS),
    ("post", "/collections/{name}/webhooks/{key}/deliveries/{message}/again"): Call("webhooks", OWNERS, 202),
}
POLICY = b'{"most_runs": 2, "period_days": 30}'
TABLE |= {
    ("get", "/collections/{name}/policy"): Call(done=404),  # there is none
    ("put", "/collections/{name}/policy"): Call("runs", OWNERS, body=POLICY),
    ("delete", "/collections/{name}/policy"): Call("runs", OWNERS, 204),
    ("get", "/collections/{name}/qrel-sets"): Call(),
    ("post", "/collections/{name}/qrel-sets/{labels}/documents"): Call("runs", RUNS, 201, body=DOCUMENTS),
    ("patch", "/collections/{name}/qrel-sets/{labels}"): Call("runs", OWNERS, body=b'{"withheld": true}'),
    ("get", "/collections/{name}/query-split"): Call(only=MEMBERS),
    ("post", "/collections/{name}/query-split"): Call("runs", OWNERS, body=b'{"qids": ["q1"]}'),
}
PERSON = b'{"username": "stranger", "role": "viewer"}'
WHY = b'{"why": "always left"}'
LETTER = b'{"to": "everybody", "subject": "Thanks", "text": "Thank you."}'
TABLE |= {
    ("get", "/collections/{name}/members"): Call(only=MEMBERS),
    ("post", "/collections/{name}/members"): Call("people", OWNERS, 201, PERSON),
    ("patch", "/collections/{name}/members/{key}"): Call("people", OWNERS, body=b'{"role": "maintainer"}'),
    ("delete", "/collections/{name}/members/{key}"): Call("people", OWNERS, 204),
    ("get", "/collections/{name}/invitations"): Call(only=OWNERS),
    ("post", "/collections/{name}/invitations"): Call(
        "people", OWNERS, 201, b'{"email": "b@example.org", "role": "viewer"}'
    ),
    ("delete", "/collections/{name}/invitations/{key}"): Call("people", OWNERS, 204),
    ("get", "/campaigns/{name}/workers"): Call(only=MEMBERS),
    ("get", "/campaigns/{name}/workers/{key}"): Call(only=MEMBERS),
    ("post", "/campaigns/{name}/workers/{key}/exclude"): Call("campaigns", MONEY, body=WHY),
    ("post", "/campaigns/{name}/workers/{key}/reinstate"): Call("campaigns", MONEY, 409, WHY),  # not excluded
    ("post", "/campaigns/{name}/messages"): Call(
        "campaigns", MONEY, 409, LETTER
    ),  # nobody has submitted anything
    ("get", "/campaigns/{name}/held-payments"): Call(only=MONEY),
    ("post", "/campaigns/{name}/held-payments/{key}"): Call(  # nothing is held
        "campaigns", MONEY, 409, b'{"decision": "pay"}'
    ),
    ("get", "/campaigns/{name}/missing-work"): Call(only=MONEY),
    ("post", "/campaigns/{name}/missing-work/{key}"): Call(  # the crowd lists it
        "campaigns", MONEY, 409, b'{"way": "another way", "why": "bank transfer"}'
    ),
    ("get", "/campaigns/{name}/reports"): Call(only=MEMBERS),
    ("post", "/campaigns/{name}/reports/{key}"): Call("campaigns", MONEY, 409, WHY),  # there is none
    ("get", "/campaigns/{name}/appeals"): Call(only=MEMBERS),
    ("post", "/campaigns/{name}/appeals/{key}"): Call(
        "campaigns", MONEY, body=b'{"why": "We looked again.", "reinstate": false}'
    ),
}
TABLE |= {
    ("get", "/collections/{name}/analyses"): Call(),
    ("post", "/collections/{name}/analyses/{kind}"): Call(only=MEMBERS, done=202),
    ("get", "/collections/{name}/analyses/work/{key}"): Call(only=MEMBERS),
    ("post", "/campaigns/{name}/gold/{key}/suspend"): Call("campaigns", MONEY, body=WHY),
    # Nobody has done a task, so there is no measured time, and nothing to withdraw.
    ("post", "/campaigns/{name}/top-up"): Call("campaigns", MONEY, 409, b'{"minimum_hourly": 15}'),
    ("post", "/campaigns/{name}/workers/{key}/withdraw"): Call("campaigns", MONEY, 409, WHY),
}
GRADING = {"assessor", *MEMBERS}
STAFF = {*RUNS, *MONEY}
ASSESSORS = {"assessor", *OWNERS}
_GRADED = "/collections/{name}/grading/{graded}"
TABLE |= {
    ("get", "/collections/{name}/grading"): Call(only=GRADING),
    ("post", "/collections/{name}/grading"): Call(
        "campaigns", STAFF, 201, b'{"name": "more", "pool": "tide", "small_pools": true}'
    ),
    ("get", _GRADED): Call(only=GRADING),
    ("delete", _GRADED): Call("campaigns", STAFF, 409),  # its judging has begun
    ("post", f"{_GRADED}/decisions"): Call(  # none of its passages is judged
        "campaigns", STAFF, 409, b'{"qid": "q1", "decision": "rejected", "why": "x"}'
    ),
    ("post", f"{_GRADED}/end"): Call("campaigns", STAFF, body=b'{"why": "x"}'),
    ("post", f"{_GRADED}/reopen"): Call("campaigns", STAFF, 409, b'{"why": "x"}'),  # it has not ended
    ("post", f"{_GRADED}/labels"): Call("campaigns", RUNS, 409, b'{"set": "graded"}'),  # none is accepted
    ("get", f"{_GRADED}/grades"): Call(only=MEMBERS),
    # The topic is the owner's.
    ("post", f"{_GRADED}/take"): Call("campaigns", ASSESSORS, 200, b'{"qid": "q1"}', others=409),
    ("post", f"{_GRADED}/grade"): Call(
        "campaigns", ASSESSORS, 404, b'{"qid": "q1", "item": 9999999, "grade": 1}'
    ),
    ("post", f"{_GRADED}/undo"): Call("campaigns", ASSESSORS, 409, b'{"qid": "q1"}', others=404),
    ("post", f"{_GRADED}/decline"): Call(
        "campaigns", ASSESSORS, 204, b'{"qid": "q1", "why": "x"}', others=404
    ),
}
LISTS = {("get", "/collections"), ("get", "/campaigns")}


@pytest.fixture
def callers(cast):
    """The cast with an open campaign, an upload, jobs, and a token for each person and scope."""
    cast.campaign.state = "open"
    cast.campaign.save()
    users = {user.username: user for user in get_user_model().objects.all()}
    upload = RunUpload.objects.create(
        collection=cast.collection, user=users["owner"], key="before", file_name="x", size_bytes=1, sha256="0"
    )
    work = Job.objects.create(kind="web.challenge", key="past", arguments={"campaign_id": cast.campaign.pk})
    publishing = Job.objects.create(
        kind="web.preview_version", key="seen", arguments={"campaign_id": cast.campaign.pk}
    )
    announced = [{"what": "queries", "name": "x", "path": "x", "size_bytes": 9, "received_bytes": 0}]
    sent = {"user": users["owner"], "key": "before", "state": "receiving", "files": announced}
    cast.keys = {
        "new-collections": NewCollection.objects.create(name="mine", **sent).pk,
        "files": AddedFiles.objects.create(collection=cast.collection, **sent).pk,
        "runs": cast.quay.pk,
        "uploads": upload.pk,
        "challenges/work": work.pk,
        "publishing": publishing.pk,
        "webhooks": cast.hook.pk,
        "members": cast.member.pk,
        "invitations": cast.invited.pk,
        "workers": cast.judge.pk,
        "appeals": cast.appeal.pk,
        "reports": 1,
    }
    rehearsal = f"web.rehearse:{cast.campaign.pk}"
    rehearsed = Job.objects.create(kind="web.rehearse", key=rehearsal)
    arguments = {"collection_id": cast.collection.pk}
    pooled = Job.objects.create(kind="pooling.build_pool", key="past pool", arguments=arguments)
    asking = Job.objects.create(
        kind="leaderboard.ask_better_than_perfect", key="past asking", arguments={"run_id": cast.quay.pk}
    )
    grant = grant_to(collection=cast.collection)
    cast.keys |= {"grants": grant.pk}
    cast.keys |= {"preparation": rehearsed.pk, "pools/work": pooled.pk}
    cast.keys |= {"better-than-perfect/work": asking.pk}
    returned = Submission.objects.create(
        campaign=cast.campaign,
        worker=Worker.objects.create(),
        assignment_id="GIVENBACK",
        seed=0,
        state="returned",
    )
    cast.keys |= {"held-payments": returned.pk, "missing-work": returned.pk}
    analysing = Job.objects.create(kind="leaderboard.analyse", key="past analysis", arguments=arguments)
    known = cast.passages("a", "a2")
    gold = cast.campaign.gold_pairs.create(
        query=cast.query("q1"), relevant=known["a"], off_topic=known["a2"], state="accepted"
    )
    cast.keys |= {"analyses/work": analysing.pk, "gold": gold.pk}
    planned_round(cast)
    cast.tokens = {
        (person, scope): make_token(user=users[person], name="t", scopes=[scope], days=1)[1]
        for person in PEOPLE
        if person != "nobody"
        for scope in ApiToken.Scope.values
    }
    return cast


def called(callers, operation, call, person, scope):
    """Return the status and type of the response, and undo its changes."""
    method, path = operation
    name = "harbour" if path.startswith("/collections") else "spring"
    before = path.partition("/{key}")[0].split("/")
    kind = "/".join(before[-2:]) if before[-1] == "work" else before[-1]
    keys = {"key": callers.keys.get(kind), "message": callers.message.pk}
    address = path.format(
        name=name,
        round_name="old",
        graded="swell",
        number=1,
        pool="tide",
        kind="stability",
        labels="official",
        **keys,
    )
    headers = dict(call.headers)
    if person != "nobody":
        headers["HTTP_AUTHORIZATION"] = f"Bearer {callers.tokens[person, scope]}"
    with transaction.atomic():
        body = {"data": call.body, "content_type": JSON} if method != "get" else {}
        reply = getattr(Client(), method)(f"/api/v1{address}{call.query}", **body, **headers)
        b"".join(reply)
        transaction.set_rollback(True)
    return reply.status_code, reply["Content-Type"]


def test_every_call_is_in_the_table():
    paths = api.get_openapi_schema()["paths"]

    served = {(verb, path.removeprefix("/api/v1")) for path, one in paths.items() for verb in one}

    assert served == TABLE.keys()


@pytest.mark.parametrize(
    "published",
    [pytest.param(True, id="published"), pytest.param(False, id="private", marks=pytest.mark.soak)],
)
def test_calls(callers, published, settings):
    settings.API_ANONYMOUS_CALLS_PER_MINUTE = 10_000
    callers.collection.visibility = "published" if published else "private"
    callers.collection.save()

    wrong = {}
    for operation, call in TABLE.items():
        for person in (
            (*PUBLIC, "submitter", "assessor") if published else PEOPLE
        ):  # a member's rights are the same
            status, kind = called(callers, operation, call, person, call.scope)
            expected = 200 if operation in LISTS else call.expected(person, published)
            if (
                person in ("submitter", "assessor")
                and not published
                and operation[1].startswith("/campaigns/")
            ):
                expected = 404  # only members see a private collection's campaigns
            if status != expected or (status >= 400 and kind != "application/problem+json"):
                wrong[operation, person] = (status, expected, kind)

    assert wrong == {}


def test_a_token_is_limited_to_its_scopes(callers):
    """With the right token, the owner can do everything in a collection, and an administrator everything."""
    for operation, call in TABLE.items():
        for scope in ApiToken.Scope.values:
            person = "administrator" if call.only == ADMINISTRATOR else "owner"
            status, _ = called(callers, operation, call, person, scope)

            assert status == (call.done if scope == call.scope else 403), (operation, scope)


def test_confirming_a_cost_requires_a_role_that_can_spend(callers):
    body = b'{"runs": ["quay"], "confirm_spend": 5}'
    call = Call("campaigns", body=body)
    operation = ("post", "/campaigns/{name}/challenges")

    assert called(callers, operation, call, "maintainer", "campaigns")[0] == 403
    assert called(callers, operation, call, "owner", "campaigns")[0] == 202


def test_a_cookie_opens_nothing(callers):
    callers.collection.visibility = "private"
    callers.collection.save()

    assert callers.clients["owner"].get("/api/v1/collections/harbour").status_code == 404
    assert (
        callers.clients["owner"].post("/api/v1/campaigns/spring/pause", "{}", content_type=JSON).status_code
        == 401
    )
