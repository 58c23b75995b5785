# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Write ``results/netlists.jsonl``: what the RTL says of every point that there are records of.

``results/parts.jsonl`` has the same of the components and of the designs' parts
(``components.Shipped``).

``generate.shipped_netlist_hash`` reads it. A line is of no use as soon as the RTL or the tools are
others than those of its key, and is believed until then: so it is made by elaboration alone.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from aesfab import records
from aesfab.design import catalogue
from aesfab.eda import yosys
from aesfab.engine import every as engines
from aesfab.errors import AesfabError
from aesfab.measure import components, implement, plan, subjects
from aesfab.measure.subjects import Subject

ROOT = Path(__file__).parents[1]


def points() -> list[Subject]:
    """The designs of the catalogue, and what of plan and records can be built."""
    found: dict[implement.Shape, Subject] = {
        named.design: named for named in catalogue.CATALOGUE.values()
    }
    found |= {each.design: each for each in map(engines.find, engines.names())}
    for kind in ("implement", "verify"):
        for record in records.read(ROOT / "results" / f"{kind}.jsonl"):
            axes = [f"{axis}={value}" for axis, value in record.get("parameters", {}).items()]
            try:
                named = subjects.find(record["design"], axes)
            except AesfabError:
                continue
            found.setdefault(named.design, named)
    for job in plan.make(plan.read_requests(ROOT / "results" / "matrix.toml"), []).jobs:
        found.setdefault(job.named.design, job.named)
    return list(found.values())


def main() -> None:
    """Elaborate what is not in the user's cache, and write the file."""
    if yosys.version() != yosys.REFERENCE:
        raise SystemExit(f"this takes {yosys.REFERENCE}, and {yosys.version()} is here")
    lines = set()
    known = points()
    for number, named in enumerate(known, 1):
        present = subjects.present(named)
        netlist_hash, key = yosys.netlist_hash(present.sources(), named.module), present.key()
        lines.add(json.dumps({"design": named.name, "key": key, "netlist_hash": netlist_hash}))
        print(f"\relaborated: {number} of {len(known)}", end="", file=sys.stderr)
    print(file=sys.stderr)
    text = "".join(f"{line}\n" for line in sorted(lines))
    (ROOT / "results" / "netlists.jsonl").write_text(text)
    print("elaborating the components", file=sys.stderr)
    made = (json.dumps(line, separators=(",", ":")) for line in components.to_ship())
    text = "".join(f"{line}\n" for line in made)
    (ROOT / "results" / "parts.jsonl").write_text(text)


if __name__ == "__main__":
    main()
