"""The best answers of queries under labels, without the answers that a person may not see."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from leaderboard.scoring.labels import Labels
from pooling.models import Collection, Passage, Query
from tournament.models import PreferenceQrel, QrelVersion
from tournament.services.passage_visibility import sight_on_answers
from web.common.label_sight import label_sight
from web.common.visibility import texts_of_ranked


def best_answers(
    version: QrelVersion, queries: Sequence[Query], user: object
) -> tuple[Mapping[int, list[Passage]], Counter[int]]:
    """Return the best answers that this person can see, and the number of others, both by query key."""
    shown, hidden = defaultdict[int, list[Passage]](list), Counter[int]()
    sight = sight_on_answers(version, queries, user)
    rows = PreferenceQrel.objects.filter(
        version=version, query__in=[query.pk for query in queries], propagated=False
    )
    for answer in rows.select_related("passage").order_by("passage__pid"):
        if sight.sees(answer.query_id, answer.passage_id):
            shown[answer.query_id].append(answer.passage)
        else:
            hidden[answer.query_id] += 1
    return shown, hidden


def answers_by_query(
    collection: Collection, labels: Labels, queries: Sequence[Query], user: object
) -> Mapping[int, list[Passage]]:
    """Return query key → best answers of a version, or relevant passages of a qrel set.

    Empty if this person may not see the qrel set's labels.
    """
    if labels.version is not None:
        return best_answers(labels.version, queries, user)[0]
    if not label_sight(collection, user).shows_labels(labels.name):
        return {}
    relevant = labels.relevant_pids()
    of_query = {query.pk: sorted(relevant.get(query.qid, ())) for query in queries}
    texts = texts_of_ranked(collection, {pid for pids in of_query.values() for pid in pids}, user)
    return {key: [Passage(pid=pid, text=texts.get(pid)) for pid in pids] for key, pids in of_query.items()}
