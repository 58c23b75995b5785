# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a design is: a value on every axis, and what follows from them.

The values are in ``axes``, which combinations are legal in ``rules``, what kind of core a point is
in ``point``, cycles in ``timing``. The RTL has enums and cycle counts in ``aes_pkg.sv``, and the
checks of the rules, which are printed from them, in ``aes_core.sv`` and ``aes_words.sv``. A test
compares all of it over the whole space of choices.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from fractions import Fraction
from typing import Any

from aesfab.design import cost, timing
from aesfab.design import ports as core_ports
from aesfab.design.architectures.contract import Acceptance, Between, direction_change
from aesfab.design.axes import AXES, Architecture, KeySchedule, of_architecture
from aesfab.design.point import Point
from aesfab.design.ports import Port
from aesfab.design.rules import RULES
from aesfab.errors import AesfabError, unknown

_IDENTITY = ("architecture", "sbox", "direction", "key_bits", "key_schedule", "interface")
"""The axes that every design is known by."""

COMBINED = ("architecture", "key_schedule", "direction", "key_bits", "interface")
"""The axes of which one asks which go together, see ``combinations``."""


class Design(Point):
    """A point of the family with what follows from it.

    ``reasons()`` says why a point is illegal. Key sizes are in bits; the longest key by default.
    """

    def axes(self) -> dict[str, Any]:
        """Axis name to value as the user writes it, in the order of AXES."""
        return {f.name: getattr(self, f.name).value for f in dataclasses.fields(self)}

    def every_axis(self) -> dict[str, Any]:
        """``axes``: a core has no parts with axes of their own."""
        return self.axes()

    def with_axis(self, name: str, value: str) -> Design:
        """The design with one axis changed; AesfabError for an unknown axis or value."""
        if name not in AXES:
            raise unknown("axis", name, AXES)
        change: dict[str, Any] = {name: AXES[name].parse(name, value)}
        return dataclasses.replace(self, **change)

    def choices(self, name: str) -> list[Any]:
        """The legal values of an axis with all other axes as they are, in the order of the axis."""
        changed = (self.with_axis(name, str(value.value)) for value in AXES[name])
        return [getattr(each, name).value for each in changed if not each.reasons()]

    def moves(self) -> dict[str, list[Any]]:
        """The axes that can be moved alone, each with its legal values, in the order of AXES."""
        found = {name: self.choices(name) for name in of_architecture(self.architecture)}
        return {name: values for name, values in found.items() if len(values) > 1}

    def shown_axes(self) -> dict[str, list[Any]]:
        """The axes that mean something to a user of this design, each with its other values.

        What every core is known by (``_IDENTITY``), and what can be moved: an axis that has one
        legal value says nothing.
        """
        moves = self.moves()
        return {
            name: [value for value in moves.get(name, ()) if value != getattr(self, name).value]
            for name in AXES
            if name in _IDENTITY or name in moves
        }

    # -------------------------------------------------------------- legality

    def reasons(self) -> list[str]:
        """Why this point is illegal, empty when it is legal.

        The RTL stops elaboration for the same points with the same words (``rules``).
        """
        return [rule.reason for rule in RULES if rule.holds(self)]

    def require_legal(self) -> None:
        """AesfabError with every reason when this point is illegal, and with the way out."""
        reasons = self.reasons()
        if reasons:
            raise AesfabError(f"illegal combination: {'; '.join(reasons)}{self._way_out()}")

    def _way_out(self) -> str:
        """The fewest axes with which it would be legal: one with its values, or a pair, or more."""
        axes = frozenset[str]().union(*(rule.axes for rule in RULES if rule.holds(self)))
        # Another architecture is another core: that is said where nothing else helps.
        ordered = sorted((name for name in AXES if name in axes), key="architecture".__eq__)
        for name in ordered:
            if legal := self.choices(name):
                *others, last = map(str, legal)
                values = f"{', '.join(others)} or {last}" if others else last
                return f"; legal with {name}={values} in place of {self.axes()[name]}"
        for one, other in itertools.combinations(ordered, 2):
            for value in AXES[one]:
                changed = self.with_axis(one, str(value.value))
                if legal := changed.choices(other):
                    return f"; legal with {one}={value.value} {other}={legal[0]}"
        # Else those of the plainest design, as far as rules are broken.
        plain = plainest(self.architecture)
        changes: dict[str, Any] = {}
        changed = self
        while broken := [rule for rule in RULES if rule.holds(changed)]:
            axes = frozenset[str]().union(*(rule.axes for rule in broken)) - {"architecture"}
            changes |= {name: getattr(plain, name) for name in axes}
            changed = dataclasses.replace(self, **changes)
        words = " ".join(
            f"{name}={changes[name].value}"
            for name in AXES
            if name in changes and changes[name] is not getattr(self, name)
        )
        return f"; legal with {words}"

    # ---------------------------------------------------------------- timing

    def latency(self, key_bits: int | None = None) -> int:
        """Clocks from acceptance of a block to ``out_valid_o``; see ``timing.latency``."""
        return timing.latency(self, key_bits or self.key_width)

    def interval(self, key_bits: int | None = None) -> Fraction:
        """Clocks a block when the core is kept busy; see ``timing.interval``."""
        return timing.interval(self, key_bits or self.key_width)

    def interval_number(self, key_bits: int | None = None) -> int | float:
        """The interval as a plain number: an int where it is whole, else with three decimals."""
        interval = self.interval(key_bits)
        return interval.numerator if interval.denominator == 1 else round(float(interval), 3)

    def acceptance(self, key_bits: int | None = None) -> Acceptance:
        """When a block is accepted."""
        return timing.acceptance(self, key_bits or self.key_width)

    def key_setup(self, key_bits: int | None = None) -> int:
        """Clocks from acceptance of a key to the first block under it; see ``timing.key_setup``."""
        return timing.key_setup(self, key_bits or self.key_width)

    @property
    def blocks_in_flight(self) -> int:
        """Blocks under way at the same time when the core is kept busy; one over narrow ports."""
        return timing.blocks_in_flight(self)

    @property
    def direction_change(self) -> int:
        """Clocks that a block waits whose direction is not that of the last one."""
        return direction_change(self)

    @property
    def between_results(self) -> Between:
        """What the output shows while ``out_valid_o`` is low."""
        return timing.between_results(self)

    @property
    def sweep_clocks(self) -> int:
        """Clocks from a reset to the first one in which anything is taken; see ``timing``."""
        return timing.sweep_clocks(self)

    @property
    def watch_clocks(self) -> int:
        """Clocks after which a hardened core is at rest again; see ``timing.watch_clocks``."""
        return timing.watch_clocks(self)

    @property
    def silent_clocks(self) -> int:
        """Clocks in which a flip may swallow results; see ``timing.silent_clocks``."""
        return timing.silent_clocks(self)

    # -------------------------------------------------------- cost and ports

    @property
    def sbox_count(self) -> int:
        """S-boxes (or T-boxes) of the data path, and S-boxes of the key schedule."""
        return cost.sbox_count(self)

    @property
    def data_sbox_count(self) -> int:
        """S-boxes (or T-boxes) of the data path alone."""
        return cost.data_sbox_count(self)

    @property
    def sbox_rom_bits(self) -> int:
        """Bits of tables meant for block RAM; the two ports of a RAM share an S-box table."""
        return cost.sbox_rom_bits(self)

    @property
    def key_memory_bits(self) -> int:
        """Bits of stored round keys, all banks and directions."""
        return cost.key_memory_bits(self)

    def ports(self) -> list[Port]:
        """The ports of the generated core, in order: only those that this design needs."""
        return core_ports.ports(self)


@functools.cache
def plainest(architecture: Architecture) -> Design:
    """The first legal design of an architecture, as few other axes from the default as can be."""
    starts = [Design(architecture=architecture, key_schedule=each) for each in KeySchedule]
    axes = [name for name in of_architecture(architecture) if name not in COMBINED]
    for count in range(len(axes)):
        for start, moved in itertools.product(starts, itertools.combinations(axes, count)):
            for values in itertools.product(*(AXES[name] for name in moved)):
                changed: dict[str, Any] = dict(zip(moved, values, strict=True))
                design = dataclasses.replace(start, **changed)
                if not design.reasons():
                    return design
    raise AssertionError(f"no design of the {architecture.value} architecture is legal")
