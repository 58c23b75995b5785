# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a netlist says, as a hash: the same for netlists that differ only in names and order.

Records of measurements and verifications are of the RTL that they were taken from. Were they known
by its text, every comment, every renamed signal and every choice added to the family would make
them worthless. So they are known by the elaborated netlist: its cells, their parameters and how
they are connected.

The hash is that of a colour refinement: every bit has a colour, which at the start only the bits of
input ports have; a cell gives its outputs colours made of its kind and of the colours of its
inputs. Cells in no loop are done once, drivers first; those of a loop all at a time, until no more
of them can be told apart.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from typing import Any

VERSION = "4"
"""Changes whenever the same netlist gets another hash than before."""

PLACES = frozenset({"src", "hdlname", "module_not_derived", "keep_hierarchy", "top"})
"""Attributes that say where something comes from, not what it is."""

MEMORY = "$mem_v2"
"""The type of a memory, with all its ports."""

_NAMES = frozenset({"MEMID"})
"""Parameters that hold a name."""


def of_module(module: Mapping[str, Any], unordered: Collection[str] = ()) -> str:
    """The hash of a flat module of a netlist that Yosys wrote as JSON.

    Ports count by their names, cells by type, parameters, attributes and connections, and initial
    values count. Names of wires and cells, and the order in which they stand, do not. For cells of
    the types in ``unordered`` the order of the bits of an input does not count either.
    """
    colour, signatures = _refined(module, unordered)
    ends = [
        f"{name}.{index} {colour.get(bit, bit)}"
        for name, port in sorted(module["ports"].items())
        for index, bit in enumerate(port["bits"])
    ]
    return _hash("\n".join([*ends, *sorted(signature for _, signature in signatures)]))[:24]


def of_cells(module: Mapping[str, Any]) -> dict[str, str]:
    """The hash of each cell of such a module by its name: what it is and what drives it."""
    found: dict[str, str] = {}
    for name, signature in _refined(module)[1]:
        found[name] = found.get(name, "") + signature
    return found


def initial_values(module: Mapping[str, Any]) -> dict[int, str]:
    """Bits with which registers begin: "0", "1" or "x"."""
    initial: dict[int, str] = {}
    for net in module["netnames"].values():
        value = net.get("attributes", {}).get("init")
        if value is not None:
            for bit, text in zip(net["bits"], reversed(value), strict=False):
                if isinstance(bit, int):
                    initial[bit] = text
    return initial


def _refined(
    module: Mapping[str, Any], unordered: Collection[str] = ()
) -> tuple[dict[Any, str], list[tuple[str, str]]]:
    """The colour of each bit, and the signature of each cell with its name."""
    colour: dict[Any, str] = {}
    for name, port in sorted(module["ports"].items()):
        for index, bit in enumerate(port["bits"]):
            if port["direction"] != "output" and isinstance(bit, int):
                colour[bit] = f"{name}.{index}"
    initial = initial_values(module)
    names: list[str] = []
    cells: list[_Cell] = []
    for name, cell in module["cells"].items():
        for part in _memory(name, cell) if cell["type"] == MEMORY else [cell]:
            names.append(name)
            cells.append(_Cell(part, part["type"] not in unordered))
    signatures: list[tuple[str, str]] = []
    for group in _groups(cells):
        classes = 0
        while True:
            # All cells of a loop at a time, so that their order does not count.
            found = [cells[number].signature(colour) for number in group]
            for number, signature in zip(group, found, strict=True):
                for port, bits in cells[number].outputs:
                    for index, bit in enumerate(bits):
                        colour[bit] = f"{signature}{port}.{index}{initial.get(bit, '')}"
            if len(set(found)) <= classes or len(group) == 1:
                break
            classes = len(set(found))
        signatures += [(names[number], each) for number, each in zip(group, found, strict=True)]
    return colour, signatures


def _memory(name: str, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A memory as one cell for what it holds and how it is written, and one for each read port.

    Yosys lists read ports by the names of their cells, which hold line numbers. The order of write
    ports counts: of two that write to one address, one comes first.
    """
    # What each port has of a parameter, from the lowest bit on; what a port is connected to.
    parameters = dict(cell["parameters"])
    ports = int(parameters.pop("RD_PORTS"), 2)
    bits = {key: parameters.pop(key)[::-1] for key in list(parameters) if key.startswith("RD_")}
    wires = {key: bits for key, bits in cell["connections"].items() if key.startswith("RD_")}

    def share(of: Any, port: int) -> Any:
        # Masks of write ports are a bit long where there are none.
        each = len(of) // ports
        return of[each * port : each * (port + 1)]

    held = {
        **cell,
        "parameters": parameters,
        "port_directions": {**cell["port_directions"], "HELD": "output"},
        "connections": {
            **{key: bits for key, bits in cell["connections"].items() if key not in wires},
            "HELD": [("memory", name)],
        },
    }
    reads = [
        {
            "type": "$mem_v2 read port",
            "parameters": {key: share(value, port) for key, value in bits.items()},
            "attributes": {},
            "port_directions": {**cell["port_directions"], "HELD": "input"},
            "connections": {
                **{key: share(value, port) for key, value in wires.items()},
                "HELD": [("memory", name)],
            },
        }
        for port in range(ports)
    ]
    return [held, *reads]


class _Cell:
    """A cell: what it is, and its connections by direction in the order of port names."""

    def __init__(self, cell: Mapping[str, Any], ordered: bool) -> None:
        self.ordered = ordered
        parameters = [
            f"{name}={value}"
            for name, value in sorted(cell["parameters"].items())
            if name not in _NAMES
        ]
        attributes = [
            f"{name}:{value}"
            for name, value in sorted(cell["attributes"].items())
            if name not in PLACES
        ]
        self.kind = " ".join([cell["type"], *parameters, *attributes])
        self.inputs: list[tuple[str, list[Any]]] = []
        self.outputs: list[tuple[str, list[Any]]] = []
        for port, bits in sorted(cell["connections"].items()):
            output = cell["port_directions"][port] == "output"
            (self.outputs if output else self.inputs).append((port, bits))

    def signature(self, colour: Mapping[Any, str]) -> str:
        """What the cell is, with the colours of its inputs; constants stand for themselves."""
        parts = [self.kind]
        for port, bits in self.inputs:
            parts.append(port)
            colours = [bit if isinstance(bit, str) else colour.get(bit, "") for bit in bits]
            parts += colours if self.ordered else sorted(colours)
        return _hash("\n".join(parts))


def _groups(cells: list[_Cell]) -> Iterator[list[int]]:
    """Cells that are in loops with each other, drivers before readers (Tarjan's algorithm)."""
    driver = {
        bit: number for number, cell in enumerate(cells) for _, bits in cell.outputs for bit in bits
    }
    before = [
        sorted({driver[bit] for _, bits in cell.inputs for bit in bits if bit in driver})
        for cell in cells
    ]
    index: list[int | None] = [None] * len(cells)
    lowest = [0] * len(cells)
    waiting: list[int] = []
    inside = [False] * len(cells)
    count = 0
    for start in range(len(cells)):
        if index[start] is not None:
            continue
        stack = [(start, iter(before[start]))]
        while stack:
            number, drivers = stack[-1]
            if index[number] is None:
                index[number] = lowest[number] = count
                count += 1
                waiting.append(number)
                inside[number] = True
            following = None
            for other in drivers:
                known = index[other]
                if known is None:
                    following = other
                    break
                if inside[other]:
                    lowest[number] = min(lowest[number], known)
            if following is not None:
                stack.append((following, iter(before[following])))
                continue
            stack.pop()
            if stack:
                reader = stack[-1][0]
                lowest[reader] = min(lowest[reader], lowest[number])
            if lowest[number] == index[number]:
                group: list[int] = []
                while not group or group[-1] != number:
                    group.append(waiting.pop())
                    inside[group[-1]] = False
                yield group


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
