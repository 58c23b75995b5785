# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""A top module as the files beside its RTL see it: a core, an engine or a host system."""

from __future__ import annotations

import dataclasses

from aesfab.design.ports import Port


@dataclasses.dataclass(frozen=True)
class Top:
    """A top module on the clock ``clk_i`` with the reset ``rst_ni``.

    Attributes:
        module: its name.
        what: what it is, for the heads of files.
        ports: its ports, in their order.
        rtl_files: its RTL in compilation order, relative to the folder.
        testbench: the file of its testbench, likewise.
    """

    module: str
    what: str
    ports: tuple[Port, ...]
    rtl_files: tuple[str, ...]
    testbench: str
