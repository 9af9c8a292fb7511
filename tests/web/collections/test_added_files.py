"""Adding labels and passage files to an existing collection."""

import pytest
from django.contrib.auth import get_user_model
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection

from pooling.files import trec
from pooling.intake.added_files import add_waiting_files
from pooling.models import AddedFiles, CollectionChange, Membership, Passage, PassageSource, QrelSet
from pooling.passages import passages
from pooling.runs.candidate_sets import candidates_of
from tests.due_jobs import work_off_everything
from tests.factories import make_collection, make_run

pytestmark = pytest.mark.one_database

ADD = "/collections/mine/files/"
PASSAGES = b"a\tthe text of a\nb\tthe text of b\n"
QRELS = b"q1 0 a 2\nq2 0 c 1\n"


@pytest.fixture
def collection(db):
    made = make_collection("mine", ["q1", "q2"])
    make_run(made, "first", {"q1": ["b"]})
    Passage.objects.create(collection=made, pid="b")
    return made


@pytest.fixture
def ada(client, collection):
    ada = get_user_model().objects.create_user("ada")
    Membership.objects.create(collection=collection, user=ada, role="maintainer")
    client.force_login(ada)
    return client


def sent(client, **said):
    form = {
        what: SimpleUploadedFile(f"my {what}.tsv", said.pop(what))
        for what in ("passages", "qrels", "candidates")
        if what in said
    }
    reply = client.post(ADD, form | said)
    work_off_everything()
    return reply


def test_the_collections_queries_are_refused_as_passages(ada, collection):
    queries = "".join(f"{qid}\t{text}\n" for qid, text in collection.queries.values_list("qid", "text"))

    page = ada.get(sent(ada, passages=queries.encode())["Location"]).content.decode()

    assert "This looks like queries. Send the file that contains the passages." in page
    assert not PassageSource.objects.exists()
    assert AddedFiles.objects.get().problem_counts == {"file": 1}


def test_queries_are_added_as_passages_together_with_labels_of_them(ada, collection):
    Passage.objects.all().delete()
    queries = "".join(f"{qid}\t{text}\n" for qid, text in collection.queries.values_list("qid", "text"))

    sent(ada, passages=queries.encode(), qrels=b"q1 0 q2 1\n", set="duplicates")

    assert PassageSource.objects.exists()
    assert Passage.objects.get(pid="q2").text == collection.queries.get(qid="q2").text


def test_candidates_for_reranking_are_set_and_removed_on_the_page(ada, collection, data_dir):
    reply = sent(ada, candidates=b"q1 Q0 a 1 2 x\nq1 Q0 b 2 1 x\nq2 Q0 c 1 1 x\n")

    page = ada.get(reply["Location"]).content.decode()
    form = ada.get(ADD).content.decode()

    assert "3 passages for 2 queries, at most 2 each" in page
    assert "missing texts found" not in page
    assert "No passage file contains these" not in page
    assert "my candidates.tsv, 3 passages for 2 queries" in form
    assert candidates_of(collection).lines == 3
    assert "candidates for reranking set" in CollectionChange.objects.latest("pk").what

    asked = ada.post(f"{ADD}candidates/remove", follow=True).content.decode()
    assert "Nothing was removed. Tick the box" in asked
    removed = ada.post(f"{ADD}candidates/remove", {"sure": "1"}, follow=True).content.decode()

    assert candidates_of(collection) is None
    assert "The candidates for reranking were removed." in removed
    assert "Remove candidates" not in removed


def test_candidates_with_a_bad_line_are_refused_and_the_earlier_ones_stay(ada, collection, data_dir):
    sent(ada, candidates=b"q1 Q0 a 1 2 x\n")

    reply = sent(ada, candidates=b"q1 Q0 a 1 2 x\nq1 Q0 b 2 much x\n")

    wanted = AddedFiles.objects.latest("pk")
    assert wanted.state == AddedFiles.State.REFUSED
    assert [one["line"] for one in wanted.problems] == [2]
    assert "much" in ada.get(reply["Location"]).content.decode()
    assert candidates_of(collection).lines == 1


def test_labels_and_texts_are_added_and_missing_texts_found(ada, collection, data_dir):
    reply = sent(ada, passages=PASSAGES, qrels=QRELS, set="graded", min_grade="2")

    page = ada.get(reply["Location"]).content.decode()
    labels = QrelSet.objects.get(collection=collection)
    assert (labels.name, labels.kind, labels.min_grade) == ("graded", "graded", 2)
    assert dict(Passage.objects.values_list("pid", "text")) == {
        "a": "the text of a",
        "b": "the text of b",
        "c": None,
    }
    assert "2 labels of 2 queries, 1 relevant" in page
    assert "2 of 3 missing texts found" in page
    assert '1 passage is not in any passage file:</strong> <span class="mono">c</span>.' in page
    assert "graded" in ada.get("/collections/mine/").content.decode()
    said = CollectionChange.objects.values_list("what", "who")
    assert set(said) == {("labels graded added", "ada"), ("1 passage file added", "ada")}
    # The labels are in the database; passages are read from their files.
    assert [path.read_bytes() for path in (data_dir / "sources").rglob("*-*")] == [PASSAGES]


def test_many_passages_without_text_are_counted_and_the_first_named(ada, collection):
    labels = b"".join(b"q1 0 unknown%04d 1\n" % number for number in range(2000))
    reply = sent(ada, passages=PASSAGES, qrels=labels, set="wide")

    page = ada.get(reply["Location"]).content.decode()

    assert "2,000 passages are not in any passage file:" in page
    assert "unknown0004</span> and 1,995 more." in page
    assert "unknown0005" not in page


def test_every_problem_is_named_and_nothing_is_added(ada, data_dir):
    reply = sent(ada, passages=PASSAGES, qrels=b"q1 0 a one\nq9 0 a 1\nq1 0 a\n", set="graded")

    page = ada.get(reply["Location"]).content.decode()
    listed = [(one["file"], one["line"]) for one in AddedFiles.objects.get().problems]
    assert listed == [("my qrels.tsv", 1), ("my qrels.tsv", 2), ("my qrels.tsv", 3)]
    assert "Nothing was added" in page
    assert str(data_dir) not in page
    assert not QrelSet.objects.exists()
    assert not PassageSource.objects.exists()
    assert list((data_dir / "sources").iterdir()) == []


def test_lines_of_unknown_queries_are_left_out_when_asked(ada):
    reply = sent(ada, qrels=b"q1 0 a 1\nq9 0 a 1\n", set="official", skip_unknown="on")

    assert "1 unknown query" in ada.get(reply["Location"]).content.decode()


def test_the_same_passage_file_again_is_refused_by_its_name(ada, data_dir):
    sent(ada, passages=PASSAGES)
    reply = sent(ada, passages=PASSAGES)

    page = ada.get(reply["Location"]).content.decode()
    assert "my passages.tsv has the same content as a passage file" in page
    assert str(data_dir) not in page
    assert PassageSource.objects.count() == 1


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({}, "Choose at least one file."),
        ({"qrels": QRELS}, "Enter a name for the labels"),
        ({"qrels": QRELS, "set": "no blanks"}, "Use only letters, digits"),
        ({"qrels": QRELS, "set": "there"}, "already has a qrel set"),
    ],
)
def test_problems_known_at_once_are_reported_at_once(ada, collection, said, words):
    QrelSet.objects.create(collection=collection, name="there", kind="official")

    reply = sent(ada, **said)

    assert reply.status_code == 422
    assert words in reply.content.decode()
    assert not AddedFiles.objects.exists()


def test_missing_texts_are_searched_in_registered_files(ada, collection):
    assert ada.post(f"{ADD}texts")["Location"] == ADD  # there is no file to search
    sent(ada, passages=PASSAGES)
    Passage.objects.create(collection=collection, pid="a")

    page = ada.get(ADD).content.decode()
    where = ada.post(f"{ADD}texts")["Location"]
    work_off_everything()

    assert "1 passage has no text yet" in page
    assert "1 of 1 missing texts found" in ada.get(where).content.decode()


def test_texts_of_the_first_ten_passages_of_runs_are_fetched_without_a_pool(ada, collection, data_dir):
    pids = [f"p{rank}" for rank in range(1, 13)]
    make_run(collection, "second", {"q1": pids, "q2": ["p1"]})
    two, query = "/collections/mine/two-runs/", collection.queries.get(qid="q1")
    pages = [f"{two}?a=first&b=second&query=q1", f"/collections/mine/queries/{query.pk}/"]
    texts = "".join(f"{pid}\ttext of {pid}\n" for pid in ["b", *pids]).encode()
    sent(ada, passages=texts, qrels=b"q1 0 b 1\n", set="official")
    before = [ada.get(page).content.decode() for page in pages]
    assert "Fetch missing texts" in ada.get(ADD).content.decode()

    back = f'<input type="hidden" name="next" value="{pages[0].replace("&", "&amp;")}">'
    assert back in before[0]
    where = ada.post(f"{ADD}texts", {"next": pages[0]})["Location"]
    waiting = ada.get(where).content.decode()
    work_off_everything()

    assert all('href="#missing-texts">Text not fetched yet' in page for page in before)
    assert all(f'action="{ADD}texts"' in page for page in before)
    assert "Missing texts are looked up in the collection’s passage files" in waiting
    texts = dict(collection.passages.values_list("pid", "text"))
    assert texts == {"b": "text of b"} | {pid: f"text of {pid}" for pid in pids[:10]}
    page = ada.get(where).content.decode()
    assert "<h1>Missing texts" in page
    assert "10 of 10 missing texts found" in page
    assert f'href="{pages[0].replace("&", "&amp;")}">Back to the texts</a>' in page
    foreign = ada.get(f"{where.partition('?')[0]}?next=https://example.org/").content.decode()
    assert "Back to the texts" not in foreign
    assert not any("not fetched yet" in ada.get(address).content.decode() for address in pages)


def test_only_people_who_can_add_files_are_offered_to_fetch_texts(client, collection):
    collection.visibility = "published"
    collection.save()
    query = collection.queries.get(qid="q1")

    page = client.get(f"/collections/mine/queries/{query.pk}/").content.decode()

    assert "No text yet." in page
    assert "missing-texts" not in page


def test_a_job_that_runs_twice_adds_once(ada, collection):
    sent(ada, passages=PASSAGES, qrels=QRELS, set="graded")
    before = AddedFiles.objects.get()

    again = add_waiting_files(before)

    assert again.state == "added"
    assert QrelSet.objects.count() == CollectionChange.objects.count() - 1 == 1


def test_files_are_read_once_and_before_the_transaction(ada, collection, monkeypatch):
    """On SQLite, nobody else can write during a transaction."""
    depth = []

    def noting(read):
        def noted(*given, **named):
            depth.append((read.__name__, len(connection.savepoint_ids)))
            return read(*given, **named)

        return noted

    monkeypatch.setattr(passages, "read_passages", noting(passages.read_passages))
    monkeypatch.setattr(trec, "read_qrel_file", noting(trec.read_qrel_file))
    monkeypatch.setattr(trec, "read_run_file", noting(trec.read_run_file))
    Passage.objects.create(collection=collection, pid="a")
    before = len(connection.savepoint_ids)

    sent(ada, passages=PASSAGES, qrels=QRELS, candidates=b"q1 Q0 a 1 2 x\n", set="graded")

    readers = ("read_qrel_file", "read_run_file", "read_passages")
    assert depth == [(reader, before) for reader in readers]
    assert list(collection.passages.filter(text=None).values_list("pid", flat=True)) == ["c"]
