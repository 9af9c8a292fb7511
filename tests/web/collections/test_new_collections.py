"""Creating collections in the browser, and the home page that links to it."""

from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection

from config import clock
from config.background.models import Job
from judging.models import Appeal, Campaign, GoldPair, Worker
from pooling.files import trec
from pooling.models import Collection, Membership, NewCollection, PassageSource, QrelSet, RunUpload
from tests.due_jobs import work_off_everything
from tests.factories import make_collection, make_run

pytestmark = pytest.mark.one_database

NEW = "/new-collection/"
QUERIES = b"q1\twhat is one\nq2\twhat is two\n"
PASSAGES = b"a\tthe text of a\nb\tthe text of b\n"
QRELS = b"q1 0 a 2\nq2 0 b 1\n"


@pytest.fixture
def ada(client, db):
    ada = get_user_model().objects.create_user("ada")
    client.force_login(ada)
    return client


def asked(client, **said):
    files = {"queries": QUERIES, "passages": PASSAGES, "qrels": QRELS}
    form = {"name": "mine", "title": "My queries", "language": "en", "min_grade": "2"}
    form |= {what: SimpleUploadedFile(f"{what}.tsv", content) for what, content in files.items()}
    reply = client.post(NEW, {name: value for name, value in (form | said).items() if value is not None})
    work_off_everything()
    return reply


def test_a_collection_is_created_from_uploads_and_belongs_to_the_uploader(ada, data_dir):
    reply = asked(ada)

    page = ada.get(reply["Location"], follow=True)
    collection = Collection.objects.get(name="mine")
    assert page.redirect_chain[-1][0] == "/collections/mine/"
    assert "My queries" in page.content.decode()
    assert collection.visibility == "private"
    assert Membership.objects.get(collection=collection).role == "owner"
    assert QrelSet.objects.get(collection=collection).min_grade == 2
    source = Path(PassageSource.objects.get(collection=collection).path)
    assert source.read_bytes() == PASSAGES
    assert source.is_relative_to(data_dir)
    assert len(list(source.parent.iterdir())) == 1  # queries and labels are in the database
    assert list((data_dir / "incoming").iterdir()) == []


def test_a_bad_line_of_passages_alone_is_a_problem(ada):
    page = ada.get(
        asked(ada, passages=SimpleUploadedFile("texts.tsv", PASSAGES + b"no tab\n"))["Location"]
    ).content.decode()

    assert [(one["file"], one["line"]) for one in NewCollection.objects.get().problems] == [("texts.tsv", 3)]
    assert "Write an id, a tab and a text" in page
    assert not Collection.objects.exists()


def test_every_problem_is_named_with_its_file_and_line(ada, data_dir):
    bad = {
        "queries": SimpleUploadedFile("my queries.tsv", b"q1\twhat\nq1\tagain\nno tab\n"),
        "qrels": SimpleUploadedFile("labels.txt", b"q1 0 a one\nq1 0 a 1\nq1 0 a 2\n"),
        "passages": SimpleUploadedFile("texts.tsv", b"a\tone\nno tab\na\tagain\n"),
    }

    page = ada.get(asked(ada, **bad)["Location"]).content.decode()

    listed = [(one["file"], one["line"]) for one in NewCollection.objects.get().problems]
    of_labels_and_texts = [("labels.txt", 1), ("labels.txt", 3), ("texts.tsv", 2), ("texts.tsv", 3)]
    assert listed == [("my queries.tsv", 2), ("my queries.tsv", 3), *of_labels_and_texts]
    assert "Nothing was created" in page
    again = ada.get(NEW, {"again": NewCollection.objects.get().pk}).content.decode()
    assert 'value="My queries"' in again
    assert "my queries.tsv" in page
    assert str(data_dir) not in page
    assert not Collection.objects.exists()
    assert list((data_dir / "sources").iterdir()) == []


def test_queries_and_passages_in_each_others_place_are_the_only_problem(ada, data_dir):
    long = "".join(f"p{number}\t{'the words of a passage ' * 6}\n" for number in range(5)).encode()
    short = b"q1\twhat is one\nq2\twhat is two\n"
    swapped = {
        "queries": SimpleUploadedFile("my queries.tsv", long),
        "passages": SimpleUploadedFile("texts.tsv", short),
    }

    page = ada.get(asked(ada, **swapped)["Location"]).content.decode()

    (only,) = NewCollection.objects.get().problems
    assert (only["file"], only["line"]) == ("my queries.tsv", 0)
    assert "This looks like passages, and texts.tsv like queries: swap the two files." in page
    assert "Leave out lines" not in page
    assert str(data_dir) not in page
    assert not Collection.objects.exists()


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"name": "no blanks"}, "Use only letters, digits"),
        ({"language": "a language"}, "is not a language tag"),
        ({"queries": None}, "This field is required"),
    ],
)
def test_problems_known_at_once_are_reported_at_once(ada, said, words):
    reply = asked(ada, **said)

    assert reply.status_code == 422
    assert words in reply.content.decode()
    assert not NewCollection.objects.exists()


def test_a_name_that_is_taken_is_refused(ada):
    Collection.objects.create(name="mine")

    assert "already exists" in asked(ada).content.decode()


def test_passage_files_on_the_server_are_offered_by_name_alone(ada, settings, tmp_path):
    offered = tmp_path / "offered"
    offered.mkdir()
    (offered / "big.tsv").write_bytes(PASSAGES)
    (tmp_path / "secret.tsv").write_bytes(PASSAGES)
    settings.SOURCES_DIR = str(offered)

    refused = asked(ada, passages=None, there=["../secret.tsv"])
    asked(ada, passages=None, there=["big.tsv"])

    assert refused.status_code == 422
    assert PassageSource.objects.get().path == str(offered / "big.tsv")


def test_passages_sent_twice_are_refused_by_their_name(ada, settings, tmp_path, data_dir):
    settings.SOURCES_DIR = tmp_path / "shared"
    settings.SOURCES_DIR.mkdir()
    (settings.SOURCES_DIR / "big.tsv").write_bytes(PASSAGES)

    page = ada.get(asked(ada, there=["big.tsv"])["Location"]).content.decode()

    assert "big.tsv has the same content as a passage file" in page
    assert str(data_dir) not in page
    assert str(tmp_path) not in page


def test_nobody_sees_a_collection_that_somebody_else_is_creating(ada, client):
    where = asked(ada)["Location"]
    client.force_login(get_user_model().objects.create_user("bob"))

    assert client.get(where).status_code == 404


def submitted(client, **said):
    """Request a collection whose job has not run yet; return its page's address."""
    form = {"name": "mine", "language": "en", "queries": SimpleUploadedFile("q.tsv", QUERIES), **said}
    return client.post(NEW, form)["Location"]


def test_home_and_collections_list_a_collection_until_it_is_created(ada, client, data_dir):
    address = submitted(ada)
    waiting = [ada.get(page).content.decode() for page in ("/", "/collections/")]
    work_off_everything()
    created = [ada.get(page).content.decode() for page in ("/", "/collections/")]

    assert all(address in page and "being checked" in page for page in waiting)
    assert not any(address in page for page in created)
    submitted(ada, name="another")
    client.force_login(get_user_model().objects.create_user("eve"))
    assert "another" not in client.get("/").content.decode()


def test_home_and_collections_list_a_refused_collection_for_a_week(ada, data_dir):
    bad = SimpleUploadedFile("q.tsv", b"no tab\n")
    address = submitted(ada, queries=bad)
    work_off_everything()

    for page in ("/", "/collections/"):
        content = ada.get(page).content.decode()
        assert address in content
        assert "not created: its files have problems" in content
        assert 'class="state refused"' not in content
    NewCollection.objects.update(finished_at=clock.now() - timedelta(days=8))
    assert address not in ada.get("/").content.decode()


def test_a_refusal_is_no_longer_listed_once_the_collection_is_requested_again(ada, data_dir):
    address = submitted(ada, queries=SimpleUploadedFile("q.tsv", b"no tab\n"))
    work_off_everything()

    submitted(ada)
    work_off_everything()

    assert address not in ada.get("/").content.decode()


def test_a_refusal_can_be_dismissed_twice_and_only_by_who_started_it(ada, client, data_dir):
    address = submitted(ada, queries=SimpleUploadedFile("q.tsv", b"no tab\n"))
    work_off_everything()
    listed, page = ada.get("/").content.decode(), ada.get(address).content.decode()
    eve = get_user_model().objects.create_user("eve")

    again = f"{NEW}?again={NewCollection.objects.get().pk}"
    assert all(f'action="{address}drop"' in shown and again in shown for shown in (listed, page))
    client.force_login(eve)
    client.post(f"{address}drop")
    assert NewCollection.objects.exists()
    client.force_login(get_user_model().objects.get(username="ada"))
    for _ in range(2):
        assert client.post(f"{address}drop", follow=True).status_code == 200
        assert address not in client.get("/").content.decode()


def test_a_request_whose_check_failed_says_so(ada, data_dir):
    submitted(ada)
    Job.objects.update(state="failed", fault="software")

    assert "check failed" in ada.get("/").content.decode()


def test_the_page_of_a_new_collection_says_when_its_files_are_being_checked(ada, data_dir):
    address = submitted(ada)

    assert "waiting to be checked" in ada.get(address).content.decode()
    Job.objects.update(state="running", leased_until=clock.now() + timedelta(minutes=1))
    for page in (address, f"{address}progress"):
        assert "Its files are being checked." in ada.get(page).content.decode()


@pytest.mark.parametrize("sign_up", ["OPEN_SIGNUP", "OIDC_SIGNUP"])
def test_with_open_sign_up_only_owners_create_collections(ada, settings, sign_up):
    setattr(settings, sign_up, True)

    assert asked(ada).status_code == 403
    assert ada.post("/new-collection/sample").status_code == 403


def test_home_offers_a_new_collection_when_there_is_one(ada):
    make_collection("first", ["q1"], visibility="published")

    assert 'href="/new-collection/"' in ada.get("/").content.decode()


def test_an_empty_site_says_how_to_begin(ada):
    page = ada.get("/").content.decode()

    assert "New collection" in page
    assert "Load the sample" in page


def test_anybody_signed_in_can_load_the_sample(ada):
    ada.post("/new-collection/sample")
    work_off_everything()

    sample = Collection.objects.get(name="sample")
    assert sample.runs.count() == 10
    assert Membership.objects.get(collection=sample).user.username == "ada"
    assert "10" in ada.get("/").content.decode()
    both = ada.get("/collections/sample/two-runs/?query=q119").context["sides"]
    assert all(one.text for side in both for one in side["passages"])


def test_the_sample_with_judgments_is_offered_where_simulated_workers_are(ada, settings):
    settings.CROWD_ENDPOINT = settings.EMBEDDED_CROWD_ENDPOINT
    ada.post("/new-collection/sample", {"judged": "1"})
    assert Job.objects.get(kind="web.load_sample").arguments["judged"] is False  # it would count as spending
    Job.objects.all().delete()
    get_user_model().objects.update(is_superuser=True)
    assert "Load it with simulated judgments" in ada.get("/").content.decode()
    ada.post("/new-collection/sample", {"judged": "1"})
    assert Job.objects.get(kind="web.load_sample").arguments["judged"] is True

    settings.CROWD_ENDPOINT = "https://crowd.example"
    Job.objects.all().delete()
    assert "Load it with simulated judgments" not in ada.get("/").content.decode()
    ada.post("/new-collection/sample", {"judged": "1"})
    assert Job.objects.get(kind="web.load_sample").arguments["judged"] is False


def needs(client):
    return {(need.about, need.words): need.address for need in (client.get("/").context.get("needs") or ())}


def test_the_home_page_lists_items_that_need_attention(cast):
    campaign = cast.campaign
    Campaign.objects.filter(pk=campaign.pk).update(state="open", budget=Decimal("10.00"))
    other = Campaign.objects.create(name="autumn", collection=cast.collection, pool=cast.pool, seed=1)
    GoldPair.objects.create(
        campaign=other, query=cast.query("q1"), relevant=cast.passage("a"), off_topic=cast.passage("c3")
    )
    Appeal.objects.create(campaign=campaign, worker=Worker.objects.create(), refusal="excluded", words="why")
    stalled = {"spring": [{"what": "3 places waiting to be offered"}]}
    Job.objects.create(
        kind="judging.watchdog", key="w", state="done", result=stalled, finished_at=clock.now()
    )
    make_run(cast.collection, "late", {"q1": ["z"]})
    RunUpload.objects.update(state="checked", check_only=True)  # only a check was requested

    everything = {
        ("spring", "is stalled: 3 places waiting to be offered"): "/campaigns/spring/#live-needs",
        ("spring", "2 appeals to look at"): "/campaigns/spring/reports/",
        ("autumn", "1 gold pair to accept"): "/campaigns/autumn/prepare/gold/",
        ("harbour", "1 new run whose top passages may be unjudged"): ("/collections/harbour/runs/?show=new"),
    }
    assert needs(cast.clients["owner"]) == everything
    assert needs(cast.clients["administrator"]) == everything
    assert {words for _, words in needs(cast.clients["viewer"])} == {
        "is stalled: 3 places waiting to be offered",
        "1 new run whose top passages may be unjudged",
    }
    assert needs(cast.clients["stranger"]) == needs(cast.clients["nobody"]) == {}


def test_the_labels_of_a_new_collection_are_read_before_the_transaction(ada, monkeypatch):
    """On SQLite, nobody else can write during a transaction."""
    depth, read = [], trec.read_qrel_file

    def noting(*given, **named):
        depth.append(len(connection.savepoint_ids))
        return read(*given, **named)

    monkeypatch.setattr(trec, "read_qrel_file", noting)
    before = len(connection.savepoint_ids)

    asked(ada)

    assert depth == [before]
    assert QrelSet.objects.get().min_grade == 2
