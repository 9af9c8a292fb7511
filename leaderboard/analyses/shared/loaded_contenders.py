"""A campaign's compared passages, its judgments of them, and their ranks in the runs, loaded as arrays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from config.guidance import Action, Guidance
from judging.models import Campaign, Judgment
from leaderboard.analyses.label_noise.computation import UNKNOWN, Evidence
from leaderboard.analyses.shared.contenders import NOWHERE, Contenders, Flags, Integers
from leaderboard.board.standings import DEPTH, PERFECT
from leaderboard.cache.software_version import software_version
from leaderboard.errors import NothingToScore
from leaderboard.output import Facts as TableFacts
from leaderboard.scoring.labels import qrel_set_labels
from pooling.files.wanted_ranks import Wanted, find_wanted
from pooling.models import QrelSet, Query, Run
from pooling.storage import bulk
from pooling.storage.ranking_files import ranking_of
from tournament.services.judged_facts import Facts, latest_resolution, load_facts, representatives
from tournament.services.resolution import pids_by_key

KEYS_AT_ONCE = 5000


@dataclass(frozen=True)
class LoadedContenders:
    """A campaign's data for the analyses of preferences.

    ``phase`` has the phase of each judgment, in the order of ``evidence.judged``. ``qids`` maps query key → qid.
    ``qrels`` maps query key → node of the official qrel, for qrels that were compared. ``labeled`` has the keys of
    all queries with an official qrel.
    """

    facts: Facts
    contenders: Contenders
    evidence: Evidence
    phase: tuple[str, ...]
    qids: Mapping[int, str]
    qrels: Mapping[int, int]
    labeled: frozenset[int]

    @property
    def simulated(self) -> bool:
        """Whether any judgment is simulated."""
        return bool(self.facts.judgments.simulated.any())

    @property
    def rules(self) -> tuple[tuple[str, str], ...]:
        """The tournament's rules for ties and for counting wins, as facts for tables."""
        parameters = self.evidence.parameters
        return ("ties", str(parameters.ties)), ("pairs count by", str(parameters.count))

    def table_facts(
        self,
        *,
        measure: str,
        queries: int,
        labels: Sequence[str] = (),
        seed: int | None = None,
        further: Sequence[tuple[str, str]] = (),
    ) -> TableFacts:
        """Return the facts that must accompany every number computed from this campaign."""
        campaign = self.facts.campaign
        return TableFacts(
            collection=campaign.collection.name,
            runs=self.contenders.run_tags,
            labels=(f"judgments of {campaign.name}", *labels),
            measure=measure,
            queries=queries,
            software=software_version(),
            seed=seed,
            simulated=self.simulated,
            further=tuple(further),
        )

    @property
    def has_qrel(self) -> Flags:
        """A mask of the contenders' queries that have an official qrel for the perfect run, shape (queries,)."""
        return np.isin(self.contenders.queries, sorted(self.labeled))

    def with_perfect_run(self) -> Contenders:
        """Return the contenders with the perfect run added last.

        The perfect run ranks only each query's official qrel.
        """
        rank = np.zeros((1, len(self.contenders.query)), dtype=np.int64)
        rank[0, list(self.qrels.values())] = 1
        return replace(
            self.contenders,
            run_tags=(*self.contenders.run_tags, PERFECT),
            rank=np.vstack([self.contenders.rank, rank]),
        )


def load_contenders(
    *, campaign: Campaign, runs: Sequence[Run], qrel_set: QrelSet | None = None, ties: str | None = None
) -> LoadedContenders:
    """Load a campaign's counted judgments and the ranks of the compared passages in the runs.

    The tournament's rules are those of the campaign's last resolution; ``ties`` overrides its rule for ties. Raises
    :class:`NothingToScore` if no judgment counts.
    """
    facts = load_facts(campaign)
    if not len(facts.judgments.id):
        raise NothingToScore(
            f"No judgment of the campaign {campaign.name} counts yet.",
            Guidance("Wait for judgments, or import some: ", Action("import_judgments", lead="")),
        )
    nodes = sorted((query, rep) for query, by_rep in facts.classes.items() for rep in by_rep)
    query, passage = np.array(nodes, dtype=np.int64).reshape(-1, 2).T
    represents = representatives(facts.classes)
    qids = dict(Query.objects.filter(collection=campaign.collection).values_list("pk", "qid"))
    named = _Members(represents, qids)
    contenders = Contenders(
        tuple(run.run_tag for run in runs), query, passage, named.ranks(nodes, runs), represents
    )
    last = latest_resolution(campaign)
    worker, phase = _who_and_when(facts)
    evidence = Evidence(
        facts.entrants,
        facts.judgments.judged,
        facts.contests,
        facts.parameters(ties or last.ties, last.count),
        worker,
    )
    official = {} if qrel_set is None else qrel_set_labels(qrel_set).the_qrel()
    labeled = frozenset(key for key, qid in qids.items() if qid in official)
    return LoadedContenders(
        facts, contenders, evidence, phase, qids, named.nodes_of(contenders, official), labeled
    )


class _Members:
    """All compared passages, to look up their ranks in runs and their nodes."""

    def __init__(self, represents: Mapping[tuple[int, int], int], qids: Mapping[int, str]) -> None:
        self.keys = sorted(represents)
        self.represents, self.qids = represents, qids
        self.pid_of = pids_by_key({passage for _, passage in self.keys})

    def ranks(self, nodes: Sequence[tuple[int, int]], runs: Sequence[Run]) -> Integers:
        """Return the best rank of each node's members, shape (runs, nodes); 0 if none is within the first ten."""
        place = {node: number for number, node in enumerate(nodes)}
        node = np.array([place[query, self.represents[query, member]] for query, member in self.keys])
        wanted = self._wanted()
        table = np.zeros((len(runs), len(nodes)), dtype=np.int64)
        for row, run in enumerate(runs):
            rank = find_wanted(ranking_of(run, DEPTH), wanted).rank
            best = np.full(len(nodes), DEPTH + 1, dtype=np.int64)
            held = rank > 0
            np.minimum.at(best, node[held], rank[held])
            table[row] = np.where(best <= DEPTH, best, 0)
        return table

    def _wanted(self) -> Wanted:
        order = sorted({query for query, _ in self.keys})
        place = {query: number for number, query in enumerate(order)}
        return Wanted(
            tuple(self.qids[query] for query in order),
            np.array([place[query] for query, _ in self.keys], dtype=np.int64),
            tuple(self.pid_of[passage] for _, passage in self.keys),
        )

    def nodes_of(self, contenders: Contenders, named: Mapping[str, str]) -> dict[int, int]:
        """Return query key → node of the query's passage in ``named`` (qid → pid), if it was compared."""
        found = {}
        for query, passage in self.keys:
            if named.get(self.qids[query]) == self.pid_of[passage]:
                node = contenders.node(query, passage)
                if node != NOWHERE:
                    found[query] = node
        return found


def _who_and_when(facts: Facts) -> tuple[Integers, tuple[str, ...]]:
    """Return each judgment's worker (a code from 0, or UNKNOWN) and phase, in the order of the facts' judgments."""
    rows: dict[int, tuple[int | None, str]] = {}
    ids = facts.judgments.id.tolist()
    for part in bulk.parts(ids, KEYS_AT_ONCE):
        found = Judgment.objects.filter(pk__in=part)
        rows |= {pk: (worker, phase) for pk, worker, phase in found.values_list("pk", "worker_id", "phase")}
    codes: dict[int, int] = {}
    worker = [rows[pk][0] for pk in ids]
    coded = [UNKNOWN if one is None else codes.setdefault(one, len(codes)) for one in worker]
    return np.array(coded, dtype=np.int64), tuple(rows[pk][1] for pk in ids)


def best_flags(known: LoadedContenders) -> Flags:
    """Return which nodes are best answers by all counted judgments."""
    return known.evidence.best(known.contenders)
