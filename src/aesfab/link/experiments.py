# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The measurements of the pilchard paper, repeated with the model, and today's machines beside it.

Everything here returns plain rows (dictionaries of texts and numbers), for tables, JSON and plots.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Sequence
from typing import Any

from aesfab import catalogue, published
from aesfab.link import software
from aesfab.link.model import BLOCK, transfer
from aesfab.link.platform import Platform, load, measured_mhz
from aesfab.link.software import Software, fit

Row = dict[str, Any]

PAPER = "pilchard-p3"
"""The platform of the paper."""

SIZES = tuple(2**n for n in range(17))
"""Message sizes in blocks for curves, fits and break-even points."""

KB = 1024 // BLOCK
"""Blocks of a KB."""

CORE = "core"
"""What ``rate`` calls the core of the platform without a host."""

PRINTED = (
    ("MMX movq + Uncacheable", ("mmx", "uncacheable"), (3 * KB // 2, 15 * KB, 23 * KB)),
    ("SSE + Uncacheable, 1.5 KB", ("sse", "uncacheable"), (3 * KB // 2,)),
    ("SSE + Uncacheable, 15 KB", ("sse", "uncacheable"), (15 * KB,)),
    ("SSE + Write-combining, 15 KB", ("sse", "write_combining"), (15 * KB,)),
    ("SSE + Write-combining, more than 400", ("sse", "write_combining"), (401, 1024)),
)
"""Rows of the paper that the model can be held against: words of the row, way, sizes in blocks."""


def predictions() -> list[Row]:
    """The system figures that the paper prints beside what the model says of them.

    A row: ``where`` and ``system`` of the paper, ``blocks``, ``printed_mbit_s``,
    ``predicted_mbit_s``, ``error_percent``, and ``missing_ns_per_block``: by how much a block took
    longer (less than 0: shorter) on the real machine than in the model.
    """
    platform = load(PAPER)
    rows = []
    for words, (store, memory), sizes in PRINTED:
        (row,) = (r for r in published.of_paper("pilchard") if words in r.system)
        assert row.mbit_s is not None
        for blocks in sizes:
            predicted = transfer(platform, store, memory, blocks).mbit_s
            rows.append(
                {
                    "where": row.where,
                    "system": row.system,
                    "blocks": blocks,
                    "printed_mbit_s": row.mbit_s,
                    "predicted_mbit_s": round(predicted, 1),
                    "error_percent": round(100 * (predicted / row.mbit_s - 1), 1),
                    "missing_ns_per_block": round(128e3 / row.mbit_s - 128e3 / predicted, 1),
                }
            )
    return rows


def lacks() -> list[str]:
    """What the predictions that are off by more than a tenth say about the model."""
    platform = load(PAPER)
    core_ns = float(platform.design.interval()) * 1000 / platform.core_mhz
    said = []
    for row in predictions():
        if abs(row["error_percent"]) <= 10:
            continue
        missing = row["missing_ns_per_block"]
        said.append(
            f"{row['system']}, {row['blocks']} blocks: a block took {missing:.0f} ns more than in "
            f"the model, {missing / core_ns:.2f} times what the core works on it ({core_ns:.0f} ns)"
            + (", as if transfer and core took turns" if 0.9 < missing / core_ns < 1.1 else "")
        )
    return said


def rate(way: str) -> float:
    """Mbit/s on the platform of the paper: of a way, or of ``CORE``.

    A way is text: instruction, type of memory and size, as in ``sse write_combining 960 blocks``.
    """
    platform = load(PAPER)
    if way == CORE:
        return 128 * platform.core_mhz / float(platform.design.interval())
    store, memory, blocks, _ = way.split()
    return transfer(platform, store, memory, int(blocks)).mbit_s


@dataclasses.dataclass(frozen=True)
class Claim:
    """A statement of the paper about its system, and whether it is so in the model."""

    text: str
    holds: bool
    because: str


def claims() -> list[Claim]:
    """The orderings and the saturation that the paper reports, tested on the model."""
    platform = load(PAPER)
    sizes = (3 * KB // 2, 15 * KB, 23 * KB)

    def mbit_s(store: str, memory: str, blocks: int) -> float:
        return transfer(platform, store, memory, blocks).mbit_s

    stores = tuple(platform.stores)
    combining = min(
        mbit_s(s, "write_combining", n) / mbit_s(s, "uncacheable", n)
        for s, n in itertools.product(stores, sizes)
    )
    wide = {
        (m, n): mbit_s("sse", m, n) / mbit_s("mmx", m, n)
        for m, n in itertools.product(platform.memory, sizes)
    }
    curve = {n: mbit_s("sse", "write_combining", n) for n in (400, 100_000)}
    gaps = [mbit_s("sse", "write_combining", n) - mbit_s("mmx", "uncacheable", n) for n in sizes]
    core = rate(CORE)
    best = max(mbit_s(s, m, sizes[-1]) for s, m in platform.ways())
    return [
        Claim(
            "write-combining is faster than uncacheable, whatever the instruction and size",
            combining > 1,
            f"by a factor of {combining:.2f} at least",
        ),
        Claim(
            "SSE is at least as fast as MMX",
            min(wide.values()) >= 1 - 1e-9,
            f"SSE/MMX from {min(wide.values()):.2f} to {max(wide.values()):.2f}: the bus is 64 bit "
            "wide, so a wider store saves no transaction",
        ),
        Claim(
            "the gap between SSE with write-combining and MMX uncacheable grows with the size",
            gaps == sorted(gaps),
            ", ".join(f"{gap:.0f}" for gap in gaps) + " Mbit/s at 1.5, 15 and 23 KB",
        ),
        Claim(
            "throughput saturates beyond 400 blocks",
            curve[400] > 0.97 * curve[100_000],
            f"{curve[400]:.0f} of {curve[100_000]:.0f} Mbit/s at 400 blocks",
        ),
        Claim(
            "the transfers, not the core, limit the system",
            best < 0.95 * core,
            f"at best {best:.0f} of the core's {core:.0f} Mbit/s",
        ),
    ]


def curves(platform: Platform, sizes: Sequence[int] = SIZES) -> list[Row]:
    """System throughput against message size, for each way to move data."""
    return [
        {
            "platform": platform.name,
            "store": store,
            "memory": memory,
            "blocks": blocks,
            "bytes": BLOCK * blocks,
            "mbit_s": round(transfer(platform, store, memory, blocks).mbit_s, 2),
        }
        for store, memory in platform.ways()
        for blocks in sizes
    ]


def unrolled() -> list[Row]:
    """The cores Unrolled-1, -2, -5 and -10 in the paper's system: where link and core limit.

    ``needed_mhz`` is the clock from which on the core is no longer what limits the fastest way;
    ``measured_mhz`` is our clock on an ECP5-85 (None without a record), and ``limit`` says which of
    the two the system with that clock waits for.
    """
    platform = load(PAPER)
    way = max(platform.ways(), key=lambda w: transfer(platform, w[0], w[1], 15 * KB).mbit_s)
    # A core too fast to matter shows what the link alone gives.
    free = dataclasses.replace(platform, core_mhz=1e6)
    store, memory = way
    link_mbit_s = transfer(free, store, memory, 15 * KB).mbit_s
    # While it is written, one block passes per two payloads of link time: there and back.
    rows = []
    for rounds in (1, 2, 5, 10):
        named = catalogue.find(f"pilchard-unrolled-{rounds}")
        needed = 2 * link_mbit_s * float(named.design.interval()) / 128
        mhz = measured_mhz(named, "ecp5-85k")
        row: Row = {
            "design": named.name,
            "interval_cycles": named.design.interval_number(),
            "needed_mhz": round(needed, 1),
            "measured_mhz": mhz,
            "core_mbit_s": None,
            "system_mbit_s": None,
            "limit": None,
        }
        if mhz:
            here = dataclasses.replace(platform, design=named.design, core_mhz=mhz)
            system = transfer(here, store, memory, 15 * KB).mbit_s
            row["core_mbit_s"] = round(128 * mhz / float(named.design.interval()), 1)
            row["system_mbit_s"] = round(system, 1)
            row["limit"] = "link" if system > 0.97 * link_mbit_s else "core"
        rows.append(row)
    return rows


def alternatives(platform: Platform) -> list[Software]:
    """The programs that a platform's users could run instead."""
    if platform.name == PAPER:
        (row,) = published.of_paper(
            "pilchard", lambda r: r.kind == "software" and r.key_bits == 128
        )
        assert row.mbit_s is not None
        return [software.printed(f"{row.system}, Pentium III 933 MHz (printed)", row.mbit_s)]
    return [software.measured(True), software.measured(False)]


def break_even(platform: Platform) -> list[Row]:
    """For every way: time = alpha + blocks x beta, and from which size on the core is worth it.

    ``break_even_bytes`` is None where software is faster at every size; it is for the software of
    the row. The fit is over ``SIZES``, with relative residuals, and ``worst_fit_percent`` is the
    largest of them.
    """
    rows = []
    for store, memory in platform.ways():
        times = {n: transfer(platform, store, memory, n).total_ns for n in SIZES}
        alpha, beta = fit(times)
        worst = max(abs((alpha + n * beta) / ns - 1) for n, ns in times.items())
        for program in alternatives(platform):
            rows.append(
                {
                    "platform": platform.name,
                    "store": store,
                    "memory": memory,
                    "alpha_ns": round(alpha, 1),
                    "beta_ns": round(beta, 2),
                    "worst_fit_percent": round(100 * worst, 1),
                    "mbit_s": round(128e3 / beta, 1),
                    "software": program.title,
                    "software_mbit_s": round(program.mbit_s, 1),
                    "break_even_bytes": _crossing(alpha, beta, program),
                }
            )
    return rows


def _crossing(alpha: float, beta: float, program: Software) -> int | None:
    """The first size in bytes at which alpha + n beta is no longer than the program takes."""
    if alpha + beta <= program.setup_ns + program.block_ns:
        return BLOCK
    if beta >= program.block_ns:
        return None
    return BLOCK * math.ceil((alpha - program.setup_ns) / (program.block_ns - beta))
