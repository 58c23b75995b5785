# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Write what is generated into the repository (``make generated``).

From the committed records: the tables of README.md, docs/board.md, docs/classes.md and
docs/host.md, the picture of all cores, the pages of all figures and of the published designs, the
answers of docs/choosing.md, the figures of docs/engines.md. From the link model: the tables of
docs/host-link.md. From the source list of the RTL: the FuseSoC file ``aesfab.core``. From its
description: the register map of the host system (package, C header, page). From the table of rules:
the checks in ``aes_core.sv`` and ``aes_words.sv``. From the table of ports: the port lists of the
cores, and their instances in ``aes_core.sv``. From what stands in files: docs/where.md. With
``--check`` nothing is written; the exit status is 1 when a file is not what it should be.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import boards
import designs
import engines
import front
import hostlink
import layers
import legality
import needs
import pages
import ports
import processor
import registers
import where
from aesfab import __version__, devices, records
from aesfab.design import catalogue, security
from aesfab.folder import generate
from aesfab.hdl import rtl
from aesfab.measure import plan
from aesfab.study import classes, prices, published
from aesfab.study.study import Study
from book import drawings

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
CLASSES = ROOT / "docs" / "classes.md"
PAPERS = ROOT / "docs" / "papers.md"
BOARDS = ROOT / "docs" / "board.md"
CONTRIBUTING, SECURITY = ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"
DEVICES = {"ecp5-85k": "ECP5-85", "ice40-hx8k": "iCE40 HX8K", "gw1n-9": "GW1N-9"}


def marks(name: str) -> tuple[str, str]:
    """The two lines between which a generated part of a page stands."""
    return f"<!-- {name}: written by make generated -->", f"<!-- end of {name} -->"


FIGURES = """\
# Figures of all designs

For each design there is the plain flow of the open tools (recipe `default`), where it was measured,
and the best recipe. Area is that of the core alone; slices and logic cells are an estimate. MHz is
the median of the place-and-route seeds, with the least and the greatest behind it. They run in a
harness in which every path of the core goes from register to register. Clocks per block stand as
128/192/256-bit keys where a core takes all of them. *Verified* is the level of the evidence for the
RTL as it is. What has not been measured as the RTL is now has no row; `does not fit` is a figure as
well.

Behind the number of seeds stand two marks. `2 h`: in so many of them the longest path begins or
ends at a register of the harness, whose place no user of the core has. `wide`: {few} seeds or more,
and fewer than {many}, spread by more than {spread:.0f} %, so `aesfab explore --plan` takes {many}.
The last column is the plain flow in percent of the row: its clock, then its LUTs.

A folder of `aesfab generate` has a script for each row, which takes it again with plain Yosys and
nextpnr. `aesfab results` queries the records with all recipes, seeds, paths and devices; `make
measure` and `make verify-all` take the figures again.

Named designs follow their paper (`aesfab show` says where, and what was decided where it is
silent). An override such as `sbox=tower key_sbox=tower` often gives a smaller core, and another key
size needs no name: `fab-iterative-ram key_bits=256`.

The clock of a core with block RAM on GW1N-9 is marked `<=`, for {bound}.
"""

BEST = """\
Each row is the best recorded point for its need, and its RTL has passed the full verification. For
"one message at a time", Mbit/s counts a block only when the one before it has left, as CBC
encryption needs it.
"""

WIDE = plan.spread_of(ROOT / "results" / "matrix.toml") or 0.0
"""The spread of the seeds over which the plan takes more of them."""

_PLAIN_HEAD = "plain flow: clock, LUT"
_HEAD = ("design", "clocks/block", "verified", "recipe", "LUT", "FF")


def figures(points: list[front.Point]) -> str:
    """The page of all designs, as Markdown; ``points`` answer the needs at its top."""
    known = records.read(ROOT / "results" / "implement.jsonl")
    verified = records.read(ROOT / "results" / "verify.jsonl")
    tools = sorted({t for record in known for t in record["tools"].values()})
    page = FIGURES.format(
        bound=devices.DEVICES["gw1n-9"].ram_clock,
        few=plan.FEW_SEEDS,
        many=plan.MANY_SEEDS,
        spread=100 * WIDE,
    )
    page += f"\n## The best for a need\n\n{BEST}\n{front.every_need(points)}"
    of_device: dict[str, list[list[str]]] = {device: [] for device in DEVICES}
    for name, named in catalogue.CATALOGUE.items():
        design = named.design
        intervals = "/".join(str(design.interval_number(bits)) for bits in design.key_lengths)
        present = generate.Present(named)
        evidence = records.latest(filter(present.has, verified), level="full")
        verdict = "-" if evidence is None else "full" if evidence["passed"] else "FAILED"
        quoted = records.quoted(filter(present.has, known))
        plain = {row["device"]: row for row in quoted if row["recipe"] == records.PLAIN}
        for row in quoted:
            if row["device"] in of_device:
                cells = [f"`{name}`", intervals, verdict, row["recipe"], *_cells(row)]
                share = classes.beside(row, plain.get(row["device"]))
                same = row["recipe"] == records.PLAIN
                cells.append(str(share) if share and not same else "-")
                of_device[row["device"]].append(cells)
    for name, rows in of_device.items():
        device = devices.DEVICES[name]
        head = [*_HEAD, f"{device.slice_.name}s", "RAM", "MHz", "seeds", "Mbit/s", _PLAIN_HEAD]
        part = " ".join(filter(None, (device.part, device.package, device.speed)))
        page += (
            f"\n## {DEVICES[name]}\n\nPart: {part}. Script of a folder: `sh syn/{name}.sh RECIPE`."
        )
        page += "\n\n"
        page += "\n".join(pages.table(head, rows)) + "\n"
    return f"{page}\nTools: {', '.join(tools)}.\n"


def _cells(row: records.Record) -> list[str]:
    columns = ("lut", "ff", "slices_estimate", "ram")
    area = [_number(row, column) for column in columns]
    if row["status"] != "ok":
        return [*area, row["status"], "-", "-"]
    fmax = row["fmax_mhz"]
    bound = "<= " if records.clock_bound(row) else ""
    mhz = f"{bound}{fmax['median']:.1f} ({fmax['min']:.1f} to {fmax['max']:.1f})"
    reached, number = len(fmax["seeds"]), records.seeds(row)
    fit = f"{reached}" if reached == number else f"{reached} of {number} fit"
    limited = records.limited_seeds(row)
    notes = [f"{len(limited)} h"] * bool(limited) + ["wide"] * plan.is_wide(row, WIDE)
    if notes:
        fit += f" ({', '.join(notes)})"
    return [*area, mhz, fit, f"{bound}{row['throughput_mbit_s']:.0f}"]


def class_table(measured: Study, parts: Sequence[records.Record]) -> str:
    """Our own designs in their classes, a row for each target, as Markdown."""
    head = ["class", "device", "target", "ours: design", "ports", "MHz", "Mbit/s",
            "Mbit/s a slice", "LUT", "FF", "slices", "RAM", "target reached",
            _PLAIN_HEAD, "best open core: Mbit/s, LUT, FF, slices, RAM",
            "against open cores", "papers: Mbit/s, area"]  # fmt: skip
    rows = []
    for each in classes.load():
        for target in each.targets:
            standing = classes.reached(each, target, measured, parts)
            row = [
                f"`{each.name}`",
                target.device,
                str(target),
                f"`{standing.design}`" if standing.record else "-",
                f"{classes.port_bits(standing.design)}" if standing.record else "-",
                _clock(standing),
                _number(standing.figures, "mbit_s"),
                _number(standing.figures, "mbit_s_per_slice", 2),
                *(_number(standing.figures, name) for name in _AREAS),
                {"reached": "yes", "not measured": "-"}.get(standing.verdict, standing.verdict),
                _plain(standing.record, measured),
                _open_core(each, standing),
                classes.winner(classes.contest(each, standing)) if standing.record else "-",
                next(map(_printed, classes.printed_rows(each)), "-"),
            ]
            rows.append(row)
    return "\n".join([*pages.table(head, rows), "", _plain_flow(measured)]) + "\n"


_AREAS = ("lut", "ff", "slices", "ram")


def _clock(standing: classes.Reached) -> str:
    """The median clock, with a mark for the seeds that the harness limits."""
    shown = _number(standing.figures, "mhz")
    limited = records.limited_seeds(standing.record or {})
    return f"{shown} ({len(limited)} h)" if limited else shown


def _plain(record: records.Record | None, measured: Study) -> str:
    """What the plain flow makes of the design of a record."""
    share = classes.plain(record, measured)
    if share is None or record is None:
        return "-"
    return "the same" if record["recipe"] == records.PLAIN else str(share)


def _plain_flow(measured: Study) -> str:
    """How many of our own designs the plain flow serves as well as it is to."""
    wanted = classes.plain_wanted()
    found = classes.plain_shares(measured)
    known = {name: share for name, share in found.items() if share is not None}
    met = [name for name, share in known.items() if wanted.met_by(share)]
    missed = [f"`{name}` ({share})" for name, share in known.items() if name not in met]
    text = (
        f"By the plain flow a `fab-` core is to reach {wanted.mhz:g} % of the clock that its "
        f"record on {wanted.device} has, with {wanted.lut:g} % of the LUTs at most. "
        f"Of {len(found)} cores {len(known)} are measured by it; {len(met)} of these reach both."
    )
    return text + (f" Missed by {', '.join(missed)}." if missed else "")


def _open_core(each: classes.Class, standing: classes.Reached) -> str:
    """The fastest open core with ports as wide as ours at its best, bounds with a mark."""
    device = standing.target.device
    peer = classes.best_peer(each, standing.design, device)
    if peer is None:
        return "-"
    figures, bounds = peer.stand(device)
    shown = ", ".join(
        f"{bounds[name]} {_number(figures, name)}" if name in bounds else _number(figures, name)
        for name in ("mbit_s", *_AREAS)
    )
    how = "" if "mhz" in figures else " (by synthesis alone)"
    return f"{peer.source}: {shown}{how}"


def _number(figures: Mapping[str, Any], name: str, digits: int = 0) -> str:
    value = figures.get(name)
    return "-" if value is None else f"{value:.{digits}f}"


def _printed(row: published.Printed) -> str:
    areas = ((row.lut, "LUT"), (row.le, "LE"), (row.slices, "slices"), (row.ram_blocks, "RAM"))
    shown = [f"{value} {unit}" for value, unit in areas if value]
    mbit_s = "-" if row.mbit_s is None else f"{row.mbit_s:.0f}"
    return f"{row.paper}, {row.family or 'unknown device'}: {', '.join([mbit_s, *shown])}"


def papers_table() -> str:
    """The papers whose designs are in the catalogue, as Markdown."""
    numbers = Counter(named.paper for named in catalogue.CATALOGUE.values())
    titles = published.papers()
    rows = [
        (f"`{paper}`", titles[paper].title, f"{numbers[paper]}")
        for paper in published.of_catalogue()
    ]
    return "\n".join(pages.table(("id", "paper", "designs"), rows)) + "\n"


def refusals_table(measured: Study) -> str:
    """What the family refuses and what it would cost, as Markdown."""
    parts = records.read(ROOT / "results" / "components.jsonl")
    rows = []
    for price in prices.prices(measured, parts, ("virtex", "ecp5-85k")):
        said = [f"{price.added[name]:+,}".replace("+0", "0") for name in prices.COLUMNS]
        share = 100 * price.added["lut"] / price.core["lut"]
        has = " / ".join(f"{price.core[name]:,}" for name in prices.COLUMNS)
        rows.append(
            (price.refusal.what, price.device, " / ".join(said), f"{share:+.0f} %",
             f"`{price.refusal.core}`: {has}")
        )  # fmt: skip
    head = ("refused", "device", "LUT / FF / RAM more", "of its LUTs", "the core")
    lines = pages.table(head, rows)
    lines.append("")
    for refusal in prices.REFUSALS:
        said_rates = []
        for design in dict.fromkeys((refusal.core, refusal.instead)):
            rates = measured.figures_by_recipe(design, "ecp5-85k", "mbit_s_per_lut")
            if records.PLAIN in rates:
                said_rates.append(f"`{design}` {rates[records.PLAIN]:.2f}")
        lines.append(
            f"- **{refusal.what}** (`{refusal.point}`: {refusal.reason}). Counted as "
            f"{refusal.how}. What there is instead: `{refusal.instead}`."
            + (f" Mbit/s a LUT on ecp5-85k: {', '.join(said_rates)}." if said_rates else "")
        )
    return "\n".join(lines) + "\n"


def layers_table() -> str:
    """The layers of the program from the ground up (``tests/layers.toml``), as Markdown."""
    rows = []
    for number, layer in enumerate(layers.load(), 1):
        names = ", ".join(f"`{name}`" for name in layer.modules)
        rows.append((f"{number}", names, layer.what))
    return "\n".join(pages.table(("layer", "modules", "what"), rows)) + "\n"


def front_page(known: list[front.Point], measured: Study, parts: Sequence[records.Record]) -> str:
    """README.md with its parts as the records have them."""
    page = README.read_text()
    page = pages.between(page, *marks("which core"), front.which_core(known))
    page = pages.between(page, *marks("papers"), papers_table())
    return pages.between(page, *marks("open cores"), front.against_open_cores(measured, parts))


def core_file() -> str:
    """The FuseSoC core of the whole RTL, for projects that use ``aes_core`` itself."""
    files = "".join(f"      - {path.relative_to(ROOT)}\n" for path in rtl.sources())
    return f"""CAPI=2:
# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
name: aesfab:core:aes:{__version__}
description: The AESFab family of AES cores

filesets:
  rtl:
    files:
{files}    file_type: systemVerilogSource

targets:
  default:
    filesets: [rtl]
    toplevel: aes_core
  lint:
    flow: lint
    flow_options:
      tool: verilator
      verilator_options: [-Wall]
    filesets: [rtl]
    toplevel: aes_core
"""


def main() -> int:
    """Entry point."""
    stale = 0
    implemented = records.read(ROOT / "results" / "implement.jsonl")
    known = front.points(implemented, records.read(ROOT / "results" / "verify.jsonl"))
    measured = Study(implemented)
    files = {path: make() for path, make in registers.FILES.items()}
    files |= legality.files()
    files |= ports.files(files)
    files |= {processor.PAGE: processor.page(), ROOT / "aesfab.core": core_file()}
    parts = records.read(ROOT / "results" / "components.jsonl")
    files[README] = front_page(known, measured, parts)
    page = class_table(measured, parts)
    files[CLASSES] = pages.between(CLASSES.read_text(), *marks("classes"), page)
    files[BOARDS] = pages.between(BOARDS.read_text(), *marks("boards"), boards.table())
    files[PAPERS] = pages.between(PAPERS.read_text(), *marks("prices"), refusals_table(measured))
    files[CONTRIBUTING] = pages.between(CONTRIBUTING.read_text(), *marks("layers"), layers_table())
    files[SECURITY] = pages.between(SECURITY.read_text(), *marks("security"), security.policy())
    page = pages.between(needs.PAGE.read_text(), *marks("needs"), needs.needs(implemented))
    files[needs.PAGE] = pages.between(page, *marks("evaluation"), needs.evaluation(implemented))
    page = pages.between(engines.PAGE.read_text(), *marks("engines"), engines.table(implemented))
    files[engines.PAGE] = page
    files |= {path: front.picture(known, theme) for theme, path in front.PICTURES.items()}
    files[hostlink.PAGE] = hostlink.page()
    page = pages.between(where.PAGE.read_text(), *marks("questions"), where.questions_table(known))
    files[where.PAGE] = pages.between(page, *marks("circuits"), where.circuits_table())
    files[ROOT / "docs" / "designs.md"] = designs.page()
    files[ROOT / "docs" / "figures.md"] = figures(known)
    files |= drawings.files()
    for path, text in files.items():
        if path.exists() and path.read_text() == text:
            continue
        stale += 1
        if "--check" in sys.argv[1:]:
            print(f"{path.name} is out of date; run make generated", file=sys.stderr)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return int("--check" in sys.argv[1:] and stale > 0)


if __name__ == "__main__":
    sys.exit(main())
