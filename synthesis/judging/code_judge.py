"""The code-only judge: what the environment's verifier said, as a judgement like any other."""

from __future__ import annotations

from synthesis.documents.verdict import Unscored
from synthesis.judging.evidence import JudgingEvidence
from synthesis.judging.judgement import Judgement


class CodeJudge:
    """Repeats the verdict of code; Unscored where there is none."""

    name = "verifier"

    def judge(self, evidence: JudgingEvidence) -> Judgement:
        """The judgement of code."""
        verdict = evidence.verdict or Unscored(error="No verifier's verdict is recorded.")
        return Judgement(verdict=verdict, strategy="code_only", judge=self.name)
