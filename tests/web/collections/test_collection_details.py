"""A collection's description: in the browser, by command and over the API; and the preview of publishing it."""

import io
import json

import pytest
from django.core.management import call_command

from tests.web.releases.test_bundle import read
from tournament.models import QrelVersion

pytestmark = pytest.mark.one_database

PAGE = "/collections/harbour/about/"
SAID = {"title": "Harbour town", "description": "Ships.", "license": "CC BY 4.0", "citation": "Otter, 2026"}


def test_a_maintainers_description_is_on_the_page_and_in_the_bundle(cast):
    maintainer = cast.clients["maintainer"]
    assert "no license stated" in maintainer.get("/collections/harbour/").content.decode()

    maintainer.post(PAGE, SAID | {"language": "de"})

    page = maintainer.get("/collections/harbour/").content.decode()
    assert "language de" in page
    assert cast.collection.changes.filter(what="language de, was en", who="maintainer").exists()
    files = read(QrelVersion.objects.get())
    for text in SAID.values():
        assert text in page
        assert text in files["DATA_CARD.md"]
    assert "License stated for the collection: CC BY 4.0" in files["LICENSES.md"]
    assert "Source and citation: Otter, 2026" in files["LICENSES.md"]
    assert cast.collection.changes.filter(
        what="title, description, license, citation changed", who="maintainer"
    ).exists()


def test_the_form_shows_current_values_and_refuses_long_ones(cast):
    cast.collection.license = "CC0"
    cast.collection.save()
    owner = cast.clients["owner"]

    assert 'value="CC0"' in owner.get(PAGE).content.decode()
    assert owner.post(PAGE, {"license": "x" * 201}).status_code == 422
    cast.collection.refresh_from_db()
    assert cast.collection.license == "CC0"


def test_a_description_saved_in_another_tab_is_not_overwritten(cast):
    owner = cast.clients["owner"]
    seen = owner.get(PAGE).context["form"].seen()
    owner.post(PAGE, SAID | {"language": "en"})

    late = owner.post(PAGE, {"title": "Another town", "language": "en", "seen": seen})

    assert late.status_code == 422
    assert "Title is now Harbour town" in late.content.decode()
    cast.collection.refresh_from_db()
    assert (cast.collection.title, cast.collection.license) == ("Harbour town", "CC BY 4.0")
    form = late.context["form"]
    assert (form["title"].value(), form["license"].value()) == ("Another town", "CC BY 4.0")
    again = {name: form[name].value() or "" for name in form.fields} | {"seen": form.seen()}
    assert owner.post(PAGE, again).status_code == 302
    cast.collection.refresh_from_db()
    assert (cast.collection.title, cast.collection.license) == ("Another town", "CC BY 4.0")


@pytest.mark.parametrize(
    ("page", "first", "second"),
    [
        ("policy", {"most_runs": 2, "required": []}, {"most_runs": 3, "required": []}),
        ("runs/fields", {"asked": ["task"]}, {"asked": ["task", "stage"]}),
    ],
)
def test_rules_saved_in_another_tab_are_not_overwritten(cast, page, first, second):
    owner, address = cast.clients["owner"], f"/collections/harbour/{page}/"
    form = owner.get(address).context["form"]
    values = {name: form[name].value() for name in form.fields}
    shown = {name: value for name, value in values.items() if value is not None and value is not False}
    shown |= {"why": "to try it", "seen": form.seen()}
    assert owner.post(address, shown | first).status_code == 302

    late = owner.post(address, shown | second)

    assert late.status_code == 422
    assert "Saved elsewhere after you opened this page" in late.content.decode()


def test_the_command_changes_what_is_given(published):
    out = io.StringIO()
    call_command("describe_collection", "harbour", "--license", "CC0", "--title", "Town", stdout=out)
    call_command("describe_collection", "harbour", "--title", "", "--json", stdout=(told := io.StringIO()))

    published.collection.refresh_from_db()
    assert (published.collection.license, published.collection.title) == ("CC0", "")
    assert json.loads(told.getvalue())["changed"] == ["title"]
    with pytest.raises(SystemExit):
        call_command("describe_collection", "harbour", "--license", "x" * 201)


def test_publishing_first_shows_what_everybody_will_see(cast):
    owner, address = cast.clients["owner"], "/collections/harbour/visibility"
    owner.post(address, {"visibility": "private"})

    asked = owner.post(address, {"visibility": "published"}).content.decode()
    cast.collection.refresh_from_db()
    assert cast.collection.visibility == "private"
    assert "1 run released as public" in asked
    assert "quay" in asked
    assert "deep" not in asked

    owner.post(address, {"visibility": "published", "sure": "1"})
    cast.collection.refresh_from_db()
    assert cast.collection.visibility == "published"
