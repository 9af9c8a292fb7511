"""Teams and rounds as pages show them to everybody, to a team, and to members."""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from config import clock
from config.plurals import many
from pooling.collections.members import may
from pooling.models import Collection, Round, Run, Team, TeamApplication, TeamMember
from pooling.rules.round_rules import RoundRefusal, RunBefore, moment_in_utc
from pooling.teams.rounds import accepted_in_rounds, round_at, runs_before
from pooling.teams.submission_policies import day_begins, policy_of, welcome_on
from pooling.teams.teams import invitations_of, leads, runs_of_team, team_of
from web.common.visibility import opened_runs, sees_everything

ANONYMOUS = "anonymous"
#: The name of the line that counts unreleased runs and runs under embargo together.
NAMELESS = "anonymous or not released"


@dataclass(frozen=True)
class Submitted:
    """A submission in the public list: its tag, day, team (unless under embargo) and whether it is released."""

    run_tag: str
    team: str
    day: Any
    released: bool
    key: int


@dataclass
class TeamLine:
    """A team with the number of its submissions: in total, and by round."""

    name: str
    affiliation: str = ""
    key: int | None = None
    runs: int = 0
    by_round: dict[int, int] = field(default_factory=lambda: defaultdict(int))

    def counts(self, rounds: list[Round]) -> list[int]:
        """Return the counts of these rounds, in their order."""
        return [self.by_round[one.pk] for one in rounds]


@dataclass(frozen=True)
class Quota:
    """The number of runs that a team has submitted in a round, and how many it can still submit."""

    round: Round
    runs: int
    baselines: int
    priorities: list[int]

    @property
    def runs_left(self) -> int:
        """The number of official runs that the team can still submit."""
        return max(0, self.round.most_runs - self.runs)

    @property
    def baselines_left(self) -> int:
        """The number of baseline runs that the team can still submit."""
        return max(0, self.round.most_baselines - self.baselines)


def opening_for(team: Team | None) -> dict[str, Any]:
    """Return the team's ``quota`` in the open round, and why runs would be refused now. Each value can be None.

    ``closed``: why every run would be refused. ``used_up``: why only baselines are still accepted.
    """
    now = clock.now()
    found = round_at(team.collection, now) if team else None
    if team is None or isinstance(found, RoundRefusal):
        return {"quota": None, "closed": found, "used_up": None}
    quota = _quota_of_round(found, runs_before(found, team)) if found else None
    refusal = _used_up(team, quota, now)
    baselines = bool(quota and quota.baselines_left)
    return {
        "quota": quota,
        "closed": None if baselines else refusal,
        "used_up": refusal if baselines else None,
    }


def _used_up(team: Team, quota: Quota | None, now: datetime) -> RoundRefusal | None:
    """Return a refusal with the limits that the team's official runs have reached; None if there are none.

    The refusal also says when the next run is accepted.
    """
    policy, reached, since = policy_of(team.collection), [], now
    if quota and not quota.runs_left:
        reached.append(
            f"the round {quota.round.name} accepts {many(quota.round.most_runs, 'run')} from each team"
        )
    if policy and (day := welcome_on(policy, team.name, today=now.date())) > now.date():
        since = day_begins(day)
        period = many(policy.period_days, "day")
        reached.append(f"the policy allows a team {many(policy.most_runs, 'run')} in any {period}")
    if not reached:
        return None
    again = accepted_in_rounds(team.collection, {team.name: since})[team.name]
    used = f"the runs of {team.name} are used up: {', and '.join(reached)}"
    if again is None:
        return RoundRefusal(used, "No planned round accepts another run. Ask the organizers.", used)
    return RoundRefusal(used, f"The next run is accepted from {moment_in_utc(again)}.", used)


def teams_page(collection: Collection, user: Any) -> dict[str, Any]:
    """Return the board's rounds and teams, with the submissions that this person can see under the policy."""
    member, own = sees_everything(user, collection), team_of(user, collection)
    policy = policy_of(collection)
    told = "all" if member else policy.public_list if policy else ""
    rounds = list(Round.objects.filter(collection=collection).order_by("-opens_at", "pk"))
    runs = [run for run in _runs_of_teams(collection) if told or run.release != Run.Release.PRIVATE]
    lines = _team_lines(collection, runs, member, told)
    manages = may(user, "manage teams", collection)
    opened = {run.pk for run in opened_runs(collection, user)}
    waiting = TeamApplication.objects.filter(collection=collection, state=TeamApplication.State.WAITING)
    return {
        "collection": collection,
        "rounds": rounds,
        "now": clock.now(),
        "lines": [(line, line.counts(rounds)) for line in lines],
        "opens_team": member,
        "own": own,
        "closed": opening_for(own)["closed"],
        "told": told,
        "submitted": _submissions(runs, member) if told == "all" else [],
        "opened": opened,
        "manages": manages,
        "applications": list(waiting.order_by("pk")) if manages else [],
        "may_apply": not user.is_authenticated or (own is None and not member),
    }


def _runs_of_teams(collection: Collection) -> list[Run]:
    rows = Run.objects.filter(collection=collection).exclude(team="").order_by("-created_at", "-pk")
    return list(rows.defer("report", "description"))


def _team_name(run: Run, member: bool) -> str:
    return run.team if member or not run.is_anonymous else ANONYMOUS


def _team_lines(collection: Collection, runs: list[Run], member: bool, told: str) -> list[TeamLine]:
    """Return every team with its counts. Runs under embargo are counted together, to hide their authors.

    If only counts are public, unreleased runs are added to this count. Otherwise, a team whose count in a round is
    below the limit would be the likely author.
    """
    nameless = told == "counts" and any(run.is_anonymous for run in runs)
    teams = Team.objects.filter(collection=collection)
    found = {team.name: TeamLine(team.name, team.affiliation, team.pk) for team in teams}
    for run in runs:
        name = _team_name(run, member)
        if nameless and (name == ANONYMOUS or run.release == Run.Release.PRIVATE):
            name = NAMELESS
        line = found.setdefault(name, TeamLine(name))
        line.runs += 1
        if run.round_id is not None:
            line.by_round[run.round_id] += 1
    return sorted(found.values(), key=lambda line: (line.name in (ANONYMOUS, NAMELESS), line.name.casefold()))


def _submissions(runs: list[Run], member: bool) -> list[Submitted]:
    """Return the runs, latest first; for non-members by day, then by tag, so that order reveals no author."""
    rows = [_submitted_run(run, member) for run in runs]
    if member:
        return rows
    by_tag = sorted(rows, key=lambda row: row.run_tag)
    return sorted(by_tag, key=lambda row: row.day, reverse=True)


def _submitted_run(run: Run, member: bool) -> Submitted:
    day = run.submitted_on or run.created_at.date()
    released = run.release != Run.Release.PRIVATE
    return Submitted(run.run_tag, _team_name(run, member), day, released, run.pk)


def team_page(team: Team, user: Any) -> dict[str, Any]:
    """Return a team's people, runs, problems and quota, for the team itself and for members."""
    collection, now = team.collection, clock.now()
    policy = policy_of(collection)
    manages = may(user, "manage teams", collection)
    opening = opening_for(team)
    rounds = Round.objects.filter(collection=collection, closes_at__gt=now).order_by("opens_at", "pk")
    return {
        "collection": collection,
        "team": team,
        "own": team_of(user, collection) == team,
        "closed": opening["closed"],
        "used_up": opening["used_up"],
        "people": TeamMember.objects.filter(team=team).select_related("user").order_by("pk"),
        "runs": list(runs_of_team(team).select_related("round").order_by("-created_at", "-pk")),
        "policy": policy,
        "now": now,
        "quotas": [_quota_of_round(one, runs_before(one, team)) for one in rounds],
        "invites": manages or leads(user, team),
        "manages": manages,
        "invitations": list(invitations_of(team)) if manages or leads(user, team) else [],
    }


def _quota_of_round(planned: Round, before: list[RunBefore]) -> Quota:
    official = [one for one in before if not one.baseline]
    return Quota(
        planned,
        len(official),
        len(before) - len(official),
        sorted(one.priority for one in official if one.priority),
    )
