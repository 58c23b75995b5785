# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What stands in the folder of a core beside its RTL, a module for each kind of file.

Constraints, projects of vendors' tools, VHDL, IP-XACT, assertions of the cycle contract, timing
diagrams and a block diagram.
Each follows from the design and is the same text every time.
"""

from __future__ import annotations

from collections.abc import Sequence

from aesfab.design.catalogue import Named
from aesfab.folder.collateral import constraints, diagram, ipxact, projects, sva, timing, vhdl


def files(
    named: Named,
    module: str,
    rtl_files: Sequence[str],
    testbench: str,
    mhz: float | None = None,
) -> dict[str, str]:
    """All of these files of a core.

    Args:
        named: the design.
        module: name of the top module.
        rtl_files: the RTL in compilation order, relative to the folder of the core.
        testbench: the file of its testbench, likewise.
        mhz: the clock of the best record of the design, in MHz; None where there is none.

    Returns:
        Name relative to the folder of the core, to text.
    """
    return {
        **constraints.files(named, module, mhz),
        **projects.files(module, named.design.ports(), rtl_files, testbench),
        **vhdl.files(named, module),
        **ipxact.files(named, module, rtl_files),
        **sva.files(named, module),
        **timing.files(named, module),
        **diagram.files(named, module),
    }
