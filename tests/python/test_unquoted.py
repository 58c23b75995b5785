# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""``syn/`` of engines, host systems and cores without figures; areas are those of ``implement``."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyosys  # type: ignore[import-untyped]
import pytest

import passed
from aesfab import devices
from aesfab.design import catalogue
from aesfab.devices import DEVICES
from aesfab.engine import catalogue as engines
from aesfab.engine import hdl
from aesfab.engine.folder import Folder as EngineFolder
from aesfab.folder import generate as core_generate
from aesfab.hdl import canonical
from aesfab.host import folder as host_folder
from aesfab.host.system import Bus, System
from aesfab.measure import harness, implement, own, scripts
from conftest import Cli
from test_scripts import _OTHER_NEXTPNR, NATIVE

ENGINE = engines.find("gcm-tiny", ["slots=32"])  # a point without records
SYSTEM = System(catalogue.CATALOGUE["fab-tiny"], Bus.WISHBONE, depth=16)


def _run(folder: Path, device: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The script of a device, with the native Yosys of the figures, which knows no AESFab."""
    native = folder / "native"
    where = Path(pyosys.__file__).parents[1]
    (folder / "native.py").write_text(NATIVE)
    native.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S {folder}/native.py {where} "$@"\n')
    native.chmod(0o755)
    return subprocess.run(
        ["sh", f"syn/{device}.sh"],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "YOSYS": str(native), **environment},
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )


def _area(record: dict[str, object]) -> str:
    return " ".join(f"{name}={record[name]}" for name in ("lut", "ff", "ram"))


def _same_area(folder: Path, device: str, subject: implement.Subject, sources: list[Path]) -> None:
    """What the script of a folder prints is what is measured."""
    frame = harness.generate(subject.module, subject.design.ports())
    contents = implement.read_sources(sources)
    measured, _ = implement.synthesise(
        subject.module, contents, devices.find(device), "default", frame
    )
    assert measured["status"] == "ok", measured["log_tail"]
    done = _run(folder, device, SEEDS="")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{_area(measured)} mhz=-\nquoted: nothing\n"


def _check(
    folder: Path, device: str, subject: implement.Subject, of: list[Path]
) -> tuple[str, Callable[[], None]]:
    """The identity of the check of a folder, and the check."""
    texts = [path.read_text() for path in sorted((folder / "syn").rglob("*")) if path.is_file()]
    identity = passed.of_synthesis(devices.find(device), repr([texts, NATIVE]), _run, _same_area)
    return identity, lambda: _same_area(folder, device, subject, of)


@pytest.mark.parametrize("device", ["ice40-hx8k", "ecp5-25k"])
def test_area_of_an_engine_is_that_of_implement(device: str, tmp_path: Path) -> None:
    EngineFolder(ENGINE, syn=True).write(tmp_path, force=False)
    what = f"{ENGINE.name} {device} unquoted"
    passed.once(what, *_check(tmp_path, device, ENGINE, hdl.sources(ENGINE)))


def test_area_of_a_host_system_is_that_of_the_users_own_design(tmp_path: Path) -> None:
    """Of the RTL in the folder, as ``implement --top --sources`` takes it."""
    host_folder.generate(SYSTEM, tmp_path, syn=True)
    files = own.source_files([tmp_path / f"{SYSTEM.module}.f"])
    subject = own.find(SYSTEM.module, files, "clk_i")
    passed.once("host system unquoted", *_check(tmp_path, "ecp5-25k", subject, files))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is elaborated."""
    empty = canonical.Netlist("", {}, {})
    monkeypatch.setattr(scripts, "_netlists", lambda *_: (empty, ""))


@pytest.mark.usefixtures("quick")
def test_every_device_has_its_script_and_nothing_is_quoted(tmp_path: Path) -> None:
    for folder in (EngineFolder(ENGINE, syn=True), host_folder.Folder(SYSTEM, syn=True)):
        place = tmp_path / type(folder).__module__
        folder.write(place, force=False)
        readme = (place / "README.md").read_text()
        assert "No figures are quoted" in readme
        assert scripts.ROW in readme
        (line,) = re.findall(r"^sh syn/.*\.sh$", readme, re.M)
        assert (place / line.split()[1]).exists()
        for name in DEVICES:
            assert f"`{name}`" in readme
            script = place / "syn" / f"{name}.sh"
            text = script.read_text()
            assert "tools=''\n" in text
            assert re.findall("quoted=.*", text) == ["quoted=''"]
            helped = _run(place, name, SEEDS="").stderr
            assert "unknown recipe" not in helped
            done = subprocess.run(
                ["sh", script, "--help"], capture_output=True, text=True, check=True
            )
            assert "No figures of" in done.stdout
            assert "the quoted" not in done.stdout


@pytest.mark.usefixtures("quick")
def test_a_core_without_records_has_the_scripts_too() -> None:
    """And its data sheet says that nothing is quoted."""
    point = catalogue.find("fab-tiny", ["sbox_levels=2"])
    for named, quotes in ((point, False), (catalogue.find("fab-tiny"), True)):
        files = core_generate.Folder(named, syn=True).contents()
        sheet = files["README.md"]
        assert ("No figures are quoted" in sheet) != quotes
        assert (scripts.ROW in sheet) != quotes
        assert ("the figures again" in sheet) == quotes
        assert ("| `syn/` |" in sheet) == ("syn/flow.sh" in files) is True
        assert {f"syn/{name}.sh" for name in DEVICES} <= set(files)
        assert all(f"`{name}`" in sheet for name in DEVICES)
        of_device = {name: files[f"syn/{name}.sh"] for name in DEVICES}
        quoted = {name for name, text in of_device.items() if "the data sheet again" in text}
        assert bool(quoted) == quotes
        assert "gw5a-25" not in quoted
        without = core_generate.Folder(named, syn=False).contents()
        assert not any(name.startswith("syn/") for name in without)
        assert "pip install 'aesfab[verilog]'" in without["README.md"]


@pytest.mark.usefixtures("quick")
def test_a_clock_is_the_median_of_the_seeds(tmp_path: Path) -> None:
    host_folder.generate(SYSTEM, tmp_path, syn=True)
    other, yosys = tmp_path / "nextpnr", tmp_path / "yosys"
    other.write_text(f"#!/bin/sh\n{_OTHER_NEXTPNR}\n")
    yosys.write_text(
        "#!/bin/sh\ncase $3 in harness.ys) echo a >design.json;; *) echo b >core.json;; esac\n"
    )
    for path in (other, yosys):
        path.chmod(0o755)
    for seeds, clock in (("1", "41.50"), ("1 2", "42.00"), ("3 2", "42.50")):
        done = _run(tmp_path, "ice40-hx8k", SEEDS=seeds, NEXTPNR=str(other), YOSYS=str(yosys))
        assert done.stdout == f"lut=0 ff=0 ram=0 mhz={clock}\nquoted: nothing\n"
    done = _run(tmp_path, "ice40-hx8k", SEEDS="3", NEXTPNR=str(other), YOSYS=str(yosys))
    assert (done.returncode, done.stdout.split()[3]) == (1, "mhz=-")


def test_without_scripts_the_readme_says_where_they_come_from(aesfab: Cli, tmp_path: Path) -> None:
    for words in (("generate", "gcm-tiny"), ("host", "generate", "fab-tiny")):
        done = aesfab(*words, "--no-syn", "-o", words[-1])
        assert done.returncode == 0, done.stderr
        assert not (tmp_path / words[-1] / "syn").exists()
        assert "pip install 'aesfab[verilog]'" in (tmp_path / words[-1] / "README.md").read_text()
    read, _ = host_folder.Folder.read(tmp_path / "fab-tiny" / "aesfab.json")
    assert read.syn is False
    assert aesfab("host", "generate", "--check", "fab-tiny").returncode == 0
