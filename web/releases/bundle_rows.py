"""The rows of a bundle's files, by kind, and counts of what is left out."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cached_property
from operator import itemgetter
from typing import Any

from judging.models import GoldAnswer, Judgment, Submission
from judging.people.anonymity import month_of, without_time_order
from pooling.models import PooledPassage
from tournament.models import ChallengedQuery
from tournament.services.resolution import pids_by_key
from web.releases.scope import Scope

Row = dict[str, Any]
GOLD = ("campaign", "relevant", "off_topic")
#: The columns by which rows are sorted.
_shown = itemgetter("campaign", "qid", "left", "right")


class ReleasedRows:
    """The rows of a bundle's files for one scope; ``left_out`` counts omitted rows by reason."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.left_out: Counter[str] = Counter()
        self.used = {number: frozenset(content["judgments"]) for number, content in scope.contents.items()}
        self.excluded = {
            (row.campaign_id, row.worker_id)
            for row in scope.exclusions()
            if row.reversed_at is None or row.reversed_at > scope.version.published_at
        }

    @cached_property
    def deciding(self) -> dict[str, int]:
        """Qid → number of the version whose judgments decided the query: this one, unless it was carried over."""
        carried: dict[str, int] = self.scope.contents[self.scope.version.number]["carried"]
        return {
            query.qid: carried.get(query.qid, self.scope.version.number)
            for query in self.scope.queries.values()
        }

    def judgments(self) -> Iterator[Row]:
        """Yield the releasable judgments that were recorded before the version was published."""
        return without_time_order(self._judgments(), _shown)

    def _judgments(self) -> Iterator[Row]:
        scope = self.scope
        rows = (
            Judgment.objects.filter(
                campaign__in=scope.campaigns, recorded_at__lte=scope.version.published_at
            )
            .exclude(submission__standing=Submission.Standing.TRIAL)
            .order_by("campaign", "pair__query", "left", "right")
            .values_list(
                "pk", "campaign", "pair__query", "left", "right", "left__pid", "right__pid", "preferred__pid",
                "worker", "judged_at", "phase", "judge_kind", "submission__task__number", "pair__round",
            )
        )  # fmt: skip
        name = {campaign.pk: campaign.name for campaign in scope.campaigns}
        shown: list[Any]
        for pk, campaign, query, left, right, *shown in rows.iterator(chunk_size=5000):
            left_pid, right_pid, preferred, worker, at, phase, kind, task, number = shown
            if not self._told("judgments", campaign, worker, query, left, right):
                continue
            qid = scope.queries[query].qid
            yield {
                "campaign": name[campaign],
                "qid": qid,
                "left": left_pid,
                "right": right_pid,
                "preferred": preferred,
                "worker": scope.pseudonym(campaign, worker),
                "time": month_of(at) or None,
                "phase": phase,
                "judge_kind": kind,
                "task": scope.task_name(campaign, task),
                "round": number,
                "counts": pk in self.used[self.deciding[qid]],
                "excluded": (campaign, worker) in self.excluded,
                "versions": [number for number, used in self.used.items() if pk in used],
            }

    def _told(self, what: str, campaign: int, worker: int | None, query: int, *passages: int) -> bool:
        """Return whether a row can be released; if not, count it under the first reason that applies."""
        scope = self.scope
        if query not in (scope.queries if what == "judgments" else scope.gold_queries):
            reason = "on queries that are private or not covered"
        elif (campaign, worker) in scope.withdrawn:
            reason = "of workers who took them back"
        elif "gold" in what and scope.withheld:
            reason = "which tell labels that are withheld"
        elif not all(scope.sight.sees(query, passage) for passage in passages):
            reason = "on passages that no public run supplied"
        else:
            return True
        self.left_out[f"{what} {reason}"] += 1
        return False

    def gold(self) -> Iterator[Row]:
        """Yield the releasable gold pairs that were accepted, including those that were suspended later."""
        for pair in self.scope.gold_pairs().select_related(*GOLD).order_by("campaign__name", "pk"):
            if self._told("gold pairs", 0, None, pair.query_id, pair.relevant_id, pair.off_topic_id):
                yield {
                    "campaign": pair.campaign.name,
                    "qid": self.scope.gold_queries[pair.query_id].qid,
                    "relevant": pair.relevant.pid,
                    "off_topic": pair.off_topic.pid,
                    "kind": str(pair.kind),
                    "state": str(pair.state),
                }

    def gold_answers(self) -> Iterator[Row]:
        """Yield the releasable gold-pair answers that were recorded before the version was published."""
        return without_time_order(self._gold_answers(), _shown)

    def _gold_answers(self) -> Iterator[Row]:
        scope = self.scope
        rows = (
            GoldAnswer.objects.confirmed()
            .filter(
                submission__campaign__in=scope.campaigns, recorded_at__lte=scope.version.published_at
            )
            .exclude(submission__standing=Submission.Standing.TRIAL)
            .order_by("submission__campaign", "gold_pair__query", "slot__left", "slot__right")
            .values_list(
                "submission__campaign", "gold_pair__query", "slot__left", "slot__right", "slot__left__pid",
                "slot__right__pid", "preferred__pid", "worker", "recorded_at", "passed",
                "submission__task__number",
            )
        )  # fmt: skip
        name = {campaign.pk: campaign.name for campaign in scope.campaigns}
        shown: list[Any]
        for campaign, query, left, right, *shown in rows.iterator(chunk_size=5000):
            left_pid, right_pid, preferred, worker, at, passed, task = shown
            if not self._told("answers on gold pairs", campaign, worker, query, left, right):
                continue
            yield {
                "campaign": name[campaign],
                "qid": scope.gold_queries[query].qid,
                "left": left_pid,
                "right": right_pid,
                "preferred": preferred,
                "worker": scope.pseudonym(campaign, worker),
                "time": month_of(at),
                "task": scope.task_name(campaign, task),
                "passed": passed,
                "excluded": (campaign, worker) in self.excluded,
            }

    def passages(self) -> Iterator[Row]:
        """Yield the releasable passages of each query's pool and challenges, with the public runs behind them."""
        scope = self.scope
        best: dict[int, set[int]] = defaultdict(set)
        for query, passage in scope.version.qrels.values_list("query_id", "passage_id"):
            best[query].add(passage)
        members = self._members()
        pid = pids_by_key({passage for key in scope.queries for passage in members[key] | best[key]})
        for key, one in scope.queries.items():
            for passage in sorted(members[key] | best[key], key=pid.__getitem__):
                if not scope.sight.sees(key, passage):
                    self.left_out["passages that no public run supplied"] += 1
                    continue
                yield {
                    "qid": one.qid,
                    "pid": pid[passage],
                    "runs": [run.run_tag for run in scope.sight.shown_suppliers(key, passage)],
                    "labelled": (key, passage) in scope.sight.released,
                    "best": passage in best[key],
                }

    def runs(self) -> Iterator[Row]:
        """Yield the public runs, as everybody sees them."""
        left_out = len(self.scope.suppliers) - len(self.scope.public_runs)
        self.left_out["runs that are not public"] = left_out
        for run in self.scope.public_runs:
            yield {
                "run_tag": run.run_tag,
                "team": run.team,
                "description": run.description,
                "paper": run.paper,
                "code": run.code,
                "type": run.run_type,
                "submitted_on": run.submitted_on.isoformat() if run.submitted_on else None,
                "baseline": run.baseline,
                "sha256": run.shown_sha256,
            }

    def exclusions(self) -> Iterator[Row]:
        """Yield the exclusions of workers, with the rule and the month, without the reason in words."""
        return without_time_order(self._exclusions(), itemgetter("campaign"))

    def _exclusions(self) -> Iterator[Row]:
        at = self.scope.version.published_at
        for row in self.scope.exclusions():
            reversed_at = row.reversed_at if row.reversed_at and row.reversed_at <= at else None
            yield {
                "campaign": row.campaign.name,
                "worker": self.scope.pseudonym(row.campaign_id, row.worker_id),
                "rule": row.rule,
                "decided_at": month_of(row.decided_at),
                "by": "a person" if row.decided_by else "the rule",
                "reversed_at": month_of(reversed_at) or None,
            }

    def _members(self) -> dict[int, set[int]]:
        """Return query key → keys of passages in the campaigns' pools and in challenges up to the version."""
        found: dict[int, set[int]] = defaultdict(set)
        pools = [campaign.pool_id for campaign in self.scope.campaigns if campaign.pool_id]
        rows = PooledPassage.objects.filter(pool__in=pools).values_list("query_id", "passage_id")
        for query, passage in rows.iterator(chunk_size=20_000):
            found[query].add(passage)
        challenged = ChallengedQuery.objects.filter(
            challenge__campaign__in=self.scope.campaigns,
            challenge__created_at__lte=self.scope.version.published_at,
        )
        for row in challenged.iterator(chunk_size=2000):
            further = [key for members in row.members.values() for key in members]
            found[row.query_id].update(row.best_ids, row.challenger_ids, further)
        return found
