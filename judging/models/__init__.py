"""Models of judging: campaigns, tasks, workers, judgments and payments."""

from judging.models.calls import BlockList, CrowdCall, Payment
from judging.models.campaign import Campaign, CampaignChange
from judging.models.correspondence import Appeal, Discrepancy, PairReport, RightsRequest, WorkerMessage
from judging.models.grading import (
    Grade,
    GradedCampaign,
    GradedItem,
    GradedLabels,
    Topic,
    TopicAssignment,
    TopicDecision,
)
from judging.models.judgments import Exclusion, GoldAnswer, ImportedFile, Judgment
from judging.models.pairs_and_tasks import GoldPair, Pair, Place, Posting, Task, TaskPair
from judging.models.reservations import Purse, Reservation
from judging.models.submissions import Choice, Consent, ConsentText, Slot, Submission
from judging.models.workers import CrowdIdentity, Worker, WorkerInCampaign
