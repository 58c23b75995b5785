# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The self-checking testbench that travels with a packet unit.

Official answers go through registers, packet DMA and a RAM beside it, as a program would send them:
a key, a descriptor, the pieces of a packet at all alignments, its result. See ``host.testbench``.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from aesfab.engine.packets import BLOCK, Error
from aesfab.host import packets, testbench
from aesfab.host.system import Bus
from aesfab.host.unit import RAM_BITS, Unit, registers

_BASE = 0x2000_0000  # of the RAM, in bytes
_WORD_BITS = 10  # of the address of a word in the RAM
_FILL = 0xA5
# Steps. They stand in a table: for a line of code each, Verilator and g++ take many minutes.
_KEY, _LOAD, _BEGIN, _PIECE, _END, _LOOK = (f"3'd{number}" for number in range(6))
_KEY_LEN = {16: 0, 24: 1, 32: 2}


def text(unit: Unit) -> str:
    """SystemVerilog of the testbench of a packet unit: module ``tb_<module>``."""
    at = {register.name: register.address for register in registers()}
    chosen = packets.answers(unit.named)
    lines: list[str] = []
    accesses, clocks, steps = 0, 20000, 0
    for number, answer in enumerate(chosen):
        lines += [f"    // {answer.source}"]
        for step in _packet(unit, number, answer):
            lines.append(f"    steps[{steps}] = {step};")
            steps += 1
        packet = answer.packet
        accesses += 60
        aad, body = (-(-len(part) // BLOCK) for part in (packet.aad, packet.text))
        clocks += 4 * unit.named.engine.packet_clocks(aad + 10, body, decrypt=packet.decrypt)
    sources = sorted({answer.source.split()[0] for answer in chosen})
    said = f"""\
// It sends {len(chosen)} official answers, from {", ".join(sources)}, through registers, packet
// DMA and a RAM, as a program does. Every result must be right, no byte beside it may change, and
// no access may end with an error. The last line starts with PASS, or is of $fatal."""
    calls = f"""\
    expect_register(14'h{at["INFO"]:04x}, 32'h{packets.info(unit.named):08x});
{_both_ways(unit)}    for (int n = 0; n < Steps; n = n + 1) begin
      step = steps[n];
      what = step[322:320];
      a    = step[319:288];
      b    = step[287:256];
      case (what)
        {_KEY}: set_key(a[11:0], step[255:0]);
        {_LOAD}: load(a[9:0], step[127:0]);
        {_BEGIN}: begin_packet(a, b, step[191:0]);
        {_PIECE}: piece(a, b);
        {_END}: end_packet(n, a[5:0], b, step[127:0]);
        default: look(n, a[9:0], step[127:0]);
      endcase
    end
"""
    return testbench.frame(
        unit,
        said,
        clocks + 32 * accesses,
        accesses=testbench.accesses(unit),
        tasks=_tasks(at, lines, steps) + _at_once(unit, at),
        calls=calls,
        passed=f"{len(chosen)} packets",
        driven=("ram_data_i",),
    )


_APART = 4
"""Clocks between a write and a read that begin at once, at most, one way and the other."""


def _both_ways(unit: Unit) -> str:
    """Calls of a write and a read at once, where the bus can have both under way."""
    if unit.bus is Bus.WISHBONE:
        return ""
    return f"    for (int n = 0; n <= {2 * _APART}; n = n + 1) at_once(n);\n"


def _at_once(unit: Unit, at: dict[str, int]) -> str:
    """The task that does so."""
    if unit.bus is Bus.WISHBONE:
        return ""
    return f"""
  // A write and a read at once, in all orders: in one clock the write goes first.
  task automatic at_once(input int number);
    logic [31:0] found;
    fork
      begin
        repeat (number) @(negedge clk_i);
        write_register(14'h{at["ROOM"]:04x}, 32'h00123400 + number);
      end
      begin
        repeat ({_APART}) @(negedge clk_i);
        read_register(14'h{at["INFO"]:04x}, found);
      end
    join
    if (found !== 32'h{packets.info(unit.named):08x}) begin
      $display("clock %0d: INFO is %h beside a write", clock, found);
      fail();
    end
    expect_register(14'h{at["ROOM"]:04x}, 32'h00123400 + number);
  endtask
"""


def _packet(unit: Unit, number: int, answer: Any) -> Iterator[str]:
    """The steps for an official answer."""
    packet, result = answer.packet, answer.result
    beats = packet.beats()
    pieces = [
        (kind, b"".join(beat.data for beat in group))
        for kind, group in itertools.groupby(beats, lambda beat: int(beat.kind))
    ]
    wrong = result.error is Error.TAG
    # No answer has the text that comes before a wrong tag.
    most_held = unit.named.engine.most_held
    out = packet.expected(answer.key, most_held).text if wrong else result.text
    image = bytearray()
    placed = []
    for shift, (kind, data) in enumerate(pieces, number):
        image += bytes([_FILL]) * (4 + (shift - len(image)) % 4)
        placed.append((_BASE + len(image), kind, data))
        image += data
    image += bytes([_FILL]) * (4 + (number // 4 - len(image)) % 4)
    target = len(image)
    image += bytes([_FILL]) * (len(packet.text) + 8)
    image += bytes([_FILL]) * (-len(image) % BLOCK)
    wanted = bytearray(image)
    wanted[target : target + len(out)] = out
    yield _step(_KEY, _KEY_LEN[len(answer.key)] << 8 | packet.slot, 0, answer.key)
    for word in range(0, len(image), BLOCK):
        yield _step(_LOAD, word // 4, 0, image[word : word + BLOCK])
    yield _step(_BEGIN, _BASE + target, len(packet.text), packets.descriptor(packet))
    for index, (address, kind, data) in enumerate(placed):
        last = index == len(placed) - 1
        yield _step(_PIECE, address, len(data) | kind << 24 | last << 31)
    user = result.error << 2 | int(not wrong) << 1 | 1
    room = len(packet.text) - len(out)
    yield _step(_END, user, room, result.tag)
    for word in range(0, len(image), BLOCK):
        yield _step(_LOOK, word // 4, 0, wanted[word : word + BLOCK])


def _step(what: str, first: int, second: int, data: bytes | bytearray = b"") -> str:
    """A step: what is done, with two numbers and bytes, the first one lowest."""
    number = bytes(data).ljust(32, bytes(1))[::-1].hex()
    return f"{{{what}, 32'h{first:08x}, 32'h{second:08x}, 256'h{number}}}"


def _tasks(at: dict[str, int], lines: Sequence[str], steps: int) -> str:
    """The RAM, what a program does with a packet, and the table of steps."""
    register = {name: f"14'h{address:04x}" for name, address in at.items()}
    above = RAM_BITS - _WORD_BITS
    return f"""\
  // What is done: a step, its two numbers, its bytes.
  localparam int Steps = {steps};
  logic [322:0] steps[Steps];
  logic [322:0] step;
  logic [2:0] what;
  logic [31:0] a, b;

  initial begin
{chr(10).join(lines)}
  end

  // The RAM: a read comes in the next clock.
  logic [31:0] ram[{1 << _WORD_BITS}];

  always @(posedge clk_i) begin
    ram_data_i <= ram_read_o === 1'b1 ? ram[ram_addr_o[{_WORD_BITS - 1}:0]] : 'x;
    for (int n = 0; n < 4; n = n + 1) begin
      if (ram_write_o[n] === 1'b1) ram[ram_addr_o[{_WORD_BITS - 1}:0]][8*n+:8] = ram_data_o[8*n+:8];
    end
    if ((ram_read_o === 1'b1 || (|ram_write_o) === 1'b1) &&
        ram_addr_o[{RAM_BITS - 1}:{_WORD_BITS}] !== {above}'h{_BASE >> 2 + _WORD_BITS:x}) begin
      $display("clock %0d: no RAM at word %h", clock, ram_addr_o);
      fail();
    end
  end

  // Four words from this one on.
  task automatic load(input logic [{_WORD_BITS - 1}:0] address, input logic [127:0] words);
    for (int n = 0; n < 4; n = n + 1) ram[address+n] = words[32*n+:32];
  endtask

  task automatic look(input int number, input logic [{_WORD_BITS - 1}:0] address,
                      input logic [127:0] words);
    for (int n = 0; n < 4; n = n + 1) result[32*n+:32] = ram[address+n];
    if (result !== words) begin
      $display("step %0d: words from %h on are %h, not %h", number, address, result, words);
      fail();
    end
  endtask

  // Until these bits of STATUS are so.
  task automatic wait_for_status(input logic [31:0] mask, input logic [31:0] bits);
    do read_register({register["STATUS"]}, value); while ((value & mask) !== bits);
  endtask

  // A key for a slot; user is its tuser.
  task automatic set_key(input logic [11:0] user, input logic [255:0] key);
    for (int n = 0; n < 8; n = n + 1) write_register({register["WORDS"]} + 4 * n, key[32*n+:32]);
    write_register({register["KEY"]}, {{20'h0, user}});
    wait_for_status(32'h00000001, 32'h00000000);
  endtask

  task automatic begin_packet(input logic [31:0] target, input logic [31:0] room,
                              input logic [191:0] descriptor);
    write_register({register["STATUS"]}, 32'h00000000);
    write_register({register["TARGET"]}, target);
    write_register({register["ROOM"]}, room);
    for (int n = 0; n < 6; n = n + 1) begin
      write_register({register["WORDS"]} + 4 * n, descriptor[32*n+:32]);
    end
    write_register({register["DESC"]}, 32'h00000000);
  endtask

  // So many bytes of one kind.
  task automatic piece(input logic [31:0] source, input logic [31:0] command);
    write_register({register["SOURCE"]}, source);
    write_register({register["PIECE"]}, command);
    wait_for_status(32'h00000004, 32'h00000000);
  endtask

  // The last beat of the result, whose tuser this is, and the room that is left.
  task automatic end_packet(input int number, input logic [5:0] user, input logic [31:0] room,
                            input logic [127:0] data);
    wait_for_status(32'h0000001a, 32'h00000010);
    if (value !== {{18'h0, user, 8'h10}}) begin
      $display("step %0d: STATUS is %h, not %h", number, value, {{18'h0, user, 8'h10}});
      fail();
    end
    expect_register({register["ROOM"]}, room);
    for (int n = 0; n < 4; n = n + 1) begin
      expect_register({register["RESULT"]} + 4 * n, data[32*n+:32]);
    end
  endtask
"""
