"""An endpoint's limits are kept before it complains."""

import threading
import time

import pytest

from synthesis.documents.trajectory import Usage
from synthesis.errors import InvalidInput, ProviderRefused
from synthesis.llm.limited import Gate, Limited, RateLimits
from synthesis.llm.provider import Completion, CompletionRequest, Message
from synthesis.llm.scripted import Scripted

ASK = CompletionRequest(messages=(Message(role="user", text="x" * 400),), max_output_tokens=100)


class Clock:
    def __init__(self):
        self.now = 0.0
        self.waits = []

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.waits.append(round(seconds, 3))
        self.now += seconds


def limited(provider, **limits):
    clock = Clock()
    return Limited(provider, Gate(RateLimits(**limits), clock=clock, sleep=clock.sleep)), clock


def test_requests_a_minute_are_kept():
    provider, clock = limited(Scripted(["a"] * 9), requests_per_minute=2)
    for _ in range(5):
        provider.complete(ASK)
    assert clock.waits == [60.0, 60.0]


def test_tokens_a_minute_are_counted_as_told_and_not_as_estimated():
    used = Completion(text="ok", usage=Usage(input_tokens=300, output_tokens=200))
    provider, clock = limited(Scripted([used] * 9), tokens_per_minute=1_000)
    for _ in range(3):
        provider.complete(ASK)
    assert clock.waits == [60.0]


def test_a_call_above_the_limit_goes_alone_and_not_never():
    provider, clock = limited(Scripted(["a"] * 3), tokens_per_minute=10)
    provider.complete(ASK)
    provider.complete(ASK)
    assert clock.waits == [60.0]


class Held:
    """A provider whose answers come when they are let go; tells how many were requested at once."""

    model = "held"

    def __init__(self):
        self.asked, self.flying, self.most = [], 0, 0
        self.lock, self.letting = threading.Lock(), threading.Semaphore(0)

    def complete(self, request):
        with self.lock:
            self.asked.append(request.messages[0].text)
            self.flying += 1
            self.most = max(self.most, self.flying)
        self.letting.acquire()
        with self.lock:
            self.flying -= 1
        return Completion(text="ok")


def wait_until(true):
    for _ in range(2_000):
        if true():
            return
        time.sleep(0.005)
    pytest.fail("it never came to that")


def asking(gate, held, *names, priority=0):
    threads = [
        threading.Thread(
            target=Limited(held, gate, priority=priority).complete,
            args=(ASK.replace(messages=(Message(role="user", text=name),)),),
        )
        for name in names
    ]
    for number, thread in enumerate(threads, start=gate.in_flight + gate.waiting + 1):
        thread.start()
        wait_until(lambda number=number: gate.in_flight + gate.waiting == number)
    return threads


def let_go(held, threads):
    held.letting.release(len(threads))
    for thread in threads:
        thread.join()


def test_no_more_calls_are_in_flight_than_allowed_whoever_makes_them():
    gate, held = Gate(RateLimits(concurrency=3)), Held()
    threads = [*asking(gate, held, *"abcdef"), *asking(gate, held, *"ghijkl")]
    assert (gate.in_flight, gate.waiting) == (3, 9)
    let_go(held, threads)
    assert (held.most, len(held.asked), gate.in_flight) == (3, 12, 0)


def test_the_more_urgent_call_is_let_in_first_and_equals_in_their_order():
    gate, held = Gate(RateLimits(concurrency=1)), Held()
    threads = asking(gate, held, "first", "second", "third")
    threads += asking(gate, held, "urgent", priority=5)
    let_go(held, threads)
    assert held.asked == ["first", "urgent", "second", "third"]


def test_a_share_of_the_limits_is_kept_and_given_back():
    gate, held = Gate(RateLimits(concurrency=8)), Held()
    gate.share = 0.25
    threads = asking(gate, held, *"abcdef")
    assert (gate.in_flight, gate.waiting) == (2, 4)
    gate.share = 0.5
    wait_until(lambda: gate.in_flight == 4)
    let_go(held, threads)
    assert held.most == 4


def test_a_share_of_the_rate_is_kept():
    clock = Clock()
    gate = Gate(RateLimits(requests_per_minute=4), clock=clock, sleep=clock.sleep)
    gate.share = 0.5
    provider = Limited(Scripted(["a"] * 9), gate)
    for _ in range(4):
        provider.complete(ASK)
    assert clock.waits == [60.0]


@pytest.mark.parametrize("share", [0, -1, 1.5])
def test_a_share_is_a_part_of_the_whole(share):
    with pytest.raises(InvalidInput, match="share"):
        Gate(RateLimits()).share = share


def test_a_call_that_fails_gives_its_place_back():
    gate = Gate(RateLimits(concurrency=1))
    broken = Limited(Scripted([]), gate)
    for _ in range(2):
        with pytest.raises(ProviderRefused):
            broken.complete(ASK)
    assert gate.in_flight == 0
