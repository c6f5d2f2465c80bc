"""GluedWords: identifiers without any mark between their words, such as "billingpostalcode", taken apart."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

_COMMON = frozenset(
    re.findall(
        r"\w+",
        """
    access account action active activity actor actual address admin after age agent album alias all
    amount app apply approval approved area article artist asset assigned at attachment attempt
    attribute author authorization average balance bank bar base basket batch before begin billing
    birth blob block board body book booking box branch brand budget build building bulk business by
    cache calendar call campaign cancel card cart case cash category cell center change channel
    charge check child city claim class client close closed code collection color column comment
    company component condition config contact content contract cost count country course create
    created credit currency current customer daily data date day dead deal default delete deleted
    delivery department depth description detail details device digital direct directory discount
    display district document domain download driver due duration edit email employee enabled end
    entry error event exam expires expiry export extra family fax fee field file film final finish
    first flag flight focal folder for format forum free freight from full gender genre given grade
    grant group guest has hash header height hire history hits home host hour hours id image import
    in index info initial input inventory invoice is item items job join key kind label language
    last latitude lead leave length level limit line link list listing loan local location lock log
    login long longitude lost machine mail main manager map mark market master material max media
    member membership memo menu message method middle min mobile mode model module month name next
    no node note notes num number object of offer office on open option order org origin original
    other out owner package page parent part parts party password path patient pay payment per
    percent period permission person phone photo picture place plan planned player point points
    policy pool port position post postal price primary print priority private process product
    profile program progress project property public publisher purchase quantity queue quote rank
    rate rating ratio read reason receipt record reference refund region register registration
    related release rental rep reply report reports request required reservation reset resource
    response restriction result return returned review revision role room root route row rule salary
    sale sales sample schedule school score search seat section security segment sender sent
    sequence serial series server service session set setting ship shipment shipped shipper shipping
    short size slot sort source special staff stage start started state status step stock stop store
    street string student style sub subject submit subscription summary supplier support survey
    system table tag tagged target task tax team template term test text thread ticket time title to
    token tool topic total track trade train transaction transfer trip type unit units until update
    updated upload url usage use user valid value variant vehicle vendor version video view visit
    voucher wait wallet warehouse web week weight width work year zip zone
    """,
    )
)
_WHOLE = frozenset(
    re.findall(
        r"\w+",
        """
    application appointment assignment authentication authorization barcode baseline birthday
    communication configuration dashboard database deadline department destination download
    enrollment feedback firmware framework hardware headline homepage income information keyword
    landline network nickname notification organisation organization outcome overtime password
    permission playlist postcode registration reservation restriction software storefront
    subscription surname timestamp update upload username warehouse website workflow workspace
    zipcode
    """,
    )
)
LEAST = 6
"""Letters from which a word may be several."""


def taken_apart(word: str, known: Collection[str] = ()) -> list[str]:
    """A word as the words it is glued together from; itself where that is not certain.

    Args:
        word: Lower-case letters.
        known: Other words of the same schema.
    """
    if len(word) < LEAST or not word.isalpha() or word in _WHOLE or word in _COMMON:
        return [word]
    own = frozenset(other for other in known if len(other) > 3 and other != word)
    texts = _best(word, own)
    return list(texts) if texts and len(texts) <= 4 else [word]


@lru_cache(maxsize=8_192)
def _best(word: str, own: frozenset[str]) -> tuple[str, ...] | None:
    """The fewest known words that make up the whole, the longest first; None where they do not."""
    if word in _COMMON or word in _WHOLE or word in own:
        return (word,)
    texts: tuple[str, ...] | None = None
    for end in range(len(word) - 2, 1, -1):
        head = word[:end]
        if head not in _COMMON and head not in _WHOLE and head not in own:
            continue
        rest = _best(word[end:], own)
        if rest is not None and (texts is None or len(rest) + 1 < len(texts)):
            texts = (head, *rest)
    return texts
