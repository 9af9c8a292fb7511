"""API calls: their responses, and their explanations of refusals."""

import hashlib
import json
from datetime import date

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judging.models import CampaignChange
from leaderboard.board.boards import AskedBoard, as_dict, kept_leaderboard
from leaderboard.scoring.chosen_runs import chosen_runs
from pooling.errors import BucketAway
from pooling.models import PrivateQuery, QuerySplit, Run
from pooling.teams.submission_policies import set_policy
from tests.due_jobs import work_off_everything
from tests.web.api_caller import RUNS, api as api, problem
from tournament.models import QrelVersion

pytestmark = pytest.mark.one_database


def test_describing_a_run_is_logged(api, published):
    address = f"{RUNS}/{published.deep.pk}"

    changed = api.client.patch(
        address, {"team": "divers", "release": "public"}, content_type="application/json", headers=api.headers
    )

    assert (changed.json()["team"], changed.json()["release"]) == ("divers", "public")
    assert published.collection.changes.get().what == "run deep released as public"


def test_several_runs_are_released_all_or_none(api, published):
    wrong = api.post("/collections/harbour/runs/release", {"runs": ["deep", "gone"], "release": "public"})
    assert "no run gone" in problem(wrong, 404)["detail"]
    published.deep.refresh_from_db()
    assert published.deep.release == "private"

    reply = api.post("/collections/harbour/runs/release", {"runs": ["deep", "quay"], "release": "public"})

    assert reply.json() == {"release": "public", "changed": ["deep"]}
    assert published.collection.changes.get().what == "run deep released as public"


def test_the_leaderboard_equals_the_commands(api, published):
    collection = published.collection
    expected = as_dict(
        kept_leaderboard(
            AskedBoard(collection, published.version, published.official, chosen_runs(collection))
        )
    )

    for row in expected["rows"]:
        row["team"] = None
    assert api.get("/collections/harbour/leaderboard?version=1").json() == json.loads(json.dumps(expected))


def test_scores_equal_the_commands(api, published):
    reply = api.get("/collections/harbour/scores?qrels=@1&measures=RR@10&run=quay&per_query=true").json()

    values = {row["qid"]: row["value"] for row in reply["rows"]}
    assert values == {"q1": 1.0, "q2": 0.0, "q3": 1.0, "all": 2 / 3}


def test_qrels_are_the_published_bytes_with_an_etag(api, published):
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


def test_the_hash_of_a_versions_qrels_is_of_the_part_that_the_reader_sees(client, api, published):
    """The hash of the whole file would confirm a guess of the lines left out."""
    published.add_queries(1)
    published.publish()

    def hashes(reply):
        return {row["number"]: row["qrels_sha256"] for row in reply.json()}

    for level in ("scores", "public"):
        Run.objects.filter(pk=published.mole.pk).update(release=level)
        told = hashes(client.get("/api/v1/collections/harbour/versions"))
        for number in (1, 2):
            seen = client.get(f"/api/v1/collections/harbour/versions/{number}/qrels")
            assert told[number] == hashlib.sha256(seen.content).hexdigest()
        whole = hashes(api.get("/collections/harbour/versions"))
        assert whole == dict(QrelVersion.objects.values_list("number", "qrels_sha256"))
        assert (told == whole) == (level == "public")

    split = QuerySplit.objects.create(collection=published.collection, sha256="0")
    PrivateQuery.objects.create(split=split, query=published.query("q1"))
    told = hashes(client.get("/api/v1/collections/harbour/versions"))
    seen = client.get("/api/v1/collections/harbour/versions/1/qrels").content
    assert told[1] == hashlib.sha256(seen).hexdigest() != whole[1]


def test_more_versions_cost_no_more_queries(client, published):
    def counted():
        with CaptureQueriesContext(connection) as first:
            client.get("/api/v1/collections/harbour/versions")
        with CaptureQueriesContext(connection) as again:
            client.get("/api/v1/collections/harbour/versions")
        return len(first), len(again)

    few = counted()
    for _ in range(4):
        published.add_queries(1)
        published.publish()
    many = counted()

    assert many <= few
    assert many[1] < many[0]


def test_private_queries_and_teams_under_embargo_are_hidden(client, api, published):
    split = QuerySplit.objects.create(collection=published.collection, sha256="0")
    PrivateQuery.objects.create(split=split, query=published.query("q1"))
    Run.objects.filter(pk=published.mole.pk).update(team="Burrowers", anonymous_until=date(9000, 1, 1))

    assert b"q1 0" not in client.get("/api/v1/collections/harbour/versions/1/qrels").content
    assert b"q1 0" in api.get("/collections/harbour/versions/1/qrels").content
    for address in (RUNS, f"{RUNS}/{published.mole.pk}"):
        assert b"Burrowers" not in client.get(address).content
        assert b"Burrowers" in client.get(address, headers=api.headers).content


def test_an_unavailable_run_store_is_not_named(api, monkeypatch):
    def away(user):
        raise BucketAway("The S3 server of the house is away.")

    monkeypatch.setattr("web.collections.api.listed_collections", away)

    reply = api.get("/collections")
    assert "house" not in json.dumps(problem(reply, 503))
    assert reply["Retry-After"] == "30"


def test_the_boards_policy_applies_to_uploads(api, published):
    set_policy(collection=published.collection, most_runs=1, period_days=30)
    sent = api.send()
    work_off_everything()

    upload = api.client.get(sent["Location"], headers=api.headers).json()
    assert upload["state"] == "refused"
    assert "required details are missing" in upload["problems"][0]["reason"]
    assert upload["problems"][0]["next_step"] == "Add: “team”, “description”, “family” (detail=family=…)."


def test_private_runs_are_in_no_public_response(client, published):
    for address in (RUNS, "/api/v1/collections/harbour/leaderboard"):
        assert b"deep" not in client.get(address).content
    problem(client.get(f"{RUNS}/{published.deep.pk}"), 404)


def test_judgments_are_lines_with_pseudonyms(api, published):
    lines = b"".join(api.get("/campaigns/spring/judgments")).splitlines()

    rows = [json.loads(line) for line in lines]
    assert rows
    assert all(row["worker"].startswith("w-") for row in rows)
    assert all({row["left"], row["right"]}.isdisjoint({"s", "d"}) for row in rows)


def test_actions_on_a_campaign_are_logged_with_who_and_why(api, published):
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


def test_an_impossible_challenge_is_refused_with_a_reason(api, published):
    said = problem(api.post("/campaigns/spring/challenges", {"runs": ["nobody"]}), 404)
    assert "has no run nobody" in said["detail"]

    asked = api.post("/campaigns/spring/challenges", {"runs": ["deep"]})
    Run.objects.filter(run_tag="deep").update(run_tag="gone")
    work_off_everything()

    done = api.get(f"/campaigns/spring/challenges/work/{asked.json()['id']}").json()
    assert done["state"] == "failed"
    assert "has no run deep" in done["problem"]


def test_an_invalid_token_is_refused_even_where_none_is_needed(client, published):
    reply = client.get("/api/v1/collections", headers={"Authorization": "Bearer pfr_x_y"})

    problem(reply, 401)
    assert reply["WWW-Authenticate"] == "Bearer"


def test_calls_are_limited_for_each_caller(api, client, settings, tmp_path):
    settings.CACHES = {  # a separate one, which no other test clears
        "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": str(tmp_path)}
    }
    settings.API_CALLS_PER_MINUTE = settings.API_ANONYMOUS_CALLS_PER_MINUTE = 2
    found = [api.get("/collections").status_code for _ in range(4)]

    assert found.count(429) >= 1  # a minute can end in between
    assert client.get("/api/v1/collections").status_code == 200
    said = next(reply for reply in (api.get("/collections") for _ in range(4)) if reply.status_code == 429)
    assert 1 <= int(said["Retry-After"]) <= 60


def test_unknown_addresses_return_problem_documents(api):
    problem(api.get("/nothing/here"), 404)
    problem(api.get("/collections/nowhere"), 404)
    problem(api.get("/collections/harbour/leaderboard?version=99"), 404)
    problem(api.get("/collections/harbour/runs?limit=0"), 422)
    assert "GET" in problem(api.post("/collections/harbour", {}), 405)["detail"]


def test_a_server_error_reveals_nothing(api, monkeypatch):
    def broken(user):
        raise RuntimeError("the secret of the house")

    monkeypatch.setattr("web.collections.api.listed_collections", broken)

    assert "secret" not in json.dumps(problem(api.get("/collections"), 500))


def test_the_description_loads_nothing_from_other_sites(client, db):
    reply = client.get("/api/v1/openapi.json")

    assert reply.json()["openapi"].startswith("3.")
    assert client.get("/api/v1/docs").status_code == 404


def test_pages_of_runs(api, published):
    published.add_runs(5)

    page = api.get("/collections/harbour/runs?limit=2&offset=2").json()

    assert (page["count"], len(page["runs"])) == (8, 2)
