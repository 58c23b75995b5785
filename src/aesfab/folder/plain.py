# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
r"""Plain Verilog-2005 from an elaborated netlist, with the modules and the names of the source.

Yosys elaborates SystemVerilog into cells of whole words, a module for each instance. Written by
Yosys, each cell is an assignment to a numbered wire. Here a cell that is used once is written where
it is used, registers are written as clocked blocks with ``if`` and ``else``, and instances of one
content share a module, so that what comes out can be read beside the source. Structure stays as it
is: reading it again gives the same cells, and so the same area.

Names from inside generate blocks have dots in them, so they are escaped: ``\gen_128.ring_q``.
Paths of instances and registers are those of the source.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import graphlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from aesfab.errors import ToolError
from aesfab.folder import own_names as names

Bit = int | str
"""A bit of a netlist: the number of its net, or "0", "1", "x", "z"."""
Bits = Sequence[Bit]

READING = ("--best-effort-hierarchy",)
"""Options of ``read_slang`` that keep the modules."""
COMMANDS = ("hierarchy -check", "demuxmap", "bwmuxmap", "opt_expr", "dffunmap -ce-only")
"""What is done to the design before it is written: bytes of registers that are written alone,
constants that follow from indices, and enables of registers as choices."""

_WIDTH = 100
_LEAVES = 20
"""References in an expression, at most; beyond it a part gets a wire of its own."""

_BINARY = {
    "$and": "&", "$or": "|", "$xor": "^", "$xnor": "~^", "$add": "+", "$sub": "-", "$mul": "*",
    "$div": "/", "$mod": "%",
}  # fmt: skip
_COMPARE = {"$eq": "==", "$ne": "!=", "$lt": "<", "$le": "<=", "$gt": ">", "$ge": ">="}
_LOGIC = {"$logic_and": "&&", "$logic_or": "||"}
_SHIFT = {"$shl": "<<", "$sshl": "<<", "$shr": ">>"}
_UNARY = {"$not": "~", "$neg": "-"}
_REDUCE = {
    "$reduce_and": "&", "$reduce_or": "|", "$reduce_bool": "|", "$reduce_xor": "^",
    "$reduce_xnor": "~^", "$logic_not": "!",
}  # fmt: skip
_CHOICE = ("$mux", "$pmux", "$bmux")
_ASSOCIATIVE = frozenset("&|^")
_OPERATIONS = {
    *_BINARY, *_COMPARE, *_LOGIC, *_SHIFT, *_UNARY, *_REDUCE, *_CHOICE, "$shiftx", "$buf", "$pos",
}  # fmt: skip
_REGISTERS = ("$dff", "$adff", "$aldff")
_MEMORY = ("$memrd_v2", "$memwr_v2", "$meminit_v2")
_KEPT_ATTRIBUTES = (
    "keep", "ram_style", "rom_style", "ramstyle", "romstyle", "no_rw_check", "ram_block",
)  # fmt: skip


def verilog(
    netlist: Mapping[str, Any],
    top: str,
    rename: Callable[[str], str],
    comment: Callable[[str], str] = lambda _: "",
) -> str:
    """The modules of a netlist as Verilog-2005, the top module last.

    Args:
        netlist: what ``write_json`` gives after ``COMMANDS``.
        top: its top module.
        rename: the name of a module of the source to that which it is to have.
        comment: the name of a module of the source to what is to stand above it.

    Raises ToolError for a cell that is not expected.
    """
    modules = netlist["modules"]
    written: dict[str, str] = {}  # module of the netlist: name
    text_of: dict[str, str] = {}  # name: text
    same: dict[tuple[str, str], str] = {}  # source module and its text: name
    variants: collections.Counter[str] = collections.Counter()

    def write(module: str) -> str:
        if module in written:
            return written[module]
        cells = sorted(modules[module]["cells"].items(), key=_place)
        for _, cell in cells:
            if cell["type"] in modules:
                write(cell["type"])
        source = module.partition("$")[0]
        body = _Module(modules[module], written).text()
        if (source, body) not in same:
            variants[source] += 1
            number = variants[source]
            name = rename(source) + (f"_{number}" if number > 1 else "")
            same[source, body] = name
            above = comment(source) if number == 1 else f"// {rename(source)}, another one.\n"
            text_of[name] = f"{above}module {name}{body}"
        written[module] = same[source, body]
        return written[module]

    write(top)
    return "\n".join(text_of.values())


def _place(item: tuple[str, Mapping[str, Any]]) -> tuple[Any, ...]:
    """Where in the source something stands, to bring it into the order of the source."""
    name, what = item
    found = re.findall(r":(\d+)\.(\d+)", str(what["attributes"].get("src", "")))
    where = min(((int(line), int(column)) for line, column in found), default=(1 << 30, 0))
    return (*where, [int(number) for number in re.findall(r"\d+", name)], name)


def _number(cell: Mapping[str, Any], parameter: str) -> int:
    return int(cell["parameters"][parameter], 2)


@functools.cache
def _identifier(name: str) -> str:
    """A name as Verilog has it: escaped where it is not plain, or a keyword of SystemVerilog."""
    return name if names.is_plain(name) else f"\\{name} "


def _attributes(what: Mapping[str, Any]) -> str:
    """The attributes that tools look at, to stand before a declaration or a block."""
    found = []
    for name in _KEPT_ATTRIBUTES:
        value = what["attributes"].get(name)
        if value is None:
            continue
        if re.fullmatch("[01xz]+", value):
            if int(value, 2):
                found.append(name)
        else:
            found.append(f'{name} = "{value.rstrip()}"')
    return f"(* {', '.join(found)} *) " if found else ""


@dataclasses.dataclass(eq=False)
class _Wire:
    """A declaration.

    Attributes:
        name: as the source has it.
        width: bits.
        offset: index of its lowest bit.
        attributes: see ``_attributes``.
        order: where it is declared.
        port: ``input`` or ``output``.
        register: whether a block drives it.
    """

    name: str
    width: int
    offset: int = 0
    attributes: str = ""
    order: tuple[Any, ...] = ()
    port: str = ""
    register: bool = False

    @property
    def text(self) -> str:
        """As Verilog has it."""
        return _identifier(self.name)

    def part(self, low: int, width: int) -> str:
        """So many bits of it, from one on."""
        if width == self.width:
            return self.text
        low += self.offset
        return f"{self.text}[{low}]" if width == 1 else f"{self.text}[{low + width - 1}:{low}]"

    def declaration(self) -> str:
        """It, without the mark at the end."""
        span = f"[{self.width - 1 + self.offset}:{self.offset}] "
        if self.width == 1 and not self.offset:
            span = ""
        port = f"{self.port} " if self.port else ""
        return f"{self.attributes}{port}{'reg' if self.register else 'wire'} {span}{self.text}"


@dataclasses.dataclass(frozen=True)
class _Text:
    """An expression; ``kind`` is its outermost operator, empty for what needs no parentheses."""

    text: str
    kind: str = ""

    def inside(self, kind: str = "", *, left: bool = False) -> str:
        """As an operand of an operator."""
        if not self.kind or (left and self.kind == kind and kind in _ASSOCIATIVE):
            return self.text
        return f"({self.text})"


@dataclasses.dataclass
class _Clocked:
    """A clocked block: registers with what they get in reset and with a clock; writes."""

    events: str
    reset: str
    attributes: str
    place: tuple[Any, ...]
    registers: list[tuple[Bits, Bits, Bits]] = dataclasses.field(default_factory=list)
    writes: list[Mapping[str, Any]] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class _Write:
    """A write of a word of a memory, or of its bits from ``low`` on, and which of these."""

    cell: Mapping[str, Any]
    enable: Bits
    low: int = 0


class _Module:
    """A module on its way to text."""

    def __init__(self, module: Mapping[str, Any], written: Mapping[str, str]) -> None:
        self.module = module
        self.written = written
        self.memories: Mapping[str, Any] = module.get("memories", {})
        self.cells: dict[str, Mapping[str, Any]] = {
            name: cell
            for name, cell in sorted(module["cells"].items(), key=_place)
            if cell["type"] != "$scopeinfo"
        }
        for cell in self.cells.values():
            self._require_known(cell)
        self.driver = {
            bit: name
            for name, cell in self.cells.items()
            for _, bits in self._ports(cell, "output")
            for bit in bits
        }
        self.taken = {*module["netnames"], *self.memories, *self.cells}
        self.rows = self._rows()
        self.wires: list[_Wire] = []
        self.at: dict[Bit, tuple[_Wire, int]] = {}
        # Bits of wires that have another name too, or are constant.
        self.others: dict[_Wire, dict[int, Bit]] = {}
        self.inline: dict[Bit, str] = {}
        self.leaves: dict[str, int] = {}
        self.whole: dict[str, _Wire] = {}
        self.functions: dict[str, str] = {}
        self._place_named()
        self.used = self._uses()
        self._drop_unused()
        self._place_the_rest()
        # Variables of functions stay behind, with nothing in them.
        self.wires = [wire for wire in self.wires if wire.port or self._serves(wire)]

    def _rows(self) -> dict[str, list[str]]:
        """Arrays whose words are all read and written by number: name to a register for each word.

        They are no memories. And Icarus Verilog 11 may miss that a word of an array has changed
        where a continuous assignment reads it.
        """
        fixed = {name for name, memory in self.memories.items() if not _attributes(memory)}
        for cell in self.cells.values():
            if cell["type"] in _MEMORY:
                by_number = all(isinstance(bit, str) for bit in cell["connections"]["ADDR"])
                if cell["type"] == "$meminit_v2" or not by_number:
                    fixed.discard(cell["parameters"]["MEMID"][1:])
        return {
            name: [self._new_name(f"{name}_{number}") for number in range(int(memory["size"]))]
            for name, memory in self.memories.items()
            if name in fixed and int(memory["start_offset"]) == 0
        }

    # ------------------------------------------------------------------ what is there

    def _require_known(self, cell: Mapping[str, Any]) -> None:
        kind = cell["type"]
        known = kind in _OPERATIONS or kind in _REGISTERS or kind in _MEMORY
        if not known and kind not in self.written:
            raise ToolError(f"translation to Verilog-2005: no text for a cell {kind}")
        if kind == "$memrd_v2" and _number(cell, "CLK_ENABLE"):
            raise ToolError("translation to Verilog-2005: a memory with a register in it")

    @staticmethod
    def _ports(cell: Mapping[str, Any], direction: str) -> Iterator[tuple[str, Bits]]:
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] == direction and not (
                cell["type"] == "$memrd_v2" and port not in ("ADDR", "DATA")
            ):
                yield port, bits

    def _result(self, cell: Mapping[str, Any]) -> Bits:
        """The output of a cell that has one."""
        ((_, bits),) = self._ports(cell, "output")
        return bits

    def _reads(self, cell: Mapping[str, Any]) -> bool:
        """Whether it is an operation, or reads a memory."""
        return cell["type"] in _OPERATIONS or cell["type"] == "$memrd_v2"

    def _uses(self) -> dict[Bit, list[tuple[str, str, int]]]:
        """Each bit to where it is read: cell, port, position; a wire of another name as a cell."""
        used: dict[Bit, list[tuple[str, str, int]]] = collections.defaultdict(list)
        for name, cell in self.cells.items():
            for port, bits in self._ports(cell, "input"):
                for position, bit in enumerate(bits):
                    used[bit].append((name, port, position))
        for wire, bits_of in self.others.items():
            for index, bit in bits_of.items():
                used[bit].append(("", wire.name, index))
        return used

    def _drop_unused(self) -> None:
        """Leave out operations that nothing reads and that have no name of the source."""
        waiting = list(self.cells)
        while waiting:
            name = waiting.pop()
            cell = self.cells.get(name)
            if cell is None or not self._reads(cell):
                continue
            if any(bit in self.at or self.used.get(bit) for bit in self._result(cell)):
                continue
            del self.cells[name]
            for _, bits in self._ports(cell, "input"):
                for bit in bits:
                    self.used[bit] = [use for use in self.used[bit] if use[0] != name]
                    waiting += [self.driver[bit]] if bit in self.driver else []

    # ------------------------------------------------------------------ names of bits

    def _in_block(self, bit: Bit) -> bool:
        kind = self.cells[self.driver[bit]]["type"] if bit in self.driver else ""
        return kind in _REGISTERS

    def _place_named(self) -> None:
        """Give bits the names of the source."""
        ports = self.module["ports"]
        nets = [item for item in self.module["netnames"].items() if not item[1]["hide_name"]]
        nets.sort(key=lambda i: (ports.get(i[0], {}).get("direction") != "input", _place(i)))
        for name, net in nets:
            bits: Bits = net["bits"]
            direction = ports.get(name, {}).get("direction", "")
            order = (0, list(ports).index(name)) if direction else (1, *_place((name, net)))
            offset = int(net.get("offset", 0))
            wire = _Wire(name, len(bits), offset, _attributes(net), order, direction)
            self.wires.append(wire)
            if re.search("[01]", net["attributes"].get("init", "")):
                raise ToolError(f"translation to Verilog-2005: {name} has a value to start with")
            new = {bit for bit in bits if isinstance(bit, int) and bit not in self.at}
            drivers = {self.driver.get(bit, "") for bit in new}
            in_block = [bit for bit in new if self._in_block(bit)]
            split = bool(in_block) and (len(drivers) > 1 or len(new) < len(bits))
            wire.register = bool(in_block) and not split
            index = 0
            while index < len(bits):
                bit = bits[index]
                if bit not in new:
                    if bit not in ("x", "z"):
                        self.others.setdefault(wire, {})[index] = bit
                    index += 1
                    continue
                run = [bit]
                for following in bits[index + 1 :]:
                    if following not in new or following in run:
                        break
                    if split and self.driver.get(following) != self.driver.get(bit):
                        break
                    run.append(following)
                new.difference_update(run)
                place, start = wire, index
                if split:
                    # The elements of an array, each with a register of its own.
                    number = index // len(run) if index % len(run) == 0 else index
                    register = self._in_block(bit)
                    place = self._new_wire(f"{name}_{number}", len(run), order, register=register)
                    start = 0
                    if direction:
                        self.others.setdefault(wire, {}).update(enumerate(run, index))
                self.at.update({each: (place, start + at) for at, each in enumerate(run)})
                index += len(run)

    def _serves(self, wire: _Wire) -> bool:
        """Whether anything drives or reads it."""
        if wire in self.others:
            return True
        bits = [bit for bit, (at, _) in self.at.items() if at is wire]
        return any(bit in self.driver or self.used.get(bit) for bit in bits)

    def _new_wire(
        self, name: str, width: int, order: tuple[Any, ...], *, register: bool = False
    ) -> _Wire:
        wire = _Wire(self._new_name(name), width, order=order, register=register)
        self.wires.append(wire)
        return wire

    def _new_name(self, name: str) -> str:
        stem, number = name, 1
        while name in self.taken:
            number += 1
            name = f"{stem}_{number}"
        self.taken.add(name)
        return name

    def _place_the_rest(self) -> None:
        """Write each operation without a name where it is used, or give it a wire."""
        before = {
            name: [
                self.driver[bit]
                for _, bits in self._ports(cell, "input")
                for bit in bits
                if bit in self.driver
            ]
            if self._reads(cell)
            else []
            for name, cell in self.cells.items()
        }
        for name in graphlib.TopologicalSorter(before).static_order():
            cell = self.cells[name]
            if cell["type"] == "$pmux":
                self.functions[name] = self._new_name(f"{self._result_of(name)}_by")
            for port, bits in self._ports(cell, "output"):
                nameless = [bit for bit in bits if bit not in self.at]
                if not nameless:
                    continue
                if len(nameless) == len(bits) and self._may_be_inline(name, cell, bits):
                    self.inline.update(dict.fromkeys(bits, name))
                    continue
                order = (2, *_place((name, cell)))
                register = cell["type"] in _REGISTERS
                wire = self._new_wire(
                    self._name_for(name, port), len(nameless), order, register=register
                )
                self.at.update({bit: (wire, index) for index, bit in enumerate(nameless)})
            if cell["type"] == "$shiftx":
                bits = cell["connections"]["A"]
                wire = self._new_wire(
                    self._name_for(name, "A"), len(bits), (2, *_place((name, cell)))
                )
                self.others[wire] = dict(enumerate(bits))
                self.whole[name] = wire

    def _may_be_inline(self, name: str, cell: Mapping[str, Any], bits: Bits) -> bool:
        """Whether an operation can stand where it is used: once, as a whole, with its width."""
        if not self._reads(cell) or not self._keeps_width(cell):
            return False
        self.leaves[name] = leaves = sum(
            self._leaves(part) for _, part in self._ports(cell, "input")
        )
        uses = [self.used.get(bit, []) for bit in bits]
        simple = len(bits) == 1 and leaves == 1 and cell["type"] in ("$not", "$logic_not")
        if simple and all(port not in ("CLK", "ALOAD", "ARST") for _, port, _ in uses[0]):
            return True
        if leaves > _LEAVES or any(len(each) != 1 for each in uses):
            return False
        ((sink, port, first),) = uses[0]
        if any(each[0] != (sink, port, first + index) for index, each in enumerate(uses)):
            return False
        kind = self.cells[sink]["type"] if sink else ""
        # What is written several times, and what has to be a name.
        repeated = (kind == "$bmux" and port == "S") or kind == "$pos"
        return not repeated and port not in ("CLK", "ALOAD", "ARST")

    @staticmethod
    def _keeps_width(cell: Mapping[str, Any]) -> bool:
        """Whether its text has, anywhere, the width of its result."""
        kind = cell["type"]
        if kind in _BINARY:
            widths = {_number(cell, f"{port}_WIDTH") for port in "ABY"}
            return len(widths) == 1
        if kind in _SHIFT or kind in _UNARY:
            return _number(cell, "A_WIDTH") == _number(cell, "Y_WIDTH")
        if kind in _COMPARE or kind in _LOGIC or kind in _REDUCE:
            return _number(cell, "Y_WIDTH") == 1
        return True

    def _leaves(self, bits: Bits) -> int:
        return sum(self.leaves[of] if of else 1 for of, _ in self._chunks(bits))

    def _name_for(self, name: str, port: str) -> str:
        """A name for a result that has none in the source: after the wire that it leads to."""
        cell = self.cells[name]
        if cell["type"] == "$memrd_v2":
            address = cell["connections"]["ADDR"]
            fixed = all(isinstance(bit, str) for bit in address)
            return f"{cell['parameters']['MEMID'][1:]}_{_value(address) if fixed else 'word'}"
        if not self._reads(cell) and cell["type"] not in _REGISTERS:
            return f"{name}_{port}"
        return f"{self._result_of(name)}_t"

    def _result_of(self, name: str) -> str:
        """The wire of the source that the result of an operation is, or leads to."""
        for bit in self._result(self.cells[name]):
            if bit in self.at:
                return self.at[bit][0].name
        seen = set()
        while name not in seen:
            seen.add(name)
            bits = self._result(self.cells[name])
            uses = [use for bit in bits for use in self.used.get(bit, [])]
            if not uses:
                break
            name, port, _ = uses[0]
            if not name:
                return port
            cell = self.cells[name]
            if cell["type"] in self.written:
                return f"{name}_{port}"
            if cell["type"] == "$memwr_v2":
                return str(cell["parameters"]["MEMID"][1:])
            for bit in self._result(cell):
                if bit in self.at:
                    return self.at[bit][0].name
        return "value"

    # ------------------------------------------------------------------ expressions

    def _chunks(self, bits: Bits) -> Iterator[tuple[str, list[Bit]]]:
        """Bits in pieces, from the lowest: of an operation that stands here, of a wire, constants.

        Each with the name of the operation, if it is one.
        """
        index = 0
        while index < len(bits):
            bit = bits[index]
            if bit in self.inline:
                name = self.inline[bit]
                width = len(self._result(self.cells[name]))
                yield name, list(bits[index : index + width])
                index += width
                continue
            piece = [bit]
            for following in bits[index + 1 :]:
                if not self._continues(piece[-1], following):
                    break
                piece.append(following)
            yield "", piece
            index += len(piece)

    def _continues(self, bit: Bit, following: Bit) -> bool:
        if isinstance(bit, str) or isinstance(following, str):
            return isinstance(bit, str) and isinstance(following, str)
        if bit not in self.at or following not in self.at:
            return False
        (wire, index), (other, at) = self.at[bit], self.at[following]
        return wire is other and at == index + 1

    def _text(self, bits: Bits) -> _Text:
        """Bits as an expression of their width."""
        parts: list[_Text] = []
        for name, piece in self._chunks(bits):
            if name:
                parts.append(self._operation(self.cells[name]))
            elif isinstance(piece[0], str):
                parts.append(_Text(_constant(piece)))
            elif piece[0] in self.at:
                wire, index = self.at[piece[0]]
                parts.append(_Text(wire.part(index, len(piece))))
            else:
                parts.append(_Text(f"{len(piece)}'b{'x' * len(piece)}"))
        if len(parts) == 1:
            return parts[0]
        # Highest first; what follows itself is written once.
        runs: list[tuple[str, int]] = []
        for part in reversed(parts):
            if runs and runs[-1][0] == part.text:
                runs[-1] = part.text, runs[-1][1] + 1
            else:
                runs.append((part.text, 1))
        texts = [text if number == 1 else f"{{{number}{{{text}}}}}" for text, number in runs]
        return _Text(texts[0] if len(texts) == 1 else f"{{{', '.join(texts)}}}")

    def _operation(self, cell: Mapping[str, Any]) -> _Text:
        """The expression of an operation."""
        kind = cell["type"]
        bits = cell["connections"]
        if kind == "$memrd_v2":
            return _Text(self._word(cell))
        if kind in ("$shiftx", "$pmux"):
            (name,) = (name for name, other in self.cells.items() if other is cell)
            if kind == "$pmux":
                return _Text(self._choice_of_several(name)[1])
            return self._dynamic_part(cell, name)
        a = self._text(bits["A"])
        if kind == "$buf":
            return a
        if kind == "$pos":
            more = _number(cell, "Y_WIDTH") - _number(cell, "A_WIDTH")
            sign = bits["A"][-1] if _number(cell, "A_SIGNED") else "0"
            return self._text([*bits["A"], *[sign] * more][: _number(cell, "Y_WIDTH")])
        if kind in _UNARY:
            return _Text(_UNARY[kind] + a.inside())
        if kind in _REDUCE:
            sign = _REDUCE[kind]
            return _Text(sign + a.inside(), "" if sign == "!" else "unary")
        if kind == "$mux":
            return self._choice(bits["S"], self._text(bits["B"]), a)
        if kind == "$bmux":
            return self._index(bits["A"], bits["S"], _number(cell, "WIDTH"))
        b = self._text(bits["B"])
        sign = {**_BINARY, **_COMPARE, **_LOGIC, **_SHIFT}[kind]
        signed = kind not in _SHIFT and _number(cell, "A_SIGNED") and _number(cell, "B_SIGNED")
        if signed and (kind in _COMPARE or not self._keeps_width(cell)):
            return _Text(f"$signed({a.text}) {sign} $signed({b.text})", sign)
        return _Text(f"{a.inside(sign, left=True)} {sign} {b.inside()}", sign)

    def _choice(self, select: Bits, one: _Text, zero: _Text) -> _Text:
        condition = self._text(select).inside()
        otherwise = zero.text if zero.kind == "?" else zero.inside()
        return _Text(f"{condition} ? {one.inside()} : {otherwise}", "?")

    def _index(self, words: Bits, select: Bits, width: int) -> _Text:
        """The word of a row that an index selects."""
        if not select:
            return self._text(words)
        half = len(words) // 2
        low, high = (self._index(each, select[:-1], width) for each in (words[:half], words[half:]))
        return self._choice(select[-1:], high, low)

    def _dynamic_part(self, cell: Mapping[str, Any], name: str) -> _Text:
        bits = list(cell["connections"]["B"])
        if _number(cell, "B_SIGNED"):
            if bits[-1] != "0":
                raise ToolError("translation to Verilog-2005: an index that may be negative")
            while bits[-1] == "0" and len(bits) > 1:
                bits.pop()
        index = self._text(bits).text
        width = _number(cell, "Y_WIDTH")
        wire = self.whole[name]
        return _Text(f"{wire.text}[{index}]" if width == 1 else f"{wire.text}[{index} +: {width}]")

    def _word(self, cell: Mapping[str, Any]) -> str:
        """A word of a memory."""
        address = list(cell["connections"]["ADDR"])
        memory = cell["parameters"]["MEMID"][1:]
        if memory in self.rows:
            return _identifier(self.rows[memory][_value(address)])
        if all(isinstance(bit, str) for bit in address):
            index = str(_value(address))
        else:
            while address[-1] == "0":
                address.pop()
            index = self._text(address).text
        return f"{_identifier(memory)}[{index}]"

    # ------------------------------------------------------------------ statements

    def text(self) -> str:
        """The module from behind its name on."""
        ports = sorted((wire for wire in self.wires if wire.port), key=lambda w: w.order)
        head = [f"  {wire.declaration()}," for wire in ports]
        lines = [" (", *head[:-1], head[-1][:-1], ");", ""]
        start = len(lines)
        inner = sorted((wire for wire in self.wires if not wire.port), key=lambda w: w.order)
        lines += [f"  {wire.declaration()};" for wire in inner]
        for name, memory in self.memories.items():
            first, size = int(memory["start_offset"]), int(memory["size"])
            if name in self.rows:
                span = f"[{int(memory['width']) - 1}:0]"
                lines += [f"  reg {span} {_identifier(row)};" for row in self.rows[name]]
                continue
            lines.append(
                f"  {_attributes(memory)}reg [{int(memory['width']) - 1}:0] {_identifier(name)} "
                f"[{first}:{first + size - 1}];"
            )
        if len(lines) > start:
            lines.append("")
        items = [
            *self._functions(),
            *self._assigns(),
            *self._aliases(),
            *self._instances(),
            *self._blocks(),
        ]
        items += self._contents()
        lines += [line for _, item in sorted(items, key=lambda item: item[0]) for line in item]
        lines += ["", "endmodule", ""]
        text = "\n".join(line for long in lines for line in _folded(long))
        return re.sub(r"\n{3,}", "\n\n", text)

    def _assigns(self) -> Iterator[tuple[Any, list[str]]]:
        for name, cell in self.cells.items():
            if not self._reads(cell):
                continue
            bits = self._result(cell)
            if bits[0] in self.inline:
                continue
            if cell["type"] == "$buf":
                yield _place((name, cell)), self._assigned(bits, cell["connections"]["A"])
            else:
                value = self._operation(cell).text
                yield _place((name, cell)), [f"  assign {self._text(bits).text} = {value};"]

    def _assigned(self, bits: Bits, values: Bits) -> list[str]:
        """Assignments of values to bits: one, or one each where values are more than names."""
        pieces = list(self._chunks(values))
        if len(pieces) == 1 or not any(name for name, _ in pieces):
            return [f"  assign {self._text(bits).text} = {self._text(values).text};"]
        lines = []
        start = 0
        for _, piece in pieces:
            target = self._text(bits[start : start + len(piece)]).text
            lines.append(f"  assign {target} = {self._text(piece).text};")
            start += len(piece)
        return lines

    def _aliases(self) -> Iterator[tuple[Any, list[str]]]:
        for wire, bits_of in self.others.items():
            run: list[int] = []
            for index in [*sorted(bits_of), -1]:
                if run and index != run[-1] + 1:
                    value = self._text([bits_of[each] for each in run]).text
                    place = (*wire.order[1:4], [run[0]], wire.name)
                    if wire.port:
                        place = (1 << 30, 0, [run[0]], wire.name)
                    yield place, [f"  assign {wire.part(run[0], len(run))} = {value};"]
                    run = []
                run.append(index)

    def _instances(self) -> Iterator[tuple[Any, list[str]]]:
        for name, cell in self.cells.items():
            if cell["type"] not in self.written:
                continue
            ports = []
            for port, bits in cell["connections"].items():
                output = cell["port_directions"][port] == "output"
                read = any(self.used.get(bit) or not self._is_temporary(bit) for bit in bits)
                value = self._text(bits).text if read or not output else ""
                ports.append(f"    .{_identifier(port)}({value})")
            body = ",\n".join(ports).split("\n")
            head = f"  {self.written[cell['type']]} {_identifier(name)} ("
            yield _place((name, cell)), ["", head, *body, "  );", ""]

    def _is_temporary(self, bit: Bit) -> bool:
        return bit in self.at and self.at[bit][0].order[0] == 2

    def _functions(self) -> Iterator[tuple[Any, list[str]]]:
        """The choices of several."""
        for name, cell in self.cells.items():
            if cell["type"] == "$pmux":
                yield _place((name, cell)), self._choice_of_several(name)[0]

    def _choice_of_several(self, name: str) -> tuple[list[str], str]:
        """A function with a case, and its call.

        A block ``always @*`` would not do: what has its value before the block looks for the first
        time would never be looked at.
        """
        cell = self.cells[name]
        bits = cell["connections"]
        width = _number(cell, "WIDTH")
        function = _identifier(self.functions[name])
        tests = [self._compared(bit) for bit in bits["S"]]
        of = tests[0][0] if tests[0] else None
        if of is not None and all(test and list(test[0]) == list(of) for test in tests):
            select, kind = list(of), "case"
            labels = [_constant(test[1]) for test in tests if test]
        else:
            select, kind = list(bits["S"]), "(* parallel_case *) casez"
            labels = [
                f"{len(select)}'b{'?' * (len(select) - 1 - at)}1{'?' * at}"
                for at in range(len(select))
            ]
        inputs, given = [_declared("by", len(select))], [self._text(select).text]
        lines = []
        values = [bits["B"][at : at + width] for at in range(0, len(bits["B"]), width)]
        # The first one of a case is the highest bit of what selects.
        choices = [*reversed(list(zip(labels, values, strict=True))), ("default", bits["A"])]
        for number, (label, value) in enumerate(choices):
            text = self._text(value).text
            if not all(isinstance(bit, str) for bit in value):
                given.append(text)
                text = f"value{number}"
                inputs.append(_declared(text, width))
            lines.append(f"      {label}: {function} = {text};")
        span = f"[{width - 1}:0] " if width > 1 else ""
        declarations = [f"    {each};" for each in inputs]
        return [
            "",
            f"  function {span}{function};",
            *declarations,
            f"    {kind} (by)",
            *lines,
            "    endcase",
            "  endfunction",
            "",
        ], f"{function}({', '.join(given)})"

    def _compared(self, bit: Bit) -> tuple[Bits, Bits] | None:
        """What a bit compares with which constant."""
        cell = self.cells.get(self.driver.get(bit, ""))
        if cell is None:
            return None
        a = cell["connections"].get("A", [])
        if cell["type"] == "$logic_not" or (cell["type"] == "$not" and len(a) == 1):
            return a, ["0"] * len(a)
        b = cell["connections"].get("B", [])
        if cell["type"] == "$eq" and len(a) == len(b) and all(each in ("0", "1") for each in b):
            return a, b
        return None

    def _contents(self) -> Iterator[tuple[Any, list[str]]]:
        for name, cell in self.cells.items():
            if cell["type"] != "$meminit_v2":
                continue
            bits = cell["connections"]
            if set(bits["EN"]) != {"1"}:
                raise ToolError("translation to Verilog-2005: a memory that begins half known")
            width = _number(cell, "WIDTH")
            first = _value(bits["ADDR"])
            memory = _identifier(cell["parameters"]["MEMID"][1:])
            lines = [
                f"    {memory}[{first + at // width}] = {_constant(bits['DATA'][at : at + width])};"
                for at in range(0, len(bits["DATA"]), width)
            ]
            yield _place((name, cell)), ["", "  initial begin", *lines, "  end", ""]

    # ------------------------------------------------------------------ clocked blocks

    def _blocks(self) -> Iterator[tuple[Any, list[str]]]:
        blocks: dict[tuple[Any, ...], _Clocked] = {}
        for name, cell in self.cells.items():
            if cell["type"] not in _REGISTERS:
                continue
            bits = cell["connections"]
            events = self._event(bits["CLK"], _number(cell, "CLK_POLARITY"))
            reset, value = "", bits["D"]
            if cell["type"] != "$dff":
                port, with_value = ("ALOAD", "AD") if cell["type"] == "$aldff" else ("ARST", "")
                polarity = _number(cell, f"{port}_POLARITY")
                events += f" or {self._event(bits[port], polarity)}"
                reset = ("" if polarity else "!") + self._text(bits[port]).text
                value = (
                    bits[with_value]
                    if with_value
                    else list(reversed(cell["parameters"]["ARST_VALUE"]))
                )
            place = _place((name, cell))
            key = (place[:2], events, reset, _attributes(cell))
            block = blocks.setdefault(key, _Clocked(events, reset, key[3], place))
            block.registers.append((bits["Q"], value, bits["D"]))
        self._place_writes(blocks)
        for block in blocks.values():
            yield block.place, self._block(block)

    def _place_writes(self, blocks: dict[tuple[Any, ...], _Clocked]) -> None:
        """Put each write of a memory into a block, with those that it comes before or behind."""
        cells = [cell for cell in self.cells.values() if cell["type"] == "$memwr_v2"]
        memories: dict[str, list[list[Mapping[str, Any]]]] = {}
        for cell in sorted(cells, key=lambda cell: _number(cell, "PORTID")):
            if not _number(cell, "CLK_ENABLE"):
                raise ToolError("translation to Verilog-2005: a memory that is written unclocked")
            groups = memories.setdefault(cell["parameters"]["MEMID"], [])
            mask = cell["parameters"]["PRIORITY_MASK"][::-1]
            above = [
                group
                for group in groups
                if any(mask[_number(other, "PORTID")] == "1" for other in group)
            ]
            merged = [other for group in above for other in group]
            groups[:] = [group for group in groups if group not in above]
            groups.append(sorted([*merged, cell], key=lambda each: _number(each, "PORTID")))
        for groups in memories.values():
            for number, group in enumerate(groups):
                clocks = {
                    self._event(cell["connections"]["CLK"], _number(cell, "CLK_POLARITY"))
                    for cell in group
                }
                if len(clocks) > 1:
                    raise ToolError("translation to Verilog-2005: a memory with two clocks")
                (events,) = clocks
                place = _place(("", group[0]))
                # The block of the source that it stands in: the last one that begins before it.
                before = [
                    block
                    for block in blocks.values()
                    if block.events == events and not block.attributes
                    if block.place[:2] < place[:2] and len(groups) == 1
                ]
                own = _Clocked(events, "", "", (*place[:2], [number], group[0]["type"]))
                block = max(before, key=lambda each: each.place[:2], default=own)
                block.writes += group
                if block is own:
                    blocks[place[:2], events, number, group[0]["parameters"]["MEMID"]] = own

    def _event(self, clock: Bits, polarity: int) -> str:
        return f"{'posedge' if polarity else 'negedge'} {self._text(clock).text}"

    def _block(self, block: _Clocked) -> list[str]:
        steps = [(q, d) for q, _, d in block.registers]
        lines = self._steps(steps, {}, 2)
        writes = [_Write(cell, cell["connections"]["EN"]) for cell in block.writes]
        lines += self._writes(writes, {}, 2)
        if block.reset:
            lines = [
                f"    if ({block.reset}) begin",
                *(
                    f"      {self._text(q).text} <= {self._text(value).text};"
                    for q, value, _ in block.registers
                ),
                "    end else begin",
                *(f"  {line}" for line in lines),
                "    end",
            ]
        return [
            "",
            f"  {block.attributes}always @({block.events}) begin",
            *lines,
            "  end",
            "",
        ]

    def _mux(self, bits: Bits) -> Mapping[str, Any] | None:
        """The choice between two that just these bits are, where it is written here."""
        name = self.inline.get(bits[0])
        if name is None or self.cells[name]["type"] != "$mux":
            return None
        return self.cells[name] if list(self._result(self.cells[name])) == list(bits) else None

    def _steps(
        self, steps: Sequence[tuple[Bits, Bits]], known: Mapping[Bit, bool], depth: int
    ) -> list[str]:
        """Statements that give registers their next values, under conditions that are known."""
        groups: dict[Bit | None, list[tuple[Bits, Bits]]] = {}
        for register, value in steps:
            # A choice that has been made further up.
            while (mux := self._mux(value)) is not None:
                (select,) = mux["connections"]["S"]
                if select not in known:
                    break
                value = mux["connections"]["B" if known[select] else "A"]
            if list(register) == list(value):
                continue
            select = mux["connections"]["S"][0] if mux is not None else None
            groups.setdefault(select, []).append((register, value))
        lines = []
        for select, members in groups.items():
            if select is None:
                lines += [
                    f"{'  ' * depth}{self._text(q).text} <= {self._text(d).text};"
                    for q, d in members
                ]
                continue
            branches = []
            for port, taken in (("B", True), ("A", False)):
                chosen = [
                    (q, mux["connections"][port])
                    for q, d in members
                    if (mux := self._mux(d)) is not None
                ]
                branches.append(self._steps(chosen, {**known, select: taken}, depth + 1))
            lines += self._if(self._text([select]), branches[0], branches[1], depth)
        return lines

    @staticmethod
    def _if(condition: _Text, one: list[str], zero: list[str], depth: int) -> list[str]:
        margin = "  " * depth
        if not one and not zero:
            return []
        if not one:
            return [f"{margin}if (!{condition.inside()}) begin", *zero, f"{margin}end"]
        lines = [f"{margin}if ({condition.text}) begin", *one]
        # A lone choice goes on the line of the other one.
        single = (
            zero
            and zero[0].startswith(f"{margin}  if (")
            and all(
                line.startswith(f"{margin}   ") or line.startswith(f"{margin}  end")
                for line in zero[1:]
            )
            and sum(line.startswith(f"{margin}  if (") for line in zero) == 1
        )
        if single and zero[-1] == f"{margin}  end":
            lines.append(f"{margin}end else {zero[0].strip()}")
            lines += [line[2:] for line in zero[1:]]
            return lines
        if zero:
            lines += [f"{margin}end else begin", *zero]
        return [*lines, f"{margin}end"]

    def _writes(self, writes: Sequence[_Write], known: Mapping[Bit, bool], depth: int) -> list[str]:
        """Statements that write words of memories, in this order."""
        groups: list[tuple[Bit | None, list[_Write]]] = []
        else_begun = False
        for each in writes:
            write = each
            choice = self._chosen_by(write)
            while choice is not None and choice[0] in known:
                write = choice[1] if known[choice[0]] else choice[2]
                choice = self._chosen_by(write)
            if set(write.enable) == {"0"}:
                continue
            select = choice[0] if choice is not None else None
            both = [set(branch.enable) != {"0"} for branch in choice[1:]] if choice else []
            together = groups and select is not None and groups[-1][0] == select
            # Of two that write one word the later one counts.
            if together and not (else_begun and both[0]):
                groups[-1][1].append(write)
            else:
                groups.append((select, [write]))
                else_begun = False
            else_begun |= bool(both) and both[1]
        lines: list[str] = []
        for select, members in groups:
            if select is None:
                lines += self._written(members[0], known, depth)
                continue
            one, zero = (
                self._writes(members, {**known, select: on}, depth + 1) for on in (True, False)
            )
            lines += self._if(self._text([select]), one, zero, depth)
        return lines

    def _chosen_by(self, write: _Write) -> tuple[Bit, _Write, _Write] | None:
        """What chooses the enable of a write, and the write where that is one and zero."""
        bits = write.enable
        mux = self._mux(bits)
        one: Bits
        zero: Bits
        if mux is not None:
            one, zero = mux["connections"]["B"], mux["connections"]["A"]
            select = mux["connections"]["S"][0]
        elif len(set(bits)) > 1 or isinstance(bits[0], str):
            return None
        else:
            one, zero, select = ["1"] * len(bits), ["0"] * len(bits), bits[0]
        # What a condition was made of.
        while select in self.inline:
            cell = self.cells[self.inline[select]]
            inputs = cell["connections"]
            if cell["type"] == "$mux" and [*inputs["A"], *inputs["B"]] == ["0", "1"]:
                select = inputs["S"][0]
                continue
            if cell["type"] == "$mux" and [*inputs["A"], *inputs["B"]] == ["1", "0"]:
                select = inputs["S"][0]
            elif cell["type"] in ("$not", "$logic_not") and len(inputs["A"]) == 1:
                select = inputs["A"][0]
            else:
                break
            one, zero = zero, one
        return (
            select,
            dataclasses.replace(write, enable=one),
            dataclasses.replace(write, enable=zero),
        )

    def _written(self, write: _Write, known: Mapping[Bit, bool], depth: int) -> list[str]:
        """The statements of a write that is chosen by nothing."""
        enable, margin = write.enable, "  " * depth
        if set(enable) == {"1"}:
            target = self._word(write.cell)
            if len(enable) < _number(write.cell, "WIDTH"):
                last = write.low + len(enable) - 1
                target += f"[{last}:{write.low}]" if len(enable) > 1 else f"[{last}]"
            data = write.cell["connections"]["DATA"][write.low : write.low + len(enable)]
            return [f"{margin}{target} <= {self._text(data).text};"]
        parts = []
        start = 0
        while start < len(enable):
            name = self.inline.get(enable[start])
            width = len(self._result(self.cells[name])) if name else 1
            while not (name and width > 1) and enable[start : start + width + 1] == [
                enable[start]
            ] * (width + 1):
                width += 1
            part = enable[start : start + width]
            parts.append(dataclasses.replace(write, enable=part, low=write.low + start))
            start += width
        return self._writes(parts, known, depth)


def _declared(name: str, width: int) -> str:
    return f"input [{width - 1}:0] {name}" if width > 1 else f"input {name}"


def _value(bits: Bits) -> int:
    return int("".join(map(str, reversed(bits))), 2)


def _constant(bits: Bits) -> str:
    digits = "".join(map(str, reversed(bits)))
    if len(bits) == 1 or re.search("[xz]", digits):
        if set(digits) == {"x"} and len(bits) > 1:
            return f"{len(bits)}'bx"
        return f"{len(bits)}'b{digits}"
    if len(bits) <= 3:
        return f"{len(bits)}'d{int(digits, 2)}"
    return f"{len(bits)}'h{int(digits, 2):0{-(-len(bits) // 4)}x}"


def _folded(line: str) -> list[str]:
    """A line in pieces that are not longer than a line should be, broken at blanks."""
    margin = " " * (len(line) - len(line.lstrip()))
    lines = []
    while len(line) > _WIDTH and (at := line.rfind(" ", len(margin) + 5, _WIDTH)) > 0:
        lines.append(line[:at])
        line = f"{margin}    {line[at + 1 :]}"
    return [*lines, line]
