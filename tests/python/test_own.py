# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""``aesfab implement --top``: a user's own design with a core in it, measured with our recipes."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import pytest

import passed
from aesfab import devices
from aesfab.design import catalogue
from aesfab.design.catalogue import Named
from aesfab.errors import AesfabError
from aesfab.folder import generate
from aesfab.measure import harness, implement, own
from aesfab.records import Record
from conftest import Cli


def _top(named: Named, folder: Path, output_format: str = "systemverilog") -> list[Path]:
    """A folder of a core, and beside it a module with an instance of it and the same ports."""
    generate.generate(named, folder / "core", output_format=output_format, syn=False)
    ports = named.design.ports()
    heads = [
        f"{'input' if p.is_input else 'output'} logic [{p.width - 1}:0] {p.name}" for p in ports
    ]
    wires = [f".{port.name}({port.name})" for port in ports]
    (folder / "my_top.sv").write_text(
        f"module my_top (\n  {', '.join(heads)}\n);\n"
        f"  {named.module} u_aes ({', '.join(wires)});\nendmodule\n"
    )
    return [folder / "core" / f"{named.module}.f", folder / "my_top.sv"]


def _synthesised(
    named: implement.Subject, sources: list[Path], device: devices.Device, recipe: str
) -> tuple[Record, Any]:
    """What synthesis says of a design, and its netlist in the harness."""
    frame = harness.generate(named.module, named.design.ports())
    contents = implement.read_sources(sources)
    result, packed = implement.synthesise(named.module, contents, device, recipe, frame)
    netlist = json.loads(zlib.decompress(packed).partition(b"\n")[2])
    return result, netlist["modules"][harness.TOP]["cells"]


def _as_the_core(named: Named, device: devices.Device, recipe: str, folder: Path) -> None:
    """A design that is a core and nothing more gets the area, the cells and the places of it."""
    sources = own.source_files(_top(named, folder))
    mine = own.find("my_top", sources, "clk_i")
    assert {p.name: (p.width, p.is_input) for p in mine.ports()} == {
        p.name: (p.width, p.is_input) for p in named.design.ports()
    }
    # Ports as the core has them: Yosys lists those of a module in the order of its text.
    result, cells = _synthesised(mine, sources, device, recipe)
    expected, core = _synthesised(named, generate.sources(named), device, recipe)
    assert result == expected
    kinds = sorted((cell["type"], cell["attributes"].get("BEL")) for cell in cells.values())
    assert kinds == sorted((c["type"], c["attributes"].get("BEL")) for c in core.values())
    chosen = device.recipe(recipe)
    assert any(bel for _, bel in kinds) is chosen.floorplan
    registers = [c["parameters"].get("REGMODE_A") for c in cells.values()]
    assert ("OUTREG" in registers) is chosen.output_registers


@pytest.mark.parametrize(
    ("name", "device", "recipe"),
    [
        ("fab-tiny", "ice40-hx8k", "default"),
        ("fab-tiny-ram", "ice40-hx8k", "floorplan"),
        ("fab-iterative-ram-packed", "ecp5-85k", "slicexor"),
    ],
)
def test_a_core_in_a_design_is_mapped_and_placed_as_alone(
    name: str, device: str, recipe: str, tmp_path: Path
) -> None:
    named, target = catalogue.find(name), devices.find(device)
    text = f"{generate.netlist_hash(named)} {recipe}"
    identity = passed.of_synthesis(
        target, text, _as_the_core, _top, _synthesised, own.find, own.source_files
    )
    passed.once(
        f"{name} in a design", identity, lambda: _as_the_core(named, target, recipe, tmp_path)
    )


# A design with a core and more, a clock of its own name, and no names that the program knows.
_MORE = """\
module my_top (
  input  logic         clock, rst_n, start,
  input  logic [127:0] text, key,
  output logic         busy,
  output logic [127:0] result
);
  logic valid, ready, done;
  logic [127:0] out;
  assign busy = !ready;
  always_ff @(posedge clock) begin
    valid <= start;
    if (done) result <= out ^ text;
  end
  aes_fab_tiny u_aes (
    .clk_i(clock), .rst_ni(rst_n), .in_valid_i(valid), .in_ready_o(ready), .in_block_i(text),
    .in_key_i(key), .out_valid_o(done), .out_block_o(out)
  );
endmodule
"""


@pytest.mark.kept(*passed.MEASURING, "src/aesfab/cli")
@pytest.mark.parametrize("output_format", generate.FORMATS)
def test_figures_of_an_own_design(aesfab: Cli, tmp_path: Path, output_format: str) -> None:
    """Area of every recipe that is asked for; nothing is recorded."""
    named = catalogue.find("fab-tiny")
    listed, top = _top(named, tmp_path, output_format)
    top.write_text(_MORE)
    words = ["implement", "--top", "my_top", "--clock", "clock", "--device", "virtex"]
    words += ["--recipe", "default", "--recipe", "nobram", "--sources", str(listed), str(top)]
    done = aesfab(*words, "--json")
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert record["design"] == "my_top"
    assert record["status"] == "ok"
    assert set(record["recipes"]) == {"default", "nobram"}
    # The core, and a register of 128 bits and one for start.
    alone = implement.implement(named, generate.sources(named), devices.find("virtex"))
    assert record["recipes"]["default"]["ff"] == alone["ff"] + 129
    assert record["recipes"]["default"]["lut"] >= alone["lut"] + 128
    assert not {"throughput_mbit_s", "latency_cycles", "parameters"} & set(record)
    table = aesfab(*words).stdout.splitlines()
    assert len(table) == 3
    assert f" {record['lut']} " in "\n".join(table[1:])


def test_clock_of_an_own_design(aesfab: Cli, tmp_path: Path) -> None:
    """A counter on a small device: place and route take seconds."""
    (tmp_path / "counter.v").write_text(
        "module counter (input clk, input up, output reg [3:0] q);\n"
        "  always @(posedge clk) q <= q + up;\nendmodule\n"
    )
    words = ("--clock", "clk", "--device", "ice40-hx1k", "--seeds", "2", "--json")
    done = aesfab("implement", "--top", "counter", *words, "--sources", str(tmp_path / "counter.v"))
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert list(record["fmax_mhz"]["seeds"]) == ["1", "2"]
    assert record["fmax_mhz"]["median"] > 50
    assert record["ff"] == 4


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--sources", "top.sv"], "input of top, given by --clock, 'clk_i'; did you mean clk"),
        (["--clock", "q", "--sources", "top.sv"], "'q'; known: clk, d"),
        (["--clock", "clk"], "name the source files with --sources"),
        (["--clock", "clk", "--sources", "no.sv"], "there is no source file no.sv"),
        (["--clock", "clk", "--sources", "no.f"], "cannot read no.f: No such file"),
        (["--clock", "clk", "--sources", "options.f"], "options.f, line 2: '+incdir+x' is no file"),
        (["--clock", "clk", "--sources", "bad.sv"], "elaboration of top: bad.sv:2: ERROR"),
        (["--clock", "clk", "--sources", "other.sv"], "'top' is not a valid top-level module"),
        (["--clock", "clk", "--sources", "both.sv"], "port 'pad' of top is an inout"),
        (["--clock", "clk", "--sources", "none.sv"], "needs an output and an input beside"),
        (["--clock", "clk", "--recipe", "no", "--sources", "top.sv"], "unknown recipe for virtex"),
        (["--all", "--sources", "top.sv"], "--top goes without --all"),
        (["--records", "x.jsonl", "--sources", "top.sv"], "--top goes without --records"),
    ],
)
def test_mistakes_are_one_line(
    aesfab: Cli,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    body = "always_ff @(posedge clk) q <= d;\nendmodule\n"
    head = "module top (input logic clk, d, output logic q"
    for name, text in {
        "top.sv": f"{head});\n{body}",
        "bad.sv": f"{head});\nalways_ff @(posedge clk) q <= nothing;\nendmodule\n",
        "other.sv": f"module other (input logic clk, d, output logic q);\n{body}",
        "both.sv": f"{head}, inout wire pad);\n{body}",
        "none.sv": "module top (input logic clk, output logic q);\nassign q = clk;\nendmodule\n",
        "options.f": "// A comment.\n+incdir+x\n",
    }.items():
        Path(name).write_text(text)
    before = sorted(tmp_path.iterdir())
    done = aesfab("implement", "--top", "top", "--device", "virtex", *words)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert sorted(tmp_path.iterdir()) == before


def test_words_of_an_own_design_want_a_top(aesfab: Cli) -> None:
    for words, said in (
        (["--sources", "top.sv"], "--sources goes with --top"),
        (["fab-tiny", "--clock", "clk"], "goes without --clock"),
    ):
        done = aesfab("implement", "--device", "virtex", *words)
        assert (done.returncode, said in done.stderr) == (2, True), done.stderr


def test_file_lists(tmp_path: Path) -> None:
    """Names in it are relative to it; a file counts once."""
    (tmp_path / "a").mkdir()
    for name in ("a/one.sv", "a/two.sv", "three.sv"):
        (tmp_path / name).touch()
    (tmp_path / "a" / "list.f").write_text("one.sv // first\n\n# no file\ntwo.sv\none.sv\n")
    found = own.source_files([tmp_path / "a" / "list.f", tmp_path / "three.sv"])
    assert found == [tmp_path / name for name in ("a/one.sv", "a/two.sv", "three.sv")]
    with pytest.raises(AesfabError, match="--sources"):
        own.source_files([])
