# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The same work for several things at a time, in threads that wait for tools."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import threading
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar

from aesfab.system import process

_PATIENCE = 5.0
"""Seconds in which work that is not wanted any more should end."""
_LOOK = 0.05
"""Seconds between looks at whether it has."""

A = TypeVar("A")
B = TypeVar("B")


def at_once(
    work: Callable[[A], B], given: Sequence[A], jobs: int
) -> Generator[tuple[A, B], None, None]:
    """Do something with each of some things, several at a time.

    Where one fails, or whoever takes the results does not go on, the tools of the others are ended
    (``process.while_wanted``), and what is not begun is left.

    Args:
        work: gives the result for one; it runs in a thread where there are several jobs.
        given: the things.
        jobs: how many at a time.

    Yields:
        Each with its result, as soon as that is there.

    Raises:
        What ``work`` raises first.
    """
    if jobs == 1 or len(given) < 2:
        for each in given:
            yield each, work(each)
        return
    given_up = threading.Event()
    waiting: queue.SimpleQueue[A] = queue.SimpleQueue()
    for each in given:
        waiting.put(each)
    ended: queue.SimpleQueue[tuple[A, Future[B]]] = queue.SimpleQueue()

    def go_on() -> None:
        with process.while_wanted(lambda: not given_up.is_set()):
            while not given_up.is_set():
                try:
                    each = waiting.get_nowait()
                except queue.Empty:
                    return
                outcome: Future[B] = Future()
                try:
                    outcome.set_result(work(each))
                except BaseException as error:  # whatever it is, it is raised below
                    outcome.set_exception(error)
                ended.put((each, outcome))
                if outcome.exception() is not None:
                    given_up.set()

    # They do not keep a program that ends.
    threads = [threading.Thread(target=go_on, daemon=True) for _ in range(min(jobs, len(given)))]
    for thread in threads:
        thread.start()
    try:
        for _ in given:
            each, outcome = ended.get()
            yield each, outcome.result()
    finally:
        given_up.set()
        end = time.monotonic() + _PATIENCE
        while any(thread.is_alive() for thread in threads) and time.monotonic() < end:
            # Work may wait for tools in threads of its own, which have not heard of it.
            _end_tools()
            for thread in threads:
                thread.join(_LOOK)


def _end_tools() -> None:
    """Kill the tools that we have started, each with all that it has, where they can be told."""
    for path in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for number in map(int, path.read_text().split()):
                # A tool leads a group of its own (``process.Child``).
                if os.getpgid(number) == number:
                    os.killpg(number, signal.SIGKILL)
