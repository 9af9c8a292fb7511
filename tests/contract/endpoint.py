"""Shared parts of the contract's tests: the endpoint, workers, and calls that must be refused."""

import atexit
import html
import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import boto3
import httpx
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from tests.waiting import answers, wait_until

QUESTION = (
    '<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/'
    'ExternalQuestion.xsd"><ExternalURL>https://judge.example/task?link=a&amp;v=2</ExternalURL>'
    "<FrameHeight>0</FrameHeight></ExternalQuestion>"
)
ANSWERS = (
    "{http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd}"
)


@dataclass(frozen=True)
class Endpoint:
    """The endpoint's address and key.

    ``site`` is the address where people sign up and work over HTTP, or empty; if sign-up is closed, they sign in
    through one of ``links``. ``has_queue``: it sends notifications to a queue on this machine. ``folder``: the data
    of a marketplace that the tests start.
    """

    url: str
    access_key: str
    secret_key: str
    site: str = ""
    links: tuple[str, ...] = ()
    has_queue: bool = False
    folder: Path | None = None

    @property
    def has_workers(self) -> bool:
        """Return whether the tests can have workers there."""
        return bool(self.site)


def named_endpoint(environment: Mapping[str, str]) -> Endpoint | None:
    """Return the endpoint that the environment names, or None."""
    url = environment.get("PREFEREE_CONTRACT_ENDPOINT")
    if not url:
        return None
    keys = ["PREFEREE_CONTRACT_ACCESS_KEY", "PREFEREE_CONTRACT_SECRET_KEY"]
    if missing := [name for name in keys if not environment.get(name)]:
        raise pytest.UsageError(
            f"PREFEREE_CONTRACT_ENDPOINT names {url}; set {' and '.join(missing)} too: "
            "the key of a requester there."
        )
    links = _links(environment.get("PREFEREE_CONTRACT_SIGNIN_LINKS", ""))
    site = environment.get("PREFEREE_CONTRACT_WORKER_SITE", "").rstrip("/") or (
        _site_of(links[0]) if links else ""
    )
    if wrong := [link for link in links if not link.startswith(f"{site}/")]:
        raise pytest.UsageError(f"PREFEREE_CONTRACT_SIGNIN_LINKS has {wrong[0]}, which is not of {site}.")
    return Endpoint(url, environment[keys[0]], environment[keys[1]], site=site, links=links)


def _links(file: str) -> tuple[str, ...]:
    """Return the sign-in links in a file that ``python -m marketplace create_workers`` wrote."""
    if not file:
        return ()
    try:
        links = tuple(json.loads(line)["link"] for line in Path(file).read_text().splitlines())
    except (OSError, ValueError, KeyError) as error:
        raise pytest.UsageError(f"PREFEREE_CONTRACT_SIGNIN_LINKS={file} cannot be read: {error!r}") from None
    if not links:
        raise pytest.UsageError(f"PREFEREE_CONTRACT_SIGNIN_LINKS={file} has no links.")
    return links


def _site_of(link: str) -> str:
    parts = urlsplit(link)
    return f"{parts.scheme}://{parts.netloc}"


#: The files that a marketplace creates in its folder at its first start.
MADE = ("marketplace.sqlite3", "marketplace-key.json", "marketplace-secret-key")
_made: list[Path] = []


def _keep_what_was_made(folder: Path) -> None:
    """Copy the files of this process's first marketplace before anybody uses them."""
    kept = Path(tempfile.mkdtemp(prefix="preferee-marketplace-"))
    atexit.register(shutil.rmtree, kept, ignore_errors=True)
    for name in MADE[1:]:
        shutil.copy(folder / name, kept)
    with (
        closing(sqlite3.connect(folder / MADE[0])) as source,
        closing(sqlite3.connect(kept / MADE[0])) as copy,
    ):
        source.backup(copy)
    _made.append(kept)


def start_marketplace(folder, *options, **settings):
    """Start a marketplace on a free port, with its data in ``folder``; returns its process and port.

    The first one creates its database by running all migrations; the others start with a copy.
    """
    fresh = not (folder / MADE[0]).exists()
    if fresh and _made:
        for name in MADE:
            shutil.copy(_made[0] / name, folder)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    ours = ("MARKETPLACE_", "PREFEREE_", "DJANGO_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    environment |= {
        "PREFEREE_DATA_DIR": str(folder),
        "MARKETPLACE_ARGON2_MEMORY_KIB": "8",
        "MARKETPLACE_ARGON2_TIME_COST": "1",
        "MARKETPLACE_ARGON2_PARALLELISM": "1",
        **settings,
    }
    log = (folder / "log").open("w")
    with log:
        process = subprocess.Popen(
            [sys.executable, "-m", "marketplace", "serve", "--port", str(port), *options],
            env=environment,
            stdout=log,
            stderr=log,
        )
    wait_until(lambda: process.poll() is not None or answers(f"http://127.0.0.1:{port}/healthz"))
    assert process.poll() is None, (folder / "log").read_text()
    if not _made:
        _keep_what_was_made(folder)
    return process, port


def make_client(url, access_key, secret_key):
    return boto3.client(
        "mturk",
        region_name="us-east-1",
        endpoint_url=url,
        aws_access_key_id=access_key,
        aws_secret_access_key=secret_key,
        config=Config(retries={"total_max_attempts": 1}, connect_timeout=10, read_timeout=60),
    )


def make_hit(crowd, hit_type, **changes):
    values = {"HITTypeId": hit_type, "Question": QUESTION, "LifetimeInSeconds": 3600}
    return crowd.create_hit_with_hit_type(**values | changes)["HIT"]


class Person:
    """A person who signs up, or signs in through a link, and works in a browser without scripts."""

    def __init__(self, url, link=""):
        self.http = httpx.Client(base_url=url, follow_redirects=True, timeout=60)
        if link:
            page = self._post(urlsplit(link).path, urlsplit(link).path)
        else:
            # A program, so that payouts leave out a test's earnings.
            name = f"w{uuid.uuid4().hex[:12]}"
            page = self._post("/signup/", "/signup/", username=name, password=uuid.uuid4().hex, program="yes")
        found = re.search(r'id="worker-id">(\w+)<', self.http.get("/").text)
        assert found, f"nobody could {'sign in by the link' if link else 'sign up'}: {page.text}"
        self.worker_id = found[1]

    def take(self, hit_type):
        """Take a task; returns the parameters of its frame's address."""
        page = self._post(f"/groups/{hit_type}/", f"/groups/{hit_type}/take/")
        found = re.search(r'<iframe id="task-frame"[^>]* src="([^"]+)"', page.text)
        assert found, page.text
        query = parse_qs(urlsplit(html.unescape(found[1])).query)
        return {name: values[0] for name, values in query.items()}

    def ask_for(self, qualification_type):
        return self._post("/account/", f"/qualifications/{qualification_type}/ask/")

    def give_back(self, task):
        path = f"/tasks/{task['assignmentId']}/"
        return self._post(path, f"{path}return/", confirmed="yes")

    def _post(self, page, path, **fields):
        shown = self.http.get(page)
        token = re.search(r'csrfmiddlewaretoken" value="([^"]+)"', shown.text)
        assert token, f"{page} has no form: {shown.text}"
        # A site behind HTTPS checks which of its pages a form comes from.
        sent = fields | {"csrfmiddlewaretoken": token[1]}
        return self.http.post(path, data=sent, headers={"Referer": str(shown.url)})


def submit(task, **fields):
    """Post a form without cookies to the crowd, as the task's own page does."""
    sent = {"assignmentId": task["assignmentId"]} | (fields or {"choice": "left"})
    return httpx.post(f"{task['turkSubmitTo']}/mturk/externalSubmit", data=sent, timeout=60)


def refused(call, **request):
    with pytest.raises(ClientError) as refusal:
        call(**request)
    return refusal.value.response


def code(response):
    """Return a refusal's TurkErrorCode in lower case without its prefix, as clients compare it."""
    return response.get("TurkErrorCode", "").lower().rpartition(".")[2]


def every(client, operation, member, **request):
    """Return every row of a list, from all its pages."""
    pages = client.get_paginator(operation).paginate(**request, PaginationConfig={"PageSize": 100})
    return [row for page in pages for row in page[member]]
