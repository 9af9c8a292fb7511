"""What would tell test pairs apart from others, where a campaign marks the words of the question."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Count

from judging.marking import marked
from judging.models import Campaign, GoldPair
from pooling.models import Passage, Query

#: So many of the campaign's pairs are looked at; more would say the same.
SAMPLE = 500
Shown = tuple[Query, Passage, Passage]


def marks_in_words(campaign: Campaign) -> str:
    """In how many test pairs, and in how many others, only one of the passages has a marked word.

    The off-topic passage of an easy test pair often has no word of the question, a pooled passage nearly always has.
    """
    gold = campaign.gold_pairs.filter(state=GoldPair.State.ACCEPTED)
    gold_rows = gold.select_related("query", "relevant", "off_topic").order_by("pk")[:SAMPLE]
    pairs = campaign.pairs.select_related("query", "passage_a", "passage_b").order_by("pk")[:SAMPLE]
    tests, of_tests = _one_sided(campaign, ((row.query, row.relevant, row.off_topic) for row in gold_rows))
    others, of_others = _one_sided(campaign, ((row.query, row.passage_a, row.passage_b) for row in pairs))
    words = (
        f"only one passage has a marked word in {tests:,} of {of_tests:,} test pairs and in {others:,} of "
        f"{of_others:,} other pairs"
    )
    if tests * of_others > others * of_tests:
        words += "; a worker who notices can tell test pairs by it: without --mark-query-words nobody can"
    return words


def most_uses_of_one_off_topic_passage(campaign: Campaign) -> int:
    """In how many accepted test pairs the off-topic passage stands that stands in most of them."""
    gold = campaign.gold_pairs.filter(state=GoldPair.State.ACCEPTED)
    uses = gold.values_list("off_topic").annotate(uses=Count("pk")).order_by("-uses")
    return int(uses[0][1]) if uses else 0


def _one_sided(campaign: Campaign, rows: Iterable[Shown]) -> tuple[int, int]:
    """How many of the pairs have a marked word on one side alone, and how many pairs there are with both texts."""
    language, found, total = campaign.collection.language, 0, 0
    for query, one, other in rows:
        if one.text is None or other.text is None:
            continue
        total += 1
        sides = [
            any(part.marked for part in marked(text, query.text, language)) for text in (one.text, other.text)
        ]
        found += sides[0] != sides[1]
    return found, total
