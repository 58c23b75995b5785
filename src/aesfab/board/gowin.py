# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""A bitstream for Gowin as Verilog, for simulation.

``gowin_unpack`` of Apycula reads the bits and writes cells and wires. What it leaves open is added
here: which wires are one, which pad a pin of the package is, and what an adder does whose LUT
nextpnr has changed. An adder is a LUT whose output is added to the carry; its lowest four bits, by
the inputs A and B alone, are the carry where the LUT gives 0 (``doc/alu.md`` of Apycula).
"""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from collections.abc import Iterator

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

# Pins of the package to pads, as gowin_unpack names pads.
_PADS = """\
import json, sys
from pathlib import Path
import apycula
from apycula.chipdb import load_chipdb
family, part = sys.argv[1:]
db = load_chipdb(Path(apycula.__path__[0]) / f"{family}.msgpack.xz")
package, device, _ = db.packages[part]
print(json.dumps({pin: at[0] for pin, at in db.pinout[device][package].items()}))
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
        pads = json.loads(
            process.run(
                [sys.executable, "-c", _PADS, family, part],
                what="the pins of the package", timeout=_LIMIT, cwd=folder,
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
        pins = {}
        for pin in board.pins:
            if pads.get(pin.name) not in at:
                raise ToolError(f"the bitstream has no buffer at pin {pin.name} ({pin.port})")
            pins[at[pads[pin.name]]] = pin.port
        (folder / "cells.v").write_text(_ADDER + yosys.shared("gowin/cells_sim.v"))
        (folder / "chip.v").write_text(_text(board, chip, pins))
        yosys.run_script(
            ["read_verilog cells.v", "read_verilog chip.v", f"hierarchy -check -top {top.TOP}",
             "proc", "flatten -noscopeinfo", "setundef -undriven -zero", "opt_expr",
             "opt_clean -purge", "write_verilog -noattr flat.v"],
            what=f"the bitstream for {board.name}",
            cwd=folder, timeout=_LIMIT, outputs=["flat.v"],
        )  # fmt: skip
        return (folder / "flat.v").read_text()


def _add_adders(chip: _Chip, luts: _Chip) -> None:
    """The adders by their LUTs, whatever is in these: gowin_unpack knows some only."""
    for name, cell in list(chip.cells.items()):
        if cell.kind != "ALU":
            continue
        row, column, number = map(int, re.findall(r"\d+", name))
        where = f"R{row}C{column}"
        lut = luts.cells.get(f"{where}_LUT4_{number}")
        # It writes no LUT with all bits set, and a wire for one with none.
        init = lut.parameters["INIT"] if lut else "16'hffff"
        if luts.follows.get(f"{where}_F{number}") == "VSS":
            init = "16'h0000"
        # The carry runs through the six adders of a tile, and on in the next column.
        after = f"{where}_CIN{number + 1}" if number < _ADDERS - 1 else f"R{row}C{column + 1}_CIN0"
        ports = {each: [f"{where}_{each}{number}"] for each in ("A", "B", "C", "D", "CIN", "F")}
        chip.cells[name] = _Cell("AESFAB_ADDER", {**ports, "COUT": [after]}, {"INIT": init})


def _without_effect(cell: _Cell) -> Iterator[str]:
    """Inputs of a LUT that its table does not depend on."""
    table = int(cell.parameters["INIT"].partition("'h")[2], 16)
    bits = [table >> n & 1 for n in range(16)]
    names = ("A", "B", "C", "D") if cell.kind == "AESFAB_ADDER" else ("I0", "I1", "I2", "I3")
    for n, port in enumerate(names):
        if all(bits[i] == bits[i ^ 1 << n] for i in range(16)):
            yield port


def _text(board: Board, chip: _Chip, pins: dict[str, str]) -> str:
    """The module, of Yosys's cells and ours."""
    led = f", output {top.led_range(board)}led_o" if board.leds else ""
    lines = list(_lines(chip, pins))
    wires = sorted(set(re.findall(r"\bR\d+C\d+_\w+", "\n".join(lines))) | {"VCC", "VSS"})
    return "\n".join((
        f"module {top.TOP} (input clk_i, input uart_rx_i, output uart_tx_o{led});",
        *(f"wire {wire};" for wire in wires), *lines, "endmodule", "",
    ))  # fmt: skip


def _lines(chip: _Chip, pins: dict[str, str]) -> Iterator[str]:
    for wire, source in chip.follows.items():
        yield f"assign {chip.wire(wire)} = {chip.wire(source)};"
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
            for port in _without_effect(cell):
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
