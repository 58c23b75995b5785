# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""After a sweep nothing of a key or a block is left in a core: every bit of its state is compared.

Two runs of a core get the same handshakes, with different keys and blocks. After ``clear_i``, or
after a reset, and the clocks that the design states, all of their state is the same.
"""

from __future__ import annotations

import ctypes
import dataclasses
import itertools
import shutil
from pathlib import Path

import pytest

import passed
import test_spec
from aesfab.design import catalogue
from aesfab.design.axes import Clear
from aesfab.design.design import Design
from aesfab.design.ports import Port
from aesfab.eda import simulate
from aesfab.folder import generate
from aesfab.system import process

pytestmark = pytest.mark.kept(*passed.EDA, "src/aesfab/verify", "src/aesfab/design", passed.cores)

# Offers come at random moments, the same ones for every secret. What is offered stays until taken,
# which matters where the direction of a block or an offered key does.
_PROGRAM = """\
#include <malloc.h>
#include <verilated.h>
#include <verilated_save.h>
#include <cstdint>
#include <memory>
#include "Vdut.h"

namespace {

struct Noise {
  uint64_t state;
  uint32_t next() {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return static_cast<uint32_t>((state * 0x2545F4914F6CDD1Du) >> 32);
  }
  template <typename Words> void fill(Words& words, int number) {
    for (int i = 0; i < number; ++i) words[i] = next();
  }
};

struct Core {
  VerilatedContext context;
  std::unique_ptr<Vdut> dut;
  Noise secret, open{0x1234567};

  explicit Core(uint64_t seed) : secret{0x9E3779B97F4A7C15u * (seed + 1)} {
#ifdef M_PERTURB
    // Verilator saves results of functions as well, which begin as what the memory holds.
    mallopt(M_PERTURB, 1);
#endif
    context.randReset(2);
    context.randSeed(1);
    dut = std::make_unique<Vdut>(&context);
    dut->rst_ni = 1;
    clock();
  }

  void clock() {
    dut->clk_i = 0;
    dut->eval();
    dut->clk_i = 1;
    dut->eval();
  }

  void idle(int clocks) {
    for (int i = 0; i < clocks; ++i) {
      @ZERO@
      clock();
    }
  }

  void work(int clocks) {
    for (int i = 0; i < clocks; ++i) {
      dut->clk_i = 0;
      dut->eval();
      @OFFER@
      clock();
    }
  }

  bool save(const char* path) {
    @ZERO@
    dut->clk_i = 0;
    dut->eval();
    VerilatedSave file;
    file.open(path);
    if (!file.isOpen()) return false;
    file << *dut;
    file.close();
    return true;
  }
};

}  // namespace

extern "C" int run(uint64_t secret, int by_reset, int working, int sweep, const char* before,
                   const char* after) {
  Core core(secret);
  core.dut->rst_ni = 0;
  core.idle(3);
  core.dut->rst_ni = 1;
  core.idle(sweep);
  core.work(working);
  if (!core.save(before)) return 1;
  (by_reset ? core.dut->rst_ni : core.dut->clear_i) = by_reset ? 0 : 1;
  core.clock();
  (by_reset ? core.dut->rst_ni : core.dut->clear_i) = by_reset ? 1 : 0;
  core.idle(sweep);
  return core.save(after) ? 0 : 1;
}
"""


def _program(ports: list[Port]) -> str:
    """The program for a core: what it drives by names of ports."""
    zero, offer = [], []
    for port in ports:
        if not port.is_input or port.name in ("clk_i", "rst_ni", "clear_i"):
            continue
        pin, words = f"dut->{port.name}", port.width // 32
        if port.width > 64:
            zero.append(f"for (int w = 0; w < {words}; ++w) {pin}[w] = 0;")
            change = f"secret.fill({pin}, {words});"
        else:
            zero.append(f"{pin} = 0;")
            change = f"{pin} = (uint64_t{{secret.next()}} << 32 | secret.next())"
            change += f" & {hex((1 << port.width) - 1)}u;" if port.width < 64 else ";"
        if port.name == "key_len_i":
            change = f"{pin} = open.next() % 3;"
        if port.name == "in_decrypt_i":
            change = f"{pin} = open.next() & 1;"
        if port.name.endswith("_valid_i"):
            continue
        side = {"key": "key", "in": "in"}.get(port.name.split("_")[0], "round_key")
        offer.append(f"if (new_{side}) {{ {change} }}")
    valids = [p.name for p in ports if p.is_input and p.name.endswith("_valid_i")]
    first = []
    for name in valids:
        side, ready = name.removesuffix("_valid_i"), name.replace("valid_i", "ready_o")
        # A new offer where the last one was taken, or there was none.
        first.append(f"const bool new_{side} = !dut->{name} || dut->{ready};")
        rare = 63 if side == "key" else 3
        first.append(f"const bool valid_{side} = (open.next() & {rare}) == 0;")
        zero.append(f"dut->{name} = 0;")
        offer.append(f"if (new_{side}) dut->{name} = valid_{side};")
    text = _PROGRAM.replace("@ZERO@", "\n      ".join(dict.fromkeys(zero)))
    return text.replace("@OFFER@", "\n      ".join([*first, *offer]))


def _states(
    sources: list[Path], module: str, design: Design, by_reset: bool, folder: Path
) -> tuple[list[bytes], list[bytes]]:
    """The whole state of two runs with different secrets, before and after the sweep."""
    program = folder / "erasure.cpp"
    program.write_text(_program(design.ports()))
    path = simulate.build_library(sources, module, program, savable=True)
    run = ctypes.CDLL(str(path)).run
    run.argtypes = [ctypes.c_uint64, *[ctypes.c_int] * 3, *[ctypes.c_char_p] * 2]
    working = 12 * (design.latency() + design.key_setup()) + 3 * design.direction_change
    before, after = [], []
    for secret in (1, 2):
        files = folder / f"before{secret}", folder / f"after{secret}"
        names = [str(file).encode() for file in files]
        assert run(secret, by_reset, working, design.sweep_clocks, *names) == 0
        before.append(files[0].read_bytes())
        after.append(files[1].read_bytes())
    return before, after


def erased(named: catalogue.Named, folder: Path) -> None:
    """A core forgets everything in the clocks that its design states."""
    for by_reset in (False, True):
        sources = generate.sources(named)
        before, after = _states(sources, named.module, named.design, by_reset, folder)
        assert before[0] != before[1], "the comparison sees the secrets"
        assert after[0] == after[1], "by reset" if by_reset else "by clear_i"


def _cleared() -> dict[str, catalogue.Named]:
    """Every named design with a port that clears, with those that have it anyway."""
    return {
        name: catalogue.find(name, ["clear=yes"])
        for name, named in catalogue.CATALOGUE.items()
        if "yes" in named.design.choices("clear")
    }


def _pairs(design: Design) -> set[tuple[tuple[str, str], tuple[str, str]]]:
    """Each two values that a design has together."""
    return set(itertools.combinations(sorted(design.axes().items()), 2))


def _covering(named: dict[str, catalogue.Named]) -> dict[str, catalogue.Named]:
    """Points without a name with a port that clears: few, with all pairs of values of all of them.

    Pairs that a design with a name has are not looked for again.
    """
    known = {each.design for each in named.values()}
    points = [dataclasses.replace(point, clear=Clear.YES) for point in test_spec.POINTS]
    pairs = {p: _pairs(p) for p in points if not p.reasons() and p not in known}
    left = set().union(*pairs.values()).difference(*(_pairs(design) for design in known))
    found = []
    while left:
        found.append(max(pairs, key=lambda point: len(pairs[point] & left)))
        left -= pairs[found[-1]]
    return {(name := _name(point)): catalogue.Named(name, "", "", point) for point in found}


def _name(point: Design) -> str:
    """One that it has whatever other points there are."""
    return f"point-{process.content_key(repr(sorted(point.axes().items())))[:8]}"


def _identity(named: catalogue.Named) -> passed.Follows:
    """Of the check of a core: the program is its own, so there is no bench, and no judge of blocks.

    What builds it is in it, with its flags.
    """
    built_by = (
        *(simulate.build_library, simulate._verilate),
        *(simulate._compile, simulate._cxx_flags),
    )
    flags = [getattr(simulate, name) for name in _FLAGS]
    return passed.of_netlist(
        named, erased, _states, _program, *built_by, more=[_PROGRAM, repr(flags)], judges=()
    )


_FLAGS = (
    *("_VERILATOR_FLAGS", "_RUNTIME_SOURCES", "_SAVE_SOURCES"),
    *("_CXX_FLAGS", "_CXX_FLAGS_RUNTIME", "_CXX_FLAGS_MODEL", "_CXX_FLAGS_ONCE"),
)
"""What ``simulate.build_library`` has beside its code."""

NAMED = _cleared()
CLEARED = {**NAMED, **_covering(NAMED)}


@pytest.mark.parametrize("name", CLEARED)
def test_nothing_is_left_of_keys_and_blocks(name: str, tmp_path: Path) -> None:
    named = CLEARED[name]
    passed.once(f"{named.module}, erasure", _identity(named), lambda: erased(named, tmp_path))


@pytest.mark.parametrize("name", _FLAGS)
def test_what_passed_with_other_flags_is_not_believed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = NAMED["fab-tiny"]
    before = _identity(named)
    monkeypatch.setattr(simulate, name, ("-O3",))
    after = _identity(named)
    assert before.given != after.given
    assert before.exact() != after.exact()


def test_every_design_can_be_cleared() -> None:
    assert set(NAMED) == set(catalogue.CATALOGUE)
    assert len(CLEARED) > len(NAMED) + 80


# Sweeps that leave something, of each part of it. The first round key of a zero key is zero.
_LEFT = [
    ("kakarlapudi-sbox-both-any", "aes_key_memory.sv",
     "if (write) mem", "if (write && words_i != '0) mem"),
    ("kakarlapudi-sbox-both-any", "aes_guard.sv", ") + 1 : 1;", ") * 0 + 1 : 1;"),
    ("fab-narrow-both", "aes_guard.sv",
     "sweep_block = count_q", "sweep_block = Cfg.dir != DirBoth && count_q"),
    ("fab-narrow-256", "aes_key_turns.sv", "(Clear & start)", "(Clear & start & 1'b0)"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "file", "old", "new"), _LEFT)
def test_what_is_left_is_found(name: str, file: str, old: str, new: str, tmp_path: Path) -> None:
    named = catalogue.find(name, ["clear=yes"])
    sources = [Path(shutil.copy(path, tmp_path)) for path in generate.sources(named)]
    text = (tmp_path / file).read_text()
    assert old in text
    (tmp_path / file).write_text(text.replace(old, new))
    before, after = _states(sources, named.module, named.design, False, tmp_path)
    assert before[0] != before[1]
    assert after[0] != after[1]
