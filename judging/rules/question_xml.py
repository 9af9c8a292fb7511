"""A place's question and a worker's answers in the protocol's XML."""

from xml.sax.saxutils import escape

from defusedxml import ElementTree

_EXTERNAL = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd"
_ANSWERS = (
    "{http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd}"
)
LONGEST_QUESTION = 65_535


def external_question(url: str, *, frame_height: int = 0) -> str:
    """Build the ExternalQuestion XML for our page at ``url``. A frame height of 0 fits the frame to the window.

    Raises ValueError if the XML is longer than the protocol's 65,535 bytes.
    """
    xml = (
        f'<ExternalQuestion xmlns="{_EXTERNAL}"><ExternalURL>{escape(url)}</ExternalURL>'
        f"<FrameHeight>{frame_height}</FrameHeight></ExternalQuestion>"
    )
    if len(xml.encode()) > LONGEST_QUESTION:
        raise ValueError("the question is longer than the protocol allows")
    return xml


def parse_answers(xml: str) -> dict[str, str]:
    """Parse a QuestionFormAnswers document; return a map of field names to texts.

    Workers control the document, so XML entities are refused. Raises ValueError if it cannot be parsed.
    """
    try:
        # Pass bytes: the declaration can name an encoding (often ASCII) that does not apply to a str.
        root = ElementTree.fromstring(
            xml.encode("utf-8") if "encoding=" not in xml[:100] else _redeclared(xml)
        )
    except Exception as error:
        raise ValueError(f"the answers are not an XML document: {error}") from error
    answers: dict[str, str] = {}
    for answer in root.findall(f"{_ANSWERS}Answer"):
        name = answer.findtext(f"{_ANSWERS}QuestionIdentifier")
        if name:
            answers[name] = answer.findtext(f"{_ANSWERS}FreeText") or ""
    return answers


def _redeclared(xml: str) -> bytes:
    """Return the document in UTF-8 without its XML declaration, which may name another encoding."""
    return xml[xml.index("?>") + 2 :].encode("utf-8")
