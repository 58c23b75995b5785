# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Commands that set figures beside others: papers, classes, report."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Annotated, Any

import typer

from aesfab import extras, records
from aesfab.cli.options import (
    JsonOption,
    PngOption,
    SvgOption,
    check_graphs,
    completed,
    read,
)
from aesfab.cli.output import Bars, print_json, print_rows
from aesfab.errors import AesfabError
from aesfab.measure import components
from aesfab.study import classes, published, study

StudyRecordsOption = Annotated[
    list[Path] | None,
    typer.Option("--records", metavar="FILE", help="records of designs; may be given repeatedly"),
]
PartsRecordsOption = Annotated[
    list[Path] | None,
    typer.Option("--components", metavar="FILE", help="records of components"),
]
StaleOption = Annotated[
    bool, typer.Option("--stale", help="use figures of other RTL than the one at hand as well")
]

WideOption = Annotated[
    bool, typer.Option("--wide", help="every column and note, as wide as they are")
]


def _read_all(files: list[Path] | None, kind: str) -> list[records.Record]:
    """The records of some files, which must be there; else those of the usual places."""
    return read(kind, files, functools.partial(_require_kind, kind))


# What records of other commands than ``implement`` have, and what ``kind`` says there.
_KINDS: dict[str, tuple[str | None, dict[str, Any]]] = {
    "components": (
        "components",
        {
            **dict.fromkeys(("device", "status", "recipe"), str),
            **dict.fromkeys(("parameters", "recipes"), dict),
            **dict.fromkeys(("lut", "ff", "ram", "lut_levels"), int | None),
        },
    ),
    "verify": (
        None,
        {
            "passed": bool,
            "level": str,
            **dict.fromkeys(("vectors", "monte_carlo", "random_blocks", "seed"), int),
        },
    ),
}


def _require_kind(kind: str, file: Path, known: list[records.Record]) -> None:
    """AesfabError for a file with a record of another command than ``kind``.

    It would be taken for what it is not, or for no record at all.
    """
    from aesfab.measure import implement

    if kind == "implement":
        implement.require_records(file, known)
        return
    named, fields = _KINDS[kind]
    for record in known:
        others = [name for name, what in fields.items() if not isinstance(record.get(name), what)]
        if record.get("kind") != named or others:
            raise AesfabError(f"{file}: the record of {record['design']} is none of '{kind}'")


def _known(
    records_files: list[Path] | None, components_files: list[Path] | None, stale: bool
) -> tuple[study.Study, components.Measured]:
    """The records of designs, and those of components."""
    measured = study.Study(_read_all(records_files, "implement"), stale=stale)
    return measured, components.Measured(_read_all(components_files, "components"))


def _paper_names() -> str:
    try:
        return ", ".join(published.papers())
    except AesfabError:  # the command says it
        return "id of a paper"


def _class_names() -> list[str]:
    return [each.name for each in classes.load()]


def papers_(
    paper: Annotated[
        str | None,
        typer.Argument(
            metavar="[PAPER]", help=_paper_names(), autocompletion=completed(published.papers)
        ),
    ] = None,
    wide: WideOption = False,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="print the tables as one CSV document")
    ] = False,
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="print the tables as Markdown")
    ] = False,
    as_latex: Annotated[bool, typer.Option("--latex", help="print the tables for LaTeX")] = False,
    bundle: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.tar.gz", help="tables, records, versions and commands as one archive"
        ),
    ] = None,
    svg: SvgOption = None,
    png: PngOption = False,
    stale: StaleOption = False,
    records_files: StudyRecordsOption = None,
    components_files: PartsRecordsOption = None,
    as_json: JsonOption = False,
) -> None:
    """The papers' tables and graphs with our figures beside them, and what still holds."""
    from aesfab.cli.tables import Form, csv_text, print_paper_table
    from aesfab.study import charts, conclusions, papers

    check_graphs(svg, png)
    forms = {"--wide": wide, "--csv": as_csv, "--markdown": as_markdown, "--latex": as_latex}
    given = [name for name, wanted in {**forms, "--json": as_json}.items() if wanted]
    if len(given) > 1:
        raise AesfabError(f"{' and '.join(given)} exclude each other")
    if bundle and not paper:
        raise AesfabError("--bundle is of one paper: name it")
    if paper:
        published.require_paper(paper)
    chosen = [paper] if paper else list(published.papers())
    if svg:
        extras.require("report")
    measured, parts = _known(records_files, components_files, stale)
    done = [papers.reproduce(name, measured, parts) for name in chosen]
    if svg:
        for result in done:
            charts.write(result.charts, svg, with_png=png)
    if bundle:
        from aesfab.cli import bundle as archives

        archives.write(bundle, done[0], measured, parts, stale)
    if as_json:
        print_json([result.to_json() for result in done])
        return
    if as_csv:
        print(csv_text([table for result in done for table in result.tables]), end="")
        return
    if as_markdown or as_latex:
        form = Form.MARKDOWN if as_markdown else Form.LATEX
        for result in done:
            for paper_table in result.tables:
                print_paper_table(paper_table, form)
        return
    form = Form.WIDE if wide else Form.FITTED
    for result in done:
        about = published.papers()[result.paper]
        print(f"{result.paper}: {about.title}")
        if about.source:
            print(f"Figures as read in {about.source}. {about.note}".rstrip())
        for paper_table in result.tables:
            print_paper_table(paper_table, form)
        if result.verdicts:
            print("\nDoes it still hold?\n")
        for verdict in result.verdicts:
            print("\n".join(papers.verdict_lines(verdict)))
        print("")
    counts = conclusions.counts(verdict for result in done for verdict in result.verdicts)
    print("; ".join(f"{number} {verdict}" for verdict, number in counts.items()))


def classes_(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CLASS]...", help="all by default", autocompletion=completed(_class_names)
        ),
    ] = None,
    wide: WideOption = False,
    svg: SvgOption = None,
    png: PngOption = False,
    stale: StaleOption = False,
    records_files: StudyRecordsOption = None,
    components_files: PartsRecordsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Our own designs beside open cores and papers: targets, what is reached, what limits it.

    Without a class also how they scale (--svg draws it) and the areas of the papers' families.
    """
    from aesfab.cli.tables import Form, print_paper_table
    from aesfab.study import charts, classes, scaling

    check_graphs(svg, png)
    chosen = [classes.find(name) for name in names] if names else list(classes.load())
    if svg:
        extras.require("report")
    measured, parts = _known(records_files, components_files, stale)
    standings = [classes.standing(each, measured, parts) for each in chosen]
    graphs = [] if names else [chart for chart in scaling.figures(measured) if chart.rows]
    areas = [] if names else classes.areas(measured)
    knees = [] if names else scaling.knees(measured)
    if svg:
        charts.write(graphs, svg, with_png=png)
    if as_json:
        print_json(
            {
                "classes": [standing.to_json() for standing in standings],
                "areas": [area.to_json() for area in areas],
                "scaling": {chart.name: list(chart.rows) for chart in graphs},
                "knees": knees,
            }
        )
        return
    for standing in standings:
        print_paper_table(standing.table, Form.WIDE if wide else Form.FITTED)
        for first, *lines in standing.summaries():
            print(f"\n{first}")
            for line in lines:
                print(f"  {line}")
    if names:
        return
    print("\nAreas that the papers print, and ours for the same family\n")
    print_rows("", [classes.area_row(area) for area in areas])
    print("\nScaling\n")
    for line in knees or [scaling.NOTHING]:
        print(line)


def report_(
    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="DIR", help="folder, or one file NAME.html"),
    ],
    plots: Annotated[
        bool | None,
        typer.Option("--plots/--no-plots", help="SVG and PNG files of the plots, in a folder"),
    ] = None,
    stale: StaleOption = False,
    records_files: StudyRecordsOption = None,
    components_files: PartsRecordsOption = None,
    evidence_files: Annotated[
        list[Path] | None,
        typer.Option("--evidence", metavar="FILE", help="records of verifications"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write HTML pages of everything known: choice, plots, papers, designs.

    A folder gets three pages (index.html, designs.html, papers.html), which read data when it is
    needed. A name that ends in .html gets all of it in one file, to send to somebody. Neither needs
    a network or a server.
    """
    from aesfab.study import report

    report.require_place(output)
    one = output.suffix == report.SINGLE and not output.is_dir()
    if one and plots:
        raise AesfabError("--plots writes files into a folder, and there is none in one file")
    extras.require("report")
    measured, parts = _known(records_files, components_files, stale)
    figures = report.Figures(
        measured, parts, _read_all(evidence_files, "verify"), _read_all(records_files, "implement")
    )
    with Bars() as bars:
        files = report.write(figures, output, plots=plots is not False, progress=bars.line)
    if as_json:
        print_json({"page": str(files[0]), "files": [str(file) for file in files]})
        return
    print(str(files[0]))
