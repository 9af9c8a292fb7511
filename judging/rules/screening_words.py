"""The words that tell workers about the screening rule before they agree to a task."""

from judging.rules.worker_sentences import ENGLISH, Wording, gettext_noop as _

_CHECKS = _(
    "Some pairs have an answer that is plain to anyone who reads both passages. They show whether people read."
)
_UNDECIDED = _("“Cannot decide” counts as a miss there.")
#: Maps a screening rule to the sentences on the consequence of failing a gold pair.
FOLLOWS = {
    "reference": _("If you miss one of them, we use none of your choices and offer you no further tasks."),
    "two-strikes": _(
        "If you miss one of them, we do not use your choices in that task. If you miss a second one, we use none of "
        "your choices and offer you no further tasks."
    ),
    "rate": _(
        "If you miss one of them, we do not use your choices in that task. If you miss more of them than careful "
        "readers miss by a slip, we use none of your choices and offer you no further tasks."
    ),
}
REPEATS = _(
    "Some pairs of your earlier tasks may appear again, with the sides swapped. They show how stable choices are. "
    "Nobody is excluded automatically because of them."
)


def screening_words(
    rule: str,
    *,
    gold_per_task: int,
    allow_undecided: bool,
    answer_days: int,
    repeats: bool = False,
    wording: Wording = ENGLISH,
) -> str:
    """Return the sentences on the consequences of failing a gold pair, on pay, and on how to object.

    With ``repeats``, sentences on repeated pairs follow. Without gold pairs, only these are returned.
    """
    again = [wording.gettext(REPEATS)] if repeats else []
    if not gold_per_task:
        return " ".join(again)
    told = [_CHECKS, *([_UNDECIDED] if allow_undecided else []), FOLLOWS[rule]]
    end = wording.ngettext(
        "You are still paid for the work you submitted. You can object on the page that tells you about it, and "
        "the requester answers within {count} working day.",
        "You are still paid for the work you submitted. You can object on the page that tells you about it, and "
        "the requester answers within {count} working days.",
        answer_days,
    )
    return " ".join([*map(wording.gettext, told), end.format(count=answer_days), *again])
