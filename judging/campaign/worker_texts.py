"""The texts that workers read and agree to before they begin; a person accepts them before launch."""

import math
import re
from dataclasses import astuple

from django.conf import settings
from django.db.models import Q
from django.template.loader import get_template
from django.utils import translation
from django.utils.translation import gettext, gettext_noop

from config import clock
from config.plurals import many
from judging.campaign.cost import pay_for
from judging.campaign.reading_time import seconds_a_pair
from judging.campaign.shared_figures import kept_while_reading
from judging.errors import BadInput, CampaignRefused
from judging.models import Campaign, GoldPair, Pair
from judging.rules.grade_scale import Level, is_default
from judging.rules.packing import task_count
from judging.rules.pay import pay_words
from judging.rules.screening_words import screening_words
from judging.rules.stopping_words import ways_to_stop
from judging.rules.worked_example import BadExample, read_example
from judging.rules.worker_sentences import ENGLISH, Wording
from pooling.models import Passage

LONGEST = 20_000
CONTACT = gettext_noop("the requester, through the site on which you took this task")
#: The language of the source texts, which are in the folder itself; other languages have subfolders.
ORIGINAL = "en"


def check_page_language(language: str) -> None:
    """Raise :class:`CampaignRefused` for a language without translated worker pages."""
    known = dict(settings.LANGUAGES)
    if language not in known:
        raise BadInput(
            f"Workers' pages are not available in the language {language!r}.",
            f"Choose one of: {', '.join(f'{tag} ({name})' for tag, name in known.items())}.",
        )


def default_texts(language: str = ORIGINAL, *, graded: bool = False) -> dict[str, str]:
    """Return the project's default texts in a language, with placeholders for a campaign's figures.

    If ``graded`` is true, the texts are for tasks of single passages. These show the levels of the scale instead of
    an example.
    """
    names = ("consent", "instructions") if graded else ("consent", "instructions", "example")
    found = {f"{name}_text": _shipped(f"graded/{name}" if graded else name, language) for name in names}
    return {"example_text": "", **found}


def levels_of(campaign: Campaign) -> list[tuple[str, Level]]:
    """Return each grade of the scale as (digit, level); empty if workers compare two passages.

    The default scale is translated into the language of the page. A custom scale is returned as it was written.
    """
    levels = campaign.grading.levels if campaign.grading else []
    if is_default(levels):
        levels = [Level(*(part and gettext(part) for part in astuple(one))) for one in levels]
    return [(str(grade), level) for grade, level in enumerate(levels)]


def _shipped(name: str, language: str) -> str:
    folder = "" if language == ORIGINAL else f"{language}/"
    template = get_template(f"judging/texts/{folder}{name}.txt")
    return str(template.template.source)  # type: ignore[attr-defined]


def language_of_example(campaign: Campaign) -> str:
    """Return the language of the example: the collection's, or the page's for the project's default example."""
    ours = _shipped("example", campaign.language).strip()
    return campaign.language if campaign.example_text.strip() == ours else campaign.collection.language


#: Placeholders in texts, such as ``{pairs}``; :func:`filled` replaces them with the campaign's figures.
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
    """Replace texts before launch; they then have to be accepted again. None leaves a text unchanged.

    An empty example, warning or approval removes it.
    """
    if campaign.state not in Campaign.BEFORE_LAUNCH:
        raise CampaignRefused(f"Campaign {campaign.name} is {campaign.state}, so its texts cannot change.")
    for text in (consent, instructions):
        if text is not None and not 1 <= len(text.strip()) <= LONGEST:
            raise BadInput(f"A text must have between 1 and {LONGEST:,} characters.")
    for name, text in {"consent": consent, "instructions": instructions}.items():
        if unknown := unknown_figure(campaign, text or ""):
            raise BadInput(
                f"The {name} text contains {unknown}, for which the campaign has no value.",
                f"Choose from {', '.join(f'{{{one}}}' for one in FIGURES)}.",
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
    """Raise :class:`CampaignRefused` for an invalid example or a text that is too long."""
    try:
        read_example((example or "")[: LONGEST + 1])
    except BadExample as error:
        raise BadInput(str(error), "templates/judging/texts/example.txt shows the format.") from error
    for name, text, most in (
        ("The example", example, LONGEST),
        ("The content warning", content_warning, LONGEST),
        ("The ethics approval", ethics_approval, 200),
    ):
        if text is not None and len(text.strip()) > most:
            raise BadInput(f"{name} can have at most {most:,} characters.")


def contact_of(campaign: Campaign | None) -> str:
    return (campaign.contact if campaign else "") or gettext(CONTACT)


def agreed_text(campaign: Campaign, *, pairs: int | None = None) -> str:
    """Return the full text that a worker agrees to on the consent page, with the campaign's figures."""
    parts = [filled(campaign, campaign.consent_text, pairs=pairs)]
    with translation.override(campaign.wording):
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
    """Return one sentence for each way to end a task, with what it pays, in the active language."""
    minutes = campaign.assignment_seconds // 60
    return ways_to_stop(pay_for(campaign), minutes=minutes, wording=translation)


def going_on(campaign: Campaign) -> str:
    """Return the sentence that says who can continue, in the active language."""
    if not campaign.minimum_age:
        return gettext("Continue only if you are of age and agree to this.")
    words = gettext("Continue only if you are at least %(years)s years old and agree to this.")
    return words % {"years": campaign.minimum_age}


def accept_texts(campaign: Campaign, *, who: str = "") -> None:
    """Record that a person has read the texts and takes responsibility for them."""
    Campaign.objects.filter(pk=campaign.pk).update(texts_accepted_at=clock.now(), texts_accepted_by=who)
    campaign.refresh_from_db()


def filled(campaign: Campaign, text: str, *, pairs: int | None = None) -> str:
    """Replace the placeholders in ``text`` (:data:`FIGURES`); {pay} and {screening} become whole sentences.

    ``pairs`` is the size of the task, gold pairs included (default: a full task). Some tasks are one pair smaller.
    """
    with translation.override(campaign.wording):
        told = str(pairs) if pairs else size_of(campaign, translation)
        pairs = pairs or campaign.slots_per_task
        figures = {
            "pairs": told,
            "reward": f"{campaign.reward:.2f}",
            "pay": pay_words(pay_for(campaign), pairs, translation),
            "contact": contact_of(campaign),
            "days": str(campaign.withdrawal_days),
            "minutes": str(usual_minutes(campaign, pairs)),
            "screening": screening_words(
                campaign.screen,
                gold_per_task=campaign.gold_per_task,
                allow_undecided=campaign.allow_undecided,
                answer_days=campaign.answer_days,
                repeats=campaign.repeats_per_task > 0,
                wording=translation,
            ),
        }
    for name, value in figures.items():
        text = text.replace(f"{{{name}}}" if value else f"{{{name}}} ", value).replace(f"{{{name}}}", value)
    return text


@kept_while_reading
def pairs_asked(campaign: Campaign) -> int:
    """Count the campaign's pairs, excluding gold pairs."""
    return campaign.pairs.count()


def size_of(campaign: Campaign, wording: Wording = ENGLISH) -> str:
    """Return how many pairs a task shows: ``13``, or ``12 to 15`` if some are smaller or repeat earlier pairs.

    Tasks are packed evenly, so the smallest has at most one pair fewer than the largest.
    """
    most, fewer = campaign.slots_per_task, 0
    if pairs := pairs_asked(campaign):
        full, rest = divmod(pairs, task_count(pairs, campaign.pairs_per_task))
        fewer = min(rest, 1)
        most += full + fewer - campaign.pairs_per_task
    fewest = most - campaign.repeats_per_task - fewer
    told = wording.gettext("{fewest} to {most}") if fewest < most else "{most}"
    return told.format(fewest=fewest, most=most)


def usual_minutes(campaign: Campaign, pairs: int) -> int:
    """Return the minutes, measured or estimated and rounded up, that a task of ``pairs`` pairs usually takes."""
    full = campaign.slots_per_task
    seconds_per_pair = campaign.usual_seconds / full if campaign.usual_seconds else seconds_a_pair(campaign)
    return max(1, math.ceil(round(pairs * seconds_per_pair, 3) / 60))


def unknown_figure(campaign: Campaign, text: str) -> str:
    """Return the first placeholder in the text for which the campaign has no figure; "" if there is none."""
    left = re.search(r"\{[a-z_]+\}", filled(campaign, text))
    return left[0] if left else ""


def passages_without_text(campaign: Campaign) -> list[str]:
    """Return the ids of those passages of the campaign's pairs and accepted gold pairs that have no text."""
    pairs = Pair.objects.filter(campaign=campaign)
    gold = campaign.gold_pairs.filter(state=GoldPair.State.ACCEPTED)
    shown = (
        Q(pk__in=pairs.values("passage_a"))
        | Q(pk__in=pairs.values("passage_b"))
        | Q(pk__in=gold.values("relevant"))
        | Q(pk__in=gold.values("off_topic"))
    )
    return list(Passage.objects.filter(shown, text=None).order_by("pk").values_list("pid", flat=True))


def no_text_words(missing: list[str]) -> str:
    """Return a sentence that counts the passages without text and names the first five."""
    more = f" and {len(missing) - 5:,} more" if len(missing) > 5 else ""
    return f"{many(len(missing), 'passage has', 'passages have')} no text: {', '.join(missing[:5])}{more}."
