"""The data type for a requested pair."""

from typing import NamedTuple


class PairRequest(NamedTuple):
    """Two passages of a query by their keys, ``passage_a_id < passage_b_id``."""

    query_id: int
    passage_a_id: int
    passage_b_id: int
