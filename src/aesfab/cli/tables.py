# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The tables of papers in the forms that readers need: terminal, Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import enum
import io
import shutil
import sys
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.markup import escape

from aesfab.cli.output import new_table, print_table
from aesfab.study.papers import COLUMNS, Line, PaperTable


class Form(enum.Enum):
    """How a table is printed."""

    FITTED = "fitted"
    WIDE = "wide"
    MARKDOWN = "markdown"
    LATEX = "latex"


_FIRST = (
    "lut", "slices", "mbit_s", "mhz", "ff", "ram", "le", "latency_cycles", "interval_cycles",
    "path_ns", "mbit_s_per_slice", "mbit_s_per_kbit", "factor",
)  # fmt: skip
"""The columns that a narrow table shows before all others."""

_DESIGN = 30
"""Characters of the first column of a fitted table; longer names go on in the next line."""

_LEAST = 60
"""Characters that a fitted table has at least, however narrow the terminal is."""

_NO_TERMINAL = 100
"""Characters of a fitted table where the output is no terminal."""


def print_paper_table(table: PaperTable, form: Form) -> None:
    """Print a table on standard output.

    A fitted table has the columns that fit the terminal, the most important ones first; it names
    the others, and its notes stand below it. A wide one has every column and note in its line.
    """
    if form is Form.MARKDOWN:
        print(markdown(table))
    elif form is Form.LATEX:
        print(latex(table))
    elif form is Form.WIDE:
        _print_wide(table)
    else:
        width = shutil.get_terminal_size((_NO_TERMINAL, 24)).columns
        _print_fitted(table, max(_LEAST, width if sys.stdout.isatty() else _NO_TERMINAL))


def _heads(columns: Iterable[str]) -> tuple[str, ...]:
    return tuple(COLUMNS[name] for name in columns)


def _print_wide(table: PaperTable) -> None:
    print(f"\n{table.title}\n")
    heads = _heads(table.columns)
    shown = new_table("design", "source", *heads, "note", right=heads)
    for line in table.lines:
        cells = [line.text(name) for name in table.columns]
        shown.add_row(
            escape(line.system), line.source, *cells, escape(line.note),
            style="" if line.printed else "bold",
        )  # fmt: skip
    print_table(shown)
    if table.note:
        print(table.note)


def _print_fitted(table: PaperTable, width: int) -> None:
    columns, left_out = _choose(table, width)
    notes = {note: number for number, note in enumerate(_notes(table.lines), 1)}
    shown = new_table(right=())
    shown.add_column("design", max_width=_DESIGN, overflow="fold")
    shown.add_column("source", no_wrap=True)
    for head in _heads(columns):
        shown.add_column(head, justify="right", no_wrap=True)
    for line in table.lines:
        mark = f" [{notes[line.note]}]" if line.note else ""
        shown.add_row(
            escape(line.system + mark), _source(line), *(line.text(name) for name in columns),
            style="" if line.printed else "bold",
        )  # fmt: skip
    console = Console(highlight=False, width=width)
    console.print(f"\n{escape(table.title)}\n")
    console.print(shown)
    below = [f"[{number}] {note}" for note, number in notes.items()]
    below += [table.note] if table.note else []
    if left_out:
        below.append(f"Columns by --wide: {', '.join(_heads(left_out))}.")
    for text in below:
        console.print(escape(text))


def _source(line: Line) -> str:
    """The source without the words that the style of the line says already."""
    if line.printed:
        return line.source.removeprefix("printed, ")
    place, _, stage = line.source.removeprefix("ours, ").partition(" (")
    if stage.startswith("not"):
        return f"ours, {place}, {stage.rstrip(')')}"
    return f"ours, {place}" + (", mapped" if stage.startswith("synthesis") else "")


def _choose(table: PaperTable, width: int) -> tuple[list[str], list[str]]:
    """The columns that fit and those that do not, both in the order of the table."""
    systems = [len(line.system) + 5 * bool(line.note) for line in table.lines]
    used = min(_DESIGN, max([6, *systems])) + max([6, *(len(_source(x)) for x in table.lines)]) + 4
    chosen: set[str] = set()
    order = [name for name in _FIRST if name in table.columns]
    for name in [*order, *(name for name in table.columns if name not in order)]:
        texts = [COLUMNS[name], *(line.text(name) for line in table.lines)]
        needed = max(map(len, texts)) + 2
        if used + needed <= width:
            chosen.add(name)
            used += needed
    return (
        [name for name in table.columns if name in chosen],
        [name for name in table.columns if name not in chosen],
    )


def _notes(lines: Sequence[Line]) -> list[str]:
    return list(dict.fromkeys(line.note for line in lines if line.note))


def markdown(table: PaperTable) -> str:
    """A table as Markdown, with every column and its notes."""

    def row(cells: Iterable[str]) -> str:
        return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"

    columns = table.columns
    lines = [
        f"### {table.title}",
        "",
        row(["design", "source", *_heads(columns), "note"]),
        "|---|---|" + "---:|" * len(columns) + "---|",
    ]
    for line in table.lines:
        cells = [line.system, line.source, *(line.text(name) for name in columns), line.note]
        lines.append(row(cells))
    return "\n".join([*lines, *(["", table.note] if table.note else []), ""])


_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
}  # fmt: skip


def _tex(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in text)


def latex(table: PaperTable) -> str:
    """A table for LaTeX with the package booktabs; notes stand below it, by number."""
    columns = table.columns
    notes = {note: number for number, note in enumerate(_notes(table.lines), 1)}
    lines = [
        r"\begin{table}",
        rf"\caption{{{_tex(f'{table.paper}, {table.title}')}}}",
        rf"\begin{{tabular}}{{ll{'r' * len(columns)}}}",
        r"\toprule",
        " & ".join(map(_tex, ["design", "source", *_heads(columns)])) + r" \\",
        r"\midrule",
    ]
    for line in table.lines:
        mark = rf"\textsuperscript{{{notes[line.note]}}}" if line.note else ""
        cells = [line.source, *(line.text(name) for name in columns)]
        lines.append(" & ".join([_tex(line.system) + mark, *map(_tex, cells)]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    below = [rf"\textsuperscript{{{number}}}~{_tex(note)}" for note, number in notes.items()]
    below += [_tex(table.note)] if table.note else []
    lines += [r"\par\footnotesize " + r"\\".join(below)] * bool(below)
    return "\n".join([*lines, r"\end{table}", ""])


def csv_text(tables: Sequence[PaperTable]) -> str:
    """Tables as one CSV document: a row for each line, a number or nothing in each figure's cell.

    A range fills ``NAME`` and ``NAME_to``; ``NAME_sign`` holds ``<=``, ``>=`` or ``=`` (derived).
    """
    columns = [name for name in COLUMNS if any(name in table.columns for table in tables)]
    lines = [line for table in tables for line in table.lines]
    fields = ["paper", "table", "system", "printed", "source", "device", "design"]
    for name in columns:
        fields.append(name)
        if any(isinstance(line.figures.get(name), list | tuple) for line in lines):
            fields.append(f"{name}_to")
        if any(name in line.bounds for line in lines):
            fields.append(f"{name}_sign")
    out = io.StringIO()
    writer = csv.DictWriter(out, [*fields, "note"], lineterminator="\n")
    writer.writeheader()
    for table in tables:
        for line in table.lines:
            row: dict[str, object] = {
                "paper": table.paper, "table": table.name, "system": line.system,
                "printed": int(line.printed), "source": line.source, "device": line.device,
                "design": line.design, "note": line.note,
            }  # fmt: skip
            for name, value in line.figures.items():
                low, *high = value if isinstance(value, list | tuple) else (value,)
                row[name] = low
                row |= {f"{name}_to": each for each in high}
            row |= {f"{name}_sign": sign for name, sign in line.bounds.items()}
            writer.writerow(row)
    return out.getvalue()
