# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The files of the report: pages, styles, program, and data as script files.

A page that is opened from a folder cannot fetch data, so every file of data is a script that hands
its value to ``aesfabData``. It is read when what it is for comes into view. In one file alone the
same texts stand in script elements that nothing runs before.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from aesfab import __version__
from aesfab.study import charts, papers
from aesfab.study.charts import Chart

if TYPE_CHECKING:
    import jinja2


@dataclasses.dataclass(frozen=True)
class Page:
    """A page of the folder.

    Attributes:
        file: its name.
        title: its heading.
        part: the template of what it shows.
        anchors: of its sections, by the names that the navigation gives them.
        prefixes: of the anchors in its sections.
    """

    file: str
    title: str
    part: str
    anchors: Mapping[str, str]
    prefixes: tuple[str, ...] = ()


TITLE = "AESFab: AES cores for FPGAs, measured"

PAGES = (
    Page("index.html", TITLE, "choose", {"choose": "Choose", "best": "Best"}),
    Page(
        "designs.html", "AESFab: designs and figures", "designs",
        {"plots": "Plots", "figures": "Figures", "catalogue": "Catalogue", "designs": "Designs"},
        ("design-", "plot-"),
    ),
    Page(
        "papers.html", "AESFab: classes and papers", "papers",
        {"classes": "Classes", "scaling": "Scaling", "papers": "Papers"},
        ("class-", "paper-", "claim-"),
    ),
)  # fmt: skip

_NAV = [each for page in PAGES for each in page.anchors.items()]


def packed(rows: Iterable[Mapping[str, Any]], keys: Sequence[str]) -> dict[str, Any]:
    """Rows as the pages read them: their keys once, then a list for each row."""
    return {"keys": list(keys), "rows": [[row.get(key) for key in keys] for row in rows]}


def choices(data: Mapping[str, Any]) -> dict[str, Any]:
    """The data of the form (``choosing.form``), with a file for each group of devices."""
    groups: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for row in data["rows"]:
        groups.setdefault(tuple(row["devices"]), []).append(row)
    names = {each: f"choices-{number}" for number, each in enumerate(groups, 1)}
    found: dict[str, Any] = {
        "choices": {
            **{key: value for key, value in data.items() if key != "rows"},
            "groups": {
                device: [name for each, name in names.items() if device in each]
                for device in data["devices"]
            },
        }
    }
    return found | {names[each]: packed(rows, list(rows[0])) for each, rows in groups.items()}


def _json(value: Any) -> str:
    """JSON that may stand in a script element."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def _environment() -> jinja2.Environment:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("aesfab.study"),
        autoescape=lambda name: bool(name and name.endswith(".html")),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"cell": papers.cell, "shown_for": _shown_for}
    return environment


def _shown_for(chart: Chart) -> str:
    """Attributes of a plot that is shown for one choice."""
    if chart.choice is None:
        return ""
    kind, value = chart.choice
    return f' data-{kind}="{value}"' + (" hidden" if chart.choice == ("area", "slices") else "")


def _library() -> str:
    """The plotting library as a script of its own."""
    import vl_convert

    bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", charts.VERSION)
    return f"(() => {{\n{bundle}\n}})();\n"


def _designs(
    environment: jinja2.Environment, context: Mapping[str, Any], picture: Callable[[str], str]
) -> dict[str, str]:
    """What is shown of each design when it is unfolded, as data."""
    template = environment.get_template("design.html")
    names = ("papers", "figure_columns")
    shared = {name: context[name] for name in names}
    return {
        f"design-{section.named.name}": template.render(
            **shared, section=section, named=section.named, picture=picture
        )
        for section in context["sections"]
    }


def single(context: Mapping[str, Any], data: Mapping[str, Any]) -> str:
    """Everything in one page."""

    def picture(name: str) -> str:
        return f'data-picture="{name}"'

    environment = _environment()
    data = {**data, **_designs(environment, context, picture)}
    scripts = {name: _json(value) for name, value in data.items()} | {"vega": _library()}
    return environment.get_template("report.html").render(
        **context,
        version=__version__,
        title=TITLE,
        single=True,
        scripts=scripts,
        program=environment.get_template("report.js").render(),
        nav=_NAV,
        here=(),
        parts=[page.part for page in PAGES],
        href=lambda anchor: f"#{anchor}" if anchor else "",
    )


def folder(context: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, str]:
    """Every file of a folder of pages, by its name; ``index.html`` is the first."""

    def picture(name: str) -> str:
        return f'src="pictures/{name}.svg"'

    environment = _environment()
    data = {**data, **_designs(environment, context, picture)}
    found = {}
    for page in PAGES:
        found[page.file] = environment.get_template("report.html").render(
            **context,
            version=__version__,
            title=page.title,
            single=False,
            nav=_NAV,
            here=page.anchors,
            parts=[page.part],
            href=lambda anchor, here=page: _href(anchor, here),
        )
    found["report.css"] = environment.get_template("report.css").render()
    found["report.js"] = environment.get_template("report.js").render()
    found["vega.js"] = _library()
    found |= {f"pictures/{name}.svg": text for name, text in data["pictures"].items()}
    return found | {
        f"data/{name}.js": f"aesfabData({_json(name)},{_json(value)});\n"
        for name, value in data.items()
        if name != "pictures"
    }


def _href(anchor: str, here: Page) -> str:
    """A link to an anchor of any page, from one of them; without an anchor the designs' page."""
    wanted = anchor or "designs"
    (page,) = (page for page in PAGES if wanted in page.anchors or wanted.startswith(page.prefixes))
    return f"{'' if page is here else page.file}{'#' if anchor else ''}{anchor}"
