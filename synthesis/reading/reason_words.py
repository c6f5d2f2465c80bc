"""Reason words: what a reason is worded with, whatever it is about. Data only.

A reason says which rule or which value decided. Beside the words of these it needs words of order, number,
time and bounds, and verbs that only link them. All other words name a thing or an event.
"""

from __future__ import annotations

from synthesis.reading.words import key

_ORDER = (
    "first second third last next next-best other others another rest remaining remainder former latter "
    "same equal equally alike level tie tied even alphabet alphabetical alphabetically order sequence "
    "rank ranked before after behind ahead earlier earliest later latest sooner soonest early late long "
    "longer longest short shorter shortest small smaller smallest big bigger biggest large larger "
    "largest low lower lowest high higher highest cheap cheaper cheapest dear dearer expensive little "
    "less least few fewer fewest many more most much enough several some any all each every both either "
    "neither none nobody anybody somebody everybody anyone someone everyone nothing anything everything "
    "something else only alone single half double twice once whole entire part partly total sum "
    "difference one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety "
    "hundred thousand dozen zero number count figure amount times"
)
_TIME = (
    "day days week weeks month months year years hour hours minute minutes today yesterday tomorrow now "
    "then ago already yet still currently present past future date dates time moment period window span "
    "morning afternoon evening night weekend monday tuesday wednesday thursday friday saturday sunday "
    "january february march april may june july august september october november december recent "
    "recently previous previously until since during between within throughout never ever always again"
)
_BOUNDS = (
    "limit limits limited maximum minimum most least threshold cap capped bound range above below over "
    "under beyond outside inside within exceed exceeds exceeded exceeding surpass pass passed reach "
    "reached reaching fit fits fall falls fell lie lies allow allowed allows permit permitted permits "
    "forbid forbids forbidden rule rules ruling policy policies condition conditions requirement "
    "require requires required need needs needed criterion criteria qualify qualifies qualified "
    "entitled eligible apply applies applied count counts counted decide decides decided decisive "
    "determine suffice sufficient insufficient short exactly precisely up down off out away on in to "
    "through from against despite without except besides"
)
_LINKS = (
    "be being been have having do doing done go goes going gone went come comes coming came get gets "
    "got take takes taken took make makes made give gives given gave put keep keeps kept stay stays "
    "stayed remain remains remained leave leaves left become became turn turned stand stands stood hold "
    "holds held find finds found see sees saw seen show shows shown showed say says said tell tells "
    "told mean means meant belong belongs share shares shared let run runs ran lapse lapsed expire "
    "expired elapse end ends ended start starts started begin begins began choose chose chosen pick "
    "picked use used carry carries can cannot could may might must shall should will would able unable "
    "possible impossible free available taken unavailable full empty open closed busy occupied vacant "
    "current actual own right wrong correct true such case cases fact reason turn list record records "
    "recorded file entry entries thing things way place places side question person people name names "
    "colleague staff team member work job mark marked overlap overlaps overlapping collide clash "
    "conflict conflicts concern concerns account please afraid think thinks thought believe believed "
    "assume assumed expect expected borrow borrowed lend lent owe owed sorry unfortunately however "
    "therefore thus hence rather well quite too very just simply already alone"
)
GENERAL_REASONS = frozenset(key(word) for text in (_ORDER, _TIME, _BOUNDS, _LINKS) for word in text.split())
"""Their keys."""
