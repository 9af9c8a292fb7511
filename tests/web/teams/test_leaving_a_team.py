"""A person leaves a team, or loses a role: the files that wait for their check, and who sees the uploads."""

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from pooling.collections.members import remove_member
from pooling.intake import upload_imports
from pooling.models import Membership, Run, RunUpload, TeamMember
from pooling.teams.teams import remove_from_team
from tests.due_jobs import work_off_everything
from tests.factories import add_to_team

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

LINES = [("q1", "a"), ("q2", "a2")]
RERANK = {"detail": "subtask=rerank"}
#: What only a member may say about a run.
AS_MEMBER = {"team": "honest", "baseline": "true", "submitted_on": "2020-01-01", "release": "public"}
LEFT = "The file was sent for greedy, and the sender is no longer in this team."
NO_ROLE = "The sender may no longer submit runs to this collection."


def leave(board, name="greedy"):
    remove_from_team(member=TeamMember.objects.get(team=board.teams[name]), who=name)


def move(board, name="greedy", to="late"):
    leave(board, name)
    add_to_team(board.teams[to], get_user_model().objects.get(username=name))


def checked(upload):
    work_off_everything()
    upload.refresh_from_db()
    return upload


def assert_refused(upload, reason):
    assert checked(upload).state == RunUpload.State.REFUSED
    assert [problem["reason"] for problem in upload.problems] == [reason]
    assert not Run.objects.filter(run_tag="sent").exists()


@pytest.fixture
def maintainer(board):
    found = get_user_model().objects.get(username="maintainer")
    board.give_token(found)
    return found


def test_a_file_of_somebody_who_left_the_team_is_not_imported(board):
    upload = board.leave_waiting("greedy", "sent", LINES, **AS_MEMBER)
    leave(board)

    assert_refused(upload, NO_ROLE)


def test_a_file_of_a_removed_maintainer_is_not_imported(board, maintainer):
    upload = board.leave_waiting("maintainer", "sent", LINES, **RERANK, **AS_MEMBER)
    remove_member(member=Membership.objects.get(user=maintainer), who="owner")

    assert_refused(upload, NO_ROLE)


def test_a_maintainers_file_is_not_imported_for_a_team_that_they_join(board, maintainer):
    upload = board.leave_waiting("maintainer", "sent", LINES, **RERANK)
    Membership.objects.filter(user=maintainer).delete()
    add_to_team(board.teams["late"], maintainer)

    assert_refused(
        upload, "The file was sent by a member, and the sender may no longer add runs as a member."
    )


def test_a_maintainer_still_sends_for_any_team(board, maintainer):
    run = board.send("maintainer", "sent", LINES, **RERANK, **AS_MEMBER).run

    assert (run.team, run.baseline, run.round) == ("honest", True, None)


@pytest.mark.parametrize("check_only", [True, False])
def test_a_file_is_not_taken_along_to_another_team(board, check_only):
    upload = board.leave_waiting("greedy", "sent", LINES, **RERANK, check_only=check_only)
    move(board)

    assert_refused(upload, LEFT)


def test_a_checked_file_is_not_submitted_for_another_team(board):
    upload = board.send("greedy", "sent", LINES, **RERANK, check_only=True)
    assert upload.state == RunUpload.State.CHECKED
    move(board)

    page = f"/collections/harbour/uploads/{upload.pk}/"
    board.clients["greedy"].post(f"{page}submit")

    assert_refused(upload, LEFT)
    assert LEFT in board.get("greedy", page).content.decode()


def test_a_file_sent_again_is_sent_for_the_new_team(board):
    upload = board.leave_waiting("greedy", "sent", LINES, **RERANK)
    move(board)
    assert_refused(upload, LEFT)

    again = board.send("greedy", "sent", LINES, **RERANK)

    assert (again.pk, again.run.team) == (upload.pk, "late")


def test_a_submitter_who_became_a_maintainer_has_sent_it_for_the_team(board):
    upload = board.leave_waiting("greedy", "sent", LINES, **RERANK)
    user = get_user_model().objects.get(username="greedy")
    Membership.objects.create(collection=board.collection, user=user, role="maintainer")

    assert checked(upload).run.team == "greedy"
    assert upload.run.round.name == "2026"


def test_leaving_during_the_check_prevents_the_import(board, monkeypatch):
    upload = board.leave_waiting("greedy", "sent", LINES, **RERANK)
    check_run = upload_imports.check_run

    def leave_meanwhile(*arguments, **options):
        found = check_run(*arguments, **options)
        leave(board)
        return found

    monkeypatch.setattr(upload_imports, "check_run", leave_meanwhile)

    assert_refused(upload, NO_ROLE)


def unrecorded(upload):
    """Make the upload look as if it was sent before its team was recorded."""
    RunUpload.objects.filter(pk=upload.pk).update(team=None, sent_as_member=None)
    return upload


def test_a_file_whose_team_was_not_recorded_is_imported_by_todays_role(board, maintainer):
    of_team = unrecorded(board.leave_waiting("greedy", "sent", LINES, **RERANK))
    by_member = unrecorded(board.leave_waiting("maintainer", "other", LINES[:1], **RERANK, **AS_MEMBER))

    assert (checked(of_team).run.team, of_team.run.round.name) == ("greedy", "2026")
    assert (checked(by_member).run.team, by_member.run.round) == ("honest", None)


def test_a_file_whose_team_was_not_recorded_needs_a_role(board):
    upload = unrecorded(board.leave_waiting("greedy", "sent", LINES, **AS_MEMBER))
    leave(board)

    assert_refused(upload, NO_ROLE)


def seen_by(board, name, upload):
    """Return whether the person sees the upload; its page, the API and the list must agree."""
    page = board.get(name, f"/collections/harbour/uploads/{upload.pk}/").status_code
    call = Client().get(
        f"/api/v1/collections/harbour/uploads/{upload.pk}",
        headers={"Authorization": f"Bearer {board.tokens[name]}"},
    ).status_code  # fmt: skip
    listed = upload in board.get(name, "/collections/harbour/uploads/").context["page"].object_list
    assert (page, call, listed) in [(200, 200, True), (404, 404, False)]
    return listed


@pytest.mark.parametrize("recorded", [True, False])
def test_a_new_team_does_not_see_what_was_sent_for_the_former_one(board, at, recorded):
    upload = board.send("greedy", "sent", LINES, **RERANK)
    if not recorded:
        unrecorded(upload)
    move(board)

    assert not seen_by(board, "late", upload)
    assert seen_by(board, "greedy", upload)


def test_a_team_keeps_seeing_what_was_sent_for_it(board):
    upload = board.send("greedy", "sent", LINES, **RERANK)
    add_to_team(board.teams["greedy"], get_user_model().objects.create_user("mate"))
    user = get_user_model().objects.get(username="mate")
    board.give_token(user)
    board.clients["mate"] = Client()
    board.clients["mate"].force_login(user)
    assert seen_by(board, "mate", upload)
    assert seen_by(board, "mate", unrecorded(upload))

    RunUpload.objects.filter(pk=upload.pk).update(team=board.teams["greedy"], sent_as_member=False)
    TeamMember.objects.get(user__username="greedy").delete()

    assert seen_by(board, "mate", upload)
