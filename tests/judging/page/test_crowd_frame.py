"""Framing and security headers of every address below ``/judge/``, and limits on request size and pace."""

import json
from contextlib import contextmanager
from unittest import mock
from urllib.parse import urlsplit

import pytest
import time_machine
from django.db import transaction
from django.test import Client
from django.urls import reverse

from config import clock
from judging import urls
from judging.models import Choice
from judging.page import page_limits
from judging.page.crowd_frame import LARGEST_FORM, PREFIX
from judging.page.trials import trial_link
from tests.judging.visitor import CROWD_SITE, Visitor, text

pytestmark = [pytest.mark.one_database, pytest.mark.usefixtures("crowd_site")]
NAMES = [pattern.name for pattern in urls.urlpatterns]
LOST = ["/judge/", "/judge/a/b/c/", "/judge/task/x/unknown", "/judge/task/x/save/more"]
#: Requested by the page's script, which can read the response from any origin.
FOR_SCRIPTS = {"accept": "*/*", "origin": "null"}


def fit_for_the_frame(response) -> None:
    """No cookie, no referrer, no cache, only our scripts; framed by the crowd's site and by ourselves."""
    directives = (part.strip().split(" ", 1) for part in response["Content-Security-Policy"].split(";"))
    policy = dict(directives)
    assert policy["frame-ancestors"] == policy["form-action"] == f"'self' {CROWD_SITE}"
    assert policy["script-src"] == policy["style-src"] == policy["default-src"] == "'self'"
    assert (policy["object-src"], policy["base-uri"]) == ("'none'", "'none'")
    assert response["Referrer-Policy"] == "no-referrer"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in response["Cache-Control"]
    assert "X-Frame-Options" not in response
    assert "Set-Cookie" not in response
    assert not response.cookies
    for forbidden in ("<style", " style=", " onclick=", "javascript:", "http://", "//cdn"):
        assert forbidden not in response.content.decode().split("<form", 1)[0]


@contextmanager
def undone():
    """Undo the block's database changes."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def address(martha, name: str, token: str = "") -> str:
    """Return the address with that name, for the page of a worker with a task."""
    if not token:
        links = {"arrive": martha.taken.url, "trial": trial_link(martha.campaign).url}
        token = urlsplit(links.get(name, martha.page)).path.rstrip("/").rpartition("/")[2]
    return reverse(f"judging:{name}", args=[token])


@pytest.mark.parametrize("method", ["get", "post", "put", "options"])
def test_every_answer_to_a_worker_is_fit_for_the_frame(martha, method):
    martha.begin()

    for name in NAMES:
        with undone():
            response = getattr(martha.client, method)(address(martha, name))

        fit_for_the_frame(response)
        if response.status_code == 405 and name not in ("save", "state"):
            assert 'data-reason="garbled"' in text(response), name


@pytest.mark.parametrize("method", ["get", "post"])
def test_every_answer_to_a_forged_token_is_fit_for_the_frame(martha, method):
    for name in NAMES:
        response = getattr(martha.client, method)(address(martha, name, "W10~abc"))

        fit_for_the_frame(response)
        assert response.status_code in (404, 405, 409), name


@pytest.mark.parametrize("path", LOST)
def test_unknown_addresses_are_explained_and_can_be_framed(db, path):
    response = Client().get(path)

    assert response.status_code == 404
    fit_for_the_frame(response)
    assert 'data-reason="unknown-link"' in text(response)


def test_prefix_is_where_the_pages_are(martha):
    assert all(address(martha, name, "x").startswith(PREFIX) for name in NAMES)


def test_server_errors_are_explained_and_can_be_framed(martha):
    martha.begin()
    martha.client.raise_request_exception = False

    with mock.patch("judging.page.session.check_workable", side_effect=ZeroDivisionError):
        page = martha.client.get(martha.page)
        saved = martha.client.post(f"{martha.page}save", {"slot": "1"}, headers=FOR_SCRIPTS)

    for response in (page, saved):
        assert response.status_code == 500
        fit_for_the_frame(response)
        assert "ZeroDivision" not in response.content.decode()
    assert 'data-reason="our-fault"' in text(page)
    assert json.loads(saved.content)["reason"] == "our-fault"
    assert saved["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize("path", ["save", "finish", "leave", "consent"])
def test_what_is_too_large_is_refused_before_it_is_read(martha, path):
    martha.begin()

    response = martha.client.post(
        f"{martha.page}{path}", {"side": "x" * LARGEST_FORM}, headers={"accept": "text/html,*/*"}
    )

    assert response.status_code == 413
    fit_for_the_frame(response)
    assert 'data-reason="too-large"' in text(response)
    assert Choice.objects.count() == 0


def test_longest_comment_there_is_passes(martha):
    martha.begin()

    martha.client.post(
        f"{martha.page}finish", {**martha.choices(), "comment": "\U0001f9ea" * 5000}, follow=True
    )

    assert len(martha.submission.comment) == 5000


def test_too_many_fields_are_garbled_and_fit_for_the_frame(martha):
    martha.begin()

    response = martha.client.post(f"{martha.page}finish", {f"f{number}": "" for number in range(1001)})

    assert response.status_code == 400
    fit_for_the_frame(response)
    assert 'data-reason="garbled"' in text(response)


# Pace.


@pytest.fixture
def slow(settings):
    """A limit of ten requests in ten seconds, and a stopped clock."""
    settings.PAGE_REQUESTS_PER_SECOND = 1
    with time_machine.travel(clock.now().replace(second=3, microsecond=0), tick=False) as traveller:
        yield traveller


def save_often(martha, times):
    return [
        martha.client.post(
            f"{martha.page}save",
            {"slot": "1", "side": "left", "sequence": str(number)},
            headers=FOR_SCRIPTS,
        )
        for number in range(times)
    ]


def test_a_page_with_too_many_requests_gets_a_retry_time(slow, martha):
    martha.begin()  # the page, the consent, the page: three requests

    *_, last, first_refused = save_often(martha, 8)

    assert (last.status_code, first_refused.status_code) == (200, 429)
    assert first_refused["Retry-After"] == "7"
    assert first_refused["Access-Control-Expose-Headers"] == "Retry-After"
    assert first_refused.json()["saved"] is False
    fit_for_the_frame(first_refused)
    assert Choice.objects.count() == 7


def test_pace_is_each_pages_own_and_passes(slow, crowd, campaign, martha):
    henry = Visitor(crowd, campaign, "AHENRY")
    for visitor in (martha, henry):
        visitor.begin()
    save_often(martha, 10)

    assert henry.save().status_code == 200
    assert martha.save().status_code == 429
    slow.shift(page_limits.WINDOW)
    assert martha.save(side="right", sequence="20").status_code == 200


def test_no_limit_when_it_is_off_and_none_for_addresses_that_all_share(slow, settings, martha):
    shared = [martha.arrive(assignmentId="") for _ in range(12)]
    settings.PAGE_REQUESTS_PER_SECOND = 0
    martha.begin()

    assert {response.status_code for response in shared} == {200}
    assert {response.status_code for response in save_often(martha, 30)} == {200}


def test_a_whole_task_is_done_and_the_next_one_taken_while_redis_is_away(
    slow, settings, crowd, campaign, martha
):
    away = {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "redis://127.0.0.1:1/0"}
    settings.CACHES |= {"default": away}
    martha.begin()
    replies = save_often(martha, 12)
    sent = martha.finish(pass_gold=False)  # before the next task, the crowd is asked about this one
    unknown = martha.arrive(hitId="3UNKNOWN", assignmentId="3OTHER")

    assert {reply.status_code for reply in replies} == {200}
    assert 'data-first="yes"' in text(sent)
    assert (unknown.status_code, Visitor(crowd, campaign).arrive().status_code) == (404, 200)


# Destinations of the last form.


SLASHES = {
    CROWD_SITE: f"{CROWD_SITE}/mturk/externalSubmit",
    f"{CROWD_SITE}/": f"{CROWD_SITE}/mturk/externalSubmit",
    f"{CROWD_SITE}//": f"{CROWD_SITE}/mturk/externalSubmit",
    f"{CROWD_SITE}/workers/": f"{CROWD_SITE}/workers/mturk/externalSubmit",
    f"{CROWD_SITE}?a=1#b": f"{CROWD_SITE}/mturk/externalSubmit",
    "": f"{CROWD_SITE}/mturk/externalSubmit",
}


@pytest.mark.parametrize("known", [CROWD_SITE, f"{CROWD_SITE}/"])
def test_form_goes_to_a_known_site_however_its_slashes_stand(settings, martha, known):
    settings.CROWD_HOSTS, settings.ARRIVALS_PER_NETWORK = [known], 0
    for submit_to, action in SLASHES.items():
        martha.params["turkSubmitTo"] = submit_to

        with undone():
            sent = martha.do_task()

        assert f'action="{action}"' in text(sent), submit_to


ELSEWHERE = [
    "http://crowd.example",
    "https://crowd.example:8443",
    "https://crowd.example.evil.example",
    "https://crowd.example@evil.example",
    "https://me@crowd.example",
    "https://evil.example/https://crowd.example",
    "https://evil.example\\@crowd.example",
    "https://crowd.example\\.evil.example",
    "//crowd.example",
    "crowd.example",
    "javascript://crowd.example/%0aalert(1)",
    "data:text/html,x",
]


def test_form_goes_nowhere_else(martha):
    for submit_to in ELSEWHERE:
        response = martha.arrive(turkSubmitTo=submit_to)

        assert response.status_code == 404, submit_to
        assert 'data-reason="unknown-link"' in text(response)
        fit_for_the_frame(response)
