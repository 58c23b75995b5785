# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Every round in hardware, a block each clock."""

from __future__ import annotations

from fractions import Fraction

from aesfab.design.architectures import drawing, keys, staged
from aesfab.design.architectures.contract import Acceptance, Between
from aesfab.design.axes import ROUNDS_OF_KEY, KeyRegister
from aesfab.design.point import Point


class Pipelined(staged.Staged):
    """Rounds one behind the other, each beside its key round or with a stored key."""

    shows = Between.PASSING

    def interval(self, point: Point, bits: int) -> Fraction:
        """See ``Realisation``."""
        return Fraction(1)

    def acceptance(self, point: Point, bits: int) -> Acceptance:
        """See ``Realisation``."""
        return Acceptance()

    def blocks_in_flight(self, point: Point) -> int:
        """See ``Realisation``."""
        return self.latency(point, point.key_width)

    def diagram(self, point: Point) -> str:
        """See ``Realisation``."""
        # The number of |R| is that of register levels.
        rounds = ROUNDS_OF_KEY[point.key_width]
        sbox, mix = point.sbox_levels.value, point.mix_levels.value
        front = drawing.registers(mix - 1)
        ahead = point.key_register is KeyRegister.AHEAD
        entry = drawing.registers(staged.front(point) - 1)
        first, last = staged.outer_keys(point, rounds)
        key_round = f"[ key round {drawing.registers(sbox + mix)} ]"
        layer = f"{staged.sub_bytes(point)} {drawing.registers(sbox)}"
        mixadd = f"Mix + key {drawing.registers(mix)}"
        state = [
            f"in_block_i --{entry}-(+)-|R|--[ {layer} ]--[ {mixadd} ]-- ... x {rounds - 1}",
            f"           ... --[ {layer} ]--{front}--(+ {last})--|R|-- out_block_o",
        ]
        if point.stored_keys:
            return "\n".join(
                [
                    keys.expander(point, "key registers") + "-- a key beside each round",
                    "",
                    state[0].replace("(+)", f"(+ {first})"),
                    state[1],
                ]
            )
        return "\n".join(
            [
                f"in_key_i   --{front}--+--{key_round}--K1-- ... --{key_round}--K{rounds}",
                " " * (len(front) + 15) + "| K0",
                *([" " * (len(front) + 14) + "|R|, and so beside each round"] if ahead else []),
                *state,
                *staged.waiting_note(point),
            ]
        )
