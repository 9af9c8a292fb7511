"""A board as CSV."""

from __future__ import annotations

import csv
import io

from leaderboard.output.commas import as_text
from leaderboard.services.boards import PublishedBoard, as_dict

REPEATED = ("collection", "version", "official_set", "official_min_grade", "measure", "queries", "simulated")
ENDING = ("seed", "software")


def board_csv(published: PublishedBoard) -> str:
    """One line a row of the board, with what it was made from repeated on each, so that no line loses it."""
    content = as_dict(published)
    fields = [*content["rows"][0], *REPEATED, *ENDING]
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=fields, lineterminator="\n")
    writer.writeheader()
    named = {key: content[key] for key in (*REPEATED, *ENDING)}
    writer.writerows(row | named | {"run": as_text(row["run"])} for row in content["rows"])
    return text.getvalue()
