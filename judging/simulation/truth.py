"""Simulated workers' opinion of texts, which comes from the labels and is read once for all workers."""

import hashlib

from judging.models import Campaign, GradedCampaign, Pair
from judging.rules.layout import placeholder_text
from judging.simulation.browser import Page
from pooling.models import Passage, Qrel, QrelSet, Query

UNLABELED = -1
#: The difference in grades from which it is obvious which passage of a pair is better.
FAR_APART = 2


class Truth:
    """The opinion that simulated workers have of a text: its grade in the qrel set, with ties broken at random."""

    def __init__(self, campaign: Campaign, qrel_set: QrelSet, seed: int) -> None:
        self.seed = seed
        self.relevant_from = qrel_set.min_grade
        self.queries: dict[str, list[int]] = {}
        for pk, text in Query.objects.filter(collection=campaign.collection).values_list("pk", "text"):
            self.queries.setdefault(_squeeze_spaces(text), []).append(pk)
        self.grades: dict[tuple[int, str], int] = {}
        self.pids: dict[str, str] = {}
        texts: dict[int, str] = {}
        passages = Passage.objects.filter(collection=campaign.collection).values_list("pk", "pid", "text")
        for pk, pid, known in passages.iterator(chunk_size=5000):
            texts[pk] = _squeeze_spaces(known if known is not None else placeholder_text(campaign.seed, pid))
            self.pids.setdefault(texts[pk], pid)
        labels = Qrel.objects.filter(qrel_set=qrel_set).values_list("query_id", "passage_id", "grade")
        for query, passage, grade in labels.iterator(chunk_size=5000):
            key = (query, texts[passage])
            self.grades[key] = max(grade, self.grades.get(key, UNLABELED))
        pairs = Pair.objects.filter(campaign=campaign).values_list("query_id", "passage_a_id", "passage_b_id")
        self.asked = {(query, texts[one]) for query, *both in pairs.iterator(chunk_size=5000) for one in both}

    def prefers_left(self, page: Page) -> tuple[bool, bool]:
        """Return whether the left text is better, and whether it is obvious which one is.

        As in a gold pair, it is obvious if one text is labeled at least two grades higher than the other. It is also
        obvious if one text is labeled, and the other is neither labeled nor in a pair of this question.
        """
        left, right = _squeeze_spaces(page.left), _squeeze_spaces(page.right)
        grades = [self._grade(page.question, left), self._grade(page.question, right)]
        stray = [
            grade == UNLABELED and not self._asked(page.question, text)
            for grade, text in zip(grades, (left, right), strict=True)
        ]
        far_apart = UNLABELED not in grades and abs(grades[0] - grades[1]) >= FAR_APART
        obvious = stray[0] != stray[1] or far_apart
        if grades[0] != grades[1]:
            return grades[0] > grades[1], obvious
        return self._taste(left) > self._taste(right), False

    def passage_grade(self, page: Page, grading: GradedCampaign) -> int:
        """Return the grade of the single passage shown, on the campaign's scale. An unlabeled one is not relevant."""
        known = max(0, self._grade(page.question, _squeeze_spaces(page.left)))
        if known >= self.relevant_from:
            return min(max(known, grading.min_grade), len(grading.scale) - 1)
        return min(known, grading.min_grade - 1)

    def _grade(self, question: str, text: str) -> int:
        return max(
            self.grades.get((query, text), UNLABELED) for query in self.queries[_squeeze_spaces(question)]
        )

    def _asked(self, question: str, text: str) -> bool:
        return any((query, text) in self.asked for query in self.queries[_squeeze_spaces(question)])

    def _taste(self, text: str) -> str:
        return hashlib.sha256(f"{self.seed}:{self.pids.get(text, text)}".encode()).hexdigest()


def _squeeze_spaces(text: str) -> str:
    """Return the text with each run of whitespace as one space, because pages do not show the difference."""
    return " ".join(text.split())
