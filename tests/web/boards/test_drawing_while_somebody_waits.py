"""A leaderboard that takes seconds is drawn by a job, and its page shows this."""

import pytest

from config import clock
from config.background.models import Job
from config.errors import NotNow
from leaderboard.board import boards
from tests.due_jobs import work_off_everything
from web.boards import jobs
from web.common import job_progress

BOARD = "/collections/harbour/leaderboard/?measure=P@1"
DRAWING = "/collections/harbour/leaderboard/drawing?measure=P@1"


@pytest.fixture
def owner(cast, monkeypatch):
    monkeypatch.setattr(jobs, "MANY_VALUES", 1)
    monkeypatch.setattr(job_progress, "nobody_at_work", lambda: "")
    return cast.clients["owner"]


def waiting():
    return Job.objects.filter(kind=jobs.BOARD, state="waiting")


def test_the_page_answers_at_once_and_shows_the_board_when_it_is_drawn(owner, monkeypatch):
    first = owner.get(BOARD)

    assert first.status_code == 200
    assert first["Cache-Control"] == "no-store"
    assert "computed for the first time" in first.content.decode()
    assert first.context["board"].work.live
    assert f'data-refresh="{DRAWING.replace("@", "%40")}"' in first.content.decode()
    assert "<thead>" not in first.content.decode()
    assert "data-over" not in owner.get(DRAWING).content.decode()
    assert waiting().count() == 1

    work_off_everything()
    monkeypatch.setattr(boards, "make_leaderboard", None)  # opening the page must not draw it

    assert "data-over" in owner.get(DRAWING).content.decode()
    page = owner.get(BOARD)
    assert "quay" in page.content.decode()
    assert page.context["board"].work is None


def test_members_and_visitors_wait_for_their_own_board(owner, cast):
    owner.get(BOARD)
    cast.clients["nobody"].get(BOARD)

    assert waiting().count() == 2
    work_off_everything()
    rows = [cast.clients[one].get(BOARD).context["board"].published.runs for one in ("owner", "nobody")]
    assert rows[0] > rows[1]


def test_a_board_that_cannot_be_drawn_says_why(owner):
    owner.get("/collections/harbour/leaderboard/?measure=ERR@9")
    work_off_everything()

    page = owner.get("/collections/harbour/leaderboard/?measure=nonsense")

    assert page.status_code == 404
    assert "nonsense" in page.content.decode()
    assert Job.objects.filter(kind=jobs.BOARD, state="done").count() == 1


def test_a_failure_is_shown_and_not_retried_at_once(owner, monkeypatch):
    def away(**asked):
        raise NotNow("The storage is away.", "Try again later.")

    monkeypatch.setattr(boards, "make_leaderboard", away)
    owner.get(BOARD)
    Job.objects.update(state="failed", attempts=2, finished_at=clock.now())

    page = owner.get(BOARD).content.decode()

    assert 'role="alert"' in page
    assert waiting().count() == 0


def test_small_boards_are_drawn_at_once(owner, monkeypatch):
    monkeypatch.setattr(jobs, "MANY_VALUES", 1_000_000)

    assert "quay" in owner.get("/collections/harbour/leaderboard/?measure=AP").content.decode()
    assert waiting().count() == 0


def test_without_workers_pages_and_files_answer_at_once_and_say_why_the_board_waits(owner, monkeypatch):
    monkeypatch.setattr(job_progress, "nobody_at_work", lambda: "No background worker is running.")
    monkeypatch.setattr(boards, "make_leaderboard", None)  # no request may draw it

    for address in ("/", "/collections/harbour/", "/collections/harbour/leaderboard/", "/leaderboards/"):
        assert "No background worker is running." in owner.get(address).content.decode()
    assert owner.get("/collections/harbour/runs/").status_code == 200
    file = owner.get("/collections/harbour/leaderboard.csv")
    assert (file.status_code, waiting().count()) == (503, 1)
    assert "not computed yet. No background worker" in file.content.decode()


def test_files_and_calls_say_that_the_board_is_being_drawn(owner):
    file = owner.get("/collections/harbour/leaderboard.csv?measure=P@1")
    call = owner.get("/api/v1/collections/harbour/leaderboard?measure=P@1")

    for reply in (file, call):
        assert reply.status_code == 503
        assert reply["Retry-After"] == "5"
        assert "The leaderboard is being computed" in reply.content.decode()

    work_off_everything()

    assert owner.get("/collections/harbour/leaderboard.csv?measure=P@1").status_code == 200
    assert owner.get("/api/v1/collections/harbour/leaderboard?measure=P@1").json()["runs"]


def test_other_pages_omit_the_board_while_it_is_drawn(owner):
    pages = ["/", "/collections/harbour/", "/collections/harbour/runs/", "/collections/harbour/two-runs/"]

    replies = [owner.get(page) for page in pages]

    assert [reply.status_code for reply in replies] == [200] * 4
    assert "The leaderboard is being computed" in replies[1].content.decode()
    assert "The leaderboard is not computed yet" in replies[2].content.decode()
    assert waiting().count() == 1


def test_a_drawn_board_is_not_drawn_again_for_people_who_waited(owner, monkeypatch):
    owner.get(BOARD)
    job = waiting().get()
    work_off_everything()
    monkeypatch.setattr(boards, "make_leaderboard", None)

    assert jobs.draw_board_job(**job.arguments, progress=lambda *_: None) == {}
