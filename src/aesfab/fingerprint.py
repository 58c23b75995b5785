# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a netlist says, as a hash: the same for netlists that differ only in names and order.

Records of measurements and verifications are of the RTL that they were taken from. Were they known
by its text, every comment, every renamed signal and every choice added to the family would make
them worthless. So they are known by the elaborated netlist: its cells, their parameters and how
they are connected.

The hash is that of a colour refinement: every bit has a colour, which at the start only the bits of
input ports have; a cell gives its outputs colours made of its kind and of the colours of its
inputs, until no more bits can be told apart.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

_PLACES = frozenset({"src", "hdlname", "module_not_derived", "keep_hierarchy", "top"})
"""Attributes that say where something comes from, not what it is."""

_NAMES = frozenset({"MEMID"})
"""Parameters that hold a name."""


def of_module(module: Mapping[str, Any]) -> str:
    """The hash of a flat module of a netlist that Yosys wrote as JSON.

    Ports count by their names, cells by type, parameters, attributes and connections, and initial
    values count. Names of wires and cells, and the order in which they stand, do not.
    """
    colour: dict[Any, str] = {}
    for name, port in sorted(module["ports"].items()):
        for index, bit in enumerate(port["bits"]):
            if port["direction"] != "output" and isinstance(bit, int):
                colour[bit] = f"{name}.{index}"
    initial: dict[int, str] = {}
    for net in module["netnames"].values():
        value = net.get("attributes", {}).get("init")
        if value is not None:
            for bit, text in zip(net["bits"], reversed(value), strict=False):
                if isinstance(bit, int):
                    initial[bit] = text
    cells = [_Cell(cell) for cell in module["cells"].values()]
    order = _order(cells)
    # Constants stand for themselves.
    known, classes = colour.get, -1
    while True:
        signatures = []
        for number in order:
            cell = cells[number]
            parts = [cell.kind]
            for port, bits in cell.inputs:
                parts.append(port)
                parts += [
                    known(bit, bit) if isinstance(bit, str) else known(bit, "") for bit in bits
                ]
            signature = _hash("\n".join(parts))
            signatures.append(signature)
            for port, bits in cell.outputs:
                for index, bit in enumerate(bits):
                    colour[bit] = f"{signature}{port}.{index}{initial.get(bit, '')}"
        found = len(set(signatures))
        if found <= classes:
            break
        classes = found
    ends = [
        f"{name}.{index} {colour.get(bit, bit)}"
        for name, port in sorted(module["ports"].items())
        for index, bit in enumerate(port["bits"])
    ]
    return _hash("\n".join([*ends, *sorted(signatures)]))[:24]


class _Cell:
    """A cell: what it is, and its connections by direction in the order of port names."""

    def __init__(self, cell: Mapping[str, Any]) -> None:
        parameters = [
            f"{name}={value}"
            for name, value in sorted(cell["parameters"].items())
            if name not in _NAMES
        ]
        attributes = [
            f"{name}:{value}"
            for name, value in sorted(cell["attributes"].items())
            if name not in _PLACES
        ]
        self.kind = " ".join([cell["type"], *parameters, *attributes])
        self.inputs: list[tuple[str, list[Any]]] = []
        self.outputs: list[tuple[str, list[Any]]] = []
        for port, bits in sorted(cell["connections"].items()):
            output = cell["port_directions"][port] == "output"
            (self.outputs if output else self.inputs).append((port, bits))


def _order(cells: list[_Cell]) -> list[int]:
    """Drivers before readers, but for loops: so one pass colours all that is in none."""
    driver = {
        bit: number for number, cell in enumerate(cells) for _, bits in cell.outputs for bit in bits
    }
    before = [
        sorted({driver[bit] for _, bits in cell.inputs for bit in bits if bit in driver})
        for cell in cells
    ]
    order: list[int] = []
    seen = [False] * len(cells)
    for start in range(len(cells)):
        if seen[start]:
            continue
        seen[start] = True
        stack = [(start, iter(before[start]))]
        while stack:
            number, waiting = stack[-1]
            following = next((n for n in waiting if not seen[n]), None)
            if following is None:
                stack.pop()
                order.append(number)
            else:
                seen[following] = True
                stack.append((following, iter(before[following])))
    return order


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
