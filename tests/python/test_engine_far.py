# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Engines around a pipeline: other points of them, and that wrong RTL is found out.

What they decide beside keys that travel was looked at a clock before, and queues are written by
who has looked at them some clocks ago. Each engine is built once, with all its faults, of which one
is chosen when it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import chosen_faults
import passed
from aesfab.engine import bench, every, verify
from aesfab.engine.bench import Pace
from aesfab.engine.packets import Beat, Kind, Mode, Packet, Raw, key_step
from aesfab.engine.xts import bench as xts_bench
from aesfab.engine.xts import verify as of_xts
from aesfab.engine.xts.sectors import Sector, key_steps
from chosen_faults import Check, Fault

_FRONT, _INTAKE = "aes_engine_front.sv", "aes_engine_intake.sv"
_BACK, _CTR = "aes_engine_back_lanes.sv", "aes_engine_back_ctr.sv"
_LANES, _RESULTS = "aes_engine_lanes.sv", "aes_engine_results.sv"
_XTS_FRONT, _KEYS = "aes_engine_xts_front.sv", "aes_engine_xts_keys.sv"
_XTS_BACK = "aes_engine_xts_back_far.sv"
_TOP, _OUTPUT = "aes_engine.sv", "aes_engine_output.sv"
_SLOTS, _LEAVE = "aes_engine_slots.sv", "aes_engine_leave.sv"

GCM, CTR, XTS = "gcm-pipeline-ram", "ctr-pipeline-ram", "xts-pipeline-ram"

_ZERO = "(state_q.body && !beat_keep_i[n]) || state_q.zero"

PACKETS: list[Fault] = [
    (_FRONT, "(beat_is_i.text_last & ~tag_ends_q)", "beat_is_i.text_last"),
    (_FRONT, "(beat_is_i.aad_last & ~tag_ends_q)", "beat_is_i.aad_last"),
    (_FRONT, "aad_ok_q & beat_is_i.same_len", "aad_ok_q"),
    (_FRONT, "aad_ok_q & beat_is_i.same_len", "beat_is_i.same_len"),
    (_FRONT, "iv_judged_q & iv_good_q", "iv_judged_q"),
    (_FRONT, "fresh_q & beat_is_i.tag", "1'b0"),
    (_FRONT, "credit_left & ~text_waits", "credit_left"),
    (_FRONT, "credit_left & ~text_waits", "~text_waits"),
    (_FRONT, "desc_next & credit_left", "desc_next"),
    (_FRONT, "take | (launch_stream & state_q.body)", "launch_stream & state_q.body"),
    (_FRONT, "take | (launch_stream & state_q.body)", "take | launch_stream"),
    (_FRONT, "item_is_q.text | item_is_q.failed", "item_is_q.text"),
    (_FRONT, _ZERO, "state_q.body && !beat_keep_i[n]"),
    (_FRONT, _ZERO, "state_q.zero"),
    (_FRONT, "upper_ones_q & (&counter_q[7:1])", "(&counter_q[7:1])"),
    (_FRONT, "load ? iv_upper_q : &counter_q[31:8]", "&counter_q[31:8]"),
    (_FRONT, "sweep | s_key_tvalid_i", "sweep"),
    (_FRONT, "item_is_q.failed", "1'b0"),
    (_INTAKE, "{1'b1, ~bytes[15:1]}", "16'hffff"),
    (_BACK, "!there_i", "1'b0"),
    (_BACK, "is_q.text | mask_q | over_q", "is_q.text | mask_q"),
    (_BACK, "is_q.iv & flag_q", "is_q.iv"),
    (_BACK, "mask_q ? tag_q : data_q", "data_q"),
    (_BACK, "mask_q ? tag_q : data_q", "tag_q"),
    (_BACK, "mask_q ? tag_len_q : len_q", "len_q"),
    (_BACK, "keep_of(event_i.len) & {16{event_i.mix}}", "{16{event_i.mix}}"),
    (_BACK, "failed_q ? code_q : ErrNone", "ErrNone"),
    (_BACK, "sum_valid & sum_is_j0", "sum_valid"),
    (_BACK, "keep_q[n] & (first_q.data[8*(15-n)+:8] != '0)", "first_q.data[8*(15-n)+:8] != '0"),
    (_LANES, "start_q | key_q", "start_q"),
    (_LANES, "power_goes ? 3'd0 : lane_q", "lane_q"),
    (_LANES, "~zero_q & ~key_q &", "~zero_q &"),
    (_RESULTS, "there_q & place_q", "there_q"),
    (_RESULTS, "there_q & place_q", "place_q"),
    (_RESULTS, "used_q > (Bits + 1)'(goes)", "used_q != '0"),
    (_TOP, "item_in.flag", "1'b0"),
    (_TOP, "item_in.gcm", "1'b0"),
    (_TOP, "item_in.len", "4'd15"),
    (_OUTPUT, "keep_of(len)", "16'hffff"),
    (_OUTPUT, "swap_bytes(result)", "result"),
    (_OUTPUT, "user.last", "1'b0"),
    (_SLOTS, "(write_i)", "(1'b1)"),
    (_SLOTS, "mem[raddr_i]", "mem[waddr_i]"),
]  # fmt: skip

COUNTERS: list[Fault] = [
    (_CTR, "4'(n) > len_q", "1'b0"),
    (_CTR, "~text_q & ~error_q", "~text_q"),
    (_CTR, "error_q ? error_code_q : ErrNone", "ErrNone"),
    (_CTR, "event_i.is.text | event_i.over", "event_i.is.text"),
    (_CTR, "there_i & event_i.is.failed", "event_i.is.failed"),
    (_CTR, "there_i & event_i.is.failed", "1'b0"),
    (_FRONT, "credit_q > CreditBits'(3)", "1'b1"),
    (_RESULTS, "places_q > $bits(places_q)'(goes)", "places_q != '0"),
    (_LEAVE, "valid_o & ready_i", "1'b0"),
    (_LEAVE, "valid_o & ready_i", "ready_i"),
    (_LEAVE, "valid_o & ready_i", "valid_o"),
]  # fmt: skip

SECTORS: list[Fault] = [
    (_KEYS, "mode_ok_q & slot_ok_q & known_q & word[KeyWidth]", "mode_ok_q & slot_ok_q & known_q"),
    (_KEYS, "(tweak_valid_q & ~tweak_ready_i)", "1'b0"),
    (_XTS_FRONT, "room_q & ~(Shared & tweak_valid_i)", "room_q"),
    (_XTS_FRONT, "room_q & ~(Shared & tweak_valid_i)", "~(Shared & tweak_valid_i)"),
    (_XTS_FRONT, "act.go & held_stolen_q", "1'b0"),
    (_XTS_FRONT, "act.go | act.error", "act.go"),
    (_XTS_FRONT, "(first_valid_i | wrong) & ~next_now", "~next_now"),
    (_XTS_FRONT, "(first_valid_i | wrong) & ~next_now", "(first_valid_i | wrong)"),
    (_XTS_FRONT, "(act.next & ~wrong_q)", "act.next"),
    (_XTS_FRONT, "taken_q & ~wrong_q", "taken_q"),
    (_XTS_FRONT, "(none_q & ~held_valid_q)", "none_q"),
    (_XTS_FRONT, "~held_valid_q | may_go)", "~held_valid_q | 1'b1)"),
    (_XTS_FRONT, "body_q & ~held_valid_q & beat_valid_i & ~right", "1'b0"),
    (_XTS_FRONT, "(body_q & act.go & steal)", "1'b0"),
    (_XTS_FRONT, "~(held_valid_q & held_last_q)", "1'b1"),
    (_XTS_BACK, "there_i & event_i.stolen", "1'b0"),
    (_XTS_BACK, "there_i & event_i.steal", "1'b0"),
    (_XTS_BACK, "there_i & event_i.tweak", "event_i.tweak"),
    (_XTS_BACK, "event_i.text | event_i.stolen | event_i.failed", "event_i.text | event_i.failed"),
    (_XTS_BACK, "event_i.last & ~event_i.stolen", "event_i.last"),
    (_XTS_BACK, "tail_q ? tail_len_q : event_i.len", "event_i.len"),
    (_XTS_BACK, "is_tail_q && 4'(n) > len_q", "1'b0"),
    (_XTS_BACK, "tail_q ? steal_q : sum", "sum"),
    (_XTS_BACK, "last_q & ~error_q", "last_q"),
]  # fmt: skip

pytestmark = pytest.mark.kept(
    *passed.ENGINES, cores_of=tuple(f"{name} slots=2" for name in (GCM, CTR, XTS))
)


def _long_aad(model: Any) -> tuple[int, list[str]]:
    """AAD that no place for a result is needed for, while no result is taken."""
    key = bytes(16)
    packets = [
        Packet(Mode.GCM, 0, bytes(12), bytes(1440), after=1),
        Packet(Mode.GCM, 0, bytes(12), bytes(16), bytes(range(256)) * 12),
    ]
    steps = key_step(0, key) + b"".join(packet.steps() for packet in packets)
    got = bench.results(model.run(steps, Pace(results=253)))
    wrong = [n for n, p in enumerate(packets) if got[n : n + 1] != [p.expected(key)]]
    return len(packets), [f"packet {n} is wrong" for n in wrong]


def _many_packets(model: Any) -> tuple[int, list[str]]:
    """More packets than results have places, each after a while; a long one is as fast as ever."""
    key = bytes(16)
    mode, iv = (Mode.GCM, bytes(12)) if model.named.engine.gcm else (Mode.CTR, bytes(16))
    packets = [Packet(mode, 0, iv, bytes([n % 256]) * 16, after=1) for n in range(400)]
    packets.append(Packet(mode, 0, iv, bytes(4096)))
    steps = key_step(0, key) + b"".join(packet.steps() for packet in packets)
    seen = model.run(steps, Pace(descriptors=200))
    got = bench.results(seen)
    wrong = [n for n, p in enumerate(packets) if got[n : n + 1] != [p.expected(key)]]
    # Its first beat may be taken before its descriptor is.
    beats = [event.clock for event in seen if event.kind is Kind.BEAT][-255:]
    slow = ["a long packet is slow"] * (beats[-1] - beats[0] != 254)
    return len(packets), [*(f"packet {n} is wrong" for n in wrong), *slow]


def _late_j0(model: Any) -> tuple[int, list[str]]:
    """A packet that breaks behind its IV; the next one is long, and J0 does not come to it."""
    key = bytes(16)
    first = Packet(Mode.GCM, 0, bytes(12), bytes(16), after=1)
    broken = Packet(Mode.GCM, 0, bytes(range(20))).descriptor(empty=False)
    beats = [
        Raw(bytes(16), Beat.IV, 0xFFFF, False),
        Raw(bytes(16), Beat.IV, 0xF, False),
        Raw(bytes(16), Beat.IV, 0xF, True),
    ]
    right = Packet(Mode.GCM, 0, bytes(12), bytes(4096))
    steps = key_step(0, key) + first.steps() + broken
    steps += b"".join(beat.step() for beat in beats) + right.steps()
    got = bench.results(model.run(steps))
    return 2, ["the packet behind is wrong"] * (got[2:] != [right.expected(key)])


def _of_packets(model: Any) -> Iterator[Check]:
    """What looks for faults of a packet engine, the likeliest first."""
    yield partial(verify.random_packets, model, 60, 11)
    yield partial(_many_packets, model)
    if model.named.engine.gcm:
        yield partial(_long_aad, model)
        yield partial(_late_j0, model)
    for seed in range(1, 5):
        yield partial(verify.wrong_packets, model, seed)
    for seed in range(12, 18):
        yield partial(verify.random_packets, model, 120, seed, [Pace(seed=seed), *verify.PACES])


def _long_sectors(model: Any) -> tuple[int, list[str]]:
    """Long sectors whose results are taken so seldom that no place for one is free."""
    keys = bytes(range(32))
    sectors = [Sector(0, bytes([n]) * 16, bytes([n]) * 512) for n in range(24)]
    steps = key_steps(0, keys, 2) + sectors[0].steps(2) + b"".join(s.steps() for s in sectors[1:])
    got = xts_bench.results(model.run(steps, Pace(results=250)))
    wrong = [n for n, s in enumerate(sectors) if got[n : n + 1] != [s.expected(keys)]]
    return len(sectors), [f"sector {n} is wrong" for n in wrong]


def _of_sectors(model: Any) -> Iterator[Check]:
    """The same of a sector engine."""
    yield partial(_long_sectors, model)
    for seed in (10, 20, 30):
        for wrong in (0.0, 0.4):
            for more, pace in enumerate(of_xts.PACES):
                yield partial(of_xts.random_sectors, model, 120, seed + more, [pace], wrong)


_OF: dict[str, tuple[list[Fault], Callable[[Any], Iterator[Check]]]] = {
    GCM: (PACKETS, _of_packets),
    CTR: (COUNTERS, _of_packets),
    XTS: (SECTORS, _of_sectors),
}


@pytest.mark.kept(cores_of=passed.of_point)
@pytest.mark.parametrize(
    ("name", "overrides"),
    [
        # A block in each clock, and stored keys: lanes, and queues that are not far.
        (GCM, ("core=qin-unrolling",)),
        (CTR, ("core=qin-unrolling",)),
        (GCM, ("release=verified", "release_depth=16")),
        (XTS, ("key_bits=256",)),
    ],
)
def test_other_points_pass(name: str, overrides: tuple[str, ...]) -> None:
    record = every.verify(every.find(name, overrides), level="quick")
    assert record["passed"], record["failures"]


@pytest.fixture(scope="module")
def faulty(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An engine with every fault of its list in it.

    It has few slots: a key is often rewritten while a descriptor waits.
    """
    faults, _ = _OF[request.param]
    named = every.find(request.param, ["slots=2"])
    return chosen_faults.build(named, faults, tmp_path_factory.mktemp("faulty"))


@pytest.mark.parametrize(
    ("faulty", "name", "number"),
    [
        (name, name, number)
        for name, (faults, _) in _OF.items()
        for number in range(len(faults) + 1)
    ],
    indirect=["faulty"],
)
def test_faults_are_found(
    faulty: Any, name: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A damage to the RTL, which the verification reports; nothing where there is none."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fault").write_text(str(number))
    found = next(chosen_faults.complaints(_OF[name][1](faulty)), None)
    assert (found is not None) == (number > 0)
