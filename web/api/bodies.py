"""Request bodies. Unknown fields are rejected, not ignored.

Otherwise a caller who writes ``dryrun`` for ``dry_run`` would make the change for real.
"""

from ninja import Schema
from pydantic import ConfigDict, StrictBool

#: Accepts only true and false, not values that could be converted to them.
DryRun = StrictBool


class Body(Schema):
    """A request body that rejects unknown fields."""

    model_config = ConfigDict(extra="forbid")
