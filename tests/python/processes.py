# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What tests of processes that end or are killed have in common."""

from __future__ import annotations

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


def alive(pid: int) -> bool:
    """Whether a process runs; one that ended and that nobody has waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
