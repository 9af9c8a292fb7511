"""A published collection whose labels are withheld."""

import hashlib

from config import clock
from judging.models import Campaign, Judgment, Pair, Worker
from pooling.models import Passage, Pool, PooledPassage, PoolRun, Qrel, QrelSet, Query
from tests.factories import make_collection, make_qrels, make_run
from tournament.services import publish_qrels

QUERIES = 24
NOON = "2026-03-20 12:00"


class Sound:
    """The published collection ``sound``: two public runs, withheld labels, and a version.

    The label of each query is the top passage of one of the runs (``a`` of alpha's, ``b`` of beta's); those of the
    last two queries are passages that no run returns.
    """

    def __init__(self) -> None:
        self.qids = [f"q{number:02}" for number in range(QUERIES)]
        self.collection = make_collection("sound", self.qids, visibility="published", license="CC BY 4.0")
        self.runs = [
            make_run(
                self.collection,
                tag,
                {qid: [f"{side}-{qid}" for side in order] for qid in self.qids},
                release="public",
                report={"queries": QUERIES, "depth": 3, "lines": 3 * QUERIES},
            )
            for tag, order in (("alpha", "abc"), ("beta", "bad"))
        ]
        ranked = [(qid, f"{'ab'[place % 2]}-{qid}", 1) for place, qid in enumerate(self.qids[:-2])]
        nowhere = [(qid, f"y-{qid}", 1) for qid in self.qids[-2:]]
        self.labels = make_qrels(self.collection, "official", [*ranked, *nowhere], withheld=True)
        Passage.objects.bulk_create(
            Passage(collection=self.collection, pid=pid)
            for qid in self.qids
            for pid in (f"a-{qid}", f"b-{qid}", f"z-{qid}")
            if not Passage.objects.filter(pid=pid).exists()
        )
        for passage in Passage.objects.all():
            Passage.objects.filter(pk=passage.pk).update(text=f"text of {passage.pid}")
        self._judge()

    def _judge(self) -> None:
        pool = Pool.objects.create(collection=self.collection, name="tide", qrel_set=self.labels)
        PoolRun.objects.bulk_create(PoolRun(pool=pool, run=run) for run in self.runs)
        self.campaign = Campaign.objects.create(
            name="spring",
            collection=self.collection,
            pool=pool,
            seed=1,
            state=Campaign.State.OPEN,
            launched_at=clock.now(),
        )
        judge = Worker.objects.create()
        for place, query in enumerate(Query.objects.order_by("position")):
            a, b, y = (self._passage(f"{side}-{query.qid}") for side in "aby")
            pooled = [(a, [self.runs[0].pk]), (b, [self.runs[1].pk]), *([(y, [])] if y else [])]
            for passage, run_ids in pooled:
                labeled = Qrel.objects.filter(query=query, passage=passage).exists()
                PooledPassage.objects.create(
                    pool=pool, query=query, passage=passage, run_ids=run_ids, is_qrel=labeled
                )
            pairs = [((a, b)[place % 2], (b, a)[place % 2]), *([(a, y), (b, y)] if y else [])]
            for better, worse in pairs:
                low, high = sorted((better, worse), key=lambda one: one.pk)
                pair = Pair.objects.create(campaign=self.campaign, query=query, passage_a=low, passage_b=high)
                Judgment.objects.create(
                    campaign=self.campaign, pair=pair, left=better, right=worse, worker=judge,
                    preferred=better,
                )  # fmt: skip
        self.version = publish_qrels(campaign=self.campaign).version

    def _passage(self, pid: str) -> Passage | None:
        return Passage.objects.filter(collection=self.collection, pid=pid).first()

    def other_labels(self) -> None:
        """Give every query another label without changing the two runs' means.

        Everything that is published must stay the same, too.
        """
        self.relabel("ba" * (QUERIES // 2 - 1))
        for qid in self.qids[-2:]:
            one, other = self._passage(f"y-{qid}"), self._passage(f"z-{qid}")
            for passage, pid in ((one, "spare"), (other, f"y-{qid}"), (one, f"z-{qid}")):
                Passage.objects.filter(pk=passage.pk).update(pid=pid, text=f"text of {pid}")

    def relabel(self, letters: str) -> None:
        """Label the top passage of alpha (``a``) or of beta (``b``) for each query but the last two."""
        for qid, letter in zip(self.qids[:-2], letters, strict=True):
            query, passage = Query.objects.get(qid=qid), self._passage(f"{letter}-{qid}")
            Qrel.objects.filter(query=query).update(passage=passage)
            PooledPassage.objects.filter(query=query).update(is_qrel=False)
            PooledPassage.objects.filter(query=query, passage=passage).update(is_qrel=True)
        QrelSet.objects.update(sha256=hashlib.sha256(letters.encode()).hexdigest())
