"""Logs state what happened, but never to whom."""

import json
import logging
import sys

import pytest
from django.contrib.auth import get_user_model

from config.monitoring.logs import MASK, JsonLines, PlainLines, masked
from tests.factories import make_collection

WORKER = "A2XK5J8Q0WVLMR"
ASSIGNMENT = "3AAPLD8UCDBN7WWKT0WRPQDCVXTHTB"
TOKEN = "WzE3LCJodHRwOi8vY3Jvd2QiXQ~kZc1q9Yw3b5n7m9p1r3t5v7x9z1B3D5F7H9J1L3N5P7"


def record(message: str, *values, exc_info=None, **fields) -> logging.LogRecord:
    made = logging.LogRecord("preferee.test", logging.WARNING, __file__, 1, message, values, exc_info)
    made.fields = fields
    return made


@pytest.mark.parametrize(
    "said",
    [
        f"Not Found: /judge/task/{TOKEN}/save",
        f"GET /judge/{TOKEN}/?assignmentId={ASSIGNMENT}&hitId=H1&workerId=w7&turkSubmitTo=https://x",
        "{'WorkerId': 'w7', 'AssignmentId': 'as-7', 'Reason': 'late'}",
        '{"worker_id": "w7", "page_token": "t-7"}',
        "crowd_worker_id=w7 and more",
        f"worker {WORKER} did {ASSIGNMENT}",
        "prolific worker 5f3c1a9e8b7d6c5a4f3e2d1c",
        'duplicate key value violates unique constraint "x"\n'
        "DETAIL:  Key (crowd, crowd_worker_id)=(mturk:http://x, w7) already exists.",
        "DETAIL:  Failing row contains (1, w7, t-7).",
        "redis://:t-7@host:6379/0",
        "Not Found: /accounts/invitations/t-7/",
        "GET /accounts/login/?next=%2Faccounts%2Finvitations%2Ft-7%2F",
        "Not Found: /accounts/password/reset/key/1-t-7/",
        "Not Found: /accounts/confirm-email/t-7:8/",
        "GET /accounts/oidc/oidc/login/callback/?code=t-7&state=w7",
        "Authorization: Bearer pfr_0123abcd_t-7-7777",
        "Authorization: Basic d2ViOnQtNzc3Nzc3",
        "the secret whsec_t-7+/= of a webhook",
        "Cookie: __Host-sessionid=t-7; csrftoken=w7",
    ],
)
def test_ids_tokens_and_keys_are_masked(said):
    shown = masked(said)

    assert MASK in shown
    for secret in (TOKEN, WORKER, ASSIGNMENT, "w7", "as-7", "t-7", "5f3c1a9e8b7d6c5a4f3e2d1c"):
        assert secret not in shown


@pytest.mark.parametrize(
    "said", ["judging.collect done", "7 places of campaign dl21-top open", "PostgreSQL 17, UTC, HTTP 404"]
)
def test_other_words_stay_as_they_are(said):
    assert masked(said) == said


def test_a_json_line_has_time_level_words_and_fields():
    line = json.loads(JsonLines().format(record("%s is done", "it", kind="judging.collect", seconds=1.5)))

    assert line["message"] == "it is done"
    assert (line["level"], line["logger"]) == ("WARNING", "preferee.test")
    assert (line["kind"], line["seconds"]) == ("judging.collect", 1.5)
    assert line["time"].endswith("+00:00")


@pytest.mark.parametrize("lines", [JsonLines(), PlainLines()])
def test_tracebacks_are_kept_and_masked(lines):
    try:
        raise ValueError(f"no such worker: {WORKER}")
    except ValueError:
        shown = lines.format(record("it broke", exc_info=sys.exc_info()))

    assert "ValueError" in shown
    assert WORKER not in shown


def test_a_json_record_is_one_line():
    assert "\n" not in JsonLines().format(record("two\nlines", why="a\nb"))


@pytest.mark.django_db
@pytest.mark.one_database
def test_a_refused_permission_is_one_line_without_a_traceback(client, caplog):
    collection = make_collection("harbor", ["q1"], visibility="published")
    client.force_login(get_user_model().objects.create_user("eve"))
    with caplog.at_level("WARNING", logger="django.request"):
        assert client.get(f"/collections/{collection.name}/runs/send/").status_code == 403

    [refused] = [one for one in caplog.records if one.name == "django.request"]
    [handler] = [one for one in logging.getLogger().handlers if isinstance(one.formatter, PlainLines)]
    handler.filter(refused)

    assert handler.format(refused).endswith("Forbidden (Permission denied): /collections/harbor/runs/send/")
