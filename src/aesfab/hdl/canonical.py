# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The canonical form of a netlist: one text for all that differ in names and order only.

Yosys and ABC break ties by the order and the names of what they read, and so map two texts of one
netlist to cores of different areas. What is mapped is therefore this form, not the text of the RTL.

Ports have names, each net has one driver, and the inputs of a cell have an order. So a walk from
the output ports against the direction of the signals has no choice: it meets the same cells in the
same order, whatever they are called and wherever they stand. A cell gets its number when the walk
has met all that drives it, so drivers come before readers but for loops. Read ports of a memory
have no order of their own; they get that in which the walk meets them. Cells that drive no output,
and are kept all the same, are walked from last, in the order of their hashes (``fingerprint``).

Words stay words: a cell is not cut into bits, and each of its outputs is one wire.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from aesfab.hdl import fingerprint, roles

VERSION = "1"
"""Changes whenever the same netlist gets another text than before."""

TOP = "core"
"""The name of the module."""

NAME = re.compile(r"(?<![\w$])[nm]\d+(?![a-zA-Z0-9])")
"""A name of a wire or a memory of the canonical netlist, in one that Yosys made from it."""

_READ = "RD_"

_WITHOUT_MEANING = fingerprint.PLACES | {"full_case", "parallel_case"}
"""Attributes that no mapper looks at once choices are multiplexers."""


@dataclasses.dataclass(frozen=True)
class Netlist:
    """A netlist in canonical form.

    Attributes:
        text: RTLIL, for ``read_rtlil``; its module is ``TOP``.
        names: name of a wire or memory in it to what it is called in the source; without those
            that have no name there. It is for readers of reports, and no mapper sees it.
        middles: name in the source of each signal that ``roles.SBOX_MIDDLE`` fits, to its bits:
            the wire in ``text`` and the index in it.
    """

    text: str
    names: Mapping[str, str]
    middles: Mapping[str, Sequence[tuple[str, int]]]

    def source_name(self, name: str) -> str:
        """A name of a mapped cell or net, with the names of the source that it was made from."""
        return source_name(self.names, name)


def source_name(names: Mapping[str, str], name: str) -> str:
    """``Netlist.source_name`` from its ``names`` alone."""
    return NAME.sub(lambda found: names.get(found[0], found[0]), name)


def of_module(module: Mapping[str, Any], named: Mapping[str, Any] | None = None) -> Netlist:
    """The canonical form of a flat module that Yosys wrote as JSON.

    Args:
        module: the netlist, not yet mapped, with memories as ``$mem_v2``.
        named: the same with all names of the source, where ``module`` has lost some; cells are
            called the same in both. Only names are taken from it.
    """
    return _Writer(module, named or module).netlist()


class _Node(NamedTuple):
    """A cell, or one read port of a memory."""

    cell: str
    port: int | None = None


class _Writer:
    """The walk through a module, and the text of what it met."""

    def __init__(self, module: Mapping[str, Any], named: Mapping[str, Any]) -> None:
        self._ports: Mapping[str, Any] = dict(sorted(module["ports"].items()))
        self._cells: Mapping[str, Any] = module["cells"]
        self._named = named
        self._initial = fingerprint.initial_values(module)
        self._driver: dict[int, _Node] = {}
        for name, cell in self._cells.items():
            for port, bits in _connections(cell, "output"):
                for index, bit in enumerate(bits):
                    if isinstance(bit, int):
                        self._driver[bit] = self._node(name, cell, port, index)
        self._order: list[_Node] = []
        self._seen: set[_Node] = set()
        self._walk_all(module)
        # Wires: of ports, of outputs of cells, and what nothing drives.
        self._wire: dict[int, tuple[str, int, int]] = {}
        self._declared: list[str] = []

    # --------------------------------------------------------------------------- walk

    @staticmethod
    def _node(name: str, cell: Mapping[str, Any], port: str, index: int) -> _Node:
        """What of a cell drives a bit of one of its outputs."""
        if cell["type"] != fingerprint.MEMORY:
            return _Node(name)
        return _Node(name, index // _number(cell, "WIDTH"))

    def _inputs(self, node: _Node) -> Iterator[_Node]:
        """What drives a node, in the order of its ports and of their bits."""
        cell = self._cells[node.cell]
        memory = cell["type"] == fingerprint.MEMORY
        for port, bits in _connections(cell, "input"):
            if memory and (node.port is not None) != port.startswith(_READ):
                continue
            for bit in bits if node.port is None else _share(cell, bits, node.port):
                if bit in self._driver:
                    yield self._driver[bit]
        if node.port is not None:
            yield _Node(node.cell)

    def _walk_all(self, module: Mapping[str, Any]) -> None:
        for port in self._ports.values():
            for bit in port["bits"]:
                if port["direction"] != "input" and bit in self._driver:
                    self._walk(self._driver[bit])
        rest = [name for name in self._cells if _Node(name) not in self._seen]
        if rest:
            hashes = fingerprint.of_cells(module)
            for name in sorted(rest, key=lambda name: hashes[name]):
                self._walk(_Node(name))

    def _walk(self, root: _Node) -> None:
        """Put a node and all that drives it into the order, drivers first."""
        if root in self._seen:
            return
        self._seen.add(root)
        stack = [(root, self._inputs(root))]
        while stack:
            node, inputs = stack[-1]
            following = next((each for each in inputs if each not in self._seen), None)
            if following is None:
                self._order.append(node)
                stack.pop()
            else:
                self._seen.add(following)
                stack.append((following, self._inputs(following)))

    # --------------------------------------------------------------------------- text

    def netlist(self) -> Netlist:
        """The text and the names."""
        number = {node.cell: index for index, node in enumerate(self._order) if node.port is None}
        reads: dict[str, list[int]] = {}
        for node in self._order:
            if node.port is not None:
                reads.setdefault(node.cell, []).append(node.port)
        for index, (name, port) in enumerate(self._ports.items(), 1):
            width = len(port["bits"])
            self._declared.append(f"  wire width {width} {port['direction']} {index} \\{name}")
            if port["direction"] != "output":
                self._give(port["bits"], name)
        memories: dict[str, str] = {}
        for name, count in number.items():
            cell = self._cells[name]
            if cell["type"] == fingerprint.MEMORY:
                memories[f"m{count}"] = name
                ports = [*reads.get(name, [])]
                ports += [p for p in range(_number(cell, "RD_PORTS")) if p not in ports]
                reads[name] = ports
                bits = cell["connections"]["RD_DATA"]
                for place, each in enumerate(ports):
                    self._declare(f"n{count}_{place}", _share(cell, bits, each))
                continue
            outputs = list(_connections(cell, "output"))
            for port_name, bits in outputs:
                self._declare(f"n{count}" + f"_{port_name}" * (len(outputs) > 1), bits)
        marks = self._marks()
        cells = [
            line
            for name, count in number.items()
            for line in self._cell(name, count, reads.get(name, []), marks.get(name, ()))
        ]
        ends = [
            f"  connect \\{name} {self._signal(port['bits'])}"
            for name, port in self._ports.items()
            if port["direction"] == "output"
        ]
        lines = [
            "attribute \\top 1",
            f"module \\{TOP}",
            *self._declared,
            *cells,
            *ends,
            "end",
            "",
        ]
        return Netlist("\n".join(lines), self._names(memories), self._middles())

    def _declare(self, wire: str, bits: Sequence[Any]) -> None:
        """A wire for an output of a cell."""
        initial = "".join(self._initial.get(bit, "x") for bit in reversed(bits))
        if initial.strip("x"):
            self._declared.append(f"  attribute \\init {len(initial)}'{initial}")
        self._declared.append(f"  wire width {len(bits)} \\{wire}")
        self._give(bits, wire)

    def _give(self, bits: Sequence[Any], wire: str) -> None:
        for index, bit in enumerate(bits):
            if isinstance(bit, int):
                self._wire[bit] = (wire, index, len(bits))

    def _cell(
        self, name: str, count: int, reads: Sequence[int], marks: Sequence[str]
    ) -> Iterator[str]:
        cell = self._cells[name]
        parameters, wires = dict(cell["parameters"]), dict(cell["connections"])
        called = f"$c{count}"
        if cell["type"] == fingerprint.MEMORY:
            called = f"\\m{count}"
            parameters = {
                key: "".join(_reordered(cell, value[::-1], reads))[::-1]
                if _of_reads(key)
                else value
                for key, value in parameters.items()
            }
            for key in filter(_of_reads, list(wires)):
                wires[key] = _reordered(cell, wires[key], reads)
            # Yosys refuses two memories of one name.
            parameters["MEMID"] = called
        for attribute, value in sorted(cell["attributes"].items()):
            if attribute not in _WITHOUT_MEANING:
                yield f"  attribute \\{attribute} {_constant(value)}"
        for mark in marks:
            yield f"  attribute \\{mark} 1"
        yield f"  cell {cell['type']} {called}"
        for key, value in sorted(parameters.items()):
            yield f"    parameter \\{key} {_constant(value)}"
        for key, bits in sorted(wires.items()):
            yield f"    connect \\{key} {self._signal(bits)}"
        yield "  end"

    def _signal(self, bits: Sequence[Any]) -> str:
        """Bits as RTLIL: the highest first, neighbours of a wire in one piece."""
        pieces: list[tuple[str, int, int, int]] = []  # wire or "", highest, lowest, its width
        constants: list[str] = []
        for bit in reversed(bits):
            if isinstance(bit, str):
                if pieces and not pieces[-1][0]:
                    constants[pieces[-1][1]] += bit
                else:
                    pieces.append(("", len(constants), 0, 0))
                    constants.append(bit)
                continue
            if bit not in self._wire:
                self._declare(f"u{len(self._wire)}", [bit])
            wire, index, width = self._wire[bit]
            if pieces and (pieces[-1][0], pieces[-1][2]) == (wire, index + 1):
                pieces[-1] = (wire, pieces[-1][1], index, width)
            else:
                pieces.append((wire, index, index, width))
        texts = []
        for wire, high, low, width in pieces:
            if not wire:
                texts.append(f"{len(constants[high])}'{constants[high]}")
            elif high - low == width - 1:
                texts.append(f"\\{wire}")
            else:
                texts.append(f"\\{wire} [{high}]" if high == low else f"\\{wire} [{high}:{low}]")
        return texts[0] if len(texts) == 1 else f"{{ {' '.join(texts)} }}"

    # -------------------------------------------------------------------------- names

    def _drivers_of_names(self) -> dict[tuple[str, str], Sequence[Any]]:
        """Output of a cell, by cell and port, to its bits, in the module with all names."""
        return {
            (name, port): bits
            for name, cell in self._named["cells"].items()
            for port, bits in _connections(cell, "output")
        }

    def _marks(self) -> dict[str, list[str]]:
        """Cells that ``roles`` gives an attribute, by name."""
        owner = {
            bit: name
            for (name, _), bits in self._drivers_of_names().items()
            for bit in bits
            if isinstance(bit, int)
        }
        found: dict[str, list[str]] = {}
        for mark in roles.MARKS:
            for net, entry in self._named["netnames"].items():
                if mark.output.search(net):
                    for name in dict.fromkeys(owner[b] for b in entry["bits"] if b in owner):
                        if self._cells.get(name, {}).get("type") == mark.cell:
                            found.setdefault(name, []).append(mark.attribute)
        return {name: list(dict.fromkeys(marks)) for name, marks in found.items()}

    def _wires_of_names(self) -> dict[int, tuple[str, int]]:
        """A bit of the module with all names to the wire and the index here."""
        found = {}
        for (name, port), bits in self._drivers_of_names().items():
            here = self._cells.get(name, {}).get("connections", {}).get(port, ())
            for bit, own in zip(bits, here, strict=False):
                if isinstance(bit, int) and own in self._wire:
                    found[bit] = self._wire[own][:2]
        return found

    def _names(self, memories: Mapping[str, str]) -> dict[str, str]:
        wires = self._wires_of_names()
        best: dict[str, tuple[Any, ...]] = {}
        for net, entry in self._named["netnames"].items():
            places = [wires.get(bit) for bit in entry["bits"]]
            first = next((place for place in places if place is not None), None)
            if entry.get("hide_name") or first is None:
                continue
            wire = first[0]
            same = places == [(wire, index) for index in range(len(places))]
            # A signal that is all of the wire before one of a part; then the shortest path.
            rank = (not same, net.count("."), len(net), net)
            if wire not in best or rank < best[wire]:
                best[wire] = rank
        return {wire: str(rank[-1]) for wire, rank in best.items()} | dict(memories)

    def _middles(self) -> dict[str, list[tuple[str, int]]]:
        nets = {
            net: entry["bits"]
            for net, entry in self._named["netnames"].items()
            if roles.SBOX_MIDDLE.search(net)
        }
        if not nets:
            return {}
        wires = self._wires_of_names()
        return {net: [wires[bit] for bit in bits if bit in wires] for net, bits in nets.items()}


def _connections(cell: Mapping[str, Any], direction: str) -> Iterator[tuple[str, Sequence[Any]]]:
    """The connections of a cell that are outputs, or those that are not, by the names of ports."""
    for port, bits in sorted(cell["connections"].items()):
        if (cell["port_directions"][port] == "output") == (direction == "output"):
            yield port, bits


def _number(cell: Mapping[str, Any], parameter: str) -> int:
    return int(cell["parameters"][parameter], 2)


def _of_reads(key: str) -> bool:
    """Whether a parameter or connection of a memory has a part for each read port."""
    return key.startswith(_READ) and key != "RD_PORTS"


def _share(cell: Mapping[str, Any], of: Sequence[Any], port: int) -> Sequence[Any]:
    """The part of a read port; empty where masks of write ports are a bit that means nothing."""
    each = len(of) // _number(cell, "RD_PORTS")
    return of[each * port : each * (port + 1)]


def _reordered(cell: Mapping[str, Any], of: Sequence[Any], reads: Sequence[int]) -> list[Any]:
    """The parts of all read ports in another order."""
    if not reads or len(of) < len(reads):
        return list(of)
    if len(of) % len(reads):
        raise ValueError(f"a memory of {len(reads)} read ports has {len(of)} bits for them")
    return [bit for port in reads for bit in _share(cell, of, port)]


def _constant(value: Any) -> str:
    """A parameter or attribute of a netlist in JSON as RTLIL."""
    if isinstance(value, int):
        return str(value)
    # Yosys writes numbers by their bits, and a blank behind a text that looks like one.
    if re.fullmatch(r"0[01]{31}", value):
        return str(int(value, 2))
    if re.fullmatch(r"[01xz]+", value):
        return f"{len(value)}'{value}"
    text = str(value).removesuffix(" ") if re.fullmatch(r"[01xz]* ", value) else str(value)
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
