# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Records as a table: flat rows, filters, order, and files that other programs open."""

from __future__ import annotations

import csv
import fnmatch
import functools
import io
import json
import operator
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aesfab import devices, extras, records
from aesfab.design.axes import AXES
from aesfab.design.catalogue import Named
from aesfab.devices import COLUMNS
from aesfab.errors import AesfabError, like, require_pattern, unknown
from aesfab.measure import subjects
from aesfab.records import Record
from aesfab.system import process

if TYPE_CHECKING:
    import pyarrow

Row = dict[str, Any]
"""Column to value; None where a record has none."""

_TEXTS = ("design", "axes", "paper", *AXES, "device", "family", "part", "recipe", "recipes",
          "stage", "status")  # fmt: skip
_COUNTS = ("latency_cycles", *COLUMNS, "slices_estimate", "lut_levels", "seeds", "harness_seeds")
_FIGURES = (
    "interval_cycles", "fmax_mhz", "fmax_min_mhz", "fmax_max_mhz", "throughput_mbit_s",
    "mbit_s_per_lut", "latency_ns", "logic_ns", "routing_ns",
)  # fmt: skip
_ORIGIN = ("other", "yosys", "nextpnr", "rtl_hash", "netlist_hash", "log_tail")

SCHEMA: dict[str, type] = {
    **dict.fromkeys(_TEXTS, str),
    **dict.fromkeys(_COUNTS, int),
    **dict.fromkeys(_FIGURES, float),
    **dict.fromkeys(_ORIGIN, str),
}
"""Column to the type of its values."""

SHOWN = (
    "design", "axes", "device", "recipe", "lut", "ff", "ram", "slices_estimate", "fmax_mhz",
    "harness_seeds", "interval_cycles", "throughput_mbit_s", "mbit_s_per_lut", "status",
)  # fmt: skip
"""The columns of a listing when the user names none."""

FORMATS = ("csv", "jsonl", "parquet")


def row(record: Record) -> Row:
    """A record, flat.

    ``fmax_mhz``, and with it throughput and latency in ns, is the median over the seeds;
    ``logic_ns`` and ``routing_ns`` are those of the critical path of the run nearest to it;
    ``harness_seeds`` says how many seeds the harness limits (``records.limited_seeds``). An axis
    that came after the record was made is None. ``axes`` are those that are not the design's own:
    ``generate`` takes them behind the name, which alone stands for many points.
    """
    named = subjects.known(record["design"])
    changed = subjects.changed(record)
    device = devices.DEVICES.get(record.get("device", ""))
    fmax = record.get("fmax_mhz") or {}
    median = fmax.get("median")
    middle = _middle(record) or {}
    parameters = record.get("parameters", {})
    interval = record.get("interval_cycles")
    found: Row = {
        **{name: record.get(name) for name in SCHEMA},
        **{axis: None if (v := parameters.get(axis)) is None else str(v) for axis in AXES},
        "axes": None if changed is None else " ".join(changed),
        "paper": named.paper if isinstance(named, Named) else None,
        "family": device.family if device else None,
        "recipes": "+".join(record.get("recipe_names", [])),
        "seeds": len(record.get("seeds") or []),
        "harness_seeds": len(records.limited_seeds(record)) if fmax else None,
        "interval_cycles": None if interval is None else float(interval),
        "fmax_mhz": median,
        "fmax_min_mhz": fmax.get("min"),
        "fmax_max_mhz": fmax.get("max"),
        "latency_ns": round(1000 * record["latency_cycles"] / median, 1) if median else None,
        "logic_ns": middle.get("logic_ns"),
        "routing_ns": middle.get("routing_ns"),
        "other": json.dumps(record["other"]) if record.get("other") else None,
        **{tool: record.get("tools", {}).get(tool) for tool in ("yosys", "nextpnr")},
        "log_tail": record.get("log_tail") or None,
    }
    return {name: found[name] for name in SCHEMA}


def light() -> Callable[[Record], Record]:
    """What ``row`` and ``query`` need of a record, so that many of them fit into memory.

    Of the runs the one that ``row`` shows. Parameters and texts that are alike are held once.
    """
    held: dict[Any, Any] = {}

    def once(value: Any) -> Any:
        """The value, or one before it that is equal."""
        if not isinstance(value, str | dict | list):
            return value
        form = value if isinstance(value, str) else json.dumps(value)
        return held.setdefault(form, value)

    def keep(record: Record) -> Record:
        found = {name: record[name] for name in _NUMBERS if name in record}
        found |= {name: once(record[name]) for name in _SHARED if name in record}
        found["limited_seeds"] = once(records.limited_seeds(record))
        if (run := _middle(record)) is not None:
            shown = {name: run.get(name) for name in ("fmax_mhz", "logic_ns", "routing_ns")}
            found["recipes"] = {record["recipe"]: {"runs": {"": shown}}}
        return found

    return keep


_SHARED = (
    *("design", "device", "part", "recipe", "recipe_names", "stage", "status", "log_tail"),
    *("parameters", "tools", "seeds", "other", "kind", "level", "bus"),
)
_NUMBERS = tuple(
    dict.fromkeys(
        name
        for name in (*records.KEY, "latency_cycles", *SCHEMA, "fmax_mhz")
        if name not in _SHARED and name not in AXES
    )
)
"""Fields that rows are made from, and that say which record counts; the first are often alike."""


def _middle(record: Record) -> dict[str, Any] | None:
    """The run of the quoted recipe that is nearest to the median; None without any."""
    median = (record.get("fmax_mhz") or {}).get("median")
    best = record.get("recipes", {}).get(record.get("recipe"), {})
    runs = [run for run in best.get("runs", {}).values() if run.get("fmax_mhz")]
    return min(runs, key=lambda run: abs(run["fmax_mhz"] - median)) if runs and median else None


def asked(words: Sequence[str]) -> dict[str, Callable[[str], bool]]:
    """What the words of a query ask of design and device: see ``records.stream``.

    All records of one measurement have these in common, so what is left out decides nothing about
    what is left. AesfabError for a pattern that is none.
    """
    ways = _asked(words)
    for pattern in (pattern for found in ways.values() for one in found for pattern in one):
        require_pattern(pattern)

    def fits(found: list[list[str]]) -> Callable[[str], bool]:
        @functools.cache
        def test(value: str) -> bool:
            return all(any(fnmatch.fnmatchcase(value, p) for p in one) for one in found)

        return test

    return {name: fits(found) for name, found in ways.items() if found}


def _asked(words: Sequence[str]) -> dict[str, list[list[str]]]:
    """Design and device to the patterns that words of a query have of it, of each word a list."""
    names = [word for word in words if not any(sign in word for sign in "<>=")]
    ways: dict[str, list[list[str]]] = {"design": [names] if names else [], "device": []}
    for word in words:
        test = re.fullmatch(r"\s*(design|device)\s*==?\s*([^=<>!]*?)\s*", word)
        if test:
            ways[test[1]].append(test[2].split(","))
    return ways


def require_known(known: Sequence[Record], words: Sequence[str]) -> None:
    """AesfabError for a name or pattern of designs or devices that there is nothing of.

    What records have of it is there too: they may be of a design that is gone.

    Args:
        known: the records that are left of ``asked``.
        words: of the query.
    """
    names = {"design": subjects.names(), "device": list(devices.DEVICES)}
    sees = {"design": subjects.LISTED, "device": ""}
    for kind, ways in _asked(words).items():
        there = {str(record.get(kind)) for record in known}
        for pattern in (pattern for one in ways for pattern in one):
            if not fnmatch.filter(there, pattern):
                like(kind, pattern, names[kind], sees[kind])


def current(known: Iterable[Record]) -> list[Record]:
    """The records of designs and engines as the RTL is."""
    return [record for record in known if _is_current(record)]


def _is_current(record: Record) -> bool:
    parameters = record.get("parameters", {})
    try:
        point = subjects.find(
            record["design"], [f"{axis}={value}" for axis, value in parameters.items()]
        )
    except AesfabError:
        return False
    return subjects.present(point).has(record)


# ----------------------------------------------------------------------------- queries

_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "!=": operator.ne,
    "==": operator.eq,
    "=": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
}


def condition(text: str) -> Callable[[Row], bool]:
    """A condition on a row: ``lut<5000``, ``device=ecp5-*``, ``status!=ok``.

    ``=`` and ``!=`` on texts take patterns as a shell does, several with commas between them. A row
    without the value meets no condition. AesfabError for anything else.
    """
    found = re.fullmatch(r"\s*(\w+)\s*(<=|>=|!=|==|=|<|>)\s*(.*?)\s*", text)
    if not found:
        raise AesfabError(f"'{text}' is no condition such as lut<5000 or device=ecp5-*")
    name, sign, wanted = found.groups()
    if name not in SCHEMA:
        raise unknown("column", name, SCHEMA)
    if SCHEMA[name] is str:
        if sign not in ("=", "==", "!="):
            raise AesfabError(f"'{text}': {name} is a text, so only = and != make sense")
        patterns = wanted.split(",")
        for pattern in patterns:
            require_pattern(pattern)

        def matches(row: Row) -> bool:
            value = row[name]
            hit = any(fnmatch.fnmatchcase(str(value), pattern) for pattern in patterns)
            return value is not None and hit is (sign != "!=")

        return matches
    try:
        number = float(wanted)
    except ValueError:
        raise AesfabError(f"'{text}': {name} is a number, '{wanted}' is none") from None
    compare = _COMPARISONS[sign]
    return lambda row: row[name] is not None and compare(row[name], number)


def ordered(rows: Sequence[Row], keys: Sequence[str]) -> list[Row]:
    """Rows by some columns, the first the most important; ``-lut`` descends.

    Rows without a value come last. AesfabError for an unknown column.
    """
    found = list(rows)
    for key in reversed(keys):
        name = key.removeprefix("-")
        if name not in SCHEMA:
            raise unknown("column", name, SCHEMA)
        there = [row for row in found if row[name] is not None]
        there.sort(key=operator.itemgetter(name), reverse=key.startswith("-"))
        found = there + [row for row in found if row[name] is None]
    return found


def columns(text: str) -> list[str]:
    """The columns that the user names, with commas between them; ``all`` for every one."""
    names = list(SCHEMA) if text == "all" else [name.strip() for name in text.split(",")]
    for name in names:
        if name not in SCHEMA:
            raise unknown("column", name, SCHEMA)
    return names


# ----------------------------------------------------------------------------- formats


def export(rows: Sequence[Row], names: Sequence[str], file_format: str) -> bytes:
    """Rows as a file: ``csv`` with a head, ``jsonl`` (an object a line), or ``parquet``.

    In CSV an empty cell is a missing value. AesfabError for another format.
    """
    if file_format not in FORMATS:
        raise unknown("format", file_format, FORMATS)
    cut = [{name: row[name] for name in names} for row in rows]
    if file_format == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in cut).encode()
    if file_format == "csv":
        text = io.StringIO()
        writer = csv.DictWriter(text, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(cut)
        return text.getvalue().encode()
    extras.require("report")
    import pyarrow
    import pyarrow.parquet

    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(table(rows, names), sink)
    return bytes(sink.getvalue())


def table(rows: Sequence[Row], names: Sequence[str]) -> pyarrow.Table:
    """Columns of rows as an Arrow table; AesfabError for a figure that its column cannot hold."""
    extras.require("report")
    import pyarrow

    cut = [{name: row[name] for name in names} for row in rows]
    kinds = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64()}
    schema = pyarrow.schema([(name, kinds[SCHEMA[name]]) for name in names])
    try:
        return pyarrow.Table.from_pylist(cut, schema=schema)
    except (pyarrow.ArrowException, OverflowError) as error:
        raise AesfabError(f"a figure is no number of its column: {error}") from error


def write(path: Path, rows: Sequence[Row], names: Sequence[str]) -> None:
    """Rows as a file, in the format that its ending says; AesfabError when that is impossible."""
    content = export(rows, names, path.suffix.removeprefix("."))
    if _holds_records(path):
        raise AesfabError(f"{path} holds the records themselves, which rows do not replace")
    try:
        with process.written_whole(path) as temporary:
            temporary.write_bytes(content)
    except OSError as error:
        raise AesfabError(f"cannot write {path}: {error.strerror}") from error


def _holds_records(path: Path) -> bool:
    """Whether a file is one of records: of ours, with their parameters, not of rows."""
    try:
        with path.open("rb") as file:
            first = json.loads(file.readline())
    except (OSError, ValueError):
        return False
    return isinstance(first, dict) and {"design", "netlist_hash", "parameters"} <= set(first)


def query(
    known: Sequence[Record],
    words: Sequence[str],
    *,
    only_current: bool = False,
    every: bool = False,
) -> tuple[list[Row], int]:
    """Records as rows, those that the words ask for.

    Args:
        known: records of ``implement``, the newest last.
        words: names or patterns of designs, and conditions (``condition``).
        only_current: only records of the RTL as it is.
        every: older records of the same measurement too.

    Returns:
        The rows, and how many records that the words ask for are left out as of older RTL.

    Raises AesfabError for a bad word, and for a design or a device that there is nothing of.
    """
    signs = [word for word in words if any(sign in word for sign in "<>=")]
    names = [word for word in words if word not in signs]
    tests = [condition(word) for word in signs]
    if names:
        tests.append(condition(f"design={','.join(names)}"))
    require_known(known, words)
    kept: list[Record] = []
    older: list[Record] = []
    for record in known:
        (older if only_current and not _is_current(record) else kept).append(record)
    rows = map(row, kept if every else records.newest(kept))
    return matching(rows, tests), len(matching(map(row, older), tests))


def matching(rows: Iterable[Row], conditions: Sequence[Callable[[Row], bool]]) -> list[Row]:
    """The rows that meet every condition."""
    return [row for row in rows if all(meets(row) for meets in conditions)]


def shown(value: Any) -> str:
    """A value as a listing has it."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".") if abs(value) < 10 else f"{value:.1f}"
    return str(value)
