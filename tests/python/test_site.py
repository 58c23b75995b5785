# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The documentation site: what is made for it, and how it opens without a network."""

from __future__ import annotations

import functools
import json
import re
import statistics
import subprocess
import sys
import xml.etree.ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import front
import passed
import sentences
from aesfab import records
from aesfab.design import catalogue, schedule
from aesfab.folder import generate
from aesfab.verify import oracle
from book import drawings, hook, reference, rounds, schema, travel
from conftest import needed

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.xdist_group("site")
_OF_THE_SITE = pytest.mark.kept(*passed.PRODUCT, *passed.BOOKS, "requirements.lock")


@functools.cache
def _made() -> dict[str, str]:
    return hook.made()


# ------------------------------------------------------------------------------- records


@pytest.mark.parametrize("kind", schema.KINDS)
def test_records_are_as_the_schema_says(kind: str) -> None:
    """Every record, and every field of the schema is one of a record."""
    judge = jsonschema.Draft202012Validator(schema.schema(kind))
    jsonschema.Draft202012Validator.check_schema(schema.schema(kind))
    known = records.read(ROOT / "results" / f"{kind}.jsonl")
    assert known
    for record in known:
        wrong = [error.message for error in judge.iter_errors(record)]
        assert not wrong, (record["design"], wrong)
    seen = {name for record in known for name in record}
    assert seen == set(schema.KINDS[kind][1])
    damaged = {**known[0], "netlist_hash": "no hash"}
    assert not judge.is_valid(damaged)
    assert not judge.is_valid({**known[0], "made_up": 1})


@_OF_THE_SITE
def test_schemas_are_in_the_site() -> None:
    for kind in schema.KINDS:
        assert json.loads(_made()[f"reference/schema/{kind}.schema.json"]) == schema.schema(kind)
        assert f"schema/{kind}.schema.json" in _made()["reference/records.md"]


# ------------------------------------------------------------------------- made of the code


def test_every_design_has_a_page() -> None:
    pages = _made()
    for name, named in catalogue.CATALOGUE.items():
        text = pages[f"designs/{name}.md"]
        design = named.design
        for heading in ("Block diagram", "Ports", "Timing", "Evidence", "Security"):
            assert f"\n## {heading}\n" in text, (name, heading)
        assert text.count('<svg class="wave"') >= 2
        assert text.count('<svg class="diagram"') == 1
        for port in design.ports():
            assert f"| `{port.name}` |" in text
        for clock, what in schedule.schedule(design):
            assert f"| {clock} | {what.replace('|', '&#124;')} |" in text
        assert f"| {design.key_lengths[0]} | {design.latency(design.key_lengths[0])} |" in text
        assert "passed at level full" in text
        assert f"({name}.md)" in pages["designs/index.md"]


def test_figures_of_a_page_are_those_of_the_records() -> None:
    named = catalogue.CATALOGUE["fab-tiny"]
    present = generate.Present(named)
    known = records.read(ROOT / "results" / "implement.jsonl")
    rows = records.quoted(r for r in known if r["design"] == "fab-tiny" and present.has(r))
    assert rows
    for row in rows:
        line = f"| {row['device']} | {row['part']} | {row['recipe']} | {row['lut']} | {row['ff']} |"
        assert line in _made()["designs/fab-tiny.md"]


def test_command_line_is_that_of_the_program() -> None:
    page = _made()["reference/cli.md"]
    names = [words for words, _ in reference.commands()]
    assert {"aesfab choose", "aesfab board build", "aesfab host soc"} <= set(names)
    for words in names:
        assert f"\n## {words}\n" in page
    done = subprocess.run(
        [Path(sys.executable).parent / "aesfab", "board", "build", "--help"],
        capture_output=True, text=True, check=True, env={"COLUMNS": "90", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    options = set(re.findall(r"--[a-z-]+", done.stdout))
    section = page.partition("\n## aesfab board build\n")[2].partition("\n## ")[0]
    assert options == set(re.findall(r"--[a-z-]+", section))


def test_python_page_has_every_function() -> None:
    page = _made()["api.md"]
    for name in ("core", "rows", "table", "choose", "Core.generate", "Core.verify", "Core.facts"):
        assert re.search(rf"^####? {re.escape(name)}$", page, re.MULTILINE), name
    assert "core(name: 'str', **axes: 'object')" in page


def test_home_answers_from_records() -> None:
    page = _made()["index.md"]
    first = [need for need in front.NEEDS if need.first]
    assert len(first) == 6
    known = front.points(*(records.shipped(kind) for kind in ("implement", "verify")))
    for need in first:
        point = front.answer(need, known)
        assert point is not None
        (line,) = [line for line in page.splitlines() if line.startswith(f"| {need.text} |")]
        assert f"`{point.words}`" in line
        assert f"| {point.figure('lut'):,.0f} | {point.figure('slices'):,.0f} " in line


def test_every_page_of_docs_is_in_the_contents() -> None:
    listed = list(hook.listed_in(hook.nav()))
    assert len(listed) == len(set(listed))
    there = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert there <= set(listed)
    made = {name for name in _made() if name.endswith(".md") and not name.startswith("designs/")}
    assert made <= set(listed)
    assert "designs/index.md" in listed


def test_drawings_stand_alone_and_are_current() -> None:
    for path, text in drawings.files().items():
        assert path.read_text() == text, path.name
        tree = xml.etree.ElementTree.fromstring(text)
        assert tree.tag.endswith("svg")
        assert not re.findall(r"href=|url\(|<script|<image", text)
    known = {path.name for path in drawings.files()} | {
        path.name for path in front.PICTURES.values()
    }
    assert known <= {path.name for path in drawings.FOLDER.iterdir()}
    glossary = (ROOT / "docs" / "glossary.md").read_text()
    for word in drawings.WORDS:
        assert f"pictures/{drawings.word_file(word)}" in glossary
    commands = {words.split()[-1] for words, _ in reference.commands()}
    assert set(re.findall(r"\[ (\w+) \]", drawings.PROGRAM)) <= commands


def test_sentences_of_made_pages_are_short() -> None:
    for name in ("index.md", "designs/index.md", "reference/records.md",
                 *(f"theory/{page}.md" for page in travel.SHOWN)):  # fmt: skip
        text = re.sub(r"^<div.*?^</div>$", "", _made()[name], flags=re.MULTILINE | re.DOTALL)
        assert statistics.median(sentences.lengths(text)) <= 18, name


# ------------------------------------------------------------------- a block on its way


def test_rounds_are_those_of_the_standard() -> None:
    """Values that FIPS 197, Appendix B prints, and its key expansion, Appendix A.1."""
    trace = rounds.trace()
    first, last = trace.rounds[0], trace.rounds[9]
    assert trace.start.hex() == "193de3bea0f4e22b9ac68d2ae9f84808"
    assert first.sub.hex() == "d42711aee0bf98f1b8b45de51e415230"
    assert first.shift.hex() == "d4bf5d30e0b452aeb84111f11e2798e5"
    assert first.mix.hex() == "046681e5e0cb199a48f8d37a2806264c"
    assert first.key.hex() == "a0fafe1788542cb123a339392a6c7605"
    assert last.key.hex() == "d014f9a8c9ee2589e13f0cc8b6630ca6"
    assert trace.result.hex() == "3925841d02dc09fbdc118597196a0b32"
    for seed in range(20):
        key, block = bytes(range(seed, seed + 16)), bytes(range(2 * seed, 2 * seed + 16))
        assert rounds.trace(key, block).result == oracle.ecb(key, block)


@pytest.mark.parametrize("page", travel.SHOWN)
def test_a_block_travels_by_the_schedule(page: str) -> None:
    named = catalogue.CATALOGUE[travel.SHOWN[page]]
    steps = travel.steps(named)
    assert [step.clock for step in steps] == [
        int(clock) for clock, _ in schedule.schedule(named.design)
    ]
    text = _made()[f"theory/{page}.md"]
    assert '<svg class="diagram"' in text
    assert text.count("\n| ") == len(steps) + 1
    seen = {step.what.rpartition(", ")[2] for step in steps}
    # Every round shows what its key addition gives.
    # An iterative core with its register behind the S-boxes keeps none of them but the last.
    after_sub = {f"after SubBytes of round {number}" for number in range(1, 11)}
    if after_sub <= seen and page == "iterative":
        assert "output" in seen
        subs = [bytes(step.bytes_.values()) for step in steps if step.what in after_sub]
        assert subs == [each.sub for each in rounds.trace().rounds]
        return
    assert {f"start of round {number}" for number in range(1, 11)} | {"output"} <= seen
    for number in range(11):
        what = travel._state_after(number)
        state = {at: value for step in steps if step.what.endswith(what)
                 for at, value in step.bytes_.items()}  # fmt: skip
        assert bytes(state[at] for at in range(16)) == rounds.trace().end(number), what


_BENCH = """
module tb;
  reg clk_i = 0, rst_ni = 0, in_valid_i = 0;
  reg [127:0] block = 128'h{block}, key = 128'h{key};
  wire in_ready_o, out_valid_o;
  reg [4:0] sent = 0;
  {top} dut (.clk_i(clk_i), .rst_ni(rst_ni), .in_valid_i(in_valid_i), .in_ready_o(in_ready_o),
    {inputs}, .out_valid_o(out_valid_o), .{output}());
  always #5 clk_i = !clk_i;
  initial begin
    repeat (4) @(posedge clk_i);
    #1 rst_ni = 1;
    // Some cores count clocks before they are ready.
    repeat (600) @(posedge clk_i);
    #1 in_valid_i = 1;
    while (!in_ready_o) @(posedge clk_i) #1;
    $dumpfile("wave.vcd");
    $dumpvars(0, tb);
    repeat ({pieces}) begin
      @(posedge clk_i);
      #1;
      if ({pieces} == 1) block = 0; else {{block, key}} = {{block[119:0], 8'h0, key[119:0], 8'h0}};
    end
    in_valid_i = 0;
    key = 0;
    repeat ({clocks}) @(posedge clk_i);
    $finish;
  end
endmodule
"""


def _values(path: Path) -> list[dict[str, str]]:
    """Signals of a waveform with their bits, once for each clock: in its middle."""
    names: dict[str, str] = {}
    clock = ""
    now: dict[str, str] = {}
    found = []
    for line in path.read_text().splitlines():
        if match := re.match(r"\$var (\w+) (\d+) (\S+) (\S+)", line):
            names[match[3]] = match[4]
            if match[4] == "clk_i" and not clock:
                clock = match[3]
            width = int(match[2])
            now[match[3]] = "x" * width
        elif line.startswith("b"):
            bits, _, name = line[1:].partition(" ")
            now[name] = bits.rjust(len(now[name]), "0" if bits[0] in "01" else bits[0])
        elif line[:1] in ("0", "1", "x", "z"):
            if line[1:] == clock and line[0] == "0" and now[clock] == "1":
                found.append(dict(now))
            now[line[1:]] = line[0]
    return found


@pytest.mark.kept(
    *passed.EDA, "src/aesfab/design", "src/aesfab/folder/generate.py", "tools/book", passed.cores
)
@pytest.mark.parametrize("page", travel.SHOWN)
def test_states_are_in_the_registers(page: str, tmp_path: Path) -> None:
    """In the simulated RTL each state stands in some signal in the clock after its row.

    Whole states and columns as they are; single bytes of a core in one signal, of the same bits.
    """
    icarus = needed("Icarus Verilog", "ICARUS", "iverilog", "iverilog")
    named = catalogue.CATALOGUE[travel.SHOWN[page]]
    generate.generate(named, tmp_path / "core", output_format="verilog", syn=False)
    ports = {port.name: port.width for port in named.design.ports()}
    serial = "in_byte_i" in ports
    first_bytes = ".in_first_i(1'b1), .in_byte_i(block[127:120]), .in_key_byte_i(key[127:120])"
    inputs = first_bytes if serial else ".in_block_i(block), .in_key_i(key)"
    bench = _BENCH.format(
        top=named.module, inputs=inputs, output="out_byte_o" if serial else "out_block_o",
        pieces=16 if serial else 1, clocks=named.design.latency() + 4,
        block=rounds.BLOCK.hex(), key=rounds.KEY.hex(),
    )  # fmt: skip
    (tmp_path / "tb.v").write_text(bench)
    source = tmp_path / "core" / f"{named.module}.v"
    subprocess.run([icarus, "-g2012", "-o", "sim", "tb.v", source], cwd=tmp_path, check=True)
    subprocess.run(["vvp", "sim"], cwd=tmp_path, check=True, capture_output=True, timeout=300)
    clocks = _values(tmp_path / "wave.vcd")
    steps = [
        step for step in travel.steps(named) if step.bytes_ and not step.text.startswith("out_")
    ]
    bytewise = [step for step in steps if len(step.bytes_) == 1]
    for step in steps:
        if step not in bytewise:
            shown = clocks[step.clock + 1].values()
            parts = [bytes(step.bytes_.values())]
            if "entry registers" in step.text:
                # They hold the columns after ShiftRows, as the page says.
                shifted = rounds.shifted(parts[0])
                parts = [shifted[at : at + 4] for at in range(0, 16, 4)]
            for part in parts:
                bits = "".join(f"{value:08b}" for value in part)
                assert any(bits in value for value in shown), step
    if bytewise:
        # The last round goes to another register.
        inner = [step for step in bytewise if "output" not in step.what]
        assert len(inner) == 160
        assert [
            name
            for name, value in clocks[0].items()
            for first in range(0, len(value) - 7, 8)
            if all(
                clocks[step.clock][name][first : first + 8] == f"{value:08b}"
                for step in inner
                for value in step.bytes_.values()
            )
        ]


# ------------------------------------------------------------------------------- the site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, made by MkDocs in its strict mode: a link that leads nowhere ends it."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", folder],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@_OF_THE_SITE
def test_site_loads_nothing_from_the_network(site: Path) -> None:
    """Links may lead away; what a page loads is all in the site."""
    pages = list(site.rglob("*.html"))
    assert len(pages) > len(catalogue.CATALOGUE) + 30
    loads = re.compile(r'<(?:script|link|img|iframe|source)\b[^>]*?(?:src|href|srcset)="([^"]+)"')
    for page in pages:
        for target in loads.findall(page.read_text()):
            assert not re.match(r"(?:https?:)?//", target), (page.name, target)
            name = target.partition("#")[0].partition("?")[0]
            if not target.startswith("data:") and page.name != "404.html":
                assert (page.parent / name).exists(), (page.name, target)
    for style in site.rglob("*.css"):
        assert not re.findall(r"(?:@import|url\()\s*[\"']?https?:", style.read_text()), style.name


_LOCAL = re.compile("file:|data:|about:|blob:")


def _heard(said: list[str], read: Callable[[Any], str]) -> Callable[[Any], None]:
    """What notes something of an event of the browser, where there is anything."""

    def listen(event: Any) -> None:
        if text := read(event):
            said.append(text)

    return listen


@_OF_THE_SITE
def test_site_opens_from_its_files(site: Path) -> None:
    """In a browser without a network: no error, no request, search finds, the slider moves."""
    chromium = needed("Chromium", "BROWSER", "chromium", "chromium", "chromium-browser")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for width, scheme in ((1366, "light"), (390, "dark")):
            context = browser.new_context(
                viewport={"width": width, "height": 800},
                color_scheme=scheme,  # type: ignore[arg-type]
            )
            page = context.new_page()
            page.set_default_timeout(120_000)
            said: list[str] = []
            page.on("pageerror", _heard(said, str))
            page.on("console", _heard(said, lambda m: m.text if m.type == "error" else ""))
            page.on("request", _heard(said, lambda r: "" if _LOCAL.match(r.url) else r.url))
            for name in ("index.html", "designs/fab-narrow.html", "theory/narrow-bytes.html",
                         "glossary.html", "tutorials/vivado.html"):  # fmt: skip
                page.goto((site / name).as_uri())
                # A wide table or drawing scrolls by itself.
                assert page.evaluate("document.documentElement.scrollWidth") <= width, name
            page.goto((site / "theory" / "iterative.html").as_uri())
            before = page.locator(".travel .state").inner_text()
            page.locator(".travel button").last.click()
            assert page.locator(".travel .state").inner_text() != before
            if width > 1000:
                page.locator(".md-search__input").click()
                page.locator(".md-search__input").press_sequentially("inverse cipher")
                page.wait_for_selector(".md-search-result__item")
            assert said == []
        browser.close()
