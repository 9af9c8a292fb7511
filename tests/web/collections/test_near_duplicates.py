"""Near-duplicates on their page and over HTTP: found, imported, shown and removed."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from accounts.models import ApiToken
from accounts.services.tokens import make_token
from judging.campaign.pairs import pairs_of, request_pairs
from judging.models import Campaign
from pooling.models import ClusterSet, Membership, Passage
from pooling.passages.clusters import Classes, store_classes
from pooling.pools.pools import build_pool
from tests.due_jobs import work_off_everything
from tests.factories import make_collection, make_qrels, make_run

PAGE = "/collections/port/near-duplicates/"
CALL = "/api/v1/collections/port/near-duplicates"
TEXT = "a long enough text about waltzes and how to begin with the left foot on the first beat of a bar"


@pytest.fixture
def port(db):
    collection = make_collection("port", ["q1"])
    for number, tag in enumerate("abc"):
        make_run(collection, tag, {"q1": [f"p{number}"]})
    build_pool(collection=collection, name="bay", runs=list(collection.runs.order_by("run_tag")))
    Passage.objects.filter(pid__in=["p0", "p1"]).update(text=TEXT)
    Passage.objects.filter(pid="p1").update(text=f"{TEXT}!")
    return collection


@pytest.fixture
def owner(client, port, django_user_model):
    client.force_login(ann := django_user_model.objects.create_user("ann"))
    Membership.objects.create(collection=port, user=ann, role="owner")
    client.user = ann
    return client


def said(reply) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", reply.content.decode()).split())


def test_the_page_finds_shows_and_removes_near_duplicates(owner):
    assert "No near-duplicates are known" in said(owner.get(PAGE))

    owner.post(f"{PAGE}change", {"action": "find", "threshold": "0.8", "shingle": "3"})
    work_off_everything()
    page = said(owner.get(PAGE))

    assert "2 passages in 1 class · 2 texts compared · similarity of at least 0.8" in page
    assert "bay 3 3 2 3 1" in page  # to judge and pairs, without classes and now
    assert TEXT in page
    assert "1 class of near-duplicates" in said(owner.get("/collections/port/"))
    assert "2 passages in 1 class, each judged once" in said(owner.get("/collections/port/settings/"))

    asked = owner.post(f"{PAGE}change", {"action": "remove"}, follow=True)
    assert "Nothing was removed. Tick the box" in asked.content.decode()
    assert ClusterSet.objects.exists()
    page = owner.post(f"{PAGE}change", {"action": "remove", "sure": "1"}, follow=True)

    assert "1 class removed" in said(page)
    assert not ClusterSet.objects.exists()


def test_the_collection_offers_the_search_until_a_draft_has_pairs(owner, port):
    campaign = Campaign.objects.create(name="tide", collection=port, pool=port.pools.get(), seed=1)
    assert "Find near-duplicates" in said(owner.get("/collections/port/"))

    request_pairs(campaign, pairs_of(campaign.pool), judgments=1, round=0)

    assert "Find near-duplicates" not in said(owner.get("/collections/port/"))


def test_the_page_imports_a_file_and_names_a_bad_line(owner):
    def send(content: bytes):
        file = SimpleUploadedFile("classes.txt", content)
        return said(owner.post(f"{PAGE}change", {"action": "import", "file": file}, follow=True))

    assert "classes.txt, line 2" in send(b"p0 p0\nlonely\n")
    refused = send(b"x x\nx y\n")
    assert "2 passages is in port" in refused
    assert not ClusterSet.objects.exists()
    sent = send(b"p2 p2\np2 p0\np2 elsewhere\n")
    assert "1 class with 3 passages imported." in sent
    assert "pools and labels have 2 of them." in sent
    assert "from classes.txt" in said(owner.get(PAGE))


def test_the_page_shows_all_texts_of_a_class(owner, port):
    texts = {f"p{number}": f"wave number {number}" for number in range(6)}
    for pid, words in texts.items():
        Passage.objects.update_or_create(collection=port, pid=pid, defaults={"text": words})
    lines = "".join(f"p0 {pid}\n" for pid in texts).encode()
    owner.post(f"{PAGE}change", {"action": "import", "file": SimpleUploadedFile("f", lines)})

    page = said(owner.get(PAGE))

    assert all(words in page for words in texts.values())
    assert "3 more texts" in page
    assert "An earlier version" not in page


def test_the_page_says_why_classes_of_an_earlier_version_have_fewer_texts(owner, port):
    store_classes(port, Classes(ClusterSet.Method.FILE, dict.fromkeys(["p0", "p1", "p2", "x"], "p0"), {}))
    stored = ClusterSet.objects.get()
    stored.summary["largest"][0]["others"] = ["p1", "p2"]
    stored.save()

    page = said(owner.get(PAGE))

    assert (
        "And 1 more passage. An earlier version of the software stored these classes, "
        "and kept only the first 3 passages of each."
    ) in page


def test_labels_are_downloaded_and_exported_once_a_class_and_expanded(owner, port, tmp_path):
    assert owner.get(f"{PAGE}labels/official/once").status_code == 404
    make_qrels(port, "official", [("q1", "p0", 2), ("q1", "p1", 0), ("q1", "p2", 1)])
    owner.post(f"{PAGE}change", {"action": "import", "file": SimpleUploadedFile("f", b"p0 p0\np0 p1\n")})

    once, whole = (owner.get(f"{PAGE}labels/official/{form}") for form in ("once", "expanded"))
    assert owner.get(f"{PAGE}labels/official/garbage").status_code == 404
    call_command("export_labels", "port", qrels="official", expand=True, out=str(tmp_path / "whole.qrels"))

    assert once.content.decode() == "q1 0 p0 2\nq1 0 p2 1\n"
    assert whole.content.decode() == "q1 0 p0 2\nq1 0 p1 2\nq1 0 p2 1\n"
    assert whole["Content-Disposition"] == 'attachment; filename="port-official-expanded.qrels"'
    assert (tmp_path / "whole.qrels").read_bytes() == whole.content
    assert "official Download official, one per class Download official, expanded" in said(owner.get(PAGE))
    assert "The leaderboard uses the labels as stored" in said(owner.get(PAGE))
    assert owner.get("/collections/port/analyses/near_duplicates/").status_code == 200


def test_settings_outside_their_limits_are_refused_beside_the_field(owner):
    reply = owner.post(f"{PAGE}change", {"action": "find", "threshold": "0.2", "shingle": "3"})

    assert reply.status_code == 422
    assert "Enter 0.5 or more." in said(reply)


def test_api_calls_find_import_and_remove_near_duplicates(owner):
    token = make_token(user=owner.user, name="t", days=7, scopes=[ApiToken.Scope.RUNS, ApiToken.Scope.READ])[
        1
    ]
    bearer = {"HTTP_AUTHORIZATION": f"Bearer {token}"}

    begun = owner.post(CALL, b"{}", content_type="application/json", **bearer)
    work_off_everything()
    found = owner.get(CALL, **bearer).json()

    assert begun.status_code == 202
    assert (found["method"], found["classes"], found["members"], found["sizes"]) == (
        "minhash",
        1,
        2,
        {"2": 1},
    )
    assert found["largest"] == [{"canonical": "p0", "size": 2, "others": ["p1"]}]
    assert found["pools"] == [
        {"pool": "bay", "passages": 3, "classes_by_text": 3, "classes": 2, "pairs_by_text": 3, "pairs": 1}
    ]
    assert found["work"]["state"] == "done"
    assert owner.put(CALL, b"p1 p2\n", content_type="text/plain", **bearer).status_code == 409
    assert owner.delete(CALL, **bearer).json()["method"] is None
    sent = owner.put(CALL, b"c p1\nc p2\n", content_type="application/octet-stream", **bearer)
    assert (sent.status_code, sent.json()["method"]) == (200, "file")
