"""Replies read as documents: tolerant of form, strict about content."""

import pytest
from pydantic import BaseModel, ConfigDict

from synthesis.errors import ReplyUnreadable
from synthesis.llm.provider import Completion, CompletionRequest, Message
from synthesis.llm.structured import format_in_words, read_reply, reply_format


class Book(BaseModel):
    model_config = ConfigDict(strict=False)
    title: str
    pages: int
    tags: list[str] = []


GOOD = '{"title": "Sums", "pages": 12, "tags": ["a", "b"]}'


def read(text, **fields):
    return read_reply(Completion(text=text, **fields), Book)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"\n\n{GOOD}  ",
        f"Here it is:\n```json\n{GOOD}\n```\nHope this helps!",
        f"```\n{GOOD}\n```",
        f"Sure! {GOOD} That is all.",
        '{"title": "Sums", "pages": 12, "tags": ["a", "b",],}',
        "{'title': 'Sums', 'pages': 12, 'tags': ['a', 'b']}",
        '{"title": "Sums", "pages": 12, "tags": ["a", "b"], "unasked": true}',
        '{title: "Sums", pages: 12, tags: ["a", "b"]}',
    ],
)
def test_small_slips_of_form_are_mended(text):
    assert read(text) == Book(title="Sums", pages=12, tags=["a", "b"])


def test_a_line_break_inside_a_text_is_kept():
    assert read('{"title": "two\nlines", "pages": 1}').title == "two\nlines"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("   \n", "is empty"),
        ("I would rather talk about it.", "is not JSON"),
        ('{"title": "Sums", "pages": 12, "tags": ["a", "b', "ends in the middle"),
        ('{"title": "Sums", "tags": [{"x": 1}, {"y"', "ends in the middle"),
        ('{"title": "Sums"}', "pages: it is missing."),
        ('{"title": "Sums", "pages": "many"}', "pages: .*'many'"),
        ('{"title": ["Sums"], "pages": 1}', "title: Input should be a valid string"),
        ("[1, 2, 3]", "is not JSON"),
        ("x" * 1_000_001, "1,000,001 characters"),
    ],
)
def test_what_cannot_be_read_is_told_to_its_author(text, message):
    with pytest.raises(ReplyUnreadable, match=message):
        read(text)


def test_a_reply_cut_off_by_its_length_is_never_mended():
    with pytest.raises(ReplyUnreadable, match="cut off"):
        read(GOOD, finish_reason="length")


def test_a_refusal_is_told_as_one():
    with pytest.raises(ReplyUnreadable, match="declines the request: No"):
        read("No.", finish_reason="refusal")


def test_the_format_asked_for_is_the_models_schema():
    asked = reply_format(Book)
    assert (asked.name, set(asked.json_schema["properties"])) == ("Book", {"title", "pages", "tags"})


def test_a_format_is_described_in_the_first_user_message_unless_the_prompt_does_it():
    messages = tuple(Message(role=role, text=role) for role in ("system", "user", "assistant", "user"))
    request = CompletionRequest(messages=messages, reply_format=reply_format(Book))
    texts = [message.text for message in format_in_words(request).messages]
    assert texts[1].startswith("user\n\nReply with one JSON object")
    assert '"pages"' in texts[1]
    assert texts[:1] + texts[2:] == ["system", "assistant", "user"]
    described = request.replace(reply_format=reply_format(Book).replace(in_prompt=True))
    assert format_in_words(described) == described
    assert format_in_words(format_in_words(request)) == format_in_words(request)
