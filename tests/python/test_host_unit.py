# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The folder of a packet unit as a user has it: on its buses, in both formats, by its README."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

import passed
from aesfab.host import folder as host_folder
from aesfab.host import packets, soc, unit, unit_testbench
from aesfab.host.system import Bus
from aesfab.host.unit import Unit
from conftest import Cli, needed
from test_host_folder import _commands, _shell, finds, refuses, verilated, whole

pytestmark = pytest.mark.kept(
    "src/aesfab/host",
    "src/aesfab/measure",
    "host",
    "src/aesfab/cli/host.py",
    *passed.HOSTS,
    *passed.ENGINES,
    cores_of=("gcm-narrow", "ccm-narrow", "ctr-narrow", "gcm-interleaved-ram"),
)

UNITS = {
    "gcm": Unit(packets.find("gcm-narrow")),
    "gcm verified": Unit(packets.find("gcm-narrow", ("release=verified", "release_depth=16"))),
    "ccm axi4": Unit(packets.find("ccm-narrow"), Bus.AXI4),
    "ctr": Unit(packets.find("ctr-narrow")),
    "ctr wishbone": Unit(packets.find("ctr-narrow"), Bus.WISHBONE),
    "ctr pipelined": Unit(packets.find("ctr-narrow"), Bus.WISHBONE, pipelined=True),
}
CTR = UNITS["ctr wishbone"]
READS_TOO = (r"assign \access.r_ready  = ~\access.w_valid ;", r"assign \access.r_ready  = 1'b1;")


def _write(of: Unit, folder: Path, output_format: str = "systemverilog") -> list[Path]:
    return host_folder.UnitFolder(of, output_format, syn=False).write(folder, False)


@pytest.mark.parametrize("name", UNITS)
def test_testbench_passes_in_icarus(name: str, tmp_path: Path) -> None:
    """Official answers at all alignments, by the lines of the README, from unknown registers."""
    needed("Icarus Verilog", "ICARUS", "iverilog", "iverilog")
    of = UNITS[name]
    _write(of, tmp_path, "verilog")
    status, said = _shell(_commands(tmp_path, "Icarus Verilog"), tmp_path)
    assert status == 0, said[-2000:]
    found = re.search(r"PASS: (\d+) packets in \d+ clocks", said)
    assert found, said[-2000:]
    assert int(found[1]) == len(packets.answers(of.named)) >= 8


@pytest.mark.parametrize(
    ("of", "old", "new", "says"),
    [
        (CTR, ".s_key_tdata_i(key[", ".s_key_tdata_i(~key[", "words from"),
        (CTR, ".ram_data_i(ram_data_i),", ".ram_data_i(~ram_data_i),", "words from"),
        (CTR, ".m_data_tready_i(out_ready)", ".m_data_tready_i(1'b0)", "no end"),
        (CTR, "assign ram_addr_o = ", "assign ram_addr_o = 30'd1 ^ ", "words from"),
        (CTR, f"32'h{packets.info(CTR.named):08x};", "32'h0;", "register 001c is"),
        # A read in the clock of a write gets the register of that.
        (UNITS["ctr"], *READS_TOO, "INFO is 0012340"),
        (UNITS["ccm axi4"], *READS_TOO, "INFO is 0012340"),
    ],
)
def test_testbench_finds_faults(of: Unit, old: str, new: str, says: str, tmp_path: Path) -> None:
    _write(of, tmp_path, "verilog")
    text = (tmp_path / f"{of.module}.v").read_text()
    before, found, after = text.rpartition(old)
    assert found
    finds(of.module, before + new + after, says, tmp_path)


REFUSED = [
    "write_register(14'h0050, 32'h1);",  # beyond the registers
    "write_register(14'h1010, 32'h80000000);",
    "write_register(14'h001c, 32'h0);",  # only read
    "write_register(14'h0040, 32'h0);",
    "put(14'h0010, 32'h80000000, 4'h7);",  # less than a word
    "read_register(14'h0050, value);",
    "read_register(14'h1000, value);",
]


@pytest.mark.parametrize("name", ["gcm", "ctr wishbone"])
def test_accesses_that_make_no_sense_end_with_an_error(name: str, tmp_path: Path) -> None:
    """Each of them, and no other; and packets go on as if there had been none."""
    needed("Icarus Verilog", "ICARUS", "iverilog", "iverilog")
    of = UNITS[name]
    _write(of, tmp_path, "verilog")
    path = tmp_path / "tb" / f"tb_{of.module}.sv"
    text = path.read_text()
    # Right in the middle of a packet, of which some bytes are still to come.
    begin = "write_register(14'h0000, source);"
    assert text.count(begin) == 1
    once = (
        f"{begin}\n    if (!tried) begin\n      tried = 1'b1;\n      {' '.join(REFUSED)}\n    end"
    )
    text = text.replace(begin, once).replace(
        "  int clock = 0;", "  int clock = 0;\n  bit tried = 0;"
    )
    path.write_text(text)
    status, said = _shell(_commands(tmp_path, "Icarus Verilog"), tmp_path)
    assert status != 0
    assert len(re.findall(r"(?:write|read|access) \w+ [0-9a-f]{4} ends with", said)) == len(REFUSED)
    assert f"FAIL: {len(REFUSED)} failures" in said


@pytest.mark.parametrize("output_format", ["systemverilog", "verilog"])
def test_testbench_passes_in_verilator(output_format: str, tmp_path: Path) -> None:
    """By the README; and so does the target to lint."""
    program = str(Path(sys.executable).parent / "verilator-cli")
    of = UNITS["ctr"]
    _write(of, tmp_path, output_format)
    verilated(of.module, tmp_path, program, "PASS: 8 packets")


@pytest.mark.parametrize("output_format", ["systemverilog", "verilog"])
def test_folder_is_whole(output_format: str, tmp_path: Path) -> None:
    of = Unit(packets.find("gcm-interleaved-ram"), top="my_unit")
    texts = whole(host_folder.UnitFolder(of, output_format, syn=False), tmp_path)
    for register in unit.registers():
        assert f"| {register.address:02x} | {register.name} | " in texts["README.md"]
    assert "| PIECE[25:24] | 1:0 | 0 text, 1 AAD, 2 IV, 3 tag |" in texts["README.md"]
    assert "|  |" not in texts["README.md"]


def test_registers_are_those_of_rtl_and_driver() -> None:
    """The map is read from a comment; both say the same, name by name."""
    found = {register.name: register.address for register in unit.registers()}
    (dma,) = soc.own_files("aes_soc_packet_dma")
    rtl = re.findall(r"^    Reg(\w+) += 5'd(\d+)", dma.read_text(), re.M)
    assert {name.upper(): 4 * int(number) for name, number in rtl} == {
        name: address for name, address in found.items() if name not in ("WORDS", "RESULT")
    }
    driver = unit.driver(CTR)["packets/packet_dma.c"].read_text()
    fields = re.findall(r"^  uint32_t (\w+)(?:\[(\d+)\])?;", driver.partition("};")[0], re.M)
    address = 0
    for name, count in fields:
        assert found.pop(name.upper()) == address
        address += 4 * int(count or 1)
    assert found == {}


def test_bits_of_registers_are_those_of_rtl_and_driver() -> None:
    """Where the RTL has them, what the C takes them for, and what the map says of them."""
    (dma,) = soc.own_files("aes_soc_packet_dma")
    rtl = dma.read_text()
    driver = unit.driver(CTR)["packets/packet_dma.c"].read_text()
    said = {register.name: register.text for register in unit.registers()}
    # STATUS, from the highest bit down.
    (status,) = re.findall(r"RegStatus: begin\s+data_o = \{(.*?)\};", rtl, re.S)
    widths = {"18'h0": 18, "result_user_q": 6, "2'b00": 2}
    at, places = 32, {}
    for name in re.split(r",\s+", status.strip()):
        at -= widths.get(name, 1)
        places[name] = at
    assert at == 0
    read = {
        **{"Key": "key_q", "Desc": "desc_q", "Piece": "in_left_q != '0", "Text": "out_busy_q"},
        **{"Result": "result_valid_q", "Lost": "lost_q"},
    }
    bits = dict(re.findall(r"kStatus(\w+) = 1 << (\d+)", driver))
    assert bits == {name: str(places[signal]) for name, signal in read.items()}
    assert all(f"[{bit}]" in said["STATUS"] for bit in bits.values())
    low = places["result_user_q"]
    assert f"ended >> {low} & {hex(2**6 - 1)};" in driver
    assert f"[{low + 5}:{low}] tuser" in said["STATUS"]
    # What is written: the bits of a word, to their name in C or in the map.
    (forget,) = re.findall(r"RegStatus\) & data_i\[(\d+)\];", rtl)
    assert f"kForget = UINT32_C(1) << {forget};" in driver
    assert f"with [{forget}] all" in said["STATUS"]
    piece = dict(re.findall(r"in_(\w+)_q +<= data_i\[([\d:]+)\];", rtl))
    assert (
        f"kMostBytes = UINT32_C({hex(2 ** (int(piece['left'].split(':')[0]) + 1) - 1)});" in driver
    )
    assert f"kPieceUserShift = {piece['user'].split(':')[1]}," in driver
    assert f"kPieceLast = UINT32_C(1) << {piece['last']};" in driver
    for name, what in (("left", "bytes"), ("user", "its tuser"), ("last", "its last beat")):
        assert f"[{piece[name]}] {what}" in said["PIECE"]


@pytest.mark.parametrize("name", ["gcm", "ccm axi4", "ctr wishbone"])
def test_driver_compiles_as_the_readme_says(name: str, tmp_path: Path) -> None:
    """And the example that the README prints is one of its files."""
    _write(UNITS[name], tmp_path)
    text = (tmp_path / "README.md").read_text()
    (line,) = re.findall(r"^cc .*$", text, re.M)
    status, said = _shell([f"{line} -Wall -Wextra -Werror"], tmp_path)
    assert status == 0, said
    # The clock is all that a program has to bring.
    (tmp_path / "main.c").write_text(
        '#include "packet_port.h"\n'
        "uint64_t packet_clock_us(void) { return 0; }\nint main(void) { return 0; }\n"
    )
    link = ["cc -Idriver/packets -c main.c", "cc -Wl,--no-gc-sections *.o -o program"]
    status, said = _shell(link, tmp_path)
    assert status == 0, said
    (example,) = re.findall(r"```c\n(.*?)```", text, re.S)
    assert (tmp_path / "driver" / unit.EXAMPLE).read_text().endswith(example)
    assert ("aesfab_engine_ctr" in example) == name.startswith("ctr")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"kind": "host system"}, "is not of a packet unit, but of kind 'host system'"),
        ({"bus": "axi-stream"}, "the registers of an engine are not on axi-stream"),
        ({"design": "xts-narrow"}, "'xts-narrow' takes no packets"),
        ({"pipelined": True, "bus": "axi4"}, "only Wishbone"),
        ({"syn": 1}, "does not say 'syn'"),
    ],
)
def test_bad_manifests_are_refused(
    change: dict[str, object], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refuses(host_folder.UnitFolder(CTR, syn=False), change, says)


def test_command_writes_checks_and_makes_anew(aesfab: Cli, tmp_path: Path) -> None:
    words = ("host", "generate", "ctr-narrow", "slots=2", "--bus", "axi4", "--no-syn")
    done = aesfab(*words, "--name", "mine", "--prefix", "own_", "-o", "one", "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["design"], said["module"], said["bus"]) == ("ctr-narrow", "mine", "axi4")
    assert aesfab("host", "generate", "--check", "one").returncode == 0
    assert aesfab("host", "generate", "--from", "one/aesfab.json", "-o", "two").returncode == 0
    for name in said["files"]:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    (tmp_path / "one" / "mine.f").unlink()
    done = aesfab("host", "generate", "--check", "one")
    assert (done.returncode, done.stdout) == (1, "one/mine.f: missing\n")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["xts-narrow"], "'xts-narrow' takes no packets; engines that do: gcm-pipeline-ram, "),
        (["cbc-streams-interleaved-ram"], "takes no packets; engines that do: "),
        (["gcm-narrow", "--width", "64"], "goes without --width"),
        (["gcm-narrow", "--published"], "goes without --published"),
        (["gcm-narrow", "--bus", "memory-slot"], "known: axi-lite, axi4, wishbone"),
        (["gcm-narrow", "slots=5"], "slots"),
        (["ctr-narrow", "--name", "aes_soc_packet_dma"], "a name of AESFab's own RTL"),
        (["ctr-narrow", "--format", "vhdl"], "unknown format 'vhdl'"),
    ],
)
def test_what_is_refused_is_one_line(
    aesfab: Cli, words: list[str], says: str, tmp_path: Path
) -> None:
    done = aesfab("host", "generate", *words, "-o", "folder")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert says in done.stderr
    assert not (tmp_path / "folder").exists()


def test_testbench_has_every_alignment_and_every_kind_of_piece() -> None:
    """And looks at every byte of the RAM that it filled, also after a wrong tag."""
    text = unit_testbench.text(UNITS["gcm"])
    loads, looks = (re.findall(rf"= \{{3'd{step}, (32'h\w+),", text) for step in (1, 5))
    assert loads == looks
    sources = re.findall(r"\{3'd3, 32'h(\w+), 32'h(\w+),", text)
    kinds = {int(command, 16) >> 24 & 3 for _, command in sources}
    assert kinds == {0, 1, 2, 3}
    for kind in kinds:
        places = {int(at, 16) % 4 for at, command in sources if int(command, 16) >> 24 & 3 == kind}
        assert places == {0, 1, 2, 3}
    targets = re.findall(r"\{3'd2, 32'h(\w+),", text)
    assert {int(at, 16) % 4 for at in targets} == {0, 1, 2, 3}
