# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Engines that are a byte wide: their GHASH, their clocks, and that wrong RTL is found out."""

from __future__ import annotations

import ctypes
import itertools
import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

import chosen_faults
import passed
from aesfab.eda import simulate
from aesfab.engine import bench, catalogue, verify
from aesfab.errors import AesfabError
from aesfab.hdl import rtl
from test_engine_multiplier import product

SMALL = ("gcm-byte", ("slots=4",))

pytestmark = pytest.mark.kept(
    *passed.ENGINES, cores_of=("gcm-byte", " ".join((SMALL[0], *SMALL[1])))
)


# ------------------------------------------------------------------------ what it is made of


@pytest.mark.parametrize(
    ("name", "overrides", "reason"),
    [
        ("gcm-byte", ["ghash=1"], "choose ghash=bytes"),
        ("gcm-narrow", ["ghash=bytes"], "for a core with 8-bit ports"),
        ("gcm-byte", ["core=fab-tiny"], "for a core with 8-bit ports"),
        ("gcm-byte", ["interface=block"], "for a core with 8-bit ports"),
        ("gcm-narrow", ["core=fab-byte"], "choose ghash=bytes"),
    ],
)
def test_core_and_ghash_are_of_one_width(name: str, overrides: list[str], reason: str) -> None:
    with pytest.raises(AesfabError, match=reason):
        catalogue.find(name, overrides)


@pytest.mark.kept(cores_of=lambda words: (words,))
@pytest.mark.parametrize(
    "words", ["gcm-byte core=fab-byte", "gcm-byte core=fab-byte-min slots=2 release=verified"]
)
def test_other_cores_and_slots_pass(words: str) -> None:
    name, *overrides = words.split()
    evidence = verify.verify(bench.build(catalogue.find(name, overrides)), every_answer=False)
    assert evidence.failures == ()
    assert evidence.answers > 300


def test_clocks_are_those_that_are_promised() -> None:
    """To the clock: nothing is under way beside the packet."""
    model = bench.build(catalogue.find("gcm-byte"))
    for aad, text in ((0, 1), (0, 5), (1, 0), (3, 0), (1, 1), (4, 3)):
        for decrypt in (False, True):
            found = verify.packet_clocks(model, aad, text, decrypt=decrypt)
            assert found == model.named.engine.packet_clocks(aad, text, decrypt=decrypt)


# ------------------------------------------------------------------------ GHASH


def _reversed(value: int) -> bytes:
    """A polynomial, the coefficient of x^n at bit n, as SP 800-38D writes it."""
    return int(f"{value:0128b}"[::-1], 2).to_bytes(16, "big")


def _multiplied(pairs: list[tuple[int, int]], source: Path) -> tuple[list[bytes], int]:
    """What the RTL makes of pairs of factors, and the clocks of the longest multiplication."""
    program = Path(__file__).with_name("byte_products.cpp")
    sources = [rtl.file("aes_pkg"), source]
    library = ctypes.CDLL(str(simulate.build_library(sources, source.stem, program)))
    library.aesfab_multiply_bytes.restype = ctypes.c_size_t
    given = b"".join(_reversed(factor) for pair in pairs for factor in pair)
    products = ctypes.create_string_buffer(16 * len(pairs))
    clocks = library.aesfab_multiply_bytes(given, ctypes.c_size_t(len(pairs)), products)
    return [products.raw[16 * n : 16 * n + 16] for n in range(len(pairs))], clocks


def _pairs() -> list[tuple[int, int]]:
    rng = random.Random(1)
    edges = [(0, 0), (2**128 - 1, 2**128 - 1), (1, 2**128 - 1), (2**127, 2**127)]
    return edges + [(rng.getrandbits(128), rng.getrandbits(128)) for _ in range(500)]


def test_product_is_right_for_all_pairs_of_powers() -> None:
    """It is linear in each factor, so these tell all of it; in the clocks that are promised."""
    powers = [1 << n for n in range(128)]
    pairs = _pairs() + list(itertools.product(powers, powers))
    found, clocks = _multiplied(pairs, rtl.file("aes_engine_bytes_ghash"))
    assert found == [_reversed(product(*pair)) for pair in pairs]
    assert clocks == catalogue.find("gcm-byte").engine.hash_clocks


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("8'he1", "8'he0"),
        ("i_q == 4'd15 : fold_q", "i_q == 4'd14 : fold_q"),
        ("{1'b1, column_q[3:0]}", "{1'b1, 4'd0}"),
        ("sum_q[7-i] & key_q[7-j]", "sum_q[7-i] & key_q[j]"),
        ("column_sum_q & {15{~first_later_q[1]}}", "column_sum_q"),
        ("write = ends_later_q[2] | flush_q", "write = ends_later_q[2]"),
        ("column_sum_q[8+n]", "column_sum_q[7+n]"),
        ("lower_q <= '0;", "lower_q <= '1;"),
        ("fold_q <= j_q == '0", "fold_q <= j_q == 4'd1"),
    ],
)
def test_wrong_products_are_found(old: str, new: str, tmp_path: Path) -> None:
    source = rtl.file("aes_engine_bytes_ghash")
    path = tmp_path / source.name
    assert old in source.read_text()
    path.write_text(source.read_text().replace(old, new))
    found, _ = _multiplied(_pairs()[:20], path)
    assert found != [_reversed(product(*pair)) for pair in _pairs()[:20]]


# ------------------------------------------------------------------------ wrong RTL

_TYPES, _TOP, _HASH = "aes_engine_pkg.sv", "aes_engine_bytes.sv", "aes_engine_bytes_ghash.sv"

FAULTS = [
    (_TOP, "(desc.mode == ModeGcm) & Gcm", "1'b1"),
    (_TOP, "desc_gcm & (desc.iv_len != 8'd12)", "1'b0"),
    (_TYPES, "iv_len != 8'd16", "1'b0"),
    (_TYPES, "iv_len inside {[8'd1 : 8'd128]}", "1'b1"),
    (_TYPES, "tag_len inside {8'd4, 8'd8, [8'd12 : 8'd16]}", "1'b1"),
    (_TYPES, "(iv_not_12 || decrypt)", "1'b0"),
    (_TYPES, "(iv_not_12 || decrypt)", "iv_not_12"),
    (_TOP, "desc_gcm | (desc.mode == ModeCtr)", "1'b1"),
    (_TOP, "9'(desc.slot) < 9'(NumSlots)", "1'b1"),
    (_TOP, "slot_ok_q & key_there", "slot_ok_q"),
    (_TOP, "slot_ok_q & key_there", "key_there"),
    (_TOP, "desc.decrypt & desc_gcm", "desc.decrypt"),
    (_TOP, "desc_waits_q ? desc.slot[SlotBits-1:0] : s_key_tuser_i[SlotBits-1:0]",
     "desc.slot[SlotBits-1:0]"),
    (_TOP, "(rank > rank_q) | ((rank == rank_q) & ~partial_q)", "1'b1"),
    (_TOP, "(rank > rank_q) | ((rank == rank_q) & ~partial_q)", "rank >= rank_q"),
    (_TOP, "(iv_blocks_q == '0) & (len_q == iv_len_q)", "iv_blocks_q == '0"),
    (_TOP, "(iv_blocks_q == '0) & (len_q == iv_len_q)", "len_q == iv_len_q"),
    (_TOP, "~iv_done_q &", "1'b1 &"),
    (_TOP, "((len_q == 4'd15) & (iv_blocks_q != '0))", "1'b1"),
    (_TOP, "gcm_q & iv_done_q", "gcm_q"),
    (_TOP, "gcm_q & iv_done_q", "iv_done_q"),
    (_TOP, "decrypt_q & iv_done_q & (len_q == tag_len_q)", "decrypt_q & iv_done_q"),
    (_TOP, "iv_done_q & ~text_full_q", "~text_full_q"),
    (_TOP, "last_q == (kind_q == BeatTag)", "1'b1"),
    (_TOP, "~(last_q & (kind_q == BeatIv) & ~iv_ends)", "1'b1"),
    (_TOP, "keep_ok_q & in_order & kind_ok & last_ok", "in_order & kind_ok & last_ok"),
    (_TOP, "keep_ok_q & in_order & kind_ok & last_ok", "keep_ok_q & kind_ok & last_ok"),
    (_TOP, "keep_ok_q & in_order & kind_ok & last_ok", "keep_ok_q & in_order & kind_ok"),
    (_TOP, "len_q != 4'd15", "1'b0"),
    (_TOP, "state_q.length & began_q", "1'b0"),
    (_TOP, "n <= (state_q.tag ? tag_len_q : len_q)", "1'b1"),
    (_TOP, "n <= (state_q.tag ? tag_len_q : len_q)", "n <= len_q"),
    (_TOP, "(state_q.clear & count_q[4]) | state_q.hash | state_q.iv",
     "state_q.clear & count_q[4]"),
    (_TOP, "~n[3:2] | {2{gcm_q}}", "~n[3:2]"),
    (_TOP, "~n[3:2] | {2{gcm_q}}", "2'b11"),
    (_TOP, "kind_q != BeatAad", "1'b1"),
    (_TOP, "use_n_q[3:2] == 2'b11", "1'b0"),
    (_TOP, "use_n_q[1] & use_n_q[0]", "1'b0"),
    (_TOP, "carry | adds_first_q", "adds_first_q"),
    (_TOP, "carry | adds_first_q", "carry"),
    (_TOP, "word & {8{use_q.feed}}", "word"),
    (_TOP, "keeps_q & use_q.text", "use_q.text"),
    (_TOP, "stream & {8{~decrypt_q}}", "stream"),
    (_TOP, "stream & {8{~decrypt_q}}", "8'h00"),
    (_TOP, "(state_q.absorb | state_q.lengths) & hash_free_q", "state_q.absorb | state_q.lengths"),
    (_TOP, "state_q.tag & out_free", "state_q.tag"),
    (_TOP, "state_q.sum & hash_free_q", "state_q.sum"),
    (_TOP, "core_ready & (masks_q | (out_free & hash_soon)) & ~done", "core_ready & ~done"),
    (_TOP, "masks_q | (out_free & hash_soon)", "masks_q | out_free"),
    (_TOP, "masks_q | (out_free & hash_soon)", "masks_q | hash_soon"),
    (_TOP, "~clears_all & key_known & s_key_tuser_i[10]", "1'b0"),
    (_TOP, "9'(s_key_tuser_i[7:0]) < 9'(NumSlots)", "1'b1"),
    (_TOP, "is_text | (is_aad & (len_q == 4'd15))", "1'b0"),
    (_TOP, "state_q.sum & ~iv_done_q", "1'b0"),
    (_TOP, "state_q.error & ~empty_q", "1'b0"),
    (_TOP, "state_q.error & ~empty_q", "state_q.error"),
    (_TOP, "(gives_last & decrypt_q)", "1'b0"),
    (_TOP, "state_q.last & out_free & ~moves", "state_q.last & out_free"),
    (_TOP, "gcm_q & ~decrypt_q & ~aad_full_q", "gcm_q"),
    (_TOP, "(hash_sum ^ word) & {8{keeps_q}}", "hash_sum ^ word"),
    (_TOP, "(hash_sum ^ word) & {8{keeps_q}}", "hash_sum & {8{keeps_q}}"),
    (_TOP, "use_q.tag && tag_byte != port_byte_q", "1'b0"),
    (_TOP, "use_q.text ? len_q : 4'd15", "4'd15"),
    (_TOP, "aad_full_q || (decrypt_q && wrong_q)", "aad_full_q"),
    (_HASH, "~column_q[4] | (column_q[3:0] < 4'd3)", "1'b1"),
    (_HASH, "byte_i ^ (first_i ? 8'h00 : sum_q)", "byte_i ^ sum_q"),
    (_HASH, "byte_i ^ (first_i ? 8'h00 : sum_q)", "byte_i"),
]  # fmt: skip


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> bench.Model:
    """An engine with every fault in it."""
    return chosen_faults.build(catalogue.find(*SMALL), FAULTS, tmp_path_factory.mktemp("faulty"))


def _checks(model: bench.Model) -> Iterator[chosen_faults.Check]:
    """What looks for faults, the likeliest first."""
    for seed, pace in enumerate((*verify.PACES, bench.Pace(results=255, seed=8)), 1):
        yield partial(verify.random_packets, model, 60, seed, [pace])
        yield partial(verify.wrong_packets, model, seed, [pace])
    yield partial(verify.clocks, model)


@pytest.mark.kept(cores_of=(" ".join((SMALL[0], *SMALL[1])),))
@pytest.mark.parametrize("number", range(len(FAULTS) + 1))
def test_faults_are_found(
    number: int, faulty: bench.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A damage to the RTL, which the verification reports; nothing where there is none."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fault").write_text(str(number))
    found = next(chosen_faults.complaints(_checks(faulty)), None)
    assert (found is not None) == (number > 0)
