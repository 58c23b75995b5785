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
from aesfab.design.catalogue import Named
from aesfab.eda import yosys
from aesfab.errors import AesfabError
from aesfab.folder import generate
from aesfab.measure import components, plan

ROOT = Path(__file__).parents[1]


def points() -> list[Named]:
    """The designs of the catalogue, and the points of plan and records that can be built."""
    found = {named.design: named for named in catalogue.CATALOGUE.values()}
    for kind in ("implement", "verify"):
        for record in records.read(ROOT / "results" / f"{kind}.jsonl"):
            axes = [f"{axis}={value}" for axis, value in record.get("parameters", {}).items()]
            try:
                named = catalogue.find(record["design"], axes)
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
        netlist_hash = yosys.netlist_hash(generate.sources(named), named.module)
        key = generate.netlist_key(named)
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
