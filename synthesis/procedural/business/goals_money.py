"""Goals about charges, payments, notices and people of one name; every business has them."""

from __future__ import annotations

from synthesis.documents.tasks import Blocking
from synthesis.procedural.business.ddl import number_of
from synthesis.procedural.business.goals_work import leader
from synthesis.procedural.business.model import Row
from synthesis.procedural.business.play import TaskBuilder, TaskDraft, fact
from synthesis.procedural.composing.playing import Abandoned


def _open_of(play: TaskBuilder) -> list[tuple[Row, list[Row]]]:
    b = play.business
    candidates = []
    for party in play.rows(b.party):
        rows = play.rows(b.charge, **{b.party.key: party["id"], "status": "open"})
        if rows:
            candidates.append((party, rows))
    return candidates


def paid_twice(play: TaskBuilder) -> TaskDraft:
    """Put right a charge that was paid twice."""
    b = play.business
    choices = []
    for charge in play.rows(b.charge, status="paid"):
        paid = play.rows(b.payment, **{b.charge.key: charge["id"], "status": "received"})
        if len(paid) == 2:
            choices.append((charge, sorted(paid, key=lambda p: p["paid_on"])))
    charge, paid = play.pick(choices)
    party = play.row(b.party, charge[b.party.key])
    own = [c for c, _ in choices if c[b.party.key] == party["id"]]
    if len(own) > 1:
        raise Abandoned("twice twice")
    who, at = play.who(b.party, party), play.party(b.party, party)
    listed = play.find(b.charge, (at,), **{b.party.key: party["id"], "status": "paid"})
    looked = [listed.at]
    for each in listed:
        play.find(b.payment, (listed.at,), **{b.charge.key: each["id"]})
        looked.append(play.last)
    void = b.tool["void"]
    answer = (
        f"The {b.payment.noun} of {play.day(paid[1]['paid_on'])} over {b.money(charge['amount_cents'])} is"
        " voided."
    )
    play.tempt("first_row", [(void, {b.payment.key: paid[0]["id"]})], answer)
    play.tempt("ignores_policy", [(void, {b.payment.key: each["id"]}) for each in paid], answer)
    play.call(void, looked, **{b.payment.key: paid[1]["id"]})
    text = play.say("paid_twice", who=who)
    return TaskDraft(
        "mixed",
        f"void double {b.payment.noun}",
        text,
        answer,
        [fact(f"date of the voided {b.payment.noun}", "date", paid[1]["paid_on"])],
        by_policy=True,
    )


def waive_or_hand_over(play: TaskBuilder) -> TaskDraft:
    """Waive a charge, or hand it over where it is above the limit."""
    b = play.business
    limit = b.value("waive", "cents")
    above = play.rng.random() < 0.5
    choices = [
        (party, c) for party, rows in _open_of(play) for c in rows if (c["amount_cents"] > limit) is above
    ]
    party, charge = play.pick(choices)
    who, at = play.who(b.party, party), play.party(b.party, party)
    matches = play.find(b.charge, (at,), **{b.party.key: party["id"], "status": "open"})
    waive = (b.tool["waive"], {b.charge.key: charge["id"]})
    label = number_of(b.charge, charge)
    chief = leader(play)
    over = {"reference": label, b.staff.key: chief["id"], "reason": "above_limit"}
    amount = b.money(charge["amount_cents"])
    if above:
        leaders = play.find(b.staff, (matches.at,), role=b.staff.column("role").choices[1], on_duty=True)
        answer = f"{label} over {amount} was not waived here; {chief['name']} decides."
        play.tempt("ignores_policy", [waive], answer)
        play.call(b.tool["hand over"], (matches.at, leaders.at), **over)
        facts = [fact("one who decides", "name", chief["name"])]
    else:
        answer = f"{label} is waived; it was {amount}."
        play.tempt("ignores_policy", [(b.tool["hand over"], over)], answer)
        if matches[0]["id"] != charge["id"]:
            play.tempt("first_row", [(b.tool["waive"], {b.charge.key: matches[0]["id"]})], answer)
        play.call(waive[0], (matches.at,), **waive[1])
        play.tempt("stops_early", [], answer)
        telling = {b.party.key: party["id"], "reference": label, "kind": "change"}
        play.call(b.tool["notify"], (play.last,), **telling)
        facts = [fact("amount", "money_cents", charge["amount_cents"])]
    text = play.say(
        "waive_or_hand_over", who=who, number=label, reference=charge["reference"], kind=charge["kind"]
    )
    return TaskDraft("mixed", f"waive or hand over {b.charge.noun}", text, answer, facts, by_policy=True)


def total_owed(play: TaskBuilder) -> TaskDraft:
    """What somebody owes in all and since when."""
    b = play.business
    party, rows = play.pick([(p, r) for p, r in _open_of(play) if len(r) >= 2])
    who, at = play.who(b.party, party), play.party(b.party, party)
    play.find(b.charge, (at,), **{b.party.key: party["id"], "status": "open"})
    total = sum(row["amount_cents"] for row in rows)
    oldest = min(row["due_on"] for row in rows)
    text = play.say("total_owed", who=who)
    return TaskDraft(
        "read",
        f"{b.charge.many} owed",
        text,
        f"{b.money(total)} in all; the earliest was due on {play.day(oldest)}.",
        [fact("total owed", "money_cents", total), fact("earliest due date", "date", oldest)],
    )


def settle_oldest(play: TaskBuilder) -> TaskDraft:
    """Pay what has been owed longest."""
    b = play.business
    choices = []
    for party, rows in _open_of(play):
        ranked = sorted(rows, key=lambda c: c["due_on"])
        if len(ranked) > 1 and ranked[0]["due_on"] < ranked[1]["due_on"]:
            choices.append((party, ranked))
    party, ranked = play.pick(choices)
    method = play.pick(b.payment.column("method").choices)
    who, at = play.who(b.party, party), play.party(b.party, party)
    matches = play.find(b.charge, (at,), **{b.party.key: party["id"], "status": "open"})
    tool = b.tool["settle"]
    answer = f"{b.money(ranked[0]['amount_cents'])} is paid by {method.replace('_', ' ')}."
    play.tempt("second_best", [(tool, {b.charge.key: ranked[1]["id"], "method": method})], answer)
    play.tempt("ignores_policy", [(tool, {b.charge.key: c["id"], "method": method}) for c in ranked], answer)
    play.call(tool, (matches.at,), **{b.charge.key: ranked[0]["id"], "method": method})
    text = play.say("settle_oldest", who=who, means=method)
    return TaskDraft(
        "mixed",
        f"settle oldest {b.charge.noun}",
        text,
        answer,
        [fact("amount paid", "money_cents", ranked[0]["amount_cents"])],
    )


def namesake(play: TaskBuilder) -> TaskDraft:
    """Two people of one name, and nothing that tells them apart."""
    b = play.business
    names = [p["name"] for p in play.rows(b.party)]
    twin = next((name for name in names if names.count(name) > 1), "")
    both = [p for p in play.rows(b.party) if p["name"] == twin]
    if len(both) < 2:
        raise Abandoned("nobody has a namesake")
    play.find(b.party, name=twin)
    phone = f"555-0{play.rng.randint(100, 999)}"
    tool = b.tool["amend"]
    play.tempt(
        "first_namesake",
        [(tool, {b.party.key: both[0]["id"], "phone": phone})],
        f"The number of {twin} is {phone} now.",
    )
    play.tempt(
        "second_best",
        [(tool, {b.party.key: both[1]["id"], "phone": phone})],
        f"The number of {twin} is {phone} now.",
    )
    text = play.say("namesake", name=twin, phone=phone)
    cities = [p["city"] for p in both]
    return TaskDraft(
        "refuse",
        "refuse to change a namesake",
        text,
        f"I had to decline, and the phone number was not changed: two {b.party.many} are called {twin}, one"
        f" from {cities[0]} and one from {cities[1]}. Which of them is meant?",
        [fact("the phone number was changed", "boolean", False)],
        [
            Blocking(
                kind="value",
                text=f"there are two {b.party.many} of that name, in {cities[0]} and {cities[1]}",
                value=cities[0],
                type="name",
            ),
            Blocking(kind="value", text=f"one of the two is from {cities[1]}", value=cities[1], type="name"),
        ],
        by_policy=True,
    )


def contact(play: TaskBuilder) -> TaskDraft:
    """Where somebody lives and since when they have been known."""
    b = play.business
    party = play.pick([p for p in play.rows(b.party) if play.who(b.party, p) == p["name"]])
    who, at = play.who(b.party, party), play.party(b.party, party)
    play.get(b.party, party, (at,))
    text = play.say("contact", who=who, name=party["name"])
    return TaskDraft(
        "read",
        f"joining date of {b.party.noun}",
        text,
        f"{party['email']}; joined on {play.day(party['joined_on'])}.",
        [fact("joining date", "date", party["joined_on"]), fact("e-mail address", "text", party["email"])],
    )
