# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The host at a board: requests and replies, blocks in a row, and what to do on a disturbed line.

Several blocks are on their way at a time. A board answers in order, and a reply has the tag of its
request. Where an answer is missing, or an error, the host is silent until the board has forgotten
what it had of a frame, and sends again what has no answer.
"""

from __future__ import annotations

import collections
import time
from collections.abc import Iterable, Iterator
from typing import Protocol

from aesfab.board.protocol import (
    KEYS,
    MEANINGS,
    PASSING,
    REPLY,
    VERSION,
    Code,
    Command,
    Decoder,
    Frame,
    Hello,
)
from aesfab.errors import AesfabError
from aesfab.verify.oracle import BLOCK_BYTES

WINDOW = 32
"""Blocks that are on their way at a time, so that a USB adapter that waits costs nothing."""

TRIES = 4
"""How often the same block is sent at most."""


class BoardError(AesfabError):
    """The board does not answer, or not as it should."""

    exit_status = 1


class Transport(Protocol):
    """What carries bytes to a board and back, as ``line.Line``."""

    def write(self, data: bytes, patience: float) -> None:
        """Send bytes."""

    def read(self, patience: float) -> bytes:
        """The bytes that have come, at least one, or none within so many seconds."""


class Session:
    """A board that answers.

    Args:
        line: to the board.
        name: of the line, for messages.
        patience: seconds to wait for an answer.
        silence: seconds after which the board has forgotten a frame that stopped.

    Attributes:
        hello: what the board says of itself.
        retries: how often something was sent again.

    Raises:
        BoardError: nothing answers, or something else does.
    """

    def __init__(
        self, line: Transport, name: str, patience: float = 1.0, silence: float = 0.05
    ) -> None:
        self._line, self._name = line, name
        self._patience, self._silence = patience, silence
        self._decoder = Decoder()
        self._arrived: collections.deque[Frame] = collections.deque()
        self._tag = 0
        self.retries = 0
        self.heard = 0
        self._resynchronise()
        reply = self._request(Command.HELLO)
        try:
            self.hello = Hello.of(reply.payload)
        except ValueError as error:
            raise BoardError(f"what answers at {name} is no board of AESFab") from error

    def set_key(self, key: bytes) -> None:
        """Give the board its key; AesfabError for a length that its core does not take."""
        if 8 * len(key) not in self.hello.key_lengths:
            digits = " or ".join(str(bits // 4) for bits in self.hello.key_lengths)
            sizes = " or ".join(str(bits) for bits in self.hello.key_lengths)
            raise AesfabError(
                f"the key has {2 * len(key)} hexadecimal digits; the design on the board takes "
                f"{digits} ({sizes} bit)"
            )
        self._request(KEYS[8 * len(key)], key.ljust(max(self.hello.key_lengths) // 8, b"\0"))

    def reset(self) -> None:
        """Reset the core, which takes its key away."""
        self._request(Command.RESET)

    def blocks(
        self, blocks: Iterable[bytes], *, decrypt: bool = False, window: int = WINDOW
    ) -> Iterator[bytes]:
        """The results of blocks, in order, while more are on their way.

        Raises:
            BoardError: no right answer after ``TRIES``, or one that no other try will change.
        """
        command = Command.DECRYPT if decrypt else Command.ENCRYPT
        source = iter(blocks)
        waiting: collections.deque[tuple[int, bytes]] = collections.deque()
        tries = 1
        while True:
            given = bytearray()
            while len(waiting) < window and (block := next(source, b"")):
                given += self._sent(waiting, command, block)
            if given:
                self._line.write(bytes(given), self._patience)
            if not waiting:
                return
            reply = self._receive()
            tag, block = waiting[0]
            if reply and (reply.command, reply.tag) == (command | REPLY, tag):
                if len(reply.payload) != BLOCK_BYTES:
                    raise BoardError(f"what answers at {self._name} is no board of AESFab")
                waiting.popleft()
                tries = 1
                yield reply.payload
                continue
            self._trouble(reply, tries)
            tries += 1
            if reply and reply.command == Command.ERROR and reply.payload == bytes((Code.BUSY,)):
                # The host's bits are shorter than the board's, which fewer at a time make up for.
                window = max(1, window // 2)
            again = [block for _, block in waiting]
            waiting.clear()
            given = bytearray(b"".join(self._sent(waiting, command, block) for block in again))
            self._line.write(bytes(given), self._patience)

    def _sent(
        self, waiting: collections.deque[tuple[int, bytes]], command: Command, block: bytes
    ) -> bytes:
        frame = Frame(command, self._next_tag(), block)
        waiting.append((frame.tag, block))
        return frame.encoded()

    def _next_tag(self) -> int:
        # 0 is the tag of an error that belongs to no frame.
        self._tag = self._tag % 255 + 1
        return self._tag

    def _request(self, command: Command, payload: bytes = b"") -> Frame:
        """Ask, and return the answer; again where the line was disturbed."""
        for tries in range(1, TRIES + 1):
            frame = Frame(command, self._next_tag(), payload)
            self._line.write(frame.encoded(), self._patience)
            while reply := self._receive():
                if reply.tag == frame.tag or reply.command == Command.ERROR:
                    break
            if reply and (reply.command, reply.tag) == (command | REPLY, frame.tag):
                return reply
            self._trouble(reply, tries)
        raise AssertionError("unreachable")

    def _receive(self) -> Frame | None:
        """The next frame; None where none comes in time."""
        end = time.monotonic() + self._patience
        while not self._arrived:
            left = end - time.monotonic()
            data = self._line.read(left) if left > 0 else b""
            if not data:
                return None
            self.heard += len(data)
            self._arrived += self._decoder.feed(data)
        return self._arrived.popleft()

    def _trouble(self, reply: Frame | None, tries: int) -> None:
        """Make ready for another try; BoardError where that would not help."""
        said = self._said(reply)
        if reply and reply.version != VERSION:
            raise BoardError(
                f"the board at {self._name} speaks version {reply.version} of the protocol, and "
                f"this AESFab version {VERSION}: build and load its bitstream anew"
            )
        if reply and reply.command == Command.ERROR and reply.payload[:1] not in [
            bytes((code,)) for code in PASSING
        ]:  # fmt: skip
            raise BoardError(said)
        if tries >= TRIES:
            raise BoardError(said)
        self.retries += 1
        self._resynchronise()

    def _said(self, reply: Frame | None) -> str:
        """What went wrong, in words."""
        if reply is None and not self.heard:
            return (
                f"nothing answers at {self._name}: is the bitstream loaded, the port that of the "
                "UART, and the baud rate right?"
            )
        if reply is None and self._decoder.skipped == self.heard:
            return f"what answers at {self._name} is no board of AESFab, or has another baud rate"
        if reply is None:
            return f"the board at {self._name} does not answer any more"
        if reply.command != Command.ERROR or len(reply.payload) != 1:
            return f"the board at {self._name} gives answers to other questions"
        code = reply.payload[0]
        if code == Code.NO_KEY:
            return f"the board at {self._name} has lost its key: it was reset in the middle"
        meaning = MEANINGS[Code(code)] if code in MEANINGS else f"error {code}"
        return f"the board at {self._name} says: {meaning}"

    def _resynchronise(self) -> None:
        """Be silent until the board is, and has forgotten what it had of a frame."""
        end = time.monotonic() + self._patience + self._silence
        while self._line.read(self._silence):
            if time.monotonic() >= end:
                raise BoardError(
                    f"what is at {self._name} does not stop to talk: it is no board of AESFab, or "
                    "has another baud rate"
                )
        self._decoder.clear()
        self._arrived.clear()
