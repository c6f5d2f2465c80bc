"""The code-only judge: what the environment's verifier said, as a judgement like any other."""

from __future__ import annotations

from synthesis.documents.verdict import Unscored
from synthesis.judging.evidence import Evidence
from synthesis.judging.judgement import Judgement


class CodeJudge:
    """Repeats the verdict of code; Unscored where there is none."""

    name = "verifier"

    def judge(self, evidence: Evidence) -> Judgement:
        """The judgement of code."""
        verdict = evidence.verdict or Unscored(error="No verdict of code is on record.")
        return Judgement(verdict=verdict, strategy="code_only", judge=self.name)
