"""The list of runs, a run query by query, and changes to a run."""

from datetime import date, timedelta

import pytest

from config import clock
from leaderboard.board.default_measure import set_default_measure
from pooling.models import PrivateQuery, QuerySplit, Run
from pooling.teams.submission_policies import set_policy
from tests.factories import make_run
from tests.web.preparing_cast import texts

RUNS = "/collections/harbour/runs/"


def tags(reply):
    return [run.run_tag for run in reply.context["page"]]


def qids(reply):
    return [line.query.qid for line in reply.context["page"]]


def test_runs_are_filtered_sorted_and_cut_into_pages(cast):
    client = cast.clients["viewer"]
    cast.add_runs(60)
    Run.objects.filter(run_tag="extra007").update(baseline=True)

    assert tags(client.get(RUNS, {"show": "baseline"})) == ["extra007"]
    assert tags(client.get(RUNS, {"show": "warned"})) == ["quay"]
    assert len(tags(client.get(RUNS, {"sort": "-created_at"}))) == 50
    assert len(tags(client.get(RUNS, {"page": 2}))) == 13
    assert tags(client.get(RUNS, {"sort": "-run_tag", "q": "qua"})) == ["quay"]
    assert (
        len(tags(client.get(RUNS, {"show": "new", "page": 2}))) == 10
    )  # three of the 63 contributed to a pool
    assert tags(client.get(RUNS, {"show": "nonsense", "sort": "nonsense", "page": "x", "q": "mole"})) == [
        "mole"
    ]


def test_runs_are_sorted_by_the_columns_of_the_board(cast):
    client = cast.clients["viewer"]
    by_board = {row.run: row.leading.rank for row in client.get(RUNS).context["board"].board.rows}

    best_first, worst_first, official = (
        tags(client.get(RUNS, {"sort": sort})) for sort in ("-rank", "rank", "-official")
    )

    assert sorted(best_first) == sorted(worst_first) == sorted(official)
    assert [by_board[tag] for tag in best_first] == sorted(by_board[tag] for tag in best_first)
    assert [by_board[tag] for tag in worst_first] == sorted(
        (by_board[tag] for tag in worst_first), reverse=True
    )


def test_the_values_of_runs_state_their_queries(cast):
    page = cast.clients["viewer"].get(RUNS)

    queries = page.context["board"].board.queries
    assert f"values over the {queries} queries of the leaderboard" in page.content.decode()


def test_a_team_under_embargo_is_not_found_by_its_name(cast):
    until = clock.now().date() + timedelta(days=9)
    Run.objects.filter(run_tag="quay").update(team="Burrowers", anonymous_until=until)

    assert tags(cast.clients["stranger"].get(RUNS, {"q": "burrow"})) == []
    assert tags(cast.clients["viewer"].get(RUNS, {"q": "burrow"})) == ["quay"]


def test_a_run_is_shown_query_by_query(cast):
    address = f"{RUNS}{cast.deep.pk}/"
    client = cast.clients["viewer"]

    whole = client.get(address)
    assert "has results for 3 of 3 queries" in texts(client.get(f"{RUNS}{cast.quay.pk}/"))
    assert "Queries with results" in texts(client.get(RUNS))
    assert qids(whole) == ["q1", "q2", "q3"]
    assert [line.top for line in whole.context["page"]] == ["d", "", ""]
    assert qids(client.get(address, {"show": "missing"})) == ["q2", "q3"]
    assert qids(client.get(address, {"q": "what is q2"})) == ["q2"]
    assert qids(client.get(f"{RUNS}{cast.quay.pk}/", {"show": "unanswered"})) == ["q2", "q3"]


def test_the_default_measure_of_the_leaderboard_stands_first(cast):
    def measures():
        return cast.clients["viewer"].get(f"{RUNS}{cast.quay.pk}/").context["measures"]

    values = cast.clients["viewer"].get(f"{RUNS}{cast.quay.pk}/").context["values"]
    assert [one.name for one in values] == ["@1", "official"]
    assert measures() == ["RR@10", "nDCG@10", "P@10", "Success@10"]
    set_default_measure(collection=cast.collection, name="AP", who="owner")
    assert measures()[:2] == ["AP", "RR@10"]


def test_passages_of_a_run_that_releases_scores_are_not_shown_to_others(cast):
    address = f"{RUNS}{cast.mole.pk}/"

    assert {line.top for line in cast.clients["nobody"].get(address).context["page"]} == {""}
    assert "c3" in {line.top for line in cast.clients["viewer"].get(address).context["page"]}


def test_private_queries_are_not_shown_to_others(cast):
    split = QuerySplit.objects.create(collection=cast.collection, sha256="0")
    PrivateQuery.objects.create(split=split, query=cast.query("q1"))
    address = f"{RUNS}{cast.quay.pk}/"

    assert qids(cast.clients["nobody"].get(address)) == ["q2", "q3"]
    assert qids(cast.clients["viewer"].get(address)) == ["q1", "q2", "q3"]


def test_a_run_is_described(cast):
    client, address = cast.clients["maintainer"], f"{RUNS}{cast.quay.pk}/describe/"

    saved = client.post(
        address, {"team": "divers", "paper": "https://example.org/p", "submitted_on": "2026-01-02"}
    )

    cast.quay.refresh_from_db()
    assert saved.status_code == 302
    assert (cast.quay.team, cast.quay.submitted_on) == ("divers", date(2026, 1, 2))
    assert 'rel="nofollow"' in client.get(saved["Location"]).content.decode()
    assert cast.collection.changes.get().who == "maintainer"


def test_fields_that_the_policy_uses_cannot_change(cast):
    set_policy(collection=cast.collection, most_runs=1, period_days=30, required=["team", "description"])
    Run.objects.filter(pk=cast.quay.pk).update(team="T", description="d", submitted_on=date(2026, 1, 1))
    client, address = cast.clients["maintainer"], f"{RUNS}{cast.quay.pk}/describe/"
    said = {"description": "new", "team": "U", "submitted_on": "2026-05-05", "baseline": "on"}

    emptied = client.post(address, said | {"description": ""})
    client.post(address, said)

    cast.quay.refresh_from_db()
    assert emptied.status_code == 422
    assert "The board requires this" in emptied.content.decode()
    assert (cast.quay.description, cast.quay.team, cast.quay.submitted_on, cast.quay.baseline) == (
        "new", "T", date(2026, 1, 1), False,
    )  # fmt: skip


def test_a_release_needs_a_confirmation(cast):
    client, address = cast.clients["owner"], f"{RUNS}{cast.deep.pk}/release/"

    asked = client.get(address, {"release": "public"}).content.decode()
    assert Run.objects.get(pk=cast.deep.pk).release == "private"
    client.post(address, {"release": "public"})

    assert "Release deep as public" in asked
    assert Run.objects.get(pk=cast.deep.pk).release == "public"
    assert cast.collection.changes.get().what == "run deep released as public"


def test_several_runs_are_released_after_a_confirmation(cast):
    client, keys = cast.clients["maintainer"], [cast.deep.pk, cast.mole.pk, cast.quay.pk]

    asked = client.get(f"{RUNS}release/", {"run": keys, "release": "public"}).content.decode()
    assert set(Run.objects.values_list("run_tag", "release")) >= {("deep", "private"), ("mole", "scores")}
    said = client.post(f"{RUNS}release/", {"run": keys, "release": "public"}, follow=True).content.decode()

    assert "Release 2 runs as public" in asked  # quay is public already
    assert "2 runs are now released as public." in said
    assert set(Run.objects.filter(pk__in=keys).values_list("release", flat=True)) == {"public"}
    logged = cast.collection.changes.order_by("pk").values_list("what", "who")
    assert list(logged) == [
        ("run deep released as public", "maintainer"),
        ("run mole released as public", "maintainer"),
    ]


@pytest.mark.parametrize("said", [{"run": ["x", "9" * 30]}, {"release": "nonsense"}, {"run": ["999999"]}])
def test_a_missing_run_or_level_is_reported_and_changes_nothing(cast, said):
    said = {"run": [cast.deep.pk], "release": "public"} | said

    page = cast.clients["owner"].post(f"{RUNS}release/", said, follow=True).content.decode()

    assert "Choose runs, and public, scores or private." in page
    assert Run.objects.get(pk=cast.deep.pk).release == "private"


def test_only_people_who_can_change_runs_can_choose_them(cast):
    assert 'form="release-runs"' in cast.clients["maintainer"].get(RUNS).content.decode()
    assert 'form="release-runs"' not in cast.clients["viewer"].get(RUNS).content.decode()


def test_a_run_is_withdrawn_only_if_nothing_depends_on_it(cast, data_dir, django_capture_on_commit_callbacks):
    alone = make_run(cast.collection, "alone", {"q1": ["z"]})
    client = cast.clients["maintainer"]
    assert (data_dir / "runs" / alone.storage_name).exists()

    with django_capture_on_commit_callbacks(execute=True):
        gone = client.post(f"{RUNS}{alone.pk}/withdraw/")
    stays = client.post(f"{RUNS}{cast.quay.pk}/withdraw/", follow=True)

    assert gone["Location"] == RUNS
    assert not Run.objects.filter(run_tag="alone").exists()
    assert not (data_dir / "runs" / alone.storage_name).exists()
    assert Run.objects.filter(pk=cast.quay.pk).exists()
    assert "its passages are in the pool tide" in stays.content.decode()
