# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Records as a table: rows, conditions, order, and files that other programs read back."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

import passed
from aesfab import records
from aesfab.design import catalogue
from aesfab.engine import every
from aesfab.errors import AesfabError
from aesfab.folder import generate
from aesfab.measure import harness, plan, query
from aesfab.records import Record
from aesfab.study import classes
from aesfab.system import process


def _record(design: str = "pilchard-unrolled-1", **more: Any) -> Record:
    named = catalogue.find(design)
    run = {"status": "ok", "fmax_mhz": 100.0, "logic_ns": 4.0, "routing_ns": 6.0}
    slow = {"status": "ok", "fmax_mhz": 50.0, "logic_ns": 8.0, "routing_ns": 12.0}
    return {
        "design": design,
        "parameters": named.design.axes(),
        "rtl_hash": "r",
        "netlist_hash": "n",
        "device": "ecp5-25k",
        "part": "LFE5U-25F CABGA381 6",
        "recipe_names": ["default", "nobram"],
        "recipe": "nobram",
        "seeds": [1, 2, 3],
        "tools": {"yosys": "y 1", "nextpnr": "n 1"},
        "latency_cycles": 11,
        "interval_cycles": 11,
        "stage": "place and route",
        "status": "ok",
        "lut": 800,
        "ff": 200,
        "fmax_mhz": {"median": 99.0, "min": 50.0, "max": 100.0, "seeds": {}},
        "throughput_mbit_s": 1152.0,
        "recipes": {"nobram": {"runs": {"1": slow, "2": run}}},
        "log_tail": "",
        **more,
    }


def test_a_design_that_is_gone_is_no_wrong_name() -> None:
    """Where it has records; and so for a device."""
    gone = {**_record(), "design": "gone", "device": "old-1"}
    for words in (["gone"], ["go*", "device=old-*"], ["design=fab-tiny,gone"]):
        query.require_known([gone], words)
    for words in (["gone"], ["fab-tiny", "device=old-1"], ["design=fab-tiny,gone"]):
        with pytest.raises(AesfabError, match="unknown de"):
            query.require_known([], words)


def test_row() -> None:
    row = query.row(_record(other={"MULT": 2}))
    assert list(row) == list(query.SCHEMA)
    assert (row["design"], row["paper"], row["family"]) == (
        *("pilchard-unrolled-1", "pilchard", "ECP5"),
    )
    assert (row["recipe"], row["recipes"], row["seeds"]) == ("nobram", "default+nobram", 3)
    assert (row["fmax_mhz"], row["fmax_min_mhz"], row["fmax_max_mhz"]) == (99.0, 50.0, 100.0)
    assert row["latency_ns"] == pytest.approx(111.1)
    # Of the run that is nearest to the median.
    assert (row["logic_ns"], row["routing_ns"]) == (4.0, 6.0)
    assert row["direction"] == "encrypt"
    assert row["other"] == '{"MULT": 2}'
    assert (row["yosys"], row["nextpnr"], row["log_tail"]) == ("y 1", "n 1", None)
    for name, value in row.items():
        assert value is None or type(value) is query.SCHEMA[name], name


# What the harness has between core and pins; its own text names them.
_OF_HARNESS = re.compile(
    r"(shift_q|capture_q|signature_q|scan_[io])\b|(shift|capture|signature)_q_"
)


def test_seeds_that_the_harness_limits_are_marked() -> None:
    """Of every current record: where a path of its recipe ends at the harness, and only there.

    In the rows of ``results``, in the lines of ``classes`` and on the page of all figures.
    """
    text = harness.generate("aes", catalogue.find("fab-tiny").design.ports()).top
    assert set(re.findall(r"(\w+) +<=", text)) == {"shift_q", "capture_q", "signature_q", "scan_o"}
    page = (Path(__file__).parents[2] / "docs" / "figures.md").read_text()
    marked, seeds = 0, 0
    for made in query.current(records.newest(records.shipped("implement"))):
        runs = made["recipes"].get(made["recipe"], {}).get("runs", {}) if made["fmax_mhz"] else {}
        limited = [
            seed
            for seed, run in runs.items()
            if any(_OF_HARNESS.match(run.get(end) or "") for end in ("from", "to"))
        ]
        assert records.limited_seeds(made) == limited, made["design"]
        row = query.row(made)
        assert row["harness_seeds"] == (len(limited) if made["fmax_mhz"] else None)
        if not limited:
            continue
        seeds += len(limited)
        said = classes.by_seed(made)
        assert said.count("(harness)") == len(limited)
        for seed in limited:
            assert f"{made['fmax_mhz']['seeds'][seed]:.1f} (harness)" in said
        if (
            not row["axes"]
            and made["design"] in catalogue.CATALOGUE
            and row["device"] == "ecp5-85k"
        ):
            median = f"{made['fmax_mhz']['median']:.1f} ("
            (line,) = [
                x
                for x in page.splitlines()
                if x.startswith(f"| `{made['design']}` ") and median in x
            ]
            assert f"({len(limited)} h" in line
            marked += 1
    assert marked, "a page without a mark would be read as one without such seeds"
    assert seeds > marked


def test_seeds_that_spread_are_marked_on_the_page_of_figures() -> None:
    """The rows of current records whose plan wants more seeds, and no others."""
    root = Path(__file__).parents[2]
    spread = plan.spread_of(root / "results" / "matrix.toml")
    assert spread
    page = (root / "docs" / "figures.md").read_text().split("\n## ECP5-85")[1].split("\n## ")[0]
    said = {True: 0, False: 0}
    for made in query.current(records.newest(records.shipped("implement"))):
        if made["device"] != "ecp5-85k" or not made["fmax_mhz"]:
            continue
        begins = f"| `{made['design']}` "
        holds = f"| {made['recipe']} | {made['lut']} | {made['ff']} |"
        clock = f" {made['fmax_mhz']['median']:.1f} ({made['fmax_mhz']['min']:.1f} to "
        rows = [x for x in page.splitlines() if x.startswith(begins) and holds in x and clock in x]
        for row in rows:
            wide = plan.is_wide(made, spread)
            assert ("wide)" in row) is wide, row
            said[wide] += 1
    assert min(said.values()) > 5


def test_a_path_with_an_end_in_the_harness() -> None:
    inside, out = "u_core.a_TRELLIS_FF_Q.Q", "capture_q_TRELLIS_FF_Q_1.M"
    runs = {
        "1": {"fmax_mhz": 1.0, "from": inside, "to": inside},
        "2": {"fmax_mhz": 1.0, "from": inside, "to": out},
        "3": {"fmax_mhz": 1.0, "from": "shift_q_TRELLIS_FF_Q.Q", "to": inside},
        "4": {"fmax_mhz": 1.0},
        "5": {"status": "timeout", "from": out, "to": out},
    }
    made = _record(recipes={"nobram": {"runs": runs}})
    assert records.limited_seeds(made) == ["2", "3"]
    assert query.row(made)["harness_seeds"] == 2
    assert query.row(query.light()(made))["harness_seeds"] == 2
    assert query.row(_record(fmax_mhz=None))["harness_seeds"] is None
    assert query.matching([query.row(made)], [query.condition("harness_seeds>1")])


def test_name_and_axes_of_a_row_are_its_point() -> None:
    """A name alone stands for many points: with the axes beside it, ``generate`` makes the one."""
    smaller = catalogue.find("fab-iterative-ram", ["key_bits=256"])
    row = query.row(_record("fab-iterative-ram", parameters=smaller.design.axes()))
    assert (row["design"], row["axes"]) == ("fab-iterative-ram", "key_bits=256")
    assert query.row(_record("fab-iterative-ram"))["axes"] == ""
    assert "axes" in query.SHOWN
    named = {}
    for record in records.shipped("implement"):
        row = query.row(record)
        if row["axes"] is not None:
            name, words = row["design"], row["axes"].split()
            of = (every.find if every.is_engine(name) else catalogue.point)(name, words)
            point = of.design.every_axis()
            assert {axis: point[axis] for axis in record["parameters"]} == record["parameters"]
            named[row["design"], row["axes"]] = row
    assert any(axes for _, axes in named)


def test_a_record_with_nothing_in_it() -> None:
    row = query.row({"design": "gone", "netlist_hash": "n"})
    assert row["design"] == "gone"
    assert row["seeds"] == 0
    assert all(row[name] is None for name in ("paper", "lut", "fmax_mhz", "sbox", "latency_ns"))


ROWS = [
    query.row(_record()),
    query.row(_record(device="ice40-hx8k", lut=600, fmax_mhz=None, status="does not fit")),
    query.row(_record("kakarlapudi-sbox-both-128", lut=9000, throughput_mbit_s=10.0)),
]


@pytest.mark.parametrize(
    ("words", "which"),
    [
        ([], [0, 1, 2]),
        (["design=pilchard-*"], [0, 1]),
        (["design=kaka*,qin*"], [2]),
        (["direction=both"], [2]),
        (["device!=ice40-*"], [0, 2]),
        (["device=ECP5-25K"], []),
        (["lut<800"], [1]),
        (["lut<=800"], [0, 1]),
        (["lut>=800", "lut < 9000"], [0]),
        (["lut=600"], [1]),
        (["lut!=600"], [0, 2]),
        (["lut>1e3"], [2]),
        # No value, no match.
        (["fmax_mhz>0"], [0, 2]),
        (["fmax_mhz!=0"], [0, 2]),
        (["log_tail!=x"], []),
        (["status=does not fit"], [1]),
    ],
)
def test_conditions(words: list[str], which: list[int]) -> None:
    found = query.matching(ROWS, [query.condition(word) for word in words])
    assert found == [ROWS[index] for index in which]


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("luts<3", "unknown column 'luts'; did you mean lut"),
        ("lut<many", "'many' is none"),
        ("device<x", "only = and != make sense"),
        ("lut", "is no condition"),
        ("<3", "is no condition"),
    ],
)
def test_conditions_without_sense(word: str, says: str) -> None:
    with pytest.raises(AesfabError, match=says):
        query.condition(word)


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["fab-tiny"],
        ["fab-*", "pilchard-unrolled-1"],
        ["device=ecp5-*,gw1n-9", "lut<3000"],
        ["fab-*", "design=*-256", "device==ice40-hx8k"],
        ["device!=virtex", "status!=ok"],
        ["design=fab-narrow"],
        ["recipe=shaped", "sbox=tower"],
    ],
)
@pytest.mark.parametrize("every", [False, True])
def test_what_is_held_of_records_is_enough(words: list[str], every: bool) -> None:
    """The same rows from what a query reads and holds as from whole records."""
    path = records.shipped_path("implement")
    assert path
    whole = query.query(records.every([path]), words, every=every)
    light = records.every([path], wanted=query.asked(words), keep=query.light())
    assert query.query(light, words, every=every) == whole
    # What says which record counts is there too.
    held = [records.key(r) for r in records.every([path], keep=query.light())]
    assert held == [records.key(r) for r in records.every([path])]


def test_order() -> None:
    assert query.ordered(ROWS, ["lut"]) == [ROWS[1], ROWS[0], ROWS[2]]
    assert query.ordered(ROWS, ["-lut"]) == [ROWS[2], ROWS[0], ROWS[1]]
    # Missing values come last both ways; equal ones keep their order.
    assert query.ordered(ROWS, ["fmax_mhz"])[-1] is ROWS[1]
    assert query.ordered(ROWS, ["-fmax_mhz"])[-1] is ROWS[1]
    assert query.ordered(ROWS, ["device", "-lut"]) == [ROWS[2], ROWS[0], ROWS[1]]
    with pytest.raises(AesfabError, match="unknown column 'size'"):
        query.ordered(ROWS, ["size"])


def test_newest() -> None:
    old, new = _record(lut=2), _record(lut=1)
    other = _record(device="ice40-hx8k")
    assert records.newest([old, other, new]) == [new, other]
    # Fewer seeds, or a failure, are not a better measurement; another RTL is another one.
    fewer = _record(lut=3, seeds=[1])
    failed = _record(lut=None, status="failed", throughput_mbit_s=None)
    assert records.newest([old, new, fewer, failed]) == [new]
    changed = _record(netlist_hash="changed", seeds=[1])
    assert records.newest([old, new, changed]) == [changed]
    assert records.newest([failed]) == [failed]


def test_current() -> None:
    named = catalogue.find("pilchard-unrolled-1")
    now = _record(netlist_hash=generate.netlist_hash(named))
    changed = _record(parameters={**now["parameters"], "sbox": "nonsense"})
    assert query.current([now, _record(), changed, {"design": "gone"}]) == [now]


def test_files(tmp_path: Path) -> None:
    """What is written is what other programs read."""
    names = query.columns("all")
    for kind in query.FORMATS:
        query.write(tmp_path / f"t.{kind}", ROWS, names)
    lines = (tmp_path / "t.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == ROWS

    read = list(csv.DictReader(io.StringIO((tmp_path / "t.csv").read_text())))
    assert [row["lut"] for row in read] == ["800", "600", "9000"]
    assert read[1]["fmax_mhz"] == ""
    assert list(read[0]) == names

    table = pyarrow.parquet.read_table(tmp_path / "t.parquet")
    assert table.to_pylist() == ROWS
    assert table.schema.field("lut").type == pyarrow.int64()
    assert table.schema.field("fmax_mhz").type == pyarrow.float64()
    # A column without any value keeps its type.
    assert table.schema.field("log_tail").type == pyarrow.string()


def test_files_that_cannot_be_written(tmp_path: Path) -> None:
    names = query.columns("design, lut")
    assert names == ["design", "lut"]
    with pytest.raises(AesfabError, match="unknown format 'xlsx'"):
        query.write(tmp_path / "t.xlsx", ROWS, names)
    with pytest.raises(AesfabError, match=r"cannot write .*t\.csv: No such file"):
        query.write(tmp_path / "missing" / "t.csv", ROWS, names)
    with pytest.raises(AesfabError, match="unknown column 'luts'"):
        query.columns("design,luts")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["implement", "verify", "components", "host"])
def test_the_records_themselves_are_not_written_over(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "t.jsonl"
    with (Path(__file__).parents[2] / "results" / f"{kind}.jsonl").open() as file:
        path.write_text(file.readline())
    before = path.read_bytes()
    with pytest.raises(AesfabError, match="holds the records themselves"):
        query.write(path, ROWS, query.columns("all"))
    assert path.read_bytes() == before
    # Rows that were written before are.
    for _ in range(2):
        query.write(tmp_path / "rows.jsonl", ROWS, query.columns("all"))


@pytest.mark.parametrize("lut", ["many", 1e30, 10**30])
def test_a_figure_that_is_none_is_one_line(tmp_path: Path, lut: object) -> None:
    rows = [{**ROWS[0], "lut": lut}]
    with pytest.raises(AesfabError, match="no number of its column"):
        query.write(tmp_path / "t.parquet", rows, query.columns("all"))


# --------------------------------------------------------------- every folder, every place

ROOT = Path(__file__).parents[2]

QUERIES = (
    ("list", "--json"),
    ("show", "fab-pipeline", "--json"),
    ("results", "--json"),
    ("papers", "--json"),
    ("classes", "--json"),
    ("explore", "fab-tiny", "--device", "ice40-hx8k", "--dry-run", "--json"),
)


# What each of them says only when it has read the records.
KNOWN: dict[str, Callable[[Any], bool]] = {
    "list": lambda said: sum(design["verified"] == "full" for design in said) > 100,
    "show": lambda said: len(said["figures"]) > 1,
    "results": lambda said: len(said) > 1000,
    "papers": lambda said: "ours" in json.dumps(said),
    "classes": lambda said: any(area["ours"] for area in said["areas"]),
    "explore": lambda said: said["recorded"] + said["earlier"] == 1,
}


def _elsewhere(folder: Path, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The program in a folder, for a user who has nothing but the cache."""
    keep = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    return subprocess.run(
        [sys.executable, "-c", "from aesfab.cli import main; main()", *arguments],
        cwd=folder,
        env={
            **keep,
            "AESFAB_CACHE": str(process.cache_dir()),
            "HOME": str(home),
            "PYTHONPATH": str(ROOT / "src"),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.kept(*passed.PRODUCT)
@pytest.mark.parametrize("asked", QUERIES, ids=lambda asked: asked[0])
def test_every_folder_says_the_same(asked: tuple[str, ...], tmp_path: Path) -> None:
    """Of records that came with the program, in its checkout and far from it."""
    home, far = tmp_path / "home", tmp_path / "far"
    home.mkdir()
    far.mkdir()
    there, here = _elsewhere(far, home, *asked), _elsewhere(ROOT, home, *asked)
    assert there.returncode == here.returncode == 0, there.stderr
    assert there.stdout == here.stdout
    said = json.loads(there.stdout)
    assert KNOWN[asked[0]](said)
    # Only the cache and the files that the user names are written.
    assert list(home.iterdir()) == list(far.iterdir()) == []


def test_own_records_are_seen_in_every_folder(tmp_path: Path) -> None:
    """Beside those of the program; and one of the same measurement takes its place."""
    known = query.current(r for r in records.shipped("implement") if r["design"] == "fab-tiny")
    shipped = known[-1]
    own = tmp_path / ".local" / "share" / "aesfab" / "implement.jsonl"
    records.put(own, {**shipped, "lut": 12345})
    records.put(own, {**shipped, "lut": 54321, "recipe_names": ["own"]})
    far = tmp_path / "far"
    far.mkdir()
    number = len(records.shipped("implement"))
    for folder, luts in ((far, {12345, 54321}), (ROOT, {shipped["lut"], 54321})):
        every = json.loads(_elsewhere(folder, tmp_path, "results", "--all", "--json").stdout)
        assert len(every) == number + 1
        assert luts <= {row["lut"] for row in every if row["design"] == "fab-tiny"}
        # What a checkout holds is what is written there.
        assert (12345 in {row["lut"] for row in every}) is (folder == far)
        done = _elsewhere(folder, tmp_path, "show", "fab-tiny", "--json")
        assert '"lut": 54321' in done.stdout, done.stderr


def test_an_empty_answer_says_what_was_read(tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    for asked in (("results",), ("list",), ("show", "fab-tiny")):
        done = _elsewhere(tmp_path, tmp_path, *asked, "--records", str(empty))
        assert done.returncode == 0
        assert f"read {empty} (0 records)" in done.stdout + done.stderr
    done = _elsewhere(tmp_path, tmp_path, "results", "fab-tiny", "lut<0")
    assert "no record is like that; read " in done.stderr
    assert f"implement.jsonl ({len(records.shipped('implement'))} records), " in done.stderr
    missing = _elsewhere(tmp_path, tmp_path, "show", "fab-tiny", "--records", "none.jsonl")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert "none.jsonl: no such file" in missing.stderr
