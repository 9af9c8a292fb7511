"""The fake panel behind MTurk's protocol over HTTP, refusing calls above a rate by the test's own clock."""

import json
import threading
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from judging.crowds.interface import CrowdSubmission, PostedPlace, PostingKind
from judging.errors import CrowdAlready
from judging.rules.question_xml import external_question
from tests.judging.fake_crowd import FakeCrowd


class Clock:
    """A clock that advances only during waits."""

    def __init__(self) -> None:
        self.seconds = 1000.0
        self._lock = threading.Lock()

    def now(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self.seconds += seconds


class ThrottlingCrowd:
    """A server on a free port of 127.0.0.1 that allows ``rate`` calls per second, with bursts of ``burst``."""

    def __init__(self, panel: FakeCrowd, clock: Clock, *, rate: float, burst: float) -> None:
        self.panel, self.clock, self.rate, self.burst = panel, clock, rate, burst
        self.answered: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self._tokens, self._filled_at = burst, clock.now()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, operation: str, request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return status and body in the protocol's form."""
        with self._lock:
            if not self._take():
                self.refused[operation] += 1
                return 400, {"__type": "ThrottlingException", "Message": "Rate exceeded"}
            self.answered[operation] += 1
        try:
            return 200, OPERATIONS[operation](self.panel, request)
        except CrowdAlready as already:
            message = f"The HIT with ID {already.found} exists already (1700000000000)"
            code = "AWS.MechanicalTurk.HITAlreadyExists"
            return 400, {"__type": "RequestError", "Message": message, "TurkErrorCode": code}

    def _take(self) -> bool:
        now = self.clock.now()
        self._tokens = min(self.burst, self._tokens + (now - self._filled_at) * self.rate)
        self._filled_at = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


def _create_kind(panel: FakeCrowd, asked: dict[str, Any]) -> dict[str, Any]:
    kind = PostingKind(
        title=asked["Title"],
        description=asked["Description"],
        keywords=asked["Keywords"],
        reward=asked["Reward"],
        assignment_seconds=asked["AssignmentDurationInSeconds"],
        auto_approval_seconds=asked["AutoApprovalDelayInSeconds"],
        qualifications=tuple(asked.get("QualificationRequirements", ())),
    )
    return {"HITTypeId": panel.create_kind(kind)}


def _create_hit(panel: FakeCrowd, asked: dict[str, Any]) -> dict[str, Any]:
    posted = panel.post_place(
        kind_id=asked["HITTypeId"],
        url=asked["Question"],
        lifetime_seconds=asked["LifetimeInSeconds"],
        key=asked["UniqueRequestToken"],
    )
    return {"HIT": _hit(posted)}


def _get_hit(panel: FakeCrowd, asked: dict[str, Any]) -> dict[str, Any]:
    crowd_id = asked["HITId"]
    hit = _hit(panel.place(crowd_id)) | {"QualificationRequirements": panel.asked_of_workers(crowd_id)}
    return {"HIT": hit}


def _list_hits(panel: FakeCrowd, asked: dict[str, Any]) -> dict[str, Any]:
    every, first = list(panel.places()), int(asked.get("NextToken", 0))
    page = every[first : first + asked["MaxResults"]]
    more = {"NextToken": str(first + len(page))} if first + len(page) < len(every) else {}
    return {"NumResults": len(page), "HITs": [_hit(posted) for posted in page], **more}


def _expire(panel: FakeCrowd, asked: dict[str, Any]) -> dict[str, Any]:
    panel.close_place(asked["HITId"])
    return {}


def _list_assignments(panel: FakeCrowd, asked: dict[str, Any]) -> dict[str, Any]:
    rows = [_assignment(row) for row in panel.submissions(asked["HITId"])]
    return {"NumResults": len(rows), "Assignments": rows}


def _create_list(panel: FakeCrowd, asked: dict[str, Any]) -> dict[str, Any]:
    made = panel.create_block_list(name=asked["Name"], description=asked["Description"])
    return {"QualificationType": {"QualificationTypeId": made}}


def _hit(posted: PostedPlace) -> dict[str, Any]:
    return {
        "HITId": posted.crowd_id,
        "RequesterAnnotation": posted.key,
        "Question": external_question("https://example.org/"),
        "HITStatus": "Assignable" if posted.open else "Reviewable",
        "Expiration": posted.expires_at.timestamp() if posted.expires_at else 0,
        "MaxAssignments": 1,
        "NumberOfAssignmentsAvailable": 0 if posted.held or posted.has_submission else 1,
        "NumberOfAssignmentsPending": int(posted.held),
        "NumberOfAssignmentsCompleted": 0,
    }


def _assignment(row: CrowdSubmission) -> dict[str, Any]:
    return {
        "AssignmentId": row.assignment_id,
        "HITId": row.place_crowd_id,
        "WorkerId": row.crowd_worker_id,
        "AssignmentStatus": row.status,
        "SubmitTime": row.submitted_at.timestamp() if row.submitted_at else 0,
        "Answer": "",
    }


OPERATIONS: dict[str, Callable[[FakeCrowd, dict[str, Any]], dict[str, Any]]] = {
    "CreateHITType": _create_kind,
    "CreateHITWithHITType": _create_hit,
    "GetHIT": _get_hit,
    "ListHITs": _list_hits,
    "UpdateExpirationForHIT": _expire,
    "ListAssignmentsForHIT": _list_assignments,
    "CreateQualificationType": _create_list,
    "GetAccountBalance": lambda panel, _asked: {"AvailableBalance": f"{panel.balance():.2f}"},
}


def _handler_of(crowd: ThrottlingCrowd) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, said = crowd.answer(self.headers["X-Amz-Target"].rpartition(".")[2], request)
            body = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/x-amz-json-1.1")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    return Handler
