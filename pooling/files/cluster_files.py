"""Read classes of near-duplicates computed elsewhere, from two columns or the output of isoboroff/dedupe.

Each line names a class and one of its passages, separated by spaces or a tab. In dedupe's output, the beginning of
the text follows and is ignored. If a class is named after one of its passages, as in dedupe's output, that passage is
canonical. In other classes, the smallest pid is canonical.
"""

from pooling.errors import EmptyFile, InvalidClusterFile
from pooling.files.formats import Content, line_text, numbered_lines
from pooling.rules.near_duplicates import by_pid


def read_clusters(content: Content) -> dict[str, str]:
    """Return pid → canonical pid for the passages in classes of two or more. Refuses a passage in two classes."""
    members: dict[str, list[str]] = {}
    class_of: dict[str, str] = {}
    for number, line in numbered_lines(content):
        fields = line_text(content.name, number, line).split(None, 2)
        if not fields:
            continue
        if len(fields) < 2:
            raise InvalidClusterFile(content.name, number, "expected a class and a passage.")
        name, pid = fields[:2]
        if class_of.setdefault(pid, name) != name:
            raise InvalidClusterFile(
                content.name, number, f"passage {pid} is in class {class_of[pid]!r} on an earlier line."
            )
        members.setdefault(name, []).append(pid)
    if not class_of:
        raise EmptyFile(content.name, 0, "the file contains no classes.")
    return {
        pid: canonical
        for name, pids in members.items()
        if len(set(pids)) > 1
        for canonical in [name if class_of.get(name) == name else min(pids, key=by_pid)]
        for pid in pids
    }
