"""The labels whose density the analysis of reusability compares, and whether its readers can see them."""

from leaderboard.analyses.kinds import Asked
from leaderboard.errors import MembersOnly
from pooling.labels.query_splits import private_qids
from pooling.models import Collection
from tournament.services.label_reveals import plain_labels, withheld_labels


def compared_labels(asked: Asked) -> tuple[Collection, str] | None:
    """Return the collection and the name of the labels to compare with; None if there are none.

    They are labels of this collection, or (``NAME/SET``) of a published one. Raises MembersOnly if the reader cannot
    see them, or if those of another collection are not public, even for its members. The error does not reveal
    whether a collection exists.
    """
    name, slash, set_name = asked.text("against").partition("/")
    if not name:
        return None
    if not slash or name == asked.collection.name:
        _check_own_labels(asked, set_name if slash else name)
        return asked.collection, set_name if slash else name
    other = Collection.objects.filter(name=name, visibility=Collection.Visibility.PUBLISHED).first()
    if other is None or private_qids(other) or plain_labels(set_name) in withheld_labels(other):
        raise MembersOnly(
            f"The labels {name}/{set_name} cannot be used here.",
            "Labels of another collection must be public, in a public collection without private queries.",
        )
    return other, set_name


def _check_own_labels(asked: Asked, name: str) -> None:
    if asked.released and plain_labels(name) in withheld_labels(asked.collection):
        raise MembersOnly(f"The labels {name} are withheld.", "Choose other labels.")
