# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What timing diagrams of engines show: a few packets, sectors or messages through the pins.

A scene is the script of a run, with a name for each value. Its clocks are those of a run that is
kept (``waves``).
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

from aesfab.engine import packets
from aesfab.engine.ccm.packets import Packet as CcmPacket
from aesfab.engine.ccm.spec import Engine as CcmEngine
from aesfab.engine.family import AnyEngine
from aesfab.engine.packets import (
    BLOCK,
    Beat,
    Error,
    Kind,
    Mode,
    Packet,
    beat_step,
    descriptor_step,
    key_step,
)
from aesfab.engine.spec import Engine as PacketEngine
from aesfab.engine.streams.messages import Message, Raw
from aesfab.engine.streams.messages import Mode as ChainedMode
from aesfab.engine.streams.spec import Engine as StreamEngine
from aesfab.engine.xts.sectors import Sector, key_steps
from aesfab.engine.xts.spec import Engine as SectorEngine

_PARTIAL = 5
"""Bytes of a partial beat."""


@dataclasses.dataclass(frozen=True)
class Taken:
    """What is offered on a channel until it is taken.

    Attributes:
        kind: the channel.
        record: for the bench.
        after: see ``packets.beat_step`` and those beside it.
        shown: field of the channel (``tdata``) to the name or the level of its value.
    """

    kind: Kind
    record: bytes
    after: int
    shown: dict[str, int | str]


@dataclasses.dataclass(frozen=True)
class Left:
    """A beat of a result.

    Attributes:
        name: of its data.
        keep: its tkeep.
        last: its tlast.
        error: with the last one, what it tells.
        stream: its tid.
    """

    name: str
    keep: int = 0xFFFF
    last: bool = False
    error: Error = Error.NONE
    stream: int = 0

    @property
    def user(self) -> int:
        """Its tuser."""
        if not self.last:
            return 0
        return 1 | int(self.error is Error.NONE) << 1 | self.error << 2

    @property
    def shown(self) -> dict[str, int | str]:
        """Field of the channel to the name or the level of its value."""
        told = ("ok" if self.error is Error.NONE else f"error {self.error:d}") if self.last else "0"
        return {
            "tid": str(self.stream),
            "tdata": self.name,
            "tkeep": f"{self.keep:04x}",
            "tlast": int(self.last),
            "tuser": told,
        }


@dataclasses.dataclass(frozen=True)
class Scene:
    """A scene.

    Attributes:
        title: what it shows.
        taken: what goes in, in the order of each channel.
        left: what comes out.
        legend: what the names mean, lines.
        keys: whether the channel of keys is drawn.
    """

    title: str
    taken: tuple[Taken, ...]
    left: tuple[Left, ...]
    legend: tuple[str, ...]
    keys: bool = False

    @property
    def steps(self) -> bytes:
        """Its records for the bench."""
        return b"".join(each.record for each in self.taken)

    @property
    def shape(self) -> tuple[object, ...]:
        """What it has in common with the same scene of another engine: all but data and clocks."""
        inputs = tuple((each.kind, each.after, tuple(each.shown.items())) for each in self.taken)
        return self.title, inputs, self.left


def _line(engine: AnyEngine) -> tuple[str, int]:
    """The letters of packets in line, and their blocks: fewer where a picture would be too wide."""
    return ("ABC", 3) if engine.interval() == 1 else ("AB", 2)


def _key(record: bytes, name: str, user: str) -> Taken:
    return Taken(Kind.KEY, record, 0, {"tdata": name, "tuser": user})


def _described(record: bytes, after: int, name: str, stream: int = 0) -> Taken:
    return Taken(Kind.DESCRIPTOR, record, after, {"tid": str(stream), "tdata": name})


def _beats(letter: str, names: Sequence[str], beats: Sequence[Any], stream: int = 0) -> list[Taken]:
    """Beats of what has this letter; those of the first one come when it is described."""
    found = []
    for number, (name, beat) in enumerate(zip(names, beats, strict=True)):
        after, user = int(letter == "A" and number == 0), getattr(beat, "kind", 0)
        record = beat_step(beat.data, beat.keep, beat.last, user=user, stream=stream, after=after)
        shown: dict[str, int | str] = {
            "tid": str(stream),
            "tdata": name,
            "tkeep": f"{beat.keep:04x}",
            "tlast": int(beat.last),
            "tuser": str(user),
        }
        found.append(Taken(Kind.BEAT, record, after, shown))
    return found


def _numbered(letter: str, beats: Sequence[Any], stream: int = 0) -> list[Taken]:
    return _beats(letter, [f"{letter}{number}" for number in range(len(beats))], beats, stream)


_OF_TUSER = "tuser of m_data: ok, or error N, with the last beat (N: see the table of fields)."


# ------------------------------------------------------------------------------ packets


def _packet(letter: str, packet: Packet | CcmPacket, after: int) -> list[Taken]:
    """A packet whose beats have the names of their kind and number."""
    packet = dataclasses.replace(packet, after=after)
    described = (
        packet.descriptor(empty=False) if isinstance(packet, Packet) else packet.descriptor()
    )
    names, text = list[str](), itertools.count()
    for beat in packet.beats():
        of_kind = {Beat.AAD: f"AAD {letter}", Beat.TAG: f"tag {letter}"}
        names.append(of_kind.get(Beat(beat.kind)) or f"{letter}{next(text)}")
    return [_described(described, after, letter), *_beats(letter, names, packet.beats())]


def _results(letter: str, text: int, *, tag: str = "", error: Error = Error.NONE) -> list[Left]:
    """The result of a packet with so many bytes of text."""
    found = [
        Left(f"R({letter}{number})", (1 << min(BLOCK, text - at)) - 1)
        for number, at in enumerate(range(0, text, BLOCK))
    ]
    return [*found, Left(tag or "0", last=True, error=error)]


def _of_packets(engine: PacketEngine | CcmEngine) -> dict[str, Scene]:
    """A packet, two in line, and one that is refused: by its tag, or without one by its slot."""
    size = engine.key_port_bytes
    tagged = isinstance(engine, CcmEngine) or engine.gcm
    mode = "CCM" if isinstance(engine, CcmEngine) else "GCM" if engine.gcm else "CTR"

    def made(slot: int, text: int, aad: int = 0, **more: Any) -> Packet | CcmPacket:
        if isinstance(engine, CcmEngine):
            return CcmPacket(slot, bytes(13), bytes(text), bytes(aad), **more)
        if not engine.gcm:
            return Packet(Mode.CTR, slot, bytes(BLOCK), bytes(text))
        return Packet(Mode.GCM, slot, bytes(12), bytes(text), bytes(aad), **more)

    def key(slot: int) -> Taken:
        return _key(key_step(slot, bytes(size)), f"K{slot}", f"slot {slot}")

    part = BLOCK + _PARTIAL
    tag = "tag A" if tagged else ""
    aad = BLOCK * tagged
    of_aad = " AAD A: its AAD;" if tagged else ""
    of_tag = " tag A: its tag." if tagged else " The last beat is zero."
    names = f"A: a descriptor, {mode};{of_aad} A0, A1: its text; R(A0): its result.{of_tag}"
    one = Scene(
        f"A packet of {mode} is encrypted",
        (key(0), *_packet("A", made(0, part, aad), 1)),
        tuple(_results("A", part, tag=tag)),
        (names, _OF_TUSER),
        keys=True,
    )
    # A core that stores its key would load another one between them.
    second = 0 if engine.core.design.stored_keys else 1
    letters, blocks = _line(engine)
    whole = blocks * BLOCK
    line = Scene(
        "Packets back to back",
        (
            *(key(slot) for slot in range(second + 1)),
            *(
                each
                for number, letter in enumerate(letters)
                for each in _packet(letter, made(second * (number % 2), whole), second + 1)
            ),
        ),
        tuple(
            each
            for letter in letters
            for each in _results(letter, whole, tag=f"tag {letter}" if tagged else "")
        ),
        (
            f"{', '.join(letters)}: descriptors of packets"
            + (", B under another key" if second else "")
            + "; A0, A1, ...: text; R(A0): its result.",
            _OF_TUSER,
        ),
    )
    if not tagged:
        refused = Scene(
            "A packet without a key",
            (key(0), *_packet("A", made(1, 2 * BLOCK), 1)),
            (Left("0", last=True, error=Error.SLOT),),
            (
                "A: a descriptor of a slot without a key; A0, A1: its text, which is dropped.",
                _OF_TUSER,
            ),
        )
        return {"packet": one, "back-to-back": line, "refused": refused}
    held = engine.most_held is not None
    wrong = _results("A", 2 * BLOCK, error=Error.TAG)
    fate = "No text leaves." if held else "Its text has left: drop it."
    refused = Scene(
        "A packet with a wrong tag is decrypted",
        (key(0), *_packet("A", made(0, 2 * BLOCK, decrypt=True, tag=bytes(range(16))), 1)),
        tuple(wrong[-1:] if held else wrong),
        (f"A: a descriptor, decryption; A0, A1: ciphertext; tag A: a wrong tag. {fate}", _OF_TUSER),
    )
    return {"packet": one, "back-to-back": line, "wrong-tag": refused}


# ------------------------------------------------------------------------------ sectors


def _sector(letter: str, sector: Sector, after: int) -> list[Taken]:
    record = descriptor_step(sector.descriptor(), after=after)
    return [_described(record, after, letter), *_numbered(letter, sector.beats())]


def _records(steps: bytes) -> list[bytes]:
    size = packets.STEP_BYTES
    return [steps[at : at + size] for at in range(0, len(steps), size)]


def _through(letter: str, sizes: Sequence[int], *, stream: int = 0) -> list[Left]:
    """A result of beats with so many bytes, the last one with tlast."""
    return [
        Left(f"R({letter}{n})", (1 << size) - 1, last=n == len(sizes) - 1, stream=stream)
        for n, size in enumerate(sizes)
    ]


_BROKEN = (Raw(bytes(BLOCK), 0xFFFF, False), Raw(bytes(BLOCK), (1 << _PARTIAL) - 1, True))


def _refused(*taken: Taken) -> Scene:
    """A message of CBC with these beats, beside what else is taken for it."""
    return Scene(
        "A message with a partial block",
        taken,
        (Left("R(A0)"), Left("0", 0, last=True, error=Error.BEAT)),
        ("A: a descriptor; A0: its first block; A1: a partial one, which CBC has not.", _OF_TUSER),
    )


def _of_sectors(engine: SectorEngine) -> dict[str, Scene]:
    """A sector or message, two in line, and one with stolen bytes, or one that is refused."""
    count, decrypt = engine.keys_of_slot, engine.directions[0]
    way = "decrypted" if decrypt else "encrypted"
    unit = "message" if engine.cbc else "sector"

    def keys(slot: int) -> list[Taken]:
        # The standard wants that they differ.
        both = bytes(engine.key_port_bytes) + bytes([1]) * engine.key_port_bytes
        records = _records(key_steps(slot, both[: count * engine.key_port_bytes], count))
        names = [f"K{slot}", f"T{slot}"] if count == 2 else [f"K{slot}"]
        users = [f"slot {slot}", f"tweaks {slot}"]
        return [_key(*each) for each in zip(records, names, users, strict=False)]

    def made(slot: int, size: int, opens: bool = decrypt) -> Sector:
        return Sector(slot, text=bytes(size), decrypt=opens, mode=engine.mode)

    letters, blocks = _line(engine)
    whole, two = [BLOCK] * blocks, [BLOCK] * 2
    second = 0 if engine.core.design.stored_keys else 1
    after = count * (second + 1)
    of_keys = " K0, T0: the keys of a slot;" if count == 2 else ""
    one = Scene(
        f"A {unit} is {way}",
        (*keys(0), *_sector("A", made(0, sum(two)), count)),
        tuple(_through("A", two)),
        (f"{of_keys} A: a descriptor; A0, A1: its text; R(A0): its result.".strip(), _OF_TUSER),
        keys=True,
    )
    line = Scene(
        f"{unit.capitalize()}s back to back",
        (
            *(each for slot in range(second + 1) for each in keys(slot)),
            *(
                each
                for number, letter in enumerate(letters)
                for each in _sector(letter, made(second * (number % 2), sum(whole)), after)
            ),
        ),
        tuple(each for letter in letters for each in _through(letter, whole)),
        (
            f"{', '.join(letters)}: descriptors of {unit}s"
            + (", B under other keys" if second else "")
            + "; A0, A1, ...: text; R(A0): its result.",
            _OF_TUSER,
        ),
    )
    if engine.cbc:
        broken = dataclasses.replace(made(0, BLOCK), raw=_BROKEN)
        refused = _refused(*keys(0), *_sector("A", broken, count))
        return {"message": one, "back-to-back": line, "refused": refused}
    opens = engine.directions[-1]
    stolen = [BLOCK, BLOCK, _PARTIAL]
    stealing = Scene(
        f"A sector with a partial block is {'decrypted' if opens else 'encrypted'}",
        (*keys(0), *_sector("A", made(0, sum(stolen), opens), count)),
        tuple(_through("A", stolen)),
        (
            f"A: a descriptor; A2: {_PARTIAL} bytes, for which A1 gives some of its own "
            "(ciphertext stealing).",
            _OF_TUSER,
        ),
    )
    return {"sector": one, "back-to-back": line, "stealing": stealing}


# ------------------------------------------------------------------------------ streams


def _of_streams(engine: StreamEngine) -> dict[str, Scene]:
    """A message, three streams at once, and a message that is refused."""
    key = _key(key_step(0, bytes(engine.key_port_bytes)), "K0", "slot 0")

    def message(blocks: int) -> Message:
        return Message(ChainedMode.CBC, 0, text=bytes(BLOCK * blocks))

    def described(letter: str, stream: int) -> Taken:
        return _described(message(1).describe(stream, 1), 1, letter, stream)

    def beats(letter: str, stream: int, of: Message) -> list[Taken]:
        return _numbered(letter, of.beats(), stream)

    letters = "ABC"
    in_turn = [beats(letter, stream, message(2)) for stream, letter in enumerate(letters)]
    return {
        "message": Scene(
            "A message of one stream",
            (key, described("A", 0), *beats("A", 0, message(3))),
            tuple(_through("A", [BLOCK] * 3)),
            ("A: a descriptor, CBC; A0, A1, A2: its text; R(A0): its result.", _OF_TUSER),
            keys=True,
        ),
        "back-to-back": Scene(
            "Three streams at once",
            (
                key,
                *(described(letter, stream) for stream, letter in enumerate(letters)),
                *(each for turn in zip(*in_turn, strict=True) for each in turn),
            ),
            tuple(
                each
                for turn in zip(
                    *(_through(x, [BLOCK] * 2, stream=n) for n, x in enumerate(letters)),
                    strict=True,
                )
                for each in turn
            ),
            (
                "A, B, C: descriptors of streams 0, 1, 2; A0, A1: text; R(A0): its result.",
                _OF_TUSER,
            ),
        ),
        "refused": _refused(key, described("A", 0), *_numbered("A", _BROKEN)),
    }


def of(engine: AnyEngine) -> dict[str, Scene]:
    """The scenes of an engine, by the names of their diagrams; TypeError for no kind of engine."""
    match engine:
        case PacketEngine() | CcmEngine():
            return _of_packets(engine)
        case SectorEngine():
            return _of_sectors(engine)
        case StreamEngine():
            return _of_streams(engine)
    raise TypeError(f"no kind of engine: {engine!r}")
