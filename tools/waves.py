# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Write the clocks of the timing diagrams of engines, of runs of their RTL (``diagrams.waves``)."""

from __future__ import annotations

import json
import sys

from aesfab.engine import bench, every
from aesfab.engine.diagrams import scenes, waves

MORE = (
    "gcm-interleaved-ram release=verified release_depth=16",
    "gcm-interleaved-ram core=kakarlapudi-sbox-both-any slots=8",
    "gcm-byte release=verified",
    "ctr-iterative-ram core=fab-compact",
    "ccm-iterative-ram release=verified",
    "ccm-byte release=verified",
)
"""Engines beside the named ones in whose runs something else happens."""


def main() -> None:
    """Run the scenes of all engines, and write the file."""
    lines = []
    for of in (*every.names(), *MORE):
        print(of, file=sys.stderr)
        name, *overrides = of.split()
        model = bench.build(every.find(name, overrides))
        for scene, each in scenes.of(model.named.engine).items():
            known = waves.clocks(model.run(each.steps))
            line = {"engine": model.named.words, "scene": scene, "clocks": known}
            lines.append(json.dumps(line, separators=(",", ":")))
    waves.SHIPPED.write_text("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    main()
