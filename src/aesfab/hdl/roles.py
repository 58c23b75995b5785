# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The names of instances and signals of the RTL that this program relies on: all of them.

A mapper sees no name of the source (``canonical``), so a rename changes no figure. Some recipes do
something special with a part of a core, which they know by its name in the RTL. Those names stand
here and nowhere else. Who renames one in the RTL renames it here too; a test elaborates designs in
which each of them is, and says which is missing.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Mark(NamedTuple):
    """Cells that get an attribute, by which a recipe selects them.

    Attributes:
        attribute: what the cell gets, with the value 1.
        cell: its type, as elaboration leaves it.
        output: what the whole name of a signal that it drives has in it, from the top module on.
    """

    attribute: str
    cell: str
    output: re.Pattern[str]


SLICE_MUX = Mark("aesfab_slice_mux", "$mux", re.compile(r"(^|\.)u_slice_mux(_entry)?\.y_o$"))
"""The multiplexer of aes_slice_mux."""

URGENT_MUX = Mark("aesfab_urgent_mux", "$mux", re.compile(r"u_round.*\.u_slice_mux\.y_o$"))
"""Those of them that are inside a round, on the longest path."""

SLICE_XOR = Mark("aesfab_slice_xor", "$reduce_xor", re.compile(r"(^|\.)u_slice_xor\.y_o$"))
"""The sum of aes_slice_xor."""

MARKS = (SLICE_MUX, URGENT_MUX, SLICE_XOR)

ROUND = re.compile(r"\bgen_round\[(\d+)\]")
"""A round of a pipeline, with its number."""

KEYS = re.compile(r"\b(u_keys|u_key_schedule)\b")
"""What belongs to the key and not to the state."""

SBOX_MIDDLE = re.compile(
    r"\bgen_round\[(\d+)\]\..*\.gen_tower\.gen_byte\[(\d+)\]\.u_sbox\.lines_i$"
)
"""Registers in the middle of an S-box of a round, with the numbers of the round and the byte."""
