"""The XML of the protocol."""

import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given, strategies as st

from marketplace.errors import RequestError
from marketplace.protocol.question import ANSWERS, frame_address, read_question, url_origin, write_answers
from tests.marketplace.conftest import QUESTION


def test_an_external_question_is_read():
    question = read_question(QUESTION, https_only=True)

    assert question.url == "http://127.0.0.1:9/judge?link=a&v=2"
    assert question.frame_height == 0


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("<ExternalQuestion", "XMLParseError"),
        ("<HTMLQuestion/>", "XMLParseError"),
        (QUESTION.replace("<FrameHeight>0</FrameHeight>", ""), "XMLParseError"),
        (QUESTION.replace(">0<", ">tall<"), "XMLParseError"),
        (
            '<!DOCTYPE q [<!ENTITY e "x">]>' + QUESTION.replace(">0<", ">&e;<"),
            "XMLParseError",
        ),
        (QUESTION.replace("http://127.0.0.1:9", "javascript:alert(1)//"), "InvalidParameterValue"),
        (QUESTION.replace("http://127.0.0.1:9", "http://a.example; script-src *"), "InvalidParameterValue"),
        (QUESTION + " " * 65536, "InvalidParameterValue"),
    ],
)
def test_anything_else_is_refused(text, code):
    with pytest.raises(RequestError) as refusal:
        read_question(text, https_only=False)

    assert refusal.value.turk_code == f"AWS.MechanicalTurk.{code}"


def test_https_is_asked_for_except_on_this_machine():
    with pytest.raises(RequestError, match="https"):
        read_question(QUESTION.replace("127.0.0.1:9", "a.example"), https_only=True)

    read_question(QUESTION.replace("http://127.0.0.1:9", "https://a.example"), https_only=True)


def test_a_frame_address_keeps_its_parameters_and_one_question_mark():
    address = frame_address("http://h/p?a=1#top", {"turkSubmitTo": "http://m:1", "hitId": "3X"})

    assert address == "http://h/p?a=1&turkSubmitTo=http%3A%2F%2Fm%3A1&hitId=3X#top"
    assert frame_address("http://h/p", {"a": "1"}) == "http://h/p?a=1"


def test_an_origin_names_scheme_host_and_port_only():
    assert url_origin("https://user@h.example:8443/p?q=1") == "https://h.example:8443"
    assert url_origin("https://straße.example:8443/p") == "https://xn--strae-oqa.example:8443"


def test_of_two_fields_of_one_name_the_last_stays():
    root = ElementTree.fromstring(write_answers([("a", "1"), ("a", "2")]))

    assert [text.text for text in root.iter(f"{{{ANSWERS}}}FreeText")] == ["2"]


@given(st.text(), st.text())
def test_any_text_gives_well_formed_ascii(name, value):
    text = write_answers([(name, value)])

    root = ElementTree.fromstring(text.encode("ascii"))

    assert len(root) == 1


@given(st.text(alphabet=st.characters(min_codepoint=32, exclude_categories=["Cs"], exclude_characters="￾￿")))
def test_printable_text_comes_back_as_it_was(value):
    root = ElementTree.fromstring(write_answers([("a", value)]).encode("ascii"))

    assert (root[0][1].text or "") == value
