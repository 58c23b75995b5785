# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What tests of processes that end or are killed have in common."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path


def soon(condition: Callable[[], bool], seconds: float = 60) -> bool:
    """Whether a condition comes true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def _state(pid: int) -> str:
    """Its letter of proc(5), Z for one that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "Z"


def parent(pid: int) -> int:
    """The process that started a process; 0 for one that is gone."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0


def alive(pid: int) -> bool:
    """Whether a process runs; one that ended and that nobody has waited for does not."""
    return _state(pid) != "Z"


def hold(pid: int) -> None:
    """Stop a process, and return when it has stopped or ended; ``let_go`` is the reverse."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
    assert soon(lambda: _state(pid) in "TZ")


def let_go(pid: int) -> None:
    """Let a process run that was held."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)
