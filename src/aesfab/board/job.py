# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""A file through a board, as the ``openssl enc`` command would: ECB with PKCS#7, or CTR."""

from __future__ import annotations

import collections
import dataclasses
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from aesfab.board.line import Line
from aesfab.board.session import Session
from aesfab.board.top import TIMEOUT_BITS
from aesfab.eda.simulate import Progress, silent
from aesfab.errors import AesfabError, unknown
from aesfab.system import files
from aesfab.verify import cipher
from aesfab.verify.oracle import BLOCK_BYTES
from aesfab.verify.oracle import MODES as ALL_MODES

MODES = ("ecb", "ctr")
"""Modes in which blocks do not wait for each other."""

_PIECE = 4096  # bytes that are read of a file at a time
_ADAPTER = 0.05  # seconds that a USB adapter may keep bytes


@dataclasses.dataclass(frozen=True)
class Stats:
    """What a file cost.

    Attributes:
        blocks: blocks that the core processed, padding included.
        seconds: from the first block to the last result.
        retries: how often the line was disturbed and something was sent again.
    """

    blocks: int
    seconds: float
    retries: int

    @property
    def blocks_per_second(self) -> float:
        """Blocks a second, 0 without blocks."""
        return self.blocks / self.seconds if self.seconds else 0.0


@dataclasses.dataclass(frozen=True)
class Job:
    """What is to be done.

    Attributes:
        mode: one of ``MODES``.
        key: hexadecimal.
        iv: 32 hexadecimal digits, the first counter block; None for ECB.
        data_in: any file that can be read; ``-`` for standard input.
        data_out: written whole or not at all; ``-`` for standard output.
        decrypt: the direction.
    """

    mode: str
    key: str
    iv: str | None
    data_in: Path
    data_out: Path
    decrypt: bool = False

    def check(self) -> None:
        """AesfabError for what can be refused before the board is asked."""
        if self.mode not in MODES:
            if self.mode in ALL_MODES:
                raise AesfabError(f"{self.mode} is not offered here; known: {', '.join(MODES)}")
            raise unknown("mode", self.mode, MODES)
        cipher.check_hex_key(self.key)
        cipher.check_iv(self.mode, self.iv)
        cipher.check_files(
            self.data_in, self.data_out, whole=self.mode == "ecb" and self.decrypt,
            decrypt=self.decrypt,
        )  # fmt: skip

    def run(self, session: Session, progress: Progress = silent) -> Stats:
        """Do it.

        Raises:
            AesfabError: the core cannot do it, or a file cannot be read or written.
            BoardError: the board does not answer as it should.
            LineError: the line is gone.
        """
        core_decrypts = self.decrypt and self.mode == "ecb"
        if not (session.hello.decrypts if core_decrypts else session.hello.encrypts):
            does = "encrypts" if session.hello.encrypts else "decrypts"
            needs = "decryption" if core_decrypts else "encryption"
            raise AesfabError(
                f"the design on the board only {does}, and this needs {needs} in the core"
            )
        session.set_key(bytes.fromhex(self.key))
        step = f"{'decrypt' if self.decrypt else 'encrypt'} {self.data_in.name}"
        blocks = 0
        with files.open_input(self.data_in) as given:
            status = os.fstat(given.fileno())
            total = -(-status.st_size // BLOCK_BYTES)
            progress(step, 0, total)
            start = time.monotonic()
            with files.whole_file(self.data_out, status if self.decrypt else None) as output:
                for result in self._results(session, given, core_decrypts):
                    output.write(result)
                    blocks += 1
                    if blocks % 64 == 0:
                        progress(step, blocks, max(blocks, total))
            seconds = time.monotonic() - start
        progress(step, blocks, max(blocks, total))
        return Stats(blocks, seconds, session.retries)

    def _results(self, session: Session, given: BinaryIO, core_decrypts: bool) -> Iterator[bytes]:
        if self.mode == "ctr":
            yield from self._counted(session, given)
            return
        if not core_decrypts:
            yield from session.blocks(_padded(given))
            return
        last = b""
        for result in session.blocks(_pieces(given), decrypt=True):
            if last:
                yield last
            last = result
        yield self._unpadded(last)

    def _counted(self, session: Session, given: BinaryIO) -> Iterator[bytes]:
        """CTR: the board encrypts counters, and data are added here."""
        assert self.iv is not None
        first, waiting = int(self.iv, 16), collections.deque[bytes]()

        def counters() -> Iterator[bytes]:
            for number, piece in enumerate(_pieces(given)):
                waiting.append(piece)
                yield ((first + number) % (1 << 128)).to_bytes(BLOCK_BYTES, "big")

        for result in session.blocks(counters()):
            yield bytes(a ^ b for a, b in zip(result, waiting.popleft(), strict=False))

    def _unpadded(self, block: bytes) -> bytes:
        size = block[-1] if block else 0
        if not 1 <= size <= BLOCK_BYTES or block[-size:] != bytes((size,)) * size:
            raise AesfabError(
                f"{self.data_in}: the padding is wrong: another key, or no such ciphertext"
            )
        return block[:-size]


def _pieces(given: BinaryIO) -> Iterator[bytes]:
    """A file in blocks, of which the last may be short."""
    rest = b""
    while data := given.read(_PIECE):
        rest += data
        whole = len(rest) - len(rest) % BLOCK_BYTES
        for at in range(0, whole, BLOCK_BYTES):
            yield rest[at : at + BLOCK_BYTES]
        rest = rest[whole:]
    if rest:
        yield rest


def _padded(given: BinaryIO) -> Iterator[bytes]:
    """The same with PKCS#7 padding."""
    size = 0
    for piece in _pieces(given):
        size = len(piece) % BLOCK_BYTES
        if not size:
            yield piece
            continue
        yield piece + bytes((BLOCK_BYTES - size,)) * (BLOCK_BYTES - size)
    if not size:
        yield bytes((BLOCK_BYTES,)) * BLOCK_BYTES


def through(port: Path, baud: int, job: Job, progress: Progress = silent) -> Stats:
    """Do a job at a port; raises as ``Job.check``, ``Line``, ``Session`` and ``Job.run``."""
    job.check()
    with Line(port, baud) as line:
        return job.run(Session(line, str(port), silence=_silence(baud)), progress)


def _silence(baud: int) -> float:
    """Seconds after which a board has forgotten a frame that stopped, and an adapter sent all."""
    return _ADAPTER + 2 * (1 << TIMEOUT_BITS) / baud
