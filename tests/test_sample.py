"""Properties of the sample on which the demo, the documents and newcomers rely."""

import gzip
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pytest

SAMPLE = Path(__file__).resolve().parents[1] / "docs" / "sample"


def read_tsv(name: str) -> dict[str, str]:
    rows = [line.split("\t") for line in (SAMPLE / name).read_text("utf-8").split("\n") if line]
    assert all(len(row) == 2 for row in rows)
    assert len({key for key, _ in rows}) == len(rows)
    return dict(rows)


def read_qrels(name: str) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = defaultdict(dict)
    for line in (SAMPLE / name).read_text("utf-8").splitlines():
        qid, zero, pid, grade = line.split(" ")
        assert zero == "0"
        assert pid not in qrels[qid]
        qrels[qid][pid] = int(grade)
    return dict(qrels)


def read_run(path: Path) -> dict[str, list[str]]:
    """Return each query's pids in the order of the lines, in either format."""
    ranking: dict[str, list[str]] = defaultdict(list)
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        columns = line.split()
        ranking[columns[0]].append(columns[1] if len(columns) == 3 else columns[2])
    return dict(ranking)


def run_paths(folder: str) -> list[Path]:
    return sorted((SAMPLE / folder).glob("*.txt.gz"))


@pytest.fixture(scope="module")
def queries() -> dict[str, str]:
    return read_tsv("queries.tsv")


@pytest.fixture(scope="module")
def passages() -> dict[str, str]:
    return read_tsv("passages.tsv")


@pytest.fixture(scope="module")
def labels() -> dict[str, dict[str, int]]:
    return read_qrels("qrels.txt")


@pytest.fixture(scope="module")
def grades() -> dict[str, dict[str, int]]:
    return read_qrels("grades.txt")


@pytest.fixture(scope="module")
def first_runs() -> dict[str, dict[str, list[str]]]:
    return {path.name: read_run(path) for path in run_paths("runs")}


@pytest.fixture(scope="module")
def pools(first_runs, labels) -> dict[str, set[str]]:
    """Return the shallow pool of each query: the top of every first run, and the label."""
    return {qid: {run[qid][0] for run in first_runs.values()} | set(labels[qid]) for qid in labels}


def test_there_are_enough_queries_and_passages(queries, passages):
    assert len(queries) >= 44
    assert len(passages) >= 440
    assert len(set(queries.values())) == len(queries)


def test_passages_are_short_and_plain(passages):
    for pid, text in passages.items():
        assert 30 <= len(text.split()) <= 80, pid
        assert text.replace("\u00a0", " ").isprintable(), pid


def test_every_query_has_one_label_that_its_grades_call_relevant(queries, passages, labels, grades):
    assert set(labels) == set(queries) == set(grades)
    for qid, label in labels.items():
        (pid,) = label
        assert label[pid] == 1
        assert pid in passages
        assert grades[qid][pid] >= 2


def test_the_label_is_often_not_the_best_passage(labels, grades):
    beaten = sum(
        max(grades[qid].values()) > grades[qid][pid] for qid, label in labels.items() for pid in label
    )

    assert 0.35 <= beaten / len(labels) <= 0.45


def test_each_passage_is_graded_for_one_query_and_each_query_is_mixed(passages, grades):
    graded = Counter(pid for of_query in grades.values() for pid in of_query)

    assert graded == Counter(dict.fromkeys(passages, 1))
    for qid, of_query in grades.items():
        assert 8 <= len(of_query) <= 12, qid
        assert set(of_query.values()) == {0, 1, 2, 3}, qid


def test_pids_tell_neither_query_nor_grade(passages, grades):
    place = {pid: number for number, pid in enumerate(sorted(passages))}
    middle = (len(passages) - 1) / 2
    of_best = [place[pid] for of_query in grades.values() for pid, grade in of_query.items() if grade == 3]
    spans = [
        max(place[p] for p in of_query) - min(place[p] for p in of_query) for of_query in grades.values()
    ]

    assert abs(sum(of_best) / len(of_best) - middle) < 0.15 * len(passages)
    assert min(spans) > len(passages) / 4


def test_three_pairs_of_one_query_differ_in_white_space_alone(passages, grades):
    for text in passages.values():
        assert text == text.strip(" ")
    copies = 0
    for of_query in grades.values():
        by_text = defaultdict(list)
        for pid in of_query:
            by_text[" ".join(passages[pid].split())].append(pid)
        for pids in by_text.values():
            if len(pids) == 2:
                copies += 1
                assert passages[pids[0]] != passages[pids[1]]
                assert of_query[pids[0]] == of_query[pids[1]]

    assert copies == 3


def test_passages_hold_what_pages_find_hard_to_show(passages, grades):
    def queries_with(found) -> int:
        return sum(any(found(passages[pid]) for pid in of_query) for of_query in grades.values())

    assert queries_with(lambda text: any("\u0590" <= sign <= "\u06ff" for sign in text)) >= 2
    assert queries_with(lambda text: any("\u3040" <= sign <= "\u9fff" for sign in text)) >= 2
    assert queries_with(lambda text: "<" in text and "&" in text and '"' in text) >= 1


def test_runs_are_made_again_line_by_line(tmp_path):
    script = [sys.executable, str(SAMPLE / "make_runs.py"), "--out", str(tmp_path)]
    subprocess.run(script, check=True)

    for folder in ("runs", "later"):
        shipped = run_paths(folder)
        assert {path.name for path in shipped} == {path.name for path in (tmp_path / folder).iterdir()}
        for path in shipped:
            again = (tmp_path / folder / path.name).read_bytes()
            # Compare lines, not bytes, because another zlib compresses the same lines differently.
            assert gzip.decompress(again) == gzip.decompress(path.read_bytes()), path.name


def test_compressed_runs_hold_no_time_and_no_name():
    for path in run_paths("runs") + run_paths("later"):
        header = path.read_bytes()[:10]
        assert header[3] == 0, path.name
        assert header[4:8] == b"\0\0\0\0", path.name


def test_runs_are_twelve_and_differ(queries, passages):
    runs = {path.name: read_run(path) for path in run_paths("runs") + run_paths("later")}

    assert len(run_paths("runs")) == 10
    assert len(run_paths("later")) == 2
    assert len({str(sorted(run.items())) for run in runs.values()}) == len(runs) == 12
    for name, run in runs.items():
        assert set(run) == set(queries), name
        assert all(len(pids) <= 50 and len(pids) == len(set(pids)) for pids in run.values()), name
        assert all(set(pids) <= set(passages) for pids in run.values()), name


def test_both_run_formats_are_there():
    widths = {
        path.name: {len(line.split()) for line in gzip.decompress(path.read_bytes()).decode().splitlines()}
        for path in run_paths("runs")
    }

    assert sorted(map(sorted, widths.values())) == [[3]] * 2 + [[6]] * 8


def test_lines_of_trec_runs_stand_in_the_order_trec_eval_reads(first_runs):
    for path in run_paths("runs") + run_paths("later"):
        rows = [line.split() for line in gzip.decompress(path.read_bytes()).decode().splitlines()]
        if len(rows[0]) == 6:
            keys = [(row[0], float(row[4]), row[2]) for row in rows]
            of_query = defaultdict(list)
            for qid, score, pid in keys:
                of_query[qid].append((score, pid))
            assert all(lines == sorted(lines, reverse=True) for lines in of_query.values()), path.name


def test_pools_are_worth_judging(pools):
    sizes = [len(pool) for pool in pools.values()]

    assert 3 <= sum(sizes) / len(sizes) <= 8
    assert sizes.count(1) <= 3


def test_some_pools_hold_a_better_passage_than_the_label(pools, labels, grades):
    better = sum(
        max(grades[qid].get(pid, 0) for pid in pool) > max(grades[qid][pid] for pid in labels[qid])
        for qid, pool in pools.items()
    )

    assert better >= 6


def test_the_strong_later_run_brings_unseen_and_better_tops(pools, passages, grades):
    run = read_run(SAMPLE / "later" / "rewritten.txt.gz")
    seen = {qid: {" ".join(passages[pid].split()) for pid in pool} for qid, pool in pools.items()}
    unseen = [qid for qid in pools if " ".join(passages[run[qid][0]].split()) not in seen[qid]]
    better = [
        qid
        for qid in unseen
        if grades[qid].get(run[qid][0], 0) > max(grades[qid].get(pid, 0) for pid in pools[qid])
    ]

    assert len(unseen) >= 6
    assert len(better) >= 6


def test_the_sample_is_small():
    files = [path for path in SAMPLE.rglob("*") if path.is_file() and "__pycache__" not in path.parts]

    assert sum(path.stat().st_size for path in files) < 1_000_000
