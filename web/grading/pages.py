"""Data of the pages of graded campaigns."""

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Count, QuerySet
from django.db.models.functions import Left
from django.http import Http404, QueryDict
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from config.plurals import many
from judging.campaign.campaigns import CampaignSettings
from judging.campaign.judging_orders import judging_begun
from judging.grading.graded_campaigns import judged_so_far
from judging.grading.graded_labels import withdrawn_passages
from judging.grading.grades import item_at
from judging.grading.topic_states import PREPARED, TopicState, effort_of, states_of
from judging.launch.forecast import Pace, forecast_pairs
from judging.models import GradedCampaign, GradedItem, GradedLabels, TopicAssignment, TopicDecision
from judging.rules.layout import placeholder_text
from judging.rules.topic_effort import (
    Effort,
    forecast_effort,
    no_limit_words,
    small_pools_words,
    whole_openings_words,
)
from judging.rules.topic_life import LifeRules, rules_with
from pooling.collections.members import may
from pooling.models import Collection
from web.common.access import ActionNotAllowed
from web.grading.forms import NewGradedCampaign
from web.preparation.pool_workload import pool_summary

Verdict = TopicDecision.Verdict
TOPICS_A_PAGE = 100
#: How many characters of a passage the list of earlier grades shows.
FIRST_LETTERS = 100


def sees_grading(user: Any, collection: Collection) -> bool:
    """Return whether this person can see the graded campaigns: a member, or an assessor."""
    return may(user, "see everything", collection) or may(user, "assess", collection)


def require_sight(user: Any, collection: Collection) -> None:
    """Raise PermissionDenied for somebody who cannot see the graded campaigns."""
    if not sees_grading(user, collection):
        raise ActionNotAllowed("a member or an assessor", collection, user)


def graded_campaign_of(collection: Collection, name: str) -> GradedCampaign:
    """Return the graded campaign. Raises Http404."""
    found = GradedCampaign.objects.filter(collection=collection, name=name).select_related(
        "pool", "collection"
    )
    if (campaign := found.first()) is None:
        raise Http404("There is no such graded campaign.")
    return campaign


def why_none_is_free(states: Sequence[TopicState]) -> str:
    """Return why assessors can take none of these topics."""
    undecided = [one for one in states if one.decision is None and not one.free]
    prepared = sum(one.state == PREPARED for one in undecided)
    causes = (
        (prepared, "kept for a crowd’s campaign that is not launched"),
        (len(undecided) - prepared, "being judged"),
        (sum(one.decision is not None for one in states), "decided"),
    )
    words = [f"{many(count, 'topic is', 'topics are')} {cause}" for count, cause in causes if count]
    return f"No topics are free{': ' if words else ''}{', '.join(words)}."


def list_page(collection: Collection, user: Any) -> dict[str, Any]:
    """Return the data of the page that lists graded campaigns, except the list itself."""
    return {
        "collection": collection,
        "may_run": may(user, "run grading", collection),
        "pools": collection.pools.exists(),
    }


def planned_effort(collection: Collection, given: QueryDict) -> dict[str, Any] | None:
    """Return the forecast for the choices in a form; None as long as they are incomplete or invalid."""
    plan = NewGradedCampaign.plan(collection, given)
    if plan is None:
        return None
    pool, settings = plan
    rules = rules_with(settings.rules)
    sizes = pool_summary(pool).stats.histogram
    return effort_forecast(forecast_effort(sizes, rules, settings.budget), rules)


def effort_forecast(effort: Effort, rules: LifeRules) -> dict[str, Any]:
    """Return the cases of a forecast, each with its number of passages and a crowd's price for them, and warnings."""
    cases = [
        ("Every topic is discarded early", effort.openings),
        ("Every topic needs its whole pool", effort.pools),
        ("Every topic is accepted as early as possible", effort.accepted),
        ("The budget is used up", effort.most),
    ]
    return {
        "effort": effort,
        "cases": [
            (words, passages, _crowd_price(passages)) for words, passages in cases if passages is not None
        ],
        "no_limit": no_limit_words(rules),
        "small_pools": small_pools_words(effort, rules),
        "whole_openings": whole_openings_words(effort, rules),
    }


def _crowd_price(passages: int) -> Decimal:
    return forecast_pairs(CampaignSettings(), passages, Pace()).quote.total


def graded_campaign_page(campaign: GradedCampaign, user: Any, number: str | None = None) -> dict[str, Any]:
    """Return the data of a graded campaign's page: all topics for members, free topics and their own for assessors.

    ``number``: the page of topics.
    """
    states, life = states_of(campaign), campaign.life
    collection = campaign.collection
    mine = [one for one in states if one.assignment and one.assignment.assessor_id == user.pk]
    seconds = [one for one in states if one.second and one.second.assessor_id == user.pk]
    assesses = may(user, "assess", collection)
    free = [one for one in states if one.free and one not in seconds] if assesses else []
    candidates = sum(one.free for one in states)
    may_publish = may(user, "add files", collection)
    crowds = (one.assignment.crowd for one in states if one.assignment and one.state == PREPARED)
    drafts = Counter(one.name for one in crowds if one)
    finished = (Verdict.ACCEPTED, Verdict.REJECTED, Verdict.DISCARDED)
    return {
        "campaign": campaign,
        "collection": collection,
        "page": Paginator(states, TOPICS_A_PAGE).get_page(number),
        "judged": judged_so_far(campaign),
        "accepted": sum(one.state == Verdict.ACCEPTED for one in states),
        "mine": mine if assesses else [],
        "seconds": seconds if assesses else [],
        "free": free[:TOPICS_A_PAGE],
        "free_count": len(free),
        "none_free": "" if free else why_none_is_free(states),
        "to_check": [
            one
            for one in states
            if one.state in finished and one.second is None and one.tally.judged
            if not one.was_taken_by(user)
        ][:TOPICS_A_PAGE]
        if assesses
        else [],
        "assesses": assesses,
        "member": may(user, "see everything", collection),
        "may_run": may(user, "run grading", collection),
        "may_publish": may_publish,
        "candidates": candidates,
        "forecast": effort_forecast(effort_of(campaign, states), life),
        "long": sum(one.decision is None and one.tally.judged > life.reject_judged for one in states),
        "may_ask": candidates and not campaign.ended_at and may(user, "prepare campaign", collection),
        "drafts": sorted(drafts.items()),
        "crowds": campaign.crowd_campaigns.filter(rehearsal_of=None).order_by("pk"),
        "may_export": may(user, "export judgments", collection),
        "verdicts": [str(one) for one in finished],
        "begun": judging_begun(campaign),
        "withdrawn": sum(withdrawn_passages(campaign).values()) if may_publish else 0,
        "labels": campaign.labels.select_related("qrel_set")
        .annotate(count=Count("qrel_set__qrels"))
        .order_by("pk"),
    }


def labels_created(made: GradedLabels) -> SafeString:
    """Return a message about the new labels, as HTML with a link to the collection's list of qrel sets."""
    labels, collection = made.qrel_set, made.campaign.collection
    return format_html(
        'The qrel set <a href="{}#h-qrels">{}</a> was created: {} of {}, relevant from grade {}.{}',
        reverse("web:collection", args=[collection.name]),
        labels.name,
        many(labels.qrels.count(), "label"),
        many(len(made.topics), "accepted topic"),
        labels.min_grade,
        " It is withheld: everybody sees scores under it, and only members see its labels." * labels.withheld,
    )


def assignments_held_by(user: Any) -> QuerySet[TopicAssignment]:
    """Return the person's assignments that are not over.

    Their pools' orders are deferred, because few requests need them.
    """
    held = TopicAssignment.objects.filter(assessor=user, over_at=None)
    return held.select_related("topic__query", "topic__campaign__collection").defer("topic__order")


class TopicLost(Exception):
    """The person's assignment is over; the message says why."""


def current_assignment(campaign: GradedCampaign, user: Any, key: int) -> TopicAssignment:
    """Return the person's assignment. Raises TopicLost if it is over, Http404 if it is another person's."""
    past = TopicAssignment.objects.filter(assessor=user, topic__campaign=campaign, pk=key)
    over = past.exclude(over_at=None).select_related("topic__query").first()
    if over is None:
        return own_assignment(campaign, user, key)
    text = over.topic.query.text
    if over.over_by == user.get_username():
        raise TopicLost(f"You declined “{text}”. Choose another topic.")
    raise TopicLost(
        f"The organizers took “{text}” from you: {over.over_why.rstrip('.')}. Your grades stay on record and do not "
        "count. Choose another topic."
    )


def own_assignment(campaign: GradedCampaign, user: Any, key: int) -> TopicAssignment:
    """Return the person's assignment. Raises Http404 if it is over or belongs to another person."""
    found = assignments_held_by(user).filter(topic__campaign=campaign, pk=key).first()
    if found is None:
        raise Http404("This topic is not yours.")
    return found


def assess_page(assignment: TopicAssignment, position: int | None) -> dict[str, Any]:
    """Return the data of the page on which an assessor judges; ``position`` asks for an earlier passage."""
    topic = assignment.topic
    campaign = topic.campaign
    firsts = Left("passage__text", FIRST_LETTERS)
    given = list(assignment.items.order_by("position").values_list("position", "grade", firsts))
    item = None if position is None else item_at(assignment, position)
    waiting = next((place for place, grade, _ in given if grade is None), None)
    if item is None and waiting is not None:
        item = item_at(assignment, waiting)
    states = [] if assignment.second else topic.decisions.filter(reversed_at=None)
    return {
        "campaign": campaign,
        "collection": campaign.collection,
        "topic": topic,
        "assignment": assignment,
        "item": item,
        "item_level": campaign.levels[item.grade].name if item and item.grade is not None else "",
        "text": item_text(item, campaign) if item else "",
        "levels": list(enumerate(campaign.levels)),
        "judged": [
            (place, campaign.levels[grade].name, words or "")
            for place, grade, words in given
            if grade is not None
        ],
        "given": len(given),
        "decision": next(iter(states), None),
        "over": campaign.ended_at is not None and not assignment.second,
    }


def item_text(item: GradedItem, campaign: GradedCampaign) -> str:
    """Return the passage's text, or a placeholder in a rehearsal without texts."""
    if item.passage.text is not None:
        return item.passage.text
    return placeholder_text(campaign.seed, item.passage.pid)
