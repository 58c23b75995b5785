# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Measuring a design on a device: synthesis, place and route, a record.

For each recipe the core is mapped once, alone and flattened: that is its area. The same netlist
then goes into the harness (``harness``) unchanged and is placed and routed with every seed: that
is its clock frequency. So both figures are those of one netlist.

``implement`` does all of that here. ``synthesise``, ``place`` and ``assemble`` are its steps, which
take and return values only, so that they can run on different machines (``explore``).
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

from aesfab import records
from aesfab.design.ports import Port
from aesfab.devices import COLUMNS, Device
from aesfab.eda import nextpnr, yosys
from aesfab.errors import AesfabError, ToolError
from aesfab.hdl import canonical
from aesfab.measure import floorplan, harness
from aesfab.records import Record
from aesfab.system import process

FLOW = 3
"""Number of the way figures are taken; raise it when a change here moves them."""

DEFAULT_SEEDS = (1, 2, 3, 4, 5)
"""Place-and-route seeds when the user names none."""

DEFAULT_TIMEOUT = 3600.0
"""Limit for each run of a tool, in seconds."""

OK, DOES_NOT_FIT = records.GOOD
FAILED, TIMEOUT = "failed", "timeout"

TRANSIENT = (FAILED, TIMEOUT)
"""What may have had a passing cause, and is worth another try."""

_NO_PLACE = re.compile(r"no BELs remaining|utilisation limit|Unable to find legal placement")
"""What nextpnr says where it finds no place for a cell; with another seed it may find one."""

_DETAILS = ("runs", "utilisation")
_POLL = 0.05
"""Seconds between looks at the processes."""
_LOOK = 2.0
"""Seconds between looks at their logs."""
_CORE_CLOCK = "clk_i"


class Shape(Protocol):
    """What measuring asks of a design; ``design.Design`` says what each is."""

    @property
    def key_lengths(self) -> tuple[int, ...]: ...  # noqa: D102
    @property
    def blocks_in_flight(self) -> int: ...  # noqa: D102
    def every_axis(self) -> dict[str, Any]: ...  # noqa: D102
    def ports(self) -> list[Port]: ...  # noqa: D102
    def latency(self, key_bits: int | None = None) -> int: ...  # noqa: D102
    def interval(self, key_bits: int | None = None) -> Fraction: ...  # noqa: D102
    def interval_number(self, key_bits: int | None = None) -> int | float: ...  # noqa: D102


class Subject(Protocol):
    """What can be measured: a named design, or a component."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def module(self) -> str: ...  # noqa: D102
    @property
    def design(self) -> Shape: ...  # noqa: D102


def throughput_mbit_s(design: Shape, fmax_mhz: float, key_bits: int | None = None) -> float:
    """Mbit/s of a design at a clock frequency, for a key size (the longest by default).

    128 bit x f / interval, which for cores that are always full is 128 bit x f x blocks under way /
    latency.
    """
    return float(128 * fmax_mhz / design.interval(key_bits))


def places(device: Device, seeds: Sequence[int]) -> bool:
    """Whether a measurement places and routes: without seeds it is of the area alone."""
    return device.place_and_route and bool(seeds)


def tools(device: Device, *, placed: bool = True) -> dict[str, str]:
    """The tools that measure on a device, each with its version; AesfabError as ``nextpnr``."""
    found = {"yosys": yosys.version()}
    if device.place_and_route and placed:
        found["nextpnr"] = nextpnr.version(device)
    return found


def recipe_hash(device: Device, recipes: Iterable[str], *, placed: bool = True) -> str:
    """Hash of what a measurement does besides the RTL and the tools: commands, options, pins.

    Where it is ``placed``, of the harness too.

    A change of the device table so makes new records where it matters. What is changed in this
    program itself (``floorplan``, how cells are counted) counts by ``FLOW``.
    """
    chosen = [device.recipe(name) for name in recipes]
    what = [
        *(
            [r.name, r.commands, r.output_registers, r.floorplan, dict(r.files)]
            + ([r.arguments] if r.arguments else [])
            for r in chosen
        ),
        [device.arguments, dict(device.files)],
        device.harness_recipe.commands if device.place_and_route and placed else (),
    ]
    return process.content_key(json.dumps(what))


def of_rtl(named: Subject, sources: Sequence[Path]) -> Record:
    """What ``identity`` says of the RTL: ``rtl_hash`` and ``netlist_hash``, the same for a device.

    AesfabError for a source that cannot be read; ToolError when Yosys fails for another reason than
    what the sources say.
    """
    try:
        rtl_hash = process.content_key(list(sources))
    except OSError as error:
        raise AesfabError(f"cannot read {error.filename}: {error.strerror}") from error
    try:
        netlist_hash = yosys.netlist_hash(sources, named.module)
    except yosys.ElaborationError:
        # It is recorded as a failure, and known by its text.
        netlist_hash = f"text {rtl_hash}"
    return {"rtl_hash": rtl_hash, "netlist_hash": netlist_hash}


def identity(
    named: Subject,
    sources: Sequence[Path],
    device: Device,
    recipes: Sequence[str],
    seeds: Sequence[int] = DEFAULT_SEEDS,
    rtl: Record | None = None,
) -> Record:
    """The first part of the record of a measurement: everything that is known beforehand.

    It holds the key of ``records`` and what follows from the design. ``rtl`` is what ``of_rtl``
    says of the sources, where that is known already. AesfabError for an unknown recipe and for
    none, and for a seed twice or a negative one; or see ``of_rtl``.
    """
    for recipe in recipes:
        device.recipe(recipe)
    if not recipes or len(set(recipes)) != len(recipes):
        raise AesfabError("give one or more recipes, each once")
    if len(set(seeds)) != len(seeds) or min(seeds, default=0) < 0:
        raise AesfabError("give each seed once, and none that is negative")
    design, placed = named.design, places(device, seeds)
    return {
        "flow": FLOW,
        "design": named.name,
        "parameters": design.every_axis(),
        **(rtl or of_rtl(named, sources)),
        "device": device.name,
        "recipe_names": list(recipes),
        "recipe_hash": recipe_hash(device, recipes, placed=placed),
        "seeds": list(seeds) if placed else [],
        "tools": tools(device, placed=placed),
        "part": " ".join(filter(None, (device.part, device.package, device.speed))),
        "latency_cycles": design.latency(),
        "interval_cycles": design.interval_number(),
        "blocks_in_flight": design.blocks_in_flight,
    }


def implement(
    named: Subject,
    sources: Sequence[Path],
    device: Device,
    recipes: Sequence[str] = ("default",),
    seeds: Sequence[int] = DEFAULT_SEEDS,
    progress: Callable[[str], None] = lambda _: None,
    timeout: float = DEFAULT_TIMEOUT,
    jobs: int = 1,
    clock: str = _CORE_CLOCK,
    beforehand: Record | None = None,
) -> Record:
    """Measure a design on a device and return the record.

    The record begins with ``identity`` and goes on with

    - ``stage``: ``place and route``, or ``synthesis`` without seeds and for a device that no open
      tool places;
    - ``recipe``: the one with the best median throughput (for synthesis the fewest LUTs), from
      which the figures below are taken;
    - ``status``: ``failed`` or ``timeout`` where a run ended so, ``does not fit`` where none found
      places for all cells, else ``ok``: with some seeds a design that just fits finds none
      (``records.unplaced``); and ``log_tail``, what the tool said of the run that gave the status,
      or of one without places;
    - ``mapped``: hash of the text that was mapped (``yosys.canonical``), where that went well;
    - ``lut``, ``lut_logic``, ``lut_ram``, ``carry``, ``wide_mux``, ``ff``, ``ram``, ``other`` (see
      ``devices.Counts``), ``lut_levels`` and ``slices_estimate`` (``yosys.lut_ff_pairs`` in full
      slices, see ``Device.slices``) of the core alone; null where synthesis failed;
    - ``fmax_mhz``: ``median``, ``min``, ``max`` and ``seeds`` (seed to MHz); null without any;
    - ``throughput_mbit_s`` at the median, for the longest key; ``throughput_by_key_bits``;
      ``mbit_s_per_lut``;
    - ``recipes``: all of this for every recipe, by name, and there also ``runs``: for each seed
      ``status``, ``fmax_mhz``, and of the critical path its ends and its ``logic_ns`` and
      ``routing_ns``; and ``utilisation`` of the device with the harness, used and available;
    - ``harness``: the flip-flops and LUTs that it adds, which no figure contains.

    Args:
        named: the design.
        sources: its SystemVerilog files, packages first; the top module is ``named.module``.
        device: the device.
        recipes: recipes to compare.
        seeds: place-and-route seeds; none for the area alone.
        progress: hears what is being done, a line for each step.
        timeout: limit for each run of a tool, in seconds.
        jobs: place-and-route runs at the same time.
        clock: name of its clock port.
        beforehand: the ``identity`` of this measurement, where the caller has taken it.

    Raises:
        AesfabError: the request makes no sense or a source cannot be read. A tool that fails
            raises nothing: the record says so.
    """
    record = beforehand or identity(named, sources, device, recipes, seeds)
    frame = harness.generate(named.module, named.design.ports(), clock)
    framed = frame if seeds else None
    contents = read_sources(sources)
    with yosys.workspace() as (folder, _):
        results: dict[str, Record] = {}
        runs: list[_Run] = []
        for recipe in recipes:
            progress(f"{named.name}: synthesis for {device.name} ({recipe})")
            results[recipe], netlist = synthesise(
                named.module, contents, device, recipe, framed, timeout, progress
            )
            if netlist:
                _lay_out(folder, device, recipe, netlist)
                runs += [_Run(folder, recipe, seed) for seed in seeds]
        if runs:
            nextpnr.prepare(device, progress, timeout)
            # Closing it ends what still runs, wherever an interruption strikes.
            with contextlib.closing(_place_and_route(runs, device, timeout, jobs)) as outcomes:
                for done, (run, outcome) in enumerate(outcomes, 1):
                    if outcome["status"] == FAILED:
                        _require_space(folder)
                    results[run.recipe]["runs"][str(run.seed)] = outcome
                    said = outcome["status"]
                    if said == OK:
                        said = f"{outcome['fmax_mhz']:.1f} MHz"
                    progress(
                        f"{named.name}: place and route {done} of {len(runs)} for {device.name} "
                        f"({run.recipe}, seed {run.seed}): {said}"
                    )
    return assemble(record, named, device, frame, results, seeds)


Contents = Sequence[tuple[str, bytes]]
"""Sources by value: name and text of each file, in compilation order."""


def read_sources(sources: Sequence[Path]) -> list[tuple[str, bytes]]:
    """Sources by value, to be sent to another machine; AesfabError for one that cannot be read."""
    try:
        return [(path.name, path.read_bytes()) for path in sources]
    except OSError as error:
        raise AesfabError(f"cannot read {error.filename}: {error.strerror}") from error


def synthesise(
    module: str,
    sources: Contents,
    device: Device,
    recipe: str,
    frame: harness.Harness | None,
    timeout: float = DEFAULT_TIMEOUT,
    progress: Callable[[str], None] = lambda _: None,
) -> tuple[Record, bytes]:
    """Map a core with a recipe: what ``recipes`` of the record says of it, and its netlist.

    The netlist is that of the core in its harness, packed, for ``place``; empty without a harness,
    for a device that is only synthesised for, and where Yosys fails, which the record then says.
    """
    if not device.place_and_route:
        frame = None
    with yosys.workspace() as (folder, _):
        names = yosys.plain_names(name for name, _ in sources)
        paths = [folder / name for name in names]
        for path, (_, text) in zip(paths, sources, strict=True):
            path.write_bytes(text)
        try:
            netlist = yosys.canonical(paths, module, progress)
            result = _map(module, netlist, device, recipe, frame, folder, timeout, progress)
        except ToolError as error:
            _require_space(folder)
            return _failed_synthesis(error, folder), b""
        if frame is None:
            return result, b""
        return result, _packed(netlist.names, (folder / f"{recipe}.json").read_bytes())


def place(
    device: Device,
    recipe: str,
    netlist: bytes,
    seed: int,
    timeout: float = DEFAULT_TIMEOUT,
    progress: Callable[[str], None] = lambda _: None,
) -> Record:
    """Place and route a netlist of ``synthesise`` once: what ``runs`` of the record says of it.

    With the options that the recipe has for nextpnr.
    """
    with yosys.workspace() as (folder, _):
        try:
            nextpnr.prepare(device, progress, timeout)
        except ToolError as error:
            _require_space(folder)
            return failed_run("\n".join(filter(None, (str(error), error.log_tail))))
        _lay_out(folder, device, recipe, netlist)
        runs = [_Run(folder, recipe, seed)]
        with contextlib.closing(_place_and_route(runs, device, timeout, 1)) as outcomes:
            outcome = next(outcomes)[1]
        if outcome["status"] == FAILED:
            _require_space(folder)
        return outcome


def _require_space(folder: Path) -> None:
    """OSError where a tool may have failed because nothing can be written any more."""
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(bytes(1 << 20))
        file.flush()
        os.fsync(file.fileno())


_NUMBER = int | float
_KINDS: dict[str, Any] = {
    **dict.fromkeys(("device", "status", "stage"), str),
    **dict.fromkeys(("parameters", "tools"), dict),
    "seeds": list,
    "recipe_names": list | None,
    **dict.fromkeys(("rtl_hash", "mapped", "part", "recipe", "log_tail"), str | None),
    **dict.fromkeys((*COLUMNS, "slices_estimate", "lut_levels", "latency_cycles"), int | None),
    **dict.fromkeys(("interval_cycles", "throughput_mbit_s", "mbit_s_per_lut"), _NUMBER | None),
    **dict.fromkeys(("recipes", "fmax_mhz"), dict | None),
}
"""Fields of a record to what they are; one that may be None may be missing as well."""

_RUN_KINDS = dict.fromkeys(("fmax_mhz", "logic_ns", "routing_ns"), _NUMBER | None)


def _wrong_field(record: Record) -> str:
    """The first field of a record that is not what commands take it for; empty for none."""
    for name, kind in _KINDS.items():
        if not isinstance(record.get(name), kind):
            return name
    if not all(isinstance(name, str) for name in record.get("recipe_names") or []):
        return "recipe_names"
    if "kind" in record:
        return "kind"
    # An area is whole or missing.
    if record.get("lut") is not None and not all(
        isinstance(record.get(name), int) for name in ("ff", "ram")
    ):
        return "ff"
    if fmax := record.get("fmax_mhz"):
        clocks = [fmax.get("median"), fmax.get("min"), fmax.get("max")]
        if not all(isinstance(clock, _NUMBER | None) for clock in clocks):
            return "fmax_mhz"
        if record.get("latency_cycles") is None:
            return "latency_cycles"
    for result in (record.get("recipes") or {}).values():
        runs = result.get("runs", {}) if isinstance(result, dict) else None
        if not isinstance(runs, dict) or not all(
            isinstance(run, dict)
            and all(isinstance(run.get(name), kind) for name, kind in _RUN_KINDS.items())
            for run in runs.values()
        ):
            return "recipes"
    return ""


def require_records(path: Path, known: Iterable[Record]) -> None:
    """AesfabError for a file with records of other commands than ``implement`` and ``explore``."""
    for record in known:
        if wrong := _wrong_field(record):
            raise AesfabError(
                f"{path}: the record of {record['design']} is none of 'implement' or 'explore': "
                f"it has another '{wrong}'"
            )


def failed_run(reason: str) -> Record:
    """The outcome of a run that no tool could tell of, because its worker died, for example."""
    return {"status": FAILED, "log_tail": reason}


def failed_synthesis(reason: str) -> Record:
    """The same for a synthesis."""
    return _failed_synthesis(ToolError(reason), Path())


def assemble(
    identity: Record,
    named: Subject,
    device: Device,
    frame: harness.Harness,
    results: dict[str, Record],
    seeds: Sequence[int],
) -> Record:
    """The record, from what ``identity`` knows and from the runs.

    Args:
        identity: of the same design, device, recipes and seeds.
        named: the design.
        device: the device.
        frame: the harness of the design.
        results: recipe to what ``synthesise`` gave, with the outcome of ``place`` by seed (as
            text) in its ``runs``.
        seeds: the seeds.
    """
    for result in results.values():
        _summarise(result, named.design, seeds)
    best = _best(results)
    return {
        **identity,
        "stage": "place and route" if places(device, seeds) else "synthesis",
        "recipe": best,
        **{name: value for name, value in results[best].items() if name not in _DETAILS},
        "recipes": results,
        "harness": {
            "inputs": frame.inputs,
            "outputs": frame.outputs,
            "ff": frame.flip_flops,
            "lut": frame.luts,
            "note": "area is the core alone; its netlist is placed and routed with every port at "
            "a register of the harness",
        },
    }


def _packed(names: Mapping[str, str], netlist: bytes) -> bytes:
    """A netlist in its harness for ``place``, and what its wires are called in the source."""
    # Level 1: a netlist shrinks to a tenth, and in a tenth of the time that level 9 takes.
    return zlib.compress(json.dumps(names).encode() + b"\n" + netlist, 1)


def _lay_out(folder: Path, device: Device, stem: str, packed: bytes) -> None:
    """What nextpnr reads: the netlist as ``STEM.json``, and the files of the device.

    And ``STEM.names``, from which ``_figures`` takes names of the source.
    """
    names, _, netlist = zlib.decompress(packed).partition(b"\n")
    (folder / f"{stem}.names").write_bytes(names)
    (folder / f"{stem}.json").write_bytes(netlist)
    for name, text in device.files.items():
        (folder / name).write_text(text)


# ---------------------------------------------------------------------------- synthesis


def _map(
    module: str,
    netlist: canonical.Netlist,
    device: Device,
    recipe: str,
    frame: harness.Harness | None,
    folder: Path,
    timeout: float,
    progress: Callable[[str], None],
) -> Record:
    """Map the core with a recipe; leaves ``RECIPE.json``, the netlist in its harness, if any."""
    core_json, framed_json = f"{recipe}.core.json", f"{recipe}.json"
    yosys.map_canonical(
        *(netlist, module, device, device.recipe(recipe), folder, core_json),
        timeout=timeout,
        progress=progress,
    )
    if frame is not None:
        (folder / "harness.sv").write_text(frame.text)
        yosys.run_script(
            harness.mapping(
                *(device, module, yosys.read_command(["harness.sv"], harness.TOP)),
                *(core_json, framed_json),
            ),
            what=f"harness of {module} for {device.name} ({recipe})",
            cwd=folder,
            timeout=timeout,
            outputs=[framed_json],
            progress=progress,
        )
    if frame is not None and device.recipe(recipe).floorplan:
        framed = yosys.load_netlist(folder / framed_json)
        floorplan.fix(framed, harness.TOP, device, netlist)
        (folder / framed_json).write_text(json.dumps(framed))
    mapped = yosys.load_netlist(folder / core_json)
    area = device.count(yosys.cells_of(mapped, module))
    if frame is not None:
        framed = yosys.load_netlist(folder / framed_json)
        total = device.count(yosys.cells_of(framed, harness.TOP))
        extra = (total.lut - area.lut, total.ff - area.ff)
        if extra != (frame.luts, frame.flip_flops):
            raise ToolError(
                f"the harness of {module} adds {extra[0]} LUTs and {extra[1]} flip-flops instead "
                f"of {frame.luts} and {frame.flip_flops}"
            )
    return {
        "status": OK,
        "mapped": process.content_key(netlist.text),
        **area.columns(),
        "other": dict(area.other),
        "slices_estimate": device.slices(yosys.lut_ff_pairs(mapped, module, device)),
        "lut_levels": yosys.lut_levels(mapped, module, device),
        "runs": {},
        "utilisation": {},
        "log_tail": "",
    }


def _failed_synthesis(error: ToolError, folder: Path) -> Record:
    # process.run tells a limit from other failures in its message only.
    status = TIMEOUT if "no end after" in str(error) else FAILED
    said = "\n".join(filter(None, (str(error), error.log_tail)))
    return {
        "status": status,
        **dict.fromkeys(COLUMNS),
        "other": {},
        "slices_estimate": None,
        "lut_levels": None,
        "runs": {},
        "utilisation": {},
        "log_tail": _plain(said, folder),
    }


# ---------------------------------------------------------------------- place and route


@dataclasses.dataclass(frozen=True)
class _Run:
    """A run of nextpnr on the netlist of a recipe; its files are in ``folder``."""

    folder: Path
    recipe: str
    seed: int

    def file(self, kind: str) -> str:
        return f"{self.recipe}.{self.seed}.{kind}"

    def text(self, kind: str) -> str:
        path = self.folder / self.file(kind)
        return path.read_text(errors="replace") if path.exists() else ""

    def names(self) -> Mapping[str, str]:
        """Wires of the netlist to what they are called in the source (``_lay_out``)."""
        found: Mapping[str, str] = json.loads((self.folder / f"{self.recipe}.names").read_text())
        return found


def _place_and_route(
    runs: Sequence[_Run], device: Device, timeout: float, jobs: int
) -> Generator[tuple[_Run, Record], None, None]:
    """Do the runs, ``jobs`` at a time, and yield each with its outcome when it ends.

    One thread looks after all processes, so that an interruption, which only the main thread
    hears, ends them all.
    """
    waiting = list(runs)
    active: dict[_Run, tuple[process.Child, float]] = {}
    look = time.monotonic() + _LOOK
    try:
        while waiting or active:
            while waiting and len(active) < max(1, jobs):
                run = waiting.pop(0)
                active[run] = (_start(run, device), time.monotonic() + timeout)
            time.sleep(_POLL)
            if looks := time.monotonic() >= look:
                look = time.monotonic() + _LOOK
                process.require_wanted()
            for run, (child, limit) in list(active.items()):
                status = child.poll()
                hopeless = looks and status is None and _too_many(run.text("log"))
                if status is None and time.monotonic() < limit and not hopeless:
                    continue
                if status is None:
                    child.end()
                del active[run]
                yield run, _outcome(run, status, timeout)
    finally:
        for child, _ in active.values():
            child.end()


def _start(run: _Run, device: Device) -> process.Child:
    command = [
        *nextpnr.command(device),
        *device.arguments,
        *device.recipe(run.recipe).arguments,
        *("--json", f"{run.recipe}.json"),
        *("--seed", str(run.seed)),
        *("--report", run.file("report")),
        *("--log", run.file("log")),
        "--quiet",
    ]
    with (run.folder / run.file("out")).open("wb") as out:
        return process.Child(
            command,
            cwd=run.folder,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            # A killed tool leaves its temporary files; here they go with our folder.
            env={**os.environ, "TMPDIR": str(run.folder)},
        )


def _outcome(run: _Run, status: int | None, timeout: float) -> Record:
    """What a run that ended gave; ``status`` is its exit status, None when it was killed."""
    log = run.text("log")
    if status == 0:
        try:
            return {"status": OK, **_figures(run.text("report"), run.names())}
        except ToolError as error:
            return {"status": FAILED, "log_tail": _plain(str(error), run.folder)}
    if too_many := _too_many(log):
        # Nothing else, so that it is the same whether nextpnr said so itself or was ended.
        return {"status": DOES_NOT_FIT, "too_many": True, "log_tail": "; ".join(too_many)}
    reason = ""
    if _NO_PLACE.search(log):
        said = DOES_NOT_FIT
    elif status is None:
        reason, said = f"no end after {timeout:.0f} s", TIMEOUT
    elif status < 0:
        reason, said = f"nextpnr died of signal {-status}", FAILED
    else:
        reason, said = f"nextpnr ended with {status}", FAILED
    # nextpnr's own errors are in its log; a crash is told by the program around it.
    end = "\n".join(re.findall(r"^ERROR: .*$", log, re.MULTILINE)) or run.text("out") or log
    return {
        "status": said,
        "too_many": False,
        "log_tail": _plain("\n".join(filter(None, (reason, process.tail(end)))), run.folder),
    }


def _too_many(log: str) -> list[str]:
    """What a design needs more of than the device has, from the table in nextpnr's log.

    That is known in seconds; the placer for Gowin goes on looking for places all the same.
    """
    return [
        f"{kind}: {used} of {available}"
        for kind, used, available in re.findall(r"(\w+): +(\d+)/ *(\d+) +\d+%", log)
        if int(used) > int(available)
    ]


def _figures(text: str, names: Mapping[str, str]) -> Record:
    """Frequency, critical path and utilisation from nextpnr's report; ToolError for a bad one.

    ``names`` says what the wires of the netlist are called in the source.
    """
    try:
        report = json.loads(text)
        clocks = report["fmax"]
        found = [name for name in clocks if _CORE_CLOCK in name]
        if len(found) != 1:
            raise ToolError(
                f"nextpnr's report has {len(found)} clocks of the core instead of one, though the "
                "design is routed"
            )
        fmax = float(clocks[found[0]]["achieved"])
        if not (math.isfinite(fmax) and fmax > 0):
            raise ToolError(f"nextpnr reports {fmax} MHz")
        figures: Record = {"fmax_mhz": round(fmax, 2)}
        inside = f"posedge {found[0]}"
        for path in report["critical_paths"]:
            if path["from"] == path["to"] == inside:
                steps = path["path"]
                routing = sum(s["delay"] for s in steps if s["type"] == "routing")
                total = sum(s["delay"] for s in steps)
                ends = steps[0]["from"], steps[-1]["to"]
                figures["logic_ns"] = round(total - routing, 2)
                figures["routing_ns"] = round(routing, 2)
                figures["from"], figures["to"] = (
                    canonical.source_name(names, f"{e['cell']}.{e['port']}") for e in ends
                )
        figures["utilisation"] = {
            kind: [number["used"], number["available"]]
            for kind, number in sorted(report["utilization"].items())
            if number["used"]
        }
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise ToolError(
            f"nextpnr's report is not as expected: {type(error).__name__}: {error}"
        ) from error
    return figures


# ------------------------------------------------------------------------------ summary


def _summarise(result: Record, design: Shape, seeds: Sequence[int]) -> None:
    """Complete the result of a recipe from its runs."""
    # Runs end in any order when several go at a time; records have them in order.
    runs = {str(seed): result["runs"][str(seed)] for seed in seeds if str(seed) in result["runs"]}
    result["runs"] = runs
    for run in runs.values():
        result["utilisation"] = run.pop("utilisation", result["utilisation"])
        run.pop("too_many", None)
    if runs:
        said = [(run["status"], run.pop("log_tail", "")) for run in runs.values()]
        # What went wrong before what fits with some seeds only, and that before what fits with all.
        bad = next((each for each in said if each[0] in TRANSIENT), None)
        unfit = next((each for each in said if each[0] == DOES_NOT_FIT), None)
        fits = any(status == OK for status, _ in said)
        result["status"], result["log_tail"] = bad or unfit or (OK, "")
        if bad is None and fits:
            result["status"] = OK
    reached = {seed: run["fmax_mhz"] for seed, run in runs.items() if run["status"] == OK}
    result |= {
        "fmax_mhz": None,
        "throughput_mbit_s": None,
        "throughput_by_key_bits": None,
        "mbit_s_per_lut": None,
    }
    if reached:
        median = statistics.median(reached.values())
        result["fmax_mhz"] = {
            "median": round(median, 2),
            "min": min(reached.values()),
            "max": max(reached.values()),
            "seeds": reached,
        }
        if not design.key_lengths:
            # It has no blocks.
            return
        mbit_s = throughput_mbit_s(design, median)
        result |= {
            "throughput_mbit_s": round(mbit_s, 1),
            "throughput_by_key_bits": {
                str(bits): round(throughput_mbit_s(design, median, bits), 1)
                for bits in design.key_lengths
            },
            "mbit_s_per_lut": round(mbit_s / result["lut"], 4) if result["lut"] else None,
        }


def _best(results: dict[str, Record]) -> str:
    """The recipe that gives the headline: fastest, then smallest, then first."""

    def order(recipe: str) -> tuple[bool, float, float]:
        result = results[recipe]
        lut = result["lut"] if result["lut"] is not None else math.inf
        fmax = (result["fmax_mhz"] or {}).get("median", 0)
        return (result["status"] != OK, -(result["throughput_mbit_s"] or fmax), lut)

    return min(results, key=order)


def _plain(text: str, folder: Path) -> str:
    """The end of a log without what differs from run to run: folders and times."""
    places: dict[str, Any] = {
        str(folder): ".",
        sys.prefix: "PYTHON",
        sys.base_prefix: "PYTHON",
        str(Path.home()): "~",
    }
    for place in sorted(places, key=len, reverse=True):
        if len(place) > 1:
            text = text.replace(place, places[place])
    lines = [line for line in text.splitlines() if not re.search(r"\b\d+\.\d+ ?s\b", line)]
    return process.tail("\n".join(lines))
