"""Record the DOI under which a version was deposited, for citations."""

from collections.abc import Iterable

from django.db import transaction

from pooling.collections import members
from tournament.dois import read_doi
from tournament.errors import NotADoi
from tournament.models import QrelVersion, VersionDoi


def set_doi(version: QrelVersion, text: str, *, who: str = "") -> str:
    """Record the version's DOI, or remove it if ``text`` is empty; return the recorded DOI.

    Setting the same DOI again changes nothing. Raises NotADoi.
    """
    doi = read_doi(text) if text.strip() else ""
    if doi is None:
        raise NotADoi(f"{text.strip()!r} is not a DOI.", "Enter a DOI such as 10.5281/zenodo.1234567.")
    with transaction.atomic():
        before = doi_of(version)
        if doi == before:
            return doi
        if doi:
            VersionDoi.objects.update_or_create(version=version, defaults={"doi": doi})
        else:
            VersionDoi.objects.filter(version=version).delete()
        now = f"set to {doi}" if doi else f"removed, it was {before}"
        members.log(version.collection, f"DOI of version {version.number} {now}", who=who)
    return doi


def doi_of(version: QrelVersion) -> str:
    """Return the version's DOI, or an empty string."""
    return dois_of([version]).get(version.pk, "")


def dois_of(versions: Iterable[QrelVersion]) -> dict[int, str]:
    """Map version keys to DOIs, for versions that have a DOI."""
    return dict(VersionDoi.objects.filter(version__in=versions).values_list("version", "doi"))
