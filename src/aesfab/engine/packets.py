# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Packets: what goes into an engine, as records of the bench, and what has to come out."""

from __future__ import annotations

import abc
import dataclasses
import enum
import random
import struct
from collections.abc import Iterator, Sequence

BLOCK = 16
NO_TAG = bytes(16)
"""The last beat of a result that is not the tag of an encryption."""


class Kind(enum.IntEnum):
    """What a record of the bench is of (``bench/engine.cpp``)."""

    KEY = 0
    DESCRIPTOR = 1
    BEAT = 2
    RESULT = 3


class Mode(enum.IntEnum):
    """Modes of a descriptor (``mode_e`` of the RTL)."""

    CTR = 1
    GCM = 2


class Beat(enum.IntEnum):
    """What a beat is of (``beat_e``)."""

    TEXT = 0
    AAD = 1
    IV = 2
    TAG = 3


class Error(enum.IntEnum):
    """What the last beat of a result tells (``error_e``)."""

    NONE = 0
    MODE = 1
    SLOT = 2
    IV = 3
    TAG_LENGTH = 4
    BEAT = 5
    LENGTH = 6
    TAG = 7


_STEP = struct.Struct("<BBHHHI32s")
CLEAR, CLEAR_ALL = 1 << 10, 1 << 11


def descriptor_step(data: bytes, *, stream: int = 0, after: int = 0) -> bytes:
    """A descriptor; ``after``: keys that are taken before it is offered."""
    return _STEP.pack(Kind.DESCRIPTOR, 0, 0, 0, stream, after, data)


def beat_step(
    data: bytes, keep: int, last: bool, *, user: int = 0, stream: int = 0, after: int = 0
) -> bytes:
    """A beat; ``after``: descriptors that are taken before it is offered."""
    return _STEP.pack(Kind.BEAT, int(last), user, keep, stream, after, data)


def key_step(
    slot: int, key: bytes = b"", *, user: int = 0, after: int = 0, length: int | None = None
) -> bytes:
    """A key for a slot; ``user`` CLEAR or CLEAR_ALL instead of one.

    Args:
        slot: its number.
        key: the key.
        user: more bits of ``tuser``.
        after: descriptors that are taken before it is offered.
        length: field of the length; by default that of the key.
    """
    if length is None:
        length = {16: 0, 24: 1, 32: 2}.get(len(key), 0)
    return _STEP.pack(Kind.KEY, 0, user | length << 8 | slot, 0, 0, after, key)


ALL = -1
"""In place of a slot: every one of them."""
GivenKey = tuple[int, bytes | None]
"""A slot and the key that it takes; None clears it."""


def give(slots: dict[int, bytes], given: Sequence[GivenKey]) -> None:
    """What slots hold after these keys."""
    for slot, key in given:
        if slot == ALL:
            slots.clear()
        elif key is None:
            slots.pop(slot, None)
        else:
            slots[slot] = key


class AnyRandomKeys(abc.ABC):
    """Keys among random packets: written and cleared meanwhile, and all of them cleared once.

    Attributes:
        steps: their records.
    """

    _AGAIN = 8
    _BEHIND = 4

    def __init__(self, rng: random.Random, slots: int, count: int, often: float) -> None:
        """Each slot takes a key.

        Args:
            rng: what is random.
            slots: of the engine.
            count: packets.
            often: the part of them before which a key changes.
        """
        self.steps = bytearray()
        self._rng, self._slots, self._often = rng, slots, often
        self._cleared = rng.randrange(count // 3, count // 2 + 1)
        for slot in range(slots):
            self._write(slot, 0)
        self._first = self._count()

    def _count(self) -> int:
        return len(self.steps) // STEP_BYTES

    @abc.abstractmethod
    def _write(self, slot: int, after: int) -> None:
        """A slot takes what keys it has, when so many descriptors are taken."""

    @abc.abstractmethod
    def _change(self, number: int) -> None:
        """Something changes before a packet, by its number."""

    @abc.abstractmethod
    def _clear_all(self) -> list[int]:
        """No slot has a key; some of those that take one again."""

    def before(self, number: int) -> int:
        """Give what comes before a packet, by its number, while others are under way.

        Returns:
            Keys that are taken before its descriptor is offered. The packets that come behind a
            clearing of all slots do not wait; those after them do, until some slots have a key.
        """
        if number == self._cleared:
            after = max(0, number - 3)
            self.steps += key_step(0, user=CLEAR_ALL, after=after)
            for slot in self._clear_all():
                self._write(slot, after)
        elif self._rng.random() < self._often:
            self._change(number)
        return {0: self._first, self._cleared + self._BEHIND: self._count()}.get(number, 0)

    def _some(self, slots: Sequence[int]) -> list[int]:
        return self._rng.sample(slots, min(len(slots), self._AGAIN))


class RandomKeys(AnyRandomKeys):
    """Where a slot has one key.

    Attributes:
        steps: their records.
        given: all of them.
        held: those that are left after all of them, by slot.
    """

    def __init__(
        self,
        rng: random.Random,
        slots: int,
        sizes: Sequence[int],
        count: int,
        *,
        length: int | None = None,
        often: float = 0.2,
        nowhere: float = 0.0,
    ) -> None:
        """Each slot takes a key.

        Args:
            rng: what is random.
            slots: of the engine.
            sizes: bytes of a key.
            count: packets.
            length: see ``key_step``.
            often: the part of packets before which a key changes.
            nowhere: the part of these keys that are of no slot, and lost.
        """
        self.given: list[GivenKey] = []
        self.held: dict[int, bytes] = {}
        self._sizes, self._length, self._nowhere = sizes, length, nowhere
        super().__init__(rng, slots, count, often)

    def _give(self, slot: int, key: bytes | None) -> None:
        self.given.append((slot, key))
        if slot < self._slots:
            give(self.held, self.given[-1:])

    def _write(self, slot: int, after: int) -> None:
        key = self._rng.randbytes(self._rng.choice(self._sizes))
        self._give(slot, key)
        self.steps += key_step(slot, key, after=after, length=self._length)

    def _change(self, number: int) -> None:
        rng, after = self._rng, max(0, number - 3)
        slot = rng.randrange(self._slots)
        if self._nowhere and rng.random() < self._nowhere:
            slot += self._slots
        if rng.random() < 0.2:
            self._give(slot, None)
            self.steps += key_step(slot, user=CLEAR, after=after)
        else:
            self._write(slot, after)

    def _clear_all(self) -> list[int]:
        self._give(ALL, None)
        return self._some(range(self._slots))

    def slot(self) -> int:
        """One of a packet: of those with a key mostly."""
        if self.held and self._rng.random() < 0.9:
            return self._rng.choice(list(self.held))
        return self._rng.randrange(self._slots)


@dataclasses.dataclass(frozen=True)
class Raw:
    """A beat as it is offered, right or wrong."""

    data: bytes
    kind: int
    keep: int
    last: bool

    def step(self) -> bytes:
        """Its record."""
        return beat_step(self.data, self.keep, self.last, user=self.kind)


@dataclasses.dataclass(frozen=True)
class Packet:
    """A packet.

    Attributes:
        mode: of its descriptor.
        slot: of its key.
        iv: 16 bytes for CTR; 1 to 128 for GCM.
        text: what goes in, plaintext or ciphertext.
        aad: GCM alone.
        decrypt: the direction.
        tag: with decryption, the tag that the packet has to have.
        tag_length: bytes of the tag.
        after: keys that are taken before its descriptor is offered.
    """

    mode: int
    slot: int
    iv: bytes
    text: bytes = b""
    aad: bytes = b""
    decrypt: bool = False
    tag: bytes = b""
    tag_length: int = 16
    after: int = 0

    def descriptor(self, *, empty: bool, **changed: int) -> bytes:
        """Its record; fields may be changed to wrong ones by name."""
        plain = self.mode == Mode.CTR or len(self.iv) == 12
        fields = {
            "iv_length": len(self.iv),
            "tag_length": self.tag_length if self.mode == Mode.GCM else 0,
            "slot": self.slot,
            "mode": self.mode,
            "empty": int(empty),
            **changed,
        }
        flags = fields["mode"] | int(self.decrypt) << 3 | fields["empty"] << 4
        data = (self.iv if plain else b"").ljust(16, b"\0")[:16] + bytes(
            [flags, fields["slot"], fields["iv_length"], fields["tag_length"]]
        )
        return descriptor_step(data, after=self.after)

    @property
    def said(self) -> str:
        """Mode, direction and IV in words."""
        way = "decryption" if self.decrypt else "encryption"
        return f"mode {self.mode}, {way}, IV of {len(self.iv)}"

    def beats(self) -> list[Raw]:
        """Its beats in their order."""
        parts = []
        if self.mode == Mode.GCM and len(self.iv) != 12:
            parts.append((Beat.IV, self.iv))
        parts += [(Beat.AAD, self.aad), (Beat.TEXT, self.text)]
        if self.mode == Mode.GCM and self.decrypt:
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
        beats = self.beats()
        return self.descriptor(empty=not beats) + b"".join(beat.step() for beat in beats)

    def right_tag(self, key: bytes) -> bytes:
        """The tag under a key, as OpenSSL computes it."""
        _, tag = _gcm(key, self.iv, self.aad, self.text, decrypt=self.decrypt)
        return tag[: self.tag_length]

    def expected(self, key: bytes | None, most_held: int | None = None) -> Result:
        """What an engine has to give, as OpenSSL computes it.

        Args:
            key: of the slot; None: there is none in it.
            most_held: beats of text that wait for their tag at most, None: they do not wait.
        """
        if key is None:
            return Result(b"", NO_TAG, Error.SLOT)
        if self.mode == Mode.CTR:
            return Result(_ctr(key, self.iv, self.text), NO_TAG, Error.NONE)
        held = self.decrypt and most_held is not None
        if held and -(-len(self.text) // BLOCK) > (most_held or 0):
            return Result(b"", NO_TAG, Error.LENGTH)
        text, tag = _gcm(key, self.iv, self.aad, self.text, decrypt=self.decrypt)
        if not self.decrypt:
            return Result(text, tag[: self.tag_length], Error.NONE)
        if tag[: self.tag_length] != self.tag:
            return Result(b"" if held else text, NO_TAG, Error.TAG)
        return Result(text, NO_TAG, Error.NONE)


def _gcm(key: bytes, iv: bytes, aad: bytes, text: bytes, *, decrypt: bool) -> tuple[bytes, bytes]:
    """Text that comes out of GCM, and the whole tag that goes with it."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    if len(iv) < 8:
        return _gcm_of_short_iv(key, iv, aad, text, decrypt=decrypt)
    if decrypt:
        opened = Cipher(algorithms.AES(key), modes.GCM(iv)).decryptor()
        text = opened.update(text)
    work = Cipher(algorithms.AES(key), modes.GCM(iv)).encryptor()
    work.authenticate_additional_data(aad)
    sealed = work.update(text) + work.finalize()
    return (text if decrypt else sealed), work.tag


def _gcm_of_short_iv(
    key: bytes, iv: bytes, aad: bytes, text: bytes, *, decrypt: bool
) -> tuple[bytes, bytes]:
    """The same for an IV that OpenSSL does not take, put together of what it does take.

    J0 is GHASH of an IV as a ciphertext without AAD, which is the tag of such a packet, less the
    block that it is masked with.
    """
    j0 = _hash(key, b"", iv)
    low = int.from_bytes(j0[12:], "big")
    count = -(-len(text) // BLOCK)
    blocks = (j0[:12] + ((low + 1 + n) % 2**32).to_bytes(4, "big") for n in range(count))
    stream = _ecb(key, b"".join(blocks))
    out = _xor(text, stream)
    return out, _xor(_hash(key, aad, text if decrypt else out), _ecb(key, j0))


def _hash(key: bytes, aad: bytes, ciphertext: bytes) -> bytes:
    """GHASH of AAD, ciphertext and their lengths: a tag under an IV of zero, without its mask."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    iv = bytes(12)
    plain = Cipher(algorithms.AES(key), modes.GCM(iv)).encryptor().update(ciphertext)
    work = Cipher(algorithms.AES(key), modes.GCM(iv)).encryptor()
    work.authenticate_additional_data(aad)
    work.update(plain)
    work.finalize()
    return _xor(work.tag, _ecb(key, iv + b"\0\0\0\1"))


def iv_of(key: bytes, j0: bytes) -> bytes:
    """The IV of 16 bytes that leads to a J0: (J0 / H + length) / H, in the field of GHASH."""
    h = int.from_bytes(_ecb(key, bytes(BLOCK)), "big")
    inverse = _R128  # 1, as a block
    power = h
    for _ in range(127):  # h^(2^128 - 2)
        power = _product(power, power)
        inverse = _product(inverse, power)
    summed = _product(int.from_bytes(j0, "big"), inverse) ^ 8 * BLOCK
    return _product(summed, inverse).to_bytes(BLOCK, "big")


_R128 = 1 << 127


def _product(a: int, b: int) -> int:
    """Of two blocks (SP 800-38D, section 6.3)."""
    product = 0
    for bit in range(127, -1, -1):
        if a >> bit & 1:
            product ^= b
        b = b >> 1 ^ (0xE1 << 120 if b & 1 else 0)
    return product


def _xor(a: bytes, b: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b, strict=False))


def _ecb(key: bytes, blocks: bytes) -> bytes:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    return Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(blocks)


def _ctr(key: bytes, iv: bytes, text: bytes) -> bytes:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    work = Cipher(algorithms.AES(key), modes.CTR(iv)).encryptor()
    return work.update(text) + work.finalize()


@dataclasses.dataclass(frozen=True)
class Result:
    """What comes out for a packet.

    Attributes:
        text: the bytes that count of all beats but the last.
        tag: of an encryption; else NO_TAG.
        error: what the last beat tells.
    """

    text: bytes
    tag: bytes
    error: Error


_EVENT = struct.Struct("<BBHHHII16s")


@dataclasses.dataclass(frozen=True)
class Event:
    """What happened at the pins in a clock.

    Attributes:
        kind: a key, descriptor or beat was taken, or a beat of a result left.
        last: tlast.
        user: tuser.
        keep: tkeep.
        stream: tid; 0 where there is none.
        keys: keys taken before.
        clock: when.
        data: of a result.
    """

    kind: Kind
    last: bool
    user: int
    keep: int
    stream: int
    keys: int
    clock: int
    data: bytes


def events(raw: bytes) -> Iterator[Event]:
    """The events of a run."""
    for kind, last, user, keep, stream, keys, clock, data in _EVENT.iter_unpack(raw):
        yield Event(Kind(kind), bool(last), user, keep, stream, keys, clock, data)


STEP_BYTES, EVENT_BYTES = _STEP.size, _EVENT.size
