# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Messages of streams: what goes into an engine, as records of the bench, what has to come out."""

from __future__ import annotations

import dataclasses
import enum
from typing import TYPE_CHECKING

from aesfab.engine.packets import BLOCK, Error, beat_step, descriptor_step

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers import CipherContext


class Mode(enum.IntEnum):
    """Modes of a descriptor (``mode_e`` of the RTL)."""

    CBC = 3
    CFB = 4
    OFB = 5
    CMAC = 6


ERRORS = (Error.NONE, Error.MODE, Error.SLOT, Error.BEAT, Error.LENGTH)
"""What the last beat of a result can tell; that of its length where sectors end so."""


@dataclasses.dataclass(frozen=True)
class Raw:
    """A beat as it is offered, right or wrong."""

    data: bytes
    keep: int
    last: bool

    def step(self, stream: int, after: int) -> bytes:
        """Its record, for a stream, offered after so many descriptors have been taken."""
        return beat_step(self.data, self.keep, self.last, stream=stream, after=after)


@dataclasses.dataclass(frozen=True)
class Result:
    """What comes out for a message.

    Attributes:
        text: the bytes that count of all its beats: text, or the tag of CMAC.
        error: what the last beat tells.
    """

    text: bytes
    error: Error


@dataclasses.dataclass(frozen=True)
class Message:
    """A message of a stream.

    Attributes:
        mode: of its descriptor.
        slot: of its key.
        iv: 16 bytes, not for CMAC.
        text: what goes in, plaintext or ciphertext.
        decrypt: the direction, of CFB128 and OFB.
        raw: beats that are offered in place of those of the text.
        error: the one that it has to end with.
    """

    mode: int
    slot: int
    iv: bytes = bytes(BLOCK)
    text: bytes = b""
    decrypt: bool = False
    raw: tuple[Raw, ...] = ()
    error: Error = Error.NONE

    def descriptor(self) -> bytes:
        """The data of its descriptor, byte 0 first."""
        return self.iv + bytes([self.mode | int(self.decrypt) << 3, self.slot])

    def describe(self, stream: int, after: int = 0) -> bytes:
        """The record of its descriptor, offered after so many keys have been taken."""
        return descriptor_step(self.descriptor(), stream=stream, after=after)

    def steps(self, stream: int, after: int = 0) -> bytes:
        """Its records, as the first message of a stream; ``after``: see ``describe``."""
        beats = b"".join(beat.step(stream, 0) for beat in self.beats())
        return self.describe(stream, after) + beats

    def beats(self) -> tuple[Raw, ...]:
        """Its beats in their order; a message without text has one without a byte."""
        if self.raw:
            return self.raw
        pieces = [self.text[at : at + BLOCK] for at in range(0, len(self.text), BLOCK)] or [b""]
        return tuple(
            Raw(piece, (1 << len(piece)) - 1, number == len(pieces) - 1)
            for number, piece in enumerate(pieces)
        )

    def expected(self, key: bytes | None) -> Result:
        """What an engine has to give, as OpenSSL computes it; ``key`` of the slot, None: none."""
        if self.error is Error.MODE:
            return Result(b"", Error.MODE)
        if key is None or self.error is Error.SLOT:
            return Result(b"", Error.SLOT)
        good = self.good_text()
        whole = self.text if self.error is Error.NONE else good
        if self.mode == Mode.CMAC:
            if self.error is not Error.NONE:
                return Result(b"", self.error)
            return Result(_cmac(key, whole), Error.NONE)
        return Result(_crypt(self.mode, key, self.iv, whole, decrypt=self.decrypt), self.error)

    def good_text(self) -> bytes:
        """The text of raw beats up to the first one that is wrong."""
        good = bytearray()
        for number, beat in enumerate(self.beats()):
            size = beat.keep.bit_count()
            legal = beat.keep == (1 << size) - 1
            whole = size == BLOCK or (beat.last and self.mode != Mode.CBC)
            if not legal or not whole or (size == 0 and number > 0):
                break
            good += beat.data[:size]
        return bytes(good)


def _crypt(mode: int, key: bytes, iv: bytes, text: bytes, *, decrypt: bool) -> bytes:
    work = context(mode, key, iv, decrypt=decrypt)
    return work.update(text) + work.finalize()


def context(mode: int, key: bytes, iv: bytes, *, decrypt: bool) -> CipherContext:
    """OpenSSL at the begin of a message of CBC, CFB128 or OFB."""
    import warnings

    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    with warnings.catch_warnings():
        # Newer versions warn of CFB and OFB, which are no modes for new designs.
        warnings.simplefilter("ignore")
        chained = {
            Mode.CBC: modes.CBC(iv),
            Mode.CFB: modes.CFB(iv),
            Mode.OFB: modes.OFB(iv),
        }[Mode(mode)]
        cipher = Cipher(algorithms.AES(key), chained)
    return cipher.decryptor() if decrypt else cipher.encryptor()


def _cmac(key: bytes, text: bytes) -> bytes:
    from cryptography.hazmat.primitives.ciphers import algorithms
    from cryptography.hazmat.primitives.cmac import CMAC

    work = CMAC(algorithms.AES(key))
    work.update(text)
    return work.finalize()
