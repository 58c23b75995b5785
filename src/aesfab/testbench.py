# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The self-checking testbench that travels with a generated core.

Plain delays and tasks, so that it runs in Verilator (``--binary --timing``), Icarus Verilog
(``-g2012``) and vendor simulators alike. It is a first check for the user's own set-up; the full
verification is ``aesfab verify``.
"""

from __future__ import annotations

import dataclasses

from aesfab import expansion
from aesfab.catalogue import Named
from aesfab.spec import ROUNDS_OF_KEY, Design, Interface, Tbox


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


def text(named: Named) -> str:
    """SystemVerilog of the testbench for a design: module ``tb_<module>``."""
    design = named.design
    ports = {port.name: port for port in design.ports()}
    width = design.key_width

    declarations = []
    for port in ports.values():
        span = "" if port.width == 1 else f"[{port.width - 1}:0] "
        declarations.append(f"  logic {span}{port.name};")
    initial = [
        f"    {port.name} = '0;"
        for port in ports.values()
        if port.is_input and port.name != "clk_i"
    ]
    connections = ",\n".join(f"    .{name:<12}({name})" for name in ports)

    calls = []
    checks = 0
    last_key = ""
    for example in EXAMPLES:
        if example.key_bits not in design.key_lengths:
            continue
        key = f"{width}'h{example.key}{'0' * (width // 4 - len(example.key))}"
        length = {128: 0, 192: 1, 256: 2}[example.key_bits]
        latency = design.latency(example.key_bits)
        calls.append(f"    // {example.source}")
        if design.round_keys_from_outside and example.key != last_key:
            calls += _round_keys_call(design, example, length)
            last_key = example.key
        elif design.stored_keys and example.key != last_key:
            calls.append(f"    load_key(\n        {key}, 2'd{length});")
            last_key = example.key
        for decrypt in (0, 1):
            if not (design.can_decrypt if decrypt else design.can_encrypt):
                continue
            block, expected = (
                (example.ciphertext, example.plaintext)
                if decrypt
                else (example.plaintext, example.ciphertext)
            )
            checks += 1
            calls.append(
                f"    check_block(\n        {key},\n"
                f"        1'b{decrypt}, 128'h{block}, 128'h{expected}, {latency});"
            )

    load_key = _load_key(design) if design.stored_keys else ""
    send, receive = _block_transfer(design)

    return f"""// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// Self-checking testbench of {named.module}: the examples of FIPS 197 and SP 800-38A, with the
// latency of every block. Ends with a line that starts with PASS, or with $fatal.

module tb_{named.module};

{chr(10).join(declarations)}

  int unsigned checks;
  int unsigned failures;

  {named.module} dut (
{connections}
  );

  initial begin
    clk_i = 1'b0;
    forever #5 clk_i = ~clk_i;
  end
{load_key}
  // Send one block through the core and look at what leaves it, and when. Inputs change at the
  // falling edge, so that nothing depends on the order of events at the rising one.
  task automatic check_block(input logic [{width - 1}:0] key, input logic decrypt,
                             input logic [127:0] block, input logic [127:0] expected,
                             input int latency);
    int clocks;
    logic [127:0] result;
{send}    in_valid_i = 1'b0;
    while (!out_valid_o && clocks < 100) begin
      @(negedge clk_i);
      clocks = clocks + 1;
    end
{receive}    checks = checks + 1;
    if (clocks != latency || result !== expected) begin
      failures = failures + 1;
      $display("key %h decrypt %b block %h: expected %h after %0d clocks, got %h after %0d",
               key, decrypt, block, expected, latency, result, clocks);
    end
  endtask

  initial begin
{chr(10).join(initial)}
    checks   = 0;
    failures = 0;
    repeat (3) @(negedge clk_i);
    rst_ni = 1'b1;
    @(negedge clk_i);
{chr(10).join(calls)}
    if (failures != 0 || checks != {checks}) $fatal(1, "FAIL: %0d of %0d checks", failures, checks);
    $display("PASS: %0d checks", checks);
    $finish;
  end

  initial begin
    #1000000;
    $fatal(1, "FAIL: no end");
  end

endmodule
"""


def _round_keys_call(design: Design, example: Example, length: int) -> list[str]:
    """The call of the task of ``_load_round_keys`` for the key of an example."""
    texts = []
    for port in design.round_key_ports:
        mixed = port == "mixed_round_key_i"
        words = expansion.round_key_words(bytes.fromhex(example.key), mixed=mixed)
        padding = 4 * (ROUNDS_OF_KEY[design.key_width] + 1) - len(words)
        lines = [
            ", ".join(f"32'h{word:08x}" for word in [*words, *[0] * padding][at : at + 4])
            for at in range(0, len(words) + padding, 4)
        ]
        text = ",\n         ".join(lines)
        texts.append(f"        {{{text}}},\n")
    return [f"    load_round_keys(\n{''.join(texts)}        {len(words)}, 2'd{length});"]


def _load_round_keys(design: Design) -> str:
    """The task that gives the round keys of a key and waits until it is the current one."""
    top = 128 * (ROUNDS_OF_KEY[design.key_width] + 1) - 1
    at_a_time = design.round_key_words
    set_length = "    key_len_i   = len;\n" if len(design.key_lengths) > 1 else ""
    inputs = f",\n{' ' * 33}".join(
        f"input logic [{top}:0] {port.removesuffix('_i')}s" for port in design.round_key_ports
    )
    offers = "\n".join(
        f"      {port} = {port.removesuffix('_i')}s[{top}-32*word-:{32 * at_a_time}];"
        for port in design.round_key_ports
    )
    return f"""
  // Announce a key, give its round keys and wait until it is the current one.
  task automatic load_round_keys({inputs},
                                 input int number, input logic [1:0] len);
    key_valid_i = 1'b1;
{set_length}    while (!key_ready_o) @(negedge clk_i);
    @(negedge clk_i);
    key_valid_i       = 1'b0;
    round_key_valid_i = 1'b1;
    for (int word = 0; word < number; word = word + {at_a_time}) begin
{offers}
      while (!round_key_ready_o) @(negedge clk_i);
      @(negedge clk_i);
    end
    round_key_valid_i = 1'b0;
    while (!key_ready_o) @(negedge clk_i);
  endtask
"""


def _load_key(design: Design) -> str:
    """The task that loads a key and waits until it is the current one."""
    if design.round_keys_from_outside:
        return _load_round_keys(design)
    width = design.key_width
    set_length = "    key_len_i   = len;\n" if len(design.key_lengths) > 1 else ""
    head = f"""
  // Offer a key and wait until it is the current one.
  task automatic load_key(input logic [{width - 1}:0] key, input logic [1:0] len);
    key_valid_i = 1'b1;
"""
    if design.interface is Interface.BLOCK:
        late = "    #1;  // key_ready_o falls\n" if design.key_offered else ""
        offer = f"""    key_i       = key;
{set_length}{late}    while (!key_ready_o) @(negedge clk_i);
    @(negedge clk_i);
"""
    else:
        offer = f"""{set_length}    for (int word = 0; word < 4 + 2 * len; word = word + 1) begin
      key_word_i = key[{width - 1}-32*word-:32];
      while (!key_ready_o) @(negedge clk_i);
      @(negedge clk_i);
    end
"""
    return f"""{head}{offer}    key_valid_i = 1'b0;
    while (!key_ready_o) @(negedge clk_i);
  endtask
"""


def _block_transfer(design: Design) -> tuple[str, str]:
    """Statements that send a block and count its clocks, and that fetch the result."""
    direction = "    in_decrypt_i = decrypt;\n" if design.can_encrypt and design.can_decrypt else ""
    if design.tbox is Tbox.REFILLED:
        direction += "    #1;  // in_ready_o depends on it\n"
    if design.interface is Interface.BLOCK:
        block_key = "" if design.stored_keys else "    in_key_i    = key;\n"
        send = f"""    in_valid_i  = 1'b1;
    in_block_i  = block;
{direction}{block_key}    while (!in_ready_o) @(negedge clk_i);
    @(negedge clk_i);
    clocks     = 1;
"""
        return send, "    result = out_block_o;\n"
    send = f"""    in_valid_i = 1'b1;
{direction}    clocks     = 0;
    for (int word = 0; word < 4; word = word + 1) begin
      in_word_i = block[127-32*word-:32];
      while (!in_ready_o) @(negedge clk_i);
      @(negedge clk_i);
      clocks = clocks + 1;
    end
"""
    receive = """    for (int word = 0; word < 4; word = word + 1) begin
      result[127-32*word-:32] = out_valid_o ? out_word_o : 'x;
      @(negedge clk_i);
      clocks = clocks + 1;
    end
"""
    return send, receive
