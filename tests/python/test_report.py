# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The report page: what is on it, and that it works in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

import needs
from aesfab import devices, records
from aesfab.choosing import answer
from aesfab.choosing.need import parse
from aesfab.design import catalogue
from aesfab.eda import yosys
from aesfab.errors import AesfabError
from aesfab.folder import generate
from aesfab.measure import components
from aesfab.records import Record
from aesfab.study import classes, published, report
from aesfab.study.study import Study
from conftest import Cli, needed
from made_up import record

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
    assert len(charts["ecp5-85k-throughput-area"].rows) == len(DESIGNS)
    assert len(charts["ice40-hx8k-throughput-area"].rows) == 5, "without the one that does not fit"
    assert "virtex-throughput-area" not in charts
    split = charts["ecp5-85k-critical-path"].rows
    assert len(split) == 2 * len(DESIGNS)
    for logic, routing in zip(split[::2], split[1::2], strict=True):
        assert (logic["part"], routing["part"]) == ("logic", "routing")
        assert logic["share"] + routing["share"] == pytest.approx(100)
    # The parts and what assembly adds are the assembled design.
    rows = [row for row in charts["virtex-breakdown"].rows if row["design"] == PARTS]
    whole = next(r for r in built.rows if (r["design"], r["device"]) == (PARTS, "virtex"))
    assert sum(row["lut"] for row in rows) == whole["lut"]
    assert len(rows) == 3


def test_clocks_that_are_bounds_say_so() -> None:
    """The block RAM of Gowin is not timed (``study.clock_bound``)."""
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
    files = report.write(report.Figures(Study([])), tmp_path / "out", plots=False)
    text = files[0].read_text()
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
    assert all(path.stat().st_size > 500 for path in written)
    assert "Passed at level full: 294 NIST vectors" in written[0].read_text()
    names = {path.name for path in written}
    assert {"ecp5-85k-throughput-area.svg", "ecp5-85k-throughput-area.png"} <= names
    (tmp_path / "taken").write_text("")
    done = aesfab("report", "-o", tmp_path / "taken", "--records", file)
    assert done.returncode == 2
    assert "cannot write" in done.stderr.splitlines()[-1]


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


def _open(browser: Browser, file: Path, complaints: list[str], **options: Any) -> Page:
    page = browser.new_page(**options)
    page.on("console", lambda said: complaints.append(f"{said.type}: {said.text}"))
    page.on("pageerror", lambda error: complaints.append(str(error)))

    def request(made: Any) -> None:
        if made.url != file.as_uri() and not made.url.startswith("data:"):
            complaints.append(f"loads {made.url}")

    page.on("request", request)
    page.goto(file.as_uri())
    page.wait_for_function("window.aesfab && window.aesfab.ready")
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
    drawn = 0
    for device in built.by_device:
        page.select_option("#device", device)
        shown = page.locator(".device:not([hidden])")
        assert shown.get_attribute("data-device") == device
        page.evaluate("window.aesfab.drawAll()")
        for chart in built.by_device[device]:
            if chart.rows:
                drawn += 1
                _same_marks(page, chart)
    for result in built.reproductions:
        for chart in result.charts:
            if chart.rows:
                drawn += 1
                _same_marks(page, chart)
    for chart in built.curves:
        if chart.rows:
            drawn += 1
            _same_marks(page, chart)
    assert drawn == len(built.charts) == page.evaluate("Object.keys(window.aesfab.views).length")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    assert dark is (scheme == "dark")
    assert complaints == []
    page.close()


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
            return list(stroke["scale"]["domain"])
    raise AssertionError("a plot without series")


def _letters(name: str) -> str:
    """A name without spaces, at which lines break."""
    return name.replace(" ", "")


def test_coverage_of_the_components(built: report._Page, shipped: report._Page) -> None:
    """How many components a family has records of, of how many there are."""
    every, virtex = report.coverage_rows(built.figures.parts)
    assert every["components"] == len(components.discover())
    assert every["designs"] == len(catalogue.CATALOGUE)
    assert virtex["device"] == "virtex"
    assert virtex["parts"] == len(components.parts(catalogue.find(PARTS)))
    assert virtex["designs"] >= 1
    text = built.html()
    assert f'<td class="number">{every["components"]}</td>' in text
    assert report.coverage_rows([]) == []
    every, *rows = report.coverage_rows(shipped.figures.parts)
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
]
_FIELDS = {"latency_ns": "latency_ns", "key_agile": "agile"}


@pytest.fixture(scope="module")
def known() -> list[Record]:
    """Some of the shipped records, of every architecture and on every device that has any."""
    names = {
        *(name for name in catalogue.CATALOGUE if name.startswith("fab-")),
        *("pilchard-unrolled-1", "fischer-fast-sbox-both", "qin-4sm", "standaert-ram-pipeline-42"),
    }
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
            assert text.startswith("No core that is known meets this need"), line
    assert met > 7
    found = Axe().run(page, "#choose", options={"resultTypes": ["violations"]})
    assert found.violations_count == 0, found.generate_report()[:3000]
    assert complaints == []
    page.close()


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


def test_devices_of_the_page_are_those_of_the_table(built: report._Page) -> None:
    assert list(built.by_device) == [
        name for name in devices.DEVICES if name in ("ecp5-85k", "ice40-hx8k", "virtex")
    ]
