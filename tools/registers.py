# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The register map of the host system, from its description in SystemRDL.

``rtl/host/aes_host.rdl`` is compiled by systemrdl-compiler, which checks it (overlaps, widths,
fields outside their register); from the result come the package of the RTL, the header of the C
library and the page for users.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

from systemrdl.compiler import RDLCompiler
from systemrdl.node import AddrmapNode, FieldNode, MemNode, RegNode

import pages

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "rtl" / "host" / "aes_host.rdl"
_ORIGIN = "Made by tools/generated.py from rtl/host/aes_host.rdl; change that."
_LICENSE = ("Copyright AESFab contributors.", "SPDX-License-Identifier: Apache-2.0")
_REGISTER_BITS = 32


@dataclasses.dataclass(frozen=True)
class Field:
    """A field of a register: its name, bits, value after reset, meaning and who may do what."""

    name: str
    high: int
    low: int
    reset: int
    meaning: str
    access: str


@dataclasses.dataclass(frozen=True)
class Register:
    """A register, or ``count`` equal ones, four bytes apart."""

    name: str
    title: str
    meaning: str
    offset: int
    count: int
    fields: tuple[Field, ...]


@dataclasses.dataclass(frozen=True)
class Window:
    """A range of addresses that is not made of registers."""

    name: str
    title: str
    meaning: str
    offset: int
    size: int


def _reset(field: FieldNode) -> int:
    reset = field.get_property("reset")
    assert reset is None or isinstance(reset, int)
    return reset or 0


def _access(field: FieldNode) -> str:
    if not field.is_sw_writable:
        return "read"
    if not field.is_sw_readable:
        return "write"
    return "read, write 1 to clear" if field.get_property("woclr") else "read, write"


def load(source: Path = SOURCE) -> tuple[list[Register], list[Window]]:
    """The registers and windows of a map, in order of their addresses."""
    compiler = RDLCompiler()
    compiler.compile_file(str(source))
    top = compiler.elaborate().top
    assert isinstance(top, AddrmapNode)
    registers, windows = [], []
    for node in top.children():
        name, title = node.inst_name, node.get_property("name")
        meaning = " ".join((node.get_property("desc") or "").split())
        if isinstance(node, RegNode):
            fields = [
                Field(
                    field.inst_name,
                    field.high,
                    field.low,
                    _reset(field),
                    " ".join((field.get_property("desc") or "").split()),
                    _access(field),
                )
                for field in node.fields()
            ]
            dimensions = node.array_dimensions or [1]
            registers.append(
                Register(
                    name,
                    title,
                    meaning,
                    node.raw_address_offset,
                    dimensions[0],
                    tuple(sorted(fields, key=lambda f: f.low)),
                )
            )
        elif isinstance(node, MemNode):
            windows.append(Window(name, title, meaning, node.raw_address_offset, node.size))
    return registers, windows


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _range(width: int) -> str:
    return f"[{width - 1}:0]" if width > 1 else ""


def package() -> str:
    """``aes_host_pkg.sv``: addresses, and each register as a packed structure."""
    registers, windows = load()
    end = max(w.offset + w.size for w in windows)
    width = (end - 1).bit_length()
    digits = (width + 3) // 4
    lines = [f"// {line}" for line in _LICENSE]
    lines += [
        "",
        "// Registers of the host system: offsets in bytes, and what stands in each register.",
        f"// {_ORIGIN}",
        "",
        "package aes_host_pkg;",
        "",
        "  // Who takes some of them need not take all.",
        "  // verilator lint_off UNUSEDPARAM",
        "",
        "  // Bits of an address inside the device.",
        f"  localparam int unsigned AddrWidth = {width};",
        "",
    ]
    constants = {f"{_camel(r.name)}Offset": f"{width}'h{r.offset:0{digits}x}" for r in registers}
    for window in windows:
        constants[f"{_camel(window.name)}Offset"] = f"{width}'h{window.offset:0{digits}x}"
    lines += [
        f"  localparam logic [AddrWidth-1:0] {name} = {value};" for name, value in constants.items()
    ]
    lines += ["", "  // Sizes in bytes."]
    sizes = {f"{_camel(r.name)}Bytes": 4 * r.count for r in registers if r.count > 1}
    lines += [f"  localparam int unsigned {n} = {v};" for n, v in sizes.items()]
    for register in registers:
        if register.count > 1:
            continue
        if len(register.fields) == 1 and not register.fields[0].reset:
            continue
        lines += ["", f"  // {register.title}"]
        if len(register.fields) > 1:
            lines += _structure(register)
        for field in register.fields:
            if field.reset:
                bits = field.high - field.low + 1
                name = f"{_camel(register.name)}{_camel(field.name)}Reset"
                lines += [f"  localparam logic {_range(bits)} {name} = {bits}'h{field.reset:x};"]
    lines += ["", "  // verilator lint_on UNUSEDPARAM"]
    return "\n".join([*lines, "", "endpackage", ""])


def _structure(register: Register) -> list[str]:
    members = []
    top = _REGISTER_BITS
    for field in reversed(register.fields):
        if top > field.high + 1:
            members.append((_range(top - field.high - 1), f"reserved_{field.high + 1}"))
        members.append((_range(field.high - field.low + 1), field.name))
        top = field.low
    if top:
        members.append((_range(top), "reserved_0"))
    longest = max(len(bits) for bits, _ in members)
    return [
        "  typedef struct packed {",
        *(f"    logic {bits:<{longest}} {name};" for bits, name in members),
        f"  }} {register.name.lower()}_t;",
    ]


def header() -> str:
    """``aesfab_registers.h``: offsets, masks and shifts for C."""
    registers, windows = load()
    lines = [f"// {line}" for line in _LICENSE]
    lines += ["", f"// {_ORIGIN}", "#ifndef AESFAB_REGISTERS_H", "#define AESFAB_REGISTERS_H"]
    for register in registers:
        base = f"AESFAB_{register.name}"
        lines += ["", f"// {register.title}"]
        defines = {base: f"0x{register.offset:04x}u"}
        if register.count > 1:
            defines[f"{base}_COUNT"] = f"{register.count}u"
        else:
            for field in register.fields:
                name = f"{base}_{field.name.upper()}"
                mask = (1 << (field.high + 1)) - (1 << field.low)
                if field.high - field.low + 1 < _REGISTER_BITS:
                    defines[name] = f"0x{mask:08x}u"
                    if field.high > field.low:
                        defines[f"{name}_SHIFT"] = str(field.low)
                if field.reset:
                    defines[f"{name}_RESET"] = f"0x{field.reset:x}u"
        lines += [f"#define {name} {value}" for name, value in defines.items()]
    for window in windows:
        base = f"AESFAB_{window.name}"
        lines += ["", f"// {window.title}", f"#define {base} 0x{window.offset:04x}u"]
        lines += [f"#define {base}_SIZE 0x{window.size:04x}u"]
    end = max(w.offset + w.size for w in windows)
    lines += ["", "// Bytes of address space.", f"#define AESFAB_SPACE 0x{end:04x}u"]
    return "\n".join([*lines, "", "#endif", ""])


def page() -> str:
    """``docs/registers.md``: the map for a reader."""
    registers, windows = load()
    lines = [
        "# Registers of the host system",
        "",
        f"<!-- {_ORIGIN} -->",
        "",
        "Offsets are in bytes. Bytes of a block or key stand in memory order, the first one at the",
        "lowest address. What is reserved reads as zero.",
        "",
    ]
    places = [(r.offset, r.offset + 4 * r.count, r.name, r.title) for r in registers]
    places += [(w.offset, w.offset + w.size, w.name, w.title) for w in windows]
    rows: list[tuple[str, ...]] = []
    for offset, end, name, title in sorted(places):
        last = f"-{end - 1:04x}" if end - offset > 4 else ""
        rows.append((f"{offset:04x}{last}", f"[{name}](#{name.lower()})", title))
    lines += pages.table(("offset", "name", ""), rows)
    for register in registers:
        lines += ["", f"## {register.name}", "", register.meaning or register.title]
        rows = []
        for field in register.fields:
            bits = f"{field.high}:{field.low}" if field.high > field.low else f"{field.low}"
            reset = f"{field.reset:#x}" if field.reset else "0" if field.access != "read" else ""
            rows.append((bits, f"`{field.name}`", field.access, reset, field.meaning))
        lines += ["", *pages.table(("bits", "field", "access", "reset", ""), rows)]
    for window in windows:
        lines += ["", f"## {window.name}", "", window.meaning]
    return "\n".join([*lines, ""])


FILES = {
    ROOT / "rtl" / "host" / "aes_host_pkg.sv": package,
    ROOT / "host" / "include" / "aesfab_registers.h": header,
    ROOT / "docs" / "registers.md": page,
}
"""What is made from the description, and by which function."""
