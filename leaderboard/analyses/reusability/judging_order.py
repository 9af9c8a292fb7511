"""The origin of labels: relevant passages by source, and the gain curve of every topic.

The origin is known only for qrel sets that were made from a graded campaign. Campaigns record the order and the
source of judged passages.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil
from typing import Any

from judging.models import GradedItem, GradedLabels
from judging.rules.topic_life import stage_words
from leaderboard.output import Column, Facts, Figure, Kind, Row, Table
from leaderboard.output.chart import Curve, Curves, chart_content
from leaderboard.output.table import Value
from leaderboard.scoring.labels import Labels
from pooling.models import Collection

#: Shares of a topic's relevant passages, for counting the judgments needed to find them: key, share and label.
FOUND = (
    ("until_50", 0.5, "half of the relevant"),
    ("until_90", 0.9, "nine tenths"),
    ("until_100", 1.0, "all relevant"),
)
#: The maximum number of topics in a figure that names all of them.
MOST_NAMED = 12
JUDGED, RELEVANT = "passages judged", "relevant passages found"


@dataclass(frozen=True)
class JudgedTopic:
    """A topic's passages in the order of judging: whether each is relevant, and the number of its batch."""

    qid: str
    relevant: Sequence[bool]
    batches: Sequence[int]
    fraction: int | None = None
    """*n* if the passages are from a fraction of the corpus (one passage in *n*), else None."""

    @property
    def stages(self) -> list[tuple[int, int]]:
        """Each batch in the order of judging, with the number of passages judged by its end."""
        ends = {batch: place for place, batch in enumerate(self.batches, 1)}
        return sorted(ends.items(), key=lambda one: one[1])

    @property
    def gain(self) -> list[int]:
        """The number of relevant passages found after each judgment."""
        return list(accumulate(map(int, self.relevant)))

    def judged_until(self, share: float) -> int | None:
        """Return the number of judgments after which this share of the relevant passages was found.

        Returns None if there are no relevant passages.
        """
        gain = self.gain
        wanted = ceil(share * gain[-1]) if gain else 0
        return (
            next((place for place, found in enumerate(gain, 1) if found >= wanted), None) if wanted else None
        )


def judged_topics(collection: Collection, labels: Labels) -> list[JudgedTopic]:
    """Return the topics whose judgments a qrel set contains; empty unless it was made from a graded campaign."""
    named = GradedLabels.objects.filter(qrel_set__collection=collection, qrel_set__name=labels.name)
    made = named.select_related("campaign__pool").first()
    if made is None:
        return []
    least = made.campaign.min_grade
    assignments = [one["assignment"] for one in made.topics]
    items = GradedItem.objects.filter(assignment__in=assignments, grade__isnull=False).order_by("position")
    found: dict[int, list[tuple[bool, int]]] = defaultdict(list)
    for assignment, grade, batch in items.values_list("assignment", "grade", "batch").iterator(5000):
        found[assignment].append((grade is not None and grade >= least, batch))
    fraction = made.campaign.pool.fraction
    return [
        JudgedTopic(
            one["qid"], [relevant for relevant, _ in judged], [batch for _, batch in judged], fraction
        )
        for one in made.topics
        if (judged := found[one["assignment"]])
    ]


def source_table(topics: Sequence[JudgedTopic], facts: Facts) -> Table:
    """Return a table of judged and relevant passages by source: a part of the pool, or an iteration."""
    counts: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0])
    for topic in topics:
        for batch in set(topic.batches):
            counts[batch][0] += 1
        for relevant, batch in zip(topic.relevant, topic.batches, strict=True):
            counts[batch][1] += 1
            counts[batch][2] += relevant
    fraction = topics[0].fraction if topics else None
    rows = tuple(
        Row.of(
            source=_source_in_words(batch, fraction),
            topics=seen,
            judged=judged,
            relevant=good,
            share=good / judged,
        )
        for batch, (seen, judged, good) in sorted(counts.items())
    )
    columns = (
        Column("source", "source"),
        Column("topics", "topics", Kind.COUNT),
        Column("judged", "judged", Kind.COUNT),
        Column("relevant", "relevant", Kind.COUNT),
        Column("share", "share relevant", Kind.SHARE),
    )
    caption = "Passages by their source: the pool, or an iteration of active learning."
    if fraction:
        caption += f" All are from a fraction of the corpus: one in {fraction:,} passages."
    return Table("sources", "Judged by source", caption, columns, rows, facts)


def _source_in_words(batch: int, fraction: int | None) -> str:
    words = stage_words(batch)
    return f"{words}, 1/{fraction} of the corpus" if fraction else words


def gain_table(topics: Sequence[JudgedTopic], facts: Facts) -> Table:
    """Return a table of how many judgments it took to find each share of a topic's relevant passages."""
    columns = (
        Column("qid", "query"),
        Column("judged", "judged", Kind.COUNT),
        Column("relevant", "relevant", Kind.COUNT),
        *(Column(key, words, Kind.COUNT, "judged until") for key, _, words in FOUND),
    )
    rows = []
    for one in topics:
        until: dict[str, Value] = {key: one.judged_until(share) for key, share, _ in FOUND}
        rows.append(
            Row({"qid": one.qid, "judged": len(one.relevant), "relevant": sum(one.relevant), **until})
        )
    caption = (
        "Judgments needed to find a share of the relevant passages that were found in the end. If the last was found "
        "long before the end, few are likely to be missing."
    )
    return Table("gain", "Gain", caption, columns, tuple(rows), facts)


def topics_to_name(topics: Sequence[JudgedTopic]) -> list[int]:
    """Return the indexes of the topics to name in the figure: all if there are few, else the extremes.

    Extremes are the topics with the most or fewest judged or relevant passages.
    """
    if len(topics) <= MOST_NAMED:
        return list(range(len(topics)))
    sizes: tuple[Callable[[JudgedTopic], tuple[int, int]], ...] = (
        lambda one: (len(one.relevant), sum(one.relevant)),
        lambda one: (sum(one.relevant), len(one.relevant)),
    )
    outer = {pick(topics, key=size).qid for size in sizes for pick in (min, max)}
    return [place for place, one in enumerate(topics) if one.qid in outer]


def gain_figure(topics: Sequence[JudgedTopic], table: Table, facts: Facts) -> Figure:
    """Plot the gain curve of every topic, with a mark after the last passage of each source."""
    named = topics_to_name(topics)

    def draw(canvas: Any) -> None:
        from leaderboard.output.drawing import color_of, name_points

        axes = canvas.subplots()
        for place, topic in enumerate(topics):
            color, gain = color_of(place), [0, *topic.gain]
            axes.plot(range(len(gain)), gain, color=color, alpha=0.7)
            ends = [judged for _, judged in topic.stages]
            axes.plot(ends, [gain[judged] for judged in ends], "o", ms=2.5, color=color, alpha=0.7)
        axes.set_xlabel(JUDGED)
        axes.set_ylabel(RELEVANT)
        axes.set_xlim(0, 1.12 * max(len(one.relevant) for one in topics))
        axes.set_ylim(bottom=0)
        points = [(len(one.relevant), sum(one.relevant)) for one in topics]
        name_points(canvas, axes, [(topics[place].qid, *points[place]) for place in named], points)

    curves = [
        Curve(
            one.qid,
            one.gain,
            [(judged, _source_in_words(batch, one.fraction)) for batch, judged in one.stages],
        )
        for one in topics
    ]
    chart = Curves("Gain", JUDGED, RELEVANT, curves, named)
    caption = (
        "Relevant passages of each topic in the order of judging. A mark ends each source: the opening, the rest of "
        "the pool, and every iteration of active learning."
    )
    return Figure("gain", "Gain", caption, facts, draw, table, (chart_content(chart),), 6.0, 3.6)
