# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""HTML pages of everything that is known: a choice, designs and figures, papers.

They need no network and no server (``pages`` has their files). Nothing is elaborated for them: what
RTL says comes from ``results/netlists.jsonl`` and ``results/parts.jsonl``. Every plot has its data
as a table below it, and is also a file.

The way is forward only: ``reading`` takes everything from the records once, and what follows draws
and prints what it read.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from aesfab import devices, records
from aesfab.choosing import form
from aesfab.design import catalogue, schedule
from aesfab.design.catalogue import Named
from aesfab.errors import AesfabError
from aesfab.folder.collateral import diagram
from aesfab.measure import components
from aesfab.records import Record
from aesfab.study import charts, classes, conclusions, pages, papers, published, scaling, study
from aesfab.study.charts import Chart
from aesfab.study.link import experiments
from aesfab.study.study import Row, Study
from aesfab.system import files
from aesfab.system.process import written_whole

_BREAKDOWN_PARTS = 14
"""Components with a look of their own in a breakdown: so many are told apart at a glance."""


@dataclasses.dataclass(frozen=True)
class Column:
    """A column of a table of the page.

    Attributes:
        key: field of the rows.
        title: heading.
        number: right-aligned, and sorted by value.
        filter: a list of its values to choose from stands above the table.
        wrap: long text, which takes lines.
    """

    key: str
    title: str
    number: bool = False
    filter: bool = False
    wrap: bool = False


@dataclasses.dataclass(frozen=True)
class Figures:
    """What is put on the page.

    Attributes:
        study: records of designs as their RTL is.
        parts: records of components.
        evidence: records of verifications.
        known: records of designs from which the form chooses.
    """

    study: Study
    parts: Sequence[Record] = ()
    evidence: Sequence[Record] = ()
    known: Sequence[Record] = ()


CATALOGUE_COLUMNS = (
    Column("design", "design"),
    Column("paper", "paper", filter=True),
    Column("architecture", "architecture", filter=True),
    Column("sbox", "S-box", filter=True),
    Column("direction", "direction", filter=True),
    Column("key_bits", "key", filter=True),
    Column("key_schedule", "round keys"),
    Column("latency", "latency, clocks", number=True),
    Column("interval", "clocks a block", number=True),
    Column("verified", "verified", filter=True),
)

FIGURE_COLUMNS = (
    Column("design", "design"),
    Column("device", "device", filter=True),
    Column("paper", "paper", filter=True),
    Column("architecture", "architecture", filter=True),
    Column("direction", "direction", filter=True),
    Column("recipe", "recipe"),
    Column("lut", "LUT", number=True),
    Column("ff", "FF", number=True),
    Column("ram", "RAM", number=True),
    Column("slices", "slices (est.)", number=True),
    Column("lut_levels", "LUT levels", number=True),
    Column("mhz", "MHz", number=True),
    Column("clock", "clock", filter=True),
    Column("spread", "spread, %", number=True),
    Column("mbit_s", "Mbit/s", number=True),
    Column("mbit_s_per_lut", "Mbit/s a LUT", number=True),
    Column("latency_ns", "latency, ns", number=True),
    Column("status", "status", filter=True),
)


def catalogue_rows(evidence: Mapping[str, Record | None]) -> list[dict[str, Any]]:
    """The designs, a row each; ``evidence`` is what speaks for each of them."""
    rows = []
    for named in catalogue.CATALOGUE.values():
        axes = named.design.axes()
        record = evidence[named.name]
        level = "-" if record is None else record["level"] if record["passed"] else "FAILED"
        rows.append(
            {
                "design": named.name,
                "paper": named.paper or "AESFab",
                **{name: str(axes[name]) for name in ("architecture", "sbox", "direction",
                                                      "key_bits", "key_schedule")},
                "latency": named.design.latency(),
                "interval": named.design.interval_number(),
                "verified": str(level),
            }
        )  # fmt: skip
    return rows


def figure_rows(table: Sequence[Row]) -> list[dict[str, Any]]:
    """Every design on every device that was measured, a row each."""
    rows = []
    for row in table:
        assert row.record is not None
        axes = row.named.design.axes()
        values = {**row.figures, "device": row.device, "status": row.record["status"]}
        rows.append(
            {
                "design": row.design,
                "paper": row.named.paper or "AESFab",
                "architecture": axes["architecture"],
                "direction": axes["direction"],
                "recipe": row.record["recipe"],
                "clock": _clock(row.record),
                **{c.key: _rounded(values.get(c.key)) for c in FIGURE_COLUMNS
                   if c.number or c.key in ("device", "status")},
            }
        )  # fmt: skip
    return rows


def _clock(record: Record) -> str | None:
    """Whether the clock of a record is what the core reaches; None without one."""
    if not record.get("fmax_mhz"):
        return None
    return "upper bound" if records.clock_bound(record) else "measured"


def _rounded(value: Any) -> Any:
    """Four significant digits, and all of a whole number, which has no decimal point."""
    if not isinstance(value, float):
        return value
    value = study.rounded(value)
    return round(value) if value == int(value) else value


def best_rows(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """For each device the fastest, the smallest and so on of the cores that were routed."""
    found = []
    for device in dict.fromkeys(row["device"] for row in rows):
        here = [row for row in rows if row["device"] == device and row["mbit_s"] is not None]
        if not here:
            continue
        for what, key, sign in (
            ("most throughput", "mbit_s", 1),
            ("fewest LUTs", "lut", -1),
            ("most throughput a LUT", "mbit_s_per_lut", 1),
            ("shortest latency", "latency_ns", -1),
        ):
            best = max(here, key=lambda row: sign * row[key])
            found.append(
                {
                    "device": device,
                    "class": what,
                    "design": best["design"],
                    **{name: best[name] for name in _BEST},
                }
            )
    return found


_BEST = ("lut", "ram", "mhz", "clock", "mbit_s", "mbit_s_per_lut", "latency_ns")

BEST_COLUMNS = (
    Column("device", "device", filter=True),
    Column("class", "best in", filter=True),
    Column("design", "design"),
    *(column for column in FIGURE_COLUMNS if column.key in _BEST),
)


HOST_COLUMNS = (
    Column("where", "place"),
    Column("system", "system"),
    Column("printed_mbit_s", "printed, Mbit/s", number=True),
    Column("status", "status", filter=True),
    Column("blocks", "blocks"),
    Column("model_mbit_s", "model, Mbit/s"),
    Column("error_percent", "error, %", number=True),
    Column("why", "note", wrap=True),
)

AREA_COLUMNS = (
    Column("design", "design"),
    Column("paper", "paper", filter=True),
    Column("where", "place"),
    Column("family", "family", filter=True),
    Column("unit", "unit"),
    Column("printed", "printed", number=True),
    Column("allowed", "ours at most", number=True),
    Column("ours", "ours", number=True),
    Column("printed FF", "FF printed", number=True),
    Column("our FF", "FF ours", number=True),
    Column("our LUT levels", "LUT levels ours", number=True),
    Column("levels allowed", "at most", number=True),
    Column("ours on", "measured on"),
    Column("axes", "with axes", wrap=True),
    Column("small enough", "small enough", filter=True),
)


def area_rows(measured: Study) -> list[dict[str, Any]]:
    """``classes.areas``, with axes that are not the design's own in a column of their own."""
    rows = []
    for area in classes.areas(measured):
        row = classes.area_row(area)
        row["design"], _, row["axes"] = area.design.partition(" ")
        rows.append(row)
    return rows


COVERAGE_COLUMNS = (
    Column("device", "device"),
    Column("family", "family"),
    Column("components", "components", number=True),
    Column("parts", "parts of designs", number=True),
    Column("designs", "designs with all parts", number=True),
)


def coverage_rows(parts: Sequence[Record]) -> list[dict[str, Any]]:
    """How much of the components is measured on each family, the whole numbers first."""
    if not parts:
        return []
    every = {
        "device": "all",
        "family": None,
        "components": len(components.discover()),
        "parts": len(components.catalogue_parts()),
        "designs": len(catalogue.CATALOGUE),
    }
    return [
        every,
        *(
            {**dataclasses.asdict(each), "family": devices.DEVICES[each.device].family}
            for each in components.coverage(parts)
        ),
    ]


# ------------------------------------------------------------------------------- reading


@dataclasses.dataclass(frozen=True)
class LongPath:
    """The period of a design on a device, and the share of routing in its longest path."""

    period_ns: float
    routing: float


@dataclasses.dataclass(frozen=True)
class Reading:
    """Everything that the pages show, taken from the records once.

    Attributes:
        rows: the table of figures (``figure_rows``).
        devices: those that have a record, in the order of the table of devices.
        tools: every tool that a row was measured with.
        paths: device to design to its longest path, where it was placed and routed.
        assemblies: device to design to it beside its parts, where parts were measured.
        evidence: design to the record of its verification.
        reproductions, standings: the papers, the classes.
        areas, coverage, host: rows of the tables of these names.
        curves, knees: how designs scale.
        choices: what the form chooses from.
    """

    rows: list[dict[str, Any]]
    devices: list[str]
    tools: list[str]
    paths: dict[str, dict[str, LongPath]]
    assemblies: dict[str, dict[str, components.Assembly]]
    evidence: dict[str, Record | None]
    reproductions: list[papers.Reproduction]
    standings: list[classes.Standing]
    areas: list[dict[str, Any]]
    coverage: list[dict[str, Any]]
    host: list[dict[str, Any]]
    curves: list[Chart]
    knees: list[str]
    choices: dict[str, Any]


def reading(figures: Figures, progress: Callable[[str], None] = lambda _: None) -> Reading:
    """Take everything that the pages show from the records."""
    progress("reading the records")
    measured, parts = figures.study, components.Measured.of(figures.parts)
    table = list(measured.rows())
    found = measured.devices()
    paths: dict[str, dict[str, LongPath]] = {device: {} for device in found}
    assemblies: dict[str, dict[str, components.Assembly]] = {device: {} for device in found}
    with_parts = {record.get("device") for record in parts}
    for row in table:
        assert row.record is not None
        share, mhz = row.figures.get("routing"), row.figures.get("mhz")
        if share is not None and mhz:
            paths[row.device][row.design] = LongPath(1000 / mhz, share)
        if row.device in with_parts and row.record.get("lut") is not None:
            # A stale record is of other RTL than the parts.
            whole = row.record if study.is_current(row.record, row.named) else None
            both = components.assembly(row.named, row.device, parts, whole)
            assemblies[row.device][row.design] = both
    evidence: dict[str, list[Record]] = {name: [] for name in catalogue.CATALOGUE}
    for record in figures.evidence:
        evidence.setdefault(record["design"], []).append(record)
    progress("the papers")
    reproductions = [papers.reproduce(paper, measured, parts) for paper in published.papers()]
    progress("the classes")
    standings = [classes.standing(each, measured, parts) for each in classes.load()]
    areas, curves = area_rows(measured), scaling.figures(measured)
    progress("the form")
    return Reading(
        rows=figure_rows(table),
        devices=found,
        tools=sorted({tool for row in table for tool in (row.record or {})["tools"].values()}),
        paths=paths,
        assemblies=assemblies,
        evidence={
            name: study.evidence_of(named, evidence[name])
            for name, named in catalogue.CATALOGUE.items()
        },
        reproductions=reproductions,
        standings=standings,
        areas=areas,
        coverage=coverage_rows(parts),
        host=experiments.shown(experiments.figures(), nothing=None),
        curves=curves,
        knees=scaling.knees(measured) or [scaling.NOTHING],
        choices=form.data(figures.known),
    )


# -------------------------------------------------------------------------------- plots


def device_charts(device: str, read: Reading) -> list[Chart]:
    """The plots of a device that have any data."""
    here = [dict(row) for row in read.rows if row["device"] == device]
    routed = [row for row in here if row["mbit_s"] is not None]
    for row in here:
        row["whose"] = "our own" if row["paper"] == "AESFab" else "after a paper"
    names = {column.key: column.title for column in FIGURE_COLUMNS} | {"whose": "whose"}

    def columns(*keys: str) -> dict[str, str]:
        return {key: names[key] for key in keys}

    found = []
    if routed:
        shown = columns("design", "architecture", "whose", "lut", "slices", "ff", "ram", "mhz",
                        "clock", "mbit_s", "latency_ns")  # fmt: skip
        fields = tuple(shown)
        points = [{key: row.get(key) for key in fields} for row in routed]
        points += [{key: row.get(key) for key in fields} for row in _open_cores(device)]
        unit = devices.DEVICES[device].slice_.name
        for area, what in (("lut", "LUTs"), ("slices", f"{unit}s")):
            chart = charts.scatter(
                f"{device}-throughput-{'area' if area == 'lut' else area}",
                f"{device}: throughput against {what}, with the Pareto front",
                [row for row in points if row[area]], (area, what), ("mbit_s", "Mbit/s"),
                ("architecture", "architecture"), shown, front=True, whose=("whose", "whose"),
            )  # fmt: skip
            found.append(dataclasses.replace(chart, choice=("area", area)))
        found.append(
            charts.scatter(
                f"{device}-latency-throughput", f"{device}: throughput against latency",
                [row for row in points if row["latency_ns"]],
                ("latency_ns", "latency, ns"), ("mbit_s", "Mbit/s"),
                ("architecture", "architecture"), shown, front=True, whose=("whose", "whose"),
            )
        )  # fmt: skip
        found += _by_architecture(
            f"{device}-critical-path",
            f"{device}: the longest path, split into logic and routing (median of the seeds)",
            _path_rows(routed, read.paths[device]), ("ns", "ns"), ("part", "part of the path"),
            {"design": "design", "part": "part", "ns": "ns", "share": "share, %"},
        )  # fmt: skip
    breakdown = _breakdown_rows(here, read.assemblies[device])
    if breakdown:
        found += _by_architecture(
            f"{device}-breakdown",
            f"{device}: LUTs by component, each measured alone, and what assembly adds",
            breakdown, ("lut", "LUTs"), ("shown", "component"),
            {"design": "design", "part": "component", "number": "number", "lut": "LUT"},
        )  # fmt: skip
    return found


def _by_architecture(
    name: str,
    title: str,
    rows: Sequence[dict[str, Any]],
    value: tuple[str, str],
    series: tuple[str, str],
    columns: dict[str, str],
) -> list[Chart]:
    """Stacked bars of designs, a chart for each architecture."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        architecture = str(catalogue.find(row["design"]).design.axes()["architecture"])
        groups.setdefault(architecture, []).append(row)
    return [
        dataclasses.replace(
            charts.bars(
                f"{name}-{architecture}", f"{title}: {architecture}", group,
                ("design", "design"), value, series, columns, stacked=True,
            ),
            choice=("architecture", architecture),
        )
        for architecture, group in sorted(groups.items())
    ]  # fmt: skip


def _open_cores(device: str) -> list[dict[str, Any]]:
    """Other open cores that were placed and routed on a device, as rows of its plots."""
    rows = []
    for name, peer in classes.peers().items():
        known = peer.figures.get(device, {})
        placed = [each for each in (known, *known.get("others", ())) if each.get("mbit_s")]
        if not placed:
            continue
        best = max(placed, key=lambda each: each["mbit_s"])
        mhz = max(best["fmax_mhz_by_seed"])
        pairs = devices.DEVICES[device].slices(max(best["lut"], best.get("ff", 0)))
        rows.append(
            {
                "design": name,
                "architecture": charts.OPEN_CORE,
                "whose": "other open core",
                "slices": best.get("slices") or pairs,
                **{key: best.get(key) for key in ("lut", "ff", "ram", "mbit_s")},
                "mhz": mhz,
                "clock": "measured",
                "latency_ns": peer.latency_cycles and _rounded(1000 * peer.latency_cycles / mhz),
            }
        )
    return rows


def _path_rows(
    routed: Sequence[Mapping[str, Any]], paths: Mapping[str, LongPath]
) -> list[dict[str, Any]]:
    rows = []
    for row in routed:
        path = paths.get(row["design"])
        if path is None:
            continue
        for part, share in (("logic", 1 - path.routing), ("routing", path.routing)):
            rows.append(
                {"design": row["design"], "part": part, "ns": round(path.period_ns * share, 2),
                 "share": round(100 * share, 1)}
            )  # fmt: skip
    return rows


def _breakdown_rows(
    here: Sequence[Mapping[str, Any]], assemblies: Mapping[str, components.Assembly]
) -> list[dict[str, Any]]:
    """Parts of the designs all of whose parts are measured on the device.

    The components with the largest shares of a design are ``shown`` by name, the rest together.
    """
    rows: list[dict[str, Any]] = []
    share: dict[str, float] = {}
    for row in here:
        both = assemblies.get(row["design"])
        cost = both.cost("lut") if both else None
        if both is None or cost is None:
            continue
        areas: collections.Counter[str] = collections.Counter()
        numbers: collections.Counter[str] = collections.Counter()
        for component, count, record in both.parts:
            assert record is not None
            areas[component.name] += count * record["lut"]
            numbers[component.name] += count
        for name, lut in areas.items():
            share[name] = max(share.get(name, 0.0), lut / max(1, row["lut"]))
            rows.append({"design": both.design, "part": name, "number": numbers[name], "lut": lut})
        rows.append({"design": both.design, "part": charts.ASSEMBLY, "number": 1, "lut": cost})
    largest = sorted(share, key=lambda name: -share[name])[:_BREAKDOWN_PARTS]
    own = {charts.ASSEMBLY, *largest}
    return [{**row, "shown": row["part"] if row["part"] in own else charts.OTHERS} for row in rows]


# --------------------------------------------------------------------------------- page


@dataclasses.dataclass(frozen=True)
class DesignSection:
    """What the page says of a design."""

    named: Named
    facts: list[tuple[str, str]]
    diagram: str
    schedule: list[tuple[str, str]]
    evidence: str
    figures: list[Mapping[str, Any]]
    printed: list[published.Printed]


def design_section(
    named: Named, rows: Sequence[Mapping[str, Any]], record: Record | None
) -> DesignSection:
    """Axes, diagram, schedule, evidence (the record that speaks for it) and figures of a design."""
    design = named.design
    clocks = ", ".join(
        f"{bits}-bit key: latency {design.latency(bits)}, {design.interval_number(bits)} clocks a "
        "block"
        for bits in design.key_lengths
    )
    facts = [(name.replace("_", " "), str(value)) for name, value in design.axes().items()]
    facts += [
        ("clocks", clocks),
        ("S-boxes", str(design.sbox_count)),
        ("bits of round keys", str(design.key_memory_bits)),
    ]
    if record is None:
        said = "Not verified as its RTL is."
    else:
        verdict = "Passed" if record["passed"] else "FAILED"
        said = (
            f"{verdict} at level {record['level']}: {record['vectors']} NIST vectors, "
            f"{record['monte_carlo']} Monte Carlo chains, {record['random_blocks']} random blocks "
            f"(seed {record['seed']}), and the cycle contract for every block. Netlist hash "
            f"{record['netlist_hash']}."
        )
    return DesignSection(
        named,
        facts,
        schedule.diagram(design),
        schedule.schedule(design),
        said,
        [row for row in rows if row["design"] == named.name],
        published.of_design(named.name),
    )


def build(figures: Figures, progress: Callable[[str], None] = lambda _: None) -> _Page:
    """Everything that the page shows."""
    read = reading(figures, progress)
    progress("drawing the plots of the devices")
    by_device = {device: device_charts(device, read) for device in read.devices}
    progress("the designs")
    sections = [
        design_section(named, read.rows, read.evidence[named.name])
        for named in catalogue.CATALOGUE.values()
    ]
    return _Page(read, by_device, sections)


@dataclasses.dataclass(frozen=True)
class _Page:
    read: Reading
    by_device: dict[str, list[Chart]]
    sections: list[DesignSection]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The table of figures."""
        return self.read.rows

    @property
    def charts(self) -> list[Chart]:
        """Every plot that has data."""
        found = [chart for group in self.by_device.values() for chart in group]
        found += [chart for result in self.read.reproductions for chart in result.charts]
        found += self.read.curves
        return [chart for chart in found if chart.rows]

    def data(self) -> dict[str, Any]:
        """What the pages read when it is needed: name of a file of data to its value."""
        found: dict[str, Any] = {
            "figures": pages.packed(self.rows, [column.key for column in FIGURE_COLUMNS]),
            "pictures": {
                section.named.name: diagram.svg(section.diagram, section.named.name)
                for section in self.sections
            },
        }
        groups: dict[str, Sequence[Chart]] = {
            f"plots-{device}": group for device, group in self.by_device.items()
        }
        groups |= {f"plots-{result.paper}": result.charts for result in self.read.reproductions}
        groups["plots-scaling"] = self.read.curves
        found |= {
            name: {c.name: {"spec": c.spec, "columns": c.columns} for c in group if c.rows}
            for name, group in groups.items()
            if any(chart.rows for chart in group)
        }
        return found | pages.choices(self.read.choices)

    def context(self) -> dict[str, Any]:
        """What the templates show."""
        verdicts = conclusions.counts(
            verdict for result in self.read.reproductions for verdict in result.verdicts
        )
        drawn = [chart for group in self.by_device.values() for chart in group]
        return {
            "catalogue_columns": CATALOGUE_COLUMNS,
            "catalogue_rows": catalogue_rows(self.read.evidence),
            "figure_columns": FIGURE_COLUMNS,
            "figure_number": len(self.rows),
            "coverage_columns": COVERAGE_COLUMNS,
            "coverage_rows": self.read.coverage,
            "best_columns": BEST_COLUMNS,
            "best_rows": best_rows(self.rows),
            "by_device": self.by_device,
            "architectures": sorted(
                {c.choice[1] for c in drawn if c.choice and c.choice[0] == "architecture"}
            ),
            "devices": devices.DEVICES,
            "bounds": {
                row["device"]: devices.DEVICES[row["device"]].ram_clock
                for row in self.rows
                if row["clock"] == "upper bound"
            },
            "reproductions": self.read.reproductions,
            "papers": published.papers(),
            "paper_columns": papers.COLUMNS,
            "sections": self.sections,
            "standings": self.read.standings,
            "host_columns": HOST_COLUMNS,
            "host_rows": self.read.host,
            "area_columns": AREA_COLUMNS,
            "area_rows": self.read.areas,
            "knees": self.read.knees,
            "scaling_charts": self.read.curves,
            "verdicts": verdicts,
            "tools": self.read.tools,
            "choices": self.read.choices,
        }

    def html(self) -> str:
        """Everything in one page, which loads no other file."""
        return pages.single(self.context(), self.data())

    def files(self) -> dict[str, str]:
        """Every file of a folder with the pages, ``index.html`` first."""
        return pages.folder(self.context(), self.data())


SINGLE = ".html"
"""End of the name of a report in one file."""


def require_place(output: Path) -> None:
    """Refuse what cannot be written, before the work; AesfabError with the reason."""
    if output.suffix == SINGLE and not output.is_dir():
        files.require_folder(output.parent, output.name)
    else:
        files.require_folder(output, "index.html")


def write(
    figures: Figures,
    output: Path,
    *,
    plots: bool = True,
    progress: Callable[[str], None] = lambda _: None,
) -> list[Path]:
    """Write the pages into a folder, or as one file where the name ends in ``.html``.

    With ``plots`` a folder has every plot as ``plots/NAME.svg`` and ``.png``. Returns the files,
    the page to open first. AesfabError when they cannot be written.
    """
    require_place(output)
    page = build(figures, progress)
    progress("writing the pages")
    if output.suffix == SINGLE and not output.is_dir():
        output, texts, plots = output.parent, {output.name: page.html()}, False
    else:
        texts = page.files()
    written = []
    try:
        for name, text in texts.items():
            path = output / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with written_whole(path) as temporary:
                temporary.write_text(text, encoding="utf-8")
            written.append(path)
    except OSError as error:
        raise AesfabError(f"cannot write {output}: {error.strerror}") from error
    if plots:
        progress("writing the plots as files")
        written += charts.write(page.charts, output / "plots", with_png=True)
    return written
