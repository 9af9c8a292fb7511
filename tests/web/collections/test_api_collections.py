"""Creating collections and adding labels and passages over the API: announcing, sending in parts, refusals."""

from datetime import timedelta
from pathlib import Path

import pytest

from config import clock
from pooling.jobs import forget_uploads
from pooling.models import AddedFiles, Collection, Membership, NewCollection, QrelSet
from tests.due_jobs import work_off_everything
from tests.web.api_caller import api as api, problem

pytestmark = pytest.mark.one_database

FILES = {
    "queries": b"q1\twhat is one\nq2\twhat is two\n",
    "passages": b"a\tthe text of a\nb\tthe text of b\n",
    "qrels": b"q1 0 a 2\nq2 0 b 1\n",
}


def promised(files):
    return [
        {"what": what, "file_name": f"{what}.tsv", "size_bytes": len(content)}
        for what, content in files.items()
    ]


def announce(api, files=FILES, key="mine-1", **said):
    asked = {"name": "mine", "title": "Mine", "min_grade": 2, "files": promised(files)} | said
    return api.post("/collections", asked, **{"Idempotency-Key": key})


def send(api, where, number, content, offset=0):
    return api.client.patch(
        f"{where}{number}",
        content,
        content_type="application/octet-stream",
        headers=api.headers | {"Upload-Offset": str(offset)},
    )


def send_all(api, begun, files=FILES):
    for number, content in enumerate(files.values(), 1):
        last = send(api, f"{begun['Location']}/files/", number, content)
        assert last.status_code == 200, last.content
    return last


def test_a_collection_is_created_from_files_in_parts_and_belongs_to_its_creator(api, data_dir):
    begun = announce(api)
    where = begun["Location"]
    first = send(api, f"{where}/files/", 1, FILES["queries"][:5])
    wrong = send(api, f"{where}/files/", 1, FILES["queries"][5:], 9)
    again = announce(api)
    send(api, f"{where}/files/", 1, FILES["queries"][5:], 5)
    send(api, f"{where}/files/", 2, FILES["passages"])
    last = send(api, f"{where}/files/", 3, FILES["qrels"])
    work_off_everything()

    assert (begun.status_code, begun.json()["state"]) == (201, "receiving")
    assert first["Upload-Offset"] == "5"
    problem(wrong, 409)
    assert wrong["Upload-Offset"] == "5"
    assert (again.status_code, again["Location"]) == (200, where)
    assert again.json()["files"][0]["received_bytes"] == 5
    assert last.json()["state"] == "waiting"
    assert api.client.get(where, headers=api.headers).json()["state"] == "made"
    made = Collection.objects.get(name="mine")
    assert (made.title, made.visibility, made.queries.count()) == ("Mine", "private", 2)
    assert Membership.objects.get(collection=made).user == api.user
    assert QrelSet.objects.get(collection=made).min_grade == 2
    assert announce(api).json()["state"] == "made"
    assert list((data_dir / "incoming").iterdir()) == []


def test_license_and_citation_are_sent_with_the_files(api, data_dir):
    begun = announce(api, license="CC BY 4.0", citation="Ada, 2026")
    send_all(api, begun)
    work_off_everything()

    made = Collection.objects.get(name="mine")
    assert (made.license, made.citation) == ("CC BY 4.0", "Ada, 2026")
    problem(announce(api, license="another", citation="Ada, 2026"), 409)


def test_every_problem_is_named_and_nothing_is_created(api, data_dir):
    files = FILES | {"queries": b"q1\twhat\nq1\tagain\nno tab\n"}
    begun = announce(api, files)
    send_all(api, begun, files)
    work_off_everything()

    told = api.client.get(begun["Location"], headers=api.headers).json()
    assert told["state"] == "refused"
    assert [(one["file"], one["line"]) for one in told["problems"]] == [
        ("queries.tsv", 2),
        ("queries.tsv", 3),
    ]
    assert str(data_dir) not in str(told)
    assert not Collection.objects.filter(name="mine").exists()


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ({"name": "harbour"}, 409),
        ({"name": "no blanks"}, 422),
        ({"files": {"qrels": b"q1 0 a 1"}}, 422),
        ({"files": {}}, 422),
        ({"files": {"queries": b""}}, 422),
        ({"on_server": ["../etc/passwd"]}, 404),
    ],
)
def test_problems_known_at_once_are_reported_at_once(api, said, status):
    files = said.pop("files", FILES)

    problem(announce(api, files, **said), status)
    assert not NewCollection.objects.exists()


@pytest.mark.parametrize("name", ["../x", "a/b", ""])
def test_names_with_folders_are_refused(api, name):
    files = [{"what": "queries", "file_name": name, "size_bytes": 5}]

    asked = {"name": "mine", "files": files}
    said = problem(api.post("/collections", asked, **{"Idempotency-Key": "k"}), 400)

    assert "file name" in said["detail"]
    assert not NewCollection.objects.exists()


def test_a_key_stands_for_one_announcement(api):
    announce(api)

    problem(announce(api, title="Other"), 409)
    problem(announce(api, FILES | {"qrels": b"q1 0 a 1\n"}), 409)
    assert announce(api, key="mine-2", name="other").status_code == 201


def test_oversized_unknown_and_existing_files_are_refused(api):
    where = f"{announce(api)['Location']}/files/"
    problem(send(api, where, 1, FILES["queries"] + b"more"), 400)
    problem(send(api, where, 9, b"x"), 404)
    send(api, where, 1, FILES["queries"])

    assert "whole file" in problem(send(api, where, 1, b"x", len(FILES["queries"])), 409)["detail"]


def test_an_announcement_is_deleted_by_its_creator_or_when_it_expires(api, data_dir):
    where = announce(api)["Location"]
    assert api.client.delete(where, headers=api.headers).status_code == 204
    announce(api, key="again")
    api.post("/collections/harbour/files", added(), **{"Idempotency-Key": "f"})
    NewCollection.objects.update(created_at=clock.now() - timedelta(days=4))
    AddedFiles.objects.update(created_at=clock.now() - timedelta(days=4))

    assert forget_uploads() == {"dropped": 2}
    assert not NewCollection.objects.exists()
    assert list((data_dir / "sources").iterdir()) == []


def test_nobody_sees_or_continues_somebody_elses_announcement(api, django_user_model):
    where = announce(api)["Location"]
    assert api.client.get(where, headers=api.headers).status_code == 200
    NewCollection.objects.update(user=django_user_model.objects.create_user("otto"))
    before = NewCollection.objects.values().get()

    problem(send(api, f"{where}/files/", 1, FILES["queries"]), 404)
    problem(api.client.get(where, headers=api.headers), 404)
    problem(api.client.get(where), 404)
    assert NewCollection.objects.values().get() == before


def added(content=b"q1 0 a 1\nq2 0 fresh 1\n", **said):
    return {"set": "more", "files": promised({"qrels": content, "passages": b"fresh\tits text\n"})} | said


def test_labels_and_passages_are_added(api, published):
    begun = api.post("/collections/harbour/files", added(), **{"Idempotency-Key": "f"})
    where = begun["Location"]
    send(api, f"{where}/", 1, b"q1 0 a 1\nq2 0 fresh 1\n")
    send(api, f"{where}/", 2, b"fresh\tits text\n")
    work_off_everything()

    told = api.client.get(where, headers=api.headers).json()
    assert (begun.status_code, told["state"], told["problems"]) == (201, "added", [])
    assert (told["outcome"]["set"], told["outcome"]["labels"]) == ("more", 2)
    assert published.collection.passages.get(pid="fresh").text == "its text"
    source = published.collection.sources.order_by("-pk").first()
    assert Path(source.path).read_bytes() == b"fresh\tits text\n"


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ({"set": "official"}, 409),
        ({"set": ""}, 422),
        ({"files": promised({"queries": b"x"})}, 422),
    ],
)
def test_invalid_additions_are_refused_at_once(api, said, status):
    problem(api.post("/collections/harbour/files", added(**said), **{"Idempotency-Key": "f"}), status)
    assert not AddedFiles.objects.exists()
