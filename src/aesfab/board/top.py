# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What is generated around a core for a board: the top module, and the constraints of its pins."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path

from aesfab import __version__
from aesfab.board.boards import Board
from aesfab.board.protocol import CRC_BYTES, HEADER_BYTES, KEYS, Hello
from aesfab.design.axes import Interface
from aesfab.design.catalogue import Named
from aesfab.errors import AesfabError
from aesfab.hdl import rtl

TOP = "aesfab_board"
"""Name of the top module; its ports are ``clk_i``, ``uart_rx_i``, ``uart_tx_o``, ``led_o``."""

CORE = "u_core"
"""Name of the instance of the core in it."""

TIMEOUT_BITS = 12
"""A frame that stops ends after so many bits of the UART, as a power of two, or more."""

_LICENSE = "// Copyright AESFab contributors.\n// SPDX-License-Identifier: Apache-2.0\n"


def identity(named: Named) -> bytes:
    """The eight bytes by which a board names its design."""
    return hashlib.sha256(named.words.encode()).digest()[:8]


def hello(board: Board, named: Named) -> Hello:
    """What the board will say of itself."""
    design = named.design
    return Hello(
        design.can_encrypt, design.can_decrypt, design.key_lengths, board.hz, board.baud,
        identity(named),
    )  # fmt: skip


def most_clocks(board: Board, named: Named) -> int:
    """Clocks that a block may take without slowing the line down.

    The core works while the CRC of the reply before goes out and the header of its own; a core that
    may say that it has seen a fault, while that CRC goes out.
    """
    faults = any(port.name == "fault_o" for port in named.design.ports())
    covered = CRC_BYTES if faults else CRC_BYTES + HEADER_BYTES
    return math.floor(10 * covered * board.clocks_per_bit)


def reason_against(board: Board, named: Named) -> str:
    """Why a design cannot stand on a board behind this protocol; empty where it can."""
    design = named.design
    if design.interface is not Interface.BLOCK:
        bits = 8 * design.piece_bytes
        return f"its ports have {bits} bits; take a design with interface=block"
    if design.round_keys_from_outside:
        return "its round keys come from outside; take another key_sbox"
    clocks, most = max(map(design.latency, design.key_lengths)), most_clocks(board, named)
    if clocks > most:
        return (
            f"a block takes {clocks} clocks, and at {board.baud} baud and {board.mhz:g} MHz "
            f"the line leaves {most}"
        )
    return ""


def require_legal(board: Board, named: Named) -> None:
    """AesfabError where a design cannot stand on a board; a tool may find more."""
    named.design.require_legal()
    if why := reason_against(board, named):
        raise AesfabError(f"{named.words} does not go on {board.name}: {why}")


def led_range(board: Board) -> str:
    """The range of the port for LEDs, with a blank behind it; empty for one LED."""
    return f"[{board.leds - 1}:0] " if board.leds > 1 else ""


def text(board: Board, named: Named) -> str:
    """SystemVerilog of the top module: power-up reset, bridge, core."""
    design = named.design
    ports = {port.name for port in design.ports()}
    modulus, step = board.ratio
    sizes = "".join(str(int(size in design.key_lengths)) for size in reversed(KEYS))
    timeout = TIMEOUT_BITS + math.ceil(math.log2(board.clocks_per_bit))
    values = {
        "Modulus": modulus,
        "Step": step,
        "TimeoutBits": timeout,
        "KeyBits": design.key_width,
        "KeySizes": f"3'b{sizes}",
        "Stored": f"1'b{int(design.stored_keys)}",
        "CanEncrypt": f"1'b{int(design.can_encrypt)}",
        "CanDecrypt": f"1'b{int(design.can_decrypt)}",
        "CanFault": f"1'b{int('fault_o' in ports)}",
        "Hello": f"128'h{hello(board, named).encoded().hex()}",
        "Leds": max(1, board.leds),
        "LedsLow": f"1'b{int(board.lit_by == 0)}",
    }
    # A port of the core to the signal at it; what it has besides is left open, or 0.
    slice_ = f"[255-:{design.key_width}]"
    given = {
        "clk_i": "clk_i",
        "rst_ni": "core_rst_n",
        "clear_i": "1'b0",
        "key_valid_i": "key_valid",
        "key_ready_o": "key_ready",
        "key_i": f"key{slice_}",
        "key_len_i": "key_len",
        "in_valid_i": "in_valid",
        "in_ready_o": "in_ready",
        "in_block_i": "in_block",
        "in_decrypt_i": "in_decrypt",
        "in_key_i": f"in_key{slice_}",
        "out_valid_o": "out_valid",
        "out_block_o": "out_block",
        "fault_o": "fault",
    }
    connected = {name: given.get(name, "") for name in (port.name for port in design.ports())}
    ties = "".join(
        f"  assign {signal} = {value};\n"
        for port, signal, value in (("key_ready_o", "key_ready", "1'b1"),
                                    ("fault_o", "fault", "1'b0"))
        if port not in ports
    )  # fmt: skip
    led = "led_o" if board.leds else "unused_led"
    led_port = f",\n  output logic {led_range(board)}led_o" if board.leds else ""
    led_signal = "" if board.leds else "  logic unused_led;\n"
    parameters = ",\n".join(f"    .{name:<11}({value})" for name, value in values.items())
    core = ",\n".join(f"    .{name:<13}({value})" for name, value in connected.items())
    return f"""{_LICENSE}
// {named.words} on the board {board.name}, generated by AESFab {__version__}.
// Clock {board.mhz:g} MHz, UART {board.baud} baud: {board.clocks_per_bit:g} clocks a bit.

module {TOP} (
  input  logic clk_i,
  input  logic uart_rx_i,
  output logic uart_tx_o{led_port}
);

  logic rst_n, core_rst_n, key_valid, key_ready, in_valid, in_ready, in_decrypt, out_valid, fault;
  logic [1:0] key_len;
  logic [127:0] in_block, out_block;
  logic [255:0] key, in_key;
{led_signal}
  aes_board_reset u_reset (
    .clk_i (clk_i),
    .rst_no(rst_n)
  );

  aes_board #(
{parameters}
  ) u_bridge (
    .clk_i       (clk_i),
    .rst_ni      (rst_n),
    .rx_i        (uart_rx_i),
    .tx_o        (uart_tx_o),
    .led_o       ({led}),
    .core_rst_no (core_rst_n),
    .key_valid_o (key_valid),
    .key_ready_i (key_ready),
    .key_o       (key),
    .key_len_o   (key_len),
    .in_valid_o  (in_valid),
    .in_ready_i  (in_ready),
    .in_block_o  (in_block),
    .in_decrypt_o(in_decrypt),
    .in_key_o    (in_key),
    .out_valid_i (out_valid),
    .out_block_i (out_block),
    .fault_i     (fault)
  );

{ties}  {named.module} {CORE} (
{core}
  );

endmodule
"""


def bridge_sources() -> list[Path]:
    """The RTL files that stand beside the core, in compilation order."""
    return [path for path in rtl.sources() if path.parent.name == "board"]


def constraints(board: Board) -> tuple[str, str]:
    """The constraint file of nextpnr: its name and its text."""
    note = f"{board.title}, generated by AESFab {__version__}."
    if board.device.nextpnr == "ice40":
        lines = [f"# {note}", *(f"set_io {pin.port} {pin.name}" for pin in board.pins)]
        lines.append(f"set_frequency clk_i {board.mhz:g}")
        return "pins.pcf", "\n".join(lines) + "\n"
    if board.device.nextpnr == "ecp5":
        lines = [f"# {note}", f'FREQUENCY PORT "clk_i" {board.mhz:g} MHZ;']
        for pin in board.pins:
            lines.append(f'LOCATE COMP "{pin.port}" SITE "{pin.name}";')
            lines.append(f'IOBUF PORT "{pin.port}" IO_TYPE={pin.standard};')
        return "pins.lpf", "\n".join(lines) + "\n"
    lines = [f"// {note}"]
    for pin in board.pins:
        lines.append(f'IO_LOC "{pin.port}" {pin.name};')
        lines.append(f'IO_PORT "{pin.port}" IO_TYPE={pin.standard};')
    return "pins.cst", "\n".join(lines) + "\n"
