"""All documents as pages, with working links."""

import re

import pytest
from django.conf import settings

from web.help.documents import FOLDER, document, document_names, glossary
from web.templatetags.help import term

pytestmark = pytest.mark.one_database


def test_every_document_is_listed_once():
    assert sorted(document_names()) == sorted(path.stem for path in FOLDER.glob("*.md"))


@pytest.mark.parametrize("name", document_names())
def test_links_of_a_document_lead_to_pages_and_sections_that_are_there(name):
    found = document(name)

    assert found is not None
    for target in re.findall(r'<a href="([^"]*)"', found.html):
        page, _, place = target.partition("#")
        if "://" in page or page.startswith("mailto:"):
            continue
        other = found if not page else document(page.removeprefix("../").rstrip("/"))
        assert other is not None, target
        assert not place or f'id="{place}"' in other.html, target
    for picture in re.findall(r'<img src="([^"]*)"', found.html):
        assert (FOLDER / picture.removeprefix("../")).is_file(), picture


def test_documents_are_served_with_their_pictures(client):
    assert b"Glossary" in client.get("/help/").content
    assert client.get("/help/tutorial/").status_code == 200
    picture = client.get("/help/pictures/leaderboard.webp")
    assert (picture.status_code, picture["Content-Type"]) == (200, "image/webp")


@pytest.mark.parametrize(
    "address", ["/help/nothing/", "/help/pictures/nothing.webp", "/help/pictures/..%2ftutorial.md"]
)
def test_nothing_else_is_served(client, address):
    assert client.get(address).status_code == 404


def test_raw_html_of_a_document_stays_text(tmp_path, monkeypatch):
    (tmp_path / "tutorial.md").write_text("# Title\n\n<script>alert(1)</script>\n")
    monkeypatch.setattr("web.help.documents.FOLDER", tmp_path)
    document.cache_clear()
    try:
        found = document("tutorial")
        assert found is not None
        assert "<script>" not in found.html
    finally:
        document.cache_clear()


def test_every_term_that_a_page_explains_is_in_the_glossary():
    used = set()
    for path in (settings.BASE_DIR / "templates").rglob("*.html"):
        used.update(re.findall(r"""{% term ["']([^"]*?)["'] %}""", path.read_text()))

    assert used
    for name in used:
        assert str(term(name)).count("tooltip") == 1
    assert all(glossary().values())
