# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Proofs by SAT about buses: the adapters, what they refuse, the streams, the system on a chip.

The rules of each bus are a module of ``host/rules``. A proof is for ever, by induction over one
clock: what holds after a reset, and in the clock after any in which it holds. Where a proof takes
something of the other side as given, that is the output ``fair_o`` of its miter. Each one is also
run on damaged RTL, which must be refuted.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import miters
from aesfab.errors import ToolError
from miters import CORE, Damage, change, engine_proofs, sat

RESET = ("-set-at 1 rst_ni 0", "-set-at 2 rst_ni 1", "-prove-skip 1")
STEP = ("-set-at 1 related_o 1", "-set rst_ni 1", "-prove-skip 1")
ANY_STATE = ("-set rst_ni 1", "-prove-skip 1")
FAIR = "-set fair_o 1"


def _prove(
    miter: str,
    options: str,
    claim: str,
    *given: str,
    damage: Damage | None = None,
    stubs: Sequence[str] = (),
) -> None:
    miters.prove(miter, options, sat(claim, 2, *given), damage=damage, stubs=stubs)


def _for_ever(miter: str, options: str = "", *given: str, stubs: Sequence[str] = ()) -> None:
    """Prove ``related_o`` after a reset, and in the clock after any in which it holds."""
    _prove(miter, options, "related_o", *RESET, *given, stubs=stubs)
    _prove(miter, options, "related_o", *STEP, *given, stubs=stubs)


def _refute(
    miter: str,
    options: str,
    claim: str,
    *given: str,
    file: str,
    fault: tuple[str, str],
    stubs: Sequence[str] = (),
) -> None:
    with pytest.raises(ToolError, match="proof did fail"):
        _prove(miter, options, claim, *given, damage=change(file, *fault), stubs=stubs)


# ------------------------------------------------------------------------------- AXI4

AXI4 = "aes_bus_axi4.sv"


@pytest.mark.parametrize("width", [32, 64, 128])
def test_axi4_is_that_of_the_standard_for_ever(width: int) -> None:
    _for_ever("host_axi4_miter", f"-G DataWidth={width}", FAIR)


def test_axi4_stands_and_goes_on_whatever_a_master_does() -> None:
    _prove("host_axi4_miter", "-G DataWidth=32", "kind_o", *ANY_STATE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("reading_q & (~rvalid_q | s_axi_rready_i);", "reading_q;"),
        ("rvalid_q <= r_beat | (rvalid_q & ~s_axi_rready_i);", "rvalid_q <= r_beat;"),
        ("w_failed_q <= w_failed_q | access.w_error;", "w_failed_q <= access.w_error;"),
        ("(b.addr & ~b.wrap) | (next & b.wrap)", "next"),
        ("next    = ((b.addr >> b.size) + 1'b1) << b.size;", "next    = b.addr + "
         "(AddrWidth'(1) << b.size);"),
        ("&& LaneBits'(n) >= first", ""),
        ("rlast_q    <= rb_q.beats == '0;", "rlast_q    <= 1'b1;"),
        ("w_beat && wb_q.beats == '0", "w_beat && wb_q.beats <= 8'd1"),
        ("rid_q <= s_axi_arid_i;", "rid_q <= '0;"),
        ("WriteResponse: if (s_axi_bready_i)", "WriteResponse:"),
        ("~reading_q & (~rvalid_q | s_axi_rready_i);", "~reading_q;"),
    ],
)  # fmt: skip
def test_wrong_axi4_is_refuted(old: str, new: str) -> None:
    _refute(
        *("host_axi4_miter", "-G DataWidth=32", "related_o", *STEP, FAIR),
        file=AXI4,
        fault=(old, new),
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("WriteData && access.w_ready;", "WriteData && access.w_ready && s_axi_wlast_i;"),
        ("rdata_q    <= access.r_data;", "rdata_q    <= access.r_data;\n    end else if (1'b1) "
         "begin\n      rdata_q <= '0;"),
        ("default:       write_q <= WriteAddress;", "default:       ;"),
    ],
)  # fmt: skip
def test_axi4_that_a_master_can_stop_is_refuted(old: str, new: str) -> None:
    _refute(
        *("host_axi4_miter", "-G DataWidth=32", "kind_o", *ANY_STATE),
        file=AXI4,
        fault=(old, new),
    )


# -------------------------------------------------------------------------- AXI4-Lite

LITE = "aes_bus_axi_lite.sv"


@pytest.mark.parametrize("width", [32, 64])
def test_axi_lite_answers_each_request_once_for_ever(width: int) -> None:
    _for_ever("host_axi_lite_miter", f"-G DataWidth={width}", FAIR)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (LITE, ".s_axi_awaddr_i (s_axi_awaddr_i & WordMask)", ".s_axi_awaddr_i (s_axi_awaddr_i)"),
        (LITE, ".s_axi_arlen_i  (8'd0)", ".s_axi_arlen_i  (8'd1)"),
        (LITE, ".s_axi_awsize_i (Size)", ".s_axi_awsize_i (3'd0)"),
        (AXI4, "rvalid_q <= r_beat | (rvalid_q & ~s_axi_rready_i);", "rvalid_q <= r_beat;"),
        (AXI4, "w_failed_q <= 1'b0;", ""),
        (AXI4, "WriteAddress:  if (s_axi_awvalid_i)", "WriteAddress:  if (1'b1)"),
        (AXI4, "WriteResponse: if (s_axi_bready_i)", "WriteResponse: if (1'b0)"),
        (AXI4, "r_failed_q <= access.r_error;", "r_failed_q <= 1'b0;"),
    ],
)
def test_wrong_axi_lite_is_refuted(file: str, old: str, new: str) -> None:
    _refute(
        *("host_axi_lite_miter", "-G DataWidth=32", "related_o", *STEP, FAIR),
        file=file,
        fault=(old, new),
    )


# ---------------------------------------------------------------- Wishbone, memory slot


@pytest.mark.parametrize("pipelined", [0, 1])
def test_wishbone_answers_each_request_once(pipelined: int) -> None:
    options = f"-G Pipelined=1'b{pipelined}"
    _prove("host_wishbone_miter", options, "same_o", *RESET)
    _prove("host_wishbone_miter", options, "same_o", *ANY_STATE)
    for fault in (
        ("ack_q <= done & ~failed;", "ack_q <= done;"),
        ("wb_cyc_i & wb_stb_i & ~answered", "wb_stb_i & ~answered"),
        ("(ack_q | err_q) & ~Pipelined", f"(ack_q | err_q) & {pipelined}"),
        ("(done && !wb_we_i) ? access.r_data : '0", "access.r_data"),
    ):
        _refute(
            *("host_wishbone_miter", options, "same_o", *ANY_STATE),
            file="aes_bus_wishbone.sv",
            fault=fault,
        )


@pytest.mark.parametrize("pipelined", [0, 1])
def test_wishbone_keeps_its_rules_for_ever(pipelined: int) -> None:
    options = f"-G Pipelined=1'b{pipelined}"
    _for_ever("host_wishbone_miter", options, FAIR)
    for fault in (
        ("err_q <= done & failed;", "err_q <= done;"),
        ("ack_q <= done & ~failed;", "ack_q <= (done & ~failed) | ack_q;"),
        ("ack_q <= done & ~failed;", "ack_q <= done & ~failed & ~wb_sel_i[0];"),
    ):
        _refute(
            *("host_wishbone_miter", options, "related_o", *STEP, FAIR),
            file="aes_bus_wishbone.sv",
            fault=fault,
        )


def test_memory_slot_shows_what_is_read_and_nothing_else() -> None:
    _prove("host_memory_slot_miter", "", "same_o", *RESET)
    _prove("host_memory_slot_miter", "", "same_o", *ANY_STATE)
    for fault in (
        ("slot_read_i ? access.r_data : '0;", "access.r_data;"),
        ("access.w_strb  = '1;", "access.w_strb  = 8'h0f;"),
        ("access.r_valid = slot_read_i;", "access.r_valid = slot_read_i & ~slot_write_i;"),
    ):
        _refute(
            *("host_memory_slot_miter", "", "same_o", *ANY_STATE),
            file="aes_bus_memory_slot.sv",
            fault=fault,
        )


# ------------------------------------------------------------------ what is refused

SYSTEM = "aes_host_system.sv"
WINDOW = "-G DataWidth=32"
STREAMS = "-G Stream=1'b1"
WIDE = "-G DataWidth=128 -G OnTheFly=1'b1"
PUBLISHED = "-G DataWidth=64 -G CanWait=1'b0 -G Guarded=1'b0"


@pytest.mark.parametrize("options", [WINDOW, STREAMS, WIDE, PUBLISHED])
@pytest.mark.parametrize("claim", ["errors_o", "kept_o", "waits_o"])
def test_what_the_map_has_not_is_refused_and_changes_nothing(options: str, claim: str) -> None:
    _prove("host_map_miter", options, claim, *ANY_STATE, stubs=CORE)


def test_as_published_nothing_overflows_with_an_error() -> None:
    _prove("host_map_miter", PUBLISHED, "published_o", *ANY_STATE, stubs=CORE)


@pytest.mark.parametrize(
    ("options", "claim", "old", "new"),
    [
        (WINDOW, "errors_o", "if (whole && strb != 4'b1111) w_bad = 1'b1;", ""),
        (WINDOW, "errors_o", "w_bad = 1'b1;\n            end", "w_bad = 1'b0;\n            end"),
        (WINDOW, "errors_o", "(w_is_data && (Stream || erasing))", "(w_is_data && Stream)"),
        (WINDOW, "errors_o", "| errors_set;", "| (errors_set & {32{errors_q == '0}});"),
        (STREAMS, "errors_o", "(r_is_data & r_any & (Stream | erasing))", "1'b0"),
        (WINDOW, "kept_o", "access.w_valid & ~w_wait & ~w_refused", "access.w_valid & ~w_wait"),
        (WINDOW, "kept_o", "if (w_fire && w_in_mark_hit)", "if (access.w_valid && w_in_mark_hit)"),
        (WINDOW, "waits_o", "CanWait & moving;", "CanWait;"),
        (PUBLISHED, "waits_o", "CanWait & set_moving;", "set_moving;"),
        (PUBLISHED, "published_o", "~host_out_valid & Guarded;", "~host_out_valid;"),
    ],
)
def test_wrong_refusals_are_refuted(options: str, claim: str, old: str, new: str) -> None:
    _refute(
        *("host_map_miter", options, claim, *ANY_STATE),
        file=SYSTEM,
        fault=(old, new),
        stubs=CORE,
    )


@pytest.mark.parametrize("depth", [2, 4, 16])
def test_buffer_as_published_forgets_as_published(depth: int) -> None:
    _for_ever("host_published_miter", f"-G Depth={depth}")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(valid_q | ~Guarded)", "valid_q"),  # a read of an empty buffer does nothing
        ("{1'b0, write_ptr_q - read_ptr_q};", "{write_ptr_q == '0, write_ptr_q - read_ptr_q};"),
        ("{1'b0, write_ptr_q - read_ptr_d};", "{1'b0, write_ptr_q - read_ptr_q};"),
        ("data_q <= mem[read_ptr_d]", "data_q <= mem[read_ptr_q]"),
    ],
)
def test_buffer_that_forgets_in_another_way_is_refuted(old: str, new: str) -> None:
    _refute(
        *("host_published_miter", "-G Depth=4", "related_o", *STEP),
        file="aes_host_buffer.sv",
        fault=(old, new),
    )


# --------------------------------------------------------------------------- streams


@pytest.mark.parametrize("on_the_fly", [0, 1])
def test_streams_of_the_host_keep_the_rules_and_their_marks_for_ever(on_the_fly: int) -> None:
    _for_ever("host_stream_miter", f"-G OnTheFly=1'b{on_the_fly}", stubs=CORE)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (SYSTEM, "host_out_valid & ~erasing;", "host_out_valid;"),
        (SYSTEM, "out_ready_i & ~erasing;", "1'b1;"),
        (SYSTEM, ".data_i (in_last_i),", ".data_i (1'b1),"),
        (SYSTEM, ".write_i(in_valid_i & in_ready_o),", ".write_i(in_valid_i),"),
        (SYSTEM, ".read_i (out_valid_o & out_ready_i),", ".read_i (out_ready_i),"),
        ("aes_host_axi_stream.sv", "get_byte(out_block, n)", "get_byte(out_block, 15 - n)"),
        ("aes_host.sv", "~in_full_o & ~erasing_o & keyed_o;", "~in_full_o & keyed_o;"),
    ],
)
def test_wrong_streams_of_the_host_are_refuted(file: str, old: str, new: str) -> None:
    _refute(
        *("host_stream_miter", "", "related_o", *STEP),
        file=file,
        fault=(old, new),
        stubs=CORE,
    )


@pytest.mark.parametrize("gcm", [0, 1])
def test_results_of_an_engine_keep_the_rules_of_streams(gcm: int) -> None:
    """Two clocks after any state: what is decided in one of them is done in the next."""
    options = f"-G Gcm=1'b{gcm}"
    miters.prove("engine_stream_miter", options, *engine_proofs("rules_o"), stubs=CORE)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("aes_engine_back.sv", "out_free  = ~m_valid_o | m_ready_i", "out_free  = 1'b1"),
        ("aes_engine_pkg.sv", "keep[n] = 4'(n) <= len;", "keep[n] = 4'(n) >= len;"),
    ],
)
def test_wrong_results_of_an_engine_are_refuted(file: str, old: str, new: str) -> None:
    proofs = engine_proofs("rules_o")
    with pytest.raises(ToolError, match="proof did fail"):
        miters.prove(
            *("engine_stream_miter", "-G Gcm=1'b0", *proofs),
            damage=change(file, old, new),
            stubs=CORE,
        )


@pytest.mark.parametrize("depth", [4, 16])
def test_results_that_wait_for_their_tag_keep_the_rules_of_streams(depth: int) -> None:
    """For ever: a beat that waits is one of the RAM, and nothing is written to its place."""
    _for_ever("engine_stream_miter", f"-G ReleaseDepth={depth}", stubs=CORE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("word_q <= mem[read_d[PtrWidth-1:0]]", "word_q <= mem[write_q[PtrWidth-1:0]]"),
        ("read_d != released_q", "read_d != write_q"),
        ("valid_q & ready_i;", "valid_q;"),
    ],
)
def test_wrong_results_that_wait_for_their_tag_are_refuted(old: str, new: str) -> None:
    _refute(
        *("engine_stream_miter", "-G ReleaseDepth=4", "related_o", *STEP),
        file="aes_engine_release.sv",
        fault=(old, new),
        stubs=CORE,
    )


FAR = {
    "engine_stream_miter": (
        *("-G Far=1'b1 -G Gcm=1'b0", "-G Far=1'b1 -G Digit=128"),
        "-G Digit=128",  # lanes beside a core that is near
    ),
    "xts_stream_miter": ("-G Far=1'b1",),
    "streams_miter": ("-G Far=1'b1", "-G Far=1'b1 -G Chained=1'b0"),
}
"""Engines whose last queue has a register at its output, to options of their miters."""
ANYTHING = (*CORE, "aes_engine_results")
"""What stands before that queue says anything, for the rules depend on the queue alone."""


@pytest.mark.parametrize(("miter", "options"), [(m, o) for m in FAR for o in FAR[m]])
def test_results_of_a_far_engine_keep_the_rules_of_streams_in_any_state(
    miter: str, options: str
) -> None:
    miters.prove(miter, options, sat("rules_o", 2, *ANY_STATE), stubs=ANYTHING)


@pytest.mark.parametrize(("miter", "options"), [(m, o[0]) for m, o in FAR.items()])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("if (goes_on) data_q <=", "data_q <="),
        ("else if (goes_on) data_valid_q <= valid_q;", "else data_valid_q <= valid_q;"),
        ("= ~data_valid_q | ready_i;", "= 1'b1;"),
    ],
)
def test_wrong_results_of_a_far_engine_are_refuted(
    miter: str, options: str, old: str, new: str
) -> None:
    damage = change("aes_engine_fifo.sv", old, new)
    with pytest.raises(ToolError, match="proof did fail"):
        miters.prove(miter, options, sat("rules_o", 2, *ANY_STATE), damage=damage, stubs=ANYTHING)


NEAR = ("", "-G Spaced=1'b1", "-G Spaced=1'b1 -G Chained=1'b0")


@pytest.mark.parametrize("options", NEAR)
def test_results_of_an_engine_of_streams_are_those_of_its_queue(options: str) -> None:
    """What waits in that queue stays: test_engine_formal.py."""
    _prove("streams_miter", options, "through_o", *ANY_STATE, stubs=CORE)


@pytest.mark.parametrize("options", NEAR)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("m_data_tvalid_o = out_valid;", "m_data_tvalid_o = out_valid & room_q;"),
        ("m_data_tid_o    = word.stream;", "m_data_tid_o    = leave_stream;"),
        ("      .ready_i(m_data_tready_i),\n      .data_o (word)\n    );\n    assign freed",
         "      .ready_i(1'b1),\n      .data_o (word)\n    );\n    assign freed"),
    ],
)  # fmt: skip
def test_results_that_are_not_those_of_the_queue_are_refuted(
    options: str, old: str, new: str
) -> None:
    _refute(
        *("streams_miter", options, "through_o", *ANY_STATE),
        file="aes_engine_streams.sv",
        fault=(old, new),
        stubs=CORE,
    )


@pytest.mark.parametrize("stored", [0, 1])
def test_results_of_a_sector_engine_keep_the_rules_of_streams(stored: int) -> None:
    options = f"-G Shared=1'b{1 - stored} -G Stored=1'b{stored}"
    miters.prove("xts_stream_miter", options, *engine_proofs("rules_o"), stubs=CORE)


@pytest.mark.parametrize("stored", [0, 1])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("out_free = ~m_valid_o | m_ready_i", "out_free = 1'b1"),
        ("if (load) begin\n      m_data_o", "if (1'b1) begin\n      m_data_o"),
        ("gives | (m_valid_o & ~m_ready_i)", "gives"),
    ],
)
def test_wrong_results_of_a_sector_engine_are_refuted(stored: int, old: str, new: str) -> None:
    options = f"-G Shared=1'b{1 - stored} -G Stored=1'b{stored}"
    damage = change("aes_engine_xts_back.sv", old, new)
    with pytest.raises(ToolError, match="proof did fail"):
        miters.prove(
            "xts_stream_miter", options, *engine_proofs("rules_o"), damage=damage, stubs=CORE
        )


def test_results_of_a_sector_engine_that_do_not_wait_for_what_is_decided_are_refuted() -> None:
    damage = change("aes_engine_xts_back.sv", "assign acting = acting_q;", "assign acting = 1'b0;")
    with pytest.raises(ToolError, match="proof did fail"):
        miters.prove(
            *("xts_stream_miter", "-G Shared=1'b1", *engine_proofs("rules_o")),
            damage=damage,
            stubs=CORE,
        )


# -------------------------------------------------------------- the system on a chip

DMA = "aes_soc_dma.sv"


def test_dma_engine_moves_the_words_of_its_run_and_no_others_for_ever() -> None:
    _for_ever("soc_dma_miter", "-G RamBits=8", FAIR)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("in_left_q != '0 && (in_taken", "(in_taken"),  # beyond the end
        ("out_left_q > 32'(out_held_q != '0)", "out_left_q != '0"),
        ("assign ram_read_o  = in_wanted & ~ram_write_o;", "assign ram_read_o  = in_wanted;"),
        ("if (in_word_q == 2'd3) in_left_q", "if (in_word_q == 2'd2) in_left_q"),
        ("ram_write_o ? target_q : source_q", "ram_read_o ? source_q : source_q"),
        ("in_left_q   <= '0;\n      in_word_q", "in_word_q"),  # a stop that does not stop
        ("assign m_axis_tlast_o  = in_left_q == '0;", "assign m_axis_tlast_o  = 1'b0;"),
    ],
)
def test_wrong_dma_engine_is_refuted(old: str, new: str) -> None:
    _refute(
        *("soc_dma_miter", "-G RamBits=8", "related_o", *STEP, FAIR),
        file=DMA,
        fault=(old, new),
    )


PACKET_DMA = "aes_soc_packet_dma.sv"


def test_packet_dma_moves_the_bytes_of_its_run_and_no_others_for_ever() -> None:
    _for_ever("soc_packet_dma_miter", "-G RamBits=8", FAIR)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("in_left_q != '0 && in_asked_q != in_number;", "in_asked_q != in_number;"),
        ("in_span[4:2] + 3'(in_span[1:0] != '0);", "in_span[4:2] + 3'd1;"),  # a word too many
        ("in_bytes + 5'(source_q[1:0]);", "in_bytes;"),  # one too few
        ("assign ram_read_o  = in_wanted & ~out_busy_q;", "assign ram_read_o  = in_wanted;"),
        ("assign in_shifted      = in_words >> {source_q[1:0], 3'b000};",
         "assign in_shifted      = in_words_q >> {source_q[1:0], 3'b000};"),
        ("17'h1 << in_bytes) - 17'h1", "17'h1 << in_bytes)"),
        ("in_last_q & (in_left_q <= 24'd16);", "in_last_q & (in_left_q < 24'd16);"),
        ("assign out_fits        = 24'(out_bytes) <= room_q;", "assign out_fits        = 1'b1;"),
        ("20'(out_keep_q) << target_q[1:0];", "20'(out_keep_q);"),
        ("assign out_ends    = out_rest == '0;", "assign out_ends    = out_word_q == 3'd4;"),
        ("assign s_data_tready_o = ~out_busy_q & ~result_valid_q;",
         "assign s_data_tready_o = ~result_valid_q;"),
        ("addr_i[4:3] == AtWords && !key_q && !desc_q)", "addr_i[4:3] == AtWords)"),
        ("if (write && in_left_q == '0) begin", "if (write) begin"),
        ("room_q         <= '0;\n      out_busy_q     <= 1'b0;\n      out_word_q     <= '0;\n"
         "      result_valid_q <= 1'b0;\n      lost_q         <= 1'b0;\n    end else begin",
         "result_valid_q <= 1'b0;\n      lost_q         <= 1'b0;\n    end else begin"),
    ],
)  # fmt: skip
def test_wrong_packet_dma_is_refuted(old: str, new: str) -> None:
    _refute(
        *("soc_packet_dma_miter", "-G RamBits=8", "related_o", *STEP, FAIR),
        file=PACKET_DMA,
        fault=(old, new),
    )


def test_bridge_of_the_processor_keeps_the_rules_of_its_bus_for_ever() -> None:
    _for_ever("soc_bridge_miter", "", FAIR)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("valid_i & is_write & ~w_taken_q;", "valid_i & is_write;"),
        (
            "(m_axi_arvalid_o & m_axi_arready_i)) & ~ready_o;",
            "(m_axi_arvalid_o & m_axi_arready_i));",
        ),
        ("assign ready_o = m_axi_bvalid_i | m_axi_rvalid_i;", "assign ready_o = m_axi_bvalid_i;"),
        ("(m_axi_rvalid_i & (m_axi_rresp_i != 2'b00))", "1'b0"),
    ],
)
def test_wrong_bridge_is_refuted(old: str, new: str) -> None:
    _refute(
        *("soc_bridge_miter", "", "related_o", *STEP, FAIR),
        file="aes_soc_bridge.sv",
        fault=(old, new),
    )
