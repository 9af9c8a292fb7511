"""Run a marketplace command; ``python -m marketplace help`` lists them all."""

import os
import sys

#: Exit status if the reader of the output has closed the pipe: 128 + SIGPIPE.
BROKEN_PIPE = 141


def _export_address(arguments: list[str]) -> None:
    """Pass ``serve --host --port`` on to the settings, which are read before a command parses its arguments."""
    for name in ("host", "port"):
        for place, argument in enumerate(arguments):
            option, _, value = argument.partition("=")
            if option == f"--{name}":
                value = value or (arguments[place + 1] if place + 1 < len(arguments) else "")
                if value:
                    os.environ[f"MARKETPLACE_{name.upper()}"] = value


def main() -> None:
    """Run the command line through Django with the marketplace's settings."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.marketplace_settings"
    if sys.argv[1:2] == ["serve"]:
        _export_address(sys.argv[2:])
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        settings.INSTALLED_APPS  # noqa: B018 -- read now, so that a wrong value is reported in one line
    except ImproperlyConfigured as error:
        sys.exit(f"The marketplace can't start: {error}")
    try:
        try:
            execute_from_command_line(["python -m marketplace", *sys.argv[1:]])
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # The reader has closed the pipe (`workers | head`). Do not flush the remaining output at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(BROKEN_PIPE)


if __name__ == "__main__":
    main()
