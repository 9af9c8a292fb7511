"""Fixtures for the marketplace's tests: one requester, a few workers, a controllable clock.

The tests run with the marketplace's own settings (``--ds=config.marketplace_settings``); with other settings
this folder is skipped.
"""

import json
import os
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest

UNDER_MARKETPLACE = os.environ.get("DJANGO_SETTINGS_MODULE") == "config.marketplace_settings"
if not UNDER_MARKETPLACE:
    collect_ignore_glob = ["*test_*.py"]

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
QUESTION = (
    '<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/'
    'ExternalQuestion.xsd"><ExternalURL>http://127.0.0.1:9/judge?link=a&amp;v=2</ExternalURL>'
    "<FrameHeight>0</FrameHeight></ExternalQuestion>"
)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(tmp_path_factory, django_db_modify_db_settings_parallel_suffix):
    """Use a file for SQLite, because an in-memory database locks differently and races are tested here."""
    from django.db import connections

    test = connections["default"].settings_dict
    if test["ENGINE"].endswith("sqlite3"):
        test["TEST"]["NAME"] = str(tmp_path_factory.mktemp("marketplace") / "tests.sqlite3")


@pytest.fixture(autouse=True)
def _quick_and_exact(settings):
    """Use cheap password hashes, and do not cache counts."""
    settings.ARGON2_MEMORY_KIB, settings.ARGON2_TIME_COST, settings.ARGON2_PARALLELISM = 8, 1, 1
    settings.COUNT_CACHE_SECONDS = 0


@pytest.fixture
def key(db):
    """The key of a requester with $1,000."""
    from marketplace.services.account import accounts

    return accounts.create_requester("lab", opening_cents=100_000, now=NOW)


@pytest.fixture
def requester(key):
    return key.requester


@pytest.fixture
def ask(requester):
    """Call an operation as the endpoint does after checking the signature: ``ask("GetHIT", HITId=...)``."""
    return asker(requester)


def asker(requester):
    from marketplace.protocol import shapes, wire_format as protocol
    from marketplace.services import expiry
    from marketplace.services.call import Call
    from marketplace.services.requester import operations

    def ask(name, *, at=NOW, **request):
        document = json.loads(protocol.write_body(request))
        expiry.apply_due(at)
        call = Call(requester, shapes.read_request(name, document), at, "request-1")
        return shapes.write_response(name, operations.operation_named(name)(call))

    return ask


@pytest.fixture
def hit_type(ask):
    """A type that pays $2.00, allows an hour, and approves automatically after a day."""
    return make_type(ask)


def make_type(ask, **changes):
    values = {
        "Title": "Compare passages",
        "Description": "Say which of two passages answers a question better.",
        "Reward": "2.00",
        "AssignmentDurationInSeconds": 3600,
        "AutoApprovalDelayInSeconds": 86400,
    }
    return ask("CreateHITType", **values | changes)["HITTypeId"]


def make_hit(ask, type_id, *, at=NOW, **changes):
    values = {"HITTypeId": type_id, "Question": QUESTION, "LifetimeInSeconds": 7 * 86400}
    return ask("CreateHITWithHITType", at=at, **values | changes)["HIT"]["HITId"]


@pytest.fixture
def ada(db):
    return make_worker("ada")


@pytest.fixture
def grace(db):
    return make_worker("grace")


def make_worker(name, **changes):
    from marketplace.services.account import accounts

    return accounts.create_worker(name, password=None, now=NOW, **changes)


def work(worker, type_id, *, at=NOW):
    """Take and submit a task; returns its assignment id."""
    from marketplace.services.worker import tasks as taking

    assignment = taking.take_task(worker, type_id, at)
    taking.hand_in(assignment.assignment_id, [("choice", "left")], at)
    return assignment.assignment_id


def hours(count):
    return timedelta(hours=count)


@contextmanager
def refused(code):
    """Check that the block is refused with this TurkErrorCode."""
    from marketplace.errors import ProtocolError

    with pytest.raises(ProtocolError) as info:
        yield info
    assert info.value.turk_code == f"AWS.MechanicalTurk.{code}"


def balance(ask, at=NOW):
    """Return the available and the held amount, as the protocol writes them."""
    answer = ask("GetAccountBalance", at=at)
    return answer["AvailableBalance"], answer["OnHoldBalance"]
