# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The packet calls of the C library on a simulated RISC-V system, around every engine of them."""

from __future__ import annotations

import ctypes
import dataclasses
import json
import random
import shutil
from pathlib import Path

import pytest

import passed
from aesfab import records
from aesfab.engine import catalogue as engine_catalogue
from aesfab.engine.ccm import catalogue as ccm_catalogue
from aesfab.host import driver, packets, soc
from aesfab.host.driver import Status
from aesfab.host.system import c_folder
from conftest import Cli, needed

pytestmark = pytest.mark.kept(
    "src/aesfab/host",
    "src/aesfab/eda/simulate.py",
    "src/aesfab/records.py",
    "results/host.jsonl",
    "host",
    *passed.HOSTS,
    *passed.ENGINES,
    cores_of=("gcm-iterative-ram", "ctr-iterative-ram", "gcm-iterative-ram key_bits=256"),
)

NAMES = [*engine_catalogue.CATALOGUE, *ccm_catalogue.CATALOGUE]
OTHERS = [
    ("gcm-iterative-ram", "release=verified", "release_depth=16"),
    ("gcm-iterative-ram", "key_bits=256", "slots=2"),
    ("gcm-narrow", "core=fab-narrow-both"),
    ("ccm-iterative-ram", "key_bits=192", "release=verified", "release_depth=16"),
    ("ccm-tiny", "slots=128"),
    ("ctr-iterative-ram", "key_bits=256"),
]


@pytest.fixture
def program() -> soc.Firmware:
    needed("a compiler for RISC-V", "RISCV", soc.PACKAGES, soc.COMPILER)
    return packets.firmware()


def _find(words: tuple[str, ...]) -> packets.AnyNamed:
    return packets.find(words[0], words[1:])


@pytest.mark.kept(cores_of=lambda words: (" ".join(words),))
@pytest.mark.parametrize("words", [*((name,) for name in NAMES), *OTHERS], ids=" ".join)
def test_every_call_and_every_byte_is_as_openssl_says(
    program: soc.Firmware, words: tuple[str, ...]
) -> None:
    named = _find(words)
    result = packets.run(named, seed=5)
    assert result.official > 0
    assert result.packets >= packets._RANDOM + result.official + 2 * len(packets.SIZES)
    assert [(row.direction, row.bytes) for row in result.rows] == [
        (way, size) for size in packets.SIZES for way in ("encrypt", "decrypt")
    ]
    for row in result.rows:
        held = named.engine.most_held
        if row.direction == "decrypt" and held is not None and -(-row.bytes // 16) > held:
            continue  # refused, and its text overwritten
        # The port of the RAM: five clocks a beat each way. Beside it the call itself.
        slowest = max(row.engine_cycles, 10 * -(-row.bytes // 16))
        assert max(0.5 * row.engine_cycles, 4 * row.bytes // 16) < row.cycles < slowest + 4000


def _damage(stem: str, old: str, new: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on, a file of the system has this text in place of that."""
    rtl_files = soc.rtl_files

    def damaged(*devices: tuple[str, ...]) -> list[Path]:
        files = rtl_files(*devices)
        for number, path in enumerate(files):
            if path.stem == stem:
                text = path.read_text()
                assert text.count(old) == 1
                files[number] = folder / path.name
                files[number].write_text(text.replace(old, new))
        return files

    monkeypatch.setattr(soc, "rtl_files", damaged)


class _Info(ctypes.Structure):
    _fields_ = (
        ("slots", ctypes.c_uint32),
        *((name, ctypes.c_bool) for name in ("ctr", "gcm", "ccm")),
        *((name, ctypes.c_bool) for name in ("key_128", "key_192", "key_256", "verified")),
    )


@pytest.mark.parametrize("words", [*((name,) for name in NAMES), *OTHERS], ids=" ".join)
def test_library_reads_what_the_register_says(words: tuple[str, ...]) -> None:
    """Modes, slots, key lengths and release are written here and read by the C library."""
    engine, info = _find(words).engine, _Info()
    driver.library().aesfab_engine_read_info(packets.info(_find(words)), ctypes.byref(info))
    assert info.slots == engine.num_slots
    assert (info.ctr, info.gcm, info.ccm) == (
        words[0].startswith(("ctr", "gcm")), words[0].startswith("gcm"), words[0].startswith("ccm")
    )  # fmt: skip
    lengths = [bits for bits in (128, 192, 256) if getattr(info, f"key_{bits}")]
    assert lengths == list(engine.key_lengths)
    assert info.verified == ("release=verified" in words)


@pytest.mark.kept(cores_of=("ctr-pipeline-ram",))
@pytest.mark.parametrize(("shift", "least", "most"), [(0, 8, 9), (1, 10, 11)])
def test_a_beat_takes_as_many_clocks_as_the_header_says(
    program: soc.Firmware, monkeypatch: pytest.MonkeyPatch, shift: int, least: int, most: int
) -> None:
    """Beside a core that takes a block each clock: what the port of the RAM needs for both ways."""
    named = _find(("ctr-pipeline-ram",))
    given = [
        dataclasses.replace(job, shift=(0, shift, shift))
        for job in packets._measured(named, random.Random(1))
    ]
    monkeypatch.setattr(packets, "jobs", lambda *_: given)
    rows = [row for row in packets.run(named).rows if row.direction == "encrypt"]
    (_, few), (_, many) = ((row.bytes, row.cycles) for row in rows[-2:])
    blocks = -(-rows[-1].bytes // 16) - -(-rows[-2].bytes // 16)
    assert least <= (many - few) / blocks <= most


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("assign m_data_tvalid_o = ", "assign m_data_tvalid_o = 1'b0 && "),  # nothing is sent
        ("assign s_data_tready_o = ", "assign s_data_tready_o = s_data_tuser_i[0] & "),
        ("result_valid_q <= 1'b1;", "result_valid_q <= 1'b0;"),  # no packet ends
        ("assign m_desc_tvalid_o = desc_q;", "assign m_desc_tvalid_o = 1'b0;"),
    ],
)
def test_hardware_that_stands_still_ends_the_call(
    program: soc.Firmware, old: str, new: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _damage("aes_soc_packet_dma", old, new, tmp_path, monkeypatch)
    monkeypatch.setattr(soc, "_CLOCKS", 3_000_000)
    with pytest.raises(soc.SocError, match="the call answered TIMEOUT, not OK"):
        packets.run(_find(("gcm-iterative-ram",)), timeout_us=500)


def test_jobs_are_of_every_kind() -> None:
    """Random packets at all alignments, in place and not, right and wrong ones, and refusals."""
    for name in ("gcm-iterative-ram", "ccm-tiny", "ctr-iterative-ram"):
        todo = packets.jobs(_find((name,)), 1)
        drawn = [job for job in todo if job.said.startswith("random packet")]
        assert {job.shift[1] for job in drawn} == {job.shift[2] for job in drawn} == set(range(4))
        assert {job.in_place for job in drawn} == {False, True}
        assert {len(job.text) for job in drawn} == set(packets._LENGTHS)
        statuses = {job.status for job in todo}
        assert statuses >= {Status.OK, Status.NO_KEY, Status.ARGUMENT, Status.UNSUPPORTED}
        assert (Status.TAG in statuses) == (not name.startswith("ctr"))


DAMAGES = [
    # The packet DMA: bytes of a beat, its number of bytes, where it goes.
    ("aes_soc_packet_dma", "in_shifted[3:0];", "in_words[3:0];"),
    ("aes_soc_packet_dma", "out_strobes = 20'(out_keep_q) << target_q[1:0];",
     "out_strobes = 20'hfffff;"),
    ("aes_soc_packet_dma", "in_user_q <= data_i[25:24];", "in_user_q <= 2'b00;"),
    ("aes_soc_packet_dma", "in_last_q <= data_i[31];", "in_last_q <= 1'b1;"),
    ("aes_soc_packet_dma", "result_q <= s_data_tdata_i;", "result_q <= ~s_data_tdata_i;"),
    ("aes_soc_packet_dma", "key_user_q <= data_i[11:0];", "key_user_q <= data_i[11:0] ^ 12'h1;"),
    # The RAM: a byte that is written with its neighbour.
    ("aes_soc_ram", "if (b_write_i[n])", "if (|b_write_i)"),
]  # fmt: skip


@pytest.mark.parametrize(("stem", "old", "new"), DAMAGES)
def test_damaged_hardware_is_found(
    program: soc.Firmware,
    stem: str,
    old: str,
    new: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _damage(stem, old, new, tmp_path, monkeypatch)
    monkeypatch.setattr(soc, "_CLOCKS", 3_000_000)
    with pytest.raises(soc.SocError):
        packets.run(_find(("gcm-iterative-ram",)))


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("src/engine.c", "    aesfab_wipe(p->out, p->bytes);\n", ""),
        ("src/engine.c", "flags |= (uint32_t)decrypt << 3", "flags |= 0u"),
        ("src/engine.c", "case kErrorTag: return fail(engine, AESFAB_E_TAG, NULL);", ""),
        ("soc/packets/packet_dma.c", "(i + 1 == sent->number ? kPieceLast : 0)", "kPieceLast"),
        ("soc/packets/packet_dma.c", "(word >> 24);", "(word >> 16);"),
    ],
)
def test_damaged_software_is_found(
    program: soc.Firmware,
    file: str,
    old: str,
    new: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tmp_path / "host"
    shutil.copytree(c_folder(), folder)
    text = (folder / file).read_text()
    assert text.count(old) == 1
    (folder / file).write_text(text.replace(old, new))
    with monkeypatch.context() as patched:
        patched.setattr(soc, "c_folder", lambda: folder)
        damaged = packets.firmware()
    monkeypatch.setattr(soc, "_CLOCKS", 3_000_000)
    with pytest.raises(soc.SocError):
        packets.run(_find(("gcm-iterative-ram",)), program=damaged)


def test_a_wrong_expectation_is_found(
    program: soc.Firmware, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bit of one text, and a status."""
    named = _find(("gcm-iterative-ram",))
    jobs = packets.jobs(named, 1)
    number = next(n for n, job in enumerate(jobs) if job.text_out and job.status is Status.OK)
    right = jobs[number].text_out
    assert right is not None
    wrong = bytes([right[0] ^ 1]) + right[1:]
    for changed, said in (
        ({"text_out": wrong}, "of the memory is"),
        ({"status": Status.TAG}, "the call answered OK, not TAG"),
    ):
        other = [*jobs]
        other[number] = dataclasses.replace(jobs[number], **changed)
        monkeypatch.setattr(packets, "jobs", lambda *_, other=other: other)
        with pytest.raises(soc.SocError, match=said):
            packets.run(named)


def test_a_lost_processor_is_an_error(
    program: soc.Firmware, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(soc, "_CLOCKS", 200_000)
    lost = dataclasses.replace(program, image=b"\x6f\0\0\0" + program.image[4:])
    with pytest.raises(soc.SocError, match="did not end in 200000 clocks"):
        packets.run(_find(("ctr-iterative-ram",)), program=lost)


@pytest.mark.kept(cores_of=("gcm-iterative-ram", "ccm-tiny"))
def test_command_leaves_a_record_and_the_committed_ones_are_true(
    program: soc.Firmware, aesfab: Cli, tmp_path: Path
) -> None:
    shipped = records.shipped("host")
    for name in ("gcm-iterative-ram", "ccm-tiny"):
        ran = aesfab("host", "soc", name, "--records", "records.jsonl", "--json")
        assert ran.returncode == 0, ran.stderr
        record = json.loads(ran.stdout)
        assert records.read(tmp_path / "records.jsonl")[-1] == record
        committed = records.latest(shipped, kind="host-packets", design=name)
        assert committed is not None
        assert committed["netlist_hash"] == record["netlist_hash"], "take the record again"
        if committed["firmware_hash"] == record["firmware_hash"]:  # else another compiler made it
            assert committed["messages"] == record["messages"]
            assert committed["costs"] == record["costs"]


def test_table_for_people(program: soc.Firmware, aesfab: Cli) -> None:
    ran = aesfab("host", "soc", "gcm-iterative-ram", "key_bits=256")
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    assert "at 100 MHz, key of 256 bit, AAD of 13 bytes" in lines[0]
    assert [line.split()[:2] for line in lines[2:8]] == [
        [way, str(size)] for size in packets.SIZES for way in ("encrypt", "decrypt")
    ]
    assert lines[-1].endswith("every call and every byte of memory is as OpenSSL says")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["xts-narrow"], "'xts-narrow' takes no packets; engines that do: gcm-pipeline-ram, "),
        (["cbc-streams-interleaved-ram"], "takes no packets"),
        (["gcm-tiny", "--interrupts"], "--interrupts is for cores"),
        (["gcm-tiny", "slots=5"], "slots"),
        (["gcm-narrow", "key_bits=256"], "illegal combination"),
        (["gcm-tiny", "--records", "/"], "not a file"),
    ],
)
def test_what_is_refused_is_one_line(aesfab: Cli, words: list[str], said: str) -> None:
    ran = aesfab("host", "soc", *words)
    assert ran.returncode == 2
    assert ran.stderr.count("\n") == 1
    assert said in ran.stderr
