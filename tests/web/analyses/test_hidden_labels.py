"""Stored public results, once the labels that they compare are withheld or private."""

from pooling.models import Collection, QrelSet
from tests.factories import make_collection, make_qrels
from tests.web.analyses.test_long_analyses import artist as artist, file_of, made


def test_a_stored_public_result_is_hidden_once_its_labels_are_withheld_or_private(cast, artist):
    """The labels to compare with are named by a setting that accepts any text, also of another collection."""
    other = make_collection("cove", ["q1"], visibility="published")
    for collection in (cast.collection, other):
        make_qrels(collection, "secret", [("q1", "a", 1), ("q1", "b", 0)])
    stored = [
        made(artist, "reusability", qrels="official", against=against, released="1")
        for against in ("secret", "cove/secret")
    ]
    visitor = cast.clients["nobody"]
    files = [
        file_of(address, form, "density")
        for address in stored
        for form in ("json", "csv", "svg", "pdf", "md")
    ]
    assert all(visitor.get(address).context["page"].analysis for address in stored)
    assert {visitor.get(file).status_code for file in files} == {200}

    QrelSet.objects.filter(collection=cast.collection, name="secret").update(withheld=True)
    Collection.objects.filter(pk=other.pk).update(visibility="private")

    pages = [visitor.get(address).context["page"] for address in stored]
    assert [page.analysis or page.older for page in pages] == [None, None]
    assert "The labels secret are withheld." in str(pages[0].refusal)
    assert "cannot be used here" in str(pages[1].refusal)
    assert {visitor.get(file).status_code for file in files} == {404}
    members = [address.replace("&released=1", "") for address in stored]
    assert "cannot be used here" in str(artist.get(members[1]).context["page"].refusal)
