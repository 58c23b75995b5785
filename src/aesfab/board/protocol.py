# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Frames between host and board, as ``rtl/board/aes_board_pkg.sv`` has them.

::

    sync 0xa5 | version | command | tag | length | payload, length bytes | CRC low | CRC high

The CRC is CRC-16/X-25 of everything from the version to the end of the payload. The tag is any
number; a reply has the tag of its request. ``docs/board.md`` says what commands there are.
"""

from __future__ import annotations

import dataclasses
import enum

SYNC = 0xA5
"""The first byte of a frame."""

VERSION = 1
"""Of this protocol."""

REPLY = 0x80
"""Set in the command of a reply, beside the command that it answers."""

HEADER_BYTES = 5
"""Bytes of a frame before its payload."""

CRC_BYTES = 2
"""Bytes of a frame behind its payload."""

MOST_PAYLOAD = 32
"""Bytes of payload that a frame has at most."""

_CRC_START, _CRC_POLYNOMIAL = 0xFFFF, 0x8408


class Command(enum.IntEnum):
    """What a frame asks for; ERROR is what a board says."""

    HELLO = 0x01
    RESET = 0x02
    ENCRYPT = 0x03
    DECRYPT = 0x04
    KEY128 = 0x10
    KEY192 = 0x11
    KEY256 = 0x12
    ERROR = 0xFF


KEYS = {128: Command.KEY128, 192: Command.KEY192, 256: Command.KEY256}
"""Key size in bits to its command."""


class Code(enum.IntEnum):
    """The byte of payload in an error frame."""

    CRC = 1
    VERSION = 2
    COMMAND = 3
    LENGTH = 4
    NO_KEY = 5
    TIMEOUT = 6
    BUSY = 7
    FAULT = 8


MEANINGS = {
    Code.CRC: "a frame was damaged",
    Code.VERSION: "the frame is of another version of the protocol",
    Code.COMMAND: "the board has no such command, or its core cannot do it",
    Code.LENGTH: "the payload has a length that the command does not have",
    Code.NO_KEY: "the board has no key",
    Code.TIMEOUT: "a frame stopped in the middle",
    Code.BUSY: "a frame came before the one before it had been taken",
    Code.FAULT: "the core has seen a fault in itself",
}
"""What the codes say."""

PASSING = (Code.CRC, Code.LENGTH, Code.TIMEOUT, Code.BUSY, Code.FAULT)
"""What a disturbed line, or one flip in the core, gives: worth another try."""


@dataclasses.dataclass(frozen=True)
class Frame:
    """A frame.

    Attributes:
        command: with ``REPLY`` in one of a board.
        tag: 0 to 255.
        payload: at most ``MOST_PAYLOAD`` bytes.
        version: of the protocol.
    """

    command: int
    tag: int
    payload: bytes = b""
    version: int = VERSION

    def encoded(self) -> bytes:
        """Its bytes on the line."""
        body = bytes((self.version, self.command, self.tag, len(self.payload))) + self.payload
        return bytes((SYNC,)) + body + crc(body).to_bytes(CRC_BYTES, "little")


def crc(data: bytes) -> int:
    """CRC-16/X-25."""
    value = _CRC_START
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = (value >> 1) ^ (_CRC_POLYNOMIAL if value & 1 else 0)
    return value ^ 0xFFFF


def frame_bytes(payload: int) -> int:
    """Bytes on the line of a frame with so many bytes of payload."""
    return HEADER_BYTES + payload + CRC_BYTES


class Decoder:
    """Frames out of bytes as they come; what is no frame is skipped and counted.

    Attributes:
        skipped: bytes that were in no whole frame.
    """

    def __init__(self) -> None:
        self.skipped = 0
        self._bytes = bytearray()

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that are whole with these bytes."""
        self._bytes += data
        found: list[Frame] = []
        while True:
            begin = self._bytes.find(SYNC)
            if begin != 0:
                gone = len(self._bytes) if begin < 0 else begin
                self.skipped += gone
                del self._bytes[:gone]
            if len(self._bytes) < HEADER_BYTES:
                return found
            version, command, tag, length = self._bytes[1:HEADER_BYTES]
            whole = frame_bytes(length)
            if length <= MOST_PAYLOAD and len(self._bytes) < whole:
                return found
            frame = Frame(command, tag, bytes(self._bytes[HEADER_BYTES : HEADER_BYTES + length]),
                          version)  # fmt: skip
            if length <= MOST_PAYLOAD and self._bytes[:whole] == frame.encoded():
                found.append(frame)
                del self._bytes[:whole]
            else:
                # The next frame may begin within what looked like one.
                self.skipped += 1
                del self._bytes[:1]

    def clear(self) -> None:
        """Forget what has begun."""
        self._bytes.clear()


@dataclasses.dataclass(frozen=True)
class Hello:
    """What a board says of itself: the 16 bytes that answer HELLO.

    ::

        capabilities | 0 | clock / 10 kHz, 2 bytes | baud, 4 bytes | design, 8 bytes

    Numbers have their highest byte first. Capabilities: bit 0 encrypts, bit 1 decrypts, bits 2 to 4
    keys of 128, 192, 256 bits.

    Attributes:
        encrypts: whether the core does.
        decrypts: whether the core does.
        key_lengths: sizes of keys in bits that it takes.
        hz: its clock, to 10 kHz.
        baud: bits a second of the UART.
        design: hash of the words of the design (``top.identity``).
    """

    encrypts: bool
    decrypts: bool
    key_lengths: tuple[int, ...]
    hz: int
    baud: int
    design: bytes

    def encoded(self) -> bytes:
        """The 16 bytes."""
        bits = self.encrypts | self.decrypts << 1
        bits |= sum(4 << n for n, size in enumerate(KEYS) if size in self.key_lengths)
        numbers = (self.hz // 10_000).to_bytes(2, "big") + self.baud.to_bytes(4, "big")
        return bytes((bits, 0)) + numbers + self.design

    @classmethod
    def of(cls, payload: bytes) -> Hello:
        """What the payload of a reply to HELLO says; ValueError where it is none."""
        if len(payload) != 16 or not payload[0] & 3 or not payload[0] & 28 or payload[0] >> 5:
            raise ValueError("this is no answer to a hello")
        return cls(
            encrypts=bool(payload[0] & 1),
            decrypts=bool(payload[0] & 2),
            key_lengths=tuple(size for n, size in enumerate(KEYS) if payload[0] >> (2 + n) & 1),
            hz=10_000 * int.from_bytes(payload[2:4], "big"),
            baud=int.from_bytes(payload[4:8], "big"),
            design=payload[8:],
        )
