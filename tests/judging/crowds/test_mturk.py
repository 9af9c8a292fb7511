"""The adapter for MTurk's requester protocol, tested with canned replies and with the real marketplace."""

import socket
import threading
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer

import boto3
import pytest
from botocore.exceptions import ClientError, ConnectTimeoutError
from botocore.stub import Stubber
from django.db import transaction

from config.process import launcher
from judging.crowds import mturk
from judging.crowds.interface import PostingKind, QualificationKind
from judging.crowds.limiter import PAUSE_SECONDS, USED, ThreadLimiter
from judging.crowds.mturk import MTurk
from judging.crowds.mturk_errors import crowd_error
from judging.errors import (
    CrowdAlready,
    CrowdConfiguration,
    CrowdLater,
    CrowdMoney,
    CrowdNever,
    CrowdThrottled,
)

KIND = PostingKind(
    title="Which passage answers the question better?",
    description="Read a question and two passages.",
    keywords="search",
    reward=Decimal("2.00"),
    assignment_seconds=3600,
    auto_approval_seconds=86400,
)
URL = "http://127.0.0.1:8410/judge/token/"


def hit(number: int, **changes):
    values = {
        "HITId": f"3HIT{number:022d}",
        "RequesterAnnotation": f"key-{number}",
        "HITStatus": "Assignable",
        "MaxAssignments": 1,
        "NumberOfAssignmentsAvailable": 1,
        "NumberOfAssignmentsPending": 0,
        "NumberOfAssignmentsCompleted": 0,
    }
    return values | changes


def assignment(number: int, status: str = "Submitted"):
    return {
        "AssignmentId": f"3ASSIGNMENT{number:016d}",
        "HITId": "3HIT",
        "WorkerId": f"A1WORKER{number}",
        "AssignmentStatus": status,
        "Answer": "garbled",
    }


@pytest.fixture
def canned(monkeypatch):
    """A boto3 client with replies prepared by the test."""
    client = boto3.client(
        "mturk", region_name="us-east-1", aws_access_key_id="AKIDAAAAAAAAAAAAAAAA", aws_secret_access_key="s"
    )
    monkeypatch.setattr(mturk, "_client", lambda *_: client)
    monkeypatch.setattr(launcher, "crowd_keys", lambda: ("AKIDAAAAAAAAAAAAAAAA", "s"))
    with Stubber(client) as stub:
        yield stub
        stub.assert_no_pending_responses()


def error(code: str, message: str = "", *, turk: str = "", status: int = 400) -> ClientError:
    response = {
        "Error": {"Code": code, "Message": message},
        "ResponseMetadata": {"HTTPStatusCode": status},
    }
    if turk:
        response["TurkErrorCode"] = f"AWS.MechanicalTurk.{turk}"
    return ClientError(response, "CreateHITWithHITType")


def test_lists_are_paged_to_their_end(canned):
    request = {"MaxResults": 100}
    canned.add_response("list_hits", {"HITs": [hit(1)], "NextToken": "more"}, request)
    canned.add_response("list_hits", {"HITs": [], "NextToken": "still"}, request | {"NextToken": "more"})
    canned.add_response("list_hits", {"HITs": [hit(2)]}, request | {"NextToken": "still"})

    assert [place.key for place in MTurk("http://crowd").places()] == ["key-1", "key-2"]


def test_place_is_found_again_by_its_annotation(canned):
    canned.add_response("list_hits", {"HITs": [hit(1), hit(2)]})

    found = MTurk("http://crowd").find_place("key-2")

    assert found is not None
    assert found.crowd_id == hit(2)["HITId"]


def test_reading_a_hit_tells_open_held_and_handed_in_apart(canned):
    held = {"HITStatus": "Unassignable", "NumberOfAssignmentsAvailable": 0}
    canned.add_response(
        "list_hits",
        {
            "HITs": [
                hit(1),
                hit(2, **held, NumberOfAssignmentsPending=1),
                hit(3, **held | {"HITStatus": "Reviewable"}),
                hit(4, HITStatus="Reviewable"),
            ]
        },
    )

    places = [(one.open, one.held, one.has_submission) for one in MTurk("http://crowd").places()]

    assert places == [(True, False, False), (True, True, False), (False, False, True), (False, False, False)]


def test_garbled_answers_are_no_answers(canned):
    canned.add_response("list_assignments_for_hit", {"Assignments": [assignment(1)]})

    assert [row.answers for row in MTurk("http://crowd").submissions("3HIT")] == [{}]


def test_approving_what_is_approved_is_a_success(canned):
    canned.add_client_error(
        "approve_assignment",
        "RequestError",
        "This operation can be called with a status of: Submitted",
    )
    asked = {"AssignmentId": "3ASSIGNMENT1"}
    canned.add_response("get_assignment", {"Assignment": assignment(1, "Approved")}, asked)

    MTurk("http://crowd").approve("3ASSIGNMENT1")

    canned.assert_no_pending_responses()  # it looked at the assignment before it counted the refusal as success


@pytest.mark.parametrize(
    ("headers", "returned"),
    [
        ({"x-returned-at": "2026-05-03T08:00:00.123456+00:00"}, datetime(2026, 5, 3, 8, 0, 0, 123456, UTC)),
        ({}, None),
    ],
)
def test_the_time_of_a_return_is_read_from_a_header_and_not_from_words(canned, headers, returned):
    message = "Other words.  It was returned at 2026-01-01T00:00:00+00:00."
    canned.add_client_error("get_assignment", "RequestError", message, response_meta={"HTTPHeaders": headers})

    assert MTurk("http://crowd").returned_at("3ASSIGNMENT1") == returned


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("AWS.MechanicalTurk.AssignmentDoesNotExist", CrowdLater),
        ("AWS.MechanicalTurk.InvalidParameterValue", CrowdNever),
    ],
)
def test_a_bonus_is_retried_by_the_code_of_the_refusal_and_not_by_its_words(canned, code, expected):
    sent = assignment(1) | {"SubmitTime": datetime(2026, 5, 3, 8, tzinfo=UTC)}
    message = "No such work." if expected is CrowdLater else "This reason does not exist."
    canned.add_client_error("send_bonus", "RequestError", message, modeled_fields={"TurkErrorCode": code})
    if expected is CrowdLater:
        canned.add_response("get_assignment", {"Assignment": sent})

    with pytest.raises(expected):
        MTurk("http://crowd").pay_bonus(
            assignment_id="3ASSIGNMENT1",
            crowd_worker_id="A1WORKER1",
            amount=Decimal("1"),
            reason="r",
            key="k",
        )


def test_approving_what_was_rejected_is_refused(canned):
    canned.add_client_error("approve_assignment", "RequestError", "status of: Submitted")
    canned.add_response("get_assignment", {"Assignment": assignment(1, "Rejected")})

    with pytest.raises(CrowdNever):
        MTurk("http://crowd").approve("3ASSIGNMENT1")


def test_rejecting_what_is_rejected_is_a_success_and_what_is_fresh_is_for_later(canned):
    canned.add_client_error("reject_assignment", "RequestError", "status of: Submitted")
    canned.add_response("get_assignment", {"Assignment": assignment(1, "Rejected")})
    canned.add_client_error("reject_assignment", "RequestError", "status of: null")
    canned.add_response("get_assignment", {"Assignment": assignment(1)})

    MTurk("http://crowd").reject("3ASSIGNMENT1", reason="Nothing was answered.")
    with pytest.raises(CrowdLater):
        MTurk("http://crowd").reject("3ASSIGNMENT1", reason="Nothing was answered.")


def test_a_bonus_goes_out_with_its_key_as_token_and_two_decimals(canned):
    canned.add_response(
        "send_bonus",
        {},
        {
            "WorkerId": "A1WORKER1",
            "AssignmentId": "3ASSIGNMENT1",
            "BonusAmount": "1.80",
            "Reason": "13 of 13 pairs.",
            "UniqueRequestToken": "key-bonus",
        },
    )

    MTurk("http://crowd").pay_bonus(
        assignment_id="3ASSIGNMENT1",
        crowd_worker_id="A1WORKER1",
        amount=Decimal("1.8"),
        reason="13 of 13 pairs.",
        key="key-bonus",
    )

    canned.assert_no_pending_responses()  # the stub compared the call with these values


def test_bonuses_are_listed_to_their_end(canned):
    row = {"WorkerId": "A1", "BonusAmount": "1.80", "AssignmentId": "3A", "Reason": "thanks"}
    request = {"MaxResults": 100, "HITId": "3HIT"}
    canned.add_response("list_bonus_payments", {"BonusPayments": [row], "NextToken": "more"}, request)
    canned.add_response(
        "list_bonus_payments",
        {"BonusPayments": [row | {"AssignmentId": "3B"}]},
        request | {"NextToken": "more"},
    )

    paid = MTurk("http://crowd").bonuses(place_crowd_id="3HIT")

    assert [(one.assignment_id, one.amount) for one in paid] == [
        ("3A", Decimal("1.80")),
        ("3B", Decimal("1.80")),
    ]


def test_a_block_list_is_found_by_its_whole_name(canned):
    types = [
        {"QualificationTypeId": f"3TYPE{number}", "Name": name, "QualificationTypeStatus": "Active"}
        for number, name in enumerate(["no more of these", "no more"])
    ]
    canned.add_response("list_qualification_types", {"QualificationTypes": types, "NumResults": 2})

    assert MTurk("http://crowd").find_block_list("no more") == "3TYPE1"


def test_a_message_goes_out_in_one_call_and_says_whom_it_did_not_reach(canned):
    workers = [f"A{number}" for number in range(100)]
    failure = {"NotifyWorkersFailureCode": "HardFailure", "WorkerId": "A20"}
    canned.add_response(
        "notify_workers",
        {"NotifyWorkersFailureStatuses": [failure]},
        {"Subject": "s", "MessageText": "t", "WorkerIds": workers},
    )

    failed = MTurk("http://crowd").message(crowd_worker_ids=workers, subject="s", text="t")

    assert failed == {"A20": "not delivered"}
    with pytest.raises(ValueError, match="at most 100"):
        MTurk("http://crowd").message(crowd_worker_ids=[*workers, "A101"], subject="s", text="t")


@pytest.mark.parametrize(
    ("raised", "ours"),
    [
        (error("ThrottlingException", "Rate exceeded"), CrowdThrottled),
        (error("ServiceFault", status=500), CrowdLater),
        (error("InternalFailure", status=503), CrowdLater),
        (ConnectTimeoutError(endpoint_url="http://crowd"), CrowdLater),
        (error("RequestError", turk="InsufficientFunds"), CrowdMoney),
        (error("UnrecognizedClientException"), CrowdConfiguration),
        (error("InvalidSignatureException"), CrowdConfiguration),
        (error("RequestError", turk="HITDoesNotExist"), CrowdNever),
        (error("ValidationException"), CrowdNever),
        (error("ParameterValidationError"), CrowdNever),
        (error("RequestError", "exists", turk="HITAlreadyExists"), CrowdAlready),
    ],
)
def test_errors_say_whether_trying_again_can_help(raised, ours):
    assert type(crowd_error(raised, "http://crowd")) is ours


def test_an_already_error_names_the_id_that_stands_in_it():
    message = "The HIT with ID 3ABCDEFGHIJKLMNOPQRSTU exists already (1700000000000)"

    found = crowd_error(error("RequestError", message, turk="HITAlreadyExists"), "http://crowd")

    assert isinstance(found, CrowdAlready)
    assert found.found == "3ABCDEFGHIJKLMNOPQRSTU"


@pytest.fixture
def ticking(settings, monkeypatch):
    """A limiter of two calls per second whose clock advances only during waits. Returns the waits."""
    settings.CROWD_CALLS_PER_SECOND = 2
    waited: list[float] = []
    pace = ThreadLimiter(now=lambda: 1000 + sum(waited), sleep=waited.append)
    monkeypatch.setattr(mturk, "limiter", lambda: pace)
    return waited


def test_every_call_waits_for_the_limiter(canned, ticking):
    for _ in range(4):
        canned.add_response("get_account_balance", {"AvailableBalance": "1.00"})

    for _ in range(4):
        MTurk("http://crowd").balance()

    assert ticking == pytest.approx([1 / (2 * USED)] * 3)


def test_a_throttling_reply_makes_everybody_pause_and_halves_the_rate(canned, ticking):
    canned.add_client_error("get_account_balance", "ThrottlingException", "Rate exceeded", 400)
    for _ in range(3):
        canned.add_response("get_account_balance", {"AvailableBalance": "1.00"})

    with pytest.raises(CrowdThrottled):
        MTurk("http://crowd").balance()
    for _ in range(3):
        MTurk("http://crowd").balance()

    pause, *spaced = ticking
    usual = 1 / (2 * USED)
    assert pause == pytest.approx(PAUSE_SECONDS)
    assert all(1.5 * usual < seconds < 2.1 * usual for seconds in spaced)  # the rate grows back


@pytest.mark.django_db
def test_no_call_with_an_effect_runs_inside_a_transaction(canned):
    with transaction.atomic(), pytest.raises(RuntimeError, match="inside a transaction"):
        MTurk("http://crowd").approve("3ASSIGNMENT1")


class _Unwell(BaseHTTPRequestHandler):
    asked: list[str] = []

    def do_POST(self):
        self.asked.append(self.headers["X-Amz-Target"])
        self.send_response(503)
        self.end_headers()

    def log_message(self, *_):
        pass


@contextmanager
def unwell_crowd():
    """A crowd that answers 503 to everything."""
    _Unwell.asked = []
    server = HTTPServer(("127.0.0.1", 0), _Unwell)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.django_db(transaction=True)
def test_one_call_is_one_request_even_when_it_fails(monkeypatch):
    monkeypatch.setattr(launcher, "crowd_keys", lambda: ("AKIDAAAAAAAAAAAAAAAA", "s"))

    with unwell_crowd() as address, pytest.raises(CrowdLater):
        MTurk(address).create_kind(KIND)

    assert len(_Unwell.asked) == 1


def test_nobody_answering_is_for_later(monkeypatch):
    monkeypatch.setattr(launcher, "crowd_keys", lambda: ("AKIDAAAAAAAAAAAAAAAA", "s"))

    with pytest.raises(CrowdLater, match="does not respond"):
        MTurk("http://127.0.0.1:9").balance()


@pytest.fixture
def marketplace(settings, tmp_path):
    """The real marketplace, in its own process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings.MARKETPLACE_PORT = port
    settings.CROWD_ENDPOINT = settings.EMBEDDED_CROWD_ENDPOINT = f"http://127.0.0.1:{port}"
    settings.CROWD_KEY_FILE = tmp_path / "marketplace-key.json"
    settings.CROWD_ACCESS_KEY = ""
    with launcher.crowd_running():
        yield MTurk(settings.CROWD_ENDPOINT)


@pytest.mark.soak
@pytest.mark.journey
@pytest.mark.django_db(transaction=True)
def test_the_marketplace_takes_places_once_finds_them_again_and_closes_them(marketplace):
    kind = marketplace.create_kind(KIND)

    first = marketplace.post_place(kind_id=kind, url=URL, lifetime_seconds=3600, key="key-1")
    with pytest.raises(CrowdAlready):
        marketplace.post_place(kind_id=kind, url=URL, lifetime_seconds=3600, key="key-1")
    marketplace.post_place(kind_id=kind, url=URL, lifetime_seconds=3600, key="key-2")

    assert marketplace.create_kind(KIND) == kind
    assert [place.key for place in marketplace.places()] == ["key-2", "key-1"]
    assert marketplace.find_place("key-1").crowd_id == first.crowd_id
    assert marketplace.find_place("key-3") is None
    assert marketplace.submissions(first.crowd_id) == []
    assert marketplace.bonuses(place_crowd_id=first.crowd_id) == []
    marketplace.close_place(first.crowd_id)
    marketplace.close_place(first.crowd_id)
    closed = marketplace.place(first.crowd_id)
    assert (closed.open, closed.has_submission, closed.held) == (False, False, False)
    assert marketplace.balance() > 0
    with pytest.raises(CrowdNever):
        marketplace.approve("3DOESNOTEXIST000000000000001")


@pytest.mark.soak
@pytest.mark.journey
@pytest.mark.django_db(transaction=True)
def test_the_marketplace_keeps_lists_of_workers_who_are_spared(marketplace):
    first = marketplace.create_block_list(name="spared", description="No further tasks.")
    with pytest.raises(CrowdAlready):
        marketplace.create_block_list(name="spared", description="No further tasks.")

    assert marketplace.find_block_list("spared") == first
    assert marketplace.find_block_list("spar") is None
    marketplace.unblock(first, "A1NOBODY0000000")
    with pytest.raises(CrowdNever):
        marketplace.block(first, "A1NOBODY0000000")
    assert marketplace.message(crowd_worker_ids=["A1NOBODY0000000"], subject="s", text="t").keys() == {
        "A1NOBODY0000000"
    }


@pytest.mark.soak
@pytest.mark.journey
@pytest.mark.django_db(transaction=True)
def test_the_marketplace_describes_qualifications_of_ours_and_of_its_own(marketplace):
    made = marketplace.create_block_list(name="Rehearsal 1", description="For simulated workers.")

    assert marketplace.qualification(made) == QualificationKind("Rehearsal 1", active=True)
    assert marketplace.qualification("00000000000000000071").active
    with pytest.raises(CrowdNever):
        marketplace.qualification("3DOESNOTEXIST000000000000001")
