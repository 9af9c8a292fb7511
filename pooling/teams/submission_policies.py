"""Set a board's submission policy, and check new runs against it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db import transaction

from config import clock
from config.guidance import Guidance, Option, joined
from config.plurals import many
from pooling.collections.members import log
from pooling.errors import SubmissionRefused
from pooling.models import Collection, CollectionChange, Round, Run, SubmissionPolicy, Team
from pooling.rules.run_details import BY_NAME as DETAILS
from pooling.rules.submission_rules import next_welcome
from pooling.teams.rounds import Entry, accepted_in_rounds, hold_to_rounds
from pooling.teams.run_fields import known_details

# Field or detail of a run that any policy can require → the option that provides it.
METADATA = {
    "team": Option("team"),
    "description": Option("description"),
    "paper": Option("paper"),
    "code": Option("code"),
    "submitted_on": Option("date"),
} | {name: Option(name.replace("_", "-")) for name in DETAILS}
REQUIRED = ("team", "description", "family")
#: Former name → current name of a detail, for requests that use the former one.
FORMER = {"run_type": "family"}


#: A policy's choice → how runs are released when their embargo ends, in words.
RELEASED_AFTER = {"": "not automatically", "scores": "with scores", "public": "publicly"}
#: A policy's choice → what non-members see of unreleased submissions, in words.
PUBLIC_LISTS = {
    "": "nothing",
    "counts": "how many runs each team has submitted",
    "all": "tag, day, team and state of every submission (under embargo without the team)",
}
#: The number of decimals of a measure on pages. A policy can choose fewer.
MOST_DECIMALS = 4
#: The beginning of each entry about the policy in the activity log.
LOGGED = "submission policy"


def requirable(collection: Collection) -> dict[str, Option]:
    """Return the fields and details that the collection's policy can require → the option that provides each."""
    own = {name: one for name, one in known_details(collection).items() if name not in METADATA}
    return METADATA | {name: Option("detail", name, one.label) for name, one in own.items()}


def policy_of(collection: Collection) -> SubmissionPolicy | None:
    """Return the collection's submission policy, if any."""
    return SubmissionPolicy.objects.filter(collection=collection).first()


def set_policy(
    *,
    collection: Collection,
    most_runs: int,
    period_days: int,
    most_variants: int = 1,
    required: Sequence[str] = REQUIRED,
    longest_embargo_days: int = 0,
    release_after: str = "",
    teams_see_scores: bool = False,
    public_list: str = "",
    public_decimals: int | None = None,
    per_query_values: bool = False,
    who: str = "",
    why: str = "",
) -> SubmissionPolicy:
    """Set or replace the collection's policy. Existing runs are not affected. The team is always required."""
    if most_runs < 1 or period_days < 1 or min(most_variants, longest_embargo_days) < 0:
        raise SubmissionRefused(
            "A limit needs at least one run and one day, and no number can be negative.",
            "Enter at least 1 run and 1 day, and 0 or more for the others.",
        )
    if release_after not in RELEASED_AFTER or public_list not in PUBLIC_LISTS:
        raise SubmissionRefused(
            "The policy has an unknown choice.",
            f"Release after the embargo: {', '.join(filter(None, RELEASED_AFTER))} or empty. "
            f"Public list: {', '.join(filter(None, PUBLIC_LISTS))} or empty.",
        )
    if public_decimals is not None and not 0 <= public_decimals <= MOST_DECIMALS:
        raise SubmissionRefused(
            f"Values cannot have {public_decimals} decimals.", f"Choose a number from 0 to {MOST_DECIMALS}."
        )
    possible = requirable(collection)
    required = [FORMER.get(name, name) for name in required]
    unknown = [name for name in required if name not in possible]
    if unknown:
        raise SubmissionRefused(
            f"Runs have no detail called {', '.join(unknown)}.", f"Choose from: {', '.join(possible)}."
        )
    asked = {
        "most_runs": most_runs,
        "most_variants": most_variants,
        "period_days": period_days,
        "required": [name for name in possible if name == "team" or name in required],
        "longest_embargo_days": longest_embargo_days,
        "release_after": release_after,
        "teams_see_scores": teams_see_scores,
        "public_list": public_list,
        "public_decimals": public_decimals,
        "per_query_values": per_query_values,
    }
    before = policy_of(collection)
    if before is not None and all(getattr(before, name) == value for name, value in asked.items()):
        return before
    with transaction.atomic():
        policy, _ = SubmissionPolicy.objects.update_or_create(collection=collection, defaults=asked)
        _log_policy_change(collection, f"set: {policy_words(policy)}", who, why)
    return policy


def drop_policy(*, collection: Collection, who: str = "", why: str = "") -> bool:
    """Delete the policy; return whether the collection had one."""
    with transaction.atomic():
        dropped = bool(SubmissionPolicy.objects.filter(collection=collection).delete()[0])
        if dropped:
            _log_policy_change(collection, "deleted", who, why)
    return dropped


def field_label(name: str, collection: Collection) -> str:
    """Return the name of a run's field for use in a sentence; the collection's own fields keep their labels."""
    if name in DETAILS:
        return DETAILS[name].label.lower()
    known = known_details(collection)
    return known[name].label if name in known else name.replace("_", " ")


def policy_words(policy: SubmissionPolicy) -> str:
    variants = many(policy.most_variants, "variant") if policy.most_variants else "no variants"
    embargo = f"anonymous for at most {many(policy.longest_embargo_days, 'day')}"
    return "; ".join(
        [
            f"{many(policy.most_runs, 'run')} per team in {many(policy.period_days, 'day')}, {variants}",
            ", ".join(field_label(name, policy.collection) for name in policy.required),
            embargo if policy.longest_embargo_days else "no anonymity",
            *(
                [f"released {RELEASED_AFTER[policy.release_after]} after the embargo"]
                if policy.release_after
                else []
            ),
            *(
                []
                if policy.public_decimals is None
                else [f"values to {many(policy.public_decimals, 'decimal')}"]
            ),
            *(["per-query values shown"] if policy.per_query_values else []),
        ]
    )


def _log_policy_change(collection: Collection, what: str, who: str, why: str) -> None:
    said = f"{LOGGED} {what}" + (f" ({why.strip()})" if why.strip() else "")
    longest = CollectionChange._meta.get_field("what").max_length or 0
    log(collection, said[:longest], who=who)


def hold_to_policy(
    collection: Collection, run_tag: str, facts: dict[str, Any], entry: Entry | None = None
) -> Round | None:
    """Raise SubmissionRefused, with every reason, if the board's policy or rounds refuse a run with these facts.

    Call it in the transaction that creates the run: writing to the policy's row first makes a second import wait for
    the end of this transaction. The board's own baselines are exempt. Rounds apply only to runs that teams send
    themselves (``entry``). Returns the round that accepts such a run; None on a board without rounds.
    """
    policies = SubmissionPolicy.objects.filter(collection=collection)
    own_baseline = facts["baseline"] and entry is None
    refusals, taken_by = [], None
    if not own_baseline and policies.update(checked_at=clock.now()):
        refusals = _policy_refusals(policies.get(), collection, run_tag, facts)
    if entry is not None:
        try:
            taken_by = hold_to_rounds(collection, run_tag, facts, entry)
        except SubmissionRefused as refusal:
            refusals += refusal.parts
    if refusals:
        raise SubmissionRefused.for_all(refusals)
    return taken_by


def refuse_against_policy(
    collection: Collection, run_tag: str, facts: dict[str, Any], entry: Entry | None = None
) -> None:
    """Run the checks of :func:`hold_to_policy` without changing anything."""
    with transaction.atomic():
        hold_to_policy(collection, run_tag, facts, entry)
        transaction.set_rollback(True)


@dataclass(frozen=True)
class TeamStanding:
    """A team's numbers of recent runs and variants, and the first day for one more of each."""

    team: str
    recent: int
    variants: int
    welcome_on: date | None
    """None if no planned round accepts another run of the team."""
    variant_on: date | None
    """None for the same reason, or if the board accepts no variants."""


def teams_under(policy: SubmissionPolicy, *, now: datetime) -> list[TeamStanding]:
    """Return the teams with runs on the board, sorted by name, with the day from which the next run is accepted.

    A team with no runs, or with baselines only, is left out. For teams that submit their runs themselves, the rounds'
    limits apply, too.
    """
    runs = Run.objects.filter(collection=policy.collection, baseline=False).exclude(team="")
    by_team: dict[str, list[Run]] = {}
    for run in runs.order_by("team", "pk"):
        by_team.setdefault(run.team, []).append(run)
    teams = sorted(by_team.items(), key=lambda one: one[0].casefold())
    found = [_team_standing(policy, team, rows, now.date()) for team, rows in teams]
    submitters = set(Team.objects.filter(collection=policy.collection).values_list("name", flat=True))
    run_days, variant_days = (
        _days_in_rounds(policy.collection, {one.team: getattr(one, name) for one in found}, now)
        for name in ("welcome_on", "variant_on")
    )
    return [
        replace(one, welcome_on=run_days[one.team], variant_on=variant_days[one.team])
        if one.team in submitters
        else one
        for one in found
    ]


def _days_in_rounds(
    collection: Collection, days: dict[str, date | None], now: datetime
) -> dict[str, date | None]:
    """Return team → the first day, not before the given one, on which a round accepts its run; None if none does."""
    since = {team: max(now, day_begins(day)) for team, day in days.items() if day}
    found = accepted_in_rounds(collection, since)
    return {team: moment.date() if (moment := found.get(team)) else None for team in days}


def day_begins(day: date) -> datetime:
    return datetime.combine(day, time.min, UTC)


def welcome_on(policy: SubmissionPolicy, team: str, *, today: date) -> date:
    """Return the day from which the policy accepts the team's next run."""
    runs = Run.objects.filter(collection=policy.collection, baseline=False, team=team)
    return next_welcome(_submission_days(runs), wanted=today, most=policy.most_runs, days=policy.period_days)


def _team_standing(policy: SubmissionPolicy, team: str, runs: Sequence[Run], today: date) -> TeamStanding:
    variants = [run for run in runs if run.variant_of_id]
    since = today - timedelta(days=policy.period_days)

    def recent(rows: Sequence[Run]) -> int:
        return sum(since < day <= today for day in _submission_days(rows))

    def welcome(rows: Sequence[Run], most: int) -> date:
        return next_welcome(_submission_days(rows), wanted=today, most=most, days=policy.period_days)

    on = welcome(runs, policy.most_runs)
    variant_on = max(on, welcome(variants, policy.most_variants)) if policy.most_variants else None
    return TeamStanding(team, recent(runs), recent(variants), on, variant_on)


def _submission_days(runs: Iterable[Run]) -> list[date]:
    return [run.submitted_on or run.created_at.date() for run in runs]


def _policy_refusals(
    policy: SubmissionPolicy, collection: Collection, run_tag: str, facts: dict[str, Any]
) -> list[SubmissionRefused]:
    """Return every reason why the policy refuses a run with these facts."""
    found = [_incomplete(policy, run_tag, facts), _too_long_anonymous(policy, run_tag, facts)]
    try:
        team_runs = _runs_of_team(collection, run_tag, facts["team"])
    except SubmissionRefused as refusal:
        found.append(refusal)
    else:
        # Rounds, not the policy, limit a team's baselines.
        found += [] if facts["baseline"] else _too_early(policy, team_runs, run_tag, facts)
    return [one for one in found if one is not None]


def _too_early(
    policy: SubmissionPolicy, team_runs: Sequence[Run], run_tag: str, facts: dict[str, Any]
) -> list[SubmissionRefused | None]:
    day = facts["submitted_on"] or clock.now().date()
    found = [_over_limit(policy, policy.most_runs, team_runs, run_tag, day, "")]
    if facts["variant_of"] is not None:
        variants = [run for run in team_runs if run.variant_of_id]
        what = " that differ from another only by hyperparameters or seed"
        found.append(_over_limit(policy, policy.most_variants, variants, run_tag, day, what))
    return found


def fixed_facts(run: Run) -> frozenset[str]:
    """Return which facts of a run cannot change, because the policy counts runs by them; none for a baseline."""
    policy = not run.baseline and SubmissionPolicy.objects.filter(collection=run.collection_id).exists()
    return frozenset({"team", "submitted_on", "baseline"} if policy else ())


def refuse_change_against_policy(run: Run, changed: dict[str, Any]) -> None:
    """Raise SubmissionRefused if the board's policy forbids one of these changes to the run."""
    policy = SubmissionPolicy.objects.filter(collection=run.collection_id).first()
    if policy is None or run.baseline:
        return
    # A team's runs are counted by team name and day. Facts that were never stated can still be added.
    fixed = sorted(name for name in fixed_facts(run) & changed.keys() if getattr(run, name))
    if fixed or changed.get("baseline"):
        names = " and ".join(field_label(name, run.collection) for name in fixed or ["baseline"])
        raise SubmissionRefused(
            f"{run.run_tag}: the board's policy does not allow changes to: {names}.",
            "Leave these fields unchanged.",
        )
    emptied = [
        name
        for name in policy.required
        if (name in changed and not changed[name])
        or ("details" in changed and name in run.details and name not in changed["details"])
    ]
    if emptied:
        labels = ", ".join(field_label(name, run.collection) for name in emptied)
        raise SubmissionRefused(
            f"{run.run_tag}: this change would remove required details: {labels}.",
            Guidance("Keep ", joined(" ", (requirable(run.collection)[name] for name in emptied)), "."),
            missing=emptied,
        )
    facts = {"submitted_on": run.submitted_on or run.created_at.date(), **changed}
    if refusal := _too_long_anonymous(policy, run.run_tag, {"anonymous_until": None, **facts}):
        raise refusal


def _incomplete(policy: SubmissionPolicy, run_tag: str, facts: dict[str, Any]) -> SubmissionRefused | None:
    # "No" is an answer, so a detail is missing only if it is absent.
    missing = [
        name
        for name in policy.required
        if (not facts[name] if name in facts else name not in facts["details"])
    ]
    if not missing:
        return None
    possible = requirable(policy.collection)
    options = (possible[name] for name in missing if name in possible)
    return SubmissionRefused(
        f"{run_tag}: required details are missing.",
        Guidance("Add ", joined(" ", options), "."),
        missing=missing,
    )


def _too_long_anonymous(
    policy: SubmissionPolicy, run_tag: str, facts: dict[str, Any]
) -> SubmissionRefused | None:
    until = facts["anonymous_until"]
    latest = (facts["submitted_on"] or clock.now().date()) + timedelta(days=policy.longest_embargo_days)
    if until is None or until <= latest:
        return None
    return SubmissionRefused(
        f"{run_tag}: a run cannot stay anonymous until {until} on this board.",
        f"The latest possible day is {latest}." if policy.longest_embargo_days else "Leave the date empty.",
    )


def _runs_of_team(collection: Collection, run_tag: str, team: str) -> list[Run]:
    """Return the team's runs. Refuses a different spelling of the team's name."""
    runs = list(Run.objects.filter(collection=collection, baseline=False).exclude(team=""))
    spelled = {run.team for run in runs if plain_name(run.team) == plain_name(team)}
    if spelled and team not in spelled:
        raise SubmissionRefused(
            f"{run_tag}: this team has already submitted as {sorted(spelled)[0]!r}, and team names cannot change.",
            f"Write it as {sorted(spelled)[0]!r}.",
        )
    return [run for run in runs if run.team == team]


def plain_name(name: str) -> str:
    """Return a team's name without case, spaces and punctuation, to compare names."""
    return "".join(letter for letter in name.casefold() if letter.isalnum()) or name


def _over_limit(
    policy: SubmissionPolicy, most: int, runs: Sequence[Run], run_tag: str, day: date, what: str
) -> SubmissionRefused | None:
    if most == 0:
        return SubmissionRefused(
            f"{run_tag}: this board does not accept runs{what}.", "Submit something else."
        )
    welcome = next_welcome(_submission_days(runs), wanted=day, most=most, days=policy.period_days)
    if welcome <= day:
        return None
    return SubmissionRefused(
        f"{run_tag}: a team may submit {many(most, 'run')}{what} in any {many(policy.period_days, 'day')}.",
        f"You can submit the next run from {welcome}.",
        welcome_on=welcome,
    )
