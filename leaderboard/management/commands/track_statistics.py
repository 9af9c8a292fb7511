from typing import Any

from leaderboard.analyses.track_statistics.kind import KIND
from leaderboard.management.kind_command import KindCommand


class Command(KindCommand, kind=KIND):
    def act(self, **options: Any) -> dict[str, Any]:
        super().act(**options)
        return dict(self.analysis.content["tasks"])
