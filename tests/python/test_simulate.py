# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Models are built once, whole or not at all, and never hang; on tiny cores of our own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from aesfab.design.axes import KeySchedule
from aesfab.design.design import Design
from aesfab.design.ports import Port
from aesfab.eda import simulate
from aesfab.errors import AesfabError, ToolError
from aesfab.system import cache
from aesfab.verify.bench.script import BlockItem, Kind, Script, Segment, decode_events

_PORTS = Design(key_schedule=KeySchedule.ON_THE_FLY).ports()


def _core(folder: Path, *, ready: str = "1'b1", result: str = "in_block_i ^ in_key_i") -> Path:
    """A core that answers a clock later with ``result``, with the ports of an on-the-fly design."""
    path = folder / "tiny.sv"
    path.write_text(f"""
module tiny (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         in_valid_i,
  output logic         in_ready_o,
  input  logic [127:0] in_block_i,
  input  logic [127:0] in_key_i,
  output logic         out_valid_o,
  output logic [127:0] out_block_o
);
  logic [127:0] state_q;  // no reset: starts at random
  logic unused;
  assign unused     = ^{{state_q, in_key_i, in_block_i}};
  assign in_ready_o = {ready};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) out_valid_o <= 1'b0;
    else out_valid_o <= in_valid_i & in_ready_o;
  end
  always_ff @(posedge clk_i) begin
    out_block_o <= {result};
    if (in_ready_o & ~in_ready_o) state_q <= '0;
  end
endmodule
""")
    return path


def _script(blocks: int = 3) -> bytes:
    items = [BlockItem(bytes([i] * 16), key=bytes(range(16))) for i in range(blocks)]
    return Script([Segment([], items)], patience=50, drain=4).encode()


def _results(log: bytes) -> list[bytes]:
    return [data for kind, _, _, data in decode_events(log) if kind == Kind.OUT]


def test_byte_order_and_clocks(tmp_path: Path) -> None:
    """The first byte is at the top of a port, and a result is recorded in its very clock."""
    model = simulate.build([_core(tmp_path)], "tiny", _PORTS)
    run = model.run("script", given=_script())
    assert _results(run.output) == [bytes(i ^ k for k in range(16)) for i in range(3)]
    accepted = [c for kind, _, c, _ in decode_events(run.output) if kind == Kind.ACCEPT]
    left = [c for kind, _, c, _ in decode_events(run.output) if kind == Kind.OUT]
    assert left == [clock + 1 for clock in accepted]
    assert accepted == list(range(accepted[0], accepted[0] + 3))
    assert run.clocks >= left[-1]


def test_state_without_reset_is_random(tmp_path: Path) -> None:
    """It follows the seed: the same for the same seed, another for another."""
    model = simulate.build([_core(tmp_path, result="state_q")], "tiny", _PORTS)
    first, again, other = (
        _results(model.run("script", given=_script(1), seed=seed).output)[0] for seed in (1, 1, 2)
    )
    assert first == again != other
    assert first not in (bytes(16), b"\xff" * 16)


def test_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same sources, in another place too, come from the cache without a compiler."""
    model = simulate.build([_core(tmp_path)], "tiny", _PORTS)
    steps: list[str] = []
    monkeypatch.setattr(simulate, "_compile", lambda *args: steps.append("compile"))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert simulate.build([_core(elsewhere)], "tiny", _PORTS) == model
    assert not steps


def test_killed_build_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a killed build left is not taken for a model, and does not stop the next build."""
    path = _core(tmp_path, result=f"in_block_i ^ 128'd{os.getpid()}")
    models = tmp_path / "models"
    models.mkdir()
    place = cache.place
    monkeypatch.setattr(cache, "place", lambda kind: models if kind == "models" else place(kind))

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(simulate, "_compile", killed)
        with pytest.raises(KeyboardInterrupt):
            simulate.build([path], "tiny", _PORTS)
    assert not list(models.glob(".*.partial"))

    model = simulate.build([path], "tiny", _PORTS)
    entry = model.program.parent
    # As after SIGKILL: a half-made folder under the name of the build, no folder of the model.
    partial = entry.with_name(f".{entry.name}.partial")
    entry.rename(partial)
    (partial / "bench").write_text("half")
    model = simulate.build([path], "tiny", _PORTS)
    assert len(_results(model.run("script", given=_script()).output)) == 3


def test_two_processes_build_the_same(tmp_path: Path) -> None:
    """Both get the same, working model."""
    path = _core(tmp_path, result=f"in_block_i ^ 128'd{os.getpid()} ^ 128'd77")
    code = (
        "import sys; from pathlib import Path\n"
        "from aesfab.design.axes import KeySchedule\n"
        "from aesfab.design.design import Design\nfrom aesfab.eda import simulate\n"
        "ports = Design(key_schedule=KeySchedule.ON_THE_FLY).ports()\n"
        "print(simulate.build([Path(sys.argv[1])], 'tiny', ports).program)"
    )
    children = [
        subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    programs = {child.communicate()[0].decode().strip() for child in children}
    assert [child.returncode for child in children] == [0, 0]
    assert len(programs) == 1
    assert os.access(programs.pop(), os.X_OK)


def test_waveform_window(tmp_path: Path) -> None:
    """A traced model leaves the clocks asked for, edge n at n x 10 ns."""
    model = simulate.build([_core(tmp_path)], "tiny", _PORTS, trace=True)
    wave = tmp_path / "wave.vcd"
    plain = simulate.build([_core(tmp_path)], "tiny", _PORTS)
    run = model.run("script", given=_script(), arguments={"vcd": wave, "from": 3, "to": 6})
    assert run.output == plain.run("script", given=_script()).output
    text = wave.read_text()
    times = [int(line[1:]) for line in text.splitlines() if line.startswith("#")]
    assert "$timescale 1ns" in text.replace("   ", " ").replace("  ", " ")
    assert "state_q" in text
    assert 20 < min(times) <= 30
    assert max(times) == 60
    with pytest.raises(AesfabError, match="without waveforms"):
        plain.run("script", given=_script(), arguments={"vcd": wave})


def test_inputs_in_registers_change_no_record(tmp_path: Path) -> None:
    """A model with registers before its inputs records what the core alone does.

    Also where an output follows inputs in the same clock, as in_ready_o does here.
    """
    sources = [_core(tmp_path, ready="^in_block_i ^ in_valid_i")]
    played = _script(20)
    records = []
    for trace in (False, True):
        log = simulate.build(sources, "tiny", _PORTS, trace=trace).run("script", given=played)
        records.append(list(decode_events(log.output)))
    assert records[0] == records[1]
    assert sum(kind == Kind.ACCEPT for kind, *_ in records[0]) == 20


def test_core_that_hangs(tmp_path: Path) -> None:
    """No job waits for ever: a script records it, the others say it."""
    model = simulate.build([_core(tmp_path, ready="1'b0")], "tiny", _PORTS)
    events = list(decode_events(model.run("script", given=_script()).output))
    assert events[-1][0] == Kind.HANG
    assert events[-1][2] < 100
    with pytest.raises(simulate.CoreError, match="does not answer"):
        model.run("crypt", arguments={"mode": "ecb"}, given=bytes(16))


def test_warning_stops_the_build(tmp_path: Path) -> None:
    """A width that does not fit is an error, and the log says where."""
    path = _core(tmp_path, result="in_block_i[126:0]")
    with pytest.raises(ToolError, match="Verilator on tiny") as caught:
        simulate.build([path], "tiny", _PORTS)
    assert "WIDTH" in caught.value.log_tail
    assert simulate.build([path], "tiny", _PORTS, lint=False)


def test_illegal_parameters_stop_the_build(tmp_path: Path) -> None:
    """$fatal at elaboration reaches the user."""
    path = _core(tmp_path)
    path.write_text(
        path.read_text().replace("endmodule", 'if (1) $fatal(1, "this may not be");\nendmodule')
    )
    with pytest.raises(ToolError) as caught:
        simulate.build([path], "tiny", _PORTS)
    assert "this may not be" in caught.value.log_tail


@pytest.mark.parametrize("name", ["no-such-compiler", "no-such-compiler -O1", "'"])
def test_missing_compiler(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line with the package to install."""
    monkeypatch.setenv("CXX", name)
    simulate._compiler.cache_clear()
    with pytest.raises(AesfabError, match=r"compiler '.* \(from CXX\) is missing") as caught:
        simulate.build([_core(tmp_path)], "tiny", _PORTS)
    simulate._compiler.cache_clear()
    assert "apt install g++" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_compiler_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same without CXX and with nothing on the path."""
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    simulate._compiler.cache_clear()
    with pytest.raises(AesfabError, match=r"a C\+\+ compiler is missing.*apt install g\+\+"):
        simulate.build([_core(tmp_path)], "tiny", _PORTS)
    simulate._compiler.cache_clear()


def test_unreadable_source(tmp_path: Path) -> None:
    """One line that names the file."""
    with pytest.raises(AesfabError, match=r"cannot read .*none\.sv"):
        simulate.build([tmp_path / "none.sv"], "tiny", _PORTS)


def test_unknown_port(tmp_path: Path) -> None:
    """A port that the bench cannot drive is refused, not left floating."""
    with pytest.raises(AesfabError, match="does not know the port odd_i"):
        simulate.build([_core(tmp_path)], "tiny", [*_PORTS, Port("odd_i", 1, True, "")])


def test_unwritable_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache that cannot be made is named."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("AESFAB_CACHE", str(blocked))
    with pytest.raises(AesfabError, match="cache folder"):
        simulate.build([_core(tmp_path)], "tiny", _PORTS)
