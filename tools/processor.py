# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tables of docs/host.md: what messages and packets cost a program, from the records."""

from __future__ import annotations

from pathlib import Path

import pages
from aesfab import records

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "host.md"
PACKETS, PACKETS_END = "<!-- packets: written by make generated -->", "<!-- end of packets -->"
BEGIN, END = "<!-- processor: written by make generated -->", "<!-- end of processor -->"


def page() -> str:
    """docs/host.md with its tables as the records have them."""
    text = pages.between(PAGE.read_text(), BEGIN, END, tables())
    return pages.between(text, PACKETS, PACKETS_END, packet_tables())


def tables() -> str:
    """What messages cost a program on a processor, as Markdown; from the newest such record."""
    record = records.latest(records.read(ROOT / "results" / "host.jsonl"), kind="host-soc")
    if record is None:
        return "Not measured.\n"
    ways = [(line["path"], line["direction"]) for line in record["summary"]]
    cells = {(m["path"], m["direction"], m["blocks"]): m for m in record["messages"]}
    head = ["bytes"]
    for path, direction in ways:
        head += [f"{path}, {direction}: clocks/block", "Mbit/s"]
    rows = []
    for blocks in sorted({blocks for _, _, blocks in cells}):
        row = [str(16 * blocks)]
        for path, direction in ways:
            message = cells[path, direction, blocks]
            row += [f"{message['cycles_per_block']:.1f}", f"{message['mbit_s']:.1f}"]
        rows.append(row)
    lines = [*pages.table(head, rows), ""]
    head = ["", "clocks of one block", "of each more", "its instructions"]
    rows = []
    for line in record["summary"]:
        row = [f"{line['path']}, {line['direction']}", str(line["one_block"])]
        row += [f"{line[name]:.1f}" for name in ("each_more", "instructions", "bus_cycles")]
        rows.append(row)
    lines += pages.table([*head, "its clocks at the device"], rows)
    costs = record["costs"]
    opening = " and ".join(str(costs[path]["open"]) for path in costs)
    tools = ", ".join(record["tools"][tool] for tool in ("processor", "compiler", "verilator"))
    return (
        "\n".join(lines)
        + f"\n\n`{record['design']}`, a block each {record['interval']:g} clocks; Mbit/s at "
        f"{record['clock_mhz']} MHz. Opening a device takes {opening} clocks, setting a key "
        f"{' and '.join(str(costs[path]['key']) for path in costs)}. Tools: {tools}.\n"
    )


def packet_tables() -> str:
    """What packets cost a program on a processor, as Markdown; the newest record of each engine."""
    newest = {
        record["design"]: record
        for record in records.read(ROOT / "results" / "host.jsonl")
        if record["kind"] == "host-packets"
    }
    if not newest:
        return "Not measured.\n"
    some = next(iter(newest.values()))
    sizes = list(dict.fromkeys(message["bytes"] for message in some["messages"]))
    head = ["engine", "direction"]
    for size in sizes:
        head += [f"{size} bytes: clocks", "of the engine alone", "Mbit/s"]
    rows, beside, instructions = [], [], []
    for name, record in newest.items():
        for way in ("encrypt", "decrypt"):
            row = [f"`{name}`", way]
            for message in record["messages"]:
                if message["direction"] == way:
                    row += [str(message["cycles"]), str(message["engine_cycles"])]
                    beside.append(message["cycles"] - message["engine_cycles"])
                    instructions.append(message["instructions"])
                    row.append(f"{message['mbit_s']:.1f}")
            rows.append(row)
    tools = ", ".join(some["tools"][tool] for tool in ("processor", "compiler", "verilator"))
    return (
        "\n".join(pages.table(head, rows))
        + f"\n\nKeys of 128 bits, AAD of 13 bytes where the mode has it; Mbit/s of text at "
        f"{some['clock_mhz']} MHz. Setting a key takes {some['costs']['key']} clocks around "
        f"`{some['design']}`. Beside the engine's own clocks a call takes {min(beside)} to "
        f"{max(beside)}; it is {min(instructions)} instructions and more. Tools: {tools}.\n"
    )
