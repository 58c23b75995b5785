# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The tables and graphs of the papers, with our measured figures beside the printed ones.

A line is either printed or ours, never a mixture: a printed line shows what the paper says and what
follows from it by a division, ours what a record says. Both are of the same design; ours are of the
same family by synthesis (area and depth only) and of the open fabrics by place and route.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from aesfab import devices, records
from aesfab.design import catalogue
from aesfab.design.axes import Interface
from aesfab.measure import components
from aesfab.records import Record
from aesfab.study import charts, conclusions, published
from aesfab.study.charts import Chart
from aesfab.study.conclusions import Verdict
from aesfab.study.link import figures as link_figures
from aesfab.study.published import Printed
from aesfab.study.study import CLOCKED, Study, fast_clock_factor, figures, find

FAMILY_DEVICES = {
    "Virtex": ("virtex",),
    "Virtex-E": ("virtex-e", "virtex"),
    "Virtex-II": ("virtex-ii",),
    "Virtex-4": ("virtex-ii",),
    "Spartan-II": ("virtex",),
    "Spartan-3": ("spartan-3e",),
    "Virtex-5": ("virtex-5",),
    "Spartan-3E": ("spartan-3e",),
    "Zynq UltraScale+": ("ultrascale-plus",),
    "Stratix": ("cyclone-iv", "virtex"),
    "Cyclone II": ("cyclone-iv", "virtex"),
    "APEX": ("cyclone-iv", "virtex"),
    "FLEX 10KE": ("cyclone-iv", "virtex"),
    "ACEX 1K": ("cyclone-iv", "virtex"),
}
"""Family of a paper's device to the devices of our table that come nearest, the best first: with
LUTs of as many inputs, one flip-flop for each, and block RAM."""

COLUMNS = {
    "lut": "LUT",
    "ff": "FF",
    "lut_per_ff": "LUT/FF",
    "slices": "slices",
    "le": "LE",
    "percent": "% of logic",
    "ram": "RAM",
    "ram_percent": "% of RAM",
    "core_kbit": "core Kbit",
    "key_kbit": "key Kbit",
    "latency_cycles": "clocks",
    "interval_cycles": "clocks a block",
    "lut_levels": "LUT levels",
    "path_ns": "path ns",
    "mhz_synthesis": "MHz, synthesis",
    "mhz": "MHz",
    "mbit_s": "Mbit/s",
    "latency_ns": "latency ns",
    "mbit_s_per_slice": "Mbit/s a slice",
    "mbit_s_per_kbit": "Mbit/s a Kbit",
    "chained_mbit_s": "chained Mbit/s",
    "mbit_s_per_lut": "Mbit/s a LUT",
    "factor": "x rolling",
    "process_um": "process, um",
}
"""Column to heading, in the order of the tables. Our slices are estimates (``study``)."""

_PRINTED_NAMES = {
    "ram_blocks": "ram",
    "fmax_mhz": "mhz",
    "fmax_synthesis_mhz": "mhz_synthesis",
    "le_percent": "percent",
}


@dataclasses.dataclass(frozen=True)
class Line:
    """A line of a table.

    Attributes:
        system: what it is about.
        printed: from the paper; else measured by us.
        source: the paper's device, or ours with the stage.
        device: name of our device, empty for a printed line.
        design: the design of the catalogue, if one builds it.
        figures: column to value; a pair of values is a range.
        note: what must be known to read it.
        bounds: columns whose value is an upper (``<=``) or a lower bound (``>=``) only, with that
            sign; of a printed line also those that follow from other figures of it (``=``).
    """

    system: str
    printed: bool
    source: str
    device: str
    design: str
    figures: dict[str, Any]
    note: str = ""
    bounds: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def text(self, column: str) -> str:
        """A figure as it stands in a table, with the sign of a bound; empty where there is none."""
        shown = cell(self.figures.get(column))
        return f"{self.bounds[column]} {shown}" if shown and column in self.bounds else shown


@dataclasses.dataclass(frozen=True)
class PaperTable:
    """A table, or what is left of one.

    Attributes:
        paper: id of the paper.
        name: ``table-4``, for anchors.
        title: what it shows.
        lines: printed and measured.
        note: what must be known to compare the two.
    """

    paper: str
    name: str
    title: str
    lines: tuple[Line, ...]
    note: str = ""

    @property
    def columns(self) -> list[str]:
        """The columns that some line fills."""
        used = {name for line in self.lines for name in line.figures}
        return [name for name in COLUMNS if name in used]

    def to_json(self) -> dict[str, Any]:
        """The table as plain values."""
        return {
            "paper": self.paper,
            "name": self.name,
            "title": self.title,
            "note": self.note,
            "lines": [dataclasses.asdict(line) for line in self.lines],
        }


@dataclasses.dataclass(frozen=True)
class Reproduction:
    """What we have of a paper: tables, graphs, and verdicts on its conclusions."""

    paper: str
    tables: tuple[PaperTable, ...]
    charts: tuple[Chart, ...]
    verdicts: tuple[Verdict, ...]

    def to_json(self) -> dict[str, Any]:
        """Everything as plain values; a graph is its data."""
        return {
            "paper": self.paper,
            "title": published.papers()[self.paper].title,
            "source": published.papers()[self.paper].source,
            "tables": [table.to_json() for table in self.tables],
            "graphs": [
                {"name": chart.name, "title": chart.title, "rows": list(chart.rows)}
                for chart in self.charts
            ],
            "conclusions": [verdict.to_json() for verdict in self.verdicts],
        }


def reproduce(paper: str, study: Study, parts: Sequence[Record] = ()) -> Reproduction:
    """Tables, graphs and verdicts of a paper from records of designs and of components.

    AesfabError for an unknown paper.
    """
    claims = conclusions.of_paper(paper)
    tables = tuple(_table_of(paper, spec, study, parts) for spec in _tables(paper))
    areas = component_areas(parts)
    verdicts = tuple(conclusions.judge(claim, study, areas) for claim in claims)
    return Reproduction(paper, tables, tuple(_graphs(paper, study)), verdicts)


def component_areas(parts: Sequence[Record]) -> dict[str, dict[str, dict[str, float]]]:
    """Device to label of a component to recipe to LUTs, from records of the RTL as it is now."""
    wanted = {label for claim in conclusions.CONCLUSIONS for label in claim.component_needs}
    areas: dict[str, dict[str, dict[str, float]]] = {}
    of_recipe = components.Measured.of(parts).by_recipe()
    if not parts:
        return areas
    for component in components.discover():
        if component.label not in wanted:
            continue
        for device in devices.DEVICES:
            for recipe, group in of_recipe.items():
                record = group.newest(component, device)
                if record is None:
                    continue
                lut = record["recipes"].get(recipe, {}).get("lut", record["lut"])
                if lut is not None:
                    by_label = areas.setdefault(device, {})
                    by_label.setdefault(component.label, {})[recipe] = lut
    return areas


# --------------------------------------------------------------------------------- text


def cell(value: Any) -> str:
    """A figure for a table: four digits at least, a range with a dash, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return " - ".join(dict.fromkeys(cell(each) for each in value))
    if isinstance(value, str):
        return value
    if isinstance(value, int) or value == int(value):
        return str(int(value))
    digits = 1 if abs(value) >= 1000 else 2 if abs(value) >= 1 else 4
    return f"{value:.{digits}f}"


def verdict_lines(verdict: Verdict) -> list[str]:
    """A verdict in plain text: the claim, the numbers of each device, and why it differs."""
    claim = verdict.conclusion
    lines = [f"{verdict.verdict.upper()}: {claim.claim} (Sec. {claim.where})"]
    for device, (_, numbers) in verdict.by_device.items():
        values = "; ".join(f"{name} {cell(value)}" for name, value in numbers.items())
        alike = "".join(f", {other} alike" for other in verdict.alike.get(device, ()))
        lines.append(f"  {device}{alike}: {verdict.answer(device)}: {values}")
        if used := verdict.recipes.get(device):
            lines.append(f"    {'recipe' if len(used) == 1 else 'recipes'} {'; '.join(used)}")
        if lacking := verdict.unequal.get(device):
            lines.append(f"    not of all, so not compared: recipe {'; '.join(lacking)}")
        for design, path in verdict.longest.get(device, {}).items():
            lines.append(f"    longest path of {design}: {path}")
    for reason in dict.fromkeys(verdict.left_out.values()):
        names = [device for device, why in verdict.left_out.items() if why == reason]
        lines.append(f"  Left out: {', '.join(names)}: {reason}")
    if verdict.why:
        lines.append(f"  Why: {verdict.why}.")
    if verdict.missing:
        lines.append(f"  Missing: {'; '.join(verdict.missing)}")
    return lines


# ------------------------------------------------------------------------------- tables


@dataclasses.dataclass(frozen=True)
class _Spec:
    """Which rows make a table."""

    name: str
    title: str
    rows: Callable[[], list[Printed]]
    note: str = ""
    more: tuple[str, ...] = ()  # designs that the table has no row for
    family: str = "Virtex-E"  # of those
    parts: bool = False  # rows are components
    factor: str = ""  # the design that efficiencies are multiples of
    # Other points of the designs: what is said of them to their axes.
    points: Mapping[str, str] = dataclasses.field(default_factory=dict)


def _table_of(paper: str, spec: _Spec, study: Study, parts: Sequence[Record]) -> PaperTable:
    lines = tuple(_lines(spec, study, parts))
    notes = [spec.note, _derived_note(lines), *_bound_notes(lines), _slice_note(lines)]
    note = " ".join(filter(None, notes))
    return PaperTable(paper, spec.name, spec.title, lines, note)


def _derived_note(lines: Sequence[Line]) -> str:
    """What the sign of a derived figure means, where there is one."""
    if not any(line.printed and "=" in line.bounds.values() for line in lines):
        return ""
    return (
        "= follows from what the paper prints: throughput, clock, latency, and clocks of a block."
    )


def _bound_notes(lines: Sequence[Line]) -> list[str]:
    """Why some figures of a table are bounds, a sentence for each reason."""
    by_reason: dict[str, tuple[str, list[str]]] = {}
    for line in lines:
        if not line.device:
            continue
        device = devices.DEVICES[line.device]
        for column in line.bounds:
            of_ram = column == "ram"
            reason = device.ram_count if of_ram else device.ram_clock
            what = "RAM blocks" if of_ram else "clocks of cores with block RAM"
            by_reason.setdefault(reason, (what, []))[1].append(line.device)
    return [
        f"Bounds (<=, >=) are {what} on {', '.join(dict.fromkeys(names))}: {reason}."
        for reason, (what, names) in by_reason.items()
    ]


def _slice_note(lines: Sequence[Line]) -> str:
    """What a slice is on the devices of a table that counts area in slices."""
    units: dict[str, list[str]] = {}
    for line in lines:
        if {"slices", "mbit_s_per_slice"} & set(line.figures):
            if line.printed:
                family = line.source.removeprefix("printed, ")
                name, device = f"{family} (printed)", FAMILY_DEVICES.get(family, ("",))[0]
            else:
                name = device = line.device
            if device:
                units.setdefault(devices.DEVICES[device].slice_unit, []).append(name)
    said = "; ".join(f"{u}: {', '.join(dict.fromkeys(names))}" for u, names in units.items())
    if len(units) < 2:
        return f"Slices: {said}." if said else ""
    return f"Slices are of unequal size and compare only where they are alike: {said}."


def _bounds(record: Record, shown: Mapping[str, Any]) -> dict[str, str]:
    """Which of the columns of a record are bounds only, and of which kind."""
    found = {}
    if records.clock_bound(record):
        found = {name: "<=" for name in shown if name in (*CLOCKED, "factor")}
        found |= {name: ">=" for name in ("latency_ns", "path_ns") if name in shown}
    if shown.get("ram") and devices.DEVICES[record["device"]].ram_count:
        found["ram"] = "<="
    return found


def _lines(spec: _Spec, study: Study, parts: Sequence[Record]) -> list[Line]:
    lines: list[Line] = []
    rows = spec.rows()
    part_of = dict(components.of_paper(rows[0].paper)) if spec.parts else {}
    for row in rows:
        lines.append(printed_line(row))
        others = published.same_circuit(row)
        lines += [_elsewhere(other) for other in others if other.paper != row.paper]
        if row in part_of:
            lines += _part_lines(row, part_of[row], parts)
        elif not row.own:
            # Of a circuit that the authors cite ours stand where another paper has its design.
            built = dict.fromkeys(each.design for each in others if each.own and each.design)
            for design in built:
                lines += _own_lines(row.system, design or "", row.family or "", study, spec.factor)
        elif row.design:
            family = row.family or ""
            lines += _own_lines(row.system, row.design, family, study, spec.factor)
            for system, axes in spec.points.items():
                point = f"{row.design} {axes}"
                lines += _own_lines(f"{row.system}, {system}", point, family, study, spec.factor)
    for design in spec.more:
        if design in catalogue.CATALOGUE:
            system = design.partition("-")[2]
            lines += _own_lines(system, design, spec.family, study, spec.factor)
    return lines


def _in_words(design: str) -> bool:
    return find(design).design.interface is Interface.WORDS


def _elsewhere(row: Printed) -> Line:
    """A row of another paper on the same circuit."""
    line = printed_line(row)
    return dataclasses.replace(line, system=f"{row.system} ({row.paper}, {row.where})")


def printed_line(row: Printed) -> Line:
    """A row of a paper as a line of a table."""
    values = row.figures()
    for old, new in _PRINTED_NAMES.items():
        if old in values:
            values[new] = values.pop(old)
    if row.lut and row.ff:
        values["lut_per_ff"] = row.lut / row.ff
    if row.core_memory_bits is not None:
        values["core_kbit"] = row.core_memory_bits / 1024
    if row.key_memory_bits is not None:
        values["key_kbit"] = row.key_memory_bits / 1024
    if row.process_um is not None:
        values["process_um"] = row.process_um
    if row.mbit_s_range:
        values["mbit_s"] = list(row.mbit_s_range)
    if row.efficiency_factor:
        values["factor"] = list(row.efficiency_factor)
    derived = {"mhz": published.implied_fmax_mhz(row), "mbit_s": published.implied_mbit_s(row)}
    follows = {name: value for name, value in derived.items() if value and name not in values}
    if row.periods is not None and row.design and _in_words(row.design):
        # Ours are from the first word in to the last word out, and so is the printed latency.
        follows |= dict.fromkeys(("latency_cycles", "interval_cycles"), row.periods)
    values |= follows
    source = f"printed, {row.family or row.device}" if row.family or row.device else "printed"
    shown = {name: values[name] for name in COLUMNS if name in values}
    bounds = dict.fromkeys(follows, "=")
    return Line(row.system, True, source, "", row.design or "", shown, row.note, bounds)


def _own_lines(system: str, design: str, family: str, study: Study, factor: str) -> list[Line]:
    """Ours: the first device of the family that was measured, every open fabric with records."""
    lines = []
    nearest = [d for d in FAMILY_DEVICES.get(family, ()) if study.record(design, d)][:1]
    fabrics = [d for d in study.devices() if devices.DEVICES[d].place_and_route]
    for device in [*nearest, *(d for d in fabrics if study.record(design, d))]:
        values = figures(study, design, device)
        point = find(design).design
        shown = {name: values[name] for name in COLUMNS if name in values}
        shown |= {"latency_cycles": point.latency(), "interval_cycles": point.interval_number()}
        if factor and "mbit_s_per_kbit" in values:
            reference = study.figure(factor, device, "mbit_s_per_kbit")
            if reference:
                shown["factor"] = values["mbit_s_per_kbit"] / reference
        notes = []
        if values["status"] != "ok":
            full = max(values.get(name, 0) for name in ("percent", "ram_percent"))
            with_harness = values["status"] == "does not fit" and full <= 100
            notes.append(values["status"] + (" with its harness around it" * with_harness))
        if (recipe := (study.record(design, device) or {}).get("recipe")) != records.PLAIN:
            notes.append(f"recipe {recipe}")
        if family and device in nearest and device != FAMILY_DEVICES[family][0]:
            notes.append(f"no record for {FAMILY_DEVICES[family][0]}")
        periods = fast_clock_factor(point)
        if periods > 1:
            notes.append(f"{periods} clocks a block period")
        record = study.record(design, device) or {}
        if lost := records.unplaced(record):
            notes.append(f"no place with {len(lost)} of {records.seeds(record)} seeds")
        bounds = _bounds(record, shown)
        if "mhz" in bounds:
            notes.append("clock is an upper bound")
        if "ram" in bounds:
            notes.append("RAM blocks are an upper bound")
        lines.append(
            Line(system, False, f"ours, {device} ({values['stage']})", device, design,
                 {name: shown[name] for name in COLUMNS if name in shown}, "; ".join(notes), bounds)
        )  # fmt: skip
    return lines


def _part_lines(
    row: Printed, component: components.Component, parts: Sequence[Record]
) -> list[Line]:
    """Ours on the nearest families and the open fabrics; how to measure it, where it is not.

    Of several recipes the one with the fewest LUTs, with its name.
    """
    measured = components.Measured.of(parts)
    lines = []
    # A component is of the family of the paper's cores where it names none.
    cores = published.of_paper(row.paper, lambda core: bool(core.own and core.family))
    family = row.family or next((core.family for core in cores), "")
    nearest = FAMILY_DEVICES.get(family or "", ("virtex",))
    said = components.differs(row)
    for device, spec in devices.DEVICES.items():
        same = device in nearest
        record = measured.smallest(component, device) if same or spec.place_and_route else None
        if record is None:
            continue
        values = {name: record.get(name) for name in ("lut", "ff", "ram", "lut_levels")}
        values |= {"lut_per_ff": components.ratio(record), "path_ns": record.get("delay_ns")}
        shown = {name: values[name] for name in COLUMNS if values.get(name) is not None}
        source = f"ours, {device} ({'place and route' if record.get('delay_ns') else 'synthesis'})"
        recipe = "" if record["recipe"] == "default" else f"recipe {record['recipe']}"
        said_of_it = (component.label, said, recipe, *components.marks(record))
        note = "; ".join(filter(None, said_of_it))
        bounds = _bounds(record, shown)
        lines.append(Line(row.system, False, source, device, "", shown, note, bounds))
    if not any(line.device in nearest for line in lines):
        note = "; ".join(filter(None, (components.command(row, component, nearest[0]), said)))
        source = f"ours, {nearest[0]} (not measured yet)"
        lines.append(Line(row.system, False, source, nearest[0], "", {}, note))
    return lines


def _table(paper: str, *places: str) -> Callable[[], list[Printed]]:
    return lambda: [r for r in published.of_table(paper, *places) if r.kind in ("core", "claim")]


def _kind(paper: str, kind: str) -> Callable[[], list[Printed]]:
    return lambda: published.of_paper(paper, lambda row: row.kind == kind)


_DIRECTION_TITLES = {0: "encryption", 1: "decryption", 2: "both directions"}

_TABLES: dict[str, list[_Spec]] = {
    "standaert2003": [
        _Spec(
            "table-1-2-3", "Tables 1 to 3: components", _kind("standaert2003", "component"),
            "The printed path is after synthesis. A slice of Virtex has an XOR gate behind each "
            "LUT, which the paper uses and open synthesis does not; nor does that make LUT shift "
            "registers for Virtex, so the delays of the key round are flip-flops.", parts=True,
        ),
        _Spec(
            "table-4", "Table 4: pipeline and loop with S-boxes in LUTs",
            _table("standaert2003", "Table 4"),
        ),
        _Spec(
            "table-5", "Table 5: comparison", _table("standaert2003", "Table 5"),
            "Gaj, Dandalis and Elbirt are cited by the paper.",
        ),
        _Spec(
            "table-6", "Table 6, Sec. 6.2: S-boxes in RAM", _table("standaert2003", "Sec. 6.2"),
            "The table is missing from our copy; only the cycle counts remain.",
            more=("standaert-ram-compact-21",),
        ),
        _Spec(
            "section-7", "Sec. 7: the extremes (Table 7 is missing)",
            _kind("standaert2003", "claim"),
        ),
    ],
    "qin2005": [
        _Spec(
            "table-2", "Table 2: AES-4SM, AES-8SM, UNROLLING and others",
            _table("qin2005", "Table 2"),
            "The paper counts block periods, of which ours have four, two or one clocks: its f is "
            "our clock over that number. Memory is counted in blocks of 4096 bit.",
            more=("qin-4sm-permuted",), family="Stratix",
        ),
        _Spec(
            "table-3", "Table 3: memory efficiency by class", _kind("qin2005", "class"),
            "Multiples of a rolled core: Helion's in the paper, pilchard-unrolled-1 for ours.",
            more=("pilchard-unrolled-1", "qin-4sm", "qin-8sm", "qin-unrolling"),
            family="Stratix", factor="pilchard-unrolled-1",
        ),
        _Spec("components", "Secs. 3, 4: components", _kind("qin2005", "component"), parts=True),
        _Spec("section-5", "Sec. 5: other devices", _table("qin2005", "Sec. 5")),
        _Spec("software", "Sec. 5: software", _kind("qin2005", "software")),
    ],
    "pilchard": [
        _Spec(
            "figures-7", "Figs. 7.1 to 7.3, Table 7.1: Unrolled-1 to Unrolled-10",
            lambda: published.of_paper("pilchard", lambda r: r.kind == "core" and bool(r.design)),
            "The figures and the table are missing from our copy; only what the text repeats is "
            "printed here. Ours have S-boxes in RAM for one round a clock, in logic for more.",
        ),
        _Spec(
            "section-2", "Sec. 2: cited work",
            lambda: published.of_paper("pilchard", lambda r: r.kind == "core" and not r.design),
        ),
        _Spec("components", "Sec. 4: components", _kind("pilchard", "component"), parts=True),
        _Spec("host", "Sec. 7: the core with its host", _kind("pilchard", "host"),
              "A measurement of a board and its processor. Ours are predictions of the link model "
              "for that machine, in the graphs of Figs. 7.4 to 7.7 and by aesfab host bench."),
        _Spec("software", "Sec. 2: software", _kind("pilchard", "software")),
    ],
    "kakarlapudi": [
        _Spec(
            f"table-{first + number}",
            f"Table {first + number}: {kind}-box, {_DIRECTION_TITLES[number % 3]}, {family}",
            _table("kakarlapudi", f"Table {first + number}"),
            note,
        )
        for first, family, note in (
            (1, "Virtex-5", "Printed latencies are Nr + 2 periods, one more than those of the "
             "core, which ours are of."),
            (8, "Spartan-3E", "Clocks and latencies, printed and ours, are from end to end: Nr + "
             "10, with those in which a block comes and goes over 32-bit ports. The paper prints "
             "the clocks of the core alone, and latencies of so many periods."),
        )
        for number, kind in enumerate("SSSTTT")
    ]
    + [
        _Spec("components", "Sec. V: components", _kind("kakarlapudi", "component"), parts=True),
    ],
    "fischer2001": [
        _Spec(
            f"table-{number}", f"Table {number}: {title}", _table("fischer2001", f"Table {number}"),
            "The paper's round keys are loaded; ours expand their keys themselves, but for those "
            "that say otherwise.", points={"round keys from outside": "key_sbox=none"},
        )
        for number, title in (
            (1, "fast, S-boxes, APEX"), (2, "fast, S-boxes, FLEX"),
            (3, "economic, S-boxes, ACEX"), (4, "fast, T-boxes, APEX"),
            (5, "economic, T-boxes, ACEX"),
        )
    ]
    + [
        _Spec("table-6", "Table 6: comparison of both directions", lambda: _fischer_comparison()),
        _Spec(
            "components", "Secs. 2.2, 3.2, 5.1: components", _kind("fischer2001", "component"),
            parts=True,
        ),
    ],
}  # fmt: skip


_KIND_TITLES = {
    "core": "cores",
    "component": "components",
    "claim": "claims",
    "class": "classes",
    "host": "the core with its host",
    "software": "software",
}


def _tables(paper: str) -> list[_Spec]:
    """The tables of a paper: those above, else one for each place and kind of its rows."""
    if paper in _TABLES:
        return _TABLES[paper]
    found = dict.fromkeys((row.where, row.kind) for row in published.of_paper(paper))
    note = published.papers()[paper].note

    def rows(where: str, kind: str) -> Callable[[], list[Printed]]:
        return lambda: published.of_paper(paper, lambda r: (r.where, r.kind) == (where, kind))

    return [
        _Spec(
            "-".join(re.findall(r"[a-z0-9]+", f"{where} {kind}".lower())),
            f"{where}: {_KIND_TITLES[kind]}", rows(where, kind), note, parts=kind == "component",
        )
        for where, kind in found
    ]  # fmt: skip


def _fischer_comparison() -> list[Printed]:
    """The authors' own cores of Table 6 are those of the other tables for both directions."""
    own = published.of_paper(
        "fischer2001",
        lambda row: row.kind == "core" and row.own and row.direction == "both"
        and row.where != "Table 2",
    )  # fmt: skip
    return own + published.of_table("fischer2001", "Table 6")


# ------------------------------------------------------------------------------- graphs

_SOURCE = ("series", "source")


def _routed(study: Study) -> list[str]:
    return [name for name in study.devices() if devices.DEVICES[name].place_and_route]


def _ours(study: Study, design: str, device: str, metric: str) -> str:
    """The name of a series of ours: of bounds, and of the kind of slice that it counts.

    A bound is not of the same series as what is measured in full.
    """
    said = []
    if metric in ("slices", "mbit_s_per_slice"):
        said.append(devices.DEVICES[device].slice_unit)
    if metric in CLOCKED and records.clock_bound(study.record(design, device) or {}):
        said.append("at most")
    return f"ours, {device}" + (f" ({', '.join(said)})" if said else "")


def _printed_in_slices(family: str) -> str:
    """The name of a series of a paper that counts slices."""
    known = FAMILY_DEVICES.get(family)
    unit = f" ({devices.DEVICES[known[0]].slice_unit})" if known else ""
    return f"printed, {family or 'unknown device'}{unit}"


def _standaert_graphs(study: Study) -> list[Chart]:
    rows = [
        {
            "system": row.design or row.system,
            "series": _printed_in_slices("Virtex"),
            "value": row.mbit_s_per_slice,
        }
        for row in published.of_table("standaert2003", "Table 5")
    ]
    ours = ("standaert-sequential-52", "standaert-pipeline-42", "standaert-ram-sequential-21",
            "standaert-ram-pipeline-21", "standaert-ram-compact-21")  # fmt: skip
    for design in ours:
        for device in _routed(study):
            value = study.figure(design, device, "mbit_s_per_slice")
            if value is not None:
                series = _ours(study, design, device, "mbit_s_per_slice")
                rows.append({"system": design, "series": series, "value": value})
    table_5 = charts.bars(
        "standaert2003-table-5",
        "standaert2003, Table 5: throughput per slice, printed and ours (slices estimated)",
        rows, ("system", "design"), ("value", "Mbit/s a slice"), _SOURCE,
        {"system": "design", "series": "source", "value": "Mbit/s a slice"},
    )  # fmt: skip
    ratio = []
    for row in published.of_table("standaert2003", "Table 4"):
        if row.lut and row.ff:
            ratio.append({"system": row.design, "series": "printed", "value": row.lut / row.ff})
    for named in catalogue.CATALOGUE.values():
        if named.paper != "standaert2003":
            continue
        for device in study.devices():
            value = study.figure(named.name, device, "lut_per_ff")
            if value is not None:
                ratio.append({"system": named.name, "series": f"ours, {device}", "value": value})
    return [
        table_5,
        charts.bars(
            "standaert2003-lut-per-register",
            "standaert2003, Sec. 4: LUTs for each register, printed and ours",
            ratio, ("system", "design"), ("value", "LUT/FF"), _SOURCE,
            {"system": "design", "series": "source", "value": "LUT/FF"},
        ),
    ]  # fmt: skip


def _qin_graphs(study: Study) -> list[Chart]:
    rows = []
    for row in published.of_table("qin2005", "Table 2"):
        if row.mbit_s_per_kbit and row.core_memory_bits:
            rows.append(
                {"system": row.design or row.system, "series": "printed",
                 "kbit": row.core_memory_bits / 1024,
                 "mbit_s": row.mbit_s, "efficiency": row.mbit_s_per_kbit}
            )  # fmt: skip
    for design in ("qin-4sm", "qin-8sm", "qin-unrolling", "qin-4sm-m4k-keys", "qin-8sm-m4k-keys",
                   "qin-4sm-permuted", "pilchard-unrolled-1"):  # fmt: skip
        for device in _routed(study):
            values = [
                study.figure(design, device, m) for m in ("core_kbit", "mbit_s", "mbit_s_per_kbit")
            ]
            if None not in values:
                kbit, mbit_s, efficiency = values
                rows.append(
                    {"system": design, "series": _ours(study, design, device, "mbit_s"),
                     "kbit": kbit,
                     "mbit_s": mbit_s, "efficiency": efficiency}
                )  # fmt: skip
    columns = {
        "system": "design", "series": "source", "kbit": "core memory, Kbit", "mbit_s": "Mbit/s",
        "efficiency": "Mbit/s a Kbit",
    }  # fmt: skip
    return [
        charts.scatter(
            "qin2005-memory", "qin2005, Table 2: throughput against memory, printed and ours",
            rows, ("kbit", "core memory, Kbit"), ("mbit_s", "Mbit/s"), _SOURCE, columns,
        ),
        charts.bars(
            "qin2005-efficiency",
            "qin2005, Tables 2 and 3: throughput per memory, printed and ours",
            rows, ("system", "design"), ("efficiency", "Mbit/s a Kbit"), _SOURCE, columns,
        ),
    ]  # fmt: skip


def _pilchard_graphs(study: Study) -> list[Chart]:
    graphs = []
    for name, title, metric, heading in (
        ("7.1", "area", "lut", "LUTs"),
        ("7.2", "clock", "mhz", "MHz"),
        ("7.3", "throughput", "mbit_s", "Mbit/s"),
    ):
        rows = []
        for rounds in (1, 2, 5, 10):
            (row,) = published.of_design(f"pilchard-unrolled-{rounds}")
            value = {"lut": row.lut, "mhz": row.fmax_mhz, "mbit_s": row.mbit_s}[metric]
            if value is not None:
                rows.append({"rounds": rounds, "series": "printed, Virtex-E", "value": value})
            for device in study.devices():
                design = f"pilchard-unrolled-{rounds}"
                ours = study.figure(design, device, metric)
                if ours is not None:
                    series = _ours(study, design, device, metric)
                    rows.append({"rounds": rounds, "series": series, "value": ours})
        graphs.append(
            charts.lines(
                f"pilchard-figure-{name}",
                f"pilchard, Fig. {name}: {title} over the rounds in hardware, printed and ours",
                rows, ("rounds", "rounds in hardware"), ("value", heading), _SOURCE,
                {"rounds": "rounds", "series": "source", "value": heading}, scale="linear",
            )
        )  # fmt: skip
    return graphs + link_figures.paper_figures()


def _kakarlapudi_graphs(study: Study) -> list[Chart]:
    graphs = []
    for name, title, metric, heading in (
        ("1", "throughput", "mbit_s", "Mbit/s"),
        ("2", "area (ours estimated)", "slices", "slices"),
        ("3", "throughput per area", "mbit_s_per_slice", "Mbit/s a slice"),
    ):
        rows = []
        for kind in "st":
            for bits in (128, 192, 256):
                design = f"kakarlapudi-{kind}box-both-{bits}"
                for row in published.of_design(design) + published.of_design(f"{design}-io32"):
                    family = row.family or ""
                    source = (
                        f"printed, {family}" if metric == "mbit_s" else _printed_in_slices(family)
                    )
                    rows.append(
                        {"bits": bits, "series": f"{kind.upper()}-box, {source}",
                         "value": getattr(row, metric)}
                    )  # fmt: skip
                for device in study.devices():
                    # The paper's Spartan-3E cores have 32-bit ports.
                    ours = f"{design}-io32" if device == "spartan-3e" else design
                    value = study.figure(ours, device, metric)
                    if value is not None:
                        series = f"{kind.upper()}-box, {_ours(study, ours, device, metric)}"
                        rows.append({"bits": bits, "series": series, "value": value})
        graphs.append(
            charts.lines(
                f"kakarlapudi-graph-{name}",
                f"kakarlapudi, Graph {name}: {title} of cores for both directions, printed and "
                "ours",
                rows, ("bits", "key size, bit"), ("value", heading), _SOURCE,
                {"bits": "key size", "series": "design and source", "value": heading},
            )
        )  # fmt: skip
    return graphs


def _fischer_graphs(study: Study) -> list[Chart]:
    rows = []
    for row in _fischer_comparison():
        rows.append({"system": row.system, "series": "printed", "value": row.mbit_s})
        if row.design is None:
            continue
        for device in _routed(study):
            value = study.figure(row.design, device, "mbit_s")
            if value is not None:
                series = _ours(study, row.design, device, "mbit_s")
                rows.append({"system": row.system, "series": series, "value": value})
    figure = charts.bars(
        "fischer2001-figures-7-8",
        "fischer2001, Figs. 7 and 8, Table 6: throughput for both directions, printed and ours",
        rows, ("system", "implementation"), ("value", "Mbit/s"), _SOURCE,
        {"system": "implementation", "series": "source", "value": "Mbit/s"},
    )  # fmt: skip
    area: list[charts.Row] = []
    for row in published.of_paper("fischer2001", lambda r: r.own and r.kind == "core"):
        label = row.design or row.system
        area.append({"system": label, "series": f"printed, {row.family} (LE)", "value": row.le})
    for design in dict.fromkeys(entry["system"] for entry in area):
        for device in study.devices():
            value = study.figure(str(design), device, "lut")
            if value is not None:
                area.append({"system": design, "series": f"ours, {device} (LUT)", "value": value})
    return [
        figure,
        charts.bars(
            "fischer2001-area",
            "fischer2001, Tables 1 to 5: logic, printed and ours (ours with key expansion)",
            area, ("system", "design"), ("value", "logic elements or LUTs"), _SOURCE,
            {"system": "design", "series": "source", "value": "LE or LUT"},
        ),
    ]  # fmt: skip


def _graphs(paper: str, study: Study) -> list[Chart]:
    """The graphs of a paper: those below, else throughput, area and their quotient as bars."""
    return _GRAPHS[paper](study) if paper in _GRAPHS else _plain_graphs(paper, study)


def _plain_graphs(paper: str, study: Study) -> list[Chart]:
    graphs = []
    cores = published.of_paper(paper, lambda row: row.kind == "core")
    for metric, title, heading in (
        ("mbit_s", "throughput", "Mbit/s"),
        ("slices", "area (ours estimated)", "slices"),
        ("mbit_s_per_slice", "throughput per area (ours estimated)", "Mbit/s a slice"),
    ):
        rows: list[charts.Row] = []
        for row in cores:
            value = printed_line(row).figures.get(metric)
            family = row.family or ""
            if isinstance(value, int | float):
                source = (
                    f"printed, {family or 'unknown device'}"
                    if metric == "mbit_s"
                    else _printed_in_slices(family)
                )
                rows.append({"system": row.system, "series": source, "value": value})
        if not rows:
            continue
        for row in cores:
            for device in study.devices() if row.design and row.own else ():
                ours = study.figure(row.design or "", device, metric)
                if ours is not None:
                    series = _ours(study, row.design or "", device, metric)
                    rows.append({"system": row.system, "series": series, "value": ours})
        graphs.append(
            charts.bars(
                f"{paper}-{metric.replace('_', '-')}", f"{paper}: {title}, printed and ours",
                rows, ("system", "system"), ("value", heading), _SOURCE,
                {"system": "system", "series": "source", "value": heading},
            )
        )  # fmt: skip
    return graphs


_GRAPHS: dict[str, Callable[[Study], list[Chart]]] = {
    "standaert2003": _standaert_graphs,
    "qin2005": _qin_graphs,
    "pilchard": _pilchard_graphs,
    "kakarlapudi": _kakarlapudi_graphs,
    "fischer2001": _fischer_graphs,
}
