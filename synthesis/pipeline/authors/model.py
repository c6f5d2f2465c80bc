"""ModelAuthor: parts written by a model, corrected piece by piece."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue

from synthesis.documents.environment import Part
from synthesis.documents.finding import Finding
from synthesis.documents.trajectory import Usage
from synthesis.errors import BrokenEnvironment, PromptTooLong, ReplyUnreadable
from synthesis.llm.provider import Completion, CompletionRequest, Message, Provider
from synthesis.llm.structured import reply_format
from synthesis.pipeline.attempt import shortened
from synthesis.pipeline.author import Ask, Written
from synthesis.pipeline.authors.correction_prompt import CorrectionPrompt, Summariser, tell
from synthesis.pipeline.prompt import compact, load_prompt
from synthesis.pipeline.reply import Reply, UnreadablePieces, read_pieces
from synthesis.pipeline.stage import AnyStage

LARGEST_SEED = 2**31
"""Endpoints take seeds below this."""

_MESSAGES_OF_A_FIRST_ASK = 2

REPEATED = "\n\nYour last reply did not mend this. Do it in another way."

UNREADABLE = "the_reply_can_be_read"
"""Check of the findings about what could not be read."""

LONGEST_SHOWN = 60_000
"""Characters of its own reply that an author is shown again."""


class ModelAuthor:
    """Asks a provider for each part. Safe to use from several threads when the provider is.

    Args:
        provider: Who is asked.
        temperature: Passed on when given; part of every recipe.
        max_output_tokens: Longest reply, where the endpoint's own limit is not wanted.
        summariser: Condenses long findings before they are shown; without one they are only cut.
        name: In requests and provenance, where there are several.
    """

    corrects = True

    def __init__(
        self,
        provider: Provider,
        *,
        temperature: float | None = None,
        max_output_tokens: int | None = None,
        summariser: Summariser | None = None,
        name: str = "model",
    ) -> None:
        self._provider, self._name = provider, name
        self._temperature, self._max_output_tokens = temperature, max_output_tokens
        self._summariser = summariser

    @property
    def name(self) -> str:
        """In requests and in the provenance of parts."""
        return self._name

    @property
    def provider(self) -> Provider:
        """Who is asked."""
        return self._provider

    @property
    def model(self) -> str:
        """Name of the model."""
        return self._provider.model

    def writes(self, stage: AnyStage) -> bool:  # noqa: ARG002 - the protocol's
        """All parts."""
        return True

    def recipe(self, stage: AnyStage) -> dict[str, JsonValue]:
        """Model, prompt and settings."""
        prompts = [
            load_prompt(name).fingerprint
            for name in ("house_rules", stage.name, "correction", "early_findings")
        ]
        return {
            "model": self.model,
            "prompt": prompts[1],
            "prompts": [*prompts],
            "temperature": self._temperature,
            "max_output_tokens": self._max_output_tokens,
        }

    def write(self, ask: Ask) -> Written:
        """One attempt: ask for what is missing or wrong, in batches, and read it all together."""
        state = _start(ask)
        work = _Work(ask=ask, state=state, batches=_batches(ask, state))
        for number, names in enumerate(work.batches):
            if number and work.state is not None:
                work.early = ask.stage.early_findings(work.state)
            # A model that writes more than it is asked for is not asked for it again.
            remaining = tuple(name for name in names if name not in work.given)
            if remaining or not names:
                self._ask_for(remaining, work)
        return work.written()

    def _ask_for(self, names: tuple[str, ...], work: _Work) -> None:
        """One request for some pieces, or for the whole part when `names` is empty."""
        ask = work.ask
        messages = self._messages(names, work)
        request = CompletionRequest(
            messages=messages,
            reply_format=reply_format(ask.stage.reply).replace(in_prompt=True),
            temperature=self._temperature,
            max_output_tokens=self._max_output_tokens,
            # Another seed per attempt: a model that repeats its mistake word for word makes the next request
            # equal to the last one, and recordings would then answer it with the same mistake for ever.
            seed=(ask.request.seed + ask.number - 1) % LARGEST_SEED,
            stage=ask.stage.name,
            attempt=ask.number,
            pieces=names,
        )
        try:
            completion = self._provider.complete(request)
        except PromptTooLong:
            if len(names) < 2:
                raise
            return self._in_halves(names, work)
        work.heard(messages, completion)
        if completion.finish_reason == "length" and len(names) > 1:
            return self._in_halves(names, work)
        try:
            reply, problems = read_pieces(completion, ask.stage.reply)
            reply = ask.stage.completed(reply, ask.draft, work.state)
            work.take(reply, corrects=bool(work.early) or len(messages) > _MESSAGES_OF_A_FIRST_ASK)
            for name, misread in problems.items():
                work.unreadable(misread.problem, (name,))
                work.misread[name] = misread.piece
        except ReplyUnreadable as error:
            work.unreadable(str(error), names)
        return None

    def _in_halves(self, names: tuple[str, ...], work: _Work) -> None:
        """Ask for fewer pieces at a time: all of them are more than the model reads or writes at once."""
        half = len(names) // 2
        self._ask_for(names[:half], work)
        self._ask_for(names[half:], work)

    def _messages(self, names: tuple[str, ...], work: _Work) -> tuple[Message, ...]:
        ask, stage = work.ask, work.ask.stage
        values = {
            **stage.facts(ask.draft, ask.request),
            "pieces": stage.pieces_text(names, ask.draft),
            "standing": _standing(work.state, names),
            "reply_schema": compact(reply_format(stage.reply).json_schema),
        }
        asked = (
            Message(role="system", text=load_prompt("house_rules").filled({})),
            Message(role="user", text=load_prompt(stage.name).filled(values) + self._early(work)),
        )
        shown = self._correction_prompt(names, work)
        if shown is None:
            return asked
        correction = load_prompt("correction").filled(
            {
                "findings": shown.findings + (REPEATED if self._is_repeated(shown, work) else ""),
                "pieces": ", ".join(names) or "what the findings name",
                "how": shown.how,
            }
        )
        return (
            *asked,
            Message(role="assistant", text=shortened(shown.reply, LONGEST_SHOWN) or "(an empty reply)"),
            Message(role="user", text=correction),
        )

    def _early(self, work: _Work) -> str:
        """What is wrong with the batches before this one; "" where nothing is known."""
        if not work.early:
            return ""
        ask = work.ask
        shown = tell(ask.stage, work.early, state=work.state, reply="", part=None, summariser=None)
        values = {"findings": shown.findings, "written": shown.reply, "how": shown.how}
        return load_prompt("early_findings").filled(values)

    @staticmethod
    def _is_repeated(shown: CorrectionPrompt, work: _Work) -> bool:
        """Whether the author was told the same before, and its reply did not mend it."""
        last = work.ask.last
        return last is not None and shown.findings in last.prompt

    def _correction_prompt(self, names: tuple[str, ...], work: _Work) -> CorrectionPrompt | None:
        """What is shown of the attempt before; None at the first one."""
        ask = work.ask
        if not ask.findings:
            return None
        # What no request of this attempt is about is told in each: a finding is never withheld.
        elsewhere = {name for batch in work.batches for name in batch} - set(names)
        concerned = tuple(f for f in ask.findings if not names or f.where not in elsewhere)
        if not concerned:
            return None
        return tell(
            ask.stage,
            concerned,
            state=work.state,
            misread=ask.last.misread if ask.last else {},
            reply=ask.last.reply if ask.last else "",
            part=ask.draft.part(ask.stage.name),
            summariser=self._summariser,
        )


@dataclass
class _Work:
    """One attempt in the making."""

    ask: Ask
    state: Reply | None
    batches: list[tuple[str, ...]]
    prompts: list[str] = field(default_factory=list)
    replies: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    models: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    early: tuple[Finding, ...] = ()
    given: set[str] = field(default_factory=set)
    misread: dict[str, Any] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)

    def heard(self, messages: tuple[Message, ...], completion: Completion) -> None:
        """Enter what was said on both sides."""
        self.prompts.append("\n\n".join(f"## {message.role}\n\n{message.text}" for message in messages))
        self.replies.append(completion.text)
        if completion.reasoning is not None and completion.reasoning.text:
            self.thoughts.append(completion.reasoning.text)
        if completion.model:
            self.models.append(completion.model)
        self.usage += completion.usage
        if completion.note:
            self.notes[completion.note] = None

    def take(self, reply: Reply, *, corrects: bool) -> None:
        """Put an answer to what exists: a correction of it, or more of it."""
        self.given |= {*reply.pieces}
        if self.state is None:
            self.state = reply
        else:
            reply.remove += self._renamed(reply)
            stage, draft = self.ask.stage, self.ask.draft
            state = self.state
            self.state = stage.corrected(state, reply, draft) if corrects else state.extended(reply)

    def _renamed(self, reply: Reply) -> list[str]:
        """Pieces that could not be read and that an answer gives under another name."""
        state = self.state.pieces if self.state is not None else {}
        blamed = {f.where for f in self.ask.findings if f.check == UNREADABLE and f.blocks}
        gone = [name for name in state if name in blamed and name not in reply.pieces]
        new = [name for name in reply.pieces if name not in state]
        return gone if len(new) >= len(gone) else []

    def unreadable(self, message: str, names: tuple[str, ...] = ()) -> None:
        """Enter that an answer, for these pieces, could not be read."""
        part = self.ask.stage.name
        self.findings += [
            Finding(part=part, check=UNREADABLE, message=message, where=name) for name in (names or ("",))
        ]

    def written(self) -> Written:
        """What the attempt came to."""
        part = None
        if self.state is not None and not self.findings:
            part = self._read(self.state)
        elif self.state is not None and self.misread:
            self._read_rest(self.state)
        return Written(
            part=part,
            findings=(*self.findings, *self._noted()),
            prompt="\n\n---\n\n".join(self.prompts),
            reply="\n\n---\n\n".join(self.replies),
            reasoning="\n\n---\n\n".join(self.thoughts),
            model=", ".join(dict.fromkeys(self.models)) or None,
            usage=self.usage,
            calls=len(self.replies),
            state=self.state,
            misread=self.misread,
        )

    def _read_rest(self, state: Reply) -> None:
        """Find what else is wrong with the pieces that fit, so that one correction mends all."""
        try:
            self.ask.stage.read(state, self.ask.draft)
        except UnreadablePieces as error:
            for name, problem in error.problems.items():
                self.unreadable(problem, (name,))
        except (ReplyUnreadable, BrokenEnvironment):
            return  # what is missing may be among those that did not fit

    def _noted(self) -> Iterator[Finding]:
        part = self.ask.stage.name
        for note in self.notes:
            yield Finding(part=part, check="the_reply_is_to_this_prompt", message=note, severity="warning")

    def _read(self, state: Reply) -> Part | None:
        stage = self.ask.stage
        self.findings += stage.at_fault(state)
        try:
            part: Part = stage.read(state, self.ask.draft)
            return part
        except UnreadablePieces as error:
            for name, problem in error.problems.items():
                self.unreadable(problem, (name,))
        except ReplyUnreadable as error:
            self.unreadable(str(error))
        except BrokenEnvironment as error:
            self.unreadable(str(error), (error.where,) if error.where else ())
        return None


def _start(ask: Ask) -> Reply | None:
    """The pieces this attempt begins with: the last attempt's, or those of a part that was sent back."""
    if ask.last is not None:
        return ask.last.state
    part = ask.draft.part(ask.stage.name)
    return ask.stage.reply_of(part) if part is not None and ask.findings else None


def _batches(ask: Ask, state: Reply | None) -> list[tuple[str, ...]]:
    """Names of the pieces to ask for, request by request; one empty tuple asks for the whole part."""
    stage = ask.stage
    have = {*state.pieces, *stage.reply.wholes} if state else set[str]()
    blamed = [finding.where for finding in ask.findings if finding.blocks and finding.where]
    wanted = stage.wanted(ask.draft)
    if not wanted or stage.batch is None:
        return [tuple(dict.fromkeys(name for name in blamed if name in have))]
    names = [name for name in wanted if name not in have or name in blamed]
    unrequested = [name for name in dict.fromkeys(blamed) if name in have and name not in wanted]
    if not names + unrequested:
        # Nothing is missing and no piece is blamed: the findings are about the whole.
        return [()]
    group_of = stage.group_of(ask.draft)
    if not group_of:
        return _sliced(names + unrequested, stage.batch)
    groups = dict[str, list[str]]()
    for name in names + unrequested:
        groups.setdefault(group_of.get(name, ""), []).append(name)
    return _packed(list(groups.values()), stage.batch)


def _sliced(names: Sequence[str], size: int) -> list[tuple[str, ...]]:
    """Batches of equal size but for one piece, none larger than that."""
    count = -(-len(names) // size)
    edges = [len(names) * number // count for number in range(count + 1)]
    return [tuple(names[start:end]) for start, end in itertools.pairwise(edges)]


def _packed(groups: list[list[str]], size: int) -> list[tuple[str, ...]]:
    """Batches of whole groups, each in the first with room; one larger than a batch has its own."""
    batches: list[list[str]] = []
    for group in groups:
        if len(group) > size:
            batches += map(list, _sliced(group, size))
        elif (room := next((b for b in batches if len(b) + len(group) <= size), None)) is not None:
            room += group
        else:
            batches.append([*group])
    return [tuple(batch) for batch in batches]


def _standing(state: Reply | None, names: tuple[str, ...]) -> str:
    """What is written already and stays, by name, with what all pieces share."""
    if state is None:
        return "(nothing yet)"
    remaining = [name for name in state.pieces if name not in names]
    shown = [", ".join(remaining) or "(none)"]
    for name, value in state.only(set()).items():
        if value and name not in names:
            shown.append(value if isinstance(value, str) else compact({name: value}))
    if state.gaps:
        shown.append(f"({state.gaps})")
    return "\n".join(shown)
