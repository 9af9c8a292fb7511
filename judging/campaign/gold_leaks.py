"""Signs that reveal gold pairs: question words marked in only one passage, and repeated off-topic passages."""

from collections.abc import Iterable

from django.db.models import Count

from config.guidance import Guidance, Option
from judging.models import Campaign, GoldPair
from judging.rules.question_words import mark_question_words
from pooling.models import Passage, Query

#: The maximum number of pairs examined; more would hardly change the result.
SAMPLE = 500
Shown = tuple[Query, Passage, Passage]


def marks_in_words(campaign: Campaign) -> str:
    """Return words on how many gold pairs and how many other pairs have a marked word in only one passage.

    The off-topic passage of an easy gold pair often contains no word of the question. A pooled passage nearly always
    contains one.
    """
    gold = campaign.gold_pairs.filter(state=GoldPair.State.ACCEPTED)
    gold_rows = gold.select_related("query", "relevant", "off_topic").order_by("pk")[:SAMPLE]
    pairs = campaign.pairs.select_related("query", "passage_a", "passage_b").order_by("pk")[:SAMPLE]
    tests, of_tests = _one_sided(campaign, ((row.query, row.relevant, row.off_topic) for row in gold_rows))
    others, of_others = _one_sided(campaign, ((row.query, row.passage_a, row.passage_b) for row in pairs))
    words = (
        f"only one passage has a marked word in {tests:,} of {of_tests:,} gold pairs and in {others:,} of "
        f"{of_others:,} other pairs"
    )
    if tests * of_others > others * of_tests:
        words += Guidance(
            "; a worker who notices this can recognize gold pairs. Without ",
            Option("mark-query-words"),
            ", nobody can",
        )
    return words


def most_uses_of_one_off_topic_passage(campaign: Campaign) -> int:
    """Return the number of accepted gold pairs that share the most frequent off-topic passage."""
    gold = campaign.gold_pairs.filter(state=GoldPair.State.ACCEPTED)
    uses = gold.values_list("off_topic").annotate(uses=Count("pk")).order_by("-uses")
    return int(uses[0][1]) if uses else 0


def _one_sided(campaign: Campaign, rows: Iterable[Shown]) -> tuple[int, int]:
    """Return the number of pairs with a marked word in only one passage, and the number of pairs with both texts."""
    language, found, total = campaign.collection.language, 0, 0
    for query, one, other in rows:
        if one.text is None or other.text is None:
            continue
        total += 1
        sides = [
            any(part.marked for part in mark_question_words(text, query.text, language))
            for text in (one.text, other.text)
        ]
        found += sides[0] != sides[1]
    return found, total
