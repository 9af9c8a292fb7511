"""The description of a task for workers: pay, usual time, size and languages, worded alike in lists and on pages."""

from django.utils import translation
from django.utils.translation import gettext

from config.crowd_endpoints import is_amazon
from judging.campaign.cost import pay_for
from judging.campaign.worker_texts import size_of, usual_minutes
from judging.models import Campaign, Submission
from judging.money.payments import Earned
from judging.rules.durations import duration_words
from judging.rules.pay import offer_in_words
from judging.rules.text_direction import language_name
from judging.rules.worker_sentences import ENGLISH, Wording

#: The limits of MTurk's protocol.
LONGEST_TITLE = 128
LONGEST_DESCRIPTION = 2000


def _list_tells_pay(campaign: Campaign) -> bool:
    """Return whether the crowd's list of tasks shows the whole pay by itself.

    Only the built-in marketplace's list does, because the marketplace reads the bonus from the keywords.
    """
    return campaign.crowd == "mturk" and not is_amazon(campaign.endpoint)


def offer_of(campaign: Campaign, pairs: int | None = None, wording: Wording = ENGLISH) -> str:
    """Describe a task in one line: ``13 pairs · passages in English · $2.00 for about 9 minutes, $13.33 an hour``.

    ``pairs`` is the task's number of pairs. Without it, the line describes any task of the campaign.
    """
    told = str(pairs) if pairs else size_of(campaign, wording)
    pairs = pairs or campaign.slots_per_task
    size = wording.ngettext("{pairs} pair", "{pairs} pairs", pairs).format(pairs=told)
    if campaign.grades and wording is ENGLISH:
        size = f"{told} {_item(campaign)}{'' if pairs == 1 else 's'}"
    language = wording.gettext(language_name(campaign.collection.language))
    passages = wording.gettext("passages in {language}").format(language=language)
    pay = pay_for(campaign)
    paid = offer_in_words(pay, usual_minutes(campaign, pairs), wording) if pay.whole else ""
    return " · ".join(filter(None, (size, passages, paid)))


def _item(campaign: Campaign) -> str:
    return "passage" if campaign.grades else "pair"


def title_of(campaign: Campaign) -> str:
    """Return the title for the crowd's list, with size, languages and pay as far as :data:`LONGEST_TITLE` allows."""
    pay = pay_for(campaign)
    passages, page = language_name(campaign.collection.language), language_name(campaign.language)
    size = f"{size_of(campaign)} {_item(campaign)}{'' if campaign.slots_per_task == 1 else 's'}"
    told = f"{size} in {page}" if passages == page else f"{size} · {passages} passages · page in {page}"
    paid = f" · ${pay.whole:,.2f}" if pay.whole and not _list_tells_pay(campaign) else ""
    for title in (f"{campaign.title} · {told}{paid}", f"{campaign.title} · {told}"):
        if len(title) <= LONGEST_TITLE:
            return title
    return campaign.title


def description_of(campaign: Campaign) -> str:
    """Return the description for the crowd's list: the work, the languages, and the pay unless the list shows it."""
    pay, pairs = pay_for(campaign), campaign.slots_per_task
    repeated = f", {size_of(campaign)} times" if pairs > 1 else ""
    asked = "two passages, and choose the passage that answers it better"
    if campaign.grades:
        asked = "a passage, and choose how well the passage answers it"
    task = campaign.description or f"Read a question and {asked}{repeated}."
    passages, page = language_name(campaign.collection.language), language_name(campaign.language)
    same = passages == page
    told = f"{task} Passages {f'and page are in {page}' if same else f'are in {passages} and the page is in {page}'}."
    if pay.whole and not _list_tells_pay(campaign):
        told += f" Pays {offer_in_words(pay, usual_minutes(campaign, pairs))}"
        if pay.bonus:
            told += f": this reward, and a bonus of ${pay.bonus:,.2f} for judging every {_item(campaign)}"
        told += "."
    return told if len(told) <= LONGEST_DESCRIPTION else task


def keywords_of(campaign: Campaign) -> str:
    """Return the keywords of a posting, which the built-in marketplace reads (docs/marketplace-protocol.md).

    Other crowds only show them.
    """
    pay = pay_for(campaign)
    told = [
        f"{_item(campaign)}s:{size_of(campaign).replace(' to ', '-')}",
        f"minutes:{usual_minutes(campaign, campaign.slots_per_task)}",
    ]
    told.append(
        f"limit:{campaign.assignment_seconds // 60}"
    )  # the crowd is asked for more, see judging/rules/deadlines.py
    told.append("promise:answer")
    if pay.bonus:
        told.append(f"bonus:{pay.bonus:.2f}")
    return ", ".join(
        [*told, f"language:{campaign.collection.language}", f"page-language:{campaign.language}"]
    )


def unread_words(so_far: Earned) -> str:
    """Return the sentence for a task judged faster than anybody can read: the requester decides about its pay."""
    told = gettext(
        "The requester decides whether you are paid ${earned}, since the pairs were judged faster than anybody can "
        "read."
    )
    return told.format(earned=f"{so_far.dollars:.2f}")


def paid_when(submission: Submission, so_far: Earned) -> str:
    """Return sentences that say when, and in which parts, a submitted task is paid.

    Empty if nothing is promised.
    """
    campaign = submission.campaign
    pay, earned = so_far.pay, so_far.dollars
    if not earned or (submission.left_early and not pay.bonus):
        return ""
    if so_far.unread and pay.bonus and so_far.judged == so_far.shown:
        return gettext(
            "${base} is paid when your task is approved. The requester decides about the bonus of ${bonus}, since "
            "the pairs were judged faster than anybody can read."
        ).format(base=f"{pay.base:.2f}", bonus=f"{earned - pay.base:.2f}")
    if so_far.unread:
        return unread_words(so_far)
    if bonus := earned - pay.base:
        amounts = {"base": f"{pay.base:.2f}", "bonus": f"{bonus:.2f}"}
        told = gettext(
            "${base} is paid when your task is approved, and a bonus of ${bonus} right after that."
        ).format(**amounts)
    else:
        told = gettext("${earned} is paid when your task is approved.").format(earned=f"{earned:.2f}")
    if not campaign.hold_hours:
        usually = gettext("That usually takes a few minutes.")
        return f"{told} {usually}"
    hours = duration_words(campaign.hold_hours * 3600, translation)
    looked_at = gettext("The requester can look at your work for {hours} before that.")
    return f"{told} {looked_at.format(hours=hours)}"
