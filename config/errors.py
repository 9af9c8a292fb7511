"""The root of every error family.

Refusal
├── NotNow                     the same again later can help
│   ├── config.background.services.TryLater
│   └── BucketAway             the S3 server does not answer
├── config.sealing.SealBroken  a secret was sealed under another key
├── BucketRefused              the S3 server answers, and refuses
├── config.sweep.SweepFailed    some steps of a sweep failed, the others are done
├── config.background.errors.BackgroundError
├── pooling.errors.PoolingError
├── judging.errors.JudgingError
├── tournament.errors.TournamentError
└── leaderboard.errors.LeaderboardError
"""


class Refusal(Exception):
    """Something was refused for a reason the person who asked can act on.

    ``message`` says what happened and what it means; ``next_step`` says what to do, in one sentence.
    Commands print both and exit with status 1; pages show both. ``fault`` says whose it is, as
    ``config.background.models.Job.Fault`` does.
    """

    fault = "refused"

    def __init__(self, message: str, next_step: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step

    def __str__(self) -> str:
        return f"{self.message} {self.next_step}".strip()


class NotNow(Refusal):
    """It can't be done now; the same again after ``seconds`` can help. Jobs wait for so long and try again.

    Where there is a ``longest``, a job that is put off again and again waits twice as long each time, up to that;
    with ``got_on``, because something was done in between, it begins anew.
    """

    fault = "outside"
    seconds: float = 30
    longest: float = 0
    got_on: bool = False


class BucketAway(NotNow):
    """The bucket's server does not answer, or answers that it cannot now."""


class BucketRefused(Refusal):
    """The bucket's server refuses: the bucket, its region or the keys are wrong."""

    fault = "outside"
