"""Repeated rows, compared with a plain search of all earlier rows."""

import tracemalloc

import numpy as np
from hypothesis import given, strategies as st

from pooling.files import repeated_rows
from pooling.files.repeated_rows import repeated


@given(st.lists(st.integers(0, 12), max_size=60), st.integers(0, 70), st.integers(1, 9))
def test_repeated_rows_equal_those_of_a_plain_search(said, most, together):
    keys = np.array(said, np.uint64)
    plain = [(row, said.index(key)) for row, key in enumerate(said) if key in said[:row]]
    before, repeated_rows.TOGETHER = repeated_rows.TOGETHER, together
    try:
        count, found = repeated(keys, most)
    finally:
        repeated_rows.TOGETHER = before

    assert (count, found) == (len(plain), plain[:most])


def test_one_line_over_and_over_takes_little_memory():
    keys = np.zeros(4_000_000, np.uint64)
    tracemalloc.start()
    try:
        count, found = repeated(keys, 100)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert (count, found[0], len(found)) == (3_999_999, (1, 0), 100)
    assert peak < 3 * keys.nbytes
