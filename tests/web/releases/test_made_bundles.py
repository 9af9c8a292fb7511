"""Existing bundles: created again with the same bytes, stored, downloaded or refused, deleted; page and command."""

import hashlib
import io
import json
import re
import zipfile

import pytest
from django.core.files.storage import storages
from django.core.management import call_command

from judging.models import Exclusion, Worker
from judging.people.rights import forget_worker
from leaderboard.models import KeptAnalysis
from pooling.models import Run
from tests.due_jobs import work_off_everything
from tests.factories import make_run
from tests.web.release_cast import read, rows, town as town
from web.models import MadeBundle
from web.releases.bundle import bundle_of, count_bundle, ensure_bundle
from web.releases.kept_bundles import no_longer_released
from web.releases.scope import Scope
from web.releases.store import open_bundle

pytestmark = pytest.mark.one_database

PAGE = "/collections/harbour/versions/1/bundle/"
ZIP = "/collections/harbour/versions/1/bundle.zip"


def content_of(made: MadeBundle) -> bytes:
    with open_bundle(made.name) as file:
        return file.read()


def got(client, address: str = ZIP) -> tuple[int, str]:
    """Return the status, and the hash of the content."""
    reply = client.get(address)
    return reply.status_code, hashlib.sha256(b"".join(reply)).hexdigest()


def test_the_same_facts_give_the_same_bytes_and_one_bundle(town):
    made = ensure_bundle(town.version)
    first = content_of(made)
    MadeBundle.objects.all().update(key="")
    KeptAnalysis.objects.all().delete()
    storages["runs"].delete(made.name)

    again = ensure_bundle(town.version)

    assert content_of(again) == first
    assert hashlib.sha256(first).hexdigest() == made.sha256
    assert [row.pk for row in MadeBundle.objects.all()] == [made.pk]


def test_a_run_sent_later_changes_nothing(town):
    ensure_bundle(town.version)
    counted = count_bundle(town.version)
    make_run(town.collection, "late", {"q1": ["later"]})
    make_run(town.collection, "later", {"q1": ["later"]}, release="private")
    Run.objects.filter(run_tag="mole").update(team="OTTERS")

    assert bundle_of(Scope(town.version)) == MadeBundle.objects.get()
    assert count_bundle(town.version) == counted


def test_a_worker_has_one_pseudonym_in_all_bundles_of_a_version(town):
    worker = rows(read(town.version), "judgments.jsonl")[0]["worker"]
    Run.objects.filter(run_tag="mole").update(release="public")
    more = read(town.version)
    town.prefer("q1", ("b", "new"))
    second = town.publish()

    assert "s" in {row["pid"] for row in rows(more, "passages.jsonl")}
    assert {row["worker"] for row in rows(more, "judgments.jsonl")} == {worker}
    assert worker not in "".join(read(second).values())


def test_a_bundle_stays_when_descriptions_change(cast):
    old = ensure_bundle(cast.version)
    Run.objects.filter(run_tag="quay").update(release="private")
    reader = cast.clients["viewer"]

    page = reader.get(PAGE).content.decode()
    assert old.sha256 in page
    assert "quay is now released as private" in page
    assert "Something was added or changed" in page
    assert got(reader) == (200, old.sha256)
    new = ensure_bundle(cast.version)
    page = reader.get(PAGE).content.decode()
    assert new.sha256 != old.sha256
    assert {old.sha256, new.sha256} <= set(re.findall("[0-9a-f]{64}", page))
    assert got(reader) == (200, new.sha256)
    assert got(reader, f"{ZIP}?sha256={old.sha256}") == (200, old.sha256)


def test_a_bundle_with_withdrawn_judgments_cannot_be_downloaded(cast):
    old = ensure_bundle(cast.version)
    Exclusion.objects.create(campaign=cast.campaign, worker=cast.judge, rule="withdrawn", reason="")
    reader = cast.clients["owner"]

    assert reader.get(ZIP).status_code == 404
    assert reader.get(f"{ZIP}?sha256={old.sha256}").status_code == 404
    page = reader.get(PAGE).content.decode()
    assert old.sha256 in page
    assert "1 worker has withdrawn judgments that it contains." in page
    new = ensure_bundle(cast.version)
    assert got(reader) == (200, new.sha256)


def test_an_older_bundle_with_exact_times_or_hashes_of_whole_files_is_marked(cast):
    old = ensure_bundle(cast.version)
    assert no_longer_released(old, Scope(cast.version)) == []
    old.facts.pop("format")

    assert "times, to the second" in no_longer_released(old, Scope(cast.version))[0]
    old.facts["format"] = 3
    assert "hashes of whole qrels files" in no_longer_released(old, Scope(cast.version))[0]


def test_withdrawals_without_judgments_in_a_bundle_do_not_affect_it(cast):
    ensure_bundle(cast.version)
    Exclusion.objects.create(
        campaign=cast.campaign, worker=Worker.objects.create(), rule="withdrawn", reason=""
    )

    assert got(cast.clients["viewer"])[0] == 200


def test_forgetting_a_worker_keeps_pseudonymous_bundles(cast):
    ensure_bundle(cast.version)
    forget_worker(cast.judge)

    assert got(cast.clients["viewer"])[0] == 200


def test_an_owner_deletes_a_bundle_and_its_file(cast, django_capture_on_commit_callbacks):
    made = ensure_bundle(cast.version)
    owner, address = cast.clients["owner"], f"{PAGE}{made.pk}/delete/"

    assert made.sha256[:12] in owner.get(address).content.decode()
    assert bundle_of(Scope(cast.version)) == made
    with django_capture_on_commit_callbacks(execute=True):
        owner.post(address)

    assert bundle_of(Scope(cast.version)) is None
    assert open_bundle(made.name) is None
    assert cast.collection.changes.filter(what__contains=made.sha256, who="owner").exists()


def test_later_judgments_change_nothing(town):
    made = ensure_bundle(town.version)
    town.prefer("q1", ("a", "x9"))

    assert bundle_of(Scope(town.version)) == made


def test_counting_equals_creating(town):
    told = count_bundle(town.version)

    assert bundle_of(Scope(town.version)) is None
    assert ensure_bundle(town.version).summary == told
    assert told["counts"]["judgments"] == 2


def test_the_page_counts_creates_and_downloads_the_bundle(cast):
    owner = cast.clients["owner"]
    assert "Count contents" in owner.get(PAGE).content.decode()
    owner.post(PAGE + "count")
    work_off_everything()
    counted = owner.get(PAGE).content.decode()
    assert "judgments on passages that no public run supplied" in counted
    assert "has no stated license" in counted
    assert owner.get("/collections/harbour/versions/1/bundle.zip").status_code == 404

    owner.post(PAGE + "make")
    work_off_everything()
    assert "The bundle is made." in owner.get(PAGE).content.decode()
    reply = cast.clients["viewer"].get("/collections/harbour/versions/1/bundle.zip")
    content = b"".join(reply)
    assert zipfile.ZipFile(io.BytesIO(content)).testzip() is None
    assert reply["Content-Disposition"] == 'attachment; filename="harbour-version-1.zip"'
    same = cast.clients["viewer"].get(
        "/collections/harbour/versions/1/bundle.zip", HTTP_IF_NONE_MATCH=reply["ETag"]
    )
    assert same.status_code == 304


def test_the_command_writes_the_same_file(town, tmp_path):
    made = ensure_bundle(town.version)
    out, told = tmp_path / "bundle.zip", io.StringIO()

    call_command("release_bundle", "harbour", "--out", str(out), "--json", stdout=told)
    call_command("release_bundle", "harbour", "--dry-run", "--json", stdout=io.StringIO())

    assert hashlib.sha256(out.read_bytes()).hexdigest() == made.sha256
    assert json.loads(told.getvalue())["counts"]["judgments"] == 2
