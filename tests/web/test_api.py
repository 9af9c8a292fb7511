"""Calls of the API: what they answer, and that they refuse in words."""

from __future__ import annotations

import hashlib
import io
import json
from datetime import date

import pytest
from django.contrib.auth import get_user_model
from django.http import UnreadablePostError

from accounts.models import ApiToken
from accounts.services.tokens import make_token
from config.background.attending import work_off_everything
from config.errors import BucketAway
from judging.models import CampaignChange
from leaderboard import services as leaderboard
from pooling.errors import UploadRefused
from pooling.models import Membership, PrivateQuery, QuerySplit, Run, RunUpload
from pooling.services.receiving import receive
from pooling.services.submissions import set_policy
from tests.factories import make_collection

pytestmark = pytest.mark.one_database

RUN = b"q1 Q0 a 1 2.0 sent\nq1 Q0 b 2 1.0 sent\nq2 Q0 a2 1 1.0 sent\n"
RUNS = "/api/v1/collections/harbour/runs"


class Api:
    """An owner's calls."""

    def __init__(self, client, collection) -> None:
        user = get_user_model().objects.create_user("olga")
        Membership.objects.create(collection=collection, user=user, role="owner")
        self.client, self.user = client, user
        self.token = make_token(user=user, name="t", scopes=ApiToken.Scope.values, days=1)[1]

    def get(self, address, **headers):
        return self.client.get(f"/api/v1{address}", headers=self.headers | headers)

    def post(self, address, content, **headers):
        body = content if isinstance(content, bytes) else json.dumps(content)
        return self.client.post(
            f"/api/v1{address}", body, content_type="application/json", headers=self.headers | headers
        )

    def send(self, content=RUN, key="k1", options="file_name=sent.txt"):
        return self.post(f"/collections/harbour/runs?{options}", content, **{"Idempotency-Key": key})

    @property
    def headers(self):
        return {"Authorization": f"Bearer {self.token}"}


@pytest.fixture
def api(client, published):
    return Api(client, published.collection)


def problem(reply, status):
    assert (reply.status_code, reply["Content-Type"]) == (status, "application/problem+json")
    assert reply.json()["status"] == status
    return reply.json()


def test_a_run_is_sent_checked_and_ranked(api):
    sent = api.send(options="file_name=sent.txt&team=harbourers&release=scores&submitted_on=2026-01-31")
    assert sent.status_code == 202
    assert sent.json()["state"] == "waiting"
    work_off_everything()

    upload = api.client.get(sent["Location"], headers=api.headers).json()
    assert (upload["state"], upload["problems"]) == ("imported", [])
    run = api.get(f"/collections/harbour/runs/{upload['run_id']}").json()
    assert (run["run_tag"], run["team"], run["release"], run["submitted_on"]) == (
        "sent", "harbourers", "scores", "2026-01-31",
    )  # fmt: skip
    board = api.get("/collections/harbour/leaderboard").json()
    assert "sent" in {row["run"] for row in board["rows"]}
    assert {row["rank_preference"] for row in board["rows"] if row["run"] == "sent"} <= {1, 2, 3, 4}


def test_what_is_stored_of_a_sent_file_is_gone_when_it_is_checked(api, data_dir):
    api.send()
    assert len(list((data_dir / "runs" / "uploads").iterdir())) == 1
    work_off_everything()

    assert list((data_dir / "runs" / "uploads").iterdir()) == []
    assert list((data_dir / "incoming").iterdir()) == []


def test_a_bad_line_is_named(api):
    sent = api.send(b"q1 Q0 a 1 2.0 sent\nq1 Q0 b two\n")
    work_off_everything()

    upload = api.client.get(sent["Location"], headers=api.headers).json()
    assert (upload["state"], upload["run_id"]) == ("refused", None)
    assert upload["problems"][0]["line"] == 2
    assert not Run.objects.filter(run_tag="sent").exists()


@pytest.mark.parametrize("options", ["file_name=..%2Fx", "file_name=a%00b", "file_name=", "file_name=a%0Ab"])
def test_names_with_folders_or_controls_are_refused(api, options):
    problem(api.send(options=options), 400)
    assert not RunUpload.objects.exists()


def test_a_file_that_is_too_large_is_refused_before_it_is_read(api, settings):
    settings.MAX_UPLOAD_BYTES = 10

    assert "10 bytes" in problem(api.send(), 413)["detail"]


class Gone(io.BytesIO):
    """A sender whose connection ends after a while."""

    def read(self, size=-1):
        return super().read(10) or self.end()

    def end(self):
        raise UnreadablePostError("the connection is gone")


@pytest.mark.parametrize("stream", [io.BytesIO, Gone])
def test_an_upload_that_was_cut_short_leaves_nothing(api, published, data_dir, stream):
    with pytest.raises(UploadRefused, match=f"stopped {999 - len(RUN)} bytes before its end"):
        receive(
            collection=published.collection, user=api.user, key="k", stream=stream(RUN), length=999,
            file_name="x", options={},
        )  # fmt: skip

    assert list((data_dir / "incoming").iterdir()) == []
    assert not RunUpload.objects.exists()


def announce(api, content=RUN, **more):
    said = {"file_name": "parts.txt", "size_bytes": len(content), "run_tag": "parts", **more}
    return api.post("/collections/harbour/uploads", said, **{"Idempotency-Key": "parts"})


def send_part(api, where, content, offset):
    headers = api.headers | {"Upload-Offset": str(offset)}
    return api.client.patch(where, content, content_type="application/octet-stream", headers=headers)


def test_a_run_is_sent_in_parts(api):
    begun = announce(api)
    where = begun["Location"]
    first = send_part(api, where, RUN[:20], 0)
    wrong = send_part(api, where, RUN[20:], 30)
    again = announce(api)
    last = send_part(api, where, RUN[20:], 20)
    work_off_everything()

    assert (begun.status_code, begun["Upload-Offset"]) == (201, "0")
    assert (first.status_code, first["Upload-Offset"]) == (200, "20")
    problem(wrong, 409)
    assert wrong["Upload-Offset"] == "20"
    assert (again.status_code, again["Location"], again["Upload-Offset"]) == (200, where, "20")
    assert last.json()["state"] == "waiting"
    done = api.client.get(where, headers=api.headers).json()
    assert (done["state"], done["sha256"]) == ("imported", hashlib.sha256(RUN).hexdigest())


def test_a_check_alone_changes_nothing_until_it_is_submitted(api):
    where = announce(api, check_only=True)["Location"]
    send_part(api, where, RUN, 0)
    work_off_everything()
    checked = api.client.get(where, headers=api.headers).json()
    assert (checked["state"], checked["report"]["queries"], checked["report"]["unanswered"]) == (
        "checked",
        2,
        ["q3"],
    )
    assert not Run.objects.filter(run_tag="parts").exists()

    assert api.post(f"{where.removeprefix('/api/v1')}/submit", {}).status_code == 202
    work_off_everything()

    assert Run.objects.filter(run_tag="parts").exists()
    assert api.client.delete(where, headers=api.headers).status_code == 400


def test_an_upload_is_dropped(api, data_dir):
    where = announce(api)["Location"]
    send_part(api, where, RUN[:20], 0)

    assert api.client.delete(where, headers=api.headers).status_code == 204
    assert not RunUpload.objects.filter(key="parts").exists()
    assert list((data_dir / "runs" / "uploads").iterdir()) == []


def test_every_problem_is_told(api):
    sent = api.send(b"q1 Q0 a 1 2.0 sent\nq1 Q0 b two 1 sent\nq9 Q0 a 1 2.0 sent\n" + b"short line\n" * 300)
    work_off_everything()

    upload = api.client.get(sent["Location"], headers=api.headers).json()
    assert [(one["line"], one["kind"]) for one in upload["problems"][:3]] == [
        (2, "rank"), (3, "unknown query"), (4, "columns"),
    ]  # fmt: skip
    assert len(upload["problems"]) == 100
    assert upload["problem_counts"] == {"columns": 300, "rank": 1, "unknown query": 1}


def test_the_same_key_is_the_same_upload(api):
    first, again = api.send(), api.send()

    assert (first.status_code, again.status_code) == (202, 200)
    assert first.json()["id"] == again.json()["id"]
    work_off_everything()
    assert api.send().json()["state"] == "imported"
    assert Run.objects.filter(run_tag="sent").count() == 1


@pytest.mark.parametrize("other", [{"content": RUN + b"q3 Q0 b3 1 1 sent\n"}, {"options": "run_tag=other"}])
def test_a_key_stands_for_one_upload_only(api, other):
    api.send()

    assert "another upload" in problem(api.send(**other), 409)["detail"]


def test_without_a_key_nothing_is_taken(api):
    said = problem(api.post("/collections/harbour/runs", RUN), 422)

    assert "Idempotency-Key" in said["problems"][0]["where"]


def test_describing_a_run_is_logged(api, published):
    address = f"{RUNS}/{published.deep.pk}"

    changed = api.client.patch(
        address, {"team": "divers", "release": "public"}, content_type="application/json", headers=api.headers
    )

    assert (changed.json()["team"], changed.json()["release"]) == ("divers", "public")
    assert published.collection.changes.get().what == "run deep released as public"


def test_the_leaderboard_is_that_of_the_command(api, published):
    collection = published.collection
    expected = leaderboard.as_dict(
        leaderboard.kept_leaderboard(
            collection=collection,
            version=published.version,
            official=published.official,
            runs=leaderboard.chosen_runs(collection),
        )
    )

    assert api.get("/collections/harbour/leaderboard?version=1").json() == json.loads(json.dumps(expected))


def test_scores_are_those_of_the_command(api, published):
    reply = api.get("/collections/harbour/scores?qrels=@1&measures=RR@10&run=quay&per_query=true").json()

    values = {row["qid"]: row["value"] for row in reply["rows"]}
    assert values == {"q1": 1.0, "q2": 0.0, "q3": 1.0, "all": 2 / 3}


def test_qrels_are_the_published_bytes_and_kept_by_their_etag(api, published):
    reply = api.get("/collections/harbour/versions/1/qrels")

    assert hashlib.sha256(reply.content).hexdigest() == published.version.qrels_sha256
    assert reply["Preferee-Left-Out"] == "0"
    again = api.get("/collections/harbour/versions/1/qrels", **{"If-None-Match": reply["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_qrels_for_the_public_leave_out_what_is_not_released(client, published):
    """s, the best answer of q2, came from a run that releases scores only."""
    reply = client.get("/api/v1/collections/harbour/versions/1/qrels")

    assert b"q1 0 b 1" in reply.content
    assert b" s " not in reply.content
    assert int(reply["Preferee-Left-Out"]) > 0


def test_private_queries_and_teams_under_embargo_are_not_given_out(client, api, published):
    split = QuerySplit.objects.create(collection=published.collection, sha256="0")
    PrivateQuery.objects.create(split=split, query=published.query("q1"))
    Run.objects.filter(pk=published.mole.pk).update(team="Burrowers", anonymous_until=date(9000, 1, 1))

    assert b"q1 0" not in client.get("/api/v1/collections/harbour/versions/1/qrels").content
    assert b"q1 0" in api.get("/collections/harbour/versions/1/qrels").content
    for address in (RUNS, f"{RUNS}/{published.mole.pk}"):
        assert b"Burrowers" not in client.get(address).content
        assert b"Burrowers" in client.get(address, headers=api.headers).content


def test_a_store_that_is_away_is_not_named(api, monkeypatch):
    def away(user):
        raise BucketAway("The S3 server of the house is away.")

    monkeypatch.setattr("web.api.collections.listed_collections", away)

    reply = api.get("/collections")
    assert "house" not in json.dumps(problem(reply, 503))
    assert reply["Retry-After"] == "30"


def test_the_board_s_policy_holds_for_what_is_sent(api, published):
    set_policy(collection=published.collection, most_runs=1, period_days=30)
    sent = api.send()
    work_off_everything()

    upload = api.client.get(sent["Location"], headers=api.headers).json()
    assert upload["state"] == "refused"
    assert "asks for more" in upload["problems"][0]["reason"]


def test_private_runs_are_in_no_answer_for_the_public(client, published):
    for address in (RUNS, "/api/v1/collections/harbour/leaderboard"):
        assert b"deep" not in client.get(address).content
    problem(client.get(f"{RUNS}/{published.deep.pk}"), 404)


def test_judgments_are_lines_with_pseudonyms(api, published):
    lines = b"".join(api.get("/campaigns/spring/judgments")).splitlines()

    rows = [json.loads(line) for line in lines]
    assert rows
    assert all(row["worker"].startswith("w-") for row in rows)
    assert all({row["left"], row["right"]}.isdisjoint({"s", "d"}) for row in rows)


def test_steering_a_campaign_is_logged_with_who_and_why(api, published):
    published.campaign.state = "open"
    published.campaign.save()

    paused = api.post("/campaigns/spring/pause", {"why": "a look at workers"})
    resumed = api.post("/campaigns/spring/resume", {})

    assert (paused.json()["state"], resumed.json()["state"]) == ("paused", "open")
    change = CampaignChange.objects.get(what="paused")
    assert (change.who, change.why) == ("olga", "a look at workers")
    assert "cannot become" in problem(api.post("/campaigns/spring/resume", {}), 409)["detail"]


def test_a_challenge_is_planned_in_the_background(api, published):
    asked = api.post("/campaigns/spring/challenges", {"runs": ["quay"], "dry_run": True})
    assert asked.status_code == 202
    work_off_everything()

    done = api.get(f"/campaigns/spring/challenges/work/{asked.json()['id']}").json()
    assert (done["state"], done["result"]["state"], done["result"]["challengers"]) == ("done", "planned", 0)


def test_a_challenge_that_cannot_be_says_why(api, published):
    asked = api.post("/campaigns/spring/challenges", {"runs": ["nobody"]})
    work_off_everything()

    done = api.get(f"/campaigns/spring/challenges/work/{asked.json()['id']}").json()
    assert done["state"] == "failed"
    assert "has no run nobody" in done["problem"]


def test_a_token_that_opens_nothing_is_said_even_where_none_is_needed(client, published):
    reply = client.get("/api/v1/collections", headers={"Authorization": "Bearer pfr_x_y"})

    problem(reply, 401)
    assert reply["WWW-Authenticate"] == "Bearer"


def test_calls_are_limited_for_each_caller(api, client, settings, tmp_path):
    settings.CACHES = {  # one that nobody else clears meanwhile
        "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": str(tmp_path)}
    }
    settings.API_CALLS_PER_MINUTE = settings.API_ANONYMOUS_CALLS_PER_MINUTE = 2
    found = [api.get("/collections").status_code for _ in range(4)]

    assert found.count(429) >= 1  # a minute may end in between
    assert client.get("/api/v1/collections").status_code == 200
    said = next(reply for reply in (api.get("/collections") for _ in range(4)) if reply.status_code == 429)
    assert 1 <= int(said["Retry-After"]) <= 60


def test_addresses_that_are_none_are_answered_as_problems(api):
    problem(api.get("/nothing/here"), 404)
    problem(api.get("/collections/nowhere"), 404)
    problem(api.get("/collections/harbour/leaderboard?version=99"), 404)
    problem(api.get("/collections/harbour/runs?limit=0"), 422)
    assert "GET" in problem(api.post("/collections/harbour", {}), 405)["detail"]


def test_a_fault_of_ours_tells_nothing(api, monkeypatch):
    def broken(user):
        raise RuntimeError("the secret of the house")

    monkeypatch.setattr("web.api.collections.listed_collections", broken)

    assert "secret" not in json.dumps(problem(api.get("/collections"), 500))


def test_the_description_is_served_by_us_alone(client, db):
    reply = client.get("/api/v1/openapi.json")

    assert reply.json()["openapi"].startswith("3.")
    assert client.get("/api/v1/docs").status_code == 404


def test_pages_of_runs(api, published):
    published.add_runs(5)

    page = api.get("/collections/harbour/runs?limit=2&offset=2").json()

    assert (page["count"], len(page["runs"])) == (8, 2)


def test_the_same_key_in_another_collection_is_another_upload(api):
    other = make_collection("elsewhere", ["q1"])
    Membership.objects.create(collection=other, user=api.user, role="owner")
    api.send()

    reply = api.post("/collections/elsewhere/runs", RUN, **{"Idempotency-Key": "k1"})

    assert reply.status_code == 202
