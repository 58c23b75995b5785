# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Where the rounds of a pipeline, or the block RAMs of a loop, stand on a device.

A placer that knows nothing of rounds lets them run into each other, and spreads the block RAMs of
one over half of the device; a few wires across all of it then set the clock. Here each round gets
an area of its own beside those of its neighbours by the places of very few cells, and the placer
brings the others there by itself::

    with block RAMs                         without

    RAM row  | 1 | 2 | 3 | .. | 10 |        +- 10 -+-  9 -+-  8 -+-  7 -+-  6 -+
    RAM row  | 1 | 2 | 3 | .. | 10 |        +-  1 -+-  2 -+-  3 -+-  4 -+-  5 -+

Block RAMs are fixed, all of each round. Without any, two flip-flops in the middle of each S-box
are, which take their bits from other flip-flops and so need not stand behind a LUT.

Block RAMs of a pipeline that belong to no round are left to the placer. Those of a core without
rounds side by side are neighbours in the middle of as few rows (or columns, where a device has its
RAMs in columns) as hold them, those of the key between those of the state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aesfab.devices import Device
from aesfab.eda import finish
from aesfab.hdl import canonical, roles
from aesfab.measure import harness


def plan(device: Device, source: canonical.Netlist) -> finish.Plan | None:
    """What the floorplan of a core follows from; None on a device whose ``fabric`` is not known.

    Args:
        device: the device.
        source: what the netlist is mapped from, with the names of the RTL that say which part is
            which (``hdl.roles``).
    """
    fabric = device.fabric
    if fabric is None:
        return None
    return finish.Plan(
        ram_rows=[list(row) for row in fabric.ram_rows],
        columns=list(fabric.columns),
        middle=fabric.middle,
        gaps=sorted(fabric.gaps),
        flip_flop=fabric.flip_flop,
        flip_flops_a_tile=fabric.flip_flops_a_tile,
        rams=[kind for kind, cost in device.cells.items() if cost.ram],
        flip_flops={kind: cost.ff for kind, cost in device.cells.items() if cost.ff},
        # A block RAM is called after the memory that it was made from.
        name=canonical.NAME.pattern,
        names={wire: name for wire, name in source.names.items() if wire.startswith("m")},
        middles={net: [list(place) for place in each] for net, each in source.middles.items()},
        round=roles.ROUND.pattern,
        keys=roles.KEYS.pattern,
        sbox_middle=roles.SBOX_MIDDLE.pattern,
        core=harness.CORE,
    )


def fix(netlist: Mapping[str, Any], top: str, device: Device, source: canonical.Netlist) -> int:
    """Give some cells of each round of a pipeline a place, with attribute ``BEL``.

    Nothing changes in a netlist that has neither such rounds nor block RAMs, and on a device whose
    ``fabric`` is not known or has too few block RAMs.

    Args:
        netlist: a flattened, mapped netlist of Yosys; changed in place.
        top: its top module.
        device: the device.
        source: see ``plan``.

    Returns:
        The number of cells that were given a place.
    """
    known = plan(device, source)
    return 0 if known is None else finish.place(netlist, top, known)
