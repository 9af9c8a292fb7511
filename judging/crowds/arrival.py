"""Reads arrivals from the URLs that a crowd with MTurk's protocol builds, and builds the form that ends a task.

Anyone can write such a URL, so everything in it is checked. Ids must match a pattern. The host in ``turkSubmitTo``
must be in the settings, because the page sends the answers there. If the crowd signs its URLs, the signature must be
valid (docs/marketplace-protocol.md, "Signed addresses").
"""

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from urllib.parse import urlsplit

from django.conf import settings

from judging.crowds.hosts import origin_of, require_allowed
from judging.crowds.interface import Arrival, FormPost, SentOff, Sites
from judging.errors import ArrivalRefused
from judging.rules.worker_sentences import gettext_noop as _

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
SIGNATURE = "arrivalSignature"
SIGNING = b"preferee arrival 1"
SUBMIT_PATH = "/mturk/externalSubmit"
_entity = re.compile(r"[A-Z0-9]{1,64}")
_worker = re.compile(r"A[A-Z0-9]{1,63}")
_signed = re.compile(r"([0-9]{1,15})((?:\.[0-9a-f]{64}){1,8})")


class ExternalQuestionPage:
    """The methods of the crowd interface that judging pages need, for MTurk's "ExternalQuestion".

    The crowd's site shows the page in a frame and receives its final form.
    """

    signs_arrivals = False
    pays_unsubmitted = False

    def read_arrival(self, params: Mapping[str, str]) -> Arrival:
        """Return the arrival that the URL's four parameters describe."""
        return read_arrival(params)

    def finish(self, sent: SentOff) -> FormPost:
        """Return the form for ``externalSubmit``, with the assignment's id, the worker's id and the answers."""
        ids = [("assignmentId", sent.assignment_id)]
        if sent.crowd_worker_id:
            ids.append(("workerId", sent.crowd_worker_id))
        return FormPost(submit_url(sent.submit_to), [*ids, *sent.answers])

    def sites(self) -> Sites:
        """Return the worker sites in CROWD_HOSTS, which frame the page and receive its final form."""
        return Sites(frames=settings.CROWD_HOSTS, forms=settings.CROWD_HOSTS)

    def given_back(self, _assignment_ids: Sequence[str]) -> list[str]:
        """Return an empty list, because the next worker gets a returned assignment under the same id."""
        return []

    def returned_at(self, _assignment_id: str) -> datetime | None:
        """Return None, because the protocol shows an assignment only after it is submitted."""
        return None

    def is_at_work(self, _assignment_id: str, _crowd_worker_id: str) -> bool:
        """Return True: arrivals already name a place, and the protocol shows only submitted assignments."""
        return True


def read_arrival(params: Mapping[str, str]) -> Arrival:
    """Return the arrival that a URL's parameters describe; without an assignment, a preview.

    Otherwise, raises :class:`ArrivalRefused` if an id is missing or invalid, or if ``turkSubmitTo`` is not the
    crowd's site.
    """
    assignment = params.get("assignmentId", "").strip()
    if assignment in ("", PREVIEW):
        return Arrival("", "", "", "", preview=True)
    # Seen in practice: spaces around worker ids, and ids doubled as "A1,A1".
    worker = params.get("workerId", "").strip().partition(",")[0].strip()
    place = params.get("hitId", "").strip()
    if not (_entity.fullmatch(assignment) and _entity.fullmatch(place) and _worker.fullmatch(worker)):
        raise _incomplete_link()
    submit_to = params.get("turkSubmitTo", "").strip() or default_submit_to()
    submit_url(submit_to)
    return Arrival(assignment, place, worker, submit_to, preview=False)


def signed_at(params: Mapping[str, str], arrival: Arrival, secret_key: str) -> datetime:
    """Return when the worker took the assignment, as signed by the marketplace with the requester's secret key.

    Raises :class:`ArrivalRefused` unless one of the signatures (one for each active key) matches exactly this
    assignment, place and worker.
    """
    parts = _signed.fullmatch(params.get(SIGNATURE, "").strip())
    if parts is None:
        raise _incomplete_link()
    taken, signatures = parts[1], parts[2].split(".")[1:]
    said = "\n".join([taken, arrival.assignment_id, arrival.place_crowd_id, arrival.crowd_worker_id])
    key = hmac.digest(secret_key.encode(), SIGNING, hashlib.sha256)
    wanted = hmac.new(key, said.encode(), hashlib.sha256).hexdigest()
    if not any(hmac.compare_digest(wanted, signature) for signature in signatures):
        raise _incomplete_link()
    try:
        return datetime.fromtimestamp(int(taken) / 1000, UTC)
    except (OverflowError, ValueError):
        raise _incomplete_link() from None


def _incomplete_link() -> ArrivalRefused:
    return ArrivalRefused(
        _("A part that the task site adds to the link is missing or was changed."),
        _("Go back to the task site and open the task again."),
    )


def default_submit_to() -> str:
    """Return the first of CROWD_HOSTS, or "" if there are none.

    Used for URLs that do not say where to submit the form (seen in practice).
    """
    return str(settings.CROWD_HOSTS[0]) if settings.CROWD_HOSTS else ""


def submit_url(submit_to: str) -> str:
    """Return the URL to which the final form is posted. Raises ArrivalRefused for a host that is not the crowd's."""
    require_allowed(submit_to)
    return origin_of(submit_to) + urlsplit(submit_to).path.rstrip("/") + SUBMIT_PATH
