"""Nothing unreleased is shown to non-members on any page."""

from datetime import UTC, date, datetime

import pytest
from django.contrib.auth import get_user
from django.contrib.auth.models import AnonymousUser
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from accounts.services.tokens import make_token
from config.background.services import run_job
from judging.models import Exclusion
from leaderboard.jobs import ring_for_analysis
from pooling.models import PrivateQuery, QuerySplit, Run
from pooling.teams.submission_policies import set_policy
from tests.factories import make_run
from tournament.models import Challenge, ChallengedQuery
from tournament.services.passage_visibility import sight_of
from web.analyses import pages as analysis_pages
from web.common.visibility import as_shown, listed_runs, without_private

pytestmark = pytest.mark.one_database


def page(client, address, status=200):
    reply = client.get(address)
    assert reply.status_code == status
    return reply.content.decode()


def query_url(harbour, qid):
    return reverse("web:query", args=["harbour", 1, harbour.query(qid).pk])


def test_private_runs_are_on_no_page(client, published):
    addresses = [
        "/",
        "/collections/harbour/",
        "/collections/harbour/leaderboard/",
        "/collections/harbour/leaderboard.csv",
        query_url(published, "q1"),
    ]

    for address in addresses:
        assert "deep" not in page(client, address), address
    page(client, f"/collections/harbour/runs/{published.deep.pk}/", 404)


def test_private_runs_are_shown_to_members(member, published):
    assert "deep" in page(member, "/collections/harbour/leaderboard/")
    assert "deep" in page(member, query_url(published, "q1"))
    page(member, f"/collections/harbour/runs/{published.deep.pk}/")


def test_private_runs_are_hidden_from_people_who_are_signed_in_but_no_members(
    client, published, django_user_model
):
    client.force_login(django_user_model.objects.create_user("bob"))

    assert "deep" not in page(client, "/collections/harbour/leaderboard/")
    page(client, f"/collections/harbour/runs/{published.deep.pk}/", 404)


def test_runs_released_as_scores_have_values(client, published):
    assert "mole" in page(client, "/collections/harbour/leaderboard/")
    page(client, f"/collections/harbour/runs/{published.mole.pk}/")


def test_a_passage_that_only_unreleased_runs_supplied_is_not_shown(client, published):
    shown = page(client, query_url(published, "q2"))

    assert "text of s" not in shown
    assert '<span class="mono">s</span>' not in shown
    assert "This passage is not shown" in shown
    assert "mole" not in shown


def test_members_see_such_passages_and_who_supplied_them(member, published):
    shown = page(member, query_url(published, "q2"))

    assert "text of s" in shown
    assert "mole" in shown


def test_a_qrel_is_shown_whoever_supplied_it(client, published):
    """a is the official qrel of q1; the only run with it on top releases only scores."""
    shown = page(client, query_url(published, "q1"))

    assert "text of a" in shown
    assert "text of d" not in shown


def test_a_reason_that_names_a_hidden_passage_is_left_out(client, member, published):
    assert "<dt>Why</dt>" in page(member, query_url(published, "q2"))
    client.logout()

    assert "<dt>Why</dt>" not in page(client, query_url(published, "q2"))


@pytest.mark.parametrize(("release", "seen"), [("public", True), ("scores", False), ("private", False)])
def test_challengers_are_shown_as_their_runs_are_released(published, release, seen):
    run = make_run(published.collection, "late", {"q1": ["new"]}, release=release)
    passage = published.passage("new")
    challenge = Challenge.objects.create(campaign=published.campaign, number=1, run_tags=[run.run_tag])
    query = published.query("q1")
    ChallengedQuery.objects.create(
        challenge=challenge, query=query, best_ids=[], challenger_ids=[passage.pk], members={}
    )

    sight = sight_of(published.collection, [query], AnonymousUser())

    assert sight.sees(query.pk, passage.pk) is seen
    assert [one.run_tag for one in sight.shown_suppliers(query.pk, passage.pk)] == (["late"] if seen else [])


def test_reasons_of_exclusions_are_for_members(client, member, published):
    Exclusion.objects.create(
        campaign=published.campaign, worker=published.judge, rule="reference", reason="failed gold pair 7"
    )

    address = f"/campaigns/spring/workers/{published.judge.pk}/"

    assert "failed gold pair 7" in page(member, address)
    client.logout()
    assert "failed gold pair 7" not in page(client, "/campaigns/spring/")
    assert client.get(address).status_code == 403


def test_workers_are_named_by_key_to_members_only(client, member, published):
    assert f"worker {published.judge.pk}" in page(member, query_url(published, "q1"))
    client.logout()
    assert f"worker {published.judge.pk}" not in page(client, query_url(published, "q1"))


def test_results_on_private_queries_are_shown_to_members_only(member, published):
    client = Client()
    split = QuerySplit.objects.create(collection=published.collection, sha256="0")
    PrivateQuery.objects.create(split=split, query=published.query("q2"))
    version = "/collections/harbour/versions/1/"

    shown, everything = (page(one, version) for one in (client, member))
    board, whole = (page(one, "/collections/harbour/leaderboard/") for one in (client, member))

    assert query_url(published, "q2") in everything
    assert query_url(published, "q2") not in shown
    assert board != whole
    page(client, query_url(published, "q2"), 404)
    page(member, query_url(published, "q2"))
    run = f"/collections/harbour/runs/{published.mole.pk}/"
    assert "Private queries are left out" in page(client, run)
    assert "Private queries are left out" not in page(member, run)


def test_the_warning_of_a_report_counts_public_queries_whatever_its_stored_words():
    report = {"unanswered": ["q1", "q2"], "warnings": ["2 queries are without results", "1 query has ties"]}

    told = without_private(report, {"q2"})
    nothing = without_private(report, {"q1", "q2"})

    assert told["warnings"] == ["1 query of the collection has no answer in the run", "1 query has ties"]
    assert nothing["warnings"] == ["1 query has ties"]
    assert without_private(report | {"unanswered": []}, {"q2"})["warnings"] == report["warnings"]


def test_the_author_of_a_run_is_hidden_until_its_embargo_ends(member, published):
    client = Client()
    run = published.mole
    run.team, run.description, run.anonymous_until = "Burrowers", "dug deep", date(9000, 1, 1)
    run.save()
    address = f"/collections/harbour/runs/{run.pk}/"

    for one in (
        address,
        "/collections/harbour/runs/",
        "/collections/harbour/runs/?sort=team",
        "/collections/harbour/leaderboard/",
    ):
        assert "Burrowers" not in page(client, one)
        assert "anonymous until 9000-01-01" in page(client, one)
        assert "Burrowers" in page(member, one)
    assert "dug deep" not in page(client, address)
    Run.objects.update(anonymous_until=date(2000, 1, 1))
    assert "Burrowers" in page(client, address)


def test_only_the_day_of_a_run_under_embargo_is_shown(member, published):
    client, moment = Client(), datetime(2026, 3, 4, 5, 6, 7, 89, tzinfo=UTC)
    run = published.mole
    run.created_at, run.anonymous_until = moment, date(9000, 1, 1)
    run.save()
    addresses = ("/collections/harbour/runs/", f"/collections/harbour/runs/{run.pk}/")
    answer = f"/api/v1/collections/harbour/runs/{run.pk}"

    assert client.get(answer).json()["created_at"] == "2026-03-04T00:00:00Z"
    for address in addresses:
        assert "2026-03-04" in page(client, address)
        assert "05:06" not in page(client, address)
        assert "05:06" in page(member, address)


def test_runs_under_embargo_are_sorted_by_day_and_tag(published):
    moments = {"mole": 9, "quay": 8, "deep": 7}
    for tag, hour in moments.items():
        moment = datetime(2026, 3, 4, hour, tzinfo=UTC)
        Run.objects.filter(run_tag=tag).update(
            created_at=moment, anonymous_until=date(9000, 1, 1), release="public", team="Burrowers"
        )
    set_policy(collection=published.collection, most_runs=9, period_days=1, public_list="all")

    runs = Client().get("/collections/harbour/runs/?sort=-created_at").context["page"].object_list
    submitted = Client().get("/collections/harbour/teams/").context["submitted"]

    assert [run.run_tag for run in runs] == ["deep", "mole", "quay"]
    assert [run.run_tag for run in submitted] == ["deep", "mole", "quay"]


def test_only_the_run_decides_what_is_released(harbour):
    """Lists, analyses and boards use the run's own method, so that they cannot disagree."""
    run = harbour.quay
    facts = {"team": "Burrowers", "description": "dug", "paper": "p", "code": "c"}
    Run.objects.filter(pk=run.pk).update(**facts, anonymous_until=date(9000, 1, 1))
    anonymous = Run.objects.get(pk=run.pk)
    kind = analysis_pages.kind_or_404("stability")

    analysed = analysis_pages.asked_for(harbour.collection, kind, QueryDict(), AnonymousUser()).runs
    listed = listed_runs(harbour.collection, AnonymousUser())

    assert list(analysed) == list(listed) == list(Run.objects.released().order_by("run_tag"))
    assert {run.run_tag for run in listed} == {"quay", "mole"}
    [shown] = [run for run in analysed if run.run_tag == "quay"]
    assert [getattr(shown, name) for name in facts] == ["", "", "", ""]
    assert as_shown(anonymous, False).team == "anonymous until 9000-01-01"
    assert [getattr(anonymous, name) for name in facts if name != "team"] == ["", "", ""]


def test_an_analysis_for_everybody_leaves_out_a_run_that_became_private_while_it_waited(harbour):
    kind = analysis_pages.kind_or_404("stability")
    asked = analysis_pages.asked_for(harbour.collection, kind, QueryDict(), AnonymousUser())
    job = ring_for_analysis(asked)
    Run.objects.filter(run_tag="mole").update(release="private")
    kept = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("leaderboard.jobs.keep_result", lambda asked, progress: kept.append(asked))
        run_job(job.pk)

    assert [run.run_tag for run in kept[0].runs] == ["quay"]


def test_reports_of_runs_name_no_private_queries(client, member, published):
    split = QuerySplit.objects.create(collection=published.collection, sha256="0" * 64)
    PrivateQuery.objects.create(split=split, query=published.query("q2"))
    Run.objects.filter(pk=published.quay.pk).update(
        report={"unanswered": ["q2", "q3"], "skipped": ["q2", "x"]}
    )
    address = f"/api/v1/collections/harbour/runs/{published.quay.pk}"
    token = make_token(user=get_user(member), name="t", scopes=["read"], days=1)[1]

    shown = client.get(address).json()["report"]
    listed = client.get("/api/v1/collections/harbour/runs?run_tag=quay").json()["runs"][0]["report"]
    theirs = client.get(address, headers={"Authorization": f"Bearer {token}"}).json()["report"]

    assert shown == listed == {"unanswered": ["q3"], "skipped": ["x"]}
    assert theirs["unanswered"] == ["q2", "q3"]
