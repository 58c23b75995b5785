# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The judge of a record: every block against the oracle, every clock against the contract.

The contract (a core's ports, latency, interval, key set-up) comes from the design's parameters;
nothing here knows the RTL.
"""

from __future__ import annotations

import collections
import dataclasses
from pathlib import Path
from typing import Any

from aesfab.design.architectures.contract import Between
from aesfab.design.axes import ROUNDS_OF_KEY, Interface, KeySchedule
from aesfab.design.design import Design
from aesfab.verify import expansion, oracle
from aesfab.verify.bench.script import BlockItem, End, KeyItem, Kind, Script, decode_events


@dataclasses.dataclass(frozen=True)
class Failure:
    """Something that a core did wrong.

    Attributes:
        check: the part of the verification that found it.
        text: what is wrong, in one line.
        clock: number of the rising edge, as in the waveform (edge n at n x 10 ns).
        key: of the block concerned, if there is one; so the next three.
        given: the block that went in.
        expected: what should have come out.
        got: what came out; empty when nothing did.
        decrypt: direction of the block.
        waveform: file that shows it.
        unshown: why there is no such file where one was wanted; not in a record.
    """

    check: str
    text: str
    clock: int
    key: bytes = b""
    given: bytes = b""
    expected: bytes = b""
    got: bytes = b""
    decrypt: bool = False
    waveform: Path | None = None
    unshown: str = ""

    def to_json(self) -> dict[str, Any]:
        """As a record."""
        return {
            "check": self.check,
            "text": self.text,
            "clock": self.clock,
            "direction": "decrypt" if self.decrypt else "encrypt",
            "key": self.key.hex(),
            "input": self.given.hex(),
            "expected": self.expected.hex(),
            "got": self.got.hex(),
            "waveform": str(self.waveform) if self.waveform else None,
        }

    def __str__(self) -> str:
        lines = [f"{self.check}, clock {self.clock}: {self.text}"]
        if self.given:
            lines += [
                f"  direction {'decrypt' if self.decrypt else 'encrypt'}",
                f"  key       {self.key.hex() or 'none'}",
                f"  input     {self.given.hex()}",
                f"  expected  {self.expected.hex() or 'nothing'}",
                f"  got       {self.got.hex() or 'nothing'}",
            ]
        if self.waveform:
            lines.append(f"  waveform  {self.waveform}")
        elif self.unshown:
            lines.append(f"  waveform  none: {self.unshown}")
        return "\n".join(lines)


@dataclasses.dataclass
class Measured:
    """Figures in clocks as they were observed, key size in bits to the values seen.

    Attributes:
        latency: acceptance of a block to its result; with 32-bit ports from its first word to the
            last one of the result, both counted, where neither sender nor core let it wait.
        interval: acceptance (of the first word) to acceptance, where the next block was already
            waiting when the interval was over.
        key_setup: acceptance of a key, or its offer where it is accepted when it is expanded, to
            the clock from which on it is used, where no block of an older key was in the way;
            without the clocks in which words of round keys were late.
    """

    latency: dict[int, set[int]] = dataclasses.field(default_factory=dict)
    interval: dict[int, set[int]] = dataclasses.field(default_factory=dict)
    key_setup: dict[int, set[int]] = dataclasses.field(default_factory=dict)

    def add(self, other: Measured) -> None:
        """Take over the values of another record."""
        for field in dataclasses.fields(self):
            mine, theirs = getattr(self, field.name), getattr(other, field.name)
            for bits, values in theirs.items():
                mine.setdefault(bits, set()).update(values)


@dataclasses.dataclass
class Judgement:
    """What a record says.

    Attributes:
        failures: the first breach of the contract and the first wrong result, by clock.
        right: segment and index of every block whose result was right.
        wrong: number of wrong results.
        keys: keys that became current.
        blocked_keys: those of them that met a block under way in the bank to be filled.
        resets: resets after the first one.
        decrypted: right results of decryption.
        by_bits: right results by key size.
        shown: how often the output showed something else without a result.
        clocks: clock of the last event.
        measured: figures observed.
    """

    failures: list[Failure] = dataclasses.field(default_factory=list)
    right: set[tuple[int, int]] = dataclasses.field(default_factory=set)
    wrong: int = 0
    keys: int = 0
    blocked_keys: int = 0
    resets: int = 0
    decrypted: int = 0
    by_bits: collections.Counter[int] = dataclasses.field(default_factory=collections.Counter)
    shown: int = 0
    clocks: int = 0
    measured: Measured = dataclasses.field(default_factory=Measured)


@dataclasses.dataclass(slots=True)
class _Block:
    """A block that was accepted, by the core where it has 32-bit ports.

    ``due`` is the clock of the result, or of its first word; ``finished`` that in which it leaves
    the core. ``began`` is the clock of the first word of a block that lost no clock before the
    core took it; None for others and without 32-bit ports.
    """

    segment: int
    index: int
    item: BlockItem
    key: bytes
    key_index: int
    accepted: int
    due: int
    finished: int
    began: int | None = None
    left: int = 0
    got: bytes = b""


@dataclasses.dataclass(slots=True)
class _PendingKey:
    """A key that was accepted, or offered to a core that takes it late, and is not current yet."""

    index: int
    accepted: int  # or offered
    blocked: bool  # a block under way may hold up its expansion
    late: int  # clocks in which words of its round keys are not there
    fallen: bool = False


@dataclasses.dataclass(slots=True)
class _Part:
    """A part of the result of a block that was seen before it was due."""

    block: _Block
    offset: int  # in bytes
    data: bytes
    clock: int


# Events that stand in a clock before it is known whether a key is current.
_BEFORE_OUTPUTS = (Kind.RESET, Kind.RELEASE, Kind.REQUEST, Kind.KEY_REQUEST, Kind.KEY_READY)


@dataclasses.dataclass(slots=True)
class _Port:
    """Where a core with narrow ports takes a block: the register of words, or the core itself.

    Attributes:
        free: the clock from which on the first word or byte of a block is taken; None while a block
            or a result is in the register of words.
        requested: the clock from which on a block is offered.
        began: clock of the first word or byte of the last block.
        last: clock of its last one so far.
        loaded: the block, by its index, that waits for the core.
        result: key size and first clock of the last block whose result has left, or of bytes the
            last one taken, where that lost no clock.
    """

    free: int | None = None
    requested: int | None = None
    began: int = 0
    last: int = 0
    loaded: int | None = None
    result: tuple[int, int] | None = None


class _BreachError(Exception):
    """The contract is broken; carries the words and the block concerned."""

    def __init__(self, text: str, block: _Block | None = None) -> None:
        super().__init__(text)
        self.block = block


class _Walk:
    """Goes through a record event by event; raises _BreachError at the first breach."""

    def __init__(self, design: Design, script: Script, judgement: Judgement) -> None:
        self.design = design
        self.script = script
        self.judgement = judgement
        self.words = design.interface is Interface.WORDS
        self.piece = design.piece_bytes
        self.in_pieces = design.pieces > 1
        self.output = f"out_{design.piece}_o"
        # The rules inside are those of the core with 128-bit ports.
        core = design.core
        self.single = design.key_schedule is KeySchedule.STORED_SINGLE
        self.offered = design.key_offered
        self.begun = "offered" if self.offered else "taken"
        self.latency = {b: core.latency(b) for b in core.key_lengths}
        self.interval = {b: core.interval(b) for b in core.key_lengths}
        self.acceptance = {b: core.acceptance(b) for b in core.key_lengths}
        self.key_setup = {b: core.key_setup(b) for b in core.key_lengths}
        # An acceptance as many clocks ago matters no more.
        self.horizon = 1 + max(
            max(self.latency[b] if rule.limit else 0, *rule.conflicts, 0)
            for b, rule in self.acceptance.items()
        )
        # What the output shows between results, and parts of results that it showed before they
        # were due.
        self.between = design.between_results
        self.part = design.datapath.value // 8
        self.shown = b""
        self.parts: list[_Part] = []
        self.passing: dict[bytes, int] = {}
        self.cut: tuple[int, tuple[_Block, ...], int] = (-1, (), 0)
        self.done: list[_Block] = []
        self.clock = 0
        self._start(0)

    def _start(self, index: int) -> None:
        """Forget everything, as a reset must."""
        self.index = index
        self.segment = self.script.segments[index]
        self.in_reset = True
        self.under_way: collections.deque[_Block] = collections.deque()
        self.accepted = 0
        self.port = _Port()
        self.requested: int | None = None  # clock from which on the next block is offered
        self.key_requested: int | None = None
        self.key_ready: bool | None = None
        self.pending: _PendingKey | None = None
        self.expanded: tuple[int, int] | None = None  # key that is to be taken, and when
        self.current = -1
        self.free_from = 0  # the clock from which on there is a key
        self.opened = 0  # the clock from which on anything is taken
        self.phase: int | None = None  # clock of the first acceptance
        self.direction: bool | None = None  # that the core is set up for: decryption or not
        self.assembled = 0  # bytes of the next result that the output shows already
        # Clock and key size of the latest acceptances, as many as can matter, in order.
        self.recent: collections.deque[tuple[int, int]] = collections.deque(maxlen=self.horizon)

    def step(self, kind: int, index: int, clock: int, data: bytes) -> None:
        """One event."""
        self.clock = clock
        self._hand_over(kind, clock)
        if kind != Kind.RESET:
            self._overdue(clock)
        match kind:
            case Kind.RESET:
                if self.under_way and self.under_way[0].due < clock:
                    self._overdue(clock)
                # A result that the reset makes invalid may still come, when it was due.
                self.cut = clock, tuple(self.under_way), self.assembled
                self._start(index)
                self.judgement.resets += index > 0
            case Kind.RELEASE:
                self.in_reset = False
                self.opened = clock + self.design.sweep_clocks
                self.port.free = self.opened
            case Kind.OUT:
                self.shown, self.assembled = data, 0
                self._out(clock, data)
            case Kind.SHOWN:
                self._shown(bool(index), clock, data)
            case Kind.REQUEST if self.in_pieces:
                self.port.requested = clock
            case Kind.REQUEST:
                self.requested = clock
            case Kind.ACCEPT if self.in_pieces:
                self._piece(index, data[0], clock)
            case Kind.ACCEPT:
                self._accept(index, clock)
            case Kind.KEY_REQUEST:
                self.key_requested = clock
                if self.offered:
                    self._expansion(index, clock)
            case Kind.KEY_ACCEPT:
                self._key_accept(index, clock)
            case Kind.KEY_READY:
                self._key_ready(bool(index), clock)
            case Kind.KEY_REFUSED:
                self._key_refused(index)
            case Kind.FAULT:
                raise _BreachError("fault_o without a fault")
            case Kind.SEGMENT_END:
                missing = len(self.segment.blocks) - self.accepted
                if self.segment.end is End.WHEN_DONE and missing:
                    raise _BreachError(f"{missing} blocks were never accepted")
            case Kind.HANG:
                self._hang(clock)
            case _:
                raise _BreachError(f"the record holds an unknown event {kind}")

    def _overdue(self, clock: int) -> None:
        """Whatever should have happened before this clock did happen."""
        if self.under_way:
            block = self.under_way[0]
            due = block.due + len(block.got) // self.piece
            if clock > due:
                raise _BreachError(f"no out_valid_o at clock {due}", block)
        falls = 0 if self.offered else 1
        if self.pending and not self.pending.fallen and clock > self.pending.accepted + falls:
            raise _BreachError(
                f"key_ready_o stays high after a key was {self.begun} at clock "
                f"{self.pending.accepted}"
            )

    def _out(self, clock: int, data: bytes) -> None:
        if self.in_reset:
            raise _BreachError("out_valid_o in reset")
        if not self.under_way:
            raise _BreachError(f"out_valid_o without a block ({data.hex()})")
        block = self.under_way[0]
        bits = 8 * len(block.key)
        due = block.due + len(block.got) // self.piece
        block.left = clock
        block.got += data[: self.piece]
        if len(block.got) == 16:
            self.under_way.popleft()
            self.done.append(block)
        if self.in_pieces:
            if clock != due:
                number = len(block.got) // self.piece
                raise _BreachError(
                    f"{self.design.piece} {number} of a result comes at clock {clock} "
                    f"instead of {due}",
                    block,
                )
            if len(block.got) < 16:
                return
            if self.words:
                self.port.free = clock + 1
                self.port.result = None if block.began is None else (bits, block.began)
            if block.began is not None:
                seen = self.judgement.measured.latency.setdefault(bits, set())
                seen.add(clock + 1 - block.began)
            return
        latency = clock - block.accepted
        self.judgement.measured.latency.setdefault(bits, set()).add(latency)
        if clock != due:
            raise _BreachError(
                f"the result comes {latency} clocks after the block was accepted instead of "
                f"{self.latency[bits]}",
                block,
            )

    def _shown(self, first: bool, clock: int, data: bytes) -> None:
        """The output shows something else while ``out_valid_o`` is low."""
        self.judgement.shown += 1
        before, self.shown = self.shown, data
        if self.between is Between.ZERO:
            seen = data[: self.piece]
            if any(seen):
                text = f"{self.output} is not zero without a result ({seen.hex()})"
                raise _BreachError(text)
        elif self.between is Between.MOVING:
            self._moved(before, clock, data)
        elif self.between is Between.PASSING:
            self.passing.setdefault(data, clock)
        elif first or (self.in_reset and self.index == 0):
            # What registers hold that nothing was written to yet.
            return
        else:
            reset, lost, assembled = self.cut
            whole = self.between is Between.HELD
            late = next((b for b in lost if b.due == clock), None) if self.in_reset else None
            block, shown = self.under_way[0] if self.under_way else None, self.assembled
            if late is not None and whole:
                block, shown = late, 0
            elif clock == reset and lost and not whole:
                block, shown = lost[0], assembled
            elif block is not None and clock == block.due:
                raise _BreachError(f"no out_valid_o at clock {clock}", block)
            size = 16 if whole else self.part
            # The last part comes with out_valid_o, but for one that a reset has made invalid.
            early = self.in_reset or shown + size < 16
            if block is None or not early or data[:-size] != before[size:]:
                raise _BreachError(f"out_block_o changes without a result ({data.hex()})")
            self.parts.append(_Part(block, shown, data[-size:], clock))
            self.assembled = 0 if self.in_reset else shown + size

    def _moved(self, before: bytes, clock: int, data: bytes) -> None:
        """The register of block and result has moved up by a byte, or has taken a block."""
        if self.in_reset:
            if any(data):
                raise _BreachError(f"out_block_o is not zero in reset ({data.hex()})")
            return
        block = self.under_way[-1] if self.under_way else None
        if block is not None and clock == block.accepted + 1:
            if data != block.item.block:
                raise _BreachError("out_block_o is not the block that was accepted", block)
            return
        moved_in = 0 if block is None else clock - (block.due - 15)
        if data[:-1] != before[1:] or (moved_in < 0 and data[-1]):
            raise _BreachError(f"out_block_o changes without a result ({data.hex()})")
        if block is not None and moved_in >= 0:
            self.parts.append(_Part(block, moved_in, data[-1:], clock))

    def _piece(self, index: int, number: int, clock: int) -> None:
        """A word or byte of a block is taken: the first when there is room, then each in turn."""
        port, item = self.port, self.segment.blocks[index]
        assert port.requested is not None
        if number == 0:
            if port.free is None:
                raise _BreachError("a block is accepted before the last result has left")
            expected = max(port.requested, port.free)
            if port.result is not None and port.requested < port.free:
                bits, began = port.result
                self.judgement.measured.interval.setdefault(bits, set()).add(clock - began)
            port.began = clock
        else:
            expected = port.last + 1 + (item.gaps[number - 1] if item.gaps else 0)
        if clock != expected:
            raise _BreachError(
                f"{self.design.piece} {number + 1} of a block is accepted at clock {clock} "
                f"instead of {expected}"
            )
        port.last = clock
        if number + 1 < self.design.pieces:
            return
        if self.words:
            # From the next clock on the core is offered the block.
            port.free, port.loaded, port.requested = None, index, None
            self.requested = clock + 1
            return
        # The core itself has taken the block; a clock without a byte was one more for all of it.
        bits = 8 * len(item.key)
        first = clock + self.latency[bits] + 1 - 2 * self.design.pieces
        block = _Block(self.index, index, item, item.key, self.current, clock, first, first)
        port.free = clock + int(self.interval[bits]) - (self.design.pieces - 1)
        port.result = port.requested = None
        if not any(item.gaps):
            block.began = port.began
            port.result = (bits, port.began)
        self.under_way.append(block)
        self.accepted = index + 1

    def _hand_over(self, kind: int, clock: int) -> None:
        """The core takes a block out of the register before this event, if it was to do so."""
        port = self.port
        if port.loaded is None or self.current < 0:
            return
        if self.single and self.pending:
            return
        bits = 8 * len(self.segment.keys[self.current].key)
        item = self.segment.blocks[port.loaded]
        start = self._start_of(item, bits, 0)
        # A key that becomes current in a clock counts in it.
        if clock > start or (clock == start and kind not in _BEFORE_OUTPUTS):
            index, port.loaded = port.loaded, None
            self._accept(index, start)

    def _start_of(self, item: BlockItem, bits: int, seen: int) -> int:
        """The clock in which the core has to take a block; ``seen`` as for _earliest()."""
        assert self.requested is not None
        change = self.acceptance[bits].direction_change if self.direction != item.decrypt else 0
        offered = max(self.requested, self.opened)
        if change:
            offered = self._earliest(offered, seen) + change
        return self._earliest(max(offered, self.free_from), seen)

    def _accept(self, index: int, clock: int) -> None:
        item = self.segment.blocks[index]
        if self.design.stored_keys and self.current < 0:
            raise _BreachError("a block is accepted though no key was loaded since reset")
        key = self.segment.keys[self.current].key if self.design.stored_keys else item.key
        bits = 8 * len(key)
        finished = clock + self.latency[bits]
        due = finished + 1 if self.words else finished
        block = _Block(self.index, index, item, key, self.current, clock, due, finished)
        if self.words and not any(item.gaps) and clock == self.port.began + 4:
            block.began = self.port.began
        if self.single and self.pending and clock > self.pending.accepted:
            raise _BreachError("a block is accepted while the only key bank is filled", block)
        if self.offered and self.pending:
            self.pending.blocked = True
        assert self.requested is not None
        earliest = self._start_of(item, bits, clock)
        if clock != earliest:
            raise _BreachError(f"a block is accepted at clock {clock} instead of {earliest}", block)
        change = self.acceptance[bits].direction_change and self.direction != item.decrypt
        if (self.under_way or self.done) and not self.words:
            last = self.under_way[-1] if self.under_way else self.done[-1]
            offered = max(self.requested, self.free_from)
            of_last = 8 * len(last.key)
            in_time = offered <= last.accepted + self.interval[of_last]
            if last.segment == self.index and offered < clock and in_time and not change:
                seen = self.judgement.measured.interval.setdefault(of_last, set())
                seen.add(clock - last.accepted)
        if self.phase is None:
            self.phase = clock
        self.direction = item.decrypt
        self.recent.append((clock, bits))
        self.under_way.append(block)
        self.accepted = index + 1
        self.requested = None

    def _earliest(self, start: int, seen: int) -> int:
        """The first clock from ``start`` on in which the contract lets the core take a block.

        ``seen`` is when it did: the first block after a reset shows where the periods begin.
        """
        period = next(iter(self.acceptance.values())).period
        phase = self.phase
        if phase is None:
            phase = seen if start <= seen < start + period else start
        while (start - phase) % period or not self._free(start):
            start += 1
        return start

    def _free(self, clock: int) -> bool:
        """Whether the blocks accepted so far leave room for one in this clock."""
        under_way = 0
        for accepted, bits in reversed(self.recent):
            if clock - accepted >= self.horizon:
                break
            rule, age = self.acceptance[bits], clock - accepted
            under_way += age < self.latency[bits]
            if age in rule.conflicts or (rule.limit and under_way >= rule.limit):
                return False
        return True

    def _key_accept(self, index: int, clock: int) -> None:
        if self.pending:
            raise _BreachError("a key is taken while the last one is still expanded")
        if self.segment.keys[index].length is not None:
            raise _BreachError("a key of a length that there is not is taken")
        if self.key_ready is not True:
            raise _BreachError("a key is taken though key_ready_o is low")
        self.key_requested = None
        if not self.offered:
            self._expansion(index, clock)
        elif self.expanded != (index, clock):
            raise _BreachError("a key is taken that was not expanded")

    def _key_refused(self, index: int) -> None:
        """A key is refused, which is right where its length is none."""
        if index >= len(self.segment.keys) or self.segment.keys[index].length is None:
            raise _BreachError("key_error_o without a key of a length that there is not")
        if self.pending:
            raise _BreachError("a key is refused while the last one is still expanded")
        self.key_requested = None

    def _expansion(self, index: int, clock: int) -> None:
        """The core begins to expand a key: the one that it takes, or that is offered."""
        clock = max(clock, self.opened)
        running = [block for block in self.under_way if clock < block.finished]
        if self.single:
            blocked = bool(running)
        else:
            blocked = any(block.key_index != self.current for block in running)
        self.pending = _PendingKey(index, clock, blocked, self._late(self.segment.keys[index]))
        # Where no key was taken since the reset, ready may never have been seen high.
        self.pending.fallen = self.offered and self.key_ready is not True

    def _late(self, key: KeyItem) -> int:
        """Clocks in which the core waits for words of round keys, where they come from outside."""
        at_a_time = self.design.round_key_words
        if not at_a_time or not key.gaps:
            return 0
        offers = 4 * (ROUNDS_OF_KEY[8 * len(key.key)] + 1) // at_a_time
        return sum(key.gaps[at % len(key.gaps)] for at in range(offers - 1))

    def _key_ready(self, level: bool, clock: int) -> None:
        before, self.key_ready = self.key_ready, level
        pending = self.pending
        if not level:
            if pending is None or pending.fallen:
                raise _BreachError("key_ready_o falls without a key")
            if self.offered and clock != pending.accepted:
                raise _BreachError("key_ready_o falls after a key was offered, and not with it")
            pending.fallen = True
            return
        if pending is None:
            if before is not None:
                raise _BreachError("key_ready_o rises without a key")
            if clock != self.opened and not self.offered:
                raise _BreachError(
                    f"key_ready_o rises at clock {clock} after a reset instead of {self.opened}"
                )
            return
        bits = 8 * len(self.segment.keys[pending.index].key)
        took, nominal = clock - pending.accepted, self.key_setup[bits] + pending.late
        latest = nominal + (max(self.latency.values()) if pending.blocked else 0)
        if not nominal <= took <= latest:
            raise _BreachError(
                f"key_ready_o rises {took} clocks after a {bits}-bit key was {self.begun} instead "
                f"of {nominal}" + (f" to {latest}" if pending.blocked else "")
            )
        if not pending.blocked:
            self.judgement.measured.key_setup.setdefault(bits, set()).add(took - pending.late)
        if self.single or self.current < 0:
            self.free_from = max(self.free_from, clock)
        self.current = pending.index
        self.expanded = (pending.index, clock)
        self.pending = None
        self.judgement.keys += 1
        self.judgement.blocked_keys += pending.blocked

    def _hang(self, clock: int) -> None:
        if self.pending:
            raise _BreachError(
                f"hangs: key_ready_o is low since a key was {self.begun} at clock "
                f"{self.pending.accepted}"
            )
        if self.key_requested is not None:
            raise _BreachError(
                f"hangs: a key offered since clock {self.key_requested} is not taken"
            )
        requested = self.requested if self.requested is not None else self.port.requested
        if requested is not None:
            item = self.segment.blocks[self.accepted]
            key = self.segment.keys[self.current].key if self.current >= 0 else item.key
            block = _Block(self.index, self.accepted, item, key, self.current, clock, clock, clock)
            raise _BreachError(
                f"hangs: a block offered since clock {requested} is not accepted", block
            )
        raise _BreachError("hangs")


def judge(design: Design, script: Script, log: bytes, check: str) -> Judgement:
    """Compare the record of a script with the oracle and with the contract.

    The walk ends at the first breach of the contract, since nothing after it has a meaning; the
    results up to there are compared with the oracle.

    Args:
        design: whose contract it is.
        script: what was played.
        log: the record.
        check: name of the check, for failures.
    """
    judgement = Judgement()
    walk = _Walk(design, script, judgement)
    breach: Failure | None = None
    try:
        kind = -1
        for kind, index, clock, data in decode_events(log):
            walk.step(kind, index, clock, data)
        if kind != Kind.SEGMENT_END or walk.index != len(script.segments) - 1:
            raise _BreachError("the record ends before the script does")
    except _BreachError as error:
        breach = _failure(check, str(error), walk.clock, error.block)
    judgement.clocks = walk.clock
    found = (breach, _compare(walk.done, judgement, check), _leak(walk, check))
    judgement.failures = sorted((f for f in found if f), key=lambda f: f.clock)
    return judgement


def _failure(check: str, text: str, clock: int, block: _Block | None) -> Failure:
    if block is None:
        return Failure(check, text, clock)
    decrypt = block.item.decrypt
    return Failure(
        check,
        text,
        clock,
        key=block.key,
        given=block.item.block,
        expected=oracle.ecb(block.key, block.item.block, decrypt=decrypt) if block.key else b"",
        got=block.got,
        decrypt=decrypt,
    )


def _leak(walk: _Walk, check: str) -> Failure | None:
    """The first clock in which the output showed an inner state, a round key, or a wrong part."""
    block, expected = None, b""
    for part in walk.parts:
        if part.block is not block:
            block = part.block
            expected = oracle.ecb(block.key, block.item.block, decrypt=block.item.decrypt)
        if len(block.got) == 16 and block.got != expected:
            continue  # a wrong result, which is said of the whole block
        if expected[part.offset : part.offset + len(part.data)] != part.data:
            text = f"out_block_o shows what is no part of the result ({part.data.hex()})"
            return _failure(check, text, part.clock, block)
    found: Failure | None = None
    for block in walk.done if walk.passing else ():
        text = "out_block_o shows an inner state or a round key without a result"
        plain = block.item.block
        if block.item.decrypt:
            plain = oracle.ecb(block.key, plain, decrypt=True)
        # Zero is what a register shows that nothing was written to.
        for value in expansion.inner_values(block.key, plain) - {bytes(16)}:
            clock = walk.passing.get(value)
            if clock is not None and (found is None or clock < found.clock):
                found = dataclasses.replace(_failure(check, text, clock, block), got=value)
    return found


def _compare(done: list[_Block], judgement: Judgement, check: str) -> Failure | None:
    """Count right and wrong results; the first wrong one."""
    # One call of the oracle for all blocks of a key and direction.
    groups: dict[tuple[bytes, bool], list[_Block]] = {}
    for block in done:
        groups.setdefault((block.key, block.item.decrypt), []).append(block)
    wrong: list[_Block] = []
    for (key, decrypt), blocks in groups.items():
        expected = oracle.ecb(key, b"".join(b.item.block for b in blocks), decrypt=decrypt)
        for at, block in enumerate(blocks):
            if block.got != expected[16 * at : 16 * at + 16]:
                wrong.append(block)
                continue
            judgement.right.add((block.segment, block.index))
            judgement.by_bits[8 * len(key)] += 1
            judgement.decrypted += decrypt
    judgement.wrong = len(wrong)
    if not wrong:
        return None
    first = min(wrong, key=lambda block: block.left)
    count = f"{len(wrong)} of {len(done)} results are" if len(wrong) > 1 else "one result is"
    return _failure(check, f"wrong result ({count} wrong)", first.left, first)
