# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Diagrams of engines: each engine has them, and they show what its RTL does."""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

import passed
from aesfab.eda.simulate import CoreError, silent
from aesfab.engine import bench, every, verify
from aesfab.engine.diagrams import blocks, scenes, waves
from aesfab.engine.packets import Kind
from aesfab.engine.verify import Evidence
from aesfab.folder.collateral import diagram, timing
from aesfab.records import Record

KEPT = [
    (name, tuple(overrides))
    for name, *overrides in (
        words.split() for words in dict.fromkeys(words for words, _ in waves.kept())
    )
]
OF_KINDS = ["gcm-pipeline-ram", "ctr-narrow", "gcm-byte", "ccm-tiny", "xts-tiny", "cbc-dec-tiny"]
OF_KINDS += ["cbc-streams-interleaved"]


@pytest.mark.parametrize("name", every.names())
def test_every_engine_has_diagrams(name: str) -> None:
    named = every.find(name)
    files = dataclasses.replace(every.folder(named), syn=False).contents()
    traces, sheet = waves.traces(named), files["README.md"]
    assert "back-to-back" in traces
    assert len(traces) == 3
    assert ("wrong-tag" in traces) == (name.startswith(("gcm", "ccm")))
    assert ("stealing" in traces) == name.startswith("xts")
    assert files.keys() >= {f"doc/timing-{what}.json" for what in traces}
    assert not any("those of" in note for trace in traces.values() for note in trace.notes)
    # What the sheet shows is there.
    pictures = re.findall(r"!\[[^]]*\]\(([^)]*)\)", sheet)
    assert pictures[0] == "doc/block-diagram.svg"
    assert len(pictures) == (4 if timing.has_pictures() else 1)
    assert set(pictures) <= set(files)
    ports = {port.name for port in named.engine.ports()} - {"clk_i", "rst_ni"}
    drawn = [{*trace.inputs, *trace.outputs} for trace in traces.values()]
    assert drawn[0] == ports
    assert all(each <= ports for each in drawn)
    for what, trace in traces.items():
        rows = {**trace.inputs, **trace.outputs}
        assert {len(row) for row in rows.values()} == {trace.clocks}, what
        clock, clk, *groups = json.loads(files[f"doc/timing-{what}.json"])["signal"]
        lanes = [clock, clk, *(lane for group in groups for lane in group[1:])]
        assert len({len(lane["wave"]) for lane in lanes}) == 1
        assert len(clock["wave"]) <= 60, what
        for lane in lanes:
            assert lane["wave"].count("=") == len(lane.get("data", ())), what


@pytest.mark.parametrize("name", every.names())
def test_block_diagrams_are_of_their_engine(name: str) -> None:
    """Each character of the drawing is in the picture, and what the engine is stands in it."""
    named = every.find(name)
    text, axes = blocks.drawing(named.engine), named.engine.axes()
    assert f"[ core {axes['core']} ]" in text
    assert f"[ {axes['slots']} slots: " in text
    assert ("GHASH" in text) == (axes.get("ghash", "none") != "none")
    if axes["modes"] in ("gcm", "ccm"):
        assert f"[ release={axes['release']} ]" in text
    space = "{http://www.w3.org/2000/svg}"
    root = ElementTree.fromstring(blocks.files(named)["doc/block-diagram.svg"])
    assert root.findtext(f"{space}desc") == f"\n{text}\n"
    shown = "".join(element.text or "" for element in list(root.iter(f"{space}text"))[1:])
    assert not set("[]|") & set(shown)
    assert "--" not in shown
    words = sorted(re.findall(r"[A-Za-z0-9]", text))
    assert sorted(re.findall(r"[A-Za-z0-9]", shown)) == words
    # Each wire ends at something.
    kinds = [element.get("class") for element in root.iter(f"{space}rect")]
    assert kinds.count("box") == text.count("[")
    assert kinds.count("add") == text.count("(+)")
    for line, column in diagram._Drawing(text).wires:
        if text.split("\n")[line][column] == "|":
            drawing = diagram._Drawing(text)
            assert drawing._runs(line - 1, column), (name, line, column)
            assert drawing._runs(line + 1, column), (name, line, column)


def test_block_diagrams_follow_the_axes() -> None:
    def drawn(name: str, *axes: str) -> str:
        return blocks.drawing(every.find(name, axes).engine)

    assert "8 slots" in drawn("gcm-narrow", "slots=8")
    assert "release=verified, 64 beats" in drawn("gcm-tiny", "release=verified", "release_depth=64")
    assert "GHASH: 2 bits a clock" in drawn("gcm-narrow", "ghash=2")
    assert "tweaks, by fab-tiny ]" in drawn("xts-narrow", "tweaks=fab-tiny")


# ------------------------------------------------------------------------ clocks


@pytest.mark.kept(*passed.ENGINES, cores_of=passed.of_point)
@pytest.mark.parametrize(("name", "overrides"), KEPT)
def test_engines_do_what_is_drawn(name: str, overrides: tuple[str, ...]) -> None:
    """In runs of all that clocks are kept of; if they are others: ``python tools/waves.py``."""
    model = bench.build(every.find(name, overrides))
    own = model.named.words
    assert all((own, each) in waves.kept() for each in scenes.of(model.named.engine))
    assert waves.differences(model) == [], "python tools/waves.py writes those of today"


@pytest.mark.parametrize("name", OF_KINDS)
def test_a_clock_that_is_drawn_wrongly_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    named = every.find(name)
    model = bench.build(named)
    before = waves.kept()
    known = before[name, "back-to-back"]
    for kind in Kind:
        wrong = list(map(list, known))
        wrong[kind][-1] += 1
        changed = {**before, (name, "back-to-back"): tuple(map(tuple, wrong))}
        monkeypatch.setattr(waves, "kept", lambda changed=changed: changed)
        assert len(waves.differences(model)) == 1, kind


def test_verify_looks_at_the_diagrams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waves, "differences", lambda _: ["a clock"])
    found: Record = every.verify(every.find("ctr-tiny"), level="quick")
    assert found["failures"] == ["diagrams: a clock"]
    assert not found["passed"]


def test_a_scene_that_ends_wrongly_is_one_failure_beside_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As is a check that does; the counts are those of the checks."""

    def ends(*_: object) -> Any:
        raise CoreError("nothing happened")

    monkeypatch.setattr(waves, "differences", ends)
    model: Any = SimpleNamespace(named=every.find("ctr-tiny"))
    steps: list[tuple[str, verify.Step]] = [("random", lambda: (1, ["a packet"])), ("wrong", ends)]
    steps += [("answers", lambda: (3, [])), ("clocks", lambda: (4, []))]
    failures = ("random: a packet", "wrong: nothing happened", "diagrams: nothing happened")
    assert verify.run(model, steps, silent) == Evidence("ctr-tiny", 1, 0, 3, 4, failures)


def test_traces_are_the_events_of_a_run() -> None:
    """A handshake in a trace is an event of a run of today, of each channel and engine of a kind.

    It has the tlast and tid of this event, and tkeep of what comes out.
    """
    for name in OF_KINDS:
        model = bench.build(every.find(name))
        for what, trace in waves.traces(model.named).items():
            scene = scenes.of(model.named.engine)[what]
            found = model.run(scene.steps)
            rows = {**trace.inputs, **trace.outputs}
            channels = {Kind.DESCRIPTOR: "s_desc", Kind.BEAT: "s_data", Kind.RESULT: "m_data"}
            channels |= {Kind.KEY: "s_key"} if scene.keys else {}
            begins = set()
            for kind, channel in channels.items():
                valid, ready = (
                    next(row for port, row in rows.items() if port.startswith(f"{channel}_{end}"))
                    for end in ("tvalid", "tready")
                )
                taken = [c for c in range(trace.clocks) if valid[c] == 1 == ready[c]]
                seen = [event.clock for event in found if event.kind is kind]
                assert len(taken) == len(seen), (name, what, channel)
                begins |= {clock - at for clock, at in zip(seen, taken, strict=True)}
                events = [event for event in found if event.kind is kind]
                fields: dict[str, list[Any]] = {"tlast": [int(event.last) for event in events]}
                fields["tid"] = [str(event.stream) for event in events]
                if kind is Kind.RESULT:
                    fields["tkeep"] = [f"{event.keep:04x}" for event in events]
                for field, values in fields.items():
                    for end in "io":
                        if row := rows.get(f"{channel}_{field}_{end}"):
                            assert [row[clock] for clock in taken] == values, (name, what, field)
            assert len(begins) == 1, (name, what)


def test_packets_in_line_have_the_clocks_that_are_promised() -> None:
    """From one to the next in the diagram, as ``show`` and the sheet say for any packets."""

    def steps(name: str) -> set[int]:
        scene = scenes.of(every.find(name).engine)["back-to-back"]
        left = zip(scene.left, waves.kept()[name, "back-to-back"][Kind.RESULT], strict=True)
        ends = [clock for each, clock in left if each.last]
        return {after - before for before, after in itertools.pairwise(ends)}

    def promised(name: str, size: int) -> Any:
        engine: Any = every.find(name).engine
        return engine.size_clocks(size)

    for name in ("gcm-pipeline-ram", "gcm-pipeline", "ctr-pipeline-ram", "ctr-pipeline"):
        # Three blocks, and the dead clock.
        assert steps(name) == {4} == {promised(name, 48)}
    for name in ("xts-pipeline-ram", "xts-pipeline"):
        # A descriptor takes seven; of many sectors the tweaks may take more.
        assert steps(name) == {7}
        assert promised(name, 48) >= 7
    for name in ("gcm-byte", "ctr-byte", "ccm-byte"):
        assert steps(name) == {promised(name, 32)}
    for name in ("ccm-tiny", "ccm-narrow"):
        most = promised(name, 32)
        assert all(0.9 * most - 8 <= each <= most for each in steps(name))
    assert steps("cbc-streams-interleaved-ram") == {6}


# ------------------------------------------------------------------------ other engines


@pytest.mark.parametrize(
    ("words", "of"),
    [
        ("gcm-narrow slots=8", "gcm-narrow"),
        ("gcm-interleaved-ram key_bits=256", "gcm-interleaved-ram"),
        ("xts-iterative-ram-both modes=cbc tweaks=none", "cbc-dec-iterative"),
        ("cbc-streams-interleaved modes=chained", "cbc-streams-interleaved"),
        ("ccm-tiny release=verified", "ccm-iterative-ram release=verified"),
        ("gcm-tiny release=verified", "gcm-interleaved-ram release=verified release_depth=16"),
    ],
)
def test_clocks_of_another_engine_are_said_to_be_so(words: str, of: str) -> None:
    """Where no run is kept, the diagrams are of one that does the same, and say of which."""
    name, *axes = words.split()
    traces = waves.traces(every.find(name, axes))
    assert len(traces) == 3
    last = list(traces.values())[-1]
    assert last.notes[-1].startswith(f"The clocks are those of {of};")
    if "verified" in words:
        # No text of it leaves.
        trace = traces["wrong-tag"]
        assert sum(value == 1 for value in trace.outputs["m_data_tvalid_o"]) == 1
        assert trace.outputs["m_data_tuser_o"].count("error 7") == 1


@pytest.mark.parametrize(
    ("words", "of"),
    [
        ("cbc-streams-interleaved-ram modes=chained", "chained-streams-interleaved-ram"),
        ("gcm-narrow modes=ctr ghash=none", "ctr-narrow"),
        (
            "gcm-interleaved-ram release_depth=16 release=verified",
            "gcm-interleaved-ram release=verified release_depth=16",
        ),
    ],
)
def test_an_engine_under_another_name_has_its_own_clocks(
    words: str, of: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a note, and ``verify`` looks at them."""
    (name, *axes), (other, *others) = words.split(), of.split()
    named = every.find(name, axes)
    assert waves.traces(named) == waves.traces(every.find(other, others))
    before = waves.kept()
    model: Any = SimpleNamespace(named=named, run=lambda _: [])
    assert len(waves.differences(model)) == 3
    monkeypatch.setattr(waves, "kept", lambda: {k: v for k, v in before.items() if k[0] != of})
    assert waves.differences(model) == []


def test_what_no_run_shows_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waves, "kept", dict)
    assert waves.traces(every.find("gcm-narrow")) == {}
