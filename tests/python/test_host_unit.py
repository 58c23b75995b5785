# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The folder of a packet unit as a user has it: on its buses, in both formats, by its README."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
import yaml

import passed
from aesfab.errors import AesfabError
from aesfab.folder import manifest
from aesfab.host import folder as host_folder
from aesfab.host import packets, soc, unit, unit_testbench
from aesfab.host.system import Bus
from aesfab.host.unit import Unit
from conftest import Cli, needed
from test_host_folder import _commands, _shell

pytestmark = pytest.mark.kept(
    "src/aesfab/host",
    "src/aesfab/measure",
    "host",
    *passed.HOSTS,
    *passed.ENGINES,
    cores_of=("gcm-narrow", "ccm-narrow", "ctr-narrow", "gcm-interleaved-ram"),
)

UNITS = {
    "gcm": Unit(packets.find("gcm-narrow")),
    "gcm verified": Unit(packets.find("gcm-narrow", ("release=verified", "release_depth=16"))),
    "ccm axi4": Unit(packets.find("ccm-narrow"), Bus.AXI4),
    "ctr wishbone": Unit(packets.find("ctr-narrow"), Bus.WISHBONE),
    "ctr pipelined": Unit(packets.find("ctr-narrow"), Bus.WISHBONE, pipelined=True),
}
CTR = UNITS["ctr wishbone"]


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
    ("old", "new", "says"),
    [
        (r"\.s_key_tdata_i\(key\[", ".s_key_tdata_i(~key[", "words from"),
        (r"\.ram_data_i\(ram_data_i\)(?!.*\.ram_data_i)", ".ram_data_i(~ram_data_i)", "words from"),
        (r"\.out_ready\b|\.m_data_tready_i\(out_ready\)", ".m_data_tready_i(1'b0)", "no end"),
        (r"(assign ram_addr_o = )", r"\1 30'd1 ^ ", "is"),
        (r"32'h01", "32'h03", "register 001c is"),
    ],
)
def test_testbench_finds_faults(old: str, new: str, says: str, tmp_path: Path) -> None:
    needed("Icarus Verilog", "ICARUS", "iverilog", "iverilog")
    _write(CTR, tmp_path, "verilog")
    path = tmp_path / f"{CTR.module}.v"
    text = path.read_text()
    broken = re.sub(old, new, text, flags=re.S)
    assert broken != text
    path.write_text(broken)
    status, said = _shell(_commands(tmp_path, "Icarus Verilog"), tmp_path)
    assert status != 0
    assert says in said, said[-2000:]
    assert "PASS" not in said


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
    _write(CTR, tmp_path, output_format)
    module = CTR.module
    core = yaml.safe_load((tmp_path / f"{module}.core").read_text().partition("\n")[2])
    flags = " ".join(core["targets"]["lint"]["flow_options"]["verilator_options"])
    lint = f"$VERILATOR --lint-only --top-module {module} {flags} -f {module}.f"
    for lines in ([lint], _commands(tmp_path, "Verilator")):
        status, said = _shell(lines, tmp_path, VERILATOR=program)
        assert status == 0, said[-2000:]
    assert "PASS: 8 packets" in said


@pytest.mark.parametrize("output_format", ["systemverilog", "verilog"])
def test_folder_is_whole(output_format: str, tmp_path: Path) -> None:
    """What it speaks of is there, names inside are its own, and its manifest makes it anew."""
    of = Unit(packets.find("gcm-interleaved-ram"), top="my_unit")
    written = _write(of, tmp_path / "one", output_format)
    texts = {str(name): (tmp_path / "one" / name).read_text() for name in written}
    for name, text in texts.items():
        for found in re.findall(
            r"(?<![\w/*.])(?:docs|rtl|tools|tests|host|driver|tb)/[\w/]+\.\w+", text
        ):
            assert name == "LICENSE" or found in texts, f"{name} speaks of {found}"
    if output_format == "systemverilog":
        rtl = "".join(text for name, text in texts.items() if name.endswith(".sv"))
        declared = re.findall(r"^(?:module|package|interface) (\w+)", rtl, re.M)
        assert declared
        assert all(re.match(r"(tb_)?my_unit", name) for name in declared)
    assert json.loads(texts[manifest.FILE])["kind"] == "packet unit"
    assert host_folder.UnitFolder.differences(tmp_path / "one") == {}
    host_folder.read(tmp_path / "one" / manifest.FILE).write(tmp_path / "two", False)
    for name, text in texts.items():
        assert (tmp_path / "two" / name).read_text() == text
    (tmp_path / "one" / "README.md").write_text("mine")
    assert host_folder.UnitFolder.differences(tmp_path / "one") == {
        "README.md": "changed since it was generated"
    }


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


@pytest.mark.parametrize("name", ["gcm", "ccm axi4", "ctr wishbone"])
def test_driver_compiles_as_the_readme_says(name: str, tmp_path: Path) -> None:
    """And the example that the README prints is one of its files."""
    _write(UNITS[name], tmp_path)
    text = (tmp_path / "README.md").read_text()
    (line,) = re.findall(r"^cc .*$", text, re.M)
    status, said = _shell([f"{line} -Wall -Wextra -Werror"], tmp_path)
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
def test_bad_manifests_are_refused(change: dict[str, object], says: str, tmp_path: Path) -> None:
    _write(CTR, tmp_path)
    path = tmp_path / manifest.FILE
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(AesfabError, match=says) as caught:
        host_folder.UnitFolder.differences(tmp_path)
    assert caught.value.exit_status == 2
    assert "\n" not in str(caught.value)


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
    text = unit_testbench.text(UNITS["gcm"])
    sources = re.findall(r"\{3'd3, 32'h(\w+), 32'h(\w+),", text)
    kinds = {int(command, 16) >> 24 & 3 for _, command in sources}
    assert kinds == {0, 1, 2, 3}
    for kind in kinds:
        places = {int(at, 16) % 4 for at, command in sources if int(command, 16) >> 24 & 3 == kind}
        assert places == {0, 1, 2, 3}
    targets = re.findall(r"\{3'd2, 32'h(\w+),", text)
    assert {int(at, 16) % 4 for at in targets} == {0, 1, 2, 3}
