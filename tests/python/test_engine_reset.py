# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Resets and erasures among packets, messages and sectors: that their checks can fail.

A key that stays in its slot is there in an engine that is otherwise right. Each kind of engine is
built once, with both faults in it, of which one is chosen when it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import chosen_faults
import passed
from aesfab.eda.simulate import CoreError
from aesfab.engine import bench, every, verify
from aesfab.engine.bench import Pace
from aesfab.engine.ccm import verify as of_ccm
from aesfab.engine.packets import Mode, Packet, key_step
from aesfab.engine.streams import verify as of_streams
from aesfab.engine.xts import verify as of_xts

pytestmark = pytest.mark.kept(*passed.ENGINES, cores_of=passed.of_name)

_KEYS, _TO_SLOTS = "aes_engine_xts_keys.sv", "sweep | (key_go_q & key_known)"
_STREAMS_KEYS = "aes_engine_streams_keys.sv"
_BYTES = "use_q.clear | use_q.key"
_ALL = "state_q.sweep & s_key_tvalid_i & s_key_tuser_i[11]"
_BYTES_FAULTS = (
    f"(use_q.clear & (~state_q.sweep | ({_ALL}))) | use_q.key",
    f"(use_q.clear & ~({_ALL})) | use_q.key",
)

Random = Callable[..., tuple[int, list[str]]]

# The check; the file and what writes zero into all slots; the same not after a reset, and not where
# all slots are cleared.
KINDS: dict[str, tuple[Random, str, str, str, str]] = {
    "gcm-interleaved-ram": (
        *(verify.random_packets, "aes_engine_front.sv", "(sweep & sweep_step)"),
        *("(sweep & key_clear_all)", "(sweep & ~key_clear_all)"),
    ),
    "gcm-byte": (
        *(verify.random_packets, "aes_engine_bytes.sv", _BYTES),
        *_BYTES_FAULTS,
    ),
    "ccm-iterative-ram": (
        *(of_ccm.random_packets, _KEYS, _TO_SLOTS),
        *(f"ready_q & ({_TO_SLOTS})", "(sweep & ~ready_q) | (key_go_q & key_known)"),
    ),
    "ccm-byte": (
        *(of_ccm.random_packets, "aes_engine_ccm_bytes.sv", _BYTES),
        *_BYTES_FAULTS,
    ),
    "cbc-streams-interleaved-ram": (
        *(of_streams.random_messages, _STREAMS_KEYS, "(slot_write)"),
        *("slot_write & (ready_q | ~sweep)", "slot_write & ~(ready_q & sweep)"),
    ),
    "xts-interleaved-ram": (
        *(of_xts.random_sectors, _KEYS, _TO_SLOTS),
        *(f"ready_q & ({_TO_SLOTS})", "(sweep & ~ready_q) | (key_go_q & key_known)"),
    ),
}


@pytest.mark.parametrize("name", KINDS)
def test_keys_that_stay_are_found(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a reset, and where all slots are cleared; nothing is found where none stays."""
    check, file, old, *news = KINDS[name]
    model = chosen_faults.build(every.find(name), [(file, old, new) for new in news], tmp_path)
    monkeypatch.chdir(tmp_path)
    (resets,) = (pace for pace in verify.PACES if pace.resets)

    def found(fault: int, pace: Pace) -> list[str]:
        (tmp_path / "fault").write_text(str(fault))
        return list(chosen_faults.complaints([partial(check, model, 120, 1, [pace])]))

    assert found(0, resets) == found(0, bench.READY) == []
    (said,) = found(1, resets)
    assert said.startswith("after a reset a packet finds a key in slot ")
    assert found(1, bench.READY) == []
    assert found(2, bench.READY) != []


def _run(steps: bytes, resets: int) -> Any:
    packet = Packet(Mode.CTR, 0, bytes(16), bytes(16))
    model = bench.build(every.find("ctr-iterative-ram"))
    return model.run(steps, Pace(resets=resets), packet.steps())


@pytest.mark.kept(cores_of=("ctr-iterative-ram",))
def test_a_reset_has_to_meet_a_packet_of_a_slot_with_a_key() -> None:
    """And a pace with resets needs a packet that follows them."""
    packet = Packet(Mode.CTR, 0, bytes(16), bytes(640))
    key = key_step(0, bytes(16))
    right = _run(key + packet.steps(), 5)
    assert bench.results(right) == [packet.expected(bytes(16))]
    for steps in (key, packet.steps()):
        with pytest.raises(CoreError, match="1 resets met no packet"):
            _run(steps, 1)
    with pytest.raises(ValueError, match="needs a packet"):
        bench.build(every.find("ctr-iterative-ram")).run(key, Pace(resets=1))
