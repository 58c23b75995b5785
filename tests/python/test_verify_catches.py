# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The bench can fail: every fault put into the RTL is caught, with a first failure that says why.

A fault is a replacement of text in one file of a copy of the RTL; how its lines are broken does not
matter. A test fails as well when the text is no longer there: then the fault has to be written anew
for the RTL as it is now.

What was said of a fault is kept in ``tests/caught.jsonl``, by all that it follows from: the broken
RTL, the bench and the judge, the contract of the design, the simulator. Such a fault is simulated
only when one of these has changed, but for a sample, which always is. ``make faults`` simulates
every one and writes the file anew.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import kept
import passed
from aesfab.design import catalogue
from aesfab.errors import ToolError
from aesfab.folder import generate
from aesfab.hdl import rtl
from aesfab.system import process
from aesfab.verify import verify
from kept import KEEP, Kept

_ENC = "kakarlapudi-sbox-enc-128"
_DEC = "kakarlapudi-sbox-dec-128"
_BOTH_ANY = "kakarlapudi-sbox-both-any"
_FLY = "pilchard-unrolled-1"
_PIPELINE = "standaert-ram-pipeline-21"
# Longer under way than a key takes to be expanded.
_LONG_PIPELINE = "standaert-ram-pipeline-42"
_LOOP = "standaert-ram-sequential-42"
_COMPACT = "standaert-ram-compact-21"
_SHARED_FIRST = "fab-interleaved-ram"
_4SM = "qin-4sm"
_8SM = "qin-8sm"
_UNROLLING = "qin-unrolling"


_WORDS = "kakarlapudi-sbox-both-any-io32"
_TBOX_DEC = "kakarlapudi-tbox-dec-128"
_TBOX_BOTH = "kakarlapudi-tbox-both-128"
_REFILLED = "fischer-fast-tbox-both"
_NARROW = "fischer-economic-sbox-both"
_NARROW_TBOX = "fischer-economic-tbox-both"
_SHARED = "fab-narrow"
_TINY = "fab-tiny"
_TINY_192 = "fab-tiny-192"
_TINY_256 = "fab-tiny-256"
_TINY_DEC = "fab-tiny-dec"
_BYTE = "fab-byte"
_BYTE_RAM = "fab-byte-ram"
_MICRO = "fab-micro"
_FAB_BOTH = "fab-iterative-both"
_FAB_RAM = "fab-iterative-ram"
_FAB_PACKED = "fab-iterative-ram-packed"
_FAB_COMPACT = "fab-compact"
_FAB_COMPACT_192 = "fab-compact-192"
_FAB_COMPACT_DEC = "fab-compact-dec-256"
# The same with a key schedule that is a clock ahead.
_AHEAD = ("shared_add=no", "overlap=yes", "key_register=round-key")
_FAB_ITERATIVE = "fab-iterative"
_FAB_ROLLING = "fab-rolling"
_TWO_COLUMNS = ("lookups=2", "sbox_levels=1", "mix_levels=0")

_ITERATIVE = "aes_core_iterative.sv"
_ITERATIVE_AHEAD = "aes_core_iterative_ahead.sv"
_PIPELINED = "aes_core_pipelined.sv"
_INTERLEAVED = "aes_core_interleaved.sv"
_MIXADD = "aes_mixadd.sv"
_KEY_ROUND_STAGED = "aes_key_round_staged.sv"
_STORED = "aes_key_schedule_stored.sv"
_AHEAD_KEYS = "aes_key_schedule_ahead.sv"
_FILLER = "aes_key_filler.sv"
_KEY_PIPELINE = "aes_key_pipeline_stored.sv"
_KEY_PIPELINE_FLY = "aes_key_pipeline_on_the_fly.sv"
_KEY_LOOP = "aes_key_loop_stored.sv"
_EXPANDER = "aes_key_expander.sv"
_TABLE = "aes_sbox_table.sv"
_TBOX_CORE = "aes_core_iterative_tbox.sv"
_SHARED_ONE = "aes_core_iterative_shared.sv"
_COMPACT_CORE = "aes_core_iterative_compact.sv"
_OFFERED = "aes_key_schedule_offered.sv"
_TBOX_REFILL = "aes_tbox_refill.sv"
_NARROW_CORE = "aes_core_narrow.sv"
_NARROW_SHARED = "aes_core_narrow_shared.sv"
_KEY_RING = "aes_key_ring.sv"
_NARROW_TURNS = "aes_core_narrow_turns.sv"
_KEY_TURNS = "aes_key_turns.sv"
_BYTES = "aes_core_narrow_bytes.sv"
_BYTES_DECRYPT = "aes_core_narrow_bytes_decrypt.sv"
_KEY_BYTES = "aes_key_bytes.sv"
_ON_THE_FLY = "aes_key_schedule_on_the_fly.sv"
_SUMS = "aes_key_schedule_sums.sv"
_ENTRY = "aes_column_entry.sv"
_ROLLING = "aes_core_rolling.sv"
_S_MODULES = "aes_s_modules.sv"
_ROLLING_COLUMNS = "aes_core_rolling_columns.sv"
_KEY_CIRCUIT = "aes_round_key_circuit.sv"
_KEY_COLUMNS = "aes_round_key_columns.sv"
_WORD_PORTS = "aes_words.sv"
_SERIAL = "aes_core_narrow_serial.sv"
_SERIAL_KEYS = "aes_key_bytes_memory.sv"
_MICROCODED = "aes_core_microcoded.sv"
_MICROCODE = "aes_microcode_pkg.sv"
_MICROCODE_KEY = "aes_microcode_key.sv"


@dataclasses.dataclass(frozen=True)
class Fault:
    """A fault, and what the first failure must say of it."""

    name: str
    design: str
    file: str
    old: str
    new: str
    says: str
    overrides: tuple[str, ...] = ()
    level: verify.Level = "quick"  # the least that finds it


_WRONG = r"wrong result"

_LATE = """logic late_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) late_q <= 1'b0;
    else late_q <= out_valid_q;
  end
  """

_SHOWS = r"out_block_o changes without a result"

FAULTS = [
    # What the output shows while there is no result.
    Fault(
        "inner states on the output of an iterative core",
        _ENC,
        _ITERATIVE,
        "if (busy_q && last_round) out_block_q <=",
        "if (busy_q) out_block_q <=",
        _SHOWS,
    ),
    Fault(
        "round keys on the output of a compact core",
        _FAB_COMPACT,
        _COMPACT_CORE,
        "if (busy_q && last_round) out_block_q <= state_d;",
        "out_block_q <= state_d;",
        _SHOWS,
    ),
    Fault(
        "inner states on the output of a compact core",
        _FAB_COMPACT_DEC,
        _COMPACT_CORE,
        "if (busy_q && last_round) out_block_q <= state_d;",
        "if (busy_q) out_block_q <= state_d;",
        _SHOWS,
    ),
    Fault(
        "inner states on the output of a compact loop",
        _COMPACT,
        _INTERLEAVED,
        "if (ended) out_block_q <= sum;",
        "if (busy_q[NumSlots]) out_block_q <= sum;",
        _SHOWS,
    ),
    Fault(
        "inner columns on the output of a narrow core",
        _NARROW,
        _NARROW_CORE,
        "if (busy_q && last_round) out_block_q <=",
        "if (busy_q) out_block_q <=",
        r"out_block_o shows what is no part of the result",
    ),
    Fault(
        "inner bytes on the output of a byte-wide core",
        _TINY,
        _BYTES,
        "if (busy_q && last_q) out_block_q <=",
        "if (busy_q) out_block_q <=",
        r"out_block_o shows what is no part of the result",
    ),
    Fault(
        "inner states of a pipeline on its output",
        _PIPELINE,
        _PIPELINED,
        "out_block_q <= last_shifted ^ key[NumRounds];",
        "out_block_q <= on_the_way_q[Latency-2] ? last_shifted ^ key[NumRounds] : state[5];",
        r"out_block_o shows an inner state or a round key without a result",
    ),
    Fault(
        "round keys of a rolling core on its output",
        _4SM,
        _ROLLING,
        "assign out_block_o = gen_round[NumRounds].after;",
        "assign out_block_o = out_valid_o ? gen_round[NumRounds].after : gen_round[5].round_key;",
        r"out_block_o shows an inner state or a round key without a result",
    ),
    Fault(
        "words of a block on the output of 32-bit ports",
        _WORDS,
        _WORD_PORTS,
        "assign out_word_o = unload ? block_q[127:96] : '0;",
        "assign out_word_o = block_q[127:96];",
        r"out_word_o is not zero without a result",
    ),
    # Wrong data.
    Fault(
        "S-box entry",
        _ENC,
        _TABLE,
        "return entries;",
        "if (q == 1) entries[13] ^= 8'h10;\n    return entries;",
        _WRONG,
    ),
    Fault(
        "inverse S-box entry of the core for both directions",
        _BOTH_ANY,
        _TABLE,
        "return entries;",
        "if (q == 3 && AddrWidth == 7) entries[0] ^= 8'h01;\n    return entries;",
        _WRONG + r"(.|\n)*direction decrypt",
    ),
    Fault(
        "wrong Rcon",
        _ENC,
        _EXPANDER,
        "rcon_d  = 8'h01;",
        "rcon_d  = 8'h02;",
        _WRONG,
    ),
    Fault(
        "no SubWord in the middle of a 256-bit key",
        _BOTH_ANY,
        _EXPANDER,
        "assign at_middle = num_groups == 4'(LongGroups) && phase_q == 3'(Middle);",
        "assign at_middle = 1'b0;",
        _WRONG + r"(.|\n)*key +[0-9a-f]{64}\n",
    ),
    Fault(
        "wrong Rcon on the fly",
        _FLY,
        _ON_THE_FLY,
        ".rcon_i  (FirstAhead ? rcon_d : rcon),",
        ".rcon_i  (xtime(FirstAhead ? rcon_d : rcon)),",
        _WRONG,
    ),
    Fault(
        "S-box entry of a table in one piece",
        _FAB_ITERATIVE,
        "aes_sbox_wide.sv",
        "return entries;",
        "entries[200] ^= 8'h10;\n    return entries;",
        _WRONG,
    ),
    Fault(
        "wrong Rcon in running sums",
        _FAB_ITERATIVE,
        _SUMS,
        "key[0] ^ {8'h01, 24'd0}",
        "key[0] ^ {8'h02, 24'd0}",
        _WRONG,
    ),
    Fault(
        "last round of running sums a clock early",
        _FAB_ITERATIVE,
        _SUMS,
        "& rcon_q[2] & rcon_q[1];",
        "& rcon_q[1] & rcon_q[0];",
        r"a block is accepted at clock \d+ instead of \d+",
    ),
    Fault(
        "a block that enters meets the round key of the one that leaves",
        _FAB_ITERATIVE,
        _ENTRY,
        "assign with_key = enter_i ? '0 : b",
        "assign with_key = enter_i ? sub_i[Low+:8] : b",
        _WRONG,
    ),
    Fault(
        "on-the-fly key read a clock late",
        _FLY,
        _ITERATIVE,
        ".in_key_i, .enter_i (select[4]), .first_key_o (first_key), .round_keys_o ",
        ".in_key_i (accept ? '0 : in_key_i), .enter_i (select[4]), .first_key_o (first_key), "
        ".round_keys_o ",
        _WRONG,
    ),
    # Wrong time.
    Fault(
        "dropped output register",
        _ENC,
        _ITERATIVE,
        "always_ff @(posedge clk_i) begin\n"
        "    if (busy_q && last_round) out_block_q <= last[NumRounds-1];\n"
        "  end",
        "assign out_block_q = last[NumRounds-1];",
        _SHOWS,
    ),
    Fault(
        "out_valid_o a clock early",
        _ENC,
        _ITERATIVE,
        "assign out_valid_o = out_valid_q;",
        "assign out_valid_o = busy_q & last_round;",
        r"the result comes 10 clocks after the block was accepted instead of 11",
    ),
    Fault(
        "out_valid_o a clock late",
        _ENC,
        _ITERATIVE,
        "assign out_valid_o = out_valid_q;",
        _LATE + "  assign out_valid_o = late_q;",
        r"no out_valid_o at clock \d+",
    ),
    Fault(
        "out_valid_o twice",
        _FLY,
        _ITERATIVE,
        "assign out_valid_o = out_valid_q;",
        _LATE + "  assign out_valid_o = out_valid_q | late_q;",
        r"out_valid_o without a block|the result comes 1 clocks",
    ),
    Fault(
        "a clock lost between blocks",
        _ENC,
        _ITERATIVE,
        "assign in_ready_o = available & enter;",
        "assign in_ready_o = available & enter & ~out_valid_q;",
        r"a block is accepted at clock \d+ instead of \d+",
    ),
    Fault(
        "data-dependent time",
        _ENC,
        _ITERATIVE,
        "assign in_ready_o = available & enter;",
        "assign in_ready_o = available & enter & ~(out_valid_q && out_block_o[7:0] == 8'h5a);",
        r"a block is accepted at clock \d+ instead of \d+",
    ),
    Fault(
        "in_ready_o stuck low",
        _ENC,
        _ITERATIVE,
        "assign in_ready_o = available & enter;",
        "assign in_ready_o = available & 1'b0;",
        r"hangs: a block offered since clock \d+ is not accepted",
    ),
    Fault(
        "in_ready_o stuck high",
        _FLY,
        _ITERATIVE,
        "assign in_ready_o = available & enter;",
        "assign in_ready_o = available;",
        r"a block is accepted at clock \d+ instead of \d+",
    ),
    Fault(
        "direction read too late",
        _BOTH_ANY,
        _ITERATIVE,
        "(accept ? in_decrypt_i : block_decrypt_q)",
        "(in_decrypt_i)",
        _WRONG,
    ),
    # Wrong key.
    Fault(
        "banks not swapped",
        _ENC,
        _FILLER,
        "(switch_next_o ? fill_bank_o : bank_q)",
        "(bank_q)",
        r"wrong result \(\d+ of \d+ results are wrong\)",
    ),
    Fault(
        "key expanded over the one in use",
        _ENC,
        _FILLER,
        "assign fill_bank_o  = (NumBanks == 2) ? ~bank_q : 1'b0;",
        "assign fill_bank_o  = 1'b0;",
        r"key_ready_o rises \d+ clocks after a 128-bit key was taken instead of 25",
    ),
    Fault(
        "bank filled while an old block still reads it",
        _DEC,
        _STORED,
        "assign bank_blocked = busy_i & (block_bank_q == fill_bank);",
        "assign bank_blocked = 1'b0 & (block_bank_q == fill_bank);",
        rf"{_WRONG}|the result comes",
    ),
    Fault(
        "single bank filled while a block still reads it",
        _DEC,
        _STORED,
        "assign bank_blocked = busy_i & (block_bank_q == fill_bank);",
        "assign bank_blocked = 1'b0 & (block_bank_q == fill_bank);",
        rf"{_WRONG}|the result comes",
        ("key_schedule=stored-single",),
    ),
    Fault(
        "blocks accepted while the single bank is filled",
        _ENC,
        _FILLER,
        "assign available_o  = any_key_q & ((NumBanks == 2) | key_ready_o);",
        "assign available_o  = any_key_q;",
        r"accepted while the only key bank is filled",
        ("key_schedule=stored-single",),
    ),
    Fault(
        "key_ready_o a clock early",
        _ENC,
        _FILLER,
        "assign key_ready_o  = state_q == StReady;",
        "assign key_ready_o  = state_q == StReady || state_q == StSwitch;",
        r"key_ready_o rises 24 clocks after a 128-bit key was taken instead of 25",
    ),
    Fault(
        "key length read while the key expands",
        _BOTH_ANY,
        _FILLER,
        "(load ? len : fill_len_q)",
        "(len)",
        r"key_ready_o rises|wrong result|hangs",
    ),
    Fault(
        "words of round keys written before they are there",
        _BOTH_ANY,
        _FILLER,
        "state_q == StExpand && round_key_valid_i;",
        "state_q == StExpand;",
        r"key_ready_o rises \d+ clocks",
        ("key_sbox=none",),
    ),
    Fault(
        "words of round keys that wait taken out of turn",
        _NARROW_TBOX,
        _FILLER,
        "assign round_key_ready_o = state_q == StExpand;",
        "assign round_key_ready_o = state_q != StReady;",
        r"wrong result|hangs|key_ready_o rises",
        ("key_sbox=none",),
    ),
    Fault(
        "round keys of decryption from outside read from their front",
        "kakarlapudi-tbox-both-any",
        _STORED,
        ".read_index_i (6'(from_end)),",
        ".read_index_i (6'(read_round)),",
        _WRONG + r"(.|\n)*direction decrypt",
        ("key_sbox=none",),
    ),
    Fault(
        "round keys of decryption from outside counted from the end of the other bank",
        "kakarlapudi-tbox-both-any",
        _STORED,
        "(goes_on ? block_rounds : first_rounds) - read_round",
        "block_rounds - read_round",
        _WRONG + r"(.|\n)*direction decrypt",
        ("key_sbox=none",),
    ),
    Fault(
        "round keys of a block in the direction of the next one",
        "kakarlapudi-tbox-both-any",
        _STORED,
        "(enter_i ? decrypt_i : block_decrypt_q) ? mixed_key",
        "decrypt_i ? mixed_key",
        _WRONG,
        ("key_sbox=none",),
    ),
    Fault(
        "last words of a round key from outside a clock late",
        _BOTH_ANY,
        _STORED,
        "if (Recall || Sbox == SboxNone) begin",
        "if (Recall) begin",
        _WRONG + r"(.|\n)*direction decrypt",
        ("key_sbox=none",),
    ),
    Fault(
        "last round key of the old key",
        _BOTH_ANY,
        _STORED,
        "if (switching) last_key_q <=",
        "if (write && index == '0) last_key_q <=",
        _WRONG + r"(.|\n)*direction decrypt",
    ),
    # A round in several clocks.
    Fault(
        "parts of the block exchanged",
        _NARROW_TBOX,
        _NARROW_CORE,
        "(busy_q && NumParts > 2) ? waiting_q : in_block_i,",
        "(busy_q && NumParts > 4) ? waiting_q : in_block_i,",
        _WRONG,
    ),
    Fault(
        "load a clock too long",
        _NARROW_TBOX,
        _NARROW_CORE,
        "(~busy_q | (loading_q & ~last_part))",
        "(~busy_q | (loading_q & (part != 2'd0)))",
        _WRONG,
    ),
    Fault(
        "last column of a narrow core missing",
        _NARROW_TBOX,
        _NARROW_CORE,
        "(accept | (busy_q & ~(last_round & last_part)))",
        "(accept | (busy_q & ~(last_round & part == 2'd2)))",
        r"no out_valid_o at clock|a block is accepted at clock \d+ instead of \d+",
    ),
    Fault(
        "part of the round key behind",
        _NARROW_TBOX,
        _STORED,
        ".read_index_i (6'(32'(read_round) * NumParts + 32'(read_part))),",
        ".read_index_i (6'(32'(read_round) * NumParts + 32'(part_q))),",
        _WRONG,
    ),
    Fault(
        "first part of the last round key that of the key before",
        _NARROW,
        _STORED,
        "if (write && index[UnitBits-1:0] == '0) start_q <= words;",
        "if (write && index == '0) start_q <= words;",
        _WRONG + r"(.|\n)*direction decrypt",
    ),
    Fault(
        "one word a clock with the Rcon of two",
        _NARROW_TBOX,
        _EXPANDER,
        "assign at_start  = phase_q == 3'd0;",
        "assign at_start  = phase_q[1:0] == 2'd1;",
        _WRONG,
    ),
    Fault(
        "columns of two rounds mixed",
        _NARROW_TBOX,
        "aes_shift_rows_narrow.sv",
        "s + r >= 4;",
        "s + r > 4;",
        _WRONG,
    ),
    Fault(
        "tables of a narrow core refilled under a block",
        _NARROW_TBOX,
        _NARROW_CORE,
        ".offered_i     (in_valid_i & ~busy_q),",
        ".offered_i     (in_valid_i),",
        r"wrong result|a block is accepted at clock \d+ instead of \d+",
    ),
    Fault(
        "key words of the other block",
        _SHARED,
        _KEY_RING,
        "if (ring_zero_i) ring_q",
        "if (ring_zero_i & 1'b0) ring_q",
        _WRONG,
    ),
    Fault(
        "first words of a key added up",
        _SHARED,
        _NARROW_SHARED,
        "(slot_q[2] | loads)",
        "(slot_q[2])",
        _WRONG,
    ),
    Fault(
        "SubWord of the block before added to a key",
        _SHARED,
        _NARROW_SHARED,
        "(~slot_q[2] | accept)",
        "(~slot_q[2])",
        _WRONG,
    ),
    Fault(
        "column of the block before added to a block",
        _SHARED,
        _NARROW_SHARED,
        "(slot_q[2] | loads | (loading_q & slot_q[1]))",
        "(slot_q[2] | loads)",
        _WRONG,
    ),
    Fault(
        "Rcon of the other block",
        _SHARED,
        _KEY_RING,
        "else rcon_d = rcon_after(rcon_before_q);",
        "else rcon_d = rcon_after(rcon_q);",
        r"wrong result|no out_valid_o|the result comes \d+ clocks",
    ),
    Fault(
        "turn of a block given away",
        _SHARED,
        _NARROW_SHARED,
        "slot_q[2] & (~before_q | done)",
        "slot_q[2] & (~before_q | done | in_block_i[0])",
        r"a block is accepted at clock \d+ instead of \d+",
    ),
    Fault(
        "MixColumns in the last round",
        _SHARED,
        _NARROW_SHARED,
        "(slot_q[2] ? next_last : bypass_q)",
        "(slot_q[2] ? done : bypass_q)",
        _WRONG,
    ),
    Fault(
        "bytes come once a round",
        _TINY,
        _BYTES,
        "assign start    = loading_q & column_q[5]",
        "assign start    = column_q[5]",
        _WRONG,
    ),
    Fault(
        "bytes of the key before in the next one",
        _TINY,
        _BYTES,
        "if (around_q[4] || loading_q) ring_q",
        "if (around_q[4]) ring_q",
        _WRONG,
    ),
    Fault(
        "RotWord left out of a byte-wide core",
        _TINY,
        _BYTES,
        "(row_q[1] ? delayed[5] : delayed[1])",
        "delayed[1]",
        _WRONG,
    ),
    Fault(
        "byte shifted with the wrong round",
        _TINY,
        _BYTES,
        "(row_q[3] & ~column_q[4])",
        "(row_q[3] & ~column_q[5])",
        _WRONG,
    ),
    Fault(
        "column sum of the next column",
        _TINY,
        "aes_mix_column_bytes.sv",
        "else if (first_i) u_q <= sum_q;",
        "else if (last_i) u_q <= sum_q;",
        _WRONG,
    ),
    Fault(
        "last byte of a byte-wide core missing",
        _TINY,
        _BYTES,
        ".d_i    (last_q & column_q[3] & row_q[3]),",
        ".d_i    (last_q & column_q[3] & row_q[2]),",
        r"the result comes 274 clocks after the block was accepted instead of 275",
    ),
    Fault(
        "six words of a 192-bit key made in the wrong round of three",
        _TINY_192,
        _KEY_BYTES,
        "third_q <= 3'b100",
        "third_q <= 3'b010",
        _WRONG,
    ),
    Fault(
        "RotWord of a word that went to the S-box as it was made",
        _TINY_192,
        _KEY_BYTES,
        "assign rot_late = column_i[1] & row_i[1];",
        "assign rot_late = 1'b0;",
        _WRONG,
    ),
    Fault(
        "words made ahead added twice",
        _TINY_192,
        _KEY_BYTES,
        "assign direct = ~(middle_q | ",
        "assign direct = ~(1'b0 | ",
        _WRONG,
    ),
    Fault(
        "no word of a 256-bit key without RotWord",
        _TINY_256,
        _KEY_BYTES,
        "assign late_5      = column_i[4] & ~odd_q;",
        "assign late_5      = 1'b0;",
        _WRONG,
    ),
    Fault(
        "last round constant of a 256-bit key a round late",
        _TINY_256,
        _KEY_BYTES,
        "1'b0, round_i[13],",
        "1'b0, round_i[14],",
        _WRONG,
    ),
    Fault(
        "second half of a 256-bit key with the first",
        _TINY_256,
        _KEY_BYTES,
        "assign start_again = round_i[0] & column_i[1]",
        "assign start_again = round_i[0] & column_i[0]",
        _WRONG,
    ),
    Fault(
        "round constants forward again",
        _TINY_DEC,
        _BYTES_DECRYPT,
        "period : 2 * NumRounds + 1 - period;",
        "period : period - NumRounds;",
        _WRONG,
    ),
    Fault(
        "SubWord backward of a word that is not made yet",
        _TINY_DEC,
        _BYTES_DECRYPT,
        "if (!around_q[5] || !ahead_q) word_before_q",
        "if (!around_q[5] || !backward_q) word_before_q",
        _WRONG,
    ),
    Fault(
        "the key of the block before in the ring",
        _TINY_DEC,
        _BYTES_DECRYPT,
        "if (period_q[0]) empty_q <= '0;\n    else empty_q",
        "empty_q",
        _WRONG,
    ),
    Fault(
        "InvSubBytes of a key",
        _TINY_DEC,
        _BYTES_DECRYPT,
        ".decrypt_i(~operand_q[1]),",
        ".decrypt_i(1'b1),",
        _WRONG,
    ),
    Fault(
        "InvMixColumns of the first key addition",
        _TINY_DEC,
        _BYTES_DECRYPT,
        ".bypass_i(period_q[NumRounds+1] | around_q[5]),",
        ".bypass_i(around_q[5]),",
        _WRONG,
    ),
    Fault(
        "last byte of a byte-wide decryption missing",
        _TINY_DEC,
        _BYTES_DECRYPT,
        "out_valid_q <= last & column_q[3] & row_q[3];",
        "out_valid_q <= last & column_q[3] & row_q[2];",
        r"the result comes 602 clocks after the block was accepted instead of 603",
    ),
    # Several look-ups, several blocks under way.
    Fault(
        "feed-back registers overwritten too early",
        _4SM,
        _S_MODULES,
        "always_ff @(posedge clk_i) found <= looked_up;",
        "assign found = looked_up;",
        _WRONG,
    ),
    Fault(
        "last byte of the feed-back registers missing",
        _8SM,
        _S_MODULES,
        "if (NumLookups == 4) begin : gen_found",
        "if (NumLookups == 2) begin : gen_found",
        _WRONG,
    ),
    Fault(
        "permutation of Table 1 read the other way",
        _8SM,
        "aes_byte_permutation.sv",
        "get_byte(shifted, NumLookups * m + t)",
        "get_byte(inv_shift_rows(block_i), NumBytes * t + m)",
        _WRONG,
    ),
    Fault(
        "first look-up misses the block",
        _8SM,
        _ROLLING,
        "assign first_state = in_ready_o ? whitened : state_q;",
        "assign first_state = state_q;",
        _WRONG,
    ),
    Fault(
        "key not held for its block period",
        _4SM,
        _ROLLING,
        "assign first_key   = key_q;",
        "assign first_key   = in_key_i | (key_q & '0);",
        _WRONG,
    ),
    Fault(
        "SubWord of the next block's key",
        _UNROLLING,
        _KEY_CIRCUIT,
        "(NumLookups == 1) ? key_i[31:0]",
        "(NumLookups == 0) ? key_i[31:0]",
        _WRONG,
    ),
    Fault(
        "round key of the next block",
        _4SM,
        _KEY_CIRCUIT,
        "assign key_o = key_q;",
        "assign key_o = load_i ? key_d : key_q;",
        _WRONG,
    ),
    Fault(
        "pipeline register loads with every clock",
        _4SM,
        _ROLLING,
        "if (load) p_q <= substituted;",
        "p_q <= substituted;",
        _WRONG,
    ),
    Fault(
        "out_valid_o through the block period",
        _8SM,
        _ROLLING,
        "valid_q[NumLevels-1] & (turn == '0)",
        "valid_q[NumLevels-1]",
        r"out_valid_o without a block|the result comes \d+ clocks",
    ),
    Fault(
        "out_valid_o in the last clock of the block period",
        _4SM,
        _ROLLING,
        "valid_q[NumLevels-1] & (turn == '0)",
        "valid_q[NumLevels-1] & load",
        r"no out_valid_o at clock \d+",
    ),
    Fault(
        "out_valid_o a block period early",
        _UNROLLING,
        _ROLLING,
        "valid_q[NumLevels-1] & (turn == '0)",
        "valid_q[NumLevels-2] & (turn == '0)",
        r"the result comes 19 clocks after the block was accepted instead of 20",
    ),
    Fault(
        "block period of three clocks",
        _4SM,
        _ROLLING,
        "assign load        = turn_q == 2'(NumLookups - 1);",
        "assign load        = turn_q == 2'(NumLookups - 2);",
        r"the result comes 60 clocks|accepted at clock \d+ instead of \d+",
    ),
    Fault(
        "in_ready_o in every clock",
        _8SM,
        _ROLLING,
        "assign in_ready_o  = turn_q == '0;",
        "assign in_ready_o  = 1'b1;",
        r"a block is accepted at clock \d+ instead of \d+|wrong result",
    ),
    # Columns that come one after the other.
    Fault(
        "columns without ShiftRows at the entry",
        _FAB_ROLLING,
        _ROLLING_COLUMNS,
        "entry_q     <= shift_rows(in_block_i ^ in_key_i);",
        "entry_q     <= in_block_i ^ in_key_i;",
        _WRONG,
    ),
    Fault(
        "first column taken for the second one in ShiftRows",
        _FAB_ROLLING,
        _ROLLING_COLUMNS,
        ".d_i    (part_d)",
        ".d_i    (part_d ^ 2'(r == 3))",
        _WRONG,
    ),
    Fault(
        "two columns taken in turn for the other two",
        _FAB_ROLLING,
        _ROLLING_COLUMNS,
        ".d_i    (part_d)",
        ".d_i    (part_d ^ 2'(r == 3))",
        _WRONG,
        _TWO_COLUMNS,
    ),
    Fault(
        "SubWord of a word that is a clock late",
        _FAB_ROLLING,
        _ROLLING_COLUMNS,
        "assign last_word   = (MixLevels == 1) ?",
        "assign last_word   = (MixLevels == 0) ?",
        _WRONG,
    ),
    Fault(
        "SubWord of the first round from the wrong word",
        _FAB_ROLLING,
        _ROLLING_COLUMNS,
        "in_key_i[31:0];",
        "in_key_i[63:32];",
        _WRONG,
        _TWO_COLUMNS,
    ),
    Fault(
        "round key of one register too many",
        _FAB_ROLLING,
        _ROLLING_COLUMNS,
        "SboxLevels - 1 : RoundClocks - 1)",
        "SboxLevels - 1 : RoundClocks)",
        _WRONG,
    ),
    Fault(
        "SubWord in every column",
        _FAB_ROLLING,
        _KEY_COLUMNS,
        "first_i ? sub",
        "(first_i | 1'b1) ? sub",
        _WRONG,
    ),
    Fault(
        "second of two words without the first one",
        _FAB_ROLLING,
        _KEY_COLUMNS,
        "delayed[w-1] ^ made[w]",
        "delayed[w-1]",
        _WRONG,
        _TWO_COLUMNS,
    ),
    Fault(
        "last column of the result not waited for",
        _FAB_ROLLING,
        _ROLLING_COLUMNS,
        "valid_q[NumPeriods-1] & (part_after(turn_q, 2'(Latency)) == '0)",
        "valid_q[NumPeriods-1] & (part_after(turn_q, 2'(Latency - 1)) == '0)",
        r"no out_valid_o at clock \d+|the result comes \d+ clocks",
    ),
    Fault(
        "out_valid_o through the block period of columns",
        _FAB_ROLLING,
        _ROLLING_COLUMNS,
        "valid_q[NumPeriods-1] & (part_after(turn_q, 2'(Latency)) == '0)",
        "valid_q[NumPeriods-1]",
        r"out_valid_o without a block|the result comes \d+ clocks",
    ),
    Fault(
        "block accepted in the middle of another one's columns",
        _FAB_ROLLING,
        _ROLLING_COLUMNS,
        "(turn_q == 2'(NumParts - 1))",
        "(turn_q[0])",
        r"a block is accepted at clock \d+ instead of \d+|wrong result",
    ),
    # Reset.
    Fault(
        "columns of blocks survive reset",
        _FAB_ROLLING,
        _ROLLING_COLUMNS,
        ".Hardened(Cfg.hardened)\n  ) u_valid (",
        ".Hardened(Cfg.hardened),\n    .HasReset(1'b0)\n  ) u_valid (",
        r"out_valid_o|the result comes \d+ clocks",
    ),
    Fault(
        "blocks of a pipeline survive reset",
        _UNROLLING,
        _ROLLING,
        "(NumLevels),\n    .Hardened(Cfg.hardened)\n  ) u_valid (",
        "(NumLevels),\n    .Hardened(Cfg.hardened),\n    .HasReset(1'b0)\n  ) u_valid (",
        r"out_valid_o|the result comes \d clocks after",
    ),
    Fault(
        "key survives reset",
        _ENC,
        _FILLER,
        ".Hardened(Hardened)\n  ) u_any_key (",
        ".Hardened(Hardened),\n    .HasReset(1'b0)\n  ) u_any_key (",
        r"accepted though no key was loaded since reset",
    ),
    Fault(
        "block survives reset",
        _FLY,
        _ITERATIVE,
        ".Hardened(Cfg.hardened)\n  ) u_busy (",
        ".Hardened(Cfg.hardened),\n    .HasReset(1'b0)\n  ) u_busy (",
        r"accepted at clock \d+ instead of \d+|out_valid_o",
    ),
    # Several blocks under way.
    Fault(
        "wrong Rcon of a stage",
        _PIPELINE,
        _KEY_PIPELINE_FLY,
        "(rcon_of(KeySize, r - 1)),",
        "(rcon_of(KeySize, (r == 10) ? 8 : r - 1)),",
        _WRONG,
    ),
    Fault(
        "round key of the block behind",
        _PIPELINE,
        _PIPELINED,
        ".round_key_i(key[r]),",
        ".round_key_i(key[r-1]),",
        _WRONG,
    ),
    Fault(
        "keys ahead that the block does not wait for",
        _PIPELINE,
        _PIPELINED,
        "MixLevels - 1 + 32'(Ahead);",
        "MixLevels - 1;",
        _WRONG,
        ("key_register=ahead",),
    ),
    Fault(
        "blocks of a pipeline survive reset",
        _PIPELINE,
        _PIPELINED,
        ".Hardened(Cfg.hardened)\n  ) u_drained (",
        ".Hardened(Cfg.hardened),\n    .HasReset(1'b0)\n  ) u_drained (",
        r"the result comes \d clocks after",
    ),
    Fault(
        "round keys of a pipeline loaded while old blocks need theirs",
        _LONG_PIPELINE,
        _KEY_PIPELINE,
        "assign blocked   = ((NumBanks == 2) ? before_q : current_q) != '0;",
        "assign blocked   = 1'b0 & (((NumBanks == 2) ? before_q : current_q) != '0);",
        _WRONG,
        ("key_schedule=stored",),
    ),
    Fault(
        "single bank of a pipeline waits for nothing",
        _LONG_PIPELINE,
        _KEY_PIPELINE,
        "accept_i ? age_t'(LastUse) :",
        "accept_i ? age_t'(1) :",
        _WRONG,
        ("key_schedule=stored-single",),
    ),
    # A block must enter in the very clock in which the bank changes: rare in a loop.
    Fault(
        "bank of a loop changes a clock early",
        _LOOP,
        _KEY_LOOP,
        "entering.bank    = bank_q;",
        "entering.bank    = bank;",
        _WRONG,
        ("key_schedule=stored",),
        level="full",
    ),
    Fault(
        "first key of a loop changes a clock early",
        _LOOP,
        _KEY_LOOP,
        "assign load          = switching_q;",
        "assign load          = switching | (switching_q & 1'b0);",
        _WRONG,
        ("key_schedule=stored",),
        level="full",
    ),
    Fault(
        "block that comes right after a reset forgotten",
        _PIPELINE,
        _PIPELINED,
        "count_after(Latency - 3)",
        "count_after(Latency - 2)",
        r"no out_valid_o at clock|out_valid_o",
    ),
    Fault(
        "a level of the delayed key missing",
        _LOOP,
        _KEY_ROUND_STAGED,
        "window_o  <= Width'({delayed_q, second_part(half_q)});",
        "window_o  <= second_part({half_q[128:33], delayed[31:0], half_q[0]});",
        r"wrong result",
    ),
    Fault(
        "a sum of Mixadd left out",
        _LOOP,
        _MIXADD,
        "left_q[j] ^ right_q ^ added[j]",
        "left_q[j] ^ (right_q & ~(n == 7 && j == 3)) ^ added[j]",
        _WRONG,
    ),
    Fault(
        "keys of two blocks of a loop exchanged",
        _LOOP,
        _INTERLEAVED,
        "going_at[Front-1]) ? window",
        "going_at[Front]) ? window",
        _WRONG,
    ),
    Fault(
        "slot of a loop taken twice",
        _LOOP,
        _INTERLEAVED,
        "assign in_ready_o = ~(SharedAll ? busy_q[NumSlots] : going) & ~full & available;",
        "assign in_ready_o = ~full;",
        r"a block is accepted at clock \d+ instead of \d+",
    ),
    Fault(
        "loop filled before the first result has left",
        _LOOP,
        _INTERLEAVED,
        "assign full = no_zero | (one_zero & (Back == 2));",
        "assign full = no_zero | (one_zero & (Back == 1));",
        r"a block is accepted at clock \d+ instead of \d+",
    ),
    Fault(
        "slot of a loop freed a round late",
        _LOOP,
        _INTERLEAVED,
        "assign going = busy_q[NumSlots] & ~ended;",
        "assign going = busy_q[NumSlots] & ~(ended & in_valid_i);",
        r"a block is accepted at clock \d+ instead of \d+|out_valid_o|hangs",
    ),
    Fault(
        "shared key adder taken for two blocks",
        _COMPACT,
        _INTERLEAVED,
        "assign in_ready_o = ~(SharedAll ? busy_q[NumSlots] : going) & ~full & available;",
        "assign in_ready_o = ~going & ~full;",
        r"a block is accepted at clock \d+ instead of \d+",
    ),
    Fault(
        "state that comes round a loop not held back for a new block",
        _SHARED_FIRST,
        _INTERLEAVED,
        ".clear_i    (SharedFirst ? enter_round : '0),",
        ".clear_i    ('0),",
        _WRONG,
    ),
    Fault(
        "block offered to a taken slot is added",
        _SHARED_FIRST,
        _INTERLEAVED,
        "enter_block[n] ? in_block_i[8*n+:8] : '0",
        "in_block_i[8*n+:8]",
        _WRONG,
        ("doubled=no",),
    ),
    Fault(
        "a byte of a new block is not taken in",
        _SHARED_FIRST,
        _MIXADD,
        "clear_i[n] ? entry_i[8*n+:8] : right[8*n+:8]",
        "(clear_i[n] && n != 5) ? entry_i[8*n+:8] : right[8*n+:8]",
        _WRONG,
    ),
    Fault(
        "a block that has ended goes on beside the new one",
        _SHARED_FIRST,
        _INTERLEAVED,
        "assign going        = going_ahead[Soon];",
        "assign going        = going_ahead[Soon] | ended_ahead[Soon];",
        r"a block is accepted at clock \d+ instead of \d+|out_valid_o|hangs|" + _WRONG,
    ),
    Fault(
        "a result is kept from the output of a column",
        _SHARED_FIRST,
        _INTERLEAVED,
        ".d_i    (ended_ahead[Soon-1]),",
        ".d_i    (ended_ahead[Soon-1] & (c != 2)),",
        _WRONG,
    ),
    Fault(
        "inner states on the output of a loop that shares its first addition",
        _SHARED_FIRST,
        _INTERLEAVED,
        ".d_i    (ended_ahead[Soon-1]),",
        ".d_i    (ended_ahead[Soon-1] | going_ahead[Soon-1]),",
        _SHOWS,
    ),
    Fault(
        "last round key that of the block behind",
        _SHARED_FIRST,
        _INTERLEAVED,
        "assign last_d = shifted ^ next_key;",
        "assign last_d = shifted ^ first_key;",
        _WRONG,
    ),
    Fault(
        "keys of a loop that wait in LUT RAM are read where they were written",
        "fab-interleaved-small",
        _INTERLEAVED,
        "else count_q <= count_q + CountWidth'(1);",
        "else count_q <= count_q;",
        _WRONG,
    ),
    Fault(
        "a column of the state takes its multiple from the next column",
        _SHARED_FIRST,
        "aes_round_staged.sv",
        ".double_i (shift_rows(doubled)),",
        ".double_i ({doubled[95:0], doubled[127:96]}),",
        _WRONG,
    ),
    # Stored keys of several blocks under way, decryption, longer keys on the fly.
    Fault(
        "round key of a pipeline loaded a clock late",
        _PIPELINE,
        _KEY_PIPELINE,
        "pulse[FirstUse+r*RoundLevels]",
        "pulse[FirstUse+r*RoundLevels+((r == 3) ? 1 : 0)]",
        _WRONG,
        ("key_schedule=stored",),
    ),
    Fault(
        "round keys of a pipeline loaded again while the next ones are written",
        "standaert-ram-pipeline-32",
        _KEY_PIPELINE,
        "pulse_q <= start ? '0 : pulse[LastUse-1:0];",
        "pulse_q <= pulse[LastUse-1:0];",
        _WRONG,
        ("key_schedule=stored",),
    ),
    # Stored keys that are made in stages. Those of decryption come to the last round first, where a
    # block or the pulse may still have to go.
    Fault(
        "single bank of a pipeline waits for nothing but the clocks of a step",
        _LONG_PIPELINE,
        _KEY_PIPELINE,
        "count_after((LastUse > 4) ? LastUse - 4 : 0)",
        "count_after(1)",
        _WRONG,
        ("key_schedule=stored-single", "key_expansion=staged", "direction=decrypt"),
    ),
    Fault(
        "pulse goes on after the start that overtakes it",
        _LONG_PIPELINE,
        _KEY_PIPELINE,
        "start_q[To] ? 1'b0 : pulse[i-1]",
        "pulse[i-1]",
        _WRONG,
        ("key_schedule=stored", "key_expansion=staged", "direction=decrypt"),
    ),
    Fault(
        "pulse does not load a key",
        _PIPELINE,
        _KEY_PIPELINE,
        "load_q <= start_at[r] | at_next;",
        "load_q <= start_at[r] | (at_next && r != 7);",
        _WRONG,
        ("key_schedule=stored", "key_expansion=staged"),
    ),
    Fault(
        "key of a pipeline goes to two rounds",
        _PIPELINE,
        _KEY_PIPELINE,
        "valid && at[5:3] == Encrypt[4:2];",
        "valid && (at[5:3] == Encrypt[4:2] || r == 2);",
        _WRONG,
        ("key_schedule=stored", "key_expansion=staged"),
    ),
    Fault(
        "key of a loop is written a place further",
        _LOOP,
        _KEY_LOOP,
        "assign write_index  = index_q;",
        "assign write_index  = index;",
        _WRONG,
        ("key_schedule=stored", "key_expansion=staged"),
    ),
    Fault(
        "key of a pipeline in use a clock before its last word",
        _PIPELINE,
        _FILLER,
        "assign after_switch  = flushed_q[1] ? StReady : StSwitch;",
        "assign after_switch  = flushed_q[0] ? StReady : StSwitch;",
        r"key_ready_o rises \d+ clocks|no out_valid_o|hangs",
        ("key_schedule=stored", "key_expansion=staged"),
    ),
    Fault(
        "last key of a pipeline's decryption with InvMixColumns",
        _PIPELINE,
        _FILLER,
        "round != num_rounds(fill_len_q);",
        "round != 4'd15;",
        _WRONG + r"(.|\n)*direction decrypt",
        ("key_schedule=stored", "direction=both", "key_bits=192"),
    ),
    Fault(
        "direction of a pipeline's round that of the block behind",
        _PIPELINE,
        _PIPELINED,
        "decrypt[key_clock(r-1)+1+32'(Ahead)]",
        "decrypt[key_clock(r-1)]",
        _WRONG,
        ("key_schedule=stored", "direction=both"),
    ),
    Fault(
        "bank of a loop filled while an old block reads it",
        _LOOP,
        _KEY_LOOP,
        "blocked |= busy_i[i] & (",
        "blocked |= busy_i[i] & 1'b0 & (",
        _WRONG,
        ("key_schedule=stored",),
    ),
    Fault(
        "key of a loop that of the other direction",
        _LOOP,
        _KEY_LOOP,
        "added_decrypt_q <= read.decrypt;",
        "added_decrypt_q <= slot_q[1].decrypt;",
        _WRONG,
        ("key_schedule=stored", "direction=both", "key_bits=256"),
    ),
    Fault(
        "a loop counts the rounds of the longest key",
        _LOOP,
        _KEY_LOOP,
        "num_rounds((KeySize == KeySizeAny) ? bank_len[0] : max_key_len(KeySize));",
        "num_rounds(max_key_len(KeySize));",
        r"no out_valid_o at clock|" + _WRONG,
        ("key_schedule=stored-single", "key_bits=any"),
    ),
    Fault(
        "phase of a 192-bit key that of the block behind",
        _LOOP,
        _INTERLEAVED,
        "(phase[Front-1+LoopLevels]),",
        "(phase[Front-2+LoopLevels]),",
        _WRONG,
        ("key_bits=192",),
    ),
    Fault(
        "a 256-bit key ends a round early",
        _LOOP,
        _INTERLEAVED,
        "next_rcon_q[7] & ~next_phase_q[0]",
        "next_rcon_q[7]",
        r"the result comes \d+ clocks|accepted at clock \d+ instead of \d+|out_valid_o",
        ("key_bits=256",),
    ),
    # T-boxes.
    Fault(
        "keys of a T-box decryption without InvMixColumns",
        _TBOX_DEC,
        "aes_tbox_round.sv",
        "assign inner_key = mixed_key;",
        "assign inner_key = round_key_i;",
        _WRONG + r"(.|\n)*direction decrypt",
    ),
    Fault(
        "direction of a T-box round that of the block offered",
        _TBOX_BOTH,
        _TBOX_CORE,
        "assign lookup_decrypt = enter ? in_decrypt_i : block_decrypt_q;",
        "assign lookup_decrypt = in_decrypt_i;",
        _WRONG,
    ),
    Fault(
        "tables not made again for the other direction",
        _REFILLED,
        _TBOX_REFILL,
        "assign ready_o        = made_q & (held_decrypt_q == decrypt_i);",
        "assign ready_o        = made_q;",
        r"a block is accepted at clock \d+ instead of \d+",
    ),
    Fault(
        "refill that waits for a key",
        _REFILLED,
        _TBOX_CORE,
        ".offered_i     (in_valid_i & ~busy_q),",
        ".offered_i     (in_valid_i & ~busy_q & available),",
        r"a block is accepted at clock \d+ instead of \d+",
    ),
    Fault(
        "last entry of the tables not written",
        _REFILLED,
        _TBOX_REFILL,
        "assign write_o        = write_q;",
        "assign write_o        = running_q;",
        _WRONG,
    ),
    Fault(
        "tables survive a reset that cuts a refill",
        _REFILLED,
        _TBOX_REFILL,
        "made_q    <= 1'b0;\n",
        "made_q    <= 1'b1;\n",
        r"a block is accepted at clock \d+ instead of \d+|wrong result",
    ),
    Fault(
        "refill while a block is under way",
        _REFILLED,
        _TBOX_CORE,
        ".offered_i     (in_valid_i & ~busy_q),",
        ".offered_i     (in_valid_i),",
        r"wrong result|a block is accepted at clock \d+ instead of \d+",
    ),
    # 32-bit ports.
    Fault(
        "words of a block in the other order",
        _WORDS,
        _WORD_PORTS,
        "else if (load || unload) next_block = {block_q[95:0], in_word_i};",
        "else if (load) next_block = {in_word_i, block_q[127:32]};\n"
        "    else if (unload) next_block = {block_q[95:0], in_word_i};",
        _WRONG,
    ),
    Fault(
        "two words of a result exchanged",
        _WORDS,
        _WORD_PORTS,
        "if (core_valid) next_block = core_block;",
        "if (core_valid) next_block = {core_block[127:64], core_block[31:0], core_block[63:32]};",
        _WRONG,
    ),
    Fault(
        "no register for a word of the block",
        _WORDS,
        _WORD_PORTS,
        ".in_block_i       (block_q),",
        ".in_block_i  ({block_q[127:32], in_word_i}),",
        _WRONG,
    ),
    # 8-bit ports.
    Fault(
        "the core does not wait for a byte",
        _BYTE,
        _SERIAL,
        "assign en         = taken | ~loading_q;",
        "assign en         = taken | ~loading_q | column_q[0];",
        r"wrong result|byte \d+ of a (block|result)|out_valid_o without a block",
    ),
    Fault(
        "a byte is dropped that does not come where a block begins",
        _BYTE,
        _SERIAL,
        "in_block_i[0] | ~(column_q[4] & row_q[2])",
        "in_block_i[0] | ~row_q[2]",
        r"wrong result|of a (block|result)|hangs",
    ),
    Fault(
        "the S-box of a byte-wide core does not wait",
        _BYTE_RAM,
        _SERIAL,
        ".en_i   (en),\n      .byte_i (state_d),",
        ".en_i   (1'b1),\n      .byte_i (state_d),",
        _WRONG,
    ),
    Fault(
        "17 bytes of a block are taken",
        _BYTE,
        _SERIAL,
        "loading_q <= ~(column_q[3] & row_q[1])",
        "loading_q <= ~(column_q[3] & row_q[2])",
        r"wrong result|of a (block|result)|hangs",
    ),
    Fault(
        "a byte comes to its block RAM a slot late",
        "fab-byte-min",
        _SERIAL,
        "coming = sub_early",
        "coming = substituted",
        _WRONG,
    ),
    Fault(
        "the program has a round too few",
        _MICRO,
        _MICROCODED,
        "count_q[3] & count_q[0] & (count_q[2] ~^ count_q[1])",
        "count_q == 4'd12",  # eight times from 0
        r"wrong result|of a (block|result)|hangs",
    ),
    Fault(
        "a word of the program doubles where it adds",
        _MICRO,
        _MICROCODE,
        "ops[Mix+5*n+4] = OpAdd;",
        "ops[Mix+5*n+4] = (n == 15) ? OpDouble : OpAdd;",
        _WRONG,
    ),
    Fault(
        "byte 12 of the round key is used when it is new",
        _MICRO,
        _MICROCODE,
        "reads[Expand+23] = {2'b01, AtZero + 6'd8};",
        "reads[Expand+23] = {2'b00, AtZero};",
        _WRONG,
    ),
    Fault(
        "Rcon of the next block goes on from the last one",
        _MICRO,
        _MICROCODE,
        "writes[17] = AtRcon;",
        "writes[17] = WriteNothing;",
        _WRONG,
    ),
    Fault(
        "a program does not wait for a byte",
        _MICRO,
        _MICROCODED,
        "in_ready_o & (~in_valid_i | (instruction_q.sbox & ~first_byte))",
        "in_ready_o & instruction_q.sbox & (~in_valid_i | ~first_byte)",
        r"wrong result|of a (block|result)|without a block",
    ),
    Fault(
        "the accumulator on the port of results",
        _MICRO,
        _MICROCODED,
        "(running_q && out_valid_d) ? acc_q : '0",
        "acc_q",
        r"out_byte_o is not zero",
    ),
    Fault(
        "the next round key is written into the data",
        _MICRO,
        _MICROCODED,
        "~instruction_q.write[5] | (instruction_q.write[4] & ~instruction_q.write[3])",
        "1'b1",
        _WRONG,
    ),
    Fault(
        "a program goes on after a reset where it was",
        _MICRO,
        _MICROCODED,
        "running_q <= 1'b0; pc_q <= '0;",
        "running_q <= 1'b0;",
        r"without a block",
    ),
    Fault(
        "a key RAM that is not read gives its byte",
        _MICRO,
        _MICROCODE_KEY,
        "byte_o <= mem[{~read_i, read_address_i}]",
        "byte_o <= mem[{1'b0, read_address_i}]",
        _WRONG,
    ),
    Fault(
        "the same with another kind of RAM",
        _MICRO,
        _MICROCODE_KEY,
        "if (!read_i) byte_o <= '0; else byte_o <= read;",
        "byte_o <= read;",
        _WRONG,
        ("key_memory=distributed",),
    ),
    Fault(
        "inner bytes on the port of results",
        _BYTE_RAM,
        _SERIAL,
        "out_valid_d ? state_d : '0",
        "state_d",
        r"out_byte_o is not zero",
    ),
    Fault(
        "the first block after a reset finds its key elsewhere",
        _BYTE,
        _SERIAL_KEYS,
        "write_column_q <= {column_i[1] | column_i[2], column_i[0] | column_i[1]}",
        "write_column_q <= read_column_q",
        _WRONG,
    ),
    Fault(
        "byte 12 of a round key is not kept for the S-box",
        _BYTE,
        _SERIAL_KEYS,
        ".read_i         (en_i & ~hold_q),",
        ".read_i         (en_i),",
        _WRONG,
    ),
    # Stored keys of two blocks in turn.
    Fault(
        "inner states on the output where blocks take turns",
        "fab-narrow-both",
        _NARROW_TURNS,
        "if (last_q[3]) out_block_q <=",
        "if (last_q[3] || busy_q) out_block_q <=",
        r"out_block_o (changes without|shows what is no part of) ",
    ),
    Fault(
        "the key of a decryption in turn is added behind InvMixColumns",
        "fab-narrow-both",
        _NARROW_TURNS,
        "add_before_q    <= shift_decrypt_q;",
        "add_before_q    <= 1'b0;",
        _WRONG,
    ),
    Fault(
        "InvShiftRows of a block in turn is ShiftRows",
        "fab-narrow-both",
        "aes_shift_rows_turns.sv",
        "((r == 3) ^ decrypt)",
        "(r == 3)",
        _WRONG,
    ),
    Fault(
        "no SubWord in the middle of a 256-bit key between blocks in turn",
        "fab-narrow-256",
        _KEY_TURNS,
        "sub_q    <= ~from_key_q & (at_start | at_middle);",
        "sub_q    <= ~from_key_q & at_start;",
        _WRONG,
    ),
    Fault(
        "a key is expanded under blocks in turn",
        "fab-narrow-256",
        _KEY_TURNS,
        "start  = state_q == StWait && !busy_i;",
        "start  = state_q == StWait;",
        r"wrong result|key_ready_o rises",
    ),
    Fault(
        "a third block is accepted between two in turn",
        "fab-narrow-256",
        _NARROW_TURNS,
        "part == 2'd0 && !busy_q && available_next",
        "part == 2'd0 && available_next",
        r"accepted at clock",
    ),
    Fault(
        "the key stays in its register behind 128-bit ports",
        "fab-small-ram",
        "aes_core_narrow_shift.sv",
        "{key_q[119:0], 8'd0}",
        "key_q",
        _WRONG,
    ),
    Fault(
        "a key byte in the register that is the output",
        "fab-small-ram",
        "aes_core_narrow_shift.sv",
        "{block_q[119:0], result[127:120]}",
        "{block_q[119:0], result[127:120] ^ (byte_ready ? key_q[127:120] : 8'd0)}",
        "out_block_o changes without a result",
    ),
    Fault(
        "a block is taken while another is under way",
        "fab-small-ram",
        "aes_core_narrow_shift.sv",
        "assign in_ready_o  = byte_ready & ~feeding_q;",
        "assign in_ready_o  = ~feeding_q;",
        r"wrong result|accepted at clock|no out_valid_o|out_block_o changes",
    ),
    Fault(
        "a result is told a clock early",
        "fab-small",
        "aes_core_narrow_shift.sv",
        "assign out_valid_o = byte_valid_q & ~byte_valid;",
        "assign out_valid_o = byte_valid & ~byte_valid_q;",
        r"out_valid_o|clocks after the block|wrong result",
    ),
    Fault(
        "no reset says how the states lie in their memory",
        _BYTE,
        "aes_shift_rows_memory.sv",
        "if (!rst_ni) next_turn_q <= 2'd0;",
        "if (!rst_ni) next_turn_q <= 2'bxx;",
        r"^four-state(.|\n)*out_byte_o is unknown",
    ),
    Fault(
        "no register for a word of the key",
        _WORDS,
        _WORD_PORTS,
        "(take_key_word && key_index_q == 3'(i)) ?",
        "(take_key_word && key_index_q == 3'(i) && i != 2) ?",
        _WRONG,
    ),
    Fault(
        "two words of a key exchanged",
        _WORDS,
        _WORD_PORTS,
        "key_index_q == 3'(i)) ?",
        "(key_index_q ^ 3'(key_index_q < 3'd2)) == 3'(i)) ?",
        _WRONG,
    ),
    Fault(
        "word taken though none is offered",
        _WORDS,
        _WORD_PORTS,
        "assign load      = in_valid_i & in_ready_o;",
        "assign load      = in_ready_o & (in_valid_i | (word_index_q == 2'd2));",
        r"word \d of a block is accepted at clock \d+ instead of \d+|word \d of a result|"
        r"wrong result|out_valid_o",
    ),
    Fault(
        "key word taken though none is offered",
        _WORDS,
        _WORD_PORTS,
        "assign take_key_word = key_valid_i & key_ready_o;",
        "assign take_key_word = key_ready_o & (key_valid_i | (key_index_q == 3'd1));",
        r"key_ready_o|wrong result|hangs",
    ),
    Fault(
        "words of a result a clock early",
        _WORDS,
        _WORD_PORTS,
        "  assign out_valid_o = unload;",
        "  assign out_valid_o = core_valid | (unload & ~last_word);",
        r"word 1 of a result comes at clock \d+ instead of \d+|out_word_o is not zero",
    ),
    Fault(
        "words of a result a clock late",
        _WORDS,
        _WORD_PORTS,
        "StRun:    next_state = core_valid ? StUnload : StRun;",
        "StRun:    next_state = core_valid_q ? StUnload : StRun;",
        r"no out_valid_o at clock \d+",
    ),
    Fault(
        "a result of three words",
        _WORDS,
        _WORD_PORTS,
        "StUnload: next_state = last_word ? StLoad : StUnload;",
        "StUnload: next_state = (word_index_q == 2'd2) ? StLoad : StUnload;",
        r"a block is accepted before the last result has left",
    ),
    Fault(
        "a clock lost before the next block",
        _WORDS,
        _WORD_PORTS,
        "assign in_ready_o   = state_q == StLoad;",
        "assign in_ready_o   = state_q == StLoad && !unload_q;",
        r"word 1 of a block is accepted at clock \d+ instead of \d+",
    ),
    Fault(
        "next block loaded over the last result",
        _WORDS,
        _WORD_PORTS,
        "assign in_ready_o   = state_q == StLoad;",
        "assign in_ready_o   = state_q == StLoad || unload;",
        r"a block is accepted before the last result has left",
    ),
    Fault(
        "direction read with the last word",
        _WORDS,
        _WORD_PORTS,
        "((load && word_index_q == '0) ? in_decrypt_i : decrypt_q)",
        "((load && last_word) ? in_decrypt_i : decrypt_q)",
        _WRONG,
    ),
    Fault(
        "key length read with every word",
        _WORDS,
        _WORD_PORTS,
        "((take_key_word && key_index_q == '0) ? key_len_i : key_len_q)",
        "(take_key_word ? key_len_i : key_len_q)",
        r"key_ready_o|wrong result|hangs",
    ),
    Fault(
        "words of a block survive reset",
        _WORDS,
        _WORD_PORTS,
        ".Hardened(Cfg.hardened)\n  ) u_word_index (",
        ".Hardened(Cfg.hardened),\n    .HasReset(1'b0)\n  ) u_word_index (",
        r"out_valid_o|word \d of a block is accepted|wrong result|hangs",
    ),
    Fault(
        "words of a key survive reset",
        _WORDS,
        _WORD_PORTS,
        ".Hardened(Cfg.hardened)\n  ) u_key_index (",
        ".Hardened(Cfg.hardened),\n    .HasReset(1'b0)\n  ) u_key_index (",
        r"key_ready_o|wrong result|hangs",
    ),
    # Blocks that overlap, round keys for two adders, the key memory as a window.
    Fault(
        "decryption corrects the block that enters",
        _FAB_BOTH,
        _ITERATIVE,
        "block_decrypt_q) & ~enter_d)",
        "block_decrypt_q))",
        _WRONG,
        ("key_register=sub-word",),
    ),
    Fault(
        "the direction of the next block a clock early in the last round",
        _FAB_BOTH,
        _ITERATIVE_AHEAD,
        "assign backward[c] = backward_q;",
        "assign backward[c] = decrypt_q;",
        _WRONG,
    ),
    Fault(
        "a round of decryption is mixed with the block that enters",
        _FAB_BOTH,
        _ITERATIVE_AHEAD,
        " & ~window;",
        ";",
        _WRONG,
    ),
    Fault(
        "a block stays in the register from which it enters",
        _FAB_BOTH,
        _ITERATIVE_AHEAD,
        "if (!window) entering_q <= '0;",
        "if (accept_q && !window) entering_q <= entering_q;",
        _WRONG,
    ),
    Fault(
        "a round key is added to the block that enters",
        _FAB_BOTH,
        _AHEAD_KEYS,
        "decrypt_q | last_q | ~going_i",
        "decrypt_q | last_q",
        _WRONG,
    ),
    Fault(
        "a key is expanded over the block that waits",
        _FAB_BOTH,
        _ITERATIVE_AHEAD,
        "(busy_q | accept_q)",
        "(busy_q)",
        r"no out_valid_o|wrong result",
    ),
    Fault(
        "the first key of the other direction is added",
        _FAB_BOTH,
        _AHEAD_KEYS,
        "decrypt_i ? last_key_q : cipher_key_q",
        "decrypt_q ? last_key_q : cipher_key_q",
        _WRONG,
    ),
    Fault(
        "the expansion goes back a pair too little",
        _FAB_BOTH,
        _AHEAD_KEYS,
        "5'(index) + 5'd2 - 5'(recall_pairs)",
        "5'(index) + 5'd3 - 5'(recall_pairs)",
        _WRONG,
    ),
    Fault(
        "the other half of a key is recalled",
        _FAB_BOTH,
        _AHEAD_KEYS,
        "upper_q <= ~half_q;",
        "upper_q <= half_q;",
        _WRONG,
    ),
    Fault(
        "keys are read in the direction of the block that is offered",
        _FAB_BOTH,
        _AHEAD_KEYS,
        "else round_d = decrypt_q ?",
        "else round_d = decrypt_i ?",
        _WRONG,
    ),
    Fault(
        "decryption ends a round early",
        _FAB_BOTH,
        _AHEAD_KEYS,
        "round_q == 4'd1 :",
        "round_q == 4'd2 :",
        "a block is accepted at clock",
    ),
    Fault(
        "a block that enters is crossed as the one before it",
        _FAB_BOTH,
        _ITERATIVE_AHEAD,
        ".next_decrypt_i(decrypt)",
        ".next_decrypt_i(backward)",
        _WRONG,
    ),
    Fault(
        "first key of decryption from the middle of the last one",
        _FAB_BOTH,
        _STORED,
        "assign end_words = end_q;",
        "assign end_words = start_q;",
        _WRONG,
        ("key_register=sub-word",),
    ),
    Fault(
        "the bank of a block that enters is the new one too early",
        _ENC,
        _STORED,
        "assign enter_bank = enter_bank_q;",
        "assign enter_bank = bank;",
        _WRONG,
        ("overlap=yes",),
        level="full",
    ),
    Fault(
        "the last key addition with the block that enters",
        _FAB_RAM,
        _TBOX_CORE,
        "last_key_q <= round_key;",
        "last_key_q <= enter ? loaded : round_key;",
        _WRONG,
        _AHEAD,
    ),
    Fault(
        "the next block enters a clock late",
        _FAB_RAM,
        _TBOX_CORE,
        "assign enter_d    = ~busy_d | (Cfg.overlap & last_round_next);",
        "assign enter_d    = ~busy_d;",
        r"ready|accept",
        _AHEAD,
    ),
    # One key addition for entry, rounds and result.
    Fault(
        "the way of the rounds open to a block that enters",
        _FAB_RAM,
        _SHARED_ONE,
        "keep_q  <= ~enter_q;",
        "keep_q  <= 1'b1;",
        _WRONG,
    ),
    Fault(
        "MixColumns in the last round",
        _FAB_RAM,
        _SHARED_ONE,
        "round_q <= ~enter_q & ~token[state_clock(NumRounds)-1];",
        "round_q <= ~enter_q;",
        _WRONG,
    ),
    Fault(
        "no zeros before a block that enters",
        _FAB_PACKED,
        _SHARED_ONE,
        "zeros_q <= ~look_up;",
        "zeros_q <= 1'b0;",
        _WRONG,
    ),
    Fault(
        "a bit that the table for the last round does not keep",
        _FAB_PACKED,
        "aes_tbox_packed.sv",
        "pack_word(kept, lower_bits(kept), s & ~Kept);",
        "pack_word(kept, lower_bits(kept), s & ~Kept & 8'h7f);",
        _WRONG,
    ),
    Fault(
        "a key taken over the last one of the block before",
        _FAB_PACKED,
        _SHARED_ONE,
        "(|token[Last-5:0]) | token[Last-3];",
        "|token[Last-5:0];",
        _WRONG,
    ),
    Fault(
        "the sums of a key a clock early",
        _FAB_PACKED,
        "aes_key_schedule_held.sv",
        "assign sums = sums_q;",
        "assign sums = sums_d;",
        _WRONG,
    ),
    # One register and one key addition, of a key that is offered until it is expanded.
    Fault(
        "compact core keeps the block out of its first addition",
        _FAB_COMPACT,
        _COMPACT_CORE,
        "2'b00:   chosen = in_block_i;",
        "2'b00:   chosen = '0;",
        _WRONG,
    ),
    Fault(
        "compact core mixes in its last round",
        _FAB_COMPACT,
        _COMPACT_CORE,
        "default: chosen = shifted;",
        "default: chosen = mixed;",
        _WRONG,
    ),
    Fault(
        "compact core decrypts with MixColumns at the entry",
        _FAB_COMPACT_DEC,
        _COMPACT_CORE,
        "{128{busy_q && !plain_q}}",
        "{128{!plain_q}}",
        _WRONG,
    ),
    Fault(
        "bit 0 of a compact state stands still in rounds",
        _FAB_COMPACT,
        _COMPACT_CORE,
        "assign moves = busy_q | plain_q | in_valid_i;",
        "assign moves = plain_q | in_valid_i;",
        _WRONG,
    ),
    Fault(
        "compact core takes a block in the round of another",
        _FAB_COMPACT,
        _COMPACT_CORE,
        "in_ready_o = available & ~busy_q;",
        "in_ready_o = available & (~busy_q | last_round);",
        r"accepted at clock \d+ instead of",
    ),
    Fault(
        "compact core gives its result late",
        _FAB_COMPACT,
        _COMPACT_CORE,
        "assign out_valid_o = out_valid_q;",
        f"{_LATE}assign out_valid_o = late_q;",
        r"no out_valid_o at clock",
    ),
    Fault(
        "offered key is taken at once",
        _FAB_COMPACT,
        _OFFERED,
        "&& (!key_valid_i || done_q);",
        ";",
        r"key_ready_o rises 0 clocks after",
    ),
    Fault(
        "offered key is taken before its last words",
        _FAB_COMPACT,
        _OFFERED,
        "round_q == 4'(NumRounds);",
        "round_q == 4'(NumRounds - 1);",
        r"key_ready_o rises \d+ clocks after",
    ),
    Fault(
        "offered key does not wait for the block under way",
        _FAB_COMPACT,
        _OFFERED,
        "busy_i ? StWait : StExpand",
        "StExpand",
        r"wrong result|instead of|no out_valid_o",
    ),
    Fault(
        "blocks enter while an offered key is expanded",
        _FAB_COMPACT,
        _OFFERED,
        "any_key_q && state_q == StReady;",
        "any_key_q;",
        r"while the only key bank is filled",
    ),
    Fault(
        "offered key is current before there is one",
        _FAB_COMPACT,
        _OFFERED,
        "available_o  = any_key_q &&",
        "available_o  =",
        r"no key was loaded since reset",
    ),
    Fault(
        "offered key with a wrong Rcon",
        _FAB_COMPACT,
        _OFFERED,
        "rcon_q <= 8'h01;",
        "rcon_q <= 8'h02;",
        _WRONG,
    ),
    Fault(
        "SubWord of an offered key of the wrong word",
        _FAB_COMPACT_192,
        _OFFERED,
        "NumWords == 6 && word_number_q[1]",
        "NumWords == 6 && !word_number_q[1]",
        _WRONG,
    ),
    Fault(
        "offered key reads words that are too old",
        _FAB_COMPACT_192,
        _OFFERED,
        "word_number_q[1] ? 2'd1 : 2'd2;",
        "2'd2;",
        _WRONG,
    ),
    Fault(
        "offered 256-bit key without its middle SubWord",
        _FAB_COMPACT_DEC,
        _OFFERED,
        "NumWords == 8 && place == 3'd4;",
        "1'b0;",
        _WRONG,
    ),
    Fault(
        "bit 0 of a word of an offered key stands still",
        _FAB_COMPACT,
        _OFFERED,
        "if (sum_q && state_q == StExpand) word_q",
        "if (sum_q && state_q == StWait) word_q",
        _WRONG,
    ),
    Fault(
        "round keys of a compact decryption forward",
        _FAB_COMPACT_DEC,
        _OFFERED,
        "round_d = (Dir == DirDecrypt) ? less(round_q) : more(round_q);",
        "round_d = more(round_q);",
        r"wrong result|no out_valid_o|instead of",
    ),
    # What synthesis reads in another way than a simulator of two values, which finds nothing.
    Fault(
        "a word of an expanded group is written outside of it",
        _NARROW_TBOX,
        _EXPANDER,
        "computed[w] = sum;",
        "computed[w^1] = sum;",
        r"^four-state(.|\n)*out_block_o is unknown",
    ),
    Fault(
        "a word of a window is read behind its end",
        _ENC,
        _EXPANDER,
        "sum ^= window_q[0][w];",
        "sum ^= window_q[0][w+NumWords];",
        r"^four-state(.|\n)*out_block_o is unknown",
    ),
    Fault(
        "the length of a key is written outside of the only bank",
        _BOTH_ANY,
        _FILLER,
        "fill_bank_o == (b == 1)) ? fill",
        "fill_bank_o != (b == 1)) ? fill",
        r"^four-state(.|\n)*is unknown|comes 11 clocks after the block was accepted instead",
        ("key_schedule=stored-single",),
    ),
    Fault(
        "a quarter of a table is chosen behind the last one",
        _ENC,
        _TABLE,
        "quarter_q[select_q]",
        "quarter_q[{1'b1, select_q}]",
        r"^four-state(.|\n)*out_block_o is unknown",
    ),
    Fault(
        "a table has its values in simulation alone",
        _ENC,
        _TABLE,
        "initial entries = Entries;",
        "\n`ifndef SYNTHESIS\ninitial entries = Entries;\n`endif\n",
        r"^four-state(.|\n)*out_block_o is unknown",
    ),
    Fault(
        "no reset says which bank is filled first",
        _ENC,
        _FILLER,
        ".Hardened(Hardened)\n  ) u_bank (",
        ".Hardened(Hardened),\n    .HasReset(1'b0)\n  ) u_bank (",
        r"^four-state(.|\n)*is unknown",
    ),
    Fault(
        "no reset says where a block period begins",
        _4SM,
        _ROLLING,
        ".Hardened(Cfg.hardened)\n    ) u_turn (",
        ".Hardened(Cfg.hardened),\n      .HasReset(1'b0)\n    ) u_turn (",
        r"^four-state(.|\n)*in_ready_o is unknown",
    ),
    Fault(
        "a mask without a first value, taken off again",
        _FLY,
        _ITERATIVE,
        "  always_ff @(posedge clk_i) begin\n"
        "    if (busy_q && last_round) out_block_q <= last[NumRounds-1];\n"
        "  end\n\n"
        "  assign out_valid_o = out_valid_q;\n"
        "  assign out_block_o = out_block_q;",
        """  block_t mask_q, masked_with_q;
  always_ff @(posedge clk_i) begin
    mask_q <= {mask_q[126:0], mask_q[127]};
    if (busy_q && last_round) begin
      out_block_q   <= last[NumRounds-1] ^ mask_q;
      masked_with_q <= mask_q;
    end
  end

  assign out_valid_o = out_valid_q;
  assign out_block_o = out_block_q ^ masked_with_q;""",
        r"^four-state(.|\n)*out_block_o is unknown",
    ),
    Fault(
        "ready listens to a block that is not offered",
        _ENC,
        _ITERATIVE,
        "assign in_ready_o = available & enter;",
        "assign in_ready_o = available & enter &"
        " (in_block_i < first_key | in_block_i >= first_key);",
        r"^four-state(.|\n)*in_ready_o is unknown",
    ),
    # An index out of range, which simulation reports.
    Fault(
        "place of an offered key's word beyond the last",
        _FAB_COMPACT_192,
        _OFFERED,
        "(place_q == 3'(NumWords - 1)) ? '0",
        "(place_q == 3'(NumWords)) ? '0",
        r"Assertion failed (.|\n)*key_words has no such word",
    ),
]

# Registers that some faults need.
_LATE_WORDS = """
  logic core_valid_q, unload_q;
  always_ff @(posedge clk_i) begin
    core_valid_q <= core_valid;
    unload_q     <= unload;
  end
"""


CAUGHT = Kept(Path(__file__).parents[1] / "caught.jsonl", "AESFAB_FAULTS")


def _copy(sources: list[Path], folder: Path) -> list[Path]:
    return [Path(shutil.copy(path, folder)) for path in sources]


def _identity(named: catalogue.Named, sources: list[Path], level: verify.Level) -> str:
    """Of all that the first failure of a broken copy follows from."""
    contract = passed.contract(named, level)
    judges = "\n".join(map(kept.code, passed.JUDGES)) + kept.code(generate._plain_verilog)
    tools = repr(verify._tools())
    texts = "\n".join(map(kept.code, sources))
    names = repr([path.name for path in sources])
    return process.content_key(texts, names, judges, named.module, contract, tools)


def _first_failure(fault: Fault, named: catalogue.Named, sources: list[Path]) -> str:
    """What is said of a broken copy first: as kept, or found now."""
    identity = _identity(named, sources, fault.level)
    said = CAUGHT.find(identity)
    if said is not None:
        return str(said["says"])
    evidence = verify.verify(named, sources, level=fault.level)
    assert not evidence.passed
    assert not evidence.to_json()["passed"]
    first = str(evidence.failures[0])
    CAUGHT.add({"fault": fault.name, "identity": identity, "says": first})
    return first


def _found(text: str, old: str) -> tuple[int, int]:
    """Where a text to be broken stands, whatever blanks and line ends are between its words."""
    words = re.findall(r"\w+|[^\w\s]", old)
    pattern = "".join(
        re.escape(word) + (r"\s+" if re.match(r"\w", word) and re.match(r"\w", after) else r"\s*")
        for word, after in itertools.pairwise([*words, ""])
    ).removesuffix(r"\s*")
    if old[:1].isspace():
        pattern = r"\s+" + pattern
    if old[-1:].isspace():
        pattern += r"\s+"
    spans = [found.span() for found in re.finditer(pattern, text)]
    assert len(spans) == 1, f"{len(spans)} times: {old}"
    return spans[0]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name.replace(" ", "-"))
def test_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    """The level finds the fault, and its first failure names it."""
    named = catalogue.find(fault.design, fault.overrides)
    sources = _copy(generate.sources(named), tmp_path)
    target = tmp_path / fault.file
    text = target.read_text()
    start, end = _found(text, fault.old)
    text = text[:start] + fault.new + text[end:]
    if re.search(r"\b(core_valid|unload)_q\b", fault.new):
        declared = "  block_t block_d, block_q, next_block, core_block;\n"
        assert declared in text
        text = text.replace(declared, declared + _LATE_WORDS)
    target.write_text(text)

    first = _first_failure(fault, named, sources)
    assert re.search(fault.says, first), first


def test_faults_do_not_depend_on_the_format_of_lines() -> None:
    """Each text to be broken is found, also in files of one word a line, and of one line."""
    texts = {path.name: path.read_text() for path in rtl.sources()}
    for fault in FAULTS:
        text = texts[fault.file]
        start, end = _found(text, fault.old)
        assert text[start:end].split() == fault.old.split()
        for other in (re.sub(r"\s+", " ", text), re.sub(r"\s+", "\n", text)):
            _found(other, fault.old)


def test_what_is_kept_of_a_fault_is_of_that_very_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Believed for the same RTL, comments apart, judge and contract; others are simulated."""
    named = catalogue.find(_ENC)
    sources = _copy(generate.sources(named), tmp_path)
    identity = _identity(named, sources, "quick")
    fault = Fault("made up", _ENC, _TABLE, "", "", "")
    monkeypatch.setattr("kept.SAMPLE", 1 << 200)
    monkeypatch.setattr(CAUGHT, "records", {identity: {"says": "as kept"}})
    ran: list[Path] = []

    def passing(named: catalogue.Named, sources: list[Path], *, level: verify.Level) -> None:
        ran.extend(sources)
        raise ToolError("simulated")

    monkeypatch.setattr(verify, "verify", passing)
    for name in ("AESFAB_FAULTS", KEEP):
        monkeypatch.delenv(name, raising=False)
    assert _first_failure(fault, named, sources) == "as kept"
    assert not ran
    others: list[Callable[[], str]] = [
        lambda: _first_failure(dataclasses.replace(fault, level="full"), named, sources),
        lambda: _first_failure(fault, catalogue.find(_DEC), sources),
    ]
    for other in others:
        with pytest.raises(ToolError, match="simulated"):
            other()
    with monkeypatch.context() as patch:
        patch.setattr(passed, "JUDGES", passed.JUDGES[1:])
        with pytest.raises(ToolError, match="simulated"):
            _first_failure(fault, named, sources)
    sources[-1].write_text(sources[-1].read_text() + "// a comment\n")
    assert _first_failure(fault, named, sources) == "as kept"
    sources[-1].write_text(sources[-1].read_text() + "module changed; endmodule\n")
    with pytest.raises(ToolError, match="simulated"):
        _first_failure(fault, named, sources)


def test_loop_without_register_is_refused(tmp_path: Path) -> None:
    """Without the register behind the S-boxes the round is a combinational loop: no model."""
    named = catalogue.find(_ENC)
    sources = _copy(generate.sources(named), tmp_path)
    target = tmp_path / _TABLE
    text = target.read_text()
    old = "if (Levels >= 1) begin : gen_reg"
    assert text.count(old) == 1
    target.write_text(text.replace(old, "if (Levels >= 2) begin : gen_reg"))
    with pytest.raises(ToolError) as caught:
        verify.verify(named, sources, level="quick")
    assert "UNOPTFLAT" in caught.value.log_tail


def test_case_that_leaves_values_out_is_refused(tmp_path: Path) -> None:
    """Synthesis may take anything for them: no model, although the values are set before."""
    named = catalogue.find(_FAB_COMPACT)
    sources = _copy(generate.sources(named), tmp_path)
    target = tmp_path / _OFFERED
    text = target.read_text()
    old = "default: address ="
    assert text.count(old) == 1
    text = text.replace(old, "2'd2: address =").replace(
        "    case (back)", "    address = '0;\n    case (back)"
    )
    target.write_text(text)
    with pytest.raises(ToolError) as caught:
        verify.verify(named, sources, level="quick")
    assert "CASEINCOMPLETE" in caught.value.log_tail


def test_unbroken_copy_passes(tmp_path: Path) -> None:
    """Copying alone breaks nothing."""
    named = catalogue.find(_ENC)
    sources = _copy(generate.sources(named), tmp_path)
    assert verify.verify(named, sources, level="quick").passed
