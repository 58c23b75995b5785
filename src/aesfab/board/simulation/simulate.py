# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""A board without the board: RTL, bitstream or routed netlist behind a pseudo-terminal.

The host code cannot tell it from a board: it opens the terminal by its name, and each byte goes
through the UART pins of the model bit by bit (``bench/uart.cpp``).
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import json
import os
import re
import threading
import tty
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from aesfab import extras
from aesfab.board import build, top
from aesfab.board.boards import Board
from aesfab.board.simulation import gowin
from aesfab.design.catalogue import Named
from aesfab.eda import simulate, yosys
from aesfab.errors import AesfabError, ToolError
from aesfab.folder import generate
from aesfab.system import cache, process, shipped

_PROGRAM = shipped.PACKAGE / "board" / "simulation" / "bench" / "uart.cpp"
_ICEBOX = Path("/usr/share/fpga-icestorm/python/icebox_vlog")
_LIMIT = 600.0  # seconds for a tool


def require_tools(board: Board) -> None:
    """AesfabError where what simulates a build for a board is not installed."""
    extras.require("verify")
    if board.device.nextpnr == "ice40" and not _ICEBOX.is_file():
        raise AesfabError("icebox_vlog is missing; on Debian or Ubuntu: apt install fpga-icestorm")


def rtl_model(board: Board, named: Named, progress: simulate.Progress = simulate.silent) -> Path:
    """The RTL of a design on a board as a shared library, from the cache or built now.

    Raises:
        AesfabError: the design does not go on the board, no compiler.
        ToolError: Verilator or the compiler fails.
    """
    top.require_legal(board, named)
    text = cache.source(top.text(board, named), f"{top.TOP}.sv")
    sources = [*generate.sources(named), *top.bridge_sources(), text]
    return simulate.build_library(sources, top.TOP, _PROGRAM, progress=progress)


def bitstream_model(
    board: Board, bitstream: bytes, progress: simulate.Progress = simulate.silent
) -> Path:
    """A bitstream for iCE40 or Gowin as a shared library: unpacked, made Verilog, compiled.

    Raises:
        AesfabError: fpga-icestorm is not installed, or the board is of another family.
        ToolError: a tool fails.
    """
    is_gowin = board.packer == "gowin_pack"
    text = gowin.verilog(board, bitstream) if is_gowin else unpacked(board, bitstream)
    return simulate.build_library(
        [cache.source(text, "bitstream.v")], top.TOP, _PROGRAM, progress=progress
    )


def routed_model(
    board: Board, routed: bytes, progress: simulate.Progress = simulate.silent
) -> Path:
    """A netlist for ECP5 as it was placed and routed (``build.Built.routed``), as a shared library.

    Raises:
        AesfabError: the board is no ECP5.
        ToolError: a tool fails.
    """
    text = routed_verilog(board, routed)
    return simulate.build_library(
        [cache.source(text, "routed.v")], top.TOP, _PROGRAM, progress=progress
    )


_FLOATING_LOW = ("LSR", "FCI", "F1", "WD")
"""Inputs of a slice that are 0 where nothing is connected; all others are 1."""

# Cells that Yosys has no model of, or one that asks for tri-state signals.
_ECP5_OWN = """\
module DCCA (input CLKI, CE, output CLKO);
  assign CLKO = CLKI;
endmodule
module TRELLIS_IO (inout B, input I, T, output O);
  parameter DIR = "INPUT";
  generate if (DIR == "INPUT") assign O = B; else assign B = I; endgenerate
endmodule
"""

# A DP16KD as 1,024 words of 18 bits; a port of nine has halves of them. Control is chip select
# (three bits), write, output register, clock enable. Where words have 36 bits, port A writes and
# port B reads, two words at a time, the first by the data pins of port A.
_ECP5_RAM = """\
module AESFAB_RAM (
  input CLK, input [13:0] ADA, ADB, input [17:0] DIA, DIB, input [5:0] CTLA, CTLB,
  output [17:0] DOA, DOB
);
  parameter [20479:0] INIT = 0;
  parameter [5:0] WIDTH_A = 18, WIDTH_B = 18;
  parameter [0:0] REG_A = 0, REG_B = 0, HOLD_A = 0, HOLD_B = 0;
  reg [17:0] mem [0:1023];
  integer i;
  initial for (i = 0; i < 1024; i = i + 1) mem[i] = INIT[20 * i +: 18];

  function [17:0] part (input nine, half, input [17:0] word);
    part = nine ? {9'b0, half ? word[17:9] : word[8:0]} : word;
  endfunction
  function [17:0] written (input nine, half, input [1:0] bytes, input [17:0] word, given);
    written = nine ? (half ? {given[8:0], word[8:0]} : {word[17:9], given[8:0]})
                   : {bytes[1] ? given[17:9] : word[17:9], bytes[0] ? given[8:0] : word[8:0]};
  endfunction

  wire wide = WIDTH_A == 36, nine_a = WIDTH_A == 9, nine_b = WIDTH_B == 9;
  wire on_a = CTLA[0] && CTLA[5:3] == 0, on_b = CTLB[0] && CTLB[5:3] == 0;
  wire we_a = on_a && CTLA[2], we_b = on_b && CTLB[2];
  wire [9:0] row_a = {ADA[13:5], ADA[4] & ~wide}, row_b = {ADB[13:5], ADB[4] & ~wide};
  reg [17:0] q_a = 0, q_b = 0, r_a = 0, r_b = 0;
  always @(posedge CLK) begin
    if (we_a) mem[row_a] <= written(nine_a, ADA[3], ADA[1:0], mem[row_a], DIA);
    if (wide) begin
      if (we_a) mem[row_a | 10'd1] <= written(1'b0, 1'b0, ADA[3:2], mem[row_a | 10'd1], DIB);
      if (on_b) {q_b, q_a} <= {mem[row_b | 10'd1], mem[row_b]};
      if (CTLB[1]) {r_b, r_a} <= {q_b, q_a};
    end else begin
      if (we_b) mem[row_b] <= written(nine_b, ADB[3], ADB[1:0], mem[row_b], DIB);
      if (on_a && !(we_a && HOLD_A)) q_a <= part(nine_a, ADA[3], mem[row_a]);
      if (on_b && !(we_b && HOLD_B)) q_b <= part(nine_b, ADB[3], mem[row_b]);
      if (CTLA[1]) r_a <= q_a;
      if (CTLB[1]) r_b <= q_b;
    end
  end
  assign DOA = (wide ? REG_B : REG_A) ? r_a : q_a;
  assign DOB = REG_B ? r_b : q_b;
endmodule
"""

_ECP5_CELLS = ("LUT2", "LUT4", "PFUMX", "L6MUX21", "TRELLIS_FF", "TRELLIS_COMB")


def routed_verilog(board: Board, routed: bytes) -> str:
    """A netlist as nextpnr-ecp5 writes it at its end, as Verilog without cells.

    Yosys's own models of the cells say what they do. What they leave to nextpnr is added here:
    which input of a flip-flop is used, which multiplexer a LUT has, what an open input reads.

    Raises:
        AesfabError: the board is no ECP5.
        ToolError: Yosys fails, or a cell is none of those that are known.
    """
    if board.device.nextpnr != "ecp5":
        raise AesfabError(f"routed netlists are simulated for ECP5, not for {board.device.name}")
    netlist = json.loads(routed)
    (module,) = netlist["modules"].values()
    for name, cell in module["cells"].items():
        if cell["type"] == "DP16KD":
            module["cells"][name] = _block_ram(name, cell)
        else:
            _complete(cell)
    shared = yosys.shared("ecp5/common_sim.vh")
    models = [_ECP5_OWN]
    for name in _ECP5_CELLS:
        found = re.search(rf"^module {name} ?\(.*?^endmodule", shared, re.MULTILINE | re.DOTALL)
        if found is None:
            raise ToolError(f"Yosys has no model of {name}")
        model = re.sub(r"^\tspecify.*?^\tendspecify", "", found[0], flags=re.M | re.DOTALL)
        # A wire of that name hides the port.
        models.append(model.replace("wire FCO = ", "assign FCO = "))
    with yosys.workspace() as (folder, _):
        (folder / "cells.v").write_text("\n".join(models) + "\n")
        (folder / "ram.v").write_text(_ECP5_RAM)
        (folder / "routed.json").write_text(json.dumps(netlist))
        (name,) = netlist["modules"]
        yosys.run_script(
            ["read_verilog cells.v", "read_verilog -lib ram.v", "read_json routed.json",
             f"hierarchy -check -top {name}",
             "proc", "flatten -noscopeinfo", "opt_expr", "opt_clean -purge",
             f"rename {name} {top.TOP}", "write_verilog -noattr routed.v"],
            what=f"the routed netlist for {board.name}",
            cwd=folder, timeout=_LIMIT, outputs=["routed.v"],
        )  # fmt: skip
        return (folder / "routed.v").read_text() + _ECP5_RAM


def _complete(cell: dict[str, Any]) -> None:
    """Say of a cell of a routed netlist what the models of Yosys do not know."""
    kind, wires, ports = cell["type"], cell["connections"], cell["port_directions"]
    parameters = cell["parameters"]
    if kind == "TRELLIS_FF":
        if parameters.pop("SD", "1").strip() == "0":  # past the LUT
            wires["DI"], ports["DI"] = wires["M"], "input"
    elif kind == "TRELLIS_COMB":
        parameters["IS_Z1"] = str(int(bool(wires.get("FXA"))))
    elif kind == "TRELLIS_IO":
        cell["parameters"] = {"DIR": parameters["DIR"]}
    # The pins of registers, delays and distributed RAM that are not in use.
    unknown = ("IOLTO", "IOLDO", "DI0", "DI1", "FXA", "FXB")
    for name in list(wires):
        if wires[name]:
            continue
        if ports[name] != "input" or name in unknown:
            del wires[name], ports[name]
        else:
            wires[name] = ["0" if name in _FLOATING_LOW else "1"]


_RAM_USUAL = {"REGMODE": "NOREG", "WRITEMODE": "NORMAL", "CSDECODE": "0b000"}
"""What a port of a DP16KD is where its parameters do not say."""


def _block_ram(name: str, cell: dict[str, Any]) -> dict[str, Any]:
    """A DP16KD of a routed netlist as a cell ``AESFAB_RAM``.

    An input that nothing is connected to reads 1, its inverse 0. ToolError for what no design of
    ours makes of one: a reset, two clocks, other chip selects, a word that leaves at once where it
    is written, other widths than 9 and 18 bits, or 36 at both ports.
    """
    wires = cell["connections"]
    said = {f"{usual}_{port}": value for port in "AB" for usual, value in _RAM_USUAL.items()}
    said |= {parameter: value.strip() for parameter, value in cell["parameters"].items()}

    def read(pin: str) -> int | str:
        how = said.get(f"{pin}MUX", pin)
        if how in ("0", "1"):
            return how
        if not wires.get(pin):
            return "0" if how == "INV" else "1"
        if how == "INV":
            raise ToolError(f"{name}: {pin} of a block RAM is inverted")
        return int(wires[pin][0])

    clocks = {read(f"CLK{port}") for port in "AB"} - {"0", "1"}
    plain = all(
        read(f"RST{port}") == "0"
        and said[f"CSDECODE_{port}"].removeprefix("0b") == "000"
        and said[f"WRITEMODE_{port}"] in ("NORMAL", "READBEFOREWRITE")
        for port in "AB"
    )
    widths = {int(said[f"DATA_WIDTH_{port}"], 2) for port in "AB"}
    if len(clocks) != 1 or not plain or not (widths <= {9, 18} or widths == {36}):
        raise ToolError(f"{name}: AESFab has no model of a block RAM as this one")
    words = "".join(said.get(f"INITVAL_{n:02X}", "").rjust(320, "0") for n in reversed(range(64)))
    made: dict[str, Any] = {"CLK": sorted(clocks)}
    parameters = {"INIT": words}
    for port in "AB":
        for bus, bits in (("AD", 14), ("DI", 18)):
            made[f"{bus}{port}"] = [read(f"{bus}{port}{n}") for n in range(bits)]
        made[f"DO{port}"] = [wires[f"DO{port}{n}"][0] for n in range(18)]
        pins = [f"{pin}{port}" for pin in ("CE", "OCE", "WE")] + [f"CS{port}{n}" for n in range(3)]
        made[f"CTL{port}"] = [read(pin) for pin in pins]
        parameters[f"WIDTH_{port}"] = said[f"DATA_WIDTH_{port}"][-6:]
        parameters[f"REG_{port}"] = str(int(said[f"REGMODE_{port}"] == "OUTREG"))
        parameters[f"HOLD_{port}"] = str(int(said[f"WRITEMODE_{port}"] == "NORMAL"))
    directions = {pin: "output" if pin.startswith("DO") else "input" for pin in made}
    return {
        "hide_name": 0, "type": "AESFAB_RAM", "attributes": {}, "parameters": parameters,
        "port_directions": directions, "connections": made,
    }  # fmt: skip


def packed_again(bitstream: bytes) -> bytes:
    """A bitstream for ECP5 unpacked by ecpunpack, and packed again; ToolError where one fails."""
    with yosys.workspace() as (folder, _):
        (folder / "bitstream.bit").write_bytes(bitstream)
        for tool, *arguments in (
            ("ecpunpack", "bitstream.bit", "unpacked"),
            ("ecppack", "--compress", "unpacked", "again.bit"),
        ):
            process.run(
                [*build.tool_command(tool), *arguments], what=tool, timeout=_LIMIT, cwd=folder
            )
        return (folder / "again.bit").read_bytes()


def unpacked(board: Board, bitstream: bytes) -> str:
    """A bitstream for iCE40 as Verilog, in a module with the ports of the design.

    Raises:
        AesfabError: fpga-icestorm is not installed, or the board is no iCE40.
        ToolError: a tool fails.
    """
    if board.device.nextpnr != "ice40":
        raise AesfabError(f"no tool makes Verilog of a bitstream for {board.device.name}")
    require_tools(board)
    name, constraints = top.constraints(board)
    with yosys.workspace() as (folder, _):
        (folder / "bitstream.bin").write_bytes(bitstream)
        # It knows nothing of clocks.
        pins = [line for line in constraints.splitlines() if line.startswith("set_io")]
        (folder / name).write_text("\n".join(pins) + "\n")
        process.run(
            [*build.tool_command("iceunpack"), "bitstream.bin", "bitstream.asc"],
            what="iceunpack", timeout=_LIMIT, cwd=folder,
        )  # fmt: skip
        said = process.run(
            # The system's Python has the modules that it wants beside it.
            ["/usr/bin/python3", _ICEBOX, "-s", "-p", name, "-d", board.package,
             "bitstream.asc"],
            what="icebox_vlog", timeout=_LIMIT, cwd=folder,
        )  # fmt: skip
    module = re.search(r"^module chip \(.*?^endmodule", said, re.MULTILINE | re.DOTALL)
    if module is None:
        raise ToolError("icebox_vlog wrote no module", process.tail(said))
    return _named_ports(board, module[0])


def _named_ports(board: Board, chip: str) -> str:
    """What icebox_vlog writes, inside a module with the ports of the design."""
    # Its ports are declared twice, in the head and as signals with a value to start with, which
    # only a head without directions allows.
    led = f", output wire {top.led_range(board)}led_o" if board.leds else ""
    connected = ", ".join(
        f".\\{pin.port} ({pin.port})" if "[" in pin.port else f".{pin.port}({pin.port})"
        for pin in board.pins
    )
    head, body = chip.split(";", 1)
    ports = head.partition("(")[2].rpartition(")")[0].split(",")
    names = ", ".join(port.split()[1] + " " for port in ports)
    directions = "".join(f"{port.strip()} ;\n" for port in ports)
    return (
        f"// A bitstream as Verilog.\n{_cells(body)}module chip ({names});\n{directions}{body}\n\n"
        f"module {top.TOP} (input wire clk_i, input wire uart_rx_i, output wire uart_tx_o{led});\n"
        f"  chip u_chip ({connected});\nendmodule\n"
    )


def _cells(body: str) -> str:
    """Yosys's models of the cells in what icebox_vlog writes: block RAMs, or none."""
    text = yosys.shared("ice40/cells_sim.v") if "SB_RAM" in body else ""
    found = []
    for name in sorted(set(re.findall(r"\bSB_RAM\w+", body))):
        module = re.search(rf"^module {name} \(.*?^endmodule", text, re.MULTILINE | re.DOTALL)
        if module is None:
            raise ToolError(f"Yosys has no model of {name}")
        # Its macros are of Yosys: times of paths, and values of ports that stay open.
        timeless = re.sub(r"^`ifdef ICE40_\w+.*?^`endif", "", module[0], flags=re.M | re.DOTALL)
        found.append(re.sub(r" `ICE40_DEFAULT_\w+(\([^)]*\))?", "", timeless) + "\n\n")
    return "".join(found)


class Simulated:
    """A model at a pseudo-terminal, served by a thread; within a ``with`` block.

    Args:
        model: of ``rtl_model`` or ``bitstream_model``.
        board: the board that it is of.
        seed: of state without a reset value.
        drop: number of the byte from the host that gets lost, from 1 on; 0 for none.
        spoil: number of one that is damaged.
        drift: by which part the host's bits are longer than the board's.

    Attributes:
        port: the name of the terminal.
    """

    def __init__(
        self, model: Path, board: Board, *, seed: int = 1, drop: int = 0, spoil: int = 0,
        drift: float = 0.0,
    ) -> None:  # fmt: skip
        self._library = _library(model)
        self._board = self._library.aesfab_board_new(seed)
        self._stop = ctypes.c_int(0)
        self._error = 0
        self._handles: list[int] = []
        self._clocks_per_bit = board.clocks_per_bit * (1 + drift)
        # Longer than the board waits for the rest of a frame.
        self._quiet = int(2 * (1 << top.TIMEOUT_BITS) * board.clocks_per_bit) + 100_000
        self._drop, self._spoil = drop, spoil
        self._pulling = threading.Lock()
        self._thread = threading.Thread(target=self._serve, name="simulated board")
        self.port = Path()

    @property
    def clocks(self) -> int:
        """Clocks that were simulated."""
        return int(self._library.aesfab_board_clocks(self._board))

    def __enter__(self) -> Self:
        self._handles = list(os.openpty())
        os.set_blocking(self._handles[0], False)
        # Ours stays open, so that the terminal is there between two hosts.
        tty.setraw(self._handles[1])
        self.port = Path(os.ttyname(self._handles[1]))
        self._thread.start()
        return self

    def _serve(self) -> None:
        self._error = self._library.aesfab_board_serve(
            self._board, self._handles[0], self._clocks_per_bit, self._quiet,
            self._drop, self._spoil, ctypes.byref(self._stop),
        )  # fmt: skip

    def pull(self) -> None:
        """Pull the cable: the terminal goes."""
        self._stop.value = 1
        self._thread.join()
        # A number that is closed twice may be that of another file by then.
        with self._pulling:
            handles, self._handles = self._handles, []
            for handle in handles:
                with contextlib.suppress(OSError):
                    os.close(handle)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self.pull()
        self._library.aesfab_board_free(self._board)
        self._board = None
        if self._error and error is None:
            raise ToolError(f"the simulated line fails: {os.strerror(self._error)}")


@functools.cache
def _library(model: Path) -> ctypes.CDLL:
    try:
        loaded = ctypes.CDLL(str(model))
    except OSError as error:
        raise ToolError(f"cannot load the model: {error}") from error
    pointer, long = ctypes.c_void_p, ctypes.c_uint64
    loaded.aesfab_board_new.restype, loaded.aesfab_board_new.argtypes = pointer, [ctypes.c_int]
    loaded.aesfab_board_free.restype, loaded.aesfab_board_free.argtypes = None, [pointer]
    loaded.aesfab_board_clocks.restype, loaded.aesfab_board_clocks.argtypes = long, [pointer]
    loaded.aesfab_board_serve.restype = ctypes.c_int
    loaded.aesfab_board_serve.argtypes = [
        pointer, ctypes.c_int, ctypes.c_double, long, long, long, ctypes.POINTER(ctypes.c_int),
    ]  # fmt: skip
    return loaded


def files_of_check() -> Sequence[Path]:
    """What a check of a bitstream follows from beside it: host code and bench."""
    return [_PROGRAM, *sorted((shipped.PACKAGE / "board").rglob("*.py"))]
