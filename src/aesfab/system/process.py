# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Running the tools: subprocesses with a limit, and the folders for what is kept of them."""

from __future__ import annotations

import contextlib
import contextvars
import errno
import fcntl
import functools
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import platformdirs

from aesfab.errors import AesfabError, ToolError
from aesfab.system.files import written_whole as written_whole

_TAIL_LINES = 20

_LOOK = 1.0
"""Seconds between looks at whether what a tool does is still wanted."""

_wanted: contextvars.ContextVar[Callable[[], bool]] = contextvars.ContextVar(
    "wanted", default=lambda: True
)


def cache_base() -> Path:
    """The user's cache folder (``AESFAB_CACHE`` overrides it), which may not be there."""
    return Path(os.environ.get("AESFAB_CACHE") or platformdirs.user_cache_dir("aesfab"))


def cache_dir(*parts: str) -> Path:
    """A folder below the user's cache folder, made if missing."""
    path = cache_base().joinpath(*parts)
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


_FOLDERS = "aesfab-run-"
_YOUNG = 60.0  # seconds in which a folder may not be locked yet


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder for a run of tools, which goes when the block ends.

    It is locked while we live, so that where we are killed, the next program that asks for such a
    folder sees that nobody uses it any more, and removes it.
    """
    _remove_abandoned()
    with tempfile.TemporaryDirectory(prefix=_FOLDERS) as name:
        handle = os.open(name, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield Path(name)
        finally:
            os.close(handle)


@functools.cache
def _remove_abandoned() -> None:
    """Remove the folders of programs that were killed; looked for once."""
    for path in Path(tempfile.gettempdir()).glob(f"{_FOLDERS}*"):
        with contextlib.suppress(OSError):
            handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                found = os.fstat(handle)
                if found.st_uid == os.getuid() and time.time() - found.st_mtime > _YOUNG:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(handle)


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


_KEEPER = """\
import os, signal, sys, _thread
ours, theirs = int(sys.argv[1]), sys.argv[2:]
os.set_inheritable(ours, False)

def watch():
    os.read(ours, 1)  # returns at the end of the file: whoever started us is gone
    os.killpg(0, signal.SIGKILL)

_thread.start_new_thread(watch, ())
usual = [signal.SIGPIPE, signal.SIGINT, signal.SIGXFSZ]
try:
    tool = os.posix_spawnp(theirs[0], theirs, os.environ, setsigdef=usual)
except OSError as error:
    sys.stderr.write("cannot run " + theirs[0] + ": " + error.strerror + "\\n")
    os._exit(127)
status = os.waitpid(tool, 0)[1]
if os.WIFSIGNALED(status):
    signal.signal(os.WTERMSIG(status), signal.SIG_DFL) if os.WTERMSIG(status) != 9 else None
    os.kill(os.getpid(), os.WTERMSIG(status))
os._exit(os.WEXITSTATUS(status))
"""
"""A small program between us and a tool, which ends the tool and all that the tool has started as
soon as we are gone, however that comes: then the pipe that only we hold open ends."""


class Child:
    """A tool that runs in a process group of its own, and does not outlive us.

    Args:
        command: program and arguments.
        streams: ``stdin``, ``stdout``, ``stderr``, ``cwd`` and ``env`` as of subprocess.Popen.

    Raises:
        OSError: the program is not there or may not be run.
    """

    def __init__(self, command: Sequence[str | Path], **streams: Any) -> None:
        words = [str(word) for word in command]
        path = (streams.get("env") or os.environ).get("PATH")
        if shutil.which(words[0], path=path) is None:
            missing = errno.EACCES if os.path.exists(words[0]) else errno.ENOENT
            raise OSError(missing, os.strerror(missing), words[0])
        ours, self._alive = os.pipe()
        try:
            keeper = [sys.executable, "-I", "-S", "-c", _KEEPER, str(ours)]
            self.process = subprocess.Popen(
                [*keeper, *words], pass_fds=[ours], start_new_session=True, **streams
            )
        except BaseException:
            os.close(self._alive)
            raise
        finally:
            os.close(ours)

    def poll(self) -> int | None:
        """Its exit status, negative for a signal; None while it runs."""
        status = self.process.poll()
        if status is not None:
            self._forget()
        return status

    def wait(self, timeout: float | None = None) -> int:
        """Its exit status at its end; subprocess.TimeoutExpired while it still runs."""
        status = self.process.wait(timeout)
        self._forget()
        return status

    def end(self) -> int:
        """Kill it with all that it has started, where it runs; returns its exit status."""
        if self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
        return self.wait()

    def _forget(self) -> None:
        if self._alive >= 0:
            os.close(self._alive)
            self._alive = -1


def _wait(child: Child, timeout: float | None) -> int:
    """The exit status of a process; TimeoutExpired or GivenUpError, and the process still runs."""
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        left = _LOOK if end is None else min(_LOOK, max(0.0, end - time.monotonic()))
        try:
            return child.wait(left)
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
    are interrupted or killed or when it is not wanted any more (``while_wanted``), so nothing is
    left running.

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
            child = Child(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=cwd,
                env={**os.environ, **(env or {})},
            )
        except OSError as error:
            raise ToolError(f"{what}: cannot run {command[0]}: {error.strerror}") from error
        try:
            status = _wait(child, timeout)
        except BaseException as error:
            child.end()
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
