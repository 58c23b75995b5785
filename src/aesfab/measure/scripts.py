# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Area and clock of a folder by scripts for plain Yosys and nextpnr: its ``syn/``.

Who has a folder and the tools of the records gets the quoted area to the last cell, and a clock of
the quoted range, without AESFab: ``sh syn/DEVICE.sh RECIPE``. With other tools the script goes the
same way and prints what differs. For a device of which nothing is quoted there is the plain flow.

In ``syn`` are

- ``DEVICE.sh`` for each device: its recipes, what is quoted of each, how nextpnr is started;
- ``flow.sh``, which all of them read, and ``finish.py`` (``eda.finish``), for recipes that do
  something that Yosys does not;
- ``core.il`` and ``harness.il``: the canonical netlist of the core, from which areas follow to the
  cell, and the harness around it, which needs a reader of SystemVerilog otherwise;
- ``DEVICE/`` with the scripts for Yosys (``RECIPE.ys``, ``harness.ys``), the files that they and
  nextpnr read, the price of each cell (``cells.txt``) and the floorplan (``plan.json``).
"""

from __future__ import annotations

import dataclasses
import json
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from aesfab import records
from aesfab.design.ports import Port
from aesfab.devices import DEVICES, Device
from aesfab.eda import finish, yosys
from aesfab.hdl import canonical, fingerprint, roles
from aesfab.measure import floorplan, harness, implement
from aesfab.records import Record
from aesfab.system import cache, process

FOLDER = "syn"
"""The folder of these files in that of a core."""

MAPPED, FRAMED = "core.json", "design.json"
"""What the scripts of Yosys write: the mapped core, and that in its harness."""

ROW = f"| `{FOLDER}/` | area and clock, with plain Yosys and nextpnr |\n"
"""The line of these files in the table of a README that quotes no figures."""

SEEDS = (1, 2, 3)
"""Seeds of place and route where no clock is quoted."""

_HARNESS = "harness.il"
_LICENSE = "# Copyright AESFab contributors.\n# SPDX-License-Identifier: Apache-2.0\n"


def reproducible(rows: Iterable[Record]) -> list[Record]:
    """Those of the rows of a data sheet (``records.quoted``) that a script can take again.

    An area was measured, and this AESFab has the device and the recipe.
    """
    return [
        row
        for row in rows
        if row.get("lut") is not None
        and row["device"] in DEVICES
        and row["recipe"] in DEVICES[row["device"]].recipes
    ]


def is_exact(row: Record) -> bool:
    """Whether the figures of a row were taken as the scripts take them, so that they are the same.

    Those of an earlier flow are of a netlist in another order, and differ by some cells.
    """
    return bool(row.get("flow") == implement.FLOW)


def command(row: Record) -> str:
    """The line for a shell in the folder that takes the figures of a row again."""
    return f"sh {FOLDER}/{row['device']}.sh {row['recipe']}"


def files(
    module: str,
    ports: Sequence[Port],
    sources: Sequence[Path],
    rows: Iterable[Record],
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, str]:
    """The files of ``syn``, by their names in the folder.

    Args:
        module: the top module, on the clock ``clk_i``.
        ports: its ports.
        sources: its SystemVerilog files, packages first.
        rows: what is quoted (``records.quoted``); none for what has no figures.
        progress: hears of what takes time.

    Raises:
        AesfabError, ToolError: as ``yosys.canonical``; they are elaborated once and then kept in
        the user's cache.
    """
    of_device: dict[str, list[Record]] = {}
    for row in reproducible(rows):
        of_device.setdefault(row["device"], []).append(row)
    for device in DEVICES.values():
        group = of_device.setdefault(device.name, [])
        if all(row["recipe"] != records.PLAIN for row in group):
            group.append(_plain(device))
    netlist, frame = _netlists(module, ports, sources, progress)
    found = {yosys.CANONICAL: netlist.text, "flow.sh": _flow()}
    for name, group in of_device.items():
        device = DEVICES[name]
        found[f"{name}.sh"] = _script(device, module, group)
        inside = _of_device(device, module, [row["recipe"] for row in group], netlist)
        found |= {f"{name}/{file}": text for file, text in inside.items()}
        if device.place_and_route:
            found[_HARNESS] = frame
        if any(_steps(device, row["recipe"]) for row in group):
            found["finish.py"] = Path(finish.__file__).read_text()
    return {f"{FOLDER}/{name}": text for name, text in found.items()}


NAMES = ", ".join(f"`{name}`" for name in DEVICES)
"""The devices that there is a script for, in Markdown."""


def section(with_scripts: bool) -> str:
    """Markdown for the README of a folder that quotes nothing: how to measure."""
    if not with_scripts:
        return """
## Area and clock

No figures are quoted. Folders that `aesfab` writes where Yosys is installed
(`pip install 'aesfab[verilog]'`) have scripts that measure, in `syn/`.
"""
    return f"""
## Area and clock

No figures are quoted. With Yosys and, for the clock, nextpnr, a script for each device measures:

```sh
sh {FOLDER}/ecp5-25k.sh
```

It prints `lut=N ff=N ram=N mhz=N`; `--help` says what it takes. Devices:
{NAMES}.
"""


def _plain(device: Device) -> Record:
    """The plain flow of a device as a row without figures."""
    return {"device": device.name, "recipe": records.PLAIN, "status": implement.OK, "lut": None}


def _netlists(
    module: str, ports: Sequence[Port], sources: Sequence[Path], progress: Callable[[str], None]
) -> tuple[canonical.Netlist, str]:
    """The canonical netlist of a core, and the RTLIL of its harness, from the cache or made now."""
    frame = harness.generate(module, ports)
    code = [Path(str(each.__file__)) for each in (canonical, fingerprint, roles)]
    key = process.content_key(*yosys.elaboration(), code, module, frame.text, list(sources))

    def make() -> str:
        progress(f"elaborating {module} for the scripts of its figures")
        netlist = yosys.canonical(sources, module, progress)
        with yosys.workspace() as (folder, _):
            (folder / "harness.sv").write_text(frame.text)
            commands = [yosys.read_command(["harness.sv"], harness.TOP), f"write_rtlil {_HARNESS}"]
            yosys.run_script(commands, what=f"harness of {module}", cwd=folder, outputs=[_HARNESS])
            lines = (folder / _HARNESS).read_text().splitlines(keepends=True)
        # Without what says which build of Yosys wrote it.
        around = "".join(line for line in lines if not line.startswith("#"))
        return json.dumps([dataclasses.asdict(netlist), around])

    netlist, around = json.loads(cache.text("canonical", key, make))
    return canonical.Netlist(**netlist), around


def _flow() -> str:
    return Path(__file__).with_name("flow.sh").read_text()


def _steps(device: Device, recipe: str) -> list[str]:
    """The steps of ``finish.py`` that a recipe has."""
    chosen = device.recipe(recipe)
    placed = chosen.floorplan and device.place_and_route and device.fabric is not None
    return [*(["registers"] if chosen.output_registers else []), *(["places"] if placed else [])]


def _of_device(
    device: Device, module: str, recipes: Iterable[str], netlist: canonical.Netlist
) -> dict[str, str]:
    """The files of one device, name to text."""
    found: dict[str, str] = {}

    def put(more: Mapping[str, str]) -> None:
        for name, text in more.items():
            if found.setdefault(name, text) != text:
                raise ValueError(f"two recipes of {device.name} have another '{name}' each")

    for recipe in recipes:
        chosen = device.recipe(recipe)
        put(chosen.files)
        put({f"{recipe}.ys": _lines(yosys.mapping(chosen, module, MAPPED))})
        plan = floorplan.plan(device, netlist)
        if "places" in _steps(device, recipe) and plan is not None:
            put({"plan.json": json.dumps(dataclasses.asdict(plan)) + "\n"})
    if device.place_and_route:
        around = harness.mapping(device, module, f"read_rtlil {_HARNESS}", MAPPED, FRAMED)
        put({"harness.ys": _lines(around), **device.files})
    prices = [f"{kind} {c.lut} {c.ff} {c.ram}" for kind, c in sorted(device.cells.items())]
    put({"cells.txt": _lines(prices)})
    return found


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _script(device: Device, module: str, rows: Sequence[Record]) -> str:
    """``DEVICE.sh``: what ``flow.sh`` needs to know of the device and of what is quoted."""
    quoted = [row for row in rows if row["lut"] is not None]
    best = records.headline(quoted)
    order = sorted(rows, key=lambda row: row is not best)
    tools = dict.fromkeys(tool for row in order for tool in row.get("tools", {}).values())
    part = " ".join(filter(None, (device.part, device.package, device.speed)))
    what = "the figures of the data sheet again" if quoted else "area and clock"
    cases = "".join(_case(device, row) for row in order)
    return f"""\
#!/bin/sh
{_LICENSE}#
# {module} on {device.name} ({part}): {what}.
# sh {device.name}.sh --help says what it takes.

top={module}
harness={harness.TOP}
device={device.name}
nextpnr={device.nextpnr}
recipes='{" ".join(row["recipe"] for row in order)}'
tools={shlex.quote(", ".join(tools))}

# Of a recipe what is quoted, LUTs, flip-flops, block RAMs and MHz, and the range of the clock; its
# seeds, the steps of finish.py, and the options of nextpnr.
choose() {{
  case $1 in
{cases}  esac
}}

# shellcheck disable=SC2086
place() {{
  "$NEXTPNR" {shlex.join(device.arguments)} $options "$@"
}}

case $0 in
  */*) here=${{0%/*}} ;;
  *) here=. ;;
esac
. "$here/flow.sh"
"""


def _case(device: Device, row: Record) -> str:
    fmax = row.get("fmax_mhz") or {}
    median = f"{fmax['median']:.2f}" if fmax else "-"
    figures = limits = ""
    notes: list[str] = []
    seeds = [str(seed) for seed in SEEDS]
    if row["lut"] is not None:
        figures = " ".join([*(str(row[name]) for name in ("lut", "ff", "ram")), median])
        limits = f"{fmax['min']:.2f} {fmax['max']:.2f}" if fmax else ""
        notes = _notes(row)
        seeds = list(fmax.get("seeds", ()))
    return f"""\
    {row["recipe"]})
      quoted='{figures}'
      range='{limits}'
      note={shlex.quote("; ".join(notes))}
      seeds='{" ".join(seeds)}'
      steps='{" ".join(_steps(device, row["recipe"]))}'
      options='{" ".join(device.recipe(row["recipe"]).arguments)}'
      ;;
"""


def _notes(row: Record) -> list[str]:
    """What is to be known of a quoted figure."""
    return [
        *([str(row["status"])] if row["status"] != implement.OK else []),
        *([] if is_exact(row) else ["mapped from the RTL and not from core.il"]),
    ]
