# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Packets of CCM: what goes into an engine, as records of the bench, and what has to come out."""

from __future__ import annotations

import dataclasses

from aesfab.engine.packets import BLOCK, NO_TAG, Beat, Error, Raw, Result, descriptor_step

CCM = 8
"""The mode of a descriptor (``ModeCcm`` of the RTL)."""
NONCES = range(7, 14)
"""Bytes of a nonce."""
TAGS = range(4, 17, 2)
"""Bytes of a tag."""


@dataclasses.dataclass(frozen=True)
class Packet:
    """A packet.

    Attributes:
        slot: of its key.
        nonce: 7 to 13 bytes.
        text: what goes in, plaintext or ciphertext.
        aad: what is not encrypted, and under the tag.
        decrypt: the direction.
        tag: with decryption, the tag that the packet has to have.
        tag_length: bytes of the tag.
        after: keys that are taken before its descriptor is offered.
    """

    slot: int
    nonce: bytes
    text: bytes = b""
    aad: bytes = b""
    decrypt: bool = False
    tag: bytes = b""
    tag_length: int = 16
    after: int = 0

    def data(self, **changed: int) -> bytes:
        """The data of its descriptor, byte 0 first; fields may be changed to wrong ones by name."""
        fields = {
            "mode": CCM,
            "slot": self.slot,
            "nonce_length": min(255, len(self.nonce)),
            "tag_length": self.tag_length,
            "text_length": len(self.text),
            "aad_length": len(self.aad),
            **changed,
        }
        flags = fields["mode"] | int(self.decrypt) << 4
        small = [flags, fields["slot"], fields["nonce_length"], fields["tag_length"]]
        lengths = [fields[name].to_bytes(2, "little") for name in ("text_length", "aad_length")]
        return self.nonce.ljust(BLOCK, b"\xa5")[:BLOCK] + bytes(small) + b"".join(lengths)

    def descriptor(self, **changed: int) -> bytes:
        """Its record, see ``data``."""
        return descriptor_step(self.data(**changed), after=self.after)

    @property
    def said(self) -> str:
        """Direction, nonce and tag in words."""
        way = "decryption" if self.decrypt else "encryption"
        return f"{way}, nonce of {len(self.nonce)}, tag of {self.tag_length}"

    def beats(self) -> list[Raw]:
        """Its beats in their order."""
        parts = [(Beat.AAD, self.aad), (Beat.TEXT, self.text)]
        if self.decrypt:
            parts.append((Beat.TAG, self.tag))
        pieces = [
            (kind, part[at : at + BLOCK])
            for kind, part in parts
            for at in range(0, len(part), BLOCK)
        ]
        return [
            Raw(piece, kind, (1 << len(piece)) - 1, number == len(pieces) - 1)
            for number, (kind, piece) in enumerate(pieces)
        ]

    def steps(self) -> bytes:
        """The records of descriptor and beats."""
        return self.descriptor() + b"".join(beat.step() for beat in self.beats())

    def right_tag(self, key: bytes) -> bytes:
        """The tag under a key, as OpenSSL computes it."""
        return _crypt(self, key)[1]

    def expected(self, key: bytes | None, most_held: int | None = None) -> Result:
        """What an engine has to give, as OpenSSL computes it.

        Args:
            key: of the slot; None: there is none in it.
            most_held: beats of text that wait for their tag at most, None: they do not wait.
        """
        if key is None:
            return Result(b"", NO_TAG, Error.SLOT)
        held = self.decrypt and most_held is not None
        if held and -(-len(self.text) // BLOCK) > (most_held or 0):
            return Result(b"", NO_TAG, Error.LENGTH)
        text, tag = _crypt(self, key)
        if not self.decrypt:
            return Result(text, tag, Error.NONE)
        if tag != self.tag:
            return Result(b"" if held else text, NO_TAG, Error.TAG)
        return Result(text, NO_TAG, Error.NONE)


def _crypt(packet: Packet, key: bytes) -> tuple[bytes, bytes]:
    """Text and tag of a packet, whose own tag is not looked at."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    from cryptography.hazmat.primitives.ciphers.aead import AESCCM

    text = packet.text
    if packet.decrypt:
        # CCM's key stream is that of CTR from the count one on (SP 800-38C, section A.3).
        first = bytes([14 - len(packet.nonce)]) + packet.nonce
        count = (1).to_bytes(BLOCK - len(first), "big")
        stream = Cipher(algorithms.AES(key), modes.CTR(first + count)).encryptor()
        text = stream.update(text) + stream.finalize()
    sealed = AESCCM(key, packet.tag_length).encrypt(packet.nonce, text, packet.aad)
    split = len(text)
    return (text if packet.decrypt else sealed[:split]), sealed[split:]
