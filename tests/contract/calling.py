"""Records which operations the contract calls."""

from botocore import xform_name
from botocore.loaders import Loader


def operations() -> set[str]:
    """Return every operation of the service model, under boto3's method names."""
    return {xform_name(name) for name in Loader().load_service_model("mturk", "service-2")["operations"]}


#: Operations that always fail: only a kind of question that was never in use has files.
REFUSED_BY_DESIGN = {"get_file_upload_url"}


class Calls:
    """Listens to clients and records which operations were called, with success if that is possible."""

    def __init__(self) -> None:
        self.answered: set[str] = set()
        self.tests_over: set[str] = set()

    def listen_to(self, client) -> None:
        """Record this client's responses."""
        client.meta.events.register("after-call.mturk.*", self._note)

    def _note(self, model, http_response, **_rest) -> None:
        name = xform_name(model.name)
        if http_response.status_code == 200 or name in REFUSED_BY_DESIGN:
            self.answered.add(name)


CALLS = Calls()
