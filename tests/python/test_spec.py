# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The Python side and the RTL agree: on legality with its reasons, and on every cycle count."""

from __future__ import annotations

import dataclasses
import random
import re
from typing import Any

import pyslang
import pytest

import passed
from aesfab.design import catalogue, rules
from aesfab.design.architectures.keys import substituted_words
from aesfab.design.axes import (
    AXES,
    OWNED,
    ROUNDS_OF_KEY,
    Architecture,
    Datapath,
    Direction,
    Hardened,
    Interface,
    KeyBits,
    KeySchedule,
    MixLevels,
    Sbox,
    Tbox,
    _say_moved,
    of_architecture,
)
from aesfab.design.combinations import combinations
from aesfab.design.design import Design
from aesfab.eda import yosys
from aesfab.engine import catalogue as engines
from aesfab.errors import AesfabError
from aesfab.folder import generate
from aesfab.hdl import rtl


def _points(count: int) -> list[Design]:
    """Points all over the space: from a design of each kind, one to four axes changed.

    Of designs that differ in what most rules are about, every change of one axis is there.
    """
    rng = random.Random(1)
    on_the_fly: dict[str, Any] = {"key_schedule": KeySchedule.ON_THE_FLY}
    several: dict[str, Any] = {**on_the_fly, "mix_levels": MixLevels.ONE}
    starts = [
        Design(),
        Design(direction=Direction.BOTH, key_bits=KeyBits.ANY),
        Design(tbox=Tbox.FIXED),
        Design(tbox=Tbox.REFILLED, sbox=Sbox.ROM, direction=Direction.BOTH),
        Design(**on_the_fly),
        Design(architecture=Architecture.INTERLEAVED, **several),
        Design(architecture=Architecture.PIPELINED, **several),
        Design(architecture=Architecture.ROLLING, **on_the_fly),
        Design(architecture=Architecture.NARROW, datapath=Datapath.W32),
        catalogue.CATALOGUE["fab-narrow"].design,
        *(
            catalogue.point("fab-narrow-both", more).design
            for more in ((), ("direction=encrypt",), ("hardened=yes",), ("interface=words",))
        ),
        catalogue.CATALOGUE["fab-tiny"].design,
        *(combination.design for combination in combinations()),
        *(named.design for named in catalogue.CATALOGUE.values()),
        *(
            dataclasses.replace(named.design, hardened=Hardened.YES)
            for named in catalogue.CATALOGUE.values()
        ),
    ]
    points = dict.fromkeys(starts)
    kinds = {
        (design.architecture, design.order, design.interface): design
        for design in reversed(starts)
        if not design.reasons()
    }
    for design in kinds.values():
        for axis, values in AXES.items():
            points |= dict.fromkeys(design.with_axis(axis, str(v.value)) for v in values)
    while len(points) < count:
        change: dict[str, Any] = {
            axis: rng.choice(list(AXES[axis])) for axis in rng.sample(list(AXES), rng.randint(1, 4))
        }
        points[dataclasses.replace(rng.choice(starts), **change)] = None
    return list(points)


POINTS = _points(4500)


# The modules that check a design: the one for its interface, and aes_core in it.
_CHECKERS = {
    Interface.BLOCK: "aes_core",
    Interface.WORDS: "aes_words",
    Interface.BYTES: "aes_core",
}

_TREES = [
    pyslang.syntax.SyntaxTree.fromFile(str(path))
    for path in rtl.sources()
    if path.stem in ("aes_pkg", "aes_control_register", "aes_guard", *_CHECKERS.values())
]


def _elaborate(*texts: str) -> pyslang.ast.Compilation:
    """The package and the dispatcher, with an empty core: enough for the checks, and quick."""
    options = pyslang.ast.CompilationOptions()
    options.topModules = {"top"}
    compilation = pyslang.ast.Compilation(pyslang.Bag([options]))
    for tree in _TREES:
        compilation.addSyntaxTree(tree)
    for text in texts:
        compilation.addSyntaxTree(pyslang.syntax.SyntaxTree.fromText(text))
    return compilation


def _text(module: str) -> str:
    return next(p for p in rtl.sources() if p.stem == module).read_text()


def _ports(module: str) -> str:
    match = re.search(r"\) \(\n(.*?)\n\);", _text(module), re.DOTALL)
    assert match
    return match.group(1)


def _connections(module: str) -> str:
    names = re.findall(r"(\w+_(?:i|o|ni)),? *(?://.*)?$", _ports(module), re.MULTILINE)
    return ", ".join(f".{name}()" for name in names)


def _rtl_reasons(module: str, cfg: str, stub: str, connections: dict[str, str]) -> list[str]:
    """The messages with which elaboration of a module that checks stops."""
    instance = f"{module} #(.Cfg({cfg})) u_core ({connections[module]});"
    compilation = _elaborate(stub, f"module top;\n  {instance}\nendmodule\n")
    errors = [d for d in compilation.getAllDiagnostics() if d.isError()]
    assert all(d.code == pyslang.Diags.FatalTask for d in errors), [str(d.code) for d in errors]
    return [str(d.args[0]).removeprefix(": ") for d in errors]


@pytest.mark.kept(*passed.FOLDERS)
def test_legality_is_the_same_in_python_and_rtl() -> None:
    connections = {module: _connections(module) for module in _CHECKERS.values()}
    cores = sorted(p.stem for p in rtl.folder().rglob("aes_core_*.sv"))
    stub = "".join(
        f"module {core} import aes_pkg::*; #(parameter cfg_t Cfg = '0) (\n{_ports(core)}\n);\n"
        "endmodule\n"
        for core in cores
    )
    found = [
        _rtl_reasons(_CHECKERS[point.interface], rtl.cfg_literal(point), stub, connections)
        for point in POINTS
    ]
    differing = [
        (point.axes(), point.reasons(), reasons)
        for point, reasons in zip(POINTS, found, strict=True)
        if sorted(point.reasons()) != sorted(reasons)
    ]
    assert not differing, f"{len(differing)} of {len(POINTS)}, the first: {differing[0]}"
    legal = sum(not reasons for reasons in found)
    assert 0 < legal < len(POINTS)
    # Each reason is met: a rule that never fires is not tested.
    source = "".join(_text(module) for module in _CHECKERS.values())
    rules = set(re.findall(r'begin : gen_illegal_\w+\n +\$fatal\(\s*1,\s*"(.*)"\s*\);', source))
    assert len(rules) > 15
    # Only the RTL can have a data path without S-boxes.
    cfg, changed = re.subn(r"\b(sbox: +aes_pkg::)\w+", r"\1SboxNone", rtl.cfg_literal(Design()))
    assert changed == 1
    (alone,) = _rtl_reasons("aes_core", cfg, stub, connections)
    assert alone == "only a key schedule can do without S-boxes"
    assert {reason for reasons in found for reason in reasons} == rules - {alone}


@pytest.mark.kept(*passed.FOLDERS)
def test_a_refusal_names_the_nearest_legal_values() -> None:
    """What it says is legal, is; and it says something for every point."""
    illegal = [point for point in POINTS if point.reasons()]
    for point in illegal:
        with pytest.raises(AesfabError, match=r"^illegal combination: ") as refused:
            point.require_legal()
        said, offered, way = str(refused.value).partition("; legal with ")
        assert said == f"illegal combination: {'; '.join(point.reasons())}"
        assert offered, said
        one, *others = re.findall(r"(\w+)=(\S+?)(?=,| in | or | |$)", way)
        values = [one[1], *re.findall(r"(?:, | or )([\w-]+)", way)]
        for value in values:
            changed = point.with_axis(one[0], value)
            for axis, other in others:
                changed = changed.with_axis(axis, other)
            assert not changed.reasons(), way
        assert others or way.endswith(f" in place of {point.axes()[one[0]]}")


def test_rules_have_labels_and_reasons_of_their_own() -> None:
    for said in ("label", "reason"):
        every = [getattr(rule, said) for rule in rules.RULES]
        assert len(set(every)) == len(every)


def test_an_axis_belongs_to_the_architectures_that_move_it() -> None:
    """No legal point of another one has another value than the neutral one."""
    rare = (
        ("standaert-ram-compact-21", ["output_register=no"]),
        ("fab-compact", ["output_register=no"]),
        ("standaert-ram-pipeline-21", ["key_schedule=stored", "key_expansion=staged"]),
    )
    moved: dict[str, set[Architecture]] = {axis: set() for axis in OWNED}
    for point in (*POINTS, *(catalogue.find(*each).design for each in rare)):
        if not point.reasons():
            for axis, owned in OWNED.items():
                if getattr(point, axis) is not owned.neutral:
                    moved[axis].add(point.architecture)
    assert moved == {axis: owned.architectures for axis, owned in OWNED.items()}


def test_what_belongs_to_another_architecture_does_not_move() -> None:
    """The axes of its architecture are all that a design can move, and all that it shows."""
    for named in catalogue.CATALOGUE.values():
        own = of_architecture(named.design.architecture)
        for axis in OWNED:
            alone = axis not in own and len(named.design.choices(axis)) > 1
            assert not alone, (named.name, axis)
        assert set(named.design.shown_axes()) <= set(own)


def test_cycle_counts_are_the_same_in_python_and_rtl() -> None:
    legal = [point for point in POINTS if not point.reasons()]
    lengths = {128: 0, 192: 1, 256: 2}
    cases = [(point, bits) for point in legal for bits in point.key_lengths]
    lines = []
    for i, (point, bits) in enumerate(cases):
        arguments = f"C{i}, 2'd{lengths[bits]}"
        lines.append(f"  localparam aes_pkg::cfg_t C{i} = {rtl.cfg_literal(point)};")
        function = "words_latency" if point.interface is Interface.WORDS else "latency"
        lines.append(f"  localparam int L{i} = aes_pkg::{function}({arguments});")
        lines.append(f"  localparam int B{i} = aes_pkg::blocks_in_flight({arguments});")
        lines.append(f"  localparam int K{i} = aes_pkg::key_setup({arguments});")
        lines.append(f"  localparam int S{i} = aes_pkg::sweep_clocks(C{i});")
    compilation = _elaborate("module top;\n" + "\n".join(lines) + "\nendmodule\n")
    assert not [d for d in compilation.getAllDiagnostics() if d.isError()]
    (top,) = (t for t in compilation.getRoot().topInstances if t.name == "top")

    def value(name: str) -> int:
        return int(str(top.body.find(name).value))

    assert {point.architecture for point, _ in cases} == set(Architecture)
    for i, (point, bits) in enumerate(cases):
        assert value(f"L{i}") == point.latency(bits), point
        assert value(f"S{i}") == point.sweep_clocks, point
        if bits == point.key_width:
            # The package speaks of the core behind 32-bit ports.
            assert value(f"B{i}") == point.core.blocks_in_flight, point
        if point.stored_keys:
            assert value(f"K{i}") == point.key_setup(bits), point


def test_legal_points_elaborate_in_full() -> None:
    legal = [point for point in POINTS if not point.reasons()]
    for point in random.Random(1).sample(legal, 25):
        named = catalogue.Named("point", "", "", point)
        files = rtl.needed_by(generate.wrapper(named), named.module)
        assert files[0].stem == "aes_pkg"
        assert files[-1].stem == _CHECKERS[point.interface]


def test_every_kakarlapudi_latency_is_the_papers() -> None:
    for bits, latency in ((128, 11), (192, 13), (256, 15)):
        for direction in ("enc", "dec", "both"):
            design = catalogue.CATALOGUE[f"kakarlapudi-sbox-{direction}-{bits}"].design
            assert design.latency() == latency
            assert design.interval() == latency


def test_every_kakarlapudi_latency_over_32_bit_ports_is_the_papers() -> None:
    """Nr + 10 clocks, one block at a time; the core inside keeps its Nr + 1."""
    for boxes in ("sbox", "tbox"):
        for bits, latency in ((128, 20), (192, 22), (256, 24)):
            for direction in ("enc", "dec", "both"):
                name = f"kakarlapudi-{boxes}-{direction}-{bits}"
                design = catalogue.CATALOGUE[f"{name}-io32"].design
                assert design.core == catalogue.CATALOGUE[name].design
                assert design.latency() == latency
                assert design.interval() == latency
                assert design.core.latency() == latency - 9
                assert {p.width for p in design.ports()} == {1, 32}


def test_pilchard_cycles_are_the_papers() -> None:
    for rounds, latency in ((1, 11), (2, 6), (5, 3), (10, 2)):
        overrides = [f"rounds={rounds}"]
        if rounds > 1:
            overrides = ["sbox=table", "key_sbox=table", *overrides]
        named = catalogue.find("pilchard-unrolled-1", overrides)
        assert named.design.latency() == latency


def test_catalogue_is_legal_and_without_duplicates() -> None:
    seen: dict[Design, str] = {}
    for name, named in catalogue.CATALOGUE.items():
        assert named.name == name
        assert not named.design.reasons()
        assert named.design not in seen, f"{name} is {seen.get(named.design)}"
        seen[named.design] = name


@pytest.mark.parametrize(
    ("name", "overrides", "message"),
    [
        ("kakarlapudi-sbox-enc-129", [], "did you mean .*kakarlapudi-sbox-enc-128"),
        ("kakarlapudi-sbox-enc-128", ["sbx=rom"], "unknown axis 'sbx'; did you mean sbox"),
        ("kakarlapudi-sbox-enc-128", ["sbox=towr"], "unknown sbox value 'towr'; did.*tower"),
        ("kakarlapudi-sbox-enc-128", ["sbox"], "not of the form axis=value"),
        ("kakarlapudi-sbox-enc-128", ["rounds=2"], "illegal combination: several rounds a clock"),
        ("pilchard-unrolled-1", ["rounds=2"], "a block-RAM S-box takes a clock"),
        ("pilchard-unrolled-1", ["direction=both"], "they serve encryption only"),
        ("fab-tiny", ["direction=both"], "a data path of 8 bits is for one direction"),
        ("fab-tiny-dec", ["key_bits=192"], "decrypts under 128-bit keys only"),
        ("pilchard-unrolled-1", ["interface=words"], "32-bit ports load a key by itself"),
    ],
)
def test_bad_designs_are_refused_in_one_line(name: str, overrides: list[str], message: str) -> None:
    with pytest.raises(AesfabError, match=message) as caught:
        catalogue.find(name, overrides)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_status == 2


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("fab-interleaved", "key_register=staged", ["key_expansion=staged"]),
        ("fab-pipeline", "key_register=staged", ["key_register=sub-word", "key_expansion=staged"]),
        ("fab-compact", "key_register=offered", []),
    ],
)
def test_old_names_mean_what_they_meant(
    name: str, old: str, new: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """And are said to be old, once."""
    _say_moved.cache_clear()
    found = [catalogue.point(name, [old]) for _ in range(2)]
    assert found == [catalogue.point(name, new)] * 2
    assert [f"{axis}={value}" for axis, value in found[0].overrides] == new
    printed = capsys.readouterr()
    now = "staged" if "staged" in old else "word-serial"
    assert printed.err == f"{old} is called key_register=sub-word key_expansion={now} now\n"
    assert printed.out == ""


def test_an_axis_given_twice_is_refused() -> None:
    """Of engines as of cores, with the same value too."""
    for find in (
        lambda words: catalogue.find("fab-tiny", words),
        lambda words: engines.find("gcm-tiny", words),
    ):
        with pytest.raises(AesfabError, match=r"^clear is given twice$"):
            find(["clear=yes", "clear=no"])
        with pytest.raises(AesfabError, match=r"^clear is given twice$"):
            find(["clear=no", "clear=no"])


def test_overrides_name_the_module() -> None:
    named = catalogue.find("kakarlapudi-sbox-enc-128", ["sbox=tower", "direction=encrypt"])
    assert named.overrides == (("sbox", "tower"),)
    assert named.module == "aes_kakarlapudi_sbox_enc_128_sbox_tower"


def test_sboxes_of_the_key_schedules() -> None:
    """A pipeline has one for each byte of each SubWord of KeyExpansion: 10, 8 or 13 words."""
    for bits, words in ((128, 10), (192, 8), (256, 13)):
        assert len(substituted_words(bits)) == words
        overrides = [f"key_bits={bits}"]
        rounds = ROUNDS_OF_KEY[bits]
        pipeline = catalogue.find("standaert-ram-pipeline-21", overrides).design
        assert pipeline.sbox_count == 16 * rounds + 4 * words
        assert pipeline.sbox_rom_bits == 2048 * (8 * rounds + 2 * words)
        stored = catalogue.find(
            "standaert-ram-pipeline-21", [*overrides, "key_schedule=stored", "direction=both"]
        ).design
        assert stored.sbox_count == 16 * rounds + 4
        assert stored.key_memory_bits == 2 * 2 * 128 * (rounds + 1)


_ROMS = [
    *((name, ()) for name, named in catalogue.CATALOGUE.items() if named.design.sbox_rom_bits),
    ("fab-iterative-both", ("sbox=rom",)),
    ("fab-iterative-both", ("sbox=rom", "key_sbox=rom")),
    ("fab-iterative-both", ("sbox=rom", "key_register=sub-word")),
]


@pytest.mark.kept("src/aesfab/design", "src/aesfab/eda", "src/aesfab/hdl", "rtl")
@pytest.mark.parametrize(("name", "overrides"), _ROMS)
def test_bits_of_sbox_rom_are_those_of_the_rtl(name: str, overrides: tuple[str, ...]) -> None:
    """Of all memories for block RAM with an entry for each byte; round keys have fewer entries."""
    named = catalogue.find(name, overrides)
    netlist = yosys.elaborated(generate.sources(named), named.module)
    bits = 0
    for cell in netlist["cells"].values():
        if cell["type"] == "$mem_v2" and "block" in cell["attributes"].values():
            size, width = (int(cell["parameters"][key], 2) for key in ("SIZE", "WIDTH"))
            bits += size * width * (size >= 256)
    assert named.design.sbox_rom_bits == bits > 0


def test_axes_that_a_design_can_move_are_those_with_another_legal_value() -> None:
    """Each of the values alone gives a legal design, and no other value of any axis does."""
    for name, named in catalogue.CATALOGUE.items():
        design = named.design
        moves = design.moves()
        shown = design.shown_axes()
        assert {"architecture", "sbox", "direction", "key_bits"} <= set(shown), name
        assert set(moves) <= set(shown)
        for axis, kind in AXES.items():
            legal = [v.value for v in kind if not design.with_axis(axis, str(v.value)).reasons()]
            assert moves.get(axis, [design.axes()[axis]]) == legal, (name, axis)
            assert shown.get(axis, []) == [v for v in legal if v != design.axes()[axis]]
    # An axis of another architecture says nothing.
    iterative = catalogue.find("fab-iterative-256").design.shown_axes()
    assert not {"lookups", "order", "restart", "loop_level", "datapath"} & set(iterative)
    assert iterative["key_bits"] == [128, 192, "any"]
