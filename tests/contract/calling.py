"""Which operations the contract really calls."""

from botocore import xform_name
from botocore.loaders import Loader


def operations() -> set[str]:
    """Every operation of the service model, as boto3 names its methods."""
    return {xform_name(name) for name in Loader().load_service_model("mturk", "service-2")["operations"]}


#: What the protocol itself refuses: only questions of a kind that was never in use have files.
REFUSED_BY_DESIGN = {"get_file_upload_url"}


class Calls:
    """Listens to clients: which operations were called and answered, and not with an error if that can be."""

    def __init__(self) -> None:
        self.answered: set[str] = set()
        self.tests_over: set[str] = set()

    def listen_to(self, client) -> None:
        """Note what this client is answered."""
        client.meta.events.register("after-call.mturk.*", self._note)

    def _note(self, model, http_response, **_rest) -> None:
        name = xform_name(model.name)
        if http_response.status_code == 200 or name in REFUSED_BY_DESIGN:
            self.answered.add(name)


CALLS = Calls()
