# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The measuring flow: figures of a small core, and every way in which a run can go wrong."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

import passed
from aesfab import devices, records
from aesfab.design import catalogue
from aesfab.design.axes import KeyBits, KeySchedule
from aesfab.design.catalogue import Named
from aesfab.design.design import Design
from aesfab.eda import nextpnr
from aesfab.errors import AesfabError
from aesfab.measure import harness, implement
from aesfab.records import Record
from processes import alive, soon

NAMED = Named("tiny", "", "", Design(key_schedule=KeySchedule.ON_THE_FLY))
FLIP_FLOPS = 129

TINY = """
module aes_tiny (
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
  always_ff @(posedge clk_i)
    if (in_valid_i) out_block_o <= in_block_i ^ in_key_i ^ {out_block_o[126:0], out_block_o[127]};
endmodule
"""


@pytest.fixture
def sources(tmp_path: Path) -> list[Path]:
    path = tmp_path / "tiny core.sv"
    path.write_text(TINY)
    return [path]


def _fake(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Put Python code in place of nextpnr; it finds ``seed``, ``report`` and ``log``."""
    head = (
        "import sys, os, time, json\n"
        "value = lambda name: sys.argv[sys.argv.index(name) + 1]\n"
        "seed, report, log = int(value('--seed')), value('--report'), value('--log')\n"
    )
    command = [sys.executable, "-c", head + code]
    monkeypatch.setattr(nextpnr, "command", lambda _: command)


def _report(mhz: str) -> str:
    return (
        "json.dump({'fmax': {'$glb$clk_i': {'achieved': " + mhz + "}}, "
        "'critical_paths': [], 'utilization': {}}, open(report, 'w'))\n"
    )


# ---------------------------------------------------------------------------- real runs


@pytest.mark.kept(*passed.MEASURING)
def test_measures_a_core(sources: list[Path]) -> None:
    said: list[str] = []
    device = devices.find("ice40-hx8k")

    def measure() -> Record:
        return implement.implement(
            NAMED, sources, device, ["default", "abc"], [1, 3], said.append, jobs=2
        )

    record = measure()
    assert record["status"] == "ok"
    assert record["stage"] == "place and route"
    assert record["design"] == "tiny"
    assert record["parameters"]["key_schedule"] == "on-the-fly"
    assert record["seeds"] == [1, 3]
    assert record["ff"] == FLIP_FLOPS
    # One for each bit, and an inverter: iCE40 resets are high active.
    assert record["lut"] == record["lut_logic"] == 129
    assert record["lut_levels"] == 1
    assert record["harness"]["ff"] == (1 + 1 + 256) + 2 * (1 + 1 + 128) + 1
    assert set(record["tools"]) == {"yosys", "nextpnr"}

    best = record["recipes"][record["recipe"]]
    fmax = record["fmax_mhz"]
    reached = [run["fmax_mhz"] for run in best["runs"].values()]
    assert list(best["runs"]) == ["1", "3"]
    assert list(fmax["seeds"].values()) == reached
    assert (fmax["min"], fmax["max"]) == (min(reached), max(reached))
    assert fmax["median"] == pytest.approx(sum(reached) / 2, abs=0.01)
    assert record["throughput_mbit_s"] == pytest.approx(128 * fmax["median"] / 11, abs=0.1)
    assert record["mbit_s_per_lut"] == pytest.approx(record["throughput_mbit_s"] / 129, abs=1e-3)
    assert set(record["recipes"]) == {"default", "abc"}
    assert record["throughput_mbit_s"] == max(
        result["throughput_mbit_s"] for result in record["recipes"].values()
    )
    for run in best["runs"].values():
        # The two parts of the critical path are its whole.
        assert run["logic_ns"] + run["routing_ns"] == pytest.approx(
            1000 / run["fmax_mhz"], abs=0.02
        )
        assert "." in run["from"]
    used, available = best["utilisation"]["ICESTORM_LC"]
    assert record["ff"] + record["harness"]["ff"] <= used < available

    assert sum("place and route" in line for line in said) == 4
    assert any("synthesis" in line for line in said)

    # The same bytes every time, whatever order runs end in, and nothing of this machine.
    text = json.dumps(record)
    assert json.dumps(measure()) == text
    for place in (str(sources[0].parent), sys.prefix, str(Path.home())):
        assert place not in text


@pytest.mark.kept(*passed.MEASURING)
def test_measures_an_area_alone(sources: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a seed: the same area, no clock, and no nextpnr."""
    device = devices.find("ice40-hx8k")
    whole = implement.implement(NAMED, sources, device, ["abc"], [1])
    monkeypatch.setattr(nextpnr, "version", lambda _: pytest.fail("asked for nextpnr"))
    monkeypatch.setattr(nextpnr, "command", lambda _: pytest.fail("started nextpnr"))
    monkeypatch.setattr(harness, "mapping", lambda *_: pytest.fail("mapped the harness"))
    record = implement.implement(NAMED, sources, device, ["abc"], [])
    assert (record["status"], record["stage"], record["seeds"]) == ("ok", "synthesis", [])
    assert set(record["tools"]) == {"yosys"}
    assert (record["fmax_mhz"], record["throughput_mbit_s"]) == (None, None)
    for name in ("mapped", "lut", "ff", "ram", "slices_estimate", "lut_levels"):
        assert record[name] == whole[name]


_IN_SUITE = ("ecp5-25k", "ice40-up5k", "nexus-40k", "gw2a-18", "gatemate-a1")


@pytest.mark.kept(*passed.MEASURING)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in _IN_SUITE else pytest.mark.devices)
        for name, device in devices.DEVICES.items()
        if device.place_and_route
    ],
)
def test_measures_on_other_devices(sources: list[Path], name: str) -> None:
    """One device of each family; ``make test-devices`` takes the others too."""
    record = implement.implement(NAMED, sources, devices.find(name), seeds=[1])
    assert record["status"] == "ok", record["log_tail"]
    assert record["ff"] == FLIP_FLOPS
    assert record["fmax_mhz"]["median"] > 50
    # nextpnr says itself that nothing was lost on the way, whatever it calls a flip-flop.
    used = [number for number, _ in record["recipes"]["default"]["utilisation"].values()]
    assert max(used) >= FLIP_FLOPS + record["harness"]["ff"]


def test_synthesis_only(sources: list[Path]) -> None:
    record = implement.implement(NAMED, sources, devices.find("virtex"), seeds=[1])
    assert record["status"] == "ok"
    assert record["stage"] == "synthesis"
    assert record["seeds"] == []
    assert record["fmax_mhz"] is None
    assert record["throughput_mbit_s"] is None
    assert record["mbit_s_per_lut"] is None
    assert record["ff"] == FLIP_FLOPS
    assert set(record["tools"]) == {"yosys"}


# ----------------------------------------------------------------- runs that go wrong


def test_does_not_fit(sources: list[Path]) -> None:
    small = dataclasses.replace(
        devices.find("ice40-hx8k"),
        name="small",
        arguments=("--lp384", "--package", "qn32", "--freq", "150", "--timing-allow-fail"),
    )
    record = implement.implement(NAMED, sources, small, seeds=[1, 2])
    assert record["status"] == "does not fit"
    assert re.search(r"ICESTORM_LC: \d{3} of 384", record["log_tail"])
    assert [run["status"] for run in record["recipes"]["default"]["runs"].values()] == [
        "does not fit",
        "does not fit",
    ]
    assert record["fmax_mhz"] is None
    assert record["throughput_mbit_s"] is None
    # What is known stays known.
    assert record["ff"] == FLIP_FLOPS


@pytest.mark.kept(*passed.MEASURING)
@pytest.mark.parametrize(
    ("code", "status", "says"),
    [
        ("print('the end', flush=True); os.abort()", "failed", "died of signal 6"),
        ("print('Killed: out of memory'); sys.exit(3)", "failed", "out of memory"),
        ("open(log, 'w').write('ERROR: bad pin\\n'); sys.exit(1)", "failed", "ERROR: bad pin"),
        ("time.sleep(60)", "timeout", "no end after 3 s"),
        ("sys.exit(0)", "failed", "report is not as expected"),
        ("open(report, 'w').write('{')", "failed", "report is not as expected"),
        ("open(report, 'w').write('[]')", "failed", "report is not as expected"),
        ("json.dump({'fmax': {}}, open(report, 'w'))", "failed", "0 clocks of the core"),
        (_report("0"), "failed", "0.0 MHz"),
        (_report("float('nan')"), "failed", "nan MHz"),
        (_report("'fast'"), "failed", "report is not as expected"),
    ],
)
def test_a_bad_run_is_recorded_and_the_others_go_on(
    sources: list[Path], monkeypatch: pytest.MonkeyPatch, code: str, status: str, says: str
) -> None:
    _fake(monkeypatch, f"if seed != 2:\n  {_report('100 + seed')}\nelse:\n  {code}")
    placed = implement._place_and_route
    monkeypatch.setattr(
        implement, "_place_and_route", lambda runs, device, _, jobs: placed(runs, device, 3, jobs)
    )
    record = implement.implement(NAMED, sources, devices.find("ecp5-25k"), seeds=[1, 2, 3], jobs=2)
    assert record["status"] == status
    assert says in record["log_tail"]
    statuses = [run["status"] for run in record["recipes"]["default"]["runs"].values()]
    assert statuses == ["ok", status, "ok"]
    assert record["fmax_mhz"]["seeds"] == {"1": 101.0, "3": 103.0}
    assert record["fmax_mhz"]["median"] == 102.0


def test_what_is_too_large_is_not_waited_for(
    sources: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is needed is known at once; the placer for Gowin then tries for many minutes."""
    table = "Info: LUT4:  {}/   8640   104%\\nInfo: ALU:    24/   6480     0%\\n"
    code = f"open(log, 'w').write('{table}'.format(8640 + (seed == 2)))\n"
    _fake(monkeypatch, f"{code}if seed == 2: time.sleep(30)\n{_report('100.0')}")
    record = implement.implement(NAMED, sources, devices.find("gw1n-9"), seeds=[2], jobs=2)
    assert record["status"] == "does not fit"
    assert record["log_tail"] == "LUT4: 8641 of 8640"


@pytest.mark.kept(*passed.MEASURING)
@pytest.mark.parametrize(
    "said",
    [
        "ERROR: no BELs remaining to implement cell type 'LUT4'",
        "ERROR: Unable to find legal placement for all cells, design is probably at utilisation "
        "limit.",
        "ERROR: Unable to find legal placement for cell 'x' of type 'ICESTORM_LC' after 9 attempts",
    ],
)
def test_a_design_fits_where_some_seed_finds_a_place(
    sources: list[Path], monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    """Its clocks are those of the seeds that do; the others stay in the record."""
    lost = f'''open(log, 'w').write("{said}\\n"); sys.exit(125)'''
    _fake(monkeypatch, f"if seed == 2: {lost}\n{_report('100 + seed')}")
    device = devices.find("ecp5-25k")
    record = implement.implement(NAMED, sources, device, seeds=[1, 2, 3], jobs=2)
    assert record["status"] == "ok"
    assert record["fmax_mhz"]["seeds"] == {"1": 101.0, "3": 103.0}
    assert records.unplaced(record) == ["2"]
    assert said in record["log_tail"]

    record = implement.implement(NAMED, sources, device, seeds=[2])
    assert record["status"] == "does not fit"
    assert record["fmax_mhz"] is None
    assert records.unplaced(record) == []

    # A failure says nothing about places, so it is not hidden.
    _fake(monkeypatch, f"if seed == 2: {lost}\nif seed == 3: os.abort()\n{_report('100.0')}")
    record = implement.implement(NAMED, sources, device, seeds=[1, 2, 3], jobs=2)
    assert record["status"] == "failed"
    assert "signal 6" in record["log_tail"]


def test_a_recipe_that_fails_does_not_hide_one_that_works(
    sources: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    _fake(monkeypatch, _report("50.0"))
    device = devices.find("ecp5-25k")
    broken = devices.Recipe("broken", "cannot work", ("nonsense {top}",))
    device = dataclasses.replace(device, recipes={**device.recipes, "broken": broken})
    record = implement.implement(NAMED, sources, device, ["broken", "default"], [1])
    assert record["recipe"] == "default"
    assert record["status"] == "ok"
    failed = record["recipes"]["broken"]
    assert failed["status"] == "failed"
    assert "nonsense" in failed["log_tail"]
    assert failed["lut"] is None
    assert failed["fmax_mhz"] is None

    record = implement.implement(NAMED, sources, device, ["broken"], [1])
    assert record["status"] == "failed"
    assert record["lut"] is None


def test_a_recipe_may_route_in_another_way(
    sources: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    _fake(monkeypatch, _report("90.0 if '--router router2' in ' '.join(sys.argv) else 50.0"))
    device = devices.find("ecp5-25k")
    record = implement.implement(NAMED, sources, device, ["default", "router2"], [1])
    clocks = {name: result["fmax_mhz"]["median"] for name, result in record["recipes"].items()}
    assert clocks == {"default": 50.0, "router2": 90.0}
    # As workers of an exploration do it.
    for recipe, mhz in clocks.items():
        assert implement.place(device, recipe, zlib.compress(b"{}"), 1)["fmax_mhz"] == mhz


def test_rtl_that_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "bad.sv"
    path.write_text("module aes_tiny;\n  assign x = nothing;\nendmodule\n")
    record = implement.implement(NAMED, [path], devices.find("ecp5-25k"), seeds=[1])
    assert record["status"] == "failed"
    assert "bad.sv:2" in record["log_tail"]
    assert str(tmp_path) not in record["log_tail"]


def test_interruption_leaves_nothing_running(sources: list[Path], tmp_path: Path) -> None:
    """Ctrl-C during place and route: both runs end, and the folder goes."""
    script = tmp_path / "main.py"
    script.write_text(
        "import sys\nfrom pathlib import Path\n"
        "from aesfab import devices\nfrom aesfab.eda import nextpnr\n"
        "from aesfab.measure import implement\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "from test_implement import NAMED\n"
        "code = 'import os, sys, time; '\n"
        "code += 'open(sys.argv[1] + str(os.getpid()), \"w\"); time.sleep(60)'\n"
        "nextpnr.command = lambda _: [sys.executable, '-c', code, sys.argv[3]]\n"
        "implement.implement(NAMED, [Path(sys.argv[2])], devices.find('ecp5-25k'), jobs=2)\n"
    )
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    child = subprocess.Popen(
        [
            sys.executable,
            script,
            Path(__file__).parent,
            sources[0],
            f"{tmp_path}/pid-",
        ],
        env={**os.environ, "TMPDIR": str(temporary)},
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        assert soon(lambda: len(list(tmp_path.glob("pid-*"))) == 2)
        pids = [int(path.name.removeprefix("pid-")) for path in tmp_path.glob("pid-*")]
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=60)
    finally:
        child.kill()
    assert b"KeyboardInterrupt" in errors
    assert soon(lambda: not any(alive(pid) for pid in pids))
    assert list(temporary.iterdir()) == []


# ------------------------------------------------------------------------------ requests


@pytest.mark.parametrize(
    ("recipes", "seeds", "says"),
    [
        (["quick"], [1], "unknown recipe for ecp5-25k 'quick'"),
        ([], [1], "one or more recipes"),
        (["default", "default"], [1], "one or more recipes"),
        (["default"], [1, 1], "each seed once"),
        (["default"], [-1], "none that is negative"),
    ],
)
def test_requests_without_sense(
    sources: list[Path], recipes: list[str], seeds: list[int], says: str
) -> None:
    with pytest.raises(AesfabError, match=says):
        implement.implement(NAMED, sources, devices.find("ecp5-25k"), recipes, seeds)


def test_missing_source(tmp_path: Path) -> None:
    with pytest.raises(AesfabError, match=r"cannot read .*gone\.sv"):
        implement.implement(NAMED, [tmp_path / "gone.sv"], devices.find("ecp5-25k"))


def test_identity_follows_everything_that_matters(sources: list[Path]) -> None:
    device = devices.find("ecp5-25k")
    first = implement.identity(NAMED, sources, device, ["default"], [1])
    assert first == implement.identity(NAMED, sources, device, ["default"], [1])
    sources[0].write_text(TINY + "\n")
    assert implement.identity(NAMED, sources, device, ["default"], [1]) != first


@pytest.mark.kept(*passed.MEASURING)
def test_an_identity_that_is_known_is_not_taken_again(
    sources: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    device = devices.find("virtex")
    whole = implement.implement(NAMED, sources, device)
    known = implement.identity(NAMED, sources, device, ["default"])

    def again(*_: object) -> None:
        raise AssertionError("the RTL is read again")

    monkeypatch.setattr(implement, "of_rtl", again)
    assert implement.implement(NAMED, sources, device, beforehand=known) == whole
    with pytest.raises(AssertionError, match="again"):
        implement.implement(NAMED, sources, device)


def test_the_hash_of_a_recipe_follows_what_it_does() -> None:
    device = devices.find("ice40-hx8k")
    recipe = device.recipe("default")
    first = implement.recipe_hash(device, ["default"])
    others = [
        dataclasses.replace(device, arguments=(*device.arguments, "--freq")),
        dataclasses.replace(device, files={"x.pcf": ""}),
        *(
            dataclasses.replace(device, recipes={"default": changed})
            for changed in (
                dataclasses.replace(recipe, commands=(*recipe.commands, "clean")),
                dataclasses.replace(recipe, output_registers=True),
                dataclasses.replace(recipe, floorplan=True),
                dataclasses.replace(recipe, files={"x": ""}),
                dataclasses.replace(recipe, arguments=("--router", "router2")),
            )
        ),
    ]
    hashes = {implement.recipe_hash(other, ["default"]) for other in others}
    assert len(hashes | {first}) == len(others) + 1
    same = dataclasses.replace(recipe, summary="in other words")
    again = dataclasses.replace(device, recipes={"default": same})
    assert implement.recipe_hash(again, ["default"]) == first


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("lut", "many"),
        ("lut", 1.5),
        ("ff", None),
        ("lut_levels", "x"),
        ("interval_cycles", "x"),
        ("throughput_mbit_s", "x"),
        ("fmax_mhz", {"median": "x"}),
        ("recipe", [1]),
        ("recipe_names", [1]),
        ("recipes", {"default": {"runs": 5}}),
        ("recipes", {"default": {"runs": {"1": {"fmax_mhz": "x"}}}}),
        ("recipes", {"default": 1}),
        ("kind", "components"),
    ],
)
def test_records_of_others_are_named(tmp_path: Path, field: str, value: object) -> None:
    record = records.read(Path(__file__).parents[2] / "results" / "implement.jsonl")[0]
    implement.require_records(tmp_path, [record])
    with pytest.raises(AesfabError, match=f"none of 'implement' or 'explore': .*'{field}'"):
        implement.require_records(tmp_path, [{**record, field: value}])


@pytest.mark.parametrize("key_bits", [128, 192, 256, None])
def test_throughput(key_bits: int | None) -> None:
    design = Design(key_bits=KeyBits.ANY)
    expected = {128: 128 * 100 / 11, 192: 128 * 100 / 13, 256: 128 * 100 / 15}[key_bits or 256]
    assert implement.throughput_mbit_s(design, 100, key_bits) == pytest.approx(expected)


def test_throughput_with_several_blocks_under_way() -> None:
    pipeline = catalogue.find("standaert-pipeline-42").design
    assert implement.throughput_mbit_s(pipeline, 100) == pytest.approx(12800)
