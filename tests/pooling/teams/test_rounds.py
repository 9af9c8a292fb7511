"""Rounds and teams: late, early, over the limit, to the second; team membership; the end of embargoes."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from django.contrib.auth import get_user_model

from accounts.errors import InvitationOver, NotAnAccount
from accounts.roles import ACTIONS, Role, permits
from config import clock
from pooling.collections.members import add_member, join, joined_by, role_of, roles_of, sees, visible_to
from pooling.errors import MembersRefused, SubmissionRefused, TeamRefused
from pooling.files.formats import Content
from pooling.models import Membership, Round, Run, Team, TeamApplication, TeamMember
from pooling.rules.round_rules import RoundRefusal, RoundRules, RunBefore, open_round, refusals_in_round
from pooling.runs.embargoes import release_after_embargoes
from pooling.runs.runs import RunFacts, check_run, keep_run
from pooling.teams.rounds import Entry, drop_round, round_words, set_round
from pooling.teams.submission_policies import set_policy
from pooling.teams.teams import (
    apply_as_team,
    decide_application,
    invitations_of,
    invite_to_team,
    leads,
    make_team,
    remove_from_team,
    scores_shown_filter,
)
from tests.factories import add_to_team, make_collection, make_run

OPENS = datetime(2026, 6, 1, tzinfo=UTC)
CLOSES = datetime(2026, 8, 1, 12, tzinfo=UTC)
RULES = RoundRules("2026", OPENS, CLOSES, most_runs=2, most_baselines=1, priorities=True)
SECOND = timedelta(seconds=1)


@pytest.mark.parametrize(
    ("at", "is_open"),
    [
        (OPENS - SECOND, False),
        (OPENS, True),
        (CLOSES - SECOND, True),
        (CLOSES, False),
        (CLOSES + SECOND, False),
    ],
)
def test_a_round_is_open_from_its_first_second_to_the_one_before_it_closes(at, is_open):
    found = open_round([RULES], at)

    assert isinstance(found, RoundRules) is is_open


def test_a_late_run_is_refused_with_the_closing_time_and_the_next_round():
    later = RoundRules("2027", datetime(2027, 6, 1, tzinfo=UTC), datetime(2027, 8, 1, tzinfo=UTC), 2)

    late = open_round([RULES, later], CLOSES)
    early = open_round([RULES], OPENS - SECOND)
    last = open_round([RULES], CLOSES)

    assert late == RoundRefusal(
        "the round 2026 closed on 2026-08-01 12:00:00 UTC, and this run arrived on 2026-08-01 12:00:00 UTC.",
        "The round 2027 opens on 2027-06-01 00:00:00 UTC.",
        "the round 2026 closed on 2026-08-01 12:00:00 UTC",
    )
    assert early.next_step == "The round 2026 opens on 2026-06-01 00:00:00 UTC."
    assert last.next_step == "No further round is planned. Ask the organizers."


def test_a_deadline_anywhere_on_earth_is_the_same_moment():
    aoe = timezone(timedelta(hours=-12))
    rules = RoundRules("x", OPENS, datetime(2026, 8, 1, 23, 59, tzinfo=aoe), 1)

    assert rules.is_open(datetime(2026, 8, 2, 11, 58, 59, tzinfo=UTC))
    assert not rules.is_open(datetime(2026, 8, 2, 11, 59, tzinfo=UTC))


@pytest.mark.parametrize(
    ("before", "baseline", "priority", "why"),
    [
        ([], False, 1, None),
        ([RunBefore("a", False, 1)], False, 2, None),
        ([RunBefore("a", False, 1)], False, 1, "the team's run a already has priority 1."),
        ([], False, None, "the round 2026 requires a priority from 1 to 2."),
        ([], False, 3, "the round 2026 requires a priority from 1 to 2."),
        (
            [RunBefore("a", False, 1), RunBefore("b", False, 2)],
            False,
            3,
            "accepts 2 runs from each team, and the team has 2",
        ),
        ([RunBefore("a", False, 1), RunBefore("b", False, 2)], True, None, None),
        (
            [RunBefore("c", True, None)],
            True,
            None,
            "accepts 1 baseline run from each team, and the team has 1",
        ),
    ],
)
def test_a_round_counts_runs_and_baselines_apart_and_wants_each_priority_once(
    before, baseline, priority, why
):
    refused = refusals_in_round(RULES, before, baseline=baseline, priority=priority)

    assert (refused == []) is (why is None)
    assert why is None or why in refused[0].why
    assert all(one.next_step for one in refused)


def test_a_refusal_names_every_broken_rule_and_the_next_round(board, otters, send):
    plan_round(board, priorities=True)
    later = {"opens_at": CLOSES + timedelta(days=9), "closes_at": CLOSES + timedelta(days=10)}
    send(otters, "a", OPENS, details={"priority": 1})

    with pytest.raises(SubmissionRefused) as alone:
        send(otters, "b", OPENS, details={"priority": 1})
    set_round(collection=board, name="2027", most_runs=1, who="olga", **later)
    with pytest.raises(SubmissionRefused) as refused:
        send(otters, "b", OPENS, details={"priority": 1})

    assert [one.message for one in refused.value.parts] == [
        "b: the round 2026 accepts 1 run from each team, and the team has 1.",
        "b: the team's run a already has priority 1.",
    ]
    assert "The round 2027 opens on 2026-08-10 12:00:00 UTC." in refused.value.next_step
    assert "no further round is planned" in alone.value.next_step


@pytest.fixture
def board(db):
    return make_collection("board", ["q1"])


def person(name):
    return get_user_model().objects.create_user(name, email=f"{name}@example.org")


@pytest.fixture
def otters(board):
    team = make_team(collection=board, name="Otters", affiliation="River", who="olga")
    add_to_team(team, person("oda"))
    return team


@pytest.fixture
def send(board, tmp_path):
    """Return a function that submits a team's run at a given time."""

    def one(sender, tag, at, **facts):
        path = tmp_path / f"{tag}.run"
        path.write_text(f"q1 Q0 p-{tag} 1 1.0 {tag}\n")
        checked = check_run(Content(path), collection=board)
        return keep_run(board, checked, RunFacts(**facts), entry=Entry(sender, at))

    return one


def plan_round(board, **changes):
    rules = {"opens_at": OPENS, "closes_at": CLOSES, "most_runs": 1} | changes
    return set_round(collection=board, name="2026", who="olga", **rules)


def test_a_team_submits_in_its_round_under_its_own_name_and_day(board, otters, send):
    current = plan_round(board)

    run = send(otters, "a", CLOSES - SECOND, submitted_on=date(2020, 1, 1))

    assert (run.team, run.submitted_on, run.round) == ("Otters", date(2026, 8, 1), current)


@pytest.mark.parametrize("at", [OPENS - SECOND, CLOSES])
def test_a_second_early_or_late_is_refused_and_leaves_nothing(board, otters, send, at):
    plan_round(board)

    with pytest.raises(SubmissionRefused, match=r"a: (the round|no round)"):
        send(otters, "a", at)

    assert not Run.objects.exists()


def test_the_limit_of_a_round_holds_for_each_team_alone(board, otters, send):
    plan_round(board, most_baselines=1)
    seals = make_team(collection=board, name="Seals", who="olga")
    send(otters, "a", OPENS)
    send(otters, "base", OPENS, baseline=True)
    send(seals, "s", OPENS)

    with pytest.raises(SubmissionRefused, match="accepts 1 run from each team, and the team has 1"):
        send(otters, "b", OPENS)
    with pytest.raises(SubmissionRefused, match="accepts 1 baseline run from each team"):
        send(otters, "base2", OPENS, baseline=True)


def test_the_policy_holds_in_a_round_too_and_a_baseline_must_say_what_is_required(board, otters, send):
    plan_round(board, most_runs=9, most_baselines=1)
    set_policy(collection=board, most_runs=1, period_days=10, required=["description"])
    send(otters, "a", OPENS, description="x")

    with pytest.raises(SubmissionRefused, match="in any 10 days"):
        send(otters, "b", OPENS + timedelta(days=1), description="x")
    with pytest.raises(SubmissionRefused) as refused:
        send(otters, "base", OPENS, baseline=True)
    assert refused.value.missing == ("description",)


def test_without_rounds_a_team_cannot_escape_the_policy_as_a_baseline(board, otters, send):
    with pytest.raises(SubmissionRefused, match="only the board's maintainers can add baselines"):
        send(otters, "a", OPENS, baseline=True)


def test_a_run_is_a_variant_of_the_teams_own_runs_only(board, otters, send):
    make_run(board, "secret", {"q1": ["p"]}, team="Seals", release=Run.Release.PRIVATE)

    with pytest.raises(SubmissionRefused, match="only be a variant of another run by Otters"):
        send(otters, "a", OPENS, variant_of="secret")


def test_a_round_with_runs_stays_and_an_empty_one_can_go(board, otters, send):
    current = plan_round(board)
    send(otters, "a", OPENS)
    with pytest.raises(SubmissionRefused, match="has runs"):
        drop_round(planned=current, who="olga")

    empty = set_round(
        collection=board, name="2027", opens_at=CLOSES, closes_at=CLOSES + SECOND, most_runs=1, who="olga"
    )
    drop_round(planned=empty, who="olga")

    assert list(Round.objects.values_list("name", flat=True)) == ["2026"]
    with pytest.raises(SubmissionRefused, match="would close before it opens"):
        set_round(collection=board, name="x", opens_at=CLOSES, closes_at=CLOSES, most_runs=1, who="olga")


def test_a_submitter_is_no_member(board, otters):
    oda = TeamMember.objects.get().user

    assert role_of(oda, board) is Role.SUBMITTER
    assert roles_of(oda) == {board.pk: Role.SUBMITTER}
    assert sees(oda, board)
    assert board in visible_to(oda)
    assert not joined_by(oda).exists()
    assert [action for action in ACTIONS if permits(Role.SUBMITTER, action)] == ["see results", "submit run"]
    with pytest.raises(MembersRefused, match="join a team"):
        add_member(collection=board, username="oda", role=Role.SUBMITTER, who="olga")


def test_the_first_member_invites_and_an_invitation_gives_the_team_and_no_more(board, otters):
    oda, new = TeamMember.objects.get().user, person("olive")

    invited = invite_to_team(team=otters, email="olive@example.org", invited_by=oda)
    join(invitation=invited.invitation, user=new)

    assert TeamMember.objects.get(user=new).team == otters
    assert not Membership.objects.filter(user=new).exists()
    assert leads(oda, otters)
    assert not leads(new, otters)
    seals = make_team(collection=board, name="Seals", who="olga")
    join(
        invitation=invite_to_team(team=seals, email="olive@example.org", invited_by=oda).invitation, user=new
    )
    assert TeamMember.objects.get(user=new).team == otters


def test_a_second_invitation_to_an_address_replaces_the_first(board, otters):
    oda = TeamMember.objects.get().user
    first = invite_to_team(team=otters, email="olive@example.org", invited_by=oda)
    invite_to_team(team=otters, email="otto@example.org", invited_by=oda)

    second = invite_to_team(team=otters, email="Olive@example.org", invited_by=oda)
    with pytest.raises(NotAnAccount):
        invite_to_team(team=otters, email="no address", invited_by=oda)

    emails = invitations_of(otters).values_list("invitation__email", flat=True)
    assert list(emails) == ["otto@example.org", "Olive@example.org"]
    with pytest.raises(InvitationOver):
        join(invitation=first.invitation, user=person("olive"))
    join(invitation=second.invitation, user=person("otter"))


def test_who_leaves_takes_their_invitations_along_and_runs_stay(board, otters, send):
    member = TeamMember.objects.get()
    send(otters, "a", OPENS)
    invite_to_team(team=otters, email="late@example.org", invited_by=member.user)

    remove_from_team(member=member, who="olga")

    assert not invitations_of(otters).exists()
    assert Run.objects.get().team == "Otters"
    assert role_of(member.user, board) is None


@pytest.mark.parametrize("name", ["otters", "OTTERS ", "Ot-ters", "", "  "])
def test_a_team_cannot_be_confused_with_another(board, otters, name):
    with pytest.raises(TeamRefused):
        make_team(collection=board, name=name, who="olga")


def test_an_application_is_decided_once_and_brings_a_team(board):
    olga = person("olga")
    said = {"affiliation": "Bay", "email": "s@example.org", "words": "hello"}
    asked = apply_as_team(collection=board, team_name="Seals", **said)
    other = apply_as_team(collection=board, team_name="Other", **said)
    assert other != asked

    invited = decide_application(application=asked, accept=True, decided_by=olga)

    assert invited.invitation.email == "s@example.org"
    assert Team.objects.get().affiliation == "Bay"
    with pytest.raises(TeamRefused, match="has already been decided"):
        decide_application(application=asked, accept=False, decided_by=olga)
    assert [one.state for one in TeamApplication.objects.order_by("pk")] == ["accepted", "waiting"]


def test_a_team_sees_its_values_only_if_the_policy_says_so(board, otters, send):
    run, oda = send(otters, "a", OPENS), TeamMember.objects.get().user
    seen = Run.objects.filter(scores_shown_filter(oda, board))
    assert not seen.exists()

    set_policy(collection=board, most_runs=5, period_days=5, required=[], teams_see_scores=True)

    assert Run.objects.filter(scores_shown_filter(oda, board)).get() == run


def test_runs_are_released_when_their_embargo_is_over(board, otters, send, monkeypatch):
    set_policy(
        collection=board,
        most_runs=9,
        period_days=1,
        required=[],
        longest_embargo_days=10,
        release_after="scores",
    )
    send(otters, "chosen", OPENS, anonymous_until=date(2026, 6, 5))
    send(otters, "longest", OPENS)
    send(otters, "open", OPENS, release="public")
    make_run(board, "own", {"q1": ["p"]}, release=Run.Release.PRIVATE)

    def on(day):
        monkeypatch.setattr(clock, "now", lambda: datetime(2026, 6, day, tzinfo=UTC))
        release_after_embargoes()
        return dict(Run.objects.values_list("run_tag", "release"))

    assert on(4) == {"chosen": "private", "longest": "private", "open": "public", "own": "private"}
    assert on(5) == {"chosen": "scores", "longest": "private", "open": "public", "own": "private"}
    assert on(11) == {"chosen": "scores", "longest": "scores", "open": "public", "own": "private"}


def test_a_round_of_one_run_is_described_in_the_singular(board):
    assert round_words(plan_round(board, most_baselines=1)).endswith("1 run and 1 baseline per team")
