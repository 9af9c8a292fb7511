"""The stored ranking: ordered by rank first, so that its beginning is its top."""

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from pooling.files.columns import same_string
from pooling.files.formats import Content
from pooling.files.ranking import read_ranking, write_ranking
from pooling.files.trec import read_run_file
from pooling.files.wanted_ranks import Wanted, find_wanted

RUNS = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3", "q4"]),
    st.lists(
        st.sampled_from([*map(str, range(12)), "007", "doc-1", "é"]), min_size=1, max_size=8, unique=True
    ),
    min_size=1,
)


def ranking_of(tmp_path, run: dict[str, list[str]]):
    lines = [f"{q}\t{pid}\t{rank}\n" for q, pids in run.items() for rank, pid in enumerate(pids, 1)]
    (tmp_path / "run").write_text("".join(lines))
    return read_run_file(Content(tmp_path / "run")).ranking


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(RUNS, st.integers(1, 9))
def test_any_top_of_a_stored_run_is_the_top_of_the_file(tmp_path, run, depth):
    ranking = ranking_of(tmp_path, run)

    write_ranking(ranking, tmp_path / "stored.parquet")
    stored = read_ranking(tmp_path / "stored.parquet", depth)

    expected = {qid: tuple(pids[:depth]) for qid, pids in run.items()}
    assert stored.tops(depth) == ranking.tops(depth) == expected
    assert dict(zip(stored.qids, stored.lengths.tolist(), strict=True)) == {q: len(p) for q, p in run.items()}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(RUNS, RUNS)
def test_passages_are_found_at_their_ranks(tmp_path, run, labels):
    qids = tuple(labels)
    sought = [(index, pid) for index, qid in enumerate(qids) for pid in labels[qid]]
    wanted = Wanted(qids, np.array([q for q, _ in sought]), tuple(pid for _, pid in sought))

    found = find_wanted(ranking_of(tmp_path, run), wanted)

    ranked = {(q, pid): rank for q, pids in run.items() for rank, pid in enumerate(pids, 1)}
    assert found.rank.tolist() == [ranked.get((qids[q], pid), 0) for q, pid in sought]
    assert found.retrieved.tolist() == [len(run.get(qid, ())) for qid in qids]


def test_reading_the_top_reads_only_the_beginning(tmp_path):
    run = {f"q{q}": [f"p{q}-{p}" for p in range(50)] for q in range(20)}
    write_ranking(ranking_of(tmp_path, run), tmp_path / "stored.parquet")

    top = read_ranking(tmp_path / "stored.parquet", 2)

    assert len(top.passages) == 40
    assert len(top.pids) == 40


def test_decimal_pids_are_their_own_codes_however_large(tmp_path):
    ranking = ranking_of(tmp_path, {"q": ["123456789012345678", "0", "42"]})

    write_ranking(ranking, tmp_path / "stored.parquet")

    assert read_ranking(tmp_path / "stored.parquet").passages.tolist() == [123456789012345678, 0, 42]
    assert ranking.pids is None


def test_pids_with_leading_zeros_stay_as_they_are(tmp_path):
    assert ranking_of(tmp_path, {"q": ["1", "01", "001"]}).tops(3)["q"] == ("1", "01", "001")


def test_strings_whose_hashes_collide_are_told_apart():
    strings = pl.Series(["a", "b", "a", "c"])

    codes = same_string(strings, np.array([7, 7, 7, 7], np.uint64))

    assert strings.gather(codes).to_list() == strings.to_list()


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_frame_names_query_rank_and_passage(tmp_path, depth):
    frame = ranking_of(tmp_path, {"q1": ["b"], "q2": ["a", "c"]}).top(depth).frame()

    rows = [("q2", 1, "a", None), ("q1", 1, "b", None), ("q2", 2, "c", None)]
    assert frame.rows() == (rows[:2] if depth == 1 else rows)
