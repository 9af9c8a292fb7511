"""The runs that a person chose with checkboxes."""

from typing import Any

from config.row_keys import row_key


def chosen_run_keys(parameters: Any) -> set[int]:
    """Return the keys of the runs chosen in a form; other values are ignored."""
    return {row_key(text) for text in parameters.getlist("run")} - {0}
