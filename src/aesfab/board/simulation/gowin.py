# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""A bitstream for Gowin as Verilog, for simulation.

``gowin_unpack`` of Apycula reads the bits and writes cells and wires. What it leaves open is added
here: which wires are one, which pad a pin of the package is, which spine a clock comes from, and
what an adder does whose LUT nextpnr has changed. An adder is a LUT whose output is added to the
carry; its lowest four bits, by the inputs A and B alone, are the carry where the LUT gives 0
(``doc/alu.md`` of Apycula).
"""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from collections.abc import Iterator, Mapping

from aesfab.board import build, top
from aesfab.board.boards import Board
from aesfab.eda import yosys
from aesfab.errors import AesfabError, ToolError
from aesfab.system import process

_LIMIT = 600.0  # seconds for a tool

_ADDER = """\
module AESFAB_ADDER (output F, COUT, input A, B, C, D, CIN);
  parameter [15:0] INIT = 0;
  wire sum = INIT[{D, C, B, A}];
  assign F = sum ^ CIN;
  assign COUT = sum ? CIN : INIT[{2'b00, B, A}];
endmodule
"""

# Pins of the package to pads, as gowin_unpack names pads; and to each tap of a clock the wires
# that are one with the spine there. The bits of a tap say that it is in use, and not which of four
# spines passes, of which gowin_unpack takes any.
_FACTS = """\
import json, sys
from pathlib import Path
import apycula
from apycula.chipdb import load_chipdb
family, part = sys.argv[1:]
db = load_chipdb(Path(apycula.__path__[0]) / f"{family}.msgpack.xz")
package, device, _ = db.packages[part]
pads = {pin: at[0] for pin, at in db.pinout[device][package].items()}
nodes = {tuple(at): name for name, (_, wires) in db.nodes.items() for at in wires}
taps = {}
for row in range(db.rows):
    for column in range(db.cols):
        for tap, spines in db[row, column].clock_pips.items():
            here = [s for s in spines if "SPINE" in s and (row, column, s) in nodes]
            if tap.startswith("GT") and here:
                taps[f"R{row + 1}C{column + 1}_{tap}"] = nodes[row, column, here[0]]
wires = {
    name: [f"R{row + 1}C{column + 1}_{wire}" for row, column, wire in db.nodes[name][1]]
    for name in set(taps.values())
}
# A long wire down a column, and the branches of each row; four neighbours share a column each.
long = {}
for (_, column, number), at in db.segments.items():
    far = number // 4
    trunk = f"R{at['top_row'] + 1}C{column + 1}_{at['top_wire']}"
    long[f"R{at['bottom_row'] + 1}C{column + 1}_{at['bottom_wire']}"] = trunk
    for row in range(at["min_y"], at["max_y"] + 1):
        long[f"R{row + 1}C{column + 1}_{('LT01', 'LT04')[far]}"] = trunk
        for x in range(at["min_x"], at["max_x"] + 1):
            long[f"R{row + 1}C{x + 1}_LB{number}1"] = f"R{row + 1}C{column + 1}_LBO{far}"
print(json.dumps({"pads": pads, "taps": taps, "wires": wires, "long": long}))
"""

_ADDERS = 6  # in a tile

_CELLS = frozenset({"LUT4", "MUX2", "RAM16SDP4", "AESFAB_ADDER"})
_BUFFERS = frozenset({"IBUF", "OBUF", "TBUF", "IOBUF"})


@dataclasses.dataclass
class _Cell:
    kind: str
    ports: dict[str, list[str]]
    parameters: dict[str, str]


@dataclasses.dataclass
class _Chip:
    """What gowin_unpack writes: cells by their names, wires that wires follow, names of wires."""

    cells: dict[str, _Cell]
    follows: dict[str, str]
    names: dict[str, str]

    @classmethod
    def of(cls, text: str) -> _Chip:
        cells = {
            name: _Cell(kind, {
                port: re.findall(r"\w+", wires)
                for port, wires in re.findall(r"^\.(\w+)\(([^)]*)\)", ports, re.MULTILINE)
            }, {})
            for kind, name, ports in re.findall(
                r"^([A-Z]\w*) (\w+) \(\n((?:\..*\n)*)\);", text, re.MULTILINE
            )
        }  # fmt: skip
        for name, key, value in re.findall(r"^defparam (\w+)\.(\w+) = (.*);", text, re.MULTILINE):
            cells[name].parameters[key] = value
        follows = dict(re.findall(r"^assign `?(\w+) = `?([\w']+);", text, re.MULTILINE))
        names = dict(re.findall(r"^`define (\w+) (\w+)", text, re.MULTILINE))
        if not cells or not follows:
            raise ToolError("gowin_unpack wrote no module", process.tail(text))
        return cls(cells, follows, names)

    def wire(self, name: str) -> str:
        """The one name of a wire."""
        seen = set()
        while name in self.names and name not in seen:
            seen.add(name)
            name = self.names[name]
        return name


def verilog(board: Board, bitstream: bytes) -> str:
    """A bitstream as Verilog without cells, in a module with the ports of the design.

    Raises:
        AesfabError: the board has no Gowin.
        ToolError: a tool fails, or there is a cell that is none of those that are known.
    """
    if board.packer != "gowin_pack":
        raise AesfabError(f"{board.device.name} is no Gowin device")
    (family,) = (a for a in board.device.arguments if a.startswith("family="))
    family = family.partition("=")[2]
    part = board.device.arguments[board.device.arguments.index("--device") + 1]
    with yosys.workspace() as (folder, _):
        (folder / "bitstream.fs").write_bytes(bitstream)
        unpack = [*build.tool_command("gowin_unpack"), "-d", family, "bitstream.fs"]
        for words in (["-o", "whole.v", "-s", "pads.cst"], ["-o", "luts.v", "--noalu"]):
            process.run([*unpack, *words], what="gowin_unpack", timeout=_LIMIT, cwd=folder)
        facts = json.loads(
            process.run(
                [sys.executable, "-c", _FACTS, family, part],
                what="pins and clocks of the device", timeout=_LIMIT, cwd=folder,
            )
        )  # fmt: skip
        at = {
            place: name
            for name, place in re.findall(
                r'^IO_LOC "(\w+)" (\w+)', (folder / "pads.cst").read_text(), re.MULTILINE
            )
        }
        chip = _Chip.of((folder / "whole.v").read_text())
        _add_adders(chip, _Chip.of((folder / "luts.v").read_text()))
        chip.names |= {wire: one for wire, one in facts["long"].items() if wire != one}
        _settle_taps(chip, facts["taps"], facts["wires"])
        pads, pins = facts["pads"], {}
        for pin in board.pins:
            if pads.get(pin.name) not in at:
                raise ToolError(f"the bitstream has no buffer at pin {pin.name} ({pin.port})")
            pins[at[pads[pin.name]]] = pin.port
        (folder / "cells.v").write_text(_ADDER + yosys.shared("gowin/cells_sim.v"))
        (folder / "chip.v").write_text(_text(board, chip, pins))
        yosys.run_script(
            ["read_verilog cells.v", "read_verilog chip.v", f"hierarchy -check -top {top.TOP}",
             "proc", "flatten -noscopeinfo", "setundef -undriven -zero",
             # A bit of a LUT RAM that an address names: Verilator warns of widths of its shift.
             "techmap t:$shift t:$shiftx", "opt_expr",
             "opt_clean -purge", "write_verilog -noattr flat.v"],
            what=f"the bitstream for {board.name}",
            cwd=folder, timeout=_LIMIT, outputs=["flat.v"],
        )  # fmt: skip
        return (folder / "flat.v").read_text()


def _add_adders(chip: _Chip, luts: _Chip) -> None:
    """The adders by their LUTs, whatever is in these: gowin_unpack knows some only.

    Others it leaves out, with their LUTs; these come back where it is told to know no adders.
    """
    known = [name for name, cell in chip.cells.items() if cell.kind == "ALU"]
    known += [name for name in luts.cells if "_LUT4_" in name and name not in chip.cells]
    for place in sorted({name.replace("_LUT4_", "_ALU_") for name in known}):
        row, column, number = map(int, re.findall(r"\d+", place))
        where = f"R{row}C{column}"
        lut = luts.cells.get(f"{where}_LUT4_{number}")
        # It writes no LUT with all bits set, and a wire for one with none.
        init = lut.parameters["INIT"] if lut else "16'hffff"
        if luts.follows.get(f"{where}_F{number}") == "VSS":
            init = "16'h0000"
        # The carry runs through the six adders of a tile, and on in the next column.
        after = f"{where}_CIN{number + 1}" if number < _ADDERS - 1 else f"R{row}C{column + 1}_CIN0"
        ports = {each: [f"{where}_{each}{number}"] for each in ("A", "B", "C", "D", "CIN", "F")}
        chip.cells[place] = _Cell("AESFAB_ADDER", {**ports, "COUT": [after]}, {"INIT": init})


def _settle_taps(chip: _Chip, taps: Mapping[str, str], wires: Mapping[str, list[str]]) -> None:
    """Let each tap of a clock follow the spine that passes there."""
    driven = {chip.wire(wire) for wire in chip.follows}
    for tap in set(taps) & set(chip.follows):
        sources = [wire for wire in map(chip.wire, wires[taps[tap]]) if wire in driven]
        if sources:
            chip.follows[tap] = sources[0]


def _without_effect(cell: _Cell, constant: Mapping[str, int]) -> Iterator[str]:
    """Inputs of a LUT that its output, or the carry of an adder, does not depend on.

    Args:
        cell: the LUT.
        constant: port to value, of ports that have one.
    """
    table = int(cell.parameters["INIT"].partition("'h")[2], 16)
    names = ("A", "B", "C", "D") if cell.kind == "AESFAB_ADDER" else ("I0", "I1", "I2", "I3")
    places = {port: 1 << n for n, port in enumerate(names)}
    given = sum(places[port] for port in constant)
    value = sum(places[port] for port, level in constant.items() if level)
    used = {n & ~given | value for n in range(16)}
    carry = range(4) if cell.kind == "AESFAB_ADDER" else ()
    for port, place in places.items():
        same = all((table >> n ^ table >> (n ^ place)) & 1 == 0 for n in used)
        if (
            port not in constant
            and same
            and all((table >> n ^ table >> (n ^ place)) & 1 == 0 for n in carry if place < 4)
        ):
            yield port


def _text(board: Board, chip: _Chip, pins: dict[str, str]) -> str:
    """The module, of Yosys's cells and ours."""
    led = f", output {top.led_range(board)}led_o" if board.leds else ""
    lines = list(_lines(chip, pins))
    wires = sorted(set(re.findall(r"\bR\d+C\d+_\w+", "\n".join(lines))) | {"VCC", "VSS"})
    # A LUT without a bit in the bitstream gives 1.
    driven = set(re.findall(r"^assign (\w+)", "\n".join(lines), re.MULTILINE))
    for ports in re.findall(r"\.(?:F|O|DO)\(\{([^}]*)\}\)", "\n".join(lines)):
        driven.update(ports.split(", "))
    open_ = [wire for wire in wires if re.search(r"_F[0-7]$", wire) and wire not in driven]
    lines += [f"assign {wire} = 1'b1;" for wire in open_]
    return "\n".join((
        f"module {top.TOP} (input clk_i, input uart_rx_i, output uart_tx_o{led});",
        *(f"wire {wire};" for wire in wires), *lines, "endmodule", "",
    ))  # fmt: skip


def _lines(chip: _Chip, pins: dict[str, str]) -> Iterator[str]:
    follows = {chip.wire(wire): chip.wire(source) for wire, source in chip.follows.items()}
    level = {"VCC": 1, "VSS": 0}

    def origin(wire: str) -> str:
        seen = set()
        while wire not in level and wire in follows and wire not in seen:
            seen.add(wire)
            wire = follows[wire]
        return wire

    for wire, source in follows.items():
        yield f"assign {wire} = {source};"
    for name, cell in chip.cells.items():
        ports = {port: [chip.wire(each) for each in wires] for port, wires in cell.ports.items()}
        if cell.kind in _BUFFERS:
            # Pads without a pin of ours are open.
            pad = pins.get(name)
            if pad and pad.endswith("_i"):
                yield f"assign {ports['O'][0]} = {pad};"
            elif pad:
                yield f"assign {pad} = {ports['I'][0]};"
            continue
        if "INIT" in cell.parameters:
            # Such inputs may be wires on their way to elsewhere, also from the LUT's own output.
            levels = {port: level.get(origin(wires[0])) for port, wires in ports.items()}
            known = {port: each for port, each in levels.items() if each is not None}
            for port in _without_effect(cell, known):
                ports[port] = ["VSS"]
        if cell.kind in _CELLS or re.fullmatch(r"DFFN?[SRPC]?E", cell.kind):
            # gowin_unpack lists five outputs of a RAM of four bits, the first one too many.
            joined = ", ".join(
                f".{port}({{{', '.join(wires[-4:])}}})" for port, wires in ports.items()
            )
            values = ", ".join(f".{key}({value})" for key, value in cell.parameters.items())
            yield f"{cell.kind} #({values}) \\cell_{name} ({joined});"
        elif cell.kind not in ("rPLL", "PLLVR"):
            raise ToolError(f"the bitstream has a cell {cell.kind}, which is not known")
