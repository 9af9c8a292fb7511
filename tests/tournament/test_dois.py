"""DOIs as people enter them, and which version has one."""

import pytest

from pooling.models import CollectionChange
from tournament.dois import LONGEST, doi_address, read_doi
from tournament.errors import NotADoi
from tournament.models import QrelVersion, VersionDoi
from tournament.services import publish_qrels
from tournament.services.version_dois import doi_of, dois_of, set_doi


@pytest.mark.parametrize(
    "text",
    [
        "10.5281/zenodo.1234567",
        "  https://doi.org/10.5281/zenodo.1234567\n",
        "http://dx.doi.org/10.5281/zenodo.1234567",
        "DOI: 10.5281/zenodo.1234567",
    ],
)
def test_a_doi_is_read_with_or_without_its_resolver(text):
    assert read_doi(text) == "10.5281/zenodo.1234567"


@pytest.mark.parametrize("doi", ["10.1000/182", "10.1002/(SICI)1097-4571(199806)49:8", "10.1000.10/a_b;c#d"])
def test_unusual_dois_are_read(doi):
    assert read_doi(doi) == doi


@pytest.mark.parametrize(
    "text",
    [
        "zenodo.1234567",
        "10.5281",
        "10.5281/",
        "10.52/x",
        "11.5281/x",
        "https://example.org/10.5281/x",
        "10.5281/a b",
        "10.5281/a}\n  note = {x",
        "10.5281/<script>",
        '10.5281/"x',
        "10.5281/a\\b",
        "10.5281/a\x00",
        "10.5281/" + "x" * LONGEST,
        "javascript:alert(1)//10.5281/x",
    ],
)
def test_anything_else_is_not_a_doi(text):
    assert read_doi(text) is None


def test_letters_with_a_meaning_in_addresses_are_escaped():
    assert doi_address("10.1000/a#b?c%d") == "https://doi.org/10.1000/a%23b%3Fc%25d"


@pytest.fixture
def version(town) -> QrelVersion:
    """A published version of one query."""
    town.pooled("q1", "a", "b")
    town.judge("q1", "a", "b", "a")
    return publish_qrels(campaign=town.campaign).version


def test_a_doi_is_set_changed_and_removed_with_a_trace(version):
    set_doi(version, "10.1234/a", who="ada")
    set_doi(version, "https://doi.org/10.1234/a", who="ada")
    set_doi(version, "10.1234/b", who="ada")
    assert dois_of([version]) == {version.pk: "10.1234/b"}
    set_doi(version, " ", who="ada")

    assert doi_of(version) == ""
    assert not VersionDoi.objects.exists()
    log = CollectionChange.objects.filter(what__startswith="DOI").order_by("pk")
    assert [*log.values_list("what", "who")] == [
        ("DOI of version 1 set to 10.1234/a", "ada"),
        ("DOI of version 1 set to 10.1234/b", "ada"),
        ("DOI of version 1 removed, it was 10.1234/b", "ada"),
    ]


def test_an_invalid_doi_changes_nothing(version):
    set_doi(version, "10.1234/a")

    with pytest.raises(NotADoi, match=r"'zenodo' is not a DOI\. Enter a DOI such as 10\.5281"):
        set_doi(version, "zenodo")

    assert doi_of(version) == "10.1234/a"
