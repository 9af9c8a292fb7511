"""Versions over HTTP: published, compared, and bundled by a script with a token."""

import io
import json
import zipfile

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from accounts.services.tokens import make_token
from tests.due_jobs import work_off_everything
from tournament.models import QrelVersion

pytestmark = pytest.mark.one_database

VERSION = "/api/v1/collections/harbour/versions/1"
PUBLISHING = "/api/v1/campaigns/spring/publishing"


class Script:
    """Calls the API with the owner's token."""

    def __init__(self) -> None:
        owner = get_user_model().objects.get(username="owner")
        token = make_token(user=owner, name="ci", scopes=["read", "campaigns"], days=1)[1]
        self.client, self.headers = Client(), {"Authorization": f"Bearer {token}"}

    def get(self, address: str, status: int = 200):
        reply = self.client.get(address, headers=self.headers)
        assert reply.status_code == status, reply.content
        return reply

    def post(self, address: str, body: dict, status: int = 202):
        reply = self.client.post(
            address, json.dumps(body), content_type="application/json", headers=self.headers
        )
        assert reply.status_code == status, reply.content
        return reply.json()


@pytest.fixture
def script(cast):
    return Script()


def test_a_script_previews_then_publishes_what_it_saw(cast, script):
    cast.add_queries(1)
    asked = script.post(PUBLISHING, {"dry_run": True})
    work_off_everything()
    seen = script.get(f"{PUBLISHING}/{asked['id']}").json()["result"]
    assert (seen["number"], seen["arrived"], seen["new"]) == (2, 1, True)
    assert seen["listed"][0]["qid"] == "more000"

    done = script.post(PUBLISHING, {"as_shown": seen["fingerprint"]})
    work_off_everything()

    assert script.get(f"{PUBLISHING}/{done['id']}").json()["result"] == {"version": 2, "new": True}
    changed = script.get("/api/v1/collections/harbour/versions/2/changes").json()
    assert (changed["count"], changed["rows"][0]["what"]) == (1, "arrived")
    assert (
        script.get("/api/v1/collections/harbour/versions/1/changes?since=2").json()["rows"][0]["what"]
        == "left"
    )


def test_changes_without_a_preview_are_refused_with_a_reason(cast, script):
    done = script.post(PUBLISHING, {"as_shown": "0" * 64, "allow_open": True})
    cast.add_queries(1)
    work_off_everything()

    told = script.get(f"{PUBLISHING}/{done['id']}").json()
    assert told["state"] == "failed"
    assert "Nothing was published" in told["problem"]
    assert QrelVersion.objects.count() == 1


def test_queries_in_pages_with_filters(script):
    cycles = script.get(f"{VERSION}/queries?show=cycle").json()
    second = script.get(f"{VERSION}/queries?limit=1&offset=1").json()

    assert [row["best"] for row in cycles["rows"]] == [["a3", "b3", "c3"]]
    assert (second["count"], [row["qid"] for row in second["rows"]]) == (3, ["q2"])


@pytest.mark.parametrize(
    ("call", "status"),
    [
        ("queries?show=nonsense", 400),
        ("queries?limit=0", 422),
        ("queries?offset=-1", 422),
        ("changes?since=99", 404),
        ("changes?since=0", 422),
        ("changes?show=nonsense", 422),
    ],
)
def test_garbage_is_a_problem_document(script, call, status):
    reply = script.get(f"{VERSION}/{call}", status)

    assert reply["Content-Type"] == "application/problem+json"


def test_a_bundle_is_made_and_fetched(script):
    assert script.get(f"{VERSION}/bundle").json()["made"] is False
    script.post(f"{VERSION}/bundle", {})
    work_off_everything()

    told = script.get(f"{VERSION}/bundle").json()
    reply = script.get(f"{VERSION}/bundle.zip")
    content = b"".join(reply)

    assert (told["made"], told["work"]["state"], told["counts"]["judgments"]) == (True, "done", 2)
    assert len(content) == told["size"]
    assert zipfile.ZipFile(io.BytesIO(content)).testzip() is None
