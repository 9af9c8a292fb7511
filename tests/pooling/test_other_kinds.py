"""Files of another kind than expected are recognized."""

from __future__ import annotations

import pytest

from pooling.errors import InvalidFile
from pooling.other_kinds import where_it_belongs
from pooling.trec import read_run_file

pytestmark = pytest.mark.one_database


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"q1 0 p1 1", "This looks like relevance labels (qrels)."),
        (b"2 Q0 p77 -1", "This looks like relevance labels (qrels)."),
        (b"q1 Q0 p1 1 12.5 tag", "This looks like a TREC run."),
        (b"q1 Q0 p1 0 -1e-3 tag", "This looks like a TREC run."),
        (b"q1 how do bees make honey", "This looks like queries or passages"),
        (b"17 what is a canal lock and what is it for", "This looks like queries or passages"),
        (b"q1 p1", "This looks like queries or passages"),
        (b"q1 p1 1", ""),
        (b"q1", ""),
    ],
)
def test_a_line_says_what_the_file_is(line, said):
    found = str(where_it_belongs(line.split()))

    assert found.startswith(said) if said else not found


def test_labels_that_were_sent_as_a_run_are_led_to_the_labels(tmp_path):
    path = tmp_path / "run.txt"
    path.write_text("q1 0 p1 1\n")

    with pytest.raises(InvalidFile, match="4 columns") as refused:
        read_run_file(path)

    assert "import_qrels" in str(refused.value.next_step)
