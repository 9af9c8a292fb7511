"""Refusals as views show them: on the next page, or in a form.

``NotNow`` is left to ``config.middleware.not_now``, because the same request may succeed later.
"""

from collections.abc import Callable

from django import forms
from django.contrib import messages
from django.http import HttpRequest

from config.errors import NotNow, Refusal
from config.guidance import stored
from pooling.intake.quotas import Sent
from pooling.intake.unknown_queries import leave_out_unknown


class ShowsRefusal:
    """A context manager that passes a refusal raised in its block to ``show``.

    The view then continues after the block. This is a class because mypy misreads a generator function: if a block
    returns, it reports the code after the block as unreachable.
    """

    def __init__(self, show: Callable[[Refusal], None]) -> None:
        self.show = show

    def __enter__(self) -> None:
        """Do nothing: only the end of the block matters."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, Refusal) or isinstance(error, NotNow):
            return False
        self.show(error)
        return True


def complain(request: HttpRequest, refusal: Refusal) -> None:
    """Show on the next page what was refused, and what to do."""
    messages.error(request, stored(str(refusal)))


def complain_if_refused(request: HttpRequest) -> ShowsRefusal:
    """Return a context manager that catches a refusal raised in its block, and shows it on the next page."""
    return ShowsRefusal(lambda refusal: complain(request, refusal))


def add_error_if_refused(form: forms.BaseForm, field: str | None = None) -> ShowsRefusal:
    """Return a context manager that adds a refusal raised in its block to the form's errors.

    The error is shown at ``field``, or above all fields.
    """
    return ShowsRefusal(lambda refusal: form.add_error(field, str(refusal)))


def leave_out_if_asked(request: HttpRequest, row: Sent) -> None:
    """Leave out lines of unknown queries if that button was pressed; show a refusal on the next page."""
    if "skip_unknown" in request.POST:
        with complain_if_refused(request):
            leave_out_unknown(row)
