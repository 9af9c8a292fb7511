"""The endpoint under contract, and the fixtures of its tests.

By default a marketplace process of our own is started. ``PREFEREE_CONTRACT_ENDPOINT`` names another endpoint
(with ``PREFEREE_CONTRACT_ACCESS_KEY`` and ``PREFEREE_CONTRACT_SECRET_KEY``); tests that need a queue on this
machine are skipped there, and those that need a worker unless ``PREFEREE_CONTRACT_WORKER_SITE`` names another
marketplace's pages where people sign up, or ``PREFEREE_CONTRACT_SIGNIN_LINKS`` a file of links. Nothing here uses
Django.
"""

import json
import os
import queue
import threading
import uuid
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from tests.contract.calling import CALLS
from tests.contract.endpoint import Endpoint, Person, make_client, make_hit, named_endpoint, start_marketplace

FOLDER = Path(__file__).parent


def pytest_collection_modifyitems(items):
    """Run the whole contract in one process with one marketplace, and the test of its coverage last."""
    ours = [item for item in items if item.path.parent == FOLDER]
    for item in ours:
        item.add_marker(pytest.mark.xdist_group("contract"))
    last = [item for item in ours if item.name.startswith("test_every_operation")]
    items[:] = [item for item in items if item not in last] + last


def pytest_runtest_logfinish(nodeid):
    """Record that a test is over, even if it was skipped."""
    CALLS.tests_over.add(nodeid)


class Queue(BaseHTTPRequestHandler):
    """Accepts SQS's SendMessage and stores the messages."""

    def do_POST(self):
        """Store one message."""
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.server.messages.put((self.path, json.loads(form["MessageBody"][0])))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *arguments):
        """Say nothing."""


@pytest.fixture(scope="session")
def queue_server():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Queue)
    server.messages = queue.Queue()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def endpoint(tmp_path_factory, queue_server):
    if named := named_endpoint(os.environ):
        yield named
        return
    folder = tmp_path_factory.mktemp("marketplace")
    host, number = queue_server.server_address[:2]
    process, port = start_marketplace(
        folder,
        MARKETPLACE_QUEUE_HOSTS=f"{host}:{number}",
        MARKETPLACE_TICK_SECONDS="0.2",
        MARKETPLACE_COUNT_CACHE_SECONDS="0",
    )
    try:
        key = json.loads((folder / "marketplace-key.json").read_text())
        assert key["endpoint"] == f"http://127.0.0.1:{port}"
        yield Endpoint(
            key["endpoint"],
            key["access_key"],
            key["secret_key"],
            site=key["endpoint"],
            has_queue=True,
            folder=folder,
        )
    finally:
        process.terminate()
        assert process.wait(timeout=60) == 0


@pytest.fixture
def events(endpoint, queue_server):
    """A queue's address, and a function that waits for its next message."""
    if not endpoint.has_queue:
        pytest.skip("this endpoint cannot reach a queue on this machine")
    host, number = queue_server.server_address[:2]
    path = f"/{uuid.uuid4().hex}"

    def following():
        while True:
            sent_to, message = queue_server.messages.get(timeout=60)
            if sent_to == path:
                return message

    return f"http://{host}:{number}{path}", following


@pytest.fixture(scope="session")
def crowd(endpoint):
    client = make_client(endpoint.url, endpoint.access_key, endpoint.secret_key)
    CALLS.listen_to(client)
    yield client
    client.close()


@pytest.fixture
def hit_type(crowd):
    return crowd.create_hit_type(
        Title=f"Compare passages {uuid.uuid4().hex[:8]}",
        Description="Say which of two passages answers a question better.",
        Reward="0.50",
        AssignmentDurationInSeconds=600,
        AutoApprovalDelayInSeconds=86400,
    )["HITTypeId"]


@pytest.fixture
def hit(crowd, hit_type):
    """A HIT that is deleted after the test."""
    made = make_hit(crowd, hit_type)
    yield made
    crowd.update_expiration_for_hit(HITId=made["HITId"], ExpireAt=datetime(2015, 1, 1, tzinfo=UTC))


@pytest.fixture
def qualification(crowd):
    """A qualification type's id; the type is deleted after the test."""
    made = crowd.create_qualification_type(
        Name=f"q {uuid.uuid4().hex}",
        Description="d",
        QualificationTypeStatus="Active",
        RetryDelayInSeconds=0,
    )
    yield made["QualificationType"]["QualificationTypeId"]
    crowd.delete_qualification_type(QualificationTypeId=made["QualificationType"]["QualificationTypeId"])


@pytest.fixture(scope="session")
def links(endpoint):
    """Unused sign-in links."""
    return iter(endpoint.links)


@pytest.fixture
def hire(endpoint, links):
    """Return a function that creates people; their connections are closed afterwards."""
    if not endpoint.has_workers:
        pytest.skip(
            "nobody works at this endpoint: PREFEREE_CONTRACT_WORKER_SITE or _SIGNIN_LINKS names who does"
        )
    people = []

    def hire():
        link = next(links, "")
        assert link or not endpoint.links, "PREFEREE_CONTRACT_SIGNIN_LINKS has too few links: make 30"
        people.append(Person(endpoint.site, link))
        return people[-1]

    yield hire
    for person in people:
        person.http.close()
