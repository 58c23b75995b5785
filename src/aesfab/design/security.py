# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a core promises in security, and what it does not: for data sheets and SECURITY.md.

The statements stand here only. ``text`` picks those of one design by its axes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aesfab.design.architectures.contract import Between
from aesfab.design.axes import Clear, Hardened, Interface
from aesfab.design.design import Design
from aesfab.design.timing import SILENT_CLOCKS

CONSTANT_TIME = (
    "Timing is constant: a result leaves exactly *latency* cycles after its block was accepted, "
    "whatever data and key. In the netlist no handshake depends on a data or key input, at any "
    "distance in cycles; a test shows this for every named design, and the verification asserts "
    "the latency of every block that it sends."
)
"""Of every core."""

OUTPUT: dict[Between, str] = {
    Between.HELD: (
        "`out_block_o` comes out of a register that is written with results only. Between results "
        "it holds the last one. It shows no state of an inner round, and no key."
    ),
    Between.ASSEMBLED: (
        "`out_block_o` comes out of a register that is written with results only, part by part. "
        "Between results it holds the last one, or the parts of the next one that are ready. It "
        "shows no state of an inner round, and no key."
    ),
    Between.MOVING: (
        "`out_block_o` comes out of a register in which the block moves into the core, byte by "
        "byte, and its result out of it. Between results it shows what is left of the block, the "
        "bytes of the result that are ready, or zero. It shows no state of an inner round, and no "
        "key."
    ),
    Between.ZERO: (
        "`out_word_o` is zero except while words of a result leave. The 32-bit ports keep the "
        "result in a register of their own."
    ),
    Between.PASSING: (
        "`out_block_o` shows no state of an inner round of a block, and no key. But every round "
        "works in every cycle, also on what stands on the inputs while `in_valid_i` is low, and "
        "the output shows what becomes of that. Hold the data inputs at a constant between blocks "
        "where this must not be seen."
    ),
    Between.STATES: (
        "`out_block_o` is wired as the paper draws it (`output_register=no`). While `out_valid_o` "
        "is low it shows states of inner rounds, and round keys or sums of a block and a key. One "
        "such state can give the key away: do not let it leave the chip, or take "
        "`output_register=yes`."
    ),
}
"""What the output shows while no result leaves, of each kind of core."""

GUARDED_OUTPUT = "`out_block_o` is zero except in the cycle of a result."
"""The same with ``hardened=yes`` or ``clear=yes``."""

BYTES_OUTPUT = "`out_byte_o` is zero except while bytes of a result leave."
"""The same with 8-bit ports."""

POWER = (
    "Power and electromagnetic side channels: no core is masked, and none hides its power. Whoever "
    "measures the device while it works can find the key."
)
"""What no core promises; so the next two."""

DATA_FAULTS = (
    "Faults of data: a flipped bit of a key, a block or a table is not detected. A result may be "
    "wrong, and under a stored key every result until the next key."
)

AROUND = "The device around the core: bitstream, configuration interface, scan chains and the bus."

NOT_HARDENED = (
    "Faults of control: control is not hardened. A flipped bit can give a result of fewer rounds, "
    "which gives the key away, or stop the core until the next reset."
)
"""Without ``hardened=yes``."""

FIRST_BYTE = (
    "First byte: a flipped bit of control in the cycles that take a block can lose which byte is "
    "its first. That block and the next one are wrong then. With `in_first_i` always high, every "
    "later block is, until a reset."
)
"""With 8-bit ports."""

SILENT = (
    "Lost results: a flipped bit of control can make the core count the cycles since its reset "
    f"once more. Results of up to {SILENT_CLOCKS} cycles are then lost, without a word."
)
"""Of a pipeline."""

NOT_CLEARED = (
    "Reset: it clears control, not data. Keys, round keys and blocks stay in registers and "
    "memories, and no port clears them."
)
"""Without ``clear=yes``."""

HARDENED = (
    "Faults of control: each register of control, which is one that neither data nor key reach, is "
    "in three copies that vote. A flip of any one bit of them, in any cycle, changes no number of "
    "rounds, and the next block is processed as if nothing had been. Every result of a block that "
    "was under way in the cycle of the flip is zero, with `fault_o`, and leaves in its cycle, so "
    "credits and FIFOs around the core hold."
)
"""With ``hardened=yes``."""

CLEARED = (
    "Clearing: after a cycle with `clear_i`, and after every reset, keys, round keys, blocks and "
    "results are overwritten. A test compares every bit of the state of two runs with different "
    "secrets."
)
"""With ``clear=yes``."""


def output_text(design: Design) -> str:
    """What the output shows while no result leaves."""
    if design.between_results is not Between.ZERO:
        return OUTPUT[design.between_results]
    return {
        Interface.BLOCK: GUARDED_OUTPUT,
        Interface.WORDS: OUTPUT[Between.ZERO],
        Interface.BYTES: BYTES_OUTPUT,
    }[design.interface]


def erasure_text(design: Design) -> str:
    """How a user overwrites what is secret in a core, as ``aes_host`` does it."""
    directions = "in each direction in turn" if design.can_encrypt and design.can_decrypt else ""
    blocks = 2 * design.blocks_in_flight
    then = f"{blocks} all-zero blocks{f', {directions}' if directions else ''}"
    if not design.stored_keys:
        return (
            f"To overwrite keys and blocks, process {then}, each under an all-zero key. A key "
            "travels with its block, and no key is kept for later blocks."
        )
    key = "load an all-zero key twice"
    if design.round_keys_from_outside:
        key += ", with all-zero round keys"
    return f"To overwrite keys and blocks, {key}, and then process {then} under it."


def promises(design: Design) -> tuple[str, ...]:
    """What the core of a design promises, a paragraph each."""
    found = [CONSTANT_TIME, output_text(design)]
    if design.clear is Clear.YES:
        found.append(
            f"{CLEARED} It takes {design.sweep_clocks:,} cycles, in which nothing is taken and "
            "`clearing_o` is high. What was under way is lost, and no key is current afterwards."
        )
    else:
        found.append(erasure_text(design))
    if design.hardened is Hardened.YES:
        lost = " A stored key is lost then." if design.stored_keys else ""
        found.append(
            f"{HARDENED} Whatever state control is thrown into by several flips, the core is at "
            f"rest again within {design.watch_clocks:,} cycles.{lost}"
        )
    return tuple(found)


def limits(design: Design) -> tuple[str, ...]:
    """What the core of a design does not promise, a paragraph each."""
    found = [POWER]
    if design.hardened is Hardened.NO:
        found.append(NOT_HARDENED)
        if design.interface is Interface.BYTES:
            found.append(FIRST_BYTE)
        if design.silent_clocks:
            found.append(SILENT)
    found.append(DATA_FAULTS)
    if design.clear is Clear.NO:
        found.append(NOT_CLEARED)
    return (*found, AROUND)


def flips_text(outcome: Mapping[str, Any]) -> str:
    """What the flips of a netlist did (``results/flips.jsonl``), as a paragraph of a data sheet."""
    bits, clocks = outcome["bits"], outcome["clocks"]
    parts = [
        f"Each of the {bits:,} bits of control was inverted in each of {clocks:,} cycles of a "
        f"block, on the netlist: {bits * clocks:,} flips. Results: {outcome['right']:,} right, "
        f"{outcome['zero']:,} zero with `fault_o`, {outcome['reduced']:,} of fewer rounds, "
        f"{outcome['wrong']:,} wrong otherwise or in another cycle, {outcome['missing']:,} missing."
    ]
    after = f"The next block came out right after {outcome['recovered']:,} of them"
    if outcome["next_key"]:
        after += f", after {outcome['next_key']:,} only under a key loaded anew"
    if outcome["hung"]:
        registers = ", ".join(f"`{name.rpartition('.')[2]}`" for name in outcome["hanging"])
        after += (
            f", and after {outcome['hung']:,} not before a reset, among them flips of {registers}"
        )
    parts.append(f"{after}.")
    if outcome["longest"]:
        parts.append(f"It waited {outcome['longest']:,} cycles at most where it was taken.")
    return " ".join(parts)


def text(design: Design, flips: Mapping[str, Any] | None = None) -> str:
    """The section of a data sheet, as Markdown with its heading and a newline at the end.

    Args:
        design: whose core it is.
        flips: what flips of its control did, see ``flips_text``; None: that is not said.
    """
    promised = "".join(f"- {paragraph}\n" for paragraph in promises(design))
    not_promised = "".join(f"- {paragraph}\n" for paragraph in limits(design))
    shown = f"\nWhat a flip does: {flips_text(flips)}\n" if flips else ""
    return f"## Security\n\nPromised:\n\n{promised}\nNot promised:\n\n{not_promised}{shown}"


def policy() -> str:
    """The part of SECURITY.md that says what every core promises and what none does."""
    kinds = (
        ("Iterative and interleaved cores", Between.HELD),
        ("Narrow cores", Between.ASSEMBLED),
        ("Byte-wide cores with a key memory, and microcoded ones", Between.MOVING),
        ("Pipelined and rolling cores", Between.PASSING),
        ("With `interface=words`", Between.ZERO),
        ("With `output_register=no`, which is no default", Between.STATES),
    )
    outputs = "".join(f"- {when}: {OUTPUT[between]}\n" for when, between in kinds)
    outputs += f"- With `interface=bytes`: {BYTES_OUTPUT}\n"
    outputs += f"- With `hardened=yes` or `clear=yes`: {GUARDED_OUTPUT}\n"
    not_promised = "".join(
        f"- {paragraph}\n"
        for paragraph in (
            POWER,
            f"Without `hardened=yes`: {NOT_HARDENED}",
            f"With `interface=bytes`: {FIRST_BYTE}",
            f"Of pipelines without `hardened=yes`: {SILENT}",
            DATA_FAULTS,
            f"Without `clear=yes`: {NOT_CLEARED}",
            AROUND,
        )
    )
    return (
        f"### Promised\n\n- {CONSTANT_TIME}\n{outputs}"
        "- Erasure: keys and blocks are overwritten by an all-zero key and all-zero blocks. The "
        "data sheet of a core says how many. The host system does it by command and after every "
        "reset.\n"
        f"- With `clear=yes`: {CLEARED}\n"
        f"- With `hardened=yes`: {HARDENED}\n"
        f"\n### Not promised\n\n{not_promised}"
    )
