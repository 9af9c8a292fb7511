"""A round with five teams over HTTP: one late, one over its limit, one outside the candidates, one under embargo."""

import gzip
import re
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from pooling.models import AnnouncedRun, PrivateQuery, QuerySplit, Round, Run, RunUpload
from pooling.teams.rounds import set_round
from pooling.teams.run_fields import set_run_fields
from pooling.teams.submission_policies import set_policy
from tests.due_jobs import work_off_everything
from tests.web.teams.conftest import CLOSES, TEAMS

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def refusal(upload):
    assert upload.state == RunUpload.State.REFUSED
    return " ".join(f"{one['reason']} {one['next_step']}" for one in upload.problems)


@pytest.mark.soak
def test_each_team_sees_its_broken_rule_and_nothing_of_other_teams(board, at):
    good = board.send(
        "honest", "fair", [("q1", "a"), ("q2", "a2")], detail="subtask=rerank", release="public"
    )
    one = board.send("greedy", "greedy1", [("q1", "b")], detail="subtask=fullrank")
    two = board.send("greedy", "greedy2", [("q1", "zz")], detail="subtask=fullrank")
    stray = board.send("stray", "stray1", [("q1", "a"), ("q2", "elsewhere")], detail="subtask=rerank")
    hidden = board.send(
        "hidden", "veiled", [("q1", "secretpid")], detail="subtask=fullrank", anonymous_until="2026-08-20"
    )
    at(CLOSES)
    late = board.send("late", "late1", [("q1", "a")], detail="subtask=fullrank")

    assert (good.state, one.state, hidden.state) == ("imported",) * 3
    assert "accepts 1 run from each team, and the team has 1" in refusal(two)
    assert "not among the candidates of its query" in refusal(stray)
    assert stray.problems[0]["line"] == 2
    assert "closed on 2026-08-01 00:00:00 UTC, and this run arrived on 2026-08-01 00:00:00 UTC" in refusal(
        late
    )
    assert set(Run.objects.filter(round__name="2026").values_list("run_tag", flat=True)) == {
        "fair",
        "greedy1",
        "veiled",
    }
    for address in _addresses(board):
        for name in (*TEAMS, None):
            page = board.get(name, address).content.decode()
            if name != "hidden":
                assert "secretpid" not in page, (name, address)
                # The public list names the tag of a submission under embargo, never its team beside it.
                assert "veiled</bdi></th><td><bdi>hidden" not in page, (name, address)
            if name != "greedy" and "/teams/" not in address:
                assert "greedy1" not in page, (name, address)


def _addresses(board):
    """Return every page and call that teams and visitors can read."""
    runs = Run.objects.order_by("pk")
    uploads = RunUpload.objects.order_by("pk")
    root, api = "/collections/harbour/", "/api/v1/collections/harbour"
    parts = [
        "",
        "runs/",
        "queries/",
        "teams/",
        "leaderboard/",
        "campaigns/",
        "analyses/",
        "policy/",
        "uploads/",
    ]
    parts += ["versions/1/", "two-runs/", "versions/1/changes/", "analyses/track_statistics/"]
    parts += [f"runs/{run.pk}/" for run in runs if run.run_tag not in ("greedy1",)]
    parts += [f"teams/{team.pk}/" for name, team in board.teams.items() if name != "hidden"]
    calls = ["/runs", "/teams", "/rounds", "/leaderboard", "/versions", "/policy", "/run-fields", ""]
    calls += [f"/runs/{run.pk}" for run in runs]
    calls += [f"/uploads/{one.pk}" for one in uploads]
    files = [f"{root}leaderboard.{form}" for form in ("csv", "json")]
    return [root + part for part in parts] + [api + call for call in calls] + files + ["/"]


def test_a_team_sees_its_own_run_and_quota_and_no_other_team(board):
    board.send("greedy", "greedy1", [("q1", "b")], detail="subtask=fullrank")

    page = board.get("greedy", f"/collections/harbour/teams/{board.teams['greedy'].pk}/").content.decode()

    assert "greedy1" in page
    assert "0 of 1" in page
    assert "A run’s page shows its values once the run is released." in page
    other = board.teams["late"].pk
    assert board.get("greedy", f"/collections/harbour/teams/{other}/").status_code == 404
    assert board.get(None, f"/collections/harbour/teams/{other}/").status_code == 404


def test_a_team_alone_opens_its_unreleased_run_without_values(board):
    run = board.send(
        "hidden", "veiled", [("q1", "secretpid")], detail="subtask=fullrank", anonymous_until="2026-08-20"
    ).run
    page, api = f"/collections/harbour/runs/{run.pk}/", "/api/v1/collections/harbour/runs"

    shown = board.get("hidden", page).content.decode()

    assert "secretpid" in shown
    assert "Values appear when the run is released." in shown
    assert "RR@10" not in shown.partition("Query by query")[0]
    assert ">veiled<" in board.get("hidden", "/collections/harbour/runs/").content.decode()
    assert board.get("hidden", api).json()["runs"][-1]["team"] == "hidden"
    assert board.get("hidden", f"{api}/{run.pk}").json()["run_tag"] == "veiled"
    assert "veiled" not in board.get("hidden", "/collections/harbour/leaderboard/").content.decode()
    for other in ("honest", None):
        assert board.get(other, page).status_code == 404
        assert board.get(other, f"{api}/{run.pk}").status_code == 404
        assert "veiled" not in board.get(other, api).content.decode()
        assert "veiled" not in board.get(other, "/collections/harbour/runs/").content.decode()


def test_public_counts_name_no_team_of_an_unreleased_run_during_an_embargo(board):
    set_policy(
        collection=board.collection, most_runs=9, period_days=1, required=[],
        longest_embargo_days=30, public_list="counts",
    )  # fmt: skip

    def counts(reader=None):
        lines = board.get(reader, "/api/v1/collections/harbour/teams").json()
        return {line["name"]: line["runs"] for line in lines if line["runs"]}

    board.send("honest", "fair", [("q1", "a")], detail="subtask=fullrank")
    board.send("greedy", "open", [("q1", "b")], detail="subtask=fullrank", release="scores")
    assert counts() == {"honest": 1, "greedy": 1}

    board.send("hidden", "veiled", [("q2", "x")], detail="subtask=fullrank", anonymous_until="2026-08-20")
    assert counts() == {"greedy": 1, "anonymous or not released": 2}
    Run.objects.filter(run_tag="fair").update(release="public")
    assert counts() == {"honest": 1, "greedy": 1, "anonymous or not released": 1}


def test_a_team_reads_values_of_its_unreleased_run_if_the_policy_says_so(board):
    set_policy(collection=board.collection, most_runs=9, period_days=1, required=[], teams_see_scores=True)
    run = board.send("honest", "fair", [("q1", "a")], detail="subtask=rerank").run
    Run.objects.filter(pk=run.pk).update(release="private")

    shown = board.get("honest", f"/collections/harbour/runs/{run.pk}/").content.decode()

    assert "Values appear when" not in shown
    assert "nDCG@10" in shown


def test_the_content_of_another_teams_run_is_not_revealed(board):
    board.send("honest", "fair", [("q1", "b")], detail="subtask=fullrank")

    board.send("late", "copied", [("q1", "b")], detail="subtask=fullrank")  # its tag column differs
    same = board.send("late", "copied", [("q1", "b")], column="fair", detail="subtask=fullrank")
    tag = board.send("greedy", "fair", [("q1", "a")], detail="subtask=fullrank")

    # A team that has a run with the tag sends the content of another team's run under it.
    assert refusal(same) == "Somebody else's run already has this content. Send another file."
    assert refusal(tag) == "Somebody else's run already has this tag. Give the run another tag."


def test_a_team_cannot_submit_under_another_name(board):
    refused = board.send("honest", "fair", [("q1", "b")], detail="subtask=fullrank", team="late")
    own = board.send("honest", "own", [("q1", "b")], detail="subtask=fullrank", team="honest")

    assert "fair: you submit for the team honest, not for late." in refusal(refused)
    assert own.run.team == "honest"


def test_a_team_reads_which_of_its_runs_has_the_same_content(board):
    board.send("honest", "fair", [("q1", "b")], detail="subtask=fullrank")

    again = board.send(
        "honest", "new", [("q1", "b")], column="fair", pack=gzip.compress, detail="subtask=fullrank"
    )

    assert "the same content is already imported, as run fair." in refusal(again)


def test_an_announced_tag_of_another_team_is_not_taken_over(board):
    AnnouncedRun.objects.create(
        collection=board.collection, run_tag="fair", said={"team": "honest", "details": {"neural": "nn"}}
    )

    stolen = board.send("late", "fair", [("q1", "b")], detail="subtask=fullrank")
    own = board.send("honest", "fair", [("q1", "a")], detail="subtask=fullrank")

    assert "this tag is reserved" in refusal(stolen)
    assert own.run.details["neural"] == "nn"


def test_a_file_checked_in_time_and_submitted_late_is_late(board, at):
    upload = board.send("late", "x", [("q1", "b")], detail="subtask=fullrank", check_only="true")
    assert upload.state == "checked"
    assert not Run.objects.filter(run_tag="x").exists()
    at(CLOSES)

    client = board.clients["late"]
    client.post(f"/collections/harbour/uploads/{upload.pk}/submit")
    work_off_everything()

    upload.refresh_from_db()
    assert "closed on 2026-08-01" in refusal(upload)


def test_a_team_reads_its_report_without_private_queries(board):
    split = QuerySplit.objects.create(collection=board.collection)
    PrivateQuery.objects.create(split=split, query=board.cast.query("q3"))

    upload = board.send("late", "x", [("q1", "b")], detail="subtask=fullrank", check_only="true")

    for address in (
        f"/api/v1/collections/harbour/uploads/{upload.pk}",
        f"/collections/harbour/uploads/{upload.pk}/",
    ):
        page = board.get("late", address).content.decode()
        assert "q2" in page
        assert not re.search(r"\bq3\b", page)  # a random token can contain the letters


def test_a_long_report_counts_the_public_queries_only(board, monkeypatch):
    monkeypatch.setattr("pooling.intake.upload_imports.QIDS_SHOWN", 1)
    split = QuerySplit.objects.create(collection=board.collection)
    PrivateQuery.objects.create(split=split, query=board.cast.query("q2"))

    upload = board.send("late", "x", [("q1", "b")], detail="subtask=fullrank", check_only="true")
    report = board.get("late", f"/api/v1/collections/harbour/uploads/{upload.pk}").json()["report"]

    assert upload.report["unanswered_count"] == 2
    assert (report["unanswered"], report["unanswered_count"]) == (["q3"], 1)
    assert report["warnings"] == ["1 query of the collection has no answer in the run"]
    assert "unanswered_private" not in report


def test_a_team_member_sends_on_the_page_without_saying_who_or_when(board):
    page = board.get("late", "/collections/harbour/runs/send/").content.decode()

    assert "You submit for" in page
    assert 'name="team"' not in page
    assert 'name="submitted_on"' not in page
    assert 'name="baseline"' not in page
    assert page.count("required by the policy") == 1  # the subtask
    assert "The round 2026 is open</strong> until 2026-08-01 00:00:00 UTC" in page
    assert "1 official run per team (1 left)" in page


def test_the_form_asks_for_the_priority_that_the_round_needs(board):
    Round.objects.filter(collection=board.collection).update(priorities=True, most_runs=3)
    set_run_fields(collection=board.collection, asked=["subtask"], own=[], who="owner")
    board.send("late", "x", [("q1", "b")], detail="subtask=fullrank&detail=priority=2")

    page = board.get("late", "/collections/harbour/runs/send/").content.decode()

    assert "its own priority from 1 to 3; you have used 2." in page
    assert page.count("required by the round") == 1
    assert 'name="priority"' in page
    assert (
        'name="priority"'
        not in board.cast.clients["owner"].get("/collections/harbour/runs/send/").content.decode()
    )


def test_a_closed_round_takes_its_form_away_and_says_when_the_next_one_opens(board, at):
    set_round(
        collection=board.collection, name="next", opens_at=CLOSES + timedelta(days=9),
        closes_at=CLOSES + timedelta(days=19), most_runs=1, who="owner",
    )  # fmt: skip
    at(CLOSES)

    send = board.get("late", "/collections/harbour/runs/send/").content.decode()
    team = board.get("late", f"/collections/harbour/teams/{board.teams['late'].pk}/").content.decode()
    teams = board.get("late", "/collections/harbour/teams/").content.decode()

    for page in (send, team):
        assert "The round 2026 closed on 2026-08-01 00:00:00 UTC." in page
        assert "The round next opens on 2026-08-10 00:00:00 UTC." in page
    assert 'name="run_files"' not in send
    assert "accepted today" not in team
    for page in (team, teams):
        assert "/runs/send/" not in page
    owners = board.cast.clients["owner"].get("/collections/harbour/runs/send/").content.decode()
    assert 'name="run_files"' in owners


def test_every_reason_of_policy_and_round_is_listed_at_once(board):
    board.send("greedy", "greedy1", [("q1", "b")], detail="subtask=fullrank")

    upload = board.send("greedy", "greedy2", [("q1", "zz")], anonymous_until="2027-01-01")

    assert [one["kind"] for one in upload.problems] == ["submission policy"] * 3
    told = [one["reason"] for one in upload.problems]
    assert "required details are missing" in told[0]
    assert "cannot stay anonymous until 2027-01-01" in told[1]
    assert "accepts 1 run from each team" in told[2]
    page = board.get("greedy", f"/collections/harbour/uploads/{upload.pk}/").content.decode()
    assert "3 problems with the submission policy" in page
    assert "Accepted, but check this" not in page
    assert "Notes from the check" in page


def test_a_person_who_only_submits_lands_at_the_team_and_others_at_home(board):
    team = f"/collections/harbour/teams/{board.teams['late'].pk}/"

    assert board.clients["late"].get("/signed-in/")["Location"] == team
    assert board.cast.clients["viewer"].get("/signed-in/")["Location"] == "/"
    assert Client().get("/signed-in/")["Location"] == "/"
    user = get_user_model().objects.get(username="late")
    user.set_password("a long password")
    user.save()
    signed_in = Client().post(
        "/accounts/login/", {"login": "late", "password": "a long password"}, follow=True
    )
    assert signed_in.redirect_chain[-1][0] == team


def test_the_home_page_leads_a_submitter_to_the_team_and_the_upload_form(board, at):
    team = f'href="/collections/harbour/teams/{board.teams["late"].pk}/"'
    send = 'href="/collections/harbour/runs/send/"'

    page = board.get("late", "/").content.decode()
    at(CLOSES)
    closed = board.get("late", "/").content.decode()

    assert team in page
    assert send in page
    assert team in closed
    assert send not in closed
    assert "Your teams" not in board.cast.clients["owner"].get("/").content.decode()


def test_a_visitor_applies_an_owner_accepts_and_the_link_leads_to_the_team(board, settings):
    settings.MAIL = False
    said = {"name": "Gulls", "affiliation": "Coast", "email": "gull@example.org", "words": "hi <b>there</b>"}
    assert Client().post("/collections/harbour/teams/apply/", said).status_code == 302
    owner = board.cast.clients["owner"]
    page = owner.get("/collections/harbour/teams/")
    assert "hi &lt;b&gt;there" in page.content.decode()
    assert "gull@example.org" not in Client().get("/collections/harbour/teams/").content.decode()
    key = page.context["applications"][0].pk

    accepted = owner.post(f"/collections/harbour/teams/applications/{key}/", {"decision": "accept"})

    link = accepted.context["link"]
    new = Client()
    joined = new.post(link, {"username": "gull", "password": "a long password"}, follow=True)
    assert joined.status_code == 200
    assert "Your team: Gulls" in new.get("/collections/harbour/teams/").content.decode()
    again = owner.post(f"/collections/harbour/teams/applications/{key}/", {"decision": "accept"}, follow=True)
    assert "has already been decided" in again.content.decode()


def test_every_application_of_an_address_reaches_the_owner(board):
    apply = "/collections/harbour/teams/apply/"
    for name in ("Gulz", "Gulls", "Gulls"):
        sent = Client().post(apply, {"name": name, "email": "gull@example.org"})
        assert sent.status_code == 302

    owner = board.cast.clients["owner"]
    listed = owner.get("/collections/harbour/teams/").context["applications"]
    home = owner.get("/").content.decode()

    assert sorted(one.team_name for one in listed) == ["Gulls", "Gulz"]
    assert "2 applications of teams to decide" in home
    assert "to decide" not in board.cast.clients["viewer"].get("/").content.decode()


def test_an_applicant_learns_that_the_team_already_exists(board):
    reply = Client().post(
        "/collections/harbour/teams/apply/", {"name": "Honest ", "email": "gull@example.org"}
    )

    assert reply.status_code == 422
    assert "The team honest already exists. Ask one of its members to invite you" in reply.content.decode()


def test_an_invitation_names_the_team(board, settings):
    settings.MAIL = False
    team = board.teams["honest"]
    invited = board.cast.clients["owner"].post(
        f"/collections/harbour/teams/{team.pk}/invite/", {"email": "gull@example.org"}
    )

    page = Client().get(invited.context["link"]).content.decode()

    assert "for the team <strong><bdi>honest</bdi></strong>" in page


def test_applications_from_one_address_are_limited(board):
    for number in range(6):
        reply = Client().post(
            "/collections/harbour/teams/apply/",
            {"name": f"T{number}", "email": f"t{number}@example.org"},
        )

    assert reply.status_code == 422
    assert "Try again in an hour." in reply.content.decode()


def test_a_team_cannot_send_letters_without_end(board):
    team = board.teams["late"]
    address = f"/collections/harbour/teams/{team.pk}/invite/"
    for number in range(21):
        reply = board.clients["late"].post(address, {"email": f"p{number}@example.org"}, follow=True)

    assert "Invite more people later." in reply.content.decode()
    assert team.invited.count() == 20


def test_a_round_is_planned_in_the_zone_that_is_stated(board):
    said = {"name": "autumn", "opens_at": "2026-09-01T00:00", "closes_at": "2026-10-31T23:59", "zone": "aoe"}

    board.cast.clients["owner"].post(
        "/collections/harbour/teams/rounds/", said | {"most_runs": 3, "most_baselines": 0}
    )

    planned = board.collection.rounds.get(name="autumn")
    assert planned.closes_at == datetime(2026, 11, 1, 11, 59, tzinfo=UTC)
    page = Client().get("/collections/harbour/teams/").content.decode()
    assert "2026-11-01 11:59:00" in page


def test_changing_a_round_starts_with_its_values_and_keeps_them(board):
    owner, teams = board.cast.clients["owner"], "/collections/harbour/teams/"
    Round.objects.filter(name="2026").update(most_runs=5, most_baselines=2, priorities=True)
    planned = Round.objects.get(name="2026")
    assert f'href="?change={planned.pk}#h-new-round"' in owner.get(teams).content.decode()

    form = owner.get(f"{teams}?change={planned.pk}").context["round_form"]
    said = {field.name: field.value() for field in form if field.value() is not False}
    said |= {"opens_at": f"{said['opens_at']:%Y-%m-%dT%H:%M:%S}", "closes_at": "2026-08-09T00:00"}
    reply = owner.post(f"{teams}rounds/?change={planned.pk}", said, follow=True)

    assert "The round 2026 is changed." in reply.content.decode()
    planned.refresh_from_db()
    assert planned.closes_at == datetime(2026, 8, 9, tzinfo=UTC)
    assert (planned.opens_at, planned.most_runs, planned.most_baselines, planned.priorities) == (
        CLOSES - timedelta(days=60),
        5,
        2,
        True,
    )


def test_a_round_that_is_changed_keeps_its_name(board):
    owner, teams = board.cast.clients["owner"], "/collections/harbour/teams/"
    planned = Round.objects.get(name="2026")
    page = owner.get(f"{teams}?change={planned.pk}").content.decode()
    assert 'value="2026-08-01T00:00:00"' in page

    times = {"opens_at": "2026-06-02T00:00", "closes_at": "2026-08-09T00:00", "zone": "utc"}
    said = times | {"name": "other", "most_runs": 1, "most_baselines": 0}
    owner.post(f"{teams}rounds/?change={planned.pk}", said)

    assert list(Round.objects.values_list("name", flat=True)) == ["2026"]
    assert owner.get(f"{teams}?change=x").status_code == 404


FIX = "Fix the file and send it again."


def test_a_refused_file_gets_the_advice_of_its_reason(board, at):
    def page_of(upload):
        return board.get("late", f"/collections/harbour/uploads/{upload.pk}/").content.decode()

    broken = board.send("late", "broken", [("q1", "a"), ("q1", "a")], detail="subtask=fullrank")
    without = board.send("late", "without", [("q1", "a")])
    labels = board.send(
        "late", "labels", [("q1", "a")], pack=lambda _: b"q1 0 a 1\n", detail="subtask=fullrank"
    )
    board.send("late", "first", [("q1", "a")], detail="subtask=fullrank")
    second = board.send("late", "second", [("q1", "b")], detail="subtask=fullrank")
    at(CLOSES)
    late = board.send("late", "late1", [("q2", "a2"), ("q2", "a2")], detail="subtask=fullrank")

    assert FIX in page_of(broken)
    for upload, advice in (
        (without, "Add: “Subtask”"),
        (labels, "Add labels (only an owner or a maintainer can)."),
        (second, "Withdraw a run with the organizers&#x27; help."),
        (late, "Ask the organizers."),
    ):
        page = page_of(upload)
        assert advice in page, upload
        assert FIX not in page, upload
    listed = board.get("late", "/collections/harbour/uploads/").content.decode()
    for page in (listed, page_of(labels)):
        assert "Add labels (only an owner or a maintainer can)." in page
        assert "/collections/harbour/files/" not in page
