"""What workers are told of a task: pay, usual time, size and languages, in the same words on listing and pages."""

from __future__ import annotations

from django.utils import translation

from judging.durations import in_words
from judging.models import Campaign, Submission
from judging.pay import offer_in_words
from judging.services.cost import pay_for
from judging.services.payments import earned_so_far
from judging.services.texts import usual_minutes
from judging.wording import ENGLISH, Wording
from judging.writing import name_of

#: At crowds of MTurk's protocol.
LONGEST_TITLE = 128
LONGEST_DESCRIPTION = 2000


def pairs_of(campaign: Campaign) -> int:
    """How many pairs a full task shows, test pairs included."""
    return campaign.slots_per_task


def offer_of(campaign: Campaign, pairs: int, wording: Wording = ENGLISH) -> str:
    """A task in one line: ``13 pairs · passages in English · $2.00 for about 9 minutes, $13.33 an hour``."""
    size = wording.ngettext("{pairs} pair", "{pairs} pairs", pairs).format(pairs=pairs)
    language = wording.gettext(name_of(campaign.collection.language))
    passages = wording.gettext("passages in {language}").format(language=language)
    pay = pay_for(campaign)
    paid = offer_in_words(pay, usual_minutes(campaign, pairs), wording) if pay.whole else ""
    return " · ".join(filter(None, (size, passages, paid)))


def title_of(campaign: Campaign) -> str:
    """The title in the crowd's list, with as much of size, languages and pay as fits."""
    pairs, pay = pairs_of(campaign), pay_for(campaign)
    passages, page = name_of(campaign.collection.language), name_of(campaign.language)
    size = f"{pairs} pair{'' if pairs == 1 else 's'}"
    told = f"{size} in {page}" if passages == page else f"{size} · {passages} passages · page in {page}"
    paid = f" · ${pay.whole:,.2f}" if pay.whole else ""
    for title in (f"{campaign.title} · {told}{paid}", f"{campaign.title} · {told}"):
        if len(title) <= LONGEST_TITLE:
            return title
    return campaign.title


def description_of(campaign: Campaign) -> str:
    """The description in the crowd's list: what to do, what it pays in all, and how that is made up."""
    pairs, pay = pairs_of(campaign), pay_for(campaign)
    task = campaign.description or (
        f"Read a question and two passages, and choose the passage that answers it better; {pairs} times."
    )
    passages, page = name_of(campaign.collection.language), name_of(campaign.language)
    same = passages == page
    told = f"{task} Passages {f'and page are in {page}' if same else f'are in {passages}, the page is in {page}'}."
    if pay.whole:
        told += f" Pays {offer_in_words(pay, usual_minutes(campaign, pairs))}"
        if pay.bonus:
            told += f": this reward, and a bonus of ${pay.bonus:,.2f} for judging every pair"
        told += "."
    return told if len(told) <= LONGEST_DESCRIPTION else task


def keywords_of(campaign: Campaign) -> str:
    """What the built-in marketplace reads from keywords (docs/marketplace.md); other crowds show it as it is."""
    pairs, pay = pairs_of(campaign), pay_for(campaign)
    told = [f"pairs:{pairs}", f"minutes:{usual_minutes(campaign, pairs)}"]
    told.append(
        f"limit:{campaign.assignment_seconds // 60}"
    )  # the crowd is asked for more, see judging/deadlines.py
    if pay.bonus:
        told.append(f"bonus:{pay.bonus:.2f}")
    return ", ".join(
        [*told, f"language:{campaign.collection.language}", f"page-language:{campaign.language}"]
    )


def paid_when(submission: Submission, wording: Wording = translation) -> str:
    """When a task that was just sent off is paid, and in which parts; empty where nothing is promised."""
    campaign = submission.campaign
    pay, _, _, earned = earned_so_far(submission)
    if not earned or (submission.left_early and not pay.bonus):
        return ""
    if bonus := earned - pay.base:
        amounts = {"base": f"{pay.base:.2f}", "bonus": f"{bonus:.2f}"}
        told = wording.gettext(
            "${base} is paid when your task is approved, and a bonus of ${bonus} right after that."
        ).format(**amounts)
    else:
        told = wording.gettext("${earned} is paid when your task is approved.").format(earned=f"{earned:.2f}")
    if not campaign.hold_hours:
        usually = wording.gettext("That usually takes a few minutes.")
        return f"{told} {usually}"
    hours = in_words(campaign.hold_hours * 3600, wording)
    looked_at = wording.gettext("The requester can look at your work for {hours} before that.")
    return f"{told} {looked_at.format(hours=hours)}"
