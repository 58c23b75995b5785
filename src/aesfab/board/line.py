# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""A serial line: a device such as ``/dev/ttyUSB1``, or a pseudo-terminal. 8N1, raw."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import select
import termios
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from aesfab.errors import AesfabError

RATES = {
    int(name[1:]): value
    for name, value in vars(termios).items()
    if re.fullmatch(r"B[1-9]\d*", name)
}
"""Baud rates that the system has, to its names for them."""

_GONE = (errno.EIO, errno.ENXIO, errno.ENODEV, errno.EBADF, errno.EPIPE)


class LineError(AesfabError):
    """The line is gone: the cable was pulled, or the board switched off."""

    exit_status = 1


class Line:
    """An open line; within a ``with`` block.

    Args:
        path: the device.
        baud: bits a second.

    Raises:
        AesfabError: no such device, one that cannot be opened or is no serial line, or a rate that
            the system does not have.
    """

    def __init__(self, path: Path, baud: int) -> None:
        if baud not in RATES:
            near = sorted(rate for rate in RATES if rate >= 9600)
            raise AesfabError(f"this system has no {baud} baud; it has {', '.join(map(str, near))}")
        self.path = path
        try:
            self._handle = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise AesfabError(f"cannot open the port {path}: {error.strerror}") from error
        try:
            self._settle(baud)
        except BaseException:
            os.close(self._handle)
            raise

    def _settle(self, baud: int) -> None:
        """Raw bytes at the rate, and nobody else at the line."""
        try:
            mode = termios.tcgetattr(self._handle)
        except termios.error as error:
            raise AesfabError(f"{self.path} is no serial line") from error
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise AesfabError(f"another program uses the port {self.path}") from error
        mode[0] = termios.IGNBRK
        mode[1] = 0
        mode[2] = termios.CS8 | termios.CREAD | termios.CLOCAL
        mode[3] = 0
        mode[4] = mode[5] = RATES[baud]
        mode[6][termios.VMIN], mode[6][termios.VTIME] = 0, 0
        try:
            termios.tcsetattr(self._handle, termios.TCSANOW, mode)
            termios.tcflush(self._handle, termios.TCIOFLUSH)
        except termios.error as error:
            raise AesfabError(f"cannot set the port {self.path} to {baud} baud") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        # What is not sent is dropped, else closing would wait for a board that takes nothing.
        with contextlib.suppress(termios.error, OSError):
            termios.tcflush(self._handle, termios.TCOFLUSH)
        with contextlib.suppress(OSError):
            os.close(self._handle)

    @contextlib.contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno in _GONE:
                raise self._gone() from error
            raise LineError(f"the port {self.path} fails: {error.strerror}") from error

    def _gone(self) -> LineError:
        return LineError(
            f"the port {self.path} is gone: the cable was pulled, or the board switched off"
        )

    def write(self, data: bytes, patience: float) -> None:
        """Send bytes; LineError where the line takes none for ``patience`` seconds."""
        with self._guarded():
            while data:
                _, ready, _ = select.select([], [self._handle], [], patience)
                if not ready:
                    raise LineError(f"the port {self.path} takes no bytes")
                with contextlib.suppress(BlockingIOError):
                    data = data[os.write(self._handle, data) :]

    def read(self, patience: float) -> bytes:
        """The bytes that have come, at least one; none where nothing comes for so many seconds."""
        end = time.monotonic() + patience
        with self._guarded():
            while True:
                left = end - time.monotonic()
                ready, _, _ = select.select([self._handle], [], [], max(0.0, left))
                if not ready:
                    return b""
                with contextlib.suppress(BlockingIOError):
                    # Ready and empty: nobody is at the other side any more.
                    if data := os.read(self._handle, 4096):
                        return data
                    raise self._gone()
