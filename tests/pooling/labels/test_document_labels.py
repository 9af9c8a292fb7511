"""Labels of documents, derived from labels of their passages."""

import io
import json

import pytest
from django.core.management import call_command

from pooling.errors import AlreadyImported, InvalidFile, UnmappedLabels
from pooling.labels.document_labels import (
    DocumentLabel,
    before_last,
    documents_in_file,
    highest_grades,
    map_labels,
    provenance_of,
)
from pooling.models import QrelSet
from pooling.passages.clusters import classes_in_file, store_classes
from tests.factories import make_collection, make_qrels

LABELS = [("q1", "d1#1", 1), ("q1", "d1#2", 3), ("q1", "d2#1", 0), ("q2", "d2#1", 2)]


@pytest.fixture
def labels(db):
    return make_qrels(make_collection("mine", ["q1", "q2"]), "graded", LABELS, kind="graded", withheld=True)


def grades_in(qrel_set: QrelSet) -> dict[tuple[str, str], int]:
    rows = qrel_set.qrels.values_list("query__qid", "passage__pid", "grade")
    return {(qid, pid): grade for qid, pid, grade in rows}


def map_labels_command(*words: str) -> dict:
    told = io.StringIO()
    call_command("map_labels", "mine", *words, "--json", stdout=told)
    return json.loads(told.getvalue())


def test_a_document_has_the_highest_grade_of_its_passages_and_their_near_duplicates():
    alike = {"d1#2": ["d1#2", "d3#4"], "d2#1": ["d2#1", "d1#9"]}

    found = highest_grades(LABELS, alike, before_last("#"))

    assert found == [
        DocumentLabel("q1", "d1", 3, "d1#2"),
        DocumentLabel("q1", "d2", 0, "d2#1"),
        DocumentLabel("q1", "d3", 3, "d3#4"),
        DocumentLabel("q2", "d1", 2, "d1#9"),
        DocumentLabel("q2", "d2", 2, "d2#1"),
    ]


@pytest.mark.parametrize(
    ("separator", "pid", "document"),
    [("#", "msmarco_doc_12_345#7", "msmarco_doc_12_345"), ("_", "msmarco_doc_12_345", "msmarco_doc_12"),
     ("#", "d1", None), ("#", "#7", None)],
)  # fmt: skip
def test_the_rule_takes_what_stands_before_the_last_separator(separator, pid, document):
    assert before_last(separator)(pid) == document


def test_the_command_carries_labels_over_by_rule_or_file_and_names_their_passages(labels, tmp_path):
    clusters = tmp_path / "clusters.tsv"
    clusters.write_text("d1#2 d1#2\nd1#2 d3#4\n")
    store_classes(labels.collection, classes_in_file(clusters))
    file = tmp_path / "documents.tsv"
    file.write_text("d1#1\td1\nd1#2\td1\n\nd2#1\td2\nd3#4\td3\n")

    told = map_labels_command("--qrels", "graded", "--set", "documents", "--before", "#", "--min-grade", "2")
    same = map_labels_command("--qrels", "graded", "--set", "by-file", "--passage-doc", str(file))

    assert told == {
        "set": "documents", "labels": 4, "relevant": 3, "by_near_duplicates": 1, "withheld": True,
    }  # fmt: skip
    assert same["labels"] == 4
    made = QrelSet.objects.get(name="documents")
    assert grades_in(made) == {("q1", "d1"): 3, ("q1", "d2"): 0, ("q1", "d3"): 3, ("q2", "d2"): 2}
    assert (made.kind, made.min_grade, made.mapped_from) == ("graded", 2, labels)
    assert made.sha256 == QrelSet.objects.get(name="by-file").sha256
    assert [one.passage for one in provenance_of(made)] == ["d1#2", "d2#1", "d3#4", "d2#1"]
    listed = map_labels_command("--qrels", "documents", "--provenance")["labels"]
    assert listed[2] == {"qid": "q1", "document": "d3", "grade": 3, "passage": "d3#4"}


def test_nothing_is_stored_if_a_passage_cannot_be_mapped(labels, tmp_path):
    with pytest.raises(UnmappedLabels, match="1 labeled passage has no document: d2#1"):
        map_labels(qrel_set=labels, document_of={"d1#1": "d1", "d1#2": "d1"}.get, set_name="documents")
    with pytest.raises(AlreadyImported):
        map_labels(qrel_set=labels, document_of=before_last("#"), set_name="graded")
    assert labels.collection.qrel_sets.count() == 1
    file = tmp_path / "documents.tsv"
    for text, why in (
        ("a d1\na d2\n", "earlier line"),
        ("a\n", "expected two columns: passage and document"),
        ("", "no passage"),
    ):
        file.write_text(text)
        with pytest.raises(InvalidFile, match=why):
            documents_in_file(file)


@pytest.mark.parametrize("document", ["", "two words", "d" * 301, "line\nfeed"])
def test_an_id_that_no_qrels_file_can_hold_is_refused(labels, document):
    with pytest.raises(UnmappedLabels, match="is not a valid document id"):
        map_labels(qrel_set=labels, document_of=lambda pid: document, set_name="documents")
    assert not QrelSet.objects.filter(name="documents").exists()


def test_labels_of_documents_and_grades_above_the_highest_are_refused(labels):
    document_of = before_last("#")
    with pytest.raises(UnmappedLabels, match=r"highest grade of the labels graded is 3\. .* --min-grade"):
        map_labels(qrel_set=labels, document_of=document_of, set_name="documents", min_grade=4)
    made = map_labels(qrel_set=labels, document_of=document_of, set_name="documents", min_grade=3).qrel_set

    with pytest.raises(
        UnmappedLabels, match=r"documents are already labels of documents\. .* such as graded"
    ):
        map_labels(qrel_set=made, document_of=document_of, set_name="again")

    assert list(labels.collection.passage_labels()) == [labels]
