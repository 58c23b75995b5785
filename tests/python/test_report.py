# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The report page: what is on it, and that it works in a real browser."""

from __future__ import annotations

import dataclasses
import gzip
import json
import random
import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

import needs
import passed
from aesfab import devices, records
from aesfab.choosing import answer, form
from aesfab.choosing.candidates import LONG
from aesfab.choosing.need import Need, parse
from aesfab.design import catalogue
from aesfab.eda import yosys
from aesfab.engine import every
from aesfab.errors import AesfabError
from aesfab.folder import generate
from aesfab.measure import components
from aesfab.records import Record
from aesfab.study import classes, pages, published, report, study
from aesfab.study.study import Study
from conftest import Cli, needed
from made_up import record

pytestmark = pytest.mark.kept(
    "src/aesfab/study",
    "src/aesfab/choosing",
    "src/aesfab/design",
    "src/aesfab/engine/spec.py",
    *passed.RECORDS,
    "src/aesfab/devices.py",
)

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PARTS = "standaert-sequential-52"
MISSING = "\N{EN DASH}"

DESIGNS = [
    name
    for name, named in catalogue.CATALOGUE.items()
    if named.paper in ("standaert2003", "pilchard", "qin2005") or name == "fab-interleaved-ram"
]


def _measured() -> list[Record]:
    """Every design on an open fabric, some on others, one that is too large."""
    made = [
        record(name, "ecp5-85k", 60.0 + 7 * (n % 13), lut=500 + 137 * n, ff=300 + n, ram=n % 4)
        for n, name in enumerate(DESIGNS)
    ]
    made += [record(name, "virtex", lut=900 + n) for n, name in enumerate(DESIGNS[:12])]
    made += [record(name, "ice40-hx8k", 50.0 + n) for n, name in enumerate(DESIGNS[:5])]
    made.append(
        {
            **record(DESIGNS[5], "ice40-hx8k", lut=65624),
            "status": "does not fit",
            "recipes": {"default": {"runs": {}, "utilisation": {}}},
        }
    )
    return made


def _parts() -> list[Record]:
    return [
        {
            "kind": "components",
            "design": component.name,
            "parameters": dict(component.choices),
            "netlist_hash": yosys.netlist_hash(component.sources(), component.module),
            "device": "virtex",
            "lut": 100 + number,
            "ff": 50,
        }
        for number, component in enumerate(components.parts(catalogue.find(PARTS)))
    ]


def _evidence() -> list[Record]:
    named = catalogue.find(DESIGNS[0])
    return [
        {
            "design": named.name,
            "netlist_hash": generate.netlist_hash(named),
            "passed": True,
            "level": "full",
            "vectors": 294,
            "monte_carlo": 1,
            "random_blocks": 10042,
            "seed": 1,
        }
    ]


@pytest.fixture(scope="module")
def figures() -> report.Figures:
    return report.Figures(Study(_measured()), _parts(), _evidence())


@pytest.fixture(scope="module")
def built(figures: report.Figures) -> report._Page:
    return report.build(figures)


@pytest.fixture(scope="module")
def page_file(built: report._Page, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "index.html"
    path.write_text(built.html(), encoding="utf-8")
    return path


# ------------------------------------------------------------------------- what is on it


class _References(HTMLParser):
    """What a page would load, and its headings and anchors."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.links: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if given.get("id"):
            self.anchors.add(given["id"] or "")
        if tag == "a":
            self.links.add(given.get("href") or "")
        else:
            self.loaded += [v or "" for k, v in attrs if k in ("src", "href", "srcset", "data")]


def test_page_stands_alone(page_file: Path) -> None:
    text = page_file.read_text()
    assert len(text) < 6e6
    found = _References()
    found.feed(text)
    assert found.loaded == ["data:,"], "an empty icon and nothing else"
    assert all(link.startswith("#") for link in found.links)
    assert {link[1:] for link in found.links} <= found.anchors
    assert "@import" not in text.split("<script", 1)[0]
    for name in catalogue.CATALOGUE:
        assert f"design-{name}" in found.anchors
    for paper in published.papers():
        assert f"paper-{paper}" in found.anchors
    for each in classes.load():
        assert f"class-{each.name}" in found.anchors
        for peer in each.peers:
            assert peer.source in text
    assert "recipe default; MHz by seed" not in text, "made-up records have no seeds"
    assert "missed: " in text
    assert "aesfab explore --plan results/scaling.toml" in text


def test_rows_are_the_records(built: report._Page, figures: report.Figures) -> None:
    assert len(built.rows) == len(_measured())
    for row in built.rows:
        made = figures.study.record(row["design"], row["device"])
        assert made is not None
        assert row["lut"] == made["lut"]
        assert (row["mbit_s"] is None) is (made["throughput_mbit_s"] is None)
    (unfit,) = [row for row in built.rows if row["status"] == "does not fit"]
    assert unfit["mhz"] is None
    best = {(row["device"], row["class"]): row["design"] for row in report.best_rows(built.rows)}
    ecp5 = [row for row in built.rows if row["device"] == "ecp5-85k"]
    fastest = max(ecp5, key=lambda row: row["mbit_s"])
    assert best["ecp5-85k", "most throughput"] == fastest["design"]
    assert best["ecp5-85k", "fewest LUTs"] == DESIGNS[0]
    assert not any(device == "virtex" for device, _ in best)


def test_plots_have_the_points_of_the_records(built: report._Page) -> None:
    charts = {chart.name: chart for chart in built.charts}

    def ours(name: str) -> list[Any]:
        return [row for row in charts[name].rows if row["whose"] != "other open core"]

    for area in ("area", "slices"):
        assert len(ours(f"ecp5-85k-throughput-{area}")) == len(DESIGNS)
        assert len(ours(f"ice40-hx8k-throughput-{area}")) == 5, "the one that does not fit is not"
    assert "virtex-throughput-area" not in charts
    shown = charts["ecp5-85k-throughput-area"]
    placed = [
        name
        for name, peer in classes.peers().items()
        if peer.best("ecp5-85k", "mbit_s") is not None
    ]
    others = [row["design"] for row in shown.rows if row["whose"] == "other open core"]
    assert others == placed != []
    for row in shown.rows[: len(DESIGNS)]:
        paper = catalogue.find(row["design"]).paper
        assert row["whose"] == ("after a paper" if paper else "our own")
    assert set(shown.front) <= {row["design"] for row in shown.rows}
    paths = [c for c in built.charts if c.name.startswith("ecp5-85k-critical-path-")]
    assert len(paths) > 2
    for chart in paths:
        for row in chart.rows:
            axes = catalogue.find(row["design"]).design.axes()
            assert chart.choice == ("architecture", axes["architecture"])
    split = [row for chart in paths for row in chart.rows]
    assert len(split) == 2 * len(DESIGNS)
    for logic, routing in zip(split[::2], split[1::2], strict=True):
        assert (logic["part"], routing["part"]) == ("logic", "routing")
        assert logic["share"] + routing["share"] == pytest.approx(100)
    # The parts and what assembly adds are the assembled design.
    rows = [row for row in charts["virtex-breakdown-interleaved"].rows if row["design"] == PARTS]
    whole = next(r for r in built.rows if (r["design"], r["device"]) == (PARTS, "virtex"))
    assert sum(row["lut"] for row in rows) == whole["lut"]
    assert len(rows) == 3


def test_pages_are_made_of_what_was_read(
    figures: report.Figures, built: report._Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever draws and prints goes back to no record: the way is forward."""
    read = report.reading(figures)

    def back(*_: object, **__: object) -> None:
        raise AssertionError("a record is looked for again")

    for owner, name in (
        *((Study, name) for name in ("row", "rows", "devices")),
        *((study, name) for name in ("is_current", "evidence_of", "figures")),
        *((components, name) for name in ("known", "shipped", "coverage", "assembly")),
        (generate, "Present"),
    ):
        monkeypatch.setattr(owner, name, back)
    monkeypatch.setattr(report, "reading", lambda *_: read)
    assert report.build(figures).files() == built.files()


def test_clocks_that_are_bounds_say_so() -> None:
    """The block RAM of Gowin is not timed (``records.clock_bound``)."""
    ram, logic = "fab-interleaved-ram", "standaert-sequential-52"
    made = [
        record(ram, "gw1n-9", 200.0, ram=10),
        record(logic, "gw1n-9", 50.0, ram=0),
        record(logic, "virtex"),
    ]
    page = report.build(report.Figures(Study(made)))
    clocks = {(row["design"], row["device"]): row["clock"] for row in page.rows}
    assert clocks == {
        (ram, "gw1n-9"): "upper bound",
        (logic, "gw1n-9"): "measured",
        (logic, "virtex"): None,
    }
    fastest = report.best_rows(page.rows)[0]
    assert (fastest["design"], fastest["clock"]) == (ram, "upper bound")
    assert page.html().count("the clock is an upper bound, as is what follows") == 1


def test_without_any_record(tmp_path: Path) -> None:
    one = report.write(report.Figures(Study([])), tmp_path / "out.html")
    assert one == [tmp_path / "out.html"]
    text = one[0].read_text()
    assert "Nothing has been measured yet." in text
    assert "Not verified as its RTL is." in text


def test_command(aesfab: Cli, tmp_path: Path) -> None:
    file = tmp_path / "records.jsonl"
    lines = [record(name, "ecp5-85k", 100.0) for name in DESIGNS[:2]]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    evidence = tmp_path / "evidence.jsonl"
    evidence.write_text("".join(json.dumps(line) + "\n" for line in _evidence()))
    done = aesfab(
        "report", "-o", tmp_path / "out", "--records", file, "--evidence", evidence, "--json"
    )
    assert done.returncode == 0, done.stderr
    written = [Path(name) for name in json.loads(done.stdout)["files"]]
    assert written[0] == tmp_path / "out" / "index.html"
    assert all(path.stat().st_size for path in written)
    said = (tmp_path / "out" / "data" / f"design-{DESIGNS[0]}.js").read_text()
    assert "Passed at level full: 294 NIST vectors" in said
    names = {path.name for path in written}
    assert {"ecp5-85k-throughput-area.svg", "ecp5-85k-throughput-area.png"} <= names
    (tmp_path / "taken").write_text("")
    done = aesfab("report", "-o", tmp_path / "taken", "--records", file)
    assert done.returncode == 2
    assert "cannot write" in done.stderr.splitlines()[-1]
    done = aesfab("report", "-o", tmp_path / "one.html", "--plots", "--records", file)
    assert (done.returncode, list(tmp_path.glob("one*"))) == (2, [])
    assert "--plots writes files into a folder" in done.stderr


def test_a_folder_that_cannot_be_made_is_named(aesfab: Cli) -> None:
    """And not a file of ours in it."""
    done = aesfab("report", "-o", "/proc/rep")
    assert done.returncode == 2
    assert done.stderr.startswith("aesfab: cannot write /proc/rep: ")


# ------------------------------------------------------------------------- in a browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = needed("a Chromium", "BROWSER", "chromium", *BROWSERS)
    with sync_playwright() as playwright:
        # Containers have no user namespaces for the sandbox; the page is our own.
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def complaints() -> list[str]:
    """What the browser complains of, and what the page would load; a test wants it empty."""
    return []


def _open(
    browser: Browser, file: Path, complaints: list[str], *, folder: bool = False, **options: Any
) -> Page:
    page = browser.new_page(**options)
    page.on("console", lambda said: complaints.append(f"{said.type}: {said.text}"))
    page.on("pageerror", lambda error: complaints.append(str(error)))

    def request(made: Any) -> None:
        # The parts of a folder stand beside its pages.
        beside = folder and made.url.startswith(f"{file.parent.as_uri()}/")
        if made.url != file.as_uri() and not made.url.startswith("data:") and not beside:
            complaints.append(f"loads {made.url}")

    page.on("request", request)
    page.goto(file.as_uri())
    page.wait_for_function("window.aesfab && window.aesfab.ready")
    page.evaluate("window.aesfab.loadAll()")
    return page


VIEWS = [
    pytest.param(scheme, width, id=f"{scheme}-{width}")
    for scheme in ("light", "dark")
    for width in (1280, 390)
]


@pytest.mark.parametrize(("scheme", "width"), VIEWS)
def test_page_in_a_browser(
    browser: Browser,
    page_file: Path,
    built: report._Page,
    complaints: list[str],
    scheme: Any,
    width: int,
) -> None:
    """It loads nothing, complains of nothing, fits the window, and draws every point."""
    page = _open(
        browser, page_file, complaints,
        viewport={"width": width, "height": 900}, color_scheme=scheme,
    )  # fmt: skip
    assert page.input_value("#architecture") == ""
    drawn = 0
    for device in built.by_device:
        page.select_option("#device", device)
        page.evaluate(_BOTH_AREAS)
        shown = page.locator(".device:not([hidden])")
        assert shown.get_attribute("data-device") == device
        page.evaluate("window.aesfab.drawAll()")
        for chart in built.by_device[device]:
            if chart.rows:
                drawn += 1
                _same_marks(page, chart)
    for result in built.read.reproductions:
        for chart in result.charts:
            if chart.rows:
                drawn += 1
                _same_marks(page, chart)
    for chart in built.read.curves:
        if chart.rows:
            drawn += 1
            _same_marks(page, chart)
    assert drawn == len(built.charts) == page.evaluate("Object.keys(window.aesfab.views).length")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    assert dark is (scheme == "dark")
    assert complaints == []
    page.close()


_BOTH_AREAS = "document.querySelectorAll('[data-area]').forEach((p) => { p.hidden = false; })"


def _same_marks(page: Page, chart: Any) -> None:
    """A plot has a mark for each of its rows."""
    marks = page.locator(
        f'[data-plot="{chart.name}"] svg :is(.mark-symbol, .mark-rect).role-mark > path'
    )
    assert marks.count() == len(chart.rows), chart.name
    assert page.locator(f'[data-plot="{chart.name}"]').evaluate(_BEYOND) == [], chart.name


# The texts of a plot that its edges cut.
_BEYOND = """(plot) => {
  const edge = plot.getBoundingClientRect();
  const out = (box) => box.width && (box.right > edge.right + 1 || box.left < edge.left - 1);
  return [...plot.querySelectorAll("svg text")]
    .filter((text) => out(text.getBoundingClientRect())).map((text) => text.textContent);
}"""


# The names of the legends of a plot, as they are read: lines of a name are joined.
_LEGEND = """(plot) => [...plot.querySelectorAll("svg .role-legend-label text")].map((text) =>
  [...(text.children.length ? text.children : [text])].map((line) => line.textContent.trim())
    .join(" "))"""

# Texts of a plot that stand over another.
_OVER = """(plot) => {
  const boxes = [...plot.querySelectorAll("svg text")]
    .filter((text) => text.textContent.trim() && text.getAttribute("opacity") !== "0")
    .map((text) => [text.textContent, text.getBoundingClientRect()]);
  const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
  return boxes.flatMap(([text, box], at) => boxes.slice(at + 1)
    .filter((other) => over(box, other[1])).map((other) => `${text} over ${other[0]}`));
}"""


@pytest.fixture(scope="module")
def shipped() -> report._Page:
    """The page of the records that ship."""
    known = Study(records.shipped("implement"))
    return report.build(report.Figures(known, records.shipped("components")))


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1366)])
def test_plots_of_the_shipped_records_are_whole(
    browser: Browser,
    shipped: report._Page,
    tmp_path: Path,
    complaints: list[str],
    scheme: Any,
    width: int,
) -> None:
    """As many series as the records have: legends complete, nothing cut, no text over text."""
    file = tmp_path / "index.html"
    file.write_text(shipped.html(), encoding="utf-8")
    page = _open(
        browser, file, complaints,
        viewport={"width": width, "height": 900}, color_scheme=scheme,
    )  # fmt: skip
    page.evaluate("document.querySelectorAll('.device').forEach((d) => { d.hidden = false; })")
    page.evaluate(_BOTH_AREAS)
    page.evaluate("window.aesfab.drawAll()")
    for chart in shipped.charts:
        plot = page.locator(f'[data-plot="{chart.name}"]')
        _same_marks(page, chart)
        assert plot.evaluate(_OVER) == [], chart.name
        series = _series(chart.spec)
        shown = plot.evaluate(_LEGEND)
        assert sorted(map(_letters, shown)) == sorted(map(_letters, series)), chart.name
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert complaints == []
    page.close()


def _series(spec: Any) -> list[str]:
    """The names of the series of a plot."""
    for part in (spec, spec.get("spec", {}), *spec.get("layer", ())):
        if stroke := part.get("encoding", {}).get("stroke"):
            shape = part["encoding"].get("shape", stroke)
            whose = shape["scale"]["domain"] if shape["field"] != stroke["field"] else []
            return [*stroke["scale"]["domain"], *whose]
    raise AssertionError("a plot without series")


def _letters(name: str) -> str:
    """A name without spaces, at which lines break."""
    return name.replace(" ", "")


def test_coverage_of_the_components(built: report._Page, shipped: report._Page) -> None:
    """How many components a family has records of, of how many there are."""
    every, virtex = built.read.coverage
    assert every["components"] == len(components.discover())
    assert every["designs"] == len(catalogue.CATALOGUE)
    assert virtex["device"] == "virtex"
    assert virtex["parts"] == len(components.parts(catalogue.find(PARTS)))
    assert virtex["designs"] >= 1
    text = built.html()
    assert f'<td class="number">{every["components"]}</td>' in text
    assert report.coverage_rows([]) == []
    every, *rows = shipped.read.coverage
    assert {row["device"] for row in rows} >= {"ecp5-85k", "virtex"}
    for row in rows:
        assert all(row[name] <= every[name] for name in ("components", "parts", "designs"))


def test_long_names_leave_room_for_figures(
    browser: Browser, page_file: Path, complaints: list[str]
) -> None:
    """Tables of classes and papers: the first column is no wider than a third of a laptop."""
    page = _open(browser, page_file, complaints, viewport={"width": 1366, "height": 800})
    widths = page.evaluate(
        "[...document.querySelectorAll('table.lines')]"
        ".map((table) => table.rows[0].cells[0].getBoundingClientRect().width)"
    )
    assert len(widths) > 10
    assert max(widths) < 1366 / 3
    page.close()


@pytest.mark.parametrize(("scheme", "width"), VIEWS)
def test_nothing_keeps_people_out(
    browser: Browser, page_file: Path, complaints: list[str], scheme: Any, width: int
) -> None:
    """The rules of axe-core: names, roles, headings, contrast; with everything unfolded."""
    page = _open(
        browser, page_file, complaints,
        viewport={"width": width, "height": 900}, color_scheme=scheme,
    )  # fmt: skip
    # A few of each kind stand for all: rows, designs, plots.
    page.evaluate(
        "for (const group of ['article.design', '.verdict', '#papers .plot'])"
        "  document.querySelectorAll(group).forEach((a, n) => { if (n > 3) a.remove(); });"
        "document.querySelectorAll('tbody').forEach((body) => {"
        "  while (body.rows.length > 3) body.deleteRow(3); });"
        "document.querySelectorAll('section details').forEach((d) => { d.open = true; });"
    )
    page.evaluate("window.aesfab.loadAll()")
    page.evaluate("window.aesfab.drawAll()")
    found = Axe().run(page, options={"resultTypes": ["violations"]})
    assert found.violations_count == 0, found.generate_report()[:3000]
    page.close()


def test_filters_and_sorting(
    browser: Browser, page_file: Path, built: report._Page, complaints: list[str]
) -> None:
    page = _open(browser, page_file, complaints)
    rows = page.locator("#figures-table tbody tr:visible")
    count = page.locator('output[data-count="figures-table"]')
    total = len(built.rows)
    assert rows.count() == total
    page.get_by_role("group", name="Every design on every").get_by_label("device").select_option(
        "ice40-hx8k"
    )
    assert rows.count() == 6
    assert count.text_content() == f"6 of {total} rows"
    page.get_by_role("group", name="Every design on every").get_by_label("status").select_option(
        "does not fit"
    )
    assert rows.count() == 1
    page.locator('button[data-reset="figures-table"]').click()
    assert rows.count() == total
    search = page.locator('input[data-table="figures-table"]')
    search.fill("ecp5 PILCHARD")
    wanted = [r for r in built.rows if r["device"] == "ecp5-85k" and r["paper"] == "pilchard"]
    assert rows.count() == len(wanted) == 4
    search.fill("no such thing")
    assert rows.count() == 0
    page.locator('button[data-reset="figures-table"]').click()

    def column(name: str) -> list[str]:
        return page.locator(f'#figures-table td[data-key="{name}"]').all_text_contents()

    # Numbers largest first, then the other way, by keyboard; what is missing stays last.
    head = page.locator("#figures-table thead button").filter(has_text=re.compile("^Mbit/s$"))
    for key, ascending in (("Enter", False), ("Space", True)):
        head.focus()
        page.keyboard.press(key)
        values = column("mbit_s")
        known = [float(value) for value in values if value != MISSING]
        assert known == sorted(known, reverse=not ascending)
        assert values[len(known) :] == [MISSING] * (total - len(known))
        state = page.locator('#figures-table th[aria-sort]:not([aria-sort="none"])')
        assert state.count() == 1
        assert state.get_attribute("aria-sort") == ("ascending" if ascending else "descending")
    assert complaints == []
    page.close()


_NEEDS = [
    "--device ecp5-85k",
    "--device ecp5-85k --mbit 500 --key 128",
    "--device ecp5-25k --mbit 0.5G --key 256 --mode ctr",
    "--device ecp5-85k --mbit 100M --mode cbc --direction both --key any",
    "--device ecp5-45k --mbit '300 Mbit/s' --max-ram 0 --key 192 --direction decrypt",
    "--device ice40-hx8k --mbit 100 --clock '48 MHz' --optimise lut",
    "--device ecp5-85k --latency-ns 200ns --optimise latency",
    "--device ecp5-85k --max-lut 2,000 --max-cells 5000",
    "--device ice40-hx8k --mbit 50G",
    "--device ecp5-85k --mbit 200 --key-agile",
    "--device ecp5-85k --mbit 50 --chained --optimise mbit/lut",
    "--device virtex --max-lut 3000",
    "--device gw1n-9 --mbit 50 --mode gcm",
    "--device ecp5-85k --mbit 1G --mode gcm --packet 64 --key 256",
    "--device ecp5-85k --mbit 100 --mode gcm --packet 1,500 --direction both --optimise lut",
    "--device ice40-hx8k --mode ctr --packet 20 --optimise mbit",
    "--device ice40-hx8k --mode ccm --mbit 5 --direction both",
    "--device ecp5-85k --mode ccm --packet 100 --max-ram 0 --optimise mbit",
    "--device ecp5-85k --mode gcm --packet 64 --optimise mbit",
    "--device ecp5-85k --mode cbc --streams 16 --mbit 2G",
    "--device ice40-hx8k --mode cmac --streams 4 --packet 40 --optimise lut",
    "--device ecp5-85k --mode cbc --direction decrypt --packet 512",
    "--device ecp5-85k --mode xts --packet 520 --direction both --optimise mbit",
    "--device ecp5-25k --mode gcm --packet 64 --key any --optimise lut",
    "--device ecp5-85k --mode gcm --packet 64 --mbit 30G",
]
_FIELDS = {"latency_ns": "latency_ns", "key_agile": "agile"}


@pytest.fixture(scope="module")
def known() -> list[Record]:
    """Some of the shipped records, of every architecture and on every device that has any."""
    names = {
        *(name for name in catalogue.CATALOGUE if name.startswith("fab-")),
        *("pilchard-unrolled-1", "fischer-fast-sbox-both", "qin-4sm", "standaert-ram-pipeline-42"),
    }
    names |= set(every.names())
    return [each for each in records.shipped("implement") if each["design"] in names]


@pytest.fixture(scope="module")
def form_file(known: list[Record], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("form") / "index.html"
    page = report.build(report.Figures(Study([]), known=known))
    path.write_text(page.html(), encoding="utf-8")
    return path


def _ask(page: Page, words: dict[str, Any]) -> list[list[str]]:
    """Fill the form in as a person would; the cores that the table shows, with recipes."""
    page.evaluate("document.getElementById('choose-form').reset()")
    for name, value in words.items():
        if value in (None, False):
            continue
        field = page.locator(f'#choose-form [name="{_FIELDS.get(name, name)}"]')
        kind = field.evaluate("each => each.type")
        if kind == "checkbox":
            field.check()
        elif kind == "select-one":
            field.select_option(str(value))
        else:
            field.fill(str(value))
    page.locator('#choose-form [name="device"]').dispatch_event("input")
    rows = page.locator("#choose-table tbody tr")
    return [
        [row.locator("th").text_content() or "", row.locator("td").first.text_content() or ""]
        for row in rows.all()
    ]


def test_the_form_says_what_the_command_says(
    browser: Browser, form_file: Path, known: list[Record], complaints: list[str]
) -> None:
    """On the same records, over needs of every kind: the same cores in the same order."""
    page = _open(browser, form_file, complaints)
    met = 0
    for line in _NEEDS:
        words = needs.words(line)
        said = answer.choose(words, known)
        shown = _ask(page, words)
        text = page.locator("#choose-said").text_content() or ""
        meets = [row.candidate for row in said.rows if not row.fails]
        met += bool(meets)
        first: dict[str, list[str]] = {}
        for each in meets or [row.candidate for row in said.rows if row.candidate.fits()]:
            first.setdefault(each.words, [each.words, each.recipe])
        assert shown == list(first.values())[:6], line
        if meets:
            source = "an estimate" if meets[0].source == "estimate" else "a record"
            assert text.startswith(f"{meets[0].words}, by {source}. {len(meets)} candidates"), line
        elif shown:
            what = "engine" if parse(words).engine else "core"
            assert text.startswith(f"No {what} that is known meets this need"), line
    assert met > 7
    found = Axe().run(page, "#choose", options={"resultTypes": ["violations"]})
    assert found.violations_count == 0, found.generate_report()[:3000]
    assert complaints == []
    page.close()


def test_the_form_counts_packets_as_the_command_does(browser: Browser, known: list[Record]) -> None:
    """To the clock: every engine, in each of its modes, directions and numbers of streams."""
    script = (Path(form.__file__).parents[1] / "study" / "templates" / "choose.js").read_text()
    first, behind = "function packetClocks(", "// What a need asks of"
    functions = script[script.index(first) : script.index(behind)]
    rows = [row for row in form.data(known)["rows"] if row["costs"]]
    page = browser.new_page()
    shown: list[tuple[int, str, str, int, int, float]] = page.evaluate(
        "([rows, choices]) => {" + functions + """
          return rows.flatMap((row, at) => row.serves.map((each) => each.split(" "))
            .filter(([, , key]) => key === "128").flatMap(([mode, direction]) =>
              [1, 5, 40, 1000].flatMap((streams) => [16, 100, 1500].map((packet) =>
                [at, mode, direction, streams, packet,
                 packetClocks(row, { mode, direction, packet, streams })]))));
        }""",
        [rows, {"long": LONG}],
    )  # fmt: skip
    page.close()
    wrong, kinds = [], set()
    for at, mode, direction, streams, size, clocks in shown:
        name, *axes = rows[at]["words"].split()
        need = Need(("ecp5-85k",), mode=mode, direction=direction, packet=size, streams=streams)
        engine = every.find(name, axes).engine
        said = max(
            engine.size_clocks(size, decrypt=each, streams=streams) for each in need.decrypts
        )
        kinds.add((rows[at]["costs"][0], direction))
        if clocks != pytest.approx(float(said), rel=1e-12):
            wrong.append(f"{name} {mode} {direction} {streams} {size}: {clocks}, not {said}")
    assert wrong == []
    assert {kind for kind, _ in kinds} == {"packets", "bytes", "ccm", "sectors", "streams"}
    assert len(kinds) == 15
    assert len(shown) > 500


def test_the_form_refuses_what_the_command_refuses(
    browser: Browser, form_file: Path, complaints: list[str]
) -> None:
    page = _open(browser, form_file, complaints)
    for line in (
        "--device ecp5-85k --mbit '5 Gallons'",
        "--device ecp5-85k --mbit 0",
        "--device ecp5-85k --max-lut 1.5",
        "--device ecp5-85k --clock 100Mbit",
        "--device ecp5-85k --mode ctr --chained",
        "--device ecp5-85k --mode gcm --packet 0",
        "--device ecp5-85k --mode gcm --packet 99999999999",
        "--device ecp5-85k --mode cbc --packet 64",
        "--device ecp5-85k --mode cfb --direction decrypt --packet 64",
        "--device ecp5-85k --mode ecb --packet 64",
        "--device ecp5-85k --mode gcm --streams 8",
        "--device ecp5-85k --mode cbc --streams 0",
        "--device ecp5-85k --mode cbc --streams 1,000,001",
        "--device virtex --mbit 5",
        "--device virtex --optimise latency",
    ):
        words = needs.words(line)
        with pytest.raises(AesfabError):
            parse(words)
        assert _ask(page, words) == []
        assert (page.locator("#choose-said").text_content() or "").startswith("Refused"), line
    assert complaints == []
    page.close()


def test_a_link_opens_its_design(browser: Browser, page_file: Path, complaints: list[str]) -> None:
    page = _open(browser, page_file, complaints)
    name = DESIGNS[0]
    details = page.locator(f"#design-{name} > details")
    assert not details.evaluate("it => it.open")
    page.locator(f'#catalogue-table a[href="#design-{name}"]').click()
    assert details.evaluate("it => it.open")
    details.get_by_text("Data path").wait_for()
    said = details.text_content() or ""
    assert "Passed at level full: 294 NIST vectors" in said
    assert "Data path" in said
    assert re.search(r"out_valid_o", said)
    # A link with the page in it does so as well.
    page.goto(f"{page_file.as_uri()}#design-{DESIGNS[1]}")
    page.reload()
    page.wait_for_function("window.aesfab && window.aesfab.ready")
    assert page.locator(f"#design-{DESIGNS[1]} > details").evaluate("it => it.open")
    assert complaints == []
    page.close()


@pytest.fixture(scope="module")
def page_folder(built: report._Page, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("folder")
    for name, text in built.files().items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_pages_of_a_folder(
    browser: Browser, page_folder: Path, built: report._Page, complaints: list[str]
) -> None:
    """Links of every page lead to an anchor of one, and each reads only what it needs."""
    anchors, links = {}, {}
    for part in pages.PAGES:
        found = _References()
        found.feed((page_folder / part.file).read_text())
        anchors[part.file], links[part.file] = found.anchors, found.links
        assert set(found.loaded) == {"data:,", "report.css", "report.js"}
    for file, group in links.items():
        for link in group:
            name, _, anchor = link.partition("#")
            assert anchor in anchors[name or file], (file, link)
    page = _open(browser, page_folder / "index.html", complaints, folder=True)
    read = page.evaluate("performance.getEntriesByType('resource').map((e) => e.name)")
    assert not any("vega.js" in name or "plots-" in name for name in read)
    page.locator("#best-table tbody a").first.click()
    page.wait_for_function("window.aesfab && window.aesfab.ready")
    assert "designs.html#design-" in page.url
    page.evaluate("window.aesfab.drawAll()")
    assert page.evaluate("Object.keys(window.aesfab.views).length") > 3
    picture = page.locator("article.design > details[open] img")
    picture.wait_for()
    page.wait_for_function("document.querySelector('details[open] img').naturalWidth > 100")
    assert (picture.get_attribute("src") or "").startswith("pictures/")
    page.evaluate("window.aesfab.loadAll()")
    assert page.locator("article.design > details[open] table.of-design tbody tr").count() > 0
    assert complaints == []
    page.close()


def test_areas_and_architectures_are_switched(
    browser: Browser, page_folder: Path, complaints: list[str]
) -> None:
    page = _open(browser, page_folder / "designs.html", complaints, folder=True)
    page.select_option("#device", "ecp5-85k")
    name = "#plot-ecp5-85k-throughput"
    for area, shown, other in (("lut", "area", "slices"), ("slices", "slices", "area")):
        page.select_option("#area", area)
        assert page.locator(f"{name}-{shown}").is_visible()
        assert page.locator(f"{name}-{other}").is_hidden()
    page.select_option("#architecture", "rolling")
    bars = page.locator(".device:not([hidden]) [data-architecture]:not([hidden])")
    assert {each.get_attribute("data-architecture") for each in bars.all()} == {"rolling"}
    assert complaints == []
    page.close()


def test_without_scripts(browser: Browser, page_folder: Path) -> None:
    """A word says so, and the best of each device, the catalogue and the papers are there."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    for file, has in (("index", "#best-table"), ("designs", "#catalogue-table"),
                      ("papers", "#papers .verdict")):  # fmt: skip
        page.goto((page_folder / f"{file}.html").as_uri())
        assert page.get_by_text("Scripts are off.").is_visible()
        assert page.locator(has).first.is_visible()
    context.close()


def test_a_folder_that_is_not_whole_says_so(
    browser: Browser, page_folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(page_folder, tmp_path / "some", ignore=shutil.ignore_patterns("figures.js"))
    page = browser.new_page()
    page.goto((tmp_path / "some" / "designs.html").as_uri())
    page.wait_for_function("window.aesfab && window.aesfab.ready")
    page.evaluate("window.aesfab.loadAll()")
    said = page.locator("#figures-table tbody").text_content()
    assert said == "Nothing to show: data/figures.js is not beside this page."
    page.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_the_first_column_stays_in_view(
    browser: Browser, page_folder: Path, complaints: list[str], width: int
) -> None:
    page = _open(browser, page_folder / "designs.html", complaints, folder=True,
                 viewport={"width": width, "height": 900})  # fmt: skip
    region = page.get_by_role("region", name="Every design on every device measured")
    region.evaluate("it => { it.scrollLeft = 600; }")
    left = region.evaluate("it => it.getBoundingClientRect().left")
    for cell in ("tbody th", "thead th"):
        box = region.locator(cell).first.bounding_box()
        assert box is not None
        assert abs(box["x"] - left) < 3
        assert box["width"] < width / 2
    page.close()


TIMES = 10
MOST = 1.5e6
"""Bytes, compressed, that opening a page may read with ten times the records."""


def test_ten_times_the_records(
    browser: Browser, built: report._Page, known: list[Record], tmp_path: Path
) -> None:
    """What a page reads when it opens stays small, and tables show some rows of all."""
    shuffled = random.Random(1)
    shipped = sum(each["status"] == "ok" for each in records.shipped("implement"))

    def noise(row: dict[str, Any]) -> dict[str, Any]:
        return {
            key: round(value * shuffled.uniform(0.5, 2), 3) if isinstance(value, float) else
            max(1, round(value * shuffled.uniform(0.5, 2))) if type(value) is int else value
            for key, value in row.items()
        }  # fmt: skip

    rows = [noise(built.rows[n % len(built.rows)]) for n in range(TIMES * shipped)]
    choices = form.data(known)
    many = [noise(row) for _ in range(TIMES) for row in choices["rows"]]
    read = dataclasses.replace(built.read, rows=rows, choices={**choices, "rows": many})
    large = dataclasses.replace(built, read=read)
    texts = large.files()
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    for page_of in pages.PAGES:
        page = browser.new_page()
        page.goto((tmp_path / page_of.file).as_uri())
        page.wait_for_function("window.aesfab && window.aesfab.ready")
        loaded = page.evaluate("performance.getEntriesByType('resource').map((e) => e.name)")
        names = {page_of.file} | {
            name.removeprefix(f"{tmp_path.as_uri()}/") for name in loaded if name.startswith("file")
        }
        assert sum(len(gzip.compress(texts[name].encode())) for name in names) < MOST
        if page_of.part == "designs":
            page.evaluate("window.aesfab.loadAll()")
            count = page.locator('output[data-count="figures-table"]').text_content()
            assert count == f"{len(rows)} of {len(rows)} rows, the first 200 are shown"
            assert page.locator("#figures-table tbody tr").count() == 200
            page.locator('[data-more="figures-table"]').click()
            assert page.locator("#figures-table tbody tr").count() == 400
        page.close()


def test_devices_of_the_page_are_those_of_the_table(built: report._Page) -> None:
    assert list(built.by_device) == [
        name for name in devices.DEVICES if name in ("ecp5-85k", "ice40-hx8k", "virtex")
    ]
