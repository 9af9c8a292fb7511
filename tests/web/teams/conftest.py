"""A board with a round and five teams, with each team's actions over HTTP."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from accounts.models import ApiToken
from accounts.services.tokens import make_token
from config import clock
from pooling.models import RunUpload
from pooling.runs.candidate_sets import set_candidates
from pooling.teams.rounds import set_round
from pooling.teams.submission_policies import set_policy
from pooling.teams.teams import make_team
from tests.due_jobs import work_off_everything
from tests.factories import add_to_team

CLOSES = datetime(2026, 8, 1, tzinfo=UTC)
TEAMS = ("honest", "late", "greedy", "stray", "hidden")


@pytest.fixture
def at(monkeypatch):
    """Return a function that sets the time."""

    def moment(when):
        monkeypatch.setattr(clock, "now", lambda: when)

    moment(CLOSES - timedelta(days=1))
    return moment


class Round:
    """The board, with each team's actions over HTTP."""

    def __init__(self, cast) -> None:
        self.cast, self.collection = cast, cast.collection
        self.teams, self.clients, self.tokens = {}, {}, {}
        for name in TEAMS:
            user = get_user_model().objects.create_user(name)
            self.teams[name] = make_team(collection=self.collection, name=name, who="owner")
            add_to_team(self.teams[name], user)
            self.clients[name] = Client()
            self.clients[name].force_login(user)
            self.give_token(user)

    def give_token(self, user):
        self.tokens[user.username] = make_token(user=user, name="t", scopes=ApiToken.Scope.values, days=300)[
            1
        ]

    def send(self, *sent, **options):
        """Send a run file, and return the upload after its check."""
        upload = self.leave_waiting(*sent, **options)
        work_off_everything()
        upload.refresh_from_db()
        return upload

    def leave_waiting(self, name, tag, lines, *, column="", pack=bytes, **options):
        """Send a run file, and return the upload before its check."""
        body = "".join(
            f"{qid} Q0 {pid} {rank} {9 - rank} {column or tag}\n" for rank, (qid, pid) in enumerate(lines, 1)
        )
        query = "&".join(f"{key}={value}" for key, value in options.items())
        reply = Client().post(
            f"/api/v1/collections/harbour/runs?run_tag={tag}&{query}",
            pack(body.encode()),
            content_type="application/octet-stream",
            HTTP_IDEMPOTENCY_KEY=tag + column,
            HTTP_AUTHORIZATION=f"Bearer {self.tokens[name]}",
        )
        assert reply.status_code in (200, 202), reply.content
        return RunUpload.objects.get(pk=reply.json()["id"])

    def get(self, name, address):
        if name and address.startswith("/api/"):
            return Client().get(address, HTTP_AUTHORIZATION=f"Bearer {self.tokens[name]}")
        return self.clients[name].get(address) if name else Client().get(address)


@pytest.fixture
def board(cast, at, tmp_path):
    top = tmp_path / "top.txt"
    top.write_text("q1 Q0 a 1 2 x\nq1 Q0 b 2 1 x\nq2 Q0 a2 1 1 x\nq3 Q0 a3 1 1 x\n")
    set_candidates(collection=cast.collection, path=top, who="owner")
    set_round(
        collection=cast.collection,
        name="2026",
        opens_at=CLOSES - timedelta(days=60),
        closes_at=CLOSES,
        most_runs=1,
        who="owner",
    )
    set_policy(
        collection=cast.collection,
        most_runs=9,
        period_days=1,
        required=["subtask"],
        longest_embargo_days=30,
        release_after="public",
        public_list="all",
    )
    return Round(cast)
