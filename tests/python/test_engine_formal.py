# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Proofs by SAT about engines: the multiplier of GHASH, the queue, the rules of streams.

Each proof is also run on damaged RTL, which must be refuted.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import miters
from aesfab.errors import ToolError
from miters import Damage, change, engine_proofs, sat

INDUCTION = ("-set-at 1 related_o 1", "-set rst_ni 1", "-prove-skip 1")
FROM_RESET = ("-set-at 1 rst_ni 0", "-set-at 2 rst_ni 1", "-prove-skip 1")
REFUTED = "proof did fail"
FRONT = "aes_engine_front.sv"


@pytest.mark.parametrize("digit", [1, 2, 4])
def test_step_of_ghash_is_that_many_of_one_bit(digit: int) -> None:
    miters.prove("engine_ghash_miter", f"-G Digit={digit}", sat("same_o", 1))


@pytest.mark.parametrize("digit", [8, 16])
def test_wide_step_of_ghash_is_that_many_of_one_bit_for_each_bit(digit: int) -> None:
    """For all digits at a time these sums are beyond SAT; the step is a sum over the bits of it.

    With 16 bits, of which 8 are of each half of the factor, Karatsuba has terms of a bit of both:
    so these are proved in pairs too.
    """
    pairs = [1 << low | 1 << 8 + high for low in range(8) for high in range(8)]
    values = [0, *(1 << bit for bit in range(digit)), *(pairs if digit == 16 else [])]
    given = [f"-set digit_i {value}" for value in values]
    proofs = [sat("same_o", 1, each) for each in given]
    miters.prove("engine_ghash_miter", f"-G Digit={digit}", *proofs)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(above << 7)", "(above << 6)"),
        ("wide[127:0] ^ above ^", "wide[127:0] ^"),
        ("(Width'(sum_i) << Shift) ^ Width'(part_i)", "Width'(sum_i) ^ Width'(part_i)"),
    ],
)
def test_wrong_step_of_ghash_is_refuted(old: str, new: str) -> None:
    damage = change("aes_engine_ghash_step.sv", old, new)
    with pytest.raises(ToolError, match=REFUTED):
        miters.prove("engine_ghash_miter", "-G Digit=4", sat("same_o", 1), damage=damage)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("aes_engine_ghash_step.sv", "high ^ both ^ low;", "both ^ low;"),
        ("aes_engine_ghash_step.sv", "Width'(middle) << 64", "Width'(middle) << 63"),
        ("aes_engine_ghash_part.sv", "high ^ low)", "high)"),
        ("aes_engine_ghash_part.sv", "<< 2 * i;", "<< i;"),
    ],
)
def test_wrong_halves_of_ghash_are_refuted(file: str, old: str, new: str) -> None:
    proof = sat("same_o", 1, "-set digit_i 4112")
    with pytest.raises(ToolError, match=REFUTED):
        miters.prove("engine_ghash_miter", "-G Digit=16", proof, damage=change(file, old, new))


MULTIPLIER = {
    "factors_o": 3,
    "level_16_o": 2,
    "level_32_o": 1,
    "level_64_o": 2,
    "whole_o": 2,
    "product_o": 2,
}
"""Levels of the pipelined multiplier, to the clock in which its registers have what is claimed."""


def _prove_level(level: str, damage: Damage | None = None) -> None:
    clock = MULTIPLIER[level]
    proof = sat(level, clock, f"-prove-skip {clock - 1}" if clock > 1 else "")
    miters.prove("engine_multiplier_miter", "", proof, damage=damage)


@pytest.mark.parametrize("level", MULTIPLIER)
def test_levels_of_the_multiplier_are_products_for_ever(level: str) -> None:
    _prove_level(level)


@pytest.mark.parametrize(
    ("level", "name", "old", "new"),
    [
        ("factors_o", "", "halves[i][63:32] ^ halves[i][31:0]", "halves[i][63:32]"),
        ("factors_o", "", "a_words_q <= to_words(a_i)", "a_words_q <= to_words(b_i)"),
        ("level_16_o", "", "a[2*i+1]", "a[2*i]"),
        ("level_16_o", "_sum", "parts.twice) << 2 * Bits", "parts.twice) << Bits"),
        ("level_32_o", "_sum", "lower_i[2*Bits-2:Bits] ^ upper_i[Bits-2:0]", "upper_i[Bits-2:0]"),
        ("level_64_o", "_sum", "parts.upper) << (2 * Bits - 1)", "parts.upper) << (2 * Bits)"),
        ("whole_o", "", "lower_q ^ sums_q", "sums_q"),
        ("whole_o", "", "^ 127'(of_64[1][126:64])", ""),
        ("product_o", "", "128'(again)", "128'(1'b0)"),
        ("product_o", "", "(134'(above_q) << 7)", "(134'(above_q) << 6)"),
    ],
)
def test_wrong_levels_of_the_multiplier_are_refuted(
    level: str, name: str, old: str, new: str
) -> None:
    with pytest.raises(ToolError, match=REFUTED):
        _prove_level(level, change(f"aes_engine_multiplier{name}.sv", old, new))


@pytest.mark.parametrize("depth", [2, 4, 16])
def test_queue_is_a_queue_for_ever(depth: int) -> None:
    options = f"-G Depth={depth}"
    miters.prove("engine_fifo_miter", options, sat("related_o", 2, *INDUCTION))
    miters.prove("engine_fifo_miter", options, sat("related_o", 2, *FROM_RESET))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("write = valid_i & ready_q;", "write = valid_i;"),
        ("read    = ready_i & valid_q;", "read    = ready_i;"),
        ("~(one & read)", "~read"),
        ("~(almost & write)", "1'b1"),
        ("assign data_o  = mem[read_q[", "assign data_o  = mem[write_q["),
    ],
)
def test_wrong_queue_is_refuted(old: str, new: str) -> None:
    damage = change("aes_engine_fifo.sv", old, new)
    proof = sat("related_o", 2, *INDUCTION)
    with pytest.raises(ToolError, match=REFUTED):
        miters.prove("engine_fifo_miter", "-G Depth=4", proof, damage=damage)


def test_lanes_have_room_for_a_block_in_each_clock_for_ever() -> None:
    miters.prove("engine_lanes_miter", "", sat("related_o", 2, *INDUCTION))
    miters.prove("engine_lanes_miter", "", sat("related_o", 2, *FROM_RESET))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("level_q >= 5'd10", "level_q >= 5'd11"),
        ("out_valid & (ends_valid | many_q)", "out_valid & ends_valid"),
        # There is room, but a sum comes late, and one of a key that nobody waits for.
        ("out_valid & (ends_valid | many_q)", "out_valid & many_q"),
        ("& last_flags.ends & ~last_flags.power;", "& last_flags.ends;"),
    ],
)
def test_lanes_that_keep_their_blocks_are_refuted(old: str, new: str) -> None:
    damage = change("aes_engine_lanes.sv", old, new)
    with pytest.raises(ToolError, match=REFUTED):
        miters.prove("engine_lanes_miter", "", sat("related_o", 2, *INDUCTION), damage=damage)


@pytest.mark.parametrize("gcm", [0, 1])
def test_a_front_that_says_things_twice_says_the_same_for_ever(gcm: int) -> None:
    options = f"-G Gcm=1'b{gcm}"
    miters.prove("engine_front_miter", options, sat("related_o", 2, *INDUCTION))
    miters.prove("engine_front_miter", options, sat("related_o", 2, *FROM_RESET))
    miters.prove("engine_front_miter", options, sat("same_o", 1, "-set related_o 1"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # An IV beat that is one too many.
        ("= ~iv_done_q & ((full &", "= ((full &"),
        ("(beat_is_i.aad_last & ~tag_ends_q)", "beat_is_i.aad_last"),
        ("aad_ok_q & beat_is_i.same_len", "aad_ok_q"),
        ("fresh_q & beat_is_i.tag", "1'b0"),
        ("= iv_judged_q & iv_good_q;", "= iv_judged_q;"),
        ("iv_judged_q <= iv_seen_q & ~beat_taken;", "iv_judged_q <= iv_seen_q;"),
        ("state_q.body & text_good;", "state_q.body & (beat_is_i.text | beat_is_i.text_last);"),
        ("desc_next & credit_left", "credit_left"),
        ("mask_q <= mask_done & gcm_q;", "mask_q <= mask_done;"),
        ("(breaks & ~beat_i.last) |", "breaks |"),
    ],
)
def test_a_front_that_says_two_things_is_refuted(old: str, new: str) -> None:
    damage = change("aes_engine_front.sv", old, new)

    def prove() -> None:
        miters.prove("engine_front_miter", "", sat("related_o", 2, *INDUCTION), damage=damage)
        miters.prove("engine_front_miter", "", sat("same_o", 1, "-set related_o 1"), damage=damage)

    with pytest.raises(ToolError, match=REFUTED):
        prove()


@pytest.mark.parametrize("stored", [0, 1])
@pytest.mark.parametrize("gcm", [0, 1])
def test_a_front_is_in_one_state_for_ever(gcm: int, stored: int) -> None:
    """Beside a core that takes a block each few clocks; beside a far one above."""
    options = f"-G Gcm=1'b{gcm} -G Shared=1'b1 -G Stored=1'b{stored}"
    miters.prove("engine_front_miter", options, sat("related_o", 2, *INDUCTION))
    miters.prove("engine_front_miter", options, sat("related_o", 2, *FROM_RESET))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # All slots are cleared in the clock in which a descriptor is picked.
        ("(key_wants | ~Late) & idle", "idle"),
        ("~(key_wants & Shared)", "1'b1"),
        ("(refused & desc.empty)", "refused"),
        ("assign may_act    = key_wants &", "assign may_act    ="),
    ],
)
def test_a_front_in_two_states_is_refuted(old: str, new: str) -> None:
    damage = change("aes_engine_front.sv", old, new)
    proof = sat("related_o", 2, *INDUCTION)
    with pytest.raises(ToolError, match=REFUTED):
        miters.prove("engine_front_miter", "-G Shared=1'b1", proof, damage=damage)


def _places(miter: str, form: str, damage: Damage | None = None) -> None:
    """Credits and what has a place are all there are: in four clocks after a reset, and ever after.

    What is decided in one clock may be counted in the third one behind it.
    """
    clocks = range(2, 6)
    base = sat("places_o", 5, "-set-at 1 rst_ni 0", *(f"-set-at {n} rst_ni 1" for n in clocks))
    given = [f"-set-at {n - 1} places_o 1" for n in clocks]
    miters.prove(miter, form, f"{base} -prove-skip 1", damage=damage)
    step = sat("places_o", 5, *given, "-set rst_ni 1", "-prove-skip 4")
    miters.prove(miter, form, step, damage=damage)


FRONTS = (
    *("-G Shared=1'b1", "-G Shared=1'b1 -G Gcm=1'b0", "-G Shared=1'b1 -G Stored=1'b1"),
    *("-G Shared=1'b0", "-G Shared=1'b0 -G Gcm=1'b0"),
)
"""Around a core that takes a block each few clocks, with one that stores its key; a far core."""


@pytest.mark.parametrize("form", FRONTS)
def test_a_result_of_a_packet_finds_a_place_for_ever(form: str) -> None:
    _places("engine_front_miter", form)


@pytest.mark.parametrize(
    ("form", "old", "new"),
    [
        (FRONTS[0], "(credit_q > CreditBits'(1)) |", "(credit_q > CreditBits'(0)) |"),
        (FRONTS[0], "((credit_q == CreditBits'(1)) & ~count_stream)", "(credit_q != '0)"),
        (FRONTS[0], "item_ready_i & credit_left & ~j0_wait_q;", "item_ready_i & ~j0_wait_q;"),
        (FRONTS[0], "~mask_done & credit_left", "~mask_done"),
        (FRONTS[3], "(launch_stream & state_q.body);", "launch_stream;"),
        (FRONTS[3], "credit_q > CreditBits'(3)", "credit_q > CreditBits'(1)"),
        (FRONTS[3], "take | (launch_stream", "(launch_stream"),
        (FRONTS[3], "room_q <= credit_left & ~text_waits;", "room_q <= ~text_waits;"),
        (FRONTS[3], "desc_q <= desc_next & credit_left;", "desc_q <= desc_next;"),
        *((form, "& credit_left & ~j0_wait_q;", "& ~j0_wait_q;") for form in FRONTS[1:3]),
        (FRONTS[4], "room_q <= credit_left & ~text_waits;", "room_q <= ~text_waits;"),
        # The end of a GCM packet is that of a CTR packet too.
        (FRONTS[3], "over_q <= mask_done & ~gcm_q;", "over_q <= mask_done;"),
    ],
)
def test_a_result_of_a_packet_without_a_place_is_refuted(form: str, old: str, new: str) -> None:
    with pytest.raises(ToolError, match=REFUTED):
        _places("engine_front_miter", form, change("aes_engine_front.sv", old, new))


@pytest.mark.parametrize("form", FRONTS[3:])
def test_results_of_a_packet_in_one_clock_are_refuted(form: str) -> None:
    """A packet is taken as one breaks, whose result comes a clock late: beside its first text."""
    breaks = "(state_q.body & beat_taken & ~item_good & beat_i.last)"
    changes = (
        change(FRONT, "(state_q.idle | mask_done);", f"(state_q.idle | mask_done | {breaks});"),
        change(FRONT, "(breaks & beat_i.last) |", "(breaks & beat_i.last & ~take) |"),
    )

    def damage(folder: Path) -> None:
        for each in changes:
            each(folder)

    with pytest.raises(ToolError, match=REFUTED):
        _places("engine_front_miter", form, damage)


SECTORS = ("", "-G Spaced=1'b1", "-G Stored=1'b1", "-G Far=1'b1")


@pytest.mark.parametrize("form", SECTORS)
def test_a_result_of_a_sector_finds_a_place_for_ever(form: str) -> None:
    _places("xts_places_miter", form)


@pytest.mark.parametrize(
    ("form", "old", "new"),
    [
        ("", "else room_q <= free_q > CountBits'(1);", "else room_q <= free_q > CountBits'(0);"),
        ("", "& tweak_valid_i & room_q & stage_free;", "& tweak_valid_i & stage_free;"),
        (SECTORS[1], "(act_q != '0) ? '0 : now", "now"),
        (SECTORS[2], "else room_q <= free_q > CountBits'(1);", "else room_q <= 1'b1;"),
        (SECTORS[3], "place_taken = act.go | act.error;", "place_taken = act.go;"),
        (SECTORS[3], "(free_q > CountBits'(1)) & ~tail", "(free_q > CountBits'(1))"),
        (SECTORS[3], "may_go     = room_q &", "may_go     ="),
    ],
)
def test_a_result_of_a_sector_without_a_place_is_refuted(form: str, old: str, new: str) -> None:
    with pytest.raises(ToolError, match=REFUTED):
        _places("xts_places_miter", form, change("aes_engine_xts_front.sv", old, new))


STREAMS = (
    *("-G Far=1'b0", "-G Spaced=1'b1", "-G Spaced=1'b1 -G Chained=1'b0"),
    *("-G Far=1'b1", "-G Far=1'b1 -G Chained=1'b0"),
)


def _places_of_streams(form: str, damage: Damage | None = None) -> None:
    options, given = f"{form} -G Counts=1'b1", ("-set fair_o 1",)
    for start in (("-set-at 1 places_o 1", "-set rst_ni 1", "-prove-skip 1"), FROM_RESET):
        proof = sat("places_o", 2, *start, *given)
        stubs = ("aes_engine_streams_datapath",)
        miters.prove("streams_miter", options, proof, damage=damage, stubs=stubs)


@pytest.mark.parametrize("form", STREAMS)
def test_a_result_of_a_stream_finds_a_place_for_ever(form: str) -> None:
    _places_of_streams(form)


@pytest.mark.parametrize("form", STREAMS)
@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("", "- CountBits'(taken) ", ""),
        ("", "+ CountBits'(dropped_q) +", "+"),
        ("", "free_q > CountBits'(4);", "free_q > CountBits'(3);"),
        ("", "room_q       <= free_q", "room_q       <= 1'b1 | free_q"),
        ("", "turn_valid & turn_ready & room_q;", "turn_valid & turn_ready;"),
        ("_scheduler", "(out_failed | ~leave_gives);", "out_failed;"),
    ],
)
def test_a_result_of_a_stream_without_a_place_is_refuted(
    form: str, name: str, old: str, new: str
) -> None:
    with pytest.raises(ToolError, match=REFUTED):
        _places_of_streams(form, change(f"aes_engine_streams{name}.sv", old, new))


@pytest.mark.parametrize("form", [STREAMS[0], STREAMS[3]])
def test_a_turn_for_a_key_that_keeps_its_place_is_refuted(form: str) -> None:
    damage = change(
        "aes_engine_streams.sv",
        "spare_left_q <= leave_valid & leave.spare;",
        "spare_left_q <= 1'b0;",
    )
    with pytest.raises(ToolError, match=REFUTED):
        _places_of_streams(form, damage)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        # A turn for a key and a beat that is dropped leave at once.
        ("streams", "Apart = Far && Chained;", "Apart = 1'b0;"),
        ("results", "used_q > (Bits + 1)'(goes)", "used_q != '0"),
        ("results", "assign freed_o = goes;", "assign freed_o = there_q;"),
    ],
)
def test_places_of_a_stream_around_a_pipeline_that_are_wrong_are_refuted(
    name: str, old: str, new: str
) -> None:
    with pytest.raises(ToolError, match=REFUTED):
        _places_of_streams("-G Far=1'b1", change(f"aes_engine_{name}.sv", old, new))


# A register behind LUT RAM, one behind block RAM, a short queue behind block RAM; a register at the
# output of a fast one, and of a short queue behind block RAM; two of the sizes that engines have.
FORMS = (
    "-G Depth=2 -G Block=0 -G Spaced=1",
    "-G Depth=2 -G Block=1 -G Spaced=1",
    "-G Depth=2 -G Block=1 -G Spaced=0",
    "-G Depth=4 -G Block=0 -G Spaced=0 -G Held=1",
    "-G Depth=2 -G Block=1 -G Spaced=0 -G Behind=2 -G Held=1",
    "-G Depth=16 -G Block=0 -G Spaced=0 -G Held=1",
    "-G Depth=16 -G Block=1 -G Spaced=1",
)


def _after_reset(claim: str, clocks: int) -> str:
    """A claim on the clocks after a reset."""
    after = (*FROM_RESET[:1], *(f"-set-at {clock} rst_ni 1" for clock in range(2, clocks + 1)))
    return sat(claim, clocks, *after, "-prove-skip 1")


BYTES = "engine_bytes_linear_miter"
STEP_OF_BYTES = sat("related_o", 2, "-set-at 1 fair_o 1", *INDUCTION)
CLOCKS_OF_BYTES = 256 + 16 + 5 + 3


@pytest.mark.parametrize("of_key", [0, 1])
def test_ghash_of_bytes_is_linear_in_each_factor(of_key: int) -> None:
    """So the products of powers of x, which ``test_engine_bytes`` multiplies, tell all of it."""
    miters.prove(BYTES, f"-G OfKey={of_key}", STEP_OF_BYTES)
    for claim in ("fair_o", "ended_o"):
        miters.prove(BYTES, f"-G OfKey={of_key} -G Alone=1", _after_reset(claim, CLOCKS_OF_BYTES))


WRONG_BYTES = {
    "bits of a column that carry": ("product[i+j] ^=", "product[i+j] |=", "related_o"),
    "columns that are not added": ("[7-n] ^= column_sum_q", "[7-n] &= column_sum_q", "related_o"),
    "control by data": ("column_d = column_q -", "column_d = byte_i[4:0] -", "related_o"),
    "a byte of the sum that is read too late": ("write_q <= 5'd31", "write_q <= 5'd15", "fair_o"),
    "the lower half read for the upper one": ("{1'b1, column_q", "{1'b0, column_q", "fair_o"),
    "a last byte that is not written": ("ends_later_q[2] | flush_q", "ends_later_q[2]", "ended_o"),
}


@pytest.mark.parametrize("what", WRONG_BYTES)
def test_ghash_of_bytes_that_is_not_linear_is_refuted(what: str) -> None:
    old, new, claim = WRONG_BYTES[what]
    of_data = claim == "related_o"
    proof = STEP_OF_BYTES if of_data else _after_reset(claim, CLOCKS_OF_BYTES)
    damage = change("aes_engine_bytes_ghash.sv", old, new)
    with pytest.raises(ToolError, match=REFUTED):
        miters.prove(BYTES, f"-G OfKey=1 -G Alone={int(not of_data)}", proof, damage=damage)


@pytest.mark.parametrize("form", FORMS)
def test_queue_of_another_form_is_a_queue_for_ever(form: str) -> None:
    miters.prove("engine_queue_miter", form, sat("related_o", 2, *INDUCTION))
    miters.prove("engine_queue_miter", form, sat("related_o", 2, *FROM_RESET))


@pytest.mark.parametrize(
    ("form", "old", "new"),
    [
        (FORMS[0], "data_valid_q <= valid_q & ~read", "data_valid_q <= valid_q"),
        (FORMS[1], "word_valid_q & ~read", "word_valid_q"),
        (FORMS[1], "there & ~read", "there"),
        (FORMS[1], "{~read_q[PtrWidth], read_q[PtrWidth-1:0]};", "{1'b1, read_q[PtrWidth-1:0]};"),
        (FORMS[2], "= room_q != '0;", "= 1'b1;"),
        (FORMS[2], "data_valid_q <= word_valid_q;", "data_valid_q <= read;"),
        (FORMS[3], "goes_on & valid_q", "valid_q"),
        (FORMS[3], "= ~data_valid_q | ready_i;", "= ~data_valid_q;"),
        (FORMS[4], "if (goes_on) data_valid_q", "if (ready_i) data_valid_q"),
        (FORMS[5], "goes_on & valid_q", "valid_q"),
        (FORMS[6], "word_valid_q & ~read", "word_valid_q"),
    ],
)
def test_wrong_queue_of_another_form_is_refuted(form: str, old: str, new: str) -> None:
    with pytest.raises(ToolError, match=REFUTED):
        miters.prove(
            *("engine_queue_miter", form, sat("related_o", 2, *INDUCTION)),
            damage=change("aes_engine_fifo.sv", old, new),
        )


@pytest.mark.parametrize("clocks", [5, 6, 10, 15])
def test_what_is_delayed_comes_out_so_many_clocks_later_for_ever(clocks: int) -> None:
    options = f"-G Clocks={clocks}"
    miters.prove("engine_delay_miter", options, sat("related_o", 2, *INDUCTION))
    miters.prove("engine_delay_miter", options, sat("related_o", 2, *FROM_RESET))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("2 ** Bits + 2 - Clocks", "2 ** Bits + 3 - Clocks"),
        ("read_q[Bits] | (&read_q[Bits-1:0])", "&read_q[Bits-1:0]"),
        ("there_q          <= written_q;", "there_q          <= read_q[Bits];"),
        ("word_q       <= mem[read_q[Bits-1:0]];", "word_q       <= mem[write_q];"),
    ],
)
def test_wrong_delays_are_refuted(old: str, new: str) -> None:
    damage = change("aes_engine_delay.sv", old, new)

    def prove() -> None:
        for given in (INDUCTION, FROM_RESET):
            proof = sat("related_o", 2, *given)
            miters.prove("engine_delay_miter", "-G Clocks=5", proof, damage=damage)

    with pytest.raises(ToolError, match=REFUTED):
        prove()


RESULTS = ("-G Wait=0 -G Places=3", "-G Wait=0 -G Places=9", "-G Wait=2 -G Places=2")


def _prove_results(form: str, damage: Damage | None = None) -> None:
    """In the clocks after a reset: all places taken, all free again."""
    miters.prove("engine_results_miter", form, _after_reset("same_o", 24), damage=damage)


@pytest.mark.parametrize("form", RESULTS)
def test_results_leave_in_their_order_and_have_places(form: str) -> None:
    _prove_results(form)


@pytest.mark.parametrize(
    ("form", "old", "new"),
    [
        (RESULTS[0], "there_q & place_q", "there_q"),
        (RESULTS[0], "there_q & place_q", "place_q"),
        (RESULTS[1], "used_q > (Bits + 1)'(goes)", "used_q != '0"),
        (RESULTS[0], "places_q > $bits(places_q)'(goes)", "places_q != '0"),
        (RESULTS[1], "if (valid_i) mem[write_q]", "mem[write_q]"),
        (RESULTS[0], "left_q       <= left_i;", "left_q       <= 1'b0;"),
        (RESULTS[2], "comes_q <= {comes_q[Wait-1:0], valid_i}", "comes_q <= {Wait + 1{valid_i}}"),
        (RESULTS[2], "if (late_valid_i) late[late_place_i]", "if (late_valid_i) late[write_q]"),
        (RESULTS[1], "data_valid_q <= word_valid_q;", "data_valid_q <= goes;"),
    ],
)
def test_results_that_do_not_are_refuted(form: str, old: str, new: str) -> None:
    with pytest.raises(ToolError, match=REFUTED):
        _prove_results(form, change("aes_engine_results.sv", old, new))


@pytest.mark.parametrize("spaced", [0, 1])
def test_results_stay_until_they_are_taken(spaced: int) -> None:
    miters.prove("engine_back_miter", f"-G Spaced=1'b{spaced}", *engine_proofs("kept_o"))


@pytest.mark.parametrize(
    ("spaced", "old", "new"),
    [
        *((spaced, "out_free  = ~m_valid_o | m_ready_i", "out_free  = 1'b1") for spaced in (0, 1)),
        *((spaced, "    if (load) begin", "    begin") for spaced in (0, 1)),
        (1, "assign acting         = acting_q;", "assign acting         = 1'b0;"),
        (1, "(m_valid_o & ~m_ready_i)", "1'b0"),
    ],
)
def test_results_that_do_not_stay_are_refuted(spaced: int, old: str, new: str) -> None:
    damage, options = change("aes_engine_back.sv", old, new), f"-G Spaced=1'b{spaced}"
    with pytest.raises(ToolError, match=REFUTED):
        miters.prove("engine_back_miter", options, *engine_proofs("kept_o"), damage=damage)


def test_results_of_ccm_stay_until_they_are_taken() -> None:
    miters.prove("engine_ccm_miter", "", *engine_proofs("kept_o"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("out_free   = ~m_valid_o | m_ready_i", "out_free   = 1'b1"),
        ("    if (gives) begin", "    begin"),
        ("(act_q != '0) ? '0 : now", "now"),
        ("(m_valid_o & ~m_ready_i)", "1'b0"),
    ],
)
def test_results_of_ccm_that_do_not_stay_are_refuted(old: str, new: str) -> None:
    damage = change("aes_engine_ccm_control.sv", old, new)
    with pytest.raises(ToolError, match=REFUTED):
        miters.prove("engine_ccm_miter", "", *engine_proofs("kept_o"), damage=damage)


BYTE_WIDE = {
    "aes_engine_bytes": "",
    "aes_engine_ccm_bytes": "-D ENGINE=aes_engine_ccm_bytes -D DESC_BITS=192",
}
"""Engines that are a byte wide, to the options of their miter."""


@pytest.mark.parametrize("engine", BYTE_WIDE)
def test_results_of_a_byte_wide_engine_stay_until_they_are_taken(engine: str) -> None:
    miters.prove("engine_bytes_miter", BYTE_WIDE[engine], *engine_proofs("kept_o"))


@pytest.mark.parametrize("engine", BYTE_WIDE)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("out_free    = ~m_valid_q", "out_free    = 1'b1"),
        ("(m_valid_q & ~m_ready)", "1'b0"),
        ("out_free && (use_q.text ||", "(use_q.text ||"),
    ],
)
def test_results_of_a_byte_wide_engine_that_do_not_stay_are_refuted(
    engine: str, old: str, new: str
) -> None:
    damage, proofs = change(f"{engine}.sv", old, new), engine_proofs("kept_o")
    with pytest.raises(ToolError, match=REFUTED):
        miters.prove("engine_bytes_miter", BYTE_WIDE[engine], *proofs, damage=damage)


def test_held_packets_leave_whole_or_not_at_all() -> None:
    miters.prove("engine_release_miter", "", sat("related_o", 2, *INDUCTION))
    miters.prove("engine_release_miter", "", sat("related_o", 2, *FROM_RESET))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(user_i.last || !hold_i)", "1'b1"),
        ("(user_i.last && !right) ? released_q : write_q", "write_q"),
        ("read_d != released_q", "read_d != write_q"),
        ("user_i.ok & ~over_q", "1'b1"),
        ("word_q <= mem[read_d[PtrWidth-1:0]]", "word_q <= mem[read_q[PtrWidth-1:0]]"),
    ],
)
def test_held_packets_that_leave_are_refuted(old: str, new: str) -> None:
    damage = change("aes_engine_release.sv", old, new)
    proof = sat("related_o", 2, *INDUCTION)
    with pytest.raises(ToolError, match=REFUTED):
        miters.prove("engine_release_miter", "", proof, damage=damage)
