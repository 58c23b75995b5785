# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""CCM engines that are a byte wide: their clocks, and that wrong RTL is found out."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

import chosen_faults
import passed
from aesfab.engine import bench
from aesfab.engine.bench import Pace
from aesfab.engine.ccm import catalogue, verify

SMALL = ("ccm-byte", ("slots=4",))

pytestmark = pytest.mark.kept(
    *passed.ENGINES, cores_of=("ccm-byte", " ".join((SMALL[0], *SMALL[1])))
)


@pytest.mark.kept(cores_of=lambda words: (words,))
@pytest.mark.parametrize(
    "words", ["ccm-byte core=fab-byte", "ccm-byte core=fab-byte-min slots=2 release=verified"]
)
def test_other_cores_and_slots_pass(words: str) -> None:
    name, *overrides = words.split()
    evidence = verify.verify(bench.build(catalogue.find(name, overrides)), every_answer=False)
    assert evidence.failures == ()
    assert evidence.answers > 30


def test_clocks_are_those_that_are_promised() -> None:
    """To the clock where there is text: nothing is under way beside the packet."""
    model = bench.build(catalogue.find("ccm-byte"))
    for aad, text in ((0, 0), (0, 1), (0, 5), (1, 1), (4, 3)):
        for decrypt in (False, True):
            found = verify.packet_clocks(model, aad, text, decrypt=decrypt)
            assert found == model.named.engine.packet_clocks(aad, text, decrypt=decrypt)


# ------------------------------------------------------------------------ wrong RTL

_TOP, _PORT = "aes_engine_ccm_bytes.sv", "aes_engine_bytes_port.sv"

FAULTS = [
    (_TOP, "desc.mode == aes_engine_ccm_pkg::ModeCcm", "1'b1"),
    (_TOP, "9'(desc.slot) < 9'(NumSlots)", "1'b1"),
    (_TOP, "slot_ok_q & key_there", "slot_ok_q"),
    (_TOP, "slot_ok_q & key_there", "key_there"),
    (_TOP, "(desc.nonce_len inside {[8'd7 : 8'd13]})", "1'b1"),
    (_TOP, "(desc.nonce_len inside {[8'd7 : 8'd13]})", "(desc.nonce_len inside {[8'd7 : 8'd14]})"),
    (_TOP, "(desc.tag_len inside {[8'd4 : 8'd16]})", "1'b1"),
    (_TOP, "(desc.tag_len inside {[8'd4 : 8'd16]})", "(desc.tag_len inside {[8'd2 : 8'd16]})"),
    (_TOP, "desc.tag_len[0]", "1'b0"),
    (_TOP, "aad_too_long(desc.aad_len)", "1'b0"),
    (_TOP, "desc_waits_q ? desc.slot[SlotBits-1:0] : s_key_tuser_i[SlotBits-1:0]",
     "desc.slot[SlotBits-1:0]"),
    (_TOP, "(desc.aad_len == '0) & (desc.text_len == '0) & ~desc.decrypt", "1'b1"),
    (_TOP, "(desc.aad_len == '0) & (desc.text_len == '0) & ~desc.decrypt", "1'b0"),
    (_TOP, "3'(8'd14 - desc.nonce_len)", "3'd1"),
    (_TOP, "(left_q[15:4] == '0) | (left_q == 16'd16)", "left_q[15:4] == '0"),
    (_TOP, "(left_q[15:4] == '0) | (left_q == 16'd16)", "left_q == 16'd16"),
    (_TOP, "(left_q[15:4] != '0) ? 4'd15 : left_q[3:0] - 4'd1", "left_q[3:0] - 4'd1"),
    (_TOP, "!in_aad_q && !in_text_q", "1'b0"),
    (_TOP, "in_aad_q & ~no_text_q", "~no_text_q"),
    (_TOP, "in_aad_q & ~no_text_q", "in_aad_q"),
    (_TOP, "s_data_tready_o && part_ends_q", "s_data_tready_o"),
    (_TOP, "keep_ok_q & (len_q == wanted_len_q)", "len_q == wanted_len_q"),
    (_TOP, "keep_ok_q & (len_q == wanted_len_q)", "keep_ok_q"),
    (_TOP, "(kind_q == BeatAad) & (last_q == (part_ends_q & no_text_q & ~decrypt_q))",
     "(last_q == (part_ends_q & no_text_q & ~decrypt_q))"),
    (_TOP, "(kind_q == BeatAad) & (last_q == (part_ends_q & no_text_q & ~decrypt_q))",
     "(kind_q == BeatAad)"),
    (_TOP, "(kind_q == BeatText) & (last_q == (part_ends_q & ~decrypt_q))",
     "(last_q == (part_ends_q & ~decrypt_q))"),
    (_TOP, "(kind_q == BeatText) & (last_q == (part_ends_q & ~decrypt_q))",
     "(kind_q == BeatText)"),
    (_TOP, "(kind_q == BeatTag) & last_q", "last_q"),
    (_TOP, "(kind_q == BeatTag) & last_q", "kind_q == BeatTag"),
    (_TOP, "n[3:1] != 3'b111", "1'b1"),
    (_TOP, "state_q.result & (pass_q.first | pass_q.chain)", "state_q.result & pass_q.chain"),
    (_TOP, "n <= last_byte", "1'b1"),
    (_TOP, "{9{~use_q.clear}}", "9'h1ff"),
    (_TOP, "state_q.head | state_q.absorb | state_q.rest | state_q.result |", "1'b1 |"),
    (_TOP, "(state_q.feed & pass_q.chain)", "1'b0"),
    (_TOP, "n + 4'd2", "n"),
    (_TOP, "~n[0]", "n[0]"),
    (_TOP, "adds_first_q | carry", "adds_first_q"),
    (_TOP, "adds_first_q | carry", "carry"),
    (_TOP, "core_byte_later_q & {8{keeps_q}}", "core_byte_later_q"),
    (_TOP, "decrypt_q ? text_byte : port_byte_q", "text_byte"),
    (_TOP, "decrypt_q ? text_byte : port_byte_q", "port_byte_q"),
    (_TOP, "use_n_q[0] ? left_q[7:0] : left_q[15:8]", "left_q[7:0]"),
    (_TOP, "word ^ addend", "addend"),
    (_TOP, "(use_n_q == 4'd15) ? flags : port_byte_q", "port_byte_q"),
    (_TOP, "use_n_q[0] ? text_len_q[7:0] : text_len_q[15:8]", "text_len_q[7:0]"),
    (_TOP, "use_n_q[3:1] == 3'b111", "1'b0"),
    (_TOP, "pass_q.first && use_q.first_byte", "use_q.first_byte"),
    (_TOP, "{has_aad_q, tag_len_q[3:1]}", "{1'b0, tag_len_q[3:1]}"),
    (_TOP, "{has_aad_q, tag_len_q[3:1]}", "{has_aad_q, 3'd7}"),
    (_TOP, "9'(s_key_tuser_i[7:0]) < 9'(NumSlots)", "1'b1"),
    (_TOP, "~clears_all & key_known & s_key_tuser_i[10]", "1'b0"),
    (_TOP, "(pass_q.first | pass_q.chain | out_free)", "1'b1"),
    (_TOP, "state_q.ready & core_ready &", "state_q.ready &"),
    (_TOP, "state_q.rest & part_ends_q & (len_q > 4'd13)", "1'b0"),
    (_TOP, "state_q.rest & part_ends_q & (len_q > 4'd13)", "state_q.rest & part_ends_q"),
    (_TOP, "state_q.rest & part_ends_q & (len_q > 4'd13)", "state_q.rest & (len_q > 4'd13)"),
    (_TOP, "goes_on & ~more_q & ~decrypt_q", "goes_on & ~more_q"),
    (_TOP, "goes_on & ~more_q & ~decrypt_q", "goes_on & ~decrypt_q"),
    (_TOP, "state_q.rest || state_q.form", "state_q.rest"),
    (_TOP, "has_aad_q | ~no_text_q", "1'b1"),
    (_TOP, "(tags | state_q.judged)", "tags"),
    (_TOP, "state_q.error & ~empty_q", "1'b0"),
    (_TOP, "state_q.error & ~empty_q", "state_q.error"),
    (_TOP, "(gives_last & decrypt_q)", "1'b0"),
    (_TOP, "state_q.last & out_free & ~moves", "state_q.last & out_free"),
    (_TOP, "use_n_q <= tag_len_q", "1'b1"),
    (_TOP, "gives_last && decrypt_q && wrong_q", "1'b0"),
    (_TOP, "use_q.tag && of_tag && tag_byte != port_byte_q", "1'b0"),
    (_TOP, "use_q.tag && of_tag && tag_byte != port_byte_q",
     "use_q.tag && tag_byte != port_byte_q"),
    (_TOP, "use_q.text ? len_q : 4'd15", "4'd15"),
    (_TOP, "gives_last && !decrypt_q", "1'b0"),
    (_PORT, "!of_key_i", "1'b0"),
    (_PORT, "!of_head_i", "1'b0"),
    (_PORT, "of_key_i || of_head_i", "1'b0"),
    (_PORT, "!keep_q", "1'b0"),
    (_PORT, "(lower & block[127:96]) | (~lower & block[95:64])", "block[95:64]"),
]  # fmt: skip


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> bench.AnyModel[catalogue.NamedCcm]:
    """An engine with every fault in it."""
    return chosen_faults.build(catalogue.find(*SMALL), FAULTS, tmp_path_factory.mktemp("faulty"))


def _checks(model: bench.AnyModel[catalogue.NamedCcm]) -> Iterator[chosen_faults.Check]:
    """What looks for faults, the likeliest first."""
    for seed, pace in enumerate((*verify.PACES, Pace(results=255, seed=8)), 1):
        yield partial(verify.random_packets, model, 60, seed, [pace])
        yield partial(verify.wrong_packets, model, seed, [pace])
    yield partial(verify.clocks, model)


@pytest.mark.kept(cores_of=(" ".join((SMALL[0], *SMALL[1])),))
@pytest.mark.parametrize("number", range(len(FAULTS) + 1))
def test_faults_are_found(
    number: int,
    faulty: bench.AnyModel[catalogue.NamedCcm],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A damage to the RTL, which the verification reports; nothing where there is none."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fault").write_text(str(number))
    found = next(chosen_faults.complaints(_checks(faulty)), None)
    assert (found is not None) == (number > 0)
