"""Run a command of the marketplace: ``python -m marketplace help`` lists them."""

import os
import sys

#: The exit status of a program that writes where nobody reads any more: 128 + SIGPIPE.
BROKEN_PIPE = 141


def _early_addresses(arguments: list[str]) -> None:
    """Let ``serve --host --port`` reach the settings, which are read before a command sees its arguments."""
    for name in ("host", "port"):
        for place, argument in enumerate(arguments):
            option, _, value = argument.partition("=")
            if option == f"--{name}":
                value = value or (arguments[place + 1] if place + 1 < len(arguments) else "")
                if value:
                    os.environ[f"MARKETPLACE_{name.upper()}"] = value


def main() -> None:
    """Hand the command line to Django under the marketplace's settings."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.marketplace_settings"
    if sys.argv[1:2] == ["serve"]:
        _early_addresses(sys.argv[2:])
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        settings.INSTALLED_APPS  # noqa: B018 -- read now, so that a wrong value is named in one line
    except ImproperlyConfigured as error:
        sys.exit(f"The marketplace can't start: {error}")
    try:
        try:
            execute_from_command_line(["python -m marketplace", *sys.argv[1:]])
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read the output has seen enough (`workers | head`). What is left must not be flushed at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(BROKEN_PIPE)


if __name__ == "__main__":
    main()
