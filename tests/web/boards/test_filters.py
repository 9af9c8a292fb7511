"""A leaderboard's rows and columns, comparing two runs, and citing; nothing reveals the team of a hidden run."""

import csv
import html
import json
import re
from datetime import date, timedelta
from urllib.parse import urlencode

import pytest
from django.contrib.auth import get_user
from django.contrib.auth.models import AnonymousUser
from django.http import QueryDict
from django.test import Client

from accounts.services.tokens import make_token
from config import clock
from leaderboard.analyses.runner import compute_analysis
from leaderboard.output.content import analysis_content
from pooling.models import Run
from pooling.teams.teams import make_team
from tests.factories import add_to_team, make_run
from tests.web.preparing_cast import texts
from web.analyses.pages import asked_for, kind_or_404
from web.boards.citations import bibtex_entry
from web.boards.filters import Filters, chosen_columns

pytestmark = pytest.mark.one_database

BOARD = "/collections/harbour/leaderboard/"


@pytest.fixture
def fleet(published):
    """Four public runs: two of Otters, one of Gulls, and one of Seals whose authors are under embargo."""
    facts = {
        "o-dense": ("Otters", {"neural": "nnlm", "subtask": "fullrank"}, "2026-03-01"),
        "o-rerank": ("Otters", {"neural": "nnlm", "subtask": "rerank", "stage": "multi"}, "2026-03-05"),
        "g-trad": ("Gulls", {"neural": "trad", "subtask": "fullrank"}, "2026-04-01"),
        "s-secret": ("Seals", {"neural": "nn", "training": "secret corpus"}, "2026-04-02"),
    }
    for tag, (team, details, day) in facts.items():
        hidden = {"anonymous_until": clock.now().date() + timedelta(days=30)} if team == "Seals" else {}
        make_run(
            published.collection,
            tag,
            {"q1": ["b", tag]},
            release=Run.Release.PUBLIC,
            team=team,
            details=details,
            submitted_on=day,
            **hidden,
        )
    return published


def shown(client, **asked) -> list[str]:
    board = client.get(BOARD, asked).context["board"]
    return sorted(line.row.run for line in board.page if not line.row.perfect)


def test_figures_follow_the_filters(fleet):
    reply = Client().get(BOARD, {"team": "Otters", "until": "2026-03-04"})
    table = Client().get(f"{BOARD[:-1]}.csv", {"team": "Otters", "of": "boards"}).content.decode()
    none = Client().get(BOARD, {"q": "no such run"})

    board = reply.context["board"]
    assert [chart["rows"] for chart in board.figures[0].charts] == [["o-dense"], ["o-dense"]]
    assert "team=Otters&until=2026-03-04" in board.figure_address
    assert "o-rerank" in table
    assert "g-trad" not in table
    whole = Client().get(BOARD).context["board"].figures
    for before, after in zip(whole, board.figures, strict=True):
        for axis in ("span", "x_span", "y_span"):
            assert [chart.get(axis) for chart in before.charts] == [chart.get(axis) for chart in after.charts]
    low, high = board.figures[0].charts[0]["span"]
    bounds = [end for mark in whole[0].charts[0]["series"][0]["marks"] for end in mark]
    assert (low, high) == (min(bounds), max(bounds))
    assert none.context["board"].figures == ()
    assert Client().get(f"{BOARD[:-1]}.svg", {"q": "no such run"}).status_code == 404


def test_a_download_has_the_runs_of_the_filter_and_says_so(fleet):
    page = Client().get(BOARD, {"team": "Otters"}).content.decode()
    address = html.unescape(re.search(r'href="([^"]*leaderboard\.csv\?[^"]*)">CSV', page)[1])
    table = Client().get(address).content.decode()

    assert "contain only the runs shown" in page
    assert "o-dense" in table
    assert "g-trad" not in table
    assert "contain only the runs shown" not in Client().get(BOARD).content.decode()
    assert "leaderboard.csv" not in Client().get(BOARD, {"q": "no such run"}).content.decode()


@pytest.mark.parametrize(
    ("asked", "runs"),
    [
        ({"team": "Otters"}, ["o-dense", "o-rerank"]),
        ({"neural": "trad"}, ["g-trad"]),
        ({"neural": "nnlm", "subtask": "rerank"}, ["o-rerank"]),
        ({"stage": "multi"}, ["o-rerank"]),
        ({"from": "2026-03-05", "until": "2026-04-01"}, ["g-trad", "o-rerank"]),
        ({"until": "2026-03-01"}, ["o-dense"]),
        ({"team": "Gulls", "q": "dense"}, []),
        ({"from": "no day", "team": "Gulls"}, ["g-trad"]),
    ],
)
def test_runs_are_filtered_by_team_type_and_period(fleet, client, asked, runs):
    assert shown(client, **asked) == runs


def test_filters_change_no_rank_and_no_value(fleet, client):
    def lines(**asked):
        board = client.get(BOARD, asked).context["board"]
        return {line.row.run: line.row for line in board.page}

    everything, some = lines(), lines(neural="nnlm")

    assert some == {tag: everything[tag] for tag in some}
    assert f"2 runs of {len(everything) - 1}" in texts(client.get(BOARD, {"neural": "nnlm"}))


def test_a_filter_without_a_match_does_not_count_the_perfect_run(fleet, client):
    runs = client.get(BOARD).context["board"].published.runs

    assert f"0 runs of {runs}" in texts(client.get(BOARD, {"q": "no such run"}))
    assert f"0 runs of {runs}" in texts(client.get(BOARD, {"q": "perfect"}))


def test_a_filter_never_reveals_the_team_of_a_run_under_embargo(fleet, client, cast):
    assert shown(client, team="Seals") == []
    assert "Seals" not in client.get(BOARD, {"column": ["team"]}).content.decode()
    assert "s-secret" in shown(client, neural="nn")

    assert shown(cast.clients["viewer"], team="Seals") == ["s-secret"]


def test_only_filters_that_distinguish_runs_are_offered(fleet, client):
    offered = {one.name: one.values for one in client.get(BOARD).context["board"].offers}

    assert offered["neural"] == ["nn", "nnlm", "trad"]
    assert "stage" not in offered  # one run states it, so it has one value
    assert "family" not in offered


def test_columns_are_chosen_and_stay_in_the_address(fleet, client):
    page = client.get(BOARD, {"column": ["neural", "submitted", "judged", "no such"]})
    said = page.content.decode()

    assert page.context["board"].columns == ["judged", "submitted", "neural"]
    assert "Official <" not in said
    assert "2026-03-05" in said
    assert "nnlm" in said
    assert "column=neural" in said  # sorting links keep the columns


def test_without_a_choice_the_usual_columns_are_shown():
    assert chosen_columns(QueryDict("")) == chosen_columns(QueryDict("column=nothing"))
    assert "official" in chosen_columns(QueryDict(""))


def test_two_runs_ticked_on_the_board_are_compared(fleet, client):
    board = texts(client.get(BOARD))
    assert "Compare the two chosen runs" in board

    page = client.get("/collections/harbour/two-runs/?run=o-dense&run=g-trad&labels=%401&measure=RR@10")

    assert (page.context["a"], page.context["b"]) == ("o-dense", "g-trad")
    assert {"o-dense, Otters", "g-trad, Gulls"} <= set(
        re.findall(r"[og]-\w+ ?, \w+", texts(page).replace(" ,", ","))
    )


def test_a_run_is_cited_without_the_authors_under_embargo(fleet, client):
    for tag, team in (("o-dense", "Otters"), ("s-secret", "anonymous until")):
        run = Run.objects.get(run_tag=tag)
        page = client.get(f"/collections/harbour/runs/{run.pk}/")
        assert f"title = {{Run {tag} by {team}" in page.context["bibtex"]
        assert page.context["link"].endswith(f"/collections/harbour/runs/{run.pk}/")
        assert "Seals" not in page.content.decode()


def test_a_bibtex_entry_escapes_latex():
    entry = bibtex_entry(
        key="a b{c", title="50% of R&D_1", year=2026, address="https://x.test/?a_b", note="#1"
    )

    assert entry.startswith("@misc{a-b-c,\n")
    assert r"title = {50\% of R\&D\_1}" in entry
    assert r"\url{https://x.test/?a_b}" in entry


def test_a_bibtex_entry_contains_no_commands_from_a_text():
    entry = bibtex_entry(key="a", title=r"A\input x~^{2}", year=2026, address="https://x.test/", note="")

    assert r"title = {A\textbackslash{}input x\textasciitilde{}\textasciicircum{}\{2\}}" in entry


def test_a_day_outside_a_period_is_left_out():
    filters = Filters(since=date(2026, 3, 1), until=date(2026, 3, 1))

    assert filters.fits("x", Run(run_tag="x", submitted_on=date(2026, 3, 1)))
    assert not filters.fits("x", Run(run_tag="x", submitted_on=date(2026, 3, 2)))
    assert not filters.fits("x", Run(run_tag="x"))


def test_the_place_by_do_no_harm_is_shown_beside_the_mean(fleet, client):
    """With three queries, no run can be distinguished from another, so all share the first place."""
    page = client.get(BOARD, {"column": ["official", "harmless"]})
    board = page.context["board"]

    assert board.details == ["do-no-harm rank (search lengths)"]
    assert "at least the lowest relevant grade of the labels" in page.content.decode()
    assert "Runs are compared in pairs" not in client.get(BOARD).content.decode()
    assert {line.said for line in board.page if not line.row.perfect} == {("1",)}


def test_files_and_calls_name_the_teams_that_the_reader_may_see(fleet, member, django_user_model):
    """A visitor and another team read no team under embargo; members and the team itself do."""
    people = {"member": member, "visitor": Client()}
    for name in ("Otters", "Seals"):
        user = django_user_model.objects.create_user(name)
        add_to_team(make_team(collection=fleet.collection, name=name, who="owner"), user)
        people[name] = Client()
        people[name].force_login(user)
    hidden = f"anonymous until {clock.now().date() + timedelta(days=30)}"

    for who, reader in people.items():
        seals = "Seals" if who in ("member", "Seals") else hidden
        rows = csv.DictReader(
            line
            for line in reader.get(f"{BOARD[:-1]}.csv").content.decode().splitlines()
            if not line.startswith("#")
        )
        in_file = {row["run"]: row["team"] for row in rows}
        user = get_user(reader)
        token = make_token(user=user, name="t", scopes=["read"], days=3)[1] if user.is_authenticated else ""
        headers = {"HTTP_AUTHORIZATION": f"Bearer {token}"} if token else {}
        called = Client().get("/api/v1/collections/harbour/leaderboard", **headers).json()
        by_call = {row["run"]: row["team"] for row in called["rows"]}

        assert (in_file["s-secret"], in_file["o-dense"]) == (seals, "Otters"), who
        assert (by_call["s-secret"], by_call["o-dense"]) == (seals, "Otters"), who


@pytest.mark.parametrize(("kind", "table"), [("run_types", "by_type"), ("two_boards", "boards")])
def test_analyses_for_everybody_name_no_team_under_embargo(fleet, member, kind, table):
    settings = {"qrels": "official", "against": "@1", "measure": "RR@10", "by": "neural"}
    asked = {
        who: asked_for(fleet.collection, kind_or_404(kind), QueryDict(urlencode(settings)), user)
        for who, user in (("visitor", AnonymousUser()), ("member", get_user(member)))
    }
    found = {who: compute_analysis(one) for who, one in asked.items()}

    def teams(who):
        [rows] = [one.rows for one in found[who].tables if one.key == table]
        return {row.values["run"]: row.values["team"] for row in rows}

    assert teams("visitor")["o-dense"] == teams("member")["o-dense"] == "Otters"
    assert (teams("visitor")["s-secret"], teams("member")["s-secret"]) == (None, "Seals")
    assert "Seals" not in json.dumps(analysis_content(found["visitor"]))
    assert "Otters" in json.dumps([figure.charts for figure in found["visitor"].figures])
    assert "Seals" not in json.dumps([figure.charts for figure in found["visitor"].figures])
