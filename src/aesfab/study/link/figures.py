# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The graphs of the host link: Figs. 7.4 to 7.7 of pilchard, and a platform against software.

The paper's drawings are lost; what its text repeats of them is printed here as points, and the
model of the same machine as curves and bars. Two points calibrate the model: the curves and bars of
their ways are named so, all others are predicted.
"""

from __future__ import annotations

from collections.abc import Sequence

from aesfab.study import charts
from aesfab.study.charts import Chart, Row
from aesfab.study.link import experiments
from aesfab.study.link.experiments import KB, SIZES
from aesfab.study.link.machine import Platform
from aesfab.study.link.model import BLOCK, transfer
from aesfab.study.link.platform import load

_SOURCE = ("series", "source")

_CURVE = (*(2**n for n in range(9)), 400, 511, 512, 768, 960, 1024, 1472)
"""Message sizes in blocks of the curves: powers of two, around the 511 that the buffers hold, and
those that the paper names."""

_WORDS = {
    "mmx": "MMX",
    "sse": "SSE",
    "uncacheable": "uncacheable",
    "write_combining": "write-combining",
}


def _way(store: str, memory: str) -> str:
    return f"{_WORDS.get(store, store)}, {_WORDS.get(memory, memory)}"


def _printed(store: str, memory: str) -> list[Row]:
    """What the paper prints of a way, for each size that it names: ``value`` in Mbit/s."""
    return [
        {"blocks": blocks, "value": row.mbit_s, "where": row.where}
        for row, blocks in experiments.printed_points(store, memory)
    ]


def paper_figures() -> list[Chart]:
    """Figs. 7.4 to 7.7: the model, with what the paper prints."""
    platform = load(experiments.PAPER)
    slow, fast = ("mmx", "uncacheable"), ("sse", "write_combining")
    return [
        _over_size(
            platform, "7.4", "throughput of MMX stores over the size of a message", [slow],
            ("kb", "message, KB"),
        ),
        _by_way(platform, "7.5", 3 * KB // 2, "1.5 KB"),
        _by_way(platform, "7.6", 15 * KB, "15 KB"),
        _over_size(
            platform, "7.7", "SSE with write-combining against MMX uncacheable", [fast, slow],
            ("blocks", "blocks"),
        ),
    ]  # fmt: skip


def _over_size(
    platform: Platform,
    figure: str,
    title: str,
    ways: Sequence[tuple[str, str]],
    x: tuple[str, str],
) -> Chart:
    rows: list[Row] = []
    dots = []
    for way in ways:
        series = f"ours, {experiments.standing(platform, *way)}: {_way(*way)}"
        for blocks in _CURVE:
            ours = round(transfer(platform, *way, blocks).mbit_s, 1)
            rows.append({"series": series, "blocks": blocks, "value": ours, "where": ""})
    for way in ways:
        dots.append(f"printed: {_way(*way)}")
        rows += [{"series": dots[-1], **point} for point in _printed(*way)]
    rows = [{**row, "kb": row["blocks"] / KB} for row in rows]
    return charts.lines(
        f"pilchard-figure-{figure}",
        f"pilchard, Fig. {figure}: {title}, by the model and printed",
        rows, x, ("value", "Mbit/s"), _SOURCE,
        {"series": "source", "where": "where", "blocks": "blocks", "kb": "KB",
         "value": "Mbit/s"},
        scale="log", dots=dots,
    )  # fmt: skip


def _by_way(platform: Platform, figure: str, blocks: int, size: str) -> Chart:
    rows: list[Row] = []
    for memory in platform.memory:
        for store in platform.stores:
            ours = round(transfer(platform, store, memory, blocks).mbit_s, 1)
            way = {"system": _way(store, memory)}
            series = f"ours, {experiments.standing(platform, store, memory)}"
            rows.append({**way, "series": series, "value": ours, "where": ""})
            rows += [
                {**way, "series": "printed", "value": point["value"], "where": point["where"]}
                for point in _printed(store, memory)
                if point["blocks"] == blocks
            ]
    return charts.bars(
        f"pilchard-figure-{figure}",
        f"pilchard, Fig. {figure}: ways to move {size}, by the model and printed",
        rows, ("system", "store and memory type"), ("value", "Mbit/s"), _SOURCE,
        {"system": "way", "series": "source", "where": "where", "value": "Mbit/s"},
    )  # fmt: skip


def platform_figure(platform: Platform, curves: Sequence[Row]) -> Chart:
    """System throughput of a platform over the size of a message, beside the software it replaces.

    Where a curve of the system crosses one of the software is the break-even size. ``curves`` are
    those of ``experiments.curves``, of this platform and maybe others.
    """
    rows = [
        {"series": _way(row["store"], row["memory"]), "bytes": row["bytes"],
         "mbit_s": row["mbit_s"]}
        for row in curves
        if row["platform"] == platform.name
    ]  # fmt: skip
    for program in experiments.alternatives(platform):
        for blocks in SIZES:
            time_ns = program.setup_ns + blocks * program.block_ns
            rows.append({"series": program.title, "bytes": BLOCK * blocks,
                         "mbit_s": round(8000 * BLOCK * blocks / time_ns, 2)})  # fmt: skip
    return charts.lines(
        f"host-{platform.name}",
        f"{platform.title}: throughput over the size of a message, by the link model",
        rows, ("bytes", "message, bytes"), ("mbit_s", "Mbit/s"), _SOURCE,
        {"series": "source", "bytes": "bytes", "mbit_s": "Mbit/s"},
        scale="log", log_y=True,
    )  # fmt: skip
