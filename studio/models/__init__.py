"""Records: what the studio remembers. One noun per file; all of them are importable from here."""

from studio.models.api_tokens import ApiToken
from studio.models.bundles import BundleCollection, BundleRecord
from studio.models.candidates import CandidateDecision, ScenarioCandidate, SimilarityMethod
from studio.models.checks import CheckReportRecord, CheckResultRecord
from studio.models.conversations import ConversationRecord
from studio.models.environments import (
    AuthorKind,
    Element,
    ElementKind,
    EnvironmentRecord,
    EnvironmentState,
    KeptPart,
    PartRecord,
    Revision,
)
from studio.models.llm_calls import LlmCall, LlmRecording
from studio.models.portraits import PortraitRecord
from studio.models.quality import QualityRecord
from studio.models.reviews import (
    AnchorKind,
    Claim,
    Comment,
    Decision,
    Flag,
    FlagReason,
    FlagSeverity,
    FlagState,
    Review,
    ReviewState,
)
from studio.models.roles import MATRIX, Act, Role
from studio.models.runs import Attempt, Run, RunEvent, RunKind, RunState
from studio.models.saved_filters import SavedFilter
from studio.models.trajectories import StepRecord, TrajectoryRecord, VerdictRecord, VerdictSource

__all__ = [
    "MATRIX",
    "Act",
    "AnchorKind",
    "ApiToken",
    "Attempt",
    "AuthorKind",
    "BundleCollection",
    "BundleRecord",
    "CandidateDecision",
    "CheckReportRecord",
    "CheckResultRecord",
    "Claim",
    "Comment",
    "ConversationRecord",
    "Decision",
    "Element",
    "ElementKind",
    "EnvironmentRecord",
    "EnvironmentState",
    "Flag",
    "FlagReason",
    "FlagSeverity",
    "FlagState",
    "KeptPart",
    "LlmCall",
    "LlmRecording",
    "PartRecord",
    "PortraitRecord",
    "QualityRecord",
    "Review",
    "ReviewState",
    "Revision",
    "Role",
    "Run",
    "RunEvent",
    "RunKind",
    "RunState",
    "SavedFilter",
    "ScenarioCandidate",
    "SimilarityMethod",
    "StepRecord",
    "TrajectoryRecord",
    "VerdictRecord",
    "VerdictSource",
]
