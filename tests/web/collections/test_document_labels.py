"""Labels of documents, created on the page and over the API."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from pooling.models import Membership
from tests.factories import make_qrels


@pytest.fixture
def owner(harbour, member):
    Membership.objects.update(role="owner")
    return member


@pytest.fixture
def page(harbour):
    return reverse("web:document_labels", args=[harbour.collection.name])


def test_the_page_makes_labels_by_a_separator(harbour, owner, page):
    make_qrels(harbour.collection, "graded", [("q1", "d1#1", 1), ("q1", "d1#2", 3)], kind="graded")
    given = {
        "qrels": harbour.collection.qrel_sets.get(name="graded").pk,
        "set_name": "documents",
        "min_grade": 1,
    }

    assert "Enter a separator or choose a file" in owner.post(page, given).content.decode()
    made = owner.post(page, given | {"before": "#"}, follow=True).content.decode()

    assert "documents has 1 label of a document, 1 of them relevant" in made
    sources = reverse("web:document_label_sources", args=[harbour.collection.name, "documents"])
    listed = owner.get(sources)
    assert b"".join(listed.streaming_content).decode() == "qid\tdocument\tgrade\tpassage\nq1\td1\t3\td1#2\n"
    shown = owner.get(page)
    assert sources in shown.content.decode()
    assert "documents" not in [one.name for one in shown.context["form"].fields["qrels"].queryset]
    assert owner.get(sources.replace("documents.tsv", "official.tsv")).status_code == 404
    assert harbour.collection.qrel_sets.get(name="documents").qrels.get().grade == 3


def test_the_page_makes_labels_from_a_file_and_says_what_it_lacks(harbour, owner, page):
    official = harbour.collection.qrel_sets.get(name="official")
    given = {"qrels": official.pk, "set_name": "documents", "min_grade": 1}

    lacking = owner.post(page, given | {"file": SimpleUploadedFile("docs.tsv", b"a d\na2 d\n")})
    made = owner.post(page, given | {"file": SimpleUploadedFile("docs.tsv", b"a d\na2 d\na3 e\n")})

    assert "no document: a3" in lacking.content.decode()
    assert "or choose another “Separator”" in lacking.content.decode()
    assert made.status_code == 302
    assert harbour.collection.qrel_sets.get(name="documents").qrels.count() == 3


def test_the_preview_of_publishing_names_the_labels_that_are_related(harbour, owner):
    official = harbour.collection.qrel_sets.get(name="official")
    make_qrels(harbour.collection, "documents", [("q1", "D1", 1)], mapped_from=official, withheld=True)
    harbour.collection.qrel_sets.update(withheld=True)

    def preview(name):
        address = reverse("web:withhold_labels", args=[harbour.collection.name, name])
        return owner.post(address, {"why": "it is over", "publish": "1"}).content.decode()

    assert "documents, created from these labels, do not change. They stay withheld" in preview("official")
    of_documents = preview("documents")
    assert "the passage labels official" in of_documents
    assert "tells everybody the highest grade of its passages" in of_documents
    assert "1 passage becomes visible" in of_documents
