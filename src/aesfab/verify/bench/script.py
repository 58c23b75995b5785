# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Scripts of the bench: which keys and blocks are offered when, and when the core is reset.

The structures are those of ``script.cpp``, little-endian.
"""

from __future__ import annotations

import dataclasses
import enum
import math
import random
import struct
from collections.abc import Callable, Iterator, Sequence

from aesfab.design.architectures.contract import Between
from aesfab.design.axes import Clear
from aesfab.design.design import Design
from aesfab.verify.vectors import Vector

_MAGIC = 0x41455331
_HEAD = struct.Struct("<6I")
_SEGMENT = struct.Struct("<6I")
_KEY = struct.Struct("<4I32s")
_BLOCK = struct.Struct("<4I16s32s")
_EVENT = struct.Struct("<IIQ16s")

_KEY_LEN = {16: 0, 24: 1, 32: 2}
_NO_LENGTH = 3


class End(enum.IntEnum):
    """How a segment ends."""

    WHEN_DONE = 0
    """All blocks are done and nothing more came for a while."""
    AFTER_BLOCKS = 1
    """Some clocks after a number of blocks was accepted: the next reset meets work under way."""
    AFTER_KEYS = 2
    """Some clocks after a number of keys was accepted."""


class Kind(enum.IntEnum):
    """Kinds of events in a record.

    Within a clock they stand in this order, but for the requests, which come before KEY_READY.
    """

    RESET = 0
    RELEASE = 1
    KEY_READY = 2
    OUT = 3
    REQUEST = 4
    ACCEPT = 5
    KEY_REQUEST = 6
    KEY_ACCEPT = 7
    SEGMENT_END = 8
    HANG = 9
    FAULT = 11
    """The core says that the result is zero because of a fault. Stands behind OUT."""
    KEY_REFUSED = 12
    SHOWN = 10
    """Stands where OUT would: the output shows something else, and it is no result."""


@dataclasses.dataclass(frozen=True, slots=True)
class KeyItem:
    """A key for the key driver of a stored-key design.

    Attributes:
        key: 16, 24 or 32 bytes.
        idle: clocks without an offer after the last key was accepted.
        after_blocks: then wait until so many blocks of the segment were accepted.
        length: the code of its length on ``key_len_i``, where that is not the right one.
        gaps: narrow ports: clocks without an offer before the second word or byte and so on, at
            most 15 each, or 3 of bytes; none where it ends. Round keys from outside: the same
            before the second of their words, or pairs of them, and so on, eight gaps again and
            again.
    """

    key: bytes
    idle: int = 0
    after_blocks: int = 0
    length: int | None = None
    gaps: tuple[int, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class BlockItem:
    """A block for the block driver.

    Attributes:
        block: 16 bytes.
        decrypt: direction, for designs that have both.
        key: on-the-fly keys: the key that comes with it.
        idle: clocks without an offer after the last block was accepted.
        after_keys: then wait until so many keys of the segment are or were current.
        gaps: as for keys.
    """

    block: bytes
    decrypt: bool = False
    key: bytes = b""
    idle: int = 0
    after_keys: int = 0
    gaps: tuple[int, ...] = ()


@dataclasses.dataclass(frozen=True)
class Segment:
    """What happens from one reset to the next.

    Attributes:
        keys: for the key driver; what is left when the segment ends is dropped.
        blocks: for the block driver, likewise.
        reset_clocks: rising edges with the reset low, before anything is offered in earnest; 0:
            the segment begins behind a clock with ``clear_i`` instead.
        end: how it ends.
        end_count: blocks or keys accepted, for ``end``; keys offered where they are taken late.
        end_delay: clocks from the acceptance or offer of the last of them to the reset.
    """

    keys: Sequence[KeyItem]
    blocks: Sequence[BlockItem]
    reset_clocks: int = 3
    end: End = End.WHEN_DONE
    end_count: int = 0
    end_delay: int = 0


@dataclasses.dataclass(frozen=True)
class Script:
    """A script.

    Attributes:
        segments: in order.
        patience: clocks without progress after which the bench gives up.
        drain: clocks to watch after the last result of a segment.
        key_offered: whether a key is taken when it is expanded.
        watch: whether what the output shows between results is recorded.
    """

    segments: Sequence[Segment]
    patience: int
    drain: int
    key_offered: bool = False
    watch: bool = False

    def encode(self) -> bytes:
        """The bytes that the bench reads."""
        head = (len(self.segments), self.patience, self.drain, self.key_offered, self.watch)
        parts = [_HEAD.pack(_MAGIC, *head)]
        for s in self.segments:
            parts.append(
                _SEGMENT.pack(
                    s.reset_clocks, s.end, s.end_count, s.end_delay, len(s.keys), len(s.blocks)
                )
            )
            for key in s.keys:
                length = _KEY_LEN[len(key.key)] if key.length is None else key.length
                gaps = packed_gaps(key.gaps)
                parts.append(_KEY.pack(key.idle, key.after_blocks, length, gaps, key.key))
            for b in s.blocks:
                gaps = packed_gaps(b.gaps)
                parts.append(_BLOCK.pack(b.idle, b.after_keys, b.decrypt, gaps, b.block, b.key))
        return b"".join(parts)


def gap_bits(count: int) -> int:
    """Bits of each of so many gaps, which have 32 together: see ``Sender`` in ``pieces.h``."""
    return 4 if count <= 8 else 2


def packed_gaps(gaps: Sequence[int]) -> int:
    """Gaps as the bench reads them."""
    bits = gap_bits(len(gaps))
    return sum(gap << bits * at for at, gap in enumerate(gaps))


def decode_events(log: bytes) -> Iterator[tuple[int, int, int, bytes]]:
    """The events of a record: kind, index, clock, data (16 bytes)."""
    return _EVENT.iter_unpack(log[: len(log) - len(log) % _EVENT.size])


def patience(design: Design) -> int:
    """Clocks after which a core without progress hangs: well beyond all that it may take."""
    slowest = max(design.latency(b) + design.key_setup(b) for b in design.key_lengths)
    if design.round_keys_from_outside:
        slowest += ((1 << gap_bits(0)) - 1) * design.key_setup()
    return 4 * slowest + design.direction_change + design.sweep_clocks + 64


def _script(design: Design, segments: Sequence[Segment]) -> Script:
    drain = 2 * design.latency() + 8
    watch = design.between_results is not Between.STATES
    return Script(segments, patience(design), drain, design.key_offered, watch)


def from_vectors(design: Design, vectors: Sequence[Vector]) -> Script:
    """The vectors in order, each block right after the last, a key change where the key changes."""
    keys: list[KeyItem] = []
    blocks: list[BlockItem] = []
    last_key = b""
    for vector in vectors:
        if design.stored_keys and vector.key != last_key:
            keys.append(KeyItem(vector.key, after_blocks=len(blocks)))
            last_key = vector.key
        for at in range(0, len(vector.given), 16):
            blocks.append(
                BlockItem(
                    vector.given[at : at + 16],
                    vector.decrypt,
                    b"" if design.stored_keys else vector.key,
                    after_keys=len(keys),
                )
            )
    return _script(design, [Segment(keys, blocks)])


def random_traffic(design: Design, rng: random.Random, count: int) -> Script:
    """At least ``count`` random blocks with everything at random moments.

    Blocks come in stretches of different temper: back to back, with short gaps, with long ones.
    Keys of stored-key designs change on their own, in stretches too, from one right after the
    other to one in many blocks, so that blocks meet every phase of a key change. The core is
    reset with a block under way, while a key expands, and while a direction is changed, if that
    takes time.
    """
    cut = max(20, count // 5)
    segments = []
    for _ in range(2):
        segments.append(
            dataclasses.replace(
                _random_segment(design, rng, cut + 8),
                end=End.AFTER_BLOCKS,
                end_count=cut,
                end_delay=rng.randint(1, design.latency() - 1),
            )
        )
    if design.stored_keys:
        for _ in range(2):
            segments.append(
                dataclasses.replace(
                    _random_segment(design, rng, 200),
                    end=End.AFTER_KEYS,
                    end_count=rng.randint(1, 3),
                    end_delay=rng.randint(1, design.key_setup() - 1),
                )
            )
    if design.direction_change:
        key = KeyItem(_random_key(design, rng))
        for _ in range(4):
            # The second block waits for the other direction when the reset comes.
            first = rng.random() < 0.5
            blocks = [BlockItem(_random_bytes(rng, 16), decrypt) for decrypt in (first, not first)]
            delay = design.latency() + rng.randint(1, design.direction_change)
            segments.append(
                Segment([key], blocks, end=End.AFTER_BLOCKS, end_count=1, end_delay=delay)
            )
    if design.clear is Clear.YES:
        # Each of them is begun by clear_i in place of a reset, with work under way.
        segments += [dataclasses.replace(segment, reset_clocks=0) for segment in segments[1:]]
    # Those cut off by a reset do not count, so the last segment makes up for them.
    sure = 2 * max(0, cut - design.blocks_in_flight)
    segments.append(_random_segment(design, rng, count - sure))
    return _script(design, segments)


def short(design: Design, rng: random.Random, vectors: Sequence[Vector]) -> Script:
    """For slow simulators: the vectors from a core that nothing was done with, then little traffic.

    The traffic is random, first up to a reset with a block under way.
    """
    cut = dataclasses.replace(
        _random_segment(design, rng, 4, refused=False),
        end=End.AFTER_BLOCKS,
        end_count=2,
        end_delay=rng.randint(1, design.latency() - 1),
    )
    known = from_vectors(design, vectors).segments
    played = _script(design, [*known, cut, _random_segment(design, rng, 12, refused=False)])
    # What the output shows between results is the matter of the long scripts.
    return dataclasses.replace(played, watch=False)


def _random_segment(
    design: Design, rng: random.Random, count: int, *, refused: bool = True
) -> Segment:
    """So many blocks, and keys for the time that they take; some are to be refused."""
    interval = math.ceil(design.interval())
    gaps: tuple[Callable[[], int], ...] = (
        lambda: 0,
        lambda: rng.choice((0, 0, 0, rng.randint(1, 3))),
        lambda: rng.randint(0, 2 * interval),
        lambda: rng.choice((0, rng.randint(interval - 1, interval + 1), rng.randint(1, 200))),
    )
    blocks: list[BlockItem] = []
    key = _random_key(design, rng)
    decrypt = not design.can_encrypt
    both = design.can_encrypt and design.can_decrypt
    waiting = 0  # clocks for changes of direction
    while len(blocks) < count:
        gap = rng.choice(gaps)
        for _ in range(min(rng.randint(1, 60), count - len(blocks))):
            if not design.stored_keys and rng.random() < 0.7:
                key = _random_key(design, rng)
            if both and not design.direction_change:
                decrypt = rng.random() < 0.5
            elif both and rng.random() < 0.05:
                # Where a change takes long, most blocks go on in the direction of the last one.
                decrypt = not decrypt
                waiting += design.direction_change
            block_key = b"" if design.stored_keys else key
            item = BlockItem(_random_bytes(rng, 16), decrypt, block_key, gap())
            blocks.append(
                dataclasses.replace(item, gaps=_random_gaps(design, rng, design.pieces - 1))
            )
    keys: list[KeyItem] = []
    if design.stored_keys:
        setup = design.key_setup()
        key_gaps: tuple[Callable[[], int], ...] = (
            lambda: 0,
            lambda: rng.randint(0, 2 * interval),
            lambda: rng.randint(0, 4 * setup),
            lambda: rng.randint(0, 2000),
        )
        clocks = waiting + sum(interval + block.idle for block in blocks)
        while clocks > 0:
            gap = rng.choice(key_gaps)
            for _ in range(rng.randint(1, 8)):
                repeat = keys and rng.random() < 0.1
                chosen = keys[-1].key if repeat else _random_key(design, rng)
                idle = gap() if keys else rng.randint(0, 5)
                outside = design.round_keys_from_outside
                pauses = _random_gaps(design, rng, 8 if outside else len(chosen) // 4 - 1)
                keys.append(KeyItem(chosen, idle, gaps=pauses))
                if refused and design.refuses_key_lengths and rng.random() < 0.3:
                    wrong = _random_bytes(rng, 32)
                    keys.append(KeyItem(wrong, rng.randint(0, setup), length=_NO_LENGTH))
                clocks -= keys[-1].idle + setup
    return Segment(keys, blocks, reset_clocks=rng.randint(1, 5))


def _random_key(design: Design, rng: random.Random) -> bytes:
    return _random_bytes(rng, rng.choice(design.key_lengths) // 8)


def _random_gaps(design: Design, rng: random.Random, count: int) -> tuple[int, ...]:
    """Gaps between the pieces of some items; none where they do not come in pieces."""
    in_pieces = design.pieces > 1 or design.round_keys_from_outside
    if not in_pieces or rng.random() < 0.7:
        return ()
    longest = (1 << gap_bits(count)) - 1
    return tuple(rng.choice((0, 0, rng.randint(1, longest))) for _ in range(count))


def _random_bytes(rng: random.Random, size: int) -> bytes:
    """Random bytes, now and then all zeros or all ones."""
    special = rng.random()
    if special < 0.01:
        return bytes(size)
    if special > 0.99:
        return b"\xff" * size
    return rng.randbytes(size)
