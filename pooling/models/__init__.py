"""The models of collections and their contents, pools, members, teams, uploads and spending grants."""

from pooling.models.clusters import ClusteredPassage, ClusterSet
from pooling.models.collections import (
    AnnouncedRun,
    CandidateSet,
    Collection,
    Passage,
    PassageSource,
    PrivateQuery,
    Qrel,
    QrelSet,
    Query,
    QuerySplit,
    Run,
    SubmissionPolicy,
)
from pooling.models.members import CollectionChange, InvitedMember, Membership
from pooling.models.pools import Pool, PooledPassage, PoolRun
from pooling.models.sent import AddedFiles, NewCollection, RunUpload
from pooling.models.spending import SpendingGrant, SpendingGrantChange
from pooling.models.teams import Round, Team, TeamApplication, TeamMember
