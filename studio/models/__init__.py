"""Records: what the studio remembers. One noun per file; all of them are importable from here."""

from studio.models.api_tokens import ApiToken
from studio.models.bundles import BundleCollection, BundleRecord
from studio.models.candidates import CandidateDecision, ScenarioCandidate, SimilarityMethod
from studio.models.change_lists import ChangeList, ChangeListState
from studio.models.checks import CheckReportRecord, CheckResultRecord
from studio.models.conversations import ConversationRecord
from studio.models.dictionaries import DictionaryVersion
from studio.models.diversity_profiles import DiversityProfileRecord
from studio.models.endpoint_keys import EndpointKey
from studio.models.environments import (
    AuthorKind,
    Element,
    ElementKind,
    EnvironmentRecord,
    EnvironmentState,
    PartRecord,
    Revision,
    StoredPartRecord,
)
from studio.models.invitations import Invitation
from studio.models.llm_calls import LlmCall, LlmRecording
from studio.models.notifications import Notification, NotificationKind
from studio.models.people import PersonProfile
from studio.models.projects import Project, ProjectMember
from studio.models.quality import QualityRecord
from studio.models.reviews import (
    AnchorKind,
    AnswerKind,
    Claim,
    Comment,
    Flag,
    FlagReason,
    FlagSeverity,
    FlagState,
    Review,
    ReviewDecision,
    ReviewState,
    UnitAnswer,
)
from studio.models.roles import MATRIX, Act, Role
from studio.models.runs import AttemptRecord, Run, RunEvent, RunKind, RunState
from studio.models.saved_filters import SavedFilter
from studio.models.scopes import Scope
from studio.models.trajectories import StepRecord, TrajectoryRecord, VerdictRecord, VerdictSource
from studio.models.visited_revisions import VisitedRevision
from studio.models.world_servers import ServedBundle, WorldServer, WorldServerState

__all__ = [
    "MATRIX",
    "Act",
    "AnchorKind",
    "AnswerKind",
    "ApiToken",
    "AttemptRecord",
    "AuthorKind",
    "BundleCollection",
    "BundleRecord",
    "CandidateDecision",
    "ChangeList",
    "ChangeListState",
    "CheckReportRecord",
    "CheckResultRecord",
    "Claim",
    "Comment",
    "ConversationRecord",
    "DictionaryVersion",
    "DiversityProfileRecord",
    "Element",
    "ElementKind",
    "EndpointKey",
    "EnvironmentRecord",
    "EnvironmentState",
    "Flag",
    "FlagReason",
    "FlagSeverity",
    "FlagState",
    "Invitation",
    "LlmCall",
    "LlmRecording",
    "Notification",
    "NotificationKind",
    "PartRecord",
    "PersonProfile",
    "Project",
    "ProjectMember",
    "QualityRecord",
    "Review",
    "ReviewDecision",
    "ReviewState",
    "Revision",
    "Role",
    "Run",
    "RunEvent",
    "RunKind",
    "RunState",
    "SavedFilter",
    "ScenarioCandidate",
    "Scope",
    "ServedBundle",
    "SimilarityMethod",
    "StepRecord",
    "StoredPartRecord",
    "TrajectoryRecord",
    "UnitAnswer",
    "VerdictRecord",
    "VerdictSource",
    "VisitedRevision",
    "WorldServer",
    "WorldServerState",
]
