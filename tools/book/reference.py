# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The reference of the site: a page for each design, the command line, Python, the records."""

from __future__ import annotations

import functools
import inspect
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

import pages
from aesfab import api, cli, devices, records
from aesfab.design import catalogue, schedule
from aesfab.design.catalogue import Named
from aesfab.folder import datasheet, generate
from book import schema, travel, waves

ROOT = Path(__file__).resolve().parents[2]


@functools.cache
def measured() -> dict[str, list[records.Record]]:
    """Design to its records of ``results/implement.jsonl``: those of the repository, no others."""
    found = defaultdict(list)
    for record in records.read(ROOT / "results" / "implement.jsonl"):
        found[record["design"]].append(record)
    return found


# ------------------------------------------------------------------------------- designs


def design_page(named: Named) -> str:
    """All that is known of a design: its data sheet, its schedule and its timing, in pictures."""
    design = named.design
    present = generate.Present(named)
    rows = records.quoted(r for r in measured()[named.name] if present.has(r))
    module = named.module
    sheet = datasheet.text(
        named, [f"rtl/{module}.sv"], f"tb/tb_{module}.sv", present.has, rows, with_scripts=True
    )
    _, _, body = sheet.partition("\n")
    diagram = f'## Block diagram\n\n<div class="wide">{travel.svg(named)}</div>\n'
    # The pictures of the folder stand here in the colours of the page.
    body = re.sub(r"^!\[[^\]]*\]\(doc/[^)]*\)\n", "", body, flags=re.MULTILINE)
    body = body.replace("\n## Ports\n", f"\n{diagram}\n## Ports\n", 1)
    body = body.replace("\n## Files\n", f"\n{_timing(named)}\n## Files\n", 1)
    size = f"`{key}`" if (key := design.axes().get("key_bits")) else ""
    same = [page for page, name in travel.SHOWN.items() if name == named.name]
    more = "".join(
        f"[A block on its way through it, clock by clock](../theory/{page}.md)\n\n" for page in same
    )
    figures = "The folder of `aesfab generate` has this page as its data sheet."
    return (
        f"# {named.name}\n\n{figures} Key bits: {size}. All designs: [catalogue](index.md).\n\n"
        f"{more}{body}"
    )


def _timing(named: Named) -> str:
    parts = ["### In pictures\n"]
    for title, picture in waves.pictures(named):
        parts += [f"**{title}**\n", f'<div class="wide">{picture}</div>\n']
    rows = [(clock, text.replace("|", "&#124;")) for clock, text in schedule.schedule(named.design)]
    table = "\n".join(pages.table(("clock", "what happens to one block"), rows))
    parts.append("### Schedule\n")
    fold = '<details markdown="1"><summary>every clock</summary>\n'
    parts.append(f"{fold}\n{table}\n\n</details>\n" if len(rows) > 16 else f"{table}\n")
    return "\n".join(parts)


def catalogue_page() -> str:
    """The catalogue: every design with cycles, and its figures on two devices."""
    shown = ("ecp5-85k", "ice40-hx8k")
    rows = []
    for name, named in catalogue.CATALOGUE.items():
        design = named.design
        present = generate.Present(named)
        known = records.quoted(r for r in measured()[name] if present.has(r))
        lengths = design.key_lengths
        cells = [
            f"[{name}]({name}.md)",
            named.paper or "-",
            design.architecture.value,
            design.direction.value,
            str(design.axes()["key_bits"]),
            "/".join(str(design.latency(bits)) for bits in lengths),
            "/".join(str(design.interval_number(bits)) for bits in lengths),
        ]
        cells += [_best(known, device) for device in shown]
        rows.append(cells)
    head = ["design", "paper", "architecture", "direction", "key bits", "latency", "interval"]
    head += [f"{device}: LUT, {devices.DEVICES[device].slice_.name}s, MHz" for device in shown]
    table = "\n".join(pages.table(head, rows))
    return f"""# Every design

Each design has a page: block diagram, ports, timing, schedule, figures, evidence and security. The
program prints it. Latency and interval are in cycles, for 128/192/256-bit keys where a design takes
them all. The figures are those of the best recipe. [Figures](../figures.md) has both recipes with
their seeds.

{table}
"""


def _best(known: list[records.Record], device: str) -> str:
    """LUTs, slices and MHz of the fastest recipe on a device."""
    rows = [row for row in known if row["device"] == device]
    if not rows:
        return "-"
    clock = max(rows, key=lambda row: (row.get("fmax_mhz") or {}).get("median") or 0)
    if clock["status"] != "ok" or not clock.get("fmax_mhz"):
        return str(clock["status"])
    slices = clock.get("slices_estimate")
    area = [f"{clock['lut']:,}", "-" if slices is None else f"{slices:,}"]
    return ", ".join([*area, f"{clock['fmax_mhz']['median']:.0f}"])


# -------------------------------------------------------------------------- command line


def _commands(command: Any, words: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The words of each command and its own help, groups first."""
    context = command.context_class(
        command, info_name=" ".join(words), terminal_width=_COLUMNS, max_content_width=_COLUMNS
    )
    yield " ".join(words), command.get_help(context)
    for name, child in getattr(command, "commands", {}).items():
        if not child.hidden:
            yield from _commands(child, (*words, name))


_COLUMNS = 90


def commands() -> list[tuple[str, str]]:
    """Every command with the text of its ``--help``."""
    return list(_commands(typer.main.get_command(cli.app), ("aesfab",)))


def cli_page() -> str:
    """The command line, from its own help."""
    parts = [
        "# Command line\n",
        "Each section is what the command prints for `--help`.\n",
        "Bad input gives one line and status 2. Status 1 is for what failed.\n",
    ]
    for words, text in commands():
        parts += [f"## {words}\n", f"```text\n{text.strip()}\n```\n"]
    return "\n".join(parts)


# --------------------------------------------------------------------------------- Python


def python_page() -> str:
    """The Python interface: docs/api.md, then every function with its signature."""
    guide = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    parts = [guide, "\n## Every function\n"]
    for name, value in vars(api).items():
        if name.startswith("_") or getattr(value, "__module__", "") != api.__name__:
            continue
        parts += _described(name, value, 3)
        if inspect.isclass(value):
            for inner, member in vars(value).items():
                if not inner.startswith("_") and (callable(member) or isinstance(member, property)):
                    parts += _described(f"{name}.{inner}", member, 4)
    return "\n".join(parts)


def _described(name: str, value: Any, level: int) -> list[str]:
    signature = "" if isinstance(value, property) else str(inspect.signature(value))
    text = inspect.getdoc(value) or ""
    return [f"{'#' * level} {name}\n", f"```text\n{name}{signature}\n\n{text}\n```\n"]


# -------------------------------------------------------------------------------- records


def schema_page() -> str:
    """The fields of the records, and where the JSON Schema of each kind is."""
    parts = [
        "# Records\n",
        "Measurements and evidence are kept in `results`, one JSON object in each line. "
        "Each kind of record has a JSON Schema (draft 2020-12). "
        "A test holds every committed record to it.\n",
        "A record carries neither a time nor a path of a machine. "
        "So the same measurement gives the same line.\n",
    ]
    for kind, (what, fields) in schema.KINDS.items():
        rows = [
            (f"`{name}`", _type(field.schema), "always" if field.always else "some", field.what)
            for name, field in fields.items()
        ]
        parts += [
            f"## {kind}\n",
            f"{what}. File: `results/{kind}.jsonl`. "
            f"Schema: [{kind}.schema.json](schema/{kind}.schema.json).\n",
            "\n".join(pages.table(("field", "type", "there", "meaning"), rows)) + "\n",
        ]
    return "\n".join(parts)


def _type(value: schema.Schema) -> str:
    if "anyOf" in value:
        return " or ".join(_type(each) for each in value["anyOf"])
    if "const" in value:
        return f"`{value['const']}`"
    if "enum" in value:
        return ", ".join(f"`{each}`" for each in value["enum"])
    return str(value["type"])


def schema_text(kind: str) -> str:
    """The JSON Schema of a kind."""
    return json.dumps(schema.schema(kind), indent=2) + "\n"
