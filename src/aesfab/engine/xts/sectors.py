# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Sectors: what goes into an engine, as records of the bench, and what has to come out."""

from __future__ import annotations

import dataclasses

from aesfab.engine.packets import BLOCK, Error, descriptor_step, key_step
from aesfab.engine.streams.messages import Mode, Raw, Result

CBC, XTS = int(Mode.CBC), 7
"""Modes of a descriptor (``ModeCbc``, ``ModeXts`` of the RTL)."""
OF_TWEAKS = 1 << 8
"""tuser of a key: that of the tweaks; that of the data comes first."""


def key_steps(slot: int, keys: bytes, count: int, after: int = 0) -> bytes:
    """The records of the keys of a slot, of which it has so many, one behind the other.

    ``after``: descriptors that are taken before.
    """
    size = len(keys) // count
    # Their length is not told: it would stand where OF_TWEAKS is.
    return b"".join(
        key_step(
            slot,
            keys[number * size :][:size],
            length=0,
            user=OF_TWEAKS * number,
            after=after,
        )
        for number in range(count)
    )


@dataclasses.dataclass(frozen=True)
class Sector:
    """A sector.

    Attributes:
        slot: of its keys.
        tweak: 16 bytes, the number of the sector with the lowest byte first, or the IV.
        text: what goes in, plaintext or ciphertext: 16 bytes or more, whole blocks for CBC.
        decrypt: the direction.
        raw: beats that are offered in place of those of the text.
        error: the one that it has to end with.
        mode: of its descriptor.
    """

    slot: int
    tweak: bytes = bytes(BLOCK)
    text: bytes = b""
    decrypt: bool = False
    raw: tuple[Raw, ...] = ()
    error: Error = Error.NONE
    mode: int = XTS

    def descriptor(self) -> bytes:
        """The data of its descriptor, byte 0 first."""
        return self.tweak + bytes([self.mode | int(self.decrypt) << 3, self.slot])

    def steps(self, after: int = 0) -> bytes:
        """Its records; the descriptor is offered after so many keys have been taken."""
        beats = b"".join(beat.step(0, 0) for beat in self.beats())
        return descriptor_step(self.descriptor(), after=after) + beats

    def beats(self) -> tuple[Raw, ...]:
        """Its beats in their order."""
        if self.raw:
            return self.raw
        pieces = [self.text[at : at + BLOCK] for at in range(0, len(self.text), BLOCK)]
        return tuple(
            Raw(piece, (1 << len(piece)) - 1, number == len(pieces) - 1)
            for number, piece in enumerate(pieces)
        )

    def expected(self, keys: bytes | None) -> Result:
        """What an engine has to give, as OpenSSL computes it; ``keys`` of the slot, None: none."""
        if self.error is Error.MODE:
            return Result(b"", Error.MODE)
        if keys is None or self.error is Error.SLOT:
            return Result(b"", Error.SLOT)
        if self.error is Error.NONE:
            return Result(self.crypt(keys, self.text), Error.NONE)
        good = self.good_text()
        return Result(self.crypt(keys, good) if good else b"", self.error)

    def good_text(self) -> bytes:
        """The whole blocks of raw beats before the first one that is wrong."""
        good = bytearray()
        for beat in self.beats():
            if beat.keep != (1 << BLOCK) - 1:
                break
            good += beat.data
        return bytes(good)

    def crypt(self, keys: bytes, text: bytes) -> bytes:
        """A text as OpenSSL gives it, in mode and direction of the sector."""
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        mode = modes.CBC(self.tweak) if self.mode == CBC else modes.XTS(self.tweak)
        cipher = Cipher(algorithms.AES(keys), mode)
        work = cipher.decryptor() if self.decrypt else cipher.encryptor()
        return work.update(text) + work.finalize()
