# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Write what is generated into the repository (``make generated``).

The tables of README.md and docs/host.md, the pages of all figures and of the published designs
come from the committed records, those of docs/host-link.md from the link model, the FuseSoC file
``aesfab.core`` from the source list of the RTL, the register map of the host system (package, C
header, page) from its description. With ``--check`` nothing is written; the exit status is 1 when a
file is not what it should be.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import designs
import hostlink
import pages
import processor
import registers
from aesfab import __version__, catalogue, classes, devices, generate, published, records, rtl
from aesfab.study import Study, clock_bound

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
BEGIN, END = "<!-- classes: written by make generated -->", "<!-- end of classes -->"
DEVICES = {"ecp5-85k": "ECP5-85", "ice40-hx8k": "iCE40 HX8K", "gw1n-9": "GW1N-9"}
FIGURES = """\
# Figures of all designs

Clocks a block for 128/192/256-bit keys where a core takes all; area of the core alone; MHz is the
median of the place-and-route seeds (five or more; three for large designs) in a harness
in which every path of the core runs from register to register. *Verified* is the level of the
evidence for the RTL as it is. A dash stands for what has not been measured as the RTL is now; `does
not fit` is a figure as well.

Named designs follow their paper (`aesfab show` says where, and what was decided where it is
silent); an override such as `sbox=tower key_sbox=tower` often gives a smaller core.

The clock of a core with block RAM on GW1N-9 is marked `<=`, for {bound}.

`aesfab results` queries the records with all recipes, seeds, paths and devices; `make measure` and
`make verify-all` take the figures again.

"""


def figures() -> str:
    """The page of all designs, as Markdown."""
    known = records.read(ROOT / "results" / "implement.jsonl")
    measured = Study(known)
    verified = records.read(ROOT / "results" / "verify.jsonl")
    head = ["design", "clocks/block", "verified"]
    for title in DEVICES.values():
        head += [f"{title}: LUT", "FF", "RAM", "MHz", "Mbit/s"]
    rows = []
    for name, named in catalogue.CATALOGUE.items():
        design = named.design
        intervals = "/".join(str(design.interval_number(bits)) for bits in design.key_lengths)
        present = generate.Present(named)
        evidence = records.latest(filter(present.has, verified), level="full")
        verdict = "-" if evidence is None else "full" if evidence["passed"] else "FAILED"
        cells = [f"`{name}`", intervals, verdict]
        for device in DEVICES:
            record = measured.record(name, device)
            cells += ["-"] * 5 if record is None else _cells(record)
        rows.append(cells)
    tools = sorted({t for record in known for t in record["tools"].values()})
    head_text = FIGURES.format(bound=devices.DEVICES["gw1n-9"].ram_clock)
    return head_text + "\n".join(pages.table(head, rows)) + f"\n\nTools: {', '.join(tools)}.\n"


def _cells(record: records.Record) -> list[str]:
    lut, ff, ram = (_number(record, column) for column in ("lut", "ff", "ram"))
    if record["status"] != "ok":
        return [lut, ff, ram, record["status"], "-"]
    megabits = record["throughput_mbit_s"]
    bound = "<= " if clock_bound(record) else ""
    mhz = f"{bound}{record['fmax_mhz']['median']:.1f}"
    if lost := records.unplaced(record):
        number = records.seeds(record)
        mhz += f" ({number - len(lost)} of {number} seeds fit)"
    return [lut, ff, ram, mhz, f"{bound}{megabits:.0f}"]


def class_table() -> str:
    """Our own designs in their classes, a row for each target, as Markdown."""
    measured = Study(records.read(ROOT / "results" / "implement.jsonl"))
    head = ["class", "device", "best open core: Mbit/s, LUT, RAM", "papers: Mbit/s, area",
            "target: Mbit/s, LUT, RAM", "ours: design", "MHz", "Mbit/s", "LUT", "RAM",
            "Mbit/s a LUT", "target reached"]  # fmt: skip
    rows = []
    for each in classes.load():
        for target in each.targets:
            standing = classes.reached(each, target, measured)
            peer = classes.best_peer(each, target.device)
            ours = [_number(standing.figures, name) for name in ("mhz", *_COMPARED)]
            row = [
                f"`{each.name}`",
                target.device,
                "-" if peer is None else f"{peer.source}: {_three(peer.figures[target.device])}",
                next(map(_printed, classes.printed_rows(each)), "-"),
                _three(target.named()),
                f"`{standing.design}`" if standing.record else "-",
                *ours,
                _number(standing.figures, "mbit_s_per_lut", 2),
                {"reached": "yes", "not measured": "-"}.get(standing.verdict, standing.verdict),
            ]
            rows.append(row)
    return "\n".join(pages.table(head, rows)) + "\n"


_COMPARED = ("mbit_s", "lut", "ram")


def _number(figures: Mapping[str, Any], name: str, digits: int = 0) -> str:
    value = figures.get(name)
    return "-" if value is None else f"{value:.{digits}f}"


def _printed(row: published.Printed) -> str:
    areas = ((row.lut, "LUT"), (row.le, "LE"), (row.slices, "slices"), (row.ram_blocks, "RAM"))
    shown = [f"{value} {unit}" for value, unit in areas if value]
    mbit_s = "-" if row.mbit_s is None else f"{row.mbit_s:.0f}"
    return f"{row.paper}, {row.family or 'unknown device'}: {', '.join([mbit_s, *shown])}"


def _three(figures: Mapping[str, Any]) -> str:
    return ", ".join(_number(figures, name) for name in _COMPARED)


def readme() -> str:
    """README.md with its table as the records have it."""
    return pages.between(README.read_text(), BEGIN, END, class_table())


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
    files = {path: make() for path, make in registers.FILES.items()}
    files |= {README: readme(), processor.PAGE: processor.page(), ROOT / "aesfab.core": core_file()}
    files[hostlink.PAGE] = hostlink.page()
    files[ROOT / "docs" / "designs.md"] = designs.page()
    files[ROOT / "docs" / "figures.md"] = figures()
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
