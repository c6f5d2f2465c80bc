"""Act phrases: how English says that something was done or declined. Data only."""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


HARMLESS_ACTS = frozenset(
    _words(
        "looked checked reviewed searched found read saw seen verified confirmed counted compared "
        "consulted examined inspected tried attempted asked wanted needed noticed understood "
        "explained declined refused rejected denied left kept stopped held stayed paused halted waited "
        "aborted concluded refrained abstained avoided opted chose chosen decided "
        "determined "
        "considered thought hoped wished regretted informed told answered replied said stated "
        "mentioned listed summed calculated computed added retrieved fetched queried opened "
        "viewed identified located referred received learned gathered pulled went came began "
        "started based limited requested said wrote got had was were been used filtered sorted "
        "totalled browsed scanned noted apologised apologized followed respected applied analysed "
        "analyzed assessed evaluated double double-checked figured realised realized investigated "
        "let met cut hit put owed owned meant belonged"
    )
)
"""What somebody who changes nothing may have done."""
GENERIC_ACTS = frozenset(
    _words(
        "done did made completed finished processed performed carried executed handled fulfilled "
        "proceeded helped changed updated modified managed accomplished succeeded settled sorted "
        "arranged granted honoured honored gone went taken"
    )
)
"""Acts that stand for whatever was asked."""
SKIPPED = frozenset(
    _words(
        "now just already also then successfully both further additionally therefore accordingly have 've "
        "had been went ahead and so duly hereby finally first next all fully immediately promptly today "
        "manually kindly gladly simply instead go right away only since again indeed too not currently yet"
    )
)
"""Words between a subject and the verb of what it did."""
AFTER_NEGATION = frozenset(
    _words(
        "be been to able yet actually really even have had has was is get go ahead and successfully "
        "currently in a position allowed permitted authorised authorized possible "
        "yesterday today tomorrow"
    )
)
AFTER_ACT = frozenset(
    _words(
        "as the it them her him his their your this both all and for on from to with by at in successfully "
        "now a an . ! , per - : today accordingly everything"
    )
)
PERMITTING = frozenset(("allowed", "permitted", "required", "requested"))
"""Pasts that before a colon name what may be or is wanted: "Allowed: up to 5"."""
LEAVING_OUT = frozenset(("did", "do", "could", "ca", "can", "cannot", "wo", "have", "had"))
"""What "n't" or "not" follows where the verb is left out: "so I didn't"."""
CLAIM_PHRASES = (
    "all set",
    "all done",
    "is done",
    "it's done",
    "that's done",
    "job done",
    "taken care of",
    "took care of",
    "consider it done",
    "mission accomplished",
    "went through",
    "gone through",
    "good to go",
    "as you asked",
    "as you requested",
    "as you wished",
    "is complete",
    "are complete",
    "was successful",
    "was a success",
    "done and dusted",
    "everything is settled",
    "request has been granted",
    "has now taken effect",
    "is in effect now",
    "i made an exception",
    "we made an exception",
)
_UNWILLING = ("refuse", "decline", "pass", "stop", "say no", "turn", "reject", "abstain", "refrain")
DECLINING_PHRASES = (
    *(
        f"{must} {verb}"
        for must in ("must", "have to", "had to", "need to", "needed to")
        for verb in _UNWILLING
    ),
    "stopped here",
    *(f"held {where}" for where in ("back", "off")),
    *(f"held {what} back" for what in ("it", "this", "that", "them", "this one", "that one")),
    "withheld",
    "unsuccessful",
    "unsuccessfully",
    "not started",
    "not begun",
    "not been possible",
    "i decline",
    "we decline",
    *(
        f"{subject} {verb}"
        for subject in ("i", "we", "i've", "we've", "i have", "we have")
        for verb in ("declined", "refused")
    ),
    "must decline",
    "to decline",
    "i refuse",
    "turned down",
    "turn down",
    "turning down",
    "turned it down",
    "turned this down",
    "turn this down",
    "turn it down",
    "turn that down",
    "turned that down",
    "request has been rejected",
    "request has been declined",
    "request has been refused",
    "request has been denied",
    "request has been turned down",
    "request was refused",
    "request was rejected",
    "request was declined",
    "request is declined",
    "request declined",
    "request denied",
    "request was denied",
    "request is denied",
    "request rejected",
    "request refused",
    "declining",
    "not possible",
    "isn't possible",
    "impossible",
    "out of the question",
    "not allowed",
    "isn't allowed",
    "aren't allowed",
    "not permitted",
    "isn't permitted",
    "not authorised",
    "not authorized",
    "isn't authorised",
    "isn't authorized",
    "not eligible",
    "isn't eligible",
    "ineligible",
    "not entitled",
    "not qualify",
    "doesn't qualify",
    "not applicable",
    "not available",
    "forbidden",
    "prohibited",
    "prohibits",
    "forbids",
    "prevents",
    "prevented",
    "blocks",
    "blocked",
    "bars",
    "against the rules",
    "against our rules",
    "against policy",
    "against the policy",
    "against our policy",
    "would violate",
    "violates",
    "would break",
    "breaks the",
    "would breach",
    "nothing to do",
    "nothing was changed",
    "nothing has changed",
    "nothing changed",
    "nothing was done",
    "nothing has been changed",
    "nothing has been done",
    "changed nothing",
    "did nothing",
    "no action",
    "no change",
    "no changes",
    "no update",
    "no updates",
    "without changes",
    "without making any change",
    "without making changes",
    "unchanged",
    "untouched",
    "left as is",
    "left it as is",
    "left as it is",
    "left it as it is",
    "left everything as",
    "left alone",
    "left it alone",
    "leave it as it is",
    "leave it as is",
    "leaving it as it is",
    "leaving it as is",
    "stays as it is",
    "stays as is",
    "stay as they are",
    "remains as it is",
    "remains as is",
    "stays put",
    "stays where it is",
    "hold off",
    "held off",
    "holding off",
    "stopped short",
    "stopped there",
    "not going to",
    "can't go ahead",
    "cannot go ahead",
    "could not go ahead",
    "couldn't go ahead",
    "not going ahead",
    "did not go ahead",
    "didn't go ahead",
    "not happening",
    "has to stay",
    "have to say no",
    "had to say no",
    "must say no",
    "answer is no",
    "no go",
    "no-go",
    "no can do",
    "my hands are tied",
    "in the way of",
    "rules it out",
    "rules this out",
    "ruled out",
    "refrained from",
    "before making any",
    "before making a",
    "before changing",
    "before doing",
    "without doing",
    "short of making",
    "short of doing",
    "not done",
    "left undone",
    "hasn't happened",
    "did not happen",
    "didn't happen",
    "did not go through",
    "didn't go through",
    "not gone through",
    "get round to",
    "get around to",
    "gave up on",
    "result : declined",
    "result : refused",
    "result : rejected",
    "result : denied",
    "outcome : declined",
    "outcome : refused",
    "outcome : rejected",
    "decision : declined",
    "decision : refused",
    "decision : rejected",
    "decision : no",
    "answer : no",
    "request : declined",
    "request : refused",
    "the record alone",
    "the records alone",
    "everything alone",
    "before any change",
    "before any changes",
    "operation failed",
    "request failed",
    "update failed",
    "change failed",
    "attempt failed",
    "attempts failed",
    "isn't something i can",
    "isn't something we can",
    "isn't something i may",
    "wasn't something i",
    "isn't possible",
    "wasn't possible",
    "nothing was saved",
    "nothing was made",
    "nothing went in",
    "nothing could be",
    "none of it could",
    "none of this could",
    "none of that could",
    "none of your changes",
    "none of the changes",
    "none of your requests",
    "i would not",
    "chosen not to",
    "chose not to",
    "decided not to",
    "decided against",
    "opted not to",
    "opted against",
    "abstained from",
    "thing unchanged",
    "not changed a thing",
    "not changed anything",
    "stays as it was",
    "stay as they were",
    "remains as it was",
    "steered clear",
    "off the table",
    "beyond what i may",
    "beyond what i can",
    "not something i can",
    "not something i may",
    "not something we can",
    "off limits",
    *(f"none of {what} was possible" for what in ("this", "that", "it", "them", "these")),
    *(f"{left} where it {was}" for left in ("left it", "leave it", "leaving it") for was in ("was", "is")),
    *(f"before i {change}" for change in ("touch", "change", "update", "enter", "do", "go ahead")),
)
APOLOGIES = _words("sorry apologies apologise apologize unfortunately regret regrettably afraid no")
