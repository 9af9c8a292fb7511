"""Runs on S3: a real server over HTTP, local copies, and the errors while the server is down."""

import json
import os
import shutil
import subprocess
import sys
import uuid
from pathlib import Path

import numpy as np
import pytest
from django.core.files.storage import storages
from django.core.management import call_command

from config import clock
from config.background import job_kinds, services
from pooling.errors import BucketAway, BucketRefused, NoRoom, NotFound
from pooling.files.ranking import ROWS_A_GROUP, Ranking, beginning
from pooling.models import Run
from pooling.pools import pools
from pooling.runs import runs
from pooling.storage import ranking_copies, ranking_files
from tests.pooling.conftest import RUN_A, RUN_B
from tests.s3_server import KEYS, S3Server, free_port, stored_on

ROOT = Path(__file__).resolve().parents[3]
QUERIES_LONG, DEPTH_LONG = 700, 400


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    made = S3Server(tmp_path_factory.mktemp("s3"))
    yield made
    made.close()


@pytest.fixture
def start_server(tmp_path):
    """Start a server for one test."""
    started = []

    def start(port=None):
        started.append(S3Server(tmp_path, port))
        return started[-1]

    yield start
    for server in started:
        server.close()


@pytest.fixture(autouse=True)
def keys(monkeypatch):
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def bucket(server, settings):
    name = server.make(f"runs-{uuid.uuid4().hex}")
    stored_on(settings, server.url, name, "here")
    return name


@pytest.fixture
def away(settings):
    """Point run storage to an address where no server listens."""
    stored_on(settings, f"http://127.0.0.1:{free_port()}", "anything")


def long_ranking(spelled: bool = False) -> Ranking:
    """Return a ranking longer than one row group."""
    import polars as pl

    lengths = np.full(QUERIES_LONG, DEPTH_LONG, np.int64)
    passages = np.arange(QUERIES_LONG * DEPTH_LONG, dtype=np.int32) * 7919 % 100_003
    scores = np.linspace(1, 0, len(passages), dtype=np.float32)
    qids = tuple(f"q{number}" for number in range(QUERIES_LONG))
    pids = pl.Series("pid", [f"p{number}" for number in range(100_003)]) if spelled else None
    return Ranking(qids, lengths, DEPTH_LONG, passages, scores, pids)


def run_named(name: str) -> Run:
    return Run(run_tag="long", storage_name=name)


def copies() -> set[str]:
    folder = ranking_copies.folder()
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_runs_are_imported_pooled_and_scored_from_the_bucket(
    server, bucket, collection, write, data_dir, capsys
):
    paths = [write("a.run", RUN_A), write("b.run", RUN_B)]

    done = runs.import_runs(collection=collection, paths=paths)
    pool = pools.build_pool(collection=collection, name="tops", runs=list(done.runs))
    call_command("score", collection.name, "--qrels", "official", "--measures", "RR@10", "--json")

    assert done.refused == ()
    assert sorted(server.keys(bucket)) == sorted(f"here/{run.storage_name}" for run in done.runs)
    assert not (data_dir / "runs").exists()
    pooled = pool.pooled_passages.values_list("query__qid", "passage__pid")
    assert set(pooled) == {("1", "p1"), ("1", "p2"), ("2", "p3"), ("3", "p5")}
    means = {row["run"]: row["value"] for row in json.loads(capsys.readouterr().out)["rows"]}
    assert means["A"] == 0.5


@pytest.mark.parametrize("spelled", [False, True])
def test_the_beginning_is_the_whole_cut_short(bucket, spelled):
    whole = long_ranking(spelled)
    ranking_files.put_ranking("1/long.parquet", whole)

    top = ranking_files.ranking_of(run_named("1/long.parquet"), 10)
    everything = ranking_files.ranking_of(run_named("1/long.parquet"))

    assert top.frame().equals(whole.top(10).frame())
    assert everything.frame().equals(whole.frame())


def test_the_top_is_read_without_the_whole_and_then_without_the_server(server, bucket):
    ranking_files.put_ranking("1/long.parquet", long_ranking())

    ranking_files.ranking_of(run_named("1/long.parquet"), 10)
    asked = len(server.requests())
    ranking_files.ranking_of(run_named("1/long.parquet"), 10)

    assert copies() == {"1/long.top.parquet"}
    assert server.requests()[-1] == f"GET /{bucket}/here/1/long.top.parquet"
    assert len(server.requests()) == asked


def test_more_ranks_than_the_beginning_holds_come_from_the_whole(bucket):
    whole = long_ranking()
    ranking_files.put_ranking("1/long.parquet", whole)
    top = beginning(whole)
    held = top.depth

    assert held * QUERIES_LONG <= ROWS_A_GROUP < (held + 1) * QUERIES_LONG
    assert ranking_files.ranking_of(run_named("1/long.parquet"), held).depth == held
    assert copies() == {"1/long.top.parquet"}
    assert ranking_files.ranking_of(run_named("1/long.parquet"), held + 1).depth == held + 1
    assert copies() == {"1/long.top.parquet", "1/long.parquet"}


def test_a_run_stored_without_its_beginning_reads_all_the_same(server, bucket):
    ranking_files.put_ranking("1/long.parquet", long_ranking())
    server.client.delete_object(Bucket=bucket, Key="here/1/long.top.parquet")

    assert ranking_files.ranking_of(run_named("1/long.parquet"), 10).depth == 10


def test_storing_twice_sends_nothing_again(server, bucket):
    ranking_files.put_ranking("1/long.parquet", long_ranking())
    asked = len(server.requests())

    ranking_files.put_ranking("1/long.parquet", long_ranking())

    assert server.requests()[asked:] == [f"HEAD /{bucket}/here/1/long.parquet"]


@pytest.mark.parametrize("harm", ["folder removed", "copy damaged", "copy emptied"])
def test_copies_that_are_lost_or_damaged_are_fetched_again(bucket, harm):
    whole = long_ranking()
    ranking_files.put_ranking("1/long.parquet", whole)
    ranking_files.ranking_of(run_named("1/long.parquet"))
    copy = ranking_copies.folder() / "1" / "long.parquet"
    match harm:
        case "folder removed":
            shutil.rmtree(ranking_copies.folder())
        case "copy damaged":
            copy.write_bytes(copy.read_bytes()[:1000])
        case "copy emptied":
            copy.write_bytes(b"")

    again = ranking_files.ranking_of(run_named("1/long.parquet"))

    assert again.frame().equals(whole.frame())
    assert ranking_copies.read_kept("1/long.parquet", lambda path: path.stat().st_size) > 100_000


def test_copies_used_longest_ago_make_room(bucket, settings):
    for name in ("a", "b", "c"):
        ranking_files.put_ranking(f"1/{name}.parquet", long_ranking())
    for name, used in (("a", 2_000_000_000), ("b", 1_000_000_000)):
        ranking_files.ranking_of(run_named(f"1/{name}.parquet"))
        os.utime(ranking_copies.folder() / "1" / f"{name}.parquet", (used, used))
    size = (ranking_copies.folder() / "1" / "a.parquet").stat().st_size
    settings.S3_CACHE_BYTES = 2 * size + 10

    ranking_files.ranking_of(run_named("1/c.parquet"))

    assert copies() == {"1/a.parquet", "1/c.parquet"}


def test_without_a_cache_nothing_is_kept(bucket, settings):
    settings.S3_CACHE_BYTES = 0
    ranking_files.put_ranking("1/long.parquet", long_ranking())

    assert ranking_files.ranking_of(run_named("1/long.parquet"), 10).depth == 10
    assert copies() == set()


def test_a_disk_that_takes_no_copy_is_named(bucket, data_dir):
    ranking_files.put_ranking("1/long.parquet", long_ranking())
    (data_dir / "cache").write_text("a file where a folder should be")

    with pytest.raises(NoRoom, match="PREFEREE_S3_CACHE_BYTES"):
        ranking_files.ranking_of(run_named("1/long.parquet"))


def test_a_run_missing_in_the_bucket_is_reported(bucket):
    with pytest.raises(NotFound, match="stored ranking of run long is missing"):
        ranking_files.ranking_of(run_named("1/never.parquet"), 10)


READER = """
import sys, django
django.setup()
from pooling.models import Run
from pooling.storage import ranking_files
print("ready", flush=True)
sys.stdin.readline()
run = Run(run_tag="long", storage_name="1/long.parquet")
for turn in range(15):
    for depth in (10, None):
        print(int(ranking_files.ranking_of(run, depth).passages.astype("int64").sum()), depth, flush=True)
"""


def test_processes_read_at_once_while_copies_are_cleared_away(server, bucket, data_dir):
    whole = long_ranking()
    ranking_files.put_ranking("1/long.parquet", whole)
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PREFEREE_DATA_DIR": str(data_dir),
        "PREFEREE_S3_BUCKET": bucket,
        "PREFEREE_S3_PREFIX": "here",
        "PREFEREE_S3_ENDPOINT": server.url,
        "PREFEREE_S3_REGION": "us-east-1",
        "PREFEREE_S3_CACHE_BYTES": "100000",
    }
    readers = [
        subprocess.Popen(
            [sys.executable, "-c", READER],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for reader in readers:
        assert reader.stdout.readline() == "ready\n"
    for reader in readers:
        reader.stdin.write("go\n")
        reader.stdin.flush()

    # At every other turn of the first one, the whole folder is deleted.
    for line in range(30):
        assert readers[0].stdout.readline()
        if line % 3 == 0:
            shutil.rmtree(ranking_copies.folder(), ignore_errors=True)
    ends = [reader.communicate(timeout=120) for reader in readers]

    expected = [
        str(int(whole.passages.sum(dtype=np.int64))),
        str(int(whole.top(10).passages.sum(dtype=np.int64))),
    ]
    for reader, (out, err) in zip(readers, ends, strict=True):
        assert reader.returncode == 0, err
        assert {line.split()[0] for line in out.splitlines()} <= set(expected)
    assert len(ends[1][0].splitlines()) == 30
    assert list(data_dir.glob(".arriving-*")) == []


def test_a_server_that_is_away_is_named_with_its_setting(away):
    with pytest.raises(BucketAway, match="PREFEREE_S3_ENDPOINT"):
        ranking_files.ranking_of(run_named("1/long.parquet"), 10)


def test_a_command_ends_with_status_1_and_says_what_to_do(away, collection, write, capsys):
    paths = [write("a.run", RUN_A), write("b.run", RUN_B)]

    with pytest.raises(SystemExit) as ended:
        call_command("import_runs", collection.name, *map(str, paths))

    said = capsys.readouterr().err
    assert ended.value.code == 1
    assert "a.run" in said
    assert "PREFEREE_S3_ENDPOINT" in said
    assert "b.run: not tried" in said
    assert not Run.objects.exists()


@pytest.mark.django_db
def test_a_job_tries_later_and_goes_on_when_the_server_is_back(settings, start_server, monkeypatch):
    port = free_port()
    stored_on(settings, f"http://127.0.0.1:{port}", "late")

    def read(progress):
        return {"depth": ranking_files.ranking_of(run_named("1/long.parquet"), 10).depth}

    monkeypatch.setitem(job_kinds._kinds, "test.read", job_kinds.JobKind("test.read", read, 1))
    job = services.start("test.read")
    services.run_job(job.pk)
    job.refresh_from_db()
    waiting = (job.state, job.attempts)
    said = job.next_step

    start_server(port).make("late")
    ranking_files.put_ranking("1/long.parquet", long_ranking())
    with clock.shifted(job.run_after - clock.now()):
        services.run_job(job.pk)

    job.refresh_from_db()
    assert waiting == ("waiting", 0)
    assert "PREFEREE_S3_ENDPOINT" in said
    assert (job.state, job.result) == ("done", {"depth": 10})


def test_local_copies_are_read_while_the_server_is_down(settings, start_server):
    server = start_server()
    stored_on(settings, server.url, server.make("short"))
    ranking_files.put_ranking("1/long.parquet", long_ranking())
    ranking_files.ranking_of(run_named("1/long.parquet"), 10)

    server.close()

    assert ranking_files.ranking_of(run_named("1/long.parquet"), 10).depth == 10
    with pytest.raises(BucketAway):
        ranking_files.ranking_of(run_named("1/long.parquet"))


def test_a_bucket_that_is_not_there_is_named_with_its_setting(server, settings):
    stored_on(settings, server.url, "no-such-bucket")

    for act in (
        lambda: ranking_files.put_ranking("1/long.parquet", long_ranking()),
        lambda: ranking_files.ranking_of(run_named("1/long.parquet"), 10),
    ):
        with pytest.raises(BucketRefused, match=r"no-such-bucket.*PREFEREE_S3_BUCKET"):
            act()


def test_without_keys_it_says_which_variables_to_set(server, bucket, settings, monkeypatch, tmp_path):
    for name in KEYS:
        monkeypatch.delenv(name)
    nothing = str(tmp_path / "nothing")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", nothing)
    monkeypatch.setenv("AWS_CONFIG_FILE", nothing)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    stored_on(settings, server.url, bucket)

    with pytest.raises(BucketRefused, match="AWS_ACCESS_KEY_ID"):
        storages["runs"].has("1/long.parquet")
