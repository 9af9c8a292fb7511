"""Bodies that callers send: a field that there is none of is refused, not passed over.

Whoever writes ``dryrun`` for ``dry_run`` would else have done what was only to be tried.
"""

from __future__ import annotations

from ninja import Schema
from pydantic import ConfigDict, StrictBool

#: Whether something is only tried: true or false, not what could be read as one of them.
DryRun = StrictBool


class Body(Schema):
    """What a call takes, and nothing else."""

    model_config = ConfigDict(extra="forbid")
