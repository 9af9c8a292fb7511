"""Find all problems of a refused run file; up to a hundred of them are listed."""

from contextlib import suppress

from config.plurals import many
from pooling.collections.lookups import known_qids
from pooling.errors import InvalidFile, PoolingError, ReaderFailed
from pooling.files import trec
from pooling.files.formats import Content
from pooling.files.problems import Problems, of_refusal
from pooling.models import Collection
from pooling.storage.reader_faults import refusing_faults


def problems_of_run(
    refusal: InvalidFile, content: Content, *, collection: Collection | None, skip_unknown: bool
) -> Problems:
    """Return the problems of a refused run's lines, or only the refusal if it does not concern lines."""
    with suppress(ReaderFailed), refusing_faults(refusal.file):
        found = trec.run_problems(
            content.again(content.progress),
            known_qids=None if collection is None else known_qids(collection),
            skip_unknown=skip_unknown,
            max_depth=collection.max_run_depth if collection else None,
        )
        if found.total:
            return found
    first = of_refusal(refusal)  # for example, the requested order is impossible
    return Problems((first,), {first.kind: 1})


def each_refusal(
    refusal: PoolingError, content: Content, *, collection: Collection | None, skip_unknown: bool
) -> list[PoolingError]:
    """Return a refusal for each listed problem in a refused file.

    If there are more problems, the last refusal says how many are not listed.
    """
    if not isinstance(refusal, InvalidFile):
        return [refusal]
    found = problems_of_run(refusal, content, collection=collection, skip_unknown=skip_unknown)
    told: list[PoolingError] = [
        InvalidFile(refusal.file, one.line, one.reason, one.next_step) for one in found.listed
    ]
    if more := found.total - len(found.listed):
        told.append(PoolingError(f"{refusal.file}: {many(more, 'more problem')} not listed."))
    return told
