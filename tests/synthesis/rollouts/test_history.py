import pytest

from synthesis.errors import InvalidInput, UnknownName
from synthesis.llm.provider import Message, RequestedCall
from synthesis.rollouts.history import (
    FullHistory,
    SlidingWindow,
    Summarized,
    TokenLimit,
    make_history,
    split,
    tokens_of,
)


def conversation(exchanges: int) -> list[dict[str, str]]:
    messages = [{"role": "system", "text": "rules"}, {"role": "user", "text": "task"}]
    for number in range(1, exchanges + 1):
        messages += [
            {"role": "assistant", "text": f"call {number}"},
            {"role": "tool", "text": f"result {number}"},
        ]
    return messages


def texts(messages):
    return [message["text"] for message in messages]


def test_it_splits_a_conversation_into_its_prefix_and_exchanges():
    prefix, exchanges = split(conversation(2))
    assert texts(prefix) == ["rules", "task"]
    assert [texts(exchange) for exchange in exchanges] == [["call 1", "result 1"], ["call 2", "result 2"]]


def test_full_history_shows_everything():
    assert FullHistory().view(conversation(9)) == conversation(9)


def test_a_window_keeps_the_first_exchange_and_the_latest_three():
    shown = texts(SlidingWindow(3).view(conversation(8)))
    latest = [f"{word} {number}" for number in (1, 6, 7, 8) for word in ("call", "result")]
    assert shown == ["rules", "task", *latest]


@pytest.mark.parametrize("exchanges", range(6))
def test_a_window_never_shows_an_exchange_twice(exchanges):
    shown = texts(SlidingWindow(3).view(conversation(exchanges)))
    assert len(shown) == len(set(shown)) == 2 + 2 * min(exchanges, 4)


def test_a_window_can_drop_the_first_exchange():
    assert texts(SlidingWindow(1, keep_first=False).view(conversation(4))) == [
        "rules",
        "task",
        "call 4",
        "result 4",
    ]


def test_a_token_limit_keeps_as_many_of_the_latest_exchanges_as_fit():
    policy = TokenLimit(8, count=lambda message: 1)
    assert texts(policy.view(conversation(9))) == [
        "rules", "task", "call 1", "result 1", "call 8", "result 8", "call 9", "result 9",
    ]  # fmt: skip


def test_a_token_limit_always_shows_the_task_and_the_latest_exchange():
    shown = texts(TokenLimit(1, count=lambda message: 100).view(conversation(5)))
    assert shown == ["rules", "task", "call 5", "result 5"]


def test_it_reads_messages_of_providers_as_well():
    messages = [Message(role="user", text="task"), Message(role="assistant", text="hello")]
    assert SlidingWindow().view(messages) == messages
    assert tokens_of(messages[0]) >= 1


def test_policies_are_made_from_their_names():
    assert make_history("window:5") == SlidingWindow(5)
    assert make_history("tokens") == TokenLimit()
    assert make_history("full").name == "full"


def test_it_refuses_an_unknown_policy_and_a_bad_size():
    with pytest.raises(UnknownName, match="history policy"):
        make_history("everything")
    with pytest.raises(InvalidInput, match="not a whole number"):
        make_history("window:many")
    with pytest.raises(InvalidInput, match="at least 1"):
        make_history("window:0")


def test_a_summary_stands_for_what_is_left_out():
    messages = [Message(role="user", text="task")]
    for number in range(1, 6):
        call = RequestedCall(id=str(number), name=f"tool_{number}")
        messages.append(Message(role="assistant", tool_calls=(call,)))
        messages.append(Message(role="tool", text="ok", tool_call_id=str(number)))
    shown = Summarized(2).view(messages)
    assert shown[0] == messages[0]
    assert shown[1].role == "user"
    assert "3 turns" in shown[1].text
    assert "tool_1, tool_2, tool_3" in shown[1].text
    assert shown[2:] == messages[-4:]


def test_a_short_conversation_needs_no_summary():
    assert Summarized(3).view(conversation(3)) == conversation(3)
    assert make_history("summary:4") == Summarized(4)
