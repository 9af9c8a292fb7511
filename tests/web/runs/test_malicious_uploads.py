"""Malicious uploads: bombs, endless lines, paths in names, bytes that are not text, scripts, formulas."""

import csv
import gzip
import io
import resource
import zipfile

import pytest
import zstandard
from django.contrib.auth import get_user_model
from django.core.files.uploadedfile import SimpleUploadedFile

from pooling.intake.new_collections import ask_for_collection, make_requested_collection
from pooling.intake.run_transfers import receive
from pooling.intake.sent_files import PASSAGES, QUERIES, SentFile
from pooling.intake.upload_imports import check_upload
from pooling.models import Passage, Query, Run, RunUpload
from pooling.storage import decompressed_size
from tests.due_jobs import work_off_everything
from tests.factories import make_run
from tests.web.conftest import SCRIPT

pytestmark = pytest.mark.one_database

GIGABYTE = 1 << 30
MEBIBYTE = 1 << 20
LINE = b"q1 Q0 a 1 1.0 bomb\n"


class Endless(io.RawIOBase):
    """A stream of this many bytes, generated on the fly."""

    def __init__(self, length: int, piece: bytes) -> None:
        self.left, self.piece = length, piece

    def read(self, size=-1):
        size = min(self.left, size)
        self.left -= size
        return (self.piece * (size // len(self.piece) + 1))[:size]


def checked(cast, content: bytes | None = None, *, stream=None, length=0, file_name="run.txt", **options):
    """Return the upload after its check."""
    upload, _ = receive(
        collection=cast.collection,
        user=get_user_model().objects.get(username="maintainer"),
        key=f"k{RunUpload.objects.count()}",
        stream=stream or io.BytesIO(content),
        length=length or len(content),
        file_name=file_name,
        options=options,
    )
    return check_upload(upload)


def memory() -> int:
    """Return this process's peak memory in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def reasons(upload):
    assert upload.state == "refused"
    assert Run.objects.filter(run_tag__in=["bomb", "run"]).count() == 0
    return " ".join(one["reason"] for one in upload.problems)


@pytest.mark.soak
def test_a_line_of_a_gigabyte_is_refused_within_bounds(cast):
    before = memory()

    upload = checked(cast, stream=Endless(GIGABYTE, b"a" * MEBIBYTE), length=GIGABYTE)

    assert "the line is longer than 64 MiB" in reasons(upload)
    assert memory() - before < 500 * MEBIBYTE


def gzip_bomb() -> bytes:
    """Return a repeated member with 16 MiB of lines: a gigabyte in one MB."""
    return gzip.compress(LINE * (16 * MEBIBYTE // len(LINE))) * 64


def zstd_bomb() -> bytes:
    return zstandard.compress(LINE * (16 * MEBIBYTE // len(LINE))) * 64


@pytest.mark.soak
@pytest.mark.parametrize("bomb", [gzip_bomb, zstd_bomb])
def test_a_small_file_does_not_grow_without_bounds(cast, monkeypatch, bomb):
    monkeypatch.setattr(decompressed_size, "ALWAYS_ALLOWED", 32 * MEBIBYTE)
    monkeypatch.setattr(decompressed_size, "MOST_GROWTH", 20)
    before = memory()

    upload = checked(cast, bomb())

    assert "when decompressed" in reasons(upload)
    assert memory() - before < 800 * MEBIBYTE


@pytest.mark.parametrize("what", [QUERIES, PASSAGES])
def test_files_of_a_new_collection_do_not_grow_without_bounds(cast, monkeypatch, what):
    monkeypatch.setattr(decompressed_size, "ALWAYS_ALLOWED", MEBIBYTE)
    monkeypatch.setattr(decompressed_size, "MOST_GROWTH", 20)
    lines = {QUERIES: b"1\twhich city\n", PASSAGES: b"a\tthe town\n"}
    lines[what] = gzip.compress(lines[what] + b"2\t" + b"x" * (2 * MEBIBYTE) + b"\n")
    sent = [SentFile(name, f"{name}.tsv", io.BytesIO(content)) for name, content in lines.items()]

    wanted = make_requested_collection(
        ask_for_collection(user=cast.member.user, name="grown", details={}, sent=sent)
    )

    assert wanted.state == "refused"
    [problem] = wanted.problems
    assert problem["file"] == f"{what}.tsv"
    assert "when decompressed" in problem["reason"]


def test_real_runs_are_not_mistaken_for_bombs():
    assert decompressed_size.most_bytes(1) == 256 * MEBIBYTE
    assert decompressed_size.most_bytes(10 * MEBIBYTE) == 2000 * MEBIBYTE


def test_archives_are_refused_unopened(cast):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../run.txt", b"0" * (8 * MEBIBYTE))

    assert "is a zip archive" in reasons(checked(cast, packed.getvalue(), file_name="run.zip"))


@pytest.mark.parametrize("name", ["../../etc/passwd", "..\\..\\boot.ini", "/etc/cron.d/x", "a/b.txt"])
def test_a_path_in_a_name_leads_nowhere(cast, data_dir, name):
    client = cast.clients["maintainer"]
    before = {path for path in data_dir.rglob("*") if path.is_file()}

    plain = client.post(
        "/collections/harbour/runs/send/",
        {"release": "private", "check_only": "1", "run_files": [SimpleUploadedFile(name, LINE)]},
    )
    announced = client.post(
        "/collections/harbour/uploads/begin", {"file_name": name, "size_bytes": "9", "release": "private"}
    )
    work_off_everything()

    assert plain.status_code == 302  # browsers send no folders; other names are cut to the last part
    assert announced.status_code == 422
    [upload] = RunUpload.objects.filter(check_only=True)
    assert not set(upload.file_name) & {"/", "\\"}
    fresh = {path for path in data_dir.rglob("*") if path.is_file()} - before
    assert all(path.is_relative_to(data_dir / "runs" / "uploads") for path in fresh)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"q1 Q0 a\x00b 1 1.0 run\n", "NUL"),
        (b"q1 Q0 \xc3\x28 1 1.0 run\n", "not UTF-8"),
        (b"\xff\xfeq\x001\x00", "is UTF-16, not UTF-8"),
        (b"\x00" * 1000, "not text"),
        (b"q1 Q0 a 1 1.0\x001 run\n", "NUL"),
        (b"q1 Q0 a 1e999 " + b"9" * 100_000 + b" run\n", "not an integer"),
    ],
)
def test_bytes_that_are_not_text_are_named(cast, content, reason):
    assert reason in reasons(checked(cast, content))


@pytest.mark.parametrize("number", ["²", "-1", "1e9", "9" * 40, ""])
def test_invalid_numbers_are_refused(cast, number):
    client = cast.clients["owner"]
    about = {"file_name": "x", "release": "private", "key": "a\0b"}

    announced = client.post("/collections/harbour/uploads/begin", about | {"size_bytes": number})
    part = client.generic(
        "POST", f"/collections/harbour/uploads/{cast.sent.pk}/part", b"x", headers={"Upload-Offset": number}
    )

    assert (announced.status_code, part.status_code) == (422, 400)
    assert client.post("/collections/harbour/uploads/begin", about | {"size_bytes": "9"}).status_code == 201


def test_names_without_folders_may_be_odd_and_are_shown_as_they_are(cast):
    client = cast.clients["maintainer"]
    name = f"{SCRIPT.replace('/', '')}.txt"

    upload = checked(cast, f"q1 Q0 {SCRIPT} x 1.0 {SCRIPT}\n".encode(), file_name=name)
    page = client.get(f"/collections/harbour/uploads/{upload.pk}/").content.decode()

    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page


def test_scripts_in_tags_descriptions_queries_and_passages_are_shown_as_text(cast):
    Query.objects.filter(qid="q1").update(text=SCRIPT)
    Passage.objects.filter(pid="b").update(text=SCRIPT)
    said = {
        "team": SCRIPT,
        "description": SCRIPT,
        "details": {"family": SCRIPT, "external": SCRIPT},
        "paper": f"javascript:{SCRIPT}",
        "code": SCRIPT,
    }
    run = make_run(
        cast.collection,
        SCRIPT,
        {"q1": [SCRIPT]},
        report={"warnings": [SCRIPT], "queries": 1, "depth": 1},
        **said,
    )
    client = cast.clients["owner"]
    pages = [
        "/",
        "/collections/harbour/",
        "/collections/harbour/runs/",
        f"/collections/harbour/runs/{run.pk}/",
        f"/collections/harbour/runs/{run.pk}/describe/",
        f"/collections/harbour/runs/{run.pk}/release/?release=scores",
        f"/collections/harbour/runs/{run.pk}/withdraw/",
        "/collections/harbour/leaderboard/",
        "/collections/harbour/versions/1/",
        f"/collections/harbour/versions/1/queries/{cast.query('q1').pk}/",
    ]

    for address in pages:
        reply = client.get(address)
        page = reply.content.decode()
        assert reply.status_code == 200, address
        assert "<script>alert" not in page, address
        assert 'href="javascript:' not in page, address
        assert "script-src 'self'" in reply["Content-Security-Policy"]


def test_formulas_in_tags_are_escaped_in_tables(cast):
    for formula in ("=cmd|'/C_calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\t=1"):
        make_run(cast.collection, formula, {"q1": ["b"]})

    reply = cast.clients["owner"].get("/collections/harbour/leaderboard.csv")

    cells = [cell for row in csv.reader(io.StringIO(reply.content.decode())) for cell in row]
    assert any("cmd" in cell for cell in cells)
    assert not [cell for cell in cells if cell.strip()[:1] in "=+@" and cell.strip()]
    assert not [cell for cell in cells if cell.startswith("-") and not _is_number(cell)]


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_a_form_from_a_stranger_brings_no_file_to_the_disk(cast, data_dir):
    reply = cast.clients["nobody"].post(
        "/accounts/login/", {"login": "x", "file": SimpleUploadedFile("x", b"y" * 99)}
    )

    assert reply.status_code == 403
    assert not (data_dir / "incoming").exists()


def test_a_file_beyond_the_limit_stops_while_it_comes(cast, settings, data_dir):
    settings.MAX_UPLOAD_BYTES = 1000

    reply = cast.clients["owner"].post(
        "/collections/harbour/runs/send/", {"run_files": [SimpleUploadedFile("x", b"y" * 5000)]}
    )

    assert reply.status_code == 400
    assert "larger than" in reply.content.decode()
    assert not list((data_dir / "incoming").iterdir())
