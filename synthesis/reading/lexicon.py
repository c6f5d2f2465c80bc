"""Word lists: numbers, months, units, spellings, stems and synonyms. Data only."""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


MONTHS = _words("january february march april may june july august september october november december")

_SMALL = _words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty"
)
TENS = {
    word: 10 * value
    for value, word in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2
    )
}
COUNTS = {
    **{word: value for value, word in enumerate(_SMALL)},
    **TENS,
    "hundred": 100,
    "dozen": 12,
    "once": 1,
    "twice": 2,
    "single": 1,
}
NOTHING = frozenset({"no", "none", "nothing", "nil", "nobody"})
"""Words that say zero of something where a count or an amount is asked for."""

STOP_WORDS = frozenset(
    _words(
        "the a an of is are was were be been being am may can could would will shall should must "
        "might has have had do does did to for by in on at it its it's his her hers their theirs "
        "our your my who whom whose which what that this these those there here and or but so as "
        "with from into than then also just only very i we you he she they them him us me if when "
        "while where how not no yes now still about per via upon"
    )
)


MONEY_WORDS = frozenset(
    _words(
        "amount total sum price cost costs costing owe owes owed owing pay pays paid payable "
        "payment balance due fee fees charge charged refund worth value budget salary bill billed "
        "invoice outstanding comes come amounts came money cash credit debit deposit freight tax "
        "discount premium rent revenue unpaid adds debt spend spent cheap"
    )
)

UNITS = {
    unit: group[0]
    for group in (
        ["day", "days"],
        ["hour", "hours", "hr", "hrs", "h"],
        ["minute", "minutes", "min", "mins"],
        ["second", "seconds", "sec", "secs"],
        ["week", "weeks", "wk", "wks"],
        ["month", "months"],
        ["year", "years", "yr", "yrs"],
        ["km", "kilometre", "kilometres", "kilometer", "kilometers"],
        ["m", "metre", "metres", "meter", "meters"],
        ["cm", "centimetre", "centimetres", "centimeter", "centimeters"],
        ["mm", "millimetre", "millimetres", "millimeter", "millimeters"],
        ["mile", "miles", "mi"],
        ["kg", "kilo", "kilos", "kilogram", "kilograms"],
        ["g", "gram", "grams"],
        ["lb", "lbs", "pound", "pounds"],
        ["l", "litre", "litres", "liter", "liters"],
        ["percent", "per", "cent", "%", "percentage"],
    )
    for unit in group
}


SPELLINGS = dict(
    pair.split(":", 1)
    for pair in _words(
        "canceled:cancelled canceling:cancelling cancelation:cancellation labeled:labelled "
        "traveled:travelled fulfil:fulfill fulfils:fulfills fulfilment:fulfillment enrol:enroll "
        "enrols:enrolls enrolment:enrollment grey:gray catalog:catalogue program:programme "
        "licence:license cheque:check modeled:modelled ok:okay e-mail:email mails:email sms:sms"
    )
)
IRREGULAR = dict(
    pair.split(":", 1)
    for pair in _words(
        "doing:do paid:pay sent:send made:make did:do done:do put:put set:set gave:give given:give "
        "took:take taken:take told:tell wrote:write written:write bought:buy sold:sell lent:lend "
        "let:let left:leave withdrew:withdraw withdrawn:withdraw began:begin begun:begin "
        "held:hold kept:keep drew:draw drawn:draw wound:wind rewrote:rewrite went:go gone:go "
        "got:get brought:bring chose:choose chosen:choose found:find saw:see seen:see ran:run "
        "read:read said:say spoke:speak froze:freeze frozen:freeze unfroze:unfreeze "
        "unfrozen:unfreeze people:person children:child owing:owe declined:decline denied:deny "
        "denies:deny shut:shut cut:cut reset:reset undid:undo undone:undo redid:redo swept:sweep "
        "dealt:deal fed:feed grew:grow rose:rise fell:fall won:win lost:lose met:meet rang:ring"
    )
)

SYNONYMS = (
    "total sum altogether overall combined together entire grand aggregate",
    "owe outstanding unpaid unsettled open owing",
    "date day",
    "phone telephone mobile tel",
    "email mail",
    "price cost",
    "earliest oldest first initial",
    "latest newest last recent",
    "client customer buyer patron",
    "status state stage",
    "remaining remain left leave leftover",
    "start begin beginning commence",
    "finish end expire",
    "create open opening",
    "issue issued",
    "number count quantity many",
    "cancel annul void revoke rescind scrap",
    "reject refuse decline deny",
    "approve accept authorise authorize confirm",
    "allow permit permission authorise authorize entitle right eligible qualify may",
    "forbid prohibit bar disallow ban block",
    "book reserve schedule appointment booking",
    "move reschedule shift postpone relocate transfer",
    "delete remove discard erase drop",
    "add create insert register record enter",
    "limit maximum cap most ceiling most max",
    "minimum least floor min",
    "exceed above beyond over more higher greater",
    "below under less lower fewer",
    "full capacity occupied",
    "unique once duplicate same already exist existing twice another",
    "manager board supervisor",
    "complete finish finalise finalize",
    "inactive disabled deactivated",
    "pause suspend hold frozen freeze",
    "late overdue past elapsed expire passed",
    "out unavailable",
    "pending await",
    "name called title",
    "refer reference link attach depend relate associate belong",
    "keep retain preserve",
    "notice warning",
    "only solely exclusively",
)
"""Words that say much the same as a label or a reason; the first of each is its key."""

STATE_SYNONYMS = (
    ("cancelled", "called off", "annulled"),
    ("completed", "complete", "finished", "done"),
    ("in progress", "under way", "underway", "ongoing", "being worked on"),
    ("pending", "awaiting"),
    ("used up", "exhausted", "fully used"),
    ("out of stock", "sold out"),
    ("on hold", "paused", "suspended"),
    ("rejected", "turned down"),
    ("approved", "accepted"),
    ("inactive", "not active", "deactivated"),
    ("shipped", "dispatched", "sent out"),
    ("overdue", "past due"),
    ("paid", "settled"),
    ("open", "unresolved"),
    ("closed", "shut"),
)
"""States that say the same, unless the column has both."""
