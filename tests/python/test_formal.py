# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Proofs by SAT that every realisation of a function is that function.

The realisations are found by their file names, so a new one is proved as soon as it is there. Each
proof is also run on a damaged copy, which must be refuted.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import miters
import passed
from aesfab import devices
from aesfab.design import catalogue
from aesfab.design.design import Design
from aesfab.eda import yosys
from aesfab.errors import ToolError
from aesfab.hdl import rtl
from miters import MITERS, Damage, change, sat

DIRECTIONS = {"encrypt": 0, "decrypt": 1, "both": 2}
MAX_LEVELS = 8


def prove(
    miter: str,
    options: str,
    *,
    levels: int = 0,
    clocks: int = 1,
    damage: Damage | None = None,
    given: Sequence[str] = (),
) -> None:
    """Prove that ``same_o`` of a miter is 1 for every input, ``levels`` clocks after the start.

    And in the clocks that follow, ``clocks`` in all. ``given`` is more of the ``sat`` command.
    """
    proof = sat("same_o", levels + clocks, f"-prove-skip {levels}", *given)
    miters.prove(miter, options, proof, damage=damage)


def prove_for_ever(
    miter: str,
    options: str,
    damage: Damage | None = None,
    start: Sequence[str] = ("claimed_q 0",),
) -> None:
    """Prove that ``same_o`` is 1 in every clock, by induction.

    At the start, which is any state with ``start``, and then in the clock after one in which it is.
    """
    begins = sat("same_o", 1, *(f"-set-at 1 {value}" for value in start))
    stays = sat("same_o", 2, "-prove-skip 1", "-set-at 1 same_o 1")
    miters.prove(miter, options, begins, stays, damage=damage)


# Not what the proofs said, which stands beside them.
_MITERS = [
    str(path.relative_to(passed.ROOT))
    for path in sorted((passed.ROOT / "tests" / "formal").glob("*.*v"))
]


def _sbox_options(sbox: str, direction: int, levels: int) -> str:
    return f"-D SBOX={sbox} -G Dir=aes_pkg::dir_e'({direction}) -G Levels={levels}"


SBOXES = sorted(path.stem for path in rtl.folder().rglob("aes_sbox_*.sv"))


@pytest.mark.kept(*passed.MEASURING, *_MITERS)
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("sbox", SBOXES)
def test_sbox_is_sub_bytes(sbox: str, direction: str) -> None:
    proved = []
    for levels in range(MAX_LEVELS + 1):
        try:
            prove("sbox_miter", _sbox_options(sbox, DIRECTIONS[direction], levels), levels=levels)
        except ToolError as error:
            # An S-box says itself which numbers of levels it does not offer.
            if f"{sbox}: Levels must be" not in str(error) + error.log_tail:
                raise
        else:
            proved.append(levels)
    assert 1 in proved, "every core needs one level"


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("levels", [1, 2])
def test_wrong_sbox_is_refuted(direction: str, levels: int) -> None:
    options = _sbox_options("aes_sbox_table", DIRECTIONS[direction], levels)
    damage = change("aes_pkg.sv", "8'h63;", "8'h62;")
    with pytest.raises(ToolError, match="proof did fail"):
        prove("sbox_miter", options, levels=levels, damage=damage)


def test_wrong_number_of_registers_is_refuted() -> None:
    with pytest.raises(ToolError, match="proof did fail"):
        prove("sbox_miter", _sbox_options("aes_sbox_rom", 0, 2), levels=1)


@pytest.mark.parametrize(
    ("sbox", "levels"),
    [
        (0, 1),
        (0, 2),
        *((1, n) for n in range(1, 5)),
        (3, 1),
        (3, 2),
        (4, 1),
        *((2, n) for n in range(1, MAX_LEVELS + 1)),
    ],
)
def test_sub_bytes_gives_doubles(sbox: int, levels: int) -> None:
    prove("sub_bytes_miter", f"-G Sbox=aes_pkg::sbox_e'({sbox}) -G Levels={levels}", levels=levels)


@pytest.mark.parametrize(
    ("sbox", "file", "old", "new"),
    [
        (0, "aes_sub_bytes.sv", "= xtime(bytes_o[i][7:0]);", "= bytes_o[i][7:0];"),
        (1, "aes_sbox_rom.sv", "{xtime(s), s}", "{s ^ xtime(s), s}"),
        (2, "aes_sbox_tower.sv", "~(s[4] ^ s[0]), ", "(s[4] ^ s[0]), "),
    ],
)
def test_wrong_doubles_are_refuted(sbox: int, file: str, old: str, new: str) -> None:
    options = f"-G Sbox=aes_pkg::sbox_e'({sbox}) -G Levels=2"
    with pytest.raises(ToolError, match="proof did fail"):
        prove("sub_bytes_miter", options, levels=2, damage=change(file, old, new))


MIX_COLUMNS = sorted(path.stem for path in rtl.folder().rglob("aes_mix_columns_*.sv"))


def _mix_options(mix: str) -> str:
    text = rtl.file(mix).read_text()
    options = f"-D MIX={mix}"
    if re.search(r"input +logic +decrypt_i", text):
        return f"{options} -D WITH_DIRECTION"
    return f"{options} -D INVERSE" if mix.endswith("_inv") else options


@pytest.mark.parametrize("mix", MIX_COLUMNS)
def test_mix_columns_is_the_matrix(mix: str) -> None:
    prove("mix_columns_miter", _mix_options(mix))


def test_wrong_mix_columns_is_refuted() -> None:
    damage = change("aes_mix_columns_fwd.sv", "(b[j] ^ c[j])) ^ d[j]", "(b[j] ^ c[j])) ^ c[j]")
    for mix in MIX_COLUMNS:
        with pytest.raises(ToolError, match="proof did fail"):
            prove("mix_columns_miter", _mix_options(mix), damage=damage)


@pytest.mark.kept(*passed.MEASURING, *_MITERS)
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_round_is_that_of_the_standard(direction: str) -> None:
    prove("round_miter", f"-G Dir=aes_pkg::dir_e'({DIRECTIONS[direction]})")


def test_entry_into_a_loop_is_a_round_or_a_key_addition() -> None:
    prove("column_entry_miter", "")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{b[6:0], b[7]}", "{b[6:0], 1'b0}"),
        ("first_key_i[Low+:8] : c ^ d", "first_key_i[Low+:8] : c"),
        ("enter_i ? '0 : b ^ sums", "b ^ sums"),
        ("8'h1a;", "8'h1b;"),
    ],
)
def test_wrong_entry_into_a_loop_is_refuted(old: str, new: str) -> None:
    with pytest.raises(ToolError, match="proof did fail"):
        prove("column_entry_miter", "", damage=change("aes_column_entry.sv", old, new))


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_wrong_shallow_sbox_is_refuted(direction: str) -> None:
    old, new = {
        "encrypt": ("p[0] ^ p[5] ^ p[9] ^ p[11]", "p[0] ^ p[5] ^ p[9]"),
        "decrypt": ("l[6] ^ l[7] ^ x[5]", "l[6] ^ l[7]"),
        "both": ("(x[0] ^ x[5])", "(x[1] ^ x[5])"),
    }[direction]
    options = _sbox_options("aes_sbox_shallow", DIRECTIONS[direction], 1)
    with pytest.raises(ToolError, match="proof did fail"):
        prove("sbox_miter", options, levels=1, damage=change("aes_sbox_shallow.sv", old, new))


def _prove_crossed(damage: Damage | None = None) -> None:
    claims = ("byte_o", "linear_o", "mixed_o", "same_o")
    miters.prove("round_crossed_miter", "", *(sat(claim, 1) for claim in claims), damage=damage)


def test_round_behind_sboxes_of_decryption_is_that_of_the_standard() -> None:
    _prove_crossed()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("= correction_of(r, j)", "= correction_of(r + 1, j)"),
        ("& ~enter_i", ""),
        ("inverse_i ^ key_before_i", "inverse_i"),
        ("j inside {1, 3, 4}", "j inside {1, 3}"),
        (".sel_i (correct_i)", ".sel_i (decrypt_i)"),
        ("Scale = 8'h8c", "Scale = 8'h8d"),
        ("^ Rest[j]", ""),
        ("& Mask & ~First)", "& Mask)"),
        ("? plain[j] : crossed_plain", "? crossed_plain : crossed_plain"),
        (".sel_i (next_decrypt_i)", ".sel_i (decrypt_i)"),
        ("^(v[3-r] & Row) ^ Constant[j]", "^(v[3-r] & Row)"),
    ],
)
def test_wrong_round_behind_sboxes_of_decryption_is_refuted(old: str, new: str) -> None:
    with pytest.raises(ToolError, match="proof did fail"):
        _prove_crossed(change("aes_column_crossed.sv", old, new))


def test_wrong_round_is_refuted() -> None:
    damage = change("aes_pkg.sv", "((c + r) % 4)", "((c + r + r) % 4)")
    with pytest.raises(ToolError, match="proof did fail"):
        prove("round_miter", "-G Dir=aes_pkg::dir_e'(0)", damage=damage)


def _prove_narrow_round(
    part: int, direction: str, columns: int, damage: Damage | None = None
) -> None:
    # The first shifted state follows the first state; mixing takes no clock.
    clocks = 4 // columns if part == 0 else 0
    prove(
        "narrow_round_miter",
        f"-D PART={part} {_direction(direction)} -G NumColumns={columns}",
        levels=clocks,
        clocks=max(1, clocks),
        damage=damage,
    )


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("part", [0, 1])
def test_narrow_round_is_that_of_the_standard(part: int, direction: str, columns: int) -> None:
    _prove_narrow_round(part, direction, columns)


@pytest.mark.parametrize(
    ("part", "direction", "columns", "file", "old", "new"),
    [
        (0, "encrypt", 1, "aes_shift_rows_narrow.sv", "s + r >= 4;", "s + r >= 5;"),
        (0, "encrypt", 2, "aes_shift_rows_narrow.sv", "(s+r)%N", "(s+r+1)%N"),
        (0, "decrypt", 1, "aes_shift_rows_narrow.sv", "part) + s < r", "part) + s <= r"),
        (0, "both", 2, "aes_shift_rows_narrow.sv", "decrypt_i ? inv", "~decrypt_i ? inv"),
        (1, "decrypt", 2, "aes_round_columns.sv", "= columns_i ^ key_before_i", "= columns_i"),
        (1, "encrypt", 1, "aes_round_columns.sv", "= mixed_o ^ key_after_i", "= mixed_o"),
        (1, "both", 1, "aes_round_columns.sv", "= columns_i ^ key_before_i", "= columns_i"),
        (1, "both", 2, "aes_round_columns.sv", "^ correction_o;", ";"),
    ],
)
def test_wrong_narrow_round_is_refuted(
    part: int, direction: str, columns: int, file: str, old: str, new: str
) -> None:
    with pytest.raises(ToolError, match="proof did fail"):
        _prove_narrow_round(part, direction, columns, change(file, old, new))


# A damage to each part of the byte-wide data path.
NARROW_BYTES = [
    (0, change("aes_mix_column_bytes.sv", "last_i ? a_q[6]", "last_i ? a_q[5]")),
    (0, change("aes_mix_column_bytes.sv", "if (bypass_i) u_q <= '0;\n    else if", "if")),
    (1, change("aes_shift_rows_bytes.sv", "row_i[0] | row_i[2]", "row_i[0] | row_i[3]")),
    (2, change("aes_inv_mix_correction_bytes.sv", "byte_i ^ a_q[1]", "byte_i ^ a_q[0]")),
    (2, change("aes_inv_mix_correction_bytes.sv", "if (bypass_i) v_q <= '0;\n    else", "")),
    (3, change("aes_shift_rows_bytes.sv", "row_i[0] | row_i[1]", "row_i[0] | row_i[3]")),
]


def _prove_byte_wide(part: int, damage: Damage | None = None) -> None:
    levels, clocks = {0: (12, 4), 1: (32, 16), 2: (12, 4), 3: (32, 16)}[part]
    options = f"-D PART={part}"
    prove("narrow_bytes_miter", options, levels=levels, clocks=clocks, damage=damage)


@pytest.mark.parametrize("part", [0, 1, 2, 3])
def test_byte_wide_steps_are_those_of_the_standard(part: int) -> None:
    _prove_byte_wide(part)


@pytest.mark.parametrize(("part", "damage"), NARROW_BYTES)
def test_wrong_byte_wide_step_is_refuted(part: int, damage: Damage) -> None:
    with pytest.raises(ToolError, match="proof did fail"):
        _prove_byte_wide(part, damage)


# Steps of the core behind 8-bit ports: part of the miter, and what breaks it.
SERIAL = [
    (0, change("aes_shift_rows_queue.sv", "hold_i[1] ? middle_q[3]", "hold_i[2] ? middle_q[3]")),
    (0, change("aes_shift_rows_queue.sv", "hold_i[0] ? byte_i :", "hold_i[1] ? byte_i :")),
    (1, change("aes_shift_rows_memory.sv", "out_q <= out_q + next_turn_q", "out_q <= out_q")),
    (1, change("aes_shift_rows_memory.sv", "turn_q      <= next_turn_q", "turn_q <= '0")),
    (3, change("aes_shift_rows_memory.sv", ".Registered(InBlock)", ".Registered(1'b0)")),
    (2, change("aes_mix_column_serial.sv", "last_i ? first_q : a_q[2]", "a_q[2]")),
    (2, change("aes_mix_column_serial.sv", "(bypass_i || zero_i) ? '0 : part_q", "part_q")),
    (2, change("aes_mix_column_serial.sv", "if (zero_i) a_q[4] <= '0;\n      else", "")),
]


def _prove_serial(part: int, damage: Damage | None = None) -> None:
    # The memory starts with any number of states before.
    given = ("-set en_i 1 -set rst_ni 1",)
    prove("serial_miter", f"-D PART={part}", levels=2, clocks=42, damage=damage, given=given)


@pytest.mark.parametrize("part", [0, 1, 2, 3])
def test_steps_behind_8_bit_ports_are_those_of_the_standard(part: int) -> None:
    _prove_serial(part)


@pytest.mark.parametrize(("part", "damage"), SERIAL)
def test_wrong_step_behind_8_bit_ports_is_refuted(part: int, damage: Damage) -> None:
    with pytest.raises(ToolError, match="proof did fail"):
        _prove_serial(part, damage)


def test_staged_mix_column_is_the_matrix() -> None:
    prove("mix_column_staged_miter", "", levels=2)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a[(i+1)%4]", "a[(i+2)%4]"),
        ("if (bypass_i) u_q <= '0;\n    else u_q", "u_q"),
        ("if (zero_i) column_o <= '0;\n    else column_o", "column_o"),
    ],
)
def test_wrong_staged_mix_column_is_refuted(old: str, new: str) -> None:
    damage = change("aes_mix_column_staged.sv", old, new)
    with pytest.raises(ToolError, match="proof did fail"):
        prove("mix_column_staged_miter", "", levels=2, damage=damage)


# Key size to its value in the RTL and the number of its rounds.
KEY_SIZES = {128: (0, 10), 192: (1, 12), 256: (2, 14)}


def _key_step(bits: int, step: int) -> str:
    return f"-G KeySize=aes_pkg::key_size_e'({KEY_SIZES[bits][0]}) -G Step={step}"


@pytest.mark.parametrize(("bits", "phases"), [(128, 1), (192, 3), (256, 2)])
def test_key_round_is_that_of_the_standard(bits: int, phases: int) -> None:
    """Every phase, with the first round constants and with the last."""
    rounds = KEY_SIZES[bits][1]
    for step in {*range(phases), *range(rounds - phases - 1, rounds - 1)}:
        prove("key_round_miter", _key_step(bits, step))


@pytest.mark.parametrize(
    ("bits", "step", "old", "new"),
    [
        (128, 9, "h.first ^ h.second,", "h.second,"),
        (192, 1, "rot_word(phase[0] ? straddling : last)", "rot_word(last)"),
        (192, 4, "return ~phase[1];", "return phase == 2'd0;"),
        (192, 2, "phase != '0) ? window_word", "phase[0]) ? window_word"),
        (256, 3, "phase[0] ? last : rot_word(last)", "rot_word(last)"),
        (256, 12, "return ~phase[0];", "return 1'b1;"),
    ],
)
def test_wrong_key_round_is_refuted(bits: int, step: int, old: str, new: str) -> None:
    with pytest.raises(ToolError, match="proof did fail"):
        prove("key_round_miter", _key_step(bits, step), damage=change("aes_key_pkg.sv", old, new))


EXPANDERS = {
    "two words": ("aes_key_expander.sv", "-G NumWords=2"),
    "one word": ("aes_key_expander.sv", "-G NumWords=1"),
    "recall": ("aes_key_expander_recall.sv", "-D RECALL"),
    "held key": ("aes_key_expander_recall.sv", "-D RECALL -G Held=1'b1"),
    "staged": ("aes_key_expander_staged.sv", "-D STAGED"),
}
"""The file of each expander, and what says which one it is: words a step, or how it works."""


def _expander_options(bits: int, any_size: bool, expander: str) -> str:
    size = 3 if any_size else KEY_SIZES[bits][0]
    kind = EXPANDERS[expander][1]
    return f"{kind} -G KeySize=aes_pkg::key_size_e'({size}) -G Nk={bits // 32}"


@pytest.mark.parametrize(
    ("bits", "any_size", "expander"),
    [
        *itertools.product(KEY_SIZES, [False], ["two words", "one word", "recall", "staged"]),
        *itertools.product(KEY_SIZES, [True], ["two words"]),
        (192, True, "one word"),
        (256, True, "recall"),
        *itertools.product(KEY_SIZES, [True], ["held key", "staged"]),
    ],
)
def test_key_expander_is_key_expansion(bits: int, any_size: bool, expander: str) -> None:
    """Word by word from the key to the last round key, for every key and for ever."""
    prove_for_ever("key_expander_miter", _expander_options(bits, any_size, expander))


@pytest.mark.parametrize(
    ("bits", "any_size", "expander", "old", "new"),
    [
        (128, False, "two words", "if (at_start) rcon_d =", "rcon_d ="),
        (128, True, "one word", "4'(4 / NumWords)", "4'(6 / NumWords)"),
        (192, False, "one word", "t = sub ^ {rcon_q, 24'b0};", "t = sub;"),
        (192, True, "two words", "num_groups - 4'd1", "num_groups"),
        (256, False, "two words", "else if (at_middle) t = sub;", ""),
        (256, False, "two words", "(step_i ? 3'(Middle - 1) : 3'(Middle))", "3'(Middle)"),
        (256, True, "one word", "= step_i ? computed[0] : newest", "= newest"),
        (128, False, "recall", "if (group_ends) from_key_d =", "from_key_d ="),
        (192, False, "recall", "first ^ old_i[0]", "old_i[0]"),
        (192, True, "recall", "at_start && !from_key_q", "at_start"),
        (256, True, "recall", "phase_q == 3'd1;", "phase_q == 3'd2;"),
        (192, True, "held key", "late  = phase_q[0] ?", "late  = ~phase_q[0] ?"),
        (128, True, "held key", "Held ? key_q[p] :", ""),
        (128, True, "held key", "(phase_d == 3'd0) ? rcon_d : '0", "rcon_d"),
        (256, True, "held key", "&& phase_d == 3'd2)", "&& phase_d == 3'd1)"),
        (256, True, "held key", "&& phase_d == 3'd1;", "&& phase_d == 3'd2;"),
        (128, False, "staged", "LongStep = Levels + 4", "LongStep = Levels + 3"),
        (128, True, "staged", "if (first_q) rcon_q <=", "rcon_q <="),
        (192, False, "staged", "next_first_q} <= 3'b100", "next_first_q} <= 3'b001"),
        (192, True, "staged", "(len == KeyLen192) ? 1 : 2", "(len == KeyLen192) ? 2 : 2"),
        (256, False, "staged", "middle_q ? newest_q : rot", "first_q ? newest_q : rot"),
        (256, True, "staged", "if (load_i) wait_q <= '0;", ""),
    ],
)
def test_wrong_key_expander_is_refuted(
    bits: int, any_size: bool, expander: str, old: str, new: str
) -> None:
    damage = change(EXPANDERS[expander][0], old, new)
    with pytest.raises(ToolError, match="proof did fail"):
        prove_for_ever("key_expander_miter", _expander_options(bits, any_size, expander), damage)


def _filler_options(
    any_size: bool, recall: bool, banks: int, words: int, levels: int, outside: bool
) -> str:
    size = f"-G KeySize=aes_pkg::key_size_e'({3 if any_size else 1}) -G Recall=1'b{int(recall)}"
    size += f" -G Outside=1'b{int(outside)}"
    return f"{size} -G NumBanks={banks} -G NumWords={words} -G Levels={levels}"


# Every key size, words recalled, banks, words at a time, levels, words from outside.
FILLERS: list[tuple[bool, bool, int, int, int, bool]] = [
    (True, False, 2, 2, 0, False),
    (False, False, 1, 1, 0, False),
    (True, True, 1, 2, 0, False),
    (False, True, 2, 2, 0, False),
    (True, False, 1, 2, 1, False),
    (False, False, 2, 2, 1, False),
    (True, False, 2, 2, 0, True),
    (False, False, 1, 1, 0, True),
]


def _prove_filler(filler: int, damage: Damage | None = None) -> None:
    options = _filler_options(*FILLERS[filler])
    prove_for_ever("key_filler_miter", options, damage, start=["rst_ni 0"])


@pytest.mark.parametrize("filler", range(len(FILLERS)))
def test_words_of_an_expansion_go_to_their_places(filler: int) -> None:
    _prove_filler(filler)


@pytest.mark.parametrize(
    ("filler", "old", "new"),
    [
        (0, "write_o & ~last_step", "write_o"),
        (0, "blocked ? StWait : StExpand", "StExpand"),
        (0, "(load ? len : fill_len_q)", "(len)"),
        (
            1,
            "== 6'({num_rounds(fill_len_q), {StepBits{1'b1}}});\n"
            "    assign write_o       = state_q == StExpand;",
            "== '1;\n    assign write_o       = state_q == StExpand;",
        ),
        (1, "round != '0 && ", ""),
        (2, "write_o ? index_q + 6'd1 : '0", "write_o ? index_q + 6'd1 : index_q"),
        (2, "round != num_rounds(fill_len_q)", "round != num_rounds(len)"),
        (3, "? ~bank_q : 1'b0", "? bank_q : 1'b0"),
        (3, ".load_i (load)", ".load_i (key_valid_i)"),
        (4, "blocked_i | ~waiting_q", "blocked_i"),
        (4, "inner_q ? mixed : words_q", "mixed"),
        (4, "ended         = words_valid && last_step", "ended         = last_step"),
        (5, "state_q == StSwitch && flushed_q == 2'b01", "state_q == StSwitch && flushed_q[0]"),
        (5, "index_q + 6'(words_valid)", "index_q + 6'd1"),
        (6, "state_q == StExpand && round_key_valid_i", "state_q == StExpand"),
        (6, "ended         = write_o && last_step", "ended         = last_step"),
        (7, "index_q + 6'(write_o)", "index_q + 6'(round_key_ready_o)"),
        (6, "mixed_words_o = key_i[255-32*NumWords-:", "mixed_words_o = key_i[255-:"),
        (7, "expanded      = key_i[255-:", "expanded      = key_i[223-:"),
    ],
)
def test_wrong_places_are_refuted(filler: int, old: str, new: str) -> None:
    damage = change("aes_key_filler.sv", old, new)
    with pytest.raises(ToolError, match="proof did fail"):
        _prove_filler(filler, damage)


# S-boxes of the key schedule and the order of reading.
OFFERED = {
    "shared": "-G Sbox=aes_pkg::SboxShared -G Dir=aes_pkg::DirEncrypt",
    "own": "-G Sbox=aes_pkg::SboxTable -G Dir=aes_pkg::DirEncrypt",
    "own, decrypt": "-G Sbox=aes_pkg::SboxTable -G Dir=aes_pkg::DirDecrypt",
    "rom, decrypt": "-G Sbox=aes_pkg::SboxRom -G Dir=aes_pkg::DirDecrypt",
}


def _prove_offered(bits: int, sboxes: str, damage: Damage | None = None) -> None:
    options = f"{OFFERED[sboxes]} -G KeySize=aes_pkg::KeySize{bits}"
    prove_for_ever("key_offered_miter", options, damage, start=["rst_ni 0"])


@pytest.mark.parametrize(
    ("bits", "sboxes"),
    [
        *itertools.product(KEY_SIZES, ["shared", "own, decrypt"]),
        (128, "own"),
        (128, "rom, decrypt"),
    ],
)
def test_offered_key_is_expanded_and_read_in_order(bits: int, sboxes: str) -> None:
    """For every key, of which one word is followed, whichever; at any time and for ever."""
    _prove_offered(bits, sboxes)


@pytest.mark.parametrize(
    ("bits", "sboxes", "old", "new"),
    [
        # When a key is expanded, when it is taken, when blocks may come.
        (128, "shared", "state_d = busy_i ? StWait : StExpand;", "state_d = StExpand;"),
        (192, "shared", "(!key_valid_i || done_q)", "!key_valid_i"),
        (256, "shared", "&& round_q == 4'(NumRounds);", "&& round_q == 4'(NumRounds - 1);"),
        (128, "own", "if (ended) any_key_q", "if (write) any_key_q"),
        (192, "own, decrypt", "= any_key_q && state_q == StReady;", "= any_key_q;"),
        # In which order round keys are read.
        (128, "shared", "last_round_next_o = round_d ==", "last_round_next_o = round_q =="),
        (192, "own, decrypt", "(Dir == DirDecrypt) ? less(round_q)", "1'b0 ? less(round_q)"),
        (256, "own, decrypt", "else round_d = FirstRound;", "else round_d = '0;"),
        # Where words are read and written.
        (128, "shared", "if (fetch_q) back = 2'd1;", ""),
        (192, "shared", "{1'b0, !word_number_q[1]}", "2'd1"),
        (192, "shared", "word_number_q[1] ? 2'd1 : 2'd2", "2'd1"),
        (256, "own, decrypt", "round_q[3:1]})), round_q[0]}", "round_q[3:1]})), 1'b0}"),
        (128, "own", "if (write && word_number_q ==", "if (word_number_q =="),
        # What words are made of.
        (128, "shared", "at_start && !from_key) rcon_q", "at_start) rcon_q"),
        (128, "own", "if (sum_q && state_q == StExpand)", "if (sum_q && from_key)"),
        (192, "shared", "== 6 && word_number_q[1]) ?", "== 6 && !word_number_q[1]) ?"),
        (256, "shared", "else if (at_middle) sum ^= sub;", ""),
        (256, "own, decrypt", "if (place_q == 3'(NumWords - 1)) from_key_q", "from_key_q"),
    ],
)
def test_wrong_offered_key_is_refuted(bits: int, sboxes: str, old: str, new: str) -> None:
    damage = change("aes_key_schedule_offered.sv", old, new)
    with pytest.raises(ToolError, match="proof did fail"):
        _prove_offered(bits, sboxes, damage)


def _prove_ring(damage: Damage | None = None) -> None:
    start = ["loading_q 0", "r_q 11", "r_before_q 11", "started_q 0"]
    prove_for_ever("key_ring_miter", "", damage, start)


def test_keys_of_a_ring_are_key_expansion() -> None:
    """For every key, of both blocks, at any time and for ever."""
    _prove_ring()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("d < Delay - 1;", "d < Delay - 2;"),
        ("sub_i ^ {rcon_before_q, 24'b0}", "sub_i ^ {rcon_q, 24'b0}"),
        ("if (first_i) rcon_d = 8'h01;\n      else rcon_d", "rcon_d"),
        ("if (before_zero_i) before_q <= '0;\n    else before_q", "before_q"),
        ("if (ring_zero_i) ring_q", "if (0) ring_q"),
        ("if (idle_i) buffer_q[3] <= '0;", "if (0) buffer_q[3] <= '0;"),
        ("= rcon_q[6] & rcon_q[5];", "= rcon_q[6];"),
    ],
)
def test_wrong_keys_of_a_ring_are_refuted(old: str, new: str) -> None:
    with pytest.raises(ToolError, match="proof did fail"):
        _prove_ring(change("aes_key_ring.sv", old, new))


def _prove_key_bytes(damage: Damage | None = None) -> None:
    """The control for ever; the bytes of round 0 from its start, those of others from any round."""
    known = ("-set rst_ni 1", "-set-at 1 control_o 1")
    miters.prove(
        "key_bytes_miter",
        "",
        sat("control_o", 1, "-set-at 1 rst_ni 0"),
        sat("control_o", 2, "-set-at 1 control_o 1", "-prove-skip 1"),
        sat("same_o", 36, *known, "-set-at 1 idle_o 1", "-set-at 1 in_valid_i 1"),
        # A block that is taken in these clocks is in its round 0 to their end.
        sat(
            "same_o", 41, *known, "-set in_valid_i 0", "-set-at 1 round_ends_o 1", "-prove-skip 25"
        ),
        damage=damage,
    )


def test_key_bytes_of_a_narrow_core_are_key_expansion() -> None:
    _prove_key_bytes()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(column_q[5] && row_q[3]) rcon_d = rcon", "(row_q[3]) rcon_d = rcon"),
        ("(column_q[3] && row_q[1] && rcon_q", "(column_q[2] && row_q[1] && rcon_q"),
        ("around_q[4] || loading_q", "around_q[4]"),
        ("ring_q[22] ^ before_q", "ring_q[21] ^ before_q"),
    ],
)
def test_wrong_key_bytes_are_refuted(old: str, new: str) -> None:
    with pytest.raises(ToolError, match="proof did fail"):
        _prove_key_bytes(change("aes_core_narrow_bytes.sv", old, new))


def _with_wires_for_sboxes(*more: Damage) -> Damage:
    """On both sides: for proofs of many key rounds, which round constants and which order."""

    def apply(folder: Path) -> None:
        text = (folder / "key_expansion_pkg.sv").read_text()
        (sub_word,) = re.findall(r"return \{\s+SboxFwdTable.*?\};", text, re.DOTALL)
        for each in (
            change("key_expansion_pkg.sv", sub_word, "return w;"),
            change("aes_sbox_table.sv", "byte_d = quarter_q[select_q];", "byte_d = byte_i;"),
            *more,
        ):
            each(folder)

    return apply


def _prove_long_key_bytes(bits: int, part: str, damage: Damage | None = None) -> None:
    """The control for ever; the bytes of the key from its start, the others from any round on.

    Of the data path only the S-box is there, and that as wires: what counts is which byte of the
    key comes when.
    """
    known = ("-set rst_ni 1", "-set-at 1 control_o 1")
    # Clocks from the taking of a key to its last byte: 4 Nk + 3 to the first one.
    loaded = {192: 27 + 24 + 8, 256: 35 + 24 + 16}[bits]
    proofs = {
        "control": [
            sat("control_o", 1, "-set-at 1 rst_ni 0"),
            sat("control_o", 2, "-set-at 1 control_o 1", "-prove-skip 1"),
        ],
        "key": [sat("same_o", loaded, *known, "-set-at 1 idle_o 1", "-set-at 1 in_valid_i 1")],
        # A block that is taken in these clocks is in the words of its key to their end.
        "round": [
            sat(
                "same_o",
                65,
                *known,
                "-set in_valid_i 0",
                "-set-at 1 round_ends_o 1",
                "-prove-skip 49",
            )
        ],
    }[part]
    wires = [
        change("aes_mix_column_bytes.sv", "a_q[4] ^ u_q ^ xtime(s_q);", "byte_i;"),
        change("aes_shift_rows_bytes.sv", "late_i ? four_q[15] : two_out_q;", "byte_i;"),
    ]
    miters.prove(
        "key_bytes_long_miter",
        f"-G KeySize=aes_pkg::key_size_e'({KEY_SIZES[bits][0]})",
        *proofs,
        damage=_with_wires_for_sboxes(*wires, *filter(None, [damage])),
    )


@pytest.mark.parametrize("part", ["control", "key", "round"])
@pytest.mark.parametrize("bits", [192, 256])
def test_long_key_bytes_of_a_narrow_core_are_key_expansion(bits: int, part: str) -> None:
    _prove_long_key_bytes(bits, part)


@pytest.mark.parametrize(
    ("bits", "part", "old", "new"),
    [
        (192, "control", "third_q <= 3'b100;", "third_q <= 3'b010;"),
        (192, "key", "else late_8_q <= past[7];", "else late_8_q <= past[6];"),
        (192, "round", "assign rot_late = column_i[1] & row_i[1];", "assign rot_late = 1'b0;"),
        (256, "control", "round_i[0] & column_i[1] & row_i[1]", "round_i[0] & column_i[1]"),
        (256, "round", "else late_5_q <= past[4];", "else late_5_q <= past[3];"),
        (256, "round", "round_i[5], round_i[3]", "round_i[3], round_i[5]"),
    ],
)
def test_wrong_long_key_bytes_are_refuted(bits: int, part: str, old: str, new: str) -> None:
    with pytest.raises(ToolError, match="proof did fail"):
        _prove_long_key_bytes(bits, part, change("aes_key_bytes.sv", old, new))


def _on_the_fly_options(bits: int, register: int, rounds: int) -> str:
    size = f"-G KeySize=aes_pkg::key_size_e'({KEY_SIZES[bits][0]})"
    return f"{size} -G Register=aes_pkg::key_reg_e'({register}) -G NumRounds={rounds}"


@pytest.mark.parametrize(
    ("bits", "register", "rounds"),
    [(128, 0, 1), (128, 1, 1), (128, 0, 2), (192, 0, 1), (192, 1, 2), (256, 0, 1), (256, 1, 2)],
)
def test_keys_on_the_fly_are_key_expansion(bits: int, register: int, rounds: int) -> None:
    """Word by word from the key to the last round key, for every key and for ever."""
    prove_for_ever("key_on_the_fly_miter", _on_the_fly_options(bits, register, rounds))


@pytest.mark.parametrize(("bits", "rounds"), [(128, 5), (128, 10), (192, 6), (256, 7)])
def test_many_keys_a_clock_are_in_order(bits: int, rounds: int) -> None:
    options = _on_the_fly_options(bits, 0, rounds)
    prove_for_ever("key_on_the_fly_miter", options, _with_wires_for_sboxes())


@pytest.mark.parametrize(
    ("bits", "register", "rounds", "old", "new"),
    [
        (128, 0, 1, "enter_i ? 8'h01", "enter_i ? 8'h02"),
        (128, 0, 2, "= gen_round[r-1].following;", "= gen_round[0].rcon;"),
        (128, 1, 1, "FirstAhead ? rcon_d : rcon", "rcon"),
        (192, 0, 1, "LastStep = 32'(num_rounds(max_key_len(KeySize))) - N", "LastStep = 10 - N"),
        (192, 1, 2, "= gen_round[r-1].next;", "= gen_round[r-1].phase;"),
        (256, 0, 1, "enter_i ? '0 : gen_round", "gen_round"),
    ],
)
def test_wrong_keys_on_the_fly_are_refuted(
    bits: int, register: int, rounds: int, old: str, new: str
) -> None:
    options = _on_the_fly_options(bits, register, rounds)
    damage = change("aes_key_schedule_on_the_fly.sv", old, new)
    with pytest.raises(ToolError, match="proof did fail"):
        prove_for_ever("key_on_the_fly_miter", options, damage)


def test_keys_from_running_sums_are_key_expansion() -> None:
    """As above, for every key and for ever."""
    prove_for_ever("key_sums_miter", "")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("enter_i ? key[0] ^ {8'h01, 24'd0}", "enter_i ? key[0]"),
        ("^ (enter_i ? '0 : sub)", "^ sub"),
        ("enter_i ? key[2] : sums_q[2] ^ sub)", "enter_i ? key[2] : sums_q[2])"),
        ("parts[0] ^ parts[1] ^ parts[2] ^ parts[3]", "parts[1] ^ parts[2] ^ parts[3]"),
        ("= enter_i ? key[3] : sums_q[3] ^ sub;", "= enter_i ? key[3] : sums_q[3];"),
        ("enter_i ? 8'h02 : rcon_after(rcon_q)", "enter_i ? 8'h01 : rcon_after(rcon_q)"),
        ("rcon_q[2] & rcon_q[1]", "rcon_q[2]"),
    ],
)
def test_wrong_running_sums_are_refuted(old: str, new: str) -> None:
    with pytest.raises(ToolError, match="proof did fail"):
        prove_for_ever("key_sums_miter", "", change("aes_key_schedule_sums.sv", old, new))


def _held_options(bits: int, levels: int) -> str:
    return f"-G KeySize=aes_pkg::key_size_e'({KEY_SIZES[bits][0]}) -G Levels={levels}"


@pytest.mark.parametrize("levels", [1, 2])
@pytest.mark.parametrize("bits", [128, 192, 256])
def test_held_keys_are_key_expansion(bits: int, levels: int) -> None:
    """A step of it, for every window and every round."""
    prove("key_held_miter", _held_options(bits, levels), levels=levels + 1)


@pytest.mark.parametrize(
    ("bits", "levels", "old", "new"),
    [
        (128, 1, "rcon |= rcon_of(KeySize, r)", "rcon |= rcon_of(KeySize, r + 1)"),
        (128, 1, "w0 ^ w1 ^ w2 ^ w3}", "w0 ^ w1 ^ w3}"),
        (128, 2, "assign sums = sums_q;", "assign sums = sums_d;"),
        (192, 1, "phase |= phase_of(KeySize, r);", "phase |= phase_of(KeySize, r + 1);"),
        (192, 2, "assign window    = window_late_q;", "assign window    = window_q;"),
        (256, 2, "if (steps_late[r]) phase |=", "if (steps_i[r]) phase |="),
        (256, 1, "window_d = enter_i ?", "window_d = !enter_i ?"),
    ],
)
def test_wrong_held_keys_are_refuted(bits: int, levels: int, old: str, new: str) -> None:
    damage = change("aes_key_schedule_held.sv", old, new)
    with pytest.raises(ToolError, match="proof did fail"):
        prove("key_held_miter", _held_options(bits, levels), levels=levels + 1, damage=damage)


def _prove_pipeline(
    bits: int, mix_levels: int, *damage: Damage, more: str = "", clocks: int = 0
) -> None:
    size = f"-G KeySize=aes_pkg::key_size_e'({KEY_SIZES[bits][0]})"
    prove(
        "key_pipeline_miter",
        f"{size} -G MixLevels={mix_levels} {more}",
        levels=1 + mix_levels + clocks,
        damage=_with_wires_for_sboxes(*damage),
    )


def _prove_waiting(bits: int, *damage: Damage) -> None:
    """Of keys that wait in LUT RAM, each with a register beside its round."""
    wires = "byte_t [Levels:0] wire_q; always_ff @(posedge clk_i) wire_q <= {wire_q, byte_i}; "
    _prove_pipeline(
        bits,
        2,
        change("aes_sbox_table.sv", "if (Levels > 2)", "if (0)"),
        change(
            "aes_sbox_table.sv",
            "assign byte_d = byte_i;",
            f"{wires}assign byte_d = wire_q[Levels-2];",
        ),
        *damage,
        more="-G SboxLevels=3 -G Ahead=1 -G RamWidth=16",
        clocks=2 + bits // 32 + 6,
    )


@pytest.mark.parametrize("mix_levels", [1, 2])
@pytest.mark.parametrize("bits", KEY_SIZES)
def test_keys_of_a_pipeline_are_in_order(bits: int, mix_levels: int) -> None:
    """Every key round of it, which with S-boxes is proved above, has its own constants."""
    _prove_pipeline(bits, mix_levels)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("rcon_of(KeySize, r - 1)", "rcon_of(KeySize, r)"),
        (".late_phase_i(phase_of(KeySize, r - 1))", ".late_phase_i(phase_of(KeySize, 0))"),
        ("assign window[0] = in_key_q;", "assign window[0] = in_key_i[255-:Width];"),
    ],
)
def test_wrong_keys_of_a_pipeline_are_refuted(old: str, new: str) -> None:
    with pytest.raises(ToolError, match="proof did fail"):
        _prove_pipeline(192, 2, change("aes_key_pipeline_on_the_fly.sv", old, new))


def test_keys_of_a_pipeline_may_wait_in_ram() -> None:
    """Once all rounds have addresses that count, which takes a clock a round.

    That rounds of longer keys are in order is proved above, that their keys may wait with the
    round.
    """
    _prove_waiting(128)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("aes_key_delay.sv", "mem[write_addr_q] <=", "mem[read_addr_q] <="),
        ("aes_key_pipeline_on_the_fly.sv", "<= count[NumRounds-1:1]", "<= '0"),
        ("aes_key_pipeline_on_the_fly.sv", "count_q + CountWidth'(1)", "count_q"),
    ],
)
def test_wrong_waiting_keys_are_refuted(name: str, old: str, new: str) -> None:
    with pytest.raises(ToolError, match="proof did fail"):
        _prove_waiting(128, change(name, old, new))


def _mixadd_options(levels: int, doubled: int, direction: str, early: int = 0) -> str:
    return (
        f"-G Levels={levels} -G Doubled={doubled} -G Dir=aes_pkg::dir_e'({DIRECTIONS[direction]})"
        f" -G Early={early}"
    )


@pytest.mark.parametrize(
    ("doubled", "direction"), [(0, "encrypt"), (1, "encrypt"), (0, "decrypt"), (0, "both")]
)
@pytest.mark.parametrize("levels", [1, 2])
def test_mixadd_is_mix_columns_with_the_key(levels: int, doubled: int, direction: str) -> None:
    prove("mixadd_miter", _mixadd_options(levels, doubled, direction), levels=levels)


def test_mixadd_takes_blocks_in_early() -> None:
    prove("mixadd_miter", _mixadd_options(2, 1, "encrypt", 1), levels=2)
    with pytest.raises(ToolError, match="Early goes with two levels and doubles"):
        prove("mixadd_miter", _mixadd_options(2, 0, "encrypt", 1), levels=2)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("= d ^ (Early ? c : '0);", "= d;"),
        ("clear_i[n] ? entry_i[8*n+:8] : right", "clear_i[0] ? entry_i[8*n+:8] : right"),
        ("clear_i[n] ? entry_i[8*n+:8]", "clear_i[n] ? '0"),
        ("clear_i[n] ? '0 : left[8*n+:8]", "left[8*n+:8]"),
    ],
)
def test_wrong_entry_of_mixadd_is_refuted(old: str, new: str) -> None:
    options = _mixadd_options(2, 1, "encrypt", 1)
    with pytest.raises(ToolError, match="proof did fail"):
        prove("mixadd_miter", options, levels=2, damage=change("aes_mixadd.sv", old, new))


@pytest.mark.parametrize(
    ("levels", "doubled", "direction", "old", "new"),
    [
        (1, 0, "encrypt", "state_o <= mixed ^ round_key_i", "state_o <= mixed & round_key_i"),
        (2, 0, "encrypt", "left_q[j] ^ right_q ^ added[j]", "left_q[j] ^ added[j]"),
        (2, 0, "encrypt", "right_d[j] & ~clear_i[15-n]", "right_d[j]"),
        (1, 1, "encrypt", "get_byte(double_i, n)", "get_byte(state_i, n)"),
        (2, 1, "encrypt", "= d ^", "= c ^"),
        (2, 1, "encrypt", "clear_i[n] ? '0 : right", "clear_i[0] ? '0 : right"),
        (2, 1, "encrypt", "right_q ^ round_key_i ^ entry_i", "right_q ^ round_key_i"),
        (1, 0, "decrypt", ".Dir(Dir)", ".Dir(DirEncrypt)"),
        (2, 0, "both", "clear_i[n] ? '0 : corrected_d[8*n+:8]", "state_i[8*n+:8]"),
        (2, 0, "decrypt", "clear_i[n] ? '0 : corrected_d", "corrected_d"),
    ],
)
def test_wrong_mixadd_is_refuted(
    levels: int, doubled: int, direction: str, old: str, new: str
) -> None:
    options = _mixadd_options(levels, doubled, direction)
    with pytest.raises(ToolError, match="proof did fail"):
        prove("mixadd_miter", options, levels=levels, damage=change("aes_mixadd.sv", old, new))


def _staged_options(bits: int, step: int, sbox: int, sbox_levels: int, mix_levels: int) -> str:
    return (
        f"-D STAGED {_key_step(bits, step)} -G Sbox=aes_pkg::sbox_e'({sbox}) "
        f"-G SboxLevels={sbox_levels} -G MixLevels={mix_levels}"
    )


@pytest.mark.parametrize("mix_levels", [1, 2])
@pytest.mark.parametrize(
    ("bits", "step", "sbox", "sbox_levels"),
    [
        (128, 0, 0, 2),
        (128, 9, 1, 1),
        (128, 4, 2, 1),
        (128, 1, 2, 4),
        (128, 8, 2, 8),
        (192, 0, 2, 1),
        (192, 1, 0, 2),
        (192, 2, 1, 1),
        (256, 0, 1, 1),
        (256, 1, 0, 2),
    ],
)
def test_staged_key_round_is_that_of_the_standard(
    bits: int, step: int, sbox: int, sbox_levels: int, mix_levels: int
) -> None:
    prove(
        "key_round_miter",
        _staged_options(bits, step, sbox, sbox_levels, mix_levels),
        levels=sbox_levels + mix_levels,
    )


@pytest.mark.parametrize("mix_levels", [1, 2])
def test_wrong_staged_key_round_is_refuted(mix_levels: int) -> None:
    damage = change("aes_key_round_staged.sv", "(l == 0) ? window_i : delay_q[l-1]", "window_i")
    with pytest.raises(ToolError, match="proof did fail"):
        prove(
            "key_round_miter",
            _staged_options(192, 1, 0, 2, mix_levels),
            levels=2 + mix_levels,
            damage=damage,
        )


@pytest.mark.parametrize(("bits", "step"), [(128, 3), (192, 1), (256, 4)])
def test_staged_key_round_of_a_loop(bits: int, step: int) -> None:
    options = _staged_options(bits, step, 0, 2, 2) + " -G Loop=1"
    prove("key_round_miter", options, levels=4)
    for old, new in (
        ("{32'b0, w1,", "{w1, w1,") if bits == 128 else ("second_part(half_q)", "half_q[128:1]"),
        ("load_i[n%16]", "load_i[0]"),
    ):
        damage = change("aes_key_round_staged.sv", old, new)
        with pytest.raises(ToolError, match="proof did fail"):
            prove("key_round_miter", options, levels=4, damage=damage)


@pytest.mark.parametrize(
    ("bits", "step", "sbox_levels", "loop"),
    [(128, 5, 8, 0), (192, 1, 3, 0), (128, 3, 4, 1), (256, 4, 3, 1)],
)
def test_staged_key_round_may_wait_in_ram(
    bits: int, step: int, sbox_levels: int, loop: int
) -> None:
    """Whatever the count begins with, from the clock in which all addresses follow it."""
    options = _staged_options(bits, step, 2, sbox_levels, 2) + f" -G RamWidth=16 -G Loop={loop}"
    prove("key_round_miter", options, levels=sbox_levels + 3)
    for old, new in (
        ("AddrWidth'(2)", "AddrWidth'(1)"),
        ("<= mem[read_addr_q]", "<= mem[write_addr_q]"),
    ):
        damage = change("aes_key_delay.sv", old, new)
        with pytest.raises(ToolError, match="proof did fail"):
            prove("key_round_miter", options, levels=sbox_levels + 3, damage=damage)


def test_bytes_are_chosen_as_in_qin2005() -> None:
    prove("byte_order_miter", "")
    for damage in (
        change("aes_byte_shifter.sv", "{by_5[47:0], by_5[127:48]}", "{by_5[39:0], by_5[127:40]}"),
        change("aes_byte_permutation.sv", "NumLookups * m + t", "16 / NumLookups * t + m"),
    ):
        with pytest.raises(ToolError, match="proof did fail"):
            prove("byte_order_miter", "", damage=damage)


_FF = "always_ff @(posedge clk_i)"
# Look-ups and order of each rolling part, and a damage to it.
ROLLING_PARTS = {
    "4-shifter": (
        4,
        1,
        change("aes_rolling_part.sv", f"{_FF} to_look_up <=", "assign to_look_up ="),
    ),
    "4-permutation": (4, 0, change("aes_s_modules.sv", f"{_FF} found <=", "assign found =")),
    "2-permutation": (2, 0, change("aes_s_modules.sv", "if (NumLookups == 4)", "if (1)")),
    "1": (1, 0, change("aes_rolling_part.sv", "shift_rows(state_i)", "state_i")),
}


@pytest.mark.parametrize("part", ROLLING_PARTS)
def test_rolling_part_is_sub_bytes_and_shift_rows(part: str) -> None:
    lookups, order, damage = ROLLING_PARTS[part]
    options = f"-G NumLookups={lookups} -G Order=aes_pkg::order_e'({order})"
    levels = 2 * lookups - 1  # the result of the first block stands in the last clock
    prove("rolling_part_miter", options, levels=levels)
    with pytest.raises(ToolError, match="proof did fail"):
        prove("rolling_part_miter", options, levels=levels, damage=damage)


@pytest.mark.parametrize("lookups", [1, 2, 4])
def test_round_key_circuit_is_that_of_the_standard(lookups: int) -> None:
    options = f"-G NumLookups={lookups}"
    levels = 2 * lookups  # the first key stands still for a period
    prove("round_key_circuit_miter", options, levels=levels, clocks=lookups)
    damage = change("aes_round_key_circuit.sv", "(NumLookups == 1)", "(NumLookups != 1)")
    with pytest.raises(ToolError, match="proof did fail"):
        prove("round_key_circuit_miter", options, levels=levels, damage=damage)


@pytest.mark.parametrize(("columns", "sbox_levels"), [(1, 1), (1, 2), (2, 1)])
def test_round_key_in_columns_is_that_of_the_standard(columns: int, sbox_levels: int) -> None:
    options = f"-G NumColumns={columns} -G SboxLevels={sbox_levels}"
    levels = 8 // columns + sbox_levels - 1  # from the first word to the last one that leaves
    prove("round_key_columns_miter", options, levels=levels)
    for old, new in (
        ("delayed[w-1] ^ carried", "delayed[w-1] ^ words_o[0]"),
        ("{Rcon, 24'h0}", "{24'h0, Rcon}"),
        ("d < Delay; d++", "d < Delay - 1; d++"),
    ):
        damage = change("aes_round_key_columns.sv", old, new)
        with pytest.raises(ToolError, match="proof did fail"):
            prove("round_key_columns_miter", options, levels=levels, damage=damage)


# ------------------------------------------------------------------------------- T-boxes

# Tables with their content built in; those written from outside have ports for it.
TBOXES = sorted(
    path.stem
    for path in rtl.folder().rglob("aes_tbox_*.sv")
    if "byte_i" in path.read_text()
    and "clk_i" in path.read_text()
    and "write_" not in path.read_text()
)


def _direction(direction: str) -> str:
    return f"-G Dir=aes_pkg::dir_e'({DIRECTIONS[direction]})"


def _tbox_options(tbox: str, direction: str) -> str:
    selects = " -D SELECTS" if "table_i" in (rtl.file(tbox)).read_text() else ""
    return f"-D TBOX={tbox}{selects} {_direction(direction)}"


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("tbox", TBOXES)
def test_tbox_is_the_product(tbox: str, direction: str) -> None:
    assert len(TBOXES) >= 2
    try:
        prove("tbox_miter", _tbox_options(tbox, direction), levels=1)
    except ToolError as error:
        # A T-box says itself which directions it does not offer; encryption is offered by all.
        if direction == "encrypt" or f"{tbox}: Dir must be" not in str(error) + error.log_tail:
            raise


@pytest.mark.parametrize("direction", ["decrypt", "encrypt"])
@pytest.mark.parametrize(
    "tbox", [tbox for tbox in TBOXES if tbox not in ("aes_tbox_pair", "aes_tbox_packed")]
)
def test_wrong_tbox_is_refuted(tbox: str, direction: str) -> None:
    damage = {
        "encrypt": change("aes_tbox_pkg.sv", "{s2, s, s, s2 ^ s}", "{s2 ^ s, s, s, s2}"),
        "decrypt": change("aes_tbox_pkg.sv", "s8 ^ s4 ^ s, ", "s8 ^ s2 ^ s, "),
    }[direction]
    with pytest.raises(ToolError, match="proof did fail"):
        prove("tbox_miter", f"-D TBOX={tbox} {_direction(direction)}", levels=1, damage=damage)


def test_wrong_pair_is_refuted() -> None:
    options = f"-D TBOX=aes_tbox_pair {_direction('encrypt')}"
    damage = change("aes_tbox_pair.sv", "product ^ once", "product | once")
    with pytest.raises(ToolError, match="proof did fail"):
        prove("tbox_miter", options, levels=1, damage=damage)


def test_pair_with_three_times_is_the_product_too() -> None:
    """With the other of its two memories, and with its second register."""
    options = f"-D TBOX=aes_tbox_pair -D TRIPLED {_direction('encrypt')}"
    prove("tbox_miter", options, levels=1)
    damage = change(
        "aes_tbox_pair.sv", "{other, once, once, product} :", "{product, once, once, other} :"
    )
    with pytest.raises(ToolError, match="proof did fail"):
        prove("tbox_miter", options, levels=1, damage=damage)


def test_packed_tables_are_what_they_should_be() -> None:
    """All four, with the register behind the RAM."""
    prove("tbox_packed_miter", "", levels=2)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "{twice[0], twice[7:5], 2'b00, twice[2], 1'b0}",
            "{twice[7:5], twice[0], 2'b00, twice[2], 1'b0}",
        ),
        ("s & ~Kept)", "s)"),
        ("default: entries[i] = '0;", "default: entries[i] = packed_t'(i == 1000);"),
        ("{data.thrice, data.twice_1}", "{data.thrice, data.twice_3}"),
    ],
)
def test_wrong_packed_tables_are_refuted(old: str, new: str) -> None:
    with pytest.raises(ToolError, match="proof did fail"):
        prove("tbox_packed_miter", "", levels=2, damage=change("aes_tbox_packed.sv", old, new))


@pytest.mark.parametrize("options", ["", "-D PACKED"])
def test_entry_of_tboxes_is_that_of_the_standard(options: str) -> None:
    """Rounds, last round and entry of a block."""
    prove("tbox_entry_miter", options)


@pytest.mark.parametrize(
    ("options", "file", "old", "new"),
    [
        ("", "aes_tbox_entry.sv", "{8{keep_i}} &", "{8{1'b1}} &"),
        ("", "aes_tbox_entry.sv", "words_i[3-(r+1)%4][7:0] ^", "words_i[3-(r+1)%4][15:8] ^"),
        (
            "-D PACKED",
            "aes_tbox_packed_entry.sv",
            "words_i[3-(r+1)%4][j],",
            "words_i[3-(r+3)%4][j],",
        ),
        (
            "-D PACKED",
            "aes_tbox_packed_entry.sv",
            "words_i[3-r][j] ^ added",
            "words_i[3-r][8+j] ^ added",
        ),
        ("-D PACKED", "aes_tbox_pkg.sv", "8'b0101_1101", "8'b0101_1111"),
    ],
)
def test_wrong_entry_of_tboxes_is_refuted(options: str, file: str, old: str, new: str) -> None:
    with pytest.raises(ToolError, match="proof did fail"):
        prove("tbox_entry_miter", options, damage=change(file, old, new))


def test_refill_writes_the_tables() -> None:
    """From any state, so the same for every entry; that each is written is seen by the bench."""
    prove("tbox_refill_miter", "", levels=1)
    damage = change("aes_tbox_refill.sv", "addr_q <= count_q;", "addr_q <= count_q + 8'd1;")
    with pytest.raises(ToolError, match="proof did fail"):
        prove("tbox_refill_miter", "", levels=1, damage=damage)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_sbox_comes_out_of_tbox(direction: str) -> None:
    prove("tbox_extract_miter", _direction(direction))


@pytest.mark.parametrize("bit", range(8))
@pytest.mark.parametrize(("direction", "first"), [("decrypt", 0), ("both", 8)])
def test_wrong_extraction_is_refuted(direction: str, first: int, bit: int) -> None:
    lines = (rtl.file("aes_tbox_extract")).read_text().splitlines()
    sums = [line for line in lines if line.startswith("      ") and " ^ " in line]
    assert len(sums) == 16
    wrong = sums[first + bit]
    damage = change("aes_tbox_extract.sv", wrong, wrong.replace(" ^ ", " & ", 1))
    with pytest.raises(ToolError, match="proof did fail"):
        prove("tbox_extract_miter", _direction(direction), damage=damage)


@pytest.mark.parametrize(("direction", "luts"), [("encrypt", 0), ("decrypt", 8), ("both", 9)])
def test_extraction_takes_at_most_three_inputs_a_bit(direction: str, luts: int) -> None:
    """fischer2001, section 3.2: one logic element a bit. Eight LUTs of three inputs do.

    For both directions one bit takes four inputs.
    """
    with yosys.workspace(rtl.sources()) as (folder, names):
        command = yosys.read_command(names, "aes_tbox_extract")
        yosys.run_script(
            [
                command.replace("read_slang", f"read_slang {_direction(direction)}", 1),
                "synth -lut 3 -flatten -top aes_tbox_extract",
                f"select -assert-count {luts} t:$lut",
                f"select -assert-count {luts} t:*",
            ],
            what="synthesis of the extraction",
            cwd=folder,
            timeout=300,
        )


@pytest.mark.parametrize("part", range(3))
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_tbox_round_is_that_of_the_standard(direction: str, part: int) -> None:
    prove("tbox_round_miter", f"-D PART={part} {_direction(direction)}")


@pytest.mark.parametrize(
    ("part", "direction", "file", "old", "new"),
    [
        (1, "encrypt", "aes_tbox_round.sv", "words_i[4*c+2], 1)", "words_i[4*c+2], 3)"),
        (1, "encrypt", "aes_tbox_pkg.sv", "{w[7:0], w[31:8]}", "{w[23:0], w[31:24]}"),
        (2, "decrypt", "aes_tbox_round.sv", "= mixed_key;", "= round_key_i;"),
        (2, "both", "aes_tbox_round.sv", "decrypt_i ? mixed_key : round_key_i", "mixed_key"),
        (0, "encrypt", "aes_tbox_round.sv", "mixed ^ inner_key", "mixed | inner_key"),
        (1, "both", "aes_shift_rows.sv", "? inv_shift_rows(state_i)", "? shift_rows(state_i)"),
    ],
)
def test_wrong_tbox_round_is_refuted(
    part: int, direction: str, file: str, old: str, new: str
) -> None:
    options = f"-D PART={part} {_direction(direction)}"
    with pytest.raises(ToolError, match="proof did fail"):
        prove("tbox_round_miter", options, damage=change(file, old, new))


# ------------------------------------------------------------- output registers of block RAM

_REGISTERED = """
module registered import aes_pkg::*; (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  byte_t [1:0]       bytes_i,
  output logic  [1:0][15:0] bytes_o
);
  aes_sub_bytes #(
    .Sbox(SboxRom), .Levels(LEVELS), .NumBytes(2), .Doubled(1'b1)
  ) u_sub_bytes (.clk_i, .decrypt_i(1'b0), .bytes_i, .bytes_o);
endmodule
"""

# The same with an asynchronous reset of the output registers.
_RESET = """
module registered import aes_pkg::*; (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  byte_t [1:0] bytes_i,
  output word_t [1:0] bytes_o
);
  aes_tbox_packed #(
    .Levels(LEVELS), .Selected(1'b1), .NumPorts(2)
  ) u_tbox (
    .clk_i, .rst_ni, .decrypt_i(1'b0), .table_i({1'b0, bytes_i[0][0]}), .byte_i(bytes_i),
    .word_o(bytes_o)
  );
endmodule
"""


def _words(ram: dict[str, Any]) -> str:
    """The content of a DP16KD as lines of a case statement: 16 words of 18 bits in 320."""
    lines = []
    for row in range(64):
        content = int(ram["parameters"][f"INITVAL_{row:02X}"], 2)
        for column in range(16):
            word = content >> 20 * column & 0x3FFFF
            if word:
                lines.append(f"{16 * row + column}: word = {word};\n")
    return "".join(lines)


@pytest.mark.kept(*passed.MEASURING, *_MITERS)
@pytest.mark.parametrize(
    ("text", "levels", "left", "registers", "fault"),
    [
        (_REGISTERED, 2, 0, 32, ""),
        (_REGISTERED, 2, 0, 32, "register"),
        (_REGISTERED, 2, 0, 32, "data"),
        (_REGISTERED, 4, 16 + 32, 32, ""),
        (_RESET, 2, 0, 36, ""),
        (_RESET, 2, 0, 36, "register"),
        (_RESET, 2, 0, 36, "no reset"),
        (_RESET, 2, 0, 36, "another reset"),
    ],
)
def test_output_registers_of_a_ram_are_the_flip_flops(
    text: str, levels: int, left: int, registers: int, fault: str, tmp_path: Path
) -> None:
    """The netlist after the step, with a model of the RAM, beside the RTL."""
    top = tmp_path / "registered.sv"
    top.write_text(text.replace("LEVELS", str(levels)))
    device = devices.find("ecp5-85k")
    sources = [*rtl.sources(), top]
    out = tmp_path / "netlist.json"
    counts = {
        recipe: yosys.synthesize(sources, "registered", device, device.recipe(recipe), out)
        for recipe in ("nowidelut", "outreg")
    }
    assert {name: (count.ff, count.ram) for name, count in counts.items()} == {
        "nowidelut": (left + registers, 1),
        "outreg": (left, 1),
    }

    netlist = yosys.load_netlist(out)
    gate = netlist["modules"]["registered"]
    (ram,) = (cell for cell in gate["cells"].values() if cell["type"] == "DP16KD")
    assert ram["parameters"]["REGMODE_A"] == ram["parameters"]["REGMODE_B"] == "OUTREG"
    words = _words(ram)
    modes = ("REGMODE_A", "REGMODE_B", "RESETMODE")
    ram["parameters"] = {name: ram["parameters"][name] for name in modes}
    if fault == "register":
        ram["parameters"]["REGMODE_B"] = "NOREG"
    elif fault == "data":
        wires = ram["connections"]
        wires["DOA3"], wires["DOA4"] = wires["DOA4"], wires["DOA3"]
    elif fault == "no reset":
        ram["connections"]["RSTB"] = ["0"]
    elif fault == "another reset":
        ram["connections"]["RSTA"] = ram["connections"]["ADB5"]

    with yosys.workspace([*sources, MITERS / "dp16kd_model.v"]) as (folder, names):
        (folder / "gate.json").write_text(json.dumps({"modules": {"gate": gate}}))
        (folder / "dp16kd_words.vh").write_text(words)
        prepare = ["proc", "flatten", "async2sync", "memory_map", "opt -full"]
        commands = [
            "read_json gate.json",
            f"read_verilog {names[-1]}",
            "read_verilog -nooverwrite +/ecp5/cells_sim.v",
            "hierarchy -check -top gate",
            *prepare,
            "design -stash gate",
            yosys.read_command(names[:-1], "registered"),
            *prepare,
            "design -stash gold",
            "design -copy-from gold -as gold registered",
            "design -copy-from gate -as gate gate",
            "miter -equiv -flatten gold gate same",
            f"sat -verify -prove trigger 0 -seq {levels + 1} -prove-skip {levels} same",
        ]

        def proof() -> None:
            yosys.run_script(commands, what="proof of output registers", cwd=folder, timeout=300)

        if fault:
            with pytest.raises(ToolError, match="proof did fail"):
                proof()
        else:
            proof()


def _without_functions(design: Design, *more: Damage) -> Damage:
    """A design in the miter of blocks that mix, with wires for tables and MixColumns."""
    mixed = (rtl.file("aes_mix_columns_fwd")).read_text()
    (columns,) = re.findall(r"assign column_o = \{.*?\};", mixed, re.DOTALL)

    def apply(folder: Path) -> None:
        for each in (
            change("mixing_miter.sv", "DefaultCfg", rtl.cfg_literal(design)),
            change("aes_sbox_table.sv", "byte_d = quarter_q[select_q];", "byte_d = byte_i;"),
            change("aes_mix_columns_fwd.sv", columns, "assign column_o = column_i;"),
            *more,
        ):
            each(folder)

    return apply


def test_blocks_of_a_loop_do_not_mix() -> None:
    """Of the two blocks that a loop of two levels holds, none sees the other or its key."""
    overrides = ["sbox=table", "key_sbox=table"]
    design = catalogue.find("standaert-ram-sequential-21", overrides).design
    clocks = design.latency() + design.blocks_in_flight
    resets = [f"-set-at {n} rst_ni {int(n > 1)}" for n in range(1, clocks + 2)]
    prove(
        "mixing_miter", "", levels=1, clocks=clocks, given=resets, damage=_without_functions(design)
    )
    mixed = change(
        "aes_core_interleaved.sv", "going_at[Front-1]) ? window", "going_at[Front]) ? window"
    )
    damage = _without_functions(design, mixed)
    with pytest.raises(ToolError, match="proof did fail"):
        prove("mixing_miter", "", levels=1, clocks=clocks, given=resets, damage=damage)
