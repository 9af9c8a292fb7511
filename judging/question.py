"""Pure: the question a place shows, and the answers a worker sent, in the protocol's XML."""

from __future__ import annotations

from xml.sax.saxutils import escape

from defusedxml import ElementTree

_EXTERNAL = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd"
_ANSWERS = (
    "{http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd}"
)
LONGEST_QUESTION = 65_535


def external_question(url: str, *, frame_height: int = 0) -> str:
    """ExternalQuestion XML for ``url``; a frame height of 0 fits the browser's window.

    Raises ValueError when it is longer than the protocol's 65,535 bytes.
    """
    xml = (
        f'<ExternalQuestion xmlns="{_EXTERNAL}"><ExternalURL>{escape(url)}</ExternalURL>'
        f"<FrameHeight>{frame_height}</FrameHeight></ExternalQuestion>"
    )
    if len(xml.encode()) > LONGEST_QUESTION:
        raise ValueError("the question is longer than the protocol allows")
    return xml


def parse_answers(xml: str) -> dict[str, str]:
    """Field name → text of a QuestionFormAnswers document. Worker-controlled: entities are refused.

    Raises ValueError when it is no such document.
    """
    try:
        # Bytes, because the declaration may name an encoding (often ASCII) that a str has left behind.
        root = ElementTree.fromstring(
            xml.encode("utf-8") if "encoding=" not in xml[:100] else _redeclared(xml)
        )
    except Exception as error:
        raise ValueError(f"the answers are no XML document: {error}") from error
    answers: dict[str, str] = {}
    for answer in root.findall(f"{_ANSWERS}Answer"):
        name = answer.findtext(f"{_ANSWERS}QuestionIdentifier")
        if name:
            answers[name] = answer.findtext(f"{_ANSWERS}FreeText") or ""
    return answers


def _redeclared(xml: str) -> bytes:
    """The document in UTF-8 without its declaration, whatever encoding that claims."""
    return xml[xml.index("?>") + 2 :].encode("utf-8")
