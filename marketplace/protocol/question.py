"""Read the protocol's XML questions, write its XML answers, and build the addresses of frames."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit, urlunsplit
from xml.sax.saxutils import escape

import idna
from defusedxml import ElementTree
from defusedxml.common import DefusedXmlException

from marketplace.errors import RequestError

EXTERNAL_QUESTION = (
    "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd"
)
ANSWERS = (
    "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd"
)
MAX_BYTES = 65535
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
SIGNATURE = "arrivalSignature"
RESERVED = frozenset({"assignmentId", "hitId", "workerId", "turkSubmitTo", SIGNATURE})
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True)
class ExternalQuestion:
    """The address of a task's page and the height of its frame (0: as high as the window)."""

    url: str
    frame_height: int


def read_question(text: str, *, https_only: bool) -> ExternalQuestion:
    """Read an ExternalQuestion. Raises RequestError for another kind of question and for malformed XML.

    With ``https_only`` the address must be https; a loopback address can always be http.
    """
    if len(text.encode()) > MAX_BYTES:
        raise RequestError("InvalidParameterValue", f"The question is longer than {MAX_BYTES} bytes.")
    try:
        root = ElementTree.fromstring(text, forbid_dtd=True)
    except (ElementTree.ParseError, DefusedXmlException, ValueError) as error:
        raise RequestError("XMLParseError", f"There was an error parsing the XML question: {error}") from None
    if root.tag != f"{{{EXTERNAL_QUESTION}}}ExternalQuestion":
        raise RequestError(
            "XMLParseError",
            f"This marketplace supports only ExternalQuestion, in the namespace {EXTERNAL_QUESTION}.",
        )
    names = [child.tag for child in root]
    if names != [f"{{{EXTERNAL_QUESTION}}}{name}" for name in ("ExternalURL", "FrameHeight")]:
        raise RequestError("XMLParseError", "An ExternalQuestion must contain ExternalURL, then FrameHeight.")
    url = (root[0].text or "").strip()
    height = (root[1].text or "").strip()
    if not height.isascii() or not height.isdigit() or len(height) > 6:
        raise RequestError("XMLParseError", f"FrameHeight {height!r} is not a number of pixels.")
    _check_address(url, https_only)
    return ExternalQuestion(url, int(height))


def _check_address(url: str, https_only: bool) -> None:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
        url_origin(url)
    except ValueError:  # base class of idna's errors
        host = None
    if host is None or parts.scheme not in ("http", "https") or any(sign in url for sign in " \"'<>;,\n\t\\"):
        raise RequestError("InvalidParameterValue", f"ExternalURL {url!r} is not the address of a web page.")
    if https_only and parts.scheme != "https" and host not in _LOOPBACK:
        raise RequestError("InvalidParameterValue", f"ExternalURL {url!r} must begin with https://.")


def url_origin(url: str) -> str:
    """Return an address's scheme, host and port in ASCII, as a content security policy names a source."""
    parts = urlsplit(url)
    host, colon, port = parts.netloc.rpartition("@")[2].partition(":")
    host = host if host.isascii() else idna.encode(host, uts46=True).decode()
    return f"{parts.scheme}://{host}{colon}{port}"


def frame_address(url: str, extra: Mapping[str, str]) -> str:
    """Append ``extra`` to the query string of ``url``."""
    parts = urlsplit(url)
    query = "&".join(part for part in (parts.query, urlencode(extra)) if part)
    return urlunsplit((parts.scheme, parts.netloc, parts.path, query, parts.fragment))


def write_answers(fields: Iterable[tuple[str, str]]) -> str:
    """Return QuestionFormAnswers with one Answer per field. If two fields share a name, the last one wins."""
    kept = dict(fields)
    answers = "".join(
        f"<Answer><QuestionIdentifier>{_escaped_text(name)}</QuestionIdentifier>"
        f"<FreeText>{_escaped_text(value)}</FreeText></Answer>"
        for name, value in kept.items()
    )
    return (
        f'<?xml version="1.0" encoding="ASCII"?><QuestionFormAnswers xmlns="{ANSWERS}">'
        f"{answers}</QuestionFormAnswers>"
    )


def read_answers(text: str) -> dict[str, str]:
    """Return the fields of QuestionFormAnswers that :func:`write_answers` wrote; empty for an empty answer."""
    if not text:
        return {}
    root = ElementTree.fromstring(text, forbid_dtd=True)
    return {row[0].text or "": row[1].text or "" for row in root}


def _escaped_text(value: str) -> str:
    """Escape text for XML: drop forbidden characters, and write non-ASCII ones as character references."""
    allowed = "".join(sign for sign in value if sign in "\t\n\r" or _may_stand_in_xml(sign))
    return escape(allowed, {"\r": "&#13;"}).encode("ascii", "xmlcharrefreplace").decode("ascii")


def _may_stand_in_xml(sign: str) -> bool:
    return " " <= sign <= "\ud7ff" or "\ue000" <= sign <= "\ufffd" or sign >= "\U00010000"
