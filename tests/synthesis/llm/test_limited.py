"""An endpoint's limits are kept before it complains."""

import threading
import time

from synthesis.documents.trajectory import Usage
from synthesis.llm.limited import Limited, RateLimits
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
    return Limited(provider, RateLimits(**limits), clock=clock, sleep=clock.sleep), clock


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


def test_no_more_calls_are_in_flight_than_allowed():
    flying, most, lock = 0, 0, threading.Lock()

    def answer(request):
        nonlocal flying, most
        with lock:
            flying += 1
            most = max(most, flying)
        time.sleep(0.02)
        with lock:
            flying -= 1
        return "ok"

    class Slow:
        model = "slow"

        def complete(self, request):
            return Completion(text=answer(request))

    provider = Limited(Slow(), RateLimits(concurrency=3))
    threads = [threading.Thread(target=provider.complete, args=(ASK,)) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 3
