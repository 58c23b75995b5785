# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Print how fast designs run in the bench, in blocks per second of processor time.

``python tools/rates.py [DESIGN...]``: a design for each architecture and interface where none is
named. Each job runs twice, and the fastest run counts, because other work on the machine can
only slow it down:

- ``stream``: ECB over a file, a block in every clock in which the core takes one;
- ``chain``: a Monte Carlo chain, where every block waits for the one before it;
- ``clocks``: clocks per second of processor time in the stream.

Processor time is that of the simulation alone, without the build of the model. A model that is not
in the cache is built first, which takes some seconds.
"""

from __future__ import annotations

import dataclasses
import resource
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from aesfab.design import catalogue
from aesfab.design.catalogue import Named
from aesfab.eda import simulate
from aesfab.folder import generate
from aesfab.verify import cipher, vectors, verify

_DESIGNS = (
    "kakarlapudi-sbox-both-128",
    "kakarlapudi-tbox-enc-128",
    "kakarlapudi-sbox-both-128-io32",
    "pilchard-unrolled-1",
    "pilchard-unrolled-10",
    "fischer-fast-tbox-both",
    "fischer-economic-sbox-both",
    "fab-iterative",
    "fab-iterative-small",
    "fab-iterative-both",
    "fab-iterative-ram",
    "fab-iterative-hardened",
    "fab-compact",
    "fab-interleaved",
    "fab-interleaved-ram",
    "fab-pipeline",
    "fab-pipeline-ram",
    "standaert-pipeline-42",
    "fab-rolling",
    "qin-4sm",
    "fab-narrow",
    "fab-tiny",
    "fab-byte-ram",
)
_SECONDS = 0.4  # of processor time that a run takes, about
_RUNS = 2


@dataclasses.dataclass(frozen=True)
class Rate:
    """Rates of a design, each per second of processor time.

    Attributes:
        stream: blocks, one in every clock in which the core takes one.
        chain: blocks, each made of the result of the one before it.
        clocks: clocks of the stream.
    """

    stream: float
    chain: float
    clocks: float


def _fastest(run: Callable[[int], object], count: int) -> float:
    """Units per second of processor time; ``count`` of them is what a first, short run does."""

    def seconds(units: int) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run(units)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    # What the start of the program costs is none of the rate.
    base = min(seconds(0) for _ in range(_RUNS))
    while (took := seconds(count) - base) < _SECONDS / 4:
        count *= 4
    if took < _SECONDS:
        count = int(count * _SECONDS / took)
        took = min(seconds(count) for _ in range(_RUNS)) - base
    return count / took


def measure(named: Named) -> Rate:
    """The rates of a design; errors are those of ``simulate.build`` and ``Model.run``."""
    design = named.design
    decrypt = not design.can_encrypt
    key = bytes(range(design.key_lengths[0] // 8))
    model = simulate.build(generate.sources(named), named.module, design.ports())
    clocks_per_block = 0.0

    with tempfile.TemporaryDirectory(prefix="aesfab-") as folder:
        given, output = Path(folder, "given"), Path(folder, "output")

        def stream(blocks: int) -> None:
            nonlocal clocks_per_block
            given.write_bytes(bytes(range(16)) * blocks)
            stats = cipher.crypt(
                model, design, "ecb", key.hex(), None, given, output, decrypt=decrypt, pad=False
            )
            clocks_per_block = stats.cycles_per_block

        def chain(steps: int) -> None:
            model.run("chain", given=verify.chain(design, key, bytes(16), decrypt, steps))

        streamed = _fastest(stream, 1000)
        chained = vectors.MONTE_CARLO_INNER * _fastest(chain, 1)
    return Rate(streamed, chained, streamed * clocks_per_block)


def main() -> None:
    """Measure what is named, and print a table."""
    known = [catalogue.find(name) for name in sys.argv[1:] or _DESIGNS]
    print(f"{'design':34}{'stream':>12}{'chain':>12}{'clocks':>12}")
    for named in known:
        rate = measure(named)
        print(
            f"{named.name:34}{rate.stream:12,.0f}{rate.chain:12,.0f}{rate.clocks:12,.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
