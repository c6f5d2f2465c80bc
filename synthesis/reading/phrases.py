"""Phrases: how English denies, doubts and takes back. Data only."""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


NEGATIONS = frozenset(
    _words(
        "not never neither nor cannot without hardly unable n't isn't wasn't aren't weren't don't "
        "doesn't didn't can't couldn't won't wouldn't haven't hasn't hadn't shouldn't mustn't "
        "needn't ain't isnt wasnt dont doesnt didnt cant couldnt wont havent hasnt nobody none "
        "nothing no"
    )
)
DENYING = frozenset(
    ["wrong", "incorrect", "false", "untrue", "mistaken", "inaccurate", "invalid", "erroneous"]
)
"""Adjectives by which a value is taken back."""
HEDGES = frozenset(
    _words(
        "perhaps maybe possibly probably presumably likely might guess guessing "
        "estimated roughly approximately approx apparently seemingly seems seem appears "
        "supposedly unsure uncertain unclear assume assuming suspect unconfirmed conceivably "
        "allegedly arguably ballpark gut hunch reckon suppose ish doubt tentatively tentative"
    )
)
HEDGING_PHRASES = (
    "not sure",
    "not certain",
    "not entirely",
    "i think",
    "i believe",
    "i'd say",
    "could be",
    "may be",
    "can't be sure",
    "cannot be sure",
    "cannot confirm",
    "can't confirm",
    "unable to confirm",
    "could not confirm",
    "couldn't confirm",
    "could not verify",
    "couldn't verify",
    "hard to say",
    "hard to tell",
    "difficult to say",
    "my best guess",
    "i estimate",
    "i'd estimate",
    "i would estimate",
    "we estimate",
    "my estimate",
    "my best estimate",
    "best estimate",
    "rough estimate",
    "a rough estimate",
    "only an estimate",
    "just an estimate",
    "as an estimate",
    "is an estimate",
    "if i recall",
    "if memory serves",
    "as far as i can tell",
    "should be around",
    "something like",
    "somewhere",
    "or so",
    "or thereabouts",
    "or more",
    "or fewer",
    "or less",
    "give or take",
    "for example",
    "for instance",
    "let's say",
    "depending on",
    "depends on",
    "who knows",
    "don't know",
    "do not know",
    "no idea",
    "two entries",
    "several entries",
    "two values",
    "several values",
    "one of these",
    "one of those",
    "one of the following",
    "any of these",
    "take your pick",
    "don't quote me",
    "to be confirmed",
    "pending confirmation",
    "must be checked",
    "not be exact",
    "not be right",
    "need to double-check",
    "not verified",
)
NEAR_HEDGES = frozenset(
    _words("about around nearly almost over under above below circa ca ~ \u2248 > < \u2265 \u2264")
)
"""Words that make a value vague when they stand right before it."""
NEAR_PHRASES = (
    "at least",
    "at most",
    "no more than",
    "no fewer than",
    "no less than",
    "not more than",
    "not less than",
    "more than",
    "less than",
    "fewer than",
    "up to",
    "close to",
    "upwards of",
    "in excess of",
    "as many as",
    "as much as",
    "a minimum of",
    "a maximum of",
    "south of",
    "north of",
    "on the order of",
    "in the region of",
    "in the neighbourhood of",
)
CONDITIONS = frozenset(["if", "whether", "unless", "suppose", "supposing", "provided"])
RETRACTIONS = (
    *(
        f"{verb} {what}"
        for verb in ("disregard", "ignore", "forget", "scratch", "strike")
        for what in ("this", "it", "my answer", "my last", "the above", "what i")
    ),
    "scratch that",
    "ignore that",
    "disregard that",
    "strike that",
    "forget that",
    "i take that back",
    "on second thought",
    "on checking again",
    "after checking again",
    "on a second look",
    "after a second look",
    "after a closer look",
    "on closer inspection",
    "actually no",
    "that is wrong",
    "that's wrong",
    "that is not right",
    "that's not right",
    "that is not true",
    "that's not true",
    "that is not correct",
    "that isn't right",
    "that isn't correct",
    "that isn't true",
    "that is incorrect",
    "that is false",
    "that was wrong",
    "just kidding",
    "not really",
    "none of this is true",
    "none of that is true",
    "i made that up",
    "made this up",
    "the opposite is true",
    "the opposite is the case",
    "nothing of the kind",
    "would be wrong",
    "would be incorrect",
    "would be a mistake",
    "is a lie",
    "i lied",
)
"""What takes back what was said before it in the answer."""
DENIAL_FRAMES = (
    "not true that",
    "not the case that",
    "untrue that",
    "false that",
    "wrong to say",
    "wrong to claim",
    "incorrect that",
    "incorrect to say",
    "deny that",
    "denies that",
    "doubt that",
    "nobody said",
    "no one said",
    "cannot say that",
    "can't say that",
    "far from",
    "anything but",
    "contrary to",
    "it's a myth",
    "rumour that",
    "rumor that",
    "does not mean",
    "other than",
    "except",
    "everything but",
    "rather than",
    "instead of",
    "as opposed to",
    "no longer",
    "by no means",
    "in no way",
    "under no circumstances",
    "differs from",
    "different from",
)
DOUBTLESS = (
    *(
        f"{beginning} {what}"
        for beginning in ("no", "without", "without a", "without any", "beyond", "beyond any", "hardly any")
        for what in ("doubt", "doubt that", "question", "question that")
    ),
)
"""What takes a doubt away."""
OPPOSITES = (
    ("more", "less"),
    ("more", "fewer"),
    ("higher", "lower"),
    ("increase", "decrease"),
    ("increased", "decreased"),
    ("rose", "fell"),
    ("up", "down"),
    ("above", "below"),
    ("over", "under"),
    ("before", "after"),
    ("earlier", "later"),
    ("early", "late"),
    ("gained", "lost"),
    ("gain", "loss"),
    ("surplus", "shortfall"),
    ("profit", "loss"),
    ("credit", "debit"),
    ("owed", "overpaid"),
    ("owes", "receives"),
    ("to", "from"),
    ("incoming", "outgoing"),
    ("longer", "shorter"),
    ("cheaper", "dearer"),
)
NOT_PAST = frozenset(
    _words("need indeed exceed proceed feed speed seed bed red breed hundred succeed shed sacred bleed")
)
"""Words that end as a past tense does and are none."""
ELSEWHERE = frozenset(
    _words(
        "else other others otherwise further additional remaining rest another apart besides "
        "elsewhere extra unrelated"
    )
)
"""Words that limit a denial to what was not asked for."""
ASKING = frozenset(
    _words(
        "is are was were do does did shall should would will can could may have has which who what how where "
        "when"
    )
)
"""Words with which a sentence is a question from its first word on."""
EARLIER = frozenset(_words("already previously earlier currently still formerly ago before once yet again"))
"""Words by which a state is told and no act of now."""
