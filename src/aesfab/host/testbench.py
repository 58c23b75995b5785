# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The self-checking testbench that travels with a generated host system.

Transactions on its bus with the examples of FIPS 197 and SP 800-38A: registers, a key, blocks in,
an interrupt, blocks out. As the testbench of a core (``folder.testbench``) it is made of plain
tasks, so that Verilator, Icarus Verilog (``-g2012``) and vendor simulators run it alike.

What is the same on every bus uses four tasks, which each bus has in its own way: ``put`` and
``get`` move a word of the bus, ``give`` and ``take`` a block.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections.abc import Sequence
from typing import Protocol

from aesfab.design.ports import Port
from aesfab.folder.testbench import EXAMPLES, Example, waveform
from aesfab.host.system import Bus, System, c_folder, port_name

_RESET = 4  # clocks
_CLOCKS_OF_ACCESS = 16  # at most, of an access that need not wait, with its polls


@functools.cache
def registers() -> dict[str, int]:
    """The register map as the header of the C library has it: name without AESFAB_ to number."""
    text = (c_folder() / "include" / "aesfab_registers.h").read_text()
    found = re.findall(r"^#define AESFAB_(\w+) (0x[0-9a-f]+|\d+)u?$", text, re.MULTILINE)
    return {name: int(value, 0) for name, value in found}


class OnBus(Protocol):
    """What has registers on a bus: a host system, or another device on it."""

    @property
    def module(self) -> str:
        """Its top module."""

    @property
    def bus(self) -> Bus:
        """The bus."""

    @property
    def width(self) -> int:
        """Of the bus in bits."""

    @property
    def pipelined(self) -> bool:
        """Whether cycles of Wishbone are."""

    def ports(self) -> list[Port]:
        """Ports of the top module, as the RTL names them."""


def frame(
    device: OnBus,
    said: str,
    clocks: int,
    *,
    accesses: str,
    tasks: str,
    calls: str,
    passed: str,
    driven: Sequence[str] = (),
) -> str:
    """A testbench of a device on a bus: clock, reset, accesses to registers, the end.

    Args:
        device: the device.
        said: what it does, lines for the header.
        clocks: in which it must end.
        accesses: the tasks ``put`` and ``get``, which move a word of the bus, and what uses them.
        tasks: those of the device; ``read_register``, ``write_register``, ``expect_register`` and
            ``fail`` are there.
        calls: what is done after the reset.
        passed: what passed, where there are no failures.
        driven: inputs of the device that ``tasks`` drive.
    """
    ports = device.ports()
    width = device.width
    names = {port.name: port_name(port.name) for port in ports}
    declarations = "\n".join(
        f"  logic {'' if p.width == 1 else f'[{p.width - 1}:0] '}{names[p.name]};" for p in ports
    )
    connections = ",\n".join(f"    .{name:<15}({name})" for name in names.values())
    idle = ("clk_i", *driven)
    inputs = [names[p.name] for p in ports if p.is_input and p.name not in idle]
    return f"""// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Self-checking testbench of {device.module}: accesses on {device.bus.title}.
//
{said}
//
// Inputs change at falling edges of the clock; all is looked at at rising ones, as in the device.
// An input is x while it means nothing, so a four-state simulator shows whether it is read.
//
// Waveforms: +vcd=FILE.vcd; with Verilator from a program that was built with --trace.

module tb_{device.module};

{declarations}

  {device.module} dut (
{connections}
  );

  // Clocks in which the test must end: well beyond what it takes.
  localparam int Limit = {clocks};

  int clock = 0;
  int failures = 0;
  logic [31:0] value;
  logic [127:0] result;

  initial begin
    clk_i = 1'b0;
    forever #5 clk_i = ~clk_i;
  end

  always @(posedge clk_i) begin
    if (clock == Limit) $fatal(1, "FAIL: no end after %0d clocks", clock);
    clock <= clock + 1;
  end

  task automatic fail;
    failures = failures + 1;
    if (failures == 10) $fatal(1, "FAIL: %0d failures in %0d clocks", failures, clock);
  endtask

{accesses}
  // A register: the lowest 32 bits of a word of the bus, or those that its address chooses.
  task automatic write_register(input logic [13:0] address, input logic [31:0] data);
    put(address, {_placed("data", 32, width)}, {_placed("4'hf", 4, width // 8)});
  endtask

  task automatic read_register(input logic [13:0] address, output logic [31:0] data);
    logic [{width - 1}:0] word;
    get(address, word);
    data = {_shifted("word", width)};
  endtask

  task automatic expect_register(input logic [13:0] address, input logic [31:0] wanted);
    read_register(address, value);
    if (value !== wanted) begin
      $display("clock %0d: register %h is %h, not %h", clock, address, value, wanted);
      fail();
    end
  endtask

{tasks}
  initial begin
{_rest(inputs)}    repeat ({_RESET}) @(negedge clk_i);
    rst_ni = 1'b1;
    @(negedge clk_i);
{calls}
    if (failures != 0) $fatal(1, "FAIL: %0d failures", failures);
    $display("PASS: {passed} in %0d clocks", clock);
    $finish;
  end

{waveform(f"tb_{device.module}")}
endmodule
"""


_SAID = """\
// It sends the examples of FIPS 197, a block at a time, and those of SP 800-38A together, waits for
// the interrupt that says that the results are there, and reads them. Every result must be right,
// no access may end with an error, and ERRORS must be zero at the end. The last line starts with
// PASS, or is of $fatal."""

_TURNED = """\
  // A block or a key has its first byte on top, memory has it at the lowest address: a word of the
  // bus in the lowest bits.
  function automatic [127:0] turned(input logic [127:0] block);
    for (int n = 0; n < 16; n = n + 1) turned[8*n+:8] = block[127-8*n-:8];
  endfunction

"""


def text(system: System) -> str:
    """SystemVerilog of the testbench of a host system: module ``tb_<module>``."""
    sent, blocks, clocks = _calls(system)
    width = system.width
    map_ = registers()
    info = _info(system)
    tasks = f"""\
  // Until these bits of STATUS are zero.
  task automatic wait_for_status(input logic [31:0] bits);
    do read_register(14'h{map_["STATUS"]:04x}, value); while ((value & bits) !== 32'h00000000);
  endtask

  // A setting, with a key where load is set, for the blocks that come after it.
  task automatic set(input logic load, input logic [255:0] key, input logic [31:0] command);
    logic [255:0] bytes;
    bytes = {{turned(key[127:0]), turned(key[255:128])}};
    wait_for_status(32'h{map_["STATUS_ERASING"] | map_["STATUS_SETTING"]:08x});
    if (load) begin
      for (int at = 0; at < {256 // width}; at = at + 1) begin
        put(14'h{map_["KEY"]:04x} + {width // 8} * at, bytes[{width}*at+:{width}], '1);
      end
    end
    write_register(14'h{map_["CONTROL"]:04x}, command);
  endtask

  // So many blocks must be there before the interrupt comes.
  task automatic wait_for_interrupt;
    while (irq_o !== 1'b1) @(negedge clk_i);
  endtask

  task automatic compare(input logic [127:0] wanted);
    take(result);
    if (result !== wanted) begin
      $display("clock %0d: expected %h, got %h", clock, wanted, result);
      fail();
    end
  endtask

  task automatic expect_no_interrupt;
    repeat (4) @(negedge clk_i);
    if (irq_o !== 1'b0) begin
      $display("clock %0d: irq_o is %b, but no block is there", clock, irq_o);
      fail();
    end
  endtask
"""
    calls = f"""\
    expect_register(14'h{map_["ID"]:04x}, 32'h{map_["ID_MAGIC_RESET"]:08x});
    expect_register(14'h{map_["INFO"]:04x}, 32'h{info:08x});
    wait_for_status(32'h{map_["STATUS_ERASING"]:08x});
    write_register(14'h{map_["IRQ_ENABLE"]:04x}, 32'h{map_["IRQ_ENABLE_OUT_READY"]:08x});
    expect_no_interrupt;
{sent}

    expect_register(14'h{map_["ERRORS"]:04x}, 32'h00000000);"""
    return frame(
        system,
        _SAID,
        clocks,
        accesses=_TURNED + _bus(system),
        tasks=tasks,
        calls=calls,
        passed=f"{blocks} blocks",
    )


def _placed(value: str, width: int, whole: int) -> str:
    """A value of so many bits at its place in a word of the bus, of ``whole`` bits."""
    if width == whole:
        return value
    padded = f"{{{whole - width}'b0, {value}}}"
    # Registers stand eight bytes apart.
    return f"{padded} << (address[3] ? {whole // 2} : 0)" if whole // width == 4 else padded


def _shifted(word: str, width: int) -> str:
    """The 32 bits of a register in a word of the bus."""
    if width == 128:
        return f"address[3] ? {word}[95:64] : {word}[31:0]"
    return word if width == 32 else f"{word}[31:0]"


def _info(system: System) -> int:
    """What INFO must say."""
    map_ = registers()
    design = system.named.design
    flags = {
        "ENCRYPTS": design.can_encrypt,
        "DECRYPTS": design.can_decrypt,
        **{f"KEY_{bits}": bits in design.key_lengths for bits in (128, 192, 256)},
        "GUARDED": system.guarded,
        "STREAM": system.bus is Bus.AXI_STREAM,
    }
    depth = system.depth.bit_length() - 1
    return (
        (map_["INFO_VERSION_RESET"] << map_["INFO_VERSION_SHIFT"])
        | (depth << map_["INFO_LOG2_DEPTH_SHIFT"])
        | sum(map_[f"INFO_{name}"] for name, there in flags.items() if there)
    )


def _calls(system: System) -> tuple[str, int, int]:
    """Calls of the tasks, the blocks that they send, and clocks that are more than they take."""
    map_ = registers()
    design = system.named.design
    lines: list[str] = []
    blocks = 0
    accesses = 16
    clocks = 8 * system.depth
    directions = [d for d in (0, 1) if (design.can_decrypt if d else design.can_encrypt)]
    for key, group in itertools.groupby(EXAMPLES, lambda example: example.key):
        examples = list(group)[: system.depth // 2]
        bits = 4 * len(key)
        if bits not in design.key_lengths:
            continue
        lines.append(f"\n    // {examples[0].source}, {bits}-bit key")
        for number, decrypt in enumerate(directions):
            command = map_["CONTROL_SET"] | decrypt * map_["CONTROL_DECRYPT"]
            if not number:
                command |= map_["CONTROL_LOAD_KEY"]
                command |= (bits // 64 - 2) << map_["CONTROL_KEY_LEN_SHIFT"]
            value = f"256'h{key:0<64}" if not number else "256'h0"
            lines.append(f"    set(1'b{int(not number)}, {value}, 32'h{command:08x});")
            lines.append(
                f"    write_register(14'h{map_['OUT_MARK']:04x}, 32'h{len(examples):08x});"
            )
            lines += [f"    give(128'h{_texts(e, decrypt)[0]});" for e in examples]
            lines.append("    wait_for_interrupt;")
            lines += [f"    compare(128'h{_texts(e, decrypt)[1]});" for e in examples]
            lines.append("    expect_no_interrupt;")
            blocks += len(examples)
            accesses += 16 + 8 * len(examples)
            clocks += design.latency(bits) + design.key_setup(bits) + design.direction_change
            clocks += math.ceil(len(examples) * design.interval(bits))
    return "\n".join(lines), blocks, 2 * clocks + _CLOCKS_OF_ACCESS * accesses


def _texts(example: Example, decrypt: int) -> tuple[str, str]:
    """What goes in, and what must come out."""
    texts = example.plaintext, example.ciphertext
    return (texts[1], texts[0]) if decrypt else texts


_AT_REST = ("valid", "bready", "rready", "_cyc_i", "_stb_i", "slot_write_i", "slot_read_i")


def _is_control(name: str) -> bool:
    """Whether an input means something in every clock."""
    return name in ("rst_ni", "m_axis_tready") or name.endswith(_AT_REST)


def _rest(inputs: list[str]) -> str:
    """Lines that make inputs mean nothing, in reset."""
    longest = max(map(len, inputs))
    return "".join(
        f"    {name:<{longest}} = '{0 if _is_control(name) else 'x'};\n" for name in inputs
    )


def accesses(device: OnBus) -> str:
    """The tasks ``put`` and ``get`` of the bus of a device."""
    of_bus = {
        Bus.AXI_LITE: _axi,
        Bus.AXI4: _axi,
        Bus.AXI_STREAM: _axi,
        Bus.WISHBONE: _wishbone,
        Bus.MEMORY_SLOT: _memory_slot,
    }
    return of_bus[device.bus](device)


def _bus(system: System) -> str:
    """The tasks ``put``, ``get``, ``give`` and ``take`` of the bus of a system."""
    width = system.width
    tasks = accesses(system)
    if system.bus is Bus.AXI_STREAM:
        return tasks + _STREAM
    data = registers()["DATA"]
    words = 128 // width
    return f"""{tasks}
  // A block, through the data window.
  task automatic give(input logic [127:0] block);
    logic [127:0] bytes;
    bytes = turned(block);
    for (int at = 0; at < {words}; at = at + 1) begin
      put(14'h{data:04x} + {width // 8} * at, bytes[{width}*at+:{width}], '1);
    end
  endtask

  task automatic take(output logic [127:0] block);
    logic [127:0] bytes;
    logic [{width - 1}:0] word;
    for (int at = 0; at < {words}; at = at + 1) begin
      get(14'h{data:04x} + {width // 8} * at, word);
      bytes[{width}*at+:{width}] = word;
    end
    block = turned(bytes);
  endtask
"""


_STREAM = """
  // A block, through the streams.
  task automatic give(input logic [127:0] block);
    s_axis_tvalid = 1'b1;
    s_axis_tdata  = turned(block);
    s_axis_tlast  = 1'b1;
    do @(posedge clk_i); while (s_axis_tready !== 1'b1);
    @(negedge clk_i);
    s_axis_tvalid = 1'b0;
    s_axis_tdata  = 'x;
    s_axis_tlast  = 1'bx;
  endtask

  task automatic take(output logic [127:0] block);
    m_axis_tready = 1'b1;
    do @(posedge clk_i); while (m_axis_tvalid !== 1'b1);
    block = turned(m_axis_tdata);
    if (m_axis_tlast !== 1'b1) begin
      $display("clock %0d: m_axis_tlast is %b", clock, m_axis_tlast);
      fail();
    end
    @(negedge clk_i);
    m_axis_tready = 1'b0;
  endtask
"""


def _heads(width: int) -> tuple[str, str]:
    """The first lines of ``put`` and ``get``."""
    return (
        f"""  // A word of the bus; a bit of strobe for each byte that counts.
  task automatic put(input logic [13:0] address, input logic [{width - 1}:0] data,
                     input logic [{width // 8 - 1}:0] strobe);
""",
        f"""
  task automatic get(input logic [13:0] address, output logic [{width - 1}:0] data);
""",
    )


def _axi(system: OnBus) -> str:
    put, get = _heads(system.width)
    write, read = {"s_axi_awprot": "3'b000"}, {"s_axi_arprot": "3'b000"}
    last = {}
    identity = {}
    if system.bus is Bus.AXI4:
        # Whole words as wide as the bus, registers as wide as they are.
        size = f"3'd{(system.width // 8).bit_length() - 1}"
        shape = {"id": "4'h0", "len": "8'd0", "burst": "2'b01"}
        write = {f"s_axi_aw{name}": value for name, value in shape.items()}
        write["s_axi_awsize"] = f"&strobe ? {size} : 3'd2"
        read = {f"s_axi_ar{name}": value for name, value in shape.items()}
        read["s_axi_arsize"] = f"address >= 14'h{registers()['DATA']:04x} ? {size} : 3'd2"
        last = {"s_axi_wlast": "1'b1"}
        identity = {"b": " || s_axi_bid !== 4'h0", "r": " || s_axi_rid !== 4'h0"}
        identity["r"] += " || s_axi_rlast !== 1'b1"
    offered = {"s_axi_awaddr": "address", **write}
    data = {"s_axi_wdata": "data", "s_axi_wstrb": "strobe", **last}
    asked = {"s_axi_araddr": "address", **read}
    return f"""{put}    logic taken_address, taken_data;
    s_axi_awvalid = 1'b1;
    s_axi_wvalid  = 1'b1;
{_given(offered)}{_given(data)}    // Address and data are taken each in its time.
    while (s_axi_awvalid || s_axi_wvalid) begin
      @(posedge clk_i);
      taken_address = s_axi_awready === 1'b1;
      taken_data    = s_axi_wready === 1'b1;
      @(negedge clk_i);
      if (taken_address) begin
        s_axi_awvalid = 1'b0;
{_unknown(offered, 8)}      end
      if (taken_data) begin
        s_axi_wvalid = 1'b0;
{_unknown(data, 8)}      end
    end
    s_axi_bready = 1'b1;
    do @(posedge clk_i); while (s_axi_bvalid !== 1'b1);
    if (s_axi_bresp !== 2'b00{identity.get("b", "")}) begin
      $display("clock %0d: write to %h ends with %b", clock, address, s_axi_bresp);
      fail();
    end
    @(negedge clk_i);
    s_axi_bready = 1'b0;
  endtask
{get}    s_axi_arvalid = 1'b1;
{_given(asked)}    do @(posedge clk_i); while (s_axi_arready !== 1'b1);
    @(negedge clk_i);
    s_axi_arvalid = 1'b0;
{_unknown(asked, 4)}    s_axi_rready  = 1'b1;
    do @(posedge clk_i); while (s_axi_rvalid !== 1'b1);
    data = s_axi_rdata;
    if (s_axi_rresp !== 2'b00{identity.get("r", "")}) begin
      $display("clock %0d: read of %h ends with %b", clock, address, s_axi_rresp);
      fail();
    end
    @(negedge clk_i);
    s_axi_rready = 1'b0;
  endtask
"""


def _given(values: dict[str, str]) -> str:
    return "".join(f"    {name} = {value};\n" for name, value in values.items())


def _unknown(values: dict[str, str], indent: int) -> str:
    return "".join(f"{' ' * indent}{name} = 'x;\n" for name in values)


def _wishbone(system: OnBus) -> str:
    put, get = _heads(system.width)
    # Standard: the request stands until its answer. Pipelined: until it is taken.
    taken = ""
    if system.pipelined:
        taken = """    do @(posedge clk_i); while (wb_stall_o !== 1'b0);
    @(negedge clk_i);
    wb_stb_i = 1'b0;
"""
    answered = f"""{taken}    do @(posedge clk_i); while (wb_ack_o !== 1'b1 && wb_err_o !== 1'b1);
"""
    end = """    if (wb_err_o !== 1'b0) begin
      $display("clock %0d: access to %h ends with an error", clock, address);
      fail();
    end
    @(negedge clk_i);
    wb_cyc_i = 1'b0;
    wb_stb_i = 1'b0;
    wb_we_i  = 1'bx;
    wb_adr_i = 'x;
    wb_sel_i = 'x;
    wb_dat_i = 'x;
  endtask
"""
    begin = """    wb_cyc_i = 1'b1;
    wb_stb_i = 1'b1;
    wb_adr_i = address;
"""
    return f"""{put}{begin}    wb_we_i  = 1'b1;
    wb_sel_i = strobe;
    wb_dat_i = data;
{answered}{end}{get}{begin}    wb_we_i  = 1'b0;
    wb_sel_i = '1;
{answered}    data = wb_dat_o;
{end}"""


def _memory_slot(system: OnBus) -> str:
    put, get = _heads(system.width)
    put = put.replace("a bit of strobe for each byte that counts", "all of it counts")
    return f"""{put}    slot_write_i = 1'b1;
    slot_addr_i  = address[13:3];
    slot_data_i  = data;
    @(negedge clk_i);
    slot_write_i = 1'b0;
    slot_addr_i  = 'x;
    slot_data_i  = 'x;
  endtask
{get}    slot_read_i = 1'b1;
    slot_addr_i = address[13:3];
    @(negedge clk_i);
    slot_read_i = 1'b0;
    slot_addr_i = 'x;
    data = slot_data_o;  // a clock after the request
  endtask
"""
