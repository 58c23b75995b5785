# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Every component alone, at every register level that it offers: the method of standaert2003.

The paper builds a cipher from parts that are each measured first (section 4): no path should leave
one slice, no slice should be spent on registers alone, and what assembly adds should be seen. Here
the parts are found in the RTL: every module of the transformations, the keys and the architectures
but the cores themselves, with every value of those of its parameters that are choices. What a
module refuses by ``$fatal`` is not offered; nothing is listed by hand but the rows of the paper's
tables.

A component is measured as a core is (``implement``), in a wrapper that fixes its parameters; one
without a clock gets one that it does not use, so that the harness has its registers. After place
and route its delay is the shortest period, from register to register through the component.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import itertools
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyslang

from aesfab import records
from aesfab.design import catalogue
from aesfab.design.axes import Lookups, MixLevels, SboxLevels
from aesfab.design.catalogue import Named
from aesfab.design.ports import Port
from aesfab.devices import DEVICES, Device
from aesfab.eda import yosys
from aesfab.errors import AesfabError, ToolError
from aesfab.extras import MissingError
from aesfab.folder import generate
from aesfab.hdl import rtl
from aesfab.measure import implement
from aesfab.records import Record
from aesfab.study import published
from aesfab.system import cache, process

FOLDERS = (
    "sbox", "transform", "tbox", "key", "key_loader", "iterative", "staged", "rolling", "narrow",
    "microcoded",
)  # fmt: skip
"""Folders of the RTL whose modules are components, but for packages and cores (``aes_core_*``)."""

_AROUND = ("aes_host_buffer",)
"""Modules around a core that a paper prints as components (pilchard, section 4)."""

_MAX_PRODUCT = 100

_COUNTED: dict[str, list[int]] = {
    "MixLevels": [level.value for level in MixLevels],
    "Levels": [0, *(level.value for level in SboxLevels)],
    "Lookups": [lookups.value for lookups in Lookups],
}
"""End of the name of a parameter to the numbers of the family; a module refuses some of them."""


@dataclasses.dataclass(frozen=True)
class Component:
    """A module with its parameters fixed; it can be measured like a design.

    Attributes:
        name: the module.
        choices: parameter to value, those that are choices: enum members by name, or numbers.
        rtl_values: the same as SystemVerilog, with every parameter that is not at its default.
        ports: its ports.
    """

    name: str
    choices: tuple[tuple[str, str | int], ...]
    rtl_values: tuple[tuple[str, str], ...]
    ports: tuple[Port, ...]

    @property
    def label(self) -> str:
        """Name and choices in one line, for tables and patterns."""
        return " ".join([self.name, *(f"{name}={value}" for name, value in self.choices)])

    @property
    def module(self) -> str:
        """Name of the wrapper module."""
        values = "_".join(f"{name}_{value}" for name, value in self.choices)
        return re.sub(r"\W", "_", f"alone_{self.name}__{values}".rstrip("_"))

    @property
    def clocked(self) -> bool:
        """Whether the component has a clock of its own."""
        return any(port.name == "clk_i" for port in self.ports)

    def wrapper(self) -> str:
        """The module that fixes the parameters; its ports are plain vectors."""
        ports = self.design.ports()
        lines = ",\n".join(
            f"  {'input ' if port.is_input else 'output'} logic [{port.width - 1}:0] {port.name}"
            for port in ports
        )
        values = ", ".join(f".{name}({value})" for name, value in self.rtl_values)
        pins = ", ".join(f".{port.name}({port.name})" for port in self.ports)
        parameters = f" #({values})" if values else ""
        return (
            f"module {self.module} (\n{lines}\n);\n\n"
            f"  {self.name}{parameters} u_component ({pins});\n\nendmodule\n"
        )

    def sources(self) -> list[Path]:
        """The files that it needs, in order, the wrapper last."""
        return generate.with_top(self.wrapper(), self.module)

    @property
    def design(self) -> _Shape:
        """What ``implement`` asks of a design."""
        return _Shape(self)


class Registers(Component):
    """Plain registers, one behind the other: what the fabric and the harness allow at most.

    No RTL of the family is in them. A core of the same width with nothing between its registers
    would reach their clock, so it is the ceiling that a core's clock is compared with.
    """

    def wrapper(self) -> str:
        """Width bits through Levels registers."""
        given = dict(self.choices)
        width, levels = int(given["Width"]), int(given["Levels"])
        return f"""\
module {self.module} (
  input  logic clk_i,
  input  logic [{width - 1}:0] in_i,
  output logic [{width - 1}:0] out_o
);

  logic [{levels}:1][{width - 1}:0] stage_q;

  always_ff @(posedge clk_i) begin
    stage_q[1] <= in_i;
    for (int unsigned l = 2; l <= {levels}; l++) stage_q[l] <= stage_q[l-1];
  end

  assign out_o = stage_q[{levels}];

endmodule
"""

    @property
    def flip_flops(self) -> int:
        """How many registers there are."""
        given = dict(self.choices)
        return int(given["Width"]) * int(given["Levels"])


def ceiling() -> list[Registers]:
    """The plain registers that a clock is compared with: as many as small and large cores have."""
    return [registers(levels) for levels in (1, 16, 128)]


def registers(levels: int, width: int = 128) -> Registers:
    """Plain registers of a width, so many levels of them."""
    ports = (
        Port("clk_i", 1, True, ""),
        Port("in_i", width, True, ""),
        Port("out_o", width, False, ""),
    )
    return Registers("registers", (("Width", width), ("Levels", levels)), (), ports)


@dataclasses.dataclass(frozen=True)
class _Shape:
    """A component in the place of a design: it has no blocks, so no throughput either."""

    component: Component

    def every_axis(self) -> dict[str, Any]:
        return dict(self.component.choices)

    def ports(self) -> list[Port]:
        """The ports, and a clock where there is none."""
        ports = list(self.component.ports)
        if not self.component.clocked:
            ports.insert(0, Port("clk_i", 1, True, "not used"))
        return ports

    key_lengths: tuple[int, ...] = ()
    blocks_in_flight: int = 1

    def latency(self, key_bits: int | None = None) -> int:
        del key_bits
        levels = [v for n, v in self.component.choices if n.endswith("Levels")]
        return sum(value for value in levels if isinstance(value, int))

    def interval(self, key_bits: int | None = None) -> Fraction:
        del key_bits
        return Fraction(1)

    def interval_number(self, key_bits: int | None = None) -> int | float:
        return int(self.interval(key_bits))


# ---------------------------------------------------------------------------- discovery


@functools.cache
def modules() -> dict[str, Path]:
    """Every component module and its file, in compilation order."""
    folder = rtl.folder()
    return {
        path.stem: path
        for path in rtl.sources()
        if path.stem in _AROUND
        or (
            path.relative_to(folder).parts[0] in FOLDERS
            and not path.stem.startswith("aes_core")
            and not path.stem.endswith("_pkg")
        )
    }


@functools.cache
def discover() -> tuple[Component, ...]:
    """Every component at every choice that it offers.

    Choices are the parameters whose type is an enum or a bit and the numbers of register levels
    and of look-ups. Where their product is large, every kind of S-box goes with every number of
    levels, and the others are moved from their defaults one at a time. What the same RTL offered
    before is read from what was shipped (``Shipped``), else from the user's cache folder.
    """
    if given := shipped():
        return given.offered
    return discovered()


def discovered() -> tuple[Component, ...]:
    """``discover`` without what was shipped."""
    key = process.content_key(Path(__file__), rtl.sources())

    def find_all() -> str:
        found = (component for name in modules() for component in _variants(name))
        return json.dumps([dataclasses.asdict(component) for component in found])

    kept = json.loads(cache.text("components", key, find_all))
    return tuple(_from_json(fields) for fields in kept)


@dataclasses.dataclass(frozen=True)
class Shipped:
    """What elaboration says of the components, as it came with this installation.

    ``results/parts.jsonl`` (``make netlists``) has it: to elaborate them all takes minutes, and
    whoever makes a report would wait for it.

    Attributes:
        offered: the components of ``discover``.
        hashes: component to its netlist hash, of those that there are records of.
        parts: design of the catalogue to its components and their numbers.
        usual: module to the defaults of its parameters.
    """

    offered: tuple[Component, ...]
    hashes: Mapping[Component, str]
    parts: Mapping[str, Mapping[Component, int]]
    usual: Mapping[str, Mapping[str, str | int]]


def shipped_key() -> str:
    """Hash of all that ``Shipped`` follows from: the RTL of cores, the reference tools.

    What stands around a core has no part in it, but for what is a component.
    """
    stamps = []
    for path in rtl.core_sources():
        if path.parent.name in ("bus", "host") and path.stem not in _AROUND:
            continue
        found = path.stat()
        stamps.append((path, found.st_mtime_ns, found.st_size))
    return _key_of(tuple(stamps))


@functools.cache
def _key_of(stamps: tuple[tuple[Path, int, int], ...]) -> str:
    texts = [path for path, _, _ in stamps]
    return process.content_key(*yosys.elaboration(yosys.REFERENCE), texts)


def shipped() -> Shipped | None:
    """What was shipped, None where that is of another RTL than the one at hand."""
    return _shipped(shipped_key())


@functools.cache
def _shipped(key: str) -> Shipped | None:
    path = records.shipped_path("parts")
    text = path.read_text(encoding="utf-8") if path and path.is_file() else ""
    lines = [json.loads(line) for line in text.splitlines()]
    if not lines or lines[0].get("key") != key:
        return None
    every: list[Component] = []
    offered: list[Component] = []
    hashes: dict[Component, str] = {}
    parts_of: dict[str, Mapping[Component, int]] = {}
    usual: dict[str, Mapping[str, str | int]] = {}
    for line in lines[1:]:
        if "component" in line:
            every.append(_from_json(line["component"]))
            if line["netlist_hash"]:
                hashes[every[-1]] = line["netlist_hash"]
            offered += every[-1:] * line["offered"]
        elif "module" in line:
            usual[line["module"]] = line["usual"]
        else:
            parts_of[line["design"]] = {every[at]: number for at, number in line["parts"]}
    return Shipped(tuple(offered), hashes, parts_of, usual)


def to_ship() -> Iterator[Record]:
    """The lines of ``results/parts.jsonl``, by elaboration."""
    yield {"key": shipped_key()}
    every = dict.fromkeys(discovered())
    designs = {named.name: _elaborated_parts(named) for named in catalogue.CATALOGUE.values()}
    offered = len(every)
    every |= dict.fromkeys(part for parts_ in designs.values() for part in parts_)
    places = {component: at for at, component in enumerate(every)}
    measured: dict[str, list[Record]] = {}
    for record in records.shipped("components"):
        measured.setdefault(record["design"], []).append(record)
    for component, at in places.items():
        fields = dataclasses.asdict(component)
        fields["ports"] = [[port.name, port.width, int(port.is_input)] for port in component.ports]
        # A record of other choices is of it too, where they make no difference.
        recorded = bool(measured.get(component.name))
        netlist = recorded and yosys.netlist_hash(component.sources(), component.module)
        yield {"component": fields, "netlist_hash": netlist or None, "offered": at < offered}
    for name in modules():
        yield {"module": name, "usual": {each.name: each.value for each in _parameters_of(name)}}
    for name, parts_ in designs.items():
        counted = [[places[component], number] for component, number in parts_.items()]
        yield {"design": name, "parts": counted}


def _from_json(fields: dict[str, Any]) -> Component:
    return Component(
        fields["name"],
        tuple((name, value) for name, value in fields["choices"]),
        tuple((name, value) for name, value in fields["rtl_values"]),
        tuple(
            # Each port of a component is one value.
            Port(**{**port, "fields": ()})
            if isinstance(port, dict)
            else Port(port[0], port[1], bool(port[2]), "")
            for port in fields["ports"]
        ),
    )


def find(name: str, **choices: str | int) -> Component:
    """The component of a module with these choices and the defaults for the others.

    AesfabError for one that is not offered.
    """
    given = shipped()
    if given and name in given.usual:
        usual = dict(given.usual[name])
    else:
        usual = {parameter.name: parameter.value for parameter in _parameters_of(name)}
    wanted = {**usual, **choices}.items()
    found = [c for c in discover() if c.name == name and set(c.choices) <= wanted]
    if len(found) != 1 or not set(choices) <= set(dict(found[0].choices)):
        raise AesfabError(f"no component {name} with {choices}")
    return found[0]


def matching(patterns: Sequence[str] = ()) -> list[Component]:
    """The components whose label has one of the patterns in it, all without; AesfabError for none.

    The label is the module with its choices, for example ``aes_mixadd Levels=2``.
    """
    found = [c for c in discover() if not patterns or any(p in c.label for p in patterns)]
    if not found:
        raise AesfabError(f"no component has '{patterns[0]}' in its name; see --list")
    return found


def _variants(name: str) -> Iterator[Component]:
    default = _elaborated(name, {})
    assert default is not None, f"{name} refuses its defaults"
    members: dict[str, list[str | int]] = {}
    counts: dict[str, list[str | int]] = {}
    for parameter in default.parameters:
        if parameter.members:
            # "None" is the choice not to have the component.
            some = [member for member in parameter.members if not member.endswith("None")]
            members[parameter.name] = list(some)
        elif parameter.is_bit:
            members[parameter.name] = [0, 1]
        elif parameter.name.endswith(tuple(_COUNTED)):
            suffix = next(suffix for suffix in _COUNTED if parameter.name.endswith(suffix))
            counts[parameter.name] = list(_COUNTED[suffix])
    first = {parameter.name: parameter.value for parameter in default.parameters}
    usual = {name: first[name] for name in (*members, *counts)}
    every = {**members, **counts}
    if math.prod(map(len, every.values())) > _MAX_PRODUCT:
        # The S-box decides which levels there are; the rest is moved from its default one by one.
        chief = {key: values for key, values in every.items() if key in ("Sbox", *counts)}
        points = [
            {**usual, **dict(zip(chief, values, strict=True))}
            for values in itertools.product(*chief.values())
        ]
        points += [
            {**usual, key: value}
            for key, values in every.items()
            if key not in chief
            for value in values
            if value != usual[key]
        ]
    else:
        points = [
            dict(zip(every, values, strict=True)) for values in itertools.product(*every.values())
        ]
    for point in points:
        # In the order of the module.
        choices = {key: point[key] for key in first if key in point}
        built = _elaborated(name, choices)
        if built is not None:
            yield built.component(name, choices)


@dataclasses.dataclass(frozen=True)
class _Parameter:
    """A parameter of a module: its type, members and package for an enum, and its value."""

    name: str
    kind: str
    members: tuple[str, ...]
    package: str
    value: str | int

    @property
    def is_bit(self) -> bool:
        return self.kind == "bit"

    @property
    def is_choice(self) -> bool:
        return bool(self.members) or self.is_bit or self.name.endswith(tuple(_COUNTED))

    def literal(self, value: str | int) -> str:
        return f"{self.package}::{value}" if self.members else str(value)


@dataclasses.dataclass(frozen=True)
class _Elaborated:
    parameters: tuple[_Parameter, ...]
    ports: tuple[Port, ...]

    def component(self, name: str, choices: Mapping[str, str | int]) -> Component:
        by_name = {parameter.name: parameter for parameter in self.parameters}
        return Component(
            name,
            tuple(choices.items()),
            tuple((key, by_name[key].literal(value)) for key, value in choices.items()),
            self.ports,
        )


def _elaborated(name: str, choices: Mapping[str, str | int]) -> _Elaborated | None:
    """A module with these parameters; None when it refuses them by ``$fatal``."""
    known = {parameter.name: parameter for parameter in _parameters_of(name)} if choices else {}
    values = ", ".join(f".{key}({known[key].literal(value)})" for key, value in choices.items())
    top = "aesfab_component"
    text = f"module {top};\n  {name} #({values}) u_component ();\nendmodule\n"
    compilation = rtl.elaborate(text, top)
    errors = [d for d in compilation.getAllDiagnostics() if d.isError()]
    # What a refused value breaks beside the refusal does not count.
    if any(str(error.code) == "DiagCode(FatalTask)" for error in errors):
        return None
    if errors:
        engine = pyslang.DiagnosticEngine(compilation.sourceManager)
        raise ToolError(f"{name} does not elaborate: {engine.formatMessage(errors[0])}")
    found: list[_Elaborated] = []

    def visit(symbol: object) -> Any:
        if isinstance(symbol, pyslang.ast.InstanceSymbol) and symbol.name == "u_component":
            found.append(_read(symbol))
            return pyslang.ast.VisitAction.Skip
        return pyslang.ast.VisitAction.Advance

    compilation.getRoot().visit(visit)
    return found[0]


@functools.cache
def _parameters_of(name: str) -> tuple[_Parameter, ...]:
    default = _elaborated(name, {})
    return default.parameters if default else ()


def _read(instance: pyslang.ast.InstanceSymbol) -> _Elaborated:
    """Parameters and ports of an elaborated instance, as plain values."""
    parameters = []
    for symbol in instance.body.parameters:
        if not symbol.isPortParam or symbol.isLocalParam:
            continue
        kind = symbol.type.canonicalType
        number = int(symbol.value.value)
        if isinstance(kind, pyslang.ast.EnumType):
            members = tuple(member.name for member in kind)
            value = next(m.name for m in kind if _number(m) == number)
            package = str(symbol.type).partition("::")[0]
            parameters.append(_Parameter(symbol.name, "", members, package, value))
        else:
            parameters.append(_Parameter(symbol.name, str(symbol.type), (), "", number))
    ports = [
        Port(
            port.name,
            port.type.bitWidth,
            port.direction == pyslang.ast.ArgumentDirection.In,
            "",
        )
        for port in instance.body.portList
    ]
    return _Elaborated(tuple(parameters), tuple(ports))


def _number(member: Any) -> int:
    return int(member.value.value)


# ------------------------------------------------------------------------ parts of a design


def parts(named: Named) -> dict[Component, int]:
    """The components that a design is put together from, and how many of each.

    Those that stand directly below the cores, with their parameters as
    elaborated; constants such as a round constant do not tell two apart.
    """
    return dict(_parts(named))


def core(named: Named) -> Path:
    """The file of the core that a design elaborates: the one below the dispatcher ``aes_core``.

    AesfabError for an unwritable cache, where what a design needs is kept.
    """
    *files, _ = generate.sources(named)
    # A core around another one stands behind it.
    *_, found = (path for path in files if path.stem.startswith("aes_core_"))
    return found


@functools.cache
def _parts(named: Named) -> Mapping[Component, int]:
    given = shipped()
    if given and named == catalogue.CATALOGUE.get(named.name) and named.name in given.parts:
        return given.parts[named.name]
    return _elaborated_parts(named)


def _elaborated_parts(named: Named) -> Mapping[Component, int]:
    compilation = rtl.elaborate(generate.wrapper(named), named.module)
    instances: list[tuple[str, _Elaborated]] = []

    def visit(symbol: object) -> Any:
        if isinstance(symbol, pyslang.ast.InstanceSymbol) and symbol.definition.name in modules():
            instances.append((symbol.definition.name, _read(symbol)))
            return pyslang.ast.VisitAction.Skip
        return pyslang.ast.VisitAction.Advance

    # The root holds modules that nothing uses as well.
    for instance in compilation.getRoot().topInstances:
        instance.visit(visit)
    return collections.Counter(_as_component(*instance) for instance in instances)


def _as_component(name: str, read: _Elaborated) -> Component:
    default = {parameter.name: parameter.value for parameter in _parameters_of(name)}
    choices = {}
    for parameter in read.parameters:
        # A size is part of the name where it is not the usual one; constants are none.
        sized = parameter.kind == "int unsigned" and parameter.value != default[parameter.name]
        if parameter.is_choice or sized:
            choices[parameter.name] = parameter.value
    return read.component(name, choices)


# ---------------------------------------------------------------------------- measuring


def identity(
    component: Component, device: Device, recipes: Sequence[str], seeds: Sequence[int]
) -> Record:
    """The first part of the record of a component, see ``implement.identity``."""
    record = implement.identity(component, component.sources(), device, recipes, seeds)
    return _without_throughput(record)


def measure(
    component: Component,
    device: Device,
    recipes: Sequence[str] = ("default",),
    seeds: Sequence[int] = (1,),
    progress: Callable[[str], None] = lambda _: None,
    timeout: float = implement.DEFAULT_TIMEOUT,
    jobs: int = 1,
    beforehand: Record | None = None,
) -> Record:
    """Measure a component; the record is that of ``implement`` with ``kind`` and ``delay_ns``.

    ``beforehand`` is its ``identity``, where the caller has taken it.

    ``delay_ns`` is the shortest period at the median over the seeds, null without place and route.
    ``harness_limited`` is true when in every run the longest path is one of the harness alone, so
    that the component is faster than that.
    """
    record = implement.implement(
        component, component.sources(), device, recipes, seeds, progress, timeout, jobs,
        beforehand=beforehand,
    )  # fmt: skip
    fmax = record["fmax_mhz"]
    runs = record["recipes"][record["recipe"]]["runs"].values()
    record = _without_throughput(record)
    record["delay_ns"] = round(1000 / fmax["median"], 3) if fmax else None
    ends = [(run.get("from", ""), run.get("to", "")) for run in runs if run["status"] == "ok"]
    record["harness_limited"] = bool(ends) and not any(_through_core(*end) for end in ends)
    return record


def _through_core(begin: str, end: str) -> bool:
    """Whether a path runs through the component, by the names of its ends."""
    return "u_core" in begin or "u_core" in end or ("shift_q" in begin and "capture_q" in end)


def _without_throughput(record: Record) -> Record:
    unwanted = ("throughput", "mbit_s", "interval", "blocks_in_flight", "latency")
    kept = {k: v for k, v in record.items() if not k.startswith(unwanted)}
    if "recipes" in kept:
        kept["recipes"] = {
            name: {k: v for k, v in result.items() if not k.startswith(unwanted)}
            for name, result in kept["recipes"].items()
        }
    head = {"kind": "components"}
    return {**head, **kept}


class Measured(tuple[Record, ...]):
    """Records of components, oldest first, in which ``known`` finds one at once.

    What was shipped of the components (``shipped``) is looked at once for all of them.
    """

    @classmethod
    def of(cls, measured: Sequence[Record]) -> Measured:
        """The same records so; themselves where they are."""
        return measured if isinstance(measured, cls) else cls(measured)

    @functools.cached_property
    def _given(self) -> Shipped | None:
        return shipped()

    @functools.cached_property
    def _newest_first(self) -> Mapping[tuple[str, str | None], Sequence[Record]]:
        found: dict[tuple[str, str | None], list[Record]] = {}
        for record in reversed(self):
            found.setdefault((record["design"], record.get("device")), []).append(record)
        return found

    @functools.cached_property
    def _by_recipe(self) -> Mapping[str, Measured]:
        found: dict[str, list[Record]] = {}
        for record in self:
            for recipe in record.get("recipe_names", ()):
                found.setdefault(recipe, []).append(record)
        return {recipe: Measured(group) for recipe, group in found.items()}

    def by_recipe(self) -> Mapping[str, Measured]:
        """Recipe to the records that have it."""
        return self._by_recipe

    def newest(self, component: Component, device: str) -> Record | None:
        """The newest record of a component on a device, of its RTL as it is now."""
        candidates = self._newest_first.get((component.name, device), ())
        if not candidates:
            return None
        netlist = self._given.hashes.get(component) if self._given else None
        return next((r for r in candidates if _is_of(r, component, netlist)), None)

    def smallest(self, component: Component, device: str) -> Record | None:
        """The record with the fewest LUTs among the newest of each recipe; None without any.

        Of like ones that of the recipe which was measured first.
        """
        groups = self._by_recipe.values()
        newest = (group.newest(component, device) for group in groups)
        found = [record for record in newest if record and record["lut"] is not None]
        return min(found, key=lambda record: int(record["lut"]), default=None)


def known(measured: Sequence[Record], component: Component, device: str) -> Record | None:
    """The newest record of a component on a device, of its RTL as it is now."""
    return Measured.of(measured).newest(component, device)


def _is_of(record: Record, component: Component, netlist: str | None) -> bool:
    """Whether a record is of a component as its RTL is; ``netlist`` is its shipped hash."""
    if netlist:
        return bool(record["netlist_hash"] == netlist)
    # The text is the quicker test; where it has changed, what it says may still be the same.
    return bool(
        record.get("rtl_hash") == _text_hash(component)
        or record["netlist_hash"] == _netlist_hash(component)
    )


@functools.cache
def _text_hash(component: Component) -> str:
    return process.content_key(component.sources())


@functools.cache
def _netlist_hash(component: Component) -> str:
    """Its netlist hash; empty without Yosys: then a record goes by the text."""
    try:
        return yosys.netlist_hash(component.sources(), component.module)
    except MissingError:
        return ""


def ratio(record: Mapping[str, Any]) -> float | None:
    """LUTs for each flip-flop; None without flip-flops."""
    return record["lut"] / record["ff"] if record.get("ff") and record["lut"] is not None else None


def marks(record: Mapping[str, Any]) -> list[str]:
    """What the method objects to: slices for registers only, paths of more than one slice.

    A slice has a LUT for each flip-flop, and behind its LUTs only wide multiplexers, so a second
    level of LUTs is in another slice.
    """
    found = []
    if record.get("ff") is not None and record["ff"] > record["lut"]:
        found.append("more flip-flops than LUTs")
    if (record.get("lut_levels") or 0) > 1:
        found.append("path leaves a slice")
    return found


# ------------------------------------------------------------------- the paper's tables

_SUB_BYTES_RAM: tuple[str, dict[str, str | int]] = (
    "aes_sub_bytes", {"Sbox": "SboxRom", "Dir": "DirEncrypt", "Levels": 1},
)  # fmt: skip

_PAPERS: dict[str, dict[str, tuple[str, dict[str, str | int]]]] = {
    "standaert2003": {
        "sbox": ("aes_sbox_table", {"Dir": "DirEncrypt", "Levels": 2}),
        "sub_bytes": ("aes_sub_bytes", {"Sbox": "SboxTable", "Dir": "DirEncrypt", "Levels": 2}),
        "sub_bytes_ram": _SUB_BYTES_RAM,
        "mixadd": ("aes_mixadd", {"Levels": 2}),
        "round": ("aes_round_staged", {"Sbox": "SboxTable", "SboxLevels": 2, "MixLevels": 2}),
        "key_round": (
            "aes_key_round_staged", {"Sbox": "SboxTable", "SboxLevels": 2, "MixLevels": 2},
        ),
    },
    "pilchard": {
        "input_buffer": ("aes_host_buffer", {"Guarded": 0}),
        "output_buffer": ("aes_host_buffer", {"Guarded": 0}),
    },
    "kakarlapudi": {
        "key_expander": ("aes_key_expander", {"Sbox": "SboxTable", "KeySize": "KeySizeAny"}),
    },
    "qin2005": {
        "s_module_4": ("aes_s_modules", {"Sbox": "SboxRom", "NumLookups": 4}),
        "s_module_8": ("aes_s_modules", {"Sbox": "SboxRom", "NumLookups": 2}),
        "key_sbox": ("aes_sbox_table", {"Dir": "DirEncrypt", "Levels": 0}),
        "sub_bytes_ram": _SUB_BYTES_RAM,
    },
    "fischer2001": {
        "sbox": ("aes_sbox_rom", {"Dir": "DirEncrypt", "Doubled": 0, "Levels": 1}),
        "tbox": ("aes_tbox_rom", {"Dir": "DirEncrypt"}),
        "round_keys": ("aes_key_memory", {"Style": "KeyMemBlock", "Gated": 0}),
    },
}  # fmt: skip
"""Paper to printed component to what is built like it."""

_PARTS_OF: dict[str, dict[str, tuple[str, str]]] = {
    "fischer2001": {
        "sbox_set": ("fischer-fast-sbox-both", "aes_sub_bytes"),
        "tbox_set": ("fischer-economic-tbox-enc", "aes_tboxes"),
    },
}
"""The same for those of another size than alone: a design, and which of its parts."""

_DIFFERS = {
    ("qin2005", "s_module_4"): "the four S-modules of a round, with a register more each",
    ("qin2005", "s_module_8"): "the eight S-modules of a round",
    ("kakarlapudi", "key_expander"): "with the key's window of eight words",
    ("fischer2001", "round_keys"): "two banks of 16 round keys, the paper's one is of 11",
}
"""Paper and printed component to what differs in ours."""


def of_paper(paper: str = "standaert2003") -> list[tuple[published.Printed, Component]]:
    """The components that a paper prints, each with ours that is built like it.

    Those of standaert2003 are the rows of its Tables 1 to 3.
    """
    built = _PAPERS.get(paper, {})
    parts_of = _PARTS_OF.get(paper, {})
    found = []
    for row in published.of_paper(paper):
        if row.component in built:
            name, choices = built[row.component]
            found.append((row, find(name, **choices)))
        elif row.component in parts_of:
            design, name = parts_of[row.component]
            (part,) = (each for each in parts(catalogue.find(design)) if each.name == name)
            found.append((row, part))
    return found


def differs(row: published.Printed) -> str:
    """What differs between a printed component and ours of ``of_paper``; empty for nothing."""
    return _DIFFERS.get((row.paper, row.component or ""), "")


def command(row: published.Printed, component: Component, device: str) -> str:
    """The command that measures what is built like a printed component."""
    design, name = _PARTS_OF.get(row.paper, {}).get(row.component or "", ("", ""))
    what = f"{name} --design {design}" if design else f"'{component.label}'"
    return f"aesfab components {what} --device {device}"


@dataclasses.dataclass(frozen=True)
class Assembly:
    """A design beside the sum of its parts.

    Attributes:
        design: its name.
        parts: each component, how many, and its record; None where it is not measured.
        assembled: the record of the design; None where it is not measured.
    """

    design: str
    parts: tuple[tuple[Component, int, Record | None], ...]
    assembled: Record | None

    def total(self, column: str) -> int | None:
        """The sum of a column over the parts; None while one of them is missing."""
        total = 0
        for _, count, record in self.parts:
            if record is None or record.get(column) is None:
                return None
            total += count * int(record[column])
        return total

    def cost(self, column: str) -> int | None:
        """What assembly adds to a column, or saves when negative."""
        total = self.total(column)
        if total is None or self.assembled is None or self.assembled.get(column) is None:
            return None
        return int(self.assembled[column]) - total


def assembly(
    named: Named, device: str, measured: Sequence[Record], whole: Record | None
) -> Assembly:
    """A design and its parts on a device, from records of components and its own record there.

    The parts are of the recipe of the design, where they are recorded with it.
    """
    measured = Measured.of(measured)
    alike = measured.by_recipe().get(whole["recipe"], measured) if whole else measured

    def record(part: Component) -> Record | None:
        return known(alike, part, device) or known(measured, part, device)

    each = tuple((part, count, record(part)) for part, count in parts(named).items())
    return Assembly(named.name, each, whole)


@dataclasses.dataclass(frozen=True)
class Coverage:
    """How much of the components is measured on a device, of the RTL as it is now.

    Attributes:
        device: its name.
        components: how many of ``discover``.
        parts: how many of the parts of the catalogue's designs, which also have other sizes.
        designs: how many designs of the catalogue have all of their parts measured.
    """

    device: str
    components: int
    parts: int
    designs: int


def catalogue_parts() -> dict[Component, None]:
    """Every part of a design of the catalogue, each once."""
    return {part: None for named in catalogue.CATALOGUE.values() for part in _parts(named)}


def coverage(measured: Sequence[Record]) -> list[Coverage]:
    """What is measured on each device that any component is recorded on."""
    found = []
    given, whole_catalogue = catalogue_parts(), discover()
    for device in DEVICES:
        counted = (r for r in measured if r.get("device") == device and r.get("lut") is not None)
        here = Measured(counted)
        if not here:
            continue
        done = {part for part in given if known(here, part, device)}
        whole = [named for named in catalogue.CATALOGUE.values() if done.issuperset(_parts(named))]
        alone = [component for component in whole_catalogue if known(here, component, device)]
        found.append(Coverage(device, len(alone), len(done), len(whole)))
    return found
