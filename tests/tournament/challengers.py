"""New runs that challenge best answers, and a crowd that answers on command."""

from collections import Counter
from decimal import Decimal

from pooling.models import Passage, Run
from tournament import services
from tournament.models import QueryResult
from tournament.services import other_rooms
from tournament.services.challenge_progress import advance_challenges
from tournament.services.challenges import open_challenge, plan_challenge


class Crowd:
    """Replaces pooling and judging: knows runs, takes pairs, answers on command."""

    def __init__(self, town, monkeypatch) -> None:
        self.town = town
        self.tops: dict[str, dict[str, str]] = {}
        self.asked: Counter[tuple[int, int, int, int]] = Counter()
        self.tasks = 0
        self.offers = 0
        for name in (
            "top_pids",
            "passages_with_text",
            "price_of_tasks",
            "judgments_under_way",
            "ask_judgments",
            "want_places_of",
        ):
            monkeypatch.setattr(other_rooms, name, getattr(self, name))

    def run(self, tag: str, **tops: str) -> None:
        """Create a run with these top passages: qid=pid."""
        Run.objects.create(
            collection=self.town.collection,
            run_tag=tag,
            format="trec",
            order="score",
            sha256=tag,
            parser_version=1,
            storage_name=tag,
        )
        self.tops[tag] = tops

    def top_pids(self, run):
        return self.tops[run.run_tag]

    def passages_with_text(self, collection, pids, progress):
        return {pid: self.town.passage(pid) for pid in sorted(pids)}

    def price_of_tasks(self, campaign, tasks):
        return Decimal(tasks) * campaign.reward * Decimal("1.2")

    def judgments_under_way(self, campaign, needs):
        return {
            (need.query, need.a, need.b): self.asked[need.challenge, need.query, need.a, need.b]
            for need in needs
        }

    def ask_judgments(self, campaign, needs):
        self.asked.update((need.challenge, need.query, need.a, need.b) for need in needs)
        self.tasks += -(-len(needs) // campaign.pairs_per_task)

    def want_places_of(self, campaign):
        self.offers += 1

    def pairs(self) -> Counter[str]:
        """The pairs that were asked but not answered yet, by pids."""
        name = dict(Passage.objects.values_list("pk", "pid"))
        return Counter({f"{name[a]}-{name[b]}": count for (_, _, a, b), count in self.asked.items() if count})

    def answer(self, better: str = "", **details) -> None:
        """Answer all asked pairs: prefer the pid that comes first in ``better``, else alphabetically."""
        asked, self.asked = self.asked, Counter()
        for (number, query, a, b), count in asked.items():
            pids = [Passage.objects.get(pk=key).pid for key in (a, b)]
            ranked = sorted(pids, key=lambda pid: (better.find(pid) if pid in better else 99, pid))
            qid = next(q.qid for q in self.town.collection.queries.all() if q.pk == query)
            for _ in range(count):
                self.town.judge(qid, *pids, ranked[0], round=number, **details)


def challenge(*, campaign, run_tags, rule="lead2"):
    return open_challenge(plan=plan_challenge(campaign=campaign, run_tags=run_tags, rule=rule))


def advance(crowd):
    return advance_challenges(campaign=crowd.town.campaign)[crowd.town.campaign.pk]


def best(crowd, qid):
    services.resolve(campaign=crowd.town.campaign)
    found = QueryResult.objects.get(campaign=crowd.town.campaign, query__qid=qid)
    return sorted(Passage.objects.filter(pk__in=found.best_answer_ids).values_list("pid", flat=True))
