import xml.etree.ElementTree as ElementTree

import pytest

from judging.rules.question_xml import external_question, parse_answers

NAMESPACE = (
    "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd"
)


def answers(*fields: tuple[str, str], head: str = '<?xml version="1.0" encoding="ASCII"?>') -> str:
    body = "".join(
        f"<Answer><QuestionIdentifier>{name}</QuestionIdentifier><FreeText>{text}</FreeText></Answer>"
        for name, text in fields
    )
    return f'{head}<QuestionFormAnswers xmlns="{NAMESPACE}">{body}</QuestionFormAnswers>'


def test_address_is_escaped_and_read_back_by_an_xml_parser():
    url = "https://judge.example/judge/a~b/?x=1&y=<2>"

    root = ElementTree.fromstring(external_question(url, frame_height=600))

    assert [child.text for child in root] == [url, "600"]


def test_question_longer_than_the_protocol_allows_is_refused():
    with pytest.raises(ValueError, match="longer"):
        external_question("https://judge.example/" + "a" * 65_535)


def test_fields_are_read_by_name():
    assert parse_answers(answers(("choice-1", "left"), ("comment", "r&amp;d"))) == {
        "choice-1": "left",
        "comment": "r&d",
    }


def test_letters_beyond_the_declared_encoding_are_read():
    assert parse_answers(answers(("comment", "naïve – ✓"))) == {"comment": "naïve – ✓"}


def test_document_without_declaration_is_read():
    assert parse_answers(answers(("choice-2", "right"), head="")) == {"choice-2": "right"}


def test_empty_field_is_an_empty_text():
    assert parse_answers(answers(("comment", ""))) == {"comment": ""}


@pytest.mark.parametrize("text", ["", "not xml", "<a>", "<?xml"])
def test_an_invalid_document_is_refused(text):
    with pytest.raises(ValueError):
        parse_answers(text)


def test_entities_are_refused():
    bomb = '<!DOCTYPE a [<!ENTITY b "bbbb">]><QuestionFormAnswers>&b;</QuestionFormAnswers>'

    with pytest.raises(ValueError, match="not an XML document"):
        parse_answers(bomb)
