# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Proofs by SAT about the host system: buffers and their feeding. Its buses: ``test_bus_formal``.

Buffers and the order of blocks are proved for ever, by induction over one clock; how long the
system waits, from reset over a number of clocks in which every state of its small buffers is
reached, which is checked as well. The core is one that does what it likes within its contract. Each
proof is also run on damaged RTL, which must be refuted.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import miters
from aesfab.errors import ToolError
from miters import Damage, change, sat


def prove(
    miter: str,
    options: str,
    claim: str,
    *,
    clocks: int,
    given: Sequence[str] = (),
    value: int = 1,
    damage: Damage | None = None,
) -> None:
    """Prove that an output has a value, around a core that does what it likes in its contract."""
    proof = sat(claim, clocks, *given, value=value)
    miters.prove(miter, options, proof, damage=damage, stubs=miters.CORE)


def refute(
    miter: str,
    options: str,
    claim: str,
    *,
    clocks: int,
    given: Sequence[str],
    value: int = 1,
    damage: Damage | None = None,
) -> None:
    """Show that it has not."""
    with pytest.raises(ToolError, match="proof did fail"):
        prove(miter, options, claim, clocks=clocks, given=given, value=value, damage=damage)


def from_reset(clocks: int) -> list[str]:
    """A reset in the first clock and none after it."""
    after = [f"-set-at {clock} rst_ni 1" for clock in range(2, clocks + 1)]
    return ["-set-at 1 rst_ni 0", *after, "-prove-skip 1"]


# ------------------------------------------------------------------------------ buffer

BUFFER = "aes_host_buffer.sv"
INDUCTION = ["-set-at 1 related_o 1", "-set rst_ni 1", "-prove-skip 1"]


@pytest.mark.parametrize("depth", [2, 4, 16])
def test_buffer_is_a_queue_for_ever(depth: int) -> None:
    options = f"-G Depth={depth}"
    prove("host_buffer_miter", options, "related_o", clocks=2, given=INDUCTION)
    prove("host_buffer_miter", options, "related_o", clocks=2, given=from_reset(2))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("write_i & ~full_o & ~erase_i", "write_i & ~erase_i"),  # overflow
        (
            "read_i & (valid_q | ~Guarded)",
            "read_i & (level_o != '0)",
        ),  # reads what is not there yet
        ("data_q <= mem[read_ptr_d]", "data_q <= mem[read_ptr_q]"),  # an entry twice
        ("write ? level_q + 1'b1 : level_q - 1'b1", "write ? level_q + 1'b1 : level_q"),  # lies
        ("(left != '0) & ~erase_i", "(left != '0)"),  # an entry after the erasure
        ("read_ptr_q + PtrWidth'(read)", "read_ptr_q"),  # the same entry for ever
    ],
)
def test_wrong_buffer_is_refuted(old: str, new: str) -> None:
    damage = change(BUFFER, old, new)
    refute("host_buffer_miter", "-G Depth=4", "related_o", clocks=2, given=INDUCTION, damage=damage)


def test_erasure_leaves_zeros_in_the_buffer() -> None:
    given = ["-set erase_i 1", "-set rst_ni 1", "-prove-skip 6"]
    for guarded in (0, 1):
        options = f"-G Depth=4 -G Guarded=1'b{guarded}"
        prove("host_buffer_miter", options, "zero_o", clocks=7, given=given)
    damage = change(BUFFER, "erase_i ? '0 : data_i", "data_i")
    refute("host_buffer_miter", "-G Depth=4", "zero_o", clocks=7, given=given, damage=damage)


# ------------------------------------------------------------------------------ system

CLOCKS = 24
HOST = "aes_host.sv"


@pytest.mark.parametrize("on_the_fly", [0, 1])
def test_system_loses_nothing_and_never_overflows(on_the_fly: int) -> None:
    options = f"-G OnTheFly=1'b{on_the_fly}"
    prove("host_miter", options, "same_o", clocks=CLOCKS, given=from_reset(CLOCKS))
    # So many clocks are enough to have both buffers full.
    refute("host_miter", options, "reached_o", value=0, clocks=CLOCKS, given=from_reset(CLOCKS))


@pytest.mark.parametrize("on_the_fly", [0, 1])
def test_system_keeps_blocks_in_order_for_ever(on_the_fly: int) -> None:
    options = f"-G OnTheFly=1'b{on_the_fly}"
    prove("host_miter", options, "related_o", clocks=2, given=from_reset(2))
    prove("host_miter", options, "related_o", clocks=2, given=INDUCTION)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("assign room = room_q != '0;", "assign room = 1'b1;"),  # overflow
        ("(~waiting_q | (ahead_q != '0))", "1'b1"),  # a block before its setting
        ("if (apply) decrypt_q <=", "if (set_valid_i) decrypt_q <="),  # a setting too early
        (
            "StKey:     state_d = core_key_ready ? StKeyWait",
            "StKey:     state_d = core_key_ready ? StRun",
        ),
        (".read_i (out_ready_i),", ".read_i (1'b1),"),  # a block is lost
        ("assign flushed = zero_blocks_q == '0 && flight_q == '0;", "assign flushed = 1'b1;"),
    ],
)
def test_wrong_order_is_refuted(old: str, new: str) -> None:
    damage = change(HOST, old, new)
    refute(
        "host_miter",
        "-G OnTheFly=1'b0",
        "related_o",
        clocks=2,
        given=INDUCTION,
        damage=damage,
    )


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    [
        ("room_o", "assign room = room_q != '0;", "assign room = 1'b1;"),
        ("room_o", "room_q <= LevelWidth'(Depth);\n      end else if (in_pop", "room_q <= "
         "LevelWidth'(Depth + 1);\n      end else if (in_pop"),
        ("order_o", "(~waiting_q | (ahead_q != '0))", "1'b1"),
        ("order_o", "- LevelWidth'(in_pop);", ";"),
        ("order_o", "if (apply) decrypt_q <=", "if (set_valid_i) decrypt_q <="),
        ("levels_o", "fed ? flight_q + 1'b1", "fed ? flight_q"),
        ("waits_o", "out_level_o != '0 || flight_q != '0 ||", "1'b1 ||"),
        ("stable_o", "StKeyWait: state_d = core_key_ready ? StRun : StKeyWait;", ""),
        ("stable_o", ".read_i (out_ready_i),", ".read_i (1'b1),"),
    ],
)  # fmt: skip
def test_wrong_system_is_refuted(claim: str, old: str, new: str) -> None:
    damage = change(HOST, old, new)
    options = "-G OnTheFly=1'b0" if "KeyWait" in old else "-G OnTheFly=1'b1"
    refute("host_miter", options, claim, clocks=CLOCKS, given=from_reset(CLOCKS), damage=damage)
