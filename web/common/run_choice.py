"""The runs that a person chose with checkboxes."""

from typing import Any


def chosen_run_keys(parameters: Any) -> set[int]:
    """Return the keys of the runs chosen in a form; other values are ignored."""
    typed = parameters.getlist("run")
    return {int(key) for key in typed if key.isascii() and key.isdigit() and len(key) < 10}
