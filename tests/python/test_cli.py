# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The program as a user meets it: output for scripts, and one line for every mistake."""

from __future__ import annotations

import ast
import contextlib
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import passed
from aesfab import cli, devices, extras, records
from aesfab.cli import output
from aesfab.design import catalogue
from aesfab.design.axes import Architecture
from aesfab.engine import every as engines
from aesfab.folder import generate
from aesfab.measure import implement
from aesfab.verify import wave
from conftest import Cli

KEY = "000102030405060708090a0b0c0d0e0f"


def test_python_runs_the_program_too(aesfab: Cli) -> None:
    """Where the folder of programs is not on the path."""
    for words in (["devices"], ["show", "no-such-design"]):
        done = subprocess.run(
            [sys.executable, "-m", "aesfab", *words], capture_output=True, check=False, text=True
        )
        same = aesfab(*words)
        assert (done.returncode, done.stdout, done.stderr) == (
            same.returncode,
            same.stdout,
            same.stderr,
        )


def test_list_for_scripts(aesfab: Cli) -> None:
    done = aesfab("list", "--json")
    assert done.returncode == 0, done.stderr
    designs = {design["name"]: design for design in json.loads(done.stdout)}
    pilchard = designs["pilchard-unrolled-1"]
    expected = {
        "paper": "pilchard",
        "architecture": "iterative",
        "sbox": "rom",
        "key_bits": 128,
        "direction": "encrypt",
        "key_schedule": "on-the-fly",
        "latency_cycles": 11,
        "interval_cycles": 11,
        "blocks_in_flight": 1,
    }
    assert {name: pilchard[name] for name in expected} == expected
    assert designs["kakarlapudi-sbox-both-any"]["latency_by_key_bits"] == {
        "128": 11,
        "192": 13,
        "256": 15,
    }


@pytest.mark.kept(*passed.PRODUCT)
def test_list_and_show_for_people(aesfab: Cli) -> None:
    listing = aesfab("list").stdout
    assert "kakarlapudi-sbox-both-any" in listing
    assert "11/13/15" in listing
    shown = aesfab("show", "pilchard-unrolled-1", "sbox=table", "key_sbox=table", "rounds=5")
    assert shown.returncode == 0
    assert "rounds 6 to 10 with K6 to K10 -> output register" in shown.stdout
    assert "latency 3, interval 3 clocks" in shown.stdout


@pytest.mark.kept(*passed.PRODUCT)
def test_combinations_say_what_is_legal_and_why_not(aesfab: Cli) -> None:
    found = json.loads(aesfab("list", "--combinations", "--json").stdout)
    keys = ("architecture", "key_schedule", "direction", "key_bits")
    by_keys = {tuple(entry[key] for key in keys): entry for entry in found}
    assert len(by_keys) == len(found) == len(Architecture) * 3 * 3 * 4
    assert all(entry["legal"] == (not entry["reasons"]) for entry in found)
    assert all(entry["legal"] for entry in found if entry["designs"])
    named = by_keys["iterative", "stored", "both", "any"]
    assert "kakarlapudi-sbox-both-any" in named["designs"]
    for bits in (128, 192, 256):
        assert by_keys["pipelined", "stored", "both", bits]["legal"]
        assert by_keys["interleaved", "on-the-fly", "encrypt", bits]["legal"]
    refused = by_keys["pipelined", "on-the-fly", "decrypt", 256]
    assert refused["reasons"] == [
        "on-the-fly keys run forward from the cipher key, so they serve encryption only"
    ]
    listing = aesfab("list", "--combinations").stdout.splitlines()
    assert len(listing) == 1 + len(found) // 4
    loop = next(line for line in listing if line.startswith("interleaved"))
    assert "128 192 256" in loop
    assert "any: " in loop


@pytest.mark.kept(*passed.PRODUCT)
def test_every_design_is_shown(tmp_path: Path) -> None:
    # In this process: a program for each of them would take minutes.
    run = CliRunner().invoke
    nothing = str(tmp_path / "none.jsonl")
    Path(nothing).touch()
    listed = run(cli.app, ["list", "--json", "--records", nothing], catch_exceptions=False)
    names = [design["name"] for design in json.loads(listed.stdout)]
    assert names == [*catalogue.CATALOGUE, *engines.names()]
    for name in catalogue.CATALOGUE:
        done = run(cli.app, ["show", name, "--json", "--records", nothing], catch_exceptions=False)
        shown = json.loads(done.stdout)
        # Over 32-bit ports the latency counts the first clock and the last one.
        clocks = shown["latency_cycles"] + (shown["interface"] == "block")
        assert [row["clock"] for row in shown["schedule"]] == [
            str(clock) for clock in range(clocks)
        ]


@pytest.mark.kept(*passed.PRODUCT)
def test_generate_prints_its_files(aesfab: Cli, tmp_path: Path) -> None:
    done = aesfab("generate", "pilchard-unrolled-1", "-o", "core")
    assert done.returncode == 0, done.stderr
    for line in done.stdout.splitlines():
        assert (tmp_path / line).is_file()


@pytest.mark.kept(*passed.PRODUCT)
def test_folder_is_checked_and_made_anew(aesfab: Cli, tmp_path: Path) -> None:
    options = ["--format", "verilog", "--name", "my_aes", "--prefix", "mine_", "-o", "core"]
    done = aesfab("generate", "pilchard-unrolled-1", *options, "--json")
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert (printed["module"], printed["prefix"]) == ("my_aes", "mine_")
    assert "my_aes.v" in printed["files"]
    done = aesfab("generate", "--check", "core")
    assert done.returncode == 0
    assert done.stdout.startswith("core: as AESFab ")
    (tmp_path / "core" / "extra.sv").write_text("// added\n")
    done = aesfab("generate", "--check", "core")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("core/extra.sv: added, AESFab did not write it\ncore: as AESFab ")
    done = aesfab("generate", "--check", "core", "--json")
    assert json.loads(done.stdout)["added"] == ["extra.sv"]
    (tmp_path / "core" / "extra.sv").unlink()
    (tmp_path / "core" / "my_aes.v").write_text("// changed\n")
    done = aesfab("generate", "--check", "core")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == "core/my_aes.v: changed since it was generated\n"
    done = aesfab("generate", "--check", "core", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["differences"] == {"my_aes.v": "changed since it was generated"}
    assert aesfab("generate", "--from", "core/aesfab.json", "-o", "core", "--force").returncode == 0
    assert json.loads(aesfab("generate", "--check", "core", "--json").stdout)["same"]


@pytest.mark.kept(*passed.PRODUCT)
@pytest.mark.parametrize(
    "engine", ["gcm-tiny", "ccm-tiny", "cbc-streams-interleaved-ram", "xts-tiny"]
)
def test_folder_of_an_engine_is_checked_and_made_anew(
    aesfab: Cli, tmp_path: Path, engine: str
) -> None:
    options = ["slots=8", "--name", "my_engine", "--no-syn", "-o", "one"]
    done = aesfab("generate", engine, *options)
    assert done.returncode == 0, done.stderr
    done = aesfab("generate", "--check", "one")
    assert (done.returncode, done.stderr) == (0, "")
    (tmp_path / "one" / "my_engine.f").unlink()
    done = aesfab("generate", "--check", "one")
    assert (done.returncode, done.stdout) == (1, "one/my_engine.f: missing\n")
    assert aesfab("generate", "--from", "one/aesfab.json", "-o", "two").returncode == 0
    manifest = tmp_path / "two" / "aesfab.json"
    assert manifest.read_text() == (tmp_path / "one" / "aesfab.json").read_text()
    assert aesfab("generate", "--check", "two").returncode == 0
    done = aesfab("host", "generate", "--check", "two")
    assert done.returncode == 2
    assert "is not of a host system, but of kind" in done.stderr
    manifest.write_text(manifest.read_text().replace('"slots": "8"', '"slots": "7"'))
    done = aesfab("generate", "--check", "two")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


@pytest.mark.kept(*passed.PRODUCT)
def test_verify_leaves_evidence_that_list_shows(aesfab: Cli, tmp_path: Path) -> None:
    records = tmp_path / "evidence.jsonl"
    done = aesfab(
        "verify", "pilchard-unrolled-1", "--level", "quick", "--json", "--records", records
    )
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert printed == json.loads(records.read_text())
    assert printed["design"] == "pilchard-unrolled-1"
    assert printed["passed"] is True
    assert printed["failures"] == []
    assert printed["vectors"] == 294
    assert printed["monte_carlo"] > 0
    assert printed["random_blocks"] >= 500
    again = aesfab(
        "verify", "pilchard-unrolled-1", "--level", "quick", "--resume", "--records", records
    )
    assert again.stdout == "pilchard-unrolled-1: passed, as recorded\n"
    listed = json.loads(aesfab("list", "--json", "--records", records).stdout)
    assert {d["name"]: d["verified"] for d in listed}["pilchard-unrolled-1"] == "quick"


@pytest.mark.kept(*passed.PRODUCT)
def test_results_go_to_standard_output_beside_bars(tmp_path: Path) -> None:
    """Of several designs, with a terminal behind standard error alone; each as soon as it ends."""
    terminal, theirs = pty.openpty()
    program = Path(sys.executable).parent / "aesfab"
    names = ["pilchard-unrolled-1", "fab-tiny"]
    words = ["--level", "quick", "--jobs", "2", "--records", "r.jsonl"]
    started = subprocess.Popen(
        [program, "verify", *names, *words], cwd=tmp_path, text=True,
        env={**os.environ, "TERM": "xterm"},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    drawn = b""
    with contextlib.suppress(OSError):  # the end of a terminal
        while piece := os.read(terminal, 4096):
            drawn += piece
    os.close(terminal)
    out, _ = started.communicate(timeout=60)
    assert started.returncode == 0
    assert sorted(line.split(":")[0] for line in out.splitlines()[::2]) == sorted(names)
    assert "passed" not in drawn.decode()
    assert all(f"{name}: random traffic" in drawn.decode() for name in names)
    assert len(records.read(tmp_path / "r.jsonl")) == 2


@pytest.mark.kept(*passed.PRODUCT)
def test_list_speaks_of_the_design_as_it_is_named(aesfab: Cli, tmp_path: Path) -> None:
    """Evidence of its other points, or of another RTL, is not of it; what failed is said."""
    name = "pilchard-unrolled-1"
    # The newest one: evidence of an older RTL may stand before it.
    full = [
        record
        for record in records.shipped("verify")
        if record["design"] == name and record["level"] == "full"
    ][-1]
    other = {
        **full,
        "parameters": {**full["parameters"], "sbox": "tower"},
        "netlist_hash": "0",
        "rtl_hash": "0",
        "passed": False,
    }
    older = {**other, "parameters": full["parameters"]}
    file = tmp_path / "evidence.jsonl"

    def says(*evidence: dict[str, Any]) -> str:
        file.write_text("".join(json.dumps(record) + "\n" for record in evidence))
        listed = json.loads(aesfab("list", "--json", "--records", file).stdout)
        return str({d["name"]: d["verified"] for d in listed}[name])

    assert says(full, other, older) == "full"
    assert says(full, {**full, "level": "quick"}) == "full"
    assert says(older, other) == "stale"
    assert says(other) == "-"
    failed = {**full, "level": "quick", "passed": False}
    assert says(full, failed) == "FAILED"
    assert says(failed, full) == "full"
    assert says({**full, "passed": False}, {**full, "level": "quick"}) == "quick"


@pytest.mark.kept(*passed.PRODUCT)
def test_file_through_the_core_and_back(aesfab: Cli, tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(bytes(range(256)) * 5 + b"tail")
    options = [
        "--design", "kakarlapudi-sbox-both-128", "--set", "sbox=tower", "--mode", "cbc",
        "--key", KEY, "--iv", KEY,
    ]  # fmt: skip
    done = aesfab("encrypt", *options, "plain", "cipher", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["blocks"] == 81
    done = aesfab("decrypt", *options, "cipher", "back")
    assert "81 blocks in" in done.stdout
    assert (tmp_path / "back").read_bytes() == (tmp_path / "plain").read_bytes()


@pytest.mark.kept(*passed.PRODUCT)
def test_waveform_shows_known_answers(aesfab: Cli, tmp_path: Path) -> None:
    """Every block and result of the run is in it, and signals from inside the core."""
    words = ("wave", "pilchard-unrolled-1", "--set", "direction=encrypt", "-o", "x.vcd")
    done = aesfab(*words, "--json")
    assert done.returncode == 0, done.stderr
    dump = (tmp_path / "x.vcd").read_text()
    answers = wave.answers(catalogue.find("pilchard-unrolled-1").design)
    blocks = [
        block
        for answer in answers
        for text in (answer.given, answer.expected)
        for block in (text[at : at + 16] for at in range(0, len(text), 16))
    ]
    said = json.loads(done.stdout)
    assert said["blocks"] == len(blocks) // 2 > 0
    assert said["failures"] == []
    for block in blocks:
        assert f"b{int.from_bytes(block):0128b} " in dump
    assert "$scope module u_core" in dump
    last = [int(line[1:]) for line in dump.splitlines() if line.startswith("#")][-1]
    assert said["clocks"] <= last
    done = aesfab(*words)
    assert done.stdout.count("\n") == 1
    assert done.stdout.endswith("open it with: gtkwave x.vcd\n")
    assert (tmp_path / "x.vcd").read_text() == dump
    refused = aesfab("wave", "pilchard-unrolled-1", "-o", "none/x.vcd")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == "aesfab: cannot write none/x.vcd: No such file or directory\n"


@pytest.mark.kept(*passed.PRODUCT)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["shw"], "No such command 'shw'"),
        (["show"], "Missing argument 'DESIGN'"),
        (["show", "pilchard"], "unknown design 'pilchard'; did you mean pilchard-unrolled-"),
        (["show", "no-such-design"], "unknown design 'no-such-design'; 'aesfab list' shows them"),
        (["show", "gcm-pipelin"], "unknown design 'gcm-pipelin'; did you mean gcm-pipeline or"),
        (
            ["generate", "gcm-narow", "-o", "v"],
            "unknown design 'gcm-narow'; did you mean gcm-narrow",
        ),
        (
            ["encrypt", "in", "out", "--design", "gcm-narow", "--mode", "gcm", "--key", "00" * 16],
            "'gcm-narow'; did you mean gcm-narrow",
        ),
        (
            ["explore", "gcm-foo", "--device", "ecp5-85k"],
            "design 'gcm-foo'; 'aesfab list' shows them",
        ),
        (
            ["show", "pilchard-unrolled-1", "rounds=3"],
            "unknown rounds value '3'; known: 1, 2, 5, 10",
        ),
        (
            ["show", "fab-tiny", "sbox=towr"],
            "unknown sbox value 'towr'; did you mean tower? known: table, rom, tower, shallow, ",
        ),
        (
            ["show", "fab-tiny", "sbox=multiplier"],
            "unknown sbox value 'multiplier'; known: table, rom, tower, shallow, ",
        ),
        (["show", "fab-tiny", "sboxes=rom"], "unknown axis 'sboxes'; did you mean sbox? known: "),
        (["show", "FAB-TINY"], "unknown design 'FAB-TINY'; did you mean fab-tiny"),
        (["implement", "fab-tiny", "--device", "ECP5-85K"], "did you mean ecp5-85k? known: "),
        (["show", "fab-tiny", "fab-narrow"], "axis=value; one design is taken at a time"),
        (["show", "gcm-tiny", "fab-narrow"], "axis=value; one design is taken at a time"),
        (["show", "pilchard-unrolled-1", "rounds=2"], "a block-RAM S-box takes a clock"),
        (["generate", "pilchard-unrolled-1"], "say where to with -o DIR"),
        (["generate", "-o", "core"], "name a design, see 'aesfab list', or give --from or --check"),
        (["generate", "--check", "none"], "cannot read none/aesfab.json"),
        (["generate", "--check", "none", "--force"], "--check goes without --force"),
        (["generate", "--from", "none", "-o", "core", "--name", "x"], "--from goes without --name"),
        (["generate", "--from", "none", "-o", "core"], "cannot read none"),
        (["generate", "fab-tiny", "-o", "core", "--name", "reg"], "'reg' is a keyword"),
        (["generate", "fab-tiny", "-o", "core", "--prefix", "a__"], "'a__' is no prefix"),
        (["host", "generate", "fab-pipeline", "-o", "core", "--name", "reg"], "'reg' is a keyword"),
        (["wave", "fab-tiny"], "Missing option '-o' / '--output'"),
        (["wave", "fab-tin", "-o", "x.vcd"], "unknown design 'fab-tin'"),
        (["wave", "fab-tiny", "-o", "x.vcd", "--set", "sbox=towr"], "unknown sbox value 'towr'"),
        (["wave", "fab-tiny", "-o", "."], "cannot write ."),
        (["wave", "gcm-tiny", "-o", "x.vcd"], "'gcm-tiny' is an engine, and this is for cores"),
        (["host", "generate", "xts-tiny", "-o", "x"], "'xts-tiny' takes no packets; engines that"),
        (["generate", "fab-tiny", "-o", "x", "--name", ""], "--name needs a text"),
        (["host", "generate", "fab-tiny", "-o", "x", "--prefix", ""], "--prefix needs a text"),
        (["generate", "fab-tiny", "-o", "x", "--name", "aes_core"], "a name of AESFab's own RTL"),
        (["generate", "fab-tiny", "clear=no", "clear=yes", "-o", "x"], "clear is given twice"),
        (
            ["generate", "fab-pipeline", "key_bits=any", "-o", "x"],
            "legal with key_bits=128, 192 or 256 in place of any",
        ),
        (["verify", "sbox=rom"], "name a design"),
        (["verify", "pilchard-unrolled-1", "--level", "fast"], "unknown level 'fast'"),
        (["implement", "pilchard-unrolled-1", "--device", "ecp5"], "unknown device 'ecp5'"),
        (
            ["implement", "pilchard-unrolled-1", "--device", "ecp5-25k", "--recipe", "fast"],
            "unknown recipe for ecp5-25k 'fast'",
        ),
        (["implement", "pilchard-unrolled-1", "--device", "ecp5-25k", "--seeds", "-1"], "--seeds"),
    ],
)
def test_mistakes_get_one_line_and_status_2(
    aesfab: Cli, arguments: list[str], message: str
) -> None:
    done = aesfab(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr
    assert done.stderr.startswith("aesfab: ")
    assert done.stderr.count("\n") == 1


def test_a_waveform_on_a_full_disk_ends_in_a_line(tmp_path: Path) -> None:
    """The writer of Verilator alone would try for ever."""
    path = tmp_path / "x.vcd"
    wave.wave(named := catalogue.find("fab-tiny"), generate.sources(named), path)
    path.unlink()
    command = f"{Path(sys.executable).parent}/aesfab wave fab-tiny -o {path}"
    done = subprocess.run(
        ["sh", "-c", f"ulimit -f 64; exec {command}"],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == f"aesfab: cannot write {path}: File too large"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("aesfab gen", {"generate"}),
        ("aesfab show fab-iterative-2", {"fab-iterative-256"}),
        ("aesfab implement fab-tiny --device ecp5-8", {"ecp5-85k"}),
        ("aesfab generate gcm-ti", {"gcm-tiny"}),
        ("aesfab generate fab-tiny sbox_", {"sbox_levels="}),
        (
            "aesfab show fab-tiny key_schedule=stored",
            {"key_schedule=stored", "key_schedule=stored-single"},
        ),
        ("aesfab choose --mode gc", {"gcm"}),
        ("aesfab board show icebr", {"icebreaker"}),
    ],
)
def test_a_shell_can_complete(aesfab: Cli, words: str, offered: set[str]) -> None:
    done = subprocess.run(
        [Path(sys.executable).parent / "aesfab"],
        env={
            **os.environ,
            "_AESFAB_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split()) - 1),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert set(done.stdout.split()) == offered, done.stderr
    assert "--install-completion" in aesfab("--help").stdout


# Parameters whose values come out of a list, by their names in the code.
_LISTED = (
    *("design", "designs", "axes", "overrides", "device", "recipe", "output_format"),
    *("mode", "bus", "level", "paper", "direction", "optimise"),
)


def test_every_listed_value_is_completed() -> None:
    found = set()
    for path, command in _commands(typer.main.get_command(cli.app)):
        for param in command.params:
            if param.name in _LISTED:
                found.add(param.name)
                assert param._custom_shell_complete is not None, f"{path}: {param.name}"
    assert found == set(_LISTED)


@pytest.mark.kept(*passed.PRODUCT)
def test_no_line_of_help_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a terminal of 80 columns, of every command and of every group."""
    monkeypatch.setenv("COLUMNS", "80")

    def walk(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        yield path
        for name, below in getattr(command, "commands", {}).items():
            yield from walk(below, (*path, name))

    paths = list(walk(typer.main.get_command(cli.app), ()))
    assert len(paths) > 25
    for path in paths:
        done = CliRunner().invoke(cli.app, [*path, "--help"])
        assert done.exit_code == 0, path
        for line in done.output.splitlines():
            assert len(line) <= 80, (path, line)
            assert not re.search(r"\w\.\.\.$|\N{HORIZONTAL ELLIPSIS}", line), (path, line)


CTR = ("--design", "pilchard-unrolled-1", "--mode", "ctr", "--key", KEY, "--iv", KEY)
JSON = (
    ("list",),
    ("list", "--combinations"),
    ("show", "fab-tiny"),
    ("devices",),
    ("choose", "--device", "ecp5-25k"),
    ("results", "fab-tiny"),
    ("results", "fab-tiny", "lut<0"),
    ("generate", "fab-tiny", "-o", "core"),
    ("components", "--list"),
    ("explore", "fab-tiny", "--device", "ice40-hx8k", "--dry-run"),
    ("explore", "fab-tiny", "--device", "virtex"),
    ("verify", "fab-tiny", "fab-tiny-ram", "--level", "quick", "--resume"),
    ("verify", "fab-tiny", "--level", "quick", "--resume"),
    ("implement", "fab-tiny", "fab-tiny-ram", "--device", "virtex"),
    ("implement", "fab-tiny", "--device", "virtex"),
    ("wave", "pilchard-unrolled-1", "-o", "x.vcd"),
    ("encrypt", *CTR, __file__, "out"),
    ("decrypt", *CTR, __file__, "out"),
    ("papers", "pilchard"),
    ("classes",),
    ("host", "generate", "fab-tiny", "-o", "system"),
    ("host", "bench"),
    ("board", "list"),
    ("board", "show", "icebreaker"),
)
# What takes longer: the test that reads its document.
JSON_ELSEWHERE = {
    "report": "test_report.py::test_command",
    "demo": "test_cli.py::test_demo_prints_its_figures",
    "board build": "test_board.py::test_command_writes_a_folder",
    "board run": "test_board.py::test_file_through_the_command",
    "board program": "test_board.py::test_loader_is_called",
    "host run": "test_host.py::test_file_through_the_command",
    "host soak": "test_host.py::test_session_leaves_a_record",
    "host soc": "test_host_soc.py::test_command_leaves_a_record_and_the_committed_one_is_true",
}


def _commands(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """All commands of the program, those of groups too: words to command."""
    for name, inner in getattr(command, "commands", {}).items():
        yield from _commands(inner, (*words, name))
    if not hasattr(command, "commands"):
        yield " ".join(words), command


def test_every_command_prints_json() -> None:
    """Each has the option, and a test reads the document that it prints then."""
    found = dict(_commands(typer.main.get_command(cli.app)))
    assert len(found) > 15
    for name, command in found.items():
        assert "--json" in [option for p in command.params for option in p.opts], name
        if name not in JSON_ELSEWHERE:
            assert any(" ".join(words).startswith(name) for words in JSON), name
    for name, test in JSON_ELSEWHERE.items():
        assert name in found
        file, _, function = test.partition("::")
        tree = ast.parse(Path(__file__).with_name(file).read_text())
        functions = {f.name: f for f in tree.body if isinstance(f, ast.FunctionDef)}
        body = ast.unparse(functions[function])
        assert "'--json'" in body, test
        assert "json.loads(" in body, test


def test_demo_prints_its_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    record = {"design": "fab-tiny", "device": "ice40-hx8k", "lut": 3}
    monkeypatch.setattr("aesfab.cli.demo.run", lambda *_, **__: [record])
    done = CliRunner().invoke(cli.app, ["demo", __file__, "--json"], catch_exceptions=False)
    assert json.loads(done.stdout) == [record]


@pytest.mark.kept(*passed.PRODUCT)
@pytest.mark.parametrize("command", JSON, ids=lambda words: " ".join(Path(w).name for w in words))
def test_json_is_one_document(aesfab: Cli, command: tuple[str, ...]) -> None:
    """Of a design an object, of several an array; whatever else is said goes elsewhere."""
    done = aesfab(*command, "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    if command[0] in ("verify", "implement"):
        assert isinstance(said, list) is ("fab-tiny-ram" in command)
        first = said[0] if isinstance(said, list) else said
        assert first["design"] == "fab-tiny"


BOTH = ["--design", "kakarlapudi-sbox-both-128"]
ENC = ["--design", "kakarlapudi-sbox-enc-128"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["encrypt", *BOTH, "--mode", "ecb", "--key", KEY[:-2], "in", "out"], "128"),
        (["encrypt", *BOTH, "--mode", "ecb", "--key", "x" * 32, "in", "out"], "hex"),
        (
            ["encrypt", *BOTH, "--mode", "cts", "--key", KEY, "in", "out"],
            "unknown mode 'cts'; known: ecb, cbc, ctr, cfb, ofb, ccm, cmac, gcm, xts",
        ),
        (
            ["encrypt", *BOTH, "--mode", "cb", "--key", KEY, "in", "out"],
            "did you mean ecb or cfb or cbc",
        ),
        (["encrypt", *BOTH, "--mode", "cbc", "--key", KEY, "in", "out"], "iv"),
        (["encrypt", *BOTH, "--mode", "ecb", "--key", KEY, "none", "out"], "none"),
        (["encrypt", *BOTH, "--mode", "ecb", "--key", KEY, "in", "in"], "in"),
        (["encrypt", *BOTH, "--mode", "ecb", "--key", KEY, "in", "no/out"], "no"),
        (["decrypt", *BOTH, "--mode", "ecb", "--key", KEY, "in", "out"], "16"),
        (["decrypt", *BOTH, "--mode", "ecb", "--key", KEY, "blocks", "out"], "padding"),
        (["decrypt", *ENC, "--mode", "ecb", "--key", KEY, "blocks", "out"], "only encrypts"),
        (
            ["decrypt", *ENC, "--mode", "cbc", "--key", KEY, "--iv", KEY, "blocks", "out"],
            "only enc",
        ),
    ],
)
def test_bad_files_and_keys_leave_no_output(
    aesfab: Cli, tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "in").write_bytes(b"17 bytes are here")
    (tmp_path / "blocks").write_bytes(bytes(32))
    done = aesfab(*arguments)
    assert done.returncode == 2, done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("aesfab: ")]
    assert len(lines) == 1
    assert message in lines[0]
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "data") == [
        "blocks",
        "in",
    ]


# ------------------------------------------------------- devices, explore, results


def test_devices(aesfab: Cli) -> None:
    found = json.loads(aesfab("devices", "--json").stdout)
    assert [device["name"] for device in found] == list(devices.DEVICES)
    text = aesfab("devices").stdout
    for device in devices.DEVICES.values():
        assert device.name in text
        # What a recipe does may differ from device to device.
        for name, recipe in device.recipes.items():
            assert name in text
            assert recipe.summary in text


@pytest.mark.kept(*passed.PRODUCT)
def test_explore_dry_run(aesfab: Cli, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    what = ("explore", "pilchard-unrolled-[12]", "sbox=rom,tower", "--device", "gw2a-18")
    how = ("--seeds", "3", "--records", str(path), "--dry-run")
    facts = json.loads(aesfab(*what, *how, "--json").stdout)
    assert facts["jobs"] == [
        "pilchard-unrolled-1 on gw2a-18",
        "pilchard-unrolled-1 sbox=tower on gw2a-18",
        "pilchard-unrolled-2 sbox=tower on gw2a-18",
    ]
    assert (facts["records"], facts["impossible"], facts["recorded"]) == (3, 1, 0)
    assert (facts["syntheses"], facts["placements"]) == (3, 9)
    assert facts["seconds"] > 0
    slurm = Path(__file__).parents[2] / "docs" / "clusters" / "slurm.yaml"
    text = aesfab(*what, *how, "--cluster", str(slurm)).stdout
    assert "cannot be built: pilchard-unrolled-2 sbox=rom: illegal" in text
    assert "3 syntheses and 9 place-and-route runs" in text
    assert "#SBATCH" in text
    assert not path.exists()


RESULTS = Path(__file__).parents[2] / "results"


@pytest.mark.kept(*passed.PRODUCT)
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("explore", "pilchard-*"), "name a device"),
        (("explore", "--plan", "missing.toml"), "cannot read the plan missing.toml"),
        (("explore", "sbox=rom", "--plan", "x.toml"), "--plan goes without axes and recipes"),
        (("explore", "--scheduler", "a", "--cluster", "b"), "exclude each other"),
        (("explore", "--scheduler", "", "--cluster", "b"), "exclude each other"),
        (("explore", "--plan", "x.toml", "--seeds", "1"), "--plan goes without --seeds"),
        (
            ("explore", "qin-4sm", "sbox=rom", "sbox=table", "--device", "virtex"),
            "sbox is given twice",
        ),
        (
            ("explore", "fab-tiny", "--device", "virtex", "--records", "/proc/r.jsonl"),
            "cannot write records to /proc/r.jsonl",
        ),
        (
            ("implement", "fab-tiny", "--device", "virtex", "--records", "/proc/r.jsonl"),
            "cannot write records to /proc/r.jsonl",
        ),
        (
            ("implement", "qin-4sm", "--device", "7-series", "--flow", "vivado", "--seeds", "2"),
            "--flow goes without --seeds",
        ),
        (("results", "--records", "missing.jsonl"), "missing.jsonl: no such file"),
        (
            ("results", "--records", str(RESULTS / "verify.jsonl")),
            "none of 'implement' or 'explore'",
        ),
        (
            ("results", "--records", str(RESULTS / "components.jsonl")),
            "none of 'implement' or 'explore'",
        ),
        (("implement", "qin-4sm", "--device", "virtex", "-o", "x"), "go with --flow"),
        (("results", "luts<3"), "unknown column 'luts'; did you mean lut"),
        (("results", "--sort", "size"), "unknown column 'size'"),
    ],
)
def test_measuring_without_sense(aesfab: Cli, words: tuple[str, ...], says: str) -> None:
    refused = aesfab(*words)
    assert refused.returncode == 2
    assert says in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


@pytest.mark.kept(*passed.PRODUCT)
def test_results(aesfab: Cli, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    named = catalogue.find("pilchard-unrolled-1")
    for device, lut in (("ecp5-25k", 800), ("virtex", 700)):
        identity = implement.identity(
            *(named, generate.sources(named), devices.find(device), ["default"], [1])
        )
        records.put(
            path,
            {**identity, "stage": "synthesis", "status": "ok", "lut": lut, "ff": 1, "ram": 0,
             "recipe": "default"},
        )  # fmt: skip
    here = ("--records", str(path))
    rows = aesfab("results", "pilchard-*", "--sort", "lut", "--json", *here).stdout
    assert [row["lut"] for row in json.loads(rows)] == [700, 800]
    text = aesfab("results", "device=virtex", "--columns", "device,lut", *here).stdout
    assert text.split() == ["device", "lut", "virtex", "700"]
    out = tmp_path / "t.csv"
    said = aesfab("results", "lut>750", "-o", str(out), *here).stdout
    assert "1 row, " in said
    assert out.read_text().splitlines()[1].startswith("pilchard-unrolled-1,,pilchard,")
    said = aesfab("results", "lut>750", "-o", str(out), "--columns", "lut", "--json", *here).stdout
    assert json.loads(said) == {"file": str(out), "rows": 1, "columns": ["lut"]}


def test_results_are_of_the_rtl_as_it_is(aesfab: Cli, tmp_path: Path) -> None:
    """Those of older RTL are counted, and shown when asked for."""
    path = tmp_path / "r.jsonl"
    named = catalogue.find("pilchard-unrolled-1")
    identity = implement.identity(
        *(named, generate.sources(named), devices.find("virtex"), ["default"], [1])
    )
    now = {**identity, "stage": "synthesis", "status": "ok", "lut": 700, "ff": 1, "ram": 0,
           "recipe": "default"}  # fmt: skip
    older = {**now, "netlist_hash": "older", "rtl_hash": "older"}
    # One of the same measurement too, which came last into the file.
    for record in (now, {**older, "device": "ecp5-25k", "lut": 800}, {**older, "lut": 750}):
        records.put(path, record)
    here = ("--records", str(path), "--json")
    done = aesfab("results", *here)
    assert [row["lut"] for row in json.loads(done.stdout)] == [700]
    assert done.stderr == "aesfab: 2 records of older RTL left out; --all shows them\n"
    done = aesfab("results", "device=ecp5-25k", *here)
    assert json.loads(done.stdout) == []
    assert "aesfab: 1 record of older RTL left out; --all shows it\n" in done.stderr
    done = aesfab("results", "--all", *here)
    assert ([row["lut"] for row in json.loads(done.stdout)], done.stderr) == ([700, 800, 750], "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["fab-tinny"], "unknown design 'fab-tinny'; did you mean fab-tiny"),
        (["zzz*", "device=nope"], "unknown design 'zzz*'; 'aesfab list' shows them"),
        (["design=fab-tiny,zzz*"], "unknown design 'zzz*'; "),
        (["fab-tiny", "device=ecp5-58k"], "unknown device 'ecp5-58k'; did you mean ecp5-85k"),
        (["device=nope-*"], "unknown device 'nope-*'; known: "),
    ],
)
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_results_of_nothing_are_refused(
    words: list[str], said: str, form: list[str], aesfab: Cli
) -> None:
    done = aesfab("results", *words, *form)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"aesfab: {said}")


@pytest.mark.parametrize(
    ("number", "words", "said"),
    [
        (0, ["row"], "0 rows"),
        (1, ["row"], "1 row"),
        (2, ["row"], "2 rows"),
        (1, ["synthesis", "syntheses"], "1 synthesis"),
        (3, ["synthesis", "syntheses"], "3 syntheses"),
    ],
)
def test_one_is_no_plural(number: int, words: list[str], said: str) -> None:
    assert output.many(number, *words) == said


def test_a_plan_of_one_record_is_told(aesfab: Cli) -> None:
    done = aesfab("explore", "fab-tiny", "--device", "virtex", "--force", "--dry-run")
    assert "1 record to make from 1 synthesis and 0 place-and-route runs; " in done.stdout


def test_every_row_of_combinations_has_a_last_column(aesfab: Cli) -> None:
    head, *rows = aesfab("list", "--combinations").stdout.splitlines()
    column = head.index("why no others")
    assert rows
    assert all(row[column:].strip() for row in rows)


def test_list_takes_names_and_patterns(aesfab: Cli) -> None:
    def named(*patterns: str) -> list[str]:
        return [each["name"] for each in json.loads(aesfab("list", *patterns, "--json").stdout)]

    assert named("gcm-tiny", "fab-tin*") == [
        *(name for name in catalogue.CATALOGUE if name.startswith("fab-tin")),
        "gcm-tiny",
    ]
    done = aesfab("list", "xts-*")
    assert done.stdout.startswith("engine of sectors ")
    assert "\n\n" not in done.stdout
    done = aesfab("list", "FAB-TINY")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("aesfab: unknown design 'FAB-TINY'; did you mean fab-tiny")
    assert aesfab("list", "--combinations", "fab-*").returncode == 2


def test_list_makes_nothing(tmp_path: Path) -> None:
    """What keeps it quick: no big package, no run of a tool, nothing made for the cache.

    Every netlist hash that it needs came with the program.
    """
    code = """
import contextlib, sys
ran = []
sys.addaudithook(lambda name, _: ran.append(name) if name == "subprocess.Popen" else None)
from aesfab.cli import main
sys.argv[1:] = ["list"]
with contextlib.suppress(SystemExit): main()
print(*ran, *sys.modules, file=sys.stderr)
"""
    cache = tmp_path / "cache"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "AESFAB_CACHE": str(cache)},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    loaded = set(done.stderr.split())
    assert "aesfab.cli.designs.listing" in loaded
    assert "subprocess.Popen" not in loaded
    assert not cache.exists()
    brought = {each for extra in extras.EXTRAS for name in extras.modules(extra)
               for each in name.split("/")}  # fmt: skip
    heavy = {*brought, "pyslang", "numpy", "pandas", "asyncio", "multiprocessing"}
    heavy |= {f"aesfab.{name}" for name in ("choosing", "verify.bench", "verify.vectors")}
    assert not heavy & loaded


@pytest.mark.parametrize(
    ("place", "home"), [("/proc/x", None), (None, "/nonexistent"), ("/dev/null", None)]
)
def test_who_reads_needs_no_cache(place: str | None, home: str | None, tmp_path: Path) -> None:
    """What takes seconds is then made each time, which is said once."""
    keep = {name: value for name, value in os.environ.items()
            if not name.startswith(("XDG_", "AESFAB_CACHE"))}  # fmt: skip
    given = {"AESFAB_CACHE": place} if place else {"HOME": str(home)}
    if home and os.access("/", os.W_OK):
        given["HOME"] = "/proc/nonexistent"

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        program = Path(sys.executable).with_name("aesfab")
        return subprocess.run(
            [program, *words], cwd=tmp_path, env={**keep, **given},
            capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip

    done = run("list")
    assert (done.returncode, done.stderr) == (0, "")
    done = run("show", "fab-tiny", "sbox=tower")
    assert done.returncode == 0
    assert "core rtl/" in done.stdout
    (line,) = done.stderr.splitlines()
    assert line.startswith("aesfab: cannot write to the cache /")
    done = run("generate", "fab-tiny", "-o", "core", "--no-syn")
    assert (done.returncode, len(done.stderr.splitlines())) == (0, 1)


def test_a_long_elaboration_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After some seconds, and then now and then; what has progress of its own is not."""
    clock = iter(range(0, 1000, 2))
    monkeypatch.setattr("aesfab.cli.time.monotonic", lambda: float(next(clock)))
    patience = cli._Patience()
    for kind in ("models", "netlists", "needed"):
        patience(kind)
    assert capsys.readouterr().err == ""
    for _ in range(4):
        patience("netlists")
    lines = capsys.readouterr().err.splitlines()
    assert [re.findall(r"\d+", line) for line in lines] == [["2"], ["4"]]
    assert all("elaborating" in line for line in lines)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["implement", "fab-tiny", "--seeds", "0,1"],
         "--seeds: '0,1' is no whole number; it is: how many place-and-route seeds"),
        (["implement", "fab-tiny", "--seeds", "-1"], "--seeds: '-1' is less than 0; it is: "),
        (["implement", "fab-tiny", "--timeout", "soon"], "--timeout: 'soon' is no number; "),
        (["devices", "ecp5-*"],
         "Got unexpected extra argument(s) (ecp5-*); 'aesfab devices --help' says what"),
        (["verify", "fab-tiny", "--seed", "x"], "--seed: 'x' is no whole number; it is: of "),
    ],
)  # fmt: skip
def test_a_bad_number_is_told_with_what_it_is(words: list[str], said: str, aesfab: Cli) -> None:
    done = aesfab(*words)
    assert done.returncode == 2
    assert done.stderr.startswith(f"aesfab: {said}")


@pytest.mark.kept(*passed.PRODUCT)
def test_implement_says_what_it_would_do(aesfab: Cli, tmp_path: Path) -> None:
    words = ("implement", "fab-tiny", "fab-byte", "--device", "ecp5-85k", "--seeds", "1")
    path = tmp_path / "r.jsonl"
    named = catalogue.find("fab-tiny")
    identity = implement.identity(
        *(named, generate.sources(named), devices.find("ecp5-85k"), ["default"], [1])
    )
    records.put(path, {**identity, "status": "ok", "lut": 1})
    before = path.read_bytes()
    done = aesfab(*words, "--dry-run", "--records", path)
    assert done.stdout.splitlines() == [
        "fab-tiny on ecp5-85k, default, 1 seed: recorded",
        "fab-byte on ecp5-85k, default, 1 seed: to measure",
    ]
    said = json.loads(aesfab(*words, "--dry-run", "--force", "--records", path, "--json").stdout)
    assert [each["recorded"] for each in said] == [False, False]
    assert path.read_bytes() == before


def test_a_command_imports_its_own_module_and_no_other_one() -> None:
    """What makes `aesfab list` quick."""
    code = (
        "import contextlib, sys\nfrom aesfab.cli import main\nsys.argv[1:] = ['list']\n"
        "with contextlib.suppress(SystemExit): main()\n"
        "print(*(name for name in sys.modules if name.startswith('aesfab.')), file=sys.stderr)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    groups = {name.rpartition(".")[0] for name in cli._COMMANDS.values()}
    imported = {group for group in groups if f"aesfab.cli.{group}" in ran.stderr.split()}
    assert imported == {"designs.listing"}
    assert not {"aesfab.board", "aesfab.host", "aesfab.study.papers"} & set(ran.stderr.split())
