# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What commands print: lines, tables and JSON on standard output, progress on standard error."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn, Self

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table

from aesfab import __version__, records
from aesfab.extras import MissingError
from aesfab.folder import manifest
from aesfab.folder.generate import Generated, kind_of
from aesfab.system import files


class _Console(Console):
    """A console of which we hear when its reader has left; by itself it ends with status 1."""

    def on_broken_pipe(self) -> NoReturn:
        """Somewhere else it is decided what that means."""
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


_WIDER_THAN_ANY = 100_000
"""Characters; so wide a console leaves each table as it is."""


def print_table(table: Table) -> None:
    """A table at its natural width: a wide one is wrapped by the terminal rather than cut."""
    _Console(highlight=False, width=_WIDER_THAN_ANY).print(table)


def many(number: int, word: str, plural: str = "") -> str:
    """A number with what it counts: 1 row, 2 rows; a plural of its own where it has one."""
    return f"{number} {word if number == 1 else plural or f'{word}s'}"


def as_line(value: Any) -> str:
    """A value as one line of JSON."""
    return json.dumps(value, ensure_ascii=False)


def print_json(value: Any) -> None:
    """A value as one line: the one document that a command prints for scripts."""
    print(as_line(value))


def print_beside(output: Path, text: str) -> None:
    """A line about a file that was written; on standard error where that is standard output."""
    print(text, file=sys.stderr if files.is_standard_output(output) else sys.stdout)


def print_json_of(designs: Sequence[object], values: Sequence[Any]) -> None:
    """What a command says of designs: of one an object, of several an array."""
    print_json(values[0] if len(designs) == 1 else values)


def new_table(*columns: str, right: tuple[str, ...] = ()) -> Table:
    """An empty table with these headings; numbers stand right."""
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", no_wrap=True)
    return table


class Live:
    """Progress on standard error, drawn anew on a terminal only; within a ``with`` block."""

    def __init__(self, *columns: ProgressColumn) -> None:
        self._console = _Console(stderr=True, highlight=False)
        self._live = self._console.is_terminal
        self._progress = Progress(*columns, console=self._console)

    def __enter__(self) -> Self:
        if self._live:
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._progress.stop()

    def line(self, text: str) -> None:
        """Something that happened."""
        self._console.print(escape(text), soft_wrap=True)


class Bars(Live):
    """Steps as progress bars on a terminal, as lines elsewhere."""

    def __init__(self) -> None:
        super().__init__(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        self._tasks: dict[str, Any] = {}
        self._told: dict[str, int] = {}

    @contextlib.contextmanager
    def away(self) -> Iterator[None]:
        """In this block nothing is drawn: what is printed in it goes to standard output.

        Bars that are full stay above it.
        """
        if not self._live:
            yield
            return
        self._progress.stop()
        yield
        for step, task in list(self._tasks.items()):
            if self._progress.tasks[self._progress.task_ids.index(task)].finished:
                self._progress.remove_task(self._tasks.pop(step))
        self._progress.start()

    def step(self, step: str, done: int, total: int) -> None:
        """A step that counts (simulate.Progress)."""
        if self._live:
            if step not in self._tasks:
                self._tasks[step] = self._progress.add_task(escape(step), total=total or None)
            self._progress.update(self._tasks[step], completed=done, total=total or None)
            return
        tenth = 10 * done // total if total else 0
        if self._told.get(step, -1) < tenth and (tenth in (0, 5, 10)):
            self._told[step] = tenth
            self.line(f"{step}: {done} of {total}" if total else step)


def print_rows(title: str, rows: list[dict[str, Any]]) -> None:
    """Rows of equal fields as a table; what is not known is a dash."""
    if title:
        print(title)
    columns = list(rows[0])
    numbers = [name for name in columns if any(isinstance(row[name], int | float) for row in rows)]
    table = new_table(
        *(name.replace("_", " ") for name in columns),
        right=tuple(n.replace("_", " ") for n in numbers),
    )
    for row in rows:
        table.add_row(*(escape("-" if row[name] is None else str(row[name])) for name in columns))
    print_table(table)


def headline(record: records.Record) -> dict[str, Any]:
    """The figures of a record that fit a line."""
    names = (
        "device", "recipe", "status", "lut", "ff", "slices_estimate", "ram", "fmax_mhz",
        "throughput_mbit_s", "mbit_s_per_lut",
    )  # fmt: skip
    return {name: record.get(name) for name in names}


def figures_table(measured: list[records.Record]) -> Table:
    """Area and speed, a row a record; the design or engine with the axes that are not its own."""
    from aesfab.measure import subjects

    numbers = (
        "LUT", "FF", "slices", "RAM", "Fmax MHz", "min", "max", "clocks/block", "Mbit/s",
        "Mbit/s/LUT",
    )  # fmt: skip
    table = new_table("design", "device", "recipe", *numbers, "status", right=numbers)
    for record in measured:
        fmax = record.get("fmax_mhz") or {}
        table.add_row(
            " ".join([record["design"], *(subjects.changed(record) or ())]),
            record["device"],
            str(record.get("recipe")),
            *(rounded(record.get(name), 0) for name in ("lut", "ff", "slices_estimate", "ram")),
            *(rounded(fmax.get(name), 1) for name in ("median", "min", "max")),
            str(record.get("interval_cycles", "-")),
            rounded(record.get("throughput_mbit_s"), 0),
            rounded(record.get("mbit_s_per_lut"), 3),
            str(record.get("status")),
        )
    return table


def rounded(value: float | None, digits: int) -> str:
    """A number with so many decimals; what is not known is a dash."""
    return "-" if value is None else f"{value:.{digits}f}"


def check_folder(kinds: Sequence[type[Generated]], folder: Path, as_json: bool) -> None:
    """Print what differs in a generated folder of some kinds; status 1 where something does.

    What somebody has added is named too, and changes no status: no file that was written uses it.
    """
    kind = kind_of(folder / manifest.FILE, kinds)
    try:
        found = kind.differences(folder)
    except MissingError as error:
        found = kind.changed(folder)
        if not found:
            raise MissingError(
                f"{folder} is as its manifest says; for what AESFab {__version__} writes, {error}"
            ) from error
        print(f"aesfab: compared with the manifest alone, as {error}", file=sys.stderr)
    added = kind.added(folder)
    if as_json:
        print_json({"folder": str(folder), "same": not found, "differences": found, "added": added})
    else:
        for name in added:
            print(f"{os.path.join(folder, name)}: added, AESFab did not write it")
        for name, how in found.items():
            print(f"{folder / name}: {how}")
        if not found:
            print(f"{folder}: as AESFab {__version__} writes it")
    if found:
        raise SystemExit(1)
