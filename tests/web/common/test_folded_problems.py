"""Identical problems are one row with their line numbers."""

from pooling.files.formats import Content
from pooling.files.problems import NEXT_STEPS
from pooling.files.trec import qrel_problems
from web.common.folded_problems import COUNTED, counts_in_words, fold, unlisted


def problem(line, reason, kind="rank", **more):
    return {"line": line, "kind": kind, "reason": reason, "next_step": "Write a whole number.", **more}


def test_sentences_that_differ_in_quoted_text_and_numbers_are_the_same():
    found = fold(
        [
            problem(3, "the rank 'one' is no whole number.", text="q1 Q0 p one 3 t"),
            problem(4, "the rank 'two' is no whole number."),
            problem(9, "query 42 is not in the collection (3 lines).", "unknown query"),
            problem(11, "the rank '1.5' is no whole number."),
            problem(12, "query q-43b is not in the collection (1 line).", "unknown query"),
        ]
    )

    assert [(one.first["line"], one.count, one.others) for one in found] == [(3, 3, [4, 11]), (9, 2, [12])]
    assert found[0].first["text"] == "q1 Q0 p one 3 t"


def test_a_file_of_another_kind_is_one_row_however_its_lines_are_wrong(tmp_path):
    path = tmp_path / "queries.tsv"
    path.write_text("17\twhat is a canal lock\n18\twho is it\n19\thow do bees make honey\n")

    found = qrel_problems(Content(path))

    assert found.counts == {"columns": 2, "grade": 1}
    (one,) = fold([one.as_json() for one in found.listed], found.counts)
    assert (one.count, list(one.kinds), one.of_kind) == (3, ["columns", "grade"], 3)


def test_every_counted_problem_is_in_a_row_or_in_the_rest():
    one_file = [problem(line, "a") for line in range(1, 100)] + [problem(5000, "b", "grade")]
    counts = {"rank": 700, "grade": 33}
    assert [one.count for one in fold(one_file, counts)] == [700, 33]
    assert unlisted(fold(one_file, counts), counts) == 0

    two_files = [problem(line, "a", file=name) for name in ("a", "b") for line in range(1, 101)]
    assert [one.count for one in fold(two_files, {"rank": 700})] == [100, 100]
    assert unlisted(fold(two_files, {"rank": 700}), {"rank": 700}) == 500


def test_other_kinds_files_and_sentences_stay_apart():
    found = fold(
        [
            problem(1, "too long", file="a"),
            problem(1, "too long", file="b"),
            problem(2, "too short", file="a"),
            problem(3, "too long", "length", file="a"),
        ]
    )

    assert [one.count for one in found] == [1, 1, 1, 1]


def test_unlisted_problems_are_counted_if_all_of_a_kind_are_equal():
    listed = [
        *(problem(line, f"the rank '{line}' is wrong.") for line in range(1, 100)),
        problem(100, "a", "b"),
    ]
    several = [problem(1, "a", "c"), problem(2, "b", "c")]

    found = fold([*listed, *several], {"rank": 5000, "b": 1, "c": 900})

    assert [(one.first["kind"], one.count) for one in found] == [("rank", 5000), ("b", 1), ("c", 1), ("c", 1)]
    assert found[0].unnamed == 5000 - 1 - len(found[0].others)


def test_of_many_lines_the_first_are_named_and_the_rest_counted():
    (one,) = fold(problem(line, f"the rank '{line}' is wrong.") for line in range(1, 101))

    assert one.count == 100
    assert one.others == list(range(2, 10))
    assert one.unnamed == 91


def test_the_counts_of_problems_are_told_in_words():
    counts = {"format": 10_828, "columns": 1, "unknown query": 33, "submission policy": 2}

    assert counts_in_words(counts) == [
        "10,828 lines with a wrong format",
        "1 line with a wrong number of columns",
        "33 unknown queries",
        "2 problems with the submission policy",
    ]


def test_every_kind_of_problem_with_advice_has_words():
    assert set(NEXT_STEPS) <= set(COUNTED)
