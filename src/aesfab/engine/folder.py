# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The folder of an engine: RTL, file list, FuseSoC core, testbench, README."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Generic, Self

from aesfab import __version__
from aesfab.eda import yosys
from aesfab.engine import catalogue, hdl, testbench
from aesfab.engine.bench import N
from aesfab.engine.catalogue import NamedEngine
from aesfab.engine.family import Entry
from aesfab.folder import datasheet, generate, own_names
from aesfab.folder import manifest as manifests
from aesfab.measure import unquoted


@dataclasses.dataclass(frozen=True)
class Sheet:
    """What a data sheet says of an engine.

    Attributes:
        what: the kind of engine.
        channels: the fields of the channels, a list.
        clocks: the clocks of what goes in, from the table on.
        security: what is promised, and what is not.
    """

    what: str
    channels: str
    clocks: str
    security: str


@dataclasses.dataclass(frozen=True)
class AnyFolder(generate.Generated, Generic[N]):
    """What a generated folder is of.

    Attributes:
        named: the engine.
        output_format: see ``generate.Folder``.
        prefix: see ``generate.Folder``.
        need: see ``generate.Folder``.
        syn: whether it has the scripts that measure it (``measure.unquoted``); by default where
            Yosys is installed, which they need to be written.
    """

    named: N
    output_format: str = "systemverilog"
    prefix: str = ""
    need: str = ""
    syn: bool = dataclasses.field(default_factory=yosys.is_installed)

    @classmethod
    @abc.abstractmethod
    def find(cls, name: str, overrides: Sequence[str]) -> N:
        """The engine of its kind of this name, see ``family.find``."""

    @abc.abstractmethod
    def testbench(self) -> str:
        """The testbench of its kind of engine."""

    @abc.abstractmethod
    def sheet(self) -> Sheet:
        """What the data sheet says of its kind of engine."""

    @property
    def needs_yosys(self) -> bool:
        """See ``Generated``."""
        return self.output_format == "verilog" or self.syn

    def names(self) -> own_names.Names:
        """The names in it; AesfabError where they are none or clash."""
        generate.require_format(self.output_format)
        return own_names.Names.of(self.named.module, self.prefix)

    def contents(self, progress: Callable[[str], None] = lambda _: None) -> dict[str, str]:
        """See ``Generated``. AesfabError for what is illegal, ToolError where Yosys fails."""
        own, named, module = self.names(), self.named, self.named.module
        needed = hdl.sources(named)
        files: dict[str, str] = {}
        is_verilog = self.output_format == "verilog"
        if is_verilog:
            progress(f"translating {named.name} to Verilog-2005")
            files[f"{module}.v"] = generate.plain_verilog(named.name, module, own, needed, needed)
        else:
            files |= {f"rtl/{own.file(path)}": own.apply(path.read_text()) for path in needed}
        rtl_files = list(files)
        bench = f"tb/tb_{module}.sv"
        files[bench] = self.testbench()
        files[f"{module}.f"] = "".join(f"{name}\n" for name in rtl_files)
        files[f"{module}.core"] = generate.fusesoc(
            module, f"AES engine {named.name}", rtl_files, bench
        )
        syn = unquoted.files(module, named.design.ports(), needed, progress) if self.syn else {}
        files["README.md"] = _data_sheet(
            named, self.sheet(), rtl_files, bench, with_scripts=bool(syn)
        )
        if self.need:
            files["README.md"] += f"\n## The need that led to it\n\n{self.need}\n"
        files |= syn
        files["LICENSE"] = generate.shipped_text("LICENSE")
        return files

    def facts(self) -> dict[str, Any]:
        """See ``Generated``."""
        return {
            "design": self.named.name,
            "overrides": dict(self.named.overrides),
            "axes": _axes(self.named),
            "format": self.output_format,
            "name": self.named.module,
            "prefix": self.names().prefix,
            "syn": self.syn,
            **({"need": self.need} if self.need else {}),
        }

    @classmethod
    def read(cls, path: Path) -> tuple[Self, dict[str, Any]]:
        """See ``Generated``."""
        named, found = cls._read(path, {"syn": bool}, cls.find, _axes)
        named = dataclasses.replace(named, top=found["name"])
        need = str(found.get("need", ""))
        return cls(named, found["format"], found["prefix"], need, found["syn"]), found


def _axes(named: Entry[Any]) -> dict[str, str]:
    """The axes of an engine, and those of its core."""
    return {**named.engine.axes(), **named.engine.core.design.axes()}


class Folder(AnyFolder[NamedEngine]):
    """The folder of an engine of packets."""

    kind = "packet engine"

    @classmethod
    def find(cls, name: str, overrides: Sequence[str]) -> NamedEngine:
        """See ``AnyFolder``."""
        return catalogue.find(name, overrides)

    def testbench(self) -> str:
        """See ``AnyFolder``."""
        return testbench.text(self.named)

    def sheet(self) -> Sheet:
        """See ``AnyFolder``."""
        engine, design = self.named.engine, self.named.engine.core.design
        packets = table(
            ("bytes of text", "clocks from packet to packet, at most"),
            [(size, engine.packet_clocks(0, -(-size // 16))) for size in (16, 64, 512, 1500)],
        )
        held = (
            f"Text of a decrypted packet leaves when its tag is right, never otherwise; a packet "
            f"has at most {engine.most_held} beats of text then."
            if engine.most_held is not None
            else "Text of a decrypted packet leaves before its tag is known (release=stream): "
            "whoever takes it must drop it when the last beat tells an error."
        )
        change = (
            "The core stores one expanded key: a packet of another slot than the one before waits "
            f"until it is loaded, {design.key_setup()} clocks and a few for the hand-over."
            if design.stored_keys
            else "Keys travel with their blocks: a packet of another key costs no clock more."
        )
        return Sheet(
            what="AES packet engine",
            channels=f"""\
- **Keys**: `s_key_tuser` is {{clear all, clear, length (2 bits: 128, 192, 256), slot (8 bits)}}. A
  key has taken its slot in the clock in which it is taken; packets under way finish under the old
  one. Reset clears all slots, in {2 * engine.num_slots} clocks at most.
- **Descriptors**: bits 127 to 0 the IV (96 bits, or the first counter block for CTR), 130 to 128
  the mode (1 CTR, 2 GCM), 131 decryption, 132 no beat of data follows, 143 to 136 slot, 151 to 144
  bytes of the IV, 159 to 152 bytes of the tag (4, 8, 12 to 16).
- **Beats**: in the order IV (where it is not 96 bits long: 1 to 128 bytes), AAD, text, tag
  (decryption: it has to be there and to have the length of the descriptor). A beat is
  partial only as the last one of its kind. `tlast` is with the last beat of the packet.
- **Results**: text, then one beat with `tlast`: the tag of an encryption, else zero. Its `tuser`
  is {{error (4 bits), ok, last}}. Errors: 1 mode, 2 slot, 3 length of the IV, 4 length of the tag,
  5 a beat that makes no sense, 6 length of the packet, 7 wrong tag.""",
            clocks=f"""\
{packets}

These are packets in line with 96-bit IVs, without AAD, all streams ready. {change}
A long IV costs its GHASH.""",
            security=f"""\
{held}
Tags are compared in one clock, and the right tag of a decrypted packet does not leave the engine.
The time that a packet takes follows from its lengths alone. The engine does not see to it that an
IV is used once for a key, nor that a key is used for no more packets than SP 800-38D allows. It has
no protection against power analysis or faults.""",
        )


def table(head: tuple[str, ...], rows: list[tuple[object, ...]]) -> str:
    """A table in Markdown."""
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in (head, ("---",) * len(head), *rows)]
    return "\n".join(lines)


def _data_sheet(
    named: Entry[Any],
    sheet: Sheet,
    rtl_files: list[str],
    bench: str,
    *,
    with_scripts: bool,
) -> str:
    """The README: channels, descriptor, clocks, what to run, what is not promised."""
    engine = named.engine
    words = "".join(f" {axis}={value}" for axis, value in named.overrides)
    ports = table(
        ("port", "bits", "", "meaning"),
        [
            (f"`{p.name}`", p.width, "in" if p.is_input else "out", p.meaning)
            for p in engine.ports()
        ],
    )
    axes = table(("axis", "value"), list(engine.axes().items()))
    simulation = datasheet.simulation(named.module, bench, rtl_files[0].endswith(".v"))
    more = unquoted.ROW if with_scripts else ""
    return f"""# {named.module}

{sheet.what}, generated by AESFab {__version__} from the engine `{named.name}{words}`.
Apache-2.0.

{axes}

## Streams

All streams are AXI4-Stream; byte 0 is in the lowest lane.

{ports}

{sheet.channels}

## Clocks

{sheet.clocks}

## First check

{simulation}{unquoted.section(with_scripts)}
## Security

{sheet.security}

| file | what it is |
|---|---|
| `{rtl_files[-1]}` | the top module |
| `{named.module}.f` | files in compilation order |
| `{named.module}.core` | FuseSoC core |
| `{bench}` | self-checking testbench |
{more}| `{manifests.FILE}` | of what this folder is, and the hash of each file |
"""
