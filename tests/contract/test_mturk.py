"""One contract for every endpoint that speaks MTurk's requester protocol, asked with real boto3.

By default it starts a marketplace process of its own. ``PREFEREE_CONTRACT_ENDPOINT`` names another endpoint
(with ``PREFEREE_CONTRACT_ACCESS_KEY`` and ``PREFEREE_CONTRACT_SECRET_KEY``); tests that need a worker are
skipped there, for only a marketplace has workers who sign up by themselves. Nothing here uses Django.
"""

from __future__ import annotations

import html
import json
import os
import re
import socket
import subprocess
import sys
import time
import uuid
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import boto3
import httpx
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

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
    """Where to call, and with which key; ``has_workers`` when people can sign up over HTTP."""

    url: str
    access_key: str
    secret_key: str
    has_workers: bool


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory):
    named = os.environ.get("PREFEREE_CONTRACT_ENDPOINT")
    if named:
        yield Endpoint(
            named,
            os.environ["PREFEREE_CONTRACT_ACCESS_KEY"],
            os.environ["PREFEREE_CONTRACT_SECRET_KEY"],
            has_workers=False,
        )
        return
    folder = tmp_path_factory.mktemp("marketplace")
    process, port = start_marketplace(folder)
    try:
        key = json.loads((folder / "marketplace-key.json").read_text())
        assert key["endpoint"] == f"http://127.0.0.1:{port}"
        yield Endpoint(key["endpoint"], key["access_key"], key["secret_key"], has_workers=True)
    finally:
        process.terminate()
        assert process.wait(timeout=60) == 0


def start_marketplace(folder, *options, **settings):
    """A marketplace on a free port, its data in ``folder``; returns its process and port."""
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
    for _ in range(300):
        try:
            if httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=1).status_code == 200:
                return process, port
        except httpx.TransportError:
            pass
        assert process.poll() is None, (folder / "log").read_text()
        time.sleep(0.1)
    raise AssertionError("the marketplace did not start")


@pytest.fixture(scope="module")
def crowd(endpoint):
    client = make_client(endpoint.url, endpoint.access_key, endpoint.secret_key)
    yield client
    client.close()


def make_client(url, access_key, secret_key):
    return boto3.client(
        "mturk",
        region_name="us-east-1",
        endpoint_url=url,
        aws_access_key_id=access_key,
        aws_secret_access_key=secret_key,
        config=Config(retries={"total_max_attempts": 1}, connect_timeout=10, read_timeout=60),
    )


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
    """A HIT that is taken down when the test is over."""
    made = make_hit(crowd, hit_type)
    yield made
    crowd.update_expiration_for_hit(HITId=made["HITId"], ExpireAt=datetime(2015, 1, 1, tzinfo=UTC))


def make_hit(crowd, hit_type, **changes):
    values = {"HITTypeId": hit_type, "Question": QUESTION, "LifetimeInSeconds": 3600}
    return crowd.create_hit_with_hit_type(**values | changes)["HIT"]


class Person:
    """Someone who signs up and works in a browser without scripts."""

    def __init__(self, url):
        self.http = httpx.Client(base_url=url, follow_redirects=True, timeout=60)
        name = f"w{uuid.uuid4().hex[:12]}"
        self._post("/signup/", "/signup/", username=name, password=uuid.uuid4().hex)
        self.worker_id = re.search(r'id="worker-id">(\w+)<', self.http.get("/").text)[1]

    def take(self, hit_type):
        """Take a task; returns the parameters of its frame's address."""
        page = self._post(f"/groups/{hit_type}/", f"/groups/{hit_type}/take/")
        found = re.search(r'<iframe id="task-frame"[^>]* src="([^"]+)"', page.text)
        assert found, page.text
        query = parse_qs(urlsplit(html.unescape(found[1])).query)
        return {name: values[0] for name, values in query.items()}

    def give_back(self, task):
        path = f"/tasks/{task['assignmentId']}/"
        return self._post(path, f"{path}return/")

    def _post(self, page, path, **fields):
        token = re.search(r'csrfmiddlewaretoken" value="([^"]+)"', self.http.get(page).text)[1]
        return self.http.post(path, data=fields | {"csrfmiddlewaretoken": token})


def submit(task, **fields):
    """What the task's own page does: post a form without cookies to the crowd."""
    sent = {"assignmentId": task["assignmentId"]} | (fields or {"choice": "left"})
    return httpx.post(f"{task['turkSubmitTo']}/mturk/externalSubmit", data=sent, timeout=60)


@pytest.fixture
def hire(endpoint):
    """Make people; their connections are closed afterwards."""
    if not endpoint.has_workers:
        pytest.skip("this endpoint has no workers who sign up by themselves")
    people = []

    def hire():
        people.append(Person(endpoint.url))
        return people[-1]

    yield hire
    for person in people:
        person.http.close()


def refused(call, **request):
    with pytest.raises(ClientError) as refusal:
        call(**request)
    return refusal.value.response


def test_the_balance_is_an_amount(crowd):
    assert re.fullmatch(r"\d+\.\d\d", crowd.get_account_balance()["AvailableBalance"])


def test_a_wrong_secret_is_refused(endpoint):
    client = make_client(endpoint.url, endpoint.access_key, "wrong")

    assert refused(client.get_account_balance)["Error"]["Code"] == "InvalidSignatureException"
    client.close()


def test_an_unknown_key_is_refused(endpoint):
    client = make_client(endpoint.url, "AKIAUNKNOWN", endpoint.secret_key)

    assert refused(client.get_account_balance)["Error"]["Code"] == "UnrecognizedClientException"
    client.close()


def test_equal_values_give_the_same_hit_type(crowd):
    values = {
        "Title": f"T {uuid.uuid4().hex}",
        "Description": "d",
        "Reward": "0.10",
        "AssignmentDurationInSeconds": 60,
    }

    assert crowd.create_hit_type(**values)["HITTypeId"] == crowd.create_hit_type(**values)["HITTypeId"]


def test_a_hit_is_read_back_as_it_was_made(crowd, hit_type):
    made = make_hit(crowd, hit_type, MaxAssignments=2, RequesterAnnotation="place 7")

    read = crowd.get_hit(HITId=made["HITId"])["HIT"]

    assert read["HITTypeId"] == hit_type
    assert read["HITStatus"] == "Assignable"
    assert read["RequesterAnnotation"] == "place 7"
    assert (read["MaxAssignments"], read["NumberOfAssignmentsAvailable"]) == (2, 2)
    assert read["Expiration"] - read["CreationTime"] == timedelta(hours=1)


def test_a_repeated_token_names_the_hit_it_made(crowd, hit_type):
    token = uuid.uuid4().hex
    made = make_hit(crowd, hit_type, UniqueRequestToken=token)

    response = refused(
        crowd.create_hit_with_hit_type,
        HITTypeId=hit_type,
        Question=QUESTION,
        LifetimeInSeconds=3600,
        UniqueRequestToken=token,
    )

    assert response["Error"]["Code"] == "RequestError"
    assert response["TurkErrorCode"].lower() == "aws.mechanicalturk.hitalreadyexists"
    assert made["HITId"] in response["Message"]


def test_a_hit_is_found_by_its_annotation_through_the_pages(crowd, hit_type):
    wanted = uuid.uuid4().hex
    make_hit(crowd, hit_type, RequesterAnnotation=wanted)
    for _ in range(3):
        make_hit(crowd, hit_type)

    pages = crowd.get_paginator("list_hits").paginate(PaginationConfig={"PageSize": 2})
    found = [hit for page in pages for hit in page["HITs"] if hit.get("RequesterAnnotation") == wanted]

    assert len(found) == 1


def test_what_boto3_does_not_check_the_endpoint_does(crowd, hit):
    too_long = refused(crowd.get_hit, HITId="3" * 65)
    third_decimal = refused(
        crowd.send_bonus, WorkerId="AX", AssignmentId="3X", Reason="r", BonusAmount="0.9752"
    )

    assert too_long["Error"]["Code"] == "ValidationException"
    assert third_decimal["Error"]["Code"] == "ValidationException"
    assert "bonusAmount" in third_decimal["Error"]["Message"]


@pytest.mark.parametrize("call", ["get_hit", "delete_hit", "list_assignments_for_hit"])
def test_an_unknown_hit_does_not_exist(crowd, call):
    response = refused(getattr(crowd, call), HITId="3NONE")

    assert response["Error"]["Code"] == "RequestError"
    assert response["TurkErrorCode"] == "AWS.MechanicalTurk.HITDoesNotExist"


def test_an_unknown_worker_is_not_a_valid_parameter(crowd):
    response = refused(crowd.create_worker_block, WorkerId="ANOBODY0", Reason="r")

    assert response["Error"]["Code"] == "ParameterValidationError"


def test_expiring_makes_a_hit_reviewable_and_it_can_be_deleted(crowd, hit_type):
    hit_id = make_hit(crowd, hit_type)["HITId"]
    assert "Assignable" in refused(crowd.delete_hit, HITId=hit_id)["Message"]

    crowd.update_expiration_for_hit(HITId=hit_id, ExpireAt=datetime(2015, 1, 1, tzinfo=UTC))

    assert crowd.get_hit(HITId=hit_id)["HIT"]["HITStatus"] == "Reviewable"
    crowd.delete_hit(HITId=hit_id)
    assert hit_id not in [row["HITId"] for row in crowd.list_hits(MaxResults=100)["HITs"]]


def test_nine_assignments_cannot_be_made_ten(crowd, hit_type):
    hit_id = make_hit(crowd, hit_type, MaxAssignments=9)["HITId"]

    response = refused(
        crowd.create_additional_assignments_for_hit, HITId=hit_id, NumberOfAdditionalAssignments=1
    )

    assert response["TurkErrorCode"] == "AWS.MechanicalTurk.InvalidMaximumAssignmentsIncrease"


def test_a_qualification_type_lives_its_life(crowd, hire):
    person = hire()
    made = crowd.create_qualification_type(
        Name=f"q {uuid.uuid4().hex}", Description="d", QualificationTypeStatus="Active"
    )["QualificationType"]
    who = {"QualificationTypeId": made["QualificationTypeId"], "WorkerId": person.worker_id}

    crowd.associate_qualification_with_worker(**who, IntegerValue=7, SendNotification=False)
    score = crowd.get_qualification_score(**who)["Qualification"]
    crowd.disassociate_qualification_from_worker(**who)

    assert (score["IntegerValue"], score["Status"]) == (7, "Granted")
    left = crowd.list_workers_with_qualification_type(QualificationTypeId=made["QualificationTypeId"])
    assert left["Qualifications"] == []


def test_a_task_is_taken_submitted_approved_and_paid(crowd, hit, hire):
    person = hire()
    before = crowd.get_account_balance()
    task = person.take(hit["HITTypeId"])
    assert (task["hitId"], task["workerId"]) == (hit["HITId"], person.worker_id)
    assert (task["link"], task["v"]) == ("a", "2")
    assert crowd.get_hit(HITId=hit["HITId"])["HIT"]["HITStatus"] == "Unassignable"

    assert submit(task, choice="left", workerId=person.worker_id).status_code == 200
    assert submit(task, choice="right").status_code == 200

    [assignment] = crowd.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"]
    answers = ElementTree.fromstring(assignment["Answer"].encode()).findall(f"{ANSWERS}Answer")
    read = {
        item.findtext(f"{ANSWERS}QuestionIdentifier"): item.findtext(f"{ANSWERS}FreeText") for item in answers
    }
    assert read == {"choice": "left"}
    counted = crowd.get_hit(HITId=hit["HITId"])["HIT"]
    names = ("Available", "Pending", "Completed")
    assert [counted[f"NumberOfAssignments{name}"] for name in names] == [0, 0, 0]

    crowd.approve_assignment(AssignmentId=assignment["AssignmentId"])
    again = refused(crowd.approve_assignment, AssignmentId=assignment["AssignmentId"])
    assert "called with a status of: Submitted" in again["Message"]
    after = crowd.get_account_balance()
    assert after["AvailableBalance"] == before["AvailableBalance"]
    assert float(before["OnHoldBalance"]) - float(after["OnHoldBalance"]) == pytest.approx(0.60)


def test_a_bonus_is_paid_once_per_token(crowd, hit, hire):
    person = hire()
    task = person.take(hit["HITTypeId"])
    bonus = {
        "WorkerId": person.worker_id,
        "AssignmentId": task["assignmentId"],
        "BonusAmount": "0.25",
        "Reason": "the rest of your pay",
        "UniqueRequestToken": uuid.uuid4().hex,
    }
    assert "does not exist" in refused(crowd.send_bonus, **bonus)["Message"]
    submit(task)

    crowd.send_bonus(**bonus)
    refused(crowd.send_bonus, **bonus)

    paid = crowd.list_bonus_payments(AssignmentId=task["assignmentId"])["BonusPayments"]
    assert [row["BonusAmount"] for row in paid] == ["0.25"]


def test_an_assignment_id_can_pass_to_another_worker(crowd, hit, hire):
    first, second = hire(), hire()
    task = first.take(hit["HITTypeId"])
    first.give_back(task)

    passed = second.take(hit["HITTypeId"])

    assert passed["assignmentId"] == task["assignmentId"]
    assert submit(task, choice="left", workerId=first.worker_id).status_code == 409
    assert submit(passed, choice="left", workerId=second.worker_id).status_code == 200


def test_a_rejection_can_be_overridden(crowd, hit, hire):
    task = hire().take(hit["HITTypeId"])
    submit(task)
    crowd.reject_assignment(AssignmentId=task["assignmentId"], RequesterFeedback="empty")

    crowd.approve_assignment(AssignmentId=task["assignmentId"], OverrideRejection=True)

    read = crowd.get_assignment(AssignmentId=task["assignmentId"])["Assignment"]
    assert read["AssignmentStatus"] == "Approved"


def test_messages_report_whom_they_did_not_reach(crowd, hire):
    stranger = hire()

    failures = crowd.notify_workers(Subject="s", MessageText="t", WorkerIds=[stranger.worker_id])

    assert [row["WorkerId"] for row in failures["NotifyWorkersFailureStatuses"]] == [stranger.worker_id]


def test_without_a_token_a_repeated_call_acts_twice(crowd, hit_type):
    assert make_hit(crowd, hit_type)["HITId"] != make_hit(crowd, hit_type)["HITId"]
