"""The sentences in the consent text on each way to end a task, and on the pay that follows."""

from judging.rules.pay import Pay
from judging.rules.worker_sentences import ENGLISH, Wording


def ways_to_stop(pay: Pay, *, minutes: int, wording: Wording = ENGLISH) -> list[str]:
    """Return sentences for each way to end a task: finish, stop early, return it, let the time run out.

    ``minutes`` is the task's time limit.
    """
    return [
        _finish_sentence(pay, wording),
        _stop_early_sentence(pay, wording),
        wording.gettext(
            "Return the task on the site where you took it: nothing is paid, and nothing you chose is used. If you "
            "take a task again and nobody else has this one, you may go on where you stopped."
        ),
        _run_out_sentence(pay, wording, minutes),
    ]


def _finish_sentence(pay: Pay, wording: Wording) -> str:
    if not pay.whole:
        return wording.gettext("Judge every pair and submit the task: this work is not paid.")
    told = wording.gettext("Judge every pair and submit the task: you are paid ${whole}.")
    hasty = (
        wording.gettext("If you judge faster than anybody can read, the requester decides about the bonus.")
        if pay.bonus
        else wording.gettext(
            "If you judge faster than anybody can read, the requester decides about the pay."
        )
    )
    return f"{told.format(whole=f'{pay.whole:.2f}')} {hasty}"


def _stop_early_sentence(pay: Pay, wording: Wording) -> str:
    if not pay.whole:
        return wording.gettext("Stop at any pair and submit what you have judged: those choices are used.")
    if not pay.bonus:
        return wording.gettext(
            "Stop at any pair and submit what you have judged: the requester decides whether you are paid."
        )
    told = wording.gettext(
        "Stop at any pair and submit what you have judged: you are paid ${base}, and the bonus for the pairs you "
        "judged. Without a judged pair nothing is paid."
    )
    return told.format(base=f"{pay.base:.2f}")


def _run_out_sentence(pay: Pay, wording: Wording, minutes: int) -> str:
    told = wording.ngettext(
        "Run out of time after {minutes} minute: what you have judged is submitted for you, as if you had stopped.",
        "Run out of time after {minutes} minutes: what you have judged is submitted for you, as if you had stopped.",
        minutes,
    ).format(minutes=minutes)
    told += " " + wording.gettext("You are warned five minutes before, and can add the same time once more.")
    if pay.bonus:
        told += " " + wording.gettext(
            "If the task site no longer accepts it, you are paid for the choices we saved."
        )
    elif pay.whole:
        told += " " + wording.gettext(
            "If the task site no longer accepts it, the requester decides about the choices we saved."
        )
    return told
