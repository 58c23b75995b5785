# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The tables of a paper as one archive: figures, records, versions, commands, to cite.

The archive holds what the tables and verdicts rest on and nothing else, so that they can be made
again from it alone. Its bytes depend on its content only.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import shlex
import tarfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from aesfab import __version__
from aesfab.cli import tables
from aesfab.errors import AesfabError, ToolError
from aesfab.measure import components, subjects
from aesfab.records import Record
from aesfab.study import conclusions, published
from aesfab.study.papers import COLUMNS, Reproduction
from aesfab.study.study import Study
from aesfab.system import files, process, shipped

_RUN_FIELDS = {
    "design": ("string", "name in the catalogue"),
    "parameters": ("string", "its axes, as JSON"),
    "netlist_hash": ("string", "what was measured"),
    "device": ("string", ""),
    "recipe": ("string", "how it was mapped"),
    "seed": ("integer", "of place and route"),
    "status": ("string", "ok, does not fit, or what failed"),
    "fmax_mhz": ("number", "clock, MHz"),
    "logic_ns": ("number", "logic in the longest path, ns"),
    "routing_ns": ("number", "routing in the longest path, ns"),
}
_TEXTS = ("paper", "table", "system", "source", "device", "design", "note")


def write(
    path: Path, result: Reproduction, study: Study, parts: Sequence[Record], stale: bool
) -> None:
    """Write the archive of a paper; AesfabError where that is impossible."""
    if not path.name.endswith((".tar.gz", ".tgz")):
        raise AesfabError(f"a bundle is a .tar.gz file, and {path} is none")
    entries = _entries(result, study, parts, stale)
    folder = path.name.removesuffix(".gz").removesuffix(".tar").removesuffix(".tgz")
    with files.written_whole(path) as temporary:
        temporary.write_bytes(_archive(folder, entries))


def _archive(folder: str, entries: Mapping[str, str]) -> bytes:
    packed = io.BytesIO()
    # No name and no time, so that the same content gives the same bytes.
    with (
        gzip.GzipFile(filename="", fileobj=packed, mode="wb", mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name, text in sorted(entries.items()):
            content = text.encode()
            member = tarfile.TarInfo(f"{folder}/{name}")
            member.size, member.mode = len(content), 0o755 if name.endswith(".sh") else 0o644
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def _entries(
    result: Reproduction, study: Study, parts: Sequence[Record], stale: bool
) -> dict[str, str]:
    measured = _records(result, study)
    alone = _parts(result, parts)
    table = tables.csv_text(result.tables)
    runs = list(_runs(measured))
    return {
        "README.md": _readme(result, stale),
        "measure.sh": _script([*measured, *alone]),
        "tables.csv": table,
        "tables.md": "\n".join(tables.markdown(each) for each in result.tables),
        "tables.tex": "\n".join(tables.latex(each) for each in result.tables),
        "seeds.csv": _csv(_RUN_FIELDS, runs),
        "datapackage.json": _json(_package(result, table)),
        "conclusions.json": _json([verdict.to_json() for verdict in result.verdicts]),
        "paper.json": _json(vars(published.papers()[result.paper])),
        "published.jsonl": _lines(_printed(result.paper)),
        "implement.jsonl": _lines(measured),
        "components.jsonl": _lines(alone),
        "versions.json": _json(_versions([*measured, *alone])),
    }


def _records(result: Reproduction, study: Study) -> list[Record]:
    """Every record of the designs in the tables and the conclusions."""
    designs = [line.design for table in result.tables for line in table.lines]
    designs += [row.design or "" for row in published.of_paper(result.paper) if row.own]
    designs += [
        design
        for claim in conclusions.of_paper(result.paper)
        if not claim.model
        for each in claim.needs.values()
        for design in each
    ]
    found: dict[str, Record] = {}
    for design in dict.fromkeys(filter(None, designs)):
        for device in study.devices():
            quoted = study.record(design, device)
            # The newest last, as in the files that they come from.
            newest = [*study.every(design, device), *([quoted] if quoted else [])]
            for record in reversed(newest):
                found[json.dumps(record, sort_keys=True)] = record
    return list(found.values())


def _parts(result: Reproduction, parts: Sequence[Record]) -> list[Record]:
    """Every record of the components in the tables and the conclusions."""
    names = {component.name for _, component in components.of_paper(result.paper)}
    for claim in conclusions.of_paper(result.paper):
        names |= {label.split()[0] for label in claim.component_needs}
    return [record for record in parts if record["design"] in names]


def _printed(paper: str) -> list[dict[str, Any]]:
    rows = []
    for row in published.of_paper(paper):
        fields = {name: value for name, value in vars(row).items() if value not in (None, "")}
        if row.interval_cycles is not None:
            fields["interval_cycles"] = str(row.interval_cycles)
        rows.append(fields)
    return rows


def _runs(measured: Iterable[Record]) -> Iterable[dict[str, Any]]:
    """A row for each place-and-route run."""
    for record in measured:
        for recipe, result in record.get("recipes", {}).items():
            clocks = (result.get("fmax_mhz") or record.get("fmax_mhz") or {}).get("seeds", {})
            for seed, run in result.get("runs", {}).items():
                row = {name: record.get(name) for name in ("design", "netlist_hash", "device")}
                row |= {"parameters": json.dumps(record["parameters"]), "recipe": recipe}
                row |= {"seed": seed, "status": run.get("status")}
                row |= {"fmax_mhz": run.get("fmax_mhz", clocks.get(seed))}
                yield row | {name: run.get(name) for name in ("logic_ns", "routing_ns")}


def _package(result: Reproduction, table: str) -> dict[str, Any]:
    """The columns of the CSV files with their types (Frictionless Data Package)."""

    def field(name: str) -> dict[str, str]:
        kind = "string" if name in _TEXTS or name.endswith("_sign") else "number"
        if name in ("process_um", "printed"):
            kind = {"process_um": "string", "printed": "integer"}[name]
        return {"name": name, "type": kind, "title": COLUMNS.get(name, "")}

    columns = next(csv.reader(io.StringIO(table)))
    runs = [
        {"name": name, "type": kind, "title": title} for name, (kind, title) in _RUN_FIELDS.items()
    ]
    return {
        "name": result.paper.lower(),
        "title": published.papers()[result.paper].title,
        "version": __version__,
        "resources": [
            {"name": "tables", "path": "tables.csv", "format": "csv",
             "schema": {"fields": [field(name) for name in columns]}},
            {"name": "seeds", "path": "seeds.csv", "format": "csv", "schema": {"fields": runs}},
        ],
    }  # fmt: skip


def _versions(measured: Sequence[Record]) -> dict[str, Any]:
    """What the figures were made with.

    Commit and date are those of the last change of the records in the checkout at hand; none of an
    installed program, and records say no time.
    """
    tools: dict[str, set[str]] = {}
    for record in measured:
        for name, version in record.get("tools", {}).items():
            tools.setdefault(name, set()).add(str(version))
    commit, date = _last_change()
    return {
        "aesfab": __version__,
        "commit": commit,
        "date": date,
        "tools": {name: sorted(versions) for name, versions in sorted(tools.items())},
    }


def _last_change() -> tuple[str | None, str | None]:
    folder = shipped.find("results")
    if folder is None or not (folder.parent / ".git").exists():
        return None, None
    command = ["git", "-C", str(folder), "log", "-1", "--format=%H %cI", "--", "."]
    try:
        words = process.run(command, what="reading the commit", timeout=60).split()
    except ToolError:
        return None, None
    return (words[0], words[1]) if len(words) == 2 else (None, None)


def _script(measured: Sequence[Record]) -> str:
    """The commands that take every figure again."""
    commands = []
    for record in measured:
        words = ["aesfab"]
        if record.get("kind") == "components":
            choices = [f"{name}={value}" for name, value in record["parameters"].items()]
            words += ["components", " ".join([record["design"], *choices])]
        else:
            words += ["implement", record["design"], *(subjects.changed(record) or ())]
        words += ["--device", record["device"]]
        if record.get("kind") != "components":
            words += [each for name in record["recipe_names"] for each in ("--recipe", name)]
        if seeds := len(record.get("seeds") or []):
            words += ["--seeds", str(seeds)]
        file = "components.jsonl" if record.get("kind") == "components" else "implement.jsonl"
        commands.append(shlex.join([*words, "--records", f"again/{file}"]))
    head = ["#!/bin/sh", "# Takes every figure again, into the folder again.", "set -e"]
    return "\n".join([*head, "mkdir -p again", *dict.fromkeys(commands), ""])


def _readme(result: Reproduction, stale: bool) -> str:
    paper = published.papers()[result.paper]
    again = f"aesfab papers {result.paper} --records implement.jsonl --components components.jsonl"
    source = f"Its figures were read in {paper.source}. {paper.note}\n" if paper.source else ""
    return f"""\
# {paper.title}: printed and measured

Made by AESFab {__version__} (`aesfab papers {result.paper} --bundle`). {source}
| file | what |
|---|---|
| `tables.csv`, `tables.md`, `tables.tex` | the tables: printed lines and ours, with notes |
| `seeds.csv` | every place-and-route run: seed, clock, longest path |
| `datapackage.json` | the columns of the CSV files with their types |
| `conclusions.json` | what the paper concludes, the verdicts, the figures and recipes behind them |
| `paper.json`, `published.jsonl` | the paper, and its figures as printed |
| `implement.jsonl`, `components.jsonl` | the records that tables and verdicts rest on |
| `versions.json` | program, tools, commit and date of the records |
| `measure.sh` | the commands that take every figure again; hours of work |

The tables and verdicts again, from the records in this archive:

    {again}{" --stale" if stale else ""}
"""


def _csv(fields: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(fields), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _lines(objects: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects)
