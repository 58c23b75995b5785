# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Write what is generated into the repository (``make generated``).

The table of README.md comes from the committed records, the FuseSoC file ``aesfab.core`` from the
source list of the RTL, the register map of the host system (package, C header, page) from its
description. With ``--check`` nothing is written; the exit status is 1 when a file is not
what it should be.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import registers
from aesfab import __version__, catalogue, generate, records, rtl
from aesfab.catalogue import Named

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
BEGIN, END = "<!-- figures: written by make generated -->", "<!-- end of figures -->"
DEVICES = {"ecp5-85k": "ECP5-85", "ice40-hx8k": "iCE40 HX8K"}


def figures() -> str:
    """The table of all designs, as Markdown."""
    measured = records.read(ROOT / "results" / "implement.jsonl")
    verified = records.read(ROOT / "results" / "verify.jsonl")
    head = ["design", "clocks/block", "verified"]
    for title in DEVICES.values():
        head += [f"{title}: LUT", "FF", "RAM", "MHz", "Mbit/s"]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for name, named in catalogue.CATALOGUE.items():
        design = named.design
        intervals = "/".join(str(design.interval_number(bits)) for bits in design.key_lengths)
        evidence = _newest(verified, named, level="full")
        verdict = "-" if evidence is None else "full" if evidence["passed"] else "FAILED"
        cells = [f"`{name}`", intervals, verdict]
        for device in DEVICES:
            record = _newest(measured, named, device=device)
            cells += ["-"] * 5 if record is None else _cells(record)
        lines.append("| " + " | ".join(cells) + " |")
    tools = sorted({t for record in measured for t in record["tools"].values()})
    return "\n".join(lines) + f"\n\nTools: {', '.join(tools)}.\n"


def _newest(known: list[records.Record], named: Named, **fields: Any) -> records.Record | None:
    """The newest record of a design as its RTL is now."""
    current = [record for record in known if generate.is_current(record, named)]
    return records.latest(current, **fields)


def _cells(record: records.Record) -> list[str]:
    lut, ff, ram = (str(record.get(column, "-")) for column in ("lut", "ff", "ram"))
    if record["status"] != "ok":
        return [lut, ff, ram, record["status"], "-"]
    megabits = record["throughput_mbit_s"]
    return [lut, ff, ram, f"{record['fmax_mhz']['median']:.1f}", f"{megabits:.0f}"]


def readme() -> str:
    """README.md with its table as the records have it."""
    before, _, rest = README.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{figures()}\n{END}{after}"


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
    for path, text in {README: readme(), ROOT / "aesfab.core": core_file(), **files}.items():
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
