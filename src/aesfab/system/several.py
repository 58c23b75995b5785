# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The same work for several things at a time, in threads that wait for tools."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Generator, Sequence
from typing import TypeVar

from aesfab.system import process

_PATIENCE = 3.0
"""Seconds in which tools that are not wanted any more must have ended."""

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
    done: queue.SimpleQueue[tuple[A, B | None, BaseException | None]] = queue.SimpleQueue()

    def go_on() -> None:
        with process.while_wanted(lambda: not given_up.is_set()):
            while not given_up.is_set():
                try:
                    each = waiting.get_nowait()
                except queue.Empty:
                    return
                try:
                    done.put((each, work(each), None))
                except BaseException as error:  # whatever it is, it is raised below
                    done.put((each, None, error))
                    given_up.set()

    # They do not keep a program that ends.
    threads = [threading.Thread(target=go_on, daemon=True) for _ in range(min(jobs, len(given)))]
    for thread in threads:
        thread.start()
    try:
        for _ in given:
            each, result, error = done.get()
            if error is not None:
                raise error
            yield each, result  # type: ignore[misc]
    finally:
        given_up.set()
        # A tool is ended at the next look.
        end = time.monotonic() + _PATIENCE
        for thread in threads:
            thread.join(max(0.0, end - time.monotonic()))
