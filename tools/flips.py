# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Write ``results/flips.jsonl``: what a flip of control does, of every named design.

Data sheets print it. A line is of a netlist, so it holds as long as the RTL says the same. What the
file has of the netlists of today is not measured again: a run that was stopped goes on.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from aesfab.design import catalogue
from aesfab.folder import generate
from aesfab.verify import flips

FILE = Path(__file__).parents[1] / "results" / "flips.jsonl"


def main() -> None:
    """Measure what is missing; keep what is of a netlist of today."""
    lines = FILE.read_text().splitlines() if FILE.exists() else []
    known = {record["netlist_hash"]: record for record in map(json.loads, lines)}
    kept: dict[str, str] = {}
    designs = sorted(catalogue.CATALOGUE.values(), key=lambda named: named.design.data_sbox_count)
    for number, named in enumerate(designs, 1):
        netlist_hash = generate.netlist_hash(named)
        record = known.get(netlist_hash)
        if record is None:
            outcome = flips.measure(named, generate.sources(named))
            record = {"design": named.name, "netlist_hash": netlist_hash, **outcome.to_json()}
            with FILE.open("a") as file:
                file.write(json.dumps(record) + "\n")
        kept[named.name] = json.dumps(record)
        print(f"\rflips: {number} of {len(designs)}", end="", file=sys.stderr)
    print(file=sys.stderr)
    FILE.write_text("".join(f"{line}\n" for _, line in sorted(kept.items())))


if __name__ == "__main__":
    main()
