"""Turn every error that a bug in a reader causes into a refusal of the file, and log it."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError, DataError

from config.errors import Refusal
from pooling.errors import ReaderFailed

logger = logging.getLogger("preferee.readers")


@contextmanager
def refusing_faults(file: str) -> Iterator[None]:
    """Turn any exception of a reader of ``file``, except refusals, into ReaderFailed.

    Otherwise, the job would fail again with each attempt, and the file's sender would wait forever. Errors unrelated
    to the file are raised unchanged, such as an unavailable database, a full disk or a job that another process has.
    """
    try:
        yield
    except ReaderFailed as failed:
        logger.error(
            "A reader failed on line %s of a file.", failed.line, exc_info=failed.__cause__ or failed
        )
        raise
    except Refusal:
        raise
    except DataError as fault:  # a value that the column cannot store
        raise _logged_failure(file, fault) from fault
    except (DatabaseError, OSError):
        raise
    except Exception as fault:
        raise _logged_failure(file, fault) from fault


def _logged_failure(file: str, fault: Exception) -> ReaderFailed:
    logger.error("A reader failed on a file.", exc_info=fault)
    return ReaderFailed(file, 0, fault)
