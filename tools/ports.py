# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The ports of ``aes_core``, of its guard, and of the core of each architecture: one table.

``PORTS`` says what each port is and which cores have it. ``make generated`` prints the port lists
from it, each between ``) (`` and ``);`` of its module. Into ``aes_core.sv`` it prints what connects
them: the guard or the wires without it, and in each branch the instance of a core, with a constant
for every output that the core does not have. Which design has which core is said by the conditions
of these branches, which are written by hand.

To add a port: a row, and its use. To add a core: its name in the sets below, a module with an empty
port list, and a branch with ``aes_core_NAME #();`` in ``aes_core.sv``.

A printed list, and no SystemVerilog interface: an interface needs a modport for each core, which is
the same list again, and plain Verilog and VHDL have none.
"""

from __future__ import annotations

import dataclasses
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from aesfab.hdl import rtl

ROOT = Path(__file__).resolve().parents[1]
STUB = ROOT / "tests" / "formal" / "stub" / "aes_core.sv"
"""What stands for ``aes_core`` in proofs of its surroundings."""

_STORED_IN_PART = {"iterative", "iterative_tbox", "interleaved", "pipelined"}
_STORED_ONLY = {"iterative_ahead", "iterative_compact", "narrow", "narrow_turns"}
_ON_THE_FLY_ONLY = {
    "iterative_shared", "rolling", "rolling_columns", "narrow_shared", "narrow_serial",
    "narrow_shift", "narrow_bytes", "narrow_bytes_decrypt", "microcoded",
}  # fmt: skip
CORES = frozenset(_STORED_IN_PART | _STORED_ONLY | _ON_THE_FLY_ONLY)
"""Every core, without ``aes_core_`` before its name."""

_STORED = CORES - _ON_THE_FLY_ONLY
_ON_THE_FLY = CORES - _STORED_ONLY
_FROM_OUTSIDE = frozenset({"iterative", "iterative_ahead", "iterative_tbox", "narrow"})
_HARDENED = frozenset({
    "iterative", "interleaved", "pipelined", "rolling", "rolling_columns", "narrow",
    "narrow_shared", "narrow_bytes",
})  # fmt: skip
_NONE: frozenset[str] = frozenset()
_BYTES = ("narrow_serial", "microcoded")
_KEYS_OF_128_BITS = {
    "rolling",
    "rolling_columns",
    "narrow_shared",
    "narrow_shift",
    "narrow_bytes_decrypt",
}

PRINTED = "  // Printed from one table for all cores"
"""First line of every list."""

_GUARD = (
    "  // What is between the ports and the core: the guard, or wires. "
    "Printed from one table for all cores\n",
    "  // end of what is between\n",
)
"""Lines of ``aes_core.sv`` around the guard."""

_FAULT_OF_A_CORE = "Cfg.hardened: copies of a register of control differ"


@dataclasses.dataclass(frozen=True)
class Port:
    """A port of ``aes_core`` or of the cores.

    Attributes:
        name: as the cores have it.
        kind: its type.
        what: a comment.
        cores: the cores that have it; nothing for one that ends in the guard.
        tie: what an output is where a core does not have it.
        narrow: core to the type that it has of an input, which of its bits that is, and the comment
            where it is another one.
        outside: whether ``aes_core`` has it too.
        head: a comment above the port and those that follow.
    """

    name: str
    kind: str = "logic"
    what: str = ""
    cores: frozenset[str] = CORES
    tie: str = ""
    narrow: Mapping[str, tuple[str, str, str]] = dataclasses.field(default_factory=dict)
    outside: bool = True
    head: str = ""

    @property
    def is_output(self) -> bool:
        """Whether a core drives it."""
        return self.name.endswith("_o")

    @property
    def base(self) -> str:
        """The name without its direction."""
        return self.name.removesuffix("_ni").removesuffix("_i").removesuffix("_o")

    @property
    def wire(self) -> str:
        """The signal of ``aes_core`` between the guard and the core."""
        return "core_rst_n" if self.name == "rst_ni" else f"core_{self.base}"

    @property
    def guard(self) -> str:
        """The port of the guard to the core."""
        if self.name == "rst_ni":
            return "core_rst_no"
        return f"core_{self.base}_{'i' if self.is_output else 'o'}"


PORTS = (
    Port("clk_i"),
    Port("rst_ni"),
    Port("clear_i", what="Cfg.clear: overwrite keys and blocks", cores=_NONE),
    Port("clearing_o", what="or what follows a reset, is going on: nothing is taken", cores=_NONE),
    Port("key_valid_i", cores=_STORED, head="Key, for stored keys"),
    Port("key_ready_o", cores=_STORED, tie="1'b0"),
    Port("key_i", "logic [255:0]", "first byte at the top", _STORED),
    Port("key_len_i", "logic [1:0]", "key_len_e, for designs that take every key size",
         _STORED - {"iterative_compact", "pipelined"}),
    Port("key_error_o", what="hardened or clear: a key of no length is refused", cores=_NONE),
    Port("round_key_valid_i", what="SboxNone: the words at the top of key_i are offered",
         cores=_FROM_OUTSIDE),
    Port("round_key_ready_o", what="and taken", cores=_FROM_OUTSIDE, tie="1'b0"),
    Port("available_o", what="a key is current", cores=_STORED, tie="1'b1", outside=False),
    Port("in_valid_i", head="Block"),
    Port("in_ready_o"),
    Port("in_block_i", "block_t", narrow=dict.fromkeys(_BYTES, (
        "logic [8:0]", "[127:119]",
        "its bytes, the first one first; behind each, whether it is that"))),
    Port("in_decrypt_i", what="DirBoth: its direction", cores=_STORED - {"iterative_compact"}),
    Port("in_key_i", "logic [255:0]", "on-the-fly keys: its key, first byte at the top",
         _ON_THE_FLY, narrow=dict.fromkeys(_KEYS_OF_128_BITS, ("block_t", "[255:128]", ""))
         | dict.fromkeys(_BYTES, ("byte_t", "[255:248]", "the first byte first"))),
    Port("out_valid_o", head="Result, which cannot be held back"),
    Port("out_block_o", "block_t"),
    Port("fault_o", what="Cfg.hardened: the result is zero because of a fault",
         cores=_HARDENED, tie="1'b0"),
)  # fmt: skip
"""All of them, in the order of the lists."""


def files(before: Mapping[Path, str]) -> dict[Path, str]:
    """The modules with their printed lists, as the table has them.

    Args:
        before: texts of files that others print into as well; else they are as they stand.
    """

    def text(path: Path) -> str:
        return before.get(path) or path.read_text()

    found = {}
    for core in sorted(CORES):
        path = rtl.file(f"aes_core_{core}")
        found[path] = _with_list(text(path), _list_of(core))
    path = rtl.file("aes_guard")
    found[path] = _with_list(text(path), _list_of_guard())
    found[STUB] = _with_list(text(STUB), _list(_outside(), comments=False))
    path = rtl.file("aes_core")
    found[path] = _with_instances(_with_guard(_with_list(text(path), _list(_outside()))))
    return found


# ---------------------------------------------------------------------------- port lists


def _outside() -> list[Port]:
    return [port for port in PORTS if port.outside]


def _between() -> list[Port]:
    """What passes between guard and core; the clock goes to both."""
    return [port for port in PORTS if port.cores and port.name != "clk_i"]


def _list_of(core: str) -> list[str]:
    """The port list of the core of an architecture."""
    mine = []
    for port in PORTS:
        if core in port.cores:
            kind, _, own = port.narrow.get(core, (port.kind, "", ""))
            what = _FAULT_OF_A_CORE if port.name == "fault_o" else own or port.what
            mine.append(dataclasses.replace(port, kind=kind, what=what))
    return _list(mine)


def _list_of_guard() -> list[str]:
    """That of the guard: the ports of ``aes_core``, then those of a core from the other side."""
    inner = []
    for port in _between():
        what = {"available_o": port.what, "fault_o": _FAULT_OF_A_CORE}.get(port.name, "")
        inner.append(Port(port.guard, port.kind, what))
    inner[0] = dataclasses.replace(inner[0], head="The core")
    return _list([*_outside(), *inner])


def _list(ports: Iterable[Port], comments: bool = True) -> list[str]:
    """The lines of a port list, in columns, with its comments."""
    ports = list(ports)
    kinds = max(len(port.kind) for port in ports)
    columns = kinds + 11 + max(len(port.name) for port in ports if port.what)
    lines = [PRINTED]
    for number, port in enumerate(ports):
        if comments and port.head:
            lines += ["", f"  // {port.head}"]
        direction = "output" if port.is_output or port.name.endswith("_no") else "input "
        comma = "," if number < len(ports) - 1 else ""
        line = f"  {direction} {port.kind:<{kinds}} {port.name}{comma}"
        lines.append(f"{line:<{columns}}  // {port.what}" if comments and port.what else line)
    return lines


def _with_list(text: str, lines: list[str]) -> str:
    """A module with another port list."""
    match = re.search(r"^(?:module \w+ \(|\) \()\n(.*?)^\);\n", text, re.MULTILINE | re.DOTALL)
    assert match
    return text[: match.start(1)] + "\n".join(lines) + "\n" + text[match.end(1) :]


# ------------------------------------------------------------------------ inside aes_core


def _with_guard(text: str) -> str:
    """``aes_core`` with what stands between its ports and the core."""
    head, end = _GUARD
    before, behind = text.index(head) + len(head), text.index(end)
    return text[:before] + "".join(f"{line}\n" for line in _guard()) + text[behind:]


def _guard() -> Iterator[str]:
    """The wires to the core, and the guard or nothing before them."""
    for kind in dict.fromkeys(port.kind for port in _between()):
        for port in _between():
            if port.kind == kind:
                yield f"  {kind} {port.wire};"
    yield ""
    yield "  if (guarded(Cfg)) begin : gen_guard"
    yield "    aes_guard #("
    yield "      .Cfg(Cfg)"
    yield "    ) u_guard ("
    outer = [(port.name, "") for port in _outside()]
    outer[2] = ("clear_i", "clear_i & Cfg.clear")
    yield from _connections([*outer, *((port.guard, port.wire) for port in _between())])
    yield "  end else begin : gen_no_guard"
    inputs = [(port.wire, port.name) for port in _between() if not port.is_output]
    outputs = [(port.name, port.wire) for port in _between() if port.is_output and port.outside]
    outputs = [(name, "1'b0" if name == "fault_o" else wire) for name, wire in outputs]
    outputs += [(port.name, "1'b0") for port in _outside() if not port.cores and port.is_output]
    yield from _assigns([*inputs, *outputs])
    yield ""
    yield "    logic unused_guard;"
    yield "    assign unused_guard = ^{clear_i, core_available, core_fault};"
    yield "  end"
    yield ""
    yield "  // Some cores do not have these ports, or not all bits of them."
    some = [port.wire for port in _between()
            if not port.is_output and (port.cores != CORES or port.narrow)]  # fmt: skip
    yield "  logic unused_inputs;"
    yield "  assign unused_inputs = ^{"
    for line in textwrap.wrap(", ".join(some), 94):
        yield f"    {line}"
    yield "  };"


def _with_instances(text: str) -> str:
    """``aes_core`` with the instance of every core, each in its branch."""
    branch = re.compile(r"^    aes_core_(\w+) #\(.*?(?=^  end)", re.MULTILINE | re.DOTALL)
    assert sorted(branch.findall(text)) == sorted(CORES)
    return branch.sub(lambda match: "\n".join(_instance(match[1])) + "\n", text)


def _instance(core: str) -> Iterator[str]:
    """The instance of a core, and the outputs that it does not have."""
    yield f"    aes_core_{core} #("
    yield "      .Cfg(Cfg)"
    yield "    ) u_core ("
    pins = [("clk_i", "")]
    for port in _between():
        if core in port.cores:
            pins.append((port.name, port.wire + port.narrow.get(core, ("", "", ""))[1]))
    yield from _connections(pins)
    yield from _assigns(
        [(p.wire, p.tie) for p in _between() if p.is_output and core not in p.cores]
    )


def _connections(pins: list[tuple[str, str]]) -> Iterator[str]:
    """The ports of an instance with what is at each; nothing for a signal of the same name."""
    longest = max(len(name) for name, signal in pins if signal)
    for number, (name, signal) in enumerate(pins):
        comma = "," if number < len(pins) - 1 else ""
        yield f"      .{name:<{longest}}({signal}){comma}" if signal else f"      .{name}{comma}"
    yield "    );"


def _assigns(pairs: list[tuple[str, str]]) -> Iterator[str]:
    longest = max((len(target) for target, _ in pairs), default=0)
    for target, value in pairs:
        yield f"    assign {target:<{longest}} = {value};"
