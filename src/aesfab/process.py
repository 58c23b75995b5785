# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Running the tools: subprocesses with a limit, and the folders for what is kept of them."""

from __future__ import annotations

import contextlib
import contextvars
import hashlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import platformdirs

from aesfab.errors import AesfabError, ToolError
from aesfab.files import written_whole as written_whole

_TAIL_LINES = 20

_LOOK = 1.0
"""Seconds between looks at whether what a tool does is still wanted."""

_wanted: contextvars.ContextVar[Callable[[], bool]] = contextvars.ContextVar(
    "wanted", default=lambda: True
)

DIES_WITH_US = """\
import ctypes, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL
"""
"""Python code that a tool's process begins with: the kernel ends it when the thread that started
it is gone, even when that was killed and could not clean up."""

GROUP_DIES_WITH_US = f"""\
{DIES_WITH_US}
import os
until_gone, alive = os.pipe()
if os.getpid() == os.getpgrp() and os.fork() == 0:
    os.close(alive)
    os.read(until_gone, 1)
    os.killpg(0, 9)
os.close(until_gone)
"""
"""The same for a tool that starts others, which the kernel would leave running: a second process
waits for the end of the first, however that comes, and ends what is left of its group."""


def cache_dir(*parts: str) -> Path:
    """A folder below the user's cache folder (``AESFAB_CACHE`` overrides it), made if missing."""
    base = os.environ.get("AESFAB_CACHE") or platformdirs.user_cache_dir("aesfab")
    path = Path(base, *parts)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AesfabError(f"cannot make the cache folder {path}: {error.strerror}") from error
    return path


def content_key(*parts: str | bytes | Path | Iterable[Path]) -> str:
    """A short hash of texts and of the contents of files, as a key for caches."""
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, Path):
            chunks = [part.read_bytes()]
        elif isinstance(part, bytes):
            chunks = [part]
        elif isinstance(part, str):
            chunks = [part.encode()]
        else:
            chunks = [path.read_bytes() for path in part]
        for chunk in chunks:
            digest.update(len(chunk).to_bytes(8, "little"))
            digest.update(chunk)
    return digest.hexdigest()[:24]


def tail(text: str, lines: int = _TAIL_LINES) -> str:
    """The last lines of a log."""
    return "\n".join(text.rstrip().splitlines()[-lines:])


class GivenUpError(AesfabError):
    """Whoever asked for a run of a tool does not wait for it any more."""


@contextlib.contextmanager
def while_wanted(wanted: Callable[[], bool]) -> Iterator[None]:
    """In this block a tool is ended, with GivenUpError, soon after ``wanted`` is false."""
    token = _wanted.set(wanted)
    try:
        yield
    finally:
        _wanted.reset(token)


def require_wanted() -> None:
    """GivenUpError when nobody waits any more for what is done here."""
    if not _wanted.get()():
        raise GivenUpError("nobody waits for this run any more")


def _wait(process: subprocess.Popen[bytes], timeout: float | None) -> int:
    """The exit status of a process; TimeoutExpired or GivenUpError, and the process still runs."""
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        left = _LOOK if end is None else min(_LOOK, max(0.0, end - time.monotonic()))
        try:
            return process.wait(left)
        except subprocess.TimeoutExpired:
            if end is not None and time.monotonic() >= end:
                raise
            require_wanted()


def run(
    command: Sequence[str | Path],
    *,
    what: str,
    timeout: float | None = None,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> str:
    """Run a tool to its end and return what it printed, both streams in order.

    The tool gets a process group of its own, which is killed when the limit is reached, when we
    are interrupted or when it is not wanted any more (``while_wanted``), so nothing is left
    running.

    Args:
        command: program and arguments.
        what: what is being done, for messages ("synthesis for ecp5-85k").
        timeout: limit in seconds.
        cwd: folder to run in.
        env: variables beside those we have.

    Raises:
        ToolError: the tool is missing, fails, dies of a signal or reaches the limit; it carries
            the end of the log.
        GivenUpError: see ``while_wanted``.
    """
    with tempfile.TemporaryFile() as log:
        try:
            process = subprocess.Popen(
                [str(c) for c in command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=cwd,
                env={**os.environ, **(env or {})},
                start_new_session=True,
            )
        except OSError as error:
            raise ToolError(f"{what}: cannot run {command[0]}: {error.strerror}") from error
        try:
            status = _wait(process, timeout)
        except BaseException as error:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            log.seek(0)
            text = log.read().decode(errors="replace")
            raise ToolError(f"{what}: no end after {timeout:.0f} s", tail(text)) from None
        log.seek(0)
        text = log.read().decode(errors="replace")
    if status < 0:
        raise ToolError(f"{what}: {Path(command[0]).name} died of signal {-status}", tail(text))
    if status > 0:
        raise ToolError(f"{what}: {Path(command[0]).name} ended with {status}", tail(text))
    return text
