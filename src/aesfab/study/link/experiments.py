# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The measurements of the pilchard paper, repeated with the model, and today's machines beside it.

Everything here returns plain rows (dictionaries of texts and numbers), for tables, JSON and plots.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

from aesfab.design import catalogue
from aesfab.errors import AesfabError
from aesfab.study import published
from aesfab.study.link import software
from aesfab.study.link.calibration import calibrate
from aesfab.study.link.machine import COMBINING, UNCACHEABLE, Platform
from aesfab.study.link.model import (
    BLOCK,
    LINK,
    Transfer,
    asymptote,
    core_alone,
    limit,
    link_alone,
    transfer,
)
from aesfab.study.link.platform import load, measured_mhz
from aesfab.study.link.software import Software, fit
from aesfab.study.published import Printed

Row = dict[str, Any]

PAPER = "pilchard-p3"
"""The platform of the paper."""

SIZES = tuple(2**n for n in range(17))
"""Message sizes in blocks for curves, fits and break-even points."""

KB = 1024 // BLOCK
"""Blocks of a KB."""

CORE = "core"
"""What ``rate`` calls the core of the platform without a host."""

SOFTWARE = "software"
"""What ``rate`` calls the program that the paper sets beside its system."""

ALONE = ", link alone"
"""Behind a way: with a core that takes no time (``rate``)."""

STATUSES = CALIBRATED, PREDICTED, ASSUMED, UNEXPLAINED = (
    "calibrated",
    "predicted",
    "assumed",
    "unexplained",
)
"""What the model does with a printed figure: it is adjusted to it, it computes it without knowing
it, it takes it over as it stands, or it cannot say where it comes from."""

MEANINGS: dict[str, Callable[[Transfer], float]] = {
    "read": lambda done: done.read_ns,
    "written": lambda done: done.write_ns,
    "written and read": lambda done: done.write_ns + done.read_ns,
}
"""What a raw rate may count: payload that is ..., and the time on the bus that goes with it."""

_SLOW, _FAST = ("mmx", UNCACHEABLE), ("sse", COMBINING)
_SMALL, _LARGE = 3 * KB // 2, 15 * KB


@dataclasses.dataclass(frozen=True)
class _Account:
    """What becomes of a printed figure.

    Attributes:
        words: of the row's ``system``, enough to tell it from others.
        where: of the row's place, where that is needed as well.
        way, sizes: what the model computes for it; no way: nothing.
        raw: it is a raw rate, not one of the system.
        status: one of ``STATUSES``; empty where the points of the calibration decide.
        why: for people.
    """

    words: str
    why: str
    status: str = ""
    way: tuple[str, str] | None = None
    sizes: tuple[int, ...] = ()
    raw: bool = False
    where: str = ""


_ACCOUNTS = (
    _Account("MMX movq + Uncacheable", "the same at 1.5, 15 and 23 KB, in the paper and here",
             way=_SLOW, sizes=(_SMALL, _LARGE, 23 * KB)),
    _Account("SSE + Uncacheable, 1.5 KB", "no part of the model knows the size; MMX does not "
             "depend on it in the paper either", UNEXPLAINED, ("sse", UNCACHEABLE), (_SMALL,)),
    _Account("SSE + Uncacheable, 15 KB", "", way=("sse", UNCACHEABLE), sizes=(_LARGE,)),
    _Account("MMX movq + Write-combining", "lost in our copy of the paper, so whoever has it can "
             "refute the model", PREDICTED, ("mmx", COMBINING), (_LARGE,)),
    _Account("SSE + Write-combining, 15 KB", "", PREDICTED, _FAST, (_LARGE,)),
    _Account("SSE + Write-combining, more than 400", "", PREDICTED, _FAST, (401, 1024)),
    _Account("raw transfer, movq + Uncacheable", "the machine of this earlier measurement is not "
             "named", PREDICTED, _SLOW, (_LARGE,), raw=True),
    _Account("raw transfer, Uncacheable", "with MMX", PREDICTED, _SLOW, (_LARGE,), raw=True),
    _Account("raw transfer, Write-combining", "with SSE", PREDICTED, _FAST, (_LARGE,), raw=True),
    _Account("DES on Pilchard", "a block of 8 bytes is a write and a read, half of an AES block: "
             "the model gives the rate of AES", UNEXPLAINED, _SLOW, (_LARGE,)),
    _Account("PCI bus", "another bus, for comparison", ASSUMED),
    _Account("software, Gladman", "what the core has to be faster than", ASSUMED),
    _Account("Unrolled-1", "the clock of the core", ASSUMED, where="Sec. 7"),
)  # fmt: skip


def _rows_of(account: _Account) -> list[Printed]:
    kinds = ("core",) if account.where else ("host", "software")
    return published.of_paper(
        "pilchard",
        lambda r: (
            account.words in r.system
            and account.where in r.where
            and r.kind in kinds
            and (r.mbit_s is not None or r.kind == "host")
        ),
    )


def accounts() -> list[tuple[Printed, _Account]]:
    """Every printed figure of the host, the programs and the core's clock, each exactly once."""
    pairs = [(row, account) for account in _ACCOUNTS for row in _rows_of(account)]
    wanted = published.of_paper("pilchard", lambda r: r.kind in ("host", "software"))
    counts = [sum(row is known for known, _ in pairs) for row in wanted]
    assert set(counts) == {1}, "a figure of the paper without an account, or with two"
    return pairs


def status(account: _Account, platform: Platform) -> str:
    """One of ``STATUSES``; a figure that calibrates the platform is nothing else."""
    uses = any(
        point.printed is not None and any(point.printed == row for row in _rows_of(account))
        for point in platform.points
    )
    return CALIBRATED if uses else account.status


def figures() -> list[Row]:
    """Every throughput that the paper prints of its host, beside the model.

    A row: ``where``, ``system`` and ``printed_mbit_s`` of the paper (None where our copy lost it),
    ``status``, ``blocks`` and ``model_mbit_s`` (one for each size, for system figures of a way),
    ``error_percent`` (the largest of them; None where nothing was predicted or printed) and
    ``why``.
    """
    platform = load(PAPER)
    rows = []
    for row, account in accounts():
        known = status(account, platform)
        assert known in STATUSES
        ours: list[float] = []
        for blocks in account.sizes if account.way else ():
            store, memory = account.way or ("", "")
            ours.append(
                raw_mbit_s(platform, store, memory, raw_meaning())
                if account.raw
                else transfer(platform, store, memory, blocks).mbit_s
            )
        errors: list[float] = []
        if row.mbit_s:
            errors = [100 * (value / row.mbit_s - 1) for value in ours]
        compared = known in (PREDICTED, UNEXPLAINED) and bool(errors)
        worst: float = max(errors, key=abs, default=0.0)
        rows.append(
            {
                "where": row.where,
                "system": row.system + (f", {row.key_bits}" if row.kind == "software" else ""),
                "printed_mbit_s": row.mbit_s,
                "status": known,
                "blocks": list(account.sizes) if account.way and not account.raw else [],
                "model_mbit_s": [round(value, 1) for value in ours],
                "error_percent": round(worst, 1) if compared else None,
                "why": account.why,
            }
        )
    return rows


def shown(rows: Sequence[Row], nothing: str | None = "-") -> list[Row]:
    """Rows for a table: several numbers in a cell are joined, what is empty is ``nothing``."""

    def cell(value: Any) -> Any:
        if isinstance(value, list):
            # A rate that the size does not change is said once.
            value = ", ".join(str(v) for v in dict.fromkeys(value))
        return nothing if value in (None, "") else value

    return [{name: cell(value) for name, value in row.items()} for row in rows]


def standing(platform: Platform, store: str, memory: str) -> str:
    """Whether the throughput of a way is ``CALIBRATED`` or ``PREDICTED``."""
    known = any((point.store, point.memory) == (store, memory) for point in platform.points)
    return CALIBRATED if known else PREDICTED


def printed_points(store: str, memory: str) -> list[tuple[Printed, int]]:
    """What the paper prints of its system by a way: row and size in blocks."""
    return [
        (row, blocks)
        for row, account in accounts()
        if account.way == (store, memory) and row.mbit_s and row.system.startswith("core and host")
        for blocks in account.sizes
    ]


def costs() -> list[Row]:
    """What the calibration finds: ns of a transaction, by what it moves and by type of memory."""
    platform = load(PAPER)
    rows = []
    for name, memory in platform.memory.items():
        for kind, first_ns, most in (
            ("write", memory.write_ns, memory.write_bytes),
            ("read", memory.read_ns, memory.read_bytes),
        ):
            words = most // platform.word_bytes
            rows.append(
                {
                    "memory": name,
                    "transaction": kind,
                    "bytes_at_most": most,
                    "first_word_ns": round(first_ns, 1),
                    "full_ns": round(first_ns + (words - 1) * platform.word_ns, 1),
                }
            )
    return rows


def raw_mbit_s(platform: Platform, store: str, memory: str, meaning: str) -> float:
    """The rate of moving data without a core, in Mbit/s.

    ``meaning`` is one of ``MEANINGS``: whether payload counts that is read, written, or both.
    """
    done = link_alone(platform, store, memory, _LARGE)
    return 8000.0 * BLOCK * done.blocks / MEANINGS[meaning](done)


def raw() -> list[Row]:
    """The two raw rates of section 7 by each of ``MEANINGS``, beside what the paper prints."""
    platform = load(PAPER)
    rows = []
    for row, account in accounts():
        if not (account.raw and row.where == "Sec. 7" and account.way and row.mbit_s):
            continue
        for meaning in MEANINGS:
            ours = raw_mbit_s(platform, *account.way, meaning)
            rows.append(
                {
                    "system": row.system,
                    "counts_payload": meaning,
                    "printed_mbit_s": row.mbit_s,
                    "model_mbit_s": round(ours, 1),
                    "error_percent": round(100 * (ours / row.mbit_s - 1), 1),
                }
            )
    return rows


def raw_meaning() -> str:
    """What "raw" is taken to mean, for the paper does not say: one meaning for both rates.

    It is that of which the larger error is the smallest, so of the two errors only the other one is
    a test.
    """
    return min(
        MEANINGS,
        key=lambda m: max(abs(r["error_percent"]) for r in raw() if r["counts_payload"] == m),
    )


def readings() -> list[Row]:
    """What the figures would be if the machine moved data in another way.

    Each reading changes one assumption, calibrates with the same two figures, and gives
    ``write_ns`` and ``read_ns``, the raw uncacheable rate (payload read), and both systems with
    write-combining at 15 KB. ``refuted_by`` says what speaks against it: the calibration itself, or
    a printed figure that it misses by more than a tenth.
    """
    base = load(PAPER)

    def memory(**changes: dict[str, Any]) -> Platform:
        return dataclasses.replace(
            base,
            memory={
                name: dataclasses.replace(value, **changes.get(name, {}))
                for name, value in base.memory.items()
            },
        )

    wide, narrow = {"write_bytes": 16}, {"read_bytes": 8}
    kinds = (
        ("as shipped: two stores, one load, further words take a clock each", base),
        ("each transaction takes the same, whatever it moves",
         dataclasses.replace(base, word_ns=0.0)),
        ("128-bit loads in two transactions as well",
         memory(uncacheable=narrow, write_combining=narrow)),
        ("128-bit stores in one transaction as well", memory(uncacheable=wide)),
        ("128-bit stores in one transaction, loads in two",
         memory(uncacheable=wide | narrow, write_combining=narrow)),
        ("with write-combining, reading begins after the last result of a chunk",
         memory(write_combining={"waits_for_chunk": True})),
        ("the program waits for each block before it writes the next",
         dataclasses.replace(base, capacity=1)),
    )  # fmt: skip
    printed = {a.words: row.mbit_s for row, a in accounts() if a.way == _FAST or a.raw}
    rows = []
    for title, other in kinds:
        row: Row = dict.fromkeys(
            ("reading", "write_ns", "read_ns", "raw_uncacheable", "sse_combining", "mmx_combining")
        )
        row |= {"reading": title, "refuted_by": ""}
        rows.append(row)
        try:
            here = calibrate(other)
        except AesfabError as error:
            row["refuted_by"] = "the calibration: " + str(error).partition(": ")[2]
            continue
        system = transfer(here, *_FAST, _LARGE).mbit_s
        raw_rate = raw_mbit_s(here, *_SLOW, "read")
        misses = [
            f"{value:.0f} printed"
            for value, ours in (
                (printed["raw transfer, Uncacheable"], raw_rate),
                (printed["SSE + Write-combining, 15 KB"], system),
            )
            if value and abs(ours / value - 1) > 0.1
        ]
        row |= {
            "write_ns": round(here.memory[UNCACHEABLE].write_ns, 1),
            "read_ns": round(here.memory[UNCACHEABLE].read_ns, 1),
            "raw_uncacheable": round(raw_rate, 1),
            "sse_combining": round(system, 1),
            "mmx_combining": round(transfer(here, "mmx", COMBINING, _LARGE).mbit_s, 1),
            "refuted_by": ", ".join(misses),
        }
    return rows


def rate(way: str) -> float:
    """Mbit/s on the platform of the paper: of a way, of ``CORE`` or of ``SOFTWARE``.

    A way is text: instruction, type of memory and size, as in ``sse write_combining 960 blocks``;
    with ``ALONE`` behind it, it is that of the link alone.
    """
    platform = load(PAPER)
    if way == CORE:
        return core_alone(platform)
    if way == SOFTWARE:
        (program,) = alternatives(platform)
        return program.mbit_s
    store, memory, blocks, _ = way.removesuffix(ALONE).split()
    move = link_alone if way.endswith(ALONE) else transfer
    return move(platform, store, memory, int(blocks)).mbit_s


@dataclasses.dataclass(frozen=True)
class Claim:
    """A statement of the paper about its system, and whether it is so in the model."""

    text: str
    holds: bool
    because: str


def claims() -> list[Claim]:
    """The orderings and the saturation that the paper reports, tested on the model."""
    platform = load(PAPER)
    sizes = (_SMALL, _LARGE, 23 * KB)

    def mbit_s(store: str, memory: str, blocks: int) -> float:
        return transfer(platform, store, memory, blocks).mbit_s

    combining = min(
        mbit_s(s, COMBINING, n) / mbit_s(s, UNCACHEABLE, n)
        for s, n in itertools.product(platform.stores, sizes)
    )
    wide = {
        m: min(mbit_s("sse", m, n) / mbit_s("mmx", m, n) for n in sizes) for m in platform.memory
    }
    curve = {n: mbit_s(*_FAST, n) for n in (1, 2, 400)}
    end = asymptote(platform, *_FAST)
    gaps = [mbit_s(*_FAST, n) - mbit_s(*_SLOW, n) for n in (1, 2, 400)]
    link, core = link_alone(platform, *_FAST, _LARGE).mbit_s, core_alone(platform)
    slow, program = mbit_s(*_SLOW, _LARGE), rate(SOFTWARE)
    return [
        Claim(
            "write-combining is faster than uncacheable, whatever the instruction and size",
            combining > 1,
            f"by a factor of {combining:.2f} at least",
        ),
        Claim(
            "SSE is faster than MMX, whatever the type of memory and size",
            min(wide.values()) > 1,
            f"by a factor of {wide[COMBINING]:.2f} with write-combining, predicted, and "
            f"{wide[UNCACHEABLE]:.2f} without, which the calibration says; at 1.5 KB the paper "
            "prints them equal without",
        ),
        Claim(
            "the gap between SSE with write-combining and MMX uncacheable grows with the size",
            gaps == sorted(gaps),
            ", ".join(f"{gap:.0f}" for gap in gaps) + " Mbit/s at 1, 2 and 400 blocks",
        ),
        Claim(
            "throughput grows with the size and saturates beyond 400 blocks",
            list(curve.values()) == sorted(curve.values()) and curve[400] > 0.97 * end,
            ", ".join(f"{value:.0f}" for value in curve.values())
            + f" Mbit/s at 1, 2 and 400 blocks, {end:.0f} in the end; that the paper's curve is "
            "slower to rise is not in the model",
        ),
        Claim(
            "MMX with uncacheable memory is slower than software",
            slow < program,
            f"{slow:.0f} against {program:.0f} Mbit/s, which the calibration says",
        ),
        Claim(
            "the transfers, not the core, limit the system",
            limit(link, core) == LINK,
            f"the link alone gives {link:.0f}, the core alone {core:.0f} Mbit/s",
        ),
    ]


def claim_rows() -> list[Row]:
    """``claims`` as rows."""
    return [
        {"claim": claim.text, "so": "yes" if claim.holds else "no", "numbers": claim.because}
        for claim in claims()
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
    """The cores Unrolled-1, -2, -5 and -10 in the paper's system, by its fastest way at 15 KB.

    The first row has the clock of the paper, the others ours on an ECP5-85 (None without a record).
    ``needed_mhz`` is the clock from which on the core is no longer what limits, ``limit`` what does
    (``model.limit``).
    """
    platform = load(PAPER)
    link = link_alone(platform, *_FAST, _LARGE).mbit_s
    device = "ecp5-85k"
    rows = []
    for rounds, source in ((1, "the paper"), *((n, device) for n in (1, 2, 5, 10))):
        named = catalogue.find(f"pilchard-unrolled-{rounds}")
        mhz = measured_mhz(named, device) if source == device else platform.core_mhz
        row: Row = {
            "design": named.name,
            "clock_of": source,
            "mhz": mhz,
            "interval_cycles": named.design.interval_number(),
            "needed_mhz": round(link * float(named.design.interval()) / 128, 1),
            "core_mbit_s": None,
            "link_mbit_s": round(link, 1),
            "system_mbit_s": None,
            "limit": None,
        }
        if mhz:
            here = dataclasses.replace(platform, design=named.design, core_mhz=mhz)
            row["core_mbit_s"] = round(core_alone(here), 1)
            row["system_mbit_s"] = round(transfer(here, *_FAST, _LARGE).mbit_s, 1)
            row["limit"] = limit(link, core_alone(here))
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
    largest of them; ``mbit_s``, what beta promises, is at most what the model comes to
    (``model.asymptote``).
    """
    rows = []
    for store, memory in platform.ways():
        times = {n: transfer(platform, store, memory, n).total_ns for n in SIZES}
        alpha, beta = fit(times, 128e3 / asymptote(platform, store, memory))
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
