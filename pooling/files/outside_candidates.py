"""Find passages of a reranked run that are not among the given candidates."""

from collections.abc import Collection

from pooling.files.columns import pid_of
from pooling.files.formats import Content
from pooling.files.ranking import Ranking

_KEY = ["qid", "pid"]


def outside_candidates(ranking: Ranking, candidates: Ranking) -> frozenset[tuple[str, str]]:
    """Return (qid, pid) of each passage of a run that is not among the candidates of its query."""
    strange = ranking.frame().select(_KEY).join(candidates.frame().select(_KEY), on=_KEY, how="anti")
    return frozenset(strange.iter_rows())


def first_line(content: Content, places: Collection[tuple[str, str]]) -> int:
    """Return the number of the first line in a valid run file with one of these (qid, pid); 0 if none."""
    wanted = {(qid.encode(), pid.encode()) for qid, pid in places}
    number = 0
    for block in content.blocks():
        for line in block[:-1].split(b"\n"):
            number += 1
            fields = line.split(None, 3)
            if fields and (fields[0], pid_of(fields)) in wanted:
                return number
    return 0
