"""What workers are told before they begin, and agree to; a person accepts it before launch."""

from __future__ import annotations

import math
import re

from django.conf import settings
from django.db.models import Q
from django.template.loader import get_template
from django.utils import translation
from django.utils.translation import gettext, gettext_noop

from config import clock
from judging.errors import BadInput, CampaignRefused
from judging.example import BadExample, Example, read_example
from judging.models import Campaign, GoldPair, Pair
from judging.pay import in_words
from judging.rule_words import screening_words
from judging.services.cost import pay_for
from judging.services.reading_time import seconds_a_pair
from judging.stopping import ways_to_stop
from pooling.models import Passage

LONGEST = 20_000
CONTACT = gettext_noop("the requester, through the site on which you took this task")
#: The language of the words in the code; its texts stand in the folder itself, those of others in one of their own.
ORIGINAL = "en"


def check_language(language: str) -> None:
    """Raises :class:`CampaignRefused` for a language in which the pages have no words."""
    known = dict(settings.LANGUAGES)
    if language not in known:
        raise BadInput(
            f"Workers' pages have no words in the language {language!r}.",
            f"There are: {', '.join(f'{tag} ({name})' for tag, name in known.items())}.",
        )


def default_texts(language: str = ORIGINAL) -> dict[str, str]:
    """The texts that ship with the project in a language, with their places for a campaign's figures."""
    return {f"{name}_text": _shipped(name, language) for name in ("consent", "instructions", "example")}


def _shipped(name: str, language: str) -> str:
    folder = "" if language == ORIGINAL else f"{language}/"
    template = get_template(f"judging/texts/{folder}{name}.txt")
    return str(template.template.source)  # type: ignore[attr-defined]


def language_of_example(campaign: Campaign) -> str:
    """The collection's, as of other passages, unless the example is the one that ships with the project."""
    ours = _shipped("example", campaign.language).strip()
    return campaign.language if campaign.example_text.strip() == ours else campaign.collection.language


#: What ``{…}`` in texts stands for is made of the campaign by :func:`filled`.
FIGURES = ("pairs", "reward", "pay", "minutes", "contact", "days", "screening")


def set_texts(
    campaign: Campaign,
    *,
    consent: str | None = None,
    instructions: str | None = None,
    example: str | None = None,
    content_warning: str | None = None,
    ethics_approval: str | None = None,
) -> None:
    """Replace texts before launch; they have to be accepted (again). None leaves a text as it is.

    The example, the warning and the approval may be empty: then there is none.
    """
    if campaign.state not in Campaign.BEFORE_LAUNCH:
        raise CampaignRefused(f"The campaign {campaign.name} was launched; its texts are fixed.")
    for text in (consent, instructions):
        if text is not None and not 1 <= len(text.strip()) <= LONGEST:
            raise BadInput(f"A text has between 1 and {LONGEST:,} characters.")
    for name, text in {"consent": consent, "instructions": instructions}.items():
        if unknown := unknown_figure(campaign, text or ""):
            raise BadInput(
                f"The {name} text has {unknown}, for which the campaign has no figure.",
                f"It has {', '.join(f'{{{one}}}' for one in FIGURES)}.",
            )
    check_short_texts(example=example, content_warning=content_warning, ethics_approval=ethics_approval)
    changes = {
        "consent_text": consent,
        "instructions_text": instructions,
        "example_text": example,
        "content_warning": content_warning,
        "ethics_approval": ethics_approval,
    }
    given = {name: text.strip() for name, text in changes.items() if text is not None}
    Campaign.objects.filter(pk=campaign.pk).update(**given, texts_accepted_at=None, texts_accepted_by="")
    campaign.refresh_from_db()


def check_short_texts(
    *, example: str | None = None, content_warning: str | None = None, ethics_approval: str | None = None
) -> None:
    """Raises :class:`CampaignRefused` for an example that is none, and for what is too long."""
    try:
        read_example((example or "")[: LONGEST + 1])
    except BadExample as error:
        raise BadInput(str(error), "templates/judging/texts/example.txt shows the form.") from error
    for name, text, most in (
        ("The example", example, LONGEST),
        ("The content warning", content_warning, LONGEST),
        ("The ethics approval", ethics_approval, 200),
    ):
        if text is not None and len(text.strip()) > most:
            raise BadInput(f"{name} has at most {most:,} characters.")


def example_of(campaign: Campaign) -> Example | None:
    """The campaign's worked example, if it has one."""
    return read_example(campaign.example_text)


def contact_of(campaign: Campaign | None) -> str:
    """Whom workers of the campaign can write to."""
    return (campaign.contact if campaign else "") or gettext(CONTACT)


def agreed_text(campaign: Campaign, *, pairs: int | None = None) -> str:
    """All that a worker agrees to, as one text: what the consent page shows, with the campaign's figures."""
    parts = [filled(campaign, campaign.consent_text, pairs=pairs)]
    with translation.override(campaign.language):
        if campaign.content_warning:
            parts.insert(0, f"{gettext('Content warning')}\n{campaign.content_warning}")
        parts.append("\n".join([gettext("Ways to end a task, and what each pays"), *ways_of(campaign)]))
        if campaign.ethics_approval:
            parts.append(f"{gettext('Ethics approval')}\n{campaign.ethics_approval}")
        parts.append(going_on(campaign))
        if campaign.minimum_age:
            parts.append(gettext("I am at least %(years)s years old.") % {"years": campaign.minimum_age})
    return "\n\n".join(parts)


def ways_of(campaign: Campaign) -> list[str]:
    """What each way of ending a task pays, in the language that is spoken now."""
    minutes = campaign.assignment_seconds // 60
    return ways_to_stop(pay_for(campaign), minutes=minutes, more=True, wording=translation)


def going_on(campaign: Campaign) -> str:
    """The sentence that closes what a worker agrees to, in the language that is spoken now."""
    if not campaign.minimum_age:
        return gettext("Only go on if you are of age and agree to this.")
    words = gettext("Only go on if you are at least %(years)s years old and agree to this.")
    return words % {"years": campaign.minimum_age}


def accept_texts(campaign: Campaign, *, who: str = "") -> None:
    """Record that a person read the texts and takes responsibility for them."""
    Campaign.objects.filter(pk=campaign.pk).update(texts_accepted_at=clock.now(), texts_accepted_by=who)
    campaign.refresh_from_db()


def filled(campaign: Campaign, text: str, *, pairs: int | None = None) -> str:
    """Fill in the campaign's figures (:data:`FIGURES`); {pay} and {screening} are whole sentences.

    ``pairs`` of the task at hand, test pairs included: the last tasks may be a pair short. Default: of a full one.
    """
    if pairs is None:
        pairs = campaign.slots_per_task
    with translation.override(campaign.language):
        figures = {
            "pairs": str(pairs),
            "reward": f"{campaign.reward:.2f}",
            "pay": in_words(pay_for(campaign), pairs, translation),
            "contact": contact_of(campaign),
            "days": str(campaign.withdrawal_days),
            "minutes": str(usual_minutes(campaign, pairs)),
            "screening": screening_words(
                campaign.screen,
                gold_per_task=campaign.gold_per_task,
                allow_undecided=campaign.allow_undecided,
                answer_days=campaign.answer_days,
                wording=translation,
            ),
        }
    for name, value in figures.items():
        text = text.replace(f"{{{name}}}" if value else f"{{{name}}} ", value).replace(f"{{{name}}}", value)
    return text


def usual_minutes(campaign: Campaign, pairs: int) -> int:
    """The minutes that a task of ``pairs`` pairs usually takes, rounded up: measured, or else estimated."""
    full = campaign.slots_per_task
    seconds_per_pair = campaign.usual_seconds / full if campaign.usual_seconds else seconds_a_pair(campaign)
    return max(1, math.ceil(round(pairs * seconds_per_pair, 3) / 60))


def unknown_figure(campaign: Campaign, text: str) -> str:
    """The first ``{name}`` of the text that the campaign has no figure for; empty when there is none."""
    left = re.search(r"\{[a-z_]+\}", filled(campaign, text))
    return left[0] if left else ""


def passages_without_text(campaign: Campaign) -> int:
    """How many passages of the campaign's pairs and accepted gold pairs have no text."""
    pairs = Pair.objects.filter(campaign=campaign)
    gold = campaign.gold_pairs.filter(state=GoldPair.State.ACCEPTED)
    shown = (
        Q(pk__in=pairs.values("passage_a"))
        | Q(pk__in=pairs.values("passage_b"))
        | Q(pk__in=gold.values("relevant"))
        | Q(pk__in=gold.values("off_topic"))
    )
    return Passage.objects.filter(shown, text=None).count()
