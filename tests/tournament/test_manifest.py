"""The canonical form of manifests and qrels files."""

import json

import pytest

from tournament.manifest import canonical_json, sha256, trec_qrels


def test_one_content_has_one_text():
    one = canonical_json({"b": [1, 2], "a": {"é": None, "d": True}})
    other = canonical_json({"a": {"d": True, "é": None}, "b": (1, 2)})

    assert one == other == '{"a":{"d":true,"é":null},"b":[1,2]}'
    assert json.loads(one) == {"a": {"d": True, "é": None}, "b": [1, 2]}


@pytest.mark.parametrize("content", [{"a": 1.0}, {"a": [{"b": 0.5}]}, {1: "a"}, {"a": {1, 2}}])
def test_values_without_a_canonical_form_are_refused(content):
    with pytest.raises(TypeError):
        canonical_json(content)


def test_the_hash_is_sha256_of_the_utf8_bytes():
    # From FIPS 180-2, appendix B.1.
    assert sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert sha256("é") == sha256("é".encode())


def test_qrels_are_ordered_by_query_position_then_pid():
    rows = [(1, "q10", "b"), (0, "q9", "z"), (1, "q10", "a")]

    assert trec_qrels(rows) == b"q9 0 z 1\nq10 0 a 1\nq10 0 b 1\n"
    assert trec_qrels(reversed(rows)) == trec_qrels(rows)
    assert trec_qrels([]) == b""
