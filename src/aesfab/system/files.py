# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Files that a user names: read and written whole, through links, with the modes they had.

``-`` and ``/dev/stdout`` are standard output, ``-`` and ``/dev/stdin`` standard input. Whatever
else is written to is a plain file or a new one: a device, a pipe, a socket or a folder is refused.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import secrets
import select
import shutil
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from aesfab.errors import AesfabError, ToolError

_PIECE = 1 << 20  # bytes that are read of a pipe at a time
_PAUSE = 0.001  # seconds before a pipe is looked at again

_STANDARD_INPUT = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
_STANDARD_OUTPUT = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")

MOST_TEXT = 1 << 20
"""Bytes that a file of a person may have."""

_SHORT = 40
"""Characters of a name that the name of its temporary file begins with."""


def _umask_by_setting() -> int:
    """The umask, by setting it: only while there is one thread."""
    found = os.umask(0o077)
    os.umask(found)
    return found


_UMASK = _umask_by_setting()


def umask() -> int:
    """The umask of this process, read without setting it, which other threads would feel.

    Where the system does not tell it, that of the time when this module was imported.
    """
    with contextlib.suppress(OSError):
        said = re.search(r"^Umask:\s*([0-7]+)$", Path("/proc/self/status").read_text(), re.M)
        if said:
            return int(said.group(1), 8)
    return _UMASK


# ------------------------------------------------------------------------------ reading


def is_standard_input(path: Path) -> bool:
    """Whether a path stands for standard input."""
    return str(path) in _STANDARD_INPUT


def status_of_input(path: Path) -> os.stat_result:
    """What the system says of a file, or of standard input; OSError as ``os.stat``."""
    return os.fstat(0) if is_standard_input(path) else path.stat()


def open_input(path: Path) -> BinaryIO:
    """A file, or standard input, open for reading bytes; OSError as ``Path.open``."""
    return os.fdopen(os.dup(0), "rb") if is_standard_input(path) else path.open("rb")


def small_text(path: Path, what: str) -> str:
    """The text of a file that a person wrote.

    Args:
        path: the file.
        what: what it is, for messages ("the plan").

    Raises:
        AesfabError: it cannot be read, is no UTF-8 text, or has more than ``MOST_TEXT`` bytes, as
            a device has that never ends.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MOST_TEXT + 1)
        if len(content) > MOST_TEXT:
            raise AesfabError(f"cannot read {what} {path}: it has more than {MOST_TEXT} bytes")
        return content.decode("utf-8").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise AesfabError(f"cannot read {what} {path}: {reason}") from error


# ------------------------------------------------------------------------------ writing


def require_folder(folder: Path, *names: str) -> None:
    """Refuse a folder that cannot be made or written to, before long work and not after it.

    Args:
        folder: what the user has named; nothing is left in it.
        names: of files that will be written there.

    Raises:
        AesfabError: the reason, in one line.
    """
    absolute = folder.absolute()
    try:
        with contextlib.suppress(FileNotFoundError):
            os.lstat(absolute)
        there = next(path for path in (absolute, *absolute.parents) if os.path.lexists(path))
        if not there.is_dir():
            raise AesfabError(f"cannot write {folder}: {there} is not a folder")
        # What a user may do does not say what a file system allows.
        with tempfile.TemporaryFile(dir=there):
            pass
        for name in names:
            target(folder / name)
    except OSError as error:
        # The name of our own test is none that the user has given.
        ours = error.filename not in [str(folder / name) for name in names]
        where = folder if ours else error.filename
        raise AesfabError(f"cannot write {where}: {error.strerror}") from error


def is_standard_output(path: Path) -> bool:
    """Whether a path stands for standard output, by its name or as the very file behind it."""
    if str(path) in _STANDARD_OUTPUT:
        return True
    try:
        ours, theirs = os.fstat(1), path.stat()
    except OSError:
        return False
    return stat.S_ISREG(theirs.st_mode) and os.path.samestat(ours, theirs)


def target(path: Path) -> tuple[Path, os.stat_result | None]:
    """The plain file that is written when a user names ``path``, and what it is now.

    Links are followed, so it is the file behind them that is replaced; one that leads to nothing
    names a new file. OSError, with ``path`` as its file name, for what is no plain file.
    """
    real = Path(os.path.realpath(path))
    try:
        found = path.stat()
    except FileNotFoundError:
        return real, None
    except OSError as error:
        error.filename = str(path)
        raise
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    # What /proc shows of an open file need not be where it says.
    if not real.is_file() or not real.samefile(path):
        raise OSError(errno.EINVAL, "it is not a plain file", str(path))
    return real, found


def _settle(handle: int, old: os.stat_result | None, source: os.stat_result | None) -> None:
    """Give a new file the owner and mode that it shall have, and wait until it is on the disk."""
    mode = 0o666 & ~umask()
    if old is not None:
        mode = stat.S_IMODE(old.st_mode) & 0o777
        for owner in (old.st_uid, -1):  # only root may give a file to another user
            with contextlib.suppress(OSError):
                os.fchown(handle, owner, old.st_gid)
                break
    group = os.fstat(handle).st_gid
    if old is not None and group != old.st_gid:
        mode = _for_another_group(mode)
    if source is not None:
        theirs = stat.S_IMODE(source.st_mode)
        theirs = theirs if group == source.st_gid else _for_another_group(theirs)
        mode &= 0o700 | theirs
    os.fchmod(handle, mode)
    os.fsync(handle)


def _for_another_group(mode: int) -> int:
    """A mode whose group may do no more than all others."""
    return mode & ~0o070 | (mode & (mode << 3) & 0o070)


def to_disk(path: Path) -> None:
    """Wait until what was written of a file, or into a folder, is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _new_name(path: Path) -> Path:
    """A name in the same folder for a file that will take the place of ``path``."""
    return path.with_name(f".{path.name[:_SHORT]}.{secrets.token_hex(4)}")


def _nameless(folder: Path) -> int | None:
    """A new file without a name in a folder, which goes with us; None where there is none such."""
    flag = getattr(os, "O_TMPFILE", 0)
    if not flag or not os.path.isdir("/proc/self/fd"):
        return None
    try:
        return os.open(folder, flag | os.O_RDWR, 0o600)
    except OSError as error:
        if error.errno in (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL):
            return None
        raise


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    """An OSError in this block carries ``path``."""
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        raise


@contextlib.contextmanager
def whole_file(path: Path, source: os.stat_result | None = None) -> Iterator[BinaryIO]:
    """An open file that takes the place of ``path`` when the block ends well.

    Whatever goes wrong (an error, a full disk, a signal, also one that kills), ``path`` is as it
    was and no partial file stays: where the system can, the file has no name until it is whole.
    A file that was there keeps its mode, and its owner where we may.

    Args:
        path: what to write; see the module for what it may be.
        source: of a secret that is written; the file is not more readable than that.

    Raises:
        OSError: with ``path`` as its file name, when it cannot be written.
    """
    if is_standard_output(path):
        with tempfile.TemporaryFile() as spool:
            yield spool
            spool.seek(0)
            _to_standard_output(spool)
        return
    with _naming(path):
        real, old = target(path)
        temporary = _new_name(real)
        handle = _nameless(real.parent)
        named = handle is None
        if handle is None:
            handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    try:
        with os.fdopen(handle, "w+b") as file:
            yield file
            with _naming(path):
                file.flush()
                # On the disk before it has the name, so that a power cut leaves one of the two.
                _settle(handle, old, source)
                if not named:
                    # With a descriptor of a folder, the link in /proc is followed.
                    folder = os.open(real.parent, os.O_RDONLY)
                    try:
                        os.link(
                            f"/proc/self/fd/{handle}", temporary.name,
                            src_dir_fd=folder, dst_dir_fd=folder,
                        )  # fmt: skip
                    finally:
                        os.close(folder)
                temporary.replace(real)
                to_disk(real.parent)
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """A temporary path that replaces ``path`` when the block ends well, for tools that want a name.

    As ``whole_file``, but that the temporary file has a name from the start, beside ``path``; so
    one stays where we are killed.
    """
    if is_standard_output(path):
        with tempfile.TemporaryDirectory(prefix="aesfab-") as folder:
            spool = Path(folder, "output")
            spool.touch()
            yield spool
            with spool.open("rb") as file:
                _to_standard_output(file)
        return
    with _naming(path):
        real, old = target(path)
        temporary = _new_name(real)
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    try:
        yield temporary
        with _naming(path):
            handle = os.open(temporary, os.O_RDONLY)
            try:
                _settle(handle, old, None)
            finally:
                os.close(handle)
            temporary.replace(real)
            to_disk(real.parent)
    finally:
        temporary.unlink(missing_ok=True)


def _to_standard_output(file: BinaryIO) -> None:
    """Copy a file to standard output to the last byte."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), "standard output")
    sys.stdout.flush()
    shutil.copyfileobj(file, sys.stdout.buffer)
    sys.stdout.buffer.flush()


@contextlib.contextmanager
def through_pipe(path: Path) -> Iterator[Path]:
    """A pipe with a name, whose content goes into a file, for tools that hang on a full disk.

    Where the file cannot be written, the pipe is closed, which ends the tool. OSError says why when
    the block has ended.
    """
    failed: list[OSError] = []
    ended = threading.Event()

    def copy(pipe: int) -> None:
        try:
            with path.open("wb") as file:
                while piece := _next_piece(pipe, ended):
                    file.write(piece)
        except OSError as error:
            failed.append(error)
        finally:
            os.close(pipe)

    with tempfile.TemporaryDirectory(prefix="aesfab-") as folder:
        name = Path(folder, "pipe")
        os.mkfifo(name)
        # Without waiting for a writer, which may never come.
        thread = threading.Thread(target=copy, args=(os.open(name, os.O_RDONLY | os.O_NONBLOCK),))
        thread.start()
        try:
            try:
                yield name
            finally:
                ended.set()
                thread.join()
        except ToolError as error:
            if failed:
                raise failed[0] from error
            raise
        if failed:
            raise failed[0]


def _next_piece(pipe: int, ended: threading.Event) -> bytes:
    """What comes next out of a pipe; empty where nobody will write into it any more."""
    while True:
        last = ended.is_set()
        with contextlib.suppress(BlockingIOError):
            if piece := os.read(pipe, _PIECE):
                return piece
        if last:
            return b""
        select.select([pipe], [], [], _PAUSE)
        time.sleep(_PAUSE)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Alone among all processes that lock this folder; no lock file is left in it.

    The system frees the lock when we are killed. OSError for a folder that cannot be opened.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
