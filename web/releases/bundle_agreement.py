"""Agreement among a bundle's judgments, computed from the bundle alone, so that readers can reproduce it."""

from typing import Any

import numpy as np

from leaderboard.analyses.judge_agreement.computation import observed_agreement, side_bias
from tournament.pair_wins import tally

SEED = 20220


class Agreement:
    """Agreement among counted judgments; ``add`` takes the rows one by one."""

    def __init__(self) -> None:
        self.codes: dict[tuple[str, str], int] = {}
        self.query: list[int] = []
        self.qids: dict[str, int] = {}
        self.rows: list[tuple[int, int, int]] = []

    def add(self, row: dict[str, Any]) -> None:
        if not row["counts"]:
            return
        left, right = (self._code(row["qid"], row[side]) for side in ("left", "right"))
        preferred = self._code(row["qid"], row["preferred"]) if row["preferred"] else -1
        self.rows.append((left, right, preferred))

    def _code(self, qid: str, pid: str) -> int:
        code = self.codes.setdefault((qid, pid), len(self.codes))
        if code == len(self.query):
            self.query.append(self.qids.setdefault(qid, len(self.qids)))
        return code

    def facts(self) -> dict[str, Any]:
        """Return the agreement on pairs judged at least twice, and the side bias. Unknown values are None."""
        left, right, preferred = np.array(self.rows, dtype=np.int64).reshape(-1, 3).T
        judged = tally(left, right, preferred)
        query = np.array(self.query, dtype=np.int64)[judged.a] if len(self.rows) else judged.a
        found = observed_agreement(judged, query, rng=np.random.default_rng(SEED))
        # If all pairs agree, or none does, every resample is the same: a lack of data, not certainty.
        sure = found.low != found.high
        on_left, on_right = int((preferred == left).sum()), int((preferred == right).sum())
        undecided = int((preferred < 0).sum())
        sides = side_bias(["everybody"], [on_left], [on_right], [undecided])[0]
        return {
            "judgments": len(self.rows),
            "pairs": len(judged.a),
            "pairs_judged_twice_or_more": found.pairs,
            "pairs_of_judgments": found.twos,
            "agreement": _six_digits(found.value),
            "agreement_low": _six_digits(found.low if sure else None),
            "agreement_high": _six_digits(found.high if sure else None),
            "level": found.level,
            "resamples": found.trials,
            "seed": SEED,
            "implied_error_rate": _six_digits(found.error_rate),
            "left_preferred": on_left,
            "right_preferred": on_right,
            "undecided": undecided,
            "left_share": _six_digits(sides.left.value),
            "left_share_low": _six_digits(sides.left.low),
            "left_share_high": _six_digits(sides.left.high),
            "left_share_p": _six_digits(sides.p_value),
        }


def _six_digits(value: float | None) -> float | None:
    """Round to six digits: more than the data support, and few enough to be equal on every machine."""
    return None if value is None or value != value else round(value, 6)
