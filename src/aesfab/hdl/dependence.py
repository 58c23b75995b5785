# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a signal of an elaborated netlist depends on, over any number of clocks.

A bit depends on an input where there is a way from one to the other through cells and registers. So
a port that has no way from the data or the key says nothing of them, whatever they are: that is the
proof of constant time, for every clock and not only for those that a simulation saw. It errs on one
side only: a way that no values ever open counts as well.
"""

from __future__ import annotations

import graphlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

CONTROL_OUTPUTS = ("key_ready_o", "round_key_ready_o", "in_ready_o", "out_valid_o")
"""Handshakes of a core."""

DATA_OUTPUTS = ("out_block_o", "out_word_o", "out_byte_o")
"""Outputs that carry results. No other output of a core may follow from data or keys."""

DATA_INPUTS = (
    *("key_i", "key_word_i", "round_key_i", "mixed_round_key_i"),
    *("in_block_i", "in_word_i", "in_byte_i", "in_key_i", "in_key_byte_i"),
)
"""Inputs that carry data or keys; the others are clock, reset, handshakes, length and direction."""

_CONSTANTS = frozenset({"0", "1", "x", "z"})
_BITWISE = frozenset({"$and", "$or", "$xor", "$xnor", "$not", "$pos"})
REGISTERS = ("$dff", "$adff", "$sdff", "$aldff", "$dlatch", "$adlatch", "$ff")
"""How the types of cells that are registers begin."""
_DATA = frozenset({"A", "B", "D", "AD"})
"""Ports of multiplexers and registers that hold words of the width of the output."""

Bit = int | str


def control_registers(module: Mapping[str, Any]) -> dict[str, int]:
    """Bits of registers that neither data nor keys reach, by name: what controls a core.

    Args:
        module: a flat module of a netlist of Yosys (``yosys.elaborated``), before it is mapped.

    Returns:
        Name and index of each bit to its number in the netlist, in the order of names.
    """
    before: dict[Bit, set[Bit]] = {}
    after: dict[Bit, list[Bit]] = {}
    registers: list[int] = []
    for name, cell in module["cells"].items():
        for bit, sources in _edges(name, cell):
            before.setdefault(bit, set()).update(sources)
            for source in sources:
                after.setdefault(source, []).append(bit)
        if cell["type"].startswith(REGISTERS):
            registers += [bit for bit in cell["connections"]["Q"] if isinstance(bit, int)]
    reached: set[Bit] = {
        bit
        for name in DATA_INPUTS
        if name in module["ports"]
        for bit in module["ports"][name]["bits"]
    }
    waiting = list(reached)
    while waiting:
        for bit in after.get(waiting.pop(), ()):
            if bit not in reached:
                reached.add(bit)
                waiting.append(bit)
    names: dict[Bit, str] = {}
    for name, net in module["netnames"].items():
        for index, bit in enumerate(net["bits"]):
            # The name in the module of the register is the longest one.
            if len(names.get(bit, "")) <= len(name):
                names[bit] = f"{name}[{index}]"
    control = (b for b in registers if b not in reached and not _is_constant(b, before))
    return dict(sorted((names[bit], bit) for bit in control))


def _is_constant(bit: Bit, before: Mapping[Bit, set[Bit]]) -> bool:
    """Whether a bit follows from constants alone, so that mapping leaves nothing of it."""
    waiting, seen = [bit], {bit}
    while waiting:
        here = waiting.pop()
        if here not in before and here not in _CONSTANTS:
            return False
        waiting += before.get(here, set()) - seen
        seen |= before.get(here, set())
    # What goes round in a loop without an input is no constant.
    sorter = graphlib.TopologicalSorter({each: before.get(each, set()) for each in seen})
    try:
        sorter.prepare()
    except graphlib.CycleError:
        return False
    return True


def inputs_of(module: Mapping[str, Any], outputs: Iterable[str]) -> dict[str, set[str]]:
    """Output ports to the names of the input ports that they depend on, but for clocks.

    Args:
        module: a flat module of a netlist of Yosys (``yosys.elaborated``), before it is mapped.
        outputs: names of output ports; those that the module does not have are left out.
    """
    before: dict[Bit, set[Bit]] = {}
    for name, cell in module["cells"].items():
        for bit, sources in _edges(name, cell):
            before.setdefault(bit, set()).update(sources)
    ports = {
        bit: name
        for name, port in module["ports"].items()
        if port["direction"] != "output"
        for bit in port["bits"]
        if isinstance(bit, int)
    }
    found = {}
    for name in outputs:
        if name not in module["ports"]:
            continue
        waiting: list[Bit] = list(module["ports"][name]["bits"])
        seen = set(waiting)
        while waiting:
            for bit in before.get(waiting.pop(), ()):
                if bit not in seen:
                    seen.add(bit)
                    waiting.append(bit)
        found[name] = {ports[bit] for bit in seen if bit in ports}
    return found


def _edges(name: str, cell: Mapping[str, Any]) -> Iterator[tuple[Bit, Sequence[Bit]]]:
    """Each output bit of a cell with the bits that it is made of."""
    kind, wires = cell["type"], cell["connections"]
    if kind == "$mem_v2":
        yield from _memory(name, cell)
        return
    outputs = [port for port, way in cell["port_directions"].items() if way == "output"]
    clocks = {"CLK"} if kind.startswith(REGISTERS) else set()
    inputs = [port for port in wires if port not in outputs and port not in clocks]
    everything = [bit for port in inputs for bit in wires[port]]
    for port in outputs:
        width = len(wires[port])
        for index, bit in enumerate(wires[port]):
            if kind in _BITWISE:
                # A narrower operand is extended by its last bit, or by a constant.
                yield bit, [wires[p][min(index, len(wires[p]) - 1)] for p in inputs]
            elif kind in ("$mux", "$pmux", "$bmux") or kind.startswith(REGISTERS):
                # What is no data, such as the selectors, counts for every bit, also where it is
                # as wide as the word.
                sources: list[Bit] = []
                for p in inputs:
                    sources += wires[p][index::width] if p in _DATA else wires[p]
                yield bit, sources
            else:
                yield bit, everything


def _memory(name: str, cell: Mapping[str, Any]) -> Iterator[tuple[Bit, Sequence[Bit]]]:
    """A column of a memory holds what is written to it; a read port has that and its address."""
    wires, width = cell["connections"], int(cell["parameters"]["WIDTH"], 2)

    def column(port: str, index: int) -> list[Bit]:
        return list(wires.get(port, [])[index::width])

    for index in range(width):
        held = f"{name} column {index}"
        yield held, [*column("WR_DATA", index), *column("WR_EN", index), *wires.get("WR_ADDR", [])]
    ports = len(wires["RD_DATA"]) // width
    for port in range(ports):
        own: list[Bit] = []
        for kind in ("RD_ADDR", "RD_EN", "RD_ARST", "RD_SRST"):
            bits = wires.get(kind, [])
            each = len(bits) // ports
            own += bits[each * port : each * (port + 1)]
        for index in range(width):
            yield wires["RD_DATA"][width * port + index], [f"{name} column {index}", *own]
