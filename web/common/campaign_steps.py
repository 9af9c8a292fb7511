"""The next step of a campaign, in a sentence, and the page where it is done."""

from django.urls import reverse

from config.plurals import many
from judging.campaign.gold_pairs import needed_gold
from judging.grading.crowd_grading import undecided_topics
from judging.models import Campaign, GoldPair
from tournament.models import Challenge, QrelVersion
from web.common.directions import Direction


def idle_campaign_direction(campaign: Campaign) -> Direction | None:
    """Return the next step of a campaign that offers no tasks now; None if it depends on work in progress."""
    name = campaign.name
    if campaign.archived_at:
        words = "It is archived: lists show it under Archived. Restore it to continue."
        return Direction(
            words, reverse("web:campaign_step", args=[name, "restore"]), "Restore it", "steer campaign"
        )
    match campaign.state:
        case Campaign.State.DRAFT:
            words = _next_preparation(campaign)
            return Direction(words, reverse("web:prepare", args=[name]), "Prepare it", "prepare campaign")
        case Campaign.State.REHEARSED if campaign.placeholder_text:
            words = "Go through the check list, then launch it for simulated workers."
            return Direction(words, reverse("web:prepare_check", args=[name]), "Check it", "prepare campaign")
        case Campaign.State.REHEARSED:
            words = "Have people do a few tasks as a pilot, then launch."
            return Direction(words, reverse("web:prepare_pilot", args=[name]), "Pilot it", "prepare campaign")
        case Campaign.State.PILOTED:
            words = "Look at the pilot's results, then launch."
            return Direction(
                words, reverse("web:prepare_pilot", args=[name]), "Look at the pilot", "prepare campaign"
            )
        case Campaign.State.PAUSED:
            words = "Nothing is offered. Resuming offers the remaining tasks again."
            return Direction(
                words, reverse("web:campaign_step", args=[name, "resume"]), "Resume it", "steer campaign"
            )
        case Campaign.State.CLOSED:
            return step_after_judging(campaign)
    return None


def _next_preparation(campaign: Campaign) -> str:
    """Return a sentence with the remaining steps of a draft before its launch."""
    accepted = campaign.gold_pairs.filter(state=GoldPair.State.ACCEPTED).count()
    tries = ["rehearse"] if campaign.placeholder_text else ["rehearse", "pilot"]
    if (lacking := needed_gold(campaign) - accepted) > 0:
        return f"Accept {many(lacking, f'more {campaign.gold_words}')}, then {', '.join(tries)} or launch it."
    if campaign.texts_accepted_at is None:
        return f"Accept the texts that workers read, then {', '.join(tries)} or launch it."
    return f"{' or '.join(tries).capitalize()} it if you like, then go through the check list and launch it."


def step_after_judging(campaign: Campaign) -> Direction:
    """Return the next step of a campaign that has all its judgments or is closed."""
    if original := campaign.rehearsal_of:  # simulated judgments are not published
        if original.state not in Campaign.BEFORE_LAUNCH:  # the rehearsal's page leads to the campaign
            link = reverse("web:campaign", args=[original.name])
            return Direction(
                "The rehearsal is over, and its campaign was launched.", link, f"Open {original.name}"
            )
        return Direction(
            f"The rehearsal is over. Continue with {original.name}.",
            reverse("web:prepare_rehearsal", args=[original.name]),
            "See its results",
            "prepare campaign",
        )
    if campaign.grading:
        words = "The grades are in: create labels from the accepted topics."
        if left := undecided_topics(campaign):
            words = (
                f"{many(left, 'topic is', 'topics are')} undecided, and free for assessors and new campaigns."
            )
        return Direction(
            words,
            reverse("web:graded_campaign", args=[campaign.collection.name, campaign.grading.name]),
            "View the topics",
        )
    challenges = Challenge.objects.filter(campaign_id=campaign.pk)
    if asking := challenges.filter(state=Challenge.State.ASKING).first():
        return Direction(
            f"Challenge {asking.number} continues: an answer can make further pairs worth judging.",
            reverse("web:challenge", args=[campaign.name]),
            "View progress",
            "plan challenge",
        )
    published = QrelVersion.objects.filter(campaign_id=campaign.pk).order_by("-number")
    since = published.values_list("published_at", flat=True).first()
    if since and not challenges.filter(created_at__gt=since).exists():
        if campaign.state == Campaign.State.CLOSED:
            return Direction(
                "It is closed, and its best answers are published. New top passages are judged in another "
                "campaign of the collection: its challenges start from these best answers.",
                reverse("web:challenge_with", args=[campaign.collection.name]),
                "See where new runs can challenge",
                "plan challenge",
            )
        words = (
            "Its best answers are published. New runs may bring better answers, which then challenge these."
        )
        page = reverse("web:challenge", args=[campaign.name])
        return Direction(words, page, "See the unseen passages of new runs", "plan challenge")
    words = "The judgments are in: see every query's best answer, and publish them."
    order = "next" if QrelVersion.objects.filter(collection_id=campaign.collection_id).exists() else "first"
    return Direction(
        words, reverse("web:publish", args=[campaign.name]), f"Publish the {order} version", "publish version"
    )
