# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""A processor in the loop: libaesfab on a small RISC-V system in simulation, every clock counted.

The system is ``host/soc/rtl`` around a processor that comes as a Python package; the program is
libaesfab with ``host/soc/firmware``, compiled by the RISC-V compiler of the machine. The program
checks itself against the standards; what it made of a random message is read out of the simulated
memory and judged by OpenSSL.
"""

from __future__ import annotations

import ctypes
import dataclasses
import importlib.metadata
import importlib.util
import itertools
import random
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aesfab import __version__
from aesfab.design.catalogue import Named
from aesfab.eda import simulate, yosys
from aesfab.errors import AesfabError, ToolError
from aesfab.hdl import rtl
from aesfab.host.driver import C_FLAGS
from aesfab.host.system import System, c_folder
from aesfab.system import cache, process
from aesfab.verify import oracle

CLOCK_MHZ = 100
"""The clock for which throughput is stated; a parameter of the RTL, for its microseconds."""

PATHS = ("copy", "dma")
"""How blocks get to the device and back: copied by the processor, or moved by the DMA engine."""

DEPTH = 512
"""Blocks in each buffer of a device."""

COMPILER = "riscv64-unknown-elf-gcc"
"""The RISC-V compiler, on PATH."""

PACKAGES = "gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf"
"""What brings it and its C library on Debian and Ubuntu."""

_CPU_PACKAGE = "pythondata-cpu-picorv32"
RAM_BYTES = 4 * 65536
"""Of the memory of a system."""

_PROGRAM_BYTES = 0x10000  # of the RAM, from its start; the rest is data and stack
_FLAGS = (
    f"-DSOC_CLOCKS_PER_US={CLOCK_MHZ}",
    *(flag for flag in C_FLAGS if flag != "-fPIC"),
    *("-march=rv32im", "-mabi=ilp32", "-specs=picolibc.specs", "-DPICOLIBC_INTEGER_PRINTF_SCANF"),
    *("-ffunction-sections", "-Wl,--gc-sections"),
    f"-Wl,--defsym=__flash=0,--defsym=__flash_size={_PROGRAM_BYTES:#x}",
    f"-Wl,--defsym=__ram={_PROGRAM_BYTES:#x},--defsym=__ram_size={RAM_BYTES - _PROGRAM_BYTES:#x}",
)
LIBRARY = ("aesfab.c", "copy.c", "engine.c", "window.c")
"""Sources of the C library that need no operating system."""

_SHARED = ("soc.c",)  # of ``firmware``, for every program
_BUILD_LIMIT = 300.0  # seconds
_SLICE = 100_000  # clocks between two reports of progress
_CLOCKS = 30_000_000  # in which every program ends, with ten times what the slowest core takes


class SocError(AesfabError):
    """The program on the processor went wrong, or OpenSSL says otherwise.

    Attributes:
        lines: what the program said was wrong.
    """

    exit_status = 1

    def __init__(self, message: str, lines: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.lines = tuple(lines)


# --------------------------------------------------------------------------- firmware


@dataclasses.dataclass(frozen=True)
class Firmware:
    """A compiled program.

    Attributes:
        image: what the memory holds from address 0 on.
        symbols: name to address and size in bytes.
        compiler: its name and version.
    """

    image: bytes
    symbols: dict[str, tuple[int, int]]
    compiler: str


def compiler() -> str:
    """The path of the RISC-V compiler; AesfabError, which names the package, when it is missing."""
    found = shutil.which(COMPILER)
    if found is None:
        raise AesfabError(
            f"the RISC-V compiler {COMPILER} is missing; "
            f"on Debian or Ubuntu: sudo apt install {PACKAGES}"
        )
    specs = process.run([found, "-print-file-name=picolibc.specs"], what="the RISC-V compiler")
    if not Path(specs.strip()).is_absolute():
        raise AesfabError(
            "the C library for RISC-V is missing; on Debian or Ubuntu: sudo apt install "
            + PACKAGES.split()[1]
        )
    return found


def firmware(program: str = "firmware") -> Firmware:
    """A program, from the cache or compiled now.

    Args:
        program: its folder in ``host/soc``; beside it stands what all share.

    Raises:
        AesfabError: no compiler, an unwritable cache.
        ToolError: the compiler fails.
    """
    command = compiler()
    folder = c_folder()
    shared, own = folder / "soc" / "firmware", folder / "soc" / program
    units = [*(folder / "src" / name for name in LIBRARY), *(shared / name for name in _SHARED)]
    units += [path for path in sorted(own.glob("*.c")) if path not in units]
    folders = list(dict.fromkeys((folder / "include", folder / "src", shared, own)))
    headers = [path for each in folders for path in sorted(each.glob("*.h"))]
    version = process.run([command, "--version"], what="the RISC-V compiler").splitlines()[0]
    key = process.content_key(version, " ".join(_FLAGS), units, headers)

    def make(empty: Path) -> None:
        elf, image = empty / "program.elf", empty / "program.bin"
        process.run(
            [command, *_FLAGS, *(f"-I{each}" for each in folders), *units, "-o", elf],
            what="compiling libaesfab for RISC-V",
            timeout=_BUILD_LIMIT,
        )
        process.run([_binutil("objcopy"), "-O", "binary", elf, image], what="reading a program")

    made = cache.folder("firmware", key, make)
    elf, image = made / "program.elf", made / "program.bin"
    listing = process.run([_binutil("nm"), "-S", elf], what="reading a program")
    symbols = {
        fields[3]: (int(fields[0], 16), int(fields[1], 16))
        for line in listing.splitlines()
        if len(fields := line.split()) == 4
    }
    return Firmware(image.read_bytes(), symbols, f"{COMPILER} {version.split()[-1]}")


def _binutil(name: str) -> str:
    return COMPILER.removesuffix("gcc") + name


# --------------------------------------------------------------------------- hardware


def processor() -> Path:
    """The RTL of the processor, as its package has it."""
    spec = importlib.util.find_spec(_CPU_PACKAGE.replace("-", "_"))
    if spec is None or spec.origin is None:
        raise AesfabError(f"the Python package {_CPU_PACKAGE} is missing; pip install it")
    return Path(spec.origin).parent / "verilog" / "picorv32.v"


_PROCESSOR = ("aes_soc_ram", "aes_soc_control", "aes_soc_processor")
_DEVICES = ("aes_soc_bridge", "aes_soc_dma", "aes_soc")


def rtl_files(devices: Sequence[str] = _DEVICES) -> list[Path]:
    """Our files of a system on a chip, leaves first.

    Args:
        devices: modules beside the processor and its RAM.
    """
    return own_files(*_PROCESSOR, *devices)


def own_files(*modules: str) -> list[Path]:
    """The files of modules of ``host/soc/rtl``."""
    return [c_folder() / "soc" / "rtl" / f"{name}.sv" for name in modules]


def module(named: Named) -> str:
    """Name of the top module."""
    return f"{named.module}_soc"


CONSOLE = ("console_valid_o", "console_data_o", "exit_valid_o", "exit_status_o", "trap_o")
"""What a system tells the world outside."""


def top_module(top: str, name: str, body: str) -> str:
    """The text of a top module around a system.

    Args:
        top: its name.
        name: that of the design or engine in it.
        body: what stands in it; the ports are clk_i, rst_ni and CONSOLE.
    """
    return f"""// Copyright AESFab contributors.
// SPDX-License-Identifier: Apache-2.0

// {top}: a processor and {name}, generated by AESFab {__version__}.

module {top} (
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic        console_valid_o,
  output logic [7:0]  console_data_o,
  output logic        exit_valid_o,
  output logic [31:0] exit_status_o,
  output logic        trap_o
);

{body}
endmodule
"""


def wrapper(named: Named) -> str:
    """The top module: the system with all parameters fixed."""
    outside = ",\n".join(f"    .{port}" for port in CONSOLE)
    body = f"""  localparam aes_pkg::cfg_t Cfg = {rtl.cfg_literal(named.design)};

  aes_soc #(
    .Cfg        (Cfg),
    .Depth      ({DEPTH}),
    .RamWords   ({RAM_BYTES // 4}),
    .ClocksPerUs({CLOCK_MHZ})
  ) u_soc (
    .clk_i,
    .rst_ni,
{outside}
  );
"""
    return top_module(module(named), named.name, body)


def sources(named: Named) -> list[Path]:
    """The files of a system in compilation order: RTL, system, processor, top module."""
    System(named).require_legal()
    text = wrapper(named)
    top = module(named)
    beside = [*rtl_files(), processor()]
    return [*rtl.needed_by(text, top, beside), *beside, cache.source(text, f"{top}.sv")]


def simulation(named: Named, progress: simulate.Progress = simulate.silent) -> Path:
    """The system as a shared library, from the cache or built now.

    Raises:
        AesfabError: an illegal design, no compiler, an unwritable cache.
        ToolError: Verilator or the compiler fails.
    """
    return build(sources(named), module(named), progress)


def build(files: Sequence[Path], top: str, progress: simulate.Progress = simulate.silent) -> Path:
    """A system of these files as a shared library; ``u_soc`` of its top module has the processor.

    Raises: see ``simulation``.
    """
    folder = c_folder() / "soc"
    return simulate.build_library(
        [folder / "rtl" / "picorv32.vlt", *files],
        top,
        folder / "sim" / "soc.cpp",
        defines=[f"AESFAB_SOC_RAM={top}__DOT__u_soc__DOT__u_processor__DOT__u_ram__DOT__mem_q"],
        progress=progress,
    )


class Machine:
    """A simulated system and what its program does; a context manager."""

    def __init__(self, path: Path, seed: int) -> None:
        try:
            self._library = ctypes.CDLL(str(path))
        except OSError as error:
            raise ToolError(f"cannot load the simulation: {error}") from error
        pointer, u32, u64 = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64
        types: dict[str, tuple[Any, list[Any]]] = {
            "create": (pointer, [u32]),
            "destroy": (None, [pointer]),
            "write": (ctypes.c_bool, [pointer, u32, ctypes.c_char_p, u32]),
            "read": (ctypes.c_bool, [pointer, u32, ctypes.c_char_p, u32]),
            "run": (ctypes.c_int, [pointer, u64]),
            "status": (ctypes.c_int32, [pointer]),
            "clocks": (u64, [pointer]),
            "console": (ctypes.c_char_p, [pointer]),
        }
        for name, (result, arguments) in types.items():
            function = getattr(self._library, f"aesfab_soc_{name}")
            function.restype, function.argtypes = result, arguments
        self._handle = ctypes.c_void_p(self._library.aesfab_soc_create(seed))

    def __enter__(self) -> Machine:
        return self

    def __exit__(self, *_: object) -> None:
        handle, self._handle = self._handle, ctypes.c_void_p()
        self._library.aesfab_soc_destroy(handle)

    @property
    def clocks(self) -> int:
        """Clocks since the reset."""
        return int(self._library.aesfab_soc_clocks(self._handle))

    @property
    def console(self) -> str:
        """What the program has said."""
        text: bytes = self._library.aesfab_soc_console(self._handle)
        return text.decode(errors="replace")

    def write(self, address: int, data: bytes) -> None:
        """Write memory while the clock stands."""
        if not self._library.aesfab_soc_write(self._handle, address, data, len(data)):
            raise ToolError(f"the simulated memory has no {len(data)} bytes at {address:#x}")

    def read(self, address: int, count: int) -> bytes:
        """Read memory while the clock stands."""
        data = ctypes.create_string_buffer(count)
        if not self._library.aesfab_soc_read(self._handle, address, data, count):
            raise ToolError(f"the simulated memory has no {count} bytes at {address:#x}")
        return data.raw

    def run(self, progress: simulate.Progress) -> int:
        """Run the program to its end; its status."""
        for done in range(0, _CLOCKS, _SLICE):
            progress("run the program", done // _SLICE, 0)
            state = self._library.aesfab_soc_run(self._handle, _SLICE)
            if state == 1:
                return int(self._library.aesfab_soc_status(self._handle))
            if state == 2:
                raise SocError(
                    f"the processor stopped after {self.clocks} clocks: {self.last_line}"
                )
        raise SocError(f"the program did not end in {_CLOCKS} clocks: {self.last_line}")

    @property
    def last_line(self) -> str:
        """The last thing that the program has said, for a message."""
        lines = self.console.splitlines()
        return f"its last line was '{lines[-1]}'" if lines else "it has said nothing"


# --------------------------------------------------------------------------- running


@dataclasses.dataclass(frozen=True)
class Row:
    """A message through a device: one call of the library.

    Attributes:
        path: one of PATHS.
        direction: ``encrypt`` or ``decrypt``.
        blocks: length of the message.
        cycles: from the call to its return.
        instructions: of the processor in this time.
        bus_cycles: of ``cycles``, those in which the processor stood at the device.
    """

    path: str
    direction: str
    blocks: int
    cycles: int
    instructions: int
    bus_cycles: int

    @property
    def per_block(self) -> float:
        """Cycles per block."""
        return self.cycles / self.blocks

    @property
    def mbit_s(self) -> float:
        """Throughput at CLOCK_MHZ."""
        return 8 * oracle.BLOCK_BYTES * CLOCK_MHZ / self.per_block


@dataclasses.dataclass(frozen=True)
class Result:
    """What a run was.

    Attributes:
        key_bits: length of the key of all rows.
        interval: cycles per block of the core alone.
        checks: examples of the standards and comparisons that the program did.
        interrupts: the processor slept for results, on the path ``copy``.
        costs: cycles of opening a device and of setting a key, by path and what; with interrupts
            also how often the processor slept (``sleeps``).
        rows: all messages.
        clocks: clocks simulated.
        seconds: wall time.
        firmware: the program.
    """

    key_bits: int
    interval: float
    checks: int
    interrupts: bool
    costs: dict[str, dict[str, int]]
    rows: tuple[Row, ...]
    clocks: int
    seconds: float
    firmware: Firmware

    def summary(self) -> list[dict[str, Any]]:
        """For each path and direction: what a message of one block takes, and one more of many.

        The latter, with its instructions and its cycles at the bus, is the slope between the two
        longest messages.
        """
        lines = []
        for path, direction in dict.fromkeys((row.path, row.direction) for row in self.rows):
            rows = sorted(
                (row for row in self.rows if (row.path, row.direction) == (path, direction)),
                key=lambda row: row.blocks,
            )
            many, most = rows[-2:]
            blocks = most.blocks - many.blocks
            lines.append(
                {
                    "path": path,
                    "direction": direction,
                    "one_block": rows[0].cycles,
                    "each_more": round((most.cycles - many.cycles) / blocks, 2),
                    "instructions": round((most.instructions - many.instructions) / blocks, 2),
                    "bus_cycles": round((most.bus_cycles - many.bus_cycles) / blocks, 2),
                }
            )
        return lines

    def record(self, named: Named, seed: int) -> dict[str, Any]:
        """The run as a record; the same system, program and seed give the same one."""
        files = sources(named)
        return {
            "kind": "host-soc",
            "design": named.name,
            "parameters": named.design.axes(),
            "data_width": 32,
            "depth": DEPTH,
            "guarded": True,
            "netlist_hash": yosys.netlist_hash(files, module(named)),
            "rtl_hash": process.content_key(files),
            "firmware_hash": process.content_key(self.firmware.image),
            "seed": seed,
            "interrupts": self.interrupts,
            "clock_mhz": CLOCK_MHZ,
            "key_bits": self.key_bits,
            "interval": self.interval,
            "checks": self.checks,
            "costs": self.costs,
            "messages": [
                {
                    **dataclasses.asdict(row),
                    "cycles_per_block": round(row.per_block, 3),
                    "mbit_s": round(row.mbit_s, 1),
                }
                for row in self.rows
            ],
            "summary": self.summary(),
            "clocks": self.clocks,
            "passed": True,
            "tools": tools(self.firmware),
        }


def tools(program: Firmware) -> dict[str, str]:
    """What a run was done with, for its record."""
    return {
        "verilator": f"verilator {simulate.verilator_version()}",
        "processor": f"{_CPU_PACKAGE} {importlib.metadata.version(_CPU_PACKAGE)}",
        "compiler": program.compiler,
        **oracle.versions(),
    }


def run(
    named: Named,
    *,
    seed: int = 1,
    interrupts: bool = False,
    program: Firmware | None = None,
    progress: simulate.Progress = simulate.silent,
) -> Result:
    """Build a system around a design, run the program on it and judge what it did.

    Args:
        named: the design.
        seed: of the message, its key, and of state without a reset value.
        interrupts: the processor sleeps for results instead of asking, on the path ``copy``.
        program: another program than ``firmware()``.
        progress: told of each step.

    Raises:
        SocError: the program found something wrong, or did not end, or OpenSSL disagrees.
        AesfabError: an illegal design, no compiler, an unwritable cache.
        ToolError: a tool fails.
    """
    program = program or firmware()
    path = simulation(named, progress)
    design = named.design
    key_bits = min(design.key_lengths)
    rng = random.Random(seed)
    key = rng.randbytes(key_bits // 8)
    where, size = program.symbols["given_message"]
    message = rng.randbytes(size)
    start = time.monotonic()
    with Machine(path, seed) as machine:
        machine.write(0, program.image)
        machine.write(
            program.symbols["given_key"][0], len(key).to_bytes(4, "little") + key.ljust(32, b"\0")
        )
        machine.write(where, message)
        machine.write(program.symbols["given_interrupts"][0], int(interrupts).to_bytes(4, "little"))
        status = machine.run(progress)
        said = machine.console.splitlines()
        wrong = [line for line in said if line.startswith("error ") or line.endswith(" WRONG")]
        if wrong or status:
            why = wrong[0] if wrong else f"status {status}: {machine.last_line}"
            raise SocError(f"the program on the processor: {why}", wrong)
        _judge(named, program, machine, key, message)
        clocks = machine.clocks
    seconds = time.monotonic() - start
    checks, costs, rows = _parsed(said)
    _require_checks(checks, named, key_bits)
    return Result(
        key_bits=key_bits,
        interval=float(design.interval_number(key_bits)),
        checks=len(checks),
        interrupts=interrupts,
        costs=costs,
        rows=rows,
        clocks=clocks,
        seconds=seconds,
        firmware=program,
    )


def _judge(named: Named, program: Firmware, machine: Machine, key: bytes, message: bytes) -> None:
    """Compare what the program made of the message, on every path, with OpenSSL."""
    for number, path in enumerate(PATHS):
        source = message
        for symbol, decrypt, has in (
            ("made_cipher", False, named.design.can_encrypt),
            ("made_plain", True, named.design.can_decrypt),
        ):
            if not has:
                continue
            got = machine.read(program.symbols[symbol][0] + number * len(message), len(message))
            wanted = oracle.ecb(key, source, decrypt=decrypt)
            if got != wanted:
                first = oracle.first_difference(got, wanted)
                verb = "decrypted" if decrypt else "encrypted"
                raise SocError(f"{path}: block {first} {verb} differs from what OpenSSL says")
            source = got


def _parsed(
    said: list[str],
) -> tuple[set[tuple[str, ...]], dict[str, dict[str, int]], tuple[Row, ...]]:
    """The lines of the program: checks, costs and measurements."""
    checks = set()
    costs: dict[str, dict[str, int]] = {path: {} for path in PATHS}
    rows = []
    for line in said:
        word, *fields = line.split()
        if word == "check":
            checks.add(tuple(fields[:-1]))
        elif word == "cost":
            costs[fields[0]][fields[1]] = int(fields[2])
        elif word == "measure":
            rows.append(Row(fields[0], fields[1], *map(int, fields[2:])))
    return checks, costs, tuple(rows)


def _require_checks(checks: set[tuple[str, ...]], named: Named, key_bits: int) -> None:
    """SocError unless the program did every check that this design allows."""
    design = named.design
    has = {"encrypt": design.can_encrypt, "decrypt": design.can_decrypt}
    lengths = [str(bits) for bits in design.key_lengths]
    wanted = set(
        itertools.product(
            PATHS, ("fips-197", "sp800-38a"), lengths, [way for way, can in has.items() if can]
        )
    )
    if all(has.values()):
        wanted |= {(path, "message", str(key_bits), "both") for path in PATHS}
    if checks != wanted:
        raise SocError(f"the program on the processor left checks out: {sorted(wanted ^ checks)}")
