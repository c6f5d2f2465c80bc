"""What an author is shown before it corrects."""

import json

import pytest

from synthesis.documents.finding import Finding
from synthesis.documents.policy import Policy
from synthesis.llm.scripted import Scripted
from synthesis.pipeline.author import Ask
from synthesis.pipeline.authors.correction_prompt import ModelSummariser, tell
from synthesis.pipeline.authors.model import ModelAuthor
from synthesis.pipeline.stages.registry import STAGES
from tests.scripted_model import drafted


def finding(message, where="", part="tools", **fields):
    return Finding(part=part, check="c", message=message, where=where, **fields)


def told(findings, clinic=None, *, stage="tools", reply="", part=None, summariser=None):
    state = STAGES[stage].reply_of(drafted(clinic).part(stage)) if clinic else None
    return tell(STAGES[stage], tuple(findings), state=state, reply=reply, part=part, summariser=summariser)


def test_only_the_blamed_pieces_are_shown(clinic):
    correction_prompt = told([finding("It fails.", "find_patients")], clinic)
    assert [tool["name"] for tool in json.loads(correction_prompt.reply)["tools"]] == ["find_patients"]
    assert correction_prompt.findings == "- [find_patients] It fails."
    assert "only the entries you change" in correction_prompt.how


def test_findings_about_the_whole_show_the_whole(clinic):
    correction_prompt = told([finding("There are too few.")], clinic)
    assert len(json.loads(correction_prompt.reply)["tools"]) == 28


def test_a_reply_that_could_not_be_read_is_shown_as_it_was():
    correction_prompt = told([finding("no JSON")], reply="Let me think {about} it.")
    assert correction_prompt.reply == "Let me think {about} it."
    assert "whole" in correction_prompt.how


def test_a_part_of_one_piece_that_is_sent_back_is_shown():
    correction_prompt = told(
        [finding("Rule 2 is missing.", part="policy")], stage="policy", part=Policy(text="Rule 1.")
    )
    assert json.loads(correction_prompt.reply) == {"text": "Rule 1."}


def test_long_findings_are_cut_and_many_are_counted():
    correction_prompt = told([finding("x" * 5_000)] * 60, reply="r")
    assert len(correction_prompt.findings) < 41 * 1_600
    assert correction_prompt.findings.endswith("- And 20 more.")


def test_evidence_is_shown():
    correction_prompt = told([finding("It fails.", evidence={"call": "find", "id": 3})], reply="r")
    assert correction_prompt.findings == '- It fails. Evidence: {"call":"find","id":3}'


def test_long_findings_are_condensed_where_there_is_a_summariser():
    provider = Scripted(["- [a] all the same"])
    many = [finding("x" * 1_000, f"tool_{number}") for number in range(20)]
    correction_prompt = told(many, reply="r", summariser=ModelSummariser(provider))
    assert correction_prompt.findings == "- [a] all the same"
    assert "[tool_19]" in provider.requests[0].messages[0].text


def test_short_findings_need_no_summary_and_an_empty_summary_is_none():
    provider = Scripted(["", ""])
    summariser = ModelSummariser(provider)
    assert told([finding("short")], reply="r", summariser=summariser).findings == "- short"
    assert provider.requests == []
    many = [finding("x" * 1_000)] * 20
    assert told(many, reply="r", summariser=summariser).findings.count("x") == 20_000


def test_the_same_of_many_rows_is_told_once_and_remarks_as_remarks():
    many = [
        finding(f"lines, row {number}: invoice_id names no row.", "lines", "seed_data")
        for number in range(1, 31)
    ]
    remark = finding("No tool reads staff.", part="seed_data", severity="warning")
    text = told([*many, remark], stage="seed_data", reply="r").findings.splitlines()
    rows = ", ".join(map(str, range(1, 21)))
    assert text == [
        f"- [lines] lines, rows {rows} and 10 more: invoice_id names no row.",
        "- A remark, nothing that must be changed: No tool reads staff.",
    ]


def test_what_is_shared_alone_needs_no_tool_shown_and_a_whole_that_is_blamed_all_specifications(clinic):
    assert json.loads(told([finding("os cannot be imported.", "shared")], clinic).reply)["tools"] == []
    findings = [
        finding("No parameter.", "find_patients", "tool_specs"),
        finding("No tool says so.", part="tool_specs"),
    ]
    shown = json.loads(told(findings, clinic, stage="tool_specs").reply)["tools"]
    assert len(shown) == 28


def test_a_place_is_named_once():
    assert told([finding("pay_bill: it fails.", "pay_bill")], reply="r").findings == "- [pay_bill] it fails."


def test_evidence_is_shown_without_what_the_message_says_already():
    evidence = {"answer": "All done.", "error": "", "more_like_it": ["Done."]}
    shown = told([finding('It refuses "All done."', evidence=evidence)], reply="r").findings
    assert shown == '- It refuses "All done." Evidence: {"more_like_it":["Done."]}'
    said = finding('It refuses "All done."', evidence={"answer": "All done."})
    assert told([said], reply="r").findings == '- It refuses "All done."'


@pytest.mark.parametrize("stage", sorted(STAGES))
def test_a_correction_begins_as_the_first_request_did_so_that_it_is_cached(stage, clinic, request_for):
    provider = Scripted(["{}"] * 60)
    author, draft = ModelAuthor(provider), drafted(clinic)
    author.write(Ask(stage=STAGES[stage], draft=draft.with_part(stage, None), request=request_for()))
    first = provider.requests[0].messages
    part = draft.part(stage)
    name = next(iter(reply.pieces), "") if (reply := STAGES[stage].reply_of(part)) else ""
    wrong = (finding("It is wrong.", name, stage),)
    author.write(Ask(stage=STAGES[stage], draft=draft, request=request_for(), findings=wrong))
    second = provider.requests[-1].messages
    assert len(second) == 4
    assert second[0] == first[0]
    same = first[1].text.partition(f"<{LAST[stage]}>\n" if stage in LAST else "\0")[0]
    assert second[1].text.startswith(same)
    if name:
        assert name in second[2].text
        assert len(json.loads(second[2].text)[STAGES[stage].reply.listed[0]]) == 1


LAST = {"tools": "written_already", "tasks": "ids", "verifiers": "tasks"}
"""By stage: the block with which the part of a prompt begins that differs between its requests."""
