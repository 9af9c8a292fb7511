"""The base class of all errors that people can act on.

Refusal
├── NotNow                     the same request may succeed later
│   ├── config.background.services.TryLater
│   ├── pooling.errors.BucketAway
│   └── web.errors.BoardBeingDrawn  also a WebError
├── config.sealed_secrets.SealBroken  a secret was sealed under another key, or altered
├── config.sweep.SweepFailed    some steps of a sweep failed, the others succeeded
├── config.process.launcher.StartFailed
├── config.background.errors.BackgroundError
├── accounts.errors.AccountError
├── pooling.errors.PoolingError
├── pooling.errors.BucketRefused
├── judging.errors.JudgingError
├── tournament.errors.TournamentError
├── leaderboard.errors.LeaderboardError
└── web.errors.WebError
"""

from config.guidance import Action, Guidance, joined


class Refusal(Exception):
    """A request was refused for a reason that the person can act on.

    ``message`` says what happened and what it means; ``next_step`` says what to do, in one sentence.
    Commands print both and exit with status 1; pages show both. ``fault`` is a value of
    ``config.background.models.Job.Fault``. ``conflict`` says that the present state is the reason, so that the same
    request could succeed in another state; other requests are invalid in every state.
    """

    fault = "refused"
    conflict = False

    def __init__(self, message: str, next_step: str | Action = "") -> None:
        super().__init__(message)
        self.message = message
        self.next_step = Guidance(next_step)

    def __str__(self) -> str:
        return joined(" ", [self.message, self.next_step])


class NotNow(Refusal):
    """The request is not possible now, but may succeed after ``seconds``. Jobs wait that long and retry.

    If ``longest`` is set, a job that is postponed several times in a row waits twice as long each time, up to
    ``longest`` seconds. ``got_on`` means that the job made progress, so its next wait is only ``seconds`` again.
    """

    fault = "outside"
    seconds: float = 30
    longest: float = 0
    got_on: bool = False
