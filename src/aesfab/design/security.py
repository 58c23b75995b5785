# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a core promises in security, and what it does not: for data sheets and SECURITY.md.

The statements stand here only. ``text`` picks those of one design by its axes; ``promises`` and
``LIMITS`` are what holds for every design.
"""

from __future__ import annotations

from aesfab.design.spec import Between, Design

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

LIMITS = (
    "Power and electromagnetic side channels: no core is masked, and none hides its power. Whoever "
    "measures the device while it works can find the key.",
    "Faults: control is not hardened. A flipped bit can give a result of fewer rounds, which gives "
    "the key away, or stop the core until the next reset.",
    "Reset: it clears control, not data. Keys, round keys and blocks stay in registers and "
    "memories, and no port clears them.",
    "The device around the core: bitstream, configuration interface, scan chains and the bus.",
)
"""What no core promises."""


def output_text(design: Design) -> str:
    """What the output shows while no result leaves."""
    return OUTPUT[design.between_results]


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
    return (CONSTANT_TIME, output_text(design), erasure_text(design))


def text(design: Design) -> str:
    """The section of a data sheet, as Markdown with its heading and a newline at the end."""
    promised = "".join(f"- {paragraph}\n" for paragraph in promises(design))
    limits = "".join(f"- {paragraph}\n" for paragraph in LIMITS)
    return f"## Security\n\nPromised:\n\n{promised}\nNot promised:\n\n{limits}"


def policy() -> str:
    """The part of SECURITY.md that says what every core promises and what none does."""
    kinds = (
        ("Iterative and interleaved cores", Between.HELD),
        ("Narrow cores", Between.ASSEMBLED),
        ("Pipelined and rolling cores", Between.PASSING),
        ("With `interface=words`", Between.ZERO),
        ("With `output_register=no`, which is no default", Between.STATES),
    )
    outputs = "".join(f"- {when}: {OUTPUT[between]}\n" for when, between in kinds)
    limits = "".join(f"- {paragraph}\n" for paragraph in LIMITS)
    return (
        f"### Promised\n\n- {CONSTANT_TIME}\n{outputs}"
        "- Erasure: keys and blocks are overwritten by an all-zero key and all-zero blocks. The "
        "data sheet of a core says how many. The host system does it by command and after every "
        "reset.\n"
        f"\n### Not promised\n\n{limits}"
    )
