# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Cycles of a core: when blocks and keys are taken, and when results leave.

Each architecture has its own counts, in ``architectures``; ``realisation`` chooses. The counts are
compared with those of ``aes_pkg.sv`` and with the simulated cores.
"""

from __future__ import annotations

from fractions import Fraction

from aesfab.design.architectures import (
    interleaved,
    iterative,
    keys,
    microcoded,
    narrow,
    narrow_bytes,
    pipelined,
    rolling,
    words,
)
from aesfab.design.architectures.contract import (
    Acceptance,
    Between,
    Realisation,
    direction_change,
)
from aesfab.design.axes import (
    Architecture,
    Clear,
    Datapath,
    Direction,
    Hardened,
    Interface,
    Order,
    OutputRegister,
)
from aesfab.design.point import Point

_SWEEP_RESET = 2
"""Clocks of reset at each end of a sweep: ``SweepReset`` in ``aes_pkg.sv``."""


SILENT_CLOCKS = 255
"""States of the counter of clocks since a reset in ``aes_core_pipelined.sv``."""


def realisation(point: Point) -> Realisation:
    """The kind of core that a point is."""
    if point.interface is Interface.WORDS:
        return words.Words(realisation(point.core))
    if point.architecture is Architecture.MICROCODED:
        program = microcoded.Microcoded()
        return program if point.interface is Interface.BYTES else narrow_bytes.Moving(program)
    if point.interface is Interface.BYTES:
        return narrow_bytes.Serial()
    match point.architecture:
        case Architecture.ITERATIVE:
            return iterative.SharedOne() if point.shared_one else iterative.Iterative()
        case Architecture.INTERLEAVED:
            return interleaved.Interleaved()
        case Architecture.PIPELINED:
            return pipelined.Pipelined()
        case Architecture.ROLLING:
            return rolling.Columns() if point.order is Order.COLUMNS else rolling.Selected()
    if point.stored_turns:
        return narrow.StoredTurns()
    if point.in_turn:
        return narrow.InTurn()
    if point.datapath is not Datapath.W8:
        return narrow.Parts()
    if point.byte_loop:
        return narrow_bytes.Moving(narrow_bytes.Serial())
    if point.direction is Direction.DECRYPT:
        return narrow_bytes.Decryption()
    return narrow_bytes.Encryption()


def latency(point: Point, bits: int) -> int:
    """Clocks from acceptance of a block to ``out_valid_o``.

    With 32-bit ports, clocks from the first word of a block to the last one of its result, both
    counted: four words in, the core, its result into the register, four words out. With 8-bit
    ports likewise, from the first byte to the last one.
    """
    return realisation(point).latency(point, bits)


def interval(point: Point, bits: int) -> Fraction:
    """Clocks a block when the core is kept busy.

    A whole number but for interleaved cores whose blocks enter in batches. With 32-bit ports a
    block is loaded when the last one has left.
    """
    return realisation(point).interval(point, bits)


def acceptance(point: Point, bits: int) -> Acceptance:
    """When a block is accepted."""
    return realisation(point).acceptance(point, bits)


def blocks_in_flight(point: Point) -> int:
    """Blocks under way at the same time when the core is kept busy; one over narrow ports."""
    return realisation(point).blocks_in_flight(point)


def between_results(point: Point) -> Between:
    """What the output shows while ``out_valid_o`` is low."""
    if point.interface is not Interface.BLOCK or point.guarded:
        return Between.ZERO
    if point.output_register is OutputRegister.NO:
        return Between.STATES
    return realisation(point).shows


def key_setup(point: Point, bits: int) -> int:
    """Clocks from acceptance of a key to the first block under it; 0 for on-the-fly keys.

    From its offer where it is accepted when it is expanded (``key_offered``).
    With 32-bit ports, from its last word to the first block that the core takes under it. With
    round keys from outside, where each of their words is there when the core can take it.
    """
    return keys.setup(point, bits) if point.stored_keys else 0


def wake_clocks(point: Point) -> int:
    """Clocks that a core takes after its reset before it takes anything.

    A program reads its first instruction. ``wake_clocks`` in ``aes_pkg.sv``.
    """
    return int(point.architecture is Architecture.MICROCODED)


def sweep_clocks(point: Point) -> int:
    """Clocks from the first one after a reset to the first one in which anything is taken.

    The same from the one after ``clear_i``. What is secret is overwritten meanwhile, with
    ``clear=yes``; a hardened core without that is in reset for as long, a microcoded one reads its
    first instruction. 0 for other cores. ``sweep_clocks`` in ``aes_pkg.sv`` has the parts of it.
    """
    if point.clear is Clear.NO:
        return _SWEEP_RESET if point.guarded else wake_clocks(point)
    core = point.core
    expanded = 0
    if core.stored_keys:
        expanded = core.banks * key_setup(core, core.key_width) + core.key_offered
    blocks = 2 * latency(core, core.key_width) + direction_change(core)
    directions = core.can_encrypt + core.can_decrypt
    return 2 * _SWEEP_RESET + expanded + directions * blocks + wake_clocks(point)


def silent_clocks(point: Point) -> int:
    """Clocks in which results may be swallowed after a flip of one bit of control.

    A pipeline counts the clocks since a reset, for what was under way then is no result; a flip can
    make it count once more. 0 for other architectures.
    """
    return SILENT_CLOCKS if point.architecture is Architecture.PIPELINED else 0


def watch_clocks(point: Point) -> int:
    """Clocks after which a hardened core is at rest again, whatever state it was thrown into.

    Two periods of the watch of ``aes_guard``, and a sweep. 0 for other cores.
    """
    if point.hardened is Hardened.NO:
        return 0
    core = point.core
    waits = 2 * latency(core, core.key_width) + 2 * key_setup(core, core.key_width) + 8
    return 2 * (1 << (waits - 1).bit_length()) + sweep_clocks(point)
