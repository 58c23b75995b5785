# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The host system through the C library: sessions, errors, erasure, sanitizers."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from aesfab import catalogue, oracle
from aesfab.errors import AesfabError
from aesfab.host import driver, soak
from aesfab.host.driver import Copy, Device, DeviceError, Simulation, Status
from aesfab.host.system import Bus, System, c_folder, simulation, wrapper

BOTH_ANY = catalogue.CATALOGUE["kakarlapudi-sbox-both-any"]
ON_THE_FLY = catalogue.CATALOGUE["pilchard-unrolled-1"]
SYSTEMS = {
    "axi-lite": System(BOTH_ANY),
    "axi4": System(BOTH_ANY, Bus.AXI4, 128),
    "axi-stream": System(BOTH_ANY, Bus.AXI_STREAM),
    "wishbone": System(ON_THE_FLY, Bus.WISHBONE),
    "memory-slot": System(ON_THE_FLY, Bus.MEMORY_SLOT, guarded=False),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_random_session_agrees_with_openssl(name: str) -> None:
    result = soak.soak(SYSTEMS[name], 12_000, seed=7)
    assert result.blocks >= 12_000
    assert result.keys > 5
    assert result.openings > 2
    assert result.chunks[2000] > 0
    assert result.chunks[1] > 0


@pytest.fixture
def sim() -> Simulation:
    return Simulation(simulation(SYSTEMS["axi-lite"]))


def _status(error: pytest.ExceptionInfo[DeviceError]) -> Status:
    return error.value.status


def test_enums_are_those_of_the_header() -> None:
    text = (c_folder() / "include" / "aesfab.h").read_text()
    statuses = re.findall(r"^  AESFAB_(?:E_)?([A-Z_]+)(?: = 0)?,  ?", text, re.MULTILINE)
    assert [s for s in statuses if not s.startswith("COPY")] == [
        s.name for s in Status if s is not Status.OK
    ]
    copies = re.findall(r"^  AESFAB_COPY_([A-Z0-9_]+)", text, re.MULTILINE)
    assert [{"64": "WORD_64"}.get(c, c) for c in copies] == [c.name for c in Copy] + ["COUNT"]


def test_info_is_that_of_the_design(sim: Simulation) -> None:
    with sim, Device(sim) as device:
        info = device.info()
    assert info == driver.Info(512, True, True, True, True, True, True, False)


def test_calls_that_make_no_sense_are_refused(sim: Simulation) -> None:
    with sim:
        with Device(sim) as device:
            with pytest.raises(DeviceError, match="no key") as error:
                device.encrypt(bytes(16))
            assert _status(error) is Status.NO_KEY
            with pytest.raises(DeviceError, match="16, 24 or 32") as error:
                device.set_key(bytes(20))
            assert _status(error) is Status.ARGUMENT
            device.set_key(bytes(16))
            with pytest.raises(DeviceError, match="whole number") as error:
                device.encrypt(bytes(17))
            assert _status(error) is Status.LENGTH
            buffer = bytearray(64)
            overlapping = driver._bytes(memoryview(buffer)[16:])
            status = driver.library().aesfab_encrypt(
                device._device, driver._bytes(buffer), overlapping, 48
            )
            assert status == Status.ARGUMENT
            assert device.encrypt(b"") == b""
            # None of these costs the device.
            assert device.encrypt(bytes(32)) == oracle.ecb(bytes(16), bytes(32))
        with pytest.raises(DeviceError, match="closed"):
            device.encrypt(bytes(16))


def test_what_a_core_cannot_do_is_refused() -> None:
    with Simulation(simulation(SYSTEMS["wishbone"])) as sim, Device(sim) as device:
        with pytest.raises(DeviceError) as error:
            device.set_key(bytes(32))
        assert _status(error) is Status.UNSUPPORTED
        device.set_key(bytes(16))
        with pytest.raises(DeviceError, match="decryption") as error:
            device.decrypt(bytes(16))
        assert _status(error) is Status.UNSUPPORTED


@pytest.mark.parametrize(
    ("address", "status", "match"),
    [
        ("nothing", Status.ARGUMENT, "begins with none"),
        ("sim:/no/such/library", Status.SYSTEM, "cannot load"),
        ("uio:/no/such/device", Status.SYSTEM, "No such file"),
        ("devmem:/no/such/device@0x0", Status.SYSTEM, "No such file"),
        ("devmem:0x10", Status.ARGUMENT, "aligned"),
        ("devmem:ten", Status.ARGUMENT, "not a physical address"),
    ],
)
def test_bad_address_is_one_line(address: str, status: Status, match: str) -> None:
    with pytest.raises(DeviceError, match=match) as error:
        Device(address)
    assert _status(error) is status
    assert "\n" not in str(error.value)


def test_simulation_opens_by_its_address() -> None:
    with Device(f"sim:{simulation(SYSTEMS['axi-lite'])}") as device:
        device.set_key(bytes(24))
        assert device.encrypt(bytes(160)) == oracle.ecb(bytes(24), bytes(160))


@pytest.mark.parametrize("interrupts", [False, True])
def test_reset_in_a_transfer_is_an_error_and_reopening_helps(
    sim: Simulation, interrupts: bool
) -> None:
    rng = random.Random(1)
    seen = set()
    with sim:
        for _ in range(30):
            device = Device(sim, interrupts=interrupts, timeout_us=2000)
            key, data = rng.randbytes(32), rng.randbytes(16 * 600)
            device.set_key(key)
            sim.reset_after(rng.randint(1, 13_000))
            with pytest.raises(DeviceError) as error:
                device.encrypt(data)
            seen.add(_status(error))
            with pytest.raises(DeviceError) as error:
                device.encrypt(data)
            assert _status(error) is Status.FAILED
            device.close()
            with Device(sim) as again:
                again.set_key(key)
                assert again.encrypt(data) == oracle.ecb(key, data)
    assert seen <= {Status.BUS, Status.RESET, Status.DEVICE}


def test_bus_error_in_a_transfer_is_an_error_and_reopening_helps(sim: Simulation) -> None:
    rng = random.Random(2)
    with sim:
        for _ in range(40):
            device = Device(sim)
            key, data = rng.randbytes(16), rng.randbytes(16 * 300)
            device.set_key(key)
            sim.fail_after(rng.randint(0, 2000))
            with pytest.raises(DeviceError) as error:
                device.encrypt(data)
            assert _status(error) is Status.BUS
            device.close()
            with Device(sim) as again:
                again.set_key(key)
                assert again.encrypt(data) == oracle.ecb(key, data)


def test_bus_error_while_opening_leaves_no_device(sim: Simulation) -> None:
    with sim:
        for accesses in range(8):
            sim.fail_after(accesses)
            with pytest.raises(DeviceError, match="bus"):
                Device(sim)
        Device(sim).close()


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("kakarlapudi-sbox-both-any", {}),
        ("kakarlapudi-tbox-both-256", {}),
        ("standaert-ram-pipeline-21", {}),
        ("qin-4sm", {}),
    ],
)
def test_nothing_secret_is_left_after_erasure(
    name: str, change: dict[str, str], tmp_path: Path
) -> None:
    """Two devices with different keys and data, the same calls: then not a bit differs.

    Every register and memory of the hardware is compared, so what is left tells nothing.
    """
    named = catalogue.find(name, [f"{axis}={value}" for axis, value in change.items()])
    path = simulation(System(named, Bus.AXI4, depth=8), savable=True)
    design = named.design
    for way in ("erase", "reset"):
        states = []
        for secret in (1, 2):
            rng = random.Random(secret)
            with Simulation(path) as sim:
                device = Device(sim)
                for bits in design.key_lengths * 2:
                    device.set_key(rng.randbytes(bits // 8))
                    for decrypt in (False, True):
                        if design.can_decrypt if decrypt else design.can_encrypt:
                            data = rng.randbytes(16 * 11)
                            _ = device.decrypt(data) if decrypt else device.encrypt(data)
                    sim.save(tmp_path / "before")
                before = (tmp_path / "before").read_bytes()
                if way == "erase":
                    device.erase()
                else:
                    sim.reset_after(0)
                    sim.step(5000)
                sim.save(tmp_path / "after")
                states.append((before, (tmp_path / "after").read_bytes()))
                device.close()
        assert states[0][0] != states[1][0], "the comparison sees the secrets"
        assert states[0][1] == states[1][1], way


def test_illegal_systems_are_refused() -> None:
    for system, reason in (
        (System(BOTH_ANY, Bus.MEMORY_SLOT, 32), "no data width of 32 bit"),
        (System(BOTH_ANY, depth=100), "power of two"),
        (System(BOTH_ANY, pipelined=True), "only Wishbone"),
    ):
        with pytest.raises(AesfabError, match=reason):
            simulation(system)


def test_axi_ports_have_the_names_of_the_standard() -> None:
    text = wrapper(SYSTEMS["axi-stream"])
    for name in ("s_axi_awvalid", "s_axis_tdata", "m_axis_tready", "irq_o"):
        assert re.search(rf"logic [^,]*\b{name}\b,?$", text, re.MULTILINE), name
